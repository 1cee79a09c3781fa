import asyncio
import contextlib
import logging
import struct
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.dispatch import Dispatcher
from snakka.network.connection_limits import ConnectionLimits
from snakka.network.endpoints import Endpoint
from snakka.network.listener import Listener
from snakka.network.receive_buffer import ReceiveMemory
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from snakka.protocol.messages.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from snakka.protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from snakka.protocol.messages.metadata import MetadataRequest, MetadataResponse
from snakka.protocol.messages.produce import ProduceRequest
from snakka.protocol.request_header import read_response_header, write_request_header
from snakka.runtime import Runtime
from snakka.security.authorizer import AllowAll
from snakka.security.operations import Operation, ResourceType
from snakka.security.principal import ANONYMOUS
from snakka.telemetry.metric_set import MetricSet
from snakka.telemetry.prometheus_text import render

REQUESTS: dict[ApiKey, Message] = {
    ApiKey.API_VERSIONS: ApiVersionsRequest(client_software_name="test", client_software_version="1"),
    ApiKey.DESCRIBE_CLUSTER: DescribeClusterRequest(),
    ApiKey.LIST_GROUPS: ListGroupsRequest(),
    ApiKey.METADATA: MetadataRequest(),
    ApiKey.PRODUCE: ProduceRequest(),
}
RESPONSES = {
    ApiKey.API_VERSIONS: ApiVersionsResponse,
    ApiKey.DESCRIBE_CLUSTER: DescribeClusterResponse,
    ApiKey.LIST_GROUPS: ListGroupsResponse,
    ApiKey.METADATA: MetadataResponse,
}


def request_bytes(
    key: ApiKey, version: int, correlation_id: int = 1, client_id: str | None = "tester"
) -> bytes:
    frame = Frame(4)
    write_request_header(frame, key, version, correlation_id, client_id)
    REQUESTS[key].write(frame, version)
    frame.seal()
    return frame.joined()


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def receive(self, key: ApiKey, version: int) -> tuple[int, Any]:
        """Correlation id and response of the next answer."""
        async with asyncio.timeout(10):
            (size,) = struct.unpack(">i", await self._reader.readexactly(4))
            frame = await self._reader.readexactly(size)
        correlation_id, position = read_response_header(frame, key, version)
        return correlation_id, RESPONSES[key].decode(frame, version, position)

    async def ask(self, key: ApiKey, version: int, correlation_id: int = 1) -> Any:
        self.send(request_bytes(key, version, correlation_id))
        answered, response = await self.receive(key, version)
        assert answered == correlation_id
        return response

    async def is_closed(self) -> bool:
        async with asyncio.timeout(10):
            try:
                return await self._reader.read(1) == b""
            except ConnectionError:
                return True


