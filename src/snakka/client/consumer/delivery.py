"""What waits for the application, and how it is handed out: decoded batch by batch, nothing done message by message.

Rule: a position moves past what was handed out. What was handed out last counts as processed only when the application
comes back for more, so that committing by itself never skips a message that is being worked on.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from operator import length_hint
from typing import TYPE_CHECKING, NamedTuple

from snakka.client.consumer.fetched_parts import FetchedPart
from snakka.client.consumer.messages import Decode, Message
from snakka.client.consumer.positions import AssignedPartition
from snakka.client.consumer.waiting_calls import WaitingCalls
from snakka.client.errors import ClientError, DeserializationError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import PlainBatch
from snakka.protocol.record_columns import read_columns

if TYPE_CHECKING:
    import pyarrow

Partitions = Collection[TopicPartition]
Chosen = Collection[AssignedPartition]


class _Failure(NamedTuple):
    """What the application must hear of, and who waits until it has."""

    assigned: AssignedPartition | None
    error: Exception
    told: asyncio.Future[None] | None


class Delivery:
    """Fetched parts in the order in which they came, and the messages of the one that is being handed out."""

    def __init__(
        self,
        decode: Decode,
        most_bytes: int,
        on_room: Callable[[], None],
        on_trouble_told: Callable[[], None],
    ) -> None:
        """`on_room` hears when more may be fetched, `on_trouble_told` when what has failed may be tried again."""
        self.ready: Iterator[Message] = iter(())  # decoded, for whoever takes messages one by one
        self.buffered_bytes = 0
        self.fetched_bytes = 0
        self._consumed = 0  # records that were handed out, without those of `_run`
        self._decode = decode
        self._most_bytes = most_bytes
        self._on_room = on_room
        self._on_trouble_told = on_trouble_told
        self._parts: deque[FetchedPart] = deque()
        self._run: list[Message] = []  # what `ready` iterates over: of `_run_part`
        self._run_part: FetchedPart | None = None
        self._done = 0  # how many of `_run` the application is done with
        self._in_hands: dict[AssignedPartition, int] = {}  # given out at once: where that began
        self._failures: deque[_Failure] = deque()
        self._waiters: set[asyncio.Future[None]] = set()
        self._has_room_again = False
        self._holds = 0
        self._holder: asyncio.Task[object] | None = None
        self.calls = WaitingCalls()
        self._is_closed = False
        self._came_back: asyncio.Future[None] | None = None
        self._slow_part: FetchedPart | None = None  # whose next batch must be unpacked before it can be taken
        self._unpacked_part: FetchedPart | None = None  # whose next batch is, or is being unpacked
        self._unpacking: asyncio.Future[None] | None = None

    # -- from the fetcher ---------------------------------------------------------------------------------------------

    def has_room_for(self, assigned: AssignedPartition) -> bool:
        """Whether more of this partition should be fetched: within the bound, or because somebody waits in vain."""
        if self.buffered_bytes < self._most_bytes:
            return True
        return bool(self._waiters) and not assigned.buffered_parts

    @property
    def free_bytes(self) -> int:
        """How much more may be buffered."""
        return max(self._most_bytes - self.buffered_bytes, 0)

    def add(self, part: FetchedPart) -> None:
        answer = part.answer
        if not answer.parts:
            self.buffered_bytes += answer.size
            self.fetched_bytes += answer.size
        answer.parts += 1
        part.assigned.buffered_parts += 1
        self._parts.append(part)

    def fail(self, error: Exception, assigned: AssignedPartition | None = None) -> None:
        """The application hears of it when it next asks for messages; the partition waits so long."""
        if assigned is not None:
            if assigned.has_failed:
                return
            assigned.has_failed = True
        elif any(each.assigned is None and str(each.error) == str(error) for each in self._failures):
            return  # the application has not heard of it yet, so it needs to hear of it once only
        self._failures.append(_Failure(assigned, error, None))
        self.notify()

    async def told(self, error: Exception) -> None:
        """Let the application hear of it, and wait until it has."""
        told = asyncio.get_running_loop().create_future()
        failure = _Failure(None, error, told)
        self._failures.append(failure)
        self.notify()
        try:
            await told
        finally:
            if failure in self._failures:
                self._failures.remove(failure)

    def notify(self) -> None:
        """Whoever waits looks again."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    # -- from the consumer --------------------------------------------------------------------------------------------

    def drop(self, assigned: AssignedPartition) -> None:
        """The partition is read elsewhere now, or not at all: what is there of it is worth nothing."""
        self.settle()
        if self._run_part is not None and self._run_part.assigned is assigned:
            self._end_run()
        for part in [part for part in self._parts if part.assigned is assigned]:
            self._parts.remove(part)
            self._release(part)
        self._in_hands.pop(assigned, None)
        self._failures = deque(each for each in self._failures if each.assigned is not assigned)

    def settle(self) -> None:
        """Let the position of the part that is being handed out be what it is now."""
        part = self._run_part
        if part is None:
            return
        handed = self._handed_out
        if handed == len(self._run):
            part.assigned.position = part.batches.next_offset
        elif handed:
            part.assigned.position = self._run[handed - 1].offset + 1
        if handed:
            part.assigned.epoch = part.epoch

    def interrupt(self) -> None:
        """The application gets no further message before it has come here; the rest of a batch is decoded again then."""
        part = self._run_part
        if part is not None and self._handed_out < len(self._run):
            self.settle()
            part.rewind(part.assigned.position)
            del self._run[self._handed_out :]

    def processed(self, assigned: AssignedPartition) -> int:
        """The position without what the application was given last and has in its hands still."""
        if assigned in self._in_hands:
            return self._in_hands[assigned]
        part = self._run_part
        if part is not None and part.assigned is assigned and self._handed_out > self._done:
            return self._run[self._handed_out - 1].offset
        return assigned.position

    @property
    def is_in_hands(self) -> bool:
        """Whether the application was given something and has not come back since."""
        return bool(self._in_hands) or self._handed_out > self._done

    @property
    def is_waited_for(self) -> bool:
        """Whether the application waits for messages just now."""
        return self.calls.now > 0

    @property
    def consumed_records(self) -> int:
        """How many the application was given."""
        return self._consumed + self._handed_out

    @property
    def activity(self) -> object:
        """Differs from what it was before if the application has come for messages since."""
        return self.calls.ended, id(self._run), self._handed_out

    async def hold(self, deadline_seconds: float) -> bool:
        """Hand nothing out until `release`, and wait until the application has come back; False if it does not."""
        self._holds += 1
        self._holder = asyncio.current_task()
        self.interrupt()
        if not self.is_in_hands:
            return True
        self._came_back = asyncio.get_running_loop().create_future()
        await asyncio.wait((self._came_back,), timeout=deadline_seconds)
        return self._came_back.done()

    def release(self) -> None:
        self._holds -= 1
        self._holder = None
        self.notify()

    async def called(self) -> None:
        """Wait until the application asks for messages."""
        if not self.calls.now:
            self._came_back = asyncio.get_running_loop().create_future()
            await self._came_back

    def close(self) -> None:
        """Hand nothing out any more; whoever waits hears that it is the end."""
        self._is_closed = True
        self.interrupt()
        self.notify()

    # -- to the application -------------------------------------------------------------------------------------------

    async def next_message(self) -> Message | None:
        """The next message, when there is one; None at the end."""
        await self._until(lambda: self._open_run(()), None)
        for message in self.ready:
            return message
        return None

    async def next_messages(
        self, most: int, partitions: Partitions, timeout_seconds: float, chosen: Chosen = ()
    ) -> dict[TopicPartition, list[Message]]:
        """At most so many messages by partition; none if none come in time, or none are wanted any more."""
        taken: dict[TopicPartition, list[Message]] = {}
        await self._until(
            lambda: self._take(taken, most, partitions) or _are_at_stop(chosen), timeout_seconds
        )
        return taken

    async def next_columns(
        self,
        columns: Sequence[str],
        most_bytes: int,
        partitions: Partitions,
        timeout_seconds: float,
        chosen: Chosen = (),
    ) -> "list[pyarrow.RecordBatch]":
        """About so many bytes of records as columns: a record batch for each part of a partition that came at once."""
        taken: list[pyarrow.RecordBatch] = []
        await self._until(
            lambda: self._take_columns(taken, columns, most_bytes, partitions) or _are_at_stop(chosen),
            timeout_seconds,
        )
        return taken

    def come_back(self) -> None:
        """The application asks for more: it has done what was given to it."""
        self.settle()
        self._done = self._handed_out
        self._in_hands.clear()
        if self._came_back is not None and not self._came_back.done():
            self._came_back.set_result(None)

    async def found(self, assigned: AssignedPartition, timeout_seconds: float) -> bool:
        """Wait until the partition has a position; what prevents that is raised here."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_seconds
        while not assigned.has_position and not self._is_closed and deadline > loop.time():
            if assigned.has_failed:
                self._raise_failure(assigned)
            await self._news(deadline - loop.time())
        return assigned.has_position

    async def _until(self, take: Callable[[], bool], timeout_seconds: float | None) -> None:
        """Until `take` finds something, the time is over, or the consumer is closed."""
        loop = asyncio.get_running_loop()
        deadline = None if timeout_seconds is None else loop.time() + timeout_seconds
        if self._holder is not None and asyncio.current_task() is self._holder:
            raise ClientError("a rebalance listener can't ask for messages: they come when it has returned")
        self.come_back()
        with self.calls:
            if self._has_room_again:
                # Let the next fetch begin: an application that never waits for anything else would not.
                self._has_room_again = False
                await asyncio.sleep(0)
            while not self._is_closed:
                if not self._holds:
                    self._raise_failure()
                    self._slow_part = None
                    if take():
                        return
                    self._raise_failure()  # of what could not be read just now
                    if self._slow_part is not None:
                        await self._unpack(self._slow_part)
                        continue
                remaining = None if deadline is None else deadline - loop.time()
                if remaining is not None and remaining <= 0:
                    return
                await self._news(remaining)

    async def _news(self, seconds: float | None) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        if self.buffered_bytes >= self._most_bytes:
            self._on_room()
        try:
            await asyncio.wait((waiter,), timeout=seconds)
        finally:
            self._waiters.discard(waiter)

    def _raise_failure(self, of: AssignedPartition | None = None) -> None:
        """Raise what has failed first, or first of this partition."""
        for failure in self._failures:
            assigned, error, told = failure
            if of is None or assigned is of:
                self._failures.remove(failure)
                if assigned is not None:
                    assigned.has_failed = False
                    self._on_trouble_told()
                if told is not None and not told.done():
                    told.set_result(None)
                raise error

    # -- what is slow to unpack ---------------------------------------------------------------------------------------

    def _is_slow(self, part: FetchedPart) -> bool:
        """Whether the part's next batch is to be unpacked in a thread first: the event loop would be held up."""
        if part.batches.is_slow:
            self._slow_part = part
            return True
        return False

    async def _unpack(self, part: FetchedPart) -> None:
        """Unpack its next batch, or wait until another one is: one is held at a time, so that memory stays bounded."""
        if self._unpacking is None or self._unpacking.done():
            if self._unpacked_part is not None and self._unpacked_part is not part:
                self._unpacked_part.batches.forget_unpacked()
            self._unpacked_part = part
            self._unpacking = asyncio.get_running_loop().run_in_executor(None, part.batches.unpack)
        await asyncio.wait((self._unpacking,))
        self._unpacking.result()

    # -- runs of messages ---------------------------------------------------------------------------------------------

    @property
    def _handed_out(self) -> int:
        return len(self._run) - length_hint(self.ready)

    def _begin_run(self, part: FetchedPart, run: list[Message]) -> None:
        self._run_part, self._run, self.ready, self._done = part, run, iter(run), 0

    def _end_run(self) -> None:
        """What was not handed out of it is decoded again when its turn comes."""
        self.interrupt()
        self._consumed += len(self._run)
        self._run_part, self._run, self.ready, self._done = None, [], iter(()), 0

    def _open_run(self, partitions: Partitions) -> bool:
        """Whether `ready` has a message of these partitions, of any if there are none."""
        part = self._run_part
        if part is not None:
            if self._may_give(part.assigned, partitions) and self._handed_out < len(self._run):
                return True
            self._end_run()
        index = 0
        while index < len(self._parts):
            part = self._parts[index]
            if not self._may_give(part.assigned, partitions):
                index += 1
            elif self._is_slow(part):
                return False
            elif self._decode_run(part):
                return True
        return False

    def _may_give(self, assigned: AssignedPartition, partitions: Partitions) -> bool:
        if assigned.is_paused or assigned.is_revoking:
            return False
        return not partitions or assigned.partition in partitions

    def _decode_run(self, part: FetchedPart) -> bool:
        """Whether the part has messages still; if it has none it goes."""
        begins = part.batches.next_offset
        try:
            for batch in part.batches:
                run = self._decoded(part, batch)
                if run:
                    self._begin_run(part, run)
                    return True
                begins = part.batches.next_offset
                if part.batches.is_slow:
                    return False
        except DeserializationError as error:
            self._give_up(part, error)
        except ProtocolError as error:
            part.rewind(begins)
            self._give_up(part, _unreadable(part, error))
        else:
            self._finish(part)
        return False

    def _decoded(self, part: FetchedPart, batch: PlainBatch) -> list[Message]:
        topic, partition = part.assigned.partition
        try:
            return self._decode(batch, topic, partition)
        except DeserializationError as error:
            # Those before it first; then the position is at the one that can't be read.
            part.rewind(error.offset)
            run = self._decode(batch._replace(stop=error.offset), topic, partition)
            if not run:
                raise
            return run

    def _take(self, taken: dict[TopicPartition, list[Message]], most: int, partitions: Partitions) -> bool:
        while most > 0 and self._open_run(partitions):
            part, run = self._run_part, self._run
            assert part is not None
            if self._handed_out or len(run) > most:
                run = list(islice(self.ready, most))
            else:
                self.ready = iter(())
            most -= len(run)
            self._in_hands.setdefault(part.assigned, part.assigned.position)
            already = taken.setdefault(part.assigned.partition, run)
            if already is not run:
                already += run
            self.settle()
        return bool(taken)

    def _take_columns(
        self,
        taken: "list[pyarrow.RecordBatch]",
        columns: Sequence[str],
        most_bytes: int,
        partitions: Partitions,
    ) -> bool:
        self._end_run()
        index = 0
        while most_bytes > 0 and index < len(self._parts):
            part = self._parts[index]
            assigned = part.assigned
            if not self._may_give(assigned, partitions):
                index += 1
                continue
            if self._is_slow(part):
                break
            begins = part.batches.next_offset
            try:
                decoded = read_columns(part.batches, columns, most_bytes, before_slow=True)
            except ProtocolError as error:
                part.rewind(begins)
                self._give_up(part, _unreadable(part, error))
                continue
            if decoded is None:
                self._finish(part)
                continue
            self._in_hands.setdefault(assigned, assigned.position)
            assigned.position, assigned.epoch = decoded.next_offset, part.epoch
            self._consumed += decoded.rows
            if decoded.rows:
                taken.append(decoded.to_arrow(*assigned.partition))
            most_bytes -= decoded.size
        return bool(taken)

    # -- the end of a part --------------------------------------------------------------------------------------------

    def _finish(self, part: FetchedPart) -> None:
        """All of it was handed out, or was not for the application."""
        part.assigned.position, part.assigned.epoch = part.batches.next_offset, part.epoch
        self._parts.remove(part)
        self._release(part)

    def _give_up(self, part: FetchedPart, error: Exception) -> None:
        """What comes next can't be read: the application hears of it; it is fetched again if it goes on all the same."""
        assigned, position = part.assigned, part.batches.next_offset
        self.drop(assigned)
        assigned.position, assigned.epoch = position, part.epoch
        assigned.rewind()
        self.fail(error, assigned)

    def _release(self, part: FetchedPart) -> None:
        assigned, answer = part.assigned, part.answer
        if self._unpacked_part is part:
            self._unpacked_part = None
        assigned.buffered_parts -= 1
        if not assigned.buffered_parts:
            assigned.waits_for_application = False
        answer.parts -= 1
        if not answer.parts:
            self.buffered_bytes -= answer.size
        self._has_room_again = True
        self._on_room()


def _are_at_stop(chosen: Chosen) -> bool:
    """Whether there is nothing to wait for."""
    return bool(chosen) and all(each.is_at_stop for each in chosen)


def _unreadable(part: FetchedPart, error: ProtocolError) -> ProtocolError:
    offset = part.batches.next_offset
    return ProtocolError(f"{part.assigned.partition} at offset {offset}: {error}; seek past it to go on")
