"""Whether the batches in a piece of a log file follow each other, by their headers: pure.

Offset, length and leader epoch of a batch lie before the bytes that its checksum covers; what gives a damaged one away is
its neighbours.
Rule: a batch counts as checked when the header after it has been seen, or the file ends there.
"""

from struct import Struct
from typing import NamedTuple

from snakka.protocol.record_batch import HEADER_SIZE, MAGIC, SIZE_PREFIX

# The beginning of a header: first offset, length, leader epoch, magic, checksum, attributes, last offset by its distance.
_PLACE = Struct(">qiibIhi")
_SMALLEST_LENGTH = HEADER_SIZE - SIZE_PREFIX


class Checked(NamedTuple):
    """The batches at the beginning of a piece that follow each other: their bytes, and the offset after them.

    `needed` is how many bytes from there on must be there to go on. 0: either the next batch is at `stop` or after it,
    which is the end, or something is wrong.
    """

    size: int
    next_offset: int
    needed: int
    is_end: bool = False


def check_headers(data: bytes, lowest: int, end_offset: int, stop: int, *, is_rest: bool) -> Checked:
    """All batches must lie within [lowest, end_offset); `is_rest`: no more bytes follow in the file.

    Plain numbers rather than headers, since there may be a batch for each record.
    """
    unpack, available = _PLACE.unpack_from, len(data)
    position = previous = 0
    before_previous = lowest
    while available - position >= _PLACE.size:
        first, length, _, magic, _, _, delta = unpack(data, position)
        after = position + length + SIZE_PREFIX
        if (
            magic != MAGIC
            or length < _SMALLEST_LENGTH
            or delta < 0
            or not lowest <= first < end_offset - delta
        ):
            return Checked(position, lowest, 0)
        if first >= stop:
            is_followed = available - after < _PLACE.size or unpack(data, after)[0] > first + delta
            return Checked(position, lowest, 0, is_end=is_followed)
        if after > available:
            return Checked(position, lowest, 0 if is_rest else after - position + HEADER_SIZE)
        previous, before_previous = position, lowest
        lowest, position = first + delta + 1, after
    if is_rest:
        return Checked(position, lowest, 0, is_end=position == available)
    if position > previous:
        # Whether the last batch is right shows in the one after it.
        return Checked(previous, before_previous, available - previous + HEADER_SIZE)
    return Checked(0, lowest, HEADER_SIZE)


def is_contradicted(next_offset: int, rest: bytes) -> bool:
    """Whether the two batches after one say that it can't end at `next_offset`; `rest` begins after it."""
    first = _place(rest, 0)
    if first is None or first[0] >= next_offset:
        return False
    second = _place(rest, first[1])
    return second is None or second[0] < next_offset


def _place(data: bytes, position: int) -> tuple[int, int] | None:
    """First offset and size of the batch there, if there is one."""
    if len(data) - position < _PLACE.size:
        return None
    first, length, _, magic, _, _, delta = _PLACE.unpack_from(data, position)
    if magic != MAGIC or length < _SMALLEST_LENGTH or delta < 0:
        return None
    return first, length + SIZE_PREFIX
