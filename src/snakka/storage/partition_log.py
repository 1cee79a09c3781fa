"""The log of one partition: segments in offset order, the last of them active.

Rules: only the event loop calls it, so nothing here locks or waits for another. An append that fails leaves everything as it
was. Whatever is below `recovery_point` is on the disk; whatever is above it is found again, or cut, by recovery.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.file_region import FileRegion
from snakka.protocol.record_batch import NO_TIMESTAMP, stamp
from snakka.protocol.uuids import Uuid
from snakka.runtime import Clock
from snakka.storage import log_surgery, reading, recovery
from snakka.storage.append_checks import (
    AppendOrigin,
    InternalBatch,
    check_order,
    check_size,
    checked_batches,
    checked_client_batch,
    stamp_batches,
)
from snakka.storage.files import Files
from snakka.storage.flush_job import FlushJob, Unsynced
from snakka.storage.leader_epochs import LeaderEpochs
from snakka.storage.log_config import LogConfig
from snakka.storage.policy.retention import SegmentFacts
from snakka.storage.policy.roll import MAX_RELATIVE_OFFSET, must_roll_by_age, must_roll_by_size, roll_jitter
from snakka.storage.producer_replay import apply_batch
from snakka.storage.producer_snapshot import ProducerSnapshots
from snakka.storage.producer_state import AppendedBatch, ProducerEntry, ProducerState
from snakka.storage.segment import Segment
from snakka.storage.transaction_index import AbortedTransaction

# Python 3.11 takes longer to find an enum's member than to compare with it.
_CLIENT = AppendOrigin.CLIENT


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
        "unsynced",
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
        self.unsynced = Unsynced(
            loaded.unsynced, epochs_written=loaded.epochs_written, after_clean_stop=loaded.is_taken_over
        )

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
        before_cut: "recovery.BeforeCut | None" = None,
    ) -> "PartitionLog":
        """The log in `directory`, which is made if it is absent. Blocks; may run in a thread.

        `before_cut` is asked before recovery cuts anything off.
        """
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
            before_cut=before_cut,
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
        if offset > self.log_end_offset:
            offset = self.log_end_offset
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
        if origin is not _CLIENT:
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
        batches = checked_batches(records)
        for batch in batches:
            check_size(batch.header.size, self.config)
            if origin is AppendOrigin.COORDINATOR and batch.header.has_producer_id:
                self.producers.check_coordinator_batch(batch.header, batch.marker)
        append_time = now_ms if self.config.log_append_time and origin is AppendOrigin.COORDINATOR else None
        batches = stamp_batches(records, batches, self.log_end_offset, leader_epoch, append_time)
        return self._append_stamped(records, batches, now_ms)

    def append_as_follower(self, records: memoryview, now_ms: int) -> AppendInfo:
        """Append the leader's batches with the leader's offsets and epochs."""
        batches = checked_batches(records)
        check_order(batches, self.log_end_offset)
        return self._append_stamped(records, batches, now_ms)

    def _append_stamped(self, records: memoryview, batches: list[InternalBatch], now_ms: int) -> AppendInfo:
        if not batches:
            raise ApiError(ErrorCode.INVALID_RECORD, "there is no batch to append")
        first_offset = batches[0].header.base_offset
        last_offset = batches[-1].header.last_offset
        max_timestamp = max(batch.header.max_timestamp for batch in batches)
        segment = self.active
        if self._must_roll(segment, len(records), last_offset, max_timestamp, now_ms):
            segment = self.roll(first_offset)
        start = segment.size
        segment.log.append(records)
        self.log_end_offset = last_offset + 1
        for position, header, marker in batches:
            segment.note_batch(start + position, header.size, header.last_offset, header.max_timestamp)
            self.epochs.assign(header.leader_epoch, header.base_offset)
            if header.has_producer_id:
                apply_batch(self.producers, header, marker, segment.transaction_index)
        count = sum(batch.header.count for batch in batches)
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
        if last_offset - segment.base_offset > MAX_RELATIVE_OFFSET:
            return True
        held = segment.log.size
        if not held:
            return False
        config = self.config
        if segment.indexes_full or must_roll_by_size(config, held, size):
            return True
        first = segment.rolling_timestamp()
        jitter = config.segment_jitter_ms and self._jitter(segment)
        return must_roll_by_age(config, jitter, first, segment.created_ms, max_timestamp, now_ms)

    def _jitter(self, segment: Segment) -> int:
        return roll_jitter(self.config, self.topic, self.partition, segment.base_offset)

    def roll(self, base_offset: int | None = None) -> Segment:
        """Begin a new active segment at the log's end (or later). Nothing is synced here: the next flush job does it."""
        base = max(self.log_end_offset, base_offset or 0)
        old = self.active
        if base == old.base_offset:
            return old
        segment = Segment.create(self.files, self.directory, base, self.config, self.clock.now_ms())
        old.become_inactive()
        self.segments.append(segment)
        self.active = segment
        self.unsynced.segments.append(old)
        self.unsynced.directory_changed = True
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

    def flush_job(self, *, with_names: bool = False) -> FlushJob | None:
        """What a thread syncs: `run()` anywhere, then `done()` on the loop.

        None if there is nothing to sync, or if a job is under way: ask again when that one is done. Files that came or
        went are reason enough only `with_names`.
        """
        unsynced = self.unsynced
        if unsynced.running is not None:
            return None
        has_news = unsynced.has_news if with_names else unsynced.segments or unsynced.was_truncated
        if self.recovery_point >= self.log_end_offset and not has_news:
            return None
        unsynced.running = FlushJob(self.log_end_offset, unsynced.steps(self), self._flushed)
        return unsynced.running

    def _flushed(self, job: FlushJob) -> None:
        self.unsynced.running = None
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
            end_offset = (
                self.log_end_offset if segment is self.active else self.segments[index + 1].base_offset
            )
            found = segment.slice(offset, max_bytes, upper_bound, min_one_message, end_offset)
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
        return log_surgery.delete_segments_before(self, offset)

    def replace_segments(self, new_bases: Sequence[int], old_bases: Sequence[int]) -> list[str]:
        """Put the cleaner's segments in the place of the old ones, none of them active.

        The new files are there as `.swap`, synced (see `swap_files.prepare_swap`): from then on a crash at any moment
        ends with the new ones in place. Returns the old files, renamed, to be removed later.
        """
        return log_surgery.replace_segments(self, new_bases, old_bases)

    def truncate_to(self, offset: int) -> None:
        """Cut the log so that it ends at `offset` or before it. The owner must then write its recovery point down."""
        log_surgery.truncate_to(self, offset)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Throw everything away; the next record gets `offset`."""
        log_surgery.truncate_fully_and_start_at(self, offset)

    # -- the end --------------------------------------------------------------------------------------------------

    def moved_to(self, directory: str) -> None:
        """The partition's directory was renamed."""
        self.directory = directory
        self.snapshots.moved_to(directory)
        for segment in self.segments:
            segment.moved_to(directory)

    def close(self) -> None:
        """A clean stop: everything is written and synced, so that the next start need not look.

        Blocks. No flush job may be under way.
        """
        self.unsynced.running = None
        active = self.active
        active.become_inactive()
        if active.offset_index.file.is_changed or active.time_index.file.is_changed:
            # The next start believes them.
            self.unsynced.segments.append(active)
        self.producers.end_offset = self.log_end_offset
        if self.log_end_offset > self.log_start_offset:
            self.snapshots.take(self.producers)
        job = self.flush_job(with_names=True)
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
