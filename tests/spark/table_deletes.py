"""Deletes rows of an Iceberg table by their values, as other engines do: pyiceberg can neither write nor read that."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestWriter,
    ManifestWriterV2,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update.snapshot import _FastAppendFiles
from pyiceberg.typedef import Record


class _DeletesWriter(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


class _AppendDeletes(_FastAppendFiles):
    def new_manifest_writer(self, spec: PartitionSpec) -> ManifestWriter:
        return _DeletesWriter(
            spec, self.schema(), self.new_manifest_output(), self._snapshot_id, self._compression
        )


def delete_by_value(table: Table, number: int) -> Path:
    """The rows of an unpartitioned table whose id is that. Returns the file that says so."""
    path = Path(table.location().removeprefix("file://")) / "data" / f"deleted-{number}.parquet"
    wanted = pa.field("id", pa.int64(), metadata={b"PARQUET:field_id": b"1"})
    pq.write_table(pa.table({"id": [number]}, schema=pa.schema([wanted])), path)
    file = DataFile.from_args(
        content=DataFileContent.EQUALITY_DELETES,
        file_path=f"file://{path}",
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=1,
        file_size_in_bytes=path.stat().st_size,
        equality_ids=[1],
        spec_id=table.metadata.default_spec_id,
    )
    with (
        table.transaction() as transaction,
        _AppendDeletes(Operation.OVERWRITE, transaction, table.io) as producer,
    ):
        producer.append_data_file(file)
    return path
