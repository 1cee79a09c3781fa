"""A few read-only pages over HTTP for machines: `/metrics` for Prometheus, `/health` for whoever restarts us.

Just enough of HTTP/1.1: GET and HEAD, one small request at a time, no body, keep-alive. The rule: it listens where it is
told (loopback unless asked otherwise), and a client costs at most one small buffer for a few seconds.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

from snakka.network.listener import listen_error

MOST_REQUEST_BYTES = 8 * 1024
MOST_CONNECTIONS = 32
IDLE_SECONDS = 30.0
_REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


class Page(NamedTuple):
    """What a path answers."""

    status: int
    content_type: str
    body: str


PageMaker = Callable[[], Page]


class HttpEndpoint:
    """Serves pages by their path: `HttpEndpoint({"/health": lambda: Page(200, "text/plain", "ok")}, host, port, loop)`."""

    def __init__(
        self, pages: Mapping[str, PageMaker], host: str, port: int, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.host = host
        self.port = port
        self.pages = pages
        self.connections: dict[_HttpConnection, None] = {}
        self._loop = loop
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Bind and serve; ListenError if the address can't be had."""
        try:
            self._server = await self._loop.create_server(
                lambda: _HttpConnection(self, self._loop), self.host, self.port, reuse_address=True
            )
        except OSError as error:
            raise listen_error(self.host, self.port, error) from None
        self.port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Stop at once: nobody waits for a page."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in list(self.connections):
            connection.abort()


class _HttpConnection(asyncio.Protocol):
    """One client, most likely a scraper that keeps its connection."""

    def __init__(self, endpoint: HttpEndpoint, loop: asyncio.AbstractEventLoop) -> None:
        self._endpoint = endpoint
        self._loop = loop
        self._received = b""
        self._idle: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        if len(self._endpoint.connections) >= MOST_CONNECTIONS:
            self._transport.abort()
            return
        self._endpoint.connections[self] = None
        self._restart_idle_timer()

    def connection_lost(self, error: Exception | None) -> None:
        self._endpoint.connections.pop(self, None)
        if self._idle is not None:
            self._idle.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        while not self._transport.is_closing():
            head, separator, rest = self._received.partition(b"\r\n\r\n")
            if not separator:
                if len(self._received) > MOST_REQUEST_BYTES:
                    self._send(Page(431, "text/plain", "the request is too large\n"), keep=False)
                return
            self._received = rest
            self._answer(head)
            self._restart_idle_timer()

    def pause_writing(self) -> None:
        """A client that asks for pages and does not read them is not worth keeping."""
        self.abort()

    def abort(self) -> None:
        self._transport.abort()

    def _answer(self, head: bytes) -> None:
        request_line, *header_lines = head.decode("latin-1").split("\r\n")
        words = request_line.split(" ")
        headers = {
            name.strip().lower(): value.strip().lower()
            for name, _, value in (line.partition(":") for line in header_lines)
        }
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            self._send(Page(400, "text/plain", "this is not HTTP/1\n"), keep=False)
            return
        method, target, protocol = words
        if method not in ("GET", "HEAD"):
            # Whatever body it has stays unread, so the connection cannot go on.
            self._send(Page(405, "text/plain", "only GET\n"), keep=False)
            return
        keep = (
            headers.get("connection") != "close"
            and protocol != "HTTP/1.0"
            and "content-length" not in headers
        )
        self._send(self._page(target.partition("?")[0]), keep=keep, with_body=method == "GET")

    def _page(self, path: str) -> Page:
        make = self._endpoint.pages.get(path)
        if make is None:
            known = " ".join(sorted(self._endpoint.pages))
            return Page(404, "text/plain", f"nothing here; there is {known}\n")
        try:
            return make()
        except Exception as error:
            return Page(500, "text/plain", f"{type(error).__name__}: {error}\n")

    def _send(self, page: Page, *, keep: bool, with_body: bool = True) -> None:
        body = page.body.encode()
        lines = [
            f"HTTP/1.1 {page.status} {_REASONS.get(page.status, 'Unknown')}",
            f"Content-Type: {page.content_type}",
            f"Content-Length: {len(body)}",
            f"Connection: {'keep-alive' if keep else 'close'}",
        ]
        if page.status == 405:
            lines.append("Allow: GET, HEAD")
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        # One page may be larger than the transport's usual limit; two unread ones may not.
        self._transport.set_write_buffer_limits(high=len(head) + len(body))
        self._transport.write(head + body if with_body else head)
        if not keep:
            self._transport.close()

    def _restart_idle_timer(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = self._loop.call_later(IDLE_SECONDS, self.abort)
