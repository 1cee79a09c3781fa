"""The `.index` file of a segment: where in the log to begin looking for an offset.

An entry is the last offset of a batch, relative to the segment's base, and the batch's position: two 32-bit numbers.
"""

from struct import Struct
from typing import NamedTuple

from snakka.storage.files import Files
from snakka.storage.index_file import IndexFile

ENTRY = Struct(">ii")
_OFFSET = 0
_POSITION = 1


class OffsetEntry(NamedTuple):
    """At `position` a batch begins, and `offset` is its last (or, by Kafka, that of a later one in the same append)."""

    offset: int
    position: int


class OffsetIndex:
    """Sparse map from offset to position, both growing."""

    __slots__ = ("base_offset", "file")

    def __init__(self, files: Files, path: str, base_offset: int, stored_bytes: int) -> None:
        self.base_offset = base_offset
        self.file = IndexFile(files, path, ENTRY, stored_bytes)

    @property
    def count(self) -> int:
        return self.file.count

    def append(self, last_offset: int, position: int) -> None:
        self.file.append(last_offset - self.base_offset, position)

    def floor(self, offset: int) -> OffsetEntry:
        """The last entry that is not after `offset`: the batch of `offset` is found from there by going forward."""
        return self._entry(self.file.last_at_most(_OFFSET, offset - self.base_offset))

    def floor_position(self, position: int) -> OffsetEntry:
        """The last entry whose batch does not begin after `position`."""
        return self._entry(self.file.last_at_most(_POSITION, position))

    def last(self) -> OffsetEntry:
        return self._entry(self.file.count - 1)

    def _entry(self, number: int) -> OffsetEntry:
        """Before the first entry there is the segment's beginning."""
        if number < 0:
            return OffsetEntry(self.base_offset, 0)
        offset, position = self.file.entry(number)
        return OffsetEntry(self.base_offset + offset, position)

    def truncate_to(self, offset: int) -> None:
        """Forget every entry at or after `offset`."""
        self.file.truncate(self.file.last_at_most(_OFFSET, offset - self.base_offset - 1) + 1)

    def is_ordered(self) -> bool:
        """Of the first and the last entry: what a torn or overwritten index rarely passes."""
        if not self.file.count:
            return True
        first, last = self._entry(0), self.last()
        return self.base_offset <= first.offset <= last.offset and 0 < first.position <= last.position
