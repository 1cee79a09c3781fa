"""Clients' metrics: encoded as OpenTelemetry reads them, and pushed as Apache Kafka and a scripted broker want them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, MetricsData
from tests.client.awaited_answers import answer
from tests.client.kafka_broker import KafkaBroker
from tests.client.scripted_broker import ScriptedBroker
from tests.client.waiting import until

from snakka.client import Consumer, Producer
from snakka.client.admin import Admin, ConfigKind, ConfigResource
from snakka.client.metrics_push import MetricsPush
from snakka.client.otlp_metrics import Point, encode_metrics
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.compression import Compression, decompress
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.get_telemetry_subscriptions import GetTelemetrySubscriptionsResponse
from snakka.protocol.messages.push_telemetry import PushTelemetryRequest, PushTelemetryResponse
from snakka.protocol.uuids import ZERO_UUID, uuid_text
from snakka.testing import LocalBroker

OPENED = "org.apache.kafka.admin.client.connection.creation.total"
RATE = "org.apache.kafka.admin.client.connection.creation.rate"
COUNT = "org.apache.kafka.admin.client.connection.count"
LATENCY = "org.apache.kafka.admin.client.node.request.latency"
ALL = {OPENED, RATE, COUNT, f"{LATENCY}.avg", f"{LATENCY}.max"}
ENDS = ("avg", "max")
INSTANCE = bytes(range(16))
MOST_BYTES = 1_000_000


def decoded(data: bytes) -> dict[str, Any]:
    """The metrics of a push by name."""
    message = MetricsData.FromString(data)
    (resource,) = message.resource_metrics
    return {metric.name: metric for scope in resource.scope_metrics for metric in scope.metrics}


points = st.builds(
    Point,
    name=st.text(min_size=1),
    value=st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False)),
    is_total=st.booleans(),
    start_ns=st.integers(0, 2**64 - 1),
    time_ns=st.integers(0, 2**64 - 1),
    labels=st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple),
)


@given(st.lists(points, max_size=5), st.dictionaries(st.text(), st.text(), max_size=3), st.booleans())
def test_what_is_encoded_is_read_by_opentelemetry(
    given_points: list[Point], resource: dict[str, str], is_delta: bool
) -> None:
    message = MetricsData.FromString(encode_metrics(given_points, resource, is_delta=is_delta))
    (read,) = message.resource_metrics
    assert {each.key: each.value.string_value for each in read.resource.attributes} == resource
    metrics = [metric for scope in read.scope_metrics for metric in scope.metrics]
    assert [metric.name for metric in metrics] == [point.name for point in given_points]
    for metric, point in zip(metrics, given_points, strict=True):
        assert metric.WhichOneof("data") == ("sum" if point.is_total else "gauge")
        (data,) = (metric.sum if point.is_total else metric.gauge).data_points
        assert data.time_unix_nano == point.time_ns
        assert (data.as_int if isinstance(point.value, int) else data.as_double) == point.value
        assert tuple((each.key, each.value.string_value) for each in data.attributes) == point.labels
        if point.is_total:
            assert metric.sum.is_monotonic
            assert metric.sum.aggregation_temporality == (1 if is_delta else 2)
            assert data.start_time_unix_nano == point.start_ns


class Collector(ScriptedBroker):
    """A broker that asks for metrics and keeps what it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.subscription = GetTelemetrySubscriptionsResponse(
            client_instance_id=INSTANCE,
            subscription_id=7,
            accepted_compression_types=[Compression.LZ4],
            push_interval_ms=100,
            telemetry_max_bytes=MOST_BYTES,
            delta_temporality=True,
            requested_metrics=[""],
        )
        self.verdicts: list[int] = []
        self.answers[ApiKey.GET_TELEMETRY_SUBSCRIPTIONS] = lambda request: self.subscription
        self.answers[ApiKey.PUSH_TELEMETRY] = self._take

    def _take(self, request: PushTelemetryRequest) -> PushTelemetryResponse:
        return PushTelemetryResponse(error_code=self.verdicts.pop(0) if self.verdicts else 0)

    @property
    def pushes(self) -> list[PushTelemetryRequest]:
        return self.asked(ApiKey.PUSH_TELEMETRY)

    @property
    def questions(self) -> list[Any]:
        return self.asked(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)


def metrics_of(push: PushTelemetryRequest) -> dict[str, Any]:
    return decoded(decompress(push.compression_type, push.metrics, MOST_BYTES))


