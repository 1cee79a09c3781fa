"""Maintenance of Iceberg tables. pyiceberg expires snapshots, but neither rewrites nor removes files: that is here.

Rule: a compaction is one snapshot that replaces files by others with the same rows. It is committed only on a table in which
each of the replaced files still is, whole: so appends in between don't disturb it, and deletes in between win.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import FileFormat
from pyiceberg.table import FileScanTask, Table, Transaction
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update.snapshot import _OverwriteFiles

from snakka.runtime.clock import SystemClock
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.iceberg_files import (
    IcebergStorage,
    columns_with_ids,
    data_file,
    has_deletes_by_value,
    live_data_files,
    partition_columns,
)
from snakka.spark.tables.iceberg_locations import TABLE_FILES, place
from snakka.spark.tables.iceberg_rows import data_rows
from snakka.spark.tables.iceberg_table import commit_at_first_try, once
from snakka.spark.tables.maintenance import MaintenanceResult, remove_left_over, small_files_together
from snakka.spark.tables.staged_files import FileLayout, FileStager, StagedFile, remove_files
from snakka.spark.tables.table_writer import MAX_COMMIT_ATTEMPTS, ConcurrentCommitError, pause

# As many as are worth one snapshot; the work up to here is safe when the next ones are lost.
_GROUPS_A_COMMIT = 32
_COMPRESSION = "zstd"
_HOUR_MS = 3_600_000


class _ReplaceFiles(_OverwriteFiles):
    """Iceberg's word for the same rows in other files, which readers of changes skip. pyiceberg has no producer for it."""

    def _summary(self, snapshot_properties: Any = None) -> Summary:
        summary: Summary = super()._summary(snapshot_properties or {})
        return Summary(operation=Operation.REPLACE, **summary.additional_properties)


@dataclass(slots=True)
class _Compaction:
    files: int = 0
    bytes: int = 0
    written: int = 0
    written_bytes: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class _Orphan:
    filesystem: pafs.FileSystem
    info: pafs.FileInfo


