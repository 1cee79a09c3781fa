import asyncio
import hashlib
import logging
import os
import random
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from network_harness import Answering, Client, connected, framed, listening, sealed, stays, until

from snakka.network.connection import Connection
from snakka.network.outbound import CHUNK_BYTES, SMALL_BYTES, ChunkBuffer, Outbound
from snakka.protocol.file_region import FileRegion, MemoryRegion
from snakka.protocol.frame import Frame
from snakka.runtime import InlineOffload
from snakka.storage.files import OsFiles

Run = Callable[[Coroutine[Any, Any, Any]], Any]
MIB = 1024 * 1024


class Region:
    """A region of a file: says which reads it saw, would block where it is told to, and fails where it is told to."""

    def __init__(self, data: bytes, *, would_block: bool = False, fails_at: int = -1) -> None:
        self._data = data
        self._would_block = would_block
        self._fails_at = fails_at
        self.reads = 0
        self.threads: set[str] = set()

    def __len__(self) -> int:
        return len(self._data)

    def read_into(self, start: int, buffer: memoryview) -> int | None:
        self.reads += 1
        if self._would_block:
            return None
        data = self._read(start, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def read_blocking(self, start: int, size: int) -> bytes:
        self.threads.add(threading.current_thread().name)
        return self._read(start, size)

    def send(self, start: int, size: int, socket_fd: int) -> int | None:
        return None

    def _read(self, start: int, size: int) -> bytes:
        assert size <= CHUNK_BYTES
        if 0 <= self._fails_at <= start:
            raise OSError(5, "the disk is on fire")
        return self._data[start : start + size]


def with_regions(*pieces: bytes | FileRegion) -> Frame:
    frame = Frame(4)
    for piece in pieces:
        if isinstance(piece, bytes):
            frame += piece
        else:
            frame.splice(piece)
    frame.seal()
    return frame


async def receive_hash(client: Client) -> tuple[int, str]:
    """Size and digest of one answer, without keeping it."""
    digest = hashlib.sha256()
    left = size = int.from_bytes(await client.reader.readexactly(4), "big")
    while left:
        data = await client.reader.read(min(left, 65536))
        assert data
        digest.update(data)
        left -= len(data)
    return size, digest.hexdigest()


def test_regions_are_streamed_between_other_bytes(run: Run) -> None:
    data = bytes(range(256)) * 4096
    answers = [
        with_regions(b"head", Region(data), b"tail"),
        with_regions(
            b"head", Region(data[:100]), b"middle", Region(data[:5]), Region(data[: 3 * SMALL_BYTES])
        ),
        with_regions(b"only bytes"),
        with_regions(data + data),
        with_regions(MemoryRegion(data), memoryview(data), b"x"),
    ]
    expected = [
        b"head" + data + b"tail",
        b"head" + data[:100] + b"middle" + data[:5] + data[: 3 * SMALL_BYTES],
        b"only bytes",
        data + data,
        data + data + b"x",
    ]

    async def scenario() -> None:
        handler = Answering(lambda frame: answers[int(frame)])
        async with listening(handler) as listener, connected(listener, 4 * MIB) as client:
            client.send(b"".join(framed(b"%d" % number) for number in range(len(answers))))
            for wanted in expected:
                assert await client.receive() == wanted

    run(scenario())


def test_a_read_that_would_block_happens_in_a_thread(run: Run) -> None:
    data = bytes(range(256)) * 4096
    region = Region(data, would_block=True)

    async def scenario() -> None:
        handler = Answering(lambda _: with_regions(b"cold:", region, b"."))
        async with listening(handler) as listener, connected(listener, 4 * MIB) as client:
            client.send(framed(b"") * 2)
            assert await client.receive() == b"cold:" + data + b"."
            assert await client.receive() == b"cold:" + data + b"."

    run(scenario())
    assert region.threads
    assert threading.current_thread().name not in region.threads


def test_a_slow_reader_costs_an_offset_and_not_its_answer(run: Run) -> None:
    data = bytes(64 * MIB)
    region = Region(data)

    async def scenario() -> None:
        handler = Answering(lambda _: with_regions(region))
        async with (
            listening(handler, send_buffer_bytes=65536) as listener,
            connected(listener, 1024) as client,
        ):
            client.reader._transport.pause_reading()  # type: ignore[attr-defined]
            client.send(framed(b"all of it"))
            (connection,) = await _connections(listener)
            await until(lambda: connection._outbound._paused)
            reads = region.reads
            assert await stays(lambda: region.reads == reads)
            # The kernel took some; the transport holds less than one chunk of the rest.
            assert connection._transport.get_write_buffer_size() <= CHUNK_BYTES
            assert connection._outbound._queued_bytes == 0
            client.reader._transport.resume_reading()  # type: ignore[attr-defined]
            assert await receive_hash(client) == (len(data), hashlib.sha256(data).hexdigest())

    run(scenario())


class SentFile:
    """A real file's region that notes what became of the attempts to send it."""

    def __init__(self, region: FileRegion) -> None:
        self._region = region
        self.sent: list[int | None] = []
        self.read_bytes = 0

    def __len__(self) -> int:
        return len(self._region)

    def read_into(self, start: int, buffer: memoryview) -> int | None:
        self.read_bytes += len(buffer)
        return self._region.read_into(start, buffer)

    def read_blocking(self, start: int, size: int) -> bytes:
        self.read_bytes += size
        return self._region.read_blocking(start, size)

    def send(self, start: int, size: int, socket_fd: int) -> int | None:
        self.sent.append(self._region.send(start, size, socket_fd))
        return self.sent[-1]


def file_region(directory: Path, data: bytes) -> SentFile:
    file = OsFiles([str(directory)]).open(str(directory / "data"), create=True)
    file.append(data)
    return SentFile(file.region(0, len(data), in_memory=True))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux sends files so")
def test_the_system_moves_files_into_the_socket(run: Run, tmp_path: Path) -> None:
    """What we read is only what tells us that a full socket has room again, and a slow reader costs no memory."""
    data = random.Random(1).randbytes(24 * MIB)
    region = file_region(tmp_path, data)

    async def scenario() -> None:
        handler = Answering(lambda _: with_regions(b"before", region, b"after"))
        async with (
            listening(handler, send_buffer_bytes=65536) as listener,
            connected(listener, MIB) as client,
        ):
            client.reader._transport.pause_reading()  # type: ignore[attr-defined]
            client.send(framed(b"all of it"))
            (connection,) = await _connections(listener)
            await until(lambda: connection._outbound._paused)
            assert await stays(lambda: connection._outbound._paused)
            assert connection._transport.get_write_buffer_size() <= SMALL_BYTES
            client.reader._transport.resume_reading()  # type: ignore[attr-defined]
            whole = b"before" + data + b"after"
            assert await receive_hash(client) == (len(whole), hashlib.sha256(whole).hexdigest())

    run(scenario())
    assert None not in region.sent
    assert sum(filter(None, region.sent)) + region.read_bytes == len(data)
    assert region.read_bytes < len(data) // 2


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux sends files so")
def test_a_file_that_is_truncated_on_its_way_closes_the_connection(run: Run, tmp_path: Path) -> None:
    region = file_region(tmp_path, bytes(MIB))
    os.truncate(tmp_path / "data", MIB // 2)

    async def scenario() -> None:
        handler = Answering(lambda _: with_regions(region))
        async with listening(handler) as listener, connected(listener) as client:
            client.send(framed(b""))
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await client.receive()

    run(scenario())
    assert region.sent


async def _connections(listener: Any) -> list[Connection]:
    await until(lambda: listener.connections)
    return list(listener.connections)


@pytest.mark.parametrize("would_block", [False, True])
@pytest.mark.parametrize("fails_at", [0, CHUNK_BYTES, 24 * MIB])
def test_a_failed_read_closes_the_connection(
    run: Run, would_block: bool, fails_at: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        # Large enough that the failure meets a socket that has been full.
        region = Region(bytes(32 * MIB), would_block=would_block, fails_at=fails_at)
        handler = Answering(lambda frame: with_regions(region) if frame == b"bad" else sealed(frame))
        async with (
            listening(handler) as listener,
            connected(listener) as client,
            connected(listener) as other,
        ):
            client.send(framed(b"bad") + framed(b"never"))
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await client.receive()
            other.send(framed(b"good"))
            assert await other.receive() == b"good"

    with caplog.at_level(logging.WARNING):
        run(scenario())
    assert "the disk is on fire" in caplog.text


@pytest.mark.parametrize("would_block", [False, True])
def test_a_file_that_ends_early_closes_the_connection(run: Run, would_block: bool) -> None:
    class Shrunk(Region):
        def __len__(self) -> int:
            return 2 * len(self._data)

    async def scenario() -> None:
        handler = Answering(lambda _: with_regions(Shrunk(bytes(MIB), would_block=would_block)))
        async with listening(handler) as listener, connected(listener) as client:
            client.send(framed(b""))
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await client.receive()

    run(scenario())


def test_a_client_that_leaves_during_a_blocking_read_is_forgotten(run: Run) -> None:
    release = threading.Event()

    class Stuck(Region):
        def read_blocking(self, start: int, size: int) -> bytes:
            release.wait(10)
            return super().read_blocking(start, size)

    async def scenario() -> None:
        region = Stuck(bytes(MIB), would_block=True)
        handler = Answering(lambda _: with_regions(region))
        async with listening(handler) as listener:
            async with connected(listener) as client:
                client.send(framed(b""))
                await until(lambda: region.reads == 1)
            for connection in list(listener.connections):
                connection.abort()
            await until(lambda: not listener.connections)
            release.set()
            await until(lambda: region.threads)
            assert await stays(lambda: region.reads == 1, turns=10)

    run(scenario())


def test_a_large_answer_lets_others_have_their_turn(run: Run) -> None:
    """While one client takes 64 MiB as fast as it can, another gets its answers in between."""

    async def scenario() -> None:
        data = bytes(64 * MIB)
        handler = Answering(lambda frame: with_regions(Region(data)) if frame == b"large" else sealed(frame))
        async with (
            listening(handler) as listener,
            connected(listener, MIB) as large,
            connected(listener) as small,
        ):
            large.send(framed(b"large"))
            reading = asyncio.ensure_future(receive_hash(large))
            answered_meanwhile = 0
            while not reading.done():
                small.send(framed(b"small"))
                assert await small.receive() == b"small"
                answered_meanwhile += 1
            assert (await reading)[0] == len(data)
            assert answered_meanwhile > 3

    run(scenario())


class TransportThatTakes:
    """Takes so many bytes at each write, holds on to the rest where it lies and reports it, as a full socket's does."""

    def __init__(self, amounts: list[int], *, is_encrypted: bool = False) -> None:
        self.sent = bytearray()
        self._is_encrypted = is_encrypted
        self.rest: list[memoryview] = []
        self._amounts = amounts
        self._turn = 0
        self.outbound: Outbound | None = None

    def set_write_buffer_limits(self, high: int) -> None:
        assert high == 0

    def get_extra_info(self, name: str) -> Any:
        return self if name == "socket" or (name == "ssl_object" and self._is_encrypted) else None

    def fileno(self) -> int:
        return id(self)

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return sum(map(len, self.rest))

    def take_directly(self, data: bytes) -> int:
        """As a socket that the system gives bytes to; nothing that was written before may still be here."""
        assert not self.rest
        amount = min(self._amounts[self._turn % len(self._amounts)], len(data)) if self._turn % 3 else 0
        self._turn += 1
        self.sent += data[:amount]
        return amount

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.rest.append(memoryview(data))
        self.take()
        assert self.outbound is not None
        if self.rest:
            self.outbound.pause()

    def take(self) -> None:
        amount = self._amounts[self._turn % len(self._amounts)]
        self._turn += 1
        while self.rest and amount:
            first = self.rest.pop(0)
            self.sent += first[:amount]
            if len(first) > amount:
                self.rest.insert(0, first[amount:])
            amount -= min(amount, len(first))


def test_under_tls_files_are_read_and_not_sent(tmp_path: Path) -> None:
    """What the system would put into the socket is not encrypted."""
    data = random.Random(4).randbytes(MIB)
    region = file_region(tmp_path, data)
    transport = TransportThatTakes([2 * MIB], is_encrypted=True)
    loop = asyncio.new_event_loop()
    transport.outbound = Outbound(
        transport,  # type: ignore[arg-type]
        loop,
        InlineOffload(loop),
        ChunkBuffer(),
        on_full=lambda: None,
        on_drained=lambda: None,
        on_failure=lambda error: None,
    )
    transport.outbound.send(with_regions(region))
    loop.close()
    assert transport.sent[4:] == data
    assert not region.sent


piece_sizes = st.one_of(
    st.integers(1, 100), st.integers(SMALL_BYTES - 2, SMALL_BYTES + 2), st.integers(1, 600_000)
)
pieces = st.tuples(st.sampled_from(["bytes", "region", "cold", "sent"]), piece_sizes)


class SentRegion(Region):
    """Every other stretch of it is where the system can send it from."""

    def __init__(self, data: bytes, sockets: dict[int, TransportThatTakes]) -> None:
        super().__init__(data)
        self._sockets = sockets

    def send(self, start: int, size: int, socket_fd: int) -> int | None:
        if start // 200_000 % 2:
            return None
        return self._sockets[socket_fd].take_directly(self._data[start : start + size])


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.lists(pieces, max_size=5), max_size=6),
    st.lists(st.integers(1, 300_000), min_size=1, max_size=6),
    st.booleans(),
)
def test_any_answers_leave_whole_and_in_order(
    answers: list[list[tuple[str, int]]], amounts: list[int], corked: bool
) -> None:
    """To two clients that share the buffer which files are read into."""
    loop = asyncio.new_event_loop()
    chunk = ChunkBuffer()
    transports = [TransportThatTakes([max(amount, 20_000) for amount in amounts]) for _ in range(2)]
    events: list[str] = []
    expected = [bytearray(), bytearray()]
    for transport in transports:
        transport.outbound = Outbound(
            transport,  # type: ignore[arg-type]
            loop,
            InlineOffload(loop),
            chunk,
            on_full=lambda: events.append("full"),
            on_drained=lambda: events.append("drained"),
            on_failure=lambda error: events.append(str(error)),
        )
        transport.outbound.corked = corked
    for number, answer in enumerate(answers):
        frame = Frame(4)
        wanted = expected[number % 2]
        wanted += sum(size for _, size in answer).to_bytes(4, "big")
        for kind, size in answer:
            data = bytes([number * 7 % 251]) * size
            wanted += data
            if kind == "bytes":
                frame += data
            elif kind == "sent":
                frame.splice(SentRegion(data, {each.fileno(): each for each in transports}))
            else:
                frame.splice(Region(data, would_block=kind == "cold"))
        frame.seal()
        transports[number % 2].outbound.send(frame)  # type: ignore[union-attr]
    for transport in transports:
        transport.outbound.uncork()  # type: ignore[union-attr]
    for _ in range(10_000):
        loop.call_soon(loop.stop)
        loop.run_forever()
        for transport in transports:
            transport.take()
            if not transport.rest:
                transport.outbound.resume()  # type: ignore[union-attr]
        if all(one.outbound.is_empty and not one.rest for one in transports):  # type: ignore[union-attr]
            break
    loop.close()
    assert [transport.sent for transport in transports] == expected
    assert "drained" in events
    assert set(events) <= {"full", "drained"}
    assert all(transport.outbound._queued_bytes == 0 for transport in transports)  # type: ignore[union-attr]
