"""Brokers that answer late, or byte by byte: what is asked again is there once, and whoever gives up says why."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from tests.client.independent_reader import read_topic
from tests.client.topic_content import create, fill, new_name
from tests.client.unreliable_proxy import UnreliableProxy
from tests.client.waiting import until

from snakka.client.admin import Admin
from snakka.client.broker_addresses import BrokerNode
from snakka.client.broker_pool import BrokerPool
from snakka.client.consumer import Consumer, TopicPartition
from snakka.client.errors import ClientError, DeliveryTimeoutError, RequestTimedOutError
from snakka.client.producer import Producer

SECONDS = 30
FAST: dict[str, Any] = {
    "retry_backoff_ms": 10,
    "retry_backoff_max_ms": 50,
    "reconnect_backoff_ms": 10,
    "reconnect_backoff_max_ms": 50,
}


@pytest.fixture
async def proxy(bootstrap: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[UnreliableProxy]:
    """Whatever address a broker tells, clients reach it through the proxy."""
    async with UnreliableProxy(int(bootstrap.rpartition(":")[2])) as proxy:
        set_nodes = BrokerPool.set_nodes

        def set_nodes_behind(pool: BrokerPool, nodes: Mapping[int, BrokerNode]) -> None:
            set_nodes(pool, {key: BrokerNode(key, "127.0.0.1", proxy.port) for key in nodes})

        monkeypatch.setattr(BrokerPool, "set_nodes", set_nodes_behind)
        yield proxy


@pytest.fixture
async def topic(bootstrap: str) -> str:
    name = new_name("slow")
    await create(bootstrap, name)
    return name


async def values(consumer: Consumer, count: int) -> list[int]:
    async with asyncio.timeout(SECONDS):
        return [int((await consumer.getone()).value or b"") for _ in range(count)]


async def test_late_answers_delay_nothing_but_themselves(
    bootstrap: str, proxy: UnreliableProxy, topic: str
) -> None:
    """Within request.timeout.ms nobody loses patience: one connection, and each record is sent once."""
    producer = Producer(bootstrap_servers=proxy.address, linger_ms=0, batch_size=100, **FAST)
    async with producer:
        await producer.send_and_wait(topic, b"0")
        accepted = proxy.accepted
        proxy.delay_seconds = 0.1
        futures = []
        for number in range(1, 50):
            futures.append(await producer.send(topic, b"%d" % number))
            await asyncio.sleep(0.005)
        placed = [(await future).offset for future in futures]
        assert placed == list(range(1, 50))
        assert proxy.accepted == accepted
        proxy.delay_seconds = 0.0
    assert [int(record.value or b"") for record in await read_topic(bootstrap, topic)] == list(range(50))


async def test_answers_that_come_too_late_are_asked_for_again_and_nothing_is_repeated(
    bootstrap: str, proxy: UnreliableProxy, topic: str
) -> None:
    """The broker writes what it gets, and is never heard in time: it gets the same again, until it is quicker."""
    producer = Producer(bootstrap_servers=proxy.address, linger_ms=0, request_timeout_ms=150, **FAST)
    async with producer:
        await producer.send_and_wait(topic, b"0")
        accepted = proxy.accepted
        proxy.delay_seconds = 0.4
        futures = [await producer.send(topic, b"%d" % number) for number in range(1, 20)]
        await until(lambda: proxy.accepted >= accepted + 2)
        assert not any(future.done() for future in futures)
        proxy.delay_seconds = 0.0
        async with asyncio.timeout(SECONDS):
            assert [(await future).offset for future in futures] == list(range(1, 20))
    assert [int(record.value or b"") for record in await read_topic(bootstrap, topic)] == list(range(20))


async def test_whoever_waits_in_vain_is_told_whom_for(
    bootstrap: str, proxy: UnreliableProxy, topic: str
) -> None:
    """Each names the broker and the setting that says how long it may take."""
    patience = {"bootstrap_servers": proxy.address, "request_timeout_ms": 500, **FAST}
    producer = Producer(linger_ms=0, delivery_timeout_ms=1_500, **patience)
    consumer = Consumer(default_api_timeout_ms=1_500, auto_offset_reset="earliest", **patience)
    admin = Admin(default_api_timeout_ms=1_500, **patience)
    partition = TopicPartition(topic, 0)
    async with producer, consumer, admin:
        await producer.send_and_wait(topic, b"0")
        proxy.delay_seconds = 3.0
        with pytest.raises(
            DeliveryTimeoutError, match=rf"delivery\.timeout\.ms=1500 .*127\.0\.0\.1:{proxy.port}"
        ):
            await producer.send_and_wait(topic, b"1")
        with pytest.raises(ClientError, match=rf"127\.0\.0\.1:{proxy.port}.* in time"):
            await admin.list_topics()
        with pytest.raises(ClientError, match=rf"127\.0\.0\.1:{proxy.port}.* in time"):
            await consumer.end_offsets([partition])
        consumer.assign([partition])
        with pytest.raises(RequestTimedOutError, match=f"the position of {partition} was not found in time"):
            await consumer.position(partition)
        proxy.delay_seconds = 0.0
        assert await values(consumer, 1) == [0]


async def test_answers_that_trickle_are_read_whole(
    bootstrap: str, proxy: UnreliableProxy, topic: str
) -> None:
    await fill(bootstrap, topic, range(3000))
    consumer = Consumer(topic, bootstrap_servers=proxy.address, auto_offset_reset="earliest", **FAST)
    producer = Producer(bootstrap_servers=proxy.address, linger_ms=0, **FAST)
    proxy.trickle_bytes = 300
    async with consumer, producer:
        assert await values(consumer, 3000) == list(range(3000))
        accepted = proxy.accepted
        for number in range(3000, 3010):
            assert (await producer.send_and_wait(topic, b"%d" % number)).offset == number
        assert await values(consumer, 10) == list(range(3000, 3010))
        assert proxy.accepted == accepted


async def test_a_fetch_that_is_never_answered_in_time_is_told_in_the_log(
    bootstrap: str, proxy: UnreliableProxy, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes on by itself, so nothing is raised; but whoever looks for the reason finds it."""
    await fill(bootstrap, topic, range(10))
    consumer = Consumer(
        topic,
        bootstrap_servers=proxy.address,
        auto_offset_reset="earliest",
        request_timeout_ms=100,
        fetch_max_wait_ms=50,
        **FAST,
    )
    async with consumer:
        assert await values(consumer, 10) == list(range(10))
        proxy.delay_seconds = 0.4
        with caplog.at_level(logging.WARNING, logger="snakka"):
            await until(lambda: "has not answered" in caplog.text)
        assert "fetch" in caplog.text
        assert "request.timeout.ms=100" in caplog.text
        assert str(proxy.port) in caplog.text
        await fill(bootstrap, topic, range(10, 20))
        proxy.delay_seconds = 0.0
        assert await values(consumer, 10) == list(range(10, 20))
        assert caplog.text.count("has not answered") == 1
