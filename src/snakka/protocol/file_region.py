"""Records that stay where they are until a socket takes them: a range of a file, or of memory.

A region holds no descriptor and no position; whoever sends it reads it in steps.
"""

from __future__ import annotations

from typing import Protocol


class FileRegion(Protocol):
    """A range of bytes that is read in steps."""

    def __len__(self) -> int: ...

    def read_into(self, start: int, buffer: memoryview) -> int | None:
        """Fill `buffer` from `start` of the region on, without blocking: how many bytes; None if it would block."""

    def read_blocking(self, start: int, size: int) -> bytes:
        """Up to `size` bytes from `start` of the region, for a thread; StorageFailure if the disk fails."""

    def send(self, start: int, size: int, socket_fd: int) -> int | None:
        """Let the system move up to `size` bytes from `start` of the region into a socket that does not block.

        How many it took, 0 if it is full; None if they must be read, because they are not in memory, or can't be sent so.
        """


class MemoryRegion:
    """The twin of a file's region whose bytes are in memory: for tests, and for files that live there."""

    __slots__ = ("_view",)

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self._view = memoryview(data)

    def __len__(self) -> int:
        return len(self._view)

    def read_into(self, start: int, buffer: memoryview) -> int | None:
        data = self._view[start : start + len(buffer)]
        buffer[: len(data)] = data
        return len(data)

    def read_blocking(self, start: int, size: int) -> bytes:
        return bytes(self._view[start : start + size])

    def send(self, start: int, size: int, socket_fd: int) -> int | None:
        return None
