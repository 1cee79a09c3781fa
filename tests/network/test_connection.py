import asyncio
import gc
import logging
import socket
import struct
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from network_harness import (
    Answering,
    Client,
    Echo,
    Parked,
    connected,
    framed,
    listening,
    sealed,
    stays,
    until,
)

from snakka.network.connection import MOST_OPEN_REQUESTS, MOST_PARKED_BYTES
from snakka.network.outbound import MOST_QUEUED_BYTES
from snakka.network.receive_buffer import ReceiveMemory
from snakka.telemetry.process import resident_bytes

Run = Callable[[Coroutine[Any, Any, Any]], Any]
MIB = 1024 * 1024


def test_a_frame_split_at_every_byte_is_answered(run: Run) -> None:
    async def scenario() -> None:
        payload = bytes(range(40))
        stream = framed(payload)
        async with listening(Echo()) as listener, connected(listener) as client:
            for cut in range(1, len(stream)):
                client.send(stream[:cut])
                await asyncio.sleep(0)
                client.send(stream[cut:] + stream)
                assert await client.receive() == payload
                assert await client.receive() == payload

    run(scenario())


def test_thousands_of_pipelined_frames_are_answered_in_order(run: Run) -> None:
    async def scenario() -> None:
        count = 5000
        async with listening(Echo()) as listener, connected(listener) as client:
            client.send(b"".join(framed(b"request %d" % number) for number in range(count)))
            for number in range(count):
                assert await client.receive() == b"request %d" % number

    run(scenario())


def test_answers_keep_the_order_of_requests_when_they_complete_in_another(run: Run) -> None:
    async def scenario() -> None:
        handler = Parked()
        async with listening(handler) as listener, connected(listener) as client:
            client.send(b"".join(framed(b"%d" % number) for number in range(6)))
            await until(lambda: len(handler.open) == 6)
            for number in (5, 3, 1, 4, 2):
                handler.complete(number)
            assert await stays(lambda: not client.reader._buffer, turns=10)
            handler.complete(0)
            handler.complete(0)
            assert [await client.receive() for _ in range(6)] == [b"%d" % number for number in range(6)]

    run(scenario())


def test_an_answer_at_once_waits_for_an_open_request_before_it(run: Run) -> None:
    class FirstIsParked(Parked):
        def dispatch(self, connection: Any, frame: memoryview) -> None:
            if self.open:
                connection.answer(sealed(bytes(frame)))
            else:
                super().dispatch(connection, frame)

    async def scenario() -> None:
        handler = FirstIsParked()
        async with listening(handler) as listener, connected(listener) as client:
            client.send(framed(b"slow") + framed(b"fast") + framed(b"faster"))
            await until(lambda: handler.open)
            handler.complete(0)
            assert [await client.receive() for _ in range(3)] == [b"slow", b"fast", b"faster"]

    run(scenario())


def test_a_client_that_keeps_sending_while_nothing_is_answered_is_held_back(run: Run) -> None:
    async def scenario() -> None:
        handler = Parked()
        count = 20 * MOST_OPEN_REQUESTS
        async with listening(handler) as listener, connected(listener) as client:
            client.send(b"".join(framed(b"%d" % number) for number in range(count)))
            await until(lambda: len(handler.open) == MOST_OPEN_REQUESTS)
            assert await stays(lambda: len(handler.open) == MOST_OPEN_REQUESTS)
            for number in range(count):
                await until(lambda number=number: len(handler.open) > number)
                handler.complete(number)
                assert await client.receive() == b"%d" % number

    run(scenario())


def test_answers_that_wait_for_an_earlier_one_are_bounded_by_their_size(run: Run) -> None:
    answer = bytes(100_000)

    class FirstIsParked(Parked):
        def __init__(self) -> None:
            super().__init__()
            self.frames = 0

        def dispatch(self, connection: Any, frame: memoryview) -> None:
            self.frames += 1
            if self.open:
                connection.answer(sealed(answer))
            else:
                super().dispatch(connection, frame)

    async def scenario() -> None:
        handler = FirstIsParked()
        async with listening(handler) as listener, connected(listener, MIB) as client:
            client.send(framed(b"first") + framed(b"x") * 50)
            await until(lambda: handler.frames * len(answer) > MOST_PARKED_BYTES)
            held = handler.frames
            assert held * len(answer) < MOST_PARKED_BYTES + 3 * len(answer)
            assert await stays(lambda: handler.frames == held)
            handler.complete(0)
            assert await client.receive() == b"first"
            for _ in range(50):
                assert await client.receive() == answer
            (connection,) = listener.connections
            assert connection._parked_bytes == 0

    run(scenario())


