"""Answers in pieces of any size, over a real socket: each comes whole, and a large one with few wake-ups."""

import asyncio
import os
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest

from snakka.network.answer_stream import AnswerMemory, AnswerStream

Run = Callable[[Coroutine[Any, Any, Any]], Any]
Talk = Callable[[asyncio.StreamWriter], Awaitable[None]]

SECONDS = 20.0
ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere answers are read as they come")


class Taker:
    """Keeps what came."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.ended = asyncio.Event()

    def connected(self, transport: asyncio.Transport) -> None:
        pass

    def received(self, frame: memoryview) -> None:
        self.frames.append(bytes(frame))

    def congested(self, is_congested: bool) -> None:
        pass

    def lost(self, why: str | None) -> None:
        self.ended.set()


class CountingStream(AnswerStream):
    """Counts how often there was something to read, and what the system was told to wait for."""

    def __init__(self, taker: Taker) -> None:
        super().__init__(taker, AnswerMemory())
        self.reads = 0
        self.awaited: set[int] = set()

    def buffer_updated(self, count: int) -> None:
        super().buffer_updated(count)
        self.reads += 1
        connected = self._transport.get_extra_info("socket")
        self.awaited.add(connected.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT))


async def received(talk: Talk, receive_buffer: int = 0) -> tuple[Taker, CountingStream]:
    """What arrives of a peer that talks like that and then goes away."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await talk(writer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, asyncio.timeout(SECONDS):
        raw = socket.socket()
        raw.setblocking(False)
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(raw, server.sockets[0].getsockname())
        taker = Taker()
        _, stream = await loop.create_connection(lambda: CountingStream(taker), sock=raw)
        await taker.ended.wait()
    return taker, stream


def framed(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


@pytest.mark.parametrize("receive_buffer", [0, 8192], ids=["the system's buffer", "a small buffer"])
def test_answers_of_all_sizes_come_whole(run: Run, receive_buffer: int) -> None:
    sizes = [5, 40_000, 0, 70_000, 3, 1_000_000, 64 * 1024, 4_000_000, 1, 600_000, 600_000]
    answers = [os.urandom(size) for size in sizes]

    async def talk(writer: asyncio.StreamWriter) -> None:
        writer.write(b"".join(map(framed, answers)))

    taker, _ = run(received(talk, receive_buffer))
    assert taker.frames == answers


@ONLY_LINUX
def test_an_answer_that_comes_slowly_is_complete_with_its_last_byte(run: Run) -> None:
    """Its last part is smaller than what was waited for before, and comes alone."""
    answers = [os.urandom(3_000_000), os.urandom(700_000), os.urandom(200_000), b"small"]

    async def talk(writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            data = framed(answer)
            cuts = [0, 3, 7, min(300, len(data)), len(data) - 70_000, len(data) - 1, len(data)]
            for start, end in pairwise(sorted(max(cut, 0) for cut in cuts)):
                writer.write(data[start:end])
                await writer.drain()
                await asyncio.sleep(0.02)

    taker, stream = run(received(talk))
    assert taker.frames == answers
    assert max(stream.awaited) == 2 * 1024 * 1024
    assert 1 in stream.awaited


def test_a_peer_that_goes_away_within_an_answer_is_noticed(run: Run) -> None:
    async def talk(writer: asyncio.StreamWriter) -> None:
        writer.write(framed(b"whole") + framed(bytes(5_000_000))[:2_000_000])

    taker, _ = run(received(talk))
    assert taker.frames == [b"whole"]


@ONLY_LINUX
def test_a_large_answer_wakes_us_seldom(run: Run) -> None:
    """A peer that sends in small pieces costs no read for each of them."""
    answer = bytes(8_000_000)

    async def talk(writer: asyncio.StreamWriter) -> None:
        data = framed(answer)
        for start in range(0, len(data), 20_000):
            writer.write(data[start : start + 20_000])
            await writer.drain()
            await asyncio.sleep(0)

    taker, stream = run(received(talk))
    assert taker.frames == [answer]
    assert stream.reads <= 100
