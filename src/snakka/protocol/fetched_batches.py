"""A partition's part of a fetch answer, batch by batch: what a reader of records is given, and nothing else.

The rule of this room: it looks at batches and never at records (except a marker's one). Left out are control batches,
batches of aborted transactions for those who asked for committed records, and what lies outside the wanted offsets. An
answer may end within a batch; that batch is fetched again.
"""

from collections.abc import Iterable, Iterator
from struct import Struct
from typing import NamedTuple, Protocol

from snakka.protocol.batch_reader import MAX_OUTPUT_BYTES, plain_body, walk
from snakka.protocol.checksum import crc32c
from snakka.protocol.compression import decompress
from snakka.protocol.control_records import ControlType, read_control_key
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import (
    CHECKSUMMED_FROM,
    COMPRESSION_MASK,
    CONTROL_BIT,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME_BIT,
    MAGIC,
    MAGIC_POSITION,
    SIZE_PREFIX,
    TRANSACTIONAL_BIT,
    BatchHeader,
    Bytes,
)

MAX_OFFSET = (1 << 63) - 1
# A compressed batch of more bytes may take milliseconds to unpack; of a producer's usual ones none is larger.
SLOW_BYTES = 16 * 1024

_read_length_and_attributes = Struct(">8xi9xH").unpack_from
_NOWHERE = 1 << 62
_OF_THE_CLUSTER = TRANSACTIONAL_BIT | CONTROL_BIT
_OTHER_FORMAT = f"records of format {{}} cannot be read, only those of format {MAGIC}"


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


