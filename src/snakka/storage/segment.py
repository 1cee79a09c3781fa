"""One segment of a partition: the log file from a base offset on, with its indexes.

Rule: the log file is the truth. What is kept beside it (indexes, largest timestamp, positions of the newest batches) can be
found again by reading it. Only the newest segment of a partition is active, that is, appended to.
"""

import logging
from collections.abc import Iterator
from itertools import chain

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import NO_TIMESTAMP
from snakka.storage.batch_chain import Proof, Walk, follows
from snakka.storage.batch_scan import FoundBatch, scan_headers
from snakka.storage.files import Bytes, File, Files
from snakka.storage.index_file import BadIndexError
from snakka.storage.log_config import LogConfig
from snakka.storage.offset_index import ENTRY as OFFSET_ENTRY
from snakka.storage.offset_index import OffsetEntry, OffsetIndex
from snakka.storage.recent_batches import NEVER, RecentBatches, Slice
from snakka.storage.segment_files import (
    LOG,
    OFFSET_INDEX,
    SEGMENT_KINDS,
    TIME_INDEX,
    TRANSACTION_INDEX,
    file_path,
)
from snakka.storage.time_index import ENTRY as TIME_ENTRY
from snakka.storage.time_index import TimeEntry, TimeIndex
from snakka.storage.transaction_index import TransactionIndex

_logger = logging.getLogger(__name__)

_REMEMBERED_READS = 16
# How much is read at once from what must be walked first: the walk is the event loop's time.
_MOST_UNPROVEN_BYTES = 1 << 22


