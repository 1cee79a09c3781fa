"""Values that a writer has and a reader does not want: stepped over, and nothing is made of them.

Many lanes go by steps of NumPy, all at once; few of them are walked one by one, a byte after the other, which says the same
of each value and costs no step for each of its items.

Rule: what Spark has no type for (a record inside itself, or without fields) is no obstacle here, since no column comes of
it; only what stands after it has to be found. However deep a value goes, and however many items it claims to have, it costs
no more than its bytes do, and fails no row but its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from snakka.spark.decoding import avro_columns as columns
from snakka.spark.decoding.avro_schema import AvroSchema
from snakka.spark.decoding.lanes import ENDS_EARLY, TOO_LONG, Lanes, Numbers

# Records, unions, arrays and maps within one another: each takes a frame of Python's stack, which has a thousand.
_DEEPEST = 300
_TOO_DEEP = f"has more than {_DEEPEST} values inside one another"
_FEW_LANES = 16  # a step over many lanes takes as long as so many lanes one by one
_NUMBER_BYTES = 10
_INT_BYTES = 5
_ALL_BITS = 2**64 - 1
_BEYOND_ALL = 2**62  # bytes, which no value has: a schema may claim more than a number of NumPy can hold


class _FaultError(IndexError):
    """What is wrong with a value, found on a walk: what its row is failed with."""


class _Step(Protocol):
    """`depth` is how many values it is inside of."""

    @property
    def least(self) -> int:
        """The bytes of the shortest such value, or fewer."""

    def skip(self, lanes: Lanes, depth: int) -> None:
        """Over the next value of each lane."""

    def after(self, data: memoryview, place: int, depth: int) -> int:
        """Where the value ends that begins there; _FaultError if it is none."""


@dataclass(frozen=True)
class Skipped:
    """Steps over a value, as a reader of a column of nulls."""

    step: _Step
    type: pa.DataType = field(default=pa.null(), init=False)

    def read(self, lanes: Lanes) -> pa.Array:
        self.step.skip(lanes, 0)
        return pa.nulls(len(lanes))

    def after(self, data: memoryview, place: int) -> int:
        return self.step.after(data, place, 0)


@dataclass(frozen=True)
class _Fixed:
    """As many bytes as the schema says, or none at all."""

    least: int

    def skip(self, lanes: Lanes, depth: int) -> None:
        if self.least:
            lanes.slices(np.full(len(lanes), self.least, np.int64))

    def after(self, data: memoryview, place: int, depth: int) -> int:
        return _within(data, place + self.least)


@dataclass(frozen=True)
class _Boolean:
    least: int = field(default=1, init=False)

    def skip(self, lanes: Lanes, depth: int) -> None:
        columns.Boolean(pa.bool_()).read(lanes)

    def after(self, data: memoryview, place: int, depth: int) -> int:
        end = _within(data, place + 1)
        if data[place] > 1:
            raise _FaultError(columns.NO_BOOLEAN)
        return end


@dataclass(frozen=True)
class _Number:
    is_int: bool
    least: int = field(default=1, init=False)

    def skip(self, lanes: Lanes, depth: int) -> None:
        columns.Whole(pa.int64(), self.is_int).read(lanes)

    def after(self, data: memoryview, place: int, depth: int) -> int:
        end = _after_number(data, place)
        if self.is_int and end - place >= _INT_BYTES and not -(2**31) <= _number(data, place, end) < 2**31:
            raise _FaultError(columns.NO_INT)
        return end


@dataclass(frozen=True)
class _Bytes:
    """Bytes or text, of a length that comes first."""

    least: int = field(default=1, init=False)

    def skip(self, lanes: Lanes, depth: int) -> None:
        lanes.slices(lanes.zigzag())

    def after(self, data: memoryview, place: int, depth: int) -> int:
        start = _after_number(data, place)
        return _after_bytes(data, start, _number(data, place, start))


@dataclass
class _Record:
    """One part after the other; they come later if the record is inside itself."""

    parts: Sequence[_Step] = ()
    least: int = 0

    def skip(self, lanes: Lanes, depth: int) -> None:
        if len(lanes) <= _FEW_LANES:
            _walk(self, lanes, depth)
        elif depth == _DEEPEST:
            lanes.fail(np.arange(len(lanes)), _TOO_DEEP)
        elif not lanes.failed().all():  # else two records in a record would be twice as many at each level
            for part in self.parts:
                part.skip(lanes, depth + 1)

    def after(self, data: memoryview, place: int, depth: int) -> int:
        if depth == _DEEPEST:
            raise _FaultError(_TOO_DEEP)
        for part in self.parts:
            place = part.after(data, place, depth + 1)
        return place


@dataclass(frozen=True)
class _Union:
    branches: tuple[_Step, ...]
    least: int = field(default=1, init=False)

    def skip(self, lanes: Lanes, depth: int) -> None:
        if len(lanes) <= _FEW_LANES:
            _walk(self, lanes, depth)
            return
        if depth == _DEEPEST:
            lanes.fail(np.arange(len(lanes)), _TOO_DEEP)
            return
        index = lanes.zigzag()
        outside = np.flatnonzero((index < 0) | (index >= len(self.branches)))
        if outside.size:
            lanes.fail(outside, columns.NO_BRANCH)
        index[lanes.failed()] = -1
        for number, branch in enumerate(self.branches):
            which = np.flatnonzero(index == number)
            if which.size:
                part = lanes.subset(which)
                branch.skip(part, depth + 1)
                _put_back(lanes, which, part)

    def after(self, data: memoryview, place: int, depth: int) -> int:
        if depth == _DEEPEST:
            raise _FaultError(_TOO_DEEP)
        start = _after_number(data, place)
        index = _number(data, place, start)
        if not 0 <= index < len(self.branches):
            raise _FaultError(columns.NO_BRANCH)
        return self.branches[index].after(data, start, depth + 1)


@dataclass(frozen=True)
class _Blocks:
    """Arrays, and maps as arrays of a key and a value; blocks that say how many bytes they have are not looked into."""

    items: _Step
    least: int = field(default=1, init=False)

    def skip(self, lanes: Lanes, depth: int) -> None:
        if len(lanes) <= _FEW_LANES:
            _walk(self, lanes, depth)
            return
        if depth == _DEEPEST:
            lanes.fail(np.arange(len(lanes)), _TOO_DEEP)
            return
        left = np.zeros(
            len(lanes), np.int64
        )  # items of the block that a lane is in; -1: that was the last one
        while (going := np.flatnonzero(left >= 0)).size > _FEW_LANES:
            between = going[left[going] == 0]
            if between.size:
                part = lanes.subset(between)
                left[between] = self._opened(part)
                _put_back(lanes, between, part)
            inside = np.flatnonzero(left > 0)
            if inside.size:
                part = lanes.subset(inside)
                self.items.skip(part, depth + 1)
                _put_back(lanes, inside, part)
                left[inside] = np.where(part.failed(), -1, left[inside] - 1)
        if going.size:
            part = lanes.subset(going)
            _walk(self, part, depth, left[going])
            _put_back(lanes, going, part)

    def after(self, data: memoryview, place: int, depth: int, left: int = 0) -> int:
        """`left` are the items of a block that is open already."""
        if depth == _DEEPEST:
            raise _FaultError(_TOO_DEEP)
        items = self.items.after
        while True:
            for _ in range(left):
                place = items(data, place, depth + 1)
            start = _after_number(data, place)
            count, place = _number(data, place, start), start
            if not count:
                return place
            if count < 0:
                start = _after_number(data, place)
                place, left = _after_bytes(data, start, _number(data, place, start)), 0
                continue
            width = self._width()
            if width != 0 and count > (len(data) - place) // (width or self._least()):
                raise _FaultError(columns.LONGER_ARRAY)
            place, left = (place, count) if width is None else (place + count * width, 0)

    def _opened(self, lanes: Lanes) -> Numbers:
        """How many items each lane has to step over one by one in the block that begins; -1: there is none any more."""
        count = lanes.zigzag()
        sized = np.flatnonzero(count < 0)
        if sized.size:
            part = lanes.subset(sized)
            part.slices(part.zigzag())
            _put_back(lanes, sized, part)
        left, width = np.maximum(count, 0), self._width()
        if width != 0:
            longer = np.flatnonzero(left > (lanes.end - lanes.position) // (width or self._least()))
            if longer.size:
                left[longer] = 0
                lanes.fail(longer, columns.LONGER_ARRAY)
        if width is not None:
            lanes.position += left * width if width else 0
            left[:] = 0
        left[(count == 0) | lanes.failed()] = -1
        return left

    def _width(self) -> int | None:
        """The bytes of an item, if all have as many."""
        return self.items.least if isinstance(self.items, _Fixed) else None

    def _least(self) -> int:
        """None at all has but a record that holds itself, always: which is too deep before it is too long."""
        return max(self.items.least, 1)


def _walk(step: _Step, lanes: Lanes, depth: int, left: Numbers | None = None) -> None:
    """Lane by lane; `left` for blocks only."""
    data = memoryview(lanes.data)
    for lane in range(len(lanes)):
        own, place = data[: int(lanes.end[lane])], int(lanes.position[lane])
        try:
            if left is not None and isinstance(step, _Blocks):
                place = step.after(own, place, depth, int(left[lane]))
            else:
                place = step.after(own, place, depth)
        except _FaultError as fault:
            lanes.fail(np.array([lane]), str(fault))
        else:
            lanes.position[lane] = place


def _put_back(lanes: Lanes, which: Numbers, part: Lanes) -> None:
    lanes.position[which], lanes.end[which] = part.position, part.end


def _within(data: memoryview, place: int) -> int:
    if place > len(data):
        raise _FaultError(ENDS_EARLY)
    return place


def _after_number(data: memoryview, place: int) -> int:
    for end in range(place, min(place + _NUMBER_BYTES, len(data))):
        if data[end] < 0x80:
            return end + 1
    raise _FaultError(TOO_LONG if place + _NUMBER_BYTES <= len(data) else ENDS_EARLY)


def _number(data: memoryview, place: int, end: int) -> int:
    """With its sign, as lanes read it: bits beyond the 64th count for nothing."""
    value = 0
    for byte in reversed(data[place:end]):
        value = value << 7 | byte & 0x7F
    value &= _ALL_BITS
    return value >> 1 ^ -(value & 1)


def _after_bytes(data: memoryview, place: int, size: int) -> int:
    if size < 0:
        raise _FaultError(ENDS_EARLY)
    return _within(data, place + size)


_LONG, _INT, _BYTES = _Number(is_int=False), _Number(is_int=True), _Bytes()
_PLAIN: dict[str, _Step] = {
    "null": _Fixed(0),
    "boolean": _Boolean(),
    "int": _INT,
    "long": _LONG,
    "enum": _INT,
    "float": _Fixed(4),
    "double": _Fixed(8),
    "bytes": _BYTES,
    "string": _BYTES,
}


def skipping(schema: AvroSchema, part: Any) -> Skipped:
    """Steps over values of that part of a writer's schema."""
    return Skipped(_step(schema, part, {}))


def _step(schema: AvroSchema, part: Any, records: dict[str, _Step]) -> _Step:
    """`records` are those that there are already, which may be what we are in."""
    node = schema.node(part)
    if isinstance(node, list):
        return _Union(tuple(_step(schema, branch, records) for branch in node))
    kind = node["type"]
    if kind in ("record", "error"):
        if node["name"] not in records:
            records[node["name"]] = _record(schema, node, records)
        return records[node["name"]]
    if kind == "array":
        return _Blocks(_step(schema, node["items"], records))
    if kind == "map":
        item = _Record((_BYTES, _step(schema, node["values"], records)))
        item.least = sum(part.least for part in item.parts)
        return _Blocks(item)
    return _Fixed(min(node["size"], _BEYOND_ALL)) if kind == "fixed" else _PLAIN[kind]


def _record(schema: AvroSchema, node: Any, records: dict[str, _Step]) -> _Step:
    made = records[node["name"]] = _Record()
    parts = [_step(schema, each["type"], records) for each in node["fields"]]
    least = min(sum(part.least for part in parts), _BEYOND_ALL)
    if all(isinstance(part, _Fixed) for part in parts):
        return _Fixed(least)
    made.parts, made.least = parts, least
    return made