class Server:
    """A dispatcher behind a real listener."""

    def __init__(self, listener: Listener, dispatcher: Dispatcher, metrics: MetricSet) -> None:
        self.listener = listener
        self.dispatcher = dispatcher
        self.metrics = metrics

    @contextlib.asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.listener.port)
        yield Client(reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def serving(
    table: Iterable[Api], listener_type: str = BROKER, services: Any = None, **options: Any
) -> AsyncIterator[Server]:
    runtime = Runtime(asyncio.get_running_loop())
    metrics = MetricSet()
    dispatcher = Dispatcher(table, listener_type, services, runtime, metrics, **options)
    listener = Listener(
        Endpoint("INSIDE", "127.0.0.1", 0, "PLAINTEXT", False),
        dispatcher,
        runtime,
        memory=ReceiveMemory(),
        limits=ConnectionLimits(),
        authorizer=AllowAll(),
        metrics=metrics,
    )
    await listener.bind()
    await listener.start()
    try:
        yield Server(listener, dispatcher, metrics)
    finally:
        await listener.close(0.05)
        await runtime.close()


def answer_with(response: Message) -> Any:
    return lambda request, context, services: response


def raising(error: Exception) -> Any:
    def handle(request: Any, context: Any, services: Any) -> Message:
        raise error

    return handle


async def test_a_handler_sees_its_request_and_who_asks() -> None:
    seen: list[tuple[Any, RequestContext, Any]] = []

    def handle(request: ListGroupsRequest, context: RequestContext, services: Any) -> ListGroupsResponse:
        seen.append((request, context, services))
        return ListGroupsResponse(throttle_time_ms=7)

    async with serving([Api(key=ApiKey.LIST_GROUPS, handle=handle)], services="the services") as server:
        async with server.client() as client:
            for version in range(6):
                response = await client.ask(ApiKey.LIST_GROUPS, version, correlation_id=100 + version)
                assert response.throttle_time_ms == (7 if version else 0)
        request, context, services = seen[5]
        assert request == ListGroupsRequest()
        assert services == "the services"
        assert (context.api_version, context.client_id, context.correlation_id) == (5, "tester", 105)
        assert (context.principal, context.client_address, context.listener) == (
            ANONYMOUS,
            "127.0.0.1",
            "INSIDE",
        )
        assert context.authorize(Operation.READ, ResourceType.TOPIC, "any")
        assert context.authorized_operations(ResourceType.GROUP, "any") == 0b110101001000


@pytest.mark.parametrize("client_id", [None, "", "bjørn"])
async def test_any_client_id_is_understood(client_id: str | None) -> None:
    seen: list[str | None] = []

    def handle(request: Any, context: RequestContext, services: Any) -> ListGroupsResponse:
        seen.append(context.client_id)
        return ListGroupsResponse()

    async with serving([Api(key=ApiKey.LIST_GROUPS, handle=handle)]) as server, server.client() as client:
        for version in (0, 5):
            client.send(request_bytes(ApiKey.LIST_GROUPS, version, 1, client_id))
            await client.receive(ApiKey.LIST_GROUPS, version)
    assert seen == [client_id, client_id]


async def test_unknown_tags_in_the_header_are_skipped() -> None:
    async with (
        serving([Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse()))]) as server,
        server.client() as client,
    ):
        plain = request_bytes(ApiKey.LIST_GROUPS, 5, 9)
        header = struct.calcsize(">ihhih") + len("tester")
        tagged = plain[:header] + bytes([2, 0, 3]) + b"abc" + bytes([200, 1, 1]) + b"x" + plain[header + 1 :]
        client.send(struct.pack(">i", len(tagged) - 4) + tagged[4:])
        assert (await client.receive(ApiKey.LIST_GROUPS, 5))[0] == 9


async def test_waiting_answers_keep_their_order_and_their_encoding() -> None:
    parked: list[Waiting] = []

    def wait(request: Any, context: Any, services: Any) -> Waiting:
        parked.append(Waiting())
        return parked[-1]

    table = [
        Api(key=ApiKey.METADATA, handle=wait),
        Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse(throttle_time_ms=3))),
    ]
    async with serving(table) as server, server.client() as client:
        client.send(request_bytes(ApiKey.METADATA, 12, 1))
        client.send(request_bytes(ApiKey.METADATA, 1, 2))
        assert not parked
        client.send(request_bytes(ApiKey.LIST_GROUPS, 5, 3))
        async with asyncio.timeout(10):
            while server.dispatcher._routes[ApiKey.LIST_GROUPS].requests.value == 0:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
        parked[1].complete(MetadataResponse(controller_id=22))
        parked[0].complete(MetadataResponse(controller_id=11))
        parked[0].complete(MetadataResponse(controller_id=99))
        correlation_id, response = await client.receive(ApiKey.METADATA, 12)
        assert (correlation_id, response.controller_id) == (1, 11)
        correlation_id, response = await client.receive(ApiKey.METADATA, 1)
        assert (correlation_id, response.controller_id) == (2, 22)
        correlation_id, response = await client.receive(ApiKey.LIST_GROUPS, 5)
        assert (correlation_id, response.throttle_time_ms) == (3, 3)


