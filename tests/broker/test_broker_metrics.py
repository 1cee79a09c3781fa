"""What a broker shows of itself, asked of a running one."""

from collections.abc import AsyncIterator

import pytest

from snakka.broker import metrics as declared
from snakka.client.admin import Admin
from snakka.client.cluster_view import ClusterView, running_cluster
from snakka.client.consumer import Consumer, TopicPartition
from snakka.client.errors import OffsetOutOfRangeError
from snakka.client.producer import Producer
from snakka.client.settings import AdminSettings, resolve
from snakka.protocol.errors import ApiError
from snakka.telemetry.metric_set import Declaration, Kind
from snakka.telemetry.prometheus_text import render
from snakka.testing import LocalBroker


def look(broker: LocalBroker) -> dict[str, float]:
    """One look at everything, by series."""
    lines = (line for line in render(broker.server.metrics).splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


@pytest.fixture
async def broker() -> AsyncIterator[LocalBroker]:
    async with LocalBroker() as running:
        yield running


@pytest.fixture
async def cluster(broker: LocalBroker) -> AsyncIterator[ClusterView]:
    settings = resolve(AdminSettings, {"bootstrap_servers": broker.bootstrap_servers})
    async with running_cluster(settings) as cluster:
        yield cluster


async def test_traffic_is_shown_by_topic_and_in_all(broker: LocalBroker, cluster: ClusterView) -> None:
    async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for _ in range(3):
            await producer.send("orders", b"x" * 100)
        await producer.send("other", b"y")
    async with Consumer(
        "orders", bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest"
    ) as consumer:
        assert [(await consumer.getone()).offset for _ in range(3)] == [0, 1, 2]
    seen = look(broker)
    assert seen["snakka_broker_messages_in_total"] == 4
    assert seen['snakka_topic_messages_in_total{topic="orders"}'] == 3
    assert seen['snakka_topic_messages_in_total{topic="other"}'] == 1
    size = seen['snakka_log_size_bytes{topic="orders",partition="0"}']
    assert size > 300
    assert seen['snakka_topic_bytes_in_total{topic="orders"}'] == size
    assert seen['snakka_topic_bytes_out_total{topic="orders"}'] == size
    assert seen["snakka_broker_bytes_out_total"] == size
    assert seen['snakka_topic_fetches_total{topic="orders"}'] >= 1
    assert seen['snakka_log_end_offset{topic="orders",partition="0"}'] == 3


async def test_failures_are_counted(broker: LocalBroker, cluster: ClusterView) -> None:
    async with Producer(bootstrap_servers=broker.bootstrap_servers, max_request_size=3_000_000) as producer:
        with pytest.raises(ApiError):
            await producer.send_and_wait("t", bytes(2_000_000))
    async with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="none") as consumer:
        consumer.assign([TopicPartition("t", 0)])
        consumer.seek(TopicPartition("t", 0), 5)
        with pytest.raises(OffsetOutOfRangeError):
            await consumer.getone()
    seen = look(broker)
    assert seen['snakka_topic_failed_produces_total{topic="t"}'] == 1
    # The consumer may have asked again before it had heard the answer.
    assert seen['snakka_topic_failed_fetches_total{topic="t"}'] >= 1
    assert seen["snakka_broker_failed_produces_total"] == 1


async def test_the_series_of_a_deleted_topic_vanish_and_the_totals_stay(
    broker: LocalBroker, cluster: ClusterView
) -> None:
    admin = Admin(cluster=cluster)
    assert not [name for name in look(broker) if "topic=" in name]
    await admin.create_topic("gone", partitions=2)
    async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for _ in range(5):
            await producer.send("gone", b"x", partition=1)
        await producer.flush()
        assert look(broker)['snakka_log_end_offset{topic="gone",partition="1"}'] == 5
        for _ in range(2):
            await producer.send("gone", b"x", partition=1)
    await admin.delete_topic("gone")
    seen = look(broker)
    assert not [name for name in seen if "gone" in name]
    assert seen["snakka_broker_messages_in_total"] == 7
    assert seen["snakka_broker_partitions"] == 0
    async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        await producer.send_and_wait("gone", b"again")
    seen = look(broker)
    assert seen["snakka_broker_messages_in_total"] == 8
    assert seen['snakka_topic_messages_in_total{topic="gone"}'] == 1


async def test_replicas_logs_and_quorum_are_shown(broker: LocalBroker, cluster: ClusterView) -> None:
    await Admin(cluster=cluster).create_topic("t", partitions=3)
    seen = look(broker)
    expected = {
        "broker_partitions": 3,
        "broker_leaders": 3,
        "broker_under_replicated_partitions": 0,
        "broker_under_min_isr_partitions": 0,
        "broker_offline_replicas": 0,
        "log_directories": 1,
        "log_directories_offline": 0,
        "controller_active": 1,
        "controller_topics": 1,
        "controller_active_brokers": 1,
        "controller_fenced_brokers": 0,
        "raft_leader_id": 1,
        "raft_epoch": 1,
        "fetch_sessions": 0,
        "compaction_uncleanable_logs": 0,
    }
    assert {name: seen[f"snakka_{name}"] for name in expected} == expected
    assert seen["snakka_raft_high_watermark"] <= seen["snakka_raft_log_end_offset"]
    assert seen["snakka_metadata_applied_offset"] > 0
    assert seen["snakka_process_cpu_seconds_total"] > 0
    assert seen['snakka_background_task_runs_total{task="log retention"}'] == 0
    assert seen['snakka_background_task_failures_total{task="log retention"}'] == 0


async def test_partitions_without_enough_replicas_are_counted(
    broker: LocalBroker, cluster: ClusterView
) -> None:
    await Admin(cluster=cluster).create_topic("t", partitions=2)
    partition = next(iter(broker.server.services.partitions))
    partition.isr = []
    seen = look(broker)
    assert seen["snakka_broker_under_replicated_partitions"] == 1
    assert seen["snakka_broker_under_min_isr_partitions"] == 1


def test_names_follow_prometheus_and_tell_kafka_s() -> None:
    found = [value for value in vars(declared).values() if isinstance(value, Declaration)]
    for traffic in declared.TRAFFIC:
        found += [traffic.total, traffic.by_topic]
    assert len(found) > 35
    for declaration in found:
        assert declaration.name.endswith("_total") == (declaration.kind is Kind.COUNTER), declaration
        assert declaration.doc.endswith("."), declaration
    names = [declaration.name for declaration in found]
    assert len(set(names)) == len(names)
    totals = max(traffic.total.name for traffic in declared.TRAFFIC)
    assert all(totals < traffic.by_topic.name for traffic in declared.TRAFFIC), "totals are read first"
    assert all(totals < declaration.name for declaration, _ in declared.LOGS), "totals are read first"
