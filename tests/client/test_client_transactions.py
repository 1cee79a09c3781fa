"""Transactions against Snakka and Apache Kafka, by the rules of both versions; librdkafka sees them whole or not at all."""

import asyncio
import itertools
import os
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager

import pytest
from confluent_kafka import Consumer as LibrdkafkaConsumer
from confluent_kafka import TopicPartition as LibrdkafkaPartition
from tests.client.awaited_answers import answer
from tests.client.independent_reader import READ_SECONDS, read_topic
from tests.client.topic_content import create
from tests.client.transaction_versions import play_by_version_1

from snakka.client.admin import Admin
from snakka.client.consumer import Consumer
from snakka.client.errors import (
    ProducerFencedError,
    TransactionAbortedError,
    TransactionStateError,
)
from snakka.client.group_metadata import GroupMetadata
from snakka.client.producer import Producer
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.testing import LocalBroker

_numbers = itertools.count()


@pytest.fixture
def name() -> str:
    """For the topic, the transactional id and the group."""
    return f"transactions-{os.getpid()}-{next(_numbers)}"


@pytest.fixture
def snakka_options() -> dict[str, object]:
    return {"transaction.abort.timed.out.transaction.cleanup.interval.ms": 100}


@pytest.fixture(params=[1, 2], ids=["version-1", "version-2"])
def version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The rules that the producer plays by: brokers serve both, whatever they prefer."""
    if request.param == 1:
        play_by_version_1(monkeypatch)
    return int(request.param)


async def committed_values(bootstrap: str, topic: str) -> list[bytes | None]:
    return [record.value for record in await read_topic(bootstrap, topic, isolation="read_committed")]


async def committed(bootstrap: str, topic: str, count: int) -> list[bytes | None]:
    """So many at least: a coordinator answers when it has decided; the partitions hear of it a moment later."""
    return await answer(lambda: committed_values(bootstrap, topic), lambda found: len(found) >= count)


async def committed_offset(bootstrap: str, group: str, topic: str) -> int:
    def ask() -> int:
        consumer = LibrdkafkaConsumer({"bootstrap.servers": bootstrap, "group.id": group})
        try:
            [partition] = consumer.committed([LibrdkafkaPartition(topic, 0)], timeout=READ_SECONDS)
            return int(partition.offset)
        finally:
            consumer.close()

    return await asyncio.to_thread(ask)


async def test_a_transaction_is_seen_whole_or_not_at_all(bootstrap: str, version: int, name: str) -> None:
    await create(bootstrap, name, 4)
    async with Producer(bootstrap_servers=bootstrap, transactional_id=name, batch_size=300) as producer:
        for number in range(4):
            try:
                async with producer.transaction():
                    for record in range(100):
                        await producer.send(name, b"%d" % number, b"%d" % record)
                    if number == 1:
                        await producer.flush()
                    if number % 2:
                        raise LookupError("the application changes its mind")
            except LookupError:
                pass
            expected = sorted(b"%d" % each for each in range(0, number + 1, 2) for _ in range(100))
            assert sorted(await committed(bootstrap, name, len(expected))) == expected  # type: ignore[type-var]
        assert producer._transactions is not None
        assert producer._transactions.state.version == version


async def test_offsets_count_only_if_the_transaction_does(bootstrap: str, version: int, name: str) -> None:
    await create(bootstrap, name)
    async with Producer(bootstrap_servers=bootstrap, transactional_id=name) as producer:
        await producer.begin_transaction()
        await producer.send(name, b"first")
        await producer.send_offsets_to_transaction({TopicPartition(name, 0): 17}, name)
        await producer.commit_transaction()
        assert await committed_offset(bootstrap, name, name) == 17

        await producer.begin_transaction()
        await producer.send_offsets_to_transaction({TopicPartition(name, 0): (18, "a note", -1)}, name)  # type: ignore[dict-item]
        await producer.abort_transaction()
        async with producer.transaction():
            await producer.send_offsets_to_transaction(
                {TopicPartition(name, 0): (19, "two")}, GroupMetadata(name)
            )
        assert await committed_offset(bootstrap, name, name) == 19

        stranger = GroupMetadata(name, generation_id=5, member_id="nobody")
        await producer.begin_transaction()
        await producer.send(name, b"never seen")
        with pytest.raises(TransactionAbortedError, match="try it again as a whole"):
            await producer.send_offsets_to_transaction({TopicPartition(name, 0): 20}, stranger)
        await producer.abort_transaction()
        async with producer.transaction():
            await producer.send(name, b"second")
    assert await committed_offset(bootstrap, name, name) == 19
    assert await committed(bootstrap, name, 2) == [b"first", b"second"]


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
async def test_what_is_read_and_written_on_is_so_once_although_the_work_is_interrupted(
    bootstrap: str, protocol: str, name: str
) -> None:
    source, target = f"{name}-source", f"{name}-target"
    for topic in (source, target):
        await create(bootstrap, topic)
    async with Producer(bootstrap_servers=bootstrap) as producer:
        for number in range(60):
            await producer.send(source, b"%d" % number)
    for is_interrupted in (True, False):
        async with (
            Producer(bootstrap_servers=bootstrap, transactional_id=name) as producer,
            Consumer(
                source,
                bootstrap_servers=bootstrap,
                group_id=name,
                group_protocol=protocol,
                auto_offset_reset="earliest",
                enable_auto_commit=False,
            ) as consumer,
            asyncio.timeout(30),
        ):
            done = await carry_over(consumer, producer, target, 20 if is_interrupted else 60)
            assert done or is_interrupted
    assert await committed(bootstrap, target, 60) == [b"%d" % number for number in range(60)]


async def carry_over(consumer: Consumer, producer: Producer, target: str, until: int) -> bool:
    """Write on what is read, ten a transaction; in the midst of the one that passes `until` it ends without a commit."""
    while True:
        await producer.begin_transaction()
        for _ in range(10):
            message = await consumer.getone()
            await producer.send(target, message.value)
            if message.offset == 59 and until == 60:
                break
        offsets = {TopicPartition(message.topic, message.partition): message.offset + 1}
        await producer.send_offsets_to_transaction(offsets, consumer.group_metadata())
        if message.offset >= until:
            return False
        await producer.commit_transaction()
        if message.offset == 59:
            return True


async def test_a_later_producer_fences_an_earlier_one(bootstrap: str, version: int, name: str) -> None:
    await create(bootstrap, name)
    settings = {"bootstrap.servers": bootstrap, "transactional.id": name}
    async with Producer(settings) as earlier:
        await earlier.begin_transaction()
        await (await earlier.send(name, b"of one that was replaced"))
        async with Producer(settings) as later:
            async with later.transaction():
                await later.send(name, b"of its successor")
            with pytest.raises(ProducerFencedError, match="give each its own id"):
                await earlier.commit_transaction()
            for call in (earlier.send(name, b"x"), earlier.begin_transaction(), earlier.abort_transaction()):
                with pytest.raises(ProducerFencedError):
                    await call
    assert await committed(bootstrap, name, 1) == [b"of its successor"]


@pytest.mark.parametrize("how", ["sending", "committing", "aborting", "offsets"])
async def test_a_fenced_producer_does_no_harm_to_its_successor(
    bootstrap: str, version: int, name: str, how: str
) -> None:
    """It ends what it takes for its own transaction; what is open with that transactional id is the other one's."""
    await create(bootstrap, name)
    settings = {"bootstrap.servers": bootstrap, "transactional.id": name}
    async with Producer(settings) as earlier:
        await earlier.begin_transaction()
        await earlier.send_and_wait(name, b"of one that was replaced")
        async with Producer(settings) as later:
            await later.begin_transaction()
            await later.send_and_wait(name, b"before")
            find_out: dict[str, Callable[[], Awaitable[object]]] = {
                "sending": lambda: earlier.send_and_wait(name, b"too late"),
                "committing": earlier.commit_transaction,
                "aborting": earlier.abort_transaction,
                "offsets": lambda: earlier.send_offsets_to_transaction({TopicPartition(name, 0): 1}, name),
            }
            with pytest.raises((ProducerFencedError, TransactionAbortedError)):
                await find_out[how]()
            await earlier.stop()
            await later.send_and_wait(name, b"after")
            await later.commit_transaction()
    assert await committed(bootstrap, name, 2) == [b"before", b"after"]


