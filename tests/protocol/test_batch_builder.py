"""Batches that we build and others read, and the other way round; and what the cleaner makes of them."""

import warnings
from collections.abc import Iterable

import pytest
from aiokafka.record.default_records import DefaultRecordBatch as AioBatch
from aiokafka.record.default_records import DefaultRecordBatchBuilder as AioBuilder
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.protocol.batch_builder import (
    build_batch,
    build_control_batch,
    build_empty,
    build_end_transaction,
    build_retained,
    recompress,
    renumber,
)
from snakka.protocol.batch_reader import Record, plain_body, read_records, walk
from snakka.protocol.compression import Compression
from snakka.protocol.control_records import (
    ControlType,
    EndTransaction,
    control_key,
    read_control_key,
    read_end_transaction,
)
from snakka.protocol.errors import ProtocolError
from snakka.protocol.record_batch import HEADER_SIZE, crc_matches, read_header

with warnings.catch_warnings():
    # kafka-python loads its schemas by a function that newer Pythons warn of.
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.record.default_records import DefaultRecordBatch as KafkaPythonBatch
    from kafka.record.default_records import DefaultRecordBatchBuilder as KafkaPythonBuilder

HEADERS = st.lists(st.tuples(st.text(max_size=8), st.none() | st.binary(max_size=20)), max_size=4).map(tuple)
RECORDS = st.lists(
    st.builds(
        Record,
        st.just(-1),
        st.integers(1_600_000_000_000, 1_700_000_000_000),
        st.none() | st.binary(max_size=80),
        st.none() | st.binary(max_size=200),
        HEADERS,
        st.just(0),
    ),
    min_size=1,
    max_size=20,
)

# Five records each from Apache Kafka 4.3's own builder: base offset 40, producer 9, epoch 2, sequence 11, leader epoch 4.
FROM_JAVA = {
    Compression.NONE: (
        "0000000000000028000000cd0000000402451b7fd700000000000400000000000003e800000000000003ec000000000000"
        "000900020000000b0000000544000000086b6579302676616c75652076616c75652076616c756520300202680478304400"
        "0202086b6579312676616c75652076616c75652076616c756520310202680478311e000404086b65793201020268047832"
        "44000606086b6579332676616c75652076616c75652076616c7565203302026804783344000808086b6579342676616c75"
        "652076616c75652076616c75652034020268047834"
    ),
    Compression.GZIP: (
        "000000000000002800000090000000040255e5bb9700010000000400000000000003e800000000000003ec000000000000"
        "000900020000000b000000051f8b08000000000000ff73616060e0c84ead34502b4bcc294d5540260d989832582a0c5c18"
        "9898404a0cb12831042b31946360610129316204f38d5c18d8d8407c632c5a8cc14a8c5d183838404a4cb02831012b3101"
        "0048c513a79c000000"
    ),
    Compression.SNAPPY: (
        "0000000000000028000000a50000000402d96ad17d00020000000400000000000003e800000000000003ec000000000000"
        "000900020000000b0000000582534e41505059000000000100000001000000609c013c44000000086b6579302676616c75"
        "65202e0600283002026804783044000202012300314a23000031052310311e000404012304320105101032440006060110"
        "00334a330000330523103344000808012300344a23001834020268047834"
    ),
    Compression.LZ4: (
        "00000000000000280000009e00000004028f1fea3400030000000400000000000003e800000000000003ec000000000000"
        "000900020000000b0000000504224d186040825e000000f80144000000086b6579302676616c7565200600b03002026804"
        "78304400020223001f312300001131230050311e0004042300213201100050324400060610001f33330000113323005033"
        "4400080823001f34230000703402026804783400000000"
    ),
    Compression.ZSTD: (
        "0000000000000028000000930000000402d832c53f00040000000400000000000003e800000000000003ec000000000000"
        "000900020000000b0000000528b52ffd0058b40200c40344000000086b6579302676616c75652030020268047830440002"
        "02086b65793131311e000404320132440006063333334400080834340202680478340a0059480142c1c5400a10daaac3c0"
        "14b48c510910ae8001010000"
    ),
}
JAVA_RECORDS = [
    Record(
        40 + index,
        1_000 + index,
        b"key%d" % index,
        None if index == 2 else b"value value value %d" % index,
        (("h", b"x%d" % index),),
    )
    for index in range(5)
]


def numbered(records: Iterable[Record], base: int = 0) -> list[Record]:
    return [record._replace(offset=base + index) for index, record in enumerate(records)]


