"""The batch header: every field, stamping in place, walking a buffer, and produce's rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.protocol.batch_builder import build_batch, build_empty, build_end_transaction
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.record_batch import (
    HEADER_SIZE,
    crc_matches,
    decrement_sequence,
    increment_sequence,
    iter_headers,
    read_header,
    read_magic,
    single_produced_batch,
    stamp,
    stamp_crc,
    stamp_log_append_time,
)

RECORDS = [Record(-1, 1_000 + index, b"key", b"value") for index in range(3)]

# Message formats 0 and 1 as Java wrote them: offset, size, crc, magic, attributes, [timestamp,] key, value.
OLD_FORMAT_0 = bytes.fromhex("000000000000000000000010123456780000ffffffff000000026869")
OLD_FORMAT_1 = bytes.fromhex("0000000000000000000000181234567801000000000000000001ffffffff000000026869")


def test_every_field_is_read() -> None:
    batch = build_batch(
        RECORDS,
        base_offset=40,
        compression=Compression.GZIP,
        leader_epoch=6,
        producer_id=9,
        producer_epoch=2,
        base_sequence=11,
        is_transactional=True,
    )
    header = read_header(b"xx" + batch, 2)
    assert header.size == len(batch)
    assert (header.base_offset, header.last_offset, header.next_offset) == (40, 42, 43)
    assert (header.leader_epoch, header.magic, header.count, header.last_offset_delta) == (6, 2, 3, 2)
    assert (header.base_timestamp, header.max_timestamp) == (1_000, 1_002)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (9, 2, 11)
    assert (header.last_sequence, header.has_producer_id) == (13, True)
    assert header.compression == Compression.GZIP
    assert header.is_transactional
    assert not header.is_control
    assert not header.uses_log_append_time
    assert header.delete_horizon_ms is None
    assert crc_matches(batch, 0, read_header(batch))


def test_control_and_horizon_bits() -> None:
    marker = build_end_transaction(
        committed=True, timestamp=5, producer_id=1, producer_epoch=0, coordinator_epoch=3
    )
    assert read_header(marker).is_control
    assert read_header(marker).last_sequence == -1
    horizon = build_batch(RECORDS, delete_horizon_ms=777)
    assert read_header(horizon).delete_horizon_ms == 777


def test_stamping_leaves_the_checksum_right() -> None:
    buffer = bytearray(b"before") + build_batch(RECORDS)
    stamp(buffer, 6, 2**40, 17)
    header = read_header(buffer, 6)
    assert (header.base_offset, header.leader_epoch) == (2**40, 17)
    assert crc_matches(buffer, 6, header)
    assert [record.offset for record in read_records(buffer[6:])] == [2**40, 2**40 + 1, 2**40 + 2]


def test_log_append_time_changes_every_record() -> None:
    view = memoryview(bytearray(b"before") + build_batch(RECORDS, compression=Compression.LZ4))
    stamp_log_append_time(view, 6, 9_999)
    header = read_header(view, 6)
    assert header.uses_log_append_time
    assert crc_matches(view, 6, header)
    assert {record.timestamp for record in read_records(view[6:])} == {9_999}


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_sequences_wrap_to_zero(sequence: int, by: int) -> None:
    after = increment_sequence(sequence, by)
    assert 0 <= after < 2**31
    assert decrement_sequence(after, by) == sequence


def test_the_last_sequence_wraps() -> None:
    assert increment_sequence(2**31 - 1, 1) == 0
    assert decrement_sequence(0, 1) == 2**31 - 1
    header = read_header(build_batch(RECORDS, producer_id=1, producer_epoch=0, base_sequence=2**31 - 2))
    assert header.last_sequence == 0


def test_headers_of_a_buffer() -> None:
    first = build_batch(RECORDS)
    second = build_empty(read_header(build_batch(RECORDS, base_offset=3, producer_id=4, base_sequence=0)))
    assert len(second) == HEADER_SIZE
    found = list(iter_headers(first + second))
    assert [(pos, header.base_offset, header.count) for pos, header in found] == [
        (0, 0, 3),
        (len(first), 3, 0),
    ]
    assert found[1][1].last_offset == 5
    assert list(iter_headers(b"")) == []


@pytest.mark.parametrize("cut", [1, 12, 40, HEADER_SIZE, HEADER_SIZE + 1])
def test_a_cut_buffer_is_refused_after_what_is_whole(cut: int) -> None:
    batch = build_batch(RECORDS)
    walk = iter_headers(batch + batch[:cut])
    assert next(walk)[0] == 0
    with pytest.raises(ProtocolError):
        next(walk)


@pytest.mark.parametrize("length", [-(2**31), -1, 0, HEADER_SIZE - 13, 2**31 - 1])
def test_a_bad_length_is_refused(length: int) -> None:
    batch = build_batch(RECORDS)
    batch[8:12] = length.to_bytes(4, "big", signed=True)
    assert not crc_matches(batch, 0, read_header(batch))
    with pytest.raises(ProtocolError):
        list(iter_headers(batch))


@given(st.binary(max_size=200))
def test_junk_never_escapes(junk: bytes) -> None:
    try:
        for _, header in iter_headers(junk):
            assert header.size <= len(junk)
    except ProtocolError:
        pass


def test_a_flipped_bit_is_seen() -> None:
    batch = build_batch(RECORDS)
    for position in range(21, len(batch)):
        batch[position] ^= 1
        assert not crc_matches(batch, 0, read_header(batch))
        batch[position] ^= 1


def test_old_formats_are_recognised() -> None:
    assert (read_magic(OLD_FORMAT_0), read_magic(OLD_FORMAT_1), read_magic(build_batch(RECORDS))) == (0, 1, 2)
    with pytest.raises(ProtocolError):
        read_magic(OLD_FORMAT_0[:16])
    with pytest.raises(ProtocolError):
        list(iter_headers(OLD_FORMAT_1))


def refusal(records: bytes | bytearray, version: int = 9) -> ErrorCode:
    with pytest.raises(ApiError) as caught:
        single_produced_batch(records, version)
    return caught.value.code


def test_produce_takes_exactly_one_batch() -> None:
    batch = build_batch(RECORDS)
    assert single_produced_batch(batch, 9) == read_header(batch)
    # A batch that is cut off is not there, so what follows a whole one may be its beginning.
    assert single_produced_batch(batch + batch[:30], 9).size == len(batch)
    assert refusal(b"") == ErrorCode.INVALID_RECORD
    assert refusal(batch[:-1]) == ErrorCode.INVALID_RECORD
    assert refusal(batch + batch) == ErrorCode.INVALID_RECORD


def test_produce_refuses_old_formats_and_nonsense_as_kafka_does() -> None:
    batch = build_batch(RECORDS)
    assert refusal(OLD_FORMAT_0) == ErrorCode.INVALID_RECORD
    assert refusal(OLD_FORMAT_1) == ErrorCode.INVALID_RECORD
    assert refusal(batch[:16] + b"\x03" + batch[17:]) == ErrorCode.CORRUPT_MESSAGE
    assert refusal(batch[:16] + b"\xff" + batch[17:]) == ErrorCode.CORRUPT_MESSAGE
    assert refusal(batch[:8] + bytes(4) + batch[12:]) == ErrorCode.CORRUPT_MESSAGE
    assert refusal(batch[:8] + b"\x00\x00\x00\x20" + batch[12:]) == ErrorCode.CORRUPT_MESSAGE


def test_zstd_needs_produce_7() -> None:
    batch = build_batch(RECORDS, compression=Compression.ZSTD)
    assert refusal(batch, 6) == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert single_produced_batch(batch, 7).count == 3


def test_a_new_checksum_over_changed_bytes() -> None:
    batch = build_batch(RECORDS)
    batch[-1] ^= 0xFF
    stamp_crc(batch, 0)
    assert crc_matches(batch, 0, read_header(batch))
