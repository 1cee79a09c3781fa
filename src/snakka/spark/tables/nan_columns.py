"""Columns that hold NaN, which no range of values has.

Rule: a file says nothing about the values of such a column. Statistics leave NaN out, and readers that go by them lose
its rows, or take NaN for the one value that they read there.
"""

import io
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ColumnPath = tuple[str, ...]


def float_columns(schema: pa.Schema) -> tuple[ColumnPath, ...]:
    """All that may hold NaN, those within structs too. Of what is in lists and maps nobody keeps the range."""
    return tuple(path for field in schema for path in _floats(field))


def _floats(field: pa.Field) -> list[ColumnPath]:
    if pa.types.is_floating(field.type):
        return [(field.name,)]
    if pa.types.is_struct(field.type):
        return [(field.name, *path) for inner in field.type for path in _floats(inner)]
    return []


def column_at(rows: pa.RecordBatch | pa.Table, path: ColumnPath) -> pa.Array | pa.ChunkedArray:
    """The column; it is null too where a struct is that it is in."""
    return reduce(pc.struct_field, path[1:], rows.column(path[0]))


def nan_columns(rows: pa.RecordBatch, floats: tuple[ColumnPath, ...]) -> frozenset[ColumnPath]:
    """Those of the columns that hold it."""
    return frozenset(path for path in floats if pc.any(pc.is_nan(column_at(rows, path))).as_py())


def searchable_columns(schema: pa.Schema, nan: frozenset[ColumnPath]) -> bool | list[str]:
    """All but these, as a Parquet writer is told of which columns it keeps statistics."""
    if not nan:
        return True
    empty = io.BytesIO()
    pq.write_metadata(schema, empty)
    columns = pq.read_metadata(empty).schema
    left_out = {".".join(path) for path in nan}
    return [
        path for path in (columns.column(index).path for index in range(len(columns))) if path not in left_out
    ]
