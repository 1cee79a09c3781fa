"""A field's default, which a schema writes as JSON, as the bytes that a writer would have written."""

from __future__ import annotations

import struct
from typing import Any

from snakka.spark.decoding.avro_schema import AvroSchema, plain_kind
from snakka.spark.decoding.spec import DecodingError


def encoded_default(schema: AvroSchema, part: Any, value: Any) -> bytes:
    """DecodingError if the default is none of its type."""
    try:
        return _encoded(schema, part, value)
    except (TypeError, ValueError, AttributeError, KeyError, StopIteration, struct.error) as error:
        raise DecodingError("schema", f"the default {value!r} does not fit its type") from error


def _encoded(schema: AvroSchema, part: Any, value: Any) -> bytes:
    node = schema.node(part)
    if isinstance(node, list):
        branch = _branch(schema, node, value)
        return _number(branch) + _encoded(schema, node[branch], value)
    kind = node["type"]
    if kind in ("record", "error"):
        given = [
            value[field["name"]] if field["name"] in value else field["default"] for field in node["fields"]
        ]
        fields = zip(node["fields"], given, strict=True)
        return b"".join(_encoded(schema, field["type"], each) for field, each in fields)
    if kind == "array":
        return _block([_encoded(schema, node["items"], each) for each in value])
    if kind == "map":
        return _block(
            [_text(name.encode()) + _encoded(schema, node["values"], each) for name, each in value.items()]
        )
    return _simple(node, value)


def _branch(schema: AvroSchema, branches: list[Any], value: Any) -> int:
    """A default belongs to the first branch; newer schemas mean null, or the first that is something."""
    kinds = [plain_kind(schema, branch) for branch in branches]
    return kinds.index("null") if value is None else next(i for i, kind in enumerate(kinds) if kind != "null")


def _simple(node: Any, value: Any) -> bytes:
    kind = node["type"]
    if kind == "null":
        return b""
    if kind == "boolean":
        return b"\1" if value else b"\0"
    if kind in ("int", "long"):
        return _number(int(value))
    if kind in ("float", "double"):
        return struct.pack("<f" if kind == "float" else "<d", float(value))
    if kind == "enum":
        return _number(node["symbols"].index(value))
    if kind == "fixed":
        return bytes(value.encode("latin-1"))
    return _text(value.encode() if kind == "string" else value.encode("latin-1"))


def _number(value: int) -> bytes:
    left = (value << 1) ^ (value >> 63)
    out = bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    out.append(left)
    return bytes(out)


def _text(value: bytes) -> bytes:
    return _number(len(value)) + value


def _block(items: list[bytes]) -> bytes:
    return (_number(len(items)) + b"".join(items) if items else b"") + b"\0"