def test_a_client_that_never_reads_costs_a_bounded_amount_of_memory(run: Run) -> None:
    answer = bytes(60_000)

    async def scenario() -> None:
        handler = Answering(lambda _: sealed(answer))
        async with (
            listening(handler, send_buffer_bytes=16_384) as listener,
            connected(listener, 1024) as client,
        ):
            client.send(framed(b"more") * 20_000)
            client.reader._transport.pause_reading()  # type: ignore[attr-defined]
            await until(lambda: handler.frames * len(answer) > MOST_QUEUED_BYTES)
            (connection,) = listener.connections
            await until(lambda: connection._is_held_back)
            held = handler.frames
            assert await stays(lambda: handler.frames == held)
            assert connection._outbound._queued_bytes < MOST_QUEUED_BYTES + 2 * len(answer)
            # Another client does not notice.
            async with connected(listener) as other:
                other.send(framed(b"one"))
                assert await other.receive() == answer
            # And when it reads after all, it gets what it asked for.
            client.reader._transport.resume_reading()  # type: ignore[attr-defined]
            for _ in range(held + 100):
                assert await client.receive() == answer

    run(scenario())


@pytest.mark.parametrize("size", [-1, 1025, 2**31 - 1, -(2**31)])
def test_an_absurd_frame_size_closes_the_connection_and_no_other(
    run: Run, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        handler = Echo()
        async with (
            listening(handler, largest_frame=1024) as listener,
            connected(listener) as good,
            connected(listener) as bad,
        ):
            bad.send(framed(b"before") + struct.pack(">i", size) + b"garbage")
            assert await bad.receive() == b"before"
            assert await bad.is_closed()
            for _ in range(20):
                async with connected(listener) as again:
                    again.send(struct.pack(">i", size))
                    assert await again.is_closed()
            good.send(framed(bytes(1024)))
            assert await good.receive() == bytes(1024)
            await until(lambda: len(listener.connections) == 1)
            assert listener.environment.metrics.requests_rejected.value == 21

    with caplog.at_level(logging.WARNING):
        run(scenario())
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 1
    assert str(size) in lines[0]
    assert "127.0.0.1" in lines[0]


def test_http_on_the_port_is_closed(run: Run) -> None:
    async def scenario() -> None:
        async with listening(Echo()) as listener, connected(listener) as client:
            client.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert await client.is_closed()

    run(scenario())


def test_a_frame_of_100_mib_is_taken_and_its_memory_freed(run: Run) -> None:
    size = 100 * MIB

    async def scenario() -> None:
        handler = Answering(lambda frame: sealed(b"%d %d" % (len(frame), frame[-1])))
        # As the broker does: look at the frame, do not copy it.
        seen: list[int] = []
        handler.dispatch = lambda connection, frame: (  # type: ignore[method-assign]
            seen.append(len(frame)),
            connection.answer(sealed(b"taken %d" % frame[-1])),
        )
        async with listening(handler) as listener, connected(listener) as client:
            before = resident_bytes()
            client.send(struct.pack(">i", size))
            chunk = bytes(MIB - 1) + b"\x07"
            for _ in range(size // MIB):
                client.send(chunk)
                await client.writer.drain()
            assert await client.receive() == b"taken 7"
            assert seen == [size]
            client.send(framed(b"next"))
            assert await client.receive() == b"taken %d" % ord("t")
            memory = listener.environment.memory
            assert memory.reserved_bytes == 0
            gc.collect()
            assert resident_bytes() - before < 30 * MIB
            client.send(struct.pack(">i", size + 1))
            assert await client.is_closed()

    run(scenario())


def test_reading_pauses_while_large_requests_hold_all_memory(run: Run) -> None:
    async def scenario() -> None:
        memory = ReceiveMemory(limit_bytes=100_000)
        payload = bytes(200_000)
        async with (
            listening(Echo(), memory=memory) as listener,
            connected(listener, MIB) as first,
            connected(listener, MIB) as second,
            connected(listener) as small,
        ):
            first.send(framed(payload)[:60_000])
            await until(lambda: memory.reserved_bytes == 200_000)
            second.send(framed(payload) * 3)
            await until(lambda: any(connection._splitter.needs_memory for connection in listener.connections))
            assert await stays(lambda: memory.reserved_bytes == 200_000)
            small.send(framed(b"small"))
            assert await small.receive() == b"small"
            first.send(framed(payload)[60_000:])
            assert await first.receive() == payload
            for _ in range(3):
                assert await second.receive() == payload
            await until(lambda: memory.reserved_bytes == 0)

    run(scenario())


def test_a_connection_that_waits_for_memory_and_goes_leaves_nothing_behind(run: Run) -> None:
    async def scenario() -> None:
        memory = ReceiveMemory(limit_bytes=1)
        async with listening(Echo(), memory=memory) as listener, connected(listener) as first:
            first.send(framed(bytes(100_000))[:60_000])
            await until(lambda: memory.reserved_bytes == 100_000)
            for _ in range(3):
                async with connected(listener) as other:
                    other.send(framed(bytes(100_000))[:60_000])
                    await until(lambda: len(memory._waiters) == 1)
                    # A reset, which is noticed even while nothing is read.
                    raw = other.writer.get_extra_info("socket")
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                for connection in list(listener.connections)[1:]:
                    connection.abort()
                await until(lambda: not memory._waiters)
        assert memory.reserved_bytes == 0

    run(scenario())


def test_open_requests_are_told_when_the_client_goes(run: Run) -> None:
    async def scenario() -> None:
        handler = Parked()
        async with listening(handler) as listener:
            async with connected(listener) as client:
                client.send(framed(b"one") + framed(b"two") + framed(b"three"))
                await until(lambda: len(handler.open) == 3)
                handler.complete(1)
            await until(lambda: not listener.connections)
            assert handler.gone == [b"one", b"three"]
            handler.complete(0)
            assert handler.gone == [b"one", b"three"]

    run(scenario())


def test_no_answer_takes_no_place_in_the_order(run: Run) -> None:
    async def scenario() -> None:
        handler = Answering(lambda frame: None if frame == b"silent" else sealed(frame))
        async with listening(handler) as listener, connected(listener) as client:
            client.send(framed(b"silent") + framed(b"a") + framed(b"silent") + framed(b"b"))
            assert [await client.receive(), await client.receive()] == [b"a", b"b"]
            assert handler.frames == 4

    run(scenario())


def test_an_open_request_that_ends_without_an_answer_lets_the_next_pass(run: Run) -> None:
    async def scenario() -> None:
        handler = Parked()
        async with listening(handler) as listener, connected(listener) as client:
            client.send(framed(b"silent") + framed(b"spoken"))
            await until(lambda: len(handler.open) == 2)
            handler.complete(1)
            handler.open[0][1].complete(None)
            assert await client.receive() == b"spoken"

    run(scenario())


def test_closing_with_a_reason_still_sends_what_was_answered_before(run: Run) -> None:
    def dispatch(connection: Any, frame: memoryview) -> None:
        if frame == b"fail":
            connection.close_with_reason("it failed")
        else:
            connection.answer(sealed(bytes(frame)))

    async def scenario() -> None:
        handler = Echo()
        handler.dispatch = dispatch  # type: ignore[method-assign]
        async with listening(handler) as listener, connected(listener) as client:
            client.send(framed(b"good") + framed(b"fail") + framed(b"never"))
            assert await client.receive() == b"good"
            assert await client.is_closed()

    run(scenario())


def test_socket_options_are_set(run: Run) -> None:
    async def scenario() -> None:
        async with (
            listening(Echo(), send_buffer_bytes=50_000, receive_buffer_bytes=60_000) as listener,
            connected(listener) as client,
        ):
            client.send(framed(b"x"))
            await client.receive()
            (connection,) = listener.connections
            raw = connection._transport.get_extra_info("socket")
            assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert raw.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            # Linux doubles what is asked for.
            assert raw.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) in (50_000, 100_000)
            assert raw.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) in (60_000, 120_000)

    run(scenario())


