"""Reading partitions without a group, from Snakka and from Apache Kafka: positions, waits, columns, transactions."""

import asyncio
import contextlib
import re
import time

import pytest
from confluent_kafka import Producer
from tests.client.topic_content import create, fill, grow, new_name
from tests.client.waiting import WAIT_SECONDS, until
from tests.kafka.wire import Wire

from snakka.client.consumer import Consumer, Message, TopicPartition, fetcher
from snakka.client.errors import (
    ClientClosedError,
    ClientConfigError,
    DeserializationError,
    NoBrokerError,
    NoOffsetError,
    NotSubscribedError,
    OffsetOutOfRangeError,
)
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.fetch import FetchRequest
from snakka.testing import LocalBroker

SECONDS = 20


@pytest.fixture
def topic() -> str:
    return new_name("consumed")


def consumer_of(bootstrap: str, *topics: str, **settings: object) -> Consumer:
    return Consumer(*topics, bootstrap_servers=bootstrap, **{"auto_offset_reset": "earliest", **settings})


async def take(consumer: Consumer, count: int) -> list[Message]:
    """So many messages, one by one."""
    async with asyncio.timeout(SECONDS):
        return [await consumer.getone() for _ in range(count)]


async def numbers(consumer: Consumer, count: int) -> list[int]:
    return [int(message.value or b"") for message in await take(consumer, count)]


async def test_all_partitions_of_a_topic_in_order(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 3)
    await fill(bootstrap, topic, range(3000))
    async with asyncio.timeout(SECONDS), consumer_of(bootstrap, topic) as consumer:
        seen: dict[int, list[Message]] = {}
        async for message in consumer:
            seen.setdefault(message.partition, []).append(message)
            if sum(map(len, seen.values())) == 3000:
                break
        assert consumer.assignment() == {TopicPartition(topic, index) for index in range(3)}
        for partition, messages in seen.items():
            assert [message.offset for message in messages] == list(range(len(messages)))
            assert await consumer.position(TopicPartition(topic, partition)) == len(messages)
            assert consumer.highwater(TopicPartition(topic, partition)) == len(messages)
            assert consumer.lag(TopicPartition(topic, partition)) == 0
    assert sorted(int(m.value or b"") for messages in seen.values() for m in messages) == list(range(3000))
    assert all(m.key == m.value and m.topic == topic for messages in seen.values() for m in messages)


async def test_headers_times_and_nulls(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)

    def produce() -> None:
        producer = Producer({"bootstrap.servers": bootstrap})
        headers = [("trace", b"1"), ("trace", b"2"), ("nothing", None)]
        producer.produce(topic, None, b"tombstone", headers=headers, timestamp=1_600_000_000_123)
        producer.produce(topic, b"", None, timestamp=1_600_000_000_456)
        assert not producer.flush(SECONDS)

    await asyncio.to_thread(produce)
    async with consumer_of(bootstrap, topic) as consumer:
        first, second = await take(consumer, 2)
    assert (first.key, first.value, first.timestamp, first.timestamp_type) == (
        b"tombstone",
        None,
        1_600_000_000_123,
        0,
    )
    assert list(first.headers) == [("trace", b"1"), ("trace", b"2"), ("nothing", None)]
    assert (second.key, second.value, second.headers) == (None, b"", ())


@pytest.mark.parametrize("compression", ["gzip", "snappy", "lz4", "zstd"])
async def test_compressed_batches(bootstrap: str, topic: str, compression: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(500), settings={"compression.type": compression})
    async with consumer_of(bootstrap, topic) as consumer:
        assert await numbers(consumer, 500) == list(range(500))


