"""Large compressed batches: unpacked in a thread, one at a time, so that the event loop goes on and memory stays bounded."""

import asyncio
import random
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.client.topic_content import new_name

from snakka.client.consumer import Consumer, TopicPartition
from snakka.client.consumer.delivery import Delivery
from snakka.client.consumer.fetched_parts import Answer, FetchedPart
from snakka.client.consumer.messages import message_decoder
from snakka.client.consumer.positions import AssignedPartition
from snakka.client.producer import Producer
from snakka.protocol import fetched_batches
from snakka.protocol.batch_builder import build_batch, build_end_transaction
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Bytes, Compression, decompress
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import SLOW_BYTES, FetchedBatches

SECONDS = 20
# What hardly compresses, so that its size is known.
NOISE = random.Random(5).randbytes(SLOW_BYTES)


def large(offset: int, codec: Compression = Compression.LZ4) -> bytes:
    """A batch of two records that is slow to unpack."""
    rows = [Record(-1, 0, None, b"%d " % (offset + index) + NOISE) for index in range(2)]
    return bytes(build_batch(rows, base_offset=offset, compression=codec))


def small(offset: int) -> bytes:
    rows = [Record(-1, 0, None, b"%d" % (offset + index)) for index in range(2)]
    return bytes(build_batch(rows, base_offset=offset, compression=Compression.LZ4))


