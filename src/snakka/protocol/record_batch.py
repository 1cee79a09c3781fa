"""The 61-byte header of a record batch (message format 2) as one unpack, and what may be changed in place.

The rule of this room: it never looks at a record. Base offset and leader epoch lie before the checksummed bytes, so the
leader stamps them into the producer's own bytes; the rest of a batch is changed only together with its checksum.

Messages of the formats 0 and 1 share the first 17 bytes (offset, size, ..., magic), which is how they are recognised.
Kafka 4 refuses them in a produce request with INVALID_RECORD: `single_produced_batch` answers as it does.
"""

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from snakka.protocol.checksum import crc32c
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError

Bytes = bytes | bytearray | memoryview

HEADER_SIZE = 61
MAGIC = 2
MAGIC_POSITION = 16
SIZE_PREFIX = 12  # base offset and length: what `length` itself does not count
CRC_POSITION = 17
CHECKSUMMED_FROM = 21

COMPRESSION_MASK = 0x07
LOG_APPEND_TIME_BIT = 0x08
TRANSACTIONAL_BIT = 0x10
CONTROL_BIT = 0x20
DELETE_HORIZON_BIT = 0x40

NO_TIMESTAMP = -1
NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
NO_SEQUENCE = -1
NO_LEADER_EPOCH = -1

# The smallest thing that Kafka takes for a message of any format, counted after its size field.
MIN_OLD_MESSAGE_BYTES = 14

_SEQUENCE_VALUES = 1 << 31
HEADER = Struct(">qiibIhiqqqhii")
_BASE_OFFSET = Struct(">q")
_LENGTH = Struct(">i")
_LEADER_EPOCH = Struct(">i")
_CRC = Struct(">I")
_ATTRIBUTES = Struct(">h")
_MAX_TIMESTAMP = Struct(">q")
_MAX_TIMESTAMP_POSITION = 35


