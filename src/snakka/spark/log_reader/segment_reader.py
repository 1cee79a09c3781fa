"""What an executor does: a range of offsets out of the log files, as Arrow columns.

Pieces of the file are read, checked by header, and decoded by compiled code into columns that grow until they are worth a
batch of Spark's. Only where something is wrong it is taken batch by batch, to keep what is right.
Rule: a row is given only if its batch's checksum is right and its offsets follow those before it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches
from snakka.protocol.record_batch import HEADER_SIZE, BatchHeader, Bytes, crc_matches, read_header
from snakka.protocol.record_columns import GatheredColumns
from snakka.spark.columns import MOST_BYTES, MOST_ROWS, ChosenColumns
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
PIECE_BYTES = 1 << 19
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
        # Up to here everything was given, or told as lost; what was gathered since then ends at `_gathered_to`.
        self._next_offset = self._gathered_to = wanted.first_offset
        self._gathered = GatheredColumns(columns.names)

    def batches(self) -> "Rows":
        """All rows, as Spark wants them."""
        wanted = self._range
        segment, position = wanted.segment, wanted.position
        file = open_segment(self._files, segment)
        if file is not None and file.pread(position, HEADER_SIZE) != wanted.beginning:
            file = None  # another file, which was given the number of the removed one
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

    def gather(self, records: Bytes, up_to: int) -> "Rows":
        """Take the rows of whole batches, and give them as soon as there are enough.

        ProtocolError for what is no record, or not the one that was written; `forget` before going on.
        """
        wanted = self._range
        aborted = aborted_between(wanted.aborted, self._gathered_to, up_to)
        batches = FetchedBatches(
            records,
            from_offset=self._gathered_to,
            up_to=wanted.end_offset,
            aborted=[(each.producer_id, each.first_offset) for each in aborted],
        )
        while self._gathered.add_next(batches, MOST_BYTES):
            self._gathered_to = batches.next_offset
            if self._gathered.size >= MOST_BYTES:
                yield from self.give()
        self._gathered_to = max(self._gathered_to, min(up_to, wanted.end_offset))

    def give(self) -> "Rows":
        """What was gathered; ProtocolError as above."""
        columns = self._gathered.finish(self._gathered_to)
        self._next_offset = self._gathered_to
        self.forget()
        if columns.rows:
            rows = self._columns.for_spark(columns.to_arrow(self._range.topic, self._range.partition))
            for start in range(0, len(rows), MOST_ROWS):
                yield rows.slice(start, MOST_ROWS)

    def forget(self) -> None:
        """What was gathered and not given."""
        self._gathered = GatheredColumns(self._columns.names)
        self._gathered_to = self._next_offset

    def _advance(self, offset: int) -> None:
        """Nothing is gathered just now."""
        self._next_offset = max(self._next_offset, min(offset, self._range.end_offset))
        self._gathered_to = self._next_offset

    def _segment_of_next(self) -> "tuple[SegmentFile, ReadOnlyFile] | None":
        """Where to go on; the files may have been replaced or removed since the driver looked at them."""
        for _ in range(_LOOKS):
            segments = [
                each
                for each in find_segments(self._files, self._range.directory)
                if each.end_offset is None or each.end_offset > self._next_offset
            ]
            if not segments or segments[0].base_offset > self._next_offset:
                segments = [*self._planned_segment(), *segments]
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

    def _planned_segment(self) -> Iterator[SegmentFile]:
        """The one with what comes next, if it has only been given the name that files have before they are removed."""
        for each in self._range.later_segments:
            is_next = each.base_offset <= self._next_offset and (
                each.end_offset is None or each.end_offset > self._next_offset
            )
            if is_next and open_segment(self._files, each) is not None:
                yield each

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
    def next_offset(self) -> int:
        """Up to here everything was given."""
        return self._next_offset

    @property
    def is_done(self) -> bool:
        """Whether all was given or gathered."""
        return self._gathered_to >= self._range.end_offset

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
        self._position = 0
        self._lowest = segment.base_offset
        # The same, before the first byte of which not everything was given.
        self._given = 0, self._lowest

    def rows(self, position: int) -> "Rows":
        """From `position`, where a batch begins, to the end of the range or of the file."""
        self._given = position, self._lowest
        self._position = position
        size = self._file.size
        piece_bytes = self._reader.piece_bytes
        is_end = False
        while self._position < size and not is_end and not self._reader.is_done:
            wanted = min(piece_bytes, size - self._position)
            data = self._file.pread(self._position, wanted)
            if len(data) < wanted:
                size = self._file.size = self._position + len(data)
                self._tell_of_cut()
            is_rest = self._position + len(data) >= size
            checked = check_headers(data, self._lowest, self._end_offset, self._reader.stop, is_rest=is_rest)
            if not checked.needed and not checked.is_end:
                yield from self._once_more(self._position + len(data))
                continue
            given_before = self._reader.next_offset
            try:
                yield from self._reader.gather(memoryview(data)[: checked.size], checked.next_offset)
            except ProtocolError:
                yield from self._once_more(self._position + checked.size)
                continue
            if self._reader.next_offset != given_before:
                self._given = self._position, self._lowest
            self._position += checked.size
            self._lowest = checked.next_offset
            piece_bytes = max(self._reader.piece_bytes, checked.needed)
            is_end = checked.is_end
        try:
            yield from self._reader.give()
        except ProtocolError:
            yield from self._once_more(self._position)

    def _tell_of_cut(self) -> None:
        """The file has become shorter: brokers cut off what their leader does not have, and room that was reserved.

        Of the last segment that says nothing; what is missing of the range is told at its end.
        """
        if not self._segment.is_last:
            self._reader.damages.found(self._file.path, self._file.size, "the file has been cut off here")

    def _once_more(self, until: int) -> "Rows":
        """What was gathered can't all be right, or what comes next: all that was not given is taken batch by batch."""
        self._reader.forget()
        self._position, self._lowest = self._given
        yield from self._one_by_one(until)
        self._given = self._position, self._lowest

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
                    yield from self._reader.gather(batch, header.next_offset)
                    yield from self._reader.give()
                except ProtocolError as error:
                    self._reader.forget()
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
