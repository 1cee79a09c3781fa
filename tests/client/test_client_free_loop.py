"""What takes long keeps nobody waiting: large batches are packed and unpacked in threads, columns made without a loop."""

import gc
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from tests.client.topic_content import create, new_name

from snakka.client import Consumer, Producer
from snakka.client.producer import batches
from snakka.protocol import fetched_batches
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.fetched_batches import SLOW_BYTES, FetchedBatches
from snakka.protocol.record_columns import COLUMN_NAMES, read_columns
from snakka.testing import LocalBroker

CODECS = ("gzip", "snappy", "lz4", "zstd")
RECORDS = 300


def value(number: int) -> bytes:
    """A kilobyte that does not become much smaller."""
    return b"".join((number * 7919 + index * index).to_bytes(4, "big") for index in range(256))


@pytest.fixture
def packed_at(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Size and thread of all batches that producers finish."""
    seen: list[tuple[int, int]] = []
    finish = batches.finish_batch

    def noted(encoder: Any, **options: Any) -> bytearray:
        seen.append((encoder.size, threading.get_ident()))
        return finish(encoder, **options)

    monkeypatch.setattr(batches, "finish_batch", noted)
    return seen


@pytest.fixture
def unpacked_at(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Size and thread of all batches that consumers decompress."""
    seen: list[tuple[int, int]] = []
    decompress = fetched_batches.decompress

    def noted(codec: int, data: Any, *options: Any) -> Any:
        seen.append((len(data), threading.get_ident()))
        return decompress(codec, data, *options)

    monkeypatch.setattr(fetched_batches, "decompress", noted)
    return seen


async def produce(snakka: LocalBroker, topic: str, codec: str) -> None:
    settings = {"compression_type": codec, "batch_size": 150_000, "linger_ms": 1000}
    async with Producer(bootstrap_servers=snakka.bootstrap_servers, **settings) as producer:
        for number in range(RECORDS):
            await producer.send(topic, value(number), partition=0)


@pytest.mark.parametrize("codec", CODECS)
async def test_large_batches_are_packed_and_unpacked_in_threads(
    snakka: LocalBroker,
    packed_at: list[tuple[int, int]],
    unpacked_at: list[tuple[int, int]],
    codec: str,
) -> None:
    topic = new_name("free")
    await create(snakka.bootstrap_servers, topic)
    await produce(snakka, topic, codec)
    loop = threading.get_ident()
    large = [thread for size, thread in packed_at if size > batches._PACKED_AT_ONCE_BYTES]
    assert len(large) >= 2
    assert loop not in large
    settings = {"bootstrap_servers": snakka.bootstrap_servers, "auto_offset_reset": "earliest"}
    for read in (one_by_one, many, columns):
        unpacked_at.clear()
        async with Consumer(topic, **settings) as consumer:
            assert await read(consumer) == [value(number) for number in range(RECORDS)]
        large = [thread for size, thread in unpacked_at if size > SLOW_BYTES]
        assert len(large) >= 2, read
        assert loop not in large, read


async def one_by_one(consumer: Consumer) -> list[bytes | None]:
    return [(await consumer.getone()).value for _ in range(RECORDS)]


async def many(consumer: Consumer) -> list[bytes | None]:
    values: list[bytes | None] = []
    while len(values) < RECORDS:
        for messages in (await consumer.getmany(timeout_ms=10_000, max_records=RECORDS)).values():
            values += [message.value for message in messages]
    return values


async def columns(consumer: Consumer) -> list[bytes | None]:
    values: list[bytes | None] = []
    while len(values) < RECORDS:
        for batch in await consumer.fetch_arrow(timeout_ms=10_000, columns=["value"]):
            values += batch.column("value").to_pylist()
    return values


def fetched(count: int) -> FetchedBatches:
    """One batch of so many records."""
    rows = [Record(-1, number, b"%d" % number, value(0)[:20], (("h", b"v"),)) for number in range(count)]
    return FetchedBatches(bytes(build_batch(rows, compression=Compression.NONE)), from_offset=0)


def steps_of(work: Callable[[], object]) -> int:
    """How many instructions of Python a piece of work takes."""
    steps = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += 1
        return trace

    before = sys.gettrace()
    gc.disable()  # what runs when it finds something is none of the work
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
        gc.enable()
    return steps


def test_columns_take_as_much_python_for_many_records_as_for_few() -> None:
    few, more = fetched(10), fetched(10_000)
    arrow = lambda batches: read_columns(batches, COLUMN_NAMES, 1 << 30).to_arrow("t", 0)  # type: ignore[union-attr] # noqa: E731
    assert arrow(fetched(1)).num_rows == 1  # what is imported and remembered is
    assert steps_of(lambda: arrow(more)) <= steps_of(lambda: arrow(few)) + 100


async def test_columns_that_are_kept_are_no_python_objects(snakka: LocalBroker) -> None:
    topic = new_name("free")
    await create(snakka.bootstrap_servers, topic)
    settings = {"bootstrap_servers": snakka.bootstrap_servers, "auto_offset_reset": "earliest"}
    count = 20_000
    async with Producer(bootstrap_servers=snakka.bootstrap_servers) as producer:
        for number in range(count):
            await producer.send(topic, b"%d" % number, partition=0)
    async with Consumer(topic, **settings) as consumer:
        grown = 0
        for _ in range(2):  # the first time other things are loaded, too
            kept: list[Any] = []
            gc.collect()
            before = sys.getallocatedblocks()
            while sum(batch.num_rows for batch in kept) < count:
                kept += await consumer.fetch_arrow(timeout_ms=10_000)
            grown = sys.getallocatedblocks() - before
            await consumer.seek_to_beginning()
        assert grown < count / 4
