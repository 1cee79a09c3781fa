"""Stretches of real files, read or sent without making the event loop wait: see protocol.file_region.

Rule: a region keeps its descriptor, so it stays readable whatever happens to the file's name or to the file object.
"""

import errno
import fcntl
import os
import sys
from typing import Protocol

from snakka.storage.page_cache import is_all_in_memory

_RWF_NOWAIT: int = getattr(os, "RWF_NOWAIT", 0)
_F_FULLFSYNC: int = getattr(fcntl, "F_FULLFSYNC", 0)
# Elsewhere the system call differs.
_CAN_SEND = sys.platform == "linux"
# File systems that can't move their pages into a socket say so.
_NOT_SENDABLE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
# What is read ahead, and forgotten, together: where one byte of it is in memory, all of it is, or nearly always.
_READ_AHEAD_BYTES = 64 * 1024
_LOOK = memoryview(bytearray(1))


class Descriptor:
    """A file descriptor that closes when the last holder lets go of it."""

    __slots__ = ("fd", "may_refuse_to_wait", "may_send", "sync_failure")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.may_refuse_to_wait = _RWF_NOWAIT != 0
        self.may_send = _CAN_SEND
        self.sync_failure: OSError | None = None

    def __del__(self) -> None:
        os.close(self.fd)

    def sync(self) -> None:
        if self.sync_failure is not None:
            raise self.sync_failure
        try:
            sync_data(self.fd)
        except OSError as error:
            self.sync_failure = error
            raise


def sync_data(fd: int) -> None:
    """What was written through any descriptor of the file is on the disk after this."""
    if sys.platform == "darwin":
        try:
            fcntl.fcntl(fd, _F_FULLFSYNC)
        except OSError as error:
            if error.errno not in (errno.ENOTSUP, errno.EINVAL, errno.ENOTTY):
                raise
            os.fsync(fd)
    else:
        os.fdatasync(fd)


class RegionOwner(Protocol):
    """The file that a region is of."""

    path: str

    def failure(self, doing: str, cause: OSError) -> OSError: ...


class OsRegion:
    """A stretch of a real file; see protocol.file_region."""

    __slots__ = ("_descriptor", "_file", "_in_memory", "_size", "_start")

    def __init__(
        self, file: RegionOwner, descriptor: Descriptor, start: int, size: int, in_memory: bool
    ) -> None:
        self._file = file
        self._descriptor = descriptor
        self._start = start
        self._size = size
        self._in_memory = in_memory

    def __len__(self) -> int:
        return self._size

    def read_into(self, start: int, buffer: memoryview) -> int | None:
        size = min(len(buffer), self._size - start)
        may_wait = self._in_memory or not self._descriptor.may_refuse_to_wait
        flags = 0 if may_wait else _RWF_NOWAIT
        try:
            got = _read_into(self._descriptor.fd, buffer[:size], self._start + start, flags)
        except BlockingIOError:
            return None
        except OSError as error:
            if may_wait or error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise self._file.failure("read", error) from error
            self._descriptor.may_refuse_to_wait = False  # a file system in memory, or one that can't tell
            return self.read_into(start, buffer)
        if got == size:
            return got
        if may_wait:
            raise self._truncated()
        return None

    def read_blocking(self, start: int, size: int) -> bytes:
        size = min(size, self._size - start)
        try:
            data = os.pread(self._descriptor.fd, size, self._start + start)
        except OSError as error:
            raise self._file.failure("read", error) from error
        if len(data) != size:
            raise self._truncated()
        return data

    def send(self, start: int, size: int, socket_fd: int) -> int | None:
        if not self._descriptor.may_send or not self._is_cached(start, size):
            return None
        # The socket refers to the file's pages until the client has them: what a follower cuts off meanwhile may arrive as
        # zeros, which the batch's checksum tells. Nothing that is committed is ever cut off.
        try:
            sent = os.sendfile(socket_fd, self._descriptor.fd, self._start + start, size)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno in _NOT_SENDABLE:
                self._descriptor.may_send = False
            # A socket that is broken, or a file: whoever reads and writes the bytes finds out which.
            return None
        if not sent:
            raise self._truncated()
        return sent

    def _is_cached(self, start: int, size: int) -> bool:
        """Whether the disk would not make anyone wait: where the system can't tell, as far as looks here and there can."""
        if self._in_memory:
            return True
        if self.read_into(start + size - 1, _LOOK) is None:
            return False  # what is just being read is there last at its end
        is_there = is_all_in_memory(self._descriptor.fd, self._start + start, size)
        if is_there is None:
            places = range(start, start + size, _READ_AHEAD_BYTES)
            is_there = all(self.read_into(place, _LOOK) is not None for place in places)
        return is_there

    def _truncated(self) -> OSError:
        """Not a failure of the disk: the log was truncated while these bytes were on their way."""
        return OSError(errno.ENODATA, "the log was truncated while it was being read", self._file.path)


def _read_into(fd: int, buffer: memoryview, offset: int, flags: int) -> int:
    if hasattr(os, "preadv"):
        return os.preadv(fd, (buffer,), offset, flags)
    data = os.pread(fd, len(buffer), offset)
    buffer[: len(data)] = data
    return len(data)
