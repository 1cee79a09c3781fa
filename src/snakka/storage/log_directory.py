"""One directory of `log.dirs`: its lock, its identity, the names of the partitions in it, and whether it still works.

Rule: a directory that failed once is offline until the broker starts anew; nothing reads or writes it again.
"""

from __future__ import annotations

import enum
import errno
import logging
import os
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snakka.protocol.uuids import ZERO_UUID, Uuid, random_uuid, uuid_text
from snakka.storage import meta_properties
from snakka.storage.files import Files, Lock, LockedElsewhere
from snakka.storage.meta_properties import DataDirectoryError, MetaProperties

log = logging.getLogger(__name__)

LOCK_FILE = ".lock"
METADATA_TOPIC = "__cluster_metadata"
_LONGEST_NAME = 255
# What the system answers for directories that somebody else has made: whoever may not read one did not make what is in it.
_NOT_OURS_TO_SYNC = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EINVAL, errno.ENOTSUP)
# The cache of tiered storage lies beside the partitions and is none.
_NOT_PARTITIONS = ("remote-log-index-cache",)


class Kind(enum.Enum):
    """What a partition's directory is for, by the suffix of its name."""

    CURRENT = ""
    FUTURE = "-future"
    DELETED = "-delete"
    STRAY = "-stray"


class PartitionDirectory(NamedTuple):
    """The name of a partition's directory, taken apart. The topic of a deleted or stray one may be cut short."""

    name: str
    topic: str
    partition: int
    kind: Kind


_NAME = re.compile(r"(?P<topic>\S+)-(?P<partition>[0-9]+)")
_MARKED_NAME = re.compile(r"(?P<topic>\S+)-(?P<partition>[0-9]+)\.\S+(?P<suffix>-future|-delete|-stray)")


def partition_name(topic: str, partition: int) -> str:
    return f"{topic}-{partition}"


def marked_name(topic: str, partition: int, kind: Kind, chance: random.Random) -> str:
    """`topic-partition.unique-suffix`, the topic cut so that the name fits a file system."""
    rest = f"-{partition}.{chance.getrandbits(128):032x}{kind.value}"
    return topic[: _LONGEST_NAME - len(rest)] + rest


def parse_name(name: str) -> PartitionDirectory | None:
    """What a directory's name says; None if it is not a partition's."""
    marked = _MARKED_NAME.fullmatch(name)
    if marked is not None:
        return PartitionDirectory(name, marked["topic"], int(marked["partition"]), Kind(marked["suffix"]))
    plain = _NAME.fullmatch(name)
    if plain is None:
        return None
    return PartitionDirectory(name, plain["topic"], int(plain["partition"]), Kind.CURRENT)


def partition_directories(files: Files, path: str) -> list[PartitionDirectory]:
    """Every partition's directory in `path`. The metadata log belongs to raft and is left out."""
    found = []
    for name in files.list(path):
        if name in _NOT_PARTITIONS or not files.is_directory(os.path.join(path, name)):
            continue
        parsed = parse_name(name)
        if parsed is None:
            log.warning("%s in log directory %s is not a partition's directory: ignored", name, path)
        elif parsed.topic != METADATA_TOPIC:
            found.append(parsed)
    return found


