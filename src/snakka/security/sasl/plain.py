"""PLAIN (RFC 4616): user and password in one message. Only TLS protects them."""

from snakka.security.sasl.exchange import SaslError


class PlainExchange:
    """Says who we are, and expects no words back."""

    mechanism = "PLAIN"

    def __init__(self, username: str, password: str, authorization_id: str = "") -> None:
        for name, value in (
            ("user", username),
            ("password", password),
            ("authorization id", authorization_id),
        ):
            if "\0" in value:
                raise SaslError(f"the {name} contains a NUL character, which PLAIN can't carry")
        self._message = f"{authorization_id}\0{username}\0{password}".encode()
        self._is_sent = False

    def step(self, challenge: bytes) -> bytes | None:
        if self._is_sent:
            return None
        self._is_sent = True
        return self._message
