"""The log of one partition: segments in offset order, the last of them active.

Rules: only the event loop calls it, so nothing here locks or waits for another. An append that fails leaves everything as it
was. Whatever is below `recovery_point` is on the disk; whatever is above it is found again, or cut, by recovery.
"""

import os
import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from snakka.protocol.control_records import EndTransaction
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.file_region import FileRegion
from snakka.protocol.record_batch import BatchHeader, stamp
from snakka.protocol.uuids import Uuid
from snakka.runtime import Clock
from snakka.storage import reading, recovery
from snakka.storage.append_checks import AppendOrigin, check_size, checked_batches, checked_client_batch
from snakka.storage.files import Files
from snakka.storage.flush_job import FlushJob
from snakka.storage.leader_epochs import LeaderEpochs
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_metadata import partition_metadata_path
from snakka.storage.policy.retention import SegmentFacts
from snakka.storage.producer_replay import apply_batch, rebuild_producers, transaction_marker
from snakka.storage.producer_snapshot import ProducerSnapshots
from snakka.storage.producer_state import AppendedBatch, ProducerEntry, ProducerState
from snakka.storage.segment import MAX_RELATIVE_OFFSET, Segment
from snakka.storage.segment_files import (
    DELETED,
    LEADER_EPOCHS,
    OFFSET_INDEX,
    SEGMENT_KINDS,
    TIME_INDEX,
    TRANSACTION_INDEX,
)
from snakka.storage.swap_files import take_their_place
from snakka.storage.transaction_index import AbortedTransaction

NO_TIMESTAMP = -1


@dataclass(slots=True)
class AppendInfo:
    """What became of an append. `log_append_time` is -1 where the records keep their own times."""

    first_offset: int
    last_offset: int
    log_append_time: int
    log_start_offset: int
    max_timestamp: int
    duplicate: bool
    bytes: int
    count: int


class LogRead(NamedTuple):
    """Whole batches from one segment; `next_offset` comes after the last of them."""

    records: FileRegion | bytes
    first_offset: int
    next_offset: int
    bytes: int


