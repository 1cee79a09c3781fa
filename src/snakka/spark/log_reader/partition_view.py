"""One partition in a data directory, as a broker would serve it: where it starts and ends, what is stable, what is when.

Rule: a view is of one moment. What is appended later is not seen; what is deleted or compacted later is found again by
offset, or told as lost.
"""

import os
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from snakka.protocol.batch_reader import read_records
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import HEADER_SIZE
from snakka.spark.log_reader.damage import Damages
from snakka.spark.log_reader.header_walk import (
    end_of_log,
    proven_batch,
    walk_from_offset,
    walk_headers,
)
from snakka.spark.log_reader.segments import Landmarks, SegmentFile, find_segments, opened_segment
from snakka.spark.log_reader.transactions import Decided, decided_transactions
from snakka.storage.batch_scan import FoundBatch
from snakka.storage.checkpoint_file import TopicPartition
from snakka.storage.directory_checkpoints import CLEAN_SHUTDOWN, Checkpoint, read_directory_checkpoint
from snakka.storage.files import File
from snakka.storage.log_directory import Kind, parse_name
from snakka.storage.partition_metadata import partition_metadata_path, read_topic_id
from snakka.storage.read_only_files import ReadOnlyFiles

_LANDMARKS_KEPT = 8


class DataDirectory:
    """What a log directory remembers of its partitions."""

    def __init__(self, files: ReadOnlyFiles, path: str) -> None:
        self.files = files
        self.path = path
        self.is_clean = files.exists(os.path.join(path, CLEAN_SHUTDOWN))
        # Of the segments that were looked at last: those of a whole directory may be some gigabytes.
        self.landmarks = lru_cache(_LANDMARKS_KEPT)(partial(Landmarks, files))

    def partitions(self) -> list[TopicPartition]:
        """Those that are in use: neither deleted nor stray nor on their way here from another disk."""
        found = []
        for name in self.files.list(self.path):
            parsed = parse_name(name)
            if parsed is None or parsed.kind is not Kind.CURRENT:
                continue
            if self.files.is_directory(os.path.join(self.path, name)):
                found.append((parsed.topic, parsed.partition))
        return found

    def remembered(self, which: Checkpoint, key: TopicPartition) -> int | None:
        """None if nothing is known, or only of an older partition of the same name."""
        checkpoint = os.path.join(self.path, which.value)
        metadata = partition_metadata_path(self.partition_path(key))
        if (
            not self.is_clean
            and self.files.exists(checkpoint)
            and self.files.exists(metadata)
            and self.files.modified_ms(metadata) > self.files.modified_ms(checkpoint)
        ):
            return None
        return self._checkpoints[which].get(key)

    @cached_property
    def _checkpoints(self) -> dict[Checkpoint, Mapping[TopicPartition, int]]:
        return {which: read_directory_checkpoint(self.files, self.path, which) for which in Checkpoint}

    def partition_path(self, key: TopicPartition) -> str:
        return os.path.join(self.path, f"{key[0]}-{key[1]}")


class Place(NamedTuple):
    """A batch of the log: where it begins, and its first offset."""

    segment: SegmentFile
    position: int
    offset: int