class Unpacked:
    """Which threads have decompressed how many bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.on_loop: list[int] = []
        self.aside: list[int] = []
        self.takes_seconds = 0.0
        self.most_at_once = 0
        self._at_once = 0
        self._loop_thread = threading.get_ident()
        monkeypatch.setattr(fetched_batches, "decompress", self._decompress)

    def _decompress(self, codec: int, data: Bytes, max_output: int) -> Bytes:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        is_on_loop = threading.get_ident() == self._loop_thread
        (self.on_loop if is_on_loop else self.aside).append(len(data))
        if not is_on_loop:
            time.sleep(self.takes_seconds)
        self._at_once -= 1
        return decompress(codec, data, max_output)


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> Unpacked:
    return Unpacked(monkeypatch)


class Parts:
    """A delivery with fetched parts."""

    def __init__(self) -> None:
        self.delivery = Delivery(message_decoder(None, None), 1 << 30, lambda: None, lambda: None)
        self._partitions: dict[int, AssignedPartition] = {}

    def add(self, *batches: bytes, index: int = 0) -> FetchedPart:
        assigned = self._partitions.get(index)
        if assigned is None:
            assigned = self._partitions[index] = AssignedPartition(TopicPartition("t", index))
            assigned.seek(0)
        answer = Answer()
        records = b"".join(batches)
        answer.size = len(records)
        part = FetchedPart(assigned, memoryview(records), assigned.fetch_offset, 4, (), True, answer)
        assigned.fetched(assigned.fetch_offset + 2 * len(batches), 4)
        self.delivery.add(part)
        self.delivery.notify()
        return part

    async def many(self, *indexes: int) -> dict[int, list[int]]:
        wanted = [TopicPartition("t", index) for index in indexes]
        found = await self.delivery.next_messages(1000, wanted, 0.0)
        return {each.partition: [message.offset for message in messages] for each, messages in found.items()}


async def test_only_large_batches_are_unpacked_aside_and_all_come_in_order(unpacked: Unpacked) -> None:
    parts = Parts()
    parts.add(small(0), large(2), small(4), large(6), large(8))
    offsets = []
    while len(offsets) < 10:
        message = await parts.delivery.next_message()
        assert message is not None
        assert int((message.value or b"").split(b" ")[0]) == message.offset
        offsets += [message.offset, *(each.offset for each in parts.delivery.ready)]
    assert offsets == list(range(10))
    assert [size > SLOW_BYTES for size in unpacked.aside] == [True] * 3
    assert [size > SLOW_BYTES for size in unpacked.on_loop] == [False] * 2


async def test_what_is_there_is_given_before_what_must_be_unpacked(unpacked: Unpacked) -> None:
    """The application gets what needs no thread at once; a call without patience waits for a thread all the same."""
    parts = Parts()
    parts.add(small(0), large(2))
    assert await parts.many() == {0: [0, 1]}
    assert await parts.many() == {0: [2, 3]}
    assert await parts.many() == {}
    assert not [size for size in unpacked.on_loop if size > SLOW_BYTES]


async def test_the_loop_goes_on_meanwhile(unpacked: Unpacked) -> None:
    unpacked.takes_seconds = 0.3
    parts = Parts()
    parts.add(large(0))
    turns = 0
    reading = asyncio.ensure_future(parts.many())
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    assert await reading == {0: [0, 1]}
    assert turns > 5


async def test_one_batch_is_held_unpacked_at_a_time(unpacked: Unpacked) -> None:
    """Those who ask for different partitions take turns, and what nobody has taken gives way."""
    unpacked.takes_seconds = 0.05
    parts = Parts()
    first = parts.add(large(0), index=0)
    second = parts.add(large(0), index=1)
    both = await asyncio.gather(parts.many(0), parts.many(1))
    assert both == [{0: [0, 1]}, {1: [0, 1]}]
    assert unpacked.most_at_once == 1
    third, fourth = parts.add(large(2), index=0), parts.add(large(2), index=1)
    reading = asyncio.ensure_future(parts.many(0))
    await asyncio.sleep(0)
    third.assigned.is_paused = True
    assert await reading == {}
    assert await parts.many(1) == {1: [2, 3]}
    assert third.batches._unpacked is None
    third.assigned.is_paused = False
    assert await parts.many(0) == {0: [2, 3]}
    assert all(each.batches._unpacked is None for each in (first, second, third, fourth))


async def test_a_partition_that_is_left_meanwhile_gives_nothing(unpacked: Unpacked) -> None:
    unpacked.takes_seconds = 0.05
    parts = Parts()
    part = parts.add(large(0))
    reading = asyncio.ensure_future(parts.many())
    await asyncio.sleep(0.01)
    parts.delivery.drop(part.assigned)
    assert await reading == {}
    assert parts.delivery.buffered_bytes == 0


async def test_a_damaged_batch_is_told_of_once(unpacked: Unpacked) -> None:
    parts = Parts()
    damaged = bytearray(large(0))
    damaged[-SLOW_BYTES] ^= 0xFF
    parts.add(bytes(damaged))
    with pytest.raises(ProtocolError, match=r"t-0 at offset 0: .*checksum"):
        await parts.many()
    assert await parts.many() == {}


async def test_columns_are_unpacked_aside_too(unpacked: Unpacked) -> None:
    pytest.importorskip("pyarrow")
    parts = Parts()
    parts.add(small(0), large(2), small(4), large(6))
    offsets: list[int] = []
    while len(offsets) < 8:
        for batch in await parts.delivery.next_columns(["offset"], 1 << 24, (), 0.0):
            offsets += batch.column("offset").to_pylist()
    assert offsets == list(range(8))
    assert not [size for size in unpacked.on_loop if size > SLOW_BYTES]
    assert len(unpacked.aside) == 2


KINDS = st.lists(st.sampled_from(["large", "small", "marker", "gzip"]), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    kinds=KINDS, first=st.integers(0, 5), steps=st.lists(st.sampled_from(["unpack", "forget"]), max_size=6)
)
def test_batches_are_the_same_whether_they_are_unpacked_ahead_or_not(
    kinds: list[str], first: int, steps: list[str]
) -> None:
    records = b""
    for number, kind in enumerate(kinds):
        if kind == "marker":
            records += marker(2 * number)
        elif kind == "small":
            records += small(2 * number)
        else:
            records += large(2 * number, Compression.GZIP if kind == "gzip" else Compression.LZ4)
    expected = list(FetchedBatches(records, from_offset=first))
    batches = FetchedBatches(records, from_offset=first)
    given_out = []
    for step in [*steps, *[None] * len(kinds)]:
        if step == "unpack" and batches.is_slow:
            batches.unpack()
            assert not batches.is_slow
        elif step == "forget":
            batches.forget_unpacked()
        batch = next(batches, None)
        if batch is not None:
            given_out.append(batch)
    assert [tuple(map(bytes_of, each)) for each in given_out] == [
        tuple(map(bytes_of, each)) for each in expected
    ]


def bytes_of(field: object) -> object:
    return bytes(field) if isinstance(field, bytearray | memoryview) else field


def marker(offset: int) -> bytes:
    """The end of a transaction, and a hole after it."""
    return bytes(
        build_end_transaction(
            committed=True,
            timestamp=5,
            producer_id=1,
            producer_epoch=0,
            coordinator_epoch=0,
            base_offset=offset,
        )
    )


def test_a_large_batch_behind_a_marker_is_the_next_one() -> None:
    """Nobody is given markers, so asking for the next batch would unpack the one behind it."""
    batches = FetchedBatches(marker(0) + small(2) + marker(4) + large(6), from_offset=0)
    assert not batches.is_slow
    next(batches)
    assert batches.is_slow


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
async def test_large_batches_of_every_codec_are_read_from_brokers(
    bootstrap: str, codec: str, unpacked: Unpacked
) -> None:
    topic = new_name("large")
    lines = [random.Random(number).randbytes(40).hex().encode() for number in range(10_000)]
    async with Producer(
        bootstrap_servers=bootstrap, compression_type=codec, batch_size=900_000, linger_ms=200
    ) as producer:
        for line in lines:
            await producer.send(topic, line)
    async with Consumer(topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
        async with asyncio.timeout(SECONDS):
            seen = [(await consumer.getone()).value for _ in lines]
    assert seen == lines
    assert max(unpacked.aside) > 2 * SLOW_BYTES
    assert max(unpacked.on_loop, default=0) <= SLOW_BYTES
