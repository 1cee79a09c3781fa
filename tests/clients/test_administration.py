"""Topics and configs administered by clients that nobody here wrote."""

import asyncio
import json
import subprocess
import time

import pytest
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin import NewTopic as AioNewTopic
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)
from tests.clients.exchange import DEADLINE_SECONDS, Confluent, KafkaPython, create_topic


@pytest.fixture
def admin(broker) -> AdminClient:
    return AdminClient({"bootstrap.servers": broker.bootstrap})


def wait_for(future):
    return future.result(DEADLINE_SECONDS)


def error_name(future) -> str:
    with pytest.raises(KafkaException) as failed:
        wait_for(future)
    return failed.value.args[0].name()


def test_confluent_creates_describes_extends_and_deletes_a_topic(admin, topic) -> None:
    wait_for(admin.create_topics([NewTopic(topic, 2, 1, config={"retention.ms": "60000"})])[topic])
    assert error_name(admin.create_topics([NewTopic(topic, 2, 1)])[topic]) == "TOPIC_ALREADY_EXISTS"
    metadata = admin.list_topics(timeout=DEADLINE_SECONDS)
    assert sorted(metadata.topics[topic].partitions) == [0, 1]
    wait_for(admin.create_partitions([NewPartitions(topic, 5)])[topic])
    assert len(admin.list_topics(topic, timeout=DEADLINE_SECONDS).topics[topic].partitions) == 5
    assert error_name(admin.create_partitions([NewPartitions(topic, 3)])[topic]) == "INVALID_PARTITIONS"
    wait_for(admin.delete_topics([topic])[topic])
    assert topic not in admin.list_topics(timeout=DEADLINE_SECONDS).topics
    assert error_name(admin.delete_topics([topic])[topic]) == "UNKNOWN_TOPIC_OR_PART"


@pytest.mark.parametrize(
    ("name", "partitions", "factor", "config", "error"),
    [
        ("a/b", 1, 1, {}, "TOPIC_EXCEPTION"),
        ("x" * 250, 1, 1, {}, "TOPIC_EXCEPTION"),
        ("..", 1, 1, {}, "TOPIC_EXCEPTION"),
        ("few-brokers", 1, 3, {}, "INVALID_REPLICATION_FACTOR"),
        ("no-such-config", 1, 1, {"no.such.config": "1"}, "INVALID_CONFIG"),
        ("bad-value", 1, 1, {"retention.ms": "soon"}, "INVALID_CONFIG"),
        ("bad-policy", 1, 1, {"cleanup.policy": "shred"}, "INVALID_CONFIG"),
        ("tiered", 1, 1, {"remote.storage.enable": "true"}, "INVALID_CONFIG"),
    ],
)
def test_what_can_not_be_created_is_refused_as_kafka_does(
    admin, name, partitions, factor, config, error
) -> None:
    future = admin.create_topics([NewTopic(name, partitions, factor, config=config)])[name]
    assert error_name(future) == error


def test_confluent_changes_configs_of_a_topic_and_of_the_broker(admin, topic) -> None:
    wait_for(admin.create_topics([NewTopic(topic, 1, 1)])[topic])
    resource = ConfigResource(
        ResourceType.TOPIC,
        topic,
        incremental_configs=[
            ConfigEntry("retention.ms", "12345", incremental_operation=AlterConfigOpType.SET),
            ConfigEntry("cleanup.policy", "compact", incremental_operation=AlterConfigOpType.APPEND),
        ],
    )
    wait_for(next(iter(admin.incremental_alter_configs([resource]).values())))
    described = wait_for(
        next(iter(admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]).values()))
    )
    assert described["retention.ms"].value == "12345"
    assert set(described["cleanup.policy"].value.split(",")) == {"compact", "delete"}
    assert described["segment.bytes"].is_default
    change = ConfigResource(
        ResourceType.BROKER,
        "1",
        incremental_configs=[
            ConfigEntry("log.cleaner.backoff.ms", "14000", incremental_operation=AlterConfigOpType.SET)
        ],
    )
    wait_for(next(iter(admin.incremental_alter_configs([change]).values())))
    broker = wait_for(next(iter(admin.describe_configs([ConfigResource(ResourceType.BROKER, "1")]).values())))
    assert broker["log.cleaner.backoff.ms"].value == "14000"
    read_only = ConfigResource(
        ResourceType.BROKER,
        "1",
        incremental_configs=[ConfigEntry("node.id", "7", incremental_operation=AlterConfigOpType.SET)],
    )
    assert error_name(next(iter(admin.incremental_alter_configs([read_only]).values()))) == "INVALID_REQUEST"


