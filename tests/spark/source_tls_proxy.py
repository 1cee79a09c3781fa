"""TLS in front of a broker that has none: a listener of its own, which hands on what it decrypts."""

import asyncio
import contextlib
import ssl
import threading
from types import TracebackType
from typing import Self

from tests.client.certificates import Certificates

STOP_SECONDS = 10


class TlsProxy:
    """Listens on `port` of localhost; `target` is where it leads, once that is known."""

    def __init__(self, certificates: Certificates) -> None:
        self.target = 0
        self.port = 0
        self.connections = 0
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificates.server)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="TLS proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        opened = asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context)
        self._server = asyncio.run_coroutine_threadsafe(opened, self._loop).result(STOP_SECONDS)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        async def end_all() -> None:
            self._server.close()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end_all(), self._loop).result(STOP_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(STOP_SECONDS)
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.target)
        try:
            await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            for each in (writer, inner_writer):
                each.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, ssl.SSLError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
