"""A Delta table as a sink: opened, created or altered before a write; files added with the query's transaction id.

Rule: Delta's own `txn` action carries the query as its app id and the batch as its version, as Delta's sink for Spark does,
so that either continues where the other stopped. A table that asks more of writers than files with its columns is refused.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
from deltalake import DeltaTable
from deltalake import Field as DeltaField
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.fs import DeltaStorageHandler
from deltalake.transaction import CommitProperties, Transaction

from snakka.runtime.clock import SystemClock
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.delta_actions import (
    add_action,
    indexed_columns,
    partition_texts,
    refuse_unpartitionable,
)
from snakka.spark.tables.delta_errors import DeltaTableError, naming_table, one_line
from snakka.spark.tables.partitions import PartitionColumn, PartitionKey, directory
from snakka.spark.tables.schema_evolution import (
    Evolution,
    SchemaMismatchError,
    new_columns,
    plain_schema,
    plan_evolution,
)
from snakka.spark.tables.staged_files import FileLayout, StagedFile
from snakka.spark.tables.table_options import CommitKey, DeltaOptions, local_path, refuse_unwritable
from snakka.spark.tables.table_writer import (
    COMMIT_ID,
    MADE_ANEW,
    MAX_COMMIT_ATTEMPTS,
    ConcurrentCommitError,
    changed_meanwhile,
)

DATA_FILES = ".parquet"

# What these ask is kept by whoever adds files: nothing, or only that the log is written by deltalake.
_HARMLESS_FEATURES = frozenset(
    {
        "appendOnly",
        "changeDataFeed",
        "checkConstraints",  # judged by the constraints that there are
        "columnMapping",  # judged by its mode
        "deletionVectors",
        "domainMetadata",
        "generatedColumns",  # judged by the columns
        "identityColumns",
        "invariants",
        "timestampNtz",
        "v2Checkpoint",
        "vacuumProtocolCheck",
    }
)
# A column's type in a schema as Delta's log has it, or the type of what is within one.
_VARIANT = re.compile(r'"(t|elementT|keyT|valueT)ype": *"variant"')
_COLUMN_DEMANDS = {
    "delta.generationExpression": "is computed by its writers",
    "delta.identity.start": "is numbered by its writers",
    "delta.invariants": "has an invariant that its writers check",
}


@dataclass(frozen=True, slots=True)
class DeltaStorage:
    """The directory of a Delta table, here or in an object store. Paths are relative to it, as in the log."""

    location: str
    options: dict[str, str]
    partitions: tuple[PartitionColumn, ...]

    def path(self, partition: PartitionKey, name: str) -> str:
        return f"{directory(self.partitions, partition_texts(partition))}/{name}" if partition else name

    def create(self, path: str) -> pa.NativeFile:
        files = self.filesystem()
        if "/" in path:
            files.create_dir(path.rpartition("/")[0], recursive=True)
        return files.open_output_stream(path)

    def remove(self, path: str) -> None:
        self.filesystem().delete_file(path)

    def filesystem(self) -> pafs.FileSystem:
        local = local_path(self.location)
        if local is not None:
            return pafs.SubTreeFileSystem(local, pafs.LocalFileSystem())
        return pafs.PyFileSystem(DeltaStorageHandler(self.location, self.options))


@dataclass(frozen=True, slots=True)
class DeltaOpener:
    """Opens the table for data of that schema."""

    options: DeltaOptions
    data: pa.Schema

    def open(self) -> "OpenDeltaTable":
        with naming_table(self.options.path):
            return self._open()

    def _open(self) -> "OpenDeltaTable":
        options = self.options
        self._refuse_path()
        if not self._is_there():
            self._create()
        table = DeltaTable(options.path, storage_options=options.storage_options)
        _refuse_demands(table)
        partitions = self._partitions(table)
        partition_names = {column.name for column in partitions}
        evolution = _evolve(table, self.data, partition_names, merge=options.sink.merge_schema)
        layout = FileLayout(
            table_id=str(table.metadata().id),
            storage=DeltaStorage(options.path, options.storage_options, partitions),
            columns=evolution.target,
            file_schema=pa.schema([field for field in evolution.target if field.name not in partition_names]),
            partitions=partitions,
            target_file_size_bytes=options.sink.target_file_size_bytes,
            compression=options.sink.compression,
        )
        return OpenDeltaTable(table, layout)

    def check(self) -> None:
        """Raises what `open` would of a table that can't take the data, but creates and alters nothing."""
        with naming_table(self.options.path):
            self._check()

    def _check(self) -> None:
        options = self.options
        self._refuse_path()
        if not self._is_there():
            self._new_partitions()
            _refuse_hidden_times(self.data)
            self._refuse_files()
            return
        table = DeltaTable(options.path, storage_options=options.storage_options)
        _refuse_demands(table)
        merge = options.sink.merge_schema
        _plan(table, self.data, {column.name for column in self._partitions(table)}, merge=merge)

    def _is_there(self) -> bool:
        return bool(DeltaTable.is_deltatable(self.options.path, self.options.storage_options))

    def _refuse_path(self) -> None:
        if local_path(self.options.path) is not None:
            refuse_unwritable(self.options.path, f"path is {self.options.path}, but")

    def _refuse_files(self) -> None:
        """A table's directory is its own: files of others in it would be taken for left over, and removed one day."""
        local = local_path(self.options.path)
        if local is not None and not os.path.isdir(local):
            return
        files = DeltaStorage(self.options.path, self.options.storage_options, ()).filesystem()
        found = files.get_file_info(pafs.FileSelector("", recursive=True, allow_not_found=True))
        foreign = next((info.path for info in found if info.is_file and info.path.endswith(DATA_FILES)), None)
        # Another writer may have made the table meanwhile, and the file for it.
        if foreign is not None and not self._is_there():
            raise SparkOptionError(
                f"path is {self.options.path}, but there are files of no table, {foreign} for one; give another, or make "
                "a table of them, as deltalake's convert_to_deltalake does"
            )

    def _create(self) -> None:
        options = self.options
        partitions = self._new_partitions()
        _refuse_hidden_times(self.data)
        if local_path(options.path) is not None:
            _make_directory(options.path)
        self._refuse_files()
        try:
            DeltaTable.create(
                options.path,
                new_columns(self.data),
                mode="ignore",
                partition_by=[column.name for column in partitions],
                storage_options=options.storage_options,
                # As the first entry of the log or not at all: a later one would set back what others made of the table.
                commit_properties=CommitProperties(max_commit_retries=0),
            )
        except DeltaError:
            # Another writer may have been faster, between the look and the commit too.
            if not self._is_there():
                raise

    def _new_partitions(self) -> list[PartitionColumn]:
        partitions = [PartitionColumn.declared(text) for text in self.options.sink.partition_by]
        reason = refuse_unpartitionable(self.data, partitions)
        if reason is not None:
            raise SparkOptionError(f"partitionBy: {reason}")
        return partitions

    def _partitions(self, table: DeltaTable) -> tuple[PartitionColumn, ...]:
        names = tuple(table.metadata().partition_columns)
        wanted = self.options.sink.partition_by
        if wanted and [each.lower() for each in wanted] != [each.lower() for each in names]:
            raise SparkOptionError(
                f"partitionBy is {','.join(wanted)}, but the table is there already and is partitioned by "
                f"{','.join(names) or 'nothing'}"
            )
        return tuple(PartitionColumn(name, name) for name in names)


