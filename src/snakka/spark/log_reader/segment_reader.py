"""What an executor does: a range of offsets out of the log files, as Arrow columns.

Large pieces of the file are read, checked by header, and decoded by compiled code. Only a piece in which something is wrong
is taken batch by batch, to keep what is right in it.
Rule: a row is given only if its batch's checksum is right and its offsets follow those before it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches
from snakka.protocol.record_batch import HEADER_SIZE, BatchHeader, Bytes, crc_matches, read_header
from snakka.protocol.record_columns import read_columns
from snakka.spark.columns import MOST_ROWS, ChosenColumns
from snakka.spark.log_reader.damage import Damages, is_plausible, next_batch, why_no_batch
from snakka.spark.log_reader.header_walk import walk_from_offset
from snakka.spark.log_reader.piece_check import check_headers, is_contradicted
from snakka.spark.log_reader.segment_ranges import LogRange, aborted_between
from snakka.spark.log_reader.segments import (
    ChangingDirectoryError,
    Landmarks,
    SegmentFile,
    find_segments,
    open_segment,
)
from snakka.storage.files import File
from snakka.storage.partition_metadata import read_topic_id
from snakka.storage.read_only_files import ReadOnlyFile, ReadOnlyFiles

if TYPE_CHECKING:
    import pyarrow

    Rows = Iterator[pyarrow.RecordBatch]

# Small enough to stay in a processor's cache from the file to the columns.
PIECE_BYTES = 1 << 20
# Decoded at once; Spark is at its best with batches of about this size.
_COLUMN_BYTES = 1 << 20
_LOOK_AHEAD_BYTES = 1 << 20
_NO_END = 1 << 63
# How often a directory is looked at whose files are just being replaced.
_LOOKS = 20


class RangeReader:
    """Reads one range, once."""

    def __init__(self, wanted: LogRange, columns: ChosenColumns, damages: Damages) -> None:
        self._range = wanted
        self._columns = columns
        self._damages = damages
        self._files = ReadOnlyFiles()
        # Up to here everything was given, or told as lost.
        self._next_offset = wanted.first_offset

    def batches(self) -> "Rows":
        """All rows, as Spark wants them."""
        wanted = self._range
        segment, position = wanted.segment, wanted.position
        file = open_segment(self._files, segment)
        while self._next_offset < wanted.end_offset:
            if file is None:
                found = self._segment_of_next()
                if found is None:
                    break
                segment, file = found
                position = self._position_in(file, segment)
            yield from _SegmentReading(self, file, segment).rows(position)
            file.close()
            file = None
            if segment.end_offset is None:
                break
            self._advance(segment.end_offset)
        if self._next_offset < wanted.end_offset:
            self._lost(wanted.end_offset)

    def decoded(self, records: Bytes, up_to: int) -> "Rows":
        """The rows of whole batches; ProtocolError for what is no record, or not the one that was written."""
        wanted = self._range
        aborted = aborted_between(wanted.aborted, self._next_offset, up_to)
        batches = FetchedBatches(
            records,
            from_offset=self._next_offset,
            up_to=wanted.end_offset,
            aborted=[(each.producer_id, each.first_offset) for each in aborted],
        )
        while (columns := read_columns(batches, self._columns.names, _COLUMN_BYTES)) is not None:
            self._advance(columns.next_offset)
            if columns.rows:
                rows = self._columns.for_spark(columns.to_arrow(wanted.topic, wanted.partition))
                for start in range(0, len(rows), MOST_ROWS):
                    yield rows.slice(start, MOST_ROWS)
        self._advance(up_to)

    def _advance(self, offset: int) -> None:
        self._next_offset = max(self._next_offset, min(offset, self._range.end_offset))

    def _segment_of_next(self) -> "tuple[SegmentFile, ReadOnlyFile] | None":
        """Where to go on; the files may have been replaced or removed since the driver looked at them."""
        for _ in range(_LOOKS):
            segments = [
                each
                for each in find_segments(self._files, self._range.directory)
                if each.end_offset is None or each.end_offset > self._next_offset
            ]
            if not segments:
                return None
            file = open_segment(self._files, segments[0])
            if read_topic_id(self._files, self._range.directory) != self._range.topic_id:
                return None  # deleted, and another topic has its name
            if file is not None:
                base_offset = segments[0].base_offset
                if base_offset > self._next_offset:
                    self._lost(min(base_offset, self._range.end_offset))
                    self._advance(base_offset)
                return segments[0], file
        raise ChangingDirectoryError(f"{self._range.directory} does not come to rest")

    def _position_in(self, file: File, segment: SegmentFile) -> int:
        landmarks = Landmarks(self._files, segment)
        found = next(walk_from_offset(file, segment, landmarks, self._next_offset, self._damages), None)
        return file.size if found is None else found.position

    def _lost(self, end_offset: int) -> None:
        why = f"offsets {self._next_offset} to {end_offset - 1} are not in the log any more"
        self._damages.found(self._range.directory, 0, why)

    @property
    def stop(self) -> int:
        return self._range.end_offset

    @property
    def is_done(self) -> bool:
        return self._next_offset >= self._range.end_offset

    @property
    def piece_bytes(self) -> int:
        return min(PIECE_BYTES, self._range.size + HEADER_SIZE)

    @property
    def damages(self) -> Damages:
        return self._damages


class _SegmentReading:
    """The walk through one file: where it is, and which offset comes next at the earliest."""

    def __init__(self, reader: RangeReader, file: File, segment: SegmentFile) -> None:
        self._reader = reader
        self._file = file
        self._segment = segment
        self._end_offset = _NO_END if segment.end_offset is None else segment.end_offset
        self._lowest = segment.base_offset
        self._position = 0

    def rows(self, position: int) -> "Rows":
        """From `position`, where a batch begins, to the end of the range or of the file."""
        self._position = position
        size = self._file.size
        piece_bytes = self._reader.piece_bytes
        while self._position < size and not self._reader.is_done:
            data = self._file.pread(self._position, min(piece_bytes, size - self._position))
            is_rest = self._position + len(data) >= size
            checked = check_headers(data, self._lowest, self._end_offset, self._reader.stop, is_rest=is_rest)
            if not checked.needed and not checked.is_end:
                yield from self._one_by_one(self._position + len(data))
                continue
            try:
                yield from self._reader.decoded(memoryview(data)[: checked.size], checked.next_offset)
            except ProtocolError:
                yield from self._one_by_one(self._position + checked.size)
                continue
            if checked.is_end and not is_rest:
                return
            self._position += checked.size
            self._lowest = checked.next_offset
            piece_bytes = max(self._reader.piece_bytes, checked.needed)
            if checked.is_end:
                return

    def _one_by_one(self, until: int) -> "Rows":
        """The batches that begin before `until`: those that are right are given, the others told."""
        file, damages = self._file, self._reader.damages
        while self._position < until and not self._reader.is_done:
            header, why = self._judged()
            if header is not None and header.base_offset >= self._reader.stop:
                self._position = file.size
                return
            if header is not None:
                batch = file.pread(self._position, header.size)
                try:
                    yield from self._reader.decoded(batch, header.next_offset)
                except ProtocolError as error:
                    damages.found(file.path, self._position, f"records can't be read: {error}")
                self._position += header.size
                self._lowest = header.next_offset
                continue
            resumed = next_batch(file, self._position + 1, self._lowest, self._segment.end_offset)
            damages.found(file.path, self._position, why)
            self._position = file.size if resumed is None else resumed

    def _judged(self) -> tuple[BatchHeader | None, str]:
        """The batch at this place if it can be believed; else why not."""
        file, position = self._file, self._position
        head = file.pread(position, HEADER_SIZE)
        why = why_no_batch(head, self._lowest, self._segment.end_offset)
        if len(head) < HEADER_SIZE:
            return None, why
        header = read_header(head)
        if not is_plausible(header, self._lowest, self._segment.end_offset):
            return None, why
        if header.size > file.size - position:
            return None, why
        if not crc_matches(file.pread(position, header.size), 0, header):
            return None, f"the checksum of the batch at offset {header.base_offset} is wrong"
        rest = file.pread(position + header.size, _LOOK_AHEAD_BYTES)
        if header.base_offset != self._lowest and is_contradicted(header.next_offset, rest):
            return (
                None,
                f"a batch says offsets {header.base_offset} to {header.last_offset}, those after it say others",
            )
        return header, ""
