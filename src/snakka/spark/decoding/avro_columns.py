"""Readers of Avro's types: each takes the next value of every lane and makes an Arrow column of them.

Rule: a reader reads what the writer's schema says, whole, and gives what the reader's schema wants; which reader belongs
where is decided once a schema (see `avro_resolution`), never a row.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from snakka.spark.decoding.lanes import (
    Lanes,
    Numbers,
    binary_at,
    decimal_column,
    gathered,
    struct_of,
    within,
)

_INT = (-(2**31), 2**31 - 1)
_UUID_BYTES = 16
_DECIMAL_BYTES = 16
_NUMBER_BYTES = 10
_FEW_LANES = 16  # a step over many lanes takes as long as so many items one by one
_ITEMS_AT_ONCE = 1 << 16

# What is wrong with a value, also with one that is only stepped over.
NO_BOOLEAN = "has a boolean that is neither 0 nor 1"
NO_INT = "has an int of more than 32 bits"
NO_BRANCH = "has a branch that its union does not have"
LONGER_ARRAY = "has an array that is longer than its bytes"


class Reader(Protocol):
    @property
    def type(self) -> pa.DataType:
        """Of the column that it makes."""

    def read(self, lanes: Lanes) -> pa.Array:
        """The next value of each lane."""

    def after(self, data: memoryview, place: int) -> int:
        """Where the value ends that begins there. IndexError, or a place beyond the data, if it is none: `read` says why."""


@dataclass(frozen=True)
class Null:
    type: pa.DataType

    def read(self, lanes: Lanes) -> pa.Array:
        return pa.nulls(len(lanes), self.type)

    def after(self, data: memoryview, place: int) -> int:
        return place


@dataclass(frozen=True)
class Boolean:
    type: pa.DataType

    def read(self, lanes: Lanes) -> pa.Array:
        byte = lanes.fixed(1)
        _refuse(lanes, byte > 1, NO_BOOLEAN)
        return pa.array(byte == 1)

    def after(self, data: memoryview, place: int) -> int:
        return place + 1


@dataclass(frozen=True)
class Whole:
    """Ints and longs, and what they stand for: dates, times.

    `factor` makes microseconds of milliseconds; `divisor` makes them of nanoseconds, and Spark's times have no more digits.
    """

    type: pa.DataType
    is_int: bool
    factor: int = 1
    divisor: int = 1

    def read(self, lanes: Lanes) -> pa.Array:
        value = lanes.zigzag()
        if self.is_int:
            _refuse(lanes, (value < _INT[0]) | (value > _INT[1]), NO_INT)
        if self.factor != 1:
            most = (2**63 - 1) // self.factor
            _refuse(lanes, (value > most) | (value < -most), "has a time beyond Spark's")
            value = value * self.factor
        value = value // self.divisor if self.divisor != 1 else value
        if pa.types.is_floating(self.type):
            return pa.array(value.astype(self.type.to_pandas_dtype()))
        if self.type.bit_width == 32:
            return pa.array(value.astype(np.int32)).view(self.type)
        return pa.array(value).view(self.type)

    def after(self, data: memoryview, place: int) -> int:
        return after_number(data, place)


@dataclass(frozen=True)
class Floating:
    type: pa.DataType
    width: int

    def read(self, lanes: Lanes) -> pa.Array:
        value = lanes.fixed(self.width).view(f"<f{self.width}")
        return pa.array(value.astype(self.type.to_pandas_dtype(), copy=False))

    def after(self, data: memoryview, place: int) -> int:
        return place + self.width


@dataclass(frozen=True)
class Bytes:
    """Bytes or text, of a length that comes first or is fixed."""

    type: pa.DataType
    size: int | None = None

    def read(self, lanes: Lanes) -> pa.Array:
        start, length = _next_bytes(lanes, self.size)
        if pa.types.is_string(self.type):
            return lanes.strings(start, length, lanes.row)
        return binary_at(lanes.data, start, length)

    def after(self, data: memoryview, place: int) -> int:
        return _after_bytes(data, place, self.size)


@dataclass(frozen=True)
class UuidBytes:
    """Sixteen bytes as the text that people know them by."""

    type: pa.DataType

    def read(self, lanes: Lanes) -> pa.Array:
        start, _ = _next_bytes(lanes, _UUID_BYTES)
        value = lanes.data[start[:, None] + np.arange(_UUID_BYTES)]
        digits = np.frombuffer(b"0123456789abcdef", np.uint8)
        text = np.full((len(lanes), 36), ord("-"), np.uint8)
        places = [place for place in range(36) if place not in (8, 13, 18, 23)]
        text[:, places[0::2]] = digits[value >> 4]
        text[:, places[1::2]] = digits[value & 15]
        offsets = np.arange(0, 36 * len(lanes) + 1, 36, dtype=np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(text))]
        return pa.Array.from_buffers(pa.string(), len(lanes), buffers)

    def after(self, data: memoryview, place: int) -> int:
        return place + _UUID_BYTES


@dataclass(frozen=True)
class Decimal:
    """Big-endian bytes with a sign, which are of any length; with the writer's scale, which may not be the column's."""

    type: pa.DataType
    size: int | None
    scale: int

    def read(self, lanes: Lanes) -> pa.Array:
        start, length = _lowest_bytes(lanes, *_next_bytes(lanes, self.size))
        place = (start + length)[:, None] - 1 - np.arange(_DECIMAL_BYTES)
        beyond = place < start[:, None]
        sign = np.where((length > 0) & (lanes.data[start] >= 0x80), 0xFF, 0).astype(np.uint8)
        words = np.where(beyond, sign[:, None], lanes.data[np.maximum(place, 0)])
        column = decimal_column(words, pa.decimal128(38, self.scale))
        try:
            column.validate(full=True)
            return column.cast(self.type)  # which loses no digit silently
        except pa.ArrowInvalid:
            return self._one_by_one(lanes, words)

    def after(self, data: memoryview, place: int) -> int:
        return _after_bytes(data, place, self.size)

    def _one_by_one(self, lanes: Lanes, words: Numbers) -> pa.Array:
        """Some do not fit: which?"""
        unscaled = [int.from_bytes(word.tobytes(), "little", signed=True) for word in words]
        shift = self.type.scale - self.scale
        if shift < 0:
            lost = np.array([value % 10**-shift != 0 for value in unscaled])
            _refuse(lanes, lost, f"has a decimal of more than {self.type.scale} digits after its point")
            unscaled = [
                0 if is_lost else value // 10**-shift for value, is_lost in zip(unscaled, lost, strict=True)
            ]
        else:
            unscaled = [value * 10**shift for value in unscaled]
        most = 10**self.type.precision
        wrong = np.array([abs(value) >= most for value in unscaled])
        digits = f"{self.type.precision} digits"
        where = "" if self.scale == self.type.scale else f", {self.type.scale} of them after its point"
        _refuse(lanes, wrong, f"has a decimal of more than {digits}{where}")
        fitting = [0 if is_wrong else value for value, is_wrong in zip(unscaled, wrong, strict=True)]
        written = b"".join(value.to_bytes(_DECIMAL_BYTES, "little", signed=True) for value in fitting)
        return decimal_column(np.frombuffer(written, np.uint8).reshape(-1, _DECIMAL_BYTES), self.type)


@dataclass(frozen=True)
class Enum:
    """`symbols` are the reader's, in the writer's order; None: the reader does not know it."""

    type: pa.DataType
    symbols: tuple[str | None, ...]
    written: tuple[str, ...]

    def read(self, lanes: Lanes) -> pa.Array:
        index = lanes.zigzag()
        outside = (index < 0) | (index >= len(self.symbols))
        _refuse(lanes, outside, "has an enum's symbol that its schema does not know")
        index = np.where(outside, 0, index)
        for place, symbol in enumerate(self.symbols):
            if symbol is None:
                _refuse(
                    lanes,
                    index == place,
                    f"has the symbol {self.written[place]}, which the reader's enum lacks",
                )
        return pa.array(self.symbols, pa.string()).take(pa.array(index))

    def after(self, data: memoryview, place: int) -> int:
        return after_number(data, place)


@dataclass(frozen=True)
class Record:
    """`written` are the writer's fields with the place that each has in the struct, -1 if it is not wanted."""

    type: pa.DataType
    written: tuple[tuple[int, Reader], ...]
    defaults: tuple[tuple[int, pa.Array], ...]

    def read(self, lanes: Lanes) -> pa.Array:
        columns: list[pa.Array | None] = [None] * self.type.num_fields
        for place, reader in self.written:
            column = reader.read(lanes)
            if place >= 0:
                columns[place] = column
        for place, default in self.defaults:
            columns[place] = default.take(pa.array(np.zeros(len(lanes), np.int64)))
        return struct_of(columns, self.type)

    def after(self, data: memoryview, place: int) -> int:
        for _, reader in self.written:
            place = reader.after(data, place)
        return place


