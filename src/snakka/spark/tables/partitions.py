"""Rows by the partition that they belong to: which columns decide, and how a batch is taken apart.

Rule: columns in, columns out. Python sees one value a partition of a batch, never one a row.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.schema_evolution import SchemaMismatchError

IDENTITY = "identity"
# Iceberg counts each from 1970, as whole numbers.
_MICROSECONDS = {"day": 86_400_000_000, "hour": 3_600_000_000}
TRANSFORMS = (IDENTITY, "year", "month", "day", "hour")

_DECLARED = re.compile(r"(?P<transform>\w+)\((?P<column>[^()]+)\)")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.\-]")
_MAX_DIRECTORY_VALUE = 64
NULL_DIRECTORY = "__HIVE_DEFAULT_PARTITION__"

PartitionKey = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PartitionColumn:
    """A column that decides, and what of it: `name` is the partition's, `source` the data's."""

    name: str
    source: str
    transform: str = IDENTITY

    @classmethod
    def declared(cls, text: str) -> "PartitionColumn":
        """As the option partitionBy says it: `country`, or `day(timestamp)`."""
        found = _DECLARED.fullmatch(text)
        if found is None:
            return cls(text, text)
        transform, column = found["transform"].lower(), found["column"].strip()
        if transform not in TRANSFORMS:
            raise SparkOptionError(
                f"partitionBy has {text}, but knows a column or {', '.join(TRANSFORMS[1:])} of one"
            )
        return cls(f"{column}_{transform}", column, transform)

    def __str__(self) -> str:
        """As it is declared."""
        return self.source if self.transform == IDENTITY else f"{self.transform}({self.source})"

    def values(self, column: pa.Array) -> pa.Array:
        """What rows are put together by."""
        if self.transform == IDENTITY:
            return column
        return _TIME_PARTS[self.transform](column)


def _years(column: pa.Array) -> pa.Array:
    return pc.cast(pc.subtract(pc.year(column), 1970), pa.int32())


def _months(column: pa.Array) -> pa.Array:
    years = pc.multiply(pc.subtract(pc.year(column), 1970), 12)
    return pc.cast(pc.add(years, pc.subtract(pc.month(column), 1)), pa.int32())


def _days(column: pa.Array) -> pa.Array:
    if pa.types.is_date(column.type):
        return pc.cast(column, pa.int32())
    return _whole(column, _MICROSECONDS["day"])


def _hours(column: pa.Array) -> pa.Array:
    return _whole(column, _MICROSECONDS["hour"])


def _whole(column: pa.Array, unit: int) -> pa.Array:
    """Times before 1970 too belong to the unit that they lie in, so this rounds down."""
    zone = column.type.tz
    microseconds = pc.cast(pc.cast(column, pa.timestamp("us", zone)), pa.int64())
    quotients = pc.divide(microseconds, unit)
    above = pc.greater(pc.multiply(quotients, unit), microseconds)
    return pc.cast(pc.if_else(above, pc.subtract(quotients, 1), quotients), pa.int32())


_TIME_PARTS: dict[str, Callable[[pa.Array], pa.Array]] = {
    "year": _years,
    "month": _months,
    "day": _days,
    "hour": _hours,
}


def split(
    batch: pa.RecordBatch, columns: tuple[PartitionColumn, ...]
) -> Iterator[tuple[PartitionKey, pa.RecordBatch]]:
    """The batch's rows, by partition; within one they keep their order."""
    if not columns or batch.num_rows == 0:
        if batch.num_rows:
            yield (), batch
        return
    values = [column.values(batch.column(column.source)) for column in columns]
    codes = _codes(values)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    if len(starts) == 1:
        yield _key(batch, columns, values, 0), batch
        return
    for start, end in zip(starts, [*starts[1:], batch.num_rows], strict=True):
        # Copies, not slices: a few rows that wait in a file would keep all others of their batch in memory.
        yield _key(batch, columns, values, int(order[start])), batch.take(pa.array(order[start:end]))


def _key(
    batch: pa.RecordBatch, columns: tuple[PartitionColumn, ...], values: list[pa.Array], row: int
) -> PartitionKey:
    for column in columns:
        try:
            batch.column(column.source)[row].as_py()
        except OverflowError:
            raise SchemaMismatchError(
                f"column {column.source} decides the partition, and holds a time beyond the years 1 to 9999, which "
                "no partition can have; filter such rows in the query"
            ) from None
    return tuple(_one_nan(array[row].as_py()) for array in values)


def _one_nan(value: Any) -> Any:
    """Always the same one: two of them are not equal, and each batch would begin files of its own."""
    return math.nan if value != value else value


def _codes(values: list[pa.Array]) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """A number a row; rows of one partition, and only those, have the same. Null is a value like others."""
    codes = np.zeros(len(values[0]), dtype=np.int64)
    for array in values:
        encoded = array.dictionary_encode(null_encoding="encode")
        codes = codes * len(encoded.dictionary) + encoded.indices.to_numpy()
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return codes


def directory(columns: tuple[PartitionColumn, ...], texts: tuple[str | None, ...]) -> str:
    """A directory for a partition's files, for people: both formats keep the true values in their metadata."""
    return "/".join(
        f"{_UNSAFE.sub('_', column.name)}={_directory_value(text)}"
        for column, text in zip(columns, texts, strict=True)
    )


def _directory_value(text: str | None) -> str:
    return NULL_DIRECTORY if text is None else _UNSAFE.sub("_", text)[:_MAX_DIRECTORY_VALUE]
