"""A simple producer: takes records, makes batches of them by partition, and returns when brokers have them.

Rule: one batch a partition is under way at a time, so records keep their order whatever has to be sent again. A batch whose
answer was lost is sent again too, and may then be there twice.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snakka.client.cluster_view import ClusterView, TopicView
from snakka.client.errors import ClientError
from snakka.client.partitioner import StickyChoice, partition_for_key
from snakka.client.retry_policy import RETRIABLE, Pauses
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Headers, Record
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)

ACKS_NONE, ACKS_LEADER, ACKS_ALL = 0, 1, -1
UNKNOWN_OFFSET = -1

# Below a broker's message.max.bytes as it comes, with room for what a record costs besides its key and value.
BATCH_BYTES = 900_000
_RECORD_OVERHEAD_BYTES = 70


class ProducerRecord(NamedTuple):
    """What is sent. Without a partition the key decides; without a time it is now."""

    value: bytes | None
    key: bytes | None = None
    headers: Headers = ()
    partition: int | None = None
    timestamp_ms: int | None = None

    @property
    def size(self) -> int:
        headers = sum(len(name) + len(value or b"") for name, value in self.headers)
        return len(self.key or b"") + len(self.value or b"") + headers + _RECORD_OVERHEAD_BYTES


class Delivery(NamedTuple):
    """Where a batch went; the offset is that of its first record, -1 if the broker was not asked to answer."""

    partition: int
    base_offset: int
    record_count: int


class _Batch(NamedTuple):
    records: bytearray
    record_count: int


class Producer:
    """Sends records to topics of one cluster."""

    def __init__(
        self,
        cluster: ClusterView,
        *,
        acks: int = ACKS_ALL,
        compression: Compression = Compression.NONE,
        first_partition: int = 0,
    ) -> None:
        """`first_partition` is where records without a key begin; many short-lived producers choose it by chance."""
        self._cluster = cluster
        self._acks = acks
        self._compression = compression
        self._first_partition = first_partition
        self._choices: dict[str, StickyChoice] = {}

    async def send(self, topic: str, records: Iterable[ProducerRecord], *, deadline: float) -> list[Delivery]:
        """Send all, and return when they are acknowledged; ApiError or ClientError if one was not."""
        view = await self._cluster.topic(topic, deadline, create_missing=True)
        queues = self._batches(view, records)
        delivered: list[Delivery] = []
        while queues:
            heads = {partition: queue[0] for partition, queue in queues.items()}
            offsets = await self._deliver(topic, heads, deadline)
            for partition, batch in heads.items():
                delivered.append(Delivery(partition, offsets[partition], batch.record_count))
                queues[partition].popleft()
                if not queues[partition]:
                    del queues[partition]
        return delivered

    # -- batches --------------------------------------------------------------------------------------------------

    def _batches(self, topic: TopicView, records: Iterable[ProducerRecord]) -> dict[int, deque[_Batch]]:
        now_ms = self._cluster.pool.clock.now_ms()
        gathered: dict[int, list[Record]] = {}
        sizes: dict[int, int] = {}
        queues: dict[int, deque[_Batch]] = {}

        def close_batch(partition: int) -> None:
            built = gathered.pop(partition)
            batch = _Batch(build_batch(built, compression=self._compression), len(built))
            queues.setdefault(partition, deque()).append(batch)

        for record in records:
            partition = self._partition(topic, record)
            size = sizes.get(partition, 0) + record.size
            if partition in gathered and size > BATCH_BYTES:
                close_batch(partition)
                size = record.size
            sizes[partition] = size
            timestamp = now_ms if record.timestamp_ms is None else record.timestamp_ms
            gathered.setdefault(partition, []).append(
                Record(-1, timestamp, record.key, record.value, record.headers)
            )
        for partition in list(gathered):
            close_batch(partition)
        return queues

    def _partition(self, topic: TopicView, record: ProducerRecord) -> int:
        if record.partition is not None:
            return record.partition
        if record.key is not None:
            return partition_for_key(record.key, len(topic.partitions))
        choice = self._choices.setdefault(topic.name, StickyChoice(self._first_partition))
        return choice.choose(record.size, len(topic.partitions))

    # -- requests -------------------------------------------------------------------------------------------------

    async def _deliver(self, topic: str, batches: dict[int, _Batch], deadline: float) -> dict[int, int]:
        """Until each batch is acknowledged; the offsets by partition."""
        pauses = Pauses(self._cluster.pool.clock, deadline)
        offsets: dict[int, int] = {}
        waiting = dict(batches)
        while True:
            failure = await self._attempt(topic, waiting, offsets, deadline)
            for partition in offsets:
                waiting.pop(partition, None)
            if failure is None:
                return offsets
            if isinstance(failure, ApiError) and failure.code not in RETRIABLE:
                raise failure
            self._cluster.forget(topic)
            await pauses.wait(failure)

    async def _attempt(
        self, topic: str, batches: dict[int, _Batch], offsets: dict[int, int], deadline: float
    ) -> ApiError | ClientError | None:
        """Send each batch once; `offsets` gets those that arrived, and the last failure is returned."""
        failure: ApiError | ClientError | None = None
        try:
            view = await self._cluster.topic(topic, deadline)
            groups = self._cluster.by_leader(view, batches)
        except (ApiError, ClientError) as error:
            return error
        for broker, partitions in groups.items():
            try:
                for row in await self._produce(broker, view, partitions, batches, deadline):
                    if row.error_code == ErrorCode.NONE:
                        offsets[row.index] = row.base_offset
                    else:
                        failure = _produce_error(topic, row)
            except (ApiError, ClientError) as error:
                failure = error
        return failure

    async def _produce(
        self,
        broker: int,
        topic: TopicView,
        partitions: Sequence[int],
        batches: dict[int, _Batch],
        deadline: float,
    ) -> list[PartitionProduceResponse]:
        pool = self._cluster.pool
        data = [
            PartitionProduceData(index=partition, records=batches[partition].records)
            for partition in partitions
        ]
        request = ProduceRequest(
            acks=self._acks,
            timeout_ms=max(int((deadline - pool.clock.monotonic()) * 1000), 1),
            topic_data=[TopicProduceData(name=topic.name, topic_id=topic.topic_id, partition_data=data)],
        )
        if self._acks == ACKS_NONE:
            await pool.tell(broker, request, deadline)
            return [
                PartitionProduceResponse(index=partition, base_offset=UNKNOWN_OFFSET)
                for partition in partitions
            ]
        response = await pool.ask(broker, request, ProduceResponse, deadline)
        return [row for answered in response.responses for row in answered.partition_responses]


def _produce_error(topic: str, row: PartitionProduceResponse) -> ApiError:
    reasons = [row.error_message, *(each.batch_index_error_message for each in row.record_errors)]
    reason = next(filter(None, reasons), "the broker gives no reason")
    return ApiError(ErrorCode(row.error_code), f"{topic}-{row.index}: {reason}")
