"""Reading the records inside a batch: for clients, coordinators, the metadata log and the cleaner, not for Fetch.

The rule of this room: a valid checksum proves nothing about what is inside. Every walk is bounded by the bytes at
hand, stops at the first defect with a ProtocolError, and decompresses no more than it was allowed to.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from snakka.protocol.compression import decompress
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import (
    HEADER_SIZE,
    MAGIC,
    NO_TIMESTAMP,
    BatchHeader,
    Bytes,
    read_header,
)
from snakka.protocol.varints import read_varint, read_varlong

MAX_OUTPUT_BYTES = 256 * 1024 * 1024

# Length, attributes, two deltas, two sizes and a count of headers.
MIN_RECORD_BYTES = 7
_ZIGZAG = tuple((byte >> 1) ^ -(byte & 1) for byte in range(128))

Headers = tuple[tuple[str, bytes | None], ...]


class Record(NamedTuple):
    """One record with its deltas resolved. An offset of -1 asks the builder for the next one.

    Header names are text with surrogate escapes, so that names that are not UTF-8 survive a round trip.
    """

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    attributes: int = 0


class RecordSpan(NamedTuple):
    """Where a record lies in the plain body, and the little that compaction wants to know of it.

    `start` to `end` is the whole record; `delta` to `rest` is its timestamp delta, the one part that a new base
    timestamp changes; the value lies at `value` and its size is -1 if there is none.
    """

    offset: int
    timestamp: int
    key: bytes | None
    value_size: int
    start: int
    delta: int
    rest: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class RecordError:
    """A record that the leader refuses: its place in the batch, the code and the reason."""

    index: int
    code: ErrorCode
    message: str


class ValidatedRecords(NamedTuple):
    """What a walk over a produced batch found."""

    errors: list[RecordError]
    max_timestamp: int
    offset_of_max_timestamp: int
    # False: the records' offset deltas are not 0, 1, 2, ...; Kafka then numbers them anew (`batch_builder.renumber`).
    is_dense: bool


def plain_body(batch: Bytes, header: BatchHeader, max_output: int = MAX_OUTPUT_BYTES) -> bytes:
    """The records of the batch at the start of `batch`, decompressed."""
    if header.magic != MAGIC:
        raise ProtocolError(f"message format {header.magic} is not a record batch")
    if header.size < HEADER_SIZE or header.size > len(batch):
        raise ProtocolError(f"a batch says {header.size} bytes, there are {len(batch)}")
    if header.count < 0:
        raise ProtocolError(f"a batch says {header.count} records")
    if header.count == 0:
        # The cleaner leaves empty batches behind; what compressed nothing would be is nobody's business.
        return b""
    # As bytes, because a walk indexes them one by one, and no other type is as quick at that.
    return bytes(decompress(header.compression, memoryview(batch)[HEADER_SIZE : header.size], max_output))


def read_records(batch: Bytes, *, max_output: int = MAX_OUTPUT_BYTES) -> Iterator[Record]:
    """The records of the one batch at the start of `batch`, one after the other."""
    header = read_header(batch)
    body = plain_body(batch, header, max_output)
    for span in walk(body, header):
        yield _whole_record(body, span)


def walk(body: bytes, header: BatchHeader) -> Iterator[RecordSpan]:
    """The spans of the plain body's records; values are skipped over and headers not looked at."""
    size = len(body)
    if header.count * MIN_RECORD_BYTES > size:
        raise ProtocolError(f"{header.count} records do not fit into {size} bytes")
    base_offset = header.base_offset
    base_timestamp = header.base_timestamp
    append_time = header.max_timestamp if header.uses_log_append_time else None
    pos = 0
    try:
        for _ in range(header.count):
            start = pos
            length, pos = read_varint(body, pos)
            end = pos + length
            if length < 0 or end > size:
                raise ProtocolError(f"a record says {length} bytes, there are {size - pos}")
            delta = pos + 1
            timestamp, rest = read_varlong(body, delta)
            offset, pos = read_varint(body, rest)
            # Nearly every key is shorter than 64 bytes, and its size one byte: not worth a call.
            key_size = body[pos]
            if key_size < 128:
                key_size, pos = _ZIGZAG[key_size], pos + 1
            else:
                key_size, pos = read_varint(body, pos)
            key: bytes | None = None
            if key_size >= 0:
                if key_size > end - pos:
                    raise ProtocolError(f"a key says {key_size} bytes, its record has {end - pos} left")
                key = body[pos : pos + key_size]
                pos += key_size
            value_size, pos = read_varint(body, pos)
            # The count of headers needs one more byte.
            if pos >= end or value_size >= end - pos:
                raise ProtocolError(f"a value says {value_size} bytes, its record has {end - pos} left")
            timestamp = base_timestamp + timestamp if append_time is None else append_time
            yield RecordSpan(base_offset + offset, timestamp, key, value_size, start, delta, rest, pos, end)
            pos = end
    except IndexError:
        raise ProtocolError("a record is cut off") from None
    if pos != size:
        raise ProtocolError(f"{size - pos} bytes are left after the last record")