def test_many_clients_at_once_each_get_their_own_answers(run: Run) -> None:
    async def talk(listener: Any, number: int) -> None:
        async with connected(listener, 4 * MIB) as client:
            for turn, size in enumerate((10, 70_000, 33_000, 300_000, 1)):
                payload = bytes([number, turn]) * size
                client.send(framed(payload))
                assert await client.receive() == payload

    async def scenario() -> None:
        async with listening(Echo()) as listener:
            await asyncio.gather(*(talk(listener, number) for number in range(40)))

    run(scenario())


def test_a_flood_of_requests_lets_others_have_their_turn(run: Run) -> None:
    order: list[bytes] = []

    def note(frame: bytes) -> None:
        order.append(frame)

    async def scenario() -> None:
        handler = Answering(note)
        async with listening(handler) as listener, connected(listener) as flood, connected(listener) as small:
            small.send(framed(b"first"))
            await until(lambda: order)
            # Both are in their sockets before the server sees either.
            flood.send(framed(b"flood") * 10_000)
            small.send(framed(b"second"))
            await until(lambda: len(order) == 10_002)
        assert order.index(b"second") < 5_000

    run(scenario())


def test_one_that_cannot_be_dropped_does_not_keep_the_others(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise RuntimeError("stuck")

    async def scenario() -> None:
        handler = Parked()
        async with listening(handler) as listener:
            async with connected(listener) as client:
                client.send(framed(b"bad") + framed(b"good"))
                await until(lambda: len(handler.open) == 2)
                handler.open[0][1].on_disconnect(fail)
            await until(lambda: handler.gone == [b"good"])

    run(scenario())
    assert "stuck" in caplog.text


def test_what_is_received_after_an_eof_is_not_awaited(run: Run) -> None:
    async def scenario() -> None:
        handler = Parked()
        async with listening(handler) as listener, connected(listener) as client:
            client.send(framed(b"open"))
            client.writer.write_eof()
            await until(lambda: handler.gone == [b"open"])
            assert isinstance(client, Client)
            assert await client.is_closed()

    run(scenario())
