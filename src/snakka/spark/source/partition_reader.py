"""What an executor does: reads a range of offsets of one partition, and hands it on as Arrow batches.

Rule: the end of a range is a position, not a record: what compaction or transactions have taken away at its end is nothing
to wait for. Every wait has the deadline that kafkaConsumer.pollTimeoutMs gives it, else spark.network.timeout.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark import TaskContext
from pyspark.sql.datasource import InputPartition

from snakka.client.cluster_topics import LAG_SECONDS
from snakka.client.consumer import Consumer
from snakka.client.consumer.positions import EARLIEST, LATEST
from snakka.client.errors import OffsetOutOfRangeError, TopicRecreatedError
from snakka.protocol.errors import ApiError
from snakka.protocol.uuids import ZERO_UUID, Uuid
from snakka.spark.client_settings import consumer_settings
from snakka.spark.columns import MOST_BYTES, MOST_ROWS, ChosenColumns
from snakka.spark.read_ahead import FetchAhead
from snakka.spark.read_options import duration_ms
from snakka.spark.source.offset_ranges import OffsetRange
from snakka.spark.source.topic_offsets import GOES_ON, DataLossError, is_unknown
from snakka.spark.worker_clients import worker_clients

if TYPE_CHECKING:
    import pyarrow

_log = logging.getLogger(__name__)
# Before a cluster is asked again for a topic that it does not know as the driver does.
_PAUSE_SECONDS = 0.1
_NETWORK_TIMEOUT_MS = 120_000


class RangeToRead(InputPartition):
    """What one task reads; EARLIEST and LATEST stand for what they are when it does.

    The id is that of the topic when the driver chose the offsets; zero where brokers have none.
    """

    def __init__(self, offsets: OffsetRange, topic_id: Uuid = ZERO_UUID) -> None:
        self.offsets = offsets
        self.topic_id = topic_id


def ranges_to_read(ranges: Iterable[OffsetRange], topic_ids: Mapping[str, Uuid]) -> list[RangeToRead]:
    """These ranges for tasks, each of the topic that has this id."""
    return [RangeToRead(each, topic_ids.get(each.partition.topic, ZERO_UUID)) for each in ranges]


@dataclass(frozen=True)
class PartitionReader:
    """How all ranges of a query are read. Spark sends it to the executors."""

    settings: dict[str, str]
    columns: ChosenColumns
    poll_timeout_ms: int | None
    fail_on_data_loss: bool

    def read(self, given: InputPartition) -> "Iterator[pyarrow.RecordBatch]":
        """The rows of a range. Spark gives something else than a range if a batch has none."""
        if not isinstance(given, RangeToRead):
            return
        clients = worker_clients()
        kept = clients.consumer(consumer_settings(self.settings))
        ahead = FetchAhead(kept.begin, lambda consumer: self._batches(consumer, given))
        is_at_rest = False
        try:
            yield from ahead
            is_at_rest = True
        except GeneratorExit:  # Spark needs no more rows
            is_at_rest = not ahead.is_running
            raise
        finally:
            if is_at_rest:
                kept.unsubscribe()
            else:
                clients.drop(kept)

    async def _batches(
        self, consumer: Consumer, given: RangeToRead
    ) -> "AsyncGenerator[pyarrow.RecordBatch, None]":
        if not await self._has_planned_topic(consumer, given):
            self._report_loss(
                f"{given.offsets.partition} is not what the query was planned for any more: its topic was deleted, and"
                " perhaps made anew. A batch query that is loaded anew reads what there is now"
            )
            return
        offsets = await self._resolved(consumer, given.offsets)
        partition, start, end = offsets
        begins_at_earliest = given.offsets.start == EARLIEST
        consumer.assign([partition])
        consumer.seek(partition, start, up_to=end, topic_id=given.topic_id)
        while True:
            try:
                begins = await consumer.position(partition)
                fetched = await consumer.fetch_arrow(
                    partition,
                    timeout_ms=self._wait_ms,
                    columns=self.columns.names,
                    max_bytes=MOST_BYTES,
                )
                if not fetched:
                    position = await consumer.position(partition)
                    if position >= end:
                        return
                    if position == begins:  # else aborted records came, of which there may be many
                        await self._check_reachable(consumer, offsets)
            except TopicRecreatedError as error:
                self._report_loss(f"{partition} was made anew while its range up to {end} was read", error)
                return
            except OffsetOutOfRangeError as error:
                resumed = await self._after_loss(consumer, offsets, begins_at_earliest, error)
                if resumed is None:
                    return
                consumer.seek(partition, resumed, up_to=end)
                continue
            for batch in map(self.columns.for_spark, fetched):
                for begins in range(0, batch.num_rows, MOST_ROWS):
                    yield batch.slice(begins, MOST_ROWS)
            if fetched and _ends_at(fetched[-1], end):
                return  # without another question, which costs a small task more than its rows

    @property
    def _wait_ms(self) -> int:
        return network_timeout_ms() if self.poll_timeout_ms is None else self.poll_timeout_ms

    async def _has_planned_topic(self, consumer: Consumer, given: RangeToRead) -> bool:
        """Whether the topic is the one that the driver has seen.

        This client is kept from task to task, and may know the one before it still; so may a broker, for a while.
        """
        topic, is_asked_anew = given.offsets.partition.topic, False
        clock = asyncio.get_running_loop().time
        deadline = clock() + min(self._wait_ms / 1000, LAG_SECONDS)
        while given.topic_id != ZERO_UUID:
            try:
                if await consumer.topic_id(topic, is_asked_anew=is_asked_anew) in (given.topic_id, ZERO_UUID):
                    break
            except ApiError as error:
                if not is_unknown(error):
                    raise
            if clock() >= deadline:
                return False
            if is_asked_anew:
                await asyncio.sleep(_PAUSE_SECONDS)
            is_asked_anew = True
        return True

    async def _resolved(self, consumer: Consumer, offsets: OffsetRange) -> OffsetRange:
        """With numbers for the names of ends."""
        partition, start, end = offsets
        if start == EARLIEST:
            (start,) = (await consumer.beginning_offsets([partition])).values()
        if end == LATEST:
            (end,) = (await consumer.end_offsets([partition])).values()
        return OffsetRange(partition, start, end)

    async def _check_reachable(self, consumer: Consumer, offsets: OffsetRange) -> None:
        """Nothing came in time: either there is nothing up to the end of the range, or it can't be had."""
        position = await consumer.position(offsets.partition)
        (latest,) = (await consumer.end_offsets([offsets.partition])).values()
        if position >= latest:
            raise OffsetOutOfRangeError(f"the log of {offsets.partition} ends at {latest}")
        raise TimeoutError(
            f"{offsets.partition} gave nothing from offset {position} on, of the range up to {offsets.end}, in"
            f" {self._wait_ms} ms: kafkaConsumer.pollTimeoutMs may be longer"
        )

    async def _after_loss(
        self, consumer: Consumer, offsets: OffsetRange, begins_at_earliest: bool, error: Exception
    ) -> int | None:
        """Where to go on after records that are gone; None if the rest of the range is gone too."""
        partition, start, end = offsets
        position = await consumer.position(partition)
        (earliest,) = (await consumer.beginning_offsets([partition])).values()
        (latest,) = (await consumer.end_offsets([partition])).values()
        if begins_at_earliest and position == start and earliest > position:
            # Whoever asked for the earliest offset has lost nothing if that has moved on meanwhile.
            return earliest if earliest < end else None
        if position < latest:
            reason = (
                f"offset {position} of the range up to {end} is gone, there are {earliest} to {latest}; retention was"
                " shorter than the query took, or the topic was made anew"
            )
        elif (consumer.highwater(partition) or 0) > latest:
            reason = (
                f"{held_back(latest, end)}, and did not end in {self._wait_ms} ms. Wait for it, or let endingOffsets"
                f" be {latest}, or set kafka.isolation.level=read_uncommitted"
            )
        else:
            reason = (
                f"offset {position} of the range up to {end} is not there, the log ends at {latest}; the topic was made"
                " anew, or has lost records, or the range was never in it"
            )
        self._report_loss(f"{partition}: {reason}", error)
        return None if position >= latest or earliest >= end else max(position, earliest)

    def _report_loss(self, what: str, error: Exception | None = None) -> None:
        if self.fail_on_data_loss:
            raise DataLossError(f"{what}. {GOES_ON}") from error
        _log.warning("%s; it is skipped, as failOnDataLoss=false says", what)


def network_timeout_ms() -> int:
    """How long Spark waits for others, in whole seconds: it tells each task its settings, if they are not the default."""
    context = TaskContext.get()
    told = None if context is None else context.getLocalProperty("spark.network.timeout")
    return _NETWORK_TIMEOUT_MS if told is None else duration_ms(told, "s") // 1000 * 1000


def held_back(stable_end: int, end: int) -> str:
    """Why records of a range up to `end` can't be read yet by one who reads what is committed."""
    return f"an open transaction holds back everything from offset {stable_end} on, of the range up to {end}"


def _ends_at(batch: "pyarrow.RecordBatch", end: int) -> bool:
    """Whether its last record is seen to be the last before this offset."""
    if not batch.num_rows or "offset" not in batch.schema.names:
        return False
    return bool(batch.column("offset")[-1].as_py() == end - 1)
