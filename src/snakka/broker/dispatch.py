"""From a frame to its handler and back: header, table, version, decode, handle, encode.

There is one dispatcher a listener type. The rule: nothing that a client sends and nothing that a handler raises gets
past here. A request that cannot be understood closes its connection, as in Kafka; a handler's failure is answered in
the API's own error form; either way no other connection notices. A request that need not wait makes no task.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from struct import Struct
from struct import error as StructError  # noqa: N812
from time import perf_counter_ns
from typing import Any

from snakka.broker.api import Api, ApiRange
from snakka.network.connection import Connection
from snakka.network.rejection_log import RejectionLog
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import API_FACTS, ApiKey, request_class, response_class
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.request_header import skip_tags
from snakka.runtime import Runtime
from snakka.telemetry.metric_set import Declaration, Kind, MetricSet

log = logging.getLogger(__name__)

_LABELS = ("api", "listener_type")
REQUESTS = Declaration(
    "requests_total",
    Kind.COUNTER,
    "Requests handled.",
    _LABELS,
    "kafka.network:type=RequestMetrics,name=RequestsPerSec",
)
FAILED_REQUESTS = Declaration(
    "requests_failed_total",
    Kind.COUNTER,
    "Requests whose handler failed as a whole; errors of single partitions are not among them.",
    _LABELS,
    "kafka.network:type=RequestMetrics,name=ErrorsPerSec",
)
REQUEST_SECONDS = Declaration(
    "request_seconds_total",
    Kind.COUNTER,
    "Time from taking a request to having its answer, waiting included.",
    _LABELS,
    "kafka.network:type=RequestMetrics,name=TotalTimeMs",
    unit=1e-9,
)

# API key, version, correlation id, length of the client id; then room for the size and the correlation id.
_unpack_header = Struct(">hhih").unpack_from
_HEADER_BYTES = 10
_pack_answer = Struct(">ii").pack
_pack_flexible_answer = Struct(">iib").pack


class _Route:
    """One API as the dispatcher sees it: everything looked up beforehand that can be."""

    __slots__ = (
        "answer_flexible_from",
        "api",
        "errors",
        "flexible_from",
        "handle",
        "highest",
        "lowest",
        "name",
        "needs_authentication",
        "read",
        "requests",
        "time",
    )

    def __init__(self, api: Api, listener_type: str, metrics: MetricSet, unstable_versions: bool) -> None:
        facts = API_FACTS[api.key]
        labels = {"api": facts.name, "listener_type": listener_type}
        self.api = api
        self.name = facts.name
        self.handle = api.handle
        self.lowest = api.lowest_version()
        self.highest = api.highest_version(unstable_versions)
        self.flexible_from = facts.flexible_from
        # The header of ApiVersions' answer has no tags in any version: the client may not know ours yet.
        self.answer_flexible_from = 2**15 if api.key == ApiKey.API_VERSIONS else facts.flexible_from
        self.needs_authentication = not api.before_authentication
        self.requests = metrics.counter(REQUESTS, **labels)
        self.errors = metrics.counter(FAILED_REQUESTS, **labels)
        self.time = metrics.counter(REQUEST_SECONDS, **labels)
        self.read: Callable[[memoryview, int, int], tuple[Message, int]] = self._load_and_read

    def _load_and_read(self, frame: memoryview, position: int, version: int) -> tuple[Message, int]:
        """The first request of an API imports its messages: most brokers never see most APIs."""
        self.read = request_class(self.api.key).read
        return self.read(frame, position, version)

    def error_form(self, request: Message, version: int, code: ErrorCode, text: str) -> Message | None:
        """How this API tells of an error; None if it can't."""
        if self.api.error_response is not None:
            return self.api.error_response(request, code, text)
        kind = response_class(self.api.key)
        if "error_code" not in kind.__slots__:
            return None
        fields: dict[str, Any] = {"error_code": code}
        if "error_message" in kind.__slots__:
            fields["error_message"] = text or None
        response = kind(**fields)
        # Some versions of a response do not carry its error code: an answer that looks like success would be a lie.
        return None if response.encode(version) == kind().encode(version) else response


