"""A segment that a cleaning writes: `.cleaned` files beside those that they will replace.

Rule: nothing here is visible to the broker until it renames the files; a crash leaves only names that recovery removes.
"""

from collections.abc import Iterable

from snakka.protocol.record_batch import NO_TIMESTAMP
from snakka.storage.files import Bytes, Files
from snakka.storage.offset_index import OffsetIndex
from snakka.storage.segment_files import (
    CLEANED,
    LOG,
    OFFSET_INDEX,
    SEGMENT_KINDS,
    SWAP,
    TIME_INDEX,
    TRANSACTION_INDEX,
    file_path,
)
from snakka.storage.time_index import TimeIndex
from snakka.storage.transaction_index import AbortedTransaction, TransactionIndex

_WRITE_BYTES = 1 << 20


class CleanedSegment:
    """Log and indexes of one base offset, written from their beginning to their end."""

    def __init__(self, files: Files, directory: str, base_offset: int, index_interval: int) -> None:
        self.base_offset = base_offset
        self._files = files
        self._directory = directory
        self._index_interval = index_interval
        remove_unused(files, directory, (base_offset,))
        paths = {kind: file_path(directory, base_offset, kind, CLEANED) for kind in SEGMENT_KINDS}
        self._log = files.open(paths[LOG], create=True)
        for kind in (OFFSET_INDEX, TIME_INDEX):
            files.open(paths[kind], create=True).close()
        self._offset_index = OffsetIndex(files, paths[OFFSET_INDEX], base_offset, 0)
        self._time_index = TimeIndex(files, paths[TIME_INDEX], base_offset, 0)
        self._transaction_index = TransactionIndex(files, paths[TRANSACTION_INDEX], 0)
        self._waiting = bytearray()
        self._since_index_entry = 0
        self._max_timestamp = NO_TIMESTAMP
        self._offset_of_max_timestamp = base_offset

    @property
    def size(self) -> int:
        return self._log.size + len(self._waiting)

    def append(self, batch: Bytes, last_offset: int, max_timestamp: int) -> None:
        if max_timestamp > self._max_timestamp:
            self._max_timestamp, self._offset_of_max_timestamp = max_timestamp, last_offset
        if self._since_index_entry > self._index_interval:
            self._offset_index.append(last_offset, self.size)
            self._time_index.append_if_larger(self._max_timestamp, self._offset_of_max_timestamp)
            self._since_index_entry = 0
        self._since_index_entry += len(batch)
        self._waiting += batch
        if len(self._waiting) >= _WRITE_BYTES:
            self._write_out()

    def append_aborted(self, entries: Iterable[AbortedTransaction]) -> None:
        for entry in entries:
            self._transaction_index.append(entry)

    def finish(self) -> None:
        """Everything is on the disk after this."""
        self._write_out()
        if self._log.size:
            self._time_index.append_if_larger(self._max_timestamp, self._offset_of_max_timestamp)
        for index in (self._offset_index, self._time_index):
            index.file.write_out()
            index.file.close()
        self._transaction_index.close()
        self._log.close()
        for kind in SEGMENT_KINDS:
            self._files.sync_file(file_path(self._directory, self.base_offset, kind, CLEANED))

    def _write_out(self) -> None:
        if self._waiting:
            self._log.append(self._waiting)
            self._waiting.clear()


def remove_unused(files: Files, directory: str, bases: Iterable[int]) -> None:
    """Take away what a cleaning that came to nothing has left."""
    for base in bases:
        for kind in SEGMENT_KINDS:
            for suffix in (CLEANED, SWAP):
                files.remove(file_path(directory, base, kind, suffix))
