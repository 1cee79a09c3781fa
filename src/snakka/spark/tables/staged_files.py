"""What an executor does for a table: Arrow batches become Parquet files of about the size that is wanted.

Rule: a file's name is nobody else's, so whatever is left behind by a killed task is never part of a table, and no attempt
ever writes over another's file. A task that fails takes its files away itself.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from snakka.spark.tables.nan_columns import (
    ColumnPath,
    column_at,
    float_columns,
    nan_columns,
    searchable_columns,
    unsearchable_columns,
)
from snakka.spark.tables.partitions import PartitionColumn, PartitionKey, split
from snakka.spark.tables.schema_evolution import SchemaMismatchError

# Larger row groups read a little faster, but each is held in memory until it is written.
ROW_GROUP_BYTES = 64 * 1024 * 1024
MAX_BUFFERED_BYTES = 128 * 1024 * 1024
# Files that something is written to already. Rows of more partitions than this wait in memory, and need more files than
# necessary if they do not find room there; maintenance puts them together.
MAX_OPEN_FILES = 32
# What a few rows cost beside their values: Arrow has an object and some buffers for each of their columns.
_BYTES_A_COLUMN = 512
# A file this near to its target is closed: what would still fit is too little to wait for.
_FULL = 0.95


class TableStorage(Protocol):
    """Where a table's files are. Travels to executors."""

    def path(self, partition: PartitionKey, name: str) -> str:
        """Where a file of that name and partition goes."""

    def create(self, path: str) -> Any:
        """A stream to write the file to."""

    def remove(self, path: str) -> None:
        """Removes a file; it need not be there."""


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How files of a table look. Travels to executors."""

    # Whose they are: a table that was made anew in the same place, or under the same name, has another one.
    table_id: str
    storage: TableStorage
    # The data's columns with the table's names and types, in the data's order.
    columns: pa.Schema
    # What of it is in the files, with the ids that Iceberg wants.
    file_schema: pa.Schema
    partitions: tuple[PartitionColumn, ...]
    target_file_size_bytes: int
    compression: str


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A finished file that no table knows yet."""

    path: str
    size_bytes: int
    partition: PartitionKey
    footer: pq.FileMetaData
    # How many nulls there are in the columns of which the footer has no statistics.
    nulls: Mapping[ColumnPath, int]

    @property
    def rows(self) -> int:
        return int(self.footer.num_rows)


