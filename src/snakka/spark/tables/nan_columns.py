"""Columns that hold NaN, which no range of values has.

Rule: a file says nothing about the values of such a column. Statistics leave NaN out, and readers that go by them lose
its rows, or take NaN for the one value that they read there.
"""

import io
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# Names from the outermost column inwards; any of them may have dots in it.
ColumnPath = tuple[str, ...]


def float_columns(schema: pa.Schema) -> tuple[ColumnPath, ...]:
    """All that may hold NaN, those within structs too. Of what is in lists and maps nobody keeps the range."""
    return tuple(path for path, kind in _plain_columns(schema) if pa.types.is_floating(kind))


def _plain_columns(fields: Iterable[pa.Field]) -> list[tuple[ColumnPath, pa.DataType]]:
    found: list[tuple[ColumnPath, pa.DataType]] = []
    for field in fields:
        if pa.types.is_struct(field.type):
            found += [((field.name, *path), kind) for path, kind in _plain_columns(field.type)]
        elif not pa.types.is_nested(field.type):
            found.append(((field.name,), field.type))
    return found


def column_at(rows: pa.RecordBatch | pa.Table, path: ColumnPath) -> pa.Array | pa.ChunkedArray:
    """The column; it is null too where a struct is that it is in."""
    column = rows.column(path[0])
    for name in path[1:]:
        # By number: Arrow takes a name that begins with a dot for a path.
        column = pc.struct_field(column, [column.type.get_field_index(name)])
    return column


def nan_columns(rows: pa.RecordBatch, floats: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
    """Those of the columns that hold it."""
    return frozenset(path for path in floats if pc.any(pc.is_nan(column_at(rows, path))).as_py())


def unsearchable_columns(schema: pa.Schema, nan: frozenset[ColumnPath]) -> list[ColumnPath]:
    """Those of which a file without statistics of these has none: to its writer b within a, and a.b, are the same."""
    left_out = _dotted(nan)
    return [path for path, _ in _plain_columns(schema) if ".".join(path) in left_out]


def searchable_columns(schema: pa.Schema, nan: frozenset[ColumnPath]) -> bool | list[str]:
    """All but these, as a Parquet writer is told of which columns it keeps statistics."""
    if not nan:
        return True
    empty = io.BytesIO()
    pq.write_metadata(schema, empty)
    columns = pq.read_metadata(empty).schema
    left_out = _dotted(nan)
    return [
        path for path in (columns.column(index).path for index in range(len(columns))) if path not in left_out
    ]


def _dotted(paths: Iterable[ColumnPath]) -> set[str]:
    return {".".join(path) for path in paths}
