"""Rows of Arrow columns, sorted by the partitions they go to: no Python object for each of them.

It needs pyarrow (`pip install "snakka[arrow]"`). Rule: rows of one partition keep their order.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow
import pyarrow.compute

from snakka.protocol.column_encoder import encode_columns, partition_keys
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_encoder import EncodedBatch

NO_PARTITION = -1


class Columns(NamedTuple):
    """The names of a table's columns, of which only the values must be there."""

    value: str
    key: str | None = None
    headers: str | None = None
    timestamp: str | None = None


class Rows(NamedTuple):
    """The rows of a table that go to one partition; -1 is for those that go anywhere."""

    partition: int
    table: Any

    def encoded(self, columns: Columns, now_ms: int, limit: int) -> Iterator[EncodedBatch]:
        """As batches of at most `limit` bytes."""
        return encode_columns(
            value=self.table.column(columns.value),
            key=self._column(columns.key),
            headers=self._column(columns.headers),
            timestamp=self._column(columns.timestamp),
            now_ms=now_ms,
            limit=limit,
        )

    def _column(self, name: str | None) -> Any:
        return None if name is None else self.table.column(name)


def rows_by_partition(
    table: Any, columns: Columns, partition: int | str | None, partition_count: int, ignores_keys: bool
) -> list[Rows]:
    """The rows by where they go: to a partition, to what a column says, by their keys, or anywhere.

    Where the column says nothing the keys do.
    """
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    if not len(table):
        return []
    if isinstance(partition, int):
        return [Rows(partition, table)]
    by_key = None
    if columns.key is not None and not ignores_keys:
        by_key = table.column(columns.key)
    if partition is not None:
        partitions = _named_partitions(table.column(partition))
        if partitions.null_count and by_key is not None:
            chosen = partition_keys(by_key, partition_count)
            partitions = pyarrow.compute.coalesce(partitions, chosen)
    elif by_key is not None:
        partitions = partition_keys(by_key, partition_count)
    else:
        return [Rows(NO_PARTITION, table)]
    order = pyarrow.compute.sort_indices(partitions)  # which keeps the order of equals
    runs = pyarrow.compute.run_end_encode(partitions.take(order))
    if isinstance(runs, pyarrow.ChunkedArray):
        runs = runs.combine_chunks()
    ordered = table.take(order)
    rows = []
    start = 0
    for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        rows.append(Rows(NO_PARTITION if number is None else number, ordered.slice(start, end - start)))
        start = end
    return rows


def _named_partitions(column: Any) -> Any:
    """Partitions as a column names them; a negative one must not be taken for one that may be any."""
    partitions = column.cast(pyarrow.int32())
    lowest = pyarrow.compute.min(partitions).as_py()
    if lowest is not None and lowest < 0:
        raise ApiError(ErrorCode.INVALID_PARTITIONS, f"partitions begin at 0, and a row's is {lowest}")
    return partitions
