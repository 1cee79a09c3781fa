"""Which compacted logs are due for cleaning, over which offsets, and in which groups of segments.

Rule: facts in, a choice out, and the choice is Kafka's. A log is cleaned from its beginning up to the first segment
that may not be cleaned yet: the active one, one that reaches past the last stable offset (hence the high watermark), or
one with a record younger than `min.compaction.lag.ms`. One thing is ours: what is not on the disk yet is not cleaned, or a
record could give way to one that a power cut takes. What lies before the first dirty offset was cleaned before. A log
is due when the dirty part is more than `min.cleanable.dirty.ratio` of the whole, or when its oldest dirty record is
older than `max.compaction.lag.ms`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snakka.storage.log_config import LogConfig

MAX_RELATIVE_OFFSET = 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class CleanableSegment:
    """What compaction needs to know of one segment. The timestamps are asked for only where `needs_timestamps`."""

    base_offset: int
    size: int
    offset_index_bytes: int = 0
    time_index_bytes: int = 0
    largest_timestamp: int = -1
    first_timestamp: int = -1


@dataclass(frozen=True, slots=True)
class CompactedLog:
    """A log as compaction sees it: `segments` oldest first, the active one last."""

    segments: Sequence[CleanableSegment]
    log_start_offset: int
    log_end_offset: int
    last_stable_offset: int
    recovery_point: int  # everything before it is on the disk
    checkpoint: int | None
    config: LogConfig


class DirtyRange(NamedTuple):
    """What of a log is dirty, and how much."""

    first_dirty_offset: int
    end_offset: int  # the base of the first segment that may not be cleaned
    clean_bytes: int
    cleanable_bytes: int
    is_overdue: bool
    checkpoint_is_wrong: bool

    @property
    def total_bytes(self) -> int:
        return self.clean_bytes + self.cleanable_bytes

    @property
    def ratio(self) -> float:
        return self.cleanable_bytes / self.total_bytes if self.total_bytes else 0.0


def needs_timestamps(config: LogConfig) -> bool:
    """Whether the segments' timestamps count; finding them out costs a look into the files."""
    return (
        config.min_compaction_lag_ms > 0 or config.max_compaction_lag_ms < LogConfig().max_compaction_lag_ms
    )


def dirty_range(log: CompactedLog, now_ms: int) -> DirtyRange:
    """The part of the log that a cleaning now would have to look at."""
    checkpoint = log.log_start_offset if log.checkpoint is None else log.checkpoint
    # A checkpoint beyond the log's end means that records were lost there: the whole log counts as dirty.
    is_wrong = not log.log_start_offset <= checkpoint <= log.log_end_offset
    first_dirty = log.log_start_offset if is_wrong else checkpoint
    bound = max(first_dirty, _uncleanable_from(log, first_dirty, now_ms))
    end = _floor_base(log.segments, bound)
    dirty_from = min(first_dirty, end)
    cleanable = 0
    if dirty_from < end:
        cleanable = sum(
            segment.size
            for segment in log.segments[_floor(log.segments, dirty_from) :]
            if segment.base_offset < end
        )
    return DirtyRange(
        first_dirty,
        end,
        sum(segment.size for segment in log.segments if segment.base_offset < first_dirty),
        cleanable,
        _is_overdue(log, first_dirty, now_ms),
        is_wrong,
    )


def is_due(dirty: DirtyRange, config: LogConfig) -> bool:
    if not dirty.cleanable_bytes:
        return False
    return dirty.is_overdue or dirty.ratio > config.min_cleanable_dirty_ratio


def _uncleanable_from(log: CompactedLog, first_dirty: int, now_ms: int) -> int:
    bound = min(log.last_stable_offset, log.recovery_point, log.segments[-1].base_offset)
    lag_ms = log.config.min_compaction_lag_ms
    if lag_ms > 0:
        for segment in log.segments[_floor(log.segments, first_dirty) : -1]:
            if segment.largest_timestamp > now_ms - lag_ms:
                return min(bound, segment.base_offset)
    return bound


def _is_overdue(log: CompactedLog, first_dirty: int, now_ms: int) -> bool:
    if first_dirty > log.segments[-1].base_offset:
        return False
    timestamps = [
        segment.first_timestamp
        for segment in log.segments[_floor(log.segments, first_dirty) : -1]
        if segment.first_timestamp > 0
    ]
    return bool(timestamps) and min(timestamps) < now_ms - log.config.max_compaction_lag_ms


def _floor(segments: Sequence[CleanableSegment], offset: int) -> int:
    """The place of the segment that `offset` belongs to."""
    place = 0
    for index, segment in enumerate(segments):
        if segment.base_offset > offset:
            break
        place = index
    return place


def _floor_base(segments: Sequence[CleanableSegment], offset: int) -> int:
    return segments[_floor(segments, offset)].base_offset


def group_segments(
    segments: Sequence[CleanableSegment], *, max_bytes: int, max_index_bytes: int, end_offset: int
) -> list[list[CleanableSegment]]:
    """Neighbours that become one segment, so that segments do not shrink for ever.

    A group stays within the size of a segment and of its indexes, and its offsets within what an index entry can say.
    """
    groups: list[list[CleanableSegment]] = []
    for index, segment in enumerate(segments):
        following = segments[index + 1].base_offset if index + 1 < len(segments) else end_offset
        if groups and _fits(groups[-1], segment, following - 1, max_bytes, max_index_bytes):
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return groups


def _fits(
    group: Sequence[CleanableSegment],
    segment: CleanableSegment,
    last_offset: int,
    max_bytes: int,
    max_index_bytes: int,
) -> bool:
    return (
        sum(one.size for one in group) + segment.size <= max_bytes
        and sum(one.offset_index_bytes for one in group) + segment.offset_index_bytes <= max_index_bytes
        and sum(one.time_index_bytes for one in group) + segment.time_index_bytes <= max_index_bytes
        # An empty segment has no offsets, and would otherwise be left behind for ever.
        and (segment.size == 0 or last_offset - group[0].base_offset <= MAX_RELATIVE_OFFSET)
    )


def delete_horizon(now_ms: int, delete_retention_ms: int) -> int:
    """When the tombstones and markers that a cleaning meets for the first time may go (KIP-534)."""
    return now_ms + delete_retention_ms


def horizon_has_passed(delete_horizon_ms: int | None, now_ms: int) -> bool:
    return delete_horizon_ms is not None and delete_horizon_ms <= now_ms
