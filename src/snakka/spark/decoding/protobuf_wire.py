"""Protobuf's bytes: what stands where in many messages at once, before anything is known of columns.

Rule: a field may be there several times, in any order and divided at will; what counts then is what Protobuf's own runtimes
make of it. The last number or text counts, messages are merged, of a oneof the last member counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from snakka.spark.decoding.lanes import PADDING, Lanes, Numbers, fixed_at, within

VARINT, FIXED64, BYTES, GROUP, GROUP_END, FIXED32 = range(6)
PACKED = (VARINT, FIXED64, FIXED32)  # what may also come as many numbers in one field
DONE = np.uint64(2**64 - 1)
_MOST_TAG = np.uint64(2**32 - 1)
_DEEPEST_GROUP = 100
_LONGEST_VARINT = 10


class Found(NamedTuple):
    """Occurrences of a field: whose, and the number, or where the bytes begin and how many there are."""

    lane: Numbers
    number: Numbers
    length: Numbers = None
    place: Numbers = None  # of the value; None of packed numbers

    def picked(self, which: Numbers) -> Found:
        return Found(*(None if each is None else each[which] for each in self))


# -- One step ----------------------------------------------------------------------------------------------------------


def next_tags(lanes: Lanes, which: Numbers, tags: Numbers) -> None:
    tags[which] = DONE
    more = which[lanes.position[which] < lanes.end[which]]
    if more.size:
        part = lanes.subset(more)
        tag = part.varint()
        huge = tag > _MOST_TAG
        if huge.any():
            part.fail(np.flatnonzero(huge), "is no message: it has a field of a number beyond all")
        tags[more] = tag
        lanes.position[more], lanes.end[more] = part.position, part.end
        failed = more[part.failed()]
        tags[failed] = DONE
        lanes.position[failed] = lanes.end[failed] = lanes.nowhere


def take_value(lanes: Lanes, which: Numbers, number: int, wire: int) -> Found | None:
    """The value behind a tag in all of these lanes; None if no field has this tag."""
    place = lanes.position.copy()
    if number == 0:
        return None
    if wire == VARINT:
        return Found(which, lanes.varint(), None, place)
    if wire == FIXED64:
        return Found(which, lanes.fixed(8), None, place)
    if wire == FIXED32:
        return Found(which, lanes.fixed(4).astype(np.uint64), None, place)
    if wire == BYTES:
        return Found(which, *lanes.slices(lanes.varint().astype(np.int64)), place)
    if wire == GROUP:
        return Found(which, *_take_groups(lanes, number), place)
    return None


def _take_groups(lanes: Lanes, number: int) -> tuple[Numbers, Numbers]:
    """What is between here and the end of a group; lane by lane, since hardly anybody writes groups any more."""
    length = np.zeros(len(lanes), np.int64)
    after = np.zeros(len(lanes), np.int64)
    data = memoryview(lanes.data)  # of which a slice is no copy: there may be a group every two bytes
    for lane, (start, end) in enumerate(zip(lanes.position.tolist(), lanes.end.tolist(), strict=True)):
        length[lane], after[lane] = _group_end(data[start:end], number)
    torn = length < 0
    if torn.any():
        lanes.fail(np.flatnonzero(torn), f"is no message: its group {number} does not end")
        length[torn] = after[torn] = 0
    start = lanes.position.copy()
    lanes.position += after
    return start, length


def _group_end(data: memoryview, number: int) -> tuple[int, int]:
    """Where the group ends that is open at the beginning, and where it goes on behind it; -1 if it does not end."""
    opened = [number]
    place = 0
    while place < len(data):
        before = place
        tag, place = _varint_at(data, place)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            _, place = _varint_at(data, place)
        elif wire in (FIXED64, FIXED32):
            place += 8 if wire == FIXED64 else 4
        elif wire == BYTES:
            length, place = _varint_at(data, place)
            place += length
        elif wire == GROUP and len(opened) < _DEEPEST_GROUP:
            opened.append(number)
        elif wire == GROUP_END and opened.pop() == number:
            if not opened:
                return before, place
        else:
            break
    return -1, -1


def _varint_at(data: memoryview, place: int) -> tuple[int, int]:
    """A number and what follows it; beyond all bytes if it is torn or too long."""
    number = 0
    for index, byte in enumerate(data[place : place + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return number, place + index + 1
    return 0, len(data)


# -- Packed numbers ----------------------------------------------------------------------------------------------------


def unpacked(lanes: Lanes, packed: Found, wire: int, which: Numbers) -> Found:
    """Numbers that were written one after the other into one field."""
    start, length = packed.number, packed.length
    if wire == VARINT:
        torn = (length > 0) & (lanes.data[np.maximum(start + length - 1, 0)] >= 0x80)
        text = "has packed numbers, the last of which is torn"
    else:
        width = 8 if wire == FIXED64 else 4
        torn = length % width != 0
        text = "has packed numbers that do not fill their bytes"
    if torn.any():
        lanes.fail(np.flatnonzero(torn), text)
        length = np.where(torn, 0, length)
    if wire == VARINT:
        return _unpacked_varints(lanes, start, length, which)
    count = length // width
    place = np.repeat(start, count) + width * within(count)
    return Found(np.repeat(which, count), fixed_at(lanes.data, place, width).astype(np.uint64))


def _unpacked_varints(lanes: Lanes, start: Numbers, length: Numbers, which: Numbers) -> Found:
    place = np.repeat(start, length) + within(length)
    last = np.flatnonzero(lanes.data[place] < 0x80)
    first = np.concatenate([np.zeros(1, np.int64), last[:-1] + 1]) if last.size else last
    owner = np.repeat(np.arange(len(lanes)), length)[last]
    numbers = lanes.inside(owner, place[first], place[last] + 1 - place[first])
    return Found(which[owner], numbers.varint())


# -- All occurrences of a field ----------------------------------------------------------------------------------------


def joined(pieces: Sequence[Found], *, is_bytes: bool) -> Found:
    """All of them, those of a lane in the order in which they were written."""
    if not pieces:
        none = np.zeros(0, np.int64)
        return Found(none, none, none, none) if is_bytes else Found(none, none.astype(np.uint64), None, none)
    if len(pieces) == 1:
        return pieces[0]
    parts = zip(*pieces, strict=True)
    return Found(*(None if any(part is None for part in each) else np.concatenate(each) for each in parts))


def last_member(members: Sequence[Found], size: int) -> list[Found]:
    """Of the members of a oneof: for each of `size` lanes what was written last, with what of the same member may be
    merged with it, since no other one came between."""
    lanes = np.concatenate([each.lane for each in members])
    if not len(lanes) or np.bincount(lanes).max() == 1:
        return list(members)
    last = np.full((len(members), size), -1, np.int64)
    for number, each in enumerate(members):
        np.maximum.at(last[number], each.lane, each.place)
    kept = []
    for number, each in enumerate(members):
        others = np.delete(last, number, axis=0).max(axis=0)
        kept.append(each.picked(np.flatnonzero(each.place > others[each.lane])))
    return kept


def last_of_each(found: Found) -> Found:
    """A number or a text that is there several times counts as its last one; lanes ascend then."""
    if _ascends(found.lane):
        return found
    _, place = np.unique(found.lane[::-1], return_index=True)
    return found.picked(len(found.lane) - 1 - place)


def merged(lanes: Lanes, found: Found) -> tuple[Lanes, Found]:
    """A message that is there several times is what its parts make one after the other; lanes ascend then.

    The parts of those few are copied behind all that was there, so that lanes with other bytes come back.
    """
    if _ascends(found.lane):
        return lanes, found
    lane, times = np.unique(found.lane, return_counts=True)
    found = found.picked(np.argsort(found.lane, kind="stable"))
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(times)[:-1]])
    start, length = found.number[first], np.add.reduceat(found.length, first)
    copies = []
    end = lanes.nowhere
    for index in np.flatnonzero(times > 1).tolist():
        start[index] = end
        end += int(length[index])
        parts = slice(first[index], first[index] + times[index])
        places = zip(found.number[parts].tolist(), found.length[parts].tolist(), strict=True)
        copies += [lanes.data[place : place + size] for place, size in places]
    data = np.concatenate([lanes.data[: lanes.nowhere], *copies, np.zeros(PADDING, np.uint8)])
    read = np.full(len(lanes), end)  # of the lanes themselves nothing is left
    return Lanes(data, read, read.copy(), lanes.row, lanes.failures), Found(lane, start, length)


def _ascends(lane: Numbers) -> bool:
    return bool(np.all(lane[:-1] < lane[1:]))