def as_records(others: Iterable[object]) -> list[Record]:
    """Another library's records as ours."""
    return [
        Record(other.offset, other.timestamp, other.key, other.value, tuple(other.headers))  # type: ignore[attr-defined]
        for other in others
    ]


@settings(max_examples=60)
@given(records=RECORDS, base=st.integers(0, 2**50), codec=st.sampled_from(list(Compression)))
def test_round_trip(records: list[Record], base: int, codec: Compression) -> None:
    batch = build_batch(records, base_offset=base, compression=codec)
    header = read_header(batch)
    assert crc_matches(batch, 0, header)
    assert list(read_records(batch)) == numbered(records, base)
    assert header.max_timestamp == max(record.timestamp for record in records)
    assert header.last_offset == base + len(records) - 1


@pytest.mark.parametrize("codec", list(Compression))
@settings(max_examples=15)
@given(records=RECORDS)
def test_aiokafka_reads_ours_and_we_read_aiokafka(codec: Compression, records: list[Record]) -> None:
    theirs = AioBatch(bytes(build_batch(records, compression=codec)))
    assert theirs.validate_crc()
    assert as_records(theirs) == numbered(records)

    builder = AioBuilder(
        magic=2,
        compression_type=codec,
        is_transactional=1,
        producer_id=7,
        producer_epoch=1,
        base_sequence=5,
        batch_size=1 << 20,
    )
    for index, record in enumerate(records):
        builder.append(index, record.timestamp, record.key, record.value, list(record.headers))
    batch = bytes(builder.build())
    assert crc_matches(batch, 0, read_header(batch))
    assert read_header(batch).is_transactional
    assert list(read_records(batch)) == numbered(records)


@pytest.mark.parametrize("codec", [Compression.NONE, Compression.GZIP])
@settings(max_examples=15)
@given(records=RECORDS)
def test_kafka_python_reads_ours_and_we_read_kafka_python(codec: Compression, records: list[Record]) -> None:
    theirs = KafkaPythonBatch(bytes(build_batch(records, compression=codec)))
    assert theirs.validate_crc()
    assert as_records(theirs) == numbered(records)

    builder = KafkaPythonBuilder(
        magic=2,
        compression_type=codec,
        is_transactional=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=1 << 20,
    )
    for index, record in enumerate(records):
        builder.append(index, record.timestamp, record.key, record.value, list(record.headers))
    batch = bytes(builder.build())
    assert crc_matches(batch, 0, read_header(batch))
    assert list(read_records(batch)) == numbered(records)


@pytest.mark.parametrize("codec", list(Compression))
def test_we_read_what_java_built(codec: Compression) -> None:
    batch = bytes.fromhex(FROM_JAVA[codec])
    header = read_header(batch)
    assert crc_matches(batch, 0, header)
    assert header.compression == codec
    assert list(read_records(batch)) == JAVA_RECORDS


def test_we_build_what_java_built() -> None:
    built = build_batch(
        JAVA_RECORDS, base_offset=40, leader_epoch=4, producer_id=9, producer_epoch=2, base_sequence=11
    )
    assert built.hex() == FROM_JAVA[Compression.NONE]


def test_offsets_may_have_gaps_but_not_go_back() -> None:
    batch = build_batch(
        [Record(5, 1, b"a", b""), Record(9, 1, b"b", b""), Record(-1, 1, b"c", b"")], base_offset=3
    )
    assert [record.offset for record in read_records(batch)] == [5, 9, 10]
    assert read_header(batch).last_offset == 10
    with pytest.raises(ValueError, match="does not follow"):
        build_batch([Record(5, 1, b"a", b""), Record(5, 1, b"b", b"")])
    with pytest.raises(ValueError, match="empty batch"):
        build_batch([])


def test_header_names_that_are_no_text_survive() -> None:
    name = b"\xff\xfe".decode("utf-8", "surrogateescape")
    batch = build_batch([Record(0, 1, None, None, ((name, b"x"),))])
    assert next(read_records(batch)).headers == ((name, b"x"),)


def test_log_append_time_and_attributes() -> None:
    batch = build_batch([Record(0, 5, b"k", b"v", (), 0)], log_append_time_ms=99)
    assert read_header(batch).max_timestamp == 99
    assert next(read_records(batch)).timestamp == 99


