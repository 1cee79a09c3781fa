"""Iceberg's view of files: where they go, which columns they have, and how a finished one is described.

Rule: files carry the table's field ids, as every Iceberg writer's do, so that columns can be renamed later.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import (
    MetricModeTypes,
    MetricsMode,
    StatisticsCollector,
    compute_statistics_plan,
    data_file_statistics_from_parquet_metadata,
    parquet_path_to_id_mapping,
    schema_to_pyarrow,
)
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent
from pyiceberg.partitioning import PartitionSpec, partition_record_value
from pyiceberg.table import Table
from pyiceberg.table.locations import LocationProvider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.typedef import Record
from pyiceberg.types import DoubleType
from pyiceberg.utils.truncate import truncate_upper_bound_text_string

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.column_bounds import column_bounds
from snakka.spark.tables.partitions import (
    IDENTITY,
    TRANSFORMS,
    PartitionColumn,
    PartitionKey,
    directory,
)
from snakka.spark.tables.schema_evolution import type_name
from snakka.spark.tables.staged_files import StagedFile

_SMALL_INTEGERS = (pa.int8(), pa.int16())


@dataclass(frozen=True, slots=True)
class IcebergStorage:
    """A table's data directory, by pyiceberg's own means: here, or in an object store that it knows."""

    io: FileIO
    locations: LocationProvider
    partitions: tuple[PartitionColumn, ...]

    def path(self, partition: PartitionKey, name: str) -> str:
        texts = tuple(None if value is None else str(value) for value in partition)
        inner = f"{directory(self.partitions, texts)}/{name}" if partition else name
        location: str = self.locations.new_data_location(inner)
        return location

    def create(self, path: str) -> Any:
        return self.io.new_output(path).create()

    def remove(self, path: str) -> None:
        self.io.delete(path)


def storable(data: pa.Schema) -> pa.Schema:
    """The data's columns as Iceberg has them: its smallest integer has 32 bits."""
    return pa.schema([field.with_type(_storable(field.type)) for field in data])


def _storable(arrow: pa.DataType) -> pa.DataType:
    if arrow in _SMALL_INTEGERS:
        return pa.int32()
    if pa.types.is_struct(arrow):
        return pa.struct([field.with_type(_storable(field.type)) for field in arrow])
    if pa.types.is_list(arrow):
        return pa.list_(arrow.value_field.with_type(_storable(arrow.value_type)))
    if pa.types.is_map(arrow):
        return pa.map_(_storable(arrow.key_type), arrow.item_field.with_type(_storable(arrow.item_type)))
    return arrow


def may_widen(table: pa.DataType, data: pa.DataType) -> bool:
    """Iceberg widens int, float, and decimals of one scale: all that `holds` calls wider."""
    return not (pa.types.is_nested(table) or pa.types.is_nested(data))


def live_data_files(table: Table) -> Iterator[DataFile]:
    """The data files of the current snapshot. pyiceberg's own plan of a scan fails where deletes are by value."""
    return _live_files(table, ManifestContent.DATA)


def has_deletes_by_value(table: Table) -> bool:
    """Whether other engines have said of rows by their values that they are gone: pyiceberg can't tell from which files."""
    deletes = _live_files(table, ManifestContent.DELETES)
    return any(file.content == DataFileContent.EQUALITY_DELETES for file in deletes)


def _live_files(table: Table, content: ManifestContent) -> Iterator[DataFile]:
    snapshot = table.current_snapshot()
    for manifest in snapshot.manifests(table.io) if snapshot is not None else ():
        if manifest.content == content:
            for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
                yield entry.data_file


def columns_with_ids(metadata: TableMetadata, names: Sequence[str]) -> pa.Schema:
    """Those of the table's columns, as Arrow types that carry the field ids."""
    schema = schema_to_pyarrow(metadata.schema())
    return pa.schema([schema.field(name) for name in names])


def partition_columns(metadata: TableMetadata) -> tuple[PartitionColumn, ...]:
    """By what the table's files are kept apart, if we can do that too."""
    _refuse_doubles(metadata)
    columns = []
    for field in metadata.spec().fields:
        source = metadata.schema().find_column_name(field.source_id)
        transform = str(field.transform)
        if source is None or "." in source or transform not in TRANSFORMS:
            raise SparkOptionError(
                f"the table is partitioned by {transform}({source}), but this sink knows columns and "
                f"{', '.join(TRANSFORMS[1:])} of one"
            )
        columns.append(PartitionColumn(field.name, source, transform))
    return tuple(columns)