async def test_a_wait_that_is_over_before_the_handler_returns_is_answered_at_once() -> None:
    def handle(request: Any, context: Any, services: Any) -> Waiting:
        waiting = Waiting()
        waiting.complete(MetadataResponse(controller_id=5))
        return waiting

    async with serving([Api(key=ApiKey.METADATA, handle=handle)]) as server, server.client() as client:
        assert (await client.ask(ApiKey.METADATA, 12)).controller_id == 5


async def test_none_is_no_answer() -> None:
    table = [
        Api(key=ApiKey.METADATA, handle=lambda request, context, services: None),
        Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse())),
    ]
    async with serving(table) as server, server.client() as client:
        client.send(request_bytes(ApiKey.METADATA, 12, 1) + request_bytes(ApiKey.LIST_GROUPS, 5, 2))
        assert (await client.receive(ApiKey.LIST_GROUPS, 5))[0] == 2


async def test_an_awaitable_runs_as_a_task() -> None:
    async def handle(request: Any, context: Any, services: Any) -> Message:
        await asyncio.sleep(0)
        return MetadataResponse(controller_id=8)

    async with serving([Api(key=ApiKey.METADATA, handle=handle)]) as server, server.client() as client:
        client.send(request_bytes(ApiKey.METADATA, 12, 1) + request_bytes(ApiKey.METADATA, 12, 2))
        for correlation_id in (1, 2):
            answered, response = await client.receive(ApiKey.METADATA, 12)
            assert (answered, response.controller_id) == (correlation_id, 8)


async def test_an_awaitable_that_takes_too_long_times_out() -> None:
    async def handle(request: Any, context: Any, services: Any) -> Message:
        await asyncio.Event().wait()
        return ListGroupsResponse()

    table = [Api(key=ApiKey.LIST_GROUPS, handle=handle, deadline_seconds=0.01)]
    async with serving(table) as server, server.client() as client:
        assert (await client.ask(ApiKey.LIST_GROUPS, 5)).error_code == ErrorCode.REQUEST_TIMED_OUT


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (ApiError(ErrorCode.INVALID_REQUEST, "no such thing"), ErrorCode.INVALID_REQUEST, "no such thing"),
        (RuntimeError("a secret of ours"), ErrorCode.UNKNOWN_SERVER_ERROR, None),
    ],
)
async def test_a_failure_is_answered_in_the_error_form_of_the_api(
    is_async: bool, error: Exception, code: ErrorCode, text: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail_later(request: Any, context: Any, services: Any) -> Message:
        raise error

    handle = fail_later if is_async else raising(error)
    table = [Api(key=ApiKey.DESCRIBE_CLUSTER, handle=handle)]
    async with serving(table) as server, server.client() as client:
        for _ in range(3):
            response = await client.ask(ApiKey.DESCRIBE_CLUSTER, 1)
            assert (response.error_code, response.error_message) == (code, text)
        text_of_metrics = render(server.metrics)
    assert 'snakka_requests_total{api="DescribeCluster",listener_type="broker"} 3' in text_of_metrics
    assert 'snakka_requests_failed_total{api="DescribeCluster",listener_type="broker"} 3' in text_of_metrics
    # Ours is logged, with its origin, but not once a request.
    assert len(caplog.records) == (1 if isinstance(error, RuntimeError) else 0)


async def test_an_api_may_declare_its_own_error_form() -> None:
    def form(request: MetadataRequest, code: ErrorCode, text: str) -> MetadataResponse:
        return MetadataResponse(controller_id=-code, cluster_id=text)

    error = ApiError(ErrorCode.NOT_CONTROLLER, "not me")
    table = [Api(key=ApiKey.METADATA, handle=raising(error), error_response=form)]
    async with serving(table) as server, server.client() as client:
        response = await client.ask(ApiKey.METADATA, 12)
        assert (response.controller_id, response.cluster_id) == (-ErrorCode.NOT_CONTROLLER, "not me")


@pytest.mark.parametrize("form", [None, lambda *_: None, lambda *_: 1 / 0])
async def test_a_failure_without_an_error_form_closes_only_its_connection(form: Any) -> None:
    table = [
        Api(key=ApiKey.METADATA, handle=raising(ApiError(ErrorCode.NOT_CONTROLLER)), error_response=form),
        Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse())),
    ]
    async with serving(table) as server, server.client() as good, server.client() as bad:
        bad.send(request_bytes(ApiKey.METADATA, 12))
        assert await bad.is_closed()
        await good.ask(ApiKey.LIST_GROUPS, 5)


