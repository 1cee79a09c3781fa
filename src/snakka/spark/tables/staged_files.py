"""What an executor does for a table: Arrow batches become Parquet files of about the size that is wanted.

Rule: a file's name is nobody else's, so whatever is left behind by a killed task is never part of a table, and no attempt
ever writes over another's file. A task that fails takes its files away itself.
"""

import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from snakka.spark.tables.partitions import PartitionColumn, PartitionKey, split
from snakka.spark.tables.schema_evolution import SchemaMismatchError

# Larger row groups read a little faster, but each is held in memory until it is written.
ROW_GROUP_BYTES = 64 * 1024 * 1024
MAX_BUFFERED_BYTES = 128 * 1024 * 1024
# Rows of more partitions than this need more files than necessary; maintenance puts them together.
MAX_OPEN_FILES = 32
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

    @property
    def rows(self) -> int:
        return int(self.footer.num_rows)


class FileStager:
    """Writes one task's rows."""

    def __init__(self, layout: FileLayout, label: str) -> None:
        self._layout = layout
        self._stem = f"{label}-{secrets.token_hex(8)}"
        self._open: dict[PartitionKey, _OpenFile] = {}
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
        current = self._open.get(partition)
        if current is None:
            if len(self._open) >= MAX_OPEN_FILES:
                self._finish(max(self._open, key=lambda key: self._open[key].size_bytes))
            current = self._open[partition] = self._new_file(partition)
        for piece in current.pieces(rows):
            if current.add(piece):
                self._finish(partition)
                current = self._open[partition] = self._new_file(partition)
        if current.is_empty:
            self._open.pop(partition)
        if sum(file.buffered_bytes for file in self._open.values()) > MAX_BUFFERED_BYTES:
            max(self._open.values(), key=lambda file: file.buffered_bytes).flush()

    def _new_file(self, partition: PartitionKey) -> "_OpenFile":
        path = self._layout.storage.path(partition, f"{self._stem}-{len(self._started):05d}.parquet")
        self._started.append(path)
        return _OpenFile(self._layout, path, partition)

    def _finish(self, partition: PartitionKey) -> None:
        self._finished.append(self._open.pop(partition).close())

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
        self.buffered_bytes = 0

    @property
    def is_empty(self) -> bool:
        return self._writer is None and not self._batches

    @property
    def size_bytes(self) -> int:
        """What is written, and what the rest will be if it compresses as the rows before did."""
        return self._written() + int(self.buffered_bytes * self._ratio())

    def pieces(self, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Rows in pieces that are small beside the target, so that a file does not miss it by much."""
        limit = max(1, self._layout.target_file_size_bytes // 4)
        step = max(1, rows.num_rows * limit // max(1, rows.nbytes))
        for start in range(0, rows.num_rows, step):
            yield rows.slice(start, step)

    def add(self, rows: pa.RecordBatch) -> bool:
        """Takes rows; whether the file is now as large as it should be."""
        self._batches.append(rows)
        self.buffered_bytes += rows.nbytes
        enough = int(self._layout.target_file_size_bytes * _FULL)
        if self.buffered_bytes >= ROW_GROUP_BYTES or self.size_bytes >= enough:
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
                metadata_collector=self._footers,
            )
        names = self._layout.file_schema.names
        table = pa.Table.from_batches(self._batches).select(names).cast(self._layout.file_schema)
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._raw_bytes += self.buffered_bytes
        self._batches = []
        self.buffered_bytes = 0

    def close(self) -> StagedFile:
        self.flush()
        self._writer.close()
        size_bytes = self._stream.tell()
        self._stream.close()
        return StagedFile(self._path, size_bytes, self._partition, self._footers[0])

    def abandon(self) -> None:
        """Closes without regard to what is in it: the file is removed next."""
        if self._writer is not None:
            self._writer.close()
            self._stream.close()

    def _written(self) -> int:
        return int(self._stream.tell()) if self._stream is not None else 0

    def _ratio(self) -> float:
        return self._written() / self._raw_bytes if self._raw_bytes else 1.0