def test_offsets_by_time_and_deleted_records(admin, broker, topic) -> None:
    create_topic(broker.bootstrap, topic)
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    start = int(time.time() * 1000) - 100_000
    for n in range(100):
        producer.produce(topic, b"v", partition=0, timestamp=start + n * 1000)
    assert producer.flush(DEADLINE_SECONDS) == 0
    partition = TopicPartition(topic, 0)

    def offset(spec) -> int:
        return wait_for(admin.list_offsets({partition: spec})[partition]).offset

    assert offset(OffsetSpec.earliest()) == 0
    assert offset(OffsetSpec.latest()) == 100
    assert offset(OffsetSpec.for_timestamp(start + 40_500)) == 41
    assert offset(OffsetSpec.max_timestamp()) == 99
    deleted = admin.delete_records([TopicPartition(topic, 0, 60)])
    assert wait_for(next(iter(deleted.values()))).low_watermark == 60
    assert offset(OffsetSpec.earliest()) == 60
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "x", "enable.auto.commit": False})
    assert consumer.get_watermark_offsets(partition, timeout=DEADLINE_SECONDS) == (60, 100)


def test_a_topic_is_created_by_producing_to_it(broker, topic) -> None:
    Confluent.write(broker.bootstrap, topic, [(b"k", b"v")], "none")
    assert Confluent.read(broker.bootstrap, topic, 1) == [(b"k", b"v")]


def test_confluent_describes_the_cluster(admin, broker) -> None:
    cluster = wait_for(admin.describe_cluster())
    assert [node.id for node in cluster.nodes] == [1]
    assert cluster.controller.id == 1
    assert f"{cluster.nodes[0].host}:{cluster.nodes[0].port}" == broker.bootstrap


def test_kafka_python_administers(broker, topic) -> None:
    outcome = json.loads(KafkaPython.run("administer", broker.bootstrap, topic))
    assert outcome == {"listed": True, "partitions": 3, "gone": True}


def test_aiokafka_administers(broker, topic) -> None:
    async def run() -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap)
        await admin.start()
        try:
            await admin.create_topics([AioNewTopic(topic, 3, 1)])
            assert topic in await admin.list_topics()
            rows = await admin.describe_topics([topic])
            assert len(rows[0]["partitions"]) == 3
            await admin.delete_topics([topic])
            assert topic not in await admin.list_topics()
        finally:
            await admin.close()

    asyncio.run(run())


def test_kcat_lists_topics_and_looks_up_offsets(broker, topic, kcat) -> None:
    create_topic(broker.bootstrap, topic, 2)
    Confluent.write(broker.bootstrap, topic, [(b"k", b"v")] * 3, "none")
    listed = subprocess.run(
        [kcat, "-b", broker.bootstrap, "-L", "-J", "-t", topic], capture_output=True, timeout=30, check=True
    )
    found = json.loads(listed.stdout)
    assert [len(row["partitions"]) for row in found["topics"]] == [2]
    queried = subprocess.run(
        [kcat, "-b", broker.bootstrap, "-Q", "-t", f"{topic}:0:-1"],
        capture_output=True,
        timeout=30,
        check=True,
    )
    assert b"offset 3" in queried.stdout
