"""The file layer: the only place that knows descriptors, and the seam where a simulated disk takes over.

Rules: a write is whole or it never happened; a failed sync is final, because the kernel may have dropped the pages that it
could not write; and every failure names the log directory that it happened in, so that its owner can take it offline.
"""

import errno
import fcntl
import os
import resource
from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, Protocol

from snakka.protocol.file_region import FileRegion
from snakka.storage.file_regions import Descriptor, OsRegion, sync_data
from snakka.storage.open_files import OpenFiles

Bytes = bytes | bytearray | memoryview

# Descriptors that the log files leave for sockets and everything else.
_SHARE_OF_DESCRIPTORS = 0.6
_MOST_OPEN_FILES = 65_536


class StorageFailure(OSError):  # noqa: N818 - the failure of a disk, not of a program
    """A disk operation failed; `directory` is the log directory that it failed in."""

    def __init__(self, directory: str, path: str, doing: str, cause: OSError) -> None:
        super().__init__(cause.errno, f"{doing}: {cause.strerror or cause}", path)
        self.directory = directory


class LockedElsewhere(OSError):  # noqa: N818 - it says where the lock is
    """Somebody else, perhaps in this very process, holds the lock file."""


class DiskSpace(NamedTuple):
    """Of the file system under a log directory."""

    total_bytes: int
    usable_bytes: int


