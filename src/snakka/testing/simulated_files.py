"""A disk in memory that loses what was not synced, tears what was being written, and fails when told to.

It stands in for `storage.files.OsFiles`. Two worlds are kept: what a running program sees, and what is on the platters.
A sync copies a file's bytes from the first to the second, a directory's sync its names; a crash throws the first away,
after some of it, chosen by chance, has reached the second. As on a real disk a sector is written whole or not at all, and
in any order.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from snakka.protocol.file_region import FileRegion
from snakka.storage.files import Bytes, DiskSpace, Lock, LockedElsewhere, StorageFailure

SECTOR_BYTES = 512
UNLIMITED_BYTES = 1 << 50


@dataclass
class Fault:
    """An operation that will fail once: the next one of that name on a path that contains `path_contains`.

    Operations: append, read, truncate, sync, create, rename, remove, replace, sync_directory.
    """

    operation: str
    error: int = errno.EIO
    path_contains: str = ""
    skip: int = 0


@dataclass(eq=False)
class _Inode:
    """A file's bytes: as they are, and as they are on the platters."""

    data: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    sync_failure: OSError | None = None

    def sync(self) -> None:
        self.synced = bytes(self.data)

    def crash(self, chance: random.Random) -> None:
        """Keep what was synced, and of the rest whatever chance has written."""
        now, before = bytes(self.data), self.synced
        if now != before:
            fate = chance.choice(("nothing", "everything", "sectors"))
            if fate == "everything":
                before = now
            elif fate == "sectors":
                before = _mixed(now, before, chance)
        self.data = bytearray(before)
        self.synced = before
        self.sync_failure = None


def _mixed(now: bytes, before: bytes, chance: random.Random) -> bytes:
    size = chance.randint(min(len(now), len(before)), max(len(now), len(before)))
    mixed = bytearray()
    for start in range(0, size, SECTOR_BYTES):
        source = now if chance.random() < 0.7 else before
        mixed += source[start : start + SECTOR_BYTES].ljust(SECTOR_BYTES, b"\0")
    return bytes(mixed[:size])


