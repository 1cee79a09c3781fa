"""`__cluster_metadata-0`: the log of the cluster's metadata, and the snapshots that let its old part go.

Rule: the log starts at an offset that a snapshot has, or at 0; so log and snapshots together always have everything. Whoever
appends syncs before anything counts as committed: `flush_job` is for that.
"""

from collections.abc import Iterator
from typing import NamedTuple

from snakka.protocol.errors import ProtocolError
from snakka.protocol.file_region import FileRegion
from snakka.protocol.record_batch import BatchHeader, crc_matches, iter_headers
from snakka.protocol.uuids import METADATA_TOPIC_ID
from snakka.raft.control_batches import remember_quorum
from snakka.raft.log_damage import DamageJudge
from snakka.raft.settings import MAX_BATCH_BYTES, RaftSettings
from snakka.raft.snapshot_files import (
    DELETED_SUFFIX,
    SUFFIX,
    SnapshotId,
    SnapshotReader,
    parse_name,
)
from snakka.raft.state.voters import QuorumHistory
from snakka.runtime import Clock
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.directory_checkpoints import CLEAN_SHUTDOWN
from snakka.storage.files import Files
from snakka.storage.flush_job import FlushJob
from snakka.storage.meta_properties import DataDirectoryError
from snakka.storage.partition_log import PartitionLog

TOPIC = "__cluster_metadata"
PARTITION = 0

_READ_BYTES = MAX_BATCH_BYTES


def log_directory(metadata_directory: str) -> str:
    return f"{metadata_directory}/{TOPIC}-{PARTITION}"


class LoggedBatch(NamedTuple):
    """A batch as it lies in the log."""

    header: BatchHeader
    data: bytes