class File(Protocol):
    """One file that grows at its end. `size` counts the bytes appended, not what is preallocated behind them."""

    path: str
    size: int

    def append(self, data: Bytes) -> None:
        """All of `data` at the end; after StorageFailure the file is as it was before."""

    def pread(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes; fewer only at the end of the file. May block."""

    def truncate(self, size: int) -> None:
        """Cut to `size`, and give back what is preallocated behind it."""

    def preallocate(self, size: int) -> None:
        """Reserve room on the disk up to `size` bytes; `size` of the file stays."""

    def sync(self) -> None:
        """All that was appended is on the disk after this."""

    def prepare_sync(self) -> Callable[[], None]:
        """`sync` for another thread to call: it touches nothing that the event loop changes."""

    def region(self, start: int, end: int, *, in_memory: bool = False) -> FileRegion:
        """Bytes that stay readable although the file is deleted or closed; `in_memory` if they were written just now."""

    def renamed(self, path: str) -> None:
        """The file was given another name, or its directory was."""

    def close(self) -> None:
        """Give the descriptor back; the next use opens the file again."""


class Lock(Protocol):
    """A held lock file."""

    def release(self) -> None: ...


class Files(Protocol):
    """Everything that storage asks of a file system. Paths are strings; missing files raise FileNotFoundError."""

    def open(self, path: str, *, create: bool = False, size: int | None = None) -> File:
        """The file at `path`, whose `size` the caller may know; with `create` it is made anew, an old one is emptied."""

    def exists(self, path: str) -> bool: ...

    def list(self, directory: str) -> list[str]:
        """Names in `directory`, sorted."""

    def sizes(self, directory: str) -> dict[str, int]:
        """Plain files in `directory` with their sizes, sorted by name."""

    def is_directory(self, path: str) -> bool: ...

    def make_directory(self, path: str) -> None:
        """With its parents; one that exists is fine."""

    def read(self, path: str) -> bytes:
        """A whole small file."""

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        """Write a whole small file so that a reader sees the old or the new one, never a part."""

    def remove(self, path: str) -> None:
        """One that does not exist is fine."""

    def remove_tree(self, path: str) -> None:
        """A directory and the files in it; one that does not exist is fine."""

    def rename(self, source: str, target: str) -> None: ...

    def sync_file(self, path: str) -> None:
        """Sync a file that nobody holds open; one that does not exist is fine. For a thread."""

    def sync_directory(self, path: str) -> None:
        """The names in `path` are on the disk after this. For a thread."""

    def modified_ms(self, path: str) -> int: ...

    def disk_space(self, path: str) -> DiskSpace: ...

    def lock(self, path: str) -> Lock:
        """Take the lock file, as Java takes it; LockedElsewhere if somebody has it."""


class OsFile:
    """A real file, opened at its first use."""

    __slots__ = ("_descriptor", "_files", "path", "recently_used", "size")

    def __init__(self, files: "OsFiles", path: str, size: int, descriptor: Descriptor | None) -> None:
        self._files = files
        self._descriptor = descriptor
        self.path = path
        self.size = size
        self.recently_used = True

    def append(self, data: Bytes) -> None:
        descriptor = self._descriptor or self._open()
        self.recently_used = True
        end = self.size
        try:
            written = os.pwrite(descriptor.fd, data, end)
            if written != len(data):
                raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes were written")
        except OSError as error:
            self._cut_back(descriptor)
            raise self.failure("append", error) from error
        self.size = end + written

    def _cut_back(self, descriptor: Descriptor) -> None:
        # Should this fail as well: readers stop at `size`, the next append overwrites, and recovery cuts by checksum.
        try:
            os.ftruncate(descriptor.fd, self.size)
        except OSError:
            return

    def pread(self, offset: int, size: int) -> bytes:
        descriptor = self._descriptor or self._open()
        self.recently_used = True
        try:
            return os.pread(descriptor.fd, min(size, max(self.size - offset, 0)), offset)
        except OSError as error:
            raise self.failure("read", error) from error

    def truncate(self, size: int) -> None:
        try:
            os.ftruncate((self._descriptor or self._open()).fd, size)
        except OSError as error:
            raise self.failure("truncate", error) from error
        self.size = size

    def preallocate(self, size: int) -> None:
        descriptor = self._descriptor or self._open()
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(descriptor.fd, 0, size)
            else:
                os.ftruncate(descriptor.fd, size)
        except OSError as error:
            raise self.failure("preallocate", error) from error

    def sync(self) -> None:
        self.prepare_sync()()

    def prepare_sync(self) -> Callable[[], None]:
        descriptor = self._descriptor or self._open()

        def sync() -> None:
            try:
                descriptor.sync()
            except OSError as error:
                raise self.failure("sync", error) from error

        return sync

    def region(self, start: int, end: int, *, in_memory: bool = False) -> FileRegion:
        self.recently_used = True
        return OsRegion(self, self._descriptor or self._open(), start, end - start, in_memory)

    def renamed(self, path: str) -> None:
        self.path = path

    def close(self) -> None:
        self._files.open_files.discard(self)
        self._descriptor = None

    def release(self) -> None:
        self._descriptor = None

    def failure(self, doing: str, cause: OSError) -> StorageFailure:
        return self._files.failure(self.path, doing, cause)

    def _open(self) -> Descriptor:
        try:
            descriptor = Descriptor(os.open(self.path, os.O_RDWR | os.O_CLOEXEC))
        except OSError as error:
            raise self.failure("open", error) from error
        self._descriptor = descriptor
        self._files.open_files.add(self)
        return descriptor


class OsLock:
    """A lock on a file by this process."""

    # POSIX locks belong to the process: a second lockf from the same process succeeds, and closing any descriptor of the
    # file drops the lock. So who holds what must be known once a process, whatever made the OsFiles: this table mirrors
    # state that the kernel keeps in the same scope, and nothing else lives outside an instance.
    _held: ClassVar[set[tuple[int, int]]] = set()

    __slots__ = ("_fd", "_key")

    def __init__(self, path: str) -> None:
        if os.path.exists(path) and _inode(os.stat(path)) in self._held:
            raise LockedElsewhere(errno.EAGAIN, "locked by another broker in this process", path)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._key = _inode(os.fstat(self._fd))
        try:
            fcntl.lockf(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise LockedElsewhere(errno.EAGAIN, "locked by another process", path) from None
            raise
        self._held.add(self._key)

    def release(self) -> None:
        if self._key in self._held:
            self._held.discard(self._key)
            os.close(self._fd)


def _inode(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def default_open_files() -> int:
    """The share of this process's descriptors that log files may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_OPEN_FILES
    return max(16, min(int(soft * _SHARE_OF_DESCRIPTORS), _MOST_OPEN_FILES))


class OsFiles:
    """The real file system. `log_directories` are the names that failures are reported under."""

    def __init__(self, log_directories: Sequence[str] = (), *, open_files: int = 0) -> None:
        self.log_directories = tuple(log_directories)
        self.open_files = OpenFiles(open_files or default_open_files())

    def failure(self, path: str, doing: str, cause: OSError) -> StorageFailure:
        for directory in self.log_directories:
            if path == directory or path.startswith(directory.rstrip("/") + "/"):
                return StorageFailure(directory, path, doing, cause)
        return StorageFailure(os.path.dirname(path), path, doing, cause)

    def open(self, path: str, *, create: bool = False, size: int | None = None) -> OsFile:
        if not create:
            return OsFile(self, path, os.stat(path).st_size if size is None else size, None)
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise self.failure(path, "create", error) from error
        file = OsFile(self, path, 0, Descriptor(fd))
        self.open_files.add(file)
        return file

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def list(self, directory: str) -> list[str]:
        return sorted(os.listdir(directory))

    def sizes(self, directory: str) -> dict[str, int]:
        found = []
        with os.scandir(directory) as entries:
            for entry in entries:
                try:
                    if entry.is_file():
                        found.append((entry.name, entry.stat().st_size))
                except FileNotFoundError:
                    continue  # a draft that got its name, or a deleted file that went, since the directory was read
        return dict(sorted(found))

    def is_directory(self, path: str) -> bool:
        return os.path.isdir(path)

    def make_directory(self, path: str) -> None:
        try:
            os.makedirs(path, exist_ok=True)
        except OSError as error:
            raise self.failure(path, "create directory", error) from error

    def read(self, path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        draft = path + ".tmp"
        try:
            with open(draft, "wb", buffering=0) as file:
                if file.write(data) != len(data):
                    raise OSError(errno.ENOSPC, "a short write")
                if sync:
                    sync_data(file.fileno())
            os.replace(draft, path)
        except OSError as error:
            raise self.failure(path, "replace", error) from error
        if sync:
            self.sync_directory(os.path.dirname(path))

    def remove(self, path: str) -> None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self.failure(path, "remove", error) from error

    def remove_tree(self, path: str) -> None:
        try:
            entries = os.listdir(path)
        except FileNotFoundError:
            return
        for name in entries:
            inner = os.path.join(path, name)
            if os.path.isdir(inner) and not os.path.islink(inner):
                self.remove_tree(inner)
            else:
                self.remove(inner)
        try:
            os.rmdir(path)
        except OSError as error:
            raise self.failure(path, "remove directory", error) from error

    def rename(self, source: str, target: str) -> None:
        try:
            os.replace(source, target)
        except OSError as error:
            raise self.failure(source, "rename", error) from error

    def sync_file(self, path: str) -> None:
        self._sync(path, os.O_RDWR, sync_data)

    def sync_directory(self, path: str) -> None:
        self._sync(path, os.O_RDONLY | os.O_DIRECTORY, os.fsync)

    def _sync(self, path: str, flags: int, how: Callable[[int], None]) -> None:
        try:
            fd = os.open(path, flags | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self.failure(path, "sync", error) from error
        try:
            how(fd)
        except OSError as error:
            raise self.failure(path, "sync", error) from error
        finally:
            os.close(fd)

    def modified_ms(self, path: str) -> int:
        return os.stat(path).st_mtime_ns // 1_000_000

    def disk_space(self, path: str) -> DiskSpace:
        status = os.statvfs(path)
        return DiskSpace(status.f_blocks * status.f_frsize, status.f_bavail * status.f_frsize)

    def lock(self, path: str) -> Lock:
        return OsLock(path)
