"""The `.timeindex` file of a segment: the largest timestamp up to an offset.

An entry says: up to this offset (relative to the segment's base, 32 bits) no timestamp is larger than this one (64 bits).
Timestamps only grow, whatever producers send, so the last entry is the segment's largest.
"""

from struct import Struct
from typing import NamedTuple

from snakka.protocol.record_batch import NO_TIMESTAMP
from snakka.storage.files import Files
from snakka.storage.index_file import IndexFile

ENTRY = Struct(">qi")
_TIMESTAMP = 0
_OFFSET = 1


class TimeEntry(NamedTuple):
    """`offset` is the last of the batch that has the timestamp."""

    timestamp: int
    offset: int


class TimeIndex:
    """Sparse map from timestamp to offset, both growing."""

    __slots__ = ("base_offset", "file")

    def __init__(self, files: Files, path: str, base_offset: int, stored_bytes: int) -> None:
        self.base_offset = base_offset
        self.file = IndexFile(files, path, ENTRY, stored_bytes)

    @property
    def count(self) -> int:
        return self.file.count

    def append_if_larger(self, timestamp: int, offset: int) -> None:
        last = self.last()
        if timestamp > last.timestamp and offset >= last.offset:
            self.file.append(timestamp, offset - self.base_offset)

    def last(self) -> TimeEntry:
        """(-1, base offset) if there is none."""
        return self._entry(self.file.count - 1)

    def floor(self, timestamp: int) -> TimeEntry:
        """The last entry whose timestamp is not above `timestamp`: a record that is younger comes after its offset."""
        return self._entry(self.file.last_at_most(_TIMESTAMP, timestamp))

    def _entry(self, number: int) -> TimeEntry:
        if number < 0:
            return TimeEntry(NO_TIMESTAMP, self.base_offset)
        timestamp, offset = self.file.entry(number)
        return TimeEntry(timestamp, self.base_offset + offset)

    def truncate_to(self, offset: int) -> None:
        """Forget every entry at or after `offset`."""
        self.file.truncate(self.file.last_at_most(_OFFSET, offset - self.base_offset - 1) + 1)

    def is_ordered(self) -> bool:
        """Of the first and the last entry: what a torn or overwritten index rarely passes."""
        if not self.file.count:
            return True
        first, last = self._entry(0), self.last()
        in_order = NO_TIMESTAMP < first.timestamp <= last.timestamp
        return in_order and self.base_offset <= first.offset <= last.offset
