"""One cleaning of one log, in a process of its own: `python -m snakka.storage.cleaner JOBFILE`.

It reads the segments that the job names, writes what is to be kept into `.cleaned` files beside them, syncs these,
and writes a result for the broker, which alone renames anything. So appends never wait for it, and it may be killed at
any moment.

Rule: what cannot be understood is kept. A batch whose checksum is wrong, or that has garbage inside a right one, is
copied as it is and named in the result. A segment whose batches do not follow each other to its end is not cleaned.

A cleaning makes two passes, as Kafka's does. The first remembers the last offset of each key in the dirty part, as far
as memory allows. The second goes through the log from its beginning and keeps a record if it is the last of its key, or
lies beyond what the first pass read. Offsets never change: a batch keeps its first and last offset, whatever it loses.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from snakka.protocol.batch_builder import build_empty, build_retained
from snakka.protocol.batch_reader import RecordSpan, plain_body, walk
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import BatchHeader, crc_matches
from snakka.storage.batch_scan import WholeBatch, scan_batches
from snakka.storage.cleaned_segment import CleanedSegment
from snakka.storage.cleaner_key_map import KeyMap
from snakka.storage.cleaner_transactions import CleanedTransactions
from snakka.storage.files import Bytes, Files, OsFiles
from snakka.storage.policy.compaction import (
    CleanableSegment,
    delete_horizon,
    group_segments,
    horizon_has_passed,
)
from snakka.storage.segment_files import CLEANED, LOG, SEGMENT_KINDS, TRANSACTION_INDEX, file_path
from snakka.storage.transaction_index import AbortedTransaction, TransactionIndex

_NAMED_BATCHES = 100
_NICENESS = 10
_NO_OFFSET = -1


class UncleanableLogError(Exception):
    """The log is not what a log should be; nothing may be replaced."""


@dataclass(frozen=True, slots=True)
class CleaningJob:
    """What the broker asks for. All of `segments` are inactive and below `end_offset`."""

    directory: str
    result_path: str
    segments: list[CleanableSegment]
    # Bases of later segments: a transaction that was aborted there may have records here.
    later_bases: list[int]
    first_dirty_offset: int
    end_offset: int
    now_ms: int
    delete_retention_ms: int
    segment_bytes: int
    segment_index_bytes: int
    index_interval_bytes: int
    max_output_bytes: int
    key_map_bytes: int
    key_map_load_factor: float
    max_bytes_per_second: float
    # Active producers: id -> [epoch, last data offset or -1].
    producers: dict[int, list[int]]

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> "CleaningJob":
        fields: dict[str, Any] = json.loads(data)
        fields["segments"] = [CleanableSegment(**segment) for segment in fields["segments"]]
        fields["producers"] = {int(producer): known for producer, known in fields["producers"].items()}
        return cls(**fields)


@dataclass(slots=True)
class CleanedGroup:
    """Segments that became one, which has the first one's base offset."""

    old_bases: list[int]
    bytes_before: int
    bytes_after: int


@dataclass(slots=True)
class CleaningResult:
    """What was done: the log is clean below `end_offset`."""

    end_offset: int
    # Why the log cannot be cleaned, now or ever; there are no groups then.
    uncleanable: str = ""
    groups: list[CleanedGroup] = field(default_factory=list)
    keys: int = 0
    records_read: int = 0
    records_kept: int = 0
    records_without_key: int = 0
    # First offsets of batches that were kept because they cannot be understood; at most a hundred are named.
    strange_batches: list[int] = field(default_factory=list)

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> "CleaningResult":
        fields: dict[str, Any] = json.loads(data)
        fields["groups"] = [CleanedGroup(**group) for group in fields["groups"]]
        return cls(**fields)


class Throttle:
    """Keeps reading and writing together below a rate, by waiting."""

    def __init__(self, bytes_per_second: float, wait: Callable[[float], None] = time.sleep) -> None:
        self._rate = bytes_per_second
        self._wait = wait
        self._start = time.monotonic()
        self._bytes = 0

    def count(self, size: int) -> None:
        self._bytes += size
        ahead = self._bytes / self._rate - (time.monotonic() - self._start)
        if ahead > 0.05:
            self._wait(ahead)


