"""The broker's side of compaction: it picks the dirtiest log, has a process clean it, and swaps the segments.

Rule: the event loop only decides and renames. The records are read and written by `snakka.storage.cleaner` in a process of
its own, and what it wrote takes effect only if the segments that it read are still those of the log: a log that was
truncated, deleted or shortened meanwhile is left as it is, and cleaned another time.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snakka.protocol.batch_reader import MAX_OUTPUT_BYTES
from snakka.runtime import Runtime
from snakka.storage.checkpoint_file import TopicPartition
from snakka.storage.cleaned_segment import remove_unused
from snakka.storage.cleaner import CleanedGroup, CleaningJob, CleaningResult
from snakka.storage.cleaner_checkpoint import CleanerCheckpoints
from snakka.storage.files import Files, StorageFailure
from snakka.storage.offset_index import ENTRY as OFFSET_ENTRY
from snakka.storage.partition_log import PartitionLog
from snakka.storage.policy.compaction import (
    CleanableSegment,
    CompactedLog,
    DirtyRange,
    dirty_range,
    is_due,
    needs_timestamps,
)
from snakka.storage.segment import Segment
from snakka.storage.swap_files import prepare_swap
from snakka.storage.time_index import ENTRY as TIME_ENTRY

log = logging.getLogger(__name__)

CLEANER_MODULE = "snakka.storage.cleaner"
JOB_FILE = "cleaner-job"
RESULT_FILE = "cleaner-result"

# A cleaning that is slower than this, or than its own limit, hangs.
_SLOWEST_BYTES_PER_SECOND = 512 * 1024
_SHORTEST_DEADLINE_SECONDS = 60.0
_RETRY_AFTER_MS = 10 * 60 * 1000
_NO_OFFSET = -1


@dataclass(frozen=True, slots=True)
class CleanerSettings:
    """The broker's `log.cleaner.*` options that have an effect here."""

    enabled: bool = True
    key_map_bytes: int = 128 * 1024 * 1024
    key_map_load_factor: float = 0.9
    max_bytes_per_second: float = float("inf")


class _Seen(NamedTuple):
    """A segment as it was when the job was written. Inactive segments never change, unless the log is truncated."""

    segment: Segment
    size: int
    modified_ms: int


class _Cleaning:
    """The cleaning under way."""

    __slots__ = ("aborted", "ended", "log", "process", "seen")

    def __init__(self, cleaned: PartitionLog) -> None:
        self.log = cleaned
        self.seen: dict[int, _Seen] = {}
        self.aborted = False
        self.process: asyncio.Task[OSError | None] | None = None
        self.ended = asyncio.Event()


