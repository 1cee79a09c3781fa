"""`.snapshot` files: the producer state at an offset, so that only the log after it is read when a partition opens.

One is written when a segment is rolled, named by the new segment's base offset, and one at a clean stop. A snapshot is a
short cut: one that is torn is thrown away, and an older one, or the log alone, takes its place.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from struct import Struct, error

from snakka.protocol.checksum import crc32c
from snakka.storage.files import Files
from snakka.storage.producer_state import AppendedBatch, ProducerEntry, ProducerState
from snakka.storage.segment_files import DELETED, PRODUCER_SNAPSHOT, file_path

VERSION = 1
_HEADER = Struct(">hIi")
_CRC = Struct(">I")
_CHECKSUMMED_FROM = 6
# Producer id, epoch, last sequence, last offset, offset delta, timestamp, coordinator epoch, start of the transaction.
_ENTRY = Struct(">qhiqiqiq")


class BadSnapshotError(Exception):
    """The file is not what its writer wrote."""


def encode_snapshot(entries: Iterable[ProducerEntry]) -> bytes:
    packed = bytearray(_HEADER.size)
    count = 0
    for entry in entries:
        last = entry.batches[-1] if entry.batches else _NO_BATCH
        packed += _ENTRY.pack(
            entry.producer_id,
            entry.epoch,
            last.last_sequence,
            last.last_offset,
            last.offset_delta,
            entry.last_timestamp,
            entry.coordinator_epoch,
            entry.transaction_start,
        )
        count += 1
    _HEADER.pack_into(packed, 0, VERSION, 0, count)
    _CRC.pack_into(packed, 2, crc32c(memoryview(packed)[_CHECKSUMMED_FROM:]))
    return bytes(packed)


_NO_BATCH = AppendedBatch(-1, -1, 0, -1)


def decode_snapshot(data: bytes) -> list[ProducerEntry]:
    """BadSnapshotError unless every byte is right."""
    try:
        version, crc, count = _HEADER.unpack_from(data)
    except error as reason:
        raise BadSnapshotError(str(reason)) from reason
    if version != VERSION:
        raise BadSnapshotError(f"version {version} is not known")
    if count < 0 or len(data) != _HEADER.size + count * _ENTRY.size:
        raise BadSnapshotError(f"{len(data)} bytes cannot be {count} producers")
    if crc32c(memoryview(data)[_CHECKSUMMED_FROM:]) != crc:
        raise BadSnapshotError("the checksum is wrong")
    return [_decode_entry(fields) for fields in _ENTRY.iter_unpack(data[_HEADER.size :])]


def _decode_entry(fields: tuple[int, ...]) -> ProducerEntry:
    producer_id, epoch, sequence, offset, delta, timestamp, coordinator_epoch, start = fields
    entry = ProducerEntry(producer_id, epoch, coordinator_epoch, timestamp, start if start >= 0 else -1)
    if offset >= 0:
        entry.batches.append(AppendedBatch(sequence, offset, delta, timestamp))
    return entry


class ProducerSnapshots:
    """The snapshot files of one partition, by offset."""

    __slots__ = ("_directory", "_files", "_unsynced", "offsets")

    def __init__(self, files: Files, directory: str, offsets: Iterable[int]) -> None:
        self._files = files
        self._directory = directory
        self.offsets = sorted(offsets)
        self._unsynced: list[int] = []

    def take(self, state: ProducerState) -> None:
        """Write the state at its end offset, if there is no such snapshot. Not synced: see `unsynced`."""
        offset = state.end_offset
        if offset in self.offsets[-1:]:
            return
        self._files.replace(self._path(offset), encode_snapshot(state.entries.values()), sync=False)
        if offset not in self.offsets:
            insort(self.offsets, offset)
        self._unsynced.append(offset)

    def unsynced(self) -> list[str]:
        """Files that were written since this was last asked; whoever asks must sync them."""
        paths = [self._path(offset) for offset in self._unsynced]
        self._unsynced.clear()
        return paths

    def load(self, state: ProducerState, log_start_offset: int, end_offset: int) -> None:
        """Bring `state` to the newest good snapshot in (log_start_offset, end_offset]; to nothing if there is none."""
        for offset in [one for one in self.offsets if not log_start_offset < one <= end_offset]:
            self.remove(offset)
        while self.offsets:
            offset = self.offsets[-1]
            try:
                state.load(decode_snapshot(self._files.read(self._path(offset))), offset)
            except (BadSnapshotError, FileNotFoundError):
                self.remove(offset)
            else:
                return
        state.load((), log_start_offset)

    def remove(self, offset: int) -> None:
        if offset in self.offsets:
            self.offsets.remove(offset)
            self._files.remove(self._path(offset))

    def remove_strays(self, segment_bases: Iterable[int]) -> None:
        """Keep those at the beginning of a segment, and the newest if it is after all of them: a clean stop's."""
        bases = set(segment_bases)
        last_base = max(bases, default=0)
        for offset in list(self.offsets):
            is_last = offset == self.offsets[-1] and offset > last_base
            if offset not in bases and not is_last:
                self.remove(offset)

    def rename_deleted(self, first: int, end: int) -> list[str]:
        """Mark those with `first` <= offset < `end` for deletion; their paths now."""
        renamed = []
        low, high = bisect_left(self.offsets, first), bisect_right(self.offsets, end - 1)
        for offset in self.offsets[low:high]:
            path = self._path(offset)
            if self._files.exists(path):
                self._files.rename(path, path + DELETED)
                renamed.append(path + DELETED)
        del self.offsets[low:high]
        return renamed

    def moved_to(self, directory: str) -> None:
        self._directory = directory

    def _path(self, offset: int) -> str:
        return file_path(self._directory, offset, PRODUCER_SNAPSHOT)
