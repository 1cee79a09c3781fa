"""Ports of loopback for servers that must be told theirs before they start, and those that start again on the same one."""

import random
import socket

# Below all ports that systems give away themselves: an outgoing connection, or a server on port 0, would take one of those
# before the server has started, and whoever asks whether it has started may even be connected to itself.
PORTS = range(20_000, 32_000)


def free_port() -> int:
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """They are this process's until it ends.

    TCP can't reserve a port without listening, so a UDP socket with the same number is the sign that one is taken.
    """
    found: list[int] = []
    for port in random.sample(PORTS, len(PORTS)):
        if len(found) == count:
            break
        if _is_free(port) and _is_reserved(port):
            found.append(port)
    assert len(found) == count, "there are no free ports"
    return found


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def _is_reserved(port: int) -> bool:
    sign = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        sign.bind(("127.0.0.1", port))
    except OSError:
        sign.close()
        return False
    sign.detach()  # nobody closes it but the end of the process
    return True
