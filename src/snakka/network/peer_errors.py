"""What can go wrong between us and a peer that we have dialled: each text names the peer and what to change."""


class PeerDisconnectedError(ConnectionError):
    """The peer is gone; whether it has seen the open requests is not known."""


class PeerUnreachableError(ConnectionError):
    """None of the peer's addresses lets us in, or it does not speak as we do."""


class PeerAuthenticationError(ConnectionError):
    """The peer does not accept who we are, or we do not accept who it is: trying again is of no use."""


class PeerTimeoutError(TimeoutError):
    """The peer did not answer in time; whether it has seen the request is not known."""


class PeerBusyError(ConnectionError):
    """More requests wait for this one connection than its bound allows."""


def shown_address(host: str, port: int) -> str:
    """HOST:PORT as people write it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
