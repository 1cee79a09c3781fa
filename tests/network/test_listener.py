import asyncio
import contextlib
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from network_harness import Echo, Parked, connected, framed, listening, until

from snakka.network.connection_limits import ConnectionLimits
from snakka.network.listener import ListenError
from snakka.telemetry.metric_set import MetricSet
from snakka.telemetry.prometheus_text import render

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


async def echo(host: str, port: int) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(framed(b"hello"))
    assert await reader.readexactly(9) == framed(b"hello")
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "", "0.0.0.0"])
def test_port_zero_becomes_a_real_one(run: Run, host: str) -> None:
    async def scenario() -> None:
        async with listening(Echo(), host=host) as listener:
            assert listener.port > 0
            await echo("127.0.0.1", listener.port)

    run(scenario())


def test_many_clients_may_come_while_the_loop_is_busy(run: Run) -> None:
    """One that finds no room would come again after a second."""

    async def scenario() -> None:
        async with listening(Echo()) as listener:
            address = ("127.0.0.1", listener.port)
            with contextlib.ExitStack() as stack:
                for _ in range(300):  # nothing is accepted meanwhile
                    stack.enter_context(socket.create_connection(address, 0.5))
            await echo(*address)

    run(scenario())


@needs_ipv6
@pytest.mark.parametrize("host", ["::1", "", "localhost"])
def test_ipv6_clients_are_served_on_the_same_port(run: Run, host: str) -> None:
    async def scenario() -> None:
        async with listening(Echo(), host=host) as listener:
            await echo("::1", listener.port)

    if host == "localhost" and "::1" not in {entry[4][0] for entry in socket.getaddrinfo("localhost", None)}:
        pytest.skip("localhost has no IPv6 address here")
    run(scenario())


def test_a_used_port_is_one_clear_line(run: Run) -> None:
    async def scenario() -> None:
        async with listening(Echo()) as first:
            with pytest.raises(ListenError) as caught:
                async with listening(Echo(), port=first.port):
                    pass
            text = str(caught.value)
            assert text == f"cannot listen on 127.0.0.1:{first.port}: address already in use"
            assert isinstance(caught.value, OSError)
            await echo("127.0.0.1", first.port)

    run(scenario())


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("203.0.113.7", "assign requested address|could not bind"),
        ("no.such.host.invalid", "cannot listen on no.such"),
    ],
)
def test_an_address_that_is_not_ours_is_one_clear_line(run: Run, host: str, reason: str) -> None:
    async def scenario() -> None:
        with pytest.raises(ListenError, match=reason) as caught:
            async with listening(Echo(), host=host, port=9):
                pass
        assert "\n" not in str(caught.value)

    run(scenario())


def test_nobody_is_let_in_between_bind_and_start_and_the_port_is_free_after_close(run: Run) -> None:
    async def scenario() -> None:
        async with listening(Echo(), is_started=False) as listener:
            port = listener.port
            with pytest.raises(ConnectionError):
                await echo("127.0.0.1", port)
            await listener.start()
            await echo("127.0.0.1", port)
        with pytest.raises(ConnectionError):
            await echo("127.0.0.1", port)
        async with listening(Echo(), port=port) as again:
            await echo("127.0.0.1", again.port)

    run(scenario())


def test_limits_close_silently_and_others_go_on(run: Run) -> None:
    async def scenario() -> None:
        limits = ConnectionLimits(most=2)
        metrics = MetricSet()
        async with listening(Echo(), limits=limits, metrics=metrics) as listener:
            async with connected(listener) as first, connected(listener) as second:
                for client in (first, second):
                    client.send(framed(b"in"))
                    assert await client.receive() == b"in"
                async with connected(listener) as third:
                    assert await third.is_closed()
                first.send(framed(b"still here"))
                assert await first.receive() == b"still here"
            await until(lambda: limits.total == 0)
            assert limits.addresses == 0
            await echo("127.0.0.1", listener.port)
            text = render(metrics)
            assert 'snakka_network_connections_refused_total{listener="PLAINTEXT"} 1' in text
            assert 'snakka_network_connections_opened_total{listener="PLAINTEXT"} 3' in text

    run(scenario())


@pytest.mark.skipif(
    sys.platform == "darwin", reason="127.0.0.2 is an address of Linux's loopback interface only"
)
def test_a_limit_per_address_spares_other_addresses(run: Run) -> None:
    async def scenario() -> None:
        limits = ConnectionLimits(most_per_address=1)
        async with listening(Echo(), limits=limits, host="0.0.0.0") as listener, connected(listener) as first:
            first.send(framed(b"in"))
            await first.receive()
            async with connected(listener) as second:
                assert await second.is_closed()
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", listener.port, local_addr=("127.0.0.2", 0)
            )
            writer.write(framed(b"from elsewhere"))
            assert await reader.readexactly(18) == framed(b"from elsewhere")
            writer.close()
            await writer.wait_closed()

    run(scenario())