class IcebergMaintenance:
    """One run over one table."""

    def __init__(self, table: Table, target_bytes: int, retention_hours: int) -> None:
        self._table = table
        self._target_bytes = target_bytes
        self._cutoff_ms = SystemClock().now_ms() - retention_hours * _HOUR_MS
        self._pyarrow_io = (
            table.io if isinstance(table.io, PyArrowFileIO) else PyArrowFileIO(table.io.properties)
        )

    def plan(self) -> MaintenanceResult:
        """What would be done."""
        before = self._count()
        groups = self._groups()
        files = [task.file for group in groups for task in group]
        size = sum(file.file_size_in_bytes for file in files)
        expired = self._expired()
        kept = [snapshot for snapshot in self._table.snapshots() if snapshot not in expired]
        orphans = self._orphans(kept)
        return MaintenanceResult(
            table=".".join(self._table.name()),
            dry_run=True,
            files_before=before,
            files_after=before - len(files) + len(groups),
            files_compacted=len(files),
            bytes_compacted=size,
            files_written=len(groups),
            bytes_written=size,
            compactions_lost=0,
            states_expired=len(expired),
            files_removed=len(orphans),
            bytes_removed=sum(orphan.info.size or 0 for orphan in orphans),
        )

    def carry_out(self) -> MaintenanceResult:
        """All of it. A later step finds what an earlier one made superfluous once the retention is over."""
        before = self._count()
        compaction = self._compact(self._groups())
        expired = self._expire()
        orphans = self._orphans(None)
        for orphan in orphans:
            remove_left_over(orphan.filesystem, orphan.info.path)
        return MaintenanceResult(
            table=".".join(self._table.name()),
            dry_run=False,
            files_before=before,
            files_after=self._count(),
            files_compacted=compaction.files,
            bytes_compacted=compaction.bytes,
            files_written=compaction.written,
            bytes_written=compaction.written_bytes,
            compactions_lost=compaction.lost,
            states_expired=expired,
            files_removed=len(orphans),
            bytes_removed=sum(orphan.info.size or 0 for orphan in orphans),
        )

    def _count(self) -> int:
        return sum(1 for _ in live_data_files(self._table))

    def _whole_files(self) -> list[FileScanTask]:
        """Those that no deletes belong to."""
        if has_deletes_by_value(self._table):
            return []
        return [task for task in self._table.scan().plan_files() if not task.delete_files]

    def _groups(self) -> list[list[FileScanTask]]:
        """Whole Parquet files of the present partitions; others are left to engines that write such.

        So are those of a partition that is not a number: pyiceberg can't look for what it replaces there.
        """
        metadata = self._table.metadata
        try:
            partition_columns(metadata)
        except SparkOptionError:
            return []
        present = metadata.default_spec_id
        return small_files_together(
            [
                task
                for task in self._whole_files()
                if task.file.spec_id == present
                and task.file.file_format == FileFormat.PARQUET
                and all(value == value for value in task.file.partition)
            ],
            target_bytes=self._target_bytes,
            size=lambda task: int(task.file.file_size_in_bytes),
            partition=lambda task: repr(task.file.partition),
        )

    def _compact(self, groups: Sequence[list[FileScanTask]]) -> _Compaction:
        result = _Compaction()
        for start in range(0, len(groups), _GROUPS_A_COMMIT):
            part = groups[start : start + _GROUPS_A_COMMIT]
            old = [task for group in part for task in group]
            new = [file for group in part for file in self._rewrite(group)]
            if self._replace(old, new):
                result.files += len(old)
                result.bytes += sum(task.file.file_size_in_bytes for task in old)
                result.written += len(new)
                result.written_bytes += sum(file.size_bytes for file in new)
            else:
                result.lost += len(part)
        return result

    def _layout(self) -> FileLayout:
        metadata = self._table.metadata
        columns = columns_with_ids(metadata, [field.name for field in metadata.schema().fields])
        partitions = partition_columns(metadata)
        return FileLayout(
            table_id=str(metadata.table_uuid),
            storage=IcebergStorage(self._table.io, self._table.location_provider(), partitions),
            columns=columns,
            file_schema=columns,
            partitions=partitions,
            target_file_size_bytes=self._target_bytes,
            compression=_COMPRESSION,
        )

    def _rewrite(self, group: list[FileScanTask]) -> list[StagedFile]:
        files = FileStager(self._layout(), "compact").write(self._rows(group))
        before = sum(task.file.record_count for task in group)
        after = sum(file.rows for file in files)
        if before != after:
            raise RuntimeError(f"{before} rows became {after}: {[task.file.file_path for task in group]}")
        return files

    def _rows(self, group: list[FileScanTask]) -> Iterator[pa.RecordBatch]:
        for task in group:
            yield from data_rows(self._table.metadata, self._table.io, task.file)

    def _replace(self, old: list[FileScanTask], new: list[StagedFile]) -> bool:
        """The new files in place of the old; False: others have changed one of those, so the new ones are gone again."""
        for attempt in range(MAX_COMMIT_ATTEMPTS):
            if attempt:
                pause(attempt)
                self._table.refresh()
                # What was called a conflict may be our own commit, if its answer was lost and something asked again.
                if any(file.file_path == new[0].path for file in live_data_files(self._table)):
                    return True
            whole = {task.file.file_path for task in self._whole_files()}
            if any(task.file.file_path not in whole for task in old):
                break
            try:
                commit_at_first_try(self._table, lambda transaction: self._stage(transaction, old, new))
                return True
            except ConcurrentCommitError:
                continue
        remove_files(self._layout().storage, [file.path for file in new])
        return False

    def _stage(self, transaction: Transaction, old: list[FileScanTask], new: list[StagedFile]) -> None:
        with once(
            _ReplaceFiles(operation=Operation.OVERWRITE, transaction=transaction, io=self._table.io)
        ) as producer:
            for task in old:
                producer.delete_data_file(task.file)
            for file in new:
                producer.append_data_file(data_file(self._table.metadata, file))

    def _expired(self) -> list[Snapshot]:
        """Older than the retention, and no branch's or tag's."""
        kept = {ref.snapshot_id for ref in self._table.refs().values()}
        return [
            snapshot
            for snapshot in self._table.snapshots()
            if snapshot.timestamp_ms < self._cutoff_ms and snapshot.snapshot_id not in kept
        ]

    def _expire(self) -> int:
        before = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=self._cutoff_ms)
        for attempt in range(MAX_COMMIT_ATTEMPTS):
            expired = len(self._expired())
            if not expired:
                return 0
            try:
                self._table.maintenance.expire_snapshots().older_than(before).commit()
                return expired
            except CommitFailedException:
                pause(attempt)
                self._table.refresh()
        return 0

    def _orphans(self, snapshots: list[Snapshot] | None) -> list[_Orphan]:
        """Old files that none of the snapshots needs. They are listed first: what is committed by then is known then."""
        found: list[_Orphan] = []
        locations = self._table.location_provider()
        for root in {locations.data_path, locations.metadata_path}:
            filesystem, path = place(self._pyarrow_io, root)
            selector = pafs.FileSelector(path, recursive=True, allow_not_found=True)
            found += [
                _Orphan(filesystem, info)
                for info in filesystem.get_file_info(selector)
                if self._is_old_table_file(info)
            ]
        self._table.refresh()
        kept = self._table.snapshots() if snapshots is None else snapshots
        needed = {place(self._pyarrow_io, location)[1] for location in self._needed(kept)}
        return [orphan for orphan in found if orphan.info.path not in needed]

    def _is_old_table_file(self, info: pafs.FileInfo) -> bool:
        return bool(
            info.is_file
            and info.base_name.endswith(TABLE_FILES)
            and info.mtime_ns // 1_000_000 < self._cutoff_ms
        )

    def _needed(self, snapshots: Iterable[Snapshot]) -> Iterator[str]:
        metadata = self._table.metadata
        yield self._table.metadata_location
        yield from (entry.metadata_file for entry in metadata.metadata_log)
        yield from (file.statistics_path for file in metadata.statistics)
        yield from (file.statistics_path for file in metadata.partition_statistics)
        seen: set[str] = set()
        for snapshot in snapshots:
            yield snapshot.manifest_list
            for manifest in snapshot.manifests(self._table.io):
                if manifest.manifest_path in seen:
                    continue
                seen.add(manifest.manifest_path)
                yield manifest.manifest_path
                for entry in manifest.fetch_manifest_entry(self._table.io, discard_deleted=True):
                    yield entry.data_file.file_path