async def send_until_it_is_over(producer: Producer, topic: str) -> None:
    async with asyncio.timeout(20), producer.transaction():
        while True:
            await producer.send_and_wait(topic, b"too slow")
            await asyncio.sleep(0.05)


def took_too_long(version: int) -> AbstractContextManager[object]:
    """Version 1 can't tell it from a producer that was replaced: to try would abort what the other one has open."""
    if version == 1:
        return pytest.raises(
            ProducerFencedError, match=r"longer than transaction\.timeout\.ms=1500: then start"
        )
    return pytest.raises(TransactionAbortedError, match="try it again as a whole")


async def test_one_that_took_too_long_is_aborted_and_can_be_tried_again(
    bootstrap: str, version: int, name: str
) -> None:
    await create(bootstrap, name)
    settings = {"bootstrap.servers": bootstrap, "transactional.id": name, "transaction.timeout.ms": 1500}
    async with Producer(settings) as producer:
        with took_too_long(version):
            await send_until_it_is_over(producer, name)
        async with Producer(settings) if version == 1 else producer as able, able.transaction():
            await able.send(name, b"in time")
    assert await committed(bootstrap, name, 1) == [b"in time"]


@pytest.mark.parametrize("is_heard_by", ["commit", "offsets"])
async def test_a_commit_after_the_time_is_over_says_that_nothing_counts(
    bootstrap: str, version: int, name: str, is_heard_by: str
) -> None:
    await create(bootstrap, name)
    settings = {"bootstrap.servers": bootstrap, "transactional.id": name, "transaction.timeout.ms": 1500}
    async with Producer(settings) as producer, Admin(bootstrap_servers=bootstrap) as admin:
        await producer.begin_transaction()
        await producer.send_and_wait(name, b"too slow")
        if is_heard_by == "offsets":
            await producer.send_offsets_to_transaction({TopicPartition(name, 0): 1}, name)
        async with asyncio.timeout(20):
            while (await admin.describe_transactions([name]))[name].state != "CompleteAbort":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        with took_too_long(version):
            if is_heard_by == "offsets":
                await producer.send_offsets_to_transaction({TopicPartition(name, 0): 2}, name)
            else:
                await producer.commit_transaction()
        if version == 2:
            await producer.abort_transaction()
        async with Producer(settings) if version == 1 else producer as able, able.transaction():
            await able.send(name, b"in time")
    assert await committed(bootstrap, name, 1) == [b"in time"]