def _whole_record(body: bytes, span: RecordSpan) -> Record:
    """The record of a span that `walk` has judged."""
    offset, timestamp, key, value_size, _, delta, _, pos, end = span
    value: bytes | None = None
    if value_size >= 0:
        value = body[pos : pos + value_size]
        pos += value_size
    headers: Headers = ()
    if body[pos] or pos + 1 != end:
        headers = read_headers(body, pos, end)
    return Record(offset, timestamp, key, value, headers, body[delta - 1])


def read_headers(body: bytes, pos: int, end: int) -> Headers:
    """The headers, their count before them, that lie from `pos` to `end` and no further."""
    count, pos = read_varint(body, pos)
    if not 0 <= count <= end - pos:
        raise ProtocolError(f"a record says {count} headers in {end - pos} bytes")
    headers: list[tuple[str, bytes | None]] = []
    for _ in range(count):
        name_size, pos = read_varint(body, pos)
        if not 0 <= name_size <= end - pos:
            raise ProtocolError(f"a header's name says {name_size} bytes, its record has {end - pos} left")
        name = body[pos : pos + name_size].decode("utf-8", "surrogateescape")
        value_size, pos = read_varint(body, pos + name_size)
        if value_size > end - pos:
            raise ProtocolError(f"a header's value says {value_size} bytes, its record has {end - pos} left")
        headers.append((name, body[pos : pos + value_size] if value_size >= 0 else None))
        pos += max(value_size, 0)
    if pos != end:
        raise ProtocolError(f"a record says it ends at {end}, its content ends at {pos}")
    return tuple(headers)


def validate_records(
    batch: Bytes,
    *,
    compacted: bool,
    earliest_ms: int | None = None,
    latest_ms: int | None = None,
    max_output: int = MAX_OUTPUT_BYTES,
) -> ValidatedRecords:
    """Judge each record of a produced batch as Kafka's leader does; ProtocolError if the body is garbage.

    A compacted topic wants keys (INVALID_RECORD). With CreateTime a record's time must lie within the bounds, unless it
    has none (INVALID_TIMESTAMP).
    """
    header = read_header(batch)
    body = plain_body(batch, header, max_output)
    errors: list[RecordError] = []
    max_timestamp = NO_TIMESTAMP
    offset_of_max = -1
    is_dense = True
    for index, span in enumerate(walk(body, header)):
        # A walk alone does not look at the headers; here garbage is still the producer's to hear about.
        _whole_record(body, span)
        if span.offset - header.base_offset != index:
            is_dense = False
        if span.timestamp > max_timestamp:
            max_timestamp, offset_of_max = span.timestamp, span.offset
        if compacted and span.key is None:
            errors.append(
                RecordError(
                    index, ErrorCode.INVALID_RECORD, "Compacted topic cannot accept message without key"
                )
            )
        elif _is_outside(span.timestamp, earliest_ms, latest_ms):
            errors.append(
                RecordError(
                    index,
                    ErrorCode.INVALID_TIMESTAMP,
                    f"timestamp {span.timestamp} is outside [{earliest_ms}, {latest_ms}]",
                )
            )
    return ValidatedRecords(errors, max_timestamp, offset_of_max, is_dense)


def _is_outside(timestamp: int, earliest_ms: int | None, latest_ms: int | None) -> bool:
    if timestamp == NO_TIMESTAMP:
        return False
    return (earliest_ms is not None and timestamp < earliest_ms) or (
        latest_ms is not None and timestamp > latest_ms
    )
