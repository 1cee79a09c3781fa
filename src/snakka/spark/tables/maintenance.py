"""What keeps a streamed table fast and small: small files put together, old states forgotten, left-over files removed.

    result = maintain_delta("/data/orders", retention_hours=24)
    result = maintain_iceberg({"uri": "sqlite:////data/catalog.db"}, "lake.orders", dry_run=True)

Rule: writers need not stop. What others commit in between is kept; where they change the very rows that are being moved,
it is our work that is thrown away. No file younger than the retention is removed, for a running batch may need it.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow.fs as pafs

from snakka.spark.tables.table_options import (
    DEFAULT_TARGET_FILE_SIZE_BYTES,
    MIN_TARGET_FILE_SIZE_BYTES,
    local_path,
)

DEFAULT_RETENTION_HOURS = 168
# A batch that writes for longer than this would lose its files.
MIN_RETENTION_HOURS = 1
# Files that reach this part of the target are left alone: to write them again would gain little.
SMALL_PART = 0.75

_File = TypeVar("_File")


class NoTableError(LookupError):
    """There is nothing to maintain."""


@dataclass(frozen=True, slots=True)
class MaintenanceResult:
    """Figures of one run; of a dry run, what would have been done, with sizes estimated."""

    table: str
    dry_run: bool
    # Data files of the table now: before and after.
    files_before: int
    files_after: int
    # Small files that were put together, and what was written in their place.
    files_compacted: int
    bytes_compacted: int
    files_written: int
    bytes_written: int
    # Compactions thrown away because others changed the same rows.
    compactions_lost: int
    # Iceberg's snapshots, or the entries of Delta's log.
    states_expired: int
    # Files that no state of the table needs: of expired states, or left by killed tasks.
    files_removed: int
    bytes_removed: int


def maintain_delta(
    path: str,
    *,
    target_file_size_bytes: int = DEFAULT_TARGET_FILE_SIZE_BYTES,
    retention_hours: int = DEFAULT_RETENTION_HOURS,
    dry_run: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> MaintenanceResult:
    """Compaction, expiry and removal of left-over files of the Delta table at `path`."""
    from deltalake import DeltaTable

    from snakka.spark.tables.delta_errors import naming_table
    from snakka.spark.tables.delta_maintenance import DeltaMaintenance

    _check(target_file_size_bytes, retention_hours)
    with naming_table(path):
        if not DeltaTable.is_deltatable(local_path(path) or path, dict(storage_options or {})):
            raise NoTableError(f"there is no table at {path}")
        run = DeltaMaintenance(path, dict(storage_options or {}), target_file_size_bytes, retention_hours)
        return run.plan() if dry_run else run.carry_out()


def maintain_iceberg(
    catalog_properties: Mapping[str, str],
    table: str,
    *,
    catalog_name: str = "default",
    target_file_size_bytes: int = DEFAULT_TARGET_FILE_SIZE_BYTES,
    retention_hours: int = DEFAULT_RETENTION_HOURS,
    dry_run: bool = False,
) -> MaintenanceResult:
    """Compaction, expiry and removal of left-over files of the Iceberg table NAMESPACE.NAME."""
    from snakka.spark.tables.iceberg_maintenance import IcebergMaintenance
    from snakka.spark.tables.iceberg_table import find_table, naming_catalog, refuse_version

    _check(target_file_size_bytes, retention_hours)
    opened = find_table(catalog_name, catalog_properties, tuple(table.split(".")))
    if opened is None:
        raise NoTableError(f"there is no table {table} in the catalog")
    refuse_version(opened)
    with naming_catalog(catalog_name, catalog_properties):
        run = IcebergMaintenance(opened, target_file_size_bytes, retention_hours)
        return run.plan() if dry_run else run.carry_out()


def _check(target_file_size_bytes: int, retention_hours: int) -> None:
    if target_file_size_bytes < MIN_TARGET_FILE_SIZE_BYTES:
        raise ValueError(f"target_file_size_bytes must be at least {MIN_TARGET_FILE_SIZE_BYTES}")
    if retention_hours < MIN_RETENTION_HOURS:
        raise ValueError(
            f"retention_hours must be at least {MIN_RETENTION_HOURS}: a batch that is being written needs its files"
        )


def remove_left_over(files: pafs.FileSystem, path: str) -> None:
    """A file that no table needs; another run that is under way may have been faster."""
    with suppress(FileNotFoundError):
        files.delete_file(path)


def small_files_together(
    files: Iterable[_File],
    *,
    target_bytes: int,
    size: Callable[[_File], int],
    partition: Callable[[_File], Hashable],
) -> list[list[_File]]:
    """Which files become one: small ones of one partition, neighbours first, two at least, up to the target."""
    by_partition: dict[Any, list[_File]] = {}
    for file in files:
        if size(file) < target_bytes * SMALL_PART:
            by_partition.setdefault(partition(file), []).append(file)
    groups: list[list[_File]] = []
    for members in by_partition.values():
        current: list[_File] = []
        filled = 0
        for file in members:
            if current and filled + size(file) > target_bytes:
                groups.append(current)
                current, filled = [], 0
            current.append(file)
            filled += size(file)
        groups.append(current)
    return [group for group in groups if len(group) > 1]
