"""A batch as a producer makes it: records are encoded as they come, and the header is put before them at the end.

The rule of this room: at any moment the size is known to the byte, so that a batch never becomes larger than was
agreed on, except by one record that is larger alone.
"""

from collections.abc import Sequence
from struct import Struct
from typing import Protocol

from snakka.protocol.batch_builder import encode_headers, record_rest
from snakka.protocol.compression import Compression, compress
from snakka.protocol.record_batch import (
    HEADER,
    HEADER_SIZE,
    MAGIC,
    NO_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    SIZE_PREFIX,
    TRANSACTIONAL_BIT,
    BatchHeader,
    Bytes,
    stamp_crc,
)
from snakka.protocol.record_engine import IS_COMPILED
from snakka.protocol.varints import varint, wrapped

if IS_COMPILED:
    from snakka.protocol import _records

PairedHeaders = Sequence[tuple[str, Bytes | None]]

_BEYOND_64_BITS = 1 << 63
_MAX_COUNT = (1 << 31) - 1
_PRODUCER = Struct(">qhi")
_PRODUCER_POSITION = 43


class EncodedBatch(Protocol):
    """The records of one batch, encoded."""

    @property
    def size(self) -> int:
        """Bytes of the batch so far, its header included, before any compression."""

    @property
    def count(self) -> int: ...

    @property
    def base_timestamp(self) -> int:
        """The first record's; -1 before there is one."""

    @property
    def max_timestamp(self) -> int:
        """The latest; -1 if there is none, or none later than that."""

    def take(self) -> bytearray:
        """The records with room for a batch's header before them: once."""


class RecordEncoder(EncodedBatch, Protocol):
    """A batch to which records are added one by one."""

    def append(self, timestamp: int, key: Bytes | None, value: Bytes | None, headers: PairedHeaders) -> bool:
        """Add a record. False, and nothing is added, if there are others and the limit does not allow it."""


class PythonEncoder:
    """The twin of native/encoder.c."""

    def __init__(self, limit: int, /) -> None:
        self.size = HEADER_SIZE
        self.count = 0
        self.base_timestamp = NO_TIMESTAMP
        self.max_timestamp = NO_TIMESTAMP
        self._limit = limit
        self._parts: list[bytes] | None = [bytes(HEADER_SIZE)]

    def append(self, timestamp: int, key: Bytes | None, value: Bytes | None, headers: PairedHeaders) -> bool:
        if self._parts is None:
            raise ValueError("the batch was taken")
        if not -_BEYOND_64_BITS <= timestamp < _BEYOND_64_BITS:
            raise OverflowError("a timestamp has 64 bits")
        delta = varint(wrapped(timestamp - self.base_timestamp)) if self.count else b"\x00"
        rest = record_rest(self.count, key, value, encode_headers(headers))
        # The zero byte is the record's attributes, of which none is in use.
        record = b"%b\x00%b%b" % (varint(1 + len(delta) + len(rest)), delta, rest)
        if self.count and (self.size + len(record) > self._limit or self.count == _MAX_COUNT):
            return False
        self._parts.append(record)
        self.size += len(record)
        if not self.count:
            self.base_timestamp = timestamp
        if timestamp > self.max_timestamp:
            self.max_timestamp = timestamp
        self.count += 1
        return True

    def take(self) -> bytearray:
        if self._parts is None:
            raise ValueError("the batch was taken")
        parts, self._parts = self._parts, None
        return bytearray().join(parts)


def new_encoder(limit: int) -> RecordEncoder:
    """An encoder for a batch of at most `limit` bytes before any compression, header included (`batch.size`)."""
    return _records.Encoder(limit) if IS_COMPILED else PythonEncoder(limit)


def finish_batch(
    encoded: EncodedBatch,
    *,
    compression: Compression = Compression.NONE,
    level: int | None = None,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    is_transactional: bool = False,
) -> bytearray:
    """The batch, ready to be sent; without compression its records are not copied."""
    count = encoded.count
    if not count:
        raise ValueError("a batch without records is never sent")
    batch = encoded.take()
    if compression != Compression.NONE:
        packed = compress(compression, memoryview(batch)[HEADER_SIZE:], level)
        batch = bytearray().join((bytes(HEADER_SIZE), packed))
    header = BatchHeader(
        base_offset=0,
        length=len(batch) - SIZE_PREFIX,
        leader_epoch=NO_LEADER_EPOCH,
        magic=MAGIC,
        crc=0,
        attributes=compression | (is_transactional and TRANSACTIONAL_BIT),
        last_offset_delta=count - 1,
        base_timestamp=encoded.base_timestamp,
        max_timestamp=encoded.max_timestamp,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        count=count,
    )
    HEADER.pack_into(batch, 0, *header)
    stamp_crc(batch, 0)
    return batch


def stamp_producer(batch: bytearray, producer_id: int, producer_epoch: int, base_sequence: int) -> None:
    """Give a finished batch its place in a producer's sequence, or another one, in place."""
    _PRODUCER.pack_into(batch, _PRODUCER_POSITION, producer_id, producer_epoch, base_sequence)
    stamp_crc(batch, 0)