class BatchHeader(NamedTuple):
    """The header as it is in the bytes; everything else is derived when asked for."""

    base_offset: int
    length: int
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody misses

    @property
    def size(self) -> int:
        """Bytes of the whole batch, header included."""
        return self.length + SIZE_PREFIX

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def compression(self) -> int:
        """The codec's number; compare with `Compression`. Five to seven name no codec."""
        return self.attributes & COMPRESSION_MASK

    @property
    def uses_log_append_time(self) -> bool:
        return self.attributes & LOG_APPEND_TIME_BIT != 0

    @property
    def is_transactional(self) -> bool:
        return self.attributes & TRANSACTIONAL_BIT != 0

    @property
    def is_control(self) -> bool:
        return self.attributes & CONTROL_BIT != 0

    @property
    def delete_horizon_ms(self) -> int | None:
        """When the tombstones or the marker inside may go (KIP-534); it takes the place of the base timestamp."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON_BIT else None

    @property
    def has_producer_id(self) -> bool:
        return self.producer_id > NO_PRODUCER_ID

    @property
    def last_sequence(self) -> int:
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return increment_sequence(self.base_sequence, self.last_offset_delta)


def increment_sequence(sequence: int, by: int) -> int:
    """Sequence numbers go from 2^31 - 1 back to 0."""
    return (sequence + by) % _SEQUENCE_VALUES


def decrement_sequence(sequence: int, by: int) -> int:
    return (sequence - by) % _SEQUENCE_VALUES


def read_header(buf: Bytes, pos: int = 0) -> BatchHeader:
    """The header at `pos`. ProtocolError if its 61 bytes are not all there; magic and length are not judged."""
    if pos < 0 or len(buf) - pos < HEADER_SIZE:
        raise ProtocolError(f"a batch header needs {HEADER_SIZE} bytes, there are {max(len(buf) - pos, 0)}")
    # As BatchHeader._make does, without its layer of Python: this is on every path.
    return tuple.__new__(BatchHeader, HEADER.unpack_from(buf, pos))


def read_magic(buf: Bytes, pos: int = 0) -> int:
    """The format of the message or batch at `pos`: 2 for a batch, 0 or 1 for the old message formats."""
    if pos < 0 or len(buf) - pos <= MAGIC_POSITION:
        raise ProtocolError("the bytes end before the magic byte")
    return int(buf[pos + MAGIC_POSITION])


def iter_headers(buf: Bytes, start: int = 0) -> Iterator[tuple[int, BatchHeader]]:
    """(position, header) of each batch; ProtocolError if one is not format 2 or is not all there."""
    end = len(buf)
    pos = start
    while pos < end:
        if read_magic(buf, pos) != MAGIC:
            raise ProtocolError(f"message format {read_magic(buf, pos)} at {pos} is not a record batch")
        header = read_header(buf, pos)
        if header.length < HEADER_SIZE - SIZE_PREFIX:
            raise ProtocolError(f"the batch at {pos} says {header.size} bytes, less than its header")
        if header.size > end - pos:
            raise ProtocolError(f"the batch at {pos} says {header.size} bytes, there are {end - pos}")
        yield pos, header
        pos += header.size


def compute_crc(buf: Bytes, pos: int, size: int) -> int:
    """The checksum of the batch of `size` bytes at `pos`."""
    return crc32c(memoryview(buf)[pos + CHECKSUMMED_FROM : pos + size])


def crc_matches(buf: Bytes, pos: int, header: BatchHeader) -> bool:
    """False also when the batch is not all there or is smaller than a header."""
    size = header.length + SIZE_PREFIX
    if size < HEADER_SIZE or size > len(buf) - pos:
        return False
    return crc32c(memoryview(buf)[pos + CHECKSUMMED_FROM : pos + size]) == header.crc


def stamp(buf: bytearray | memoryview, pos: int, base_offset: int, leader_epoch: int) -> None:
    """Give the batch its place in the log, in place; the checksum does not cover these fields."""
    _BASE_OFFSET.pack_into(buf, pos, base_offset)
    _LEADER_EPOCH.pack_into(buf, pos + SIZE_PREFIX, leader_epoch)


def stamp_log_append_time(buf: bytearray | memoryview, pos: int, timestamp_ms: int) -> None:
    """Every record of the batch now has this time; the checksum is computed again."""
    (attributes,) = _ATTRIBUTES.unpack_from(buf, pos + CHECKSUMMED_FROM)
    _ATTRIBUTES.pack_into(buf, pos + CHECKSUMMED_FROM, attributes | LOG_APPEND_TIME_BIT)
    _MAX_TIMESTAMP.pack_into(buf, pos + _MAX_TIMESTAMP_POSITION, timestamp_ms)
    stamp_crc(buf, pos)


def stamp_crc(buf: bytearray | memoryview, pos: int) -> None:
    """Write the checksum of the batch at `pos` as it now is."""
    (length,) = _LENGTH.unpack_from(buf, pos + 8)
    _CRC.pack_into(buf, pos + CRC_POSITION, compute_crc(buf, pos, length + SIZE_PREFIX))


def single_produced_batch(records: Bytes, api_version: int) -> BatchHeader:
    """The header of the one batch that a produce request carries for a partition; ApiError as Kafka 4.3 answers.

    A batch cut off at the end is as if it were not there, so bytes after `header.size` are not part of the batch.
    The checksum is the log's business.
    """
    about = f"Produce requests with version {api_version}"
    size = _whole_message_size(records, 0)
    if size is None:
        raise ApiError(ErrorCode.INVALID_RECORD, f"{about} must have one record batch per partition")
    if records[MAGIC_POSITION] != MAGIC:
        raise ApiError(ErrorCode.INVALID_RECORD, f"{about} may only contain batches of format 2")
    if size < HEADER_SIZE:
        raise ApiError(
            ErrorCode.CORRUPT_MESSAGE, f"a record batch of {size} bytes is smaller than its header"
        )
    header = BatchHeader._make(HEADER.unpack_from(records))
    if api_version < 7 and header.compression == Compression.ZSTD:
        raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"{about} may not use zstd")
    if len(records) > size and _whole_message_size(records, size) is not None:
        raise ApiError(ErrorCode.INVALID_RECORD, f"{about} may only have one record batch per partition")
    return header


def _whole_message_size(buf: Bytes, pos: int) -> int | None:
    """Size of the message or batch at `pos`; None if it is cut off, CORRUPT_MESSAGE if it cannot be one."""
    available = len(buf) - pos
    if available < SIZE_PREFIX:
        return None
    length: int = _LENGTH.unpack_from(buf, pos + 8)[0]
    if length < MIN_OLD_MESSAGE_BYTES:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"a record of {length} bytes is smaller than any can be")
    if available <= MAGIC_POSITION:
        return None
    magic = buf[pos + MAGIC_POSITION]
    if magic > MAGIC:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"no record format has the magic {magic}")
    return length + SIZE_PREFIX if length + SIZE_PREFIX <= available else None
