"""Every partition log of this broker: opens, finds, creates, deletes, flushes, ages and closes them.

Rules: only the event loop comes here; what blocks for long goes to threads as work without state. A directory whose disk
failed is never touched again: its logs are out of reach, everybody who asked is told, and the broker goes on with the rest.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.uuids import LOST_DIRECTORY, UNASSIGNED_DIRECTORY, Uuid
from snakka.runtime import Runtime
from snakka.storage.checkpoint_file import TopicPartition
from snakka.storage.delayed_deletion import DelayedDeletion
from snakka.storage.directory_checkpoints import (
    NO_BROKER_EPOCH,
    Checkpoint,
    write_clean_marker,
    write_directory_checkpoint,
)
from snakka.storage.files import Files
from snakka.storage.flusher import Flusher
from snakka.storage.log_config import LogConfig
from snakka.storage.log_directory import Kind, LogDirectory, marked_name, partition_name
from snakka.storage.log_loading import load_logs
from snakka.storage.meta_properties import DataDirectoryError
from snakka.storage.partition_log import PartitionLog
from snakka.storage.partition_metadata import was_of_topic, write_topic_id
from snakka.storage.policy.retention import expired_segments

log = logging.getLogger(__name__)

_NO_DIRECTORY = (UNASSIGNED_DIRECTORY, LOST_DIRECTORY)
# At a stop the logs of a directory are synced by this many threads: a journal commits their syncs together.
_CLOSING_THREADS = 4
_LONGEST_WRITE_SECONDS = 10.0
_ALL_CHECKPOINTS = (Checkpoint.RECOVERY_POINT, Checkpoint.LOG_START, Checkpoint.HIGH_WATERMARK)


class DescribedLog(NamedTuple):
    """A row of DescribeLogDirs."""

    topic: str
    partition: int
    size: int
    offset_lag: int
    is_future: bool


class DescribedDirectory(NamedTuple):
    """A log directory as DescribeLogDirs shows it; an offline one has only its path and its error."""

    path: str
    error: ErrorCode
    logs: list[DescribedLog]
    total_bytes: int
    usable_bytes: int
    is_cordoned: bool


class LogManager:
    """The logs of the directories in `log.dirs`, which the caller has opened and locked."""

    def __init__(
        self,
        files: Files,
        runtime: Runtime,
        directories: Sequence[LogDirectory],
        *,
        config_for: Callable[[str], LogConfig],
        recovery_threads: Callable[[], int] = lambda: 2,
    ) -> None:
        self.directories = list(directories)
        self.cordoned: Collection[str] = ()  # paths of directories that take no new partitions
        self.on_directory_failure: list[Callable[[str], None]] = []
        self.on_all_directories_failed: list[Callable[[], None]] = []
        self.on_log_start_moved: list[Callable[[PartitionLog], None]] = []
        self.previous_broker_epoch = NO_BROKER_EPOCH
        self.flusher = Flusher(runtime, self.fail_directory)
        self._files = files
        self._runtime = runtime
        self._config_for = config_for
        self._recovery_threads = recovery_threads
        self._deletion = DelayedDeletion(files, runtime, self.fail_directory)
        self._logs: dict[TopicPartition, PartitionLog] = {}
        self._by_topic: dict[str, list[PartitionLog]] = {}
        self._future: dict[TopicPartition, PartitionLog] = {}
        # Logs of an older topic with the name of a newer one, until `mark_strays` says which is which.
        self._contested: list[PartitionLog] = []
        # One writer at a time for each directory: two would write the same draft.
        self._checkpointing = {directory.path: asyncio.Lock() for directory in self.directories}
        self._checkpoint_wanted: set[str] = set()
        self._closed = False

    # -- opening --------------------------------------------------------------------------------------------------

    async def open_all(self) -> None:
        """Open every partition; DataDirectoryError if no directory works or a partition lies in two of them."""
        online = [directory for directory in self.directories if directory.online]
        loaded = await load_logs(
            self._files, self._runtime, online, self._config_for, max(self._recovery_threads(), 1)
        )
        self._contested = [opened for opened in loaded.current if not self._host(opened)]
        self._future = {(opened.topic, opened.partition): opened for opened in loaded.future}
        for directory in online:
            directory.log_count = len(self._logs_in(directory))
        epochs = loaded.broker_epochs
        if len(epochs) == len(self.directories) and len(set(epochs)) == 1 and epochs[0] is not None:
            self.previous_broker_epoch = epochs[0]
        for directory, error in loaded.failures:
            self.fail_directory(directory.path, error)
        if not any(directory.online for directory in self.directories):
            raise DataDirectoryError(
                "no log directory works: " + ", ".join(one.path for one in self.directories)
            )
        self._deletion.schedule(loaded.deleted, 0)

    def mark_strays(
        self, is_stray: Callable[[PartitionLog], bool], id_of: Callable[[str], Uuid | None] = lambda _: None
    ) -> list[PartitionLog]:
        """Set aside the logs that no topic wants, under a name that ends in `-stray`; for a person to remove.

        `id_of` a topic's name is its id: a log is no stray because one byte of its `partition.metadata` was damaged.
        """
        candidates = (*self._logs.values(), *self._future.values(), *self._contested)
        strays = [
            one for one in candidates if is_stray(one) and not self._was_restored(one, id_of(one.topic))
        ]
        for stray in strays:
            log.warning("%s belongs to no partition of this broker: set aside as stray", stray.directory)
            self._remove(stray, Kind.STRAY)
        self._contested = [one for one in self._contested if not self._host(one)]
        for one in self._contested:
            other = self._logs[one.topic, one.partition].directory
            raise DataDirectoryError(
                f"{other} and {one.directory} are the same partition: remove one of them"
            )
        return strays

    def _was_restored(self, one: PartitionLog, topic_id: Uuid | None) -> bool:
        if topic_id is None or not was_of_topic(self._files, one.directory, topic_id):
            return False
        log.warning("%s has a damaged partition.metadata: written anew", one.directory)
        write_topic_id(self._files, one.directory, topic_id)
        one.topic_id = topic_id
        return True

    def _host(self, opened: PartitionLog) -> bool:
        """Put a log into use; False if there is another one of that name."""
        if self._logs.setdefault((opened.topic, opened.partition), opened) is not opened:
            return False
        self._by_topic.setdefault(opened.topic, []).append(opened)
        return True

    # -- finding --------------------------------------------------------------------------------------------------

    def get(self, topic: str, partition: int) -> PartitionLog | None:
        """None if this broker has no such log, or its directory is offline."""
        return self._logs.get((topic, partition))

    def __iter__(self) -> Iterator[PartitionLog]:
        """All logs in use; the list is a copy, so logs may come and go meanwhile."""
        return iter(list(self._logs.values()))

    def __len__(self) -> int:
        return len(self._logs)

    def of_topic(self, topic: str) -> list[PartitionLog]:
        return list(self._by_topic.get(topic, ()))

    def directory_of(self, one: PartitionLog) -> LogDirectory:
        return self._directory_at(os.path.dirname(one.directory))

    def directory_id_of(self, one: PartitionLog) -> Uuid:
        return self.directory_of(one).directory_id

    def directory_id(self, path: str) -> Uuid:
        return self._directory_at(path).directory_id

    def online_directory_ids(self) -> list[Uuid]:
        return [directory.directory_id for directory in self.directories if directory.online]

    def _logs_in(self, directory: LogDirectory) -> list[PartitionLog]:
        logs = (*self._logs.values(), *self._future.values(), *self._contested)
        return [one for one in logs if os.path.dirname(one.directory) == directory.path]

    def _directory_at(self, path: str) -> LogDirectory:
        for directory in self.directories:
            if directory.path == path:
                return directory
        raise KeyError(path)

    def describe(self) -> list[DescribedDirectory]:
        """Every directory of the configuration, offline ones too."""
        rows: dict[str, list[DescribedLog]] = {directory.path: [] for directory in self.directories}
        for (topic, partition), one in self._logs.items():
            lag = max(one.high_watermark - one.log_end_offset, 0)
            rows[self.directory_of(one).path].append(DescribedLog(topic, partition, one.size, lag, False))
        for key, one in self._future.items():
            current = self._logs.get(key)
            lag = current.log_end_offset - one.log_end_offset if current is not None else -1
            rows[self.directory_of(one).path].append(DescribedLog(*key, one.size, lag, True))
        return [self._described(directory, rows[directory.path]) for directory in self.directories]

    def _described(self, directory: LogDirectory, rows: list[DescribedLog]) -> DescribedDirectory:
        is_cordoned = directory.path in self.cordoned
        if directory.online:
            try:
                space = self._files.disk_space(directory.path)
                return DescribedDirectory(directory.path, ErrorCode.NONE, rows, *space, is_cordoned)
            except OSError as error:
                log.warning("%s cannot be described: %s", directory.path, error)
        return DescribedDirectory(directory.path, ErrorCode.KAFKA_STORAGE_ERROR, [], -1, -1, is_cordoned)

    # -- creating, changing, deleting ---------------------------------------------------------------------------

    def create(
        self,
        topic: str,
        partition: int,
        topic_id: Uuid,
        config: LogConfig,
        *,
        directory_id: Uuid | None = None,
        is_new: bool = True,
    ) -> PartitionLog:
        """A new, empty log, where `directory_id` says or the fewest are; one of the same topic that exists is returned.

        `is_new` is false for a partition that may have had a log before, here or in a directory that is out of reach.
        ApiError with KAFKA_STORAGE_ERROR if there is no place for it.
        """
        existing = self._logs.get((topic, partition))
        if existing is not None:
            if existing.topic_id != topic_id:
                other = f"{existing.directory} is of another topic id"
                raise ApiError(ErrorCode.INCONSISTENT_TOPIC_ID, other)
            return existing
        for directory in self._places_for(directory_id, is_new):
            try:
                created = PartitionLog.open(
                    os.path.join(directory.path, partition_name(topic, partition)),
                    topic=topic,
                    partition=partition,
                    topic_id=topic_id,
                    files=self._files,
                    clock=self._runtime.clock,
                    config=config,
                    clean_shutdown=False,
                )
            except OSError as error:
                self.fail_directory(directory.path, error)
            else:
                self._host(created)
                directory.log_count += 1
                return created
        raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, f"no log directory can take {topic}-{partition}")

    def _places_for(self, wanted: Uuid | None, is_new: bool) -> list[LogDirectory]:
        online = [directory for directory in self.directories if directory.online]
        is_known = wanted is not None and wanted not in _NO_DIRECTORY
        named = [directory for directory in online if directory.directory_id == wanted]
        if is_known and named:
            return named
        if len(online) < len(self.directories) and (is_known or not is_new):
            # With a disk out of reach the log may well be on it: a second, empty one would be a loss.
            return []
        if len(online) > 1:
            online = [directory for directory in online if directory.path not in self.cordoned]
        return sorted(online, key=lambda directory: directory.log_count)

    def update_config(self, topic: str, config: LogConfig) -> None:
        """The topic's configs, or the broker's defaults for them, have changed."""
        for one in self._by_topic.get(topic, ()):
            one.config = config
        for one in self._future.values():
            if one.topic == topic:
                one.config = config

    def delete(self, topic: str, partition: int) -> None:
        """Its directory is renamed now and removed after `file.delete.delay.ms`. One that is not there is fine."""
        for logs in (self._logs, self._future):
            gone = logs.get((topic, partition))
            if gone is not None and self._remove(gone, Kind.DELETED):
                self.remove_later([gone.directory], gone.config.file_delete_delay_ms)

    def _remove(self, gone: PartitionLog, kind: Kind) -> bool:
        """Take a log out of use and rename its directory; False if that failed, with all that follows."""
        directory = self.directory_of(gone)
        name = marked_name(gone.topic, gone.partition, kind, self._runtime.random)
        target = os.path.join(directory.path, name)
        if directory.online:
            try:
                self._files.rename(gone.directory, target)
            except OSError as error:
                self.fail_directory(directory.path, error)
        if not directory.online:
            return False
        gone.moved_to(target)
        self._let_go(gone)
        self._checkpoint_soon(directory)
        return True

    def _let_go(self, gone: PartitionLog) -> None:
        key = gone.topic, gone.partition
        if self._logs.get(key) is gone:
            del self._logs[key]
            self._by_topic[gone.topic].remove(gone)
            if not self._by_topic[gone.topic]:
                del self._by_topic[gone.topic]
        elif self._future.get(key) is gone:
            del self._future[key]
        else:
            self._contested.remove(gone)
        self.directory_of(gone).log_count -= 1
        self.flusher.forget(gone)
        gone.abandon()

    # -- failing --------------------------------------------------------------------------------------------------

    def fail_directory(self, path: str, error: OSError) -> None:
        """A disk operation at `path` failed: its directory goes offline, with all its logs. Once is enough."""
        directory = next((one for one in self.directories if _is_within(path, one.path)), None)
        if directory is None or not directory.online:
            return  # known already, or the metadata directory's, which raft looks after
        log.error("log directory %s goes offline: %s", directory.path, error)
        directory.go_offline(error)
        for one in self._logs_in(directory):
            self._let_go(one)
        for tell in self.on_directory_failure:
            tell(directory.path)
        if not any(one.online for one in self.directories):
            log.critical("no log directory is left")
            for stop in self.on_all_directories_failed:
                stop()

    # -- ageing ---------------------------------------------------------------------------------------------------

    async def apply_retention(self, now_ms: int) -> int:
        """Take out the segments that retention wants gone, of all logs; how many there were."""
        total = 0
        for one in self:
            if self._logs.get((one.topic, one.partition)) is one:
                try:
                    total += self._age(one, now_ms)
                except OSError as error:
                    self.fail_directory(one.directory, error)
                await asyncio.sleep(0)  # requests are served between one log and the next
        return total

    def _age(self, one: PartitionLog, now_ms: int) -> int:
        if not one.config.delete and one.log_start_offset == one.segments[0].base_offset:
            return 0
        facts = one.segment_facts()
        expired = expired_segments(
            facts,
            log_start_offset=one.log_start_offset,
            log_end_offset=one.log_end_offset,
            high_watermark=one.high_watermark,
            config=one.config,
            now_ms=now_ms,
        )
        if not expired.total:
            return 0
        if expired.total == len(facts):
            one.roll()
        start = one.log_start_offset
        end = facts[expired.total].base_offset if expired.total < len(facts) else one.log_end_offset
        self.remove_later(one.delete_segments_before(end), one.config.file_delete_delay_ms)
        log.info(
            "%s: %d segments go (%d below the log start, %d by size, %d by time)",
            one.directory,
            expired.total,
            *expired,
        )
        if one.log_start_offset > start:
            for tell in self.on_log_start_moved:
                tell(one)
        return expired.total

    def remove_later(self, paths: Sequence[str], delay_ms: int) -> None:
        """Files or directories whose names say already that they are to go."""
        self._deletion.schedule(paths, delay_ms)

    def log_start_moved(self, one: PartitionLog) -> None:
        """DeleteRecords moved the log's start within a segment: it is written down soon, to outlive a crash."""
        self._checkpoint_soon(self.directory_of(one))

    def expire_producers(self, now_ms: int, expiration_ms: int) -> None:
        """Forget idempotent producers that have not written for `expiration_ms`."""
        for one in self._logs.values():
            one.expire_producers(now_ms, expiration_ms)

    def sweep_flushes(self) -> None:
        """For a background task, every `flusher.sweep_interval_seconds()`."""
        self.flusher.sweep(self._logs.values(), self._runtime.clock.now_ms())

    # -- checkpoints ----------------------------------------------------------------------------------------------

    async def checkpoint(self, *which: Checkpoint) -> None:
        """Write these checkpoints of every directory that is online."""
        for directory in self.directories:
            await self._checkpoint_directory(directory, which)

    async def _checkpoint_directory(self, directory: LogDirectory, which: Sequence[Checkpoint]) -> None:
        async with self._checkpointing[directory.path]:
            if which == _ALL_CHECKPOINTS:
                self._checkpoint_wanted.discard(directory.path)
            for one in which:
                if self._closed or not directory.online:
                    return
                offsets = self._offsets(directory, one)
                write = self._runtime.offload.run(
                    write_directory_checkpoint, self._files, directory.path, one, offsets
                )
                try:
                    await asyncio.shield(write)
                except OSError as error:
                    self.fail_directory(directory.path, error)
                except asyncio.CancelledError:
                    # The thread goes on all the same, and until it is done nobody else may write this file.
                    await asyncio.wait([write], timeout=_LONGEST_WRITE_SECONDS)
                    raise

    def _offsets(self, directory: LogDirectory, which: Checkpoint) -> dict[TopicPartition, int]:
        logs = self._logs_in(directory)
        if which is Checkpoint.RECOVERY_POINT:
            return {(one.topic, one.partition): one.recovery_point for one in logs}
        if which is Checkpoint.HIGH_WATERMARK:
            return {(one.topic, one.partition): one.high_watermark for one in logs}
        # Kafka leaves out those that the first segment's name says as well. That name may not be on the disk yet when a
        # log was emptied: then only this keeps a power cut from giving the same offsets out again.
        return {(one.topic, one.partition): one.log_start_offset for one in logs if one.log_start_offset}

    def _checkpoint_soon(self, directory: LogDirectory) -> None:
        """A log's start has moved; or a log is gone, and what is remembered of it must not meet a new one."""
        if directory.path not in self._checkpoint_wanted:
            self._checkpoint_wanted.add(directory.path)
            self._runtime.supervisor.spawn(
                "checkpoint of a change", self._checkpoint_directory(directory, _ALL_CHECKPOINTS)
            )

    # -- closing --------------------------------------------------------------------------------------------------

    async def close(self, *, clean: bool = True, broker_epoch: int = NO_BROKER_EPOCH) -> None:
        """Sync and close every log, write the checkpoints and the mark of a clean stop, release the locks.

        Without `clean` nothing is written: the next start recovers, as after a crash.
        """
        await self._deletion.close()
        if clean:
            try:
                await self.flusher.drain()
            except TimeoutError as error:
                log.error("%s: the next start will check the logs", error)
                clean = False
        if clean:
            await asyncio.gather(*(self._close_directory(one, broker_epoch) for one in self.directories))
        self._closed = True
        for directory in self.directories:
            for one in self._logs_in(directory):
                one.abandon()
            async with self._checkpointing[directory.path]:
                directory.release()
        self._logs, self._by_topic, self._future, self._contested = {}, {}, {}, []

    async def _close_directory(self, directory: LogDirectory, broker_epoch: int) -> None:
        if not directory.online:
            return
        logs = self._logs_in(directory)
        shares = [logs[number::_CLOSING_THREADS] for number in range(_CLOSING_THREADS)]
        failures = await asyncio.gather(*(self._runtime.offload.run(_close_logs, share) for share in shares))
        for failure in failures:
            if failure is not None:
                self.fail_directory(directory.path, failure)
        await self._checkpoint_directory(directory, _ALL_CHECKPOINTS)
        if directory.online:
            try:
                await self._runtime.offload.run(write_clean_marker, self._files, directory.path, broker_epoch)
            except OSError as error:
                self.fail_directory(directory.path, error)


def _close_logs(logs: Sequence[PartitionLog]) -> OSError | None:
    """In a thread, when the event loop does not use these logs any more."""
    try:
        for one in logs:
            one.close()
    except OSError as error:
        return error
    return None


def _is_within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory + os.sep)
