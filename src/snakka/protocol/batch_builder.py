"""Making record batches: for clients, coordinators, the metadata log, tests; and making them anew for the cleaner.

The rule of this room: whatever comes out has a right checksum, and offsets never change their meaning.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snakka.protocol.batch_reader import (
    MAX_OUTPUT_BYTES,
    Record,
    RecordSpan,
    plain_body,
    read_records,
)
from snakka.protocol.compression import Compression, compress
from snakka.protocol.control_records import ControlType, control_key, end_transaction_value
from snakka.protocol.record_batch import (
    COMPRESSION_MASK,
    CONTROL_BIT,
    DELETE_HORIZON_BIT,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME_BIT,
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
    read_header,
    stamp_crc,
)
from snakka.protocol.varints import read_varlong, varint

_NULL = varint(-1)
_NO_HEADERS = varint(0)


def build_batch(
    records: Iterable[Record],
    *,
    base_offset: int = 0,
    compression: Compression = Compression.NONE,
    level: int | None = None,
    leader_epoch: int = NO_LEADER_EPOCH,
    log_append_time_ms: int | None = None,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    is_transactional: bool = False,
    is_control: bool = False,
    delete_horizon_ms: int | None = None,
    last_offset: int | None = None,
) -> bytearray:
    """One batch of the records, in order. A record whose offset is -1 follows the one before it.

    `last_offset` is for a batch whose last records are gone; otherwise it is the last record's. With
    `log_append_time_ms` the batch, not its records, says when they came. Without any record the batch is the empty one
    that keeps a producer's sequence alive, and `last_offset` is required.
    """
    attributes = (
        compression
        | (log_append_time_ms is not None and LOG_APPEND_TIME_BIT)
        | (is_transactional and TRANSACTIONAL_BIT)
        | (is_control and CONTROL_BIT)
        | (delete_horizon_ms is not None and DELETE_HORIZON_BIT)
    )
    encoded = _encode(records, base_offset, delete_horizon_ms)
    if not encoded.count and last_offset is None:
        raise ValueError("an empty batch needs its last offset")
    header = BatchHeader(
        base_offset=base_offset,
        length=0,
        leader_epoch=leader_epoch,
        magic=MAGIC,
        crc=0,
        attributes=attributes,
        last_offset_delta=(encoded.last_offset if last_offset is None else last_offset) - base_offset,
        base_timestamp=encoded.base_timestamp,
        max_timestamp=encoded.max_timestamp if log_append_time_ms is None else log_append_time_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        count=encoded.count,
    )
    return _assemble(header, compress(compression, encoded.body, level) if encoded.count else b"")


class _Encoded(NamedTuple):
    body: bytes
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody misses
    last_offset: int
    base_timestamp: int
    max_timestamp: int


def _encode(records: Iterable[Record], base_offset: int, base_timestamp: int | None) -> _Encoded:
    """The records as a batch's body. Without a base timestamp the first record's is the base."""
    max_timestamp = NO_TIMESTAMP
    parts: list[bytes] = []
    offset = base_offset - 1
    count = 0
    for record_offset, timestamp, key, value, headers, attributes in records:
        if record_offset < 0:
            offset += 1
        elif record_offset > offset:
            offset = record_offset
        else:
            raise ValueError(f"offset {record_offset} does not follow {offset}")
        if base_timestamp is None:
            base_timestamp = timestamp
        if timestamp > max_timestamp:
            max_timestamp = timestamp
        rest = record_rest(offset - base_offset, key, value, encode_headers(headers))
        delta = varint(timestamp - base_timestamp)
        parts += (varint(1 + len(delta) + len(rest)), bytes((attributes,)), delta, rest)
        count += 1
    base = NO_TIMESTAMP if base_timestamp is None else base_timestamp
    return _Encoded(b"".join(parts), count, offset, base, max_timestamp)


def build_control_batch(
    kind: ControlType,
    value: bytes,
    *,
    timestamp: int,
    base_offset: int = 0,
    leader_epoch: int = NO_LEADER_EPOCH,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    is_transactional: bool = False,
) -> bytearray:
    """A batch of one control record."""
    return build_batch(
        [Record(base_offset, timestamp, control_key(kind), value)],
        base_offset=base_offset,
        leader_epoch=leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        is_transactional=is_transactional,
        is_control=True,
    )


def build_end_transaction(
    *,
    committed: bool,
    timestamp: int,
    producer_id: int,
    producer_epoch: int,
    coordinator_epoch: int,
    base_offset: int = 0,
    leader_epoch: int = NO_LEADER_EPOCH,
) -> bytearray:
    """The marker that ends a producer's transaction in a partition."""
    return build_control_batch(
        ControlType.COMMIT if committed else ControlType.ABORT,
        end_transaction_value(coordinator_epoch),
        timestamp=timestamp,
        base_offset=base_offset,
        leader_epoch=leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        is_transactional=True,
    )


