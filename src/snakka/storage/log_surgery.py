"""Taking segments out of a log, and putting others in: retention, compaction, truncation.

Rule: whatever a crash leaves in between, the next opening finds a log without a hole. So files are removed from the end
that is given up: the newest first when the end is cut, the oldest first when the beginning goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snakka.storage.producer_replay import rebuild_producers
from snakka.storage.segment import Segment
from snakka.storage.segment_files import DELETED, SEGMENT_KINDS
from snakka.storage.swap_files import take_their_place

if TYPE_CHECKING:
    from snakka.storage.partition_log import PartitionLog


def delete_segments_before(log: PartitionLog, offset: int) -> list[str]:
    """Take out the segments that end at or before `offset`; their files, renamed."""
    count = 0
    while count < len(log.segments) - 1 and log.segments[count + 1].base_offset <= offset:
        count += 1
    if not count:
        return []
    gone, kept = log.segments[:count], log.segments[count]
    log.advance_log_start_offset(kept.base_offset)
    return _take_out(log, gone) + log.snapshots.rename_deleted(0, kept.base_offset)


def replace_segments(log: PartitionLog, new_bases: Sequence[int], old_bases: Sequence[int]) -> list[str]:
    """Put segments that are there as `.swap` files in the place of the old ones; the old files, renamed."""
    replaced = set(old_bases)
    old = [segment for segment in log.segments if segment.base_offset in replaced]
    if len(old) != len(replaced) or log.active in old:
        raise ValueError("a segment that is to be replaced is not there, or is active")
    paths = _take_out(log, old)
    for base in sorted(replaced.difference(new_bases)):
        paths += log.snapshots.rename_deleted(base, base + 1)
    take_their_place(log.files, log.directory, new_bases)
    sizes = log.files.sizes(log.directory)
    now_ms = log.clock.now_ms()
    log.segments += [
        Segment.load(log.files, log.directory, base, sizes, log.config, now_ms) for base in new_bases
    ]
    log.segments.sort(key=lambda segment: segment.base_offset)
    return paths


def _take_out(log: PartitionLog, gone: Sequence[Segment]) -> list[str]:
    """Out of the log, their files renamed. Readers on their way keep what they found."""
    log.segments = [segment for segment in log.segments if segment not in gone]
    log.unsynced.forget(gone)
    return [path for segment in gone for path in segment.rename_files(DELETED)]


def truncate_to(log: PartitionLog, offset: int) -> None:
    """Cut the log so that it ends at `offset` or before it."""
    log.epochs.truncate_from_end(min(offset, log.log_end_offset))
    if offset >= log.log_end_offset:
        return
    if offset < log.segments[0].base_offset:
        truncate_fully_and_start_at(log, offset)
        return
    _remove_now(log, [segment for segment in log.segments if segment.base_offset > offset])
    log.active = log.segments[-1]
    log.active.truncate_to(offset)
    log.log_start_offset = min(log.log_start_offset, offset)
    _ends_at(log, offset)
    rebuild_producers(log.producers, log.snapshots, log.segments, log.log_start_offset, offset)


def truncate_fully_and_start_at(log: PartitionLog, offset: int) -> None:
    """Throw everything away; the next record gets `offset`."""
    _remove_now(log, log.segments)
    log.active = Segment.create(log.files, log.directory, offset, log.config, log.clock.now_ms())
    log.segments = [log.active]
    log.log_start_offset = log.high_watermark = offset
    log.epochs.clear()
    for snapshot in list(log.snapshots.offsets):
        log.snapshots.remove(snapshot)
    log.producers.load((), offset)
    _ends_at(log, offset)


def _ends_at(log: PartitionLog, offset: int) -> None:
    """Nothing that was said about offsets from `offset` on is true any more."""
    log.log_end_offset = offset
    log.recovery_point = min(log.recovery_point, offset)
    log.high_watermark = min(log.high_watermark, offset)
    log.unsynced.truncated_to(offset)


def _remove_now(log: PartitionLog, gone: Sequence[Segment]) -> None:
    """Readers on their way keep their descriptors."""
    log.unsynced.forget(gone)
    for segment in reversed(gone):
        for kind in SEGMENT_KINDS:
            log.files.remove(segment.path(kind))
        log.snapshots.remove(segment.base_offset)
        segment.close()
    log.segments = [segment for segment in log.segments if segment not in gone]
