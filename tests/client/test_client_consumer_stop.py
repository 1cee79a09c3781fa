"""Reading up to an offset: nothing beyond it is fetched or handed out, and nobody waits where there is nothing left."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from snakka.client import Admin, Consumer, Producer
from snakka.client.errors import OffsetOutOfRangeError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.fetched_batches import FetchedBatches
from snakka.testing import LocalBroker

PARTITION = TopicPartition("orders", 0)
LONG_MS = 20_000


@pytest.fixture
async def bootstrap() -> AsyncIterator[str]:
    async with LocalBroker() as broker:
        async with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            await admin.create_topic(PARTITION.topic)
        yield broker.bootstrap_servers


async def write(bootstrap: str, count: int, **settings: object) -> None:
    async with Producer(bootstrap_servers=bootstrap, **settings) as producer:
        for number in range(count):
            await producer.send_and_wait(PARTITION.topic, b"%d" % number)


async def read(consumer: Consumer) -> list[int]:
    """The offsets of all that comes until nothing is left."""
    offsets: list[int] = []
    while batches := await consumer.fetch_arrow(timeout_ms=LONG_MS, columns=["offset"]):
        for batch in batches:
            offsets += batch.column("offset").to_pylist()
    return offsets


@pytest.mark.parametrize(("start", "end"), [(0, 10), (3, 7), (9, 10), (4, 4)])
async def test_exactly_the_range_is_read_and_then_nobody_waits(bootstrap: str, start: int, end: int) -> None:
    await write(bootstrap, 10)
    async with Consumer(bootstrap_servers=bootstrap, auto_offset_reset="none") as consumer:
        consumer.assign([PARTITION])
        consumer.seek(PARTITION, start, up_to=end)
        began = time.monotonic()
        assert await read(consumer) == list(range(start, end))
        assert await consumer.getmany(timeout_ms=LONG_MS) == {}
        assert time.monotonic() - began < LONG_MS / 1000
        assert await consumer.position(PARTITION) == end


async def test_another_seek_goes_beyond_it(bootstrap: str) -> None:
    await write(bootstrap, 10)
    async with Consumer(bootstrap_servers=bootstrap, auto_offset_reset="none") as consumer:
        consumer.assign([PARTITION])
        consumer.seek(PARTITION, 0, up_to=2)
        assert await read(consumer) == [0, 1]
        consumer.seek(PARTITION, 8, up_to=10)
        assert await read(consumer) == [8, 9]
        await consumer.seek_to_beginning(PARTITION)
        assert (await consumer.getone()).offset == 0


async def test_a_range_that_ends_with_an_aborted_transaction_ends(bootstrap: str) -> None:
    await write(bootstrap, 2)
    async with Producer(bootstrap_servers=bootstrap, transactional_id="t") as producer:
        await producer.begin_transaction()
        await asyncio.gather(*[producer.send_and_wait(PARTITION.topic, b"never") for _ in range(3)])
        await producer.abort_transaction()
    settings = {
        "bootstrap.servers": bootstrap,
        "isolation.level": "read_committed",
        "auto.offset.reset": "none",
    }
    async with Consumer(settings) as consumer:
        (end,) = (await consumer.end_offsets([PARTITION])).values()
        assert end == 6  # two, three that were aborted, and the marker
        consumer.assign([PARTITION])
        consumer.seek(PARTITION, 0, up_to=end)
        assert await read(consumer) == [0, 1]
        assert await consumer.position(PARTITION) == end


async def test_trouble_with_a_partition_that_is_not_read_any_more_is_nobody_s(
    bootstrap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A range whose records are gone is left, and the next range has nothing to do with it."""
    other = TopicPartition("other", 0)
    await write(bootstrap, 10)
    async with Admin(bootstrap_servers=bootstrap) as admin, Producer(bootstrap_servers=bootstrap) as producer:
        (await admin.delete_records({PARTITION: 6})).raise_for_errors()
        await admin.create_topic(other.topic)
        await producer.send_and_wait(other.topic, b"there")
    async with Consumer(bootstrap_servers=bootstrap, auto_offset_reset="none") as consumer:
        consumer.assign([PARTITION])
        consumer.seek(PARTITION, 0, up_to=3)
        with pytest.raises(OffsetOutOfRangeError):
            await read(consumer)
        # It is fetched again, and again its range is asked for: the answer comes when it is too late.
        lookup, is_asked, may_answer = consumer._reading.lookup, asyncio.Event(), asyncio.Event()
        everywhere = lookup.everywhere

        async def late(*arguments: Any) -> Any:
            is_asked.set()
            await may_answer.wait()
            return await everywhere(*arguments)

        monkeypatch.setattr(lookup, "everywhere", late)
        await asyncio.wait_for(is_asked.wait(), LONG_MS / 1000)
        await consumer.unsubscribe()
        may_answer.set()
        consumer.assign([other])
        consumer.seek(other, 0, up_to=1)
        assert await read(consumer) == [0]
        assert await read(consumer) == []


def test_a_gap_that_compaction_left_at_the_end_is_passed() -> None:
    first = build_batch([Record(0, 0, None, b"kept", (), 0)], base_offset=0)
    later = build_batch([Record(90, 0, None, b"kept", (), 0)], base_offset=90)
    batches = FetchedBatches(bytes(first + later), from_offset=0, up_to=50)
    assert [batch.base_offset for batch in batches] == [0]
    assert batches.next_offset == 50
