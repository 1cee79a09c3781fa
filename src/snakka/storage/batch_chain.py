"""Whether the batches of a segment follow each other as they were written.

A batch's offset, length and leader epoch lie before the bytes that its checksum covers, so no reader can tell that one of
them was damaged on the disk: records would come with other records' offsets, or be passed over in silence. What gives such
damage away is the neighbours. Rule: what this process has not written or verified itself is walked once before it is served.
"""

from struct import Struct
from typing import NamedTuple

from snakka.protocol.record_batch import HEADER_SIZE, MAGIC, SIZE_PREFIX, BatchHeader
from snakka.storage.files import File

# The beginning of a header: first offset, length, leader epoch, magic, checksum, attributes, last offset by its distance.
_PLACE = Struct(">qiibIhi")
_unpack_place = _PLACE.unpack_from
_PLACE_BYTES = _PLACE.size
_WINDOW_BYTES = 64 * 1024
_BEFORE_ALL_EPOCHS = -(1 << 31)
# How many batches are walked at once: the walk is the event loop's time.
_MOST_WALKED = 4096


class Walk(NamedTuple):
    """Up to `end`, where `next_offset` is the next one, batches follow each other; `why` tells of one that does not."""

    end: int
    next_offset: int
    why: str = ""


class Proof:
    """What is known of a segment that was found on the disk: its first `unproven_bytes`, but for one stretch, nothing."""

    __slots__ = ("_from", "_until", "unproven_bytes")

    def __init__(self, unproven_bytes: int) -> None:
        self.unproven_bytes = unproven_bytes
        self._from = self._until = 0

    def walk(self, log: File, found: Walk, start: int, base_offset: int, end_offset: int) -> Walk:
        """As `walk`, but what is known already is not walked again."""
        if start >= self.unproven_bytes:
            return found
        follows_proven = self._from <= start <= self._until
        if follows_proven and start < found.end <= self._until:
            return found
        walked = walk(log, found, start, base_offset, end_offset)
        if not walked.why:
            if not follows_proven:
                self._from = self._until = start
            self._until = max(self._until, walked.end)
            if self._from == 0 and self._until >= self.unproven_bytes:
                self.unproven_bytes = 0
        return walked

    def truncated_to(self, size: int) -> None:
        self.unproven_bytes = min(self.unproven_bytes, size)
        self._until = min(self._until, size)


def walk(log: File, found: Walk, start: int, base_offset: int, end_offset: int) -> Walk:
    """Whether the batches from `start` on to the end of `found`, and the one after them, follow each other.

    What comes back may end earlier, after as many batches as can be walked at once. At least one batch is looked at. All
    must lie within [base_offset, end_offset). Offsets may be missing between them: compaction does that. Plain numbers
    rather than headers, since whole megabytes of small batches are walked at once.
    """
    size, end = log.size, found.end
    position = window_start = start
    window = b""
    lowest, oldest_epoch = base_offset, _BEFORE_ALL_EPOCHS
    left = _MOST_WALKED
    while size - position >= HEADER_SIZE:
        place = position - window_start
        if place + _PLACE_BYTES > len(window):
            window, window_start, place = log.pread(position, _WINDOW_BYTES), position, 0
            if len(window) < _PLACE_BYTES:
                break
        first, length, epoch, magic, _, _, delta = _unpack_place(window, place)
        after = position + length + SIZE_PREFIX
        if magic != MAGIC or length < HEADER_SIZE - SIZE_PREFIX or delta < 0 or after > size:
            break
        if first < lowest or first + delta >= end_offset or epoch < oldest_epoch:
            why = f"at {position} are offsets {first} to {first + delta} of epoch {epoch}"
            return Walk(position, lowest, why)
        if position >= end and position > start:
            is_there = position == end or end == start
            return found if is_there else Walk(end, lowest, f"no batch begins at {end}")
        if not left:
            return Walk(position, lowest)
        lowest, oldest_epoch, position, left = first + delta + 1, epoch, after, left - 1
    return found if position == size else Walk(position, lowest, f"there is no batch at {position}")


def follows(previous: BatchHeader, header: BatchHeader) -> bool:
    """Neither offsets nor leader epochs go back."""
    return header.base_offset >= previous.next_offset and header.leader_epoch >= previous.leader_epoch
