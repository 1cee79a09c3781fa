"""Sending records to Snakka and to Apache Kafka: what comes out is what went in, once and in order."""

import asyncio

import pytest
from tests.client.independent_reader import read_topic
from tests.client.topic_content import create, new_name

from snakka.client.admin import Admin, OffsetSpec, TopicPartition
from snakka.client.cluster_view import ClusterView
from snakka.client.errors import (
    BufferFullError,
    ClientClosedError,
    ClientConfigError,
    NoBrokerError,
    RecordTooLargeError,
    RequestTimedOutError,
)
from snakka.client.producer import Producer, RecordMetadata
from snakka.client.settings import COMPRESSIONS
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.key_hash import partition_for_key
from snakka.testing import LocalBroker


@pytest.fixture
def topic() -> str:
    return new_name("producer")


@pytest.mark.parametrize("compression", COMPRESSIONS)
async def test_records_come_out_as_they_went_in(bootstrap: str, topic: str, compression: str) -> None:
    async with Producer(bootstrap_servers=bootstrap, compression_type=compression) as producer:
        futures = [
            await producer.send(
                topic, b"value", b"key", (("header", b"1"), ("nothing", None)), timestamp_ms=1234567890123
            ),
            await producer.send(topic, None, b"tombstone", timestamp_ms=1234567890124),
            await producer.send(topic, b"", timestamp_ms=0),
            await producer.send(topic, bytes(100_000), b""),
        ]
        metadata = [await future for future in futures]
    assert metadata[:3] == [
        RecordMetadata(topic, 0, 0, 1234567890123),
        RecordMetadata(topic, 0, 1, 1234567890124),
        RecordMetadata(topic, 0, 2, 0),
    ]
    seen = await read_topic(bootstrap, topic)
    assert [(record.key, record.value, record.headers) for record in seen] == [
        (b"key", b"value", [("header", b"1"), ("nothing", None)]),
        (b"tombstone", None, []),
        (None, b"", []),
        (b"", bytes(100_000), []),
    ]
    assert [record.timestamp for record in seen] == [record.timestamp for record in metadata]


async def test_keys_go_where_kafka_s_own_producer_sends_them_and_keep_their_order(
    bootstrap: str, topic: str
) -> None:
    await create(bootstrap, topic, 5)
    async with Producer(bootstrap_servers=bootstrap, batch_size=500) as producer:
        assert await producer.partitions_for(topic) == set(range(5))
        for number in range(2000):
            await producer.send(topic, b"%d" % number, b"key-%d" % (number % 20))
    seen = await read_topic(bootstrap, topic)
    assert len(seen) == 2000
    by_key: dict[bytes, list[int]] = {}
    for record in seen:
        assert record.key is not None
        assert record.value is not None
        assert record.partition == partition_for_key(record.key, 5)
        by_key.setdefault(record.key, []).append(int(record.value))
    assert all(values == sorted(values) and len(values) == 100 for values in by_key.values())


async def test_records_without_a_key_are_spread_over_all_partitions_by_bytes(
    bootstrap: str, topic: str
) -> None:
    await create(bootstrap, topic, 3)
    async with Producer(bootstrap_servers=bootstrap, batch_size=1000) as producer:
        for number in range(20_000):
            await producer.send(topic, b"%09d" % number)
    seen = await read_topic(bootstrap, topic)
    assert sorted(int(record.value or b"") for record in seen) == list(range(20_000))
    for partition in range(3):
        values = [record.value for record in seen if record.partition == partition]
        assert values == sorted(values)  # type: ignore[type-var]
        assert len(values) == pytest.approx(20_000 / 3, rel=0.5)


@pytest.mark.parametrize("acks", ["0", "1", "all"])
async def test_all_has_arrived_after_stop_whatever_acknowledgement_is_wanted(
    bootstrap: str, topic: str, acks: str
) -> None:
    await create(bootstrap, topic)
    async with Admin(bootstrap_servers=bootstrap) as admin:
        # A broker tells of a partition before it leads it, and with acks=0 nobody hears that it refuses a record.
        (await admin.list_offsets({TopicPartition(topic, 0): OffsetSpec.LATEST})).raise_for_errors()
    async with Producer(bootstrap_servers=bootstrap, acks=acks, batch_size=5_000) as producer:
        futures = [await producer.send(topic, b"%d" % number + bytes(1000)) for number in range(1000)]
    offsets = [future.result().offset for future in futures]
    assert offsets == ([-1] * 1000 if acks == "0" else list(range(1000)))
    assert [record.offset for record in await read_topic(bootstrap, topic)] == list(range(1000))


