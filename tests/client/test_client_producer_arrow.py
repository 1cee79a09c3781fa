"""Tables become records: by their keys, by a column, or anywhere; each partition's rows in order."""

import itertools
from datetime import UTC, datetime

import pyarrow
import pytest
from tests.client.independent_reader import read_topic
from tests.client.topic_content import create, new_name

from snakka.client.errors import BufferFullError, ClientConfigError, RecordTooLargeError
from snakka.client.producer import BatchMetadata, Producer
from snakka.client.producer.arrow_rows import NO_PARTITION, Columns, rows_by_partition
from snakka.protocol.errors import ApiError
from snakka.protocol.key_hash import partition_for_key
from snakka.testing import LocalBroker


@pytest.fixture
def topic() -> str:
    return new_name("arrow")


def numbered_table(count: int) -> pyarrow.Table:
    return pyarrow.table(
        {
            "key": [None if number % 10 == 0 else f"key-{number % 7}" for number in range(count)],
            "value": [b"%d" % number for number in range(count)],
            "partition": [number % 3 for number in range(count)],
        }
    )


@pytest.mark.parametrize("compression", ["none", "lz4"])
async def test_rows_go_where_records_with_their_keys_would(
    bootstrap: str, topic: str, compression: str
) -> None:
    await create(bootstrap, topic, 3)
    async with Producer(bootstrap_servers=bootstrap, compression_type=compression) as producer:
        future = await producer.send_arrow(topic, numbered_table(20_000), key="key")
        written = await future
    assert sum(batch.record_count for batch in written) == 20_000
    assert all(isinstance(batch, BatchMetadata) and batch.topic == topic for batch in written)
    seen = await read_topic(bootstrap, topic)
    assert sorted(int(record.value or b"") for record in seen) == list(range(20_000))
    for partition, records in itertools.groupby(seen, key=lambda record: record.partition):
        with_keys = [record for record in records if record.key is not None]
        numbers = [int(record.value or b"") for record in with_keys]
        assert numbers == sorted(numbers)
        assert all(partition_for_key(record.key or b"", 3) == partition for record in with_keys)


async def test_a_column_or_a_number_says_the_partition(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 3)
    table = numbered_table(300)
    async with Producer(bootstrap_servers=bootstrap) as producer:
        await (await producer.send_arrow(topic, table, partition="partition"))
        [batch] = await (await producer.send_arrow(topic, table.to_batches()[0], key="key", partition=2))
        assert (batch.partition, batch.base_offset, batch.record_count) == (2, 100, 300)
        assert await (await producer.send_arrow(topic, table.slice(0, 0))) == []
        with pytest.raises(ApiError, match="has no partition 7, only 0 to 2"):
            await producer.send_arrow(topic, table, partition=7)
        with pytest.raises(KeyError, match="nothing"):
            await producer.send_arrow(topic, table, value="nothing")
        assert (await producer.send_and_wait(topic, b"a record after them", partition=2)).offset == 400
    seen = await read_topic(bootstrap, topic)
    for partition in range(3):
        values = [record.value for record in seen if record.partition == partition][:100]
        assert values == [b"%d" % number for number in range(partition, 300, 3)]


async def test_where_the_column_says_nothing_the_keys_do(bootstrap: str, topic: str) -> None:
    await create(bootstrap, topic, 3)
    keys = [b"%d" % (number % 7) if number % 4 else None for number in range(300)]
    named = [number % 3 if number % 2 else None for number in range(300)]
    table = pyarrow.table(
        {
            "key": pyarrow.array(keys, pyarrow.binary()),
            "value": [f"{number}" for number in range(300)],
            "partition": pyarrow.array(named, pyarrow.int32()),
        }
    )
    async with Producer(bootstrap_servers=bootstrap) as producer:
        await (await producer.send_arrow(topic, table, key="key", partition="partition"))
        negative = table.set_column(2, "partition", pyarrow.array([-1] * 300, pyarrow.int32()))
        with pytest.raises(ApiError, match="begin at 0, and a row's is -1"):
            await producer.send_arrow(topic, negative, key="key", partition="partition")
        with pytest.raises(ApiError, match="has no partition -1"):
            await producer.send_arrow(topic, table, partition=-1)
    seen = {int(record.value or b""): record.partition for record in await read_topic(bootstrap, topic)}
    assert len(seen) == 300
    for number, partition in seen.items():
        key = keys[number]
        if named[number] is not None:
            assert partition == named[number]
        elif key is not None:
            assert partition == partition_for_key(key, 3)