class PartitionLog:
    """See the module. Made by `open`; `config` is replaced whole when it changes."""

    __slots__ = (
        "_directory_changed",
        "_epochs_written",
        "_flush_running",
        "_is_new",
        "_unsynced",
        "active",
        "clock",
        "config",
        "directory",
        "epochs",
        "files",
        "high_watermark",
        "last_flush_ms",
        "log_end_offset",
        "log_start_offset",
        "partition",
        "producers",
        "recovery_point",
        "segments",
        "snapshots",
        "topic",
        "topic_id",
    )

    def __init__(self, loaded: "recovery.LoadedLog", *, clock: Clock, config: LogConfig) -> None:
        self.directory = loaded.directory
        self.topic = loaded.topic
        self.partition = loaded.partition
        self.topic_id: Uuid = loaded.topic_id
        self.files: Files = loaded.files
        self.clock = clock
        self.config = config
        self.segments: list[Segment] = loaded.segments
        self.active: Segment = loaded.segments[-1]
        self.epochs: LeaderEpochs = loaded.epochs
        self.producers: ProducerState = loaded.producers
        self.snapshots: ProducerSnapshots = loaded.snapshots
        self.log_start_offset = loaded.log_start_offset
        self.log_end_offset = loaded.log_end_offset
        self.recovery_point = loaded.recovery_point
        self.high_watermark = loaded.log_start_offset
        self.last_flush_ms = clock.now_ms()
        self._epochs_written = loaded.epochs_written
        # Segments that were rolled, or found by recovery, and are not synced yet.
        self._unsynced: list[Segment] = loaded.unsynced
        self._directory_changed = bool(loaded.unsynced) or loaded.is_new
        self._is_new = loaded.is_new
        self._flush_running: FlushJob | None = None

    @classmethod
    def open(
        cls,
        directory: str,
        *,
        topic: str,
        partition: int,
        topic_id: Uuid,
        files: Files,
        clock: Clock,
        config: LogConfig,
        clean_shutdown: bool,
        recovery_point: int = 0,
        log_start_offset: int = 0,
    ) -> "PartitionLog":
        """The log in `directory`, which is made if it is absent. Blocks; may run in a thread."""
        loaded = recovery.load(
            directory,
            topic=topic,
            partition=partition,
            topic_id=topic_id,
            files=files,
            config=config,
            clean_shutdown=clean_shutdown,
            recovery_point=recovery_point,
            log_start_offset=log_start_offset,
            now_ms=clock.now_ms(),
        )
        return cls(loaded, clock=clock, config=config)

    # -- offsets --------------------------------------------------------------------------------------------------

    @property
    def last_stable_offset(self) -> int:
        """Below it every transaction is decided, and its outcome is below the high watermark."""
        unstable = self.producers.first_unstable_offset
        if unstable is None or unstable >= self.high_watermark:
            return self.high_watermark
        return max(unstable, self.log_start_offset)

    def advance_high_watermark(self, offset: int) -> bool:
        """Never backwards, nor past the log's end; True if it moved."""
        offset = min(offset, self.log_end_offset)
        if offset <= self.high_watermark:
            return False
        self.high_watermark = offset
        self.producers.high_watermark_moved(offset)
        return True

    def advance_log_start_offset(self, offset: int) -> None:
        """Forget what is before `offset`: for DeleteRecords and retention. Files go by `delete_segments_before`."""
        if offset > self.high_watermark:
            raise ApiError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"the log cannot begin at {offset}, the high watermark is {self.high_watermark}",
            )
        if offset > self.log_start_offset:
            self.log_start_offset = offset
            self.epochs.truncate_from_start(offset)
            self.recovery_point = max(self.recovery_point, offset)

    def assign_leader_epoch(self, epoch: int) -> None:
        """This broker leads the partition from the log's end on."""
        self.epochs.assign(epoch, self.log_end_offset)

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """(epoch, end offset) of the largest epoch not above `epoch`; (-1, -1) if unknown."""
        return self.epochs.end_offset_for(epoch, self.log_end_offset)

    # -- appending ------------------------------------------------------------------------------------------------

    def append_as_leader(
        self,
        records: memoryview,
        *,
        leader_epoch: int,
        now_ms: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
    ) -> AppendInfo:
        """Append with new offsets; ApiError with Kafka's code if the batch is refused. `records` is stamped in place."""
        if origin is not AppendOrigin.CLIENT:
            return self._append_internal(records, leader_epoch, now_ms, origin)
        config = self.config
        records, header = checked_client_batch(records, config, now_ms)
        idempotent = header.producer_id >= 0
        if idempotent:
            duplicate = self.producers.check_client_batch(header)
            if duplicate is not None:
                return self._duplicate_info(duplicate)
        first_offset = self.log_end_offset
        last_offset = first_offset + header.last_offset_delta
        max_timestamp = header.max_timestamp
        stamp(records, 0, first_offset, leader_epoch)
        segment = self.active
        size = len(records)
        if self._must_roll(segment, size, last_offset, max_timestamp, now_ms):
            segment = self.roll()
        segment.append(records, last_offset, max_timestamp)
        self.log_end_offset = last_offset + 1
        if leader_epoch != self.epochs.latest:
            self.epochs.assign(leader_epoch, first_offset)
        if idempotent:
            self.producers.append_data(header, first_offset, max_timestamp)
        return AppendInfo(
            first_offset,
            last_offset,
            now_ms if config.log_append_time else NO_TIMESTAMP,
            self.log_start_offset,
            max_timestamp,
            False,
            size,
            header.count,
        )

    def _duplicate_info(self, batch: AppendedBatch) -> AppendInfo:
        return AppendInfo(
            batch.first_offset,
            batch.last_offset,
            batch.timestamp,
            self.log_start_offset,
            batch.timestamp,
            True,
            0,
            batch.offset_delta + 1,
        )

    def _append_internal(
        self, records: memoryview, leader_epoch: int, now_ms: int, origin: AppendOrigin
    ) -> AppendInfo:
        """For coordinators and the quorum's leader: several batches may come at once, and control batches too."""
        if records.readonly:
            records = memoryview(bytearray(records))
        offset = self.log_end_offset
        batches = []
        for position, header in checked_batches(records):
            check_size(header.size, self.config)
            marker = _marker(records, position, header)
            if origin is AppendOrigin.COORDINATOR and header.has_producer_id:
                self.producers.check_coordinator_batch(header, marker)
            stamp(records, position, offset, leader_epoch)
            batches.append((position, header._replace(base_offset=offset, leader_epoch=leader_epoch), marker))
            offset += header.last_offset_delta + 1
        return self._append_stamped(records, batches, now_ms)

    def append_as_follower(self, records: memoryview, now_ms: int) -> AppendInfo:
        """Append the leader's batches with the leader's offsets and epochs."""
        expected = self.log_end_offset
        batches = []
        for position, header in checked_batches(records):
            if header.base_offset < expected:
                raise ApiError(
                    ErrorCode.UNKNOWN_SERVER_ERROR,
                    f"a batch at offset {header.base_offset} cannot follow {expected - 1}",
                )
            expected = header.next_offset
            batches.append((position, header, _marker(records, position, header)))
        return self._append_stamped(records, batches, now_ms)

    def _append_stamped(
        self,
        records: memoryview,
        batches: list[tuple[int, BatchHeader, EndTransaction | None]],
        now_ms: int,
    ) -> AppendInfo:
        if not batches:
            raise ApiError(ErrorCode.INVALID_RECORD, "there is no batch to append")
        first_offset = batches[0][1].base_offset
        last_offset = batches[-1][1].last_offset
        max_timestamp = max(header.max_timestamp for _, header, _ in batches)
        segment = self.active
        if self._must_roll(segment, len(records), last_offset, max_timestamp, now_ms):
            segment = self.roll(first_offset)
        start = segment.size
        segment.log.append(records)
        self.log_end_offset = last_offset + 1
        for position, header, marker in batches:
            segment.note_batch(start + position, header.size, header.last_offset, header.max_timestamp)
            if header.leader_epoch >= 0:
                self.epochs.assign(header.leader_epoch, header.base_offset)
            if header.has_producer_id:
                apply_batch(self.producers, header, marker, segment.transaction_index)
        count = sum(header.count for _, header, _ in batches)
        return AppendInfo(
            first_offset,
            last_offset,
            NO_TIMESTAMP,
            self.log_start_offset,
            max_timestamp,
            False,
            len(records),
            count,
        )

    # -- rolling --------------------------------------------------------------------------------------------------

    def _must_roll(
        self, segment: Segment, size: int, last_offset: int, max_timestamp: int, now_ms: int
    ) -> bool:
        config = self.config
        held = segment.log.size
        if last_offset - segment.base_offset > MAX_RELATIVE_OFFSET:
            return True
        if not held:
            return False
        if held + size > config.segment_bytes or segment.indexes_full:
            return True
        first = segment.first_timestamp
        if first is None:
            first = segment.rolling_timestamp()
        waited = max_timestamp - first if first >= 0 else now_ms - segment.created_ms
        return waited > config.segment_ms - (config.segment_jitter_ms and self._jitter(segment))

    def _jitter(self, segment: Segment) -> int:
        """Spreads the rolls of partitions that began together; the same for a segment whenever it is asked."""
        seed = zlib.crc32(f"{self.topic}-{self.partition}-{segment.base_offset}".encode())
        return seed % min(self.config.segment_jitter_ms, self.config.segment_ms)

    def roll(self, base_offset: int | None = None) -> Segment:
        """Begin a new active segment at the log's end (or later). Nothing is synced here: the next flush job does it."""
        base = max(self.log_end_offset, base_offset or 0)
        old = self.active
        if base == old.base_offset:
            return old
        segment = Segment.create(self.files, self.directory, base, self.config, self.clock.now_ms())
        old.become_inactive()
        old.forget_recent()
        self.segments.append(segment)
        self.active = segment
        self._unsynced.append(old)
        self._directory_changed = True
        self.producers.end_offset = base
        self.snapshots.take(self.producers)
        return segment

    # -- flushing -------------------------------------------------------------------------------------------------

    def flush_due(self, now_ms: int) -> bool:
        """Whether `flush.messages` or `flush.ms` want a flush."""
        waiting = self.log_end_offset - self.recovery_point
        config = self.config
        return waiting > 0 and (
            waiting >= config.flush_messages or now_ms - self.last_flush_ms >= config.flush_ms
        )

    def flush_job(self) -> FlushJob | None:
        """What a thread syncs: `run()` anywhere, then `done()` on the loop.

        None if there is nothing to sync, or if a job is under way: ask again when that one is done.
        """
        if self._flush_running is not None:
            return None
        if self.recovery_point >= self.log_end_offset and not self._unsynced:
            return None
        job = FlushJob(self.log_end_offset, self._flush_steps(), self._flushed)
        self._flush_running = job
        return job

    def _flush_steps(self) -> list[Callable[[], None]]:
        """The active segment's indexes are not among them: until it is rolled, recovery would make them anew."""
        files = self.files
        steps: list[Callable[[], None]] = []
        if self._epochs_written != self.epochs.version:
            path = os.path.join(self.directory, LEADER_EPOCHS)
            steps.append(partial(files.replace, path, self.epochs.format()))
            self._epochs_written = self.epochs.version
        steps += [partial(files.sync_file, path) for path in self.snapshots.unsynced()]
        for segment in self._unsynced:
            steps.append(segment.log.prepare_sync())
            steps += [
                partial(files.sync_file, segment.path(kind))
                for kind in (OFFSET_INDEX, TIME_INDEX, TRANSACTION_INDEX)
            ]
        self._unsynced.clear()
        steps.append(self.active.log.prepare_sync())
        if self._is_new:
            steps.append(partial(files.sync_file, partition_metadata_path(self.directory)))
            steps.append(partial(files.sync_directory, os.path.dirname(self.directory)))
        if self._directory_changed:
            steps.append(partial(files.sync_directory, self.directory))
        self._is_new = self._directory_changed = False
        return steps

    def _flushed(self, job: FlushJob) -> None:
        self._flush_running = None
        self.recovery_point = max(self.recovery_point, min(job.offset, self.log_end_offset))
        self.last_flush_ms = self.clock.now_ms()

    # -- reading --------------------------------------------------------------------------------------------------

    def read(self, offset: int, max_bytes: int, *, upper_bound: int, min_one_message: bool) -> LogRead:
        """Whole batches from the one that has `offset` on, none of which reaches `upper_bound`.

        With `min_one_message` the first batch comes although it is larger than `max_bytes`.
        """
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise ApiError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"offset {offset} is not in [{self.log_start_offset}, {self.log_end_offset}]",
            )
        if offset >= upper_bound:
            return LogRead(b"", offset, offset, 0)
        segment = self.active
        index = len(self.segments) - 1
        if offset < segment.base_offset:
            index = self.segment_number(offset)
            segment = self.segments[index]
        while True:
            found = segment.slice(offset, max_bytes, upper_bound, min_one_message)
            if found is not None:
                break
            # Compaction may have removed the rest of this segment.
            index += 1
            if index == len(self.segments):
                return LogRead(b"", offset, offset, 0)
            segment = self.segments[index]
        start, end, _, next_offset, in_memory = found
        if start == end:
            return LogRead(b"", offset, offset, 0)
        return LogRead(segment.log.region(start, end, in_memory=in_memory), offset, next_offset, end - start)

    def segment_number(self, offset: int) -> int:
        """The place in `segments` of the one that `offset` belongs to."""
        return max(bisect_right(self.segments, offset, key=_base_offset) - 1, 0)

    def aborted_transactions(self, first_offset: int, upper_bound: int) -> list[AbortedTransaction]:
        """Those with records in [first_offset, upper_bound), by their markers' order."""
        return reading.aborted_transactions(self, first_offset, upper_bound)

    def offset_for_timestamp(self, timestamp_ms: int, upper_bound: int) -> "reading.TimestampOffset | None":
        """The first record, below `upper_bound`, that is not older than `timestamp_ms`."""
        return reading.offset_for_timestamp(self, timestamp_ms, upper_bound)

    def offset_of_max_timestamp(self, upper_bound: int) -> "reading.TimestampOffset | None":
        """The first record that has the log's largest timestamp, if it is below `upper_bound`."""
        return reading.offset_of_max_timestamp(self, upper_bound)

    def describe_producers(self) -> list[ProducerEntry]:
        return list(self.producers.describe())

    def expire_producers(self, now_ms: int, expiration_ms: int) -> None:
        self.producers.remove_expired(now_ms, expiration_ms)

    # -- retention and compaction ---------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Bytes in all segments."""
        return sum(segment.log.size for segment in self.segments)

    def segment_facts(self) -> list[SegmentFacts]:
        """What retention asks about: oldest first, the active one last."""
        return [
            SegmentFacts(segment.base_offset, segment.log.size, segment.largest_timestamp())
            for segment in self.segments
        ]

    def delete_segments_before(self, offset: int) -> list[str]:
        """Take out the segments that end at or before `offset`; the log begins after them.

        Their files are renamed to `.deleted` and returned: the caller removes them after `file.delete.delay.ms`. Roll
        first if the active one should go as well.
        """
        count = 0
        while count < len(self.segments) - 1 and self.segments[count + 1].base_offset <= offset:
            count += 1
        if not count:
            return []
        gone, kept = self.segments[:count], self.segments[count]
        self.advance_log_start_offset(kept.base_offset)
        paths = self._take_out(gone)
        paths += self.snapshots.rename_deleted(0, kept.base_offset)
        return paths

    def _take_out(self, gone: Sequence[Segment]) -> list[str]:
        self.segments = [segment for segment in self.segments if segment not in gone]
        self._unsynced = [segment for segment in self._unsynced if segment not in gone]
        self._directory_changed = True
        return [path for segment in gone for path in segment.rename_files(DELETED)]

    def replace_segments(self, new_bases: Sequence[int], old_bases: Sequence[int]) -> list[str]:
        """Put the cleaner's segments in the place of the old ones, none of them active.

        The new files are there as `.swap`, synced (see `prepare_swap`): from then on a crash at any moment ends with the
        new ones in place. Returns the old files, renamed, to be removed later.
        """
        old = [segment for segment in self.segments if segment.base_offset in set(old_bases)]
        if len(old) != len(old_bases) or self.active in old:
            raise ValueError("the segments to be replaced are not there, or one is active")
        paths = self._take_out(old)
        for base in old_bases:
            if base not in new_bases:
                paths += self.snapshots.rename_deleted(base, base + 1)
        take_their_place(self.files, self.directory, new_bases)
        sizes = self.files.sizes(self.directory)
        now_ms = self.clock.now_ms()
        for base in new_bases:
            self.segments.append(Segment.load(self.files, self.directory, base, sizes, self.config, now_ms))
        self.segments.sort(key=_base_offset)
        return paths

    # -- truncating -----------------------------------------------------------------------------------------------

    def truncate_to(self, offset: int) -> None:
        """Cut the log so that it ends at `offset` or before it. The owner must then write its recovery point down."""
        self.epochs.truncate_from_end(min(offset, self.log_end_offset))
        if offset >= self.log_end_offset:
            return
        if offset < self.segments[0].base_offset:
            self.truncate_fully_and_start_at(offset)
            return
        gone = [segment for segment in self.segments if segment.base_offset > offset]
        self._remove_now(gone)
        self.active = self.segments[-1]
        self.active.truncate_to(offset)
        self.log_end_offset = offset
        self.log_start_offset = min(self.log_start_offset, offset)
        self._ends_at(offset)
        rebuild_producers(self.producers, self.snapshots, self.segments, self.log_start_offset, offset)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Throw everything away; the next record gets `offset`."""
        gone = list(self.segments)
        segment = Segment.create(self.files, self.directory, offset, self.config, self.clock.now_ms())
        self._remove_now([one for one in gone if one.base_offset != offset])
        self.segments = [segment]
        self.active = segment
        self._unsynced.clear()
        self.log_start_offset = self.log_end_offset = offset
        self.high_watermark = offset
        self.epochs.clear()
        for snapshot in list(self.snapshots.offsets):
            self.snapshots.remove(snapshot)
        self.producers.load((), offset)
        self._ends_at(offset)

    def _ends_at(self, offset: int) -> None:
        """Nothing that was said about offsets from `offset` on is true any more."""
        self._directory_changed = True
        self.recovery_point = min(self.recovery_point, offset)
        self.high_watermark = min(self.high_watermark, offset)
        if self._flush_running is not None:
            self._flush_running.offset = min(self._flush_running.offset, offset)

    def _remove_now(self, gone: Sequence[Segment]) -> None:
        """Newest first, so that a crash in between leaves no hole. Readers on their way keep their descriptors."""
        self.segments = [segment for segment in self.segments if segment not in gone]
        self._unsynced = [segment for segment in self._unsynced if segment not in gone]
        for segment in reversed(gone):
            for kind in SEGMENT_KINDS:
                self.files.remove(segment.path(kind))
            self.snapshots.remove(segment.base_offset)
            segment.close()

    # -- the end --------------------------------------------------------------------------------------------------

    def moved_to(self, directory: str) -> None:
        """The partition's directory was renamed."""
        self.directory = directory
        self.snapshots.moved_to(directory)
        for segment in self.segments:
            segment.moved_to(directory)

    def close(self) -> None:
        """A clean stop: everything is written and synced, so that the next start need not look. Blocks."""
        self._flush_running = None
        self.active.become_inactive()
        self.producers.end_offset = self.log_end_offset
        self.snapshots.take(self.producers)
        job = self.flush_job()
        if job is not None:
            job.run()
            job.done()
        self.abandon()

    def abandon(self) -> None:
        """Give every descriptor back and write nothing: the disk failed, or the log is deleted."""
        for segment in self.segments:
            segment.close()


def _base_offset(segment: Segment) -> int:
    return segment.base_offset


def _marker(records: memoryview, position: int, header: BatchHeader) -> EndTransaction | None:
    try:
        return transaction_marker(records[position : position + header.size], header)
    except ProtocolError as error:
        raise ApiError(ErrorCode.INVALID_RECORD, f"a control batch cannot be read: {error}") from error
