"""Readers of Protobuf's messages: all messages of a batch step by step, each step one field of many messages.

Serializers write fields in the order of their numbers, and the step is always taken by the messages whose next field has
the lowest number: so a batch takes about as many steps as its messages have fields, whatever each of them leaves out. Any
other order is read as well.

Rule: a field that the schema does not know is passed over; a field of the wrong kind makes its row bad.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from snakka.spark.decoding import protobuf_schema as schema
from snakka.spark.decoding import protobuf_wire as wire_format
from snakka.spark.decoding.lanes import (
    Lanes,
    Numbers,
    binary_at,
    decimal_column,
    spread,
    struct_of,
    unzigzag,
)
from snakka.spark.decoding.protobuf_wire import BYTES, FIXED32, FIXED64, GROUP, VARINT, Found

_LOW_32_BITS = np.uint64(0xFFFFFFFF)
_MOST_SECONDS = (2**63 - 1) // 1_000_000 - 3  # nanoseconds of four bytes are less than three seconds

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
    message: bool
    presence: bool
    required: bool
    default: Any = None
    zero: int = 0  # what the field is without presence; only enums of proto2 may begin elsewhere


@dataclass
class Message:
    """The columns of one message type."""

    type: pa.DataType
    fields: Mapping[int, Field] = field(default_factory=dict)
    oneofs: Sequence[Sequence[int]] = ()  # the numbers of their members

    def read(self, lanes: Lanes) -> pa.Array:
        """A struct for each lane, of all that is between its position and its end."""
        pieces: dict[int, list[Found]] = {number: [] for number in self.fields}
        tags = np.full(len(lanes), wire_format.DONE)
        wire_format.next_tags(lanes, np.arange(len(lanes)), tags)
        while len(tags) and (tag := tags.min()) != wire_format.DONE:
            which = np.flatnonzero(tags == tag)
            part = lanes.subset(which)
            self._take(int(tag), part, which, pieces)
            lanes.position[which], lanes.end[which] = part.position, part.end
            wire_format.next_tags(lanes, which, tags)
        found = {
            number: wire_format.joined(pieces[number], is_bytes=each.wire in (BYTES, GROUP))
            for number, each in self.fields.items()
        }
        for members in self.oneofs:
            kept = wire_format.last_member([found[number] for number in members], len(lanes))
            found.update(zip(members, kept, strict=True))
        columns = [_column(each, lanes, found[number]) for number, each in self.fields.items()]
        return struct_of(columns, self.type)

    def _take(self, tag: int, lanes: Lanes, which: Numbers, pieces: dict[int, list[Found]]) -> None:
        """The field of that tag in all of these lanes."""
        number, wire = tag >> 3, tag & 7
        value = wire_format.take_value(lanes, which, number, wire)
        if value is None:
            lanes.fail(np.arange(len(lanes)), f"is no message: it has field {number} of wire type {wire}")
            return
        known = self.fields.get(number)
        if known is None:
            return
        if wire == known.wire:
            pieces[number].append(value)
        elif wire == BYTES and known.repeated and known.wire in wire_format.PACKED:
            pieces[number].append(wire_format.unpacked(lanes, value, known.wire, which))
        else:
            lanes.fail(np.arange(len(lanes)), f"has {known.name} as wire type {wire}, not {known.wire}")


# -- Columns of a field ------------------------------------------------------------------------------------------------


def _column(each: Field, lanes: Lanes, found: Found) -> pa.Array:
    if each.repeated:
        return _repeated(each, lanes, found)
    if each.message:
        lanes, found = wire_format.merged(lanes, found)
    else:
        found = wire_format.last_of_each(found)
    if each.required:
        missing = np.ones(len(lanes), bool)
        missing[found.lane] = False
        missing &= ~lanes.failed()
        if missing.any():
            lanes.fail(np.flatnonzero(missing), f"lacks {each.name}, which is required")
    if each.presence:
        column = spread(each.elements(lanes, found), found.lane, len(lanes))
        return column if each.default is None else pc.fill_null(column, pa.scalar(each.default, each.type))
    number = np.full(len(lanes), each.zero).astype(found.number.dtype)
    number[found.lane] = found.number
    length = None
    if found.length is not None:
        length = np.zeros(len(lanes), np.int64)
        length[found.lane] = found.length
    return each.elements(lanes, Found(np.arange(len(lanes)), number, length))


def _repeated(each: Field, lanes: Lanes, found: Found) -> pa.Array:
    found = found.picked(np.argsort(found.lane, kind="stable"))
    elements = each.elements(lanes, found)
    lane = found.lane
    if each.map:
        latest = _latest_entries(lane, elements.field(0))
        if latest is not None:
            lane, elements = lane[latest], elements.take(pa.array(latest))
    offsets = np.zeros(len(lanes) + 1, np.int32)
    np.cumsum(np.bincount(lane, minlength=len(lanes)), out=offsets[1:])
    if each.map:
        return pa.MapArray.from_arrays(
            pa.array(offsets), elements.field(0), elements.field(1), type=each.type
        )
    return pa.ListArray.from_arrays(pa.array(offsets), elements, type=each.type)


def _latest_entries(lane: Numbers, keys: pa.Array) -> Numbers | None:
    """The places of a map's entries that count: of a key that is there twice the last one. None: all do."""
    if np.all(lane[:-1] < lane[1:]):
        return None
    key = keys.dictionary_encode().indices.to_numpy().astype(np.int64)
    both = lane * (int(key.max()) + 1) + key
    _, place = np.unique(both[::-1], return_index=True)
    return None if len(place) == len(both) else np.sort(len(both) - 1 - place)


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
        wrong = (seconds > _MOST_SECONDS) | (seconds < -_MOST_SECONDS)
        if wrong.any():
            part.fail(np.flatnonzero(wrong), "has a time beyond Spark's")
            seconds = np.where(wrong, 0, seconds)
        nanos = both.field(1).to_numpy().astype(np.int64)
        micros = np.sign(nanos) * (np.abs(nanos) // 1000)  # towards zero, as Spark does it
        return pa.array(seconds * 1_000_000 + micros).view(kind)

    return elements


def _unwrapped(message: Message) -> Elements:
    inner = _inner(message)
    return lambda lanes, found: inner(lanes, found).field(0)


def _int32(number: Numbers) -> Numbers:
    return (number & _LOW_32_BITS).astype(np.uint32).view(np.int32)


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
    oneofs = [[member.number for member in each.fields] for each in descriptor.oneofs]
    message.oneofs = [members for members in oneofs if len(members) > 1]
    return message


def _field(descriptor: Any, kind: pa.DataType, inside: tuple[str, ...]) -> Field:
    repeated = schema.is_repeated(descriptor)
    in_map = bool(descriptor.containing_type.GetOptions().map_entry)
    element = kind.value_type if pa.types.is_list(kind) else kind
    wire, elements = _wire_and_elements(descriptor, element, inside)
    presence = bool(descriptor.has_presence) and not in_map  # what an entry leaves out is the default
    explicit = presence and not repeated and descriptor.has_default_value
    return Field(
        name=descriptor.name,
        wire=wire,
        elements=elements,
        type=kind,
        repeated=repeated,
        map=schema.is_map(descriptor),
        message=descriptor.message_type is not None,
        presence=presence,
        required=schema.is_required(descriptor),
        default=_default(descriptor) if explicit else None,
        zero=descriptor.default_value if descriptor.enum_type is not None and not repeated else 0,
    )


def _default(descriptor: Any) -> Any:
    if descriptor.enum_type is not None:
        return descriptor.enum_type.values_by_number[descriptor.default_value].name
    return descriptor.default_value


def _wire_and_elements(descriptor: Any, kind: pa.DataType, inside: tuple[str, ...]) -> tuple[int, Elements]:
    message = descriptor.message_type
    if message is not None:
        wire = GROUP if descriptor.type == descriptor.TYPE_GROUP else BYTES
        if schema.stays_bytes(message, inside):
            return wire, _binary
        inner = message_columns(message, inside)
        if message.full_name in (schema.TIMESTAMP, schema.DURATION):
            return wire, _time(inner, kind)
        return wire, _unwrapped(inner) if message.full_name in schema.WRAPPERS else _inner(inner)
    if descriptor.enum_type is not None:
        names = {value.number: value.name for value in reversed(descriptor.enum_type.values)}
        return VARINT, _enum(names)
    signed64: Callable[[Numbers], Numbers] = lambda number: number.view(np.int64)  # noqa: E731
    unsigned32: Callable[[Numbers], Numbers] = lambda number: (  # noqa: E731
        number & _LOW_32_BITS
    ).astype(np.int64)
    plain: dict[int, tuple[int, Elements]] = {
        descriptor.TYPE_DOUBLE: (FIXED64, _numbers(_floats(8))),
        descriptor.TYPE_FLOAT: (FIXED32, _numbers(_floats(4))),
        descriptor.TYPE_BOOL: (VARINT, _numbers(lambda number: number != 0)),
        descriptor.TYPE_STRING: (BYTES, _text),
        descriptor.TYPE_BYTES: (BYTES, _binary),
        descriptor.TYPE_INT32: (VARINT, _numbers(_int32)),
        descriptor.TYPE_SINT32: (
            VARINT,
            _numbers(lambda number: unzigzag(number & _LOW_32_BITS).astype(np.int32)),
        ),
        descriptor.TYPE_SFIXED32: (FIXED32, _numbers(_int32)),
        descriptor.TYPE_UINT32: (VARINT, _numbers(unsigned32)),
        descriptor.TYPE_FIXED32: (FIXED32, _numbers(unsigned32)),
        descriptor.TYPE_INT64: (VARINT, _numbers(signed64)),
        descriptor.TYPE_SINT64: (VARINT, _numbers(unzigzag)),
        descriptor.TYPE_SFIXED64: (FIXED64, _numbers(signed64)),
        descriptor.TYPE_UINT64: (VARINT, _unsigned),
        descriptor.TYPE_FIXED64: (FIXED64, _unsigned),
    }
    return plain[descriptor.type]
