"""A JSON Schema as columns: what a schema registry holds for topics of JSON.

Rule: names and types are taken from it, no more; what it says about values is the business of whoever writes them. What is
no one type of Spark's (a choice of several, a schema that holds itself, anything at all) is a STRING with its JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snakka.spark.decoding.spec import DecodingError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

# JSON's types, and formats of its strings, by the names of Spark's classes.
_TIMES = {"date-time": "TimestampType", "date": "DateType"}
_PLAIN = {"integer": "LongType", "number": "DoubleType", "boolean": "BooleanType"}


def columns_of(text: str, references: tuple[tuple[str, str], ...] = ()) -> StructType:
    """The columns of an object; those that must be there and can't be null are NOT NULL."""
    from pyspark.sql.types import StructType

    try:
        documents = {name: json.loads(each) for name, each in (*references, ("", text))}
    except ValueError as error:
        raise DecodingError("subject", f"holds no JSON Schema: {error}") from error
    made = _Columns(documents).of(_Part("", documents[""]), ())
    if not isinstance(made, StructType):
        raise DecodingError("subject", "holds a JSON Schema of no object with properties")
    return made


@dataclass(frozen=True)
class _Part:
    """A part of one of the documents: names in it are looked for there."""

    document: str
    node: Any

    def inner(self, node: Any) -> _Part:
        return _Part(self.document, node)


class _Columns:
    def __init__(self, documents: Mapping[str, Any]) -> None:
        self._documents = documents

    def of(self, part: _Part, inside: tuple[str, ...]) -> DataType:
        """`inside` are the references that we are in."""
        from pyspark.sql import types

        node = part.node
        if not isinstance(node, dict):
            return types.StringType()
        if "$ref" in node:
            return self._referred(part, node["$ref"], inside)
        for choice in ("oneOf", "anyOf", "allOf"):
            if choice in node and "properties" not in node:
                branches = [each for each in node[choice] if each != {"type": "null"}]
                return self.of(part.inner(branches[0]), inside) if len(branches) == 1 else types.StringType()
        kind = _kind(node)
        if kind == "object" and node.get("properties"):
            return self._struct(part, inside)
        if kind == "object" and isinstance(node.get("additionalProperties"), dict):
            return types.MapType(
                types.StringType(), self.of(part.inner(node["additionalProperties"]), inside)
            )
        if kind == "array":
            return types.ArrayType(self.of(part.inner(node.get("items")), inside))
        name = _TIMES.get(node.get("format", "")) if kind == "string" else _PLAIN.get(kind)
        made: DataType = getattr(types, name or "StringType")()
        return made

    def _struct(self, part: _Part, inside: tuple[str, ...]) -> StructType:
        from pyspark.sql.types import StructField, StructType

        required = part.node.get("required", ())
        return StructType(
            [
                StructField(
                    name, self.of(part.inner(each), inside), name not in required or _may_be_null(each)
                )
                for name, each in part.node["properties"].items()
            ]
        )

    def _referred(self, part: _Part, reference: str, inside: tuple[str, ...]) -> DataType:
        from pyspark.sql.types import StringType

        document, _, pointer = reference.partition("#")
        document = document or part.document
        place = f"{document}#{pointer}"
        if place in inside:
            return StringType()
        try:
            node = self._documents[document]
            for step in filter(None, pointer.split("/")):
                node = node[step.replace("~1", "/").replace("~0", "~")]
        except (KeyError, TypeError) as error:
            raise DecodingError("subject", f"its schema refers to {reference}, which is not there") from error
        return self.of(_Part(document, node), (*inside, place))


def _kind(node: Mapping[str, Any]) -> str:
    """The one type that it has beside null; empty if there are several, or none is said."""
    said = node.get("type", "object" if "properties" in node else "")
    kinds = {each for each in ([said] if isinstance(said, str) else said) if each != "null"}
    if kinds == {"integer", "number"}:
        return "number"
    return str(kinds.pop()) if len(kinds) == 1 else ""


def _may_be_null(node: Any) -> bool:
    """Unless one type is said, which is not null."""
    return not (isinstance(node, dict) and isinstance(node.get("type"), str) and node["type"] != "null")
