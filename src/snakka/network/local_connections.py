"""Connections between two processes of one machine: nothing is congested or lost on their way.

Many a system paces what TCP sends (BBR does), by a timer for each piece; where bytes only change hands within the machine,
that takes longer than sending them. The timers stay once a connection has begun with them, so it must be said before.
Rule: connections that leave the machine stay as whoever runs it has set them.
"""

import ipaddress
import socket
from contextlib import suppress

# Every Linux has it and lets everybody choose it, and it paces nothing.
_UNPACED = b"reno"
_CHOICE: int | None = getattr(socket, "TCP_CONGESTION", None)


def begin_unpaced(listener: socket.socket) -> None:
    """Let what comes to a loopback address never be paced; any other listener is left alone. Before it listens."""
    if is_loopback(listener.getsockname()[0]):
        _choose(listener)


def unpaced_socket(address: str) -> socket.socket:
    """A socket that is to be connected to this loopback address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    unconnected = socket.socket(family, socket.SOCK_STREAM)
    unconnected.setblocking(False)
    _choose(unconnected)
    return unconnected


def do_not_pace(connected: socket.socket) -> None:
    """Let a connection within this machine send as fast as it can, nearly so if it began paced; others are left alone."""
    if connected.family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError):  # its peer is gone already
            if connected.getpeername()[0] == connected.getsockname()[0]:
                _choose(connected)


def is_loopback(address: str) -> bool:
    """Whether nobody else can be reached there."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _choose(given: socket.socket) -> None:
    if _CHOICE is not None:
        with suppress(OSError):  # it is slower then
            given.setsockopt(socket.IPPROTO_TCP, _CHOICE, _UNPACED)