class LogDirectory:
    """A directory that this broker holds, or would hold if it worked."""

    __slots__ = ("_lock", "directory_id", "failure", "log_count", "path")

    def __init__(
        self, path: str, directory_id: Uuid, lock: Lock | None, failure: OSError | None = None
    ) -> None:
        self.path = path
        self.directory_id = directory_id
        self.failure = failure
        self.log_count = 0  # kept by the log manager
        self._lock = lock

    @property
    def online(self) -> bool:
        return self.failure is None

    def go_offline(self, failure: OSError) -> None:
        self.failure = failure
        self.release()

    def release(self) -> None:
        """Let another broker have it."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


@dataclass(frozen=True, slots=True)
class DataDirectories:
    """All directories of one node, locked and known to be its own."""

    cluster_id: str
    logs: list[LogDirectory]
    metadata: LogDirectory  # one of `logs`, or one of its own

    def release(self) -> None:
        for directory in (*self.logs, self.metadata):
            directory.release()


def open_data_directories(
    files: Files,
    chance: random.Random,
    *,
    log_directories: Sequence[str],
    metadata_directory: str | None = None,
    node_id: int,
    cluster_id: str | None = None,
    may_format: bool = True,
    before_create: Callable[[Mapping[str, MetaProperties]], None] | None = None,
) -> DataDirectories:
    """Lock, verify and, where all are empty, format the directories of a node; DataDirectoryError otherwise.

    They are judged before they are locked, so that a refusal writes nothing, and again under the lock. A log directory
    that cannot be read is offline from the start; the metadata directory must work. `before_create` gets the new ones
    under the names that were given here; everything else has absolute paths.
    """
    metadata_directory = metadata_directory or log_directories[0]
    given = {os.path.abspath(path): path for path in (*log_directories, metadata_directory)}
    log_paths = [os.path.abspath(path) for path in log_directories]
    metadata_path = os.path.abspath(metadata_directory)
    paths = list(given)
    if len(set(log_paths)) != len(log_paths):
        raise DataDirectoryError(f"a directory is named twice: {', '.join(log_directories)}")
    found = _judge(files, paths, node_id, cluster_id, may_format)
    _require(found.failed, log_paths, metadata_path)

    def create_rest(created: Mapping[str, MetaProperties]) -> None:
        if before_create is not None:
            before_create({given[path]: properties for path, properties in created.items()})

    locks: dict[str, Lock] = {}
    try:
        failed = _take_locks(files, paths, found.empty, locks)
        found = _judge(files, list(locks), node_id, cluster_id, may_format)
        known = meta_properties.load_or_create(
            files,
            found,
            node_id=node_id,
            cluster_id=cluster_id or found.cluster_id or uuid_text(random_uuid(chance)),
            new_directory_id=lambda: random_uuid(chance),
            before_create=create_rest,
        )
        failed.update(found.failed)
        _require(failed, log_paths, metadata_path)
    except BaseException as error:
        for lock in locks.values():
            lock.release()
        if isinstance(error, OSError):
            raise DataDirectoryError(f"{metadata_path} cannot be formatted: {error}") from error
        raise
    opened = {path: _opened(path, known, locks, failed) for path in paths}
    return DataDirectories(
        known[metadata_path].cluster_id, [opened[path] for path in log_paths], opened[metadata_path]
    )


def _judge(
    files: Files, paths: Sequence[str], node_id: int, cluster_id: str | None, may_format: bool
) -> meta_properties.FoundDirectories:
    found = meta_properties.find(files, paths)
    meta_properties.verify(found, node_id=node_id, cluster_id=cluster_id)
    if found.empty and not may_format:
        raise DataDirectoryError(
            f"{found.empty[0]} is not formatted, and a node that is given controller.quorum.* does not format itself:"
            " run snakka format with the same options first"
        )
    return found


def _require(failed: Mapping[str, OSError], log_directories: Sequence[str], metadata_path: str) -> None:
    """A node can do without some of its log directories, but not without all, nor without its metadata."""
    needed = metadata_path if metadata_path in failed else log_directories[0]
    if metadata_path in failed or all(path in failed for path in log_directories):
        error = failed[needed]
        raise DataDirectoryError(f"{needed} cannot be used: {error.strerror or error}")


def _take_locks(
    files: Files, paths: Sequence[str], unformatted: Sequence[str], locks: dict[str, Lock]
) -> dict[str, OSError]:
    """Fill `locks`; what could not be locked is returned, but a lock that somebody else holds is an error."""
    failed: dict[str, OSError] = {}
    for path in paths:
        try:
            if path in unformatted:
                _make_directory(files, path)
            locks[path] = files.lock(os.path.join(path, LOCK_FILE))
        except LockedElsewhere as error:
            raise DataDirectoryError(f"{path} is in use: {error.strerror}") from None
        except OSError as error:
            failed[path] = error
    return failed


def _make_directory(files: Files, path: str) -> None:
    """With its parents, so that a power cut cannot take back a directory whose files are safe.

    Those that are there may have been made by a start that died before it could sync their names.
    """
    files.make_directory(path)
    while (above := os.path.dirname(path)) != path:
        try:
            files.sync_directory(above)
        except OSError as error:
            if error.errno not in _NOT_OURS_TO_SYNC:
                raise
        path = above


def _opened(
    path: str, known: Mapping[str, MetaProperties], locks: Mapping[str, Lock], failed: Mapping[str, OSError]
) -> LogDirectory:
    if path in failed:
        log.error("log directory %s is offline: %s", path, failed[path])
        if path in locks:
            locks[path].release()
        return LogDirectory(path, ZERO_UUID, None, failed[path])
    return LogDirectory(path, known[path].directory_id or ZERO_UUID, locks[path])
