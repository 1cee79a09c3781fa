"""Staged files as Delta's log has them: partition values as text, statistics as JSON.

Rule: a statistic that could be wrong is left out. Readers skip files by these figures, so a wrong one loses rows; an absent
one costs a little time.
"""

import datetime
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.transaction import AddAction

from snakka.spark.tables.column_bounds import column_bounds
from snakka.spark.tables.partitions import PartitionColumn, PartitionKey
from snakka.spark.tables.staged_files import StagedFile

# As many columns as Delta's writers have statistics for, unless told otherwise.
_INDEXED_COLUMNS = 32
_LONGEST_TEXT = 64
_LAST_CHARACTER = "\U0010ffff"


def indexed_columns(settings: Mapping[str, str]) -> int | None:
    """Of how many columns the table wants statistics; None: of all. Those that it names may be any, and more do no harm."""
    if "delta.dataSkippingStatsColumns" in settings:
        return None
    wanted = int(settings.get("delta.dataSkippingNumIndexedCols", _INDEXED_COLUMNS))
    return wanted if wanted >= 0 else None


def add_action(
    file: StagedFile,
    partitions: Sequence[PartitionColumn],
    now_ms: int,
    *,
    columns: pa.Schema,
    indexed: int | None,
) -> AddAction:
    """What makes a file part of a table of those columns, with statistics of so many."""
    texts = partition_texts(file.partition)
    figures = statistics(file, indexed)
    present = {*file.footer.schema.to_arrow_schema().names, *(column.name for column in partitions)}
    # What the data had none of is null in all rows: without that, deltalake would find no nulls there.
    for path in (leaf for field in columns if field.name not in present for leaf in _leaves(field)):
        if path is not None:
            _put(figures["nullCount"], path, file.rows)
            for bounds in figures.keys() & {"minValues", "maxValues"}:
                _put(figures[bounds], path, None)
    return AddAction(
        path=file.path,
        size=file.size_bytes,
        partition_values={column.name: text for column, text in zip(partitions, texts, strict=True)},
        modification_time=now_ms,
        data_change=True,
        # Without escapes: deltalake takes those of characters beyond U+FFFF, which are two each, for other characters.
        stats=json.dumps(figures, ensure_ascii=False),
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
        text = _time_text(value)
        return text if value.tzinfo else text.replace("T", " ")
    if isinstance(value, Decimal):
        return format(value, "f")  # never with an exponent
    return str(value)


def statistics(file: StagedFile, indexed: int | None = _INDEXED_COLUMNS) -> dict[str, Any]:
    """Rows, and for so many columns their nulls, least and greatest values, from the file's own footer.

    deltalake takes a bound that is absent beside others for one that no value keeps: a file has all bounds or none.
    """
    lowest: dict[str, Any] = {}
    highest: dict[str, Any] = {}
    nulls: dict[str, Any] = {}
    is_bounded = True
    footer = file.footer
    for index, path in _leading_columns(footer, indexed):
        chunks = [footer.row_group(group).column(index).statistics for group in range(footer.num_row_groups)]
        if not all(chunk is not None and chunk.has_null_count for chunk in chunks):
            is_bounded = False
            if path in file.nulls:
                _put(nulls, path, file.nulls[path])
            continue
        _put(nulls, path, sum(chunk.null_count for chunk in chunks))
        bounds = _json_bounds(column_bounds(footer, index))
        if bounds is None and any(chunk.num_values for chunk in chunks):
            is_bounded = False
        _put(lowest, path, bounds and bounds[0])
        _put(highest, path, bounds and bounds[1])
    figures = {"numRecords": footer.num_rows, "nullCount": nulls}
    return {**figures, "minValues": lowest, "maxValues": highest} if is_bounded else figures


def _leading_columns(footer: pq.FileMetaData, count: int | None) -> list[tuple[int, tuple[str, ...]]]:
    """By their number in the footer and their path. Lists and maps don't count, so these are all that readers expect."""
    leaves = [leaf for field in footer.schema.to_arrow_schema() for leaf in _leaves(field)]
    return [(index, path) for index, path in enumerate(leaves) if path is not None][:count]


def _leaves(field: pa.Field) -> Iterator[tuple[str, ...] | None]:
    """The columns of a file in the order of its footer: each by its path, or None for bytes and within lists and maps, of
    which Delta wants to know nothing."""
    if pa.types.is_struct(field.type):
        for inner in field.type:
            for leaf in _leaves(inner):
                yield None if leaf is None else (field.name, *leaf)
    elif pa.types.is_nested(field.type):
        for index in range(field.type.num_fields):
            for _ in _leaves(field.type.field(index)):
                yield None
    else:
        yield None if pa.types.is_binary(field.type) else (field.name,)


def _put(into: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        into = into.setdefault(name, {})
    into[path[-1]] = value


def _json_bounds(bounds: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
    """As JSON has them; None if one of them would not be the same."""
    if bounds is None:
        return None
    lowest, highest = bounds
    if isinstance(lowest, str):
        return lowest[:_LONGEST_TEXT], _no_less_than(highest)
    values = _json_value(lowest), _json_value(highest)
    return None if None in values else values


def _no_less_than(text: str) -> str:
    """The text; of a long one, a shorter one that comes after it, if there is one."""
    if len(text) <= _LONGEST_TEXT:
        return text
    return max(text[:_LONGEST_TEXT] + _LAST_CHARACTER * 2, text)


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return _time_text(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        text = repr(float(value))
        return float(value) if "e" not in text and Decimal(text) == value else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def _time_text(value: datetime.datetime) -> str:
    """A moment says that it is in UTC: readers would take it as a time of their own zone. A wall clock's time has none."""
    text = value.replace(tzinfo=None).isoformat(timespec="microseconds")
    return f"{text}Z" if value.tzinfo else text


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
