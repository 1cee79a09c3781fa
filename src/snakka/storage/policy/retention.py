"""Which of a log's oldest segments have outlived their topic's limits.

Rule: facts in, a number out. Segments go from the old end only, and never one that holds a record at or above
the high watermark, so the log start offset cannot pass what is committed. Three rules are asked in Kafka's
order, each about what the one before it left: below the log start offset, over `retention.bytes`, older than
`retention.ms`. The last two hold only where `cleanup.policy` has `delete`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snakka.storage.log_config import LogConfig


class SegmentFacts(NamedTuple):
    """What retention needs to know of one segment."""

    base_offset: int
    size: int
    largest_timestamp: (
        int  # of its records; the file's time of change if no record has one, as Kafka takes it
    )


class Expired(NamedTuple):
    """How many of the oldest segments go, by the rule that says so."""

    by_start_offset: int
    by_size: int
    by_time: int

    @property
    def total(self) -> int:
        return self.by_start_offset + self.by_size + self.by_time


def expired_segments(
    segments: Sequence[SegmentFacts],
    *,
    log_start_offset: int,
    log_end_offset: int,
    high_watermark: int,
    config: LogConfig,
    now_ms: int,
) -> Expired:
    """How many of `segments` (oldest first, the active one last) are to go.

    When that is all of them, the caller rolls the log first: a log always has an active segment. An empty
    active segment never goes, because nothing would be gained.
    """
    removable = _removable(segments, log_end_offset, high_watermark)
    by_start_offset = 0
    while by_start_offset < min(removable, len(segments) - 1):
        if segments[by_start_offset + 1].base_offset > log_start_offset:
            break
        by_start_offset += 1
    if not config.delete:
        return Expired(by_start_offset, 0, 0)
    by_size = _over_size(segments[by_start_offset:], removable - by_start_offset, config.retention_bytes)
    gone = by_start_offset + by_size
    by_time = _over_age(segments[gone:removable], config.retention_ms, now_ms)
    return Expired(by_start_offset, by_size, by_time)


def _removable(segments: Sequence[SegmentFacts], log_end_offset: int, high_watermark: int) -> int:
    """How many of the oldest segments lie wholly below the high watermark."""
    count = 0
    last = len(segments) - 1
    for index, segment in enumerate(segments):
        end = log_end_offset if index == last else segments[index + 1].base_offset
        if end > high_watermark or (index == last and segment.size == 0):
            break
        count += 1
    return count


def _over_size(segments: Sequence[SegmentFacts], removable: int, retention_bytes: int) -> int:
    """How many can go while what stays is still at least `retention_bytes`."""
    if retention_bytes < 0:
        return 0
    excess = sum(segment.size for segment in segments) - retention_bytes
    count = 0
    while count < removable and excess >= segments[count].size:
        excess -= segments[count].size
        count += 1
    return count


def _over_age(segments: Sequence[SegmentFacts], retention_ms: int, now_ms: int) -> int:
    """How many have only records older than `retention_ms`; the first young one ends the run."""
    if retention_ms < 0:
        return 0
    count = 0
    for segment in segments:
        if now_ms - segment.largest_timestamp <= retention_ms:
            break
        count += 1
    return count