@settings(max_examples=60)
@given(
    records=RECORDS,
    codec=st.sampled_from(list(Compression)),
    horizon=st.none() | st.integers(0, 2**50),
    append_time=st.none() | st.integers(0, 2**45),
    data=st.data(),
)
def test_retained_records_keep_offsets_and_times(
    records: list[Record],
    codec: Compression,
    horizon: int | None,
    append_time: int | None,
    data: st.DataObject,
) -> None:
    batch = build_batch(
        records,
        base_offset=100,
        compression=codec,
        log_append_time_ms=append_time,
        producer_id=3,
        producer_epoch=1,
        base_sequence=8,
    )
    header = read_header(batch)
    everything = list(read_records(batch))
    body = plain_body(batch, header)
    spans = list(walk(body, header))
    chosen = data.draw(st.lists(st.sampled_from(range(len(spans))), min_size=1, unique=True).map(sorted))
    kept = build_retained(header, body, [spans[index] for index in chosen], delete_horizon_ms=horizon)
    after = read_header(kept)
    assert crc_matches(kept, 0, after)
    assert list(read_records(kept)) == [everything[index] for index in chosen]
    assert (after.base_offset, after.last_offset, after.count) == (100, header.last_offset, len(chosen))
    assert (after.producer_id, after.base_sequence, after.last_sequence) == (3, 8, header.last_sequence)
    assert after.compression == codec
    assert after.delete_horizon_ms == horizon
    # A second cleaning that keeps the horizon copies the records as they are.
    body = plain_body(kept, after)
    again = build_retained(after, body, list(walk(body, after)), delete_horizon_ms=horizon)
    assert again == kept


def test_an_empty_batch_keeps_the_producer() -> None:
    header = read_header(
        build_batch(
            JAVA_RECORDS, base_offset=40, compression=Compression.ZSTD, producer_id=9, base_sequence=11
        )
    )
    empty = build_empty(header)
    after = read_header(empty)
    assert len(empty) == HEADER_SIZE
    assert crc_matches(empty, 0, after)
    assert (after.base_offset, after.last_offset, after.last_sequence) == (40, 44, header.last_sequence)
    assert (after.compression, after.count, after.max_timestamp) == (0, 0, header.max_timestamp)
    assert list(read_records(empty)) == []


@pytest.mark.parametrize("codec", list(Compression))
def test_recompress(codec: Compression) -> None:
    for source in FROM_JAVA.values():
        batch = recompress(bytes.fromhex(source), codec)
        header = read_header(batch)
        assert header.compression == codec
        assert (header.producer_id, header.base_sequence) == (9, 11)
        assert crc_matches(batch, 0, header)
        assert list(read_records(batch)) == JAVA_RECORDS


def test_renumber_closes_gaps() -> None:
    batch = build_batch([Record(1, 5, b"a", b"1"), Record(4, 6, b"b", b"2")], compression=Compression.GZIP)
    dense = renumber(batch)
    assert [(record.offset, record.key) for record in read_records(dense)] == [(0, b"a"), (1, b"b")]


def test_markers() -> None:
    for committed in (True, False):
        batch = build_end_transaction(
            committed=committed,
            timestamp=7,
            producer_id=2,
            producer_epoch=4,
            coordinator_epoch=12,
            base_offset=30,
        )
        (record,) = read_records(batch)
        assert record.offset == 30
        assert read_end_transaction(record.key, record.value) == EndTransaction(committed, 12)
        theirs = AioBatch(bytes(batch))
        assert theirs.is_control_batch
        assert theirs.is_transactional


def test_other_control_records() -> None:
    batch = build_control_batch(ControlType.LEADER_CHANGE, b"payload", timestamp=1, leader_epoch=3)
    (record,) = read_records(batch)
    assert read_control_key(record.key) == ControlType.LEADER_CHANGE
    assert read_end_transaction(record.key, record.value) is None
    assert [control_key(kind).hex() for kind in ControlType] == [f"0000{number:04x}" for number in range(7)]
    assert read_control_key(b"\x00\x00\x00\x63") == 99, "a kind of the future is not an error"


@pytest.mark.parametrize("key", [None, b"", b"\x00\x00\x00", b"\xff\xff\x00\x01"])
def test_bad_control_keys_are_refused(key: bytes | None) -> None:
    with pytest.raises(ProtocolError):
        read_control_key(key)


@pytest.mark.parametrize("value", [None, b"", b"\x00\x00\x00\x00\x01", b"\xff\xff\x00\x00\x00\x01"])
def test_bad_markers_are_refused(value: bytes | None) -> None:
    with pytest.raises(ProtocolError):
        read_end_transaction(control_key(ControlType.COMMIT), value)
