"""Walking the batches of a log file from position to position.

Rule: a walk ends where the bytes stop being batches, whatever they say; what that means is the caller's to decide.
"""

from collections.abc import Iterator
from typing import NamedTuple

from snakka.protocol.record_batch import HEADER, HEADER_SIZE, MAGIC, SIZE_PREFIX, BatchHeader
from snakka.storage.files import File

_SMALL_READ = 4096 + HEADER_SIZE
_LARGE_READ = 1 << 20
_SMALLEST_LENGTH = HEADER_SIZE - SIZE_PREFIX


class FoundBatch(NamedTuple):
    """A batch of the log, by its header alone."""

    position: int
    header: BatchHeader

    @property
    def end(self) -> int:
        return self.position + self.header.length + SIZE_PREFIX


class WholeBatch(NamedTuple):
    """A batch of the log with its bytes; the view is valid until the walk goes on."""

    position: int
    header: BatchHeader
    data: memoryview


def scan_headers(file: File, position: int, end: int) -> Iterator[FoundBatch]:
    """The batches that lie whole between `position` and `end`. Reads are small: the caller seldom wants many."""
    buffer = b""
    buffer_start = position
    while end - position >= HEADER_SIZE:
        if position - buffer_start + HEADER_SIZE > len(buffer):
            buffer = file.pread(position, min(_SMALL_READ, end - position))
            buffer_start = position
            if len(buffer) < HEADER_SIZE:
                return
        header = BatchHeader._make(HEADER.unpack_from(buffer, position - buffer_start))
        if header.magic != MAGIC or header.length < _SMALLEST_LENGTH or header.last_offset_delta < 0:
            return
        found = FoundBatch(position, header)
        if found.end > end:
            return
        yield found
        position = found.end


def scan_batches(file: File, position: int, end: int) -> Iterator[WholeBatch]:
    """The batches that lie whole between `position` and `end`, with their bytes: for recovery and compaction."""
    buffer = memoryview(b"")
    buffer_start = position
    while end - position >= HEADER_SIZE:
        needed = HEADER_SIZE
        if position - buffer_start + HEADER_SIZE <= len(buffer):
            header = BatchHeader._make(HEADER.unpack_from(buffer, position - buffer_start))
            if header.magic != MAGIC or header.length < _SMALLEST_LENGTH or header.last_offset_delta < 0:
                return
            needed = header.length + SIZE_PREFIX
            start = position - buffer_start
            if start + needed <= len(buffer):
                yield WholeBatch(position, header, buffer[start : start + needed])
                position += needed
                continue
        if needed > end - position:
            return
        buffer = memoryview(file.pread(position, min(max(_LARGE_READ, needed), end - position)))
        buffer_start = position
        if len(buffer) < needed:
            return