async def test_large_batches_are_compressed_aside_and_keep_their_order(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    async with Producer(
        bootstrap_servers=bootstrap, compression_type="gzip", batch_size=500_000, linger_ms=50
    ) as producer:
        for number in range(2000):
            await producer.send(topic, b"%d" % number + bytes(1000))
    seen = await read_topic(bootstrap, topic)
    assert [int((record.value or b"").rstrip(b"\0")) for record in seen] == list(range(2000))


async def test_a_batch_that_a_topic_does_not_take_is_sent_in_parts(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, max_message_bytes="2000")
    async with Producer(bootstrap_servers=bootstrap, linger_ms=20) as producer:
        futures = [
            await producer.send(topic, b"%d" % number + bytes(1000 if number != 7 else 3000))
            for number in range(30)
        ]
        results = await asyncio.gather(*futures, return_exceptions=True)
        error = results.pop(7)
        assert isinstance(error, ApiError)
        assert error.code is ErrorCode.MESSAGE_TOO_LARGE
        assert [result.offset for result in results if isinstance(result, RecordMetadata)] == list(range(29))
        assert (await producer.send_and_wait(topic, b"and on it goes")).offset == 29
    seen = await read_topic(bootstrap, topic)
    values = [int((record.value or b"").rstrip(b"\0")) for record in seen[:-1]]
    assert values == [number for number in range(30) if number != 7]


async def test_a_record_that_no_request_can_hold_is_refused_at_once(snakka: LocalBroker, topic: str) -> None:
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, max_request_size=10_000) as producer:
        with pytest.raises(RecordTooLargeError, match=r"raise max\.request\.size"):
            await producer.send(topic, bytes(10_000))
        assert (await producer.send_and_wait(topic, bytes(9_000))).offset == 0


async def test_what_can_t_be_encoded_harms_nobody_else(snakka: LocalBroker, topic: str) -> None:
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, linger_ms=1000) as producer:
        for _ in range(2):
            with pytest.raises(TypeError):
                await producer.send(topic, "text")
        future = await producer.send(topic, b"bytes")
        with pytest.raises(TypeError):
            await producer.send(topic, b"x", headers=[("name", "text")])  # type: ignore[list-item]
        with pytest.raises(ApiError, match="has no partition 3, only 0 to 0"):
            await producer.send(topic, b"x", partition=3)
        await producer.flush()
        assert future.result().offset == 0


async def test_serializers_and_a_partitioner_of_one_s_own(snakka: LocalBroker, topic: str) -> None:
    await create(snakka.bootstrap_servers, topic, 4)
    settings = {
        "bootstrap.servers": snakka.bootstrap_servers,
        "key.serializer": str.encode,
        "value.serializer": lambda value: b"%d" % value,
        "partitioner": lambda topic, key, value, count: int(value) % count,
    }
    async with Producer(settings) as producer:
        futures = [await producer.send(topic, number, f"key {number}") for number in range(8)]
        assert [(await future).partition for future in futures] == [0, 1, 2, 3, 0, 1, 2, 3]
        assert (await producer.send_and_wait(topic, 5, "key", partition=3)).partition == 3


async def test_keys_can_be_ignored(snakka: LocalBroker, topic: str) -> None:
    await create(snakka.bootstrap_servers, topic, 20)
    async with Producer(
        bootstrap_servers=snakka.bootstrap_servers, partitioner_ignore_keys=True, batch_size=100
    ) as producer:
        futures = [await producer.send(topic, bytes(50), b"the same key") for _ in range(60)]
        partitions = {(await future).partition for future in futures}
    assert len(partitions) > 5


async def test_who_sends_faster_than_brokers_take_it_waits(snakka: LocalBroker, topic: str) -> None:
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, buffer_memory=100_000) as producer:
        for number in range(3000):
            await producer.send(topic, b"%d" % number + bytes(1000))
            assert producer._accumulator.memory.free_bytes >= 0
        await producer.flush()
        assert producer._accumulator.memory.free_bytes == 100_000
    assert len(await read_topic(snakka.bootstrap_servers, topic)) == 3000


