"""What must be true of a batch before the leader appends it, in Kafka's order and with Kafka's error codes.

Rule: a client's batch is judged by its header and its checksum. Its records are walked only where the topic needs it: a
compacted topic wants keys, and `compression.type` may want another codec. So what is in the log may be garbage inside
a valid checksum, and every reader of records must survive that.
"""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from snakka.protocol.batch_builder import recompress, renumber
from snakka.protocol.batch_reader import validate_records
from snakka.protocol.checksum import crc32c
from snakka.protocol.compression import Compression
from snakka.protocol.control_records import EndTransaction
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.record_batch import (
    CHECKSUMMED_FROM,
    COMPRESSION_MASK,
    CONTROL_BIT,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME_BIT,
    MAGIC,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    SIZE_PREFIX,
    BatchHeader,
    crc_matches,
    iter_headers,
    read_header,
    single_produced_batch,
    stamp,
    stamp_log_append_time,
)
from snakka.storage.files import Bytes
from snakka.storage.log_config import LogConfig
from snakka.storage.producer_replay import transaction_marker

# The version that refusals of malformed produce requests speak of.
_PRODUCE_VERSION = 13
# A number, because Python 3.11 takes as long to find an enum's member as to make a small object.
_LAST_CODEC = int(Compression.ZSTD)
_KEEP_CODEC = "producer"
_NO_COMPRESSION = "uncompressed"

# A batch that must be looked into may not unfold into more than this: a few kilobytes of zeros could hold up everybody.
_MOST_PLAIN_BYTES = 64 << 20
_MOST_EXPANSION = 16


class AppendOrigin(Enum):
    """Who appends, which decides what is checked."""

    CLIENT = "client"
    COORDINATOR = "coordinator"
    REPLICATION = "replication"
    RAFT_LEADER = "raft leader"


def checked_client_batch(
    records: memoryview, config: LogConfig, now_ms: int
) -> tuple[memoryview, BatchHeader]:
    """The one batch of a produce request as it goes into the log, but for its offset; ApiError if it may not go."""
    size = len(records)
    if size >= HEADER_SIZE:
        header = tuple.__new__(BatchHeader, HEADER.unpack_from(records))
        if header.length + SIZE_PREFIX != size or header.magic != MAGIC:
            header = single_produced_batch(records, _PRODUCE_VERSION)
            size = header.size
            records = records[:size]
    else:
        header = single_produced_batch(records, _PRODUCE_VERSION)
    if header.base_offset != 0:
        raise ApiError(ErrorCode.INVALID_RECORD, f"the base offset must be 0, not {header.base_offset}")
    if size > config.max_message_bytes or size > config.segment_bytes:
        check_size(size, config)
    if crc32c(records[CHECKSUMMED_FROM:]) != header.crc:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, "the checksum of the batch is wrong")
    _check_client_header(header)
    if header.attributes & LOG_APPEND_TIME_BIT:
        raise ApiError(ErrorCode.INVALID_TIMESTAMP, "a producer may not set LogAppendTime")
    if not config.log_append_time:
        _check_timestamps(header, config, now_ms)
    if config.compact or config.compression_type != _KEEP_CODEC:
        records = _walked(records, header, config, now_ms)
        header = read_header(records)
    elif records.readonly:
        records = memoryview(bytearray(records))
    if config.log_append_time:
        stamp_log_append_time(records, 0, now_ms)
        header = read_header(records)
    return records, header


def check_size(size: int, config: LogConfig) -> None:
    if size > config.max_message_bytes:
        raise ApiError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"the batch has {size} bytes, max.message.bytes is {config.max_message_bytes}",
        )
    if size > config.segment_bytes:
        raise ApiError(
            ErrorCode.RECORD_LIST_TOO_LARGE,
            f"the batch has {size} bytes, segment.bytes is {config.segment_bytes}",
        )


def _check_client_header(header: BatchHeader) -> None:
    count = header.count
    if count <= 0 or header.last_offset_delta != count - 1:
        raise ApiError(
            ErrorCode.INVALID_RECORD,
            f"{count} records cannot have offsets 0 to {header.last_offset_delta}",
        )
    attributes = header.attributes
    if attributes & CONTROL_BIT:
        raise ApiError(ErrorCode.INVALID_RECORD, "clients may not write control records")
    if header.producer_id > NO_PRODUCER_ID and header.base_sequence < 0:
        raise ApiError(
            ErrorCode.INVALID_RECORD,
            f"producer {header.producer_id} sent the sequence number {header.base_sequence}",
        )
    if attributes & COMPRESSION_MASK > _LAST_CODEC:
        raise ApiError(ErrorCode.INVALID_RECORD, f"no codec has the number {attributes & COMPRESSION_MASK}")


