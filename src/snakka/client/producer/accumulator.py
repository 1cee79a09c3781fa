"""Where records wait to be sent: by topic and partition, in batches, within buffer.memory.

Rule: a batch is handed to the sender when it is full, when linger.ms has passed since its first record, or when somebody
flushes; never by looking around.
"""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence

from snakka.client.cluster_view import TopicView
from snakka.client.errors import RecordTooLargeError
from snakka.client.producer.batches import Batch, PartitionQueue, TopicQueues
from snakka.client.producer.buffer_memory import BufferMemory
from snakka.client.producer.partitioners import StickyPartition
from snakka.client.producer.receipts import RecordMetadata, RowsReceipt
from snakka.client.producer.sequences import DeliveryLine
from snakka.client.settings import ProducerSettings
from snakka.protocol.record_batch import HEADER_SIZE, Bytes
from snakka.protocol.record_encoder import EncodedBatch, PairedHeaders, new_encoder
from snakka.runtime.clock import Clock

# Lengths, timestamp, offset and attributes of a record, and the length of each header's name and value, at most.
_RECORD_BYTES = 5 + 1 + 10 + 5 + 5 + 5 + 5
_HEADER_BYTES = 5 + 5
# A timer may fire a little early.
_TIMER_SLACK_SECONDS = 0.0005


