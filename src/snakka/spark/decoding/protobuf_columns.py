"""Readers of Protobuf's messages: all messages of a batch step by step, each step one field of many messages.

Serializers write fields in the order of their numbers, and the step is always taken by the messages whose next field has
the lowest number: so a batch takes about as many steps as its messages have fields, whatever each of them leaves out. Any
other order is read as well.

Rule: a field that the schema does not know is passed over; a field of the wrong kind makes its row bad.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from snakka.spark.decoding import protobuf_schema as schema
from snakka.spark.decoding.lanes import (
    Lanes,
    Numbers,
    binary_at,
    decimal_column,
    fixed_at,
    spread,
    struct_of,
    unzigzag,
)

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_DONE = np.uint64(2**64 - 1)
_MOST_TAG = np.uint64(2**32 - 1)
_MOST_SECONDS = (2**63 - 1) // 1_000_000 - 1


class Found(NamedTuple):
    """Occurrences of a field: whose, and the number, or where the bytes begin and how many there are."""

    lane: Numbers
    number: Numbers
    length: Numbers | None = None


# Makes a column of occurrences, one element each.
Elements = Callable[[Lanes, Found], pa.Array]


@dataclass(frozen=True)
class Field:
    name: str
    wire: int
    elements: Elements
    type: pa.DataType
    repeated: bool
    map: bool
    presence: bool
    required: bool
    default: Any = None


@dataclass
class Message:
    """The columns of one message type."""

    type: pa.DataType
    fields: Mapping[int, Field] = field(default_factory=dict)

    def read(self, lanes: Lanes) -> pa.Array:
        """A struct for each lane, of all that is between its position and its end."""
        found: dict[int, list[Found]] = {number: [] for number in self.fields}
        tags = np.full(len(lanes), _DONE)
        _next_tags(lanes, np.arange(len(lanes)), tags)
        while len(tags) and (tag := tags.min()) != _DONE:
            which = np.flatnonzero(tags == tag)
            part = lanes.subset(which)
            self._take(int(tag), part, which, found)
            lanes.position[which], lanes.end[which] = part.position, part.end
            _next_tags(lanes, which, tags)
        columns = [_column(each, lanes, found[number]) for number, each in self.fields.items()]
        return struct_of(columns, self.type)

    def _take(self, tag: int, lanes: Lanes, which: Numbers, found: dict[int, list[Found]]) -> None:
        """The field of that tag in all of these lanes."""
        number, wire = tag >> 3, tag & 7
        value = _take_value(lanes, which, wire)
        if value is None or number == 0:
            lanes.fail(np.arange(len(lanes)), f"is no message: it has field {number} of wire type {wire}")
            return
        known = self.fields.get(number)
        if known is None:
            return
        if wire == known.wire:
            found[number].append(value)
        elif wire == _BYTES and known.repeated and not known.map:
            found[number].append(_unpacked(lanes, value, known.wire, which))
        else:
            lanes.fail(np.arange(len(lanes)), f"has {known.name} as wire type {wire}, not {known.wire}")


def _next_tags(lanes: Lanes, which: Numbers, tags: Numbers) -> None:
    tags[which] = _DONE
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
        tags[failed] = _DONE
        lanes.position[failed] = lanes.end[failed] = lanes.nowhere


def _take_value(lanes: Lanes, which: Numbers, wire: int) -> Found | None:
    if wire == _VARINT:
        return Found(which, lanes.varint())
    if wire == _FIXED64:
        return Found(which, lanes.fixed(8))
    if wire == _FIXED32:
        return Found(which, lanes.fixed(4).astype(np.uint64))
    if wire == _BYTES:
        return Found(which, *lanes.slices(lanes.varint().astype(np.int64)))
    return None


def _unpacked(lanes: Lanes, packed: Found, wire: int, which: Numbers) -> Found:
    """Numbers that were written one after the other into one field."""
    assert packed.length is not None
    start, length = packed.number, packed.length
    if wire == _VARINT:
        torn = (length > 0) & (lanes.data[np.maximum(start + length - 1, 0)] >= 0x80)
        text = "has packed numbers, the last of which is torn"
    else:
        width = 8 if wire == _FIXED64 else 4
        torn = length % width != 0
        text = "has packed numbers that do not fill their bytes"
    if torn.any():
        lanes.fail(np.flatnonzero(torn), text)
        length = np.where(torn, 0, length)
    if wire == _VARINT:
        return _unpacked_varints(lanes, start, length, which)
    count = length // width
    place = np.repeat(start, count) + width * _within(count)
    return Found(np.repeat(which, count), fixed_at(lanes.data, place, width).astype(np.uint64))


def _unpacked_varints(lanes: Lanes, start: Numbers, length: Numbers, which: Numbers) -> Found:
    place = np.repeat(start, length) + _within(length)
    last = np.flatnonzero(lanes.data[place] < 0x80)
    first = np.concatenate([np.zeros(1, np.int64), last[:-1] + 1]) if last.size else last
    owner = np.repeat(np.arange(len(lanes)), length)[last]
    numbers = lanes.inside(owner, place[first], place[last] + 1 - place[first])
    return Found(which[owner], numbers.varint())


def _within(count: Numbers) -> Numbers:
    """0, 1, 2 ... for each, as many as it has."""
    ends = np.cumsum(count)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - count, count)


# -- Columns of a field ------------------------------------------------------------------------------------------------


def _column(each: Field, lanes: Lanes, pieces: list[Found]) -> pa.Array:
    found = _joined(pieces, lanes, is_bytes=each.wire == _BYTES)
    if each.repeated:
        return _repeated(each, lanes, found)
    found = _last_of_each(each, lanes, found)
    if each.required:
        missing = np.ones(len(lanes), bool)
        missing[found.lane] = False
        missing &= ~lanes.failed()
        if missing.any():
            lanes.fail(np.flatnonzero(missing), f"lacks {each.name}, which is required")
    if each.presence:
        column = spread(each.elements(lanes, found), found.lane, len(lanes))
        return column if each.default is None else pc.fill_null(column, pa.scalar(each.default, each.type))
    number = np.zeros(len(lanes), found.number.dtype)
    number[found.lane] = found.number
    length = None
    if found.length is not None:
        length = np.zeros(len(lanes), np.int64)
        length[found.lane] = found.length
    return each.elements(lanes, Found(np.arange(len(lanes)), number, length))


def _joined(pieces: list[Found], lanes: Lanes, *, is_bytes: bool) -> Found:
    if not pieces:
        none = np.zeros(0, np.int64)
        return Found(none, none, none) if is_bytes else Found(none, none.astype(np.uint64))
    if len(pieces) == 1:
        return pieces[0]
    return Found(
        np.concatenate([piece.lane for piece in pieces]),
        np.concatenate([piece.number for piece in pieces]),
        np.concatenate([piece.length for piece in pieces]) if is_bytes else None,
    )


def _picked(found: Found, which: Numbers) -> Found:
    length = None if found.length is None else found.length[which]
    return Found(found.lane[which], found.number[which], length)


def _last_of_each(each: Field, lanes: Lanes, found: Found) -> Found:
    """A field that is there twice counts as its last one, but messages would have to be merged: nobody writes that."""
    lane, place, times = np.unique(found.lane[::-1], return_index=True, return_counts=True)
    if len(lane) == len(found.lane):
        return found if np.all(found.lane[:-1] < found.lane[1:]) else _picked(found, np.argsort(found.lane))
    if pa.types.is_struct(each.type):
        lanes.fail(lane[times > 1], f"has {each.name} twice, which would have to be merged")
    return _picked(found, len(found.lane) - 1 - place)


def _repeated(each: Field, lanes: Lanes, found: Found) -> pa.Array:
    found = _picked(found, np.argsort(found.lane, kind="stable"))
    offsets = np.zeros(len(lanes) + 1, np.int32)
    np.cumsum(np.bincount(found.lane, minlength=len(lanes)), out=offsets[1:])
    elements = each.elements(lanes, found)
    if each.map:
        return pa.MapArray.from_arrays(
            pa.array(offsets), elements.field(0), elements.field(1), type=each.type
        )
    return pa.ListArray.from_arrays(pa.array(offsets), elements, type=each.type)


# -- Elements ----------------------------------------------------------------------------------------------------------


def _text(lanes: Lanes, found: Found) -> pa.Array:
    return lanes.strings(found.number, found.length, lanes.row[found.lane])


def _binary(lanes: Lanes, found: Found) -> pa.Array:
    return binary_at(lanes.data, found.number, found.length)


def _numbers(convert: Callable[[Numbers], Numbers]) -> Elements:
    return lambda lanes, found: pa.array(convert(found.number))


def _unsigned(lanes: Lanes, found: Found) -> pa.Array:
    """Numbers of 64 bits as decimals: the lower half of sixteen bytes."""
    words = np.zeros((len(found.number), 2), np.uint64)
    words[:, 0] = found.number
    return decimal_column(words, pa.decimal128(20, 0))


def _enum(names: dict[int, str]) -> Elements:
    numbers = np.array(sorted(names), np.int64)
    texts = [names[int(number)] for number in numbers]

    def elements(lanes: Lanes, found: Found) -> pa.Array:
        value = _int32(found.number).astype(np.int64)
        place = np.minimum(np.searchsorted(numbers, value), len(numbers) - 1)
        unknown = np.unique(value[numbers[place] != value])
        # A number that the schema has no name for is handed on as it is.
        known = pa.array([*texts, *(str(number) for number in unknown)], pa.string())
        place = np.where(numbers[place] == value, place, len(numbers) + np.searchsorted(unknown, value))
        return known.take(pa.array(place))

    return elements


def _inner(message: Message) -> Elements:
    def elements(lanes: Lanes, found: Found) -> pa.Array:
        part = lanes.inside(found.lane, found.number, found.length)
        return message.read(part)

    return elements


def _time(message: Message, kind: pa.DataType) -> Elements:
    """Seconds and nanoseconds as microseconds."""

    def elements(lanes: Lanes, found: Found) -> pa.Array:
        part = lanes.inside(found.lane, found.number, found.length)
        both = message.read(part)
        seconds = both.field(0).to_numpy()
        wrong = np.abs(seconds) > _MOST_SECONDS
        if wrong.any():
            part.fail(np.flatnonzero(wrong), "has a time beyond Spark's")
            seconds = np.where(wrong, 0, seconds)
        nanos = both.field(1).to_numpy().astype(np.int64)
        return pa.array(seconds * 1_000_000 + nanos // 1000).view(kind)

    return elements


def _unwrapped(message: Message) -> Elements:
    inner = _inner(message)
    return lambda lanes, found: inner(lanes, found).field(0)


def _int32(number: Numbers) -> Numbers:
    return (number & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)


def _floats(width: int) -> Callable[[Numbers], Numbers]:
    return lambda number: number.astype(f"<u{width}").view(f"<f{width}")


# -- Built once a schema -----------------------------------------------------------------------------------------------


def message_columns(descriptor: Any, inside: tuple[str, ...] = ()) -> Message:
    """The reader of a message type within those; its columns are `protobuf_schema.columns_of`."""
    from pyspark.sql.pandas.types import to_arrow_type

    message = Message(to_arrow_type(schema.columns_of(descriptor, inside), timezone="UTC"))
    deeper = (*inside, descriptor.full_name)
    message.fields = {
        each.number: _field(each, message.type.field(place).type, deeper)
        for place, each in enumerate(descriptor.fields)
    }
    return message


def _field(descriptor: Any, kind: pa.DataType, inside: tuple[str, ...]) -> Field:
    repeated = schema.is_repeated(descriptor)
    in_map = bool(descriptor.containing_type.GetOptions().map_entry)
    element = kind.value_type if pa.types.is_list(kind) else kind
    wire, elements = _wire_and_elements(descriptor, element, inside)
    presence = bool(descriptor.has_presence) and not (in_map and descriptor.message_type is None)
    explicit = presence and not repeated and descriptor.has_default_value
    return Field(
        name=descriptor.name,
        wire=wire,
        elements=elements,
        type=kind,
        repeated=repeated,
        map=schema.is_map(descriptor),
        presence=presence,
        required=schema.is_required(descriptor),
        default=_default(descriptor) if explicit else None,
    )


def _default(descriptor: Any) -> Any:
    if descriptor.enum_type is not None:
        return descriptor.enum_type.values_by_number[descriptor.default_value].name
    return descriptor.default_value


def _wire_and_elements(descriptor: Any, kind: pa.DataType, inside: tuple[str, ...]) -> tuple[int, Elements]:
    message = descriptor.message_type
    if message is not None:
        if schema.stays_bytes(message, inside):
            return _BYTES, _binary
        inner = message_columns(message, inside)
        if message.full_name in (schema.TIMESTAMP, schema.DURATION):
            return _BYTES, _time(inner, kind)
        return _BYTES, _unwrapped(inner) if message.full_name in schema.WRAPPERS else _inner(inner)
    if descriptor.enum_type is not None:
        names = {value.number: value.name for value in reversed(descriptor.enum_type.values)}
        return _VARINT, _enum(names)
    signed64: Callable[[Numbers], Numbers] = lambda number: number.view(np.int64)  # noqa: E731
    unsigned32: Callable[[Numbers], Numbers] = lambda number: (  # noqa: E731
        number & np.uint64(0xFFFFFFFF)
    ).astype(np.int64)
    plain: dict[int, tuple[int, Elements]] = {
        descriptor.TYPE_DOUBLE: (_FIXED64, _numbers(_floats(8))),
        descriptor.TYPE_FLOAT: (_FIXED32, _numbers(_floats(4))),
        descriptor.TYPE_BOOL: (_VARINT, _numbers(lambda number: number != 0)),
        descriptor.TYPE_STRING: (_BYTES, _text),
        descriptor.TYPE_BYTES: (_BYTES, _binary),
        descriptor.TYPE_INT32: (_VARINT, _numbers(_int32)),
        descriptor.TYPE_SINT32: (_VARINT, _numbers(lambda number: unzigzag(number).astype(np.int32))),
        descriptor.TYPE_SFIXED32: (_FIXED32, _numbers(_int32)),
        descriptor.TYPE_UINT32: (_VARINT, _numbers(unsigned32)),
        descriptor.TYPE_FIXED32: (_FIXED32, _numbers(unsigned32)),
        descriptor.TYPE_INT64: (_VARINT, _numbers(signed64)),
        descriptor.TYPE_SINT64: (_VARINT, _numbers(unzigzag)),
        descriptor.TYPE_SFIXED64: (_FIXED64, _numbers(signed64)),
        descriptor.TYPE_UINT64: (_VARINT, _unsigned),
        descriptor.TYPE_FIXED64: (_FIXED64, _unsigned),
    }
    return plain[descriptor.type]
