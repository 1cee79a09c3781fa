"""Opening every partition of the log directories when a broker starts: threads do the reading, a few for each directory.

Rule: the mark of a clean stop is taken away before the first log is opened. Whatever goes wrong with one disk takes that
directory offline and leaves the others alone; only a partition that lies in two places stops the start.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from snakka.protocol.uuids import ZERO_UUID, Uuid
from snakka.runtime import Clock, Runtime
from snakka.storage.batch_scan import scan_headers
from snakka.storage.checkpoint_file import TopicPartition
from snakka.storage.directory_checkpoints import Checkpoint, read_directory_checkpoint, take_clean_marker
from snakka.storage.files import Files
from snakka.storage.log_config import LogConfig
from snakka.storage.log_directory import (
    Kind,
    LogDirectory,
    PartitionDirectory,
    marked_name,
    partition_directories,
)
from snakka.storage.meta_properties import DataDirectoryError
from snakka.storage.partition_log import PartitionLog
from snakka.storage.partition_metadata import partition_metadata_path, read_topic_id
from snakka.storage.segment_files import LOG
from snakka.storage.segment_files import parse_name as parse_segment_name

log = logging.getLogger(__name__)

_REMEMBERED = (Checkpoint.RECOVERY_POINT, Checkpoint.LOG_START, Checkpoint.HIGH_WATERMARK)


class Remembered(NamedTuple):
    """One checkpoint file: when it was written, and what it says."""

    written_ms: int
    offsets: Mapping[TopicPartition, int]

    def offset_of(self, key: TopicPartition, created_ms: int | None) -> int:
        """0 if it says nothing, or says it of an older partition with the same name.

        That one may have been deleted so shortly before a crash that the file still had it. Its log start offset would
        hide, or even cut off, records of the new one. `created_ms` is None after a clean stop, where this cannot be.
        """
        if created_ms is not None and created_ms > self.written_ms:
            return 0
        return self.offsets.get(key, 0)


@dataclass(slots=True)
class Contents:
    """What lies in one log directory."""

    directory: LogDirectory
    partitions: list[PartitionDirectory] = field(default_factory=list)
    remembered: dict[Checkpoint, Remembered] = field(default_factory=dict)
    broker_epoch: int | None = None  # from the mark of a clean stop; None if there was no mark

    @property
    def clean(self) -> bool:
        return self.broker_epoch is not None

    def of_kind(self, *kinds: Kind) -> list[PartitionDirectory]:
        return [found for found in self.partitions if found.kind in kinds]


@dataclass(slots=True)
class LoadedLogs:
    """Every log that could be opened, and what else was found."""

    current: list[PartitionLog] = field(default_factory=list)
    future: list[PartitionLog] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)  # directories that a stop or a crash left to be removed
    failures: list[tuple[LogDirectory, OSError]] = field(default_factory=list)
    broker_epochs: list[int | None] = field(default_factory=list)


async def load_logs(
    files: Files,
    runtime: Runtime,
    directories: Sequence[LogDirectory],
    config_for: Callable[[str], LogConfig],
    threads_per_directory: int,
) -> LoadedLogs:
    """Open all partitions; DataDirectoryError if one lies in two directories."""
    loaded = LoadedLogs()
    contents: list[Contents] = []
    looks = [runtime.offload.run(_look_into, files, directory) for directory in directories]
    for directory, look in zip(
        directories, await asyncio.gather(*looks, return_exceptions=True), strict=True
    ):
        _settle(directory, look, contents.append, loaded)
    for found, one in await runtime.offload.run(unused_duplicates, files, contents):
        _set_aside(files, runtime, found, one, contents, loaded)
    await asyncio.gather(
        *(
            _load_directory(files, runtime, found, config_for, threads_per_directory, loaded)
            for found in contents
        )
    )
    return loaded


def _settle(
    directory: LogDirectory,
    outcome: Contents | BaseException,
    accept: Callable[[Contents], None],
    loaded: LoadedLogs,
) -> None:
    if isinstance(outcome, OSError):
        loaded.failures.append((directory, outcome))
    elif isinstance(outcome, BaseException):
        raise outcome
    else:
        accept(outcome)


def _look_into(files: Files, directory: LogDirectory) -> Contents:
    """In a thread: names and checkpoints, nothing is changed."""
    contents = Contents(directory, partition_directories(files, directory.path))
    for which in _REMEMBERED:
        path = os.path.join(directory.path, which.value)
        written_ms = files.modified_ms(path) if files.exists(path) else 0
        offsets = read_directory_checkpoint(files, directory.path, which)
        contents.remembered[which] = Remembered(written_ms, offsets)
    return contents


Place = tuple[Contents, PartitionDirectory]


def unused_duplicates(files: Files, contents: Sequence[Contents]) -> list[Place]:
    """The same partition of the same topic may lie in one directory only; those that lie elsewhere and were never used.

    A disk that fails while a log is made leaves one behind, and the log goes to another disk. Of two that were used
    nobody can know which one is right.
    """
    places: dict[tuple[str, int, Kind], list[Place]] = {}
    for found in contents:
        for one in found.of_kind(Kind.CURRENT, Kind.FUTURE):
            places.setdefault((one.topic, one.partition, one.kind), []).append((found, one))
    unused: list[Place] = []
    for candidates in places.values():
        if len(candidates) > 1:
            unused += _unused_of(files, candidates)
    return unused


def _unused_of(files: Files, candidates: Sequence[Place]) -> list[Place]:
    by_id: dict[Uuid | None, str] = {}
    unused = []
    for found, one in candidates:
        path = os.path.join(found.directory.path, one.name)
        if not _was_used(files, path):
            unused.append((found, one))
        elif (other := by_id.setdefault(read_topic_id(files, path), path)) != path:
            raise DataDirectoryError(
                f"{other} and {path} are the same partition: remove the one on the disk that failed last"
            )
    return unused


def _set_aside(
    files: Files,
    runtime: Runtime,
    found: Contents,
    one: PartitionDirectory,
    contents: list[Contents],
    loaded: LoadedLogs,
) -> None:
    """Renamed now and removed later: its name may be needed at once."""
    path = os.path.join(found.directory.path, one.name)
    target = marked_name(one.topic, one.partition, Kind.DELETED, runtime.random)
    log.warning("removing %s, which was never used: the partition has another place", path)
    found.partitions.remove(one)
    try:
        files.rename(path, os.path.join(found.directory.path, target))
    except OSError as error:
        loaded.failures.append((found.directory, error))
        if found in contents:
            contents.remove(found)
    else:
        loaded.deleted.append(os.path.join(found.directory.path, target))


def _was_used(files: Files, path: str) -> bool:
    """Whether there is, or ever was, a record in the log."""
    for name, size in files.sizes(path).items():
        base_offset, kind, _ = parse_segment_name(name) or (0, "", "")
        if kind == LOG:
            file = files.open(os.path.join(path, name), size=size)
            is_empty = next(scan_headers(file, 0, size), None) is None
            file.close()
            if base_offset or not is_empty:
                return True
    return False


async def _load_directory(
    files: Files,
    runtime: Runtime,
    contents: Contents,
    config_for: Callable[[str], LogConfig],
    threads: int,
    loaded: LoadedLogs,
) -> None:
    # Configs are asked for here: threads must not look at state that the event loop changes.
    directory = contents.directory
    waiting = deque((one, config_for(one.topic)) for one in contents.of_kind(Kind.CURRENT, Kind.FUTURE))
    try:
        contents.broker_epoch = await runtime.offload.run(take_clean_marker, files, directory.path)
    except OSError as error:
        loaded.failures.append((directory, error))
        return
    shares = await asyncio.gather(
        *(
            runtime.offload.run(_open_logs, files, runtime.clock, contents, waiting)
            for _ in range(min(threads, len(waiting)))
        )
    )
    opened = [pair for share in shares for pair in share.opened]
    failure = next((share.failure for share in shares if share.failure is not None), None)
    if failure is not None:
        for _, partition_log in opened:
            partition_log.abandon()
        loaded.failures.append((directory, failure))
        return
    for one, partition_log in opened:
        (loaded.future if one.kind is Kind.FUTURE else loaded.current).append(partition_log)
    loaded.broker_epochs.append(contents.broker_epoch)
    loaded.deleted += [os.path.join(directory.path, one.name) for one in contents.of_kind(Kind.DELETED)]
    for one in contents.of_kind(Kind.STRAY):
        log.warning(
            "%s in %s belongs to no topic; remove it when its records are not needed",
            one.name,
            directory.path,
        )
    if opened:
        how = "a clean" if contents.clean else "an unclean"
        log.info("%d logs in %s opened after %s stop", len(opened), directory.path, how)


class _Share(NamedTuple):
    """What one thread opened before it was done, or failed."""

    opened: list[tuple[PartitionDirectory, PartitionLog]]
    failure: OSError | None


def _open_logs(
    files: Files, clock: Clock, contents: Contents, waiting: deque[tuple[PartitionDirectory, LogConfig]]
) -> _Share:
    """In a thread: open what waits until nothing does. A failure ends all shares, because it ends the directory."""
    opened: list[tuple[PartitionDirectory, PartitionLog]] = []
    while waiting:
        try:
            one, config = waiting.popleft()
        except IndexError:
            break  # another thread took the last one
        try:
            opened.append((one, _open_log(files, clock, contents, one, config)))
        except OSError as error:
            waiting.clear()
            return _Share(opened, error)
    return _Share(opened, None)


def _open_log(
    files: Files, clock: Clock, contents: Contents, one: PartitionDirectory, config: LogConfig
) -> PartitionLog:
    path = os.path.join(contents.directory.path, one.name)
    created_ms = None if contents.clean else _created_ms(files, path)
    recovery_point, log_start, high_watermark = (
        contents.remembered[which].offset_of((one.topic, one.partition), created_ms) for which in _REMEMBERED
    )
    opened = PartitionLog.open(
        path,
        topic=one.topic,
        partition=one.partition,
        topic_id=ZERO_UUID,
        files=files,
        clock=clock,
        config=config,
        clean_shutdown=contents.clean,
        recovery_point=recovery_point,
        log_start_offset=log_start,
    )
    opened.advance_high_watermark(high_watermark)
    return opened


def _created_ms(files: Files, path: str) -> int:
    """When the partition was made: its metadata file is written then and never again."""
    metadata = partition_metadata_path(path)
    return files.modified_ms(metadata) if files.exists(metadata) else 0