async def test_metrics_are_pushed_as_the_broker_wants_them() -> None:
    async with Collector() as broker:
        async with Admin(bootstrap_servers=broker.address, enable_metrics_push=True):
            await until(lambda: len(broker.pushes) >= 2)
        first, second, *_, last = broker.pushes
        assert broker.questions[0].client_instance_id == ZERO_UUID
        assert {push.client_instance_id for push in broker.pushes} == {INSTANCE}
        assert {(push.subscription_id, push.compression_type) for push in broker.pushes} == {
            (7, Compression.LZ4)
        }
        assert [push.terminating for push in broker.pushes] == [False] * (len(broker.pushes) - 1) + [True]
        opened = [metrics_of(push)[OPENED].sum for push in (first, second, last)]
        assert [each.data_points[0].as_int for each in opened] == [1, 0, 0]
        assert opened[0].aggregation_temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
        assert opened[1].data_points[0].start_time_unix_nano == opened[0].data_points[0].time_unix_nano
        assert set(metrics_of(first)) == ALL
        assert metrics_of(first)[COUNT].gauge.data_points[0].as_int == 1
        (latency,) = metrics_of(first)[f"{LATENCY}.max"].gauge.data_points
        assert latency.as_double > 0
        assert [(each.key, each.value.string_value) for each in latency.attributes] == [("node_id", "1")]


async def test_only_the_metrics_that_are_asked_for_are_pushed_and_totals_stay_if_wanted() -> None:
    async with Collector() as broker:
        broker.subscription.requested_metrics = ["org.apache.kafka.producer.", OPENED]
        broker.subscription.delta_temporality = False
        broker.subscription.accepted_compression_types = []
        async with Admin(bootstrap_servers=broker.address, enable_metrics_push=True, client_rack="here"):
            await until(lambda: len(broker.pushes) >= 2)
        for push in broker.pushes:
            assert push.compression_type == Compression.NONE
            (metric,) = metrics_of(push).values()
            assert (metric.name, metric.sum.data_points[0].as_int) == (OPENED, 1)
            (resource,) = MetricsData.FromString(push.metrics).resource_metrics
            assert [(each.key, each.value.string_value) for each in resource.resource.attributes] == [
                ("client_rack", "here")
            ]


async def test_a_subscription_that_has_changed_is_asked_for_again() -> None:
    async with Collector() as broker:
        broker.verdicts = [ErrorCode.UNKNOWN_SUBSCRIPTION_ID]
        async with Admin(bootstrap_servers=broker.address, enable_metrics_push=True):
            await until(lambda: len(broker.pushes) >= 2)
        assert [question.client_instance_id for question in broker.questions] == [ZERO_UUID, INSTANCE]


async def test_a_client_whose_metrics_are_refused_stays_quiet() -> None:
    async with Collector() as broker:
        broker.verdicts = [ErrorCode.INVALID_RECORD]
        async with Admin(bootstrap_servers=broker.address, enable_metrics_push=True) as admin:
            await until(lambda: broker.pushes)
            await until(lambda: _push_task_is_done(admin))
        assert (len(broker.questions), len(broker.pushes)) == (1, 1)


async def test_nobody_who_wants_no_metrics_gets_any() -> None:
    async with Collector() as broker:
        broker.subscription.requested_metrics = []
        async with Admin(bootstrap_servers=broker.address, enable_metrics_push=True):
            await until(lambda: len(broker.questions) >= 2)
        assert broker.pushes == []
        asked = len(broker.questions)
        async with Admin(bootstrap_servers=broker.address) as silent:
            await silent.list_topics()
        assert len(broker.questions) == asked


def _push_task_is_done(admin: Admin) -> bool:
    push = admin._metrics
    return push is not None and push._task is not None and push._task.done()


async def test_a_broker_that_does_not_serve_it_is_left_alone(snakka: LocalBroker) -> None:
    async with Admin(bootstrap_servers=snakka.bootstrap_servers, enable_metrics_push=True) as admin:
        await until(lambda: _push_task_is_done(admin))
        assert await admin.list_topics() == []


@asynccontextmanager
async def subscribed(kafka: KafkaBroker, metrics: str) -> AsyncIterator[str]:
    """A client id whose metrics of these names Apache Kafka wants ten times a second."""
    client_id = f"pushing-{uuid4().hex[:8]}"
    subscription = ConfigResource(ConfigKind.CLIENT_METRICS, client_id)
    wanted = {"interval.ms": "100", "metrics": metrics, "match": f"client_id={client_id}"}
    async with Admin(bootstrap_servers=kafka.bootstrap) as operator:
        (await operator.alter_configs({subscription: wanted})).raise_for_errors()
        await answer(
            lambda: operator.describe_configs([subscription]),
            lambda found: found[subscription]["interval.ms"].value == "100",
        )
        await kafka.settle()
        assert subscription in await operator.list_config_resources([ConfigKind.CLIENT_METRICS])
        yield client_id
        (await operator.alter_configs({subscription: dict.fromkeys(wanted)})).raise_for_errors()


def received(kafka: KafkaBroker, client: Admin | Consumer | Producer, kind: str) -> list[Path]:
    """The pushes of a client that have arrived: more are to come, or they were the last."""
    return sorted(kafka.telemetry.glob(f"{uuid_text(_instance_of(client))}.*.{kind}"))