def _check_timestamps(header: BatchHeader, config: LogConfig, now_ms: int) -> None:
    """The first and the largest one. That the ones between them lie within is the producer's word."""
    largest = header.max_timestamp
    first = header.base_timestamp
    if (largest != NO_TIMESTAMP and largest - now_ms > config.message_timestamp_after_max_ms) or (
        first != NO_TIMESTAMP and now_ms - first > config.message_timestamp_before_max_ms
    ):
        earliest = now_ms - config.message_timestamp_before_max_ms
        latest = now_ms + config.message_timestamp_after_max_ms
        raise ApiError(
            ErrorCode.INVALID_TIMESTAMP,
            f"timestamps from {first} to {largest} are not within [{earliest}, {latest}]",
        )


def _walked(records: memoryview, header: BatchHeader, config: LogConfig, now_ms: int) -> memoryview:
    """The batch after a look at each record, and under the topic's codec."""
    earliest = None if config.log_append_time else now_ms - config.message_timestamp_before_max_ms
    latest = None if config.log_append_time else now_ms + config.message_timestamp_after_max_ms
    limit = max(_MOST_PLAIN_BYTES, _MOST_EXPANSION * config.max_message_bytes)
    try:
        found = validate_records(
            records, compacted=config.compact, earliest_ms=earliest, latest_ms=latest, max_output=limit
        )
        if found.errors:
            codes = {error.code for error in found.errors}
            code = (
                ErrorCode.INVALID_TIMESTAMP
                if ErrorCode.INVALID_TIMESTAMP in codes
                else ErrorCode.INVALID_RECORD
            )
            raise ApiError(
                code,
                f"{len(found.errors)} records were refused: {found.errors[0].message}",
                [(error.index, error.message) for error in found.errors],
            )
        batch: Bytes = records if found.is_dense else renumber(records, max_output=limit)
        codec, level = target_codec(config, header.compression)
        if codec != header.compression:
            batch = recompress(batch, codec, level, max_output=limit)
    except ProtocolError as error:
        raise ApiError(ErrorCode.INVALID_RECORD, str(error)) from error
    if batch is not records:
        check_size(len(batch), config)
    elif records.readonly:
        batch = bytearray(records)
    return memoryview(batch)


def target_codec(config: LogConfig, codec: int) -> tuple[Compression, int | None]:
    """The codec and level that `compression.type` wants for a batch that came under `codec`."""
    name = config.compression_type
    if name == _KEEP_CODEC:
        return Compression(codec), None
    if name == _NO_COMPRESSION:
        return Compression.NONE, None
    target = Compression[name.upper()]
    levels = {
        Compression.GZIP: config.compression_gzip_level,
        Compression.LZ4: config.compression_lz4_level,
        Compression.ZSTD: config.compression_zstd_level,
    }
    return target, levels.get(target)


class InternalBatch(NamedTuple):
    """One batch of an append that did not come from a client, and what it says about a transaction, if it does."""

    position: int
    header: BatchHeader
    marker: EndTransaction | None


def checked_batches(records: memoryview) -> list[InternalBatch]:
    """The batches of an internal append, of which there may be several; their checksums are right."""
    batches = []
    try:
        for position, header in iter_headers(records):
            batch = records[position : position + header.size]
            if not crc_matches(batch, 0, header):
                raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"the checksum of the batch at {position} is wrong")
            batches.append(InternalBatch(position, header, transaction_marker(batch, header)))
    except ProtocolError as error:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, str(error)) from error
    return batches


def check_order(batches: Sequence[InternalBatch], log_end_offset: int) -> None:
    """Of a follower's append: each batch begins at or after the end of the one before it."""
    for batch in batches:
        if batch.header.base_offset < log_end_offset:
            raise ApiError(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                f"a batch at offset {batch.header.base_offset} cannot follow {log_end_offset - 1}",
            )
        log_end_offset = batch.header.next_offset


def stamp_batches(
    records: memoryview,
    batches: Sequence[InternalBatch],
    offset: int,
    leader_epoch: int,
    append_time_ms: int | None,
) -> list[InternalBatch]:
    """Give the batches their place in the log, in place; as they are then."""
    stamped = []
    for position, header, marker in batches:
        stamp(records, position, offset, leader_epoch)
        if append_time_ms is not None:
            stamp_log_append_time(records, position, append_time_ms)
        stamped.append(InternalBatch(position, read_header(records, position), marker))
        offset += header.last_offset_delta + 1
    return stamped