@dataclass(frozen=True)
class Repeated:
    """Arrays and maps: blocks of items, each with a count; a negative count is followed by the block's size in bytes.

    A step takes an item of each lane that has one left. Where few lanes have, it would be dear: then their items are found
    one by one, and all are read in one step.
    """

    type: pa.DataType
    items: Reader
    keys: Reader | None = None

    def read(self, lanes: Lanes) -> pa.Array:
        owners: list[Numbers] = []
        keys: list[pa.Array] = []
        items: list[pa.Array] = []
        open_lanes = np.arange(len(lanes))
        while open_lanes.size:
            block = lanes.subset(open_lanes)
            left = self._block_count(block)
            while (active := np.flatnonzero(left > 0)).size:
                item, which = self._next_items(block, active, left)
                if self.keys is not None:
                    keys.append(self.keys.read(item))
                items.append(self.items.read(item))
                owners.append(open_lanes[which])
                if which is active:
                    block.position[active], block.end[active] = item.position, item.end
                left -= np.bincount(which, minlength=len(left))
                failed = block.failed()
                left[failed] = -1
                block.position[failed] = block.end[failed] = block.nowhere
            more = left == 0
            lanes.position[open_lanes], lanes.end[open_lanes] = block.position, block.end
            open_lanes = open_lanes[more]
        return self._column(len(lanes), owners, keys, items)

    def _next_items(self, block: Lanes, active: Numbers, left: Numbers) -> tuple[Lanes, Numbers]:
        """A lane for each item that is read next, and whose it is: `active`, if it is one of each."""
        if active.size > _FEW_LANES:
            return block.subset(active), active
        data = memoryview(block.data)
        starts, ends, counts = array("q"), array("q"), []
        for lane in active.tolist():
            before = len(starts)
            place, end = int(block.position[lane]), int(block.end[lane])
            own = data[:end]
            with suppress(IndexError):
                for _ in range(min(int(left[lane]), _ITEMS_AT_ONCE)):
                    after = self._after_item(own, place)
                    if after > end:
                        break
                    starts.append(place)
                    ends.append(after)
                    place = after
            counts.append(len(starts) - before)
            block.position[lane] = place
        if not starts:
            return block.subset(active), active
        which = np.repeat(active, counts)
        start = np.array(starts, np.int64)
        return block.inside(which, start, np.array(ends, np.int64) - start), which

    def _after_item(self, data: memoryview, place: int) -> int:
        return self.items.after(data, place if self.keys is None else self.keys.after(data, place))

    def after(self, data: memoryview, place: int) -> int:
        while True:
            count, place = _number_at(data, place)
            if not count:
                return place
            if count < 0:
                place = after_number(data, place)
            if abs(count) > len(data) - place:
                raise IndexError
            for _ in range(abs(count)):
                place = self._after_item(data, place)

    @staticmethod
    def _block_count(lanes: Lanes) -> Numbers:
        """How many items follow in each lane; -1: no block any more."""
        count = lanes.zigzag()
        sized = np.flatnonzero(count < 0)
        if sized.size:
            part = lanes.subset(sized)
            part.zigzag()
            lanes.position[sized], lanes.end[sized] = part.position, part.end
            count[sized] = -count[sized]
        # An item has a byte at least (but for nulls, which nobody repeats): what claims more would keep us for ages.
        impossible = (count < 0) | (count > np.maximum(lanes.end - lanes.position, 0))
        _refuse(lanes, impossible, LONGER_ARRAY)
        return np.where((count <= 0) | lanes.failed(), -1, count)

    def _column(
        self, size: int, owners: list[Numbers], keys: list[pa.Array], items: list[pa.Array]
    ) -> pa.Array:
        owner = np.concatenate(owners) if owners else np.zeros(0, np.int64)
        offsets = np.zeros(size + 1, np.int32)
        np.cumsum(np.bincount(owner, minlength=size), out=offsets[1:])
        order = pa.array(np.argsort(owner, kind="stable"))
        values = _joined(items, self.items.type).take(order)
        starts = pa.array(offsets)
        if self.keys is None:
            return pa.ListArray.from_arrays(starts, values, type=self.type)
        return pa.MapArray.from_arrays(
            starts, _joined(keys, self.keys.type).take(order), values, type=self.type
        )


