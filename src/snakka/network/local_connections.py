"""Connections between two processes of one machine: nothing is congested or lost on their way.

Many a system paces what TCP sends (BBR does), by a timer for each piece; where bytes only change hands within the machine,
that takes longer than sending them. Rule: connections that leave the machine stay as whoever runs it has set them.
"""

import socket
from contextlib import suppress

# Every Linux has it and lets everybody choose it, and it paces nothing.
_UNPACED = b"reno"


def do_not_pace(connected: socket.socket) -> None:
    """Let a connection within this machine send as fast as it can; any other is left alone."""
    option = getattr(socket, "TCP_CONGESTION", None)
    if option is None or connected.family not in (socket.AF_INET, socket.AF_INET6):
        return
    with suppress(OSError):  # it is slower then, or its peer is gone already
        if connected.getpeername()[0] == connected.getsockname()[0]:
            connected.setsockopt(socket.IPPROTO_TCP, option, _UNPACED)
