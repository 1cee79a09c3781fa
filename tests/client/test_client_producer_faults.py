"""What a producer is made for: cut connections, brokers that die, stall or lose their place. Each record once, in order."""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException
from tests.cli.broker_process import BrokerProcess, run_command, start_broker
from tests.client.independent_reader import read_topic
from tests.client.kafka_broker import CLUSTER_ID
from tests.client.topic_content import create, delete, new_name
from tests.client.unreliable_proxy import UnreliableProxy
from tests.client.waiting import until
from tests.free_ports import free_port
from tests.kafka.nodes import KafkaProcess, Node, kafka_libs

from snakka.client.admin import Admin
from snakka.client.broker_addresses import BrokerNode
from snakka.client.errors import ClientError, DeliveryTimeoutError, TopicRecreatedError
from snakka.client.producer import Producer, RecordMetadata
from snakka.testing import LocalBroker


@pytest.fixture
def topic() -> str:
    return new_name("faults")


@asynccontextmanager
async def producer_through_proxy(
    bootstrap: str, **settings: Any
) -> AsyncIterator[tuple[Producer, UnreliableProxy]]:
    """Whatever address a broker tells, it is reached through the proxy."""
    async with UnreliableProxy(int(bootstrap.rpartition(":")[2])) as proxy:
        fast = {"retry_backoff_ms": 10, "retry_backoff_max_ms": 50, "reconnect_backoff_max_ms": 50}
        producer = Producer(bootstrap_servers=proxy.address, **{**fast, **settings})
        pool = producer._cluster.pool
        set_nodes = pool.set_nodes
        pool.set_nodes = lambda nodes: set_nodes(  # type: ignore[method-assign]
            {key: BrokerNode(key, "127.0.0.1", proxy.port) for key in nodes}
        )
        async with producer:
            yield producer, proxy


async def check_once_and_in_order(
    bootstrap: str,
    topic: str,
    count: int,
    metadata: list[RecordMetadata],
    isolation: str = "read_uncommitted",
) -> None:
    """Values are numbers; each is there once, where its future said, and each partition has its own in order."""
    seen = await read_topic(bootstrap, topic, isolation=isolation)
    assert sorted(int(record.value or b"") for record in seen) == list(range(count))
    places = {int(record.value or b""): (record.partition, record.offset) for record in seen}
    assert [(each.partition, each.offset) for each in metadata] == [places[number] for number in range(count)]
    for _, records in itertools.groupby(seen, key=lambda record: record.partition):
        numbers = [int(record.value or b"") for record in records]
        assert numbers == sorted(numbers)


async def test_cut_connections_neither_lose_nor_repeat_nor_reorder(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 3)
    chance = random.Random(5)
    async with producer_through_proxy(bootstrap, batch_size=200, linger_ms=1) as (producer, proxy):
        futures = []
        for number in range(4000):
            futures.append(await producer.send(topic, b"%d" % number, b"%d" % (number % 7)))
            if number % 200 == 100:
                # At once, within an answer, or after some answers.
                chance.choice((proxy.cut_all, lambda: proxy.cut_after(chance.randint(1, 700))))()
            if number % 40 == 0:
                await asyncio.sleep(0.001)
        metadata = [await future for future in futures]
        assert proxy.accepted > 3
    await check_once_and_in_order(bootstrap, topic, 4000, metadata)


async def until_dialled_again(proxy: UnreliableProxy) -> None:
    """The producer has given up on its connection."""
    accepted = proxy.accepted
    await until(lambda: proxy.accepted > accepted)