def _joined(columns: list[pa.Array], kind: pa.DataType) -> pa.Array:
    return pa.concat_arrays(columns) if columns else pa.array([], kind)


@dataclass(frozen=True)
class Union:
    """A writer's union: the branch's number comes first. None: the reader has no place for that branch."""

    type: pa.DataType
    branches: tuple[Reader | None, ...]
    names: tuple[str, ...]

    def read(self, lanes: Lanes) -> pa.Array:
        index = lanes.zigzag()
        outside = (index < 0) | (index >= len(self.branches))
        _refuse(lanes, outside, NO_BRANCH)
        pieces: list[pa.Array] = []
        places: list[Numbers] = []
        for number, reader in enumerate(self.branches):
            which = np.flatnonzero(index == number)
            if reader is None:
                if which.size:
                    lanes.fail(
                        which, f"is a {self.names[number]} where the reader's schema has no place for one"
                    )
            elif which.size == len(lanes):
                return reader.read(lanes)
            elif which.size and not isinstance(reader, Null):
                part = lanes.subset(which)
                pieces.append(reader.read(part))
                places.append(which)
                lanes.position[which], lanes.end[which] = part.position, part.end
        if not pieces:
            return pa.nulls(len(lanes), self.type)
        return gathered(pieces, places, len(lanes))

    def after(self, data: memoryview, place: int) -> int:
        index, place = _number_at(data, place)
        reader = self.branches[index] if index >= 0 else None
        if reader is None:
            raise IndexError
        return reader.after(data, place)


