"""Avro schemas: read, checked, and as the columns that Spark makes of them.

Rule: types are Spark's own (those of its from_avro): a union with null is a column that may be null, any other union is a
struct with a member for each branch. What Spark has no type for (a record inside itself) is refused. A logical type that
breaks Avro's rules for it is ignored, as Avro's specification asks: what it was to stand on remains.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snakka.spark.decoding.spec import DecodingError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

_NAMED = ("record", "error", "enum", "fixed")
_DEEPEST = 100
_MOST_DIGITS = 38  # of Spark's decimals
_UUID_BYTES = 16


@dataclass(frozen=True)
class AvroSchema:
    """A parsed schema; `root` is as fastavro leaves it: every name is a full name, and `names` has what it stands for."""

    root: Any
    names: Mapping[str, Any]

    @classmethod
    def of(cls, text: str, references: tuple[str, ...] = ()) -> AvroSchema:
        from fastavro.schema import SchemaParseException, UnknownType, parse_schema

        names: dict[str, Any] = {}
        try:
            for reference in references:
                parse_schema(_with_usable_decimals(json.loads(reference)), names)
            root = parse_schema(_with_usable_decimals(json.loads(text)), names)
        except (SchemaParseException, UnknownType, ValueError, KeyError, TypeError) as error:
            raise DecodingError("schema", f"is no Avro schema: {error}") from error
        return cls(root, names)

    def node(self, schema: Any) -> Any:
        """A list for a union, else a mapping whose `type` is a plain name."""
        if isinstance(schema, str):
            return self.names.get(schema, {"type": schema})
        if isinstance(schema, Mapping) and not isinstance(schema["type"], str):
            return self.node(schema["type"])
        if isinstance(schema, Mapping) and schema["type"] in self.names:
            return self.names[schema["type"]]
        return schema


def _with_usable_decimals(part: Any) -> Any:
    """The schema with plain bytes where it has decimals that are none: fastavro would refuse all of it for one of them."""
    if isinstance(part, list):
        return [_with_usable_decimals(branch) for branch in part]
    if not isinstance(part, dict):
        return part
    kept = {
        key: _with_usable_decimals(each) if key in ("type", "items", "values") else each
        for key, each in part.items()
        if key != "logicalType" or each != "decimal" or _is_usable_decimal(part)
    }
    if isinstance(fields := part.get("fields"), list):
        # A field is no type itself: what it says beside its type is nobody's logical type.
        kept["fields"] = [
            {**field, "type": _with_usable_decimals(field["type"])} if "type" in field else field
            for field in fields
        ]
    return kept


def _is_usable_decimal(node: Mapping[str, Any]) -> bool:
    precision, scale = node.get("precision"), node.get("scale", 0)
    if type(precision) is not int or type(scale) is not int:
        return False
    most = _MOST_DIGITS
    if node["type"] == "fixed" and type(node.get("size")) is int:
        most = min(most, math.floor(math.log10(2) * (8 * node["size"] - 1)))
    return node["type"] in ("bytes", "fixed") and 0 <= scale <= precision and 0 < precision <= most


def columns_of(schema: AvroSchema) -> StructType:
    """The columns of a schema; one that is no record becomes a column called `value`."""
    from pyspark.sql.types import StructField, StructType

    kind = spark_type(schema, schema.root, ())
    return (
        kind
        if isinstance(kind, StructType) and _is_record(schema)
        else StructType([StructField("value", kind)])
    )


def _is_record(schema: AvroSchema) -> bool:
    node = schema.node(schema.root)
    return isinstance(node, Mapping) and node["type"] in ("record", "error")


def spark_type(schema: AvroSchema, part: Any, inside: tuple[str, ...]) -> DataType:
    """`inside` are the records that we are in."""
    from pyspark.sql import types

    node = schema.node(part)
    if isinstance(node, list):
        return _union_type(schema, node, inside)
    kind = node["type"]
    if kind in ("record", "error"):
        if node["name"] in inside or len(inside) > _DEEPEST:
            raise DecodingError("schema", f"{node['name']} holds itself, and Spark has no such type")
        if not node["fields"]:
            raise DecodingError("schema", f"{node['name']} has no fields")
        deeper = (*inside, node["name"])
        return types.StructType(
            [
                types.StructField(field["name"], spark_type(schema, field["type"], deeper))
                for field in node["fields"]
            ]
        )
    if kind == "array":
        return types.ArrayType(spark_type(schema, node["items"], inside))
    if kind == "map":
        return types.MapType(types.StringType(), spark_type(schema, node["values"], inside))
    return _simple_type(node)


def _simple_type(node: Mapping[str, Any]) -> DataType:
    from pyspark.sql import types

    kind, logical = node["type"], node.get("logicalType")
    if logical == "decimal":
        return types.DecimalType(node["precision"], node.get("scale", 0))
    if kind == "fixed" and logical == "uuid" and node["size"] == _UUID_BYTES:
        return types.StringType()
    if kind == "int" and logical == "date":
        return types.DateType()
    if kind == "long" and logical in ("timestamp-millis", "timestamp-micros"):
        return types.TimestampType()
    if kind == "long" and logical in ("local-timestamp-millis", "local-timestamp-micros"):
        return types.TimestampNTZType()
    plain = {
        "null": types.NullType,
        "boolean": types.BooleanType,
        "int": types.IntegerType,
        "long": types.LongType,
        "float": types.FloatType,
        "double": types.DoubleType,
        "bytes": types.BinaryType,
        "fixed": types.BinaryType,
        "string": types.StringType,
        "enum": types.StringType,
    }
    return plain[kind]()


def _union_type(schema: AvroSchema, branches: list[Any], inside: tuple[str, ...]) -> DataType:
    from pyspark.sql import types

    members = union_members(schema, branches)
    if not members:
        return types.NullType()
    if len(members) == 1:
        return spark_type(schema, members[0], inside)
    kinds = {plain_kind(schema, member) for member in members}
    if kinds == {"int", "long"}:
        return types.LongType()
    if kinds == {"float", "double"}:
        return types.DoubleType()
    return types.StructType(
        [
            types.StructField(f"member{index}", spark_type(schema, member, inside))
            for index, member in enumerate(members)
        ]
    )


def union_members(schema: AvroSchema, branches: list[Any]) -> list[Any]:
    """The branches but null."""
    return [branch for branch in branches if plain_kind(schema, branch) != "null"]


def plain_kind(schema: AvroSchema, part: Any) -> str:
    node = schema.node(part)
    return "union" if isinstance(node, list) else str(node["type"])


def is_named(node: Any) -> bool:
    return isinstance(node, Mapping) and node["type"] in _NAMED
