"""Snapshots of the metadata: `<end offset>-<epoch>.checkpoint` beside the log, and `bootstrap.checkpoint` above it.

A snapshot is a run of record batches: a control batch with its header and the quorum's own records, the metadata as data
batches, a control batch with its footer. It stands for every record before its end offset. Rule: a name without `.part` is
only given to a whole, synced file, so a snapshot is there or it is not; what is there and still cannot be read is damaged.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import NamedTuple

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.control_records import ControlType, read_control_key
from snakka.protocol.errors import ProtocolError
from snakka.protocol.message import Message
from snakka.protocol.metadata_framing import decode_record, encode_record
from snakka.protocol.record_batch import HEADER_SIZE, BatchHeader, crc_matches, read_header
from snakka.protocol.record_types.raft.snapshot_footer_record import SnapshotFooterRecord
from snakka.protocol.record_types.raft.snapshot_header_record import SnapshotHeaderRecord
from snakka.raft.control_batches import build_control_records, quorum_messages, remember_quorum
from snakka.raft.settings import MAX_BATCH_BYTES
from snakka.raft.state.voters import QuorumHistory, VoterSet
from snakka.storage.files import File, Files
from snakka.storage.meta_properties import DataDirectoryError

SUFFIX = ".checkpoint"
PARTIAL_SUFFIX = ".checkpoint.part"
DELETED_SUFFIX = ".checkpoint.deleted"
BOOTSTRAP_FILE = "bootstrap.checkpoint"

NEWEST_VERSIONS: Mapping[int, int] = MappingProxyType({})

# As many records as Kafka puts into a batch of a snapshot; the size bound only matters for very large records.
_RECORDS_A_BATCH = 1024
_TARGET_BATCH_BYTES = MAX_BATCH_BYTES // 2

_NAME = re.compile(r"(\d{20})-(\d{10})(\.checkpoint(?:\.part|\.deleted)?)")


class SnapshotId(NamedTuple):
    """A snapshot contains every record before `end_offset`, the last of which is of `epoch`."""

    end_offset: int
    epoch: int

    @property
    def last_offset(self) -> int:
        return self.end_offset - 1

    def name(self, suffix: str = SUFFIX) -> str:
        return f"{self.end_offset:020d}-{self.epoch:010d}{suffix}"


def parse_name(name: str) -> tuple[SnapshotId, str] | None:
    """The snapshot and the suffix that a file name says; None if it is another file."""
    match = _NAME.fullmatch(name)
    return None if match is None else (SnapshotId(int(match[1]), int(match[2])), match[3])


def encode_snapshot(
    records: Iterable[Message],
    *,
    epoch: int,
    last_log_timestamp_ms: int,
    now_ms: int,
    kraft_version: int = 0,
    voters: VoterSet | None = None,
    versions: Mapping[int, int] = NEWEST_VERSIONS,
) -> Iterator[bytearray]:
    """The batches of a snapshot, one after the other. Offsets inside count from 0 and mean nothing.

    `versions` says by record key which records are not to be written in their newest version.
    """
    header = SnapshotHeaderRecord(last_contained_log_timestamp=last_log_timestamp_ms)
    messages = [(ControlType.SNAPSHOT_HEADER, header), *quorum_messages(kraft_version, voters or VoterSet())]
    yield build_control_records(messages, base_offset=0, epoch=epoch, timestamp_ms=now_ms)
    next_offset = len(messages)
    for values in _chunks(encode_record(record, versions.get(record.RECORD_KEY)) for record in records):
        batch = [Record(-1, now_ms, None, value) for value in values]
        yield build_batch(batch, base_offset=next_offset, leader_epoch=epoch)
        next_offset += len(batch)
    footer = [(ControlType.SNAPSHOT_FOOTER, SnapshotFooterRecord())]
    yield build_control_records(footer, base_offset=next_offset, epoch=epoch, timestamp_ms=now_ms)


def _chunks(values: Iterable[bytes]) -> Iterator[list[bytes]]:
    chunk: list[bytes] = []
    size = 0
    for value in values:
        if len(chunk) == _RECORDS_A_BATCH or (chunk and size + len(value) > _TARGET_BATCH_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(value)
        size += len(value)
    if chunk:
        yield chunk


def write_snapshot(files: Files, directory: str, snapshot: SnapshotId, batches: Iterable[bytearray]) -> None:
    """Write a whole snapshot. Blocks until it and its name are synced; a crash leaves nothing, or a `.part`."""
    partial = f"{directory}/{snapshot.name(PARTIAL_SUFFIX)}"
    file = files.open(partial, create=True)
    try:
        for batch in batches:
            file.append(batch)
        file.sync()
    finally:
        file.close()
    files.rename(partial, f"{directory}/{snapshot.name()}")
    files.sync_directory(directory)


class SnapshotReader:
    """One snapshot file, read batch by batch. DataDirectoryError if it is not a whole and sound one."""

    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self._path = path

    def remember_quorum(self, history: QuorumHistory, as_of_offset: int) -> None:
        """Add voters and kraft.version to the history; the metadata is stepped over."""
        with self._sound():
            for batch in self._batches(wants_control=True):
                remember_quorum(batch, history, as_of_offset=as_of_offset)

    def records(self) -> Iterator[Message]:
        """The metadata, in the order in which it is to be replayed."""
        with self._sound():
            for batch in self._batches(wants_control=False):
                for record in read_records(batch):
                    yield decode_record(record.value or b"")

    def last_log_timestamp_ms(self) -> int:
        """When the last record that the snapshot contains was appended."""
        with self._sound():
            for batch in self._batches(wants_control=True):
                for record in read_records(batch):
                    if read_control_key(record.key) == ControlType.SNAPSHOT_HEADER:
                        return SnapshotHeaderRecord.decode(
                            record.value or b"", 0
                        ).last_contained_log_timestamp
            raise ProtocolError("it has no header")

    def _batches(self, *, wants_control: bool) -> Iterator[bytes]:
        """The control batches or the others, checksums verified, after making sure that the file ends with a footer."""
        file = self._files.open(self._path)
        try:
            spans = list(_spans(file))
            if not spans or not _is_footer(_read_batch(file, *spans[-1])):
                raise ProtocolError("it ends without a footer")
            for position, header in spans:
                if header.is_control == wants_control:
                    yield _read_batch(file, position, header)
        finally:
            file.close()

    @contextmanager
    def _sound(self) -> Iterator[None]:
        try:
            yield
        except ProtocolError as error:
            raise DataDirectoryError(f"the snapshot {self._path} is damaged: {error}") from error


def _spans(file: File) -> Iterator[tuple[int, BatchHeader]]:
    position = 0
    while position < file.size:
        header = read_header(file.pread(position, HEADER_SIZE))
        if not HEADER_SIZE <= header.size <= file.size - position:
            raise ProtocolError(f"the batch at {position} says {header.size} bytes")
        yield position, header
        position += header.size


def _read_batch(file: File, position: int, header: BatchHeader) -> bytes:
    batch = file.pread(position, header.size)
    if not crc_matches(batch, 0, header):
        raise ProtocolError(f"the checksum of the batch at {position} is wrong")
    return batch


def _is_footer(batch: bytes) -> bool:
    if not read_header(batch).is_control:
        return False
    return any(read_control_key(record.key) == ControlType.SNAPSHOT_FOOTER for record in read_records(batch))


def write_bootstrap(files: Files, directory: str, records: Iterable[Message], now_ms: int) -> None:
    """The records that a new cluster's first leader writes, as `kafka-storage format` leaves them."""
    batches = encode_snapshot(records, epoch=0, last_log_timestamp_ms=0, now_ms=now_ms)
    files.replace(f"{directory}/{BOOTSTRAP_FILE}", b"".join(batches))


def read_bootstrap(files: Files, directory: str) -> list[Message]:
    """What formatting left for the first leader; nothing if the file is not there."""
    path = f"{directory}/{BOOTSTRAP_FILE}"
    return list(SnapshotReader(files, path).records()) if files.exists(path) else []
