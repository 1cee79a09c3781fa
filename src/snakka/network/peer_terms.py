"""The terms of a connection that we open: how it is protected, who we are on it, and what it may use."""

import ssl
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple

from snakka.security.client_authentication import Credentials

Spawn = Callable[[str, Coroutine[Any, Any, Any]], object]


@dataclass(frozen=True, slots=True)
class PeerSecurity:
    """How a connection is protected, and who we are on it."""

    tls: ssl.SSLContext | None = None
    credentials: Credentials | None = None
    # The part of a login's life after which we log in again (KIP-368); random, so that not all do so at once.
    renew_after: float = 0.9


PLAINTEXT = PeerSecurity()


class SocketBuffers(NamedTuple):
    """The system's buffers for a connection; -1 leaves it to the system, which adapts them to the network."""

    send_bytes: int = -1
    receive_bytes: int = -1


SYSTEM_BUFFERS = SocketBuffers()