async def test_an_answer_that_cannot_be_written_closes_the_connection() -> None:
    table = [Api(key=ApiKey.METADATA, handle=answer_with(MetadataResponse(controller_id="no number")))]  # type: ignore[arg-type]
    async with serving(table) as server, server.client() as client:
        client.send(request_bytes(ApiKey.METADATA, 12))
        assert await client.is_closed()


async def test_an_unknown_version_of_api_versions_is_answered_with_the_known_ones() -> None:
    table = [
        Api(key=ApiKey.API_VERSIONS, handle=answer_with(ApiVersionsResponse())),
        Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse())),
    ]
    async with serving(table) as server, server.client() as client:
        client.send(struct.pack(">ihhih", 12, ApiKey.API_VERSIONS, 99, 77, -1) + b"??")
        correlation_id, response = await client.receive(ApiKey.API_VERSIONS, 0)
        assert correlation_id == 77
        assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
        assert [(row.api_key, row.min_version, row.max_version) for row in response.api_keys] == [(18, 0, 4)]
        # The client goes on with a version that both know.
        assert (await client.ask(ApiKey.API_VERSIONS, 4)).error_code == 0


@pytest.mark.parametrize(
    ("key", "version"),
    [
        (ApiKey.METADATA, 14),
        (ApiKey.METADATA, -1),
        (ApiKey.PRODUCE, 2),
        (-1, 0),
        (93, 0),
        (ApiKey.FETCH, 12),
        (4, 0),
    ],
)
async def test_what_is_not_served_closes_the_connection(key: int, version: int) -> None:
    table = [
        Api(key=ApiKey.METADATA, handle=answer_with(MetadataResponse())),
        Api(key=ApiKey.PRODUCE, handle=lambda *_: None, advertised_from=0),
        Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse())),
    ]
    async with serving(table) as server, server.client() as good, server.client() as bad:
        bad.send(struct.pack(">ihhih", 40, key, version, 1, -1) + bytes(30))
        assert await bad.is_closed()
        await good.ask(ApiKey.LIST_GROUPS, 5)


async def test_api_versions_differ_by_listener_type() -> None:
    table = [
        Api(
            key=ApiKey.API_VERSIONS, handle=answer_with(ApiVersionsResponse()), listeners=(BROKER, CONTROLLER)
        ),
        Api(key=ApiKey.PRODUCE, handle=lambda *_: None, advertised_from=0),
        Api(key=ApiKey.VOTE, handle=lambda *_: None, listeners=(CONTROLLER,)),
        Api(key=ApiKey.INIT_PRODUCER_ID, handle=lambda *_: None),
        Api(key=ApiKey.METADATA, handle=lambda *_: None, min_version=1, max_version=12),
        Api(key=ApiKey.LIST_GROUPS, handle=lambda *_: None, available=lambda services: services == "ready"),
    ]
    async with serving(table) as server:
        assert server.dispatcher.api_ranges == [(0, 0, 13), (3, 1, 12), (18, 0, 4), (22, 0, 5)]
    async with serving(table, services="ready", unstable_versions=True) as server:
        assert server.dispatcher.api_ranges == [(0, 0, 13), (3, 1, 12), (16, 0, 5), (18, 0, 4), (22, 0, 6)]
    async with serving(table, CONTROLLER) as server:
        assert server.dispatcher.api_ranges == [(18, 0, 4), (52, 0, 2)]


