"""Maintenance of Delta tables: deltalake's own optimize, vacuum and checkpoints, each where it helps the next.

Rule: the log keeps what the retention asks for. deltalake forgets entries with some commits too, by what the table says, so
that is set there where nothing else of the table changes with it. What else can go is chosen here: deltalake also relies on
a checkpoint of which a part is missing, and nobody can read the table then.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
from deltalake import DeltaTable, PostCommitHookProperties
from deltalake.exceptions import CommitFailedError, DeltaError

from snakka.runtime.clock import SystemClock
from snakka.spark.tables.delta_table import DATA_FILES, DeltaStorage, refuse_unknown_features
from snakka.spark.tables.maintenance import MaintenanceResult, remove_left_over, small_files_together
from snakka.spark.tables.table_options import local_path

_LOG = "_delta_log"
_SPARK_LOG = "_spark_metadata"  # of files that a stream writes without a table format
_ICEBERG_METADATA = "metadata"
_ICEBERG_FILES = (".metadata.json", ".metadata.json.gz")
_LOG_RETENTION = "delta.logRetentionDuration"
_LOG_CLEANUP = "delta.enableExpiredLogCleanup"
_ENTRY = re.compile(r"(\d{20})\.json")
# As one file, or as parts of which each says how many there are.
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.\d{10}\.(\d{10}))?\.parquet")
_HOUR_MS = 3_600_000
_KEEP_LOG = PostCommitHookProperties(cleanup_expired_logs=False)
# Up to here a table says by this version what it asks of writers; beyond, deltalake refuses to set a property, or makes it
# ask for features, that of variant columns for one, which many readers do not know.
_LAST_PLAIN_WRITER = 5


@dataclass(frozen=True, slots=True)
class _Compaction:
    files: int = 0
    bytes: int = 0
    written: int = 0
    written_bytes: int = 0
    lost: int = 0


class DeltaMaintenance:
    """One run over one table."""

    def __init__(
        self, path: str, storage_options: dict[str, str], target_bytes: int, retention_hours: int
    ) -> None:
        location = local_path(path) or path
        self._table = DeltaTable(location, storage_options=storage_options)
        refuse_unknown_features(self._table)
        self._files = DeltaStorage(location, storage_options, ()).filesystem()
        self._target_bytes = target_bytes
        self._retention_hours = retention_hours

    def plan(self) -> MaintenanceResult:
        """What would be done."""
        groups = small_files_together(
            _data_files(self._table),
            target_bytes=self._target_bytes,
            size=lambda file: int(file["size_bytes"]),
            partition=lambda file: json.dumps(file["partition"], sort_keys=True, default=str),
        )
        compacted = sum(len(group) for group in groups)
        size = sum(int(file["size_bytes"]) for group in groups for file in group)
        now = len(self._table.file_uris())
        removable = self._removable()
        return self._result(
            _Compaction(compacted, size, len(groups), size),
            dry_run=True,
            before=now,
            after=now - compacted + len(groups),
            expired=len(self._expired(_ENTRY)),
            removed=len(removable),
            removed_bytes=self._sizes(removable),
        )

    def carry_out(self) -> MaintenanceResult:
        """All of it. A later step finds what an earlier one made superfluous once the retention is over.

        There are tables that deltalake can't compact; the later steps are done all the same, and then it is said.
        """
        before = len(self._table.file_uris())
        entries = self._entries()
        failure: DeltaError | None = None
        compaction = _Compaction()
        try:
            compaction = self._compact()
        except DeltaError as error:
            failure = error
        removable = self._removable()
        size = self._sizes(removable)
        for path in removable:
            remove_left_over(self._files, path)
        self._expire_log()
        # deltalake has done some of it with the compaction.
        expired = len(entries - self._entries())
        if failure is not None:
            raise failure
        return self._result(
            compaction,
            dry_run=False,
            before=before,
            after=len(self._table.file_uris()),
            expired=expired,
            removed=len(removable),
            removed_bytes=size,
        )

    def _compact(self) -> _Compaction:
        try:
            figures = self._table.optimize.compact(target_size=self._target_bytes)
        except CommitFailedError:
            self._table.update_incremental()
            return _Compaction(lost=1)
        added, removed = _sizes_of(figures["filesAdded"]), _sizes_of(figures["filesRemoved"])
        return _Compaction(
            removed["totalFiles"], removed["totalSize"], added["totalFiles"], added["totalSize"]
        )

    def _removable(self) -> list[str]:
        """Data files that the log does not need; those too that the log has never heard of.

        deltalake would remove all other files as well, a query's checkpoint in the table's directory among them, so
        it only says what there is.
        """
        found = [path for path in self._unknown(self._retention_hours) if path.endswith(DATA_FILES)]
        if not found:
            return []
        # A table's data may be older than the retention, and all that says that it is a table younger.
        inner = _inner_tables(self._unknown(0))
        return [path for path in found if inner.isdisjoint(_directories(path))]

    def _unknown(self, hours: int) -> list[str]:
        """Files that the log does not need since so long, or has never heard of: one listing of all that there is."""
        found: list[str] = self._table.vacuum(
            retention_hours=hours, dry_run=True, enforce_retention_duration=False, full=True
        )
        return found

    def _expire_log(self) -> None:
        """A new checkpoint is what later runs need to forget more."""
        self._say_retention()
        self._table.create_checkpoint()
        for path in (*self._expired(_ENTRY), *self._expired(_CHECKPOINT)):
            remove_left_over(self._files, path)

    def _say_retention(self) -> None:
        wanted = f"interval {self._retention_hours} hours"
        is_said = self._table.metadata().configuration.get(_LOG_RETENTION) == wanted
        if not is_said and self._table.protocol().min_writer_version <= _LAST_PLAIN_WRITER:
            self._table.alter.set_table_properties(
                {_LOG_RETENTION: wanted}, post_commithook_properties=_KEEP_LOG
            )

    def _entries(self) -> set[int]:
        return {int(match[1]) for match, _ in self._log_files(_ENTRY)}

    def _expired(self, name: re.Pattern[str]) -> list[str]:
        """Those of the log's files with such a name that the retention does not need, if the table lets them go."""
        if self._table.metadata().configuration.get(_LOG_CLEANUP) == "false":
            return []
        first = self._first_needed()
        return [
            info.path
            for match, info in self._log_files(name)
            if int(match[1]) < first and not self._is_young(info)
        ]

    def _first_needed(self) -> int:
        """The version of the last checkpoint from which all versions within the retention can be had; 0 if there is none."""
        young = [int(match[1]) for match, info in self._log_files(_ENTRY) if self._is_young(info)]
        first_kept = min(young, default=self._table.version())
        return max((version for version in self._checkpoints() if version <= first_kept), default=0)

    def _is_young(self, info: pafs.FileInfo) -> bool:
        return int(info.mtime_ns) // 1_000_000 >= SystemClock().now_ms() - self._retention_hours * _HOUR_MS

    def _checkpoints(self) -> Iterator[int]:
        """Versions whose checkpoint is whole."""
        found = Counter((int(match[1]), int(match[2] or 1)) for match, _ in self._log_files(_CHECKPOINT))
        return (version for (version, parts), there in found.items() if there == parts)

    def _log_files(self, name: re.Pattern[str]) -> list[tuple[re.Match[str], pafs.FileInfo]]:
        found = []
        for info in self._files.get_file_info(pafs.FileSelector(_LOG)):
            match = name.fullmatch(info.base_name)
            if match is not None:
                found.append((match, info))
        return found

    def _sizes(self, paths: list[str]) -> int:
        return sum(int(info.size or 0) for info in self._files.get_file_info(paths)) if paths else 0

    def _result(
        self,
        compaction: _Compaction,
        *,
        dry_run: bool,
        before: int,
        after: int,
        expired: int,
        removed: int,
        removed_bytes: int,
    ) -> MaintenanceResult:
        return MaintenanceResult(
            table=self._table.table_uri,
            dry_run=dry_run,
            files_before=before,
            files_after=after,
            files_compacted=compaction.files,
            bytes_compacted=compaction.bytes,
            files_written=compaction.written,
            bytes_written=compaction.written_bytes,
            compactions_lost=compaction.lost,
            states_expired=expired,
            files_removed=removed,
            bytes_removed=removed_bytes,
        )


def _data_files(table: DeltaTable) -> list[dict[str, Any]]:
    rows = pa.table(table.get_add_actions(flatten=False))
    wanted = [name for name in ("path", "size_bytes", "partition") if name in rows.column_names]
    return [{"partition": None, **row} for row in rows.select(wanted).to_pylist()]


def _inner_tables(paths: Iterable[str]) -> set[str]:
    """Directories that are tables of their own, by the files that say so: this one's log knows nothing of their data."""
    inner = set()
    for path in paths:
        parts = path.split("/")
        if parts[-2:-1] == [_ICEBERG_METADATA] and path.endswith(_ICEBERG_FILES):
            inner.add("/".join(parts[:-2]))
        for end, name in enumerate(parts[:-1]):
            if name in (_LOG, _SPARK_LOG):
                inner.add("/".join(parts[:end]))
    return inner


def _directories(path: str) -> list[str]:
    """Those that a file is in, within the table's."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


def _sizes_of(figures: Any) -> dict[str, int]:
    parsed: dict[str, int] = json.loads(figures) if isinstance(figures, str) else figures
    return parsed