class RunTaker(Protocol):
    """Reads whole batches itself, as far as they are plain."""

    def add_run(
        self,
        records: Bytes,
        position: int,
        first: int,
        stop: int,
        most_bytes: int,
        largest_body: int,
        check_crc: bool,
        has_aborted: bool,
        /,
    ) -> tuple[int, int, int]:
        """The batches from `position` on that are right, not compressed, no markers, and not all outside the offsets.

        With `has_aborted` those of transactions are not taken either. What is given: the position after them, the offset
        to go on with, and how many bytes of records they have: `most_bytes`, or as little more as the last one makes it.
        """


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
        self._slow_from = 0  # from here on only markers lie before the next batch that is slow to unpack
        self._slow_at = -1
        self._unpacked_at = -1
        self._unpacked: Bytes | None = None

    @property
    def is_slow(self) -> bool:
        """Whether the next batch is so large that `unpack` should be called in a thread first."""
        if self._slow_at < self._position:
            self._find_slow()
        return self._slow_from <= self._position and self._unpacked_at != self._slow_at

    def unpack(self) -> None:
        """Decompress the batch that `is_slow` is about, ahead of its turn; may run in a thread, one at a time.

        A batch that can't be decompressed is left as it is: whoever asks for it hears of it.
        """
        at = self._slow_at
        length, attributes = _read_length_and_attributes(self._records, at)
        body = self._records[at + HEADER_SIZE : at + SIZE_PREFIX + length]
        try:
            self._unpacked = decompress(attributes & COMPRESSION_MASK, body, self._max_output)
        except ProtocolError:
            self._unpacked = None
        self._unpacked_at = at

    def forget_unpacked(self) -> None:
        """Free the memory of what was unpacked ahead of its turn."""
        self._unpacked_at, self._unpacked = -1, None

    def _find_slow(self) -> None:
        position, size = self._position, len(self._records)
        self._slow_from = self._slow_at = _NOWHERE
        plain_until = position
        while size - position > SLOW_BYTES:
            length, attributes = _read_length_and_attributes(self._records, position)
            end = position + SIZE_PREFIX + length
            if end > size or end - position < HEADER_SIZE:
                return
            if attributes & COMPRESSION_MASK and end - position > SLOW_BYTES:
                self._slow_from, self._slow_at = plain_until, position
                return
            position = end
            if not attributes & CONTROL_BIT:
                plain_until = end

    def read_run(self, taker: RunTaker, most_bytes: int) -> int:
        """Let the taker read what comes next, and say how many bytes it took; none if that is for `next` to judge."""
        has_aborted = bool(self._aborted or self._aborted_producers)
        position, next_offset, taken = taker.add_run(
            self._records,
            self._position,
            self._first,
            self._stop,
            most_bytes,
            self._max_output,
            self._check_crc,
            has_aborted,
        )
        self._position = position
        self.next_offset = max(self.next_offset, min(next_offset, self._stop))
        return taken

    def __iter__(self) -> Iterator[PlainBatch]:
        return self

    def __next__(self) -> PlainBatch:
        # Written with few calls, because a batch may be as small as one record.
        records = self._records
        while len(records) - self._position >= HEADER_SIZE:
            position = self._position
            header = tuple.__new__(BatchHeader, HEADER.unpack_from(records, position))
            end = position + SIZE_PREFIX + header.length
            if (
                header.magic != MAGIC
                or end - position < HEADER_SIZE
                or header.base_offset < 0
                or header.count < 0
            ):
                raise _no_batch(header)
            if header.base_offset >= self._stop:
                self.next_offset = max(self.next_offset, self._stop)  # there is nothing up to there
                raise StopIteration
            if end > len(records):
                raise StopIteration
            if self._check_crc and crc32c(records[position + CHECKSUMMED_FROM : end]) != header.crc:
                raise ProtocolError(f"the checksum of the batch at offset {header.base_offset} is wrong")
            last_offset = header.base_offset + header.last_offset_delta
            is_left_out = header.attributes & _OF_THE_CLUSTER and self._is_left_out(
                header, records[position:end]
            )
            if is_left_out or not header.count or last_offset < self._first:
                batch = None
            else:
                batch = self._plain(header, position, records[position + HEADER_SIZE : end])
            self._position = end
            self.next_offset = max(self.next_offset, min(last_offset + 1, self._stop))
            if batch is not None:
                return batch
        rest = records[self._position :]
        if len(rest) > MAGIC_POSITION and rest[MAGIC_POSITION] != MAGIC:
            raise ProtocolError(_OTHER_FORMAT.format(rest[MAGIC_POSITION]))
        raise StopIteration

    def _plain(self, header: BatchHeader, position: int, body: memoryview) -> PlainBatch:
        attributes = header.attributes
        plain: Bytes = body
        if self._unpacked is not None and self._unpacked_at == position:
            plain = self._unpacked
            self.forget_unpacked()
        elif attributes & COMPRESSION_MASK or len(body) > self._max_output:
            plain = decompress(attributes & COMPRESSION_MASK, body, self._max_output)
        append_time = header.max_timestamp if attributes & LOG_APPEND_TIME_BIT else None
        base = header.base_offset, header.base_timestamp
        return tuple.__new__(PlainBatch, (plain, header.count, *base, append_time, self._first, self._stop))

    def _is_left_out(self, header: BatchHeader, batch: memoryview) -> bool:
        """Whether the batch is for the cluster only, or of an aborted transaction, which its marker ends."""
        if header.is_transactional:
            while self._aborted and self._aborted[-1][0] <= header.last_offset:
                self._aborted_producers.add(self._aborted.pop()[1])
        if header.producer_id not in self._aborted_producers:
            return header.is_control
        if header.is_control and self._control_type(header, batch) == ControlType.ABORT:
            self._aborted_producers.discard(header.producer_id)
        return True

    def _control_type(self, header: BatchHeader, batch: memoryview) -> int | None:
        """The kind of the batch's one record; None if the cleaner has taken it."""
        span = next(walk(plain_body(batch, header, self._max_output), header), None)
        return None if span is None else read_control_key(span.key)


def _no_batch(header: BatchHeader) -> ProtocolError:
    if header.magic != MAGIC:
        return ProtocolError(_OTHER_FORMAT.format(header.magic))
    if header.size < HEADER_SIZE:
        return ProtocolError(f"a batch says {header.size} bytes, less than its header")
    return ProtocolError(f"a batch says {header.count} records from offset {header.base_offset} on")