class SimulatedRegion:
    """A stretch of a file in memory; it says that it would block when the disk is `cold`."""

    __slots__ = ("_file", "_size", "_start")

    def __init__(self, file: SimulatedFile, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size

    def __len__(self) -> int:
        return self._size

    def read(self, start: int, size: int) -> bytes | None:
        return None if self._file.files.cold else self.read_blocking(start, size)

    def read_blocking(self, start: int, size: int) -> bytes:
        size = min(size, self._size - start)
        self._file.files.trip("read", self._file.path)
        begin = self._start + start
        data = bytes(self._file.inode.data[begin : begin + size])
        if len(data) != size:
            raise OSError(errno.ENODATA, "the log was truncated while it was being read", self._file.path)
        return data


class SimulatedFile:
    """See storage.files.File."""

    __slots__ = ("_generation", "files", "inode", "path", "size")

    def __init__(self, files: SimulatedFiles, path: str, inode: _Inode) -> None:
        self.files = files
        self.path = path
        self.inode = inode
        self.size = len(inode.data)
        self._generation = files.generation

    def append(self, data: Bytes) -> None:
        self._check_alive()
        self.files.trip("append", self.path)
        if self.files.is_full_for(len(data)):
            raise self.files.failure(self.path, "append", OSError(errno.ENOSPC, "no space left"))
        self.inode.data[self.size : self.size + len(data)] = data
        self.size += len(data)

    def pread(self, offset: int, size: int) -> bytes:
        self._check_alive()
        self.files.trip("read", self.path)
        return bytes(self.inode.data[offset : min(offset + size, self.size)])

    def truncate(self, size: int) -> None:
        self._check_alive()
        self.files.trip("truncate", self.path)
        del self.inode.data[size:]
        self.inode.data.extend(bytes(size - len(self.inode.data)))
        self.size = size

    def preallocate(self, size: int) -> None:
        self._check_alive()
        self.inode.data.extend(bytes(max(size - len(self.inode.data), 0)))

    def sync(self) -> None:
        self.prepare_sync()()

    def prepare_sync(self) -> Callable[[], None]:
        self._check_alive()

        def sync() -> None:
            self.files.sync_inode(self.inode, self.path)

        return sync

    def region(self, start: int, end: int, *, in_memory: bool = False) -> FileRegion:
        self._check_alive()
        return SimulatedRegion(self, start, end - start)

    def renamed(self, path: str) -> None:
        self.path = path

    def close(self) -> None:
        """Nothing is held."""

    def _check_alive(self) -> None:
        if self._generation != self.files.generation:
            raise RuntimeError(f"{self.path} was opened before the crash")


class _SimulatedLock:
    def __init__(self, files: SimulatedFiles, path: str) -> None:
        self._files = files
        self._path = path

    def release(self) -> None:
        self._files.locks.discard(self._path)


class SimulatedFiles:
    """See storage.files.Files; and `crash`, `faults`, `cold`, `capacity_bytes`, `now_ms` for whoever plays the world."""

    def __init__(self, log_directories: tuple[str, ...] = (), capacity_bytes: int = UNLIMITED_BYTES) -> None:
        self.log_directories = log_directories
        self.capacity_bytes = capacity_bytes
        self.faults: list[Fault] = []
        self.cold = False
        self.now_ms = 0
        self.generation = 0
        self.locks: set[str] = set()
        # None is a directory.
        self._names: dict[str, _Inode | None] = {"/": None}
        self._durable_names: dict[str, _Inode | None] = {"/": None}
        # What was done to the names of each directory since it was synced, in order.
        self._pending: dict[str, list[Callable[[dict[str, _Inode | None]], None]]] = {}
        self._modified: dict[str, int] = {}

    # What the world does.

    def crash(self, chance: random.Random) -> None:
        """The power goes: unsynced names and bytes survive in part. Every open file is dead, every lock is free."""
        self.generation += 1
        self.locks.clear()
        for directory in sorted(self._pending):
            changes = self._pending[directory]
            for change in changes[: chance.randint(0, len(changes))]:
                change(self._durable_names)
        self._pending.clear()
        self._names = {"/": None}
        for path in sorted(self._durable_names):
            if self.is_directory(os.path.dirname(path)):
                self._names[path] = self._durable_names[path]
        self._durable_names = dict(self._names)
        for path in sorted(self._names):
            inode = self._names[path]
            if inode is not None:
                inode.crash(chance)

    def trip(self, operation: str, path: str) -> None:
        """Fail if somebody asked for it."""
        for fault in self.faults:
            if fault.operation == operation and fault.path_contains in path:
                if fault.skip:
                    fault.skip -= 1
                    continue
                self.faults.remove(fault)
                raise self.failure(path, operation, OSError(fault.error, os.strerror(fault.error)))

    def failure(self, path: str, doing: str, cause: OSError) -> StorageFailure:
        for directory in self.log_directories:
            if path == directory or path.startswith(directory + "/"):
                return StorageFailure(directory, path, doing, cause)
        return StorageFailure(os.path.dirname(path), path, doing, cause)

    def is_full_for(self, size: int) -> bool:
        return self.capacity_bytes < UNLIMITED_BYTES and self.used_bytes() + size > self.capacity_bytes

    def used_bytes(self) -> int:
        return sum(len(inode.data) for inode in self._names.values() if inode is not None)

    def _change(self, directory: str, change: Callable[[dict[str, _Inode | None]], None]) -> None:
        change(self._names)
        self._pending.setdefault(directory, []).append(change)

    # What a program may ask.

    def open(self, path: str, *, create: bool = False, size: int | None = None) -> SimulatedFile:
        if not create:
            inode = self._names.get(path)
            if inode is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            return SimulatedFile(self, path, inode)
        self.trip("create", path)
        return SimulatedFile(self, path, self._created(path))

    def _created(self, path: str) -> _Inode:
        found = self._names.get(path)
        if found is not None:
            found.data.clear()
            return found
        if not self.is_directory(os.path.dirname(path)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        inode = _Inode()
        self._change(os.path.dirname(path), lambda names: names.__setitem__(path, inode))
        self._modified[path] = self.now_ms
        return inode

    def exists(self, path: str) -> bool:
        return path in self._names

    def list(self, directory: str) -> list[str]:
        if not self.is_directory(directory):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), directory)
        return sorted(
            os.path.basename(path)
            for path in self._names
            if path != "/" and os.path.dirname(path) == directory
        )

    def sizes(self, directory: str) -> dict[str, int]:
        found = ((name, self._names[os.path.join(directory, name)]) for name in self.list(directory))
        return {name: len(inode.data) for name, inode in found if inode is not None}

    def is_directory(self, path: str) -> bool:
        return self._names.get(path, self) is None

    def make_directory(self, path: str) -> None:
        if path not in self._names:
            self.make_directory(os.path.dirname(path))
            self._change(os.path.dirname(path), lambda names: names.__setitem__(path, None))

    def read(self, path: str) -> bytes:
        self.trip("read", path)
        inode = self._names.get(path)
        if inode is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return bytes(inode.data)

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        self.trip("replace", path)
        inode = self._created(path + ".tmp")
        inode.data[:] = data
        if sync:
            self.sync_inode(inode, path)
        self.rename(path + ".tmp", path)
        if sync:
            self.sync_directory(os.path.dirname(path))

    def remove(self, path: str) -> None:
        self.trip("remove", path)
        if path in self._names:

            def change(names: dict[str, _Inode | None]) -> None:
                names.pop(path, None)

            self._change(os.path.dirname(path), change)

    def remove_tree(self, path: str) -> None:
        for inner in sorted(self._names, reverse=True):
            if inner == path or inner.startswith(path + "/"):
                self.remove(inner)

    def rename(self, source: str, target: str) -> None:
        self.trip("rename", source)
        if source not in self._names:
            raise self.failure(source, "rename", OSError(errno.ENOENT, os.strerror(errno.ENOENT)))

        def change(names: dict[str, _Inode | None]) -> None:
            for path in [one for one in names if one == source or one.startswith(source + "/")]:
                names[target + path[len(source) :]] = names.pop(path)

        self._change(os.path.dirname(source), change)

    def sync_inode(self, inode: _Inode, path: str) -> None:
        """A failed sync stays failed: the bytes are lost, and no later sync may say otherwise."""
        if inode.sync_failure is None:
            try:
                self.trip("sync", path)
            except OSError as failure:
                inode.sync_failure = failure
        if inode.sync_failure is not None:
            raise inode.sync_failure
        inode.sync()

    def sync_file(self, path: str) -> None:
        inode = self._names.get(path)
        if inode is not None:
            self.sync_inode(inode, path)

    def sync_directory(self, path: str) -> None:
        self.trip("sync_directory", path)
        for change in self._pending.pop(path, ()):
            change(self._durable_names)

    def modified_ms(self, path: str) -> int:
        return self._modified.get(path, self.now_ms)

    def disk_space(self, path: str) -> DiskSpace:
        return DiskSpace(self.capacity_bytes, max(self.capacity_bytes - self.used_bytes(), 0))

    def lock(self, path: str) -> Lock:
        if path in self.locks:
            raise LockedElsewhere(errno.EAGAIN, "locked by another broker", path)
        if path not in self._names:
            self._created(path)
        self.locks.add(path)
        return _SimulatedLock(self, path)