async def test_getmany_is_bounded_and_waits_only_if_there_is_nothing(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(1200))
    partition = TopicPartition(topic, 0)
    async with consumer_of(bootstrap) as consumer:
        consumer.assign([partition])
        first = await consumer.getmany(timeout_ms=10_000)
        assert [message.offset for message in first[partition]] == list(range(500))  # max.poll.records
        second = await consumer.getmany(partition, timeout_ms=10_000, max_records=3)
        assert [message.offset for message in second[partition]] == [500, 501, 502]
        rest = await consumer.getmany(timeout_ms=10_000, max_records=10_000)
        assert [message.offset for message in rest[partition]] == list(range(503, 1200))
        assert await consumer.getmany() == {}
        began = time.monotonic()
        assert await consumer.getmany(timeout_ms=200) == {}
        assert 0.1 < time.monotonic() - began < 5
        with pytest.raises(ClientConfigError, match="max_records must be at least 1"):
            await consumer.getmany(max_records=0)


async def test_columns_instead_of_messages(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 2)
    for index in range(2):
        await fill(bootstrap, topic, range(300), partition=index)
    async with consumer_of(bootstrap, topic) as consumer:
        batches = []
        async with asyncio.timeout(SECONDS):
            while sum(batch.num_rows for batch in batches) < 600:
                batches += await consumer.fetch_arrow(timeout_ms=1000)
        assert set(batches[0].schema.names) >= {
            "key",
            "value",
            "topic",
            "partition",
            "offset",
            "timestamp",
            "headers",
        }
        for index in range(2):
            values = [
                value
                for batch in batches
                if batch.column("partition")[0].as_py() == index
                for value in batch.column("value").to_pylist()
            ]
            assert values == [b"%d" % number for number in range(300)]
            assert await consumer.position(TopicPartition(topic, index)) == 300
        await consumer.seek_to_beginning()
        few = await consumer.fetch_arrow(timeout_ms=10_000, columns=["value"], max_bytes=1)
        assert few[0].schema.names == ["value"]
        with pytest.raises(ClientConfigError, match="there is no column colour; there are key, value"):
            await consumer.fetch_arrow(columns=["colour"])


async def test_seeking(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(100))
    partition = TopicPartition(topic, 0)
    async with consumer_of(bootstrap, topic) as consumer:
        assert await numbers(consumer, 10) == list(range(10))
        consumer.seek(partition, 42)
        assert await consumer.position(partition) == 42
        assert await numbers(consumer, 2) == [42, 43]
        await consumer.seek_to_end()
        assert await consumer.position(partition) == 100
        assert await consumer.getmany(timeout_ms=100) == {}
        await consumer.seek_to_beginning(partition)
        assert await numbers(consumer, 1) == [0]
        await fill(bootstrap, topic, [100])
        await consumer.seek_to_end()
        await fill(bootstrap, topic, [101])
        assert await numbers(consumer, 1) == [101]
        with pytest.raises(ClientConfigError, match="an offset is not negative"):
            consumer.seek(partition, -1)
        with pytest.raises(NotSubscribedError, match="other-0 is not assigned"):
            consumer.seek(TopicPartition("other", 0), 1)


