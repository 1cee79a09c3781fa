"""Looking things up in a log: transactions that were aborted, and offsets by timestamp.

Rule: a batch's header is trusted, what is inside may be garbage. Where records cannot be read, the answer is the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from snakka.protocol.batch_reader import read_records
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import NO_TIMESTAMP
from snakka.storage.batch_scan import FoundBatch
from snakka.storage.index_file import BadIndexError
from snakka.storage.segment import Segment
from snakka.storage.transaction_index import AbortedTransaction

if TYPE_CHECKING:
    from snakka.storage.partition_log import PartitionLog


class TimestampOffset(NamedTuple):
    """A record's timestamp and offset, and the epoch of the leader that wrote it (-1 if that is not known)."""

    timestamp: int
    offset: int
    leader_epoch: int


def aborted_transactions(log: PartitionLog, first_offset: int, upper_bound: int) -> list[AbortedTransaction]:
    """Aborted transactions with records in [first_offset, upper_bound), by their markers' order."""
    found: list[AbortedTransaction] = []
    for segment in log.segments[log.segment_number(first_offset) :]:
        if segment.transaction_index.size:
            aborted, complete = segment.transaction_index.overlapping(first_offset, upper_bound)
            found += aborted
            if complete:
                break
    return found


def offset_for_timestamp(log: PartitionLog, timestamp_ms: int, upper_bound: int) -> TimestampOffset | None:
    """The first record, below `upper_bound`, that is not older than `timestamp_ms`."""
    for segment in log.segments[log.segment_number(log.log_start_offset) :]:
        if segment.largest_record_timestamp() < timestamp_ms:
            continue
        found = _search_segment(segment, timestamp_ms, log.log_start_offset)
        if found is not None:
            return found if found.offset < upper_bound else None
    return None


def _search_segment(segment: Segment, timestamp_ms: int, start_offset: int) -> TimestampOffset | None:
    begin = max(_believed_floor(segment, timestamp_ms), start_offset)
    for batch in segment.checked_batches_from(begin):
        if batch.header.max_timestamp >= timestamp_ms and batch.header.last_offset >= start_offset:
            found = _search_batch(segment, batch, timestamp_ms, start_offset)
            if found is not None:
                return found
    return None


def _believed_floor(segment: Segment, timestamp_ms: int) -> int:
    """Where to begin: by the time index if the log agrees with it, else at the segment's beginning."""
    try:
        entry = segment.time_index.floor(timestamp_ms)
    except BadIndexError:
        return segment.base_offset
    is_right = entry.timestamp == NO_TIMESTAMP or segment.says_so_too(entry)
    return entry.offset if is_right else segment.base_offset


def _search_batch(
    segment: Segment, batch: FoundBatch, timestamp_ms: int, start_offset: int
) -> TimestampOffset | None:
    header = batch.header
    epoch = header.leader_epoch
    if header.uses_log_append_time and header.count > header.last_offset_delta:
        # All of them have it, and none was compacted away.
        return TimestampOffset(header.max_timestamp, max(header.base_offset, start_offset), epoch)
    try:
        for record in read_records(segment.log.pread(batch.position, header.size)):
            if record.timestamp >= timestamp_ms and record.offset >= start_offset:
                return TimestampOffset(record.timestamp, record.offset, epoch)
    except ProtocolError:
        return TimestampOffset(header.max_timestamp, max(header.base_offset, start_offset), epoch)
    return None


def offset_of_max_timestamp(log: PartitionLog, upper_bound: int) -> TimestampOffset | None:
    """The first record that has the log's largest timestamp, if it is below `upper_bound`."""
    segments: Sequence[Segment] = log.segments[log.segment_number(log.log_start_offset) :]
    segment = max(segments, key=Segment.largest_record_timestamp)
    largest = segment.largest_record_timestamp()
    if largest < 0:
        return None
    for batch in segment.checked_batches_from(segment.offset_of_max_timestamp):
        if batch.header.max_timestamp == largest:
            found = _search_batch(segment, batch, largest, log.log_start_offset)
            return found if found is not None and found.offset < upper_bound else None
    return None