@dataclass(frozen=True)
class Member:
    """A value that becomes one member of a struct which stands for a reader's union."""

    type: pa.DataType
    place: int
    reader: Reader

    def read(self, lanes: Lanes) -> pa.Array:
        value = self.reader.read(lanes)
        columns = [
            value if place == self.place else pa.nulls(len(lanes), field.type)
            for place, field in enumerate(self.type)
        ]
        return struct_of(columns, self.type)

    def after(self, data: memoryview, place: int) -> int:
        return self.reader.after(data, place)


def after_number(data: memoryview, place: int) -> int:
    for end in range(place, place + _NUMBER_BYTES):
        if data[end] < 0x80:
            return end + 1
    raise IndexError


def _number_at(data: memoryview, place: int) -> tuple[int, int]:
    """A number with its sign, and what comes after it."""
    end = after_number(data, place)
    value = 0
    for byte in reversed(data[place:end]):
        value = value << 7 | byte & 0x7F
    return value >> 1 ^ -(value & 1), end


def _after_bytes(data: memoryview, place: int, size: int | None) -> int:
    if size is None:
        size, place = _number_at(data, place)
        if size < 0:
            raise IndexError
    return place + size


def _next_bytes(lanes: Lanes, size: int | None) -> tuple[Numbers, Numbers]:
    length = lanes.zigzag() if size is None else np.full(len(lanes), size, np.int64)
    return lanes.slices(length)


def _lowest_bytes(lanes: Lanes, start: Numbers, length: Numbers) -> tuple[Numbers, Numbers]:
    """The sixteen bytes that a decimal has at most, where those before them say no more than its sign."""
    extra = np.maximum(length - _DECIMAL_BYTES, 0)
    if not extra.any():
        return start, length
    # Those that must be all ones or all zeros: these, and the first bit of the sixteen.
    owner = np.repeat(np.arange(len(lanes)), extra)
    sign = np.where(lanes.data[start + extra] >= 0x80, 0xFF, 0)
    wrong = np.zeros(len(lanes), bool)
    wrong[owner[lanes.data[np.repeat(start, extra) + within(extra)] != sign[owner]]] = True
    _refuse(lanes, wrong, "has a decimal of more than sixteen bytes")
    return start + extra, np.where(wrong, 0, length - extra)


def _refuse(lanes: Lanes, wrong: Numbers, text: str) -> None:
    if wrong.any():
        lanes.fail(np.flatnonzero(wrong), text)