class MetadataLog:
    """The log and its snapshots. Everything that blocks says so."""

    def __init__(
        self, files: Files, directory: str, partition_log: PartitionLog, snapshots: dict[SnapshotId, int]
    ) -> None:
        self.directory = directory
        self._files = files
        self._log = partition_log
        self._snapshots = snapshots  # with their sizes; sorted

    @classmethod
    def load(
        cls, files: Files, metadata_directory: str, clock: Clock, settings: RaftSettings
    ) -> "MetadataLog":
        """Recover log and snapshots, remove what a crash left half done. Blocks."""
        directory = log_directory(metadata_directory)
        snapshots = _find_snapshots(files, directory)
        newest = max(snapshots, default=SnapshotId(0, 0))
        was_clean = files.exists(f"{metadata_directory}/{CLEAN_SHUTDOWN}")
        judge = DamageJudge(files, directory, epoch=newest.epoch, was_clean=was_clean)
        partition_log = PartitionLog.open(
            directory,
            topic=TOPIC,
            partition=PARTITION,
            topic_id=METADATA_TOPIC_ID,
            files=files,
            clock=clock,
            config=settings.log_config(),
            clean_shutdown=False,
            # What a snapshot contains was committed, hence synced: only what came after it can be torn.
            recovery_point=newest.end_offset,
            before_cut=judge.before_cut,
        )
        opened = cls(files, directory, partition_log, snapshots)
        opened._reconcile(newest)
        return opened

    @property
    def start_offset(self) -> int:
        return self._log.log_start_offset

    @property
    def end_offset(self) -> int:
        return self._log.log_end_offset

    @property
    def last_epoch(self) -> int:
        """Of the newest record; of the newest snapshot if the log is empty."""
        newest = self.newest_snapshot
        return max(self._log.epochs.latest, 0 if newest is None else newest.epoch)

    @property
    def newest_snapshot(self) -> SnapshotId | None:
        return next(reversed(self._snapshots), None)

    @property
    def snapshots(self) -> tuple[SnapshotId, ...]:
        return tuple(self._snapshots)

    def append(self, batch: bytearray, *, epoch: int, now_ms: int) -> None:
        """Put a batch, built for `end_offset`, at the end of the log; StorageFailure if that fails."""
        self._log.append_as_leader(
            memoryview(batch), leader_epoch=epoch, now_ms=now_ms, origin=AppendOrigin.RAFT_LEADER
        )

    def flush_job(self) -> FlushJob | None:
        return self._log.flush_job()

    def committed(self, high_watermark: int) -> None:
        self._log.advance_high_watermark(high_watermark)

    def read(self, offset: int, end_offset: int) -> Iterator[LoggedBatch]:
        """The batches from `offset` up to `end_offset`. Blocks; DataDirectoryError if one is damaged."""
        while offset < end_offset:
            found = self._log.read(offset, _READ_BYTES, upper_bound=end_offset, min_one_message=True)
            data = _bytes_of(found.records)
            if not data:
                raise DataDirectoryError(f"{self.directory} has no record at offset {offset}")
            try:
                for position, header in iter_headers(data):
                    batch = data[position : position + header.size]
                    if not crc_matches(batch, 0, header):
                        raise ProtocolError("the checksum is wrong")
                    if not header.base_offset <= offset <= header.last_offset:
                        raise ProtocolError(f"offsets {header.base_offset} to {header.last_offset} are there")
                    yield LoggedBatch(header, batch)
                    offset = header.next_offset
            except ProtocolError as error:
                raise DataDirectoryError(f"{self._place(offset)}: {error}") from error

    def load_quorum(self, history: QuorumHistory) -> int:
        """Find out who votes, from the newest snapshot and the log after it; the bytes of that log. Blocks."""
        newest = self.newest_snapshot
        size = 0
        if newest is not None:
            self.snapshot_reader(newest).remember_quorum(history, newest.last_offset)
        for header, data in self.read(newest.end_offset if newest else 0, self.end_offset):
            size += header.size
            if header.is_control:
                try:
                    remember_quorum(data, history)
                except (ProtocolError, ValueError) as error:
                    raise DataDirectoryError(f"{self._place(header.base_offset)}: {error}") from error
        return size

    def snapshot_reader(self, snapshot: SnapshotId) -> SnapshotReader:
        return SnapshotReader(self._files, f"{self.directory}/{snapshot.name()}")

    def snapshot_written(self, snapshot: SnapshotId, size: int) -> None:
        """A new snapshot has taken its name."""
        self._snapshots[snapshot] = size

    def clean(self, settings: RaftSettings, now_ms: int) -> list[str]:
        """Let go of snapshots, oldest first, that are too old or too much, and of the log before the next one.

        Returns files that have got another name and are to be removed later, when nobody reads them any more. The
        newest snapshot always stays. Blocks a little.
        """
        released: list[str] = []
        while len(self._snapshots) > 1:
            oldest, successor = self.snapshots[:2]
            if not self._is_surplus(oldest, settings, now_ms):
                break
            self._log.advance_log_start_offset(successor.end_offset)
            released += self._log.delete_segments_before(successor.end_offset)
            released.append(self._release(oldest))
        return released

    def close(self) -> None:
        """Blocks."""
        self._log.close()

    def abandon(self) -> None:
        """Give the files back and write nothing: the disk failed."""
        self._log.abandon()

    def _place(self, offset: int) -> str:
        return f"{self.directory} is damaged at offset {offset}"

    def _is_surplus(self, snapshot: SnapshotId, settings: RaftSettings, now_ms: int) -> bool:
        size = self._log.size + sum(self._snapshots.values())
        if settings.retention_bytes >= 0 and size > settings.retention_bytes:
            return True
        if settings.retention_ms < 0:
            return False
        return now_ms - self.snapshot_reader(snapshot).last_log_timestamp_ms() > settings.retention_ms

    def _release(self, snapshot: SnapshotId) -> str:
        del self._snapshots[snapshot]
        released = f"{self.directory}/{snapshot.name(DELETED_SUFFIX)}"
        self._files.rename(f"{self.directory}/{snapshot.name()}", released)
        return released

    def _reconcile(self, newest: SnapshotId) -> None:
        """Make log and snapshots fit each other after a restart."""
        epoch = max(self._log.epochs.latest, 0)
        if newest.epoch > epoch or (newest.epoch == epoch and newest.end_offset > self.end_offset):
            # A snapshot that is ahead of the log came from another voter: what the log has is a part of it.
            self._log.truncate_fully_and_start_at(newest.end_offset)
        if self.start_offset > 0 and newest.end_offset < self.start_offset:
            raise DataDirectoryError(
                f"{self.directory} starts at offset {self.start_offset}, and no snapshot has what came before"
            )
        for snapshot in [known for known in self._snapshots if known.end_offset < self.start_offset]:
            self._files.remove(self._release(snapshot))


def _find_snapshots(files: Files, directory: str) -> dict[SnapshotId, int]:
    """Whole snapshots with their sizes; the rest of what bears such a name is removed."""
    snapshots: dict[SnapshotId, int] = {}
    if not files.is_directory(directory):
        return snapshots
    for name, size in files.sizes(directory).items():
        parsed = parse_name(name)
        if parsed is None:
            continue
        snapshot, suffix = parsed
        if suffix == SUFFIX:
            snapshots[snapshot] = size
        else:
            files.remove(f"{directory}/{name}")
    return dict(sorted(snapshots.items()))


def _bytes_of(records: FileRegion | bytes) -> bytes:
    return records if isinstance(records, bytes) else records.read_blocking(0, len(records))
