"""Where the last batches of an active segment lie: readers at the end of the log need no look into the file.

Rule: it knows every batch from `first_offset` on, or none.
"""

from array import array
from bisect import bisect_left, bisect_right
from typing import NamedTuple

_MOST = 256
NEVER = 1 << 62


class Slice(NamedTuple):
    """Whole batches of one segment: bytes [start, end) and the offset after the last of them."""

    start: int
    end: int
    first_offset: int
    next_offset: int
    in_memory: bool


class RecentBatches:
    """The batches from `first_offset` on; NEVER if none is known."""

    __slots__ = ("_last_offsets", "_positions", "first_offset")

    def __init__(self, first_offset: int) -> None:
        self.first_offset = first_offset
        self._last_offsets = array("q")
        self._positions = array("q")

    def remember(self, position: int, last_offset: int) -> None:
        """The next batch; the oldest may be forgotten for it."""
        offsets = self._last_offsets
        if len(offsets) >= _MOST:
            forget = _MOST // 2
            self.first_offset = offsets[forget - 1] + 1
            del offsets[:forget]
            del self._positions[:forget]
        offsets.append(last_offset)
        self._positions.append(position)

    def begin(self, offset: int) -> None:
        """Every batch from `offset` on will be told to `remember`, and nothing before it is known any more."""
        del self._last_offsets[:]
        del self._positions[:]
        self.first_offset = offset

    def forget(self) -> None:
        self.begin(NEVER)

    def slice(
        self, offset: int, max_bytes: int, upper_bound: int, min_one_message: bool, log_size: int
    ) -> Slice | None:
        """Whole batches from `offset` on, which is not before `first_offset`; None if there is none."""
        last_offsets = self._last_offsets
        positions = self._positions
        count = len(last_offsets)
        first = bisect_left(last_offsets, offset)
        if first == count:
            return None
        start = positions[first]
        after = count if last_offsets[-1] < upper_bound else bisect_left(last_offsets, upper_bound, first)
        end = positions[after] if after < count else log_size
        if end - start > max_bytes:
            after = bisect_right(positions, start + max_bytes, first, after) - 1
            if after == first and min_one_message and last_offsets[first] < upper_bound:
                after = first + 1
            end = positions[after] if after < count else log_size
        if after == first:
            return Slice(start, start, offset, offset, True)
        return Slice(start, end, offset, last_offsets[after - 1] + 1, True)
