"""Protobuf schemas: from a FileDescriptorSet, from the text of a .proto file, or from a registry; and their columns.

Rule: types are those of Spark's from_protobuf: enums are names, unsigned numbers are wide enough for all of their values,
a Timestamp is a TIMESTAMP. Beyond that a wrapper (google.protobuf.Int64Value) is the column that it wraps, and where a
message is within itself again (google.protobuf.Struct), or has no fields, there are its bytes, as BINARY.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from snakka.spark.decoding.proto_text import parse_proto
from snakka.spark.decoding.spec import DecodingError

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto
    from pyspark.sql.types import DataType, StructType

TIMESTAMP = "google.protobuf.Timestamp"
DURATION = "google.protobuf.Duration"
WRAPPERS = tuple(
    f"google.protobuf.{kind}Value"
    for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)
_WELL_KNOWN = ("any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers", "descriptor")


_ALL_IMPORTS = "give a descriptor set with all imports (protoc --include_imports --descriptor_set_out)"


def descriptor_set(text: str, references: tuple[tuple[str, str], ...] = ()) -> bytes:
    """A FileDescriptorSet of a .proto text and of what it imports, dependencies first."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    files: dict[str, FileDescriptorProto] = {}
    missing: list[str] = []
    for name, each in (*references, ("the schema", text)):
        file = parse_proto(each, name)
        known = [
            imported for imported in file.dependency if imported in files or _well_known(imported, files)
        ]
        missing += [imported for imported in file.dependency if imported not in known]
        del file.dependency[:]
        file.dependency.extend(known)
        files[name] = file
    result: bytes = FileDescriptorSet(file=list(files.values())).SerializeToString()
    if missing:  # which is often only options
        try:
            _pooled(result)
        except DecodingError as error:
            raise DecodingError(
                "schema", f"{error.reason}; nobody has {', '.join(missing)}, which it imports: {_ALL_IMPORTS}"
            ) from error
    return result


def _well_known(name: str, files: dict[str, FileDescriptorProto]) -> bool:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    stem = name.removeprefix("google/protobuf/").removesuffix(".proto")
    if stem not in _WELL_KNOWN or name != f"google/protobuf/{stem}.proto":
        return False
    file = FileDescriptorProto()
    import_module(f"google.protobuf.{stem}_pb2").DESCRIPTOR.CopyToProto(file)
    files[name] = file
    return True


def find_message(serialized: bytes, name: str | None) -> Any:
    """The descriptor of a message: by its name, full or short, or the first of the last file."""
    messages = [
        message for file in reversed(_pooled(serialized)) for message in file.message_types_by_name.values()
    ]
    return _chosen(messages, name)


def _pooled(serialized: bytes) -> list[Any]:
    """The descriptors of a set's files, in its order."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import DecodeError

    pool = DescriptorPool()
    try:
        files = FileDescriptorSet.FromString(serialized).file
        if not files:
            raise DecodingError("schema_file", "holds no file descriptors")
        own = {file.name for file in files}
        imported = {name for file in files for name in file.dependency if name not in own}
        others: dict[str, FileDescriptorProto] = {}
        missing = sorted(name for name in imported if not _well_known(name, others))
        if missing:
            raise DecodingError(
                "schema_file", f"lacks {', '.join(missing)}, which it imports: {_ALL_IMPORTS}"
            )
        for file in (*others.values(), *files):
            pool.Add(file)
        return [pool.FindFileByName(file.name) for file in files]
    except (DecodeError, TypeError, KeyError, ValueError) as error:
        if isinstance(error, DecodingError):
            raise
        raise DecodingError("schema", f"can't be made a Protobuf schema: {error}") from error


def _chosen(messages: list[Any], name: str | None) -> Any:
    if not messages:
        raise DecodingError("schema", "declares no message")
    if name is None:
        return messages[0]
    found = [each for each in _all(messages) if name in (each.full_name, each.name)]
    if not found:
        own = [each.full_name for each in messages if not each.full_name.startswith("google.protobuf.")]
        known = ", ".join(sorted(own))
        raise DecodingError("message", f"{name} is not in the schema, which has {known}")
    return found[0]


def _all(messages: list[Any]) -> list[Any]:
    return [each for message in messages for each in (message, *_all(list(message.nested_types)))]


def message_name(text: str, path: tuple[int, ...]) -> str:
    """The full name of the message at those indexes of a .proto text; LookupError if there is none."""
    file = parse_proto(text, "the schema", names_only=True)
    names = [file.package] if file.package else []
    messages = file.message_type
    for index in path:
        message = messages[index]
        names.append(message.name)
        messages = [each for each in message.nested_type if not each.options.map_entry]
    return ".".join(names)


def columns_of(message: Any, inside: tuple[str, ...] = ()) -> StructType:
    """`inside` are the messages that we are in."""
    from pyspark.sql.types import StructField, StructType

    if not message.fields:
        raise DecodingError("message", f"{message.full_name} has no fields")
    deeper = (*inside, message.full_name)
    return StructType([StructField(field.name, _field_type(field, deeper)) for field in message.fields])


def stays_bytes(message: Any, inside: tuple[str, ...]) -> bool:
    """Whether Spark has no type for a message within those."""
    return not message.fields or message.full_name in inside


def is_repeated(field: Any) -> bool:
    if hasattr(field, "is_repeated"):
        return bool(field.is_repeated)
    return bool(field.label == field.LABEL_REPEATED)


def is_required(field: Any) -> bool:
    if hasattr(field, "is_required"):
        return bool(field.is_required)
    return bool(field.label == field.LABEL_REQUIRED)


def is_map(field: Any) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _field_type(field: Any, inside: tuple[str, ...]) -> DataType:
    from pyspark.sql.types import ArrayType, MapType

    if is_map(field):
        key, value = field.message_type.fields
        return MapType(element_type(key, inside), element_type(value, inside))
    element = element_type(field, inside)
    return ArrayType(element) if is_repeated(field) else element


def element_type(field: Any, inside: tuple[str, ...]) -> DataType:
    """The type of one value of a field."""
    from pyspark.sql import types

    message = field.message_type
    if message is not None:
        if message.full_name == TIMESTAMP:
            return types.TimestampType()
        if message.full_name == DURATION:
            return types.DayTimeIntervalType()
        if message.full_name in WRAPPERS:
            return element_type(message.fields[0], inside)
        return types.BinaryType() if stays_bytes(message, inside) else columns_of(message, inside)
    plain = {
        field.TYPE_DOUBLE: types.DoubleType(),
        field.TYPE_FLOAT: types.FloatType(),
        field.TYPE_BOOL: types.BooleanType(),
        field.TYPE_STRING: types.StringType(),
        field.TYPE_BYTES: types.BinaryType(),
        field.TYPE_ENUM: types.StringType(),
        field.TYPE_INT32: types.IntegerType(),
        field.TYPE_SINT32: types.IntegerType(),
        field.TYPE_SFIXED32: types.IntegerType(),
        field.TYPE_UINT32: types.LongType(),
        field.TYPE_FIXED32: types.LongType(),
        field.TYPE_INT64: types.LongType(),
        field.TYPE_SINT64: types.LongType(),
        field.TYPE_SFIXED64: types.LongType(),
        field.TYPE_UINT64: types.DecimalType(20, 0),
        field.TYPE_FIXED64: types.DecimalType(20, 0),
    }
    return plain[field.type]