async def test_a_full_buffer_is_an_error_after_a_while(snakka: LocalBroker, topic: str) -> None:
    async with Producer(
        bootstrap_servers=snakka.bootstrap_servers,
        buffer_memory=40_000,
        max_block_ms=2_000,
        linger_ms=60_000,
        delivery_timeout_ms=120_000,
    ) as producer:
        await producer.partitions_for(topic)
        await create_more(producer, topic)
        with pytest.raises(BufferFullError, match=r"max\.block\.ms"):
            await producer.send(f"{topic}-third", bytes(10))
        await producer.flush()
        future = await producer.send(topic, b"there is room again")
        await producer.flush()
        assert future.result().offset == 1


async def create_more(producer: Producer, topic: str) -> None:
    """Two batches that linger take nearly all of the memory."""
    await producer.partitions_for(f"{topic}-third")
    await producer.send(topic, bytes(10))
    await producer.send(f"{topic}-second", bytes(10))


async def test_a_producer_has_a_beginning_and_an_end(snakka: LocalBroker, topic: str) -> None:
    producer = Producer(bootstrap_servers=snakka.bootstrap_servers)
    with pytest.raises(ClientClosedError, match="await start"):
        await producer.send(topic, b"x")
    await producer.start()
    future = await producer.send(topic, b"x")
    await producer.stop()
    assert future.result().offset == 0
    for call in (producer.send(topic, b"x"), producer.flush(), producer.partitions_for(topic)):
        with pytest.raises(ClientClosedError, match="is stopped"):
            await call
    await producer.stop()


async def test_nobody_there_is_said_at_once() -> None:
    producer = Producer(bootstrap_servers="127.0.0.1:1")
    with pytest.raises(NoBrokerError, match="connection refused"):
        await producer.start()
    with pytest.raises(ClientConfigError, match=r"did you mean linger\.ms"):
        Producer(bootstrap_servers="127.0.0.1:1", linger=5)


async def test_a_topic_that_may_not_be_created_is_said_to_be_missing(topic: str) -> None:
    async with (
        LocalBroker({"auto.create.topics.enable": False}) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers, max_block_ms=2_000) as producer,
    ):
        with pytest.raises(ApiError, match=f"topic {topic} does not exist"):
            await producer.send(topic, b"x")


async def test_a_question_that_the_deadline_cuts_short_does_not_hide_what_was_said(
    topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    ask_for = ClusterView._ask_for

    async def cut_short(self: ClusterView, name: str, may_create: bool, deadline: float) -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            raise RequestTimedOutError("nobody answers in time")
        await ask_for(self, name, may_create, deadline)

    async with (
        LocalBroker({"auto.create.topics.enable": False}) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        monkeypatch.setattr(ClusterView, "_ask_for", cut_short)
        with pytest.raises(ApiError, match=f"topic {topic} does not exist"):
            await producer.send(topic, b"x")
    assert asked == 2


async def test_an_idle_producer_does_nothing(snakka: LocalBroker, topic: str) -> None:
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, linger_ms=0) as producer:
        await producer.send_and_wait(topic, b"x")
        loop = asyncio.get_running_loop()
        assert len(asyncio.all_tasks()) >= 1
        due = [
            handle.when() - loop.time()
            for handle in loop._scheduled  # type: ignore[attr-defined]
            if "producer" in repr(handle) and not handle.cancelled()
        ]
        assert all(seconds > 60 for seconds in due), due


async def test_a_topic_that_was_not_used_for_long_goes_on_where_it_was(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    async with Producer(bootstrap_servers=bootstrap) as producer:
        for number in range(3):
            assert (await producer.send_and_wait(topic, b"x")).offset == number
            # As if metadata.max.idle.ms had passed.
            producer._topics[topic].last_used = float("-inf")
            producer._cluster_changed()
            assert topic not in producer._topics
            producer._cluster.forget(topic)
    assert len(await read_topic(bootstrap, topic)) == 3


async def test_partitions_that_a_topic_gains_are_used(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic)
    async with Admin(bootstrap_servers=bootstrap) as admin, Producer(bootstrap_servers=bootstrap) as producer:
        assert (await producer.send_and_wait(topic, b"x", b"some key")).partition == 0
        await admin.create_partitions({topic: 3})
        async with asyncio.timeout(20):
            while len(await producer.partitions_for(topic)) < 3:
                producer._cluster.refresh_soon()
                await asyncio.sleep(0.02)
        futures = [await producer.send(topic, b"x", b"%d" % number) for number in range(100)]
        assert {(await future).partition for future in futures} == {0, 1, 2}