class Cleaning:
    """A job under way."""

    def __init__(self, files: Files, job: CleaningJob, throttle: Throttle) -> None:
        self._files = files
        self._job = job
        self._throttle = throttle
        self._horizon_ms = delete_horizon(job.now_ms, job.delete_retention_ms)
        self._map = KeyMap(
            job.key_map_bytes, job.key_map_load_factor, job.end_offset - job.first_dirty_offset
        )
        self._aborted = self._read_aborted()
        self.result = CleaningResult(end_offset=job.first_dirty_offset)

    def run(self) -> CleaningResult:
        self._fill_map()
        end_offset = self._map.latest_offset + 1
        self.result.end_offset = end_offset
        self.result.keys = len(self._map)
        groups = group_segments(
            [segment for segment in self._job.segments if segment.base_offset < end_offset],
            max_bytes=self._job.segment_bytes,
            max_index_bytes=self._job.segment_index_bytes,
            end_offset=self._job.end_offset,
        )
        transactions = self._transactions(self._job.segments[0].base_offset)
        for group in groups:
            self.result.groups.append(self._clean_group(group, transactions))
        return self.result

    # The first pass.

    def _fill_map(self) -> None:
        job = self._job
        start = job.first_dirty_offset
        transactions = self._transactions(start)
        for index, segment in enumerate(job.segments):
            following = (
                job.segments[index + 1].base_offset if index + 1 < len(job.segments) else job.end_offset
            )
            if following <= start:
                continue
            for batch in self._batches(segment):
                if batch.header.last_offset >= start and not self._map_batch(batch, transactions, start):
                    return
            # Offsets that are missing at the end of a segment are read as well.
            self._map.latest_offset = following - 1

    def _map_batch(self, batch: WholeBatch, transactions: CleanedTransactions, start: int) -> bool:
        """False if the map is full."""
        key_map = self._map
        try:
            spans = self._spans_to_map(batch, transactions)
        except ProtocolError:
            spans = []
        for span in spans:
            if span.key is not None and span.offset >= start:
                if key_map.is_full:
                    return False
                key_map.put(span.key, span.offset)
        key_map.latest_offset = batch.header.last_offset
        return True

    def _spans_to_map(self, batch: WholeBatch, transactions: CleanedTransactions) -> list[RecordSpan]:
        header = batch.header
        _check_crc(batch)
        if header.is_control:
            transactions.on_control(header, batch.data)
            return []
        if transactions.on_data(header):
            return []
        return self._spans(batch)[1]

    # The second pass.

    def _clean_group(
        self, group: Sequence[CleanableSegment], transactions: CleanedTransactions
    ) -> CleanedGroup:
        job = self._job
        cleaned = CleanedSegment(self._files, job.directory, group[0].base_offset, job.index_interval_bytes)
        for segment in group:
            for batch in self._batches(segment):
                kept = self._clean_batch(batch, transactions)
                if kept is not None:
                    data, max_timestamp = kept
                    cleaned.append(data, batch.header.last_offset, max_timestamp)
                    self._throttle.count(len(data))
                if transactions.retained:
                    cleaned.append_aborted(transactions.retained)
                    transactions.retained.clear()
        cleaned.finish()
        return CleanedGroup(
            [segment.base_offset for segment in group], sum(segment.size for segment in group), cleaned.size
        )

    def _clean_batch(self, batch: WholeBatch, transactions: CleanedTransactions) -> tuple[Bytes, int] | None:
        """What stays of the batch, and its largest timestamp; None if nothing does."""
        header = batch.header
        try:
            _check_crc(batch)
            if header.is_control:
                is_discardable = transactions.on_control(header, batch.data)
                discard = is_discardable and horizon_has_passed(header.delete_horizon_ms, self._job.now_ms)
                marker_stays_alone = is_discardable and not discard
            else:
                discard = transactions.on_data(header)
                marker_stays_alone = False
            body, spans = (b"", []) if discard else self._spans(batch)
        except ProtocolError:
            self._report(header)
            return batch.data, header.max_timestamp
        self.result.records_read += header.count
        kept = spans if header.is_control else self._records_to_keep(header, spans)
        if not kept:
            return (build_empty(header), header.max_timestamp) if self._must_stay(header) else None
        self.result.records_kept += len(kept)
        has_tombstone = any(span.value_size < 0 for span in kept)
        needs_horizon = (has_tombstone or marker_stays_alone) and header.delete_horizon_ms is None
        if len(kept) == header.count and not needs_horizon:
            return batch.data, header.max_timestamp
        horizon = self._horizon_ms if needs_horizon else header.delete_horizon_ms
        data = build_retained(header, body, kept, delete_horizon_ms=horizon)
        if header.uses_log_append_time:
            return data, header.max_timestamp
        return data, max(span.timestamp for span in kept)

    def _records_to_keep(self, header: BatchHeader, spans: Sequence[RecordSpan]) -> list[RecordSpan]:
        """Those that are the last of their key, tombstones only until their horizon; all beyond the first pass."""
        key_map = self._map
        latest = key_map.latest_offset
        drops_tombstones = horizon_has_passed(header.delete_horizon_ms, self._job.now_ms)
        kept = []
        for span in spans:
            if span.offset > latest:
                kept.append(span)
            elif span.key is None:
                self.result.records_without_key += 1
            elif span.value_size < 0 and drops_tombstones:
                continue
            elif span.offset >= key_map.get(span.key):
                kept.append(span)
        return kept

    def _must_stay(self, header: BatchHeader) -> bool:
        """Whether the batch is needed although it is empty: it holds a producer's last sequence or epoch, or the end."""
        if header.next_offset == self._job.end_offset:
            return True
        known = self._job.producers.get(header.producer_id) if header.has_producer_id else None
        if known is None:
            return False
        epoch, last_data_offset = known
        if last_data_offset != _NO_OFFSET:
            return header.last_offset == last_data_offset
        return header.is_control and header.producer_epoch == epoch

    # Reading.

    def _spans(self, batch: WholeBatch) -> tuple[bytes, list[RecordSpan]]:
        body = plain_body(batch.data, batch.header, self._job.max_output_bytes)
        return body, list(walk(body, batch.header))

    def _batches(self, segment: CleanableSegment) -> Iterator[WholeBatch]:
        """All batches of the segment, in ascending order and without a gap between them."""
        path = file_path(self._job.directory, segment.base_offset, LOG)
        file = self._files.open(path, size=segment.size)
        position = 0
        next_offset = segment.base_offset
        try:
            for batch in scan_batches(file, 0, segment.size):
                if batch.header.base_offset < next_offset:
                    raise UncleanableLogError(f"{path}: offset {batch.header.base_offset} is out of order")
                next_offset = batch.header.next_offset
                position += batch.header.size
                self._throttle.count(batch.header.size)
                yield batch
        finally:
            file.close()
        if position != segment.size:
            raise UncleanableLogError(f"{path}: there is no batch at {position}")

    def _transactions(self, start: int) -> CleanedTransactions:
        """Those whose marker is at or after `start`: an earlier one's would never be met."""
        return CleanedTransactions(entry for entry in self._aborted if entry.last_offset >= start)

    def _read_aborted(self) -> list[AbortedTransaction]:
        job = self._job
        sizes = self._files.sizes(job.directory)
        found = []
        for base in [*(segment.base_offset for segment in job.segments), *job.later_bases]:
            path = file_path(job.directory, base, TRANSACTION_INDEX)
            index = TransactionIndex(self._files, path, sizes.get(os.path.basename(path), 0))
            found += [entry for entry in index.entries() if entry.first_offset < job.end_offset]
            index.close()
        return found

    def _report(self, header: BatchHeader) -> None:
        if len(self.result.strange_batches) < _NAMED_BATCHES:
            self.result.strange_batches.append(header.base_offset)