def build_empty(header: BatchHeader) -> bytearray:
    """The batch without its records: offsets, producer and sequence stay, so that a producer's state can be read back."""
    attributes = header.attributes & ~(COMPRESSION_MASK | DELETE_HORIZON_BIT)
    return _assemble(header._replace(attributes=attributes, base_timestamp=NO_TIMESTAMP, count=0), b"")


def build_retained(
    header: BatchHeader,
    body: bytes,
    spans: Sequence[RecordSpan],
    *,
    delete_horizon_ms: int | None = None,
    level: int | None = None,
) -> bytearray:
    """The batch with only those of its records: every offset and time, first and last offset, and the codec stay.

    A delete horizon takes the place of the base timestamp, and so changes the records' deltas; otherwise the records
    are copied as they are.
    """
    if delete_horizon_ms is None or delete_horizon_ms == header.delete_horizon_ms:
        parts: list[Bytes] = [body[span.start : span.end] for span in spans]
    else:
        parts = []
        # With LogAppendTime a record's own delta is not used, and it is moved like the others.
        shift = header.base_timestamp - delete_horizon_ms
        for span in spans:
            delta = varint(read_varlong(body, span.delta)[0] + shift)
            rest = body[span.rest : span.end]
            parts.append(varint(1 + len(delta) + len(rest)))
            parts.append(bytes((body[span.delta - 1],)) + delta)
            parts.append(rest)
        header = header._replace(
            attributes=header.attributes | DELETE_HORIZON_BIT, base_timestamp=delete_horizon_ms
        )
    if not header.uses_log_append_time:
        header = header._replace(max_timestamp=max(span.timestamp for span in spans))
    plain = b"".join(parts)
    return _assemble(header._replace(count=len(spans)), compress(header.compression, plain, level))


def recompress(
    batch: Bytes, compression: Compression, level: int | None = None, *, max_output: int = MAX_OUTPUT_BYTES
) -> bytearray:
    """The batch with its records under another codec: `compression.type` of a topic that is not `producer`."""
    header = read_header(batch)
    body = plain_body(batch, header, max_output)
    header = header._replace(attributes=header.attributes & ~COMPRESSION_MASK | compression)
    return _assemble(header, compress(compression, body, level))


def renumber(batch: Bytes, *, max_output: int = MAX_OUTPUT_BYTES) -> bytearray:
    """The batch with its records at the offsets base, base + 1, and so on: for producers that number them badly."""
    header = read_header(batch)
    return build_batch(
        [record._replace(offset=-1) for record in read_records(batch, max_output=max_output)],
        base_offset=header.base_offset,
        compression=Compression(header.compression),
        leader_epoch=header.leader_epoch,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        is_transactional=header.is_transactional,
    )


def _assemble(header: BatchHeader, body: Bytes) -> bytearray:
    """Header and body together, with the right length and checksum."""
    batch = bytearray(HEADER_SIZE)
    HEADER.pack_into(batch, 0, *header._replace(length=HEADER_SIZE - SIZE_PREFIX + len(body)))
    batch += body
    stamp_crc(batch, 0)
    return batch


def record_rest(
    offset_delta: int, key: Bytes | None, value: Bytes | None, headers: bytes = _NO_HEADERS
) -> bytes:
    """A record from its offset delta on; the headers are encoded."""
    parts = (
        varint(offset_delta),
        _NULL if key is None else varint(len(key)),
        key or b"",
        _NULL if value is None else varint(len(value)),
        value or b"",
        headers,
    )
    return b"".join(parts)


def encode_headers(headers: Sequence[tuple[str, Bytes | None]]) -> bytes:
    """The headers with their count before them."""
    if not headers:
        return _NO_HEADERS
    parts: list[Bytes] = [varint(len(headers))]
    for name, value in headers:
        encoded = name.encode("utf-8", "surrogateescape")
        parts += (varint(len(encoded)), encoded)
        parts += (_NULL,) if value is None else (varint(len(value)), value)
    return b"".join(parts)