async def test_before_authentication_only_the_apis_of_authentication_are_served() -> None:
    table = [
        Api(key=ApiKey.API_VERSIONS, handle=answer_with(ApiVersionsResponse()), before_authentication=True),
        Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse())),
    ]
    async with serving(table) as server:
        server.listener.environment.is_authenticated = False
        async with server.client() as client:
            await client.ask(ApiKey.API_VERSIONS, 4)
            (connection,) = server.listener.connections
            connection.is_authenticated = True
            await client.ask(ApiKey.LIST_GROUPS, 5)
        async with server.client() as client:
            client.send(request_bytes(ApiKey.LIST_GROUPS, 5))
            assert await client.is_closed()


async def test_malformed_requests_close_their_connection_and_fill_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    table = [
        Api(key=ApiKey.METADATA, handle=answer_with(MetadataResponse())),
        Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse())),
    ]
    malformed = [
        b"",
        b"\0",
        struct.pack(">hhi", ApiKey.METADATA, 12, 1),
        struct.pack(">hhih", ApiKey.METADATA, 12, 1, 500),
        struct.pack(">hhih", ApiKey.METADATA, 12, 1, 2) + b"\xff\xfe\0",
        struct.pack(">hhih", ApiKey.METADATA, 12, 1, -1) + b"\0" + b"\xff\xff\xff\xff\x0f",
        struct.pack(">hhih", ApiKey.METADATA, 12, 1, -1) + b"\xff\xff\xff\xff\x0f",
        struct.pack(">hhihi", ApiKey.METADATA, 1, 1, -1, 2**31 - 1),
    ]
    async with serving(table) as server, server.client() as good:
        for frame in malformed:
            async with server.client() as bad:
                bad.send(struct.pack(">i", len(frame)) + frame)
                assert await bad.is_closed()
            await good.ask(ApiKey.LIST_GROUPS, 5)
        assert server.listener.environment.metrics.requests_rejected.value == len(malformed)
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


class RecordingConnection:
    """Stands where a connection would; says what was done to it."""

    is_authenticated = True
    client_address = "nowhere"

    def __init__(self) -> None:
        self.answers = 0
        self.rejected: list[str] = []

    def answer(self, frame: Frame) -> None:
        self.answers += 1

    def reject(self, reason: str) -> None:
        self.rejected.append(reason)

    close_with_reason = reject


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from([ApiKey.METADATA, ApiKey.LIST_GROUPS, ApiKey.PRODUCE, ApiKey.API_VERSIONS]),
    st.integers(-1, 15),
    st.binary(max_size=60),
)
def test_no_bytes_get_past_the_dispatcher(key: int, version: int, rest: bytes) -> None:
    loop = asyncio.new_event_loop()
    runtime = Runtime(loop)
    table = [
        Api(key=ApiKey.METADATA, handle=answer_with(MetadataResponse())),
        Api(key=ApiKey.LIST_GROUPS, handle=answer_with(ListGroupsResponse())),
        Api(key=ApiKey.API_VERSIONS, handle=answer_with(ApiVersionsResponse())),
        Api(key=ApiKey.PRODUCE, handle=lambda *_: ListGroupsResponse()),
    ]
    dispatcher = Dispatcher(table, BROKER, None, runtime, MetricSet())
    connection = RecordingConnection()
    dispatcher.dispatch(connection, memoryview(struct.pack(">hhi", key, version, 1) + rest))  # type: ignore[arg-type]
    loop.close()
    assert connection.answers + len(connection.rejected) == 1
