"""Encoding record by record: both encoders write what the batch builder writes, and never more than was agreed on."""

import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.protocol.record_samples import ENGINES, compiled_records, record_lists

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.compression import Compression
from snakka.protocol.record_batch import HEADER_SIZE, crc_matches, read_header
from snakka.protocol.record_encoder import (
    PythonEncoder,
    RecordEncoder,
    finish_batch,
    new_encoder,
    stamp_producer,
)
from snakka.protocol.varints import wrapped

New = Callable[[int], RecordEncoder]


@pytest.fixture(scope="module", params=ENGINES)
def new(request: pytest.FixtureRequest) -> New:
    return PythonEncoder if request.param == "python" else compiled_records().Encoder


@given(records=record_lists().filter(bool), codec=st.sampled_from(list(Compression)))
def test_a_batch_is_as_the_builder_makes_it(new: New, records: list[Record], codec: Compression) -> None:
    encoder = new(1 << 20)
    for record in records:
        assert encoder.append(record.timestamp, record.key, record.value, record.headers)
    assert encoder.count == len(records)
    dense = [record._replace(offset=-1) for record in records]
    assert encoder.size == len(build_batch(dense))
    batch = finish_batch(
        encoder,
        compression=codec,
        producer_id=7,
        producer_epoch=2,
        base_sequence=40,
        is_transactional=True,
    )
    assert batch == build_batch(
        dense,
        compression=codec,
        producer_id=7,
        producer_epoch=2,
        base_sequence=40,
        is_transactional=True,
    )


@given(records=record_lists(), limit=st.integers(0, 400))
def test_a_batch_never_grows_beyond_its_limit(new: New, records: list[Record], limit: int) -> None:
    encoder = new(limit)
    taken = []
    for record in records:
        size = encoder.size
        if encoder.append(record.timestamp, record.key, record.value, record.headers):
            taken.append(record._replace(offset=len(taken)))
        else:
            # The same record would have made it too large.
            assert encoder.size == size
            larger = build_batch([*taken, record._replace(offset=-1)])
            assert len(larger) > limit
        assert encoder.size <= limit or encoder.count == 1
    assert encoder.count == len(taken)
    assert (encoder.count > 0) == (len(records) > 0)
    if taken:
        assert list(read_records(finish_batch(encoder))) == taken


def test_the_latest_timestamp_is_known(new: New) -> None:
    encoder = new(1000)
    assert (encoder.base_timestamp, encoder.max_timestamp, encoder.count, encoder.size) == (
        -1,
        -1,
        0,
        HEADER_SIZE,
    )
    for timestamp in (50, 70, 60):
        encoder.append(timestamp, None, b"v", ())
    assert (encoder.base_timestamp, encoder.max_timestamp) == (50, 70)
    header = read_header(finish_batch(encoder))
    assert (header.base_timestamp, header.max_timestamp, header.last_offset_delta) == (50, 70, 2)


def test_timestamps_that_are_far_apart_go_round_as_in_java(new: New) -> None:
    encoder = new(1000)
    largest = (1 << 63) - 1
    for timestamp in (-5, largest):
        encoder.append(timestamp, None, None, ())
    assert [wrapped(record.timestamp) for record in read_records(finish_batch(encoder))] == [-5, largest]
    with pytest.raises(OverflowError):
        new(1000).append(1 << 63, None, None, ())


def test_any_buffer_is_taken(new: New) -> None:
    encoder = new(1000)
    encoder.append(1, bytearray(b"key"), memoryview(b"value"), [("name", bytearray(b"x"))])
    (record,) = read_records(finish_batch(encoder))
    assert record == Record(0, 1, b"key", b"value", (("name", b"x"),))


def test_a_batch_is_taken_once(new: New) -> None:
    encoder = new(1000)
    with pytest.raises(ValueError, match="without records"):
        finish_batch(encoder)
    encoder.append(1, None, None, ())
    encoder.take()
    with pytest.raises(ValueError, match="taken"):
        encoder.take()
    with pytest.raises(ValueError, match="taken"):
        encoder.append(1, None, None, ())


def test_a_sequence_is_stamped_in_place(new: New) -> None:
    encoder = new(1000)
    encoder.append(1, None, b"v", ())
    batch = finish_batch(encoder, compression=Compression.LZ4)
    stamp_producer(batch, 99, 3, 12)
    header = read_header(batch)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (99, 3, 12)
    assert crc_matches(batch, 0, header)


def test_many_records_are_as_good_as_few(new: New) -> None:
    encoder = new(1 << 20)
    records = [Record(index, 1000 + index, b"%d" % index, b"v" * (index % 200)) for index in range(3000)]
    for record in records:
        assert encoder.append(record.timestamp, record.key, record.value, ())
    assert list(read_records(finish_batch(encoder))) == records


@pytest.mark.parametrize(
    "record",
    [
        ("now", None, None, ()),
        (1.5, None, None, ()),
        (1, "text", None, ()),
        (1, None, 17, ()),
        (1, None, None, 17),
        (1, None, None, ["name"]),
        (1, None, None, [(b"name", b"value")]),
        (1, None, None, [("name", "value")]),
        (1, None, None, [("name",)]),
        (1, None, None, [("name", b"", b"")]),
        (1, None, memoryview(b"abcd")[::2], ()),
    ],
)
def test_the_compiled_encoder_takes_only_what_it_can(record: tuple[object, ...]) -> None:
    encoder = compiled_records().Encoder(1000)
    with pytest.raises((TypeError, BufferError)):
        encoder.append(*record)
    assert (encoder.count, encoder.size) == (0, HEADER_SIZE)
    for arguments in ((), record[:3], (*record, 1)):
        with pytest.raises(TypeError):
            encoder.append(*arguments)


def test_the_compiled_encoder_keeps_nothing() -> None:
    compiled = compiled_records()
    key, headers = bytearray(b"key"), [("name" * 3, bytearray(b"value"))]
    before = sys.getrefcount(key), sys.getrefcount(headers), sys.getrefcount(headers[0])
    for _ in range(10):
        encoder = compiled.Encoder(100_000)
        for _ in range(100):
            encoder.append(1, key, key, headers)
        with pytest.raises(TypeError):
            encoder.append(1, key, key, [*headers, ("x", 1)])
    del encoder
    assert (sys.getrefcount(key), sys.getrefcount(headers), sys.getrefcount(headers[0])) == before
    key.append(0)
    headers[0][1].append(0)
    with pytest.raises(TypeError):
        compiled.Encoder()
    with pytest.raises(TypeError):
        compiled.Encoder(limit=3)


def test_the_active_encoder_encodes() -> None:
    encoder = new_encoder(1000)
    encoder.append(1, b"k", b"v", ())
    assert list(read_records(finish_batch(encoder))) == [Record(0, 1, b"k", b"v")]
