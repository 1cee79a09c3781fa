"""A disk in memory that loses what was not synced, tears what was being written, and fails when told to.

It stands in for `storage.files.OsFiles`: a program's view of a `SimulatedDisk`, which says what of its work is safe. Whoever
plays the world takes the power away (`crash`), plants failures (`faults`), fills the disk (`capacity_bytes`), or lets the
program itself die at one of its own operations (`on_change`).
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable
from dataclasses import dataclass

from snakka.protocol.file_region import FileRegion
from snakka.storage.files import Bytes, DiskSpace, Lock, LockedElsewhere, StorageFailure
from snakka.testing.simulated_disk import SECTOR_BYTES, DirectoryNode, FileNode, SimulatedDisk

__all__ = ["SECTOR_BYTES", "Fault", "ProgramDied", "SimulatedFile", "SimulatedFiles"]

UNLIMITED_BYTES = 1 << 50


@dataclass
class Fault:
    """An operation that will fail once: the next one of that name on a path that contains `path_contains`.

    Operations: append, read, truncate, sync, create, make_directory, rename, remove, replace, sync_directory. Of an
    append that fails `leaves_bytes` stay behind the file's end, as if cutting them off had failed as well.
    """

    operation: str
    error: int = errno.EIO
    path_contains: str = ""
    skip: int = 0
    leaves_bytes: int = 0


class ProgramDied(BaseException):
    """The program does not exist any more; what it still tries to do does not happen.

    Of an append under way, `written_share` has reached the file.
    """

    def __init__(self, written_share: float = 0.0) -> None:
        super().__init__("the program has died")
        self.written_share = written_share


class SimulatedRegion:
    """A stretch of a file in memory; it says that it would block when the disk is `cold`."""

    __slots__ = ("_file", "_size", "_start")

    def __init__(self, file: SimulatedFile, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size

    def __len__(self) -> int:
        return self._size

    def read_into(self, start: int, buffer: memoryview) -> int | None:
        if self._file.files.cold:
            return None
        data = self.read_blocking(start, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def read_blocking(self, start: int, size: int) -> bytes:
        size = min(size, self._size - start)
        self._file.files.trip("read", self._file.path)
        begin = self._start + start
        data = bytes(self._file.node.data[begin : begin + size])
        if len(data) != size:
            raise OSError(errno.ENODATA, "the log was truncated while it was being read", self._file.path)
        return data

    def send(self, start: int, size: int, socket_fd: int) -> int | None:
        return None


class SimulatedFile:
    """See storage.files.File."""

    __slots__ = ("_generation", "files", "node", "path", "size")

    def __init__(self, files: SimulatedFiles, path: str, node: FileNode, size: int | None) -> None:
        self.files = files
        self.path = path
        self.node = node
        self.size = len(node.data) if size is None else size
        self._generation = files.generation

    def append(self, data: Bytes) -> None:
        self._check_alive()
        try:
            self.files.about_to_change("append", self.path)
            self.files.trip("append", self.path)
        except ProgramDied as death:
            self._write(data, int(len(data) * death.written_share))
            raise
        except StorageFailure:
            self._write(data, self.files.left_bytes)
            raise
        if self.files.is_full_for(len(data)):
            raise self.files.failure(self.path, "append", OSError(errno.ENOSPC, "no space left"))
        self._write(data, len(data))
        self.size += len(data)

    def _write(self, data: Bytes, size: int) -> None:
        """As pwrite does: what lay behind the end is overwritten, a gap before it is filled with zeros."""
        if size:
            stored = self.node.data
            stored.extend(bytes(max(self.size - len(stored), 0)))
            stored[self.size : self.size + size] = memoryview(data)[:size]
            self.node.modified_ms = self.files.time_ms()

    def pread(self, offset: int, size: int) -> bytes:
        self._check_alive()
        self.files.trip("read", self.path)
        return bytes(self.node.data[offset : min(offset + size, self.size)])

    def truncate(self, size: int) -> None:
        self._check_alive()
        self.files.about_to_change("truncate", self.path)
        self.files.trip("truncate", self.path)
        data = self.node.data
        del data[size:]
        data.extend(bytes(size - len(data)))
        self.node.modified_ms = self.files.time_ms()
        self.size = size

    def preallocate(self, size: int) -> None:
        self._check_alive()
        self.files.about_to_change("preallocate", self.path)
        data = self.node.data
        data.extend(bytes(max(size - len(data), 0)))

    def sync(self) -> None:
        self.prepare_sync()()

    def prepare_sync(self) -> Callable[[], None]:
        self._check_alive()

        def sync() -> None:
            self.files.sync_node(self.node, self.path)

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
    """See storage.files.Files; and `crash`, `faults`, `cold`, `capacity_bytes`, `now_ms` for whoever plays the world.

    `on_change(operation, path)` is called before whatever changes or syncs something; it may raise ProgramDied. Reads
    are left out: a death before one is a death after the change before it.
    """

    def __init__(
        self,
        log_directories: tuple[str, ...] = (),
        capacity_bytes: int = UNLIMITED_BYTES,
        *,
        disk: SimulatedDisk | None = None,
        clock: Callable[[], int] | None = None,
    ) -> None:
        self.log_directories = log_directories
        self.capacity_bytes = capacity_bytes
        self.disk = disk or SimulatedDisk()
        self.faults: list[Fault] = []
        self.on_change: Callable[[str, str], None] | None = None
        self.cold = False
        self.now_ms = 0
        self.time_ms: Callable[[], int] = clock or (lambda: self.now_ms)
        self.generation = 0
        # A dead program's locks are free: they are known to its own view only.
        self.locks: set[str] = set()
        self.left_bytes = 0
        self._failed_syncs: dict[FileNode, OSError] = {}
        self._is_detached = False

    # What the world does.

    def crash(self, chance: random.Random) -> None:
        """The power goes: unsynced names and bytes survive in part. Every open file is dead, every lock is free."""
        self.generation += 1
        self.locks.clear()
        self._failed_syncs.clear()
        self.disk.lose_power(chance)

    def restart(self) -> None:
        """Another program begins: it knows nothing of the syncs that failed for the one before it."""
        self._failed_syncs.clear()

    def detach(self) -> None:
        """The program is dead: whatever it still tries to do, ProgramDied says that it does not happen."""
        self._is_detached = True
        self.locks.clear()

    def about_to_change(self, operation: str, path: str) -> None:
        """The moment before a change: the last one for a program that dies there."""
        if self._is_detached:
            raise ProgramDied
        if self.on_change is not None:
            self.on_change(operation, path)

    def trip(self, operation: str, path: str) -> None:
        """Fail if somebody asked for it."""
        if self._is_detached:
            raise ProgramDied
        if not self.faults:
            return
        for fault in self.faults:
            if fault.operation == operation and fault.path_contains in path:
                if fault.skip:
                    fault.skip -= 1
                    continue
                self.faults.remove(fault)
                self.left_bytes = fault.leaves_bytes
                raise self.failure(path, operation, OSError(fault.error, os.strerror(fault.error)))

    def failure(self, path: str, doing: str, cause: OSError) -> StorageFailure:
        for directory in self.log_directories:
            if path == directory or path.startswith(directory + "/"):
                return StorageFailure(directory, path, doing, cause)
        return StorageFailure(os.path.dirname(path), path, doing, cause)

    def is_full_for(self, size: int) -> bool:
        return self.capacity_bytes < UNLIMITED_BYTES and self.used_bytes() + size > self.capacity_bytes

    def used_bytes(self) -> int:
        return self.disk.used_bytes()

    # What a program may ask.

    def open(self, path: str, *, create: bool = False, size: int | None = None) -> SimulatedFile:
        if not create:
            return SimulatedFile(self, path, self._file(path), size)
        self.about_to_change("create", path)
        self.trip("create", path)
        return SimulatedFile(self, path, self._created(path), 0)

    def _file(self, path: str) -> FileNode:
        node = self.disk.find(path)
        if not isinstance(node, FileNode):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return node

    def _directory(self, path: str) -> DirectoryNode:
        node = self.disk.find(path)
        if not isinstance(node, DirectoryNode):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return node

    def _created(self, path: str) -> FileNode:
        place = self.disk.parent(path)
        if place is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        directory, name = place
        node = directory.names.get(name)
        if isinstance(node, FileNode):
            node.data.clear()
            node.modified_ms = self.time_ms()
            return node
        node = FileNode(self.time_ms())
        directory.link(name, node)
        return node

    def exists(self, path: str) -> bool:
        return self.disk.find(path) is not None

    def list(self, directory: str) -> list[str]:
        return sorted(self._directory(directory).names)

    def sizes(self, directory: str) -> dict[str, int]:
        found = sorted(self._directory(directory).names.items(), key=lambda entry: entry[0])
        return {name: len(node.data) for name, node in found if isinstance(node, FileNode)}

    def is_directory(self, path: str) -> bool:
        return isinstance(self.disk.find(path), DirectoryNode)

    def make_directory(self, path: str) -> None:
        if not self.exists(path):
            self.make_directory(os.path.dirname(path))
            self.about_to_change("make_directory", path)
            self.trip("make_directory", path)
            place = self.disk.parent(path)
            assert place is not None
            place[0].link(place[1], DirectoryNode())

    def read(self, path: str) -> bytes:
        self.trip("read", path)
        return bytes(self._file(path).data)

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        self.about_to_change("replace", path)
        self.trip("replace", path)
        if self.is_full_for(len(data)):
            raise self.failure(path, "replace", OSError(errno.ENOSPC, "no space left"))
        node = self._created(path + ".tmp")
        node.data[:] = data
        if sync:
            self.sync_node(node, path)
        self.rename(path + ".tmp", path)
        if sync:
            self.sync_directory(os.path.dirname(path))

    def remove(self, path: str) -> None:
        self.about_to_change("remove", path)
        self.trip("remove", path)
        place = self.disk.parent(path)
        if place is not None and place[1] in place[0].names:
            place[0].unlink(place[1])

    def remove_tree(self, path: str) -> None:
        node = self.disk.find(path)
        if isinstance(node, DirectoryNode):
            for name in sorted(node.names):
                self.remove_tree(f"{path}/{name}")
        if node is not None:
            self.remove(path)

    def rename(self, source: str, target: str) -> None:
        self.about_to_change("rename", source)
        self.trip("rename", source)
        place = self.disk.parent(source)
        if place is None or place[1] not in place[0].names:
            raise self.failure(source, "rename", OSError(errno.ENOENT, os.strerror(errno.ENOENT)))
        if os.path.dirname(source) != os.path.dirname(target):
            raise ValueError("nothing in storage moves from one directory to another")
        place[0].rename(place[1], os.path.basename(target))

    def sync_node(self, node: FileNode, path: str) -> None:
        """A failed sync stays failed for the program that saw it; the next one finds a file like any other."""
        self.about_to_change("sync", path)
        if node not in self._failed_syncs:
            try:
                self.trip("sync", path)
            except OSError as failure:
                self._failed_syncs[node] = failure
        if node in self._failed_syncs:
            raise self._failed_syncs[node]
        node.sync()

    def sync_file(self, path: str) -> None:
        node = self.disk.find(path)
        if isinstance(node, FileNode):
            self.sync_node(node, path)

    def sync_directory(self, path: str) -> None:
        self.about_to_change("sync_directory", path)
        self.trip("sync_directory", path)
        node = self.disk.find(path)
        if isinstance(node, DirectoryNode):
            node.sync()

    def modified_ms(self, path: str) -> int:
        return self._file(path).modified_ms

    def set_modified_ms(self, path: str, modified_ms: int) -> None:
        """As `os.utime` does."""
        self._file(path).modified_ms = modified_ms

    def disk_space(self, path: str) -> DiskSpace:
        return DiskSpace(self.capacity_bytes, max(self.capacity_bytes - self.used_bytes(), 0))

    def lock(self, path: str) -> Lock:
        if path in self.locks:
            raise LockedElsewhere(errno.EAGAIN, "locked by another broker", path)
        if not self.exists(path):
            self._created(path)
        self.locks.add(path)
        return _SimulatedLock(self, path)
