"""What waits for the application: order, positions, what counts as processed, and the bound on memory."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.client.consumer.delivery import Delivery
from snakka.client.consumer.fetched_parts import Answer, FetchedPart, end_of_batches
from snakka.client.consumer.messages import message_decoder
from snakka.client.consumer.positions import AssignedPartition
from snakka.client.errors import ClientError, DeserializationError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.errors import ProtocolError

MANY_BYTES = 1 << 20


def nothing() -> None:
    return None


class Buffer:
    """A delivery, and one fetched part after the other for it."""

    def __init__(self, most_bytes: int = MANY_BYTES, **deserializers: Callable[[bytes], Any]) -> None:
        self.rooms = 0
        decode = message_decoder(deserializers.get("key"), deserializers.get("value"))
        self.delivery = Delivery(decode, most_bytes, self._has_room, nothing)
        self.partitions: dict[int, AssignedPartition] = {}

    def _has_room(self) -> None:
        self.rooms += 1

    def assigned(self, index: int = 0) -> AssignedPartition:
        if index not in self.partitions:
            self.partitions[index] = AssignedPartition(TopicPartition("t", index))
            self.partitions[index].seek(0)
        return self.partitions[index]

    def add(self, *batch_sizes: int, index: int = 0, damaged: bool = False) -> FetchedPart:
        """A part of batches of so many records, whose values are their offsets."""
        assigned = self.assigned(index)
        records = bytearray()
        offset = assigned.fetch_offset
        for size in batch_sizes:
            rows = [Record(-1, 0, b"k", b"%d" % (offset + number)) for number in range(size)]
            records += build_batch(rows, base_offset=offset)
            offset += size
        if damaged:
            records[-1] ^= 1
        answer = Answer()
        answer.size = len(records)
        part = FetchedPart(assigned, memoryview(records), assigned.fetch_offset, 4, (), True, answer)
        assigned.fetched(offset, 4)
        self.delivery.add(part)
        self.delivery.notify()
        return part

    async def one(self) -> int:
        for message in self.delivery.ready:
            return message.offset
        message = await self.delivery.next_message()
        assert message is not None
        return message.offset

    async def many(self, most: int = 1000, *indexes: int, seconds: float = 0.0) -> dict[int, list[int]]:
        wanted = [TopicPartition("t", index) for index in indexes]
        found = await self.delivery.next_messages(most, wanted, seconds)
        return {each.partition: [message.offset for message in messages] for each, messages in found.items()}

    def position(self, index: int = 0) -> int:
        self.delivery.settle()
        return self.assigned(index).position

    def processed(self, index: int = 0) -> int:
        self.delivery.settle()
        return self.delivery.processed(self.assigned(index))


async def test_messages_come_in_order_and_positions_follow() -> None:
    buffer = Buffer()
    buffer.add(2, 3)
    buffer.add(1)
    assert buffer.position() == 0
    for offset in range(6):
        assert await buffer.one() == offset
        assert buffer.position() == offset + 1
        assert buffer.processed() == offset  # it is being worked on
    assert await buffer.many() == {}
    assert buffer.processed() == 6


async def test_many_at_once_stop_at_the_limit_and_go_on_there() -> None:
    buffer = Buffer()
    buffer.add(2, 3)
    buffer.add(4, index=1)
    assert await buffer.many(3) == {0: [0, 1, 2]}
    assert (buffer.position(), buffer.processed()) == (3, 0)
    assert await buffer.many(4) == {0: [3, 4], 1: [0, 1]}
    assert (buffer.processed(0), buffer.processed(1)) == (3, 0)
    assert await buffer.many(100) == {1: [2, 3]}
    assert (buffer.processed(0), buffer.processed(1)) == (5, 2)


async def test_one_by_one_many_and_columns_can_be_mixed() -> None:
    buffer = Buffer()
    buffer.add(10, 10)
    assert await buffer.one() == 0
    assert await buffer.many(3) == {0: [1, 2, 3]}
    assert await buffer.one() == 4
    (batch,) = await buffer.delivery.next_columns(["offset", "value"], 1, (), 0)
    assert batch.column("offset").to_pylist() == list(range(5, 10))
    assert batch.column("value")[0].as_py() == b"5"
    assert (buffer.position(), buffer.processed()) == (10, 5)
    assert await buffer.one() == 10
    assert (await buffer.many())[0] == list(range(11, 20))


async def test_a_seek_drops_what_is_there() -> None:
    buffer = Buffer()
    buffer.add(5)
    buffer.add(5, index=1)
    assert await buffer.one() == 0
    buffer.delivery.drop(buffer.assigned())
    buffer.assigned().seek(100)
    assert await buffer.many() == {1: [0, 1, 2, 3, 4]}
    buffer.add(1)
    assert await buffer.one() == 100


async def test_a_paused_partition_keeps_what_it_has() -> None:
    buffer = Buffer()
    buffer.add(5)
    buffer.add(2, index=1)
    assert await buffer.one() == 0
    buffer.assigned().is_paused = True
    buffer.delivery.interrupt()
    assert await buffer.many() == {1: [0, 1]}
    assert await buffer.many() == {}
    buffer.assigned().is_paused = False
    assert await buffer.many() == {0: [1, 2, 3, 4]}


async def test_only_the_partitions_that_are_named() -> None:
    buffer = Buffer()
    buffer.add(2)
    buffer.add(2, index=1)
    assert await buffer.many(10, 1) == {1: [0, 1]}
    assert await buffer.many(10, 1) == {}
    assert await buffer.many(10, 0) == {0: [0, 1]}


async def test_who_waits_is_woken() -> None:
    buffer = Buffer()
    waiting = asyncio.ensure_future(buffer.one())
    await asyncio.sleep(0)
    assert buffer.delivery.is_waited_for
    buffer.add(1)
    assert await waiting == 0
    assert not buffer.delivery.is_waited_for


async def test_memory_is_bounded_and_an_answer_holds_it_until_its_last_part() -> None:
    buffer = Buffer(most_bytes=100)
    first = buffer.add(1)
    assert buffer.delivery.buffered_bytes == len(first.records) < 100
    assert buffer.delivery.has_room_for(buffer.assigned())
    second = buffer.add(1, index=1)
    second.answer.size += 100  # as if there were more in it
    buffer.delivery.buffered_bytes += 100
    assert not buffer.delivery.has_room_for(buffer.assigned())
    assert await buffer.many(10, 1) == {1: [0]}
    assert await buffer.many(10, 1) == {}
    assert buffer.delivery.buffered_bytes == len(first.records)
    assert buffer.rooms


async def test_beyond_the_bound_only_what_somebody_waits_for_is_fetched() -> None:
    buffer = Buffer(most_bytes=1)
    buffer.add(1)
    buffer.assigned().is_paused = True
    waiting = asyncio.ensure_future(buffer.one())
    await asyncio.sleep(0)
    assert buffer.rooms  # the fetcher is told
    assert buffer.delivery.has_room_for(buffer.assigned(1))
    assert not buffer.delivery.has_room_for(buffer.assigned(0))
    buffer.add(1, index=1)
    assert await waiting == 0


async def test_a_damaged_batch_is_told_with_its_offset_after_what_is_whole() -> None:
    buffer = Buffer()
    buffer.add(2)
    buffer.add(3, damaged=True)
    assert await buffer.many() == {0: [0, 1]}
    with pytest.raises(ProtocolError, match=r"t-0 at offset 2: .*checksum.*; seek past it"):
        await buffer.many(seconds=1)
    assert buffer.position() == buffer.assigned().fetch_offset == 2


async def test_what_the_application_can_t_read_is_named_and_comes_again() -> None:
    def number(value: bytes) -> int:
        if value == b"3":
            raise ValueError("three!")
        return int(value)

    buffer = Buffer(value=number)
    buffer.add(6)
    messages = await buffer.delivery.next_messages(100, (), 0)
    assert [message.value for message in messages[TopicPartition("t", 0)]] == [0, 1, 2]
    for _ in range(2):
        with pytest.raises(DeserializationError, match=r"t-0 at offset 3: ValueError\('three!'\)") as caught:
            await buffer.many(seconds=1)
        assert caught.value.offset == buffer.position() == buffer.assigned().fetch_offset == 3
        buffer.add(3)  # it is fetched again


async def test_errors_are_told_once_and_the_partition_goes_on() -> None:
    buffer = Buffer()
    buffer.delivery.fail(ClientError("first"), buffer.assigned())
    buffer.delivery.fail(ClientError("of the same partition, so not told"), buffer.assigned())
    assert buffer.assigned().has_failed
    with pytest.raises(ClientError, match="first"):
        await buffer.many()
    assert not buffer.assigned().has_failed
    assert await buffer.many() == {}


async def test_a_rebalance_waits_until_the_application_is_between_messages() -> None:
    buffer = Buffer()
    buffer.add(1000)
    assert await buffer.one() == 0
    holding = asyncio.ensure_future(buffer.delivery.hold(20))
    await asyncio.sleep(0)
    assert not holding.done()
    assert buffer.processed() == 0
    asking = asyncio.ensure_future(
        buffer.one()
    )  # it is done with the first one, though many more were decoded
    assert await holding
    assert (buffer.position(), buffer.processed()) == (1, 1)
    assert not asking.done()
    buffer.delivery.release()
    assert await asking == 1


async def test_a_rebalance_does_not_wait_for_ever() -> None:
    buffer = Buffer()
    buffer.add(2)
    await buffer.many(1)
    assert not await buffer.delivery.hold(0.01)


async def test_a_listener_that_asks_for_messages_is_told_that_it_can_t() -> None:
    buffer = Buffer()
    assert await buffer.delivery.hold(1)
    with pytest.raises(ClientError, match="a rebalance listener can't ask for messages"):
        await buffer.one()


async def test_the_end_wakes_whoever_waits() -> None:
    buffer = Buffer()
    waiting = asyncio.ensure_future(buffer.delivery.next_message())
    await asyncio.sleep(0)
    buffer.delivery.close()
    assert await waiting is None


async def test_activity_shows_that_the_application_comes_for_messages() -> None:
    buffer = Buffer()
    buffer.add(10)
    seen = [buffer.delivery.activity]
    await buffer.many(1)
    seen.append(buffer.delivery.activity)
    for _ in range(3):
        await buffer.one()
        seen.append(buffer.delivery.activity)
    assert len(set(map(repr, seen))) == len(seen)
    assert buffer.delivery.activity == seen[-1]


def test_the_end_of_batches_is_found_without_decoding() -> None:
    first = bytes(build_batch([Record(-1, 0, b"k", b"v")] * 2, base_offset=10))
    second = bytes(build_batch([Record(-1, 0, b"k", b"v")] * 3, base_offset=12))
    for cut in range(len(second)):
        assert end_of_batches(memoryview(first + second[:cut])) == (12, -1)
    assert end_of_batches(memoryview(first + second)) == (15, -1)
    assert end_of_batches(memoryview(first[:-1])) is None
    assert end_of_batches(memoryview(b"")) is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.lists(st.integers(1, 6), min_size=1, max_size=3), st.integers(0, 2)),
            st.tuples(st.just("one"), st.none(), st.none()),
            st.tuples(st.just("many"), st.integers(1, 8), st.none()),
            st.tuples(st.just("columns"), st.integers(1, 300), st.none()),
            st.tuples(st.just("pause"), st.none(), st.integers(0, 2)),
            st.tuples(st.just("rewind"), st.none(), st.integers(0, 2)),
            st.tuples(st.just("interrupt"), st.none(), st.none()),
        ),
        max_size=40,
    )
)
def test_however_it_is_read_each_partition_comes_once_and_in_order(steps: list[tuple[str, Any, Any]]) -> None:
    async def story() -> None:
        buffer = Buffer()
        got: dict[int, list[int]] = {0: [], 1: [], 2: []}
        for what, argument, index in [*steps, *[("resume", None, index) for index in range(3)]]:
            before = {each: len(offsets) for each, offsets in got.items()}
            if what == "add":
                buffer.add(*argument, index=index)
            elif what == "one":
                task = asyncio.ensure_future(buffer.delivery.next_message())
                await asyncio.sleep(0)
                if task.done() and (message := task.result()) is not None:
                    got[message.partition].append(message.offset)
                task.cancel()
            elif what == "many":
                for each, offsets in (await buffer.many(argument)).items():
                    got[each] += offsets
            elif what == "columns":
                for batch in await buffer.delivery.next_columns(["partition", "offset"], argument, (), 0):
                    got[batch.column(0)[0].as_py()] += batch.column(1).to_pylist()
            elif what == "pause":
                buffer.assigned(index).is_paused ^= True
                buffer.delivery.interrupt()
            elif what == "resume":
                buffer.assigned(index).is_paused = False
            elif what == "rewind":
                buffer.delivery.drop(buffer.assigned(index))
                buffer.assigned(index).rewind()
            else:
                buffer.delivery.interrupt()
            for each, offsets in got.items():
                assert offsets == list(range(len(offsets)))
                assert buffer.position(each) == len(offsets)
                assert before[each] <= buffer.processed(each) <= len(offsets) or what not in ("one", "many")
        for each, offsets in (await buffer.many(10_000)).items():
            got[each] += offsets
        for each, offsets in got.items():
            assert offsets == list(range(buffer.assigned(each).fetch_offset))
        assert await buffer.many() == {}
        assert buffer.delivery.buffered_bytes == 0

    asyncio.run(story())
