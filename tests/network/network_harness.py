"""A listener on a real socket with handlers that tests can steer."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Callable
from typing import Any

from snakka.network.connection import Connection, FrameHandler
from snakka.network.connection_limits import ConnectionLimits
from snakka.network.endpoints import Endpoint
from snakka.network.listener import Listener
from snakka.network.receive_buffer import ReceiveMemory
from snakka.network.waiting import Waiting
from snakka.protocol.frame import Frame
from snakka.runtime import Runtime
from snakka.security.authorizer import AllowAll
from snakka.telemetry.metric_set import MetricSet

SIZE = struct.Struct(">i")
DEADLINE_SECONDS = 20.0


def framed(payload: bytes) -> bytes:
    return SIZE.pack(len(payload)) + payload


def sealed(payload: bytes) -> Frame:
    frame = Frame(4)
    frame += payload
    frame.seal()
    return frame


class Echo:
    """Answers each frame with its own bytes, at once."""

    api_ranges = ()

    def __init__(self) -> None:
        self.frames = 0
        self.largest = 0

    def dispatch(self, connection: Connection, frame: memoryview) -> None:
        self.frames += 1
        self.largest = max(self.largest, len(frame))
        connection.answer(sealed(bytes(frame)))


class Answering:
    """Answers each frame with what a function makes of it."""

    api_ranges = ()

    def __init__(self, make: Callable[[bytes], Frame | None]) -> None:
        self._make = make
        self.frames = 0

    def dispatch(self, connection: Connection, frame: memoryview) -> None:
        self.frames += 1
        answer = self._make(bytes(frame))
        if answer is not None:
            connection.answer(answer)


class Parked:
    """Keeps every request open; the test completes them by number."""

    api_ranges = ()

    def __init__(self) -> None:
        self.open: list[tuple[bytes, Waiting]] = []
        self.gone: list[bytes] = []

    def dispatch(self, connection: Connection, frame: memoryview) -> None:
        payload = bytes(frame)
        waiting = Waiting()
        waiting.on_disconnect(lambda: self.gone.append(payload))
        # A message is not needed here: what the test completes it with is already an answer.
        waiting.bind(lambda answer: answer, connection.answer_later)  # type: ignore[arg-type, return-value]
        connection.wait_for(waiting)
        self.open.append((payload, waiting))

    def complete(self, number: int) -> None:
        payload, waiting = self.open[number]
        waiting.complete(sealed(payload))  # type: ignore[arg-type]


@contextlib.asynccontextmanager
async def listening(handler: FrameHandler, **settings: Any) -> AsyncIterator[Listener]:
    """A listener on a free port of the loopback interface."""
    runtime = Runtime(asyncio.get_running_loop())
    is_started = settings.pop("is_started", True)
    endpoint = Endpoint(
        "PLAINTEXT", settings.pop("host", "127.0.0.1"), settings.pop("port", 0), "PLAINTEXT", False
    )
    listener = Listener(
        endpoint,
        handler,
        runtime,
        memory=settings.pop("memory", None) or ReceiveMemory(),
        limits=settings.pop("limits", None) or ConnectionLimits(),
        authorizer=AllowAll(),
        metrics=settings.pop("metrics", None) or MetricSet(),
        **settings,
    )
    try:
        await listener.bind()
        if is_started:
            await listener.start()
        yield listener
    finally:
        await listener.close(0.05)
        await runtime.close()


class Client:
    """The other end, on asyncio's streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def receive(self) -> bytes:
        async with asyncio.timeout(DEADLINE_SECONDS):
            (size,) = SIZE.unpack(await self.reader.readexactly(4))
            return await self.reader.readexactly(size)

    async def is_closed(self) -> bool:
        """Until the server closes; False if it sends something instead."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            try:
                return await self.reader.read(1) == b""
            except ConnectionError:
                return True

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


@contextlib.asynccontextmanager
async def connected(listener: Listener, limit: int = 2**16) -> AsyncIterator[Client]:
    client = Client(*await asyncio.open_connection("127.0.0.1", listener.port, limit=limit))
    try:
        yield client
    finally:
        await client.close()


async def until(condition: Callable[[], object]) -> None:
    """Until something is true; fails by its deadline, not by a guess."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not condition():  # noqa: ASYNC110 - there is no event behind it
            await asyncio.sleep(0.002)


async def stays(condition: Callable[[], object], turns: int = 50) -> bool:
    """Whether something stays true while the loop does all that it has to do."""
    for _ in range(turns):
        if not condition():
            return False
        await asyncio.sleep(0.001)
    return True
