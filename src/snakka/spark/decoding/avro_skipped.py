"""Values that a writer has and a reader does not want: stepped over, and nothing is made of them.

Rule: what Spark has no type for (a record inside itself, or without fields) is no obstacle here, since no column comes of
it; only what stands after it has to be found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from snakka.spark.decoding import avro_columns as columns
from snakka.spark.decoding.avro_schema import AvroSchema, plain_kind
from snakka.spark.decoding.lanes import Lanes

_NOTHING = pa.null()
_DEEPEST = 100  # of a record inside itself, which is read by recursion
_PLAIN: dict[str, columns.Reader] = {
    "null": columns.Null(_NOTHING),
    "boolean": columns.Boolean(pa.bool_()),
    "int": columns.Whole(pa.int64(), is_int=True),
    "long": columns.Whole(pa.int64(), is_int=False),
    "enum": columns.Whole(pa.int64(), is_int=True),
    "float": columns.Floating(pa.float32(), 4),
    "double": columns.Floating(pa.float64(), 8),
    "bytes": columns.Bytes(pa.binary()),
    "string": columns.Bytes(pa.binary()),
}


@dataclass
class Skipped:
    """Steps over what its parts read, one after the other."""

    parts: Sequence[columns.Reader] = ()
    type: pa.DataType = field(default=_NOTHING, init=False)
    _depth: int = field(default=0, init=False)

    def read(self, lanes: Lanes) -> pa.Array:
        if self._depth == _DEEPEST:
            lanes.fail(np.arange(len(lanes)), f"has a record that is inside itself {_DEEPEST} times")
        elif len(lanes):
            self._depth += 1
            for part in self.parts:
                part.read(lanes)
            self._depth -= 1
        return pa.nulls(len(lanes))

    def after(self, data: memoryview, place: int) -> int:
        raise IndexError  # how deep it goes is for `read` to judge


def skipping(schema: AvroSchema, part: Any) -> columns.Reader:
    """Steps over values of that part of a writer's schema."""
    return _skipping(schema, part, {})


def _skipping(schema: AvroSchema, part: Any, records: dict[str, Skipped]) -> columns.Reader:
    """`records` are those that there are already, which may be what we are in."""
    node = schema.node(part)
    if isinstance(node, list):
        branches = tuple(_unioned(_skipping(schema, branch, records)) for branch in node)
        return columns.Union(_NOTHING, branches, tuple(plain_kind(schema, branch) for branch in node))
    kind = node["type"]
    if kind in ("record", "error"):
        if node["name"] not in records:
            made = records[node["name"]] = Skipped()
            made.parts = [_skipping(schema, each["type"], records) for each in node["fields"]]
        return records[node["name"]]
    if kind == "array":
        return columns.Repeated(pa.list_(_NOTHING), _unioned(_skipping(schema, node["items"], records)))
    if kind == "map":
        values = _unioned(_skipping(schema, node["values"], records))
        return columns.Repeated(pa.map_(pa.binary(), _NOTHING), values, _PLAIN["bytes"])
    return columns.Bytes(pa.binary(), node["size"]) if kind == "fixed" else _PLAIN[kind]


def _unioned(reader: columns.Reader) -> columns.Reader:
    """All of one type, whatever they step over."""
    return reader if reader.type == _NOTHING else Skipped([reader])
