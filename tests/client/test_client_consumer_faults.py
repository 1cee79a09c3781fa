"""A consumer in trouble: cut connections, brokers that die, stall or come back, topics made anew. Nothing is lost."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.cli.broker_process import run_command, start_broker
from tests.client.kafka_broker import CLUSTER_ID
from tests.client.topic_content import create, delete, fill, new_name
from tests.client.unreliable_proxy import UnreliableProxy
from tests.client.waiting import until
from tests.free_ports import free_port
from tests.kafka.nodes import KafkaProcess, Node, kafka_libs

from snakka.client.broker_addresses import BrokerNode
from snakka.client.consumer import Consumer, TopicPartition
from snakka.client.errors import TopicRecreatedError
from snakka.testing import LocalBroker

SECONDS = 30
FAST: dict[str, Any] = {
    "auto_offset_reset": "earliest",
    "allow_auto_create_topics": False,  # one that is deleted is made anew by the test
    "retry_backoff_ms": 10,
    "retry_backoff_max_ms": 50,
    "reconnect_backoff_max_ms": 50,
}


@pytest.fixture
def snakka_options() -> dict[str, object]:
    return {
        "group.min.session.timeout.ms": "1000",
        "group.consumer.min.heartbeat.interval.ms": "100",
        "group.consumer.heartbeat.interval.ms": "200",
    }


@pytest.fixture
def topic() -> str:
    return new_name("troubled")


@asynccontextmanager
async def through_proxy(
    bootstrap: str, *topics: str, **settings: Any
) -> AsyncIterator[tuple[Consumer, UnreliableProxy]]:
    """Whatever address a broker tells, it is reached through the proxy."""
    async with UnreliableProxy(int(bootstrap.rpartition(":")[2])) as proxy:
        consumer = Consumer(*topics, bootstrap_servers=proxy.address, **{**FAST, **settings})
        pool = consumer._cluster.pool
        set_nodes = pool.set_nodes
        pool.set_nodes = lambda nodes: set_nodes(  # type: ignore[method-assign]
            {key: BrokerNode(key, "127.0.0.1", proxy.port) for key in nodes}
        )
        async with consumer:
            yield consumer, proxy


async def value(consumer: Consumer) -> int:
    return int((await asyncio.wait_for(consumer.getone(), SECONDS)).value or b"")


async def test_cut_connections_neither_lose_nor_repeat(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 3)
    count = 6000
    await fill(bootstrap, topic, range(count), settings={"batch.num.messages": 50})
    chance = random.Random(7)
    small = {"max_partition_fetch_bytes": 2000, "fetch_max_bytes": 5000, "prefetch_memory_bytes": 10_000}
    async with through_proxy(bootstrap, topic, **small) as (consumer, proxy):
        seen: dict[int, list[int]] = {0: [], 1: [], 2: []}
        numbers: list[int] = []
        for number in range(count):
            message = await asyncio.wait_for(consumer.getone(), SECONDS)
            seen[message.partition].append(message.offset)
            numbers.append(int(message.value or b""))
            if number % 300 == 150:
                # At once, or within an answer.
                chance.choice((proxy.cut_all, lambda: proxy.cut_after(chance.randint(1, 4000))))()
        assert proxy.accepted > 10
    assert sorted(numbers) == list(range(count))
    for offsets in seen.values():
        assert offsets == list(range(len(offsets)))


async def test_a_broker_that_stalls_is_asked_again(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(10))
    async with through_proxy(bootstrap, topic, request_timeout_ms=300, fetch_max_wait_ms=100) as (
        consumer,
        proxy,
    ):
        assert [await value(consumer) for _ in range(10)] == list(range(10))
        accepted = proxy.accepted
        proxy.stall()
        await fill(bootstrap, topic, range(10, 20))
        assert await consumer.getmany(timeout_ms=200) == {}
        await until(lambda: proxy.accepted > accepted)  # it has given up on the connection
        proxy.flow()
        assert [await value(consumer) for _ in range(10)] == list(range(10, 20))


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
async def test_a_member_whose_connections_are_cut_goes_on(bootstrap: str, topic: str, protocol: str) -> None:
    await create(bootstrap, topic, 2)
    group = new_name("cut")
    settings = {"group_id": group, "group_protocol": protocol, "auto_commit_interval_ms": 50}
    async with through_proxy(bootstrap, topic, **settings) as (consumer, proxy):
        seen = []
        for turn in range(5):
            await fill(bootstrap, topic, range(turn * 20, turn * 20 + 20))
            seen += [await value(consumer) for _ in range(20)]
            proxy.cut_all()
        await consumer.commit()
        assert sorted(seen) == list(range(100))
        committed = [await consumer.committed(TopicPartition(topic, index)) or 0 for index in range(2)]
        assert sum(committed) == 100


@pytest.mark.parametrize("protocol", ["none", "classic", "consumer"])
async def test_a_broker_that_is_killed_and_comes_back(tmp_path: Path, topic: str, protocol: str) -> None:
    """Another process with the same data at the same address; the group goes on where it was."""
    options = ("--set", "group.initial.rebalance.delay.ms=0", "--set", "offsets.topic.num.partitions=1")
    listen = f"127.0.0.1:{free_port()}"
    broker = start_broker(tmp_path, *options, "--listen", listen)
    await create(listen, topic, 2)
    settings = dict(FAST)
    if protocol != "none":
        settings |= {"group_id": "g", "group_protocol": protocol, "auto_commit_interval_ms": 50}
    async with Consumer(topic, bootstrap_servers=listen, **settings) as consumer:
        await fill(listen, topic, range(50))
        seen = [await value(consumer) for _ in range(50)]
        if protocol != "none":
            await consumer.commit()
        broker.kill()
        waiting = asyncio.ensure_future(consumer.getone())
        broker = await asyncio.to_thread(start_broker, tmp_path, *options, "--listen", listen)
        await fill(listen, topic, range(50, 100))
        seen.append(int((await asyncio.wait_for(waiting, SECONDS)).value or b""))
        while set(seen) != set(range(100)):
            seen.append(await value(consumer))
        assert len(seen) == 100  # all was committed, or nobody was asked: nothing comes twice
        if protocol != "none":
            await consumer.commit()
            parts = [TopicPartition(topic, index) for index in range(2)]
            assert sum(each.offset for each in (await consumer.committed_offsets(parts)).values()) == 100
    broker.stop()


@pytest.mark.parametrize("protocol", [None, "classic", "consumer"])
async def test_a_topic_that_is_deleted_and_made_anew(
    bootstrap: str, topic: str, protocol: str | None
) -> None:
    """What is in the new one is all read, whatever the position in the old one was."""
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(5))
    settings = {"metadata_max_age_ms": 500, **FAST}
    with_group = protocol is not None
    if with_group:
        settings |= {
            "group_id": new_name("anew"),
            "group_protocol": protocol,
            "auto_commit_interval_ms": 50,
        }
    if protocol == "classic":
        settings |= {"heartbeat_interval_ms": 200}
    async with Consumer(topic, bootstrap_servers=bootstrap, **settings) as consumer:
        assert [await value(consumer) for _ in range(5)] == list(range(5))
        if with_group:
            await consumer.commit()
        waiting = asyncio.ensure_future(consumer.getone())
        await delete(bootstrap, topic)
        await create(bootstrap, topic)
        await fill(bootstrap, topic, range(100, 120))
        seen = [int((await asyncio.wait_for(waiting, SECONDS)).value or b"")]
        while len(seen) < 20:
            seen.append(await value(consumer))
        assert seen == list(range(100, 120))
        if with_group:
            await consumer.commit()
            assert await consumer.committed(TopicPartition(topic, 0)) == 20


async def test_a_topic_that_is_made_anew_is_told_if_nothing_may_be_chosen(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(5))
    partition = TopicPartition(topic, 0)
    settings = {**FAST, "metadata_max_age_ms": 300, "auto_offset_reset": "none"}
    async with Consumer(bootstrap_servers=bootstrap, **settings) as consumer:
        consumer.assign([partition])
        consumer.seek(partition, 3)
        assert [await value(consumer) for _ in range(2)] == [3, 4]
        waiting = asyncio.ensure_future(consumer.getone())
        await delete(bootstrap, topic)
        await create(bootstrap, topic)
        with pytest.raises(TopicRecreatedError, match="was deleted and made anew"):
            await asyncio.wait_for(waiting, SECONDS)
        await fill(bootstrap, topic, [9])
        consumer.seek(partition, 0)
        assert await value(consumer) == 9


async def test_records_that_were_deleted_before_they_were_read(bootstrap: str, topic: str) -> None:
    """Where the position is gone, reading goes on at the oldest record."""
    from snakka.client.admin import Admin

    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(10))
    partition = TopicPartition(topic, 0)
    async with (
        Consumer(bootstrap_servers=bootstrap, **FAST) as consumer,
        Admin(bootstrap_servers=bootstrap) as admin,
    ):
        consumer.assign([partition])
        consumer.seek(partition, 2)
        consumer.pause(partition)
        await admin.delete_records({partition: 7})
        consumer.resume(partition)
        assert await value(consumer) == 7


@pytest.mark.slow
async def test_apache_kafka_that_is_killed_and_comes_back(tmp_path: Path, topic: str) -> None:
    """With a member of each protocol, each in a group of its own."""
    libs = kafka_libs()
    node = Node(tmp_path / "node")
    node.set_options(controller_quorum_bootstrap_servers=node.controller)
    formatted = run_command("format", "--config", str(node.properties), "--cluster-id", CLUSTER_ID)
    assert formatted.returncode == 0, formatted
    running = [await asyncio.to_thread(KafkaProcess, node, libs)]
    try:
        await create(node.bootstrap, topic, 2)
        await fill(node.bootstrap, topic, range(50))
        groups = [{"group_id": protocol, "group_protocol": protocol} for protocol in ("classic", "consumer")]
        async with AsyncExitStack() as stack:
            consumers = [
                await stack.enter_async_context(
                    Consumer(topic, bootstrap_servers=node.bootstrap, **{**FAST, **group})
                )
                for group in groups
            ]
            seen = [[await value(consumer) for _ in range(50)] for consumer in consumers]
            for consumer in consumers:
                await consumer.commit()
            await asyncio.to_thread(running.pop().kill)
            running.append(await asyncio.to_thread(KafkaProcess, node, libs))
            await fill(node.bootstrap, topic, range(50, 100))
            for consumer, numbers in zip(consumers, seen, strict=True):
                while set(numbers) != set(range(100)):
                    numbers.append(await value(consumer))
                assert len(numbers) == 100
                await consumer.commit()
    finally:
        for kafka in running:
            await asyncio.to_thread(kafka.kill)


@pytest.mark.parametrize("protocol", ["range", "cooperative-sticky", "consumer"])
async def test_members_that_come_go_and_vanish_read_everything(topic: str, protocol: str) -> None:
    """In an order of chance, always the same; each commits what it has processed, so nothing is lost, whatever is read
    twice: also if whoever vanishes has a message in its hands while commits go on."""
    options = {
        "group.min.session.timeout.ms": "500",
        "group.consumer.min.heartbeat.interval.ms": "50",
        "group.consumer.heartbeat.interval.ms": "100",
        "group.consumer.min.session.timeout.ms": "500",
        "group.consumer.session.timeout.ms": "800",
    }
    settings: dict[str, Any] = {**FAST, "group_id": "g", "auto_commit_interval_ms": 20}
    if protocol == "consumer":
        settings["group_protocol"] = "consumer"
    else:
        settings |= {
            "partition_assignment_strategy": [protocol],
            "heartbeat_interval_ms": 50,
            "session_timeout_ms": 800,
        }
    plan, chance = random.Random(4), random.Random(848)
    processed: list[int] = []
    ends: list[bool] = []
    in_hands: dict[Consumer, asyncio.Event] = {}  # of those that will vanish

    async def work(consumer: Consumer) -> None:
        async for message in consumer:
            if consumer in in_hands:
                in_hands[consumer].set()
                await asyncio.Event().wait()
            if chance.random() < 0.05:
                await asyncio.sleep(chance.random() * 0.01)
            processed.append(int(message.value or b""))

    async with LocalBroker(options) as broker:
        await create(broker.bootstrap_servers, topic, 6)
        members: list[tuple[Consumer, asyncio.Task[None]]] = []

        async def end(is_told: bool) -> None:
            consumer, task = members.pop(plan.randrange(len(members)))
            ends.append(is_told)
            if not is_told:
                more = 1200 + 6 * len(in_hands)
                in_hands[consumer] = asyncio.Event()
                for partition in range(6):
                    await fill(broker.bootstrap_servers, topic, [more + partition], partition=partition)
                with suppress(TimeoutError):  # others may get them
                    await asyncio.wait_for(in_hands[consumer].wait(), 2)
                    await asyncio.sleep(0.2)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                await consumer._close()  # without a word to the group, nor a last commit
                return
            await consumer.stop()
            await task

        for turn in range(12):
            await fill(broker.bootstrap_servers, topic, range(turn * 100, turn * 100 + 100))
            if len(members) < 2 or plan.random() < 0.5:
                consumer = Consumer(topic, bootstrap_servers=broker.bootstrap_servers, **settings)
                await consumer.start()
                members.append((consumer, asyncio.create_task(work(consumer))))
            else:
                await end(plan.random() < 0.6)
            await asyncio.sleep(plan.random() * 0.3)
        assert ends == [False, True, False, False]
        assert any(each.is_set() for each in in_hands.values())
        async with asyncio.timeout(SECONDS):
            while set(processed) != set(range(1200 + 6 * len(in_hands))):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        while members:
            await end(is_told=True)