def test_an_idle_connection_is_closed_and_a_busy_one_is_not(run: Run) -> None:
    async def scenario() -> None:
        started = time.monotonic()
        async with (
            listening(Echo(), connections_max_idle_ms=1500) as listener,
            connected(listener) as idle,
            connected(listener) as busy,
        ):
            closing = asyncio.ensure_future(idle.is_closed())
            while not closing.done():
                busy.send(framed(b"x"))
                assert await busy.receive() == b"x"
                await asyncio.sleep(0.005)
            assert await closing
            assert time.monotonic() - started > 1.4
            busy.send(framed(b"y"))
            assert await busy.receive() == b"y"
            assert listener.environment.metrics.connections_expired.value == 1

    run(scenario())


def test_a_negative_idle_time_closes_nobody(run: Run) -> None:
    async def scenario() -> None:
        async with listening(Echo(), connections_max_idle_ms=-1) as listener, connected(listener) as client:
            client.send(framed(b"x"))
            await client.receive()
            listener._run_sweep()
            client.send(framed(b"y"))
            assert await client.receive() == b"y"

    run(scenario())


def test_closing_answers_what_is_in_work(run: Run) -> None:
    async def scenario() -> None:
        handler = Parked()
        async with listening(handler) as listener, connected(listener) as client, connected(listener) as idle:
            client.send(framed(b"one") + framed(b"two"))
            await until(lambda: len(handler.open) == 2)
            closing = asyncio.ensure_future(listener.close(5.0))
            assert await idle.is_closed()
            client.send(framed(b"too late"))
            handler.complete(1)
            handler.complete(0)
            assert [await client.receive(), await client.receive()] == [b"one", b"two"]
            assert await client.is_closed()
            await closing
            assert not listener.connections
            assert len(handler.open) == 2

    run(scenario())


def test_closing_cuts_off_what_takes_too_long(run: Run) -> None:
    async def scenario() -> None:
        handler = Parked()
        async with listening(handler) as listener, connected(listener) as client:
            client.send(framed(b"never answered"))
            await until(lambda: handler.open)
            started = time.monotonic()
            await listener.close(0.05)
            assert time.monotonic() - started < 1
            assert not listener.connections
            assert handler.gone == [b"never answered"]
            assert await client.is_closed()

    run(scenario())


def test_closing_sends_a_large_answer_to_its_end(run: Run) -> None:
    async def scenario() -> None:
        payload = bytes(8 * 1024 * 1024)
        async with listening(Echo()) as listener, connected(listener) as client:
            client.send(framed(payload))
            await until(lambda: listener.environment.handler.frames)  # type: ignore[attr-defined]
            closing = asyncio.ensure_future(listener.close(10.0))
            assert await client.receive() == payload
            assert await client.is_closed()
            await closing

    run(scenario())


OUT_OF_DESCRIPTORS = """
import asyncio, resource, socket, sys, time
sys.path[:0] = [{path!r}]
from network_harness import Echo, connected, framed, listening

async def main():
    async with listening(Echo()) as listener:
        limit = 60
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        clients = []
        address = ("127.0.0.1", listener.port)
        try:
            while True:
                client = socket.socket()
                client.setblocking(False)
                clients.append(client)
                await asyncio.get_running_loop().sock_connect(client, address)
                await asyncio.sleep(0)
        except OSError as error:
            assert error.errno == 24, error
        # The server can accept nothing, and a client is waiting in the backlog: this must not cost a processor.
        clients.pop().close()
        waiting = clients.pop()
        used = time.process_time()
        await asyncio.sleep(0.3)
        print("cpu", time.process_time() - used)
        for client in clients[:30]:
            client.close()
        await asyncio.sleep(0.05)
        deadline = time.monotonic() + 10
        while True:
            try:
                async with connected(listener) as client:
                    client.send(framed(b"again"))
                    assert await client.receive() == b"again"
                    break
            except (ConnectionError, OSError, asyncio.IncompleteReadError):
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
        print("served again")
        for client in clients:
            client.close()

import uvloop
asyncio.Runner(loop_factory={factory}).run(main())
"""


@pytest.mark.parametrize("factory", ["uvloop.new_event_loop", "asyncio.new_event_loop"])
def test_running_out_of_descriptors_is_no_hot_loop(factory: str) -> None:
    path = __file__.rpartition("/")[0]
    script = OUT_OF_DESCRIPTORS.format(path=path, factory=factory)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "served again" in done.stdout, done.stderr
    used = float(done.stdout.split()[1])
    assert used < 0.15, f"{used} s of processor time in 0.3 s"


def test_many_connections_come_and_go(run: Run) -> None:
    async def scenario() -> None:
        limits = ConnectionLimits()
        async with listening(Echo(), limits=limits) as listener:
            for _ in range(5):
                async with contextlib.AsyncExitStack() as stack:
                    clients = [await stack.enter_async_context(connected(listener)) for _ in range(60)]
                    for client in clients:
                        client.send(framed(b"x"))
                    for client in clients:
                        assert await client.receive() == b"x"
            await until(lambda: limits.total == 0)

    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 200
    run(scenario())