@pytest.mark.parametrize("is_stopped_early", [False, True])
async def test_apache_kafka_takes_the_pushes(kafka: KafkaBroker, is_stopped_early: bool) -> None:
    async with subscribed(kafka, "org.apache.kafka.admin") as client_id:
        async with Admin(
            bootstrap_servers=kafka.bootstrap, client_id=client_id, enable_metrics_push=True
        ) as ours:
            await until(lambda: _instance_of(ours) != ZERO_UUID)
            if not is_stopped_early:
                await until(lambda: len(received(kafka, ours, "more")) >= 2)
        (last,) = received(kafka, ours, "last")
        assert set(decoded(last.read_bytes())) == ALL
        pushes = [decoded(path.read_bytes()) for path in (*received(kafka, ours, "more"), last)]
        assert sum(push[OPENED].sum.data_points[0].as_int for push in pushes) == 1


def check_names(names: set[str], kind: str, required: set[str], kafka_facts: list[list[str]]) -> None:
    """What KIP-714 wants is there, and nothing has a name that Kafka's own client does not use."""
    prefix = f"org.apache.kafka.{kind}."
    of_nodes = {
        f"{prefix}node.request.latency.{each}" for each in ("avg", "max")
    }  # known when it is connected
    known = {name for fact, of_kind, name in kafka_facts if (fact, of_kind) == ("metric", kind)}
    required = {
        prefix + name for name in (*required, "connection.creation.total", "connection.creation.rate")
    }
    assert names <= known | of_nodes
    assert names >= required | of_nodes
    assert known >= required


async def test_a_producer_tells_apache_kafka_what_it_has_sent(
    kafka: KafkaBroker, kafka_facts: list[list[str]]
) -> None:
    name = "org.apache.kafka.producer.record.send"
    async with subscribed(kafka, "org.apache.kafka.producer.") as client_id:
        async with Producer(bootstrap_servers=kafka.bootstrap, client_id=client_id) as producer:
            await until(lambda: _instance_of(producer) != ZERO_UUID)
            for number in range(3):
                await producer.send_and_wait("told", b"%d" % number)
        paths = [path for kind in ("more", "last") for path in received(kafka, producer, kind)]
        pushes = [decoded(path.read_bytes()) for path in paths]
        required = {
            f"{each}.{part}" for each in ("produce.throttle.time", "record.queue.time") for part in ENDS
        }
        check_names({metric for push in pushes for metric in push}, "producer", required, kafka_facts)
        assert sum(push[f"{name}.total"].sum.data_points[0].as_int for push in pushes) == 3


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
async def test_a_consumer_tells_apache_kafka_how_it_reads(
    kafka: KafkaBroker, kafka_facts: list[list[str]], protocol: str
) -> None:
    topic = f"read-{uuid4().hex[:8]}"
    async with Producer(bootstrap_servers=kafka.bootstrap) as producer:
        await producer.send_and_wait(topic, b"value")
    async with subscribed(kafka, "org.apache.kafka.consumer.") as client_id:
        async with Consumer(
            topic,
            bootstrap_servers=kafka.bootstrap,
            client_id=client_id,
            group_id=topic,
            group_protocol=protocol,
            auto_offset_reset="earliest",
        ) as consumer:
            await until(lambda: _instance_of(consumer) != ZERO_UUID)
            assert (await consumer.getone()).value == b"value"
            nothing = await consumer.getmany(timeout_ms=300)
            assert nothing == {}
        paths = [path for kind in ("more", "last") for path in received(kafka, consumer, kind)]
        pushes = [decoded(path.read_bytes()) for path in paths]
        fetched = "org.apache.kafka.consumer.fetch.manager.bytes.consumed.total"
        assert sum(push[fetched].sum.data_points[0].as_int for push in pushes) > 0
        consumed = "org.apache.kafka.consumer.fetch.manager.records.consumed.total"
        assert sum(push[consumed].sum.data_points[0].as_int for push in pushes) == 1
        idle = "org.apache.kafka.consumer.poll.idle.ratio.avg"
        ratios = [push[idle].gauge.data_points[0].as_double for push in pushes]
        assert all(0 <= ratio <= 1 for ratio in ratios)
        assert max(ratios) > 0
        took = ("coordinator.commit.latency", "coordinator.rebalance.latency", "fetch.manager.fetch.latency")
        required = {f"{each}.{part}" for each in took for part in ENDS}
        required |= {
            "poll.idle.ratio.avg",
            "coordinator.assigned.partitions",
            "coordinator.rebalance.latency.total",
        }
        check_names({metric for push in pushes for metric in push}, "consumer", required, kafka_facts)
        lag = "org.apache.kafka.consumer.fetch.manager.records.lag.max"
        assert pushes[-1][lag].gauge.data_points[0].as_int == 0
        (resource,) = MetricsData.FromString(paths[-1].read_bytes()).resource_metrics
        assert [(each.key, each.value.string_value) for each in resource.resource.attributes] == [
            ("group_id", topic)
        ]


def _instance_of(client: Admin | Consumer | Producer) -> bytes:
    push: MetricsPush | None = client._metrics
    return ZERO_UUID if push is None else push.client_instance_id