def _refuse_doubles(metadata: TableMetadata) -> None:
    """pyiceberg reads half of their digits, and the lists of files that it puts together say so from then on, those too of
    a partition that was given up."""
    schema = metadata.schema()
    for field in (each for spec in metadata.specs().values() for each in spec.fields):
        source = schema.find_column_name(field.source_id)
        is_itself = source is not None and str(field.transform) == IDENTITY
        if is_itself and isinstance(schema.find_type(field.source_id), DoubleType):
            raise SparkOptionError(
                f"the table is or was partitioned by {source}, a column of type double, of which pyiceberg reads half the "
                "digits in a partition; write to another table"
            )


def refuse_unpartitionable(data: pa.Schema, partitions: Sequence[PartitionColumn]) -> str | None:
    """Why a new table of these columns can't be partitioned so, None if it can."""
    by_time: set[str] = set()
    for column in partitions:
        if column.source not in data.names or pa.types.is_nested(data.field(column.source).type):
            return f"{column.source} is not a plain column of the data"
        if "." in column.source:
            return f"{column.source} has a dot in its name; give the column another"
        arrow = data.field(column.source).type
        if column.transform == IDENTITY:
            if pa.types.is_float64(arrow):
                return f"{column.source} is of type double, of which pyiceberg reads half the digits in a partition"
            continue
        is_date = pa.types.is_date(arrow) and column.transform != "hour"
        if not (is_date or pa.types.is_timestamp(arrow)):
            return f"{column} can't be told of a column of type {type_name(arrow)}"
        if column.name in data.names:
            return (
                f"{column} is a partition of the name {column.name}, as a column of the data is; rename that"
            )
        if column.source in by_time:
            return f"{column.source} is there twice; its finer part is enough"
        by_time.add(column.source)
    return None


def data_file(metadata: TableMetadata, file: StagedFile) -> DataFile:
    """What makes a file part of the table: its place, its partition and the statistics of its footer."""
    schema = metadata.schema()
    statistics = data_file_statistics_from_parquet_metadata(
        parquet_metadata=file.footer,
        stats_columns=_statistics_plan(metadata, file.footer),
        parquet_column_mapping=parquet_path_to_id_mapping(schema),
    )
    return DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=file.path,
        file_format=FileFormat.PARQUET,
        partition=_partition_record(metadata, metadata.spec(), file.partition),
        file_size_in_bytes=file.size_bytes,
        sort_order_id=None,
        spec_id=metadata.default_spec_id,
        equality_ids=None,
        key_metadata=None,
        **statistics.to_serialized_dict(),
    )


def _statistics_plan(metadata: TableMetadata, footer: pq.FileMetaData) -> dict[int, StatisticsCollector]:
    """What the table wants to know of each column, but only counts where pyiceberg would make up bounds, or fail.

    Of a column without statistics, as one with NaN, it wants to know nothing: pyiceberg would warn of it.
    """
    plan: dict[int, StatisticsCollector] = compute_statistics_plan(metadata.schema(), metadata.properties)
    ids = parquet_path_to_id_mapping(metadata.schema())
    for index in range(footer.num_columns):
        chunk = footer.row_group(0).column(index)
        field_id = ids[chunk.path_in_schema]
        if not chunk.is_stats_set:
            plan[field_id] = replace(plan[field_id], mode=MetricsMode(MetricModeTypes.NONE))
        has_bounds = plan[field_id].mode.type in (MetricModeTypes.TRUNCATE, MetricModeTypes.FULL)
        if has_bounds and not _are_writable(column_bounds(footer, index), plan[field_id].mode.length):
            plan[field_id] = replace(plan[field_id], mode=MetricsMode(MetricModeTypes.COUNTS))
    return plan


def _are_writable(bounds: tuple[Any, Any] | None, length: int | None) -> bool:
    """Whether there are such, and pyiceberg makes a text of the greatest: it counts on to the next character, and what comes
    after U+D7FF is half of one."""
    if bounds is None or not isinstance(bounds[1], str):
        return bounds is not None
    shortened = truncate_upper_bound_text_string(bounds[1], length)
    return shortened is None or not any("\ud800" <= character <= "\udfff" for character in shortened)


def _partition_record(metadata: TableMetadata, spec: PartitionSpec, partition: PartitionKey) -> Record:
    values = [
        partition_record_value(partition_field=field, value=value, schema=metadata.schema())
        for field, value in zip(spec.fields, partition, strict=True)
    ]
    return Record(*values)
