"""Columns: both engines give what the plain reader gives, for sound and for damaged batches."""

from collections.abc import Callable
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protocol.record_samples import (
    ENGINES,
    compiled_records,
    damaged_batches,
    expected,
    record_lists,
    with_body,
)

from snakka.protocol import numpy_columns, record_columns
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches, PlainBatch
from snakka.protocol.record_batch import Bytes
from snakka.protocol.record_columns import COLUMN_NAMES, Columns, decode_columns, read_columns
from snakka.protocol.varints import wrapped

Build = Callable[[list[PlainBatch], frozenset[str]], tuple[int, dict[str, Any]]]

CONTENT = frozenset(COLUMN_NAMES) - {"topic", "partition"}


@pytest.fixture(scope="module", params=ENGINES)
def build(request: pytest.FixtureRequest) -> Build:
    if request.param == "python":
        return numpy_columns.build_columns
    compiled_records()
    from snakka.protocol import compiled_columns

    return compiled_columns.build_columns


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The public functions with one engine or the other."""
    if request.param == "compiled":
        compiled_records()
    monkeypatch.setattr(record_columns, "IS_COMPILED", request.param == "compiled")
    return str(request.param)


def rows_of(build: Build, data: Bytes, columns: frozenset[str] = CONTENT) -> list[dict[str, Any]]:
    count, arrays = build(list(FetchedBatches(data, from_offset=0)), columns)
    assert set(arrays) == columns
    for array in arrays.values():
        array.validate(full=True)
        assert len(array) == count
    arrays["timestamp"] = arrays["timestamp"].cast(pyarrow.int64())
    return pyarrow.RecordBatch.from_pydict(arrays).to_pylist()


def row(record: Record, append_time: int | None = None) -> dict[str, Any]:
    return {
        "offset": record.offset,
        "timestamp": wrapped(record.timestamp) if append_time is None else append_time,
        "timestamp_type": int(append_time is not None),
        "key": record.key,
        "value": record.value,
        "headers": [{"key": readable(name), "value": value} for name, value in record.headers],
    }


def readable(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@given(
    batches=st.lists(
        st.tuples(record_lists(), st.sampled_from(list(Compression)), st.none() | st.integers(0, 1 << 40)),
        max_size=4,
    )
)
def test_rows_are_the_records(build: Build, batches: list[Any]) -> None:
    data = b"".join(
        build_batch(records, compression=codec, log_append_time_ms=append_time, last_offset=100_000)
        for records, codec, append_time in batches
    )
    wanted = [row(record, append_time) for records, _, append_time in batches for record in records]
    assert rows_of(build, data) == wanted


@settings(max_examples=200)
@given(batch=damaged_batches(), before=st.booleans())
def test_damaged_records_are_read_as_the_plain_reader_reads_them(
    build: Build, batch: bytearray, before: bool
) -> None:
    sound = build_batch([Record(0, 5, b"k", None)]) if before else b""
    records = expected(batch)
    if records is None:
        with pytest.raises(ProtocolError):
            rows_of(build, sound + batch)
        return
    wanted = [row(record) for record in records if record.offset >= 0]
    assert rows_of(build, sound + batch)[before:] == wanted


@settings(max_examples=200)
@given(body=st.binary(max_size=120), count=st.integers(0, 12), after=st.booleans())
def test_any_bytes_are_read_as_the_plain_reader_reads_them(
    build: Build, body: bytes, count: int, after: bool
) -> None:
    batch = with_body(body, count, last_offset_delta=1 << 30)
    sound = build_batch([Record(0, 5, b"k" * 200, None)]) if after else b""
    records = expected(batch)
    if records is None:
        with pytest.raises(ProtocolError):
            rows_of(build, batch + sound)
    else:
        wanted = [row(record) for record in records if record.offset >= 0]
        assert rows_of(build, batch + sound)[: len(wanted)] == wanted


@given(wanted=st.sets(st.sampled_from(sorted(CONTENT))))
def test_only_the_wanted_columns_are_made(build: Build, wanted: set[str]) -> None:
    batches = [
        PlainBatch(
            build_batch([Record(0, 5, b"k", b"v", (("h", b"x"),)), Record(1, 6, None, None)])[61:], 2, 0, 5
        )
    ]
    everything = build(batches, CONTENT)[1]
    count, arrays = build(batches, frozenset(wanted))
    assert count == 2
    assert arrays == {name: everything[name] for name in wanted}


def test_the_types_are_those_of_spark(engine: str) -> None:
    data = build_batch([Record(4, 1_700_000_000_123, b"k", b"v", (("h", None),))], base_offset=4)
    table = decode_columns(data, from_offset=0).to_arrow("orders", 3)
    assert table.schema == pyarrow.schema(
        [
            ("key", pyarrow.binary()),
            ("value", pyarrow.binary()),
            ("topic", pyarrow.string()),
            ("partition", pyarrow.int32()),
            ("offset", pyarrow.int64()),
            ("timestamp", pyarrow.timestamp("ms", tz="UTC")),
            ("timestamp_type", pyarrow.int32()),
            (
                "headers",
                pyarrow.list_(pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())])),
            ),
        ]
    )
    assert table["topic"].to_pylist() == ["orders"]
    assert table["partition"].to_pylist() == [3]


def test_columns_come_in_the_order_that_was_asked_for(engine: str) -> None:
    data = build_batch([Record(4, 5, b"k", b"v")], base_offset=4)
    columns = decode_columns(data, columns=["partition", "offset", "value"], from_offset=0)
    assert columns.to_arrow("t", 1).to_pylist() == [{"partition": 1, "offset": 4, "value": b"v"}]
    with pytest.raises(ValueError, match="no column is named keys; there are key, value"):
        decode_columns(data, columns=["keys"], from_offset=0)


def test_offsets_transactions_and_ends_are_judged(engine: str) -> None:
    data = b"".join(
        [
            build_batch(
                [Record(-1, 5, None, b"a")] * 3, producer_id=9, producer_epoch=0, is_transactional=True
            ),
            build_batch([Record(-1, 5, None, b"b")] * 3, base_offset=3),
            build_batch([Record(-1, 5, None, b"c")] * 3, base_offset=6)[:-1],
        ]
    )
    columns = decode_columns(data, columns=["offset"], from_offset=1, up_to=5, aborted=[(9, 0)])
    assert columns.arrays["offset"].to_pylist() == [3, 4]
    assert columns.next_offset == 5
    empty = decode_columns(b"", from_offset=17)
    assert (empty.rows, empty.next_offset, len(empty.to_arrow("t", 0))) == (0, 17, 0)


def test_the_whole_may_not_be_larger_than_was_said(engine: str) -> None:
    batch = build_batch([Record(-1, 5, None, bytes(1000))] * 10, compression=Compression.ZSTD)
    assert decode_columns(batch * 3, from_offset=0, max_output=31_000).rows == 30
    with pytest.raises(ProtocolError, match="larger than 21000"):
        decode_columns(batch * 3, from_offset=0, max_output=21_000)


def test_pieces_make_up_the_whole(engine: str) -> None:
    data = b"".join(
        build_batch([Record(-1, 5, None, bytes(100))] * 10, base_offset=10 * index) for index in range(10)
    )
    fetched = FetchedBatches(data, from_offset=0)
    pieces: list[Columns] = []
    while (piece := read_columns(fetched, ["offset"], 2500)) is not None:
        pieces.append(piece)
    assert [piece.rows for piece in pieces] == [30, 30, 30, 10]
    assert [piece.next_offset for piece in pieces] == [30, 60, 90, 100]
    assert [offset for piece in pieces for offset in piece.arrays["offset"].to_pylist()] == list(range(100))


def test_what_came_before_a_wrong_checksum_is_given_first(engine: str) -> None:
    bad = build_batch([Record(-1, 5, None, b"x")], base_offset=1)
    bad[-2] ^= 1
    fetched = FetchedBatches(build_batch([Record(-1, 5, None, b"x")]) + bad, from_offset=0)
    piece = read_columns(fetched, ["offset"], 1 << 20)
    assert piece is not None
    assert (piece.rows, piece.next_offset) == (1, 1)
    with pytest.raises(ProtocolError, match="checksum"):
        read_columns(fetched, ["offset"], 1 << 20)


def test_the_compiled_module_never_writes_beyond_its_memory() -> None:
    """Even if its caller measured wrong: each memory, one byte too small, is refused."""
    compiled = compiled_records()
    records = [Record(0, 5, b"key", b"value", (("h", b"x"),)), Record(1, 5, None, None, (("n", None),))]
    batches = list(FetchedBatches(build_batch(records), from_offset=0))
    count, headers, sizes, nulls = compiled.measure_columns(batches)
    assert (count, headers, sizes, nulls) == (2, 2, (3, 5, 2, 1), (1, 1, 0, 1))
    right = [16, 16, 8, 12, *(12, 3, 1), *(12, 5, 1), *(12, 2, 1), *(12, 1, 1)]
    assert compiled.fill_columns(batches, tuple(bytearray(size) for size in right)) == 2
    for index in range(len(right)):
        memory = [bytearray(size - (place == index)) for place, size in enumerate(right)]
        with pytest.raises(ProtocolError, match="smaller"):
            compiled.fill_columns(batches, tuple(memory))
    no_validity = [None if index == 6 else bytearray(size) for index, size in enumerate(right)]
    with pytest.raises(ProtocolError, match="smaller"):
        compiled.fill_columns(batches, tuple(no_validity))
    assert compiled.fill_columns(batches, (None,) * 16) == 2
    for wrong in ((), (None,) * 15, (b"read only",) + (None,) * 15, [None] * 16):
        with pytest.raises((TypeError, BufferError)):
            compiled.fill_columns(batches, wrong)
    for wrong_batches in (None, (), [1], [(b"", 1)]):
        with pytest.raises(TypeError):
            compiled.measure_columns(wrong_batches)
