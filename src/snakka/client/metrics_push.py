"""A client's metrics for its brokers, if they ask for them (KIP-714).

Rule: nobody waits for this and nobody hears of its failures. A broker that does not serve it is asked once; one that wants
no metrics is asked again as rarely as it says. Nothing is measured here: whoever owns the client gives the numbers.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from snakka.client.broker_pool import Purpose
from snakka.client.cluster_view import ClusterView
from snakka.client.errors import ClientError
from snakka.client.otlp_metrics import Point, encode_metrics
from snakka.network.answer_times import AnswerTime
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.compression import Compression, compress
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.get_telemetry_subscriptions import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
)
from snakka.protocol.messages.push_telemetry import PushTelemetryRequest, PushTelemetryResponse
from snakka.protocol.uuids import ZERO_UUID, Uuid

_log = logging.getLogger(__name__)
# After an error, and before a broker has said how often it wants to hear from us.
DEFAULT_INTERVAL_SECONDS = 300.0
SHORTEST_INTERVAL_SECONDS = 0.1
TERMINATING_SECONDS = 1.0
_NO_ANSWERS = AnswerTime(0, 0.0, 0.0)
_TOTAL, _RATE = ".total", ".rate"
_WITHOUT_RATE = ("coordinator.rebalance.latency.total",)
_STALE_SUBSCRIPTION = (ErrorCode.UNKNOWN_SUBSCRIPTION_ID, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
_HOPELESS = (ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_RECORD, ErrorCode.UNSUPPORTED_VERSION)


class Measurement(NamedTuple):
    """One number of a client, by Kafka's name without org.apache.kafka and the client's kind, such as record.send.total.

    What ends with .total only grows; its .rate, a second since the last push, follows by itself where Kafka has one.
    """

    name: str
    value: int | float
    labels: tuple[tuple[str, str], ...] = ()


Measure = Callable[[], Iterable[Measurement]]


def latency(name: str, times: AnswerTime, labels: tuple[tuple[str, str], ...] = ()) -> Iterable[Measurement]:
    """How long something has taken, on average and at most, in milliseconds; nothing if it has not happened."""
    if times.answers:
        yield Measurement(f"{name}.avg", times.total_seconds / times.answers * 1000, labels)
        yield Measurement(f"{name}.max", times.longest_seconds * 1000, labels)


class MetricsPush:
    """The metrics of one client: `start` it after the cluster is reached, `close` it before the connections are.

    `kind` is producer, consumer or admin.client; `labels` say more about the client, such as its group_id.
    """

    def __init__(
        self,
        cluster: ClusterView,
        kind: str,
        measure: Measure = tuple,
        *,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self.client_instance_id: Uuid = ZERO_UUID
        self._cluster = cluster
        self._prefix = f"org.apache.kafka.{kind}."
        self._measure = measure
        self._labels = dict(labels or {})
        if cluster.settings.client_rack:
            self._labels.setdefault("client_rack", cluster.settings.client_rack)
        self._subscription: GetTelemetrySubscriptionsResponse | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._began_ns = self._pushed_ns = self._now_ns()
        self._pushed: dict[tuple[str, tuple[tuple[str, str], ...]], int | float] = {}

    def start(self) -> None:
        """Begin in the background, unless enable.metrics.push says no."""
        if self._task is None and self._cluster.settings.enable_metrics_push:
            self._task = self._cluster.pool.tasks.spawn("metrics push", self._run())

    async def close(self) -> None:
        """Push for the last time if a broker wants it, within a short time, and end."""
        task, self._task = self._task, None
        if task is None:
            return
        # A push on its way is waited for: the last one tells only what has grown since.
        self._closing.set()
        await asyncio.wait((task,), timeout=TERMINATING_SECONDS)
        if not task.done():
            task.cancel()
        elif self._subscription is not None and self._subscription.requested_metrics:
            try:
                await self._push(self._subscription, TERMINATING_SECONDS, is_terminating=True)
            except (ClientError, ApiError):
                return  # the client ends all the same

    async def _run(self) -> None:
        pause: float | None = 0.0
        while pause is not None and not await self._is_closing_within(pause):
            try:
                pause = await self._turn()
            except ClientError:
                pause = DEFAULT_INTERVAL_SECONDS
            except ApiError as error:
                pause = None if error.code in _HOPELESS else DEFAULT_INTERVAL_SECONDS
            except Exception:
                _log.exception("metrics are not pushed any more")
                return  # the client goes on all the same

    async def _is_closing_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                return await self._closing.wait()
        except TimeoutError:
            return False

    async def _turn(self) -> float | None:
        """Ask what is wanted, or push it; the result is the pause until the next turn, None for no other."""
        request_seconds = self._cluster.settings.request_seconds
        subscription = self._subscription
        if subscription is None:
            subscription = await self._subscribed(request_seconds)
            # Many clients that begin together shall not push together.
            spread = self._cluster.pool.chance.uniform(0.5, 1.5) if subscription.requested_metrics else 1.0
            return _interval(subscription) * spread
        if not subscription.requested_metrics:
            self._subscription = None
            return 0.0
        code = await self._push(subscription, request_seconds)
        if code in _STALE_SUBSCRIPTION or code in _HOPELESS:
            self._subscription = None
            return None if code in _HOPELESS else SHORTEST_INTERVAL_SECONDS
        return _interval(subscription)

    async def _subscribed(self, seconds: float) -> GetTelemetrySubscriptionsResponse:
        pool = self._cluster.pool
        deadline = pool.clock.monotonic() + seconds
        connection = await pool.any_connection(deadline)
        connection.highest_version(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)
        request = GetTelemetrySubscriptionsRequest(client_instance_id=self.client_instance_id)
        response = await pool.ask_on(connection, request, GetTelemetrySubscriptionsResponse, deadline)
        if response.error_code:
            raise ApiError(ErrorCode(response.error_code), "asking which metrics are wanted")
        self.client_instance_id = response.client_instance_id
        self._subscription = response
        return response

    async def _push(
        self,
        subscription: GetTelemetrySubscriptionsResponse,
        seconds: float,
        *,
        is_terminating: bool = False,
    ) -> ErrorCode:
        now_ns = self._now_ns()
        measured = [*self._measure(), *self._of_connections()]
        points = [
            point
            for measurement in measured
            for point in self._points(measurement, now_ns, subscription.delta_temporality)
            if point.name.startswith(tuple(subscription.requested_metrics))
        ]
        metrics = encode_metrics(points, self._labels, is_delta=subscription.delta_temporality)
        codec = next(
            (code for code in subscription.accepted_compression_types if code in set(Compression)),
            Compression.NONE,
        )
        packed = compress(codec, metrics)
        if len(packed) > subscription.telemetry_max_bytes:
            return ErrorCode.TELEMETRY_TOO_LARGE
        request = PushTelemetryRequest(
            client_instance_id=self.client_instance_id,
            subscription_id=subscription.subscription_id,
            terminating=is_terminating,
            compression_type=codec,
            metrics=packed,
        )
        deadline = self._cluster.clock.monotonic() + seconds
        response = await self._cluster.pool.ask_any(request, PushTelemetryResponse, deadline)
        if not response.error_code:
            self._pushed_ns = now_ns
            self._pushed = {(each.name, each.labels): each.value for each in measured}
        return ErrorCode(response.error_code)

    def _points(self, measurement: Measurement, now_ns: int, is_delta: bool) -> Iterable[Point]:
        name, value, labels = measurement
        if not name.endswith(_TOTAL):
            yield Point(self._prefix + name, value, False, 0, now_ns, labels)
            return
        grown = value - self._pushed.get((name, labels), 0)
        seconds = max((now_ns - self._pushed_ns) / 1e9, 1e-3)
        if name not in _WITHOUT_RATE:
            rate_name = self._prefix + name.removesuffix(_TOTAL) + _RATE
            yield Point(rate_name, grown / seconds, False, 0, now_ns, labels)
        if is_delta:
            yield Point(self._prefix + name, grown, True, self._pushed_ns, now_ns, labels)
        else:
            yield Point(self._prefix + name, value, True, self._began_ns, now_ns, labels)

    def _of_connections(self) -> Iterable[Measurement]:
        """What every client has. Times of answers are in milliseconds, since the last push."""
        pool = self._cluster.pool
        connections = list(pool.open_connections())
        yield Measurement("connection.creation.total", pool.connections_opened)
        yield Measurement("connection.count", len(connections))
        times: dict[int, AnswerTime] = {}
        fetches = _NO_ANSWERS
        for target, purpose, connection in connections:
            if isinstance(target, int):
                taken = connection.answer_times.take()
                times[target] = _joined(times.get(target, _NO_ANSWERS), taken)
                if purpose is Purpose.FETCH:
                    fetches = _joined(fetches, taken)
        for node_id, time in times.items():
            yield from latency("node.request.latency", time, (("node_id", str(node_id)),))
        yield from latency("fetch.manager.fetch.latency", fetches)

    def _now_ns(self) -> int:
        return self._cluster.clock.now_ms() * 1_000_000


def _joined(one: AnswerTime, other: AnswerTime) -> AnswerTime:
    return AnswerTime(
        one.answers + other.answers,
        one.total_seconds + other.total_seconds,
        max(one.longest_seconds, other.longest_seconds),
    )


def _interval(subscription: GetTelemetrySubscriptionsResponse) -> float:
    return max(subscription.push_interval_ms / 1000, SHORTEST_INTERVAL_SECONDS)
