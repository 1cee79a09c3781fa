"""A batch from its first record to its outcome, and the queue of batches of a partition.

Rule: records are encoded as they come, and a batch's bytes are made once; what changes afterwards is its number only, and
never while a connection may still be sending it.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from snakka.client.cluster_topics import NO_LEADER, TopicView
from snakka.client.producer.partitioners import StickyPartition
from snakka.client.producer.receipts import (
    BatchMetadata,
    RecordMetadata,
    RowsReceipt,
    fail_records,
    settle_records,
)
from snakka.client.producer.sequences import DeliveryLine, Identity, Numbered
from snakka.protocol.batch_reader import read_records
from snakka.protocol.compression import Compression
from snakka.protocol.record_batch import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
)
from snakka.protocol.record_encoder import EncodedBatch, finish_batch, new_encoder, stamp_producer

if TYPE_CHECKING:
    from snakka.network.peer_connection import PeerConnection

_NOBODY = Identity(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
# Up to this size a batch is compressed at once: a thread costs more than it saves.
_PACKED_AT_ONCE_BYTES = 64 * 1024


class Packing(NamedTuple):
    """How batches are made."""

    compression: Compression = Compression.NONE
    level: int | None = None
    is_transactional: bool = False


class Batch(Numbered):
    """Records for one partition that are written together or not at all."""

    __slots__ = (
        "_stamp",
        "attempts",
        "bytes",
        "created",
        "deadline",
        "encoder",
        "failure",
        "finished",
        "futures",
        "is_packing",
        "is_settled",
        "queue",
        "reserved_bytes",
        "rows",
        "timestamps",
    )

    def __init__(
        self,
        queue: "PartitionQueue",
        encoder: EncodedBatch,
        reserved_bytes: int,
        created: float,
        deadline: float,
        rows: RowsReceipt | None = None,
    ) -> None:
        super().__init__()
        self.queue = queue
        self.encoder: Any = encoder  # a RecordEncoder while it takes records, an EncodedBatch at least
        self.reserved_bytes = reserved_bytes
        self.created = created
        self.deadline = deadline
        self.rows = rows
        self.futures: list[asyncio.Future[RecordMetadata]] = []
        self.timestamps: list[int] = []
        self.bytes: bytearray | None = None  # what is sent
        self.attempts = 0
        self.failure: Exception | None = None  # of the last attempt
        self.is_packing = False
        self.is_settled = False
        self.finished: asyncio.Future[None] | None = None  # for whoever flushes
        self._stamp = (_NOBODY, NO_SEQUENCE)

    # -- bytes ----------------------------------------------------------------------------------------------------

    def is_slow_to_pack(self, packing: Packing) -> bool:
        """Whether making its bytes would hold up the event loop."""
        return (
            self.bytes is None
            and packing.compression is not Compression.NONE
            and self.encoder.size > _PACKED_AT_ONCE_BYTES
        )

    def packed(self, packing: Packing) -> bytearray:
        """The bytes, without a number; may run in a thread, once."""
        return finish_batch(
            self.encoder,
            compression=packing.compression,
            level=packing.level,
            is_transactional=packing.is_transactional,
        )

    def numbered_bytes(self, packing: Packing) -> bytearray:
        """The bytes with the number that it has now."""
        identity = self.identity or _NOBODY
        stamp = (identity, self.sequence)
        if self.bytes is None:
            self.bytes = finish_batch(
                self.encoder,
                compression=packing.compression,
                level=packing.level,
                producer_id=identity.producer_id,
                producer_epoch=identity.epoch,
                base_sequence=self.sequence,
                is_transactional=packing.is_transactional,
            )
        elif stamp != self._stamp:
            stamp_producer(self.bytes, identity.producer_id, identity.epoch, self.sequence)
        self._stamp = stamp
        return self.bytes

    def halves(self) -> "list[Batch]":
        """Two batches of its records; for one record there is only itself."""
        assert self.bytes is not None
        records = list(read_records(self.bytes))
        middle = (len(records) + 1) // 2
        parts = []
        for start, end in ((0, middle), (middle, len(records))):
            if start == end:
                continue
            encoder = new_encoder(self.encoder.size)
            for record in records[start:end]:
                encoder.append(record.timestamp, record.key, record.value, record.headers)
            part = Batch(self.queue, encoder, 0, self.created, self.deadline, self.rows)
            part.count = end - start
            part.futures, part.timestamps = self.futures[start:end], self.timestamps[start:end]
            parts.append(part)
        # What was reserved stays so until the last of them is settled.
        parts[-1].reserved_bytes, self.reserved_bytes = self.reserved_bytes, 0
        if self.rows is not None:
            self.rows.add(len(parts) - 1)
        self._settled()
        return parts

    # -- the outcome ----------------------------------------------------------------------------------------------

    def acknowledge(self, base_offset: int, log_append_time_ms: int) -> None:
        """It was written."""
        queue = self.queue
        if self.rows is not None:
            self.rows.written(BatchMetadata(queue.topic.name, queue.index, base_offset, self.count))
        else:
            settle_records(
                self.futures, self.timestamps, queue.topic.name, queue.index, base_offset, log_append_time_ms
            )
        self._settled()

    def fail(self, error: Exception, is_told_otherwise: bool = False) -> None:
        if self.rows is not None:
            self.rows.failed(error)
        else:
            fail_records(self.futures, error, is_told_otherwise)
        self._settled()

    def when_finished(self, loop: asyncio.AbstractEventLoop) -> "asyncio.Future[None]":
        """Done when it is settled, or split."""
        if self.finished is None:
            self.finished = loop.create_future()
        return self.finished

    def _settled(self) -> None:
        self.is_settled = True
        self.futures, self.timestamps = [], []
        if self.finished is not None and not self.finished.done():
            self.finished.set_result(None)


class PartitionQueue:
    """The batches of one partition: the one that takes records, those that wait, and those that were sent."""

    __slots__ = (
        "connection",
        "index",
        "is_resting",
        "last_sent",
        "line",
        "listed_for",
        "not_before",
        "open",
        "topic",
        "waiting",
    )

    def __init__(self, topic: "TopicQueues", index: int, line: DeliveryLine[Batch]) -> None:
        self.topic = topic
        self.index = index
        self.line = line
        self.open: Batch | None = None
        self.waiting: deque[Batch] = deque()
        self.connection: PeerConnection | None = None  # where the line's batches are in flight
        self.not_before = 0.0  # the pause after a failure
        self.last_sent = 0.0
        self.is_resting = False
        self.listed_for: int | None = None  # the leader for which it is in the sender's list

    @property
    def shown(self) -> str:
        return f"{self.topic.name}-{self.index}"

    @property
    def leader_id(self) -> int:
        partitions = self.topic.view.partitions
        # Brokers that know no topic ids may have made the topic anew, with fewer partitions.
        return partitions[self.index].leader_id if self.index < len(partitions) else NO_LEADER

    @property
    def load(self) -> int:
        """Batches that are not acknowledged."""
        return len(self.waiting) + len(self.line.unsettled) + (self.open is not None)

    @property
    def queued(self) -> int:
        """Batches that wait to be sent, for the first time or again: what Kafka's partitioner goes by."""
        line = self.line
        return len(self.waiting) + (self.open is not None) + len(line.unsettled) - line.in_flight

    @property
    def has_work(self) -> bool:
        return bool(self.waiting) or self.line.in_flight < len(self.line.unsettled)


class TopicQueues:
    """The queues of one topic, which has one id: if a topic of that name is made anew, these end."""

    __slots__ = ("end_reason", "last_used", "name", "partitions", "sticky", "sticky_queue", "view")

    def __init__(self, view: TopicView, sticky: StickyPartition) -> None:
        self.name = view.name
        self.view = view
        self.sticky = sticky
        self.partitions: list[PartitionQueue] = []
        self.sticky_queue: PartitionQueue  # where records without a key go; set with the first partition
        self.last_used = 0.0
        self.end_reason: Exception | None = None  # why nothing can be sent to it any more

    @property
    def is_idle(self) -> bool:
        return not any(queue.load for queue in self.partitions)

    def loads(self, avoided: Sequence[int] = (), is_adaptive: bool = True) -> list[int | None]:
        """For each partition how much waits; None for those without a leader, or with one that is to be avoided."""
        loads: list[int | None] = []
        for queue in self.partitions:
            leader_id = queue.leader_id
            usable = leader_id != NO_LEADER and leader_id not in avoided
            loads.append((queue.queued if is_adaptive else 0) if usable else None)
        return loads
