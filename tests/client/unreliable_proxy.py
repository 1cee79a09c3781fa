"""A TCP proxy that can be told to misbehave: between a client and a broker that advertises the proxy's address."""

import asyncio
from types import TracebackType
from typing import Self

from tests.client.waiting import until


class UnreliableProxy:
    """Passes bytes on until it is told otherwise. `upstream` may change at any time, for new connections."""

    def __init__(self, upstream: int = 0) -> None:
        self.upstream = upstream
        self.accepted = 0
        self.passed_down = 0  # bytes from the broker
        self.delay_seconds = 0.0  # of everything that the broker says
        self.trickle_bytes = 0  # if not 0, so many bytes of the broker are passed on in each millisecond
        self._cut_after: int | None = None
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def open_connections(self) -> int:
        return len(self._writers) // 2

    def cut_all(self) -> None:
        """Reset every connection now."""
        for writer in list(self._writers):
            writer.transport.abort()

    def cut_after(self, count: int) -> None:
        """Pass on so many more bytes of the broker, then reset the connection: in the midst of an answer."""
        self._cut_after = count

    def stall(self) -> None:
        """Pass on nothing more of the broker, and keep the connections."""
        self._flowing.clear()

    def flow(self) -> None:
        self._flowing.set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self.flow()
        self._server.close()
        self.cut_all()
        await until(lambda: not self._writers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            to_broker = await asyncio.open_connection("127.0.0.1", self.upstream)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, to_broker[1]}
        try:
            up = asyncio.ensure_future(self._pass_up(reader, to_broker[1]))
            await self._pass_down(to_broker[0], writer)
            up.cancel()
            await asyncio.gather(up, return_exceptions=True)
        finally:
            for each in (writer, to_broker[1]):
                each.transport.abort()
                self._writers.discard(each)

    async def _pass_up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
        except OSError:
            pass
        writer.transport.abort()

    async def _pass_down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await asyncio.sleep(self.delay_seconds)
                await self._flowing.wait()
                if self._cut_after is not None:
                    data, rest = data[: self._cut_after], data[self._cut_after :]
                    self._cut_after -= len(data)
                    writer.write(data)
                    if rest or not self._cut_after:
                        self._cut_after = None
                        await writer.drain()
                        await asyncio.sleep(0.01)  # else a reset would overtake the bytes
                        return
                else:
                    await self._trickle(data, writer)
                self.passed_down += len(data)
        except OSError:
            pass

    async def _trickle(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        while self.trickle_bytes and len(data) > self.trickle_bytes:
            writer.write(data[: self.trickle_bytes])
            data = data[self.trickle_bytes :]
            await asyncio.sleep(0.001)
        writer.write(data)