def _make_directory(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise SparkOptionError(
            f"path is {path}, but that directory can't be made: {error.strerror}; give one that can"
        ) from error


class OpenDeltaTable:
    """A version of the table, to which a commit adds the next one."""

    def __init__(self, table: DeltaTable, layout: FileLayout) -> None:
        self.name = table.table_uri
        self.layout = layout
        self._table = table
        self._opened_version = table.version()

    def refresh(self) -> None:
        self._table.update_incremental()
        # Whoever came first may have changed the columns, or what is asked of writers.
        _refuse_demands(self._table)
        plan_evolution(arrow_schema(self._table), self.layout.columns, merge=False, may_widen=never_widen)
        metadata = self._table.metadata()
        if str(metadata.id) != self.layout.table_id:
            raise SchemaMismatchError(changed_meanwhile(self.name, MADE_ANEW))
        if list(metadata.partition_columns) != [column.name for column in self.layout.partitions]:
            raise SchemaMismatchError(changed_meanwhile(self.name, "the table's partitions were changed"))

    def last_batch(self, query_id: str) -> int | None:
        version: int | None = self._table.transaction_version(query_id)
        return version

    def has_commit(self, commit_id: str) -> bool:
        newer = self._table.version() - self._opened_version
        return newer > 0 and any(
            entry.get(COMMIT_ID) == commit_id for entry in self._table.history(limit=newer)
        )

    def commit(
        self, files: Sequence[StagedFile], key: CommitKey | None, commit_id: str, *, overwrite: bool
    ) -> None:
        now_ms = SystemClock().now_ms()
        based_on = self._table.version()
        wanted = {
            "columns": arrow_schema(self._table),
            "indexed": indexed_columns(self._table.metadata().configuration),
        }
        properties = CommitProperties(
            custom_metadata={COMMIT_ID: commit_id},
            # Trying again is ours to do: whoever came first may be this batch itself.
            max_commit_retries=0,
            app_transactions=[Transaction(key.query_id, key.batch_id, now_ms)] if key else None,
        )
        try:
            self._table.create_write_transaction(
                [add_action(file, self.layout.partitions, now_ms, **wanted) for file in files],
                "overwrite" if overwrite else "append",
                self._table.schema(),
                partition_by=[column.name for column in self.layout.partitions],
                commit_properties=properties,
            )
        except DeltaError as error:
            self._table.update_incremental()
            if self._table.version() == based_on:
                raise DeltaTableError(f"{self.name}: {one_line(str(error))}") from error
            # Also if the error came after the commit, from a checkpoint: the table will be asked.
            raise ConcurrentCommitError(str(error)) from error


def arrow_schema(table: DeltaTable) -> pa.Schema:
    """The table's columns."""
    return plain_schema(pa.schema(table.schema()))


def never_widen(_table: pa.DataType, _data: pa.DataType) -> bool:
    """Delta can widen types, but deltalake can't."""
    return False


def _plan(table: DeltaTable, data: pa.Schema, partition_names: set[str], *, merge: bool) -> Evolution:
    plan = plan_evolution(arrow_schema(table), data, merge=merge, may_widen=never_widen)
    for name in sorted(partition_names - set(plan.target.names)):
        raise SchemaMismatchError(f"column {name} decides the table's partition, but the data has none")
    if "timestampNtz" not in (table.protocol().writer_features or ()):
        _refuse_hidden_times(plan.merged)
    return plan


def _evolve(table: DeltaTable, data: pa.Schema, partition_names: set[str], *, merge: bool) -> Evolution:
    """The plan for the data, carried out: others may alter the table at the same moment."""
    for _ in range(MAX_COMMIT_ATTEMPTS):
        plan = _plan(table, data, partition_names, merge=merge)
        if not plan.alters_table:
            return plan
        fields = [DeltaField.from_arrow(plan.merged.field(name)) for name in (*plan.added, *plan.changed)]
        try:
            table.alter.add_columns(fields, commit_properties=CommitProperties(max_commit_retries=0))
        except CommitFailedError:
            table.update_incremental()
    raise SchemaMismatchError(
        f"{table.table_uri}: others alter the table all the time; its columns can't be added"
    )


def _refuse_hidden_times(columns: pa.Schema) -> None:
    """A table with wall-clock times has to say so. deltalake looks for them, but not within maps, and nobody can read the
    table that it makes then."""
    times = [time for field in columns for time in _wall_clock_times(field.name, field.type, is_hidden=False)]
    if times and all(is_hidden for _, is_hidden in times):
        raise SchemaMismatchError(
            f"column {times[0][0]} is a timestamp_ntz within a map, of which deltalake makes a table that can't be read; "
            "cast it to timestamp in the query"
        )


def _wall_clock_times(path: str, kind: pa.DataType, *, is_hidden: bool) -> Iterator[tuple[str, bool]]:
    if pa.types.is_timestamp(kind) and kind.tz is None:
        yield path, is_hidden
    elif pa.types.is_map(kind):
        yield from _wall_clock_times(f"{path}.key", kind.key_type, is_hidden=True)
        yield from _wall_clock_times(f"{path}.value", kind.item_type, is_hidden=True)
    elif pa.types.is_list(kind):
        yield from _wall_clock_times(f"{path}.element", kind.value_type, is_hidden=is_hidden)
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from _wall_clock_times(f"{path}.{field.name}", field.type, is_hidden=is_hidden)


def _refuse_demands(table: DeltaTable) -> None:
    refuse_unknown_features(table)
    for demand in _demands(table):
        raise SchemaMismatchError(f"{table.table_uri}: {demand}, which this sink does not do")


def refuse_unknown_features(table: DeltaTable) -> None:
    """Who does not know what a feature asks can neither add files nor say which of them are left over."""
    unknown = set(table.protocol().writer_features or ()) - _HARMLESS_FEATURES
    # deltalake adds this one to tables without such columns too, when it sets a property of theirs.
    if _VARIANT.search(table.schema().to_json()) is None:
        unknown.discard("variantType")
    for feature in sorted(unknown):
        raise SchemaMismatchError(
            f"{table.table_uri}: the table needs writers that know {feature}, which is not known here"
        )


def _demands(table: DeltaTable) -> Iterator[str]:
    """What the table asks of writers beyond files with its columns."""
    settings = table.metadata().configuration
    for name in settings:
        if name.startswith("delta.constraints."):
            yield f"writers must check the constraint {name.removeprefix('delta.constraints.')}"
    if settings.get("delta.columnMapping.mode", "none") != "none":
        yield "writers must map the table's columns to other names"
    yield from _column_demands(json.loads(table.schema().to_json()), "")


def _column_demands(kind: Any, path: str) -> Iterator[str]:
    """Of the columns of a type as Delta's log has it, of those within others too."""
    if not isinstance(kind, dict):
        return
    for field in kind.get("fields", ()):
        for demand, words in _COLUMN_DEMANDS.items():
            if demand in (field.get("metadata") or {}):
                yield f"column {path}{field['name']} {words}"
        yield from _column_demands(field["type"], f"{path}{field['name']}.")
    for part in ("element", "key", "value"):
        yield from _column_demands(kind.get(f"{part}Type"), f"{path}{part}.")
