"""How much a batch reads, and in which pieces: pure.

Rule: the arithmetic is that of Spark's own source, rounding included, so that a job reads the same batches with either.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from snakka.client.topic_partition import TopicPartition
from snakka.spark.source.offset_json import Offsets

_MAX_OFFSET = (1 << 63) - 1


class OffsetRange(NamedTuple):
    """Offsets of one partition from `start` up to, without, `end`."""

    partition: TopicPartition
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many records there are at most; compaction and transactions may leave fewer."""
        return self.end - self.start


def limited(most: int, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]) -> Offsets:
    """Where a batch of about `most` offsets ends: each partition gets its share, and the smallest is not starved."""
    sizes = {
        partition: offset - start[partition]
        for partition, offset in end.items()
        if partition in start and offset > start[partition]
    }
    total = float(sum(sizes.values()))
    if total < 1:
        return dict(end)
    ends: Offsets = {}
    for partition, offset in end.items():
        size = sizes.get(partition)
        if size is None:
            ends[partition] = offset
            continue
        share = most * (size / total)
        rounded = math.ceil(share) if share < 1 else math.floor(share)
        ends[partition] = min(offset, start[partition] + min(rounded, _MAX_OFFSET - start[partition]))
    return ends


def new_offsets(start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]) -> int:
    """How many offsets lie between, partitions that are new counted from 0 on."""
    return sum(offset - start.get(partition, 0) for partition, offset in end.items())


def pieces(
    ranges: Sequence[OffsetRange],
    least_pieces: int | None = None,
    most_records: int | None = None,
) -> list[OffsetRange]:
    """What the tasks read: ranges that are large are divided, those that are empty are left out."""
    whole = [each for each in ranges if each.size > 0]
    if most_records is not None:
        whole = [
            piece for each in whole for piece in _divided(each, math.ceil(float(each.size) / most_records))
        ]
    if least_pieces is None or least_pieces <= len(whole):
        return whole
    return _divided_by_size(whole, least_pieces)


def _divided_by_size(ranges: Sequence[OffsetRange], least_pieces: int) -> list[OffsetRange]:
    """Large ranges in as many pieces as their size warrants; small ones do not count for the others' share."""
    total = sum(each.size for each in ranges)
    small = [each for each in ranges if _piece_count(each.size, total, least_pieces) == 1]
    small_partitions = {each.partition for each in small}
    large_total = total - sum(each.size for each in small)
    large_pieces = max(least_pieces - len(small), 1)
    return [
        piece
        for each in ranges
        for piece in _divided(
            each,
            1 if each.partition in small_partitions else _piece_count(each.size, large_total, large_pieces),
        )
    ]


def _piece_count(size: int, total: int, least_pieces: int) -> int:
    return max(math.floor(float(size) / total * least_pieces + 0.5), 1)


def _divided(whole: OffsetRange, count: int) -> list[OffsetRange]:
    """Pieces of about the same size; the last takes what rounding left."""
    result = []
    remaining, start = whole.size, whole.start
    for index in range(count):
        size = remaining // (count - index)
        remaining -= size
        end = min(start + size, whole.end)
        if end > start:
            result.append(OffsetRange(whole.partition, start, end))
        start = end
    return result