class Compactor:
    """Cleans the compacted logs of a broker, one at a time. Its counters are for the metrics."""

    def __init__(
        self,
        files: Files,
        runtime: Runtime,
        *,
        logs: Callable[[], Iterable[PartitionLog]],
        settings: Callable[[], CleanerSettings],
        checkpoints: CleanerCheckpoints,
        write_recovery_points: Callable[[], Awaitable[None]],
        remove_later: Callable[[Sequence[str], int], None],
        failed: Callable[[str, OSError], None],
    ) -> None:
        """`remove_later(paths, delay_ms)` deletes files; `failed(path, error)` is told of a disk that does not work.

        `write_recovery_points` puts the logs' recovery points on the disk. Recovery looks for lost records only after
        them, and there must be no offsets missing because of a cleaning.
        """
        self._files = files
        self._runtime = runtime
        self._logs = logs
        self._settings = settings
        self._checkpoints = checkpoints
        self._write_recovery_points = write_recovery_points
        self._remove_later = remove_later
        self._failed = failed
        self._current: _Cleaning | None = None
        self._not_before_ms: dict[TopicPartition, int] = {}
        # Logs that contradict themselves; they are left alone until the broker starts anew.
        self.uncleanable: dict[TopicPartition, str] = {}
        self.cleanings = 0
        self.bytes_before = 0
        self.bytes_after = 0
        self.max_dirty_ratio = 0.0
        self.last_run_ms = _NO_OFFSET

    async def run(self) -> None:
        """Clean log after log until none is due: the background task calls it every `log.cleaner.backoff.ms`."""
        if self._current is None:
            while self._settings().enabled and await self.clean_dirtiest():
                pass

    async def clean_dirtiest(self) -> bool:
        """Clean the log that is due and has the largest dirty share; False if none is due."""
        now_ms = self._runtime.clock.now_ms()
        self.last_run_ms = now_ms
        chosen = self._choose(now_ms)
        if chosen is not None:
            await self._clean(*chosen, now_ms)
        await self._write_checkpoints()
        return chosen is not None

    async def abort(self, stopped: PartitionLog) -> None:
        """Let go of the log: when this returns no cleaning of it is under way, and none of its files remain.

        For whoever is about to truncate, delete or move it.
        """
        current = self._current
        if current is not None and current.log is stopped:
            current.aborted = True
            if current.process is not None:
                current.process.cancel()
            await current.ended.wait()

    # Choosing.

    def _choose(self, now_ms: int) -> tuple[PartitionLog, DirtyRange] | None:
        best: tuple[PartitionLog, DirtyRange] | None = None
        self.max_dirty_ratio = 0.0
        known = set()
        for candidate in self._logs():
            partition = (candidate.topic, candidate.partition)
            known.add(partition)
            if not candidate.config.compact or partition in self.uncleanable:
                continue
            dirty = dirty_range(self._facts(candidate), now_ms)
            if dirty.checkpoint_is_wrong:
                self._checkpoints.record(
                    os.path.dirname(candidate.directory), partition, dirty.first_dirty_offset
                )
            self.max_dirty_ratio = max(self.max_dirty_ratio, dirty.ratio)
            if not is_due(dirty, candidate.config) or self._not_before_ms.get(partition, 0) > now_ms:
                continue
            if best is None or dirty.ratio > best[1].ratio:
                best = (candidate, dirty)
        for remembered in (self.uncleanable, self._not_before_ms):
            for gone in [partition for partition in remembered if partition not in known]:
                del remembered[gone]
        return best

    def _facts(self, candidate: PartitionLog) -> CompactedLog:
        with_timestamps = needs_timestamps(candidate.config)
        active = candidate.active
        return CompactedLog(
            [
                _segment_facts(segment, with_timestamps and segment is not active)
                for segment in candidate.segments
            ],
            candidate.log_start_offset,
            candidate.log_end_offset,
            candidate.last_stable_offset,
            candidate.recovery_point,
            self._checkpoints.offset(
                os.path.dirname(candidate.directory), (candidate.topic, candidate.partition)
            ),
            candidate.config,
        )

    # Cleaning.

    async def _clean(self, cleaned: PartitionLog, dirty: DirtyRange, now_ms: int) -> None:
        segments = [segment for segment in cleaned.segments if segment.base_offset < dirty.end_offset]
        current = self._current = _Cleaning(cleaned)
        try:
            try:
                for segment in segments:
                    modified_ms = self._files.modified_ms(segment.log.path)
                    current.seen[segment.base_offset] = _Seen(segment, segment.size, modified_ms)
                result = await self._run_process(current, self._job(cleaned, segments, dirty, now_ms))
                await self._write_recovery_points()
                await self._apply(current, result)
            finally:
                bases = list(current.seen)
                await self._runtime.offload.run(_remove_traces, self._files, cleaned.directory, bases)
        except OSError as error:
            self._note_failure(current, error, now_ms)
        finally:
            self._current = None
            current.ended.set()

    async def _apply(self, current: _Cleaning, result: CleaningResult) -> None:
        cleaned = current.log
        if result.uncleanable:
            self.uncleanable[cleaned.topic, cleaned.partition] = result.uncleanable
            log.error("%s-%d cannot be cleaned: %s", cleaned.topic, cleaned.partition, result.uncleanable)
        elif await self._swap(current, result.groups):
            self._done(cleaned, result)
        else:
            log.info("%s-%d changed while it was cleaned", cleaned.topic, cleaned.partition)

    def _note_failure(self, current: _Cleaning, error: OSError, now_ms: int) -> None:
        cleaned = current.log
        # What goes wrong in a log that was aborted or is gone is nobody's concern.
        if current.aborted or not self._is_hosted(cleaned):
            return
        if isinstance(error, StorageFailure):
            self._failed(cleaned.directory, error)
        self._not_before_ms[cleaned.topic, cleaned.partition] = now_ms + _RETRY_AFTER_MS
        log.warning(
            "cleaning %s-%d failed and is tried again later: %s", cleaned.topic, cleaned.partition, error
        )

    def _job(
        self, cleaned: PartitionLog, segments: Sequence[Segment], dirty: DirtyRange, now_ms: int
    ) -> CleaningJob:
        config = cleaned.config
        settings = self._settings()
        return CleaningJob(
            directory=cleaned.directory,
            result_path=os.path.join(cleaned.directory, RESULT_FILE),
            segments=[_segment_facts(segment, False) for segment in segments],
            later_bases=[
                segment.base_offset for segment in cleaned.segments if segment.base_offset >= dirty.end_offset
            ],
            first_dirty_offset=dirty.first_dirty_offset,
            end_offset=dirty.end_offset,
            now_ms=now_ms,
            delete_retention_ms=config.delete_retention_ms,
            segment_bytes=config.segment_bytes,
            segment_index_bytes=config.segment_index_bytes,
            index_interval_bytes=config.index_interval_bytes,
            max_output_bytes=MAX_OUTPUT_BYTES,
            key_map_bytes=settings.key_map_bytes,
            key_map_load_factor=settings.key_map_load_factor,
            max_bytes_per_second=max(settings.max_bytes_per_second, 1.0),
            producers={
                entry.producer_id: [
                    entry.epoch,
                    entry.batches[-1].last_offset if entry.batches else _NO_OFFSET,
                ]
                for entry in cleaned.describe_producers()
            },
        )

    async def _run_process(self, current: _Cleaning, job: CleaningJob) -> CleaningResult:
        """OSError if the process fails, is late or is aborted."""
        offload = self._runtime.offload
        path = os.path.join(job.directory, JOB_FILE)
        await offload.run(_write_job, self._files, path, job)
        if current.aborted:
            raise OSError("the cleaning was aborted")
        # Every byte is read twice and written once.
        size = 3 * sum(segment.size for segment in job.segments)
        rate = min(job.max_bytes_per_second, _SLOWEST_BYTES_PER_SECOND)
        current.process = self._runtime.supervisor.spawn(
            f"cleaning of {current.log.topic}-{current.log.partition}",
            self._await_process(path, _SHORTEST_DEADLINE_SECONDS + size / rate),
        )
        try:
            await asyncio.wait([current.process])
        finally:
            current.process.cancel()
        if current.process.cancelled():
            raise OSError("the cleaning was aborted")
        failure = current.process.result()
        if failure is not None:
            raise failure
        return CleaningResult.decode(await offload.run(self._files.read, job.result_path))

    async def _await_process(self, path: str, deadline_seconds: float) -> OSError | None:
        try:
            await self._runtime.offload.run_module(CLEANER_MODULE, path, deadline_seconds=deadline_seconds)
        except OSError as error:
            return error
        return None

    # Swapping.

    async def _swap(self, current: _Cleaning, groups: Sequence[CleanedGroup]) -> bool:
        """Put the new segments in place, group after group; False if the log is no longer what was cleaned."""
        cleaned = current.log
        for group in groups:
            base = group.old_bases[0]
            if self._is_unchanged(current, group.old_bases):
                await self._runtime.offload.run(prepare_swap, self._files, cleaned.directory, (base,))
            # The log may have changed while the thread renamed the files.
            if not self._is_unchanged(current, group.old_bases):
                return False
            paths = cleaned.replace_segments((base,), group.old_bases)
            self._remove_later(paths, cleaned.config.file_delete_delay_ms)
        return True

    def _is_unchanged(self, current: _Cleaning, bases: Sequence[int]) -> bool:
        cleaned = current.log
        if current.aborted or not self._is_hosted(cleaned):
            return False
        segments = {segment.base_offset: segment for segment in cleaned.segments}
        for base in bases:
            seen = current.seen[base]
            segment = segments.get(base)
            if segment is not seen.segment or segment is cleaned.active or segment.size != seen.size:
                return False
            if self._files.modified_ms(segment.log.path) != seen.modified_ms:
                return False
        return True

    def _is_hosted(self, cleaned: PartitionLog) -> bool:
        return any(hosted is cleaned for hosted in self._logs())

    def _done(self, cleaned: PartitionLog, result: CleaningResult) -> None:
        before = sum(group.bytes_before for group in result.groups)
        after = sum(group.bytes_after for group in result.groups)
        self.cleanings += 1
        self.bytes_before += before
        self.bytes_after += after
        self._checkpoints.record(
            os.path.dirname(cleaned.directory), (cleaned.topic, cleaned.partition), result.end_offset
        )
        log.info(
            "cleaned %s-%d below offset %d: %d of %d bytes, %d of %d records are left",
            cleaned.topic,
            cleaned.partition,
            result.end_offset,
            after,
            before,
            result.records_kept,
            result.records_read,
        )
        if result.strange_batches:
            log.warning(
                "%s-%d has batches that cannot be understood and were kept as they are, at offsets %s",
                cleaned.topic,
                cleaned.partition,
                result.strange_batches,
            )

    async def _write_checkpoints(self) -> None:
        for directory, offsets in self._checkpoints.take_changes().items():
            try:
                await self._runtime.offload.run(self._checkpoints.write, directory, offsets)
            except OSError as error:
                self._failed(directory, error)


def _segment_facts(segment: Segment, with_timestamps: bool) -> CleanableSegment:
    return CleanableSegment(
        segment.base_offset,
        segment.size,
        segment.offset_index.count * OFFSET_ENTRY.size,
        segment.time_index.count * TIME_ENTRY.size,
        segment.largest_timestamp() if with_timestamps else -1,
        segment.rolling_timestamp() if with_timestamps else -1,
    )


def _write_job(files: Files, path: str, job: CleaningJob) -> None:
    """In a thread."""
    files.replace(path, job.encode(), sync=False)


def _remove_traces(files: Files, directory: str, bases: Sequence[int]) -> None:
    """In a thread: nothing of a cleaning stays but what was swapped."""
    remove_unused(files, directory, bases)
    for name in (JOB_FILE, RESULT_FILE):
        files.remove(os.path.join(directory, name))