async def test_times_and_headers_come_from_columns(bootstrap: str, topic: str) -> None:
    times = [datetime(2026, 1, 2, 3, 4, 5, 678000, UTC), None]
    table = pyarrow.table(
        {
            "text": ["a", None],
            "time": pyarrow.array(times, pyarrow.timestamp("us", "UTC")),
            "headers": [[{"key": "h", "value": b"1"}], []],
        }
    )
    async with Producer(bootstrap_servers=bootstrap) as producer:
        await (await producer.send_arrow(topic, table, value="text", timestamp="time", headers="headers"))
    first, second = await read_topic(bootstrap, topic)
    assert (first.value, first.timestamp, first.headers) == (b"a", 1767323045678, [("h", b"1")])
    assert (second.value, second.headers) == (None, [])
    assert second.timestamp > first.timestamp


async def test_rows_without_keys_are_spread_over_partitions(snakka: LocalBroker, topic: str) -> None:
    await create(snakka.bootstrap_servers, topic, 4)
    table = pyarrow.table({"value": [bytes(1000)] * 5000})
    async with Producer(bootstrap_servers=snakka.bootstrap_servers) as producer:
        written = await (await producer.send_arrow(topic, table))
    assert {batch.partition for batch in written} == set(range(4))


async def test_batches_that_a_topic_does_not_take_are_sent_in_parts(snakka: LocalBroker, topic: str) -> None:
    await create(snakka.bootstrap_servers, topic, 1, max_message_bytes="20000")
    table = pyarrow.table({"value": [b"%d" % number + bytes(1000) for number in range(300)]})
    async with Producer(bootstrap_servers=snakka.bootstrap_servers) as producer:
        written = await (await producer.send_arrow(topic, table))
        assert sum(batch.record_count for batch in written) == 300
        assert producer._accumulator.memory.free_bytes == producer._accumulator.memory.total_bytes
    seen = await read_topic(snakka.bootstrap_servers, topic)
    assert [int((record.value or b"").rstrip(b"\0")) for record in seen] == list(range(300))


async def test_a_table_larger_than_the_buffer_goes_through_it(snakka: LocalBroker, topic: str) -> None:
    table = pyarrow.table({"value": [bytes(1000)] * 3000})
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, buffer_memory=300_000) as producer:
        written = await (await producer.send_arrow(topic, table))
    assert sum(batch.record_count for batch in written) == 3000


async def test_what_can_t_be_sent_is_said(snakka: LocalBroker, topic: str) -> None:
    table = pyarrow.table({"value": [bytes(50_000)]})
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, max_request_size=10_000) as producer:
        with pytest.raises(RecordTooLargeError):
            await producer.send_arrow(topic, table)
    own = {"partitioner": lambda *_: 0}
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, **own) as producer:
        with pytest.raises(ClientConfigError, match="say `partition`"):
            await producer.send_arrow(topic, table)
        assert (await (await producer.send_arrow(topic, table, partition=0)))[0].record_count == 1
    blocked = Producer(
        bootstrap_servers=snakka.bootstrap_servers,
        buffer_memory=100_000,
        max_block_ms=1_000,
        linger_ms=60_000,
        delivery_timeout_ms=120_000,
        batch_size=60_000,
    )
    async with blocked as producer:
        await producer.send(topic, b"lingers, and takes 60,000 bytes")
        with pytest.raises(BufferFullError):
            await producer.send_arrow(topic, table)


def test_rows_keep_their_order_within_a_partition() -> None:
    table = numbered_table(1000)
    groups = rows_by_partition(table, Columns("value", "key"), None, 5, ignores_keys=False)
    assert sum(len(group.table) for group in groups) == 1000
    assert [group.partition for group in groups] == sorted({group.partition for group in groups})
    for group in groups:
        numbers = [int(value) for value in group.table.column("value").to_pylist()]
        assert numbers == sorted(numbers)
        keys = group.table.column("key").to_pylist()
        if group.partition == NO_PARTITION:
            assert set(keys) == {None}
        else:
            assert {partition_for_key(key.encode(), 5) for key in keys} == {group.partition}
    [everything] = rows_by_partition(table, Columns("value", "key"), None, 5, ignores_keys=True)
    assert everything == (NO_PARTITION, table)
