"""Staged files as Delta's log has them: partition values as text, statistics as JSON.

Rule: a statistic that could be wrong is left out. Readers skip files by these figures, so a wrong one loses rows; an absent
one costs a little time.
"""

import datetime
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.transaction import AddAction

from snakka.spark.tables.partitions import PartitionColumn, PartitionKey
from snakka.spark.tables.staged_files import StagedFile

# As many columns as Delta's writers have statistics for, unless told otherwise.
_INDEXED_COLUMNS = 32
# A longer text would have to be cut, and the cut rounded up; few queries would gain.
_LONGEST_TEXT = 64


def add_action(file: StagedFile, partitions: Sequence[PartitionColumn], now_ms: int) -> AddAction:
    """What makes a file part of the table."""
    texts = partition_texts(file.partition)
    return AddAction(
        path=file.path,
        size=file.size_bytes,
        partition_values={column.name: text for column, text in zip(partitions, texts, strict=True)},
        modification_time=now_ms,
        data_change=True,
        stats=json.dumps(statistics(file.footer)),
    )


def partition_texts(partition: PartitionKey) -> tuple[str | None, ...]:
    """A partition's values as Delta writes them. There is no empty text: it means null."""
    return tuple(_partition_text(value) or None for value in partition)


def _partition_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f")
    return str(value)


def statistics(footer: pq.FileMetaData) -> dict[str, Any]:
    """Rows, and for each column its nulls, its least and its greatest value, from the file's own footer."""
    lowest: dict[str, Any] = {}
    highest: dict[str, Any] = {}
    nulls: dict[str, Any] = {}
    leaves = [leaf for field in footer.schema.to_arrow_schema() for leaf in _leaves(field)]
    for index, path in enumerate(leaves[:_INDEXED_COLUMNS]):
        if path is None:
            continue
        chunks = [footer.row_group(group).column(index) for group in range(footer.num_row_groups)]
        stats = [chunk.statistics for chunk in chunks]
        if not all(stat is not None and stat.has_null_count for stat in stats):
            continue
        _put(nulls, path, sum(stat.null_count for stat in stats))
        bounds = [stat for stat in stats if stat.null_count < stat.null_count + stat.num_values]
        if bounds and all(stat.has_min_max for stat in bounds):
            least, greatest = min(stat.min for stat in bounds), max(stat.max for stat in bounds)
            if _is_exact(least) and _is_exact(greatest):
                _put(lowest, path, _json_value(least))
                _put(highest, path, _json_value(greatest))
    return {"numRecords": footer.num_rows, "minValues": lowest, "maxValues": highest, "nullCount": nulls}


def _leaves(field: pa.Field) -> Iterator[tuple[str, ...] | None]:
    """The columns of a file in the order of its footer: each by its path, or None within lists and maps, which have none."""
    if pa.types.is_struct(field.type):
        for inner in field.type:
            for leaf in _leaves(inner):
                yield None if leaf is None else (field.name, *leaf)
    elif pa.types.is_nested(field.type):
        for index in range(field.type.num_fields):
            for _ in _leaves(field.type.field(index)):
                yield None
    else:
        yield (field.name,)


def _put(into: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        into = into.setdefault(name, {})
    into[path[-1]] = value


def _is_exact(value: Any) -> bool:
    if isinstance(value, bool | bytes):
        return False
    if isinstance(value, str):
        return len(value) <= _LONGEST_TEXT
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int | datetime.date | datetime.datetime)


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        text = value.strftime("%Y-%m-%dT%H:%M:%S.%f")
        return f"{text}Z" if value.tzinfo else text
    return value.isoformat() if isinstance(value, datetime.date) else value


def refuse_unpartitionable(schema: pa.Schema, partitions: Sequence[PartitionColumn]) -> str | None:
    """Why these columns can't be a Delta table's partitions, None if they can."""
    for column in partitions:
        if column.transform != "identity":
            return (
                f"{column.transform}({column.source}): Delta's partitions are columns; add one that holds it"
            )
        if column.source not in schema.names:
            return f"{column.source} is not a column of the data"
        arrow = schema.field(column.source).type
        if pa.types.is_nested(arrow) or pa.types.is_binary(arrow):
            return f"{column.source} is of a type that can't be a partition's value"
    if partitions and len(partitions) == len(schema):
        return "every column is a partition's; at least one must be left for the files"
    return None
