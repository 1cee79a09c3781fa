"""The client against a real broker: topics, batches, offsets, and what happens when things go wrong."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest
from tests.free_ports import free_port

from snakka.client.cluster_view import ClusterView, running_cluster
from snakka.client.consumer import Consumer, Message
from snakka.client.errors import NoBrokerError
from snakka.client.producer import Producer
from snakka.client.settings import AdminSettings, resolve
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


async def test_asking_creates_a_topic_only_if_brokers_may(cluster: ClusterView) -> None:
    with pytest.raises(ApiError, match="topic missing does not exist"):
        await cluster.topic("missing", soon())
    async with Producer(bootstrap_servers=cluster.settings.bootstrap_servers) as producer:
        await producer.send_and_wait("made", b"x")
    assert [record.value for record in await read(cluster, "made", 1)] == [b"x"]


async def test_nobody_there() -> None:
    refused = r"127\.0\.0\.1:1 can't be reached: connection refused"
    async with cluster_at("127.0.0.1:1") as cluster:
        with pytest.raises(NoBrokerError, match=refused):
            await cluster.topic("t", soon())


async def test_a_broker_that_comes_back_is_found_again(tmp_path: object) -> None:
    """Another broker takes over data and address; both ends of the client go on."""
    data_dir = str(tmp_path)
    listeners = f"PLAINTEXT://127.0.0.1:{free_port()},CONTROLLER://127.0.0.1:0"
    first = LocalBroker({"listeners": listeners}, data_dir=data_dir)
    await first.start()
    async with Producer(bootstrap_servers=first.bootstrap_servers) as producer:
        await producer.send_and_wait("t", b"before")
        consumer = Consumer("t", bootstrap_servers=first.bootstrap_servers, auto_offset_reset="earliest")
        await consumer.start()
        assert (await consumer.getone()).value == b"before"
        await first.stop()
        late = await producer.send("t", b"while nobody is there")
        async with LocalBroker({"listeners": listeners}, data_dir=data_dir):
            assert (await late).offset == 1
            assert (await consumer.getone()).value == b"while nobody is there"
            await consumer.stop()
