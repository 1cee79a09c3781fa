"""Many values decoded side by side: a lane is a place in one buffer, and each step moves all lanes at once, in NumPy.

Rule: a lane that finds something wrong marks its row as bad and from then on reads zeros, which every format reads as
"nothing more"; so one bad row costs its neighbours nothing, and no step asks whether all is well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

ENDS_EARLY = "ends before its last field does"
TOO_LONG = "has a number of more than ten bytes"

Numbers = Any  # a NumPy array; its element type is in the names and comments
PADDING = 32  # zeros behind all values: no step asks whether it reads too far


class Failures:
    """The first thing that is wrong with each row."""

    def __init__(self, rows: int) -> None:
        self.codes = np.zeros(rows, np.int32)
        self._texts: list[str | None] = [None]
        self._code_of: dict[str, int] = {}

    def add(self, rows: Numbers, text: str) -> None:
        code = self._code_of.get(text)
        if code is None:
            code = self._code_of[text] = len(self._texts)
            self._texts.append(text)
        self.codes[rows[self.codes[rows] == 0]] = code

    def bad(self) -> Numbers:
        return self.codes != 0

    def column(self) -> pa.Array:
        return pa.array(self._texts, pa.string()).take(pa.array(self.codes))


@dataclass(slots=True)
class Lanes:
    """`position` to `end` is what a lane has still to read of `data`; `row` is whose it is."""

    data: Numbers
    position: Numbers
    end: Numbers
    row: Numbers
    failures: Failures

    @classmethod
    def over(cls, values: pa.Array) -> Lanes:
        """A lane for each value that is not null."""
        values = values.cast(pa.binary())  # Spark may be told to send large ones
        size = len(values)
        offsets = np.frombuffer(values.buffers()[1], np.int32, size + 1, values.offset * 4).astype(np.int64)
        first, last = (int(offsets[0]), int(offsets[-1])) if size else (0, 0)
        data = np.zeros(last - first + PADDING, np.uint8)
        if last > first:
            data[: last - first] = np.frombuffer(values.buffers()[2], np.uint8, last - first, first)
        offsets -= first
        row = np.arange(size)
        if values.null_count:
            row = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
        return cls(data, offsets[:-1][row], offsets[1:][row], row, Failures(size))

    def __len__(self) -> int:
        return len(self.position)

    @property
    def nowhere(self) -> int:
        """Where the zeros begin."""
        return len(self.data) - PADDING

    def subset(self, which: Numbers) -> Lanes:
        return Lanes(self.data, self.position[which], self.end[which], self.row[which], self.failures)

    def inside(self, which: Numbers, start: Numbers, length: Numbers) -> Lanes:
        """Lanes for parts that `which` lanes hold."""
        return Lanes(self.data, start.copy(), start + length, self.row[which], self.failures)

    def fail(self, which: Numbers, text: str) -> None:
        self.failures.add(self.row[which], text)
        self.position[which] = self.nowhere
        self.end[which] = self.nowhere

    def failed(self) -> Numbers:
        """Which lanes belong to a row that is bad already."""
        return self.failures.codes[self.row] != 0

    def _stay_inside(self) -> None:
        over = self.position > self.end
        if over.any():
            self.fail(np.flatnonzero(over), ENDS_EARLY)

    def varint(self) -> Numbers:
        """The next number of each lane, seven bits a byte, lowest first: uint64."""
        data, position = self.data, self.position
        byte = data[position]
        value = (byte & 0x7F).astype(np.uint64)
        position += 1
        more = np.flatnonzero(byte >= 0x80)
        shift = 7
        while more.size and shift < 70:
            byte = data[position[more]]
            value[more] |= (byte & 0x7F).astype(np.uint64) << np.uint64(shift)
            position[more] += 1
            more = more[byte >= 0x80]
            shift += 7
        self._stay_inside()  # first: what is behind a lane's end is not its own, and no reason
        if more.size:
            value[more] = 0
            self.fail(more, TOO_LONG)
        return value

    def zigzag(self) -> Numbers:
        """The next number of each lane with its sign in the lowest bit: int64."""
        return unzigzag(self.varint())

    def fixed(self, width: int) -> Numbers:
        """The next 1, 4 or 8 bytes of each lane, as unsigned numbers."""
        start, _ = self.slices(np.full(len(self), width, np.int64))
        return fixed_at(self.data, start, width)

    def slices(self, length: Numbers) -> tuple[Numbers, Numbers]:
        """Step over `length` bytes in each lane: where they begin, and how many there are (none where it is bad)."""
        wrong = (length < 0) | (length > self.end - self.position)
        if wrong.any():
            length = np.where(wrong, 0, length)
            self.fail(np.flatnonzero(wrong), ENDS_EARLY)
        start = self.position.copy()
        self.position += length
        return start, length

    def strings(self, start: Numbers, length: Numbers, row: Numbers) -> pa.Array:
        """Those bytes as text; what is no UTF-8 fails its row and becomes empty."""
        column = binary_at(self.data, start, length)
        try:
            return column.cast(pa.string())
        except pa.ArrowInvalid:
            wrong = [index for index, text in enumerate(column.to_pylist()) if not _is_utf8(text)]
            self.failures.add(row[wrong], "holds text that is not UTF-8")
            length = length.copy()
            length[wrong] = 0
            return binary_at(self.data, start, length).cast(pa.string())


def unzigzag(value: Numbers) -> Numbers:
    return (value >> np.uint64(1)).astype(np.int64) ^ -(value & np.uint64(1)).astype(np.int64)


def fixed_at(data: Numbers, start: Numbers, width: int) -> Numbers:
    picked = data[start[:, None] + np.arange(width)]
    return picked.view(f"<u{width}").reshape(-1)


def within(count: Numbers) -> Numbers:
    """0, 1, 2 ... for each, as many as it has."""
    ends = np.cumsum(count)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - count, count)


def binary_at(data: Numbers, start: Numbers, length: Numbers) -> pa.Array:
    """Bytes from many places, copied by Arrow: every other element of an array over the whole buffer is one of them."""
    count = len(start)
    offsets = np.zeros(2 * count + 1, np.int32)
    offsets[0:-1:2] = start
    offsets[1::2] = start + length
    offsets[-1] = len(data)
    whole = pa.Array.from_buffers(pa.binary(), 2 * count, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return whole.take(pa.array(np.arange(0, 2 * count, 2)))


def decimal_column(words: Numbers, kind: pa.DataType) -> pa.Array:
    """Decimals of 16 bytes each, lowest byte first."""
    return pa.Array.from_buffers(kind, len(words), [None, pa.py_buffer(np.ascontiguousarray(words))])


def struct_of(columns: Sequence[pa.Array | None], kind: pa.DataType) -> pa.Array:
    return pa.StructArray.from_arrays(list(columns), fields=list(kind))


def spread(column: pa.Array, where: Numbers, size: int) -> pa.Array:
    """A column of `size`: its elements at the places of `where`, which ascend; nulls elsewhere."""
    return column if len(where) == size else _placed(column, where, size)


def gathered(pieces: list[pa.Array], wheres: list[Numbers], size: int) -> pa.Array:
    """One column of pieces, each with the places of its elements, which ascend; nulls elsewhere."""
    if len(pieces) == 1:
        return spread(pieces[0], wheres[0], size)
    return _placed(pa.concat_arrays(pieces), np.concatenate(wheres), size)


def _placed(column: pa.Array, where: Numbers, size: int) -> pa.Array:
    index = np.zeros(size, np.int64)
    empty = np.ones(size, bool)
    index[where] = np.arange(len(where))
    empty[where] = False
    return column.take(pa.array(index, mask=empty))


def finished(lanes: Lanes, decoded: pa.StructArray, size: int) -> tuple[pa.Array, pa.Array]:
    """What a decoder returns: a struct for each row, null where the value is or where it is bad; and the errors."""
    failures = lanes.failures
    whole = spread(decoded, lanes.row, size)
    bad = failures.bad()
    if bad.any():
        keep = np.arange(size)
        whole = whole.take(pa.array(keep, mask=bad))
    return whole, failures.column()


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