async def test_offsets_by_time_and_at_the_ends(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 2)
    for number in range(5):
        await fill(bootstrap, topic, [number], partition=0, timestamp=1_600_000_000_000 + number * 1000)
    both = [TopicPartition(topic, index) for index in range(2)]
    async with consumer_of(bootstrap) as consumer:
        assert await consumer.beginning_offsets(both) == {both[0]: 0, both[1]: 0}
        assert await consumer.end_offsets(both) == {both[0]: 5, both[1]: 0}
        found = await consumer.offsets_for_times(
            {both[0]: 1_600_000_001_500, both[1]: 0},
        )
        assert found[both[1]] is None
        assert found[both[0]] is not None
        assert found[both[0]][:2] == (2, 1_600_000_002_000)
        assert (await consumer.offsets_for_times({both[0]: 1_700_000_000_000}))[both[0]] is None
        assert await consumer.partitions_for_topic(topic) == {0, 1}
        assert topic in await consumer.topics()
        with pytest.raises(ApiError, match="does not exist") as missing:
            await consumer.partitions_for_topic("no-such-topic")
        assert missing.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def test_where_to_begin(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    now_ms = time.time_ns() // 1_000_000
    await fill(bootstrap, topic, [1], timestamp=now_ms - 10 * 3600 * 1000)
    await fill(bootstrap, topic, [2], timestamp=now_ms - 3600 * 1000)
    partition = TopicPartition(topic, 0)
    for rule, offset in (("earliest", 0), ("latest", 2), ("by_duration:PT5H", 1), ("by_duration:PT1S", 2)):
        async with consumer_of(bootstrap, auto_offset_reset=rule) as consumer:
            consumer.assign([partition])
            assert await consumer.position(partition) == offset, rule
    async with consumer_of(bootstrap, auto_offset_reset="none") as consumer:
        consumer.assign([partition])
        for _ in range(2):
            with pytest.raises(NoOffsetError, match=re.escape(f"nothing is committed for {partition}")):
                await consumer.getone()
        consumer.seek(partition, 1)
        assert await numbers(consumer, 1) == [2]


async def test_an_offset_out_of_range(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(3))
    partition = TopicPartition(topic, 0)
    async with consumer_of(bootstrap, auto_offset_reset="none") as consumer:
        consumer.assign([partition])
        consumer.seek(partition, 17)
        with pytest.raises(
            OffsetOutOfRangeError, match=re.escape(f"{partition} has the offsets 0 to 3, not 17")
        ):
            await take(consumer, 1)
        consumer.seek(partition, 1)
        assert await numbers(consumer, 1) == [1]
    async with consumer_of(bootstrap) as consumer:
        consumer.assign([partition])
        consumer.seek(partition, 17)
        assert await numbers(consumer, 1) == [0]


async def test_paused_partitions_wait(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 2)
    for index in range(2):
        await fill(bootstrap, topic, range(50), partition=index)
    held, free = (TopicPartition(topic, index) for index in range(2))
    async with consumer_of(bootstrap) as consumer:
        consumer.assign([held, free])
        consumer.pause(held)
        assert consumer.paused() == {held}
        seen = await take(consumer, 50)
        assert {message.partition for message in seen} == {1}
        assert await consumer.getmany(timeout_ms=100) == {}
        consumer.resume(held)
        assert [message.offset for message in await take(consumer, 50)] == list(range(50))
        assert consumer.paused() == frozenset()


async def test_a_pause_in_the_midst_of_a_batch(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(100))
    partition = TopicPartition(topic, 0)
    async with consumer_of(bootstrap, topic) as consumer:
        assert await numbers(consumer, 30) == list(range(30))
        consumer.pause(partition)
        assert await consumer.getmany(timeout_ms=50) == {}
        assert await consumer.position(partition) == 30
        consumer.resume(partition)
        assert await numbers(consumer, 70) == list(range(30, 100))


async def test_topics_of_a_pattern_and_partitions_that_are_added(bootstrap: str, topic: str) -> None:
    async with consumer_of(bootstrap, metadata_max_age_ms=300) as consumer:
        consumer.subscribe(pattern=f"{topic}-(a|b)")
        await create(bootstrap, f"{topic}-a")
        await create(bootstrap, f"{topic}-abc")
        await fill(bootstrap, f"{topic}-a", [1])
        assert await numbers(consumer, 1) == [1]
        assert consumer.subscription() == {f"{topic}-a"}
        await grow(bootstrap, f"{topic}-a", 2)
        await fill(bootstrap, f"{topic}-a", [2], partition=1)
        assert await numbers(consumer, 1) == [2]
        await create(bootstrap, f"{topic}-b")
        await fill(bootstrap, f"{topic}-b", [3])
        assert await numbers(consumer, 1) == [3]
        assert consumer.subscription() == {f"{topic}-a", f"{topic}-b"}


async def test_a_topic_that_comes_later_is_read(bootstrap: str, topic: str) -> None:
    async with consumer_of(bootstrap, topic, allow_auto_create_topics=False) as consumer:
        assert await consumer.getmany(timeout_ms=50) == {}
        await create(bootstrap, topic)
        await fill(bootstrap, topic, [1])
        assert await numbers(consumer, 1) == [1]


async def test_only_what_is_committed(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)

    def transactions() -> Producer:
        producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": topic})
        producer.init_transactions(SECONDS)
        for first, end in ((0, producer.commit_transaction), (10, producer.abort_transaction), (20, None)):
            producer.begin_transaction()
            for number in range(first, first + 10):
                producer.produce(topic, b"%d" % number)
            producer.flush(SECONDS)
            if end is not None:
                end(SECONDS)
        return producer

    producer = await asyncio.to_thread(transactions)
    partition = TopicPartition(topic, 0)
    async with (
        consumer_of(bootstrap, topic, isolation_level="read_committed") as committed,
        consumer_of(bootstrap, topic) as uncommitted,
    ):
        assert await numbers(uncommitted, 30) == list(range(30))
        assert await numbers(committed, 10) == list(range(10))
        assert await committed.getmany(timeout_ms=100) == {}
        assert await committed.end_offsets([partition]) == {
            partition: 22
        }  # two markers, and the open transaction
        assert committed.lag(partition) == 0
        assert committed.last_stable_offset(partition) == 22
        assert await committed.position(partition) == 22
        await asyncio.to_thread(producer.commit_transaction, SECONDS)
        assert await numbers(committed, 10) == list(range(20, 30))
        await committed.seek_to_beginning()
        rows: list[bytes] = []
        async with asyncio.timeout(SECONDS):
            while len(rows) < 20:
                for batch in await committed.fetch_arrow(timeout_ms=1000, columns=["value"]):
                    rows += batch.column("value").to_pylist()
        assert rows == [b"%d" % number for number in (*range(10), *range(20, 30))]


async def test_deserializers(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(5))

    def odd(value: bytes) -> int:
        if value == b"3":
            raise ValueError("no")
        return int(value)

    async with consumer_of(
        bootstrap, topic, key_deserializer=bytes.decode, value_deserializer=odd
    ) as consumer:
        assert [(m.key, m.value) for m in await take(consumer, 3)] == [("0", 0), ("1", 1), ("2", 2)]
        with pytest.raises(DeserializationError) as caught:
            await take(consumer, 1)
        consumer.seek(TopicPartition(caught.value.topic, caught.value.partition), caught.value.offset + 1)
        assert [m.value for m in await take(consumer, 1)] == [4]


async def test_memory_is_bounded_while_nobody_reads(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 4)
    for index in range(4):
        await asyncio.to_thread(_produce_large, bootstrap, topic, index)
    bound, largest = 300_000, 100_000
    settings = {
        "prefetch_memory_bytes": bound,
        "max_partition_fetch_bytes": largest,
        "fetch_max_bytes": 2 * largest,
    }
    async with consumer_of(bootstrap, topic, **settings) as consumer:
        delivery = consumer._delivery
        await until(lambda: delivery.buffered_bytes >= bound)
        highest = 0
        count = 0
        while count < 400:
            highest = max(highest, delivery.buffered_bytes)
            count += sum(map(len, (await consumer.getmany(timeout_ms=5000, max_records=20)).values()))
    assert count == 400
    assert highest <= bound + 2 * largest + 20_000


def _produce_large(bootstrap: str, topic: str, index: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "batch.size": 20_000})
    for _ in range(100):
        producer.produce(topic, bytes(10_000), partition=index)
    assert not producer.flush(SECONDS)


