"""A compacted log on a real disk with a compactor beside it, and a consumer that reads it as clients do."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from snakka.protocol.batch_builder import build_batch, build_end_transaction
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.compression import Compression
from snakka.protocol.control_records import read_end_transaction
from snakka.protocol.record_batch import BatchHeader, iter_headers
from snakka.runtime import InlineOffload, Offload, Runtime
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.cleaner_checkpoint import CleanerCheckpoints
from snakka.storage.compactor import CleanerSettings, Compactor
from snakka.storage.files import Files, OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from snakka.storage.segment_files import LOG, file_path, parse_name

START_MS = 1_700_000_000_000
RETENTION_MS = 1_000
TOPIC_ID = bytes(range(16))
CONFIG = LogConfig(
    compact=True,
    delete=False,
    segment_bytes=600,
    index_interval_bytes=100,
    min_cleanable_dirty_ratio=0.0,
    delete_retention_ms=RETENTION_MS,
    message_timestamp_after_max_ms=2**62,
)

Pair = tuple[bytes | None, bytes | None]


class SettableClock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.ms = START_MS

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000


class StoredBatch(NamedTuple):
    """A batch as it is in the log."""

    header: BatchHeader
    data: bytes


class Harness:
    """One partition. `written` is everything that was ever appended, by offset."""

    def __init__(
        self,
        root: Path,
        *,
        config: LogConfig = CONFIG,
        files: Files | None = None,
        offload: Offload | None = None,
        settings: CleanerSettings | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.root = root
        self.directory = str(root / "topic-0")
        self.clock = SettableClock()
        self.files = files or OsFiles([str(root)])
        self.config = config
        self.runtime = Runtime(loop, clock=self.clock, offload=offload or InlineOffload(loop))
        self.log = self.open()
        self.is_hosted = True
        self.settings = settings or CleanerSettings()
        self.removed_later: list[str] = []
        self.failures: list[tuple[str, OSError]] = []
        self.checkpoints = CleanerCheckpoints(self.files)
        self.compactor = Compactor(
            self.files,
            self.runtime,
            logs=self.hosted,
            settings=lambda: self.settings,
            checkpoints=self.checkpoints,
            write_recovery_points=self.write_recovery_points,
            remove_later=lambda paths, _: self.removed_later.extend(paths),
            failed=lambda path, error: self.failures.append((path, error)),
        )
        self.written: dict[int, Record] = {}
        self.sequences: dict[int, int] = {}
        self.syncs_by_itself = True
        self.written_recovery_points: list[int] = []

    def hosted(self) -> list[PartitionLog]:
        """What the compactor may look at; all of it is on the disk, as the flusher would see to."""
        if not self.is_hosted:
            return []
        if self.syncs_by_itself:
            self.sync()
        return [self.log]

    def sync(self) -> None:
        job = self.log.flush_job()
        if job is not None:
            job.run()
            job.done()

    async def write_recovery_points(self) -> None:
        self.written_recovery_points.append(self.log.recovery_point)

    def open(self, *, clean_shutdown: bool = False) -> PartitionLog:
        return PartitionLog.open(
            self.directory,
            topic="topic",
            partition=0,
            topic_id=TOPIC_ID,
            files=self.files,
            clock=self.clock,
            config=self.config,
            clean_shutdown=clean_shutdown,
        )

    def crash_and_reopen(self) -> None:
        """As after kill -9: every file is as it is, and nothing is remembered."""
        self.log.abandon()
        self.log = self.open()
        self.log.advance_high_watermark(self.log.log_end_offset)

    def drop_snapshots(self) -> None:
        """What is known of producers must then be found in the log."""
        for snapshot in Path(self.directory).glob("*.snapshot"):
            snapshot.unlink()

    def damage(self, base: int, position: int, byte: int) -> None:
        """Change a byte of a segment's log, behind the broker's back."""
        path = Path(file_path(self.directory, base, LOG))
        content = bytearray(path.read_bytes())
        content[position] = byte
        path.write_bytes(content)

    def stored(self) -> dict[str, bytes]:
        """Every segment file with its content."""
        return {
            path.name: path.read_bytes()
            for path in Path(self.directory).iterdir()
            if parse_name(path.name) is not None
        }

    # Writing.

    def append(
        self,
        pairs: Sequence[Pair],
        *,
        compression: Compression = Compression.NONE,
        producer_id: int = -1,
        in_transaction: bool = False,
        timestamp: int | None = None,
    ) -> int:
        """A batch of these keys and values; its first offset. Without a producer id it is not idempotent."""
        time_ms = self.clock.ms if timestamp is None else timestamp
        records = [Record(-1, time_ms + place, key, value) for place, (key, value) in enumerate(pairs)]
        sequence = self.sequences.get(producer_id, 0)
        batch = build_batch(
            records,
            compression=compression,
            producer_id=producer_id,
            producer_epoch=0 if producer_id >= 0 else -1,
            base_sequence=sequence if producer_id >= 0 else -1,
            is_transactional=in_transaction,
        )
        self.sequences[producer_id] = sequence + len(records)
        first = self.append_batch(batch)
        for place, record in enumerate(records):
            self.written[first + place] = record._replace(offset=first + place)
        return first

    def append_batch(self, batch: bytearray) -> int:
        info = self.log.append_as_leader(
            memoryview(batch), leader_epoch=1, now_ms=self.clock.ms, origin=AppendOrigin.CLIENT
        )
        self.log.advance_high_watermark(self.log.log_end_offset)
        return info.first_offset

    def end_transaction(self, producer_id: int, *, committed: bool) -> int:
        marker = build_end_transaction(
            committed=committed,
            timestamp=self.clock.ms,
            producer_id=producer_id,
            producer_epoch=0,
            coordinator_epoch=1,
        )
        info = self.log.append_as_leader(
            memoryview(marker), leader_epoch=1, now_ms=self.clock.ms, origin=AppendOrigin.COORDINATOR
        )
        self.log.advance_high_watermark(self.log.log_end_offset)
        return info.first_offset

    async def clean(self) -> int:
        """Roll, clean what is due, and say up to where the log is clean."""
        self.log.roll()
        await self.compactor.clean_dirtiest()
        return self.clean_end

    @property
    def clean_end(self) -> int:
        return self.checkpoints.offset(str(self.root), ("topic", 0)) or 0

    # Reading.

    def batches(self) -> list[StoredBatch]:
        """Everything that a replica would fetch."""
        found = []
        offset = self.log.log_start_offset
        while True:
            read = self.log.read(offset, 10_000, upper_bound=self.log.log_end_offset, min_one_message=True)
            if not len(read.records):
                return found
            data = (
                read.records if isinstance(read.records, bytes) else read.records.read_blocking(0, read.bytes)
            )
            for position, header in iter_headers(data):
                found.append(StoredBatch(header, data[position : position + header.size]))
            offset = read.next_offset

    def records(self) -> list[Record]:
        """Every data record that is left, aborted ones too."""
        return [
            record
            for batch in self.batches()
            if not batch.header.is_control
            for record in read_records(batch.data)
        ]

    def committed(self) -> list[Record]:
        """What a read_committed consumer gets: it is told the aborted transactions, and watches the markers."""
        bound = self.log.last_stable_offset
        to_come = sorted(
            self.log.aborted_transactions(self.log.log_start_offset, bound), key=lambda one: one.first_offset
        )
        aborted: set[int] = set()
        found = []
        for header, data in self.batches():
            if header.last_offset >= bound:
                break
            while to_come and to_come[0].first_offset <= header.last_offset:
                aborted.add(to_come.pop(0).producer_id)
            if header.is_control:
                for record in read_records(data):
                    marker = read_end_transaction(record.key, record.value)
                    if marker is not None and not marker.committed:
                        aborted.discard(header.producer_id)
            elif not (header.is_transactional and header.producer_id in aborted):
                found += read_records(data)
        return found

    def view(self) -> dict[bytes, bytes]:
        """The table that the log stands for."""
        return materialized(self.committed())


def materialized(records: Sequence[Record]) -> dict[bytes, bytes]:
    """The last value of each key, without those whose last record is a tombstone."""
    table: dict[bytes, bytes] = {}
    for record in records:
        if record.key is None:
            continue
        if record.value is None:
            table.pop(record.key, None)
        else:
            table[record.key] = record.value
    return table