class Dispatcher:
    """Serves the APIs of one listener type. `api_ranges` is what ApiVersions answers there."""

    def __init__(
        self,
        table: Iterable[Api],
        listener_type: str,
        services: Any,
        runtime: Runtime,
        metrics: MetricSet,
        *,
        unstable_versions: bool = False,
    ) -> None:
        self._services = services
        self._runtime = runtime
        self._failures = RejectionLog(log, runtime.clock)
        served = [
            api
            for api in table
            if listener_type in api.listeners and (api.available is None or api.available(services))
        ]
        self._routes: dict[int, _Route] = {
            int(api.key): _Route(api, listener_type, metrics, unstable_versions) for api in served
        }
        self.api_ranges: list[ApiRange] = sorted(api.advertised_range(unstable_versions) for api in served)

    def dispatch(self, connection: Connection, frame: memoryview) -> None:
        """Handle one request. Never raises."""
        started = perf_counter_ns()
        try:
            key, version, correlation_id, length = _unpack_header(frame)
            route = self._routes.get(key)
            if route is None or version < route.lowest or version > route.highest:
                self._refuse(connection, key, version, correlation_id)
                return
            if route.needs_authentication and not connection.is_authenticated:
                connection.reject(f"{route.name} before authentication")
                return
            position = _HEADER_BYTES
            client_id = None
            if length >= 0:
                position += length
                client_id = str(frame[_HEADER_BYTES:position], "utf-8")
            if version >= route.flexible_from:
                # Nearly always there are no tags.
                position = skip_tags(frame, position) if frame[position] else position + 1
            request, end = route.read(frame, position, version)
            if end > len(frame):
                raise ProtocolError(f"{route.name} v{version} ends {end - len(frame)} bytes too early")
        except (ProtocolError, StructError, IndexError, ValueError, OverflowError) as error:
            connection.reject(f"a malformed request: {error}")
            return
        route.requests.value += 1
        context = RequestContext(connection, version, correlation_id, client_id)
        try:
            response = route.handle(request, context, self._services)
        except Exception as error:
            response = self._failed(route, request, context, error)
        if isinstance(response, Message):
            answer = self._encode(route, context, started, response)
            if answer is not None:
                connection.answer(answer)
        elif response is not None:
            self._answer_later(route, request, context, started, response)
        else:
            route.time.value += perf_counter_ns() - started

    def _answer_later(
        self,
        route: _Route,
        request: Message,
        context: RequestContext,
        started: int,
        pending: Waiting | Awaitable[Message | None],
    ) -> None:
        waiting = pending if isinstance(pending, Waiting) else Waiting()
        encode = partial(self._encode, route, context, started)
        connection = context.connection
        if waiting.is_done:
            # Completed within the handler: by now it is an answer like any other.
            answer = encode(waiting.response)
            if answer is not None:
                connection.answer(answer)
            return
        waiting.bind(encode, connection.answer_later)
        connection.wait_for(waiting)
        if pending is not waiting:
            work = self._complete(route, request, context, waiting, pending)  # type: ignore[arg-type]
            self._runtime.supervisor.spawn(f"request {route.name}", work)

    async def _complete(
        self,
        route: _Route,
        request: Message,
        context: RequestContext,
        waiting: Waiting,
        pending: Awaitable[Message | None],
    ) -> None:
        """Runs on even if the client goes: what it asked for may be half done."""
        try:
            async with asyncio.timeout(route.api.deadline_seconds):
                response = await pending
        except Exception as error:
            response = self._failed(route, request, context, error)
        waiting.complete(response)

    def _encode(
        self, route: _Route, context: RequestContext, started: int, response: Message | None
    ) -> Frame | None:
        """The answer as it is sent; None if there is none."""
        route.time.value += perf_counter_ns() - started
        if response is None:
            return None
        version = context.api_version
        if version >= route.answer_flexible_from:
            answer = Frame(_pack_flexible_answer(0, context.correlation_id, 0))
        else:
            answer = Frame(_pack_answer(0, context.correlation_id))
        try:
            response.write(answer, version)
        except Exception as error:
            route.errors.value += 1
            self._failures.report(f"{route.name} v{version}: its answer can't be written", error)
            context.connection.close_with_reason(f"{route.name} has no answer")
            return None
        answer.seal()
        return answer

    def _failed(
        self, route: _Route, request: Message, context: RequestContext, error: Exception
    ) -> Message | None:
        """The answer to a request whose handler raised; without one the connection is closed."""
        route.errors.value += 1
        if isinstance(error, ApiError):
            code, text = error.code, error.message
        elif isinstance(error, TimeoutError):
            code, text = ErrorCode.REQUEST_TIMED_OUT, ""
        else:
            self._failures.report(f"{route.name} v{context.api_version} failed", error)
            code, text = ErrorCode.UNKNOWN_SERVER_ERROR, ""
        try:
            response = route.error_form(request, context.api_version, code, text)
        except Exception as second:
            self._failures.report(f"{route.name} v{context.api_version}: no error form", second)
            response = None
        if response is None:
            context.connection.close_with_reason(f"{route.name} failed: {code.name} {text}")
        return response

    def _refuse(self, connection: Connection, key: int, version: int, correlation_id: int) -> None:
        """An API or version that is not served here: only ApiVersions has an answer to that (KIP-511)."""
        route = self._routes.get(key)
        if key == ApiKey.API_VERSIONS and route is not None:
            from snakka.protocol.messages.api_versions import ApiVersion, ApiVersionsResponse

            known = ApiVersion(api_key=key, min_version=route.lowest, max_version=route.highest)
            response = ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[known])
            answer = Frame(_pack_answer(0, correlation_id))
            response.write(answer, 0)
            answer.seal()
            connection.answer(answer)
        elif route is None:
            connection.reject(f"a request of an API that is not served on this listener: {key}")
        else:
            connection.reject(f"a request of {route.name} version {version}")