async def test_a_broker_that_is_slow_gets_everything_once(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    async with producer_through_proxy(bootstrap, request_timeout_ms=300, batch_size=200) as (producer, proxy):
        futures = []
        for number in range(600):
            if number in (100, 400):
                proxy.stall()
            futures.append(await producer.send(topic, b"%d" % number))
            if number in (130, 430):
                await until_dialled_again(proxy)
                proxy.flow()
        metadata = [await future for future in futures]
    await check_once_and_in_order(bootstrap, topic, 600, metadata)


async def test_what_takes_too_long_fails_with_the_reason_and_later_records_go_on(
    bootstrap: str, topic: str
) -> None:
    await create(bootstrap, topic)
    async with producer_through_proxy(
        bootstrap, request_timeout_ms=500, delivery_timeout_ms=3_000, linger_ms=0
    ) as (producer, proxy):
        await producer.send_and_wait(topic, b"0")
        proxy.stall()
        futures = []
        for _ in range(3):
            futures.append(await producer.send(topic, b"lost or not"))
            await asyncio.sleep(0.01)
        for future in futures:
            with pytest.raises(DeliveryTimeoutError, match=r"delivery\.timeout\.ms=3000 .* is not known"):
                await future
        proxy.flow()
        last = [await producer.send_and_wait(topic, b"%d" % number) for number in range(1, 4)]
        assert producer._accumulator.memory.free_bytes == producer._accumulator.memory.total_bytes
    seen = await read_topic(bootstrap, topic)
    values = [record.value for record in seen if record.value != b"lost or not"]
    assert values == [b"0", b"1", b"2", b"3"]
    assert [each.offset for each in last] == [
        record.offset for record in seen if record.value in (b"1", b"2", b"3")
    ]


async def test_a_flush_with_a_deadline_gives_up_and_the_records_do_not(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    async with producer_through_proxy(bootstrap, linger_ms=0) as (producer, proxy):
        await producer.send_and_wait(topic, b"0")
        proxy.stall()
        future = await producer.send(topic, b"1")
        with pytest.raises(DeliveryTimeoutError, match=r"1 records were not acknowledged within 0\.1 s"):
            await producer.flush(0.1)
        proxy.flow()
        assert (await future).offset == 1


@contextmanager
def restartable(directory: Path) -> Iterator[list[BrokerProcess]]:
    """A list with the broker that runs now; whoever kills it puts the next one there."""
    running: list[BrokerProcess] = [start_broker(directory, "--listen", f"127.0.0.1:{free_port()}")]
    try:
        yield running
    finally:
        for broker in running:
            broker.close()


async def kill_and_restart(running: list[BrokerProcess], directory: Path) -> None:
    broker = running[-1]
    port = broker.port
    broker.kill()
    running.append(await asyncio.to_thread(start_broker, directory, "--listen", f"127.0.0.1:{port}"))


async def test_a_broker_that_is_killed_and_comes_back_has_every_record_once(
    tmp_path: Path, topic: str
) -> None:
    with restartable(tmp_path) as running:
        bootstrap = running[0].bootstrap
        await create(bootstrap, topic, 2)
        async with Producer(bootstrap_servers=bootstrap, batch_size=300, linger_ms=1) as producer:
            futures = []
            restart: asyncio.Future[None] | None = None
            for number in range(6000):
                futures.append(await producer.send(topic, b"%d" % number, b"%d" % (number % 5)))
                if number in (1000, 3000):
                    if restart is not None:
                        await restart
                    restart = asyncio.ensure_future(kill_and_restart(running, tmp_path))
                if number % 50 == 0:
                    await asyncio.sleep(0.001)
            assert restart is not None
            await restart
            metadata = [await future for future in futures]
        await check_once_and_in_order(bootstrap, topic, 6000, metadata)


async def test_transactions_survive_a_killed_broker_whole_or_not_at_all(tmp_path: Path, topic: str) -> None:
    with restartable(tmp_path) as running:
        bootstrap = running[0].bootstrap
        await create(bootstrap, topic, 2)
        committed = []
        async with Producer(bootstrap_servers=bootstrap, transactional_id=topic, batch_size=300) as producer:
            restart: asyncio.Future[None] | None = None
            for number in range(40):
                if number in (10, 25):
                    if restart is not None:
                        await restart
                    restart = asyncio.ensure_future(kill_and_restart(running, tmp_path))
                async with producer.transaction():
                    for record in range(20):
                        await producer.send(topic, b"%d" % number, b"%d" % record)
                committed.append(number)
            assert restart is not None
            await restart
        seen = await read_topic(bootstrap, topic, isolation="read_committed")
    values = [int(record.value or b"") for record in seen]
    assert sorted(values) == sorted(number for number in committed for _ in range(20))
    assert committed == list(range(40))


async def test_records_of_a_topic_that_was_made_anew_do_not_go_into_the_new_one(
    bootstrap: str, topic: str
) -> None:
    await create(bootstrap, topic)
    async with Producer(
        bootstrap_servers=bootstrap, linger_ms=60_000, delivery_timeout_ms=120_000
    ) as producer:
        first = await producer.send(topic, b"for the old one")
        await producer.flush()
        assert first.result().offset == 0
        pending = await producer.send(topic, b"for the old one, too")
        await delete(bootstrap, topic)
        await create(bootstrap, topic)
        await producer.flush(30.0)
        with pytest.raises(TopicRecreatedError, match="send the record again if it belongs into the new one"):
            await pending
        later = await producer.send(topic, b"for the new one")
        await producer.flush()
        assert later.result().offset == 0
    assert [record.value for record in await read_topic(bootstrap, topic)] == [b"for the new one"]


async def test_a_topic_made_anew_while_records_are_sent(bootstrap: str, topic: str) -> None:
    """What was acknowledged after the last record of the old topic is in the new one, once; what was not, says so."""
    await create(bootstrap, topic)
    outcomes: list[asyncio.Future[RecordMetadata]] = []
    settings = {"linger_ms": 1, "metadata_max_age_ms": 200, "retry_backoff_max_ms": 50}
    async with (
        Admin(bootstrap_servers=bootstrap) as admin,
        Producer(bootstrap_servers=bootstrap, **settings) as producer,
    ):

        async def send_until(enough: Callable[[], bool]) -> None:
            while not enough():
                outcomes.append(await producer.send(topic, b"%d" % len(outcomes)))
                await asyncio.sleep(0.001)

        def is_written(first: int) -> bool:
            return any(each.done() and each.exception() is None for each in outcomes[first:])

        await asyncio.wait_for(send_until(lambda: is_written(0)), 30)
        made_anew = asyncio.Event()
        sending = asyncio.ensure_future(send_until(made_anew.is_set))
        await admin.delete_topic(topic)
        with suppress(KafkaException):  # the producer, who asks for it, may have created it already
            await create(bootstrap, topic)
        made_anew.set()
        await asyncio.wait_for(sending, 30)
        await asyncio.wait_for(send_until(partial(is_written, len(outcomes))), 60)
        await producer.flush(60.0)
    failures = {number: error for number, each in enumerate(outcomes) if (error := each.exception())}
    assert {type(error) for error in failures.values()} <= {TopicRecreatedError}
    there = [int(record.value) for record in await read_topic(bootstrap, topic)]
    assert there == sorted(set(there))
    assert not failures.keys() & set(there)
    # Everything from the first record of the new topic on was acknowledged or refused.
    assert set(range(there[0], len(outcomes))) - failures.keys() == set(there)


async def test_records_of_a_deleted_topic_say_that_it_is_gone(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    async with (
        Admin(bootstrap_servers=bootstrap) as admin,
        Producer(
            bootstrap_servers=bootstrap, linger_ms=0, request_timeout_ms=500, delivery_timeout_ms=1_000
        ) as producer,
    ):

        async def send_on() -> None:
            while True:
                await producer.send_and_wait(topic, b"x")

        await producer.send_and_wait(topic, b"x")
        await admin.delete_topic(topic)
        # Not by the first one: Kafka's controller says that it is deleted before its broker has heard of it.
        with pytest.raises(DeliveryTimeoutError, match="UNKNOWN_TOPIC"):
            await asyncio.wait_for(send_on(), 30)


async def test_what_is_left_when_the_producer_stops_in_time_says_so(topic: str) -> None:
    broker = LocalBroker()
    await broker.start()
    producer = Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0)
    await producer.start()
    await producer.send_and_wait(topic, b"x")
    await broker.stop()
    future = await producer.send(topic, b"y")
    await producer.stop(0.2)
    with pytest.raises(ClientError, match="was stopped before this was acknowledged"):
        await future


@pytest.mark.slow
async def test_apache_kafka_that_is_killed_and_comes_back_has_every_record_once(
    tmp_path: Path, topic: str
) -> None:
    libs = kafka_libs()
    node = Node(tmp_path / "node")
    node.set_options(controller_quorum_bootstrap_servers=node.controller)
    formatted = run_command("format", "--config", str(node.properties), "--cluster-id", CLUSTER_ID)
    assert formatted.returncode == 0, formatted
    running = [await asyncio.to_thread(KafkaProcess, node, libs)]
    try:
        await create(node.bootstrap, topic, 2)
        async with Producer(bootstrap_servers=node.bootstrap, batch_size=300, linger_ms=1) as producer:
            futures = [
                await producer.send(topic, b"%d" % number, b"%d" % (number % 5)) for number in range(1000)
            ]
            running[0].kill()
            futures += [
                await producer.send(topic, b"%d" % number, b"%d" % (number % 5))
                for number in range(1000, 2000)
            ]
            running.append(await asyncio.to_thread(KafkaProcess, node, libs))
            metadata = [await future for future in futures]
        await check_once_and_in_order(node.bootstrap, topic, 2000, metadata)
    finally:
        for kafka in running:
            kafka.kill()