class Segment:
    """The files of one base offset. Inactive ones open a file when it is asked for."""

    __slots__ = (
        "_is_damaged",
        "_preallocated",
        "_proof",
        "_resume_positions",
        "_since_index_entry",
        "base_offset",
        "created_ms",
        "directory",
        "files",
        "first_timestamp",
        "index_interval",
        "indexes_full",
        "log",
        "max_index_bytes",
        "max_timestamp",
        "offset_index",
        "offset_of_max_timestamp",
        "recent",
        "time_index",
        "transaction_index",
    )

    def __init__(
        self,
        files: Files,
        directory: str,
        base_offset: int,
        log: File,
        *,
        index_sizes: tuple[int, int, int] = (0, 0, 0),
        config: LogConfig,
        created_ms: int,
        preallocated: bool = False,
    ) -> None:
        self.files = files
        self.directory = directory
        self.base_offset = base_offset
        self.log = log
        offset_bytes, time_bytes, transaction_bytes = index_sizes
        self.offset_index = OffsetIndex(files, self.path(OFFSET_INDEX), base_offset, offset_bytes)
        self.time_index = TimeIndex(files, self.path(TIME_INDEX), base_offset, time_bytes)
        self.transaction_index = TransactionIndex(files, self.path(TRANSACTION_INDEX), transaction_bytes)
        self.index_interval = config.index_interval_bytes
        self.max_index_bytes = config.segment_index_bytes
        self.indexes_full = self._are_indexes_full()
        self.created_ms = created_ms
        self._preallocated = preallocated
        # None until somebody asks: an inactive segment's is its time index's last entry.
        self.max_timestamp: int | None = NO_TIMESTAMP if not log.size else None
        self.offset_of_max_timestamp = base_offset
        self.first_timestamp: int | None = None
        self._since_index_entry = 0
        self.recent = RecentBatches(base_offset if not log.size else NEVER)
        self._resume_positions: dict[int, int] = {}
        self._proof = Proof(log.size)
        self._is_damaged = False

    @classmethod
    def create(
        cls, files: Files, directory: str, base_offset: int, config: LogConfig, now_ms: int
    ) -> "Segment":
        """A new, empty, active segment; left-overs of the same name are emptied."""
        for kind in (OFFSET_INDEX, TIME_INDEX):
            files.open(file_path(directory, base_offset, kind), create=True).close()
        files.remove(file_path(directory, base_offset, TRANSACTION_INDEX))
        log = files.open(file_path(directory, base_offset, LOG), create=True)
        if config.preallocate:
            log.preallocate(config.segment_bytes)
        return cls(
            files,
            directory,
            base_offset,
            log,
            config=config,
            created_ms=now_ms,
            preallocated=config.preallocate,
        )

    @classmethod
    def load(
        cls,
        files: Files,
        directory: str,
        base_offset: int,
        sizes: dict[str, int],
        config: LogConfig,
        now_ms: int,
    ) -> "Segment":
        """A segment that is on the disk, of files with these `sizes` by name."""
        log_bytes, *index_bytes = (sizes.get(f"{base_offset:020d}{kind}", 0) for kind in SEGMENT_KINDS)
        log = files.open(file_path(directory, base_offset, LOG), size=log_bytes)
        return cls(
            files,
            directory,
            base_offset,
            log,
            index_sizes=(index_bytes[0], index_bytes[1], index_bytes[2]),
            config=config,
            created_ms=now_ms,
        )

    def path(self, kind: str) -> str:
        return file_path(self.directory, self.base_offset, kind)

    @property
    def size(self) -> int:
        return self.log.size

    # Appending: the segment is active.

    def append(self, batch: Bytes, last_offset: int, max_timestamp: int) -> None:
        """One batch at the end."""
        position = self.log.size
        self.log.append(batch)
        self.note_batch(position, len(batch), last_offset, max_timestamp)

    def note_batch(self, position: int, size: int, last_offset: int, max_timestamp: int) -> None:
        """The batch at `position` is now in the log: index it now and then, and remember it for readers at the end."""
        if self.first_timestamp is None:
            self.first_timestamp = max_timestamp
        largest = self.max_timestamp
        if largest is None:
            largest = self.largest_record_timestamp()
        if max_timestamp > largest:
            self.max_timestamp = max_timestamp
            self.offset_of_max_timestamp = last_offset
        if self._since_index_entry > self.index_interval:
            self._add_index_entries(last_offset, position)
        self._since_index_entry += size
        self.recent.remember(position, last_offset)

    def _add_index_entries(self, last_offset: int, position: int) -> None:
        self.offset_index.append(last_offset, position)
        self.time_index.append_if_larger(self.largest_record_timestamp(), self.offset_of_max_timestamp)
        self._since_index_entry = 0
        self.indexes_full = self._are_indexes_full()

    def _are_indexes_full(self) -> bool:
        # The time index keeps a place free for the entry that it gets when the segment is rolled.
        return (
            self.offset_index.count >= self.max_index_bytes // OFFSET_ENTRY.size
            or self.time_index.count >= self.max_index_bytes // TIME_ENTRY.size - 1
        )

    def rolling_timestamp(self) -> int:
        """The first batch's timestamp, from which `segment.ms` counts; -1 if there is none."""
        if self.first_timestamp is None:
            first = next(scan_headers(self.log, 0, self.log.size), None)
            if first is None:
                return NO_TIMESTAMP
            self.first_timestamp = first.header.max_timestamp
        return self.first_timestamp

    def become_inactive(self) -> None:
        """No append follows: the indexes are completed and written, what was preallocated is given back."""
        if self.max_timestamp is not None:
            self.time_index.append_if_larger(self.max_timestamp, self.offset_of_max_timestamp)
        self.offset_index.file.write_out()
        self.time_index.file.write_out()
        if self._preallocated:
            self.log.truncate(self.log.size)
            self._preallocated = False
        self.offset_index.file.close()
        self.time_index.file.close()
        self.transaction_index.close()
        self.recent.forget()

    def begin_again(self) -> None:
        """Forget what batches are here, offset and time index included: every one is about to be noted again."""
        self.offset_index.file.clear()
        self.time_index.file.clear()
        self.max_timestamp = NO_TIMESTAMP
        self.offset_of_max_timestamp = self.base_offset
        self.first_timestamp = None
        self._since_index_entry = 0
        self.indexes_full = False
        self._resume_positions.clear()
        self.recent.begin(self.base_offset)

    # Facts.

    def largest_record_timestamp(self) -> int:
        """-1 if no record has a timestamp."""
        if self.max_timestamp is None:
            try:
                last = self.time_index.last()
                is_right = not self.log.size or self.says_so_too(last)
            except BadIndexError:
                is_right = False
            if not is_right:
                last = self._scanned_largest_timestamp()
            self.max_timestamp, self.offset_of_max_timestamp = last
        return self.max_timestamp

    def says_so_too(self, entry: TimeEntry) -> bool:
        """Whether the log agrees with the time index: retention deletes by it, and readers begin where it says."""
        try:
            found = self.find(entry.offset)
        except ApiError:
            return False
        return found is not None and found.header.max_timestamp == entry.timestamp

    def _scanned_largest_timestamp(self) -> TimeEntry:
        largest = TimeEntry(NO_TIMESTAMP, self.base_offset)
        for batch in scan_headers(self.log, 0, self.log.size):
            if batch.header.max_timestamp > largest.timestamp:
                largest = TimeEntry(batch.header.max_timestamp, batch.header.last_offset)
        return largest

    def largest_timestamp(self) -> int:
        """As retention counts: the file's time of change if no record has a timestamp."""
        largest = self.largest_record_timestamp()
        return largest if largest >= 0 else self.files.modified_ms(self.log.path)

    def indexes_are_plausible(self) -> bool:
        """Whether the indexes say of their last entries what the log says, and are in order at both ends."""
        if not self.offset_index.count and self._owes_an_index_entry():
            return False
        try:
            if not self.offset_index.is_ordered() or not self.time_index.is_ordered():
                return False
            entry, time_entry = self.offset_index.last(), self.time_index.last()
        except BadIndexError:
            return False
        if not self.log.size:
            return True
        is_right = self._batches_at(entry) is not None or not entry.position
        return is_right and self.says_so_too(time_entry)

    def _owes_an_index_entry(self) -> bool:
        """Whether a batch begins so late that it must have one; however large, a first batch has none."""
        batches = scan_headers(self.log, 0, self.log.size)
        return any(batch.position > self.index_interval for batch in batches)

    def batches_from(self, offset: int) -> Iterator[FoundBatch]:
        """The batches from a little before `offset` on: the index says where to begin."""
        try:
            return self.scan_from_entry(self.offset_index.floor(offset), 0)
        except BadIndexError:
            return scan_headers(self.log, 0, self.log.size)

    def scan_from_entry(self, entry: OffsetEntry, otherwise: int) -> Iterator[FoundBatch]:
        """The batches from the entry's position on; from `otherwise` on if the entry is not about a batch of this log."""
        batches = self._batches_at(entry) if otherwise < entry.position < self.log.size else None
        return scan_headers(self.log, otherwise, self.log.size) if batches is None else batches

    def _batches_at(self, entry: OffsetEntry) -> Iterator[FoundBatch] | None:
        """The batches from an entry's position on, if its offset is in one of them and none before that is later."""
        batches = scan_headers(self.log, entry.position, self.log.size)
        seen = []
        for batch in batches:
            if not self.base_offset <= batch.header.base_offset <= entry.offset:
                return None
            seen.append(batch)
            if batch.header.last_offset >= entry.offset:
                return chain(seen, batches)
        return None

    # Reading.

    def find(self, offset: int) -> FoundBatch | None:
        """The first batch that has `offset` or a later one; None if all batches here are before it."""
        for batch in self.checked_batches_from(offset):
            if batch.header.last_offset >= offset:
                return batch
        return None

    def checked_batches_from(self, offset: int) -> Iterator[FoundBatch]:
        """As `batches_from`, for readers: ApiError where the batches stop following each other before the end."""
        position = 0
        previous: FoundBatch | None = None
        for batch in self.batches_from(offset):
            if previous is None and batch.header.base_offset < self.base_offset:
                raise self._damaged(f"the batch at {batch.position} is before {self.base_offset}")
            if previous is not None and not follows(previous.header, batch.header):
                raise self._damaged(f"the batch at {batch.position} does not follow the one before it")
            yield batch
            previous, position = batch, batch.end
        if position != self.log.size:
            raise self._damaged(f"there is no batch at {position}")

    def _damaged(self, why: str) -> ApiError:
        """What a reader is told, as by Kafka; whoever runs the broker hears of it once."""
        if not self._is_damaged:
            self._is_damaged = True
            _logger.error("%s is damaged: %s", self.log.path, why)
        return ApiError(ErrorCode.CORRUPT_MESSAGE, f"the log is damaged: {why}")

    def slice(
        self, offset: int, max_bytes: int, upper_bound: int, min_one_message: bool, end_offset: int = NEVER
    ) -> Slice | None:
        """Whole batches from `offset` on, before `upper_bound`; None if there is no batch with `offset` or a later one.

        `end_offset` is where the next segment, or nothing, begins. ApiError if what would be read is damaged.
        """
        if offset >= self.recent.first_offset:
            return self.recent.slice(offset, max_bytes, upper_bound, min_one_message, self.log.size)
        if not self._proof.unproven_bytes:
            return self._slice_by_scan(offset, max_bytes, upper_bound, min_one_message)
        max_bytes = min(max_bytes, _MOST_UNPROVEN_BYTES)
        found = self._slice_by_scan(offset, max_bytes, upper_bound, min_one_message)
        return None if found is None else self._proven_part(found, end_offset)

    def _proven_part(self, found: Slice, end_offset: int) -> Slice:
        """As much of it as can be walked at once; ApiError if batches there do not follow each other."""
        given = Walk(found.end, found.next_offset)
        walked = self._proof.walk(self.log, given, found.start, self.base_offset, end_offset)
        if walked.why:
            self._resume_positions.clear()
            raise self._damaged(walked.why)
        if walked is given:
            return found
        self._remember_read(walked.next_offset, walked.end)
        return found._replace(end=walked.end, next_offset=walked.next_offset)

    def proven_from(self, position: int) -> None:
        """Whoever opened the log has looked at every batch from there on."""
        self._proof.unproven_bytes = min(self._proof.unproven_bytes, position)

    def _slice_by_scan(
        self, offset: int, max_bytes: int, upper_bound: int, min_one_message: bool
    ) -> Slice | None:
        start = self._resume_positions.get(offset)
        if start is None:
            found = self.find(offset)
            if found is None:
                return None
            start = found.position
        elif start >= self.log.size:
            return None
        end, next_offset = start, offset
        for batch in self._scan_near(start, start + max_bytes, upper_bound):
            is_over = batch.end - start > max_bytes and not (min_one_message and batch.position == start)
            if is_over or batch.header.last_offset >= upper_bound:
                if batch.position > end:
                    end, next_offset = batch.position, batch.header.base_offset
                break
            end, next_offset = batch.end, batch.header.last_offset + 1
        if end > start:
            self._remember_read(next_offset, end)
        return Slice(start, end, offset, next_offset, False)

    def _remember_read(self, next_offset: int, end: int) -> None:
        """Whoever read so far will go on there."""
        if len(self._resume_positions) >= _REMEMBERED_READS:
            self._resume_positions.clear()
        self._resume_positions[next_offset] = end

    def _scan_near(self, start: int, limit: int, upper_bound: int) -> Iterator[FoundBatch]:
        """The batches from `start` on, but for those that the index knows to be before both bounds."""
        try:
            by_size = self.offset_index.floor_position(limit - 1)
            by_offset = self.offset_index.floor(upper_bound - 1)
        except BadIndexError:
            return scan_headers(self.log, start, self.log.size)
        return self.scan_from_entry(min(by_size, by_offset), start)

    # Changing.

    def truncate_to(self, offset: int) -> None:
        """Cut everything from the batch of `offset` on. The segment is active afterwards."""
        found = self.find(offset)
        self.largest_record_timestamp()
        for index in (self.offset_index, self.time_index, self.transaction_index):
            index.truncate_to(offset)
        if found is not None:
            self.log.truncate(found.position)
        if not self.log.size:
            self.first_timestamp = None
        self._proof.truncated_to(self.log.size)
        self._since_index_entry = 0
        self._resume_positions.clear()
        self.recent.begin(offset)
        last = self.time_index.last()
        self.max_timestamp, self.offset_of_max_timestamp = last
        for batch in self.batches_from(last.offset):
            if batch.header.max_timestamp > self.max_timestamp:
                self.max_timestamp = batch.header.max_timestamp
                self.offset_of_max_timestamp = batch.header.last_offset

    def rename_files(self, suffix: str) -> list[str]:
        """Give every file of the segment another suffix; their new paths. Readers on their way are not disturbed."""
        renamed = []
        for kind in SEGMENT_KINDS:
            path = self.path(kind)
            if self.files.exists(path):
                self.files.rename(path, path + suffix)
                renamed.append(path + suffix)
        self.close()
        return renamed

    def moved_to(self, directory: str) -> None:
        """The partition's directory has another name."""
        self.directory = directory
        self.log.renamed(self.path(LOG))
        self.offset_index.file.renamed(self.path(OFFSET_INDEX))
        self.time_index.file.renamed(self.path(TIME_INDEX))
        self.transaction_index.renamed(self.path(TRANSACTION_INDEX))

    def close(self) -> None:
        """Give every descriptor back."""
        self.log.close()
        self.offset_index.file.close()
        self.time_index.file.close()
        self.transaction_index.close()