class FileStager:
    """Writes one task's rows."""

    def __init__(self, layout: FileLayout, label: str) -> None:
        self._layout = layout
        self._stem = f"{label}-{secrets.token_hex(8)}"
        self._open: dict[PartitionKey, _OpenFile] = {}
        self._written: set[PartitionKey] = set()
        self._held_bytes = 0
        self._floats = float_columns(layout.file_schema)
        self._started: list[str] = []
        self._finished: list[StagedFile] = []

    def write(self, batches: Iterable[pa.RecordBatch]) -> list[StagedFile]:
        """All rows, in files; if anything fails, none is left."""
        try:
            for batch in batches:
                for partition, rows in split(self._fitted(batch), self._layout.partitions):
                    self._add(partition, rows)
            for partition in list(self._open):
                self._finish(partition)
        except BaseException:
            self._discard()
            raise
        return self._finished

    def _fitted(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """With the table's names and types: among others, times in UTC, whatever the session's zone is."""
        columns = self._layout.columns
        for field, column in zip(columns, batch.columns, strict=True):
            if not field.nullable and column.null_count:
                raise SchemaMismatchError(
                    f"column {field.name} must not be null in the table, but the data is"
                )
        return pa.RecordBatch.from_arrays(
            [_cast(column, field) for field, column in zip(columns, batch.columns, strict=True)],
            schema=columns,
        )

    def _add(self, partition: PartitionKey, rows: pa.RecordBatch) -> None:
        current = self._open.get(partition) or self._new_file(partition)
        for piece in current.pieces(rows):
            nan = nan_columns(piece, self._floats)
            if not current.suits(nan):
                self._finish(partition)
                current = self._new_file(partition)
            held = current.held_bytes
            is_full = current.add(piece, nan)
            self._held_bytes += current.held_bytes - held
            if is_full:
                self._finish(partition)
                current = self._new_file(partition)
        if current.is_empty:
            self._open.pop(partition)
        elif current.is_written:
            self._written.add(partition)
        self._make_room()

    def _make_room(self) -> None:
        """Whoever has most in memory writes it; and where that opens too many files, the largest comes to its end."""
        while self._held_bytes > MAX_BUFFERED_BYTES:
            largest = max(self._open, key=lambda partition: self._open[partition].held_bytes)
            self._held_bytes -= self._open[largest].held_bytes
            self._open[largest].flush()
            self._written.add(largest)
        while len(self._written) > MAX_OPEN_FILES:
            self._finish(max(self._written, key=lambda partition: self._open[partition].size_bytes))

    def _new_file(self, partition: PartitionKey) -> "_OpenFile":
        path = self._layout.storage.path(partition, f"{self._stem}-{len(self._started):05d}.parquet")
        self._started.append(path)
        file = self._open[partition] = _OpenFile(self._layout, path, partition)
        return file

    def _finish(self, partition: PartitionKey) -> None:
        file = self._open.pop(partition)
        self._written.discard(partition)
        self._held_bytes -= file.held_bytes
        self._finished.append(file.close())

    def _discard(self) -> None:
        for file in self._open.values():
            with suppress(Exception):
                file.abandon()
        remove_files(self._layout.storage, self._started)


def _cast(column: pa.Array, field: pa.Field) -> pa.Array:
    try:
        return column.cast(field.type)
    except pa.ArrowInvalid as error:  # as a null is in a column within this one
        raise SchemaMismatchError(f"column {field.name} does not fit into the table: {error}") from error


def remove_files(storage: TableStorage, paths: Iterable[str]) -> None:
    """Files that no table knows. What can't be removed now is found by maintenance later."""
    for path in paths:
        with suppress(Exception):
            storage.remove(path)


class _OpenFile:
    """A Parquet file that grows by row groups until it is large enough."""

    def __init__(self, layout: FileLayout, path: str, partition: PartitionKey) -> None:
        self._layout = layout
        self._path = path
        self._partition = partition
        self._stream: Any = None
        self._writer: Any = None
        self._footers: list[pq.FileMetaData] = []
        self._batches: list[pa.RecordBatch] = []
        self._raw_bytes = 0
        self._buffered_bytes = 0
        self._nan: frozenset[ColumnPath] = frozenset()
        self._nulls: dict[ColumnPath, int] = {}
        self.held_bytes = 0  # in memory, with what goes with the values

    @property
    def is_empty(self) -> bool:
        return not self.is_written and not self._batches

    @property
    def is_written(self) -> bool:
        return self._writer is not None

    @property
    def size_bytes(self) -> int:
        """What is written, and what the rest will be if it compresses as the rows before did."""
        return self._written() + int(self._buffered_bytes * self._ratio())

    def pieces(self, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Rows in pieces that are small beside the target, so that a file does not miss it by much."""
        limit = max(1, self._layout.target_file_size_bytes // 4)
        step = max(1, rows.num_rows * limit // max(1, rows.nbytes))
        for start in range(0, rows.num_rows, step):
            yield rows.slice(start, step)

    def suits(self, nan: frozenset[ColumnPath]) -> bool:
        """Whether rows with NaN in these columns may go in: not where a statistic of such a column is written already."""
        return not self.is_written or nan <= self._nan

    def add(self, rows: pa.RecordBatch, nan: frozenset[ColumnPath]) -> bool:
        """Takes rows; whether the file is now as large as it should be."""
        self._batches.append(rows)
        self._nan |= nan
        self._buffered_bytes += rows.nbytes
        self.held_bytes += rows.nbytes + rows.num_columns * _BYTES_A_COLUMN
        enough = int(self._layout.target_file_size_bytes * _FULL)
        if self._buffered_bytes >= ROW_GROUP_BYTES or self.size_bytes >= enough:
            self.flush()
        return self.size_bytes >= enough

    def flush(self) -> None:
        """Writes what is buffered as a row group."""
        if not self._batches:
            return
        if self._writer is None:
            self._stream = self._layout.storage.create(self._path)
            self._writer = pq.ParquetWriter(
                self._stream,
                self._layout.file_schema,
                compression=self._layout.compression,
                store_schema=False,
                store_decimal_as_integer=True,
                write_statistics=searchable_columns(self._layout.file_schema, self._nan),
                metadata_collector=self._footers,
            )
        names = self._layout.file_schema.names
        table = pa.Table.from_batches(self._batches).select(names).cast(self._layout.file_schema)
        for path in unsearchable_columns(self._layout.file_schema, self._nan):
            self._nulls[path] = self._nulls.get(path, 0) + column_at(table, path).null_count
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._raw_bytes += self._buffered_bytes
        self._batches = []
        self._buffered_bytes = self.held_bytes = 0

    def close(self) -> StagedFile:
        self.flush()
        self._writer.close()
        size_bytes = self._stream.tell()
        self._stream.close()
        return StagedFile(self._path, size_bytes, self._partition, self._footers[0], self._nulls)

    def abandon(self) -> None:
        """Closes without regard to what is in it: the file is removed next."""
        if self._writer is not None:
            self._writer.close()
            self._stream.close()

    def _written(self) -> int:
        return int(self._stream.tell()) if self._stream is not None else 0

    def _ratio(self) -> float:
        return self._written() / self._raw_bytes if self._raw_bytes else 1.0