def _check_crc(batch: WholeBatch) -> None:
    """To build a batch anew would give a wrong content a right checksum."""
    if not crc_matches(batch.data, 0, batch.header):
        raise ProtocolError("the checksum is wrong")


def clean(files: Files, job: CleaningJob, throttle: Throttle | None = None) -> CleaningResult:
    """Do the job: `.cleaned` files, synced, for each group of the result."""
    return Cleaning(files, job, throttle or Throttle(job.max_bytes_per_second)).run()


def main(arguments: Sequence[str]) -> None:
    """What the broker runs. A log that cannot be cleaned is a result too; everything else ends the process."""
    (job_path,) = arguments
    files = OsFiles()
    job = CleaningJob.decode(files.read(job_path))
    try:
        result = clean(files, job)
        _keep_modification_times(job, result)
    except UncleanableLogError as error:
        result = CleaningResult(job.first_dirty_offset, uncleanable=str(error))
    except OSError as error:
        sys.exit(str(error))
    files.replace(job.result_path, result.encode(), sync=False)


def _keep_modification_times(job: CleaningJob, result: CleaningResult) -> None:
    """Records without a timestamp are as old as their file, so the new file is as old as the newest that went into it."""
    for group in result.groups:
        newest = os.stat(file_path(job.directory, group.old_bases[-1], LOG))
        for kind in SEGMENT_KINDS:
            path = file_path(job.directory, group.old_bases[0], kind, CLEANED)
            if os.path.exists(path):
                os.utime(path, ns=(newest.st_mtime_ns, newest.st_mtime_ns))


def _end_with_the_broker() -> None:
    """In a thread. Standard input ends when the broker does, even if it was killed.

    The next broker may clean the same log: an orphan would remove and overwrite the files of its cleaner.
    """
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_the_broker, daemon=True).start()
    main(sys.argv[1:])
