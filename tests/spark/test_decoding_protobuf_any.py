"""Messages of schemas made by chance: whatever Protobuf's own runtime reads of some bytes, the columns hold.

Two messages one after the other are a message, too: its fields are there twice, and have to be merged as the runtime does.
"""

import decimal
import math
import random
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from snakka.spark.decoding import protobuf_schema as schema
from snakka.spark.decoding.protobuf import ProtobufDecoder

F = FieldDescriptorProto
OTHERS = (F.TYPE_GROUP, F.TYPE_MESSAGE, F.TYPE_ENUM)
SCALARS = [number for number in F.Type.values() if number not in OTHERS]
KEYS = [each for each in SCALARS if each not in (F.TYPE_DOUBLE, F.TYPE_FLOAT, F.TYPE_BYTES)]
SIGNED_32 = (F.TYPE_INT32, F.TYPE_SINT32, F.TYPE_SFIXED32)
SIGNED_64 = (F.TYPE_INT64, F.TYPE_SINT64, F.TYPE_SFIXED64)
UNSIGNED_32 = (F.TYPE_UINT32, F.TYPE_FIXED32)
UNSIGNED_64 = (F.TYPE_UINT64, F.TYPE_FIXED64)
WELL_KNOWN = ("Timestamp", "Duration", "Int64Value", "StringValue", "BoolValue", "Struct", "Any", "Empty")
IMPORTS = ("timestamp", "duration", "wrappers", "struct", "any", "empty")
UNKNOWN = (b"\xc2\x3e\x03abc", b"\xc8\x3e\x96\x01", b"\xd3\x3e\x08\x01\x13\x10\x01\x14\xd4\x3e")
DEEPEST = 3
# What Spark has no value for; the runtime looks at texts of proto3 only.
STRICTER = ("has a time beyond Spark's", "holds text that is not UTF-8")


# -- Schemas -----------------------------------------------------------------------------------------------------------


def _schema(chance: random.Random) -> bytes:
    """Up to four messages that may hold one another, and themselves."""
    syntax = chance.choice(["proto2", "proto3"])
    file = FileDescriptorProto(name="any.proto", package="p", syntax=syntax)
    file.dependency.extend(f"google/protobuf/{name}.proto" for name in IMPORTS)
    enum = file.enum_type.add(name="E")
    for name, number in (("A", 0), ("B", 1), ("C", -3), ("D", 7)):
        enum.value.add(name=name, number=number)
    count = chance.randint(1, 4)
    for number in range(count):
        _add_message(chance, file, number, [f".p.M{each}" for each in range(count)])
    return bytes(FileDescriptorSet(file=[file]).SerializeToString())


def _add_message(chance: random.Random, file: Any, number: int, others: list[str]) -> None:
    is_proto3 = file.syntax == "proto3"
    message = file.message_type.add(name=f"M{number}")
    message.oneof_decl.add(name="one")
    message.field.add(name="member", number=40, label=1, type=F.TYPE_INT32, oneof_index=0)
    numbers = chance.sample([*range(1, 30), 2047, 2048, 100_000, 2**29 - 1], chance.randint(1, 9))
    for place, field_number in enumerate(numbers):
        field = message.field.add(name=f"f{place}", number=field_number, label=F.LABEL_OPTIONAL)
        kind = chance.random()
        if kind < 0.15:
            _make_map(chance, message, field, others, f".p.M{number}")
            continue
        _set_type(chance, field, others)
        if kind < 0.45:
            field.label = F.LABEL_REPEATED
            if field.type not in (F.TYPE_STRING, F.TYPE_BYTES, *OTHERS):
                field.options.packed = chance.random() < 0.5
        elif kind < 0.65:
            field.oneof_index = 0
        elif not is_proto3:
            if field.type != F.TYPE_MESSAGE and chance.random() < 0.2:
                field.label = F.LABEL_REQUIRED
            elif field.type in (F.TYPE_INT32, F.TYPE_UINT64, F.TYPE_DOUBLE, F.TYPE_STRING, F.TYPE_BYTES):
                field.default_value = "7"
        elif kind < 0.75:
            field.proto3_optional = True
    for field in message.field:
        if field.proto3_optional:
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{field.name}")


