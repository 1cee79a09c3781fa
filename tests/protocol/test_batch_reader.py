"""Reading records: garbage inside a valid checksum, bounds, and the leader's judgement of each record."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, plain_body, read_records, validate_records, walk
from snakka.protocol.compression import Compression, compress
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import HEADER, HEADER_SIZE, read_header, stamp_crc

RECORDS = [
    Record(0, 10, b"a", b"one", (("h", b"x"), ("null", None))),
    Record(1, 30, None, None),
    Record(2, 20, b"c" * 100, b"three" * 50),
]


def with_body(body: bytes, count: int, codec: Compression = Compression.NONE) -> bytearray:
    """A batch with a right checksum around any bytes."""
    header = read_header(build_batch(RECORDS))
    packed = compress(codec, body)
    batch = bytearray(HEADER_SIZE) + packed
    attributes = header.attributes | codec
    HEADER.pack_into(batch, 0, *header._replace(length=len(batch) - 12, count=count, attributes=attributes))
    stamp_crc(batch, 0)
    return batch


@settings(max_examples=300)
@given(body=st.binary(max_size=120), count=st.integers(0, 12), codec=st.sampled_from(list(Compression)))
def test_any_body_reads_or_is_refused(body: bytes, count: int, codec: Compression) -> None:
    batch = with_body(body, count, codec)
    try:
        records = list(read_records(batch, max_output=1000))
    except ProtocolError:
        return
    assert len(records) == count


@settings(max_examples=300)
@given(position=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_one_wrong_byte_reads_or_is_refused(position: int, byte: int) -> None:
    body = bytearray(build_batch(RECORDS)[HEADER_SIZE:])
    body[position % len(body)] = byte
    batch = with_body(bytes(body), 3)
    header = read_header(batch)
    try:
        spans = list(walk(plain_body(batch, header), header))
        assert [span.end for span in spans][-1] == len(body)
        validate_records(batch, compacted=True)
    except ProtocolError:
        return
    assert len(list(read_records(batch))) == 3


@pytest.mark.parametrize("count", [-1, 2, 4, 2**31 - 1])
def test_a_wrong_count_is_refused(count: int) -> None:
    with pytest.raises(ProtocolError):
        list(read_records(with_body(bytes(build_batch(RECORDS)[HEADER_SIZE:]), count)))


def test_every_cut_is_refused() -> None:
    body = bytes(build_batch(RECORDS)[HEADER_SIZE:])
    for size in range(len(body)):
        with pytest.raises(ProtocolError):
            list(read_records(with_body(body[:size], 3)))


def test_a_batch_that_is_not_all_there_is_refused() -> None:
    batch = build_batch(RECORDS)
    for size in (0, HEADER_SIZE - 1, len(batch) - 1):
        with pytest.raises(ProtocolError):
            list(read_records(batch[:size]))


def test_old_formats_are_refused() -> None:
    batch = build_batch(RECORDS)
    batch[16] = 1
    with pytest.raises(ProtocolError):
        list(read_records(batch))


@pytest.mark.parametrize("codec", list(Compression))
def test_output_is_bounded(codec: Compression) -> None:
    batch = build_batch([Record(0, 1, None, bytes(1_000_000))], compression=codec)
    assert len(next(read_records(batch, max_output=1_100_000)).value or b"") == 1_000_000
    with pytest.raises(ProtocolError):
        list(read_records(batch, max_output=500_000))


def test_spans_name_the_bytes() -> None:
    batch = build_batch([record._replace(offset=-1) for record in RECORDS], base_offset=50)
    header = read_header(batch)
    body = plain_body(batch, header)
    spans = list(walk(body, header))
    assert [(span.offset, span.timestamp, span.key, span.value_size) for span in spans] == [
        (50, 10, b"a", 3),
        (51, 30, None, -1),
        (52, 20, b"c" * 100, 250),
    ]
    assert [span.start for span in spans] == [0, spans[0].end, spans[1].end]
    assert body[spans[0].value : spans[0].value + 3] == b"one"


def test_the_leader_wants_keys_on_compacted_topics() -> None:
    batch = build_batch(RECORDS, compression=Compression.SNAPPY)
    found = validate_records(batch, compacted=True)
    assert [(error.index, error.code) for error in found.errors] == [(1, ErrorCode.INVALID_RECORD)]
    assert (found.max_timestamp, found.offset_of_max_timestamp, found.is_dense) == (30, 1, True)
    assert validate_records(batch, compacted=False).errors == []


def test_the_leader_bounds_timestamps() -> None:
    batch = build_batch([*RECORDS, Record(3, -1, b"d", b"")])
    found = validate_records(batch, compacted=False, earliest_ms=15, latest_ms=25)
    assert [(error.index, error.code) for error in found.errors] == [
        (0, ErrorCode.INVALID_TIMESTAMP),
        (1, ErrorCode.INVALID_TIMESTAMP),
    ]


def test_the_leader_sees_gaps_and_garbage() -> None:
    assert not validate_records(build_batch([Record(1, 1, b"a", b"")]), compacted=True).is_dense
    # The walk does not read headers; the leader does: here a record says it has three, and has none.
    body = bytearray(build_batch([Record(0, 1, b"a", b"b")])[HEADER_SIZE:])
    body[-1] = 6
    with pytest.raises(ProtocolError):
        validate_records(with_body(bytes(body), 1), compacted=False)
