"""Topics as a batch: what is there between two sets of offsets, when the query is planned.

Rule: a DataFrame is planned once, however often it is used, so ends that were asked for by name stay names until a task
reads them: whoever counts again counts what has come since. A reader that takes filters is another class, because Spark
refuses one that could take them where its setting for that is off; so the user turns on both. Such a DataFrame is for one
filter, since Spark gives the ranges of the last one to whatever is made of the same DataFrame later: load it anew then.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition
from pyspark.sql.types import StructType

from snakka.client.blocking import Admin
from snakka.client.topic_partition import TopicPartition
from snakka.spark.client_settings import SparkOptionError, admin_settings, consumer_settings
from snakka.spark.columns import ChosenColumns
from snakka.spark.read_options import EARLIEST, LATEST, Bound, BoundKind, ReadOptions, read_options
from snakka.spark.source.filters import PushedFilters
from snakka.spark.source.offset_ranges import OffsetRange, pieces
from snakka.spark.source.partition_reader import PartitionReader, held_back, ranges_to_read
from snakka.spark.source.topic_offsets import TopicOffsets, report_loss
from snakka.spark.worker_clients import worker_clients

if TYPE_CHECKING:
    import pyarrow

_log = logging.getLogger(__name__)

# Spark takes some 10 ms to begin a task: so many records take it longer.
_LEAST_RECORDS_A_TASK = 50_000


class BatchReader(DataSourceReader):
    """Reads the ranges between startingOffsets and endingOffsets."""

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self.options = options
        self.filters = PushedFilters()
        self._reader = partition_reader(options, schema)

    def partitions(self) -> Sequence[InputPartition]:
        """The ranges, divided as the options say."""
        return self._planned(worker_clients().admin(admin_settings(self.options.settings)))

    def planned_apart(self, tasks_at_a_time: int) -> Sequence[InputPartition]:
        """The same in a process of the user's, where nothing is left open, and which knows how many tasks run at a time."""
        with Admin(admin_settings(self.options.settings)) as admin:
            return self._planned(admin, tasks_at_a_time)

    def _planned(self, admin: Admin, tasks_at_a_time: int = 1) -> Sequence[InputPartition]:
        offsets = TopicOffsets(admin, self.options)
        known = offsets.partitions()
        start, end = offsets.start(known), offsets.end(known)
        for partition in known:
            if start[partition] > end[partition]:
                raise SparkOptionError(
                    f"{partition} would begin at {start[partition]} and end before that, at {end[partition]}"
                )
        whole = [OffsetRange(each, start[each], end[each]) for each in known if self.filters.may_have(each)]
        ranges = within_logs(self.filters.narrowed(whole, offsets), offsets, self.options)
        divided = pieces(ranges, self._least_pieces(ranges, tasks_at_a_time), self.options.most_records)
        if self.filters.narrow_offsets:
            return ranges_to_read(divided, offsets.topic_ids)
        return ranges_to_read(with_named_ends(whole, divided, self.options), offsets.topic_ids)

    def _least_pieces(self, ranges: Iterable[OffsetRange], tasks_at_a_time: int) -> int | None:
        """If nobody says how many, there is work for all cores, as with files of Spark; few records are not divided."""
        if self.options.least_pieces is not None or self.options.most_records is not None:
            return self.options.least_pieces
        records = sum(max(each.size, 0) for each in ranges)
        return min(tasks_at_a_time, records // _LEAST_RECORDS_A_TASK)

    def read(self, partition: InputPartition) -> "Iterator[pyarrow.RecordBatch]":
        return self._reader.read(partition)


def within_logs(
    ranges: Sequence[OffsetRange], offsets: TopicOffsets, options: ReadOptions
) -> list[OffsetRange]:
    """The same, none beyond the end of its log: only endingOffsets in numbers may be, and nobody knows if that ever comes.

    Spark's own source finds that out in its tasks, after kafkaConsumer.pollTimeoutMs, and fails as this does. What an open
    transaction holds back is in the log, and comes when the transaction ends: tasks wait for it so long, as Spark's do.
    """
    numbers = options.end.by_partition if options.end.kind is BoundKind.OFFSETS else {}
    asked = [
        each.partition for each in ranges if each.size > 0 and numbers.get(each.partition, LATEST) != LATEST
    ]
    log_ends = offsets.high_watermarks(asked)
    stable_ends = offsets.latest(asked) if options.is_read_committed else log_ends
    reachable = []
    for each in ranges:
        log_end = log_ends.get(each.partition, each.end)
        stable_end = stable_ends.get(each.partition, each.end)
        if each.end > log_end:
            report_loss(
                options,
                f"{each.partition} has no offset {each.end - 1} yet, its log ends at {log_end}: endingOffsets may be at"
                f" most {log_end} there",
            )
        elif each.end > stable_end:
            _log.warning("%s: %s; its end is waited for", each.partition, held_back(stable_end, each.end))
        reachable.append(each._replace(end=max(min(each.end, log_end), each.start)))
    return reachable


def with_named_ends(
    whole: Sequence[OffsetRange], divided: Sequence[OffsetRange], options: ReadOptions
) -> list[OffsetRange]:
    """The pieces of each range, the first and the last one with the name instead of the offset if that was asked for."""
    pieces_of: dict[TopicPartition, list[OffsetRange]] = {each.partition: [] for each in whole}
    for piece in divided:
        pieces_of[piece.partition].append(piece)
    named: list[OffsetRange] = []
    for each in whole:
        own = pieces_of[each.partition]
        starts_earliest = _is_named(options.start, BoundKind.EARLIEST, EARLIEST, each)
        ends_latest = _is_named(options.end, BoundKind.LATEST, LATEST, each)
        if not own and ends_latest:
            own = [each]  # there may be something when it is read
        if own and starts_earliest:
            own[0] = own[0]._replace(start=EARLIEST)
        if own and ends_latest:
            own[-1] = own[-1]._replace(end=LATEST)
        named += own
    return named


def _is_named(bound: Bound, kind: BoundKind, name: int, of: OffsetRange) -> bool:
    if bound.kind is BoundKind.OFFSETS:
        return bound.by_partition[of.partition] == name
    return bound.kind is kind


class FilteringBatchReader(BatchReader):
    """The same, for those who have turned on filters: they choose what is fetched."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 -- Spark's name
        """Take what can be followed to the letter; the rest is given back, also where it helps to fetch less."""
        left = [each for each in filters if not self.filters.take(each)]
        _log.warning(
            "pushDownFilters=true: this DataFrame is for these filters only, since Spark would use their ranges for others"
            " too; load another one for another filter, or for none"
        )
        return left


def open_reader(options: Mapping[str, str], schema: StructType) -> DataSourceReader:
    checked = read_options(options, is_stream=False)
    return (FilteringBatchReader if checked.push_down_filters else BatchReader)(checked, schema)


def partition_reader(options: ReadOptions, schema: StructType) -> PartitionReader:
    """How executors read; SparkOptionError if the client's settings or the schema can't be."""
    consumer_settings(options.settings)
    return PartitionReader(
        options.settings, ChosenColumns(schema), options.poll_timeout_ms, options.fail_on_data_loss
    )