def _make_map(chance: random.Random, message: Any, field: Any, others: list[str], inside: str) -> None:
    entry = message.nested_type.add(name=f"{field.name.upper()}Entry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, label=F.LABEL_OPTIONAL, type=chance.choice(KEYS))
    _set_type(chance, entry.field.add(name="value", number=2, label=F.LABEL_OPTIONAL), others)
    field.label, field.type, field.type_name = F.LABEL_REPEATED, F.TYPE_MESSAGE, f"{inside}.{entry.name}"


def _set_type(chance: random.Random, field: Any, others: list[str]) -> None:
    kind = chance.random()
    if kind < 0.6:
        field.type = chance.choice(SCALARS)
    elif kind < 0.7:
        field.type, field.type_name = F.TYPE_ENUM, ".p.E"
    else:
        field.type = F.TYPE_MESSAGE
        well_known = f".google.protobuf.{chance.choice(WELL_KNOWN)}"
        field.type_name = well_known if kind < 0.85 else chance.choice(others)


# -- Messages ----------------------------------------------------------------------------------------------------------


def _any_value(chance: random.Random, field: Any) -> Any:
    for kinds, low, high in (
        (SIGNED_32, -(2**31), 2**31 - 1),
        (SIGNED_64, -(2**63), 2**63 - 1),
        (UNSIGNED_32, 0, 2**32 - 1),
        (UNSIGNED_64, 0, 2**64 - 1),
    ):
        if field.type in kinds:
            return chance.choice([0, 1, low, high, chance.randint(low, high)])
    some: dict[int, list[Any]] = {
        F.TYPE_DOUBLE: [0.0, -0.0, 1.1, math.inf],
        F.TYPE_FLOAT: [0.0, 1.5, -2.25],
        F.TYPE_BOOL: [False, True],
        F.TYPE_STRING: ["", "a", "åß", "\0x", "😀"],
        F.TYPE_BYTES: [b"", b"\xff", b"\0\x80"],
        F.TYPE_ENUM: [0, 1, -3, 7],
    }
    return chance.choice(some[field.type])


def _fill(chance: random.Random, message: Any, depth: int = 0) -> Any:
    if message.DESCRIPTOR.full_name in (schema.TIMESTAMP, schema.DURATION):
        message.seconds, message.nanos = (
            chance.randint(-(10**9), 10**9),
            chance.choice([0, 1500, 999_999_999]),
        )
        if message.seconds < 0 and message.DESCRIPTOR.full_name == schema.DURATION:
            message.nanos = -message.nanos
        return message
    for field in message.DESCRIPTOR.fields:
        is_needed = schema.is_required(field)
        if not is_needed and (depth == DEEPEST or chance.random() < 0.4 + 0.1 * depth):
            continue
        held = getattr(message, field.name)
        if schema.is_map(field):
            key, value = field.message_type.fields
            for _ in range(chance.choice([0, 1, 3])):
                if value.message_type is not None:
                    _fill(chance, held[_any_value(chance, key)], depth + 1)
                else:
                    held[_any_value(chance, key)] = _any_value(chance, value)
        elif schema.is_repeated(field):
            for _ in range(chance.choice([0, 1, 2, 4])):
                if field.message_type is not None:
                    _fill(chance, held.add(), depth + 1)
                else:
                    held.append(_any_value(chance, field))
        elif field.message_type is not None:
            held.SetInParent()
            _fill(chance, held, depth + 1)
        else:
            setattr(message, field.name, _any_value(chance, field))
    return message


def _any_bytes(chance: random.Random, kind: Any) -> bytes:
    value = bytearray(_fill(chance, kind()).SerializeToString())
    what = chance.random()
    if what < 0.4:
        value += _fill(chance, kind()).SerializeToString()
    elif what < 0.5:
        value += chance.choice(UNKNOWN)
    elif what < 0.6:
        del value[chance.randrange(len(value) + 1) :]
    elif what < 0.7 and value:
        value[chance.randrange(len(value))] = chance.randrange(256)
    return bytes(value)


# -- What the runtime reads, as Arrow shows it -------------------------------------------------------------------------


def _shown(field: Any, value: Any, inside: tuple[str, ...]) -> Any:
    message = field.message_type
    if message is not None:
        if message.full_name in (schema.TIMESTAMP, schema.DURATION):
            return value.seconds * 1_000_000 + int(value.nanos / 1000)
        if message.full_name in schema.WRAPPERS:
            return _shown(message.fields[0], value.value, inside)
        return value if schema.stays_bytes(message, inside) else _columns(value, inside)
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known else str(value)
    return decimal.Decimal(value) if field.type in UNSIGNED_64 else value


def _columns(message: Any, inside: tuple[str, ...] = ()) -> dict[str, Any]:
    deeper = (*inside, message.DESCRIPTOR.full_name)
    columns: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        held = getattr(message, field.name)
        if schema.is_map(field):
            key, value = field.message_type.fields
            columns[field.name] = {
                _shown(key, each, deeper): _shown(value, held[each], deeper) for each in sorted(held)
            }
        elif schema.is_repeated(field):
            columns[field.name] = [_shown(field, each, deeper) for each in held]
        elif field.has_presence and not message.HasField(field.name) and not field.has_default_value:
            columns[field.name] = None
        else:
            columns[field.name] = _shown(field, held, deeper)
    return columns


def _differences(row: Any, wanted: Any, place: str = "") -> Iterator[str]:
    """Where a row is not what is wanted. A message stands for its bytes, in whatever order they are."""
    if isinstance(wanted, dict) and row is not None:
        assert len(row) == len(wanted), f"{place}: {row} is not {wanted}"
        for name, value in wanted.items():
            yield from _differences(dict(row)[name], value, f"{place}.{name}")
    elif isinstance(wanted, list) and row is not None:
        assert len(row) == len(wanted), f"{place}: {row} is not {wanted}"
        for index, value in enumerate(wanted):
            yield from _differences(row[index], value, f"{place}[{index}]")
    elif isinstance(row, bytes) and not isinstance(wanted, bytes | None):
        if type(wanted).FromString(row) != wanted:
            yield f"{place}: {row!r} is not {wanted!r}"
    elif row != wanted and not (row != row and wanted != wanted):  # not a number
        yield f"{place}: {row!r} is not {wanted!r}"


def _with_times_as_numbers(kind: pa.DataType) -> pa.DataType:
    """Python has no times as late as broken bytes may say."""
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return pa.int64()
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(_with_times_as_numbers(each.type)) for each in kind])
    if pa.types.is_map(kind):
        return pa.map_(kind.key_type, _with_times_as_numbers(kind.item_type))
    return pa.list_(_with_times_as_numbers(kind.value_type)) if pa.types.is_list(kind) else kind