async def test_a_message_larger_than_the_fetch_size_still_comes(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await asyncio.to_thread(_produce_large, bootstrap, topic, 0)
    async with consumer_of(bootstrap, topic, max_partition_fetch_bytes=100, fetch_max_bytes=100) as consumer:
        assert [message.offset for message in await take(consumer, 20)] == list(range(20))


async def test_the_settings_of_a_working_configuration_are_understood(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, [1])
    mapping = {"bootstrap.servers": bootstrap, "auto.offset.reset": "earliest", "fetch.wait.max.ms": 100}
    async with Consumer(mapping, topic) as consumer:
        assert await numbers(consumer, 1) == [1]


async def test_the_life_of_a_consumer(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    consumer = consumer_of(bootstrap, topic)
    with pytest.raises(ClientClosedError, match="start the consumer first"):
        await consumer.getone()
    await consumer.start()
    with pytest.raises(ClientClosedError, match="started once"):
        await consumer.start()
    with pytest.raises(ClientConfigError, match=r"needs group\.id"):
        await consumer.commit()
    with pytest.raises(ClientConfigError, match="unsubscribe"):
        consumer.assign([TopicPartition(topic, 0)])
    waiting = asyncio.ensure_future(consumer.getone())
    await until(consumer.assignment)
    began = time.monotonic()
    await consumer.stop()
    assert time.monotonic() - began < 2
    with pytest.raises(ClientClosedError, match="was stopped"):
        await waiting
    await consumer.stop()
    with pytest.raises(ClientClosedError, match="is stopped"):
        await consumer.getmany()


async def test_iteration_ends_when_the_consumer_is_stopped(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(3))
    async with consumer_of(bootstrap, topic) as consumer:
        seen = []

        async def read() -> None:
            async for message in consumer:
                seen.append(message)  # noqa: PERF401 - that one can see them come

        reading = asyncio.ensure_future(read())
        await until(lambda: len(seen) == 3)
    await asyncio.wait_for(reading, SECONDS)


async def test_unsubscribe_and_something_else(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 2)
    for index in range(2):
        await fill(bootstrap, topic, [index], partition=index)
    async with consumer_of(bootstrap, topic) as consumer:
        assert sorted(await numbers(consumer, 2)) == [0, 1]
        await consumer.unsubscribe()
        assert consumer.assignment() == frozenset()
        assert await consumer.getmany(timeout_ms=50) == {}
        consumer.assign([TopicPartition(topic, 1)])
        assert await numbers(consumer, 1) == [1]


async def test_nobody_is_there() -> None:
    with pytest.raises(NoBrokerError, match="can't be reached"):
        async with Consumer("t", bootstrap_servers="127.0.0.1:1"):
            pass


async def test_an_idle_consumer_uses_no_cpu(topic: str) -> None:
    """A broker of its own process would not count; ours is on this loop, so both are measured."""
    async with LocalBroker() as broker:
        await create(broker.bootstrap_servers, topic, 20)
        settings = {"group_id": new_name("idle"), "auto_commit_interval_ms": 100}
        async with consumer_of(broker.bootstrap_servers, topic, **settings) as consumer:
            await until(lambda: len(consumer.assignment()) == 20)
            assert await consumer.getmany(timeout_ms=500) == {}
            before, began = time.process_time(), time.monotonic()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(consumer.getone(), 2)
            used = (time.process_time() - before) / (time.monotonic() - began)
    assert used < 0.05


async def test_a_broker_remembers_nothing_of_a_consumer_that_has_stopped(
    bootstrap: str, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its fetch session is no more: whoever goes on with it hears that. A busy broker may take a while to hear of it."""
    monkeypatch.setattr(fetcher, "FAREWELL_SECONDS", WAIT_SECONDS)
    await create(bootstrap, topic)
    await fill(bootstrap, topic, range(3))
    async with consumer_of(bootstrap, topic) as consumer:
        assert await numbers(consumer, 3) == [0, 1, 2]
        (session,) = consumer._reading.fetcher._sessions.values()
        await until(lambda: session.epoch > 1)
        assert session.session_id
        # As it was: a fetch that comes after the farewell makes the consumer forget its session, too.
        request = FetchRequest(session_id=session.session_id, session_epoch=session.epoch)
    with Wire(int(bootstrap.rpartition(":")[2])) as wire:
        answer = await asyncio.to_thread(wire.ask, request)
    assert answer.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
