"""A partition's part of a fetch answer, batch by batch: what a reader of records is given, and nothing else.

The rule of this room: it looks at batches and never at records (except a marker's one). Left out are control batches,
batches of aborted transactions for those who asked for committed records, and what lies outside the wanted offsets. An
answer may end within a batch; that batch is fetched again.
"""

from collections.abc import Iterable, Iterator
from struct import Struct
from typing import NamedTuple

from snakka.protocol.batch_reader import MAX_OUTPUT_BYTES, plain_body, walk
from snakka.protocol.compression import decompress
from snakka.protocol.control_records import ControlType, read_control_key
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import (
    HEADER_SIZE,
    MAGIC,
    MAGIC_POSITION,
    SIZE_PREFIX,
    BatchHeader,
    Bytes,
    crc_matches,
    read_header,
)

MAX_OFFSET = (1 << 63) - 1

_LENGTH = Struct(">i")


class PlainBatch(NamedTuple):
    """A batch's records, decompressed, and what is needed to read them. The compiled code takes it apart by position."""

    body: Bytes
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody misses
    base_offset: int
    base_timestamp: int
    # With LogAppendTime the time of all records; None: each has its own.
    append_time: int | None = None
    # Records before `first`, or at `stop` and after it, are read and left out.
    first: int = 0
    stop: int = MAX_OFFSET


class FetchedBatches:
    """Iterates over the batches of `records` from `from_offset` up to, without, `up_to`.

    `aborted` is what the answer to a fetch with read_committed says: (producer id, first offset) of each transaction
    that was aborted. `next_offset` is at any moment where to go on after all that was handed out so far, batches left
    out included; if it has not moved at the end, the answer had no whole batch in it. ProtocolError for garbage and for
    a wrong checksum; what came before was handed out, and `next_offset` is where the trouble lies.
    """

    def __init__(
        self,
        records: Bytes,
        *,
        from_offset: int,
        up_to: int | None = None,
        aborted: Iterable[tuple[int, int]] = (),
        check_crc: bool = True,
        max_output: int = MAX_OUTPUT_BYTES,
    ) -> None:
        self.next_offset = from_offset
        self._records = memoryview(records)
        self._position = 0
        self._first = from_offset
        self._stop = MAX_OFFSET if up_to is None else up_to
        # The last is the next to begin.
        self._aborted = sorted(((offset, producer) for producer, offset in aborted), reverse=True)
        self._aborted_producers: set[int] = set()
        self._check_crc = check_crc
        self._max_output = max_output

    def __iter__(self) -> Iterator[PlainBatch]:
        return self

    def __next__(self) -> PlainBatch:
        while (header := self._next_header()) is not None:
            position = self._position
            if self._check_crc and not crc_matches(self._records, position, header):
                raise ProtocolError(f"the checksum of the batch at offset {header.base_offset} is wrong")
            batch = self._judge(header, position)
            self._position = position + header.size
            self.next_offset = max(self.next_offset, min(header.next_offset, self._stop))
            if batch is not None:
                return batch
        raise StopIteration

    def _next_header(self) -> BatchHeader | None:
        """None at the end: of the bytes, of the whole batches, or of the wanted offsets."""
        position = self._position
        available = len(self._records) - position
        if available <= MAGIC_POSITION:
            return None
        magic = self._records[position + MAGIC_POSITION]
        if magic != MAGIC:
            raise ProtocolError(f"records of format {magic} cannot be read, only those of format {MAGIC}")
        (length,) = _LENGTH.unpack_from(self._records, position + 8)
        size = length + SIZE_PREFIX
        if size < HEADER_SIZE:
            raise ProtocolError(f"a batch says {size} bytes, less than its header")
        if size > available:
            return None
        header = read_header(self._records, position)
        if header.base_offset < 0:
            raise ProtocolError(f"a batch says that it begins at offset {header.base_offset}")
        return header if header.base_offset < self._stop else None

    def _judge(self, header: BatchHeader, position: int) -> PlainBatch | None:
        """The batch if it is wanted."""
        if header.is_transactional and self._is_aborted(header, position):
            return None
        if header.is_control or not header.count or header.last_offset < self._first:
            return None
        if header.count < 0:
            raise ProtocolError(f"a batch says {header.count} records")
        body = self._records[position + HEADER_SIZE : position + header.size]
        return PlainBatch(
            decompress(header.compression, body, self._max_output),
            header.count,
            header.base_offset,
            header.base_timestamp,
            header.max_timestamp if header.uses_log_append_time else None,
            self._first,
            self._stop,
        )

    def _is_aborted(self, header: BatchHeader, position: int) -> bool:
        """Whether the batch belongs to an aborted transaction; the transaction's own marker ends it."""
        while self._aborted and self._aborted[-1][0] <= header.last_offset:
            self._aborted_producers.add(self._aborted.pop()[1])
        if header.producer_id not in self._aborted_producers:
            return False
        if header.is_control:
            if self._control_type(header, position) == ControlType.ABORT:
                self._aborted_producers.discard(header.producer_id)
            return False
        return True

    def _control_type(self, header: BatchHeader, position: int) -> int | None:
        """The kind of the batch's one record; None if the cleaner has taken it."""
        batch = self._records[position : position + header.size]
        span = next(walk(plain_body(batch, header, self._max_output), header), None)
        return None if span is None else read_control_key(span.key)