async def test_a_record_that_is_refused_dooms_its_transaction(
    bootstrap: str, version: int, name: str
) -> None:
    await create(bootstrap, name, max_message_bytes="1000")
    async with Producer(bootstrap_servers=bootstrap, transactional_id=name) as producer:
        for _ in range(2):
            await producer.begin_transaction()
            await producer.send(name, b"small")
            future = await producer.send(name, bytes(2000))
            # Trying the same again would not help, so it is not said that it might.
            with pytest.raises(ApiError, match="MESSAGE_TOO_LARGE"):
                await producer.commit_transaction()
            error = future.exception()
            assert isinstance(error, ApiError)
            assert error.code is ErrorCode.MESSAGE_TOO_LARGE
            with pytest.raises(ApiError, match="MESSAGE_TOO_LARGE"):
                await producer.send(name, b"small")
            await producer.abort_transaction()
        async with producer.transaction():
            await producer.send(name, b"small")
    assert await committed(bootstrap, name, 1) == [b"small"]


async def test_what_was_not_sent_when_a_transaction_is_aborted_never_is(
    bootstrap: str, version: int, name: str
) -> None:
    await create(bootstrap, name)
    async with Producer(
        bootstrap_servers=bootstrap, transactional_id=name, linger_ms=60_000, delivery_timeout_ms=120_000
    ) as producer:
        await producer.begin_transaction()
        future = await producer.send(name, b"lingers")
        await producer.abort_transaction()
        with pytest.raises(TransactionAbortedError):
            await future
        async with producer.transaction():
            future = await producer.send(name, b"is seen")
    assert future.result().offset == 0
    assert await committed(bootstrap, name, 1) == [b"is seen"]


async def test_a_producer_that_stops_aborts_what_is_open(bootstrap: str, version: int, name: str) -> None:
    await create(bootstrap, name)
    producer = Producer(bootstrap_servers=bootstrap, transactional_id=name)
    await producer.start()
    await producer.begin_transaction()
    await producer.send_and_wait(name, b"never committed")
    await producer.stop()
    assert await committed_values(bootstrap, name) == []
    # The end of the log is readable, so nothing hangs.
    async with Producer(bootstrap_servers=bootstrap) as plain:
        await plain.send_and_wait(name, b"plain")
    assert await committed(bootstrap, name, 1) == [b"plain"]


async def test_calls_that_do_not_fit_are_refused(snakka: LocalBroker, name: str) -> None:
    async with Producer(bootstrap_servers=snakka.bootstrap_servers) as plain:
        with pytest.raises(TransactionStateError, match=r"set transactional\.id"):
            await plain.begin_transaction()
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, transactional_id=name) as producer:
        with pytest.raises(TransactionStateError, match="can't send: there is no transaction"):
            await producer.send(name, b"x")
        with pytest.raises(TransactionStateError, match="begin one"):
            await producer.commit_transaction()
        async with producer.transaction():
            with pytest.raises(TransactionStateError, match="commit or abort it"):
                await producer.begin_transaction()


async def test_a_transaction_time_that_brokers_do_not_allow_is_said_at_the_start(bootstrap: str) -> None:
    producer = Producer(bootstrap_servers=bootstrap, transactional_id="t", transaction_timeout_ms=2**31 - 1)
    with pytest.raises(ApiError, match=r"transaction\.max\.timeout\.ms"):
        await producer.start()
