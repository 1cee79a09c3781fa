"""The `.index` file of a segment: where in the log to begin looking for an offset.

An entry is the last offset of a batch, relative to the segment's base, and the batch's position: two 32-bit numbers.
"""

from struct import Struct

from snakka.storage.files import Files
from snakka.storage.index_file import IndexFile

ENTRY = Struct(">ii")
_OFFSET = 0
_POSITION = 1


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

    def position_for(self, offset: int) -> int:
        """A batch's position from which the batch of `offset` is found by going forward."""
        number = self.file.last_at_most(_OFFSET, offset - self.base_offset)
        return self.file.entry(number)[_POSITION] if number >= 0 else 0

    def position_at_most(self, position: int) -> int:
        """The last known beginning of a batch that is not after `position`."""
        number = self.file.last_at_most(_POSITION, position)
        return self.file.entry(number)[_POSITION] if number >= 0 else 0

    def last_position(self) -> int:
        count = self.file.count
        return self.file.entry(count - 1)[_POSITION] if count else 0

    def truncate_to(self, offset: int) -> None:
        """Forget every entry at or after `offset`."""
        self.file.truncate(self.file.last_at_most(_OFFSET, offset - self.base_offset - 1) + 1)

    def is_plausible(self, log_size: int) -> bool:
        """Whether the last entry can belong to a log of that size: what a torn or overwritten index rarely passes."""
        count = self.file.count
        if not count:
            return True
        offset, position = self.file.entry(count - 1)
        first_offset, first_position = self.file.entry(0)
        return 0 <= first_offset <= offset and 0 < first_position <= position < log_size