def _is_of_another_kind(message: Any) -> bool:
    """Whether a field has a wire type or an enum number that is not its own, which the runtime passes over."""
    known = {field.number for field in message.DESCRIPTOR.fields}
    if any(each.field_number in known for each in UnknownFieldSet(message)):
        return True
    for field, held in message.ListFields():
        if field.message_type is None:
            continue
        if schema.is_map(field):
            inner = list(held.values()) if field.message_type.fields[1].message_type is not None else []
        else:
            inner = list(held) if schema.is_repeated(field) else [held]
        if any(map(_is_of_another_kind, inner)):
            return True
    return False


@pytest.mark.parametrize("seed", range(60))
def test_any_message_of_any_schema_is_what_the_runtime_reads(seed: int) -> None:
    chance = random.Random(seed)
    descriptors = _schema(chance)
    descriptor = schema.find_message(descriptors, "p.M0")
    kind = message_factory.GetMessageClass(descriptor)
    values = [_any_bytes(chance, kind) for _ in range(40)]
    decoder = ProtobufDecoder(schema.columns_of(descriptor), descriptors, "p.M0", False, None)
    rows, errors = decoder.decode(pa.array(values, pa.binary()))
    rows.validate(full=True)
    rows = rows.cast(_with_times_as_numbers(rows.type)).to_pylist()
    good = 0
    for value, row, error in zip(values, rows, errors.to_pylist(), strict=True):
        try:
            message = kind.FromString(value)
        except DecodeError:
            # What stays bytes is not looked into.
            assert error is not None or "binary" in decoder.struct.simpleString(), value.hex()
            continue
        try:
            if error in STRICTER or _is_of_another_kind(message):
                continue
        except UnicodeDecodeError:
            # A key of a map that Python can't have, within what stays bytes here or was passed over before it.
            assert error is not None or "binary" in decoder.struct.simpleString(), value.hex()
            continue
        assert error is None, value.hex()
        assert list(_differences(row, _columns(message))) == [], value.hex()
        good += 1
    assert good > 10