class PartitionView:
    """A partition of a data directory, looked at when this was made."""

    def __init__(self, home: DataDirectory, key: TopicPartition, damages: Damages) -> None:
        self.topic, self.partition = key
        self.directory = home.partition_path(key)
        self.topic_id = read_topic_id(home.files, self.directory)
        # Before the log is looked at: a broker that runs appends first, and writes this down then.
        self._replicated = home.remembered(Checkpoint.HIGH_WATERMARK, key) or 0
        self.segments = find_segments(home.files, self.directory)
        self._files = home.files
        self._home = home
        self._key = key
        self._damages = damages

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.partition}"

    @cached_property
    def log_end_offset(self) -> int:
        if not self.segments:
            return self._home.remembered(Checkpoint.LOG_START, self._key) or 0
        segment = self.segments[-1]
        file = opened_segment(self._files, segment)
        return end_of_log(file, segment, self._landmarks_of(segment), self._damages)

    @cached_property
    def log_start_offset(self) -> int:
        first = self.segments[0].base_offset if self.segments else 0
        remembered = self._home.remembered(Checkpoint.LOG_START, self._key) or 0
        if remembered > self.log_end_offset:
            # As a broker sees it: after a clean stop the checkpoint is wrong, after a crash the records are gone.
            return first if self._home.is_clean else self.log_end_offset
        return max(first, remembered)

    @property
    def high_watermark(self) -> int:
        """As the broker last wrote it down, every few seconds; 0 if it has not yet."""
        return min(self._replicated, self.log_end_offset)

    def check_end(self) -> None:
        """The log must have what its broker had written down as replicated; whatever cut it off, records are missing."""
        if self._replicated > self.log_end_offset:
            last = self.segments[-1] if self.segments else None
            self._damages.found(
                self.directory if last is None else last.path,
                0 if last is None else last.size,
                f"the log ends at offset {self.log_end_offset}, but its broker had records up to {self._replicated}",
            )

    @cached_property
    def last_leader_epoch(self) -> int:
        for segment in reversed(self.segments):
            start = self._landmarks_of(segment).before_position(segment.size)
            found = proven_batch(opened_segment(self._files, segment), segment, start)
            if found is not None:
                return found.leader_epoch
        return -1

    def decided(self, upper_bound: int) -> Decided:
        """What is stable below `upper_bound`, and which transactions were aborted."""
        recovery_point = self._home.remembered(Checkpoint.RECOVERY_POINT, self._key) or 0
        return decided_transactions(
            self._files,
            self.directory,
            self.segments,
            believed_up_to=upper_bound if self._home.is_clean else recovery_point,
            upper_bound=upper_bound,
            damages=self._damages,
        )

    def offset_for_timestamp(self, timestamp_ms: int, upper_bound: int) -> int | None:
        """The first record, below `upper_bound`, that is not older."""
        for segment in self.segments_between(self.log_start_offset, upper_bound):
            file = opened_segment(self._files, segment)
            if self._is_older(file, segment, timestamp_ms):
                continue
            for found in self._batches(file, segment, self.log_start_offset):
                if found.header.max_timestamp >= timestamp_ms:
                    offset = _first_not_older(file, found, timestamp_ms, self.log_start_offset)
                    if offset is not None:
                        return offset if offset < upper_bound else None
        return None

    def _is_older(self, file: File, segment: SegmentFile, timestamp_ms: int) -> bool:
        """Whether all records are, for certain: the time index says so, and the log that it is right about its last.

        An index that was cut off is right about its last entry, too; so what follows that one is looked at. It is little:
        brokers end an index with the largest time of its segment, which is rarely far from the segment's end.
        """
        largest = self._landmarks_of(segment).largest_timestamp()
        if segment.is_last or largest is None or largest[0] >= timestamp_ms:
            return False
        batches = self._batches(file, segment, largest[1])
        found = next(batches, None)
        return (
            found is not None
            and found.header.max_timestamp == largest[0]
            and all(each.header.max_timestamp <= largest[0] for each in batches)
        )

    def segments_between(self, first_offset: int, end_offset: int) -> list[SegmentFile]:
        return [
            segment
            for segment in self.segments
            if segment.base_offset < end_offset
            and (segment.end_offset is None or segment.end_offset > first_offset)
        ]

    def place_of(self, offset: int) -> Place | None:
        """The batch with `offset`, or the first after it; None if all are before it."""
        for segment in self.segments_between(offset, self.log_end_offset):
            file = opened_segment(self._files, segment)
            found = next(self._batches(file, segment, offset), None)
            if found is not None:
                return Place(segment, found.position, found.header.base_offset)
        return None

    def place_near(self, segment: SegmentFile, position: int) -> Place | None:
        """The last batch that begins not after `position`, but for the segment's first."""
        file = opened_segment(self._files, segment)
        near = self._landmarks_of(segment).before_position(position)
        if near and proven_batch(file, segment, near) is None:
            near = 0
        last: FoundBatch | None = None
        for found in walk_headers(file, segment, near, self._damages):
            if found.position > position:
                break
            last = found
        if last is None or not last.position or proven_batch(file, segment, last.position) is None:
            return None
        return Place(segment, last.position, last.header.base_offset)

    def header_at(self, segment: SegmentFile, position: int) -> bytes:
        """The header of the batch that begins there, as it is written."""
        return opened_segment(self._files, segment).pread(position, HEADER_SIZE)

    def _batches(self, file: File, segment: SegmentFile, offset: int) -> Iterator[FoundBatch]:
        return walk_from_offset(file, segment, self._landmarks_of(segment), offset, self._damages)

    def _landmarks_of(self, segment: SegmentFile) -> Landmarks:
        return self._home.landmarks(segment)


def _first_not_older(file: File, found: FoundBatch, timestamp_ms: int, first_offset: int) -> int | None:
    """Within a batch. Where its records cannot be read, it is the batch's beginning."""
    try:
        for record in read_records(file.pread(found.position, found.header.size)):
            if record.timestamp >= timestamp_ms and record.offset >= first_offset:
                return record.offset
    except ProtocolError:
        return max(found.header.base_offset, first_offset)
    return None
