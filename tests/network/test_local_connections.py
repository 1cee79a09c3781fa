"""Which connections are not paced, on real sockets; and that both of our ends see to it."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from snakka.client import Admin
from snakka.network.local_connections import begin_unpaced, do_not_pace, is_loopback, unpaced_socket
from snakka.testing import LocalBroker

PACING = getattr(socket, "TCP_CONGESTION", 0)
pytestmark = pytest.mark.skipif(
    not PACING, reason="only Linux lets a socket choose how it deals with congestion"
)


def chosen(connected: socket.socket) -> bytes:
    return connected.getsockopt(socket.IPPROTO_TCP, PACING, 16).rstrip(b"\0")


@contextmanager
def connection(own_address: str) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection from `own_address` to 127.0.0.1."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname(), 10, (own_address, 0))
        far, _ = listener.accept()
        with closing(near), closing(far):
            yield near, far


def test_a_connection_within_the_machine_is_not_paced() -> None:
    with connection("127.0.0.1") as ends:
        for end in ends:
            do_not_pace(end)
            assert chosen(end) == b"reno"


def test_any_other_connection_stays_as_it_was() -> None:
    with connection("127.0.0.2") as ends:
        for end in ends:
            before = chosen(end)
            do_not_pace(end)
            assert chosen(end) == before


def test_what_has_no_address_or_no_peer_is_left_alone() -> None:
    near, far = socket.socketpair()
    with closing(near), closing(far):
        do_not_pace(near)
    with closing(socket.socket()) as unconnected:
        before = chosen(unconnected)
        do_not_pace(unconnected)
        assert chosen(unconnected) == before


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
def test_connections_within_the_machine_begin_unpaced(address: str) -> None:
    with closing(socket.socket()) as listener, closing(unpaced_socket(address)) as near:
        listener.bind((address, 0))
        begin_unpaced(listener)
        listener.listen()
        near.setblocking(True)
        near.connect(listener.getsockname())
        far, _ = listener.accept()
        with closing(far):
            assert chosen(near) == chosen(far) == b"reno"


def test_a_listener_for_others_too_is_left_alone() -> None:
    with closing(socket.socket()) as listener:
        listener.bind(("0.0.0.0", 0))
        before = chosen(listener)
        begin_unpaced(listener)
        assert chosen(listener) == before


def test_only_addresses_of_the_loopback_are_such() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "192.0.2.1", "fe80::1%lo", "localhost")))


async def test_broker_and_client_never_pace_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def noted(connected: socket.socket) -> None:
        assert chosen(connected) == b"reno"  # since it began: later would be too late for the timers
        asked.append((connected.getsockname()[1], connected.getpeername()[1]))

    monkeypatch.setattr("snakka.network.connection.do_not_pace", noted)
    monkeypatch.setattr("snakka.network.peer_connection.do_not_pace", noted)
    async with LocalBroker() as broker, Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        await admin.list_topics()
        port = int(broker.bootstrap_servers.rpartition(":")[2])
        assert any(own == port for own, _ in asked)
        assert any(peer == port for _, peer in asked)