class Accumulator:
    """All that was given to a producer and is not settled."""

    def __init__(
        self,
        settings: ProducerSettings,
        clock: Clock,
        chance: random.Random,
        new_line: Callable[[], DeliveryLine[Batch]],
    ) -> None:
        self.topics: dict[str, TopicQueues] = {}
        self._missing: dict[str, TopicQueues] = {}
        self.unsettled: dict[Batch, None] = {}  # oldest first
        self.memory = BufferMemory(settings.buffer_memory)
        self.avoided_leaders: Callable[[], Sequence[int]] = tuple
        self._settings = settings
        self._batch_bytes = min(settings.batch_size, settings.max_request_size, settings.buffer_memory)
        self._linger_seconds = settings.linger_ms / 1000
        self._delivery_seconds = settings.delivery_timeout_ms / 1000
        self._clock = clock
        self._chance = chance
        self._new_line = new_line
        self._loop = asyncio.get_running_loop()
        self._lingering: dict[Batch, None] = {}  # those that take records, oldest first
        self._linger_timer: asyncio.TimerHandle | None = None
        self._on_ready: Callable[[PartitionQueue], None]
        self._on_first: Callable[[float], None]
        self._check_open: Callable[[], None]

    def connect(
        self,
        on_ready: Callable[[PartitionQueue], None],
        on_first: Callable[[float], None],
        check_open: Callable[[], None],
    ) -> None:
        """Who hears that a queue has something to send, and of the first batch's deadline after there was none.

        `check_open` raises if records are not taken any more.
        """
        self._on_ready = on_ready
        self._on_first = on_first
        self._check_open = check_open

    # -- topics ---------------------------------------------------------------------------------------------------

    def queues_for(self, view: TopicView) -> TopicQueues:
        """The queues of a topic, with all the partitions that it has now."""
        topic = self.topics.get(view.name)
        if topic is None:
            topic = self._missing.pop(view.name, None)
            if topic is not None:
                self.topics[view.name] = topic
        if topic is None:
            sticky = StickyPartition(max(self._batch_bytes, 1), self._chance)
            topic = self.topics[view.name] = TopicQueues(view, sticky)
        self.update(topic, view)
        return topic

    def update(self, topic: TopicQueues, view: TopicView) -> None:
        topic.view = view
        is_new = not topic.partitions
        for index in range(len(topic.partitions), len(view.partitions)):
            topic.partitions.append(PartitionQueue(topic, index, self._new_line()))
        if is_new:
            self.move_sticky(topic)

    def set_aside(self, topic: TopicQueues) -> None:
        """Nothing is known of the topic now: who sends to it asks. If it comes back as the same, so do its queues."""
        if self.topics.pop(topic.name, None) is not None:
            self._missing[topic.name] = topic

    def end(self, topic: TopicQueues) -> None:
        """It does not exist any more. What it still has is to be failed."""
        self.topics.pop(topic.name, None)
        self._missing.pop(topic.name, None)
        for queue in topic.partitions:
            self.close_open(queue)

    def all_topics(self) -> list[TopicQueues]:
        return [*self.topics.values(), *self._missing.values()]

    def move_sticky(self, topic: TopicQueues) -> None:
        loads = topic.loads(self.avoided_leaders(), self._settings.partitioner_adaptive_partitioning_enable)
        topic.sticky_queue = topic.partitions[topic.sticky.move(loads)]

    # -- records --------------------------------------------------------------------------------------------------

    async def append(
        self,
        queue: PartitionQueue,
        is_sticky: bool,
        timestamp_ms: int,
        key: Bytes | None,
        value: Bytes | None,
        headers: PairedHeaders,
        deadline: float,
    ) -> "asyncio.Future[RecordMetadata]":
        """Add a record that did not fit the open batch."""
        size = _largest_size(key, value, headers)
        if size > min(self._settings.max_request_size, self.memory.total_bytes):
            raise self._too_large(size)
        topic = queue.topic
        was_full = queue.open is not None
        if was_full:
            self.close_open(queue)
        reserved = max(self._batch_bytes, size)
        held = 0
        try:
            while True:
                if is_sticky:
                    queue = topic.sticky_queue
                batch = queue.open
                if batch is not None:
                    if self._appended(batch, timestamp_ms, key, value, headers):
                        break
                    self.close_open(queue)
                elif held or self.memory.take_now(reserved):
                    self._open(queue, new_encoder(self._batch_bytes), reserved)
                    held = 0
                else:
                    await self.memory.take(reserved, max(deadline - self._clock.monotonic(), 0.0))
                    held = reserved
                    self._check_open()
                    if topic.end_reason is not None:
                        raise topic.end_reason
        finally:
            if held:
                self.memory.give_back(held)
        future: asyncio.Future[RecordMetadata] = self._loop.create_future()
        batch.futures.append(future)
        batch.timestamps.append(timestamp_ms)
        if was_full:
            await asyncio.sleep(0)  # who sends in a loop lets answers come in
        return future

    def _appended(
        self, batch: Batch, timestamp_ms: int, key: Bytes | None, value: Bytes | None, headers: PairedHeaders
    ) -> bool:
        try:
            return bool(batch.encoder.append(timestamp_ms, key, value, headers))
        except Exception:
            if not batch.encoder.count:  # a batch without records is never sent
                self.forget_open(batch)
                self.release(batch)
            raise

    async def add_rows(
        self,
        topic: TopicQueues,
        partition: int | None,
        encoded: EncodedBatch,
        receipt: RowsReceipt,
        deadline: float,
    ) -> None:
        """A batch that is complete already, for a partition or for any."""
        if encoded.size > min(self._settings.max_request_size, self.memory.total_bytes):
            raise self._too_large(encoded.size)
        await self.memory.take(encoded.size, max(deadline - self._clock.monotonic(), 0.0))
        try:
            self._check_open()
            if topic.end_reason is not None:
                raise topic.end_reason
        except BaseException:
            self.memory.give_back(encoded.size)
            raise
        queue = topic.sticky_queue if partition is None else topic.partitions[partition]
        self.close_open(queue)
        receipt.add()
        self._open(queue, encoded, encoded.size, receipt)
        self.close_open(queue)
        await asyncio.sleep(0)

    def _open(
        self,
        queue: PartitionQueue,
        encoder: EncodedBatch,
        reserved_bytes: int,
        rows: RowsReceipt | None = None,
    ) -> Batch:
        now = self._clock.monotonic()
        batch = Batch(queue, encoder, reserved_bytes, now, now + self._delivery_seconds, rows)
        queue.open = batch
        queue.topic.last_used = now
        if not self.unsettled:
            self._on_first(batch.deadline)
        self.unsettled[batch] = None
        if rows is None:
            self._lingering[batch] = None
            if self._linger_timer is None:
                self._linger_timer = self._loop.call_later(self._linger_seconds, self._linger_ended)
        return batch

    # -- batches --------------------------------------------------------------------------------------------------

    def close_open(self, queue: PartitionQueue) -> None:
        """The open batch takes no more records, and may be sent."""
        batch = queue.open
        if batch is None:
            return
        queue.open = None
        self._lingering.pop(batch, None)
        batch.count = batch.encoder.count
        queue.waiting.append(batch)
        topic = queue.topic
        if queue is topic.sticky_queue and topic.sticky.filled(batch.encoder.size):
            self.move_sticky(topic)
        self._on_ready(queue)

    def forget_open(self, batch: Batch) -> None:
        """An open batch takes no more records, and will not be sent."""
        batch.queue.open = None
        batch.count = batch.encoder.count
        self._lingering.pop(batch, None)

    def close_all(self) -> None:
        """Everything may be sent now."""
        for batch in list(self.unsettled):
            if batch.queue.open is batch:
                self.close_open(batch.queue)

    def close_for(self, leader_id: int) -> None:
        """A request goes to this broker anyway: what is open for it goes along if it could be sent now."""
        for batch in list(self._lingering):
            queue = batch.queue
            if not queue.waiting and queue.line.may_take and queue.leader_id == leader_id:
                self.close_open(queue)

    def replace(self, batch: Batch, parts: Iterable[Batch]) -> None:
        """A batch was split."""
        self.unsettled.pop(batch, None)
        self.unsettled.update((part, None) for part in parts)

    def release(self, batch: Batch) -> None:
        """A batch is settled: its memory is for others."""
        if self.unsettled.pop(batch, False) is None:
            self.memory.give_back(batch.reserved_bytes)

    async def settled(self, deadline_seconds: float | None) -> int:
        """Wait for all batches that there are now; the number of records that are not settled in time."""
        began = self._clock.monotonic()
        while True:
            batches = [batch for batch in self.unsettled if batch.created <= began]
            remaining = None
            if deadline_seconds is not None:
                remaining = began + deadline_seconds - self._clock.monotonic()
            if not batches or (remaining is not None and remaining <= 0):
                return sum(batch.count for batch in batches)
            # Those that are split meanwhile have parts, which are as old: they are waited for the next time round.
            finished = [batch.when_finished(self._loop) for batch in batches]
            await asyncio.wait(finished, timeout=remaining)

    def _linger_ended(self) -> None:
        self._linger_timer = None
        now = self._clock.monotonic()
        for batch in list(self._lingering):
            remaining = batch.created + self._linger_seconds - now
            if remaining > _TIMER_SLACK_SECONDS:
                self._linger_timer = self._loop.call_later(remaining, self._linger_ended)
                return
            self.close_open(batch.queue)

    def stop(self) -> None:
        if self._linger_timer is not None:
            self._linger_timer.cancel()
            self._linger_timer = None

    def _too_large(self, size: int) -> RecordTooLargeError:
        limit = self._settings.max_request_size
        name = "max.request.size" if size > limit else "buffer.memory"
        return RecordTooLargeError(
            f"the record may take {size} bytes, and {name}={min(limit, self.memory.total_bytes)} allows no more:"
            f" send less at a time, or raise {name}"
        )


def _largest_size(key: Bytes | None, value: Bytes | None, headers: PairedHeaders) -> int:
    """A batch of this record alone is not larger than that, before any compression."""
    size = HEADER_SIZE + _RECORD_BYTES
    if key is not None:
        size += len(key)
    if value is not None:
        size += len(value)
    for name, content in headers:
        # A character of a name is at most three bytes, a lone half of a surrogate pair too.
        size += _HEADER_BYTES + 4 * len(name) + len(content or b"")
    return size
