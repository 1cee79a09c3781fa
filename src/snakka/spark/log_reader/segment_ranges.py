"""Dividing what is read into tasks: by bytes, at beginnings of batches, across and within segments.

Rule: pure. Every offset that is wanted belongs to exactly one range, whatever the indexes say: they only choose where
ranges meet.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pyspark.sql.datasource import InputPartition

from snakka.protocol.uuids import Uuid
from snakka.spark.log_reader.segments import SegmentFile
from snakka.storage.transaction_index import AbortedTransaction

_LEAST_BYTES = 4 << 20
# Partitions are hardly ever of quite the same size: so much more does not make another task of what is left.
_UNEVEN = 1.01


class Stretch(NamedTuple):
    """Bytes of one segment that are read, and the offset at their beginning."""

    segment: SegmentFile
    start: int
    end: int
    first_offset: int


class Cut(NamedTuple):
    """A batch begins there: position and first offset."""

    position: int
    offset: int


class LogRange(InputPartition):
    """What one task reads: the offsets from `first_offset` up to, without, `end_offset` of one partition.

    Where they begin is known by file and position; should that file be gone by then, they are found by offset again, if
    the directory is still that topic's: another one may have taken its name. `beginning` is the header of the batch at
    that position: a file system soon gives the number of a removed file, by which it is known, to a new one.
    `later_segments` are those in which it goes on, to be known again under the name that they have before they are removed.
    """

    def __init__(
        self,
        topic: str,
        partition: int,
        directory: str,
        topic_id: Uuid | None,
        first_offset: int,
        end_offset: int,
        segment: SegmentFile,
        position: int,
        beginning: bytes,
        size: int,
        aborted: tuple[AbortedTransaction, ...] = (),
        later_segments: tuple[SegmentFile, ...] = (),
    ) -> None:
        super().__init__(None)
        self.topic = topic
        self.partition = partition
        self.directory = directory
        self.topic_id = topic_id
        self.first_offset = first_offset
        self.end_offset = end_offset
        self.segment = segment
        self.position = position
        self.beginning = beginning
        self.size = size
        self.aborted = aborted
        self.later_segments = later_segments

    def __repr__(self) -> str:
        return f"{self.topic}-{self.partition} [{self.first_offset}, {self.end_offset}) {self.size} bytes"


def bytes_a_task(total: int, least_tasks: int | None, most_bytes: int, tasks_at_a_time: int) -> int:
    """How much one task reads at most, so that there are `least_tasks` if the data can be divided so.

    If nobody says how many, there is the same work for all that run at a time, so that none is left with a last one while
    the others wait. Little data is not divided for that.
    """
    if least_tasks is None:
        rounds = max(math.ceil(total / tasks_at_a_time / most_bytes), 1)
        even = math.ceil(total / (rounds * tasks_at_a_time) * _UNEVEN)
        return max(1, min(most_bytes, max(even, _LEAST_BYTES)))
    return max(1, min(most_bytes, math.ceil(total / max(least_tasks, 1))))


def divide(
    stretches: Sequence[Stretch], most_bytes: int, cut_near: Callable[[SegmentFile, int], Cut | None]
) -> list[list[Stretch]]:
    """The stretches of one partition, in order, in groups of about the same size, none much larger than `most_bytes`.

    `cut_near` gives the beginning of a batch at or before a position, if it knows one.
    """
    total = sum(each.end - each.start for each in stretches)
    count = math.ceil(total / most_bytes)
    number = 1  # of the cut that comes next
    groups: list[list[Stretch]] = [[]]
    before = 0  # bytes in earlier stretches
    waiting = list(reversed(stretches))
    while waiting:
        stretch = waiting.pop()
        goal = math.ceil(number * total / count)
        behind = before + stretch.end - stretch.start
        if behind <= goal or number >= count:
            groups[-1].append(stretch)
            before = behind
            continue
        number += 1
        cut = cut_near(stretch.segment, stretch.start + goal - before)
        if cut is not None and stretch.start < cut.position < stretch.end:
            groups[-1].append(stretch._replace(end=cut.position))
            before += cut.position - stretch.start
            stretch = stretch._replace(start=cut.position, first_offset=cut.offset)
        waiting.append(stretch)
        if groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def aborted_between(
    aborted: Sequence[AbortedTransaction], first_offset: int, end_offset: int
) -> tuple[AbortedTransaction, ...]:
    """Those with records there."""
    return tuple(
        each for each in aborted if each.last_offset >= first_offset and each.first_offset < end_offset
    )
