import asyncio
import contextlib
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from network_harness import stays, until

from snakka.network.http_endpoint import MOST_CONNECTIONS, MOST_REQUEST_BYTES, HttpEndpoint, Page
from snakka.network.listener import ListenError
from snakka.telemetry.metric_set import Declaration, Kind, MetricSet
from snakka.telemetry.prometheus_text import CONTENT_TYPE, render

Run = Callable[[Coroutine[Any, Any, Any]], Any]
SEEN = Declaration("seen_total", Kind.COUNTER, "What was seen.")


def fail() -> Page:
    raise RuntimeError("no page today")


@contextlib.asynccontextmanager
async def serving(port: int = 0) -> AsyncIterator[HttpEndpoint]:
    metrics = MetricSet()
    metrics.counter(SEEN).value = 3
    pages = {
        "/metrics": lambda: Page(200, CONTENT_TYPE, render(metrics)),
        "/health": lambda: Page(503, "application/json", '{"status": "starting"}'),
        "/broken": fail,
        "/large": lambda: Page(200, "text/plain", "x" * 5_000_000),
    }
    endpoint = HttpEndpoint(pages, "127.0.0.1", port, asyncio.get_running_loop())
    await endpoint.start()
    try:
        yield endpoint
    finally:
        endpoint.close()
        await until(lambda: not endpoint.connections)


async def exchange(endpoint: HttpEndpoint, request: bytes) -> bytes:
    """All that the server says until it closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", endpoint.port)
    writer.write(request)
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    return answer


def test_an_ordinary_http_client_gets_its_pages(run: Run) -> None:
    def ask(port: int, path: str) -> tuple[int, str, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                return answer.status, answer.headers["Content-Type"], answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers["Content-Type"], error.read().decode()

    async def scenario() -> None:
        async with serving() as endpoint:
            status, kind, body = await asyncio.to_thread(ask, endpoint.port, "/metrics?from=prometheus")
            assert (status, kind) == (200, CONTENT_TYPE)
            assert "snakka_seen_total 3\n" in body
            assert await asyncio.to_thread(ask, endpoint.port, "/health") == (
                503,
                "application/json",
                '{"status": "starting"}',
            )
            status, _, body = await asyncio.to_thread(ask, endpoint.port, "/nothing")
            assert status == 404
            assert "/metrics" in body
            assert (await asyncio.to_thread(ask, endpoint.port, "/broken"))[0] == 500
            assert len((await asyncio.to_thread(ask, endpoint.port, "/large"))[2]) == 5_000_000

    run(scenario())


def test_a_connection_serves_many_requests(run: Run) -> None:
    async def scenario() -> None:
        async with serving() as endpoint:
            first = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
            last = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            answer = await exchange(endpoint, first + first + last)
            assert answer.count(b"HTTP/1.1 503 Service Unavailable") == 3
            assert answer.count(b"keep-alive") == 2

    run(scenario())


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", b"405 Method Not Allowed"),
        (b"DELETE /metrics HTTP/1.1\r\n\r\n", b"405 Method Not Allowed"),
        (b"GET /metrics\r\n\r\n", b"400 Bad Request"),
        (b"\x00\x00\x00\x10 not http at all\r\n\r\n", b"400 Bad Request"),
        (b"GET /metrics SPDY/3\r\n\r\n", b"400 Bad Request"),
        (b"GET /" + b"x" * MOST_REQUEST_BYTES, b"431 Request Header Fields Too Large"),
        (b"GET /metrics HTTP/1.0\r\n\r\n", b"200 OK"),
    ],
)
def test_whatever_else_is_refused_and_the_connection_closed(
    run: Run, request_bytes: bytes, status: bytes
) -> None:
    async def scenario() -> None:
        async with serving() as endpoint:
            answer = await exchange(endpoint, request_bytes)
            assert answer.startswith(b"HTTP/1.1 " + status + b"\r\n")

    run(scenario())


def test_head_has_no_body(run: Run) -> None:
    async def scenario() -> None:
        async with serving() as endpoint:
            answer = await exchange(endpoint, b"HEAD /health HTTP/1.1\r\nConnection: close\r\n\r\n")
            assert answer.endswith(b"\r\n\r\n")
            assert b"Content-Length: 22\r\n" in answer

    run(scenario())


def test_connections_are_bounded(run: Run) -> None:
    async def scenario() -> None:
        async with serving() as endpoint:
            clients = [
                await asyncio.open_connection("127.0.0.1", endpoint.port) for _ in range(MOST_CONNECTIONS)
            ]
            await until(lambda: len(endpoint.connections) == MOST_CONNECTIONS)
            reader, writer = await asyncio.open_connection("127.0.0.1", endpoint.port)
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
            assert await stays(lambda: len(endpoint.connections) == MOST_CONNECTIONS, turns=5)
            for _, other in clients:
                other.close()
            for _, other in [*clients, (reader, writer)]:
                with contextlib.suppress(ConnectionError):
                    await other.wait_closed()
            await until(lambda: not endpoint.connections)

    run(scenario())


def test_a_used_port_is_one_clear_line(run: Run) -> None:
    async def scenario() -> None:
        async with serving() as first:
            with pytest.raises(ListenError, match=f"127.0.0.1:{first.port}: address already in use"):
                async with serving(first.port):
                    pass

    run(scenario())
