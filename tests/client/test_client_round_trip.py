"""The client against a real broker: topics, batches, offsets, and what happens when things go wrong."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest

from snakka.client.admin import Admin
from snakka.client.cluster_view import ClusterView, running_cluster
from snakka.client.consumer import Consumer, Message, TopicPartition
from snakka.client.errors import ClientError, NoBrokerError
from snakka.client.partitioner import partition_for_key
from snakka.client.producer import BATCH_BYTES, UNKNOWN_OFFSET, Producer, ProducerRecord
from snakka.client.settings import AdminSettings, resolve
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.testing import LocalBroker


def soon(seconds: float = 20.0) -> float:
    return time.monotonic() + seconds


def cluster_at(bootstrap: str) -> AbstractAsyncContextManager[ClusterView]:
    return running_cluster(resolve(AdminSettings, {"bootstrap_servers": bootstrap}))


@pytest.fixture
async def broker() -> AsyncIterator[LocalBroker]:
    async with LocalBroker() as running:
        yield running


@pytest.fixture
async def cluster(broker: LocalBroker) -> AsyncIterator[ClusterView]:
    async with cluster_at(broker.bootstrap_servers) as view:
        yield view


async def read(cluster: ClusterView, topic: str, count: int) -> list[Message]:
    bootstrap = cluster.settings.bootstrap_servers
    async with (
        asyncio.timeout(20),
        Consumer(topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer,
    ):
        return [await consumer.getone() for _ in range(count)]


@pytest.mark.parametrize("compression", list(Compression))
async def test_records_come_back_as_they_were_sent(cluster: ClusterView, compression: Compression) -> None:
    await Admin(cluster=cluster).create_topic("t")
    sent = [
        ProducerRecord(b"value", b"key", (("header", b"1"), ("nothing", None)), timestamp_ms=1234567890123),
        ProducerRecord(None, b"tombstone", timestamp_ms=1234567890123),
        ProducerRecord(b"", None, timestamp_ms=0),
    ]
    delivered = await Producer(cluster, compression=compression).send("t", sent, deadline=soon())
    assert [tuple(delivery) for delivery in delivered] == [(0, 0, 3)]
    records = await read(cluster, "t", 3)
    assert [record.offset for record in records] == [0, 1, 2]
    assert [(r.value, r.key, r.headers, r.timestamp) for r in records] == [
        (r.value, r.key, r.headers, r.timestamp_ms) for r in sent
    ]


async def test_keys_spread_and_keep_their_order(cluster: ClusterView) -> None:
    await Admin(cluster=cluster).create_topic("t", partitions=5)
    sent = [ProducerRecord(b"%d" % number, b"key-%d" % (number % 20)) for number in range(400)]
    deliveries = await Producer(cluster).send("t", sent, deadline=soon())
    assert sum(delivery.record_count for delivery in deliveries) == 400
    records = await read(cluster, "t", 400)
    assert len(records) == 400
    by_key: dict[bytes | None, list[int]] = {}
    for record in records:
        assert record.key is not None
        assert record.partition == partition_for_key(record.key, 5)
        by_key.setdefault(record.key, []).append(int(record.value or b""))
    assert all(values == sorted(values) and len(values) == 20 for values in by_key.values())


async def test_more_than_a_batch_is_several_batches_in_order(cluster: ClusterView) -> None:
    await Admin(cluster=cluster).create_topic("t")
    sent = [ProducerRecord(b"%03d" % number + bytes(BATCH_BYTES // 4)) for number in range(20)]
    deliveries = await Producer(cluster).send("t", sent, deadline=soon())
    assert len(deliveries) > 5
    assert [d.base_offset for d in deliveries] == sorted(d.base_offset for d in deliveries)
    values = [record.value or b"" for record in await read(cluster, "t", 20)]
    assert [value[:3] for value in values] == [b"%03d" % number for number in range(20)]


async def test_without_acknowledgement_everything_has_arrived_when_the_pool_is_closed(
    broker: LocalBroker, cluster: ClusterView
) -> None:
    await Admin(cluster=cluster).create_topic("t")
    async with cluster_at(broker.bootstrap_servers) as second:
        producer = Producer(second, acks=0)
        for number in range(50):
            record = ProducerRecord(b"%d" % number + bytes(50_000))
            assert await producer.send("t", [record], deadline=soon()) == [(0, UNKNOWN_OFFSET, 1)]
    async with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        partition = TopicPartition("t", 0)
        assert await consumer.end_offsets([partition]) == {partition: 50}


async def test_asking_creates_a_topic_only_if_brokers_may(cluster: ClusterView) -> None:
    with pytest.raises(ApiError, match="topic missing does not exist"):
        await cluster.topic("missing", soon())
    await Producer(cluster).send("made", [ProducerRecord(b"x")], deadline=soon())
    assert [record.value for record in await read(cluster, "made", 1)] == [b"x"]


async def test_too_large_a_record_is_refused_with_the_broker_s_reason(cluster: ClusterView) -> None:
    with pytest.raises(ApiError) as refused:
        await Producer(cluster).send("t", [ProducerRecord(bytes(2_000_000))], deadline=soon())
    assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE


async def test_nobody_there() -> None:
    refused = r"127\.0\.0\.1:1 can't be reached: connection refused"
    async with cluster_at("127.0.0.1:1") as cluster:
        with pytest.raises(NoBrokerError, match=refused):
            await cluster.topic("t", soon())


async def test_a_broker_that_comes_back_is_found_again(tmp_path: object) -> None:
    """Another broker takes over data and address; both ends of the client go on."""
    data_dir = str(tmp_path)
    first = LocalBroker(data_dir=data_dir)
    await first.start()
    port = first.port
    listeners = f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:0"
    async with cluster_at(first.bootstrap_servers) as cluster:
        producer = Producer(cluster)
        await producer.send("t", [ProducerRecord(b"before")], deadline=soon())
        consumer = Consumer("t", bootstrap_servers=first.bootstrap_servers, auto_offset_reset="earliest")
        await consumer.start()
        assert (await consumer.getone()).value == b"before"
        await first.stop()
        with pytest.raises(ClientError):
            await producer.send("t", [ProducerRecord(b"lost")], deadline=soon(0.3))
        async with LocalBroker({"listeners": listeners}, data_dir=data_dir):
            await producer.send("t", [ProducerRecord(b"after")], deadline=soon())
            assert (await consumer.getone()).value == b"after"
            await consumer.stop()
