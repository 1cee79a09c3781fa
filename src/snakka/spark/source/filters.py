"""Filters of a batch query on topic, partition, offset and timestamp: they choose what is fetched at all.

Rule: a filter is taken over only if it is followed to the letter. One that merely helps, such as a time, since records of
a partition need not be in the order of their times, narrows the ranges and is left for Spark to judge each row by.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from snakka.client.topic_partition import TopicPartition
from snakka.spark.source.offset_ranges import OffsetRange

if TYPE_CHECKING:
    from snakka.spark.source.topic_offsets import TopicOffsets

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER_NULL = frozenset({"topic", "partition", "offset", "timestamp", "timestamptype"})
_TESTS: dict[type[Filter], Callable[[Any, Any], bool]] = {
    EqualTo: lambda actual, wanted: actual == wanted,
    EqualNullSafe: lambda actual, wanted: actual == wanted,
    GreaterThan: lambda actual, wanted: actual > wanted,
    GreaterThanOrEqual: lambda actual, wanted: actual >= wanted,
    LessThan: lambda actual, wanted: actual < wanted,
    LessThanOrEqual: lambda actual, wanted: actual <= wanted,
    In: lambda actual, wanted: actual in wanted,
    StringStartsWith: lambda actual, wanted: actual.startswith(wanted),
    StringEndsWith: lambda actual, wanted: actual.endswith(wanted),
    StringContains: lambda actual, wanted: wanted in actual,
}


class PushedFilters:
    """What the filters of a query leave of its ranges."""

    def __init__(self) -> None:
        self.of_partitions: list[Filter] = []
        self.first_offset = 0
        self.stop_offset: int | None = None
        self.first_time_ms: int | None = None

    def take(self, given: Filter) -> bool:
        """Whether the filter is followed to the letter from now on."""
        name = _column(given)
        if isinstance(given, IsNotNull):
            return name in _NEVER_NULL
        if name in ("topic", "partition") and _can_judge(given):
            self.of_partitions.append(given)
            return True
        if name == "offset":
            return self._take_offset(given)
        if name == "timestamp":
            self._take_time(given)
        return False

    @property
    def narrow_offsets(self) -> bool:
        """Whether ranges are shorter than what was asked for."""
        return self.first_offset > 0 or self.stop_offset is not None or self.first_time_ms is not None

    def may_have(self, partition: TopicPartition) -> bool:
        """Whether rows of this partition can pass."""
        values: dict[str, str | int] = {"topic": partition.topic, "partition": partition.partition}
        return all(_passes(each, values[_column(each)]) for each in self.of_partitions)

    def narrowed(self, ranges: Sequence[OffsetRange], offsets: "TopicOffsets") -> list[OffsetRange]:
        """The same without what can't pass."""
        first = dict.fromkeys((each.partition for each in ranges), self.first_offset)
        if self.first_time_ms is not None:
            times = dict.fromkeys(first, self.first_time_ms)
            first = {each: max(offset, first[each]) for each, offset in offsets.at_times(times).items()}
        return [
            OffsetRange(
                each.partition,
                max(each.start, first[each.partition]),
                each.end if self.stop_offset is None else min(each.end, self.stop_offset),
            )
            for each in ranges
        ]

    def _take_offset(self, given: Filter) -> bool:
        if isinstance(given, EqualTo | EqualNullSafe):
            self._from(given.value)
            self._until(given.value + 1)
        elif isinstance(given, GreaterThan):
            self._from(given.value + 1)
        elif isinstance(given, GreaterThanOrEqual):
            self._from(given.value)
        elif isinstance(given, LessThan):
            self._until(given.value)
        elif isinstance(given, LessThanOrEqual):
            self._until(given.value + 1)
        else:
            if isinstance(given, In):
                wanted = [value for value in given.value if value is not None]  # nothing equals a null
                self._from(min(wanted, default=0))
                self._until(max(wanted, default=-1) + 1)
            return False
        return True

    def _take_time(self, given: Filter) -> None:
        """No record before the first one of a time or later is of that time or later.

        Times before 1970 are not looked for: records without a time count as of the last millisecond before it.
        """
        if isinstance(given, EqualTo | EqualNullSafe | GreaterThan | GreaterThanOrEqual):
            wanted = given.value
            if isinstance(wanted, datetime) and wanted.tzinfo is not None:
                milliseconds = (wanted - _EPOCH).total_seconds() * 1000
                if milliseconds > 0:
                    self.first_time_ms = max(self.first_time_ms or 0, int(milliseconds))

    def _from(self, offset: int) -> None:
        self.first_offset = max(self.first_offset, offset)

    def _until(self, offset: int) -> None:
        self.stop_offset = offset if self.stop_offset is None else min(self.stop_offset, offset)


def _column(given: Filter) -> str:
    attribute = given.child.attribute if isinstance(given, Not) else given.attribute
    return ".".join(attribute).lower()


def _can_judge(given: Filter) -> bool:
    plain = given.child if isinstance(given, Not) else given
    if isinstance(plain, In) and None in plain.value:
        return False  # what SQL says of nulls is Spark's to know
    return type(plain) in _TESTS or isinstance(plain, IsNull)


def _passes(given: Filter, actual: str | int) -> bool:
    if isinstance(given, Not):
        return not _passes(given.child, actual)
    if isinstance(given, IsNull):
        return False
    return _TESTS[type(given)](actual, given.value)
