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
from snakka.protocol.batch_builder import build_batch, build_end_transaction
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches
from snakka.protocol.record_batch import Bytes, stamp_crc
from snakka.protocol.record_columns import COLUMN_NAMES, ColumnBuilder, Columns, decode_columns, read_columns
from snakka.protocol.varints import wrapped

Build = Callable[[FetchedBatches, frozenset[str]], tuple[int, dict[str, Any]]]

CONTENT = frozenset(COLUMN_NAMES) - {"topic", "partition"}


@pytest.fixture(scope="module", params=[*ENGINES, "runs"])
def build(request: pytest.FixtureRequest) -> Build:
    """Batch by batch with both engines, and as many as possible at once."""
    if request.param == "python":
        return lambda batches, wanted: built(numpy_columns.NumpyColumns(wanted), batches)
    compiled_records()
    from snakka.protocol.compiled_columns import CompiledColumns

    if request.param == "compiled":
        return lambda batches, wanted: built(CompiledColumns(wanted), batches)
    return lambda batches, wanted: built_in_runs(CompiledColumns(wanted), batches)


def built(builder: ColumnBuilder, batches: FetchedBatches) -> tuple[int, dict[str, Any]]:
    for batch in batches:
        builder.add_batch(batch)
    return builder.finish()


def built_in_runs(builder: ColumnBuilder, batches: FetchedBatches) -> tuple[int, dict[str, Any]]:
    while True:
        if not batches.read_run(builder, 1 << 30):
            batch = next(batches, None)
            if batch is None:
                return builder.finish()
            builder.add_batch(batch)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The public functions with one engine or the other."""
    if request.param == "compiled":
        compiled_records()
    monkeypatch.setattr(record_columns, "IS_COMPILED", request.param == "compiled")
    return str(request.param)


def rows_of(build: Build, data: Bytes, columns: frozenset[str] = CONTENT) -> list[dict[str, Any]]:
    count, arrays = build(FetchedBatches(data, from_offset=0), columns)
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
    data = build_batch([Record(0, 5, b"k", b"v", (("h", b"x"),)), Record(1, 6, None, None)])
    everything = build(FetchedBatches(data, from_offset=0), CONTENT)[1]
    count, arrays = build(FetchedBatches(data, from_offset=0), frozenset(wanted))
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


def test_what_is_left_out_before_a_wrong_checksum_changes_nothing(engine: str) -> None:
    """The rows before both are given first, and the place to go on is where the trouble lies."""
    marker = build_end_transaction(
        committed=True, timestamp=5, producer_id=1, producer_epoch=0, coordinator_epoch=0, base_offset=1
    )
    bad = build_batch([Record(-1, 5, None, b"x")], base_offset=2)
    bad[-2] ^= 1
    fetched = FetchedBatches(build_batch([Record(-1, 5, None, b"x")]) + marker + bad, from_offset=0)
    piece = read_columns(fetched, ["offset"], 1 << 20)
    assert piece is not None
    assert (piece.rows, piece.next_offset) == (1, 2)
    with pytest.raises(ProtocolError, match="checksum"):
        read_columns(fetched, ["offset"], 1 << 20)


def test_garbage_is_refused_even_if_its_offsets_were_seen_before(engine: str) -> None:
    sound = build_batch([Record(-1, 5, None, b"x")], base_offset=50)
    fetched = FetchedBatches(sound + with_body(b"\xff" * 40, 2, last_offset_delta=1), from_offset=0)
    with pytest.raises(ProtocolError):
        read_columns(fetched, ["offset"], 1 << 20)


@st.composite
def parts(draw: st.DrawFn) -> bytes:
    """What an answer may have of a partition: batches of all kinds, in order or not, and its end may be cut off."""
    pieces: list[bytes] = []
    base_offset = 0
    for _ in range(draw(st.integers(0, 6))):
        base_offset += draw(st.sampled_from([0, 0, 0, 1, 50, -10]))
        is_transactional = draw(st.booleans())
        producer = {"producer_id": draw(st.integers(1, 2)), "producer_epoch": 0} if is_transactional else {}
        batch = bytearray(
            build_batch(
                [Record(-1, 5, b"k", b"v" * draw(st.integers(0, 100)))] * draw(st.integers(1, 5)),
                base_offset=max(base_offset, 0),
                compression=draw(st.sampled_from([Compression.NONE, Compression.NONE, Compression.GZIP])),
                is_transactional=is_transactional,
                log_append_time_ms=draw(st.sampled_from([None, None, 77])),
                **producer,
            )
        )
        if draw(st.integers(0, 9)) == 0:
            position = draw(st.integers(0, len(batch) - 1))
            batch[position] ^= draw(st.integers(1, 255))
            if draw(st.booleans()):
                stamp_crc(batch, 0)
        pieces.append(bytes(batch))
        base_offset = max(base_offset, 0) + 5
    if draw(st.booleans()):
        pieces.append(
            bytes(
                build_end_transaction(
                    committed=False,
                    timestamp=5,
                    producer_id=1,
                    producer_epoch=0,
                    coordinator_epoch=0,
                    base_offset=max(base_offset, 0),
                )
            )
        )
    data = b"".join(pieces)
    return data[: len(data) - draw(st.sampled_from([0, 0, 1, 60, 200]))]


@settings(max_examples=500)
@given(
    data=parts(),
    first=st.integers(0, 20),
    stop=st.none() | st.integers(0, 40),
    aborted=st.sampled_from([(), (), ((1, 0),), ((1, 3), (2, 8))]),
    check_crc=st.booleans(),
    max_bytes=st.sampled_from([1, 300, 1 << 20]),
)
def test_runs_of_batches_are_read_as_one_by_one(**given: Any) -> None:
    """The same rows in the same pieces, the same place to go on, and the same refusals."""
    compiled_records()
    assert read_with(is_compiled=True, **given) == read_with(is_compiled=False, **given)


def read_with(
    *,
    is_compiled: bool,
    data: bytes,
    first: int,
    stop: int | None,
    aborted: tuple[tuple[int, int], ...],
    check_crc: bool,
    max_bytes: int,
) -> list[Any]:
    seen: list[Any] = []
    batches = FetchedBatches(
        data, from_offset=first, up_to=stop, aborted=aborted, check_crc=check_crc, max_output=1 << 20
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_columns, "IS_COMPILED", is_compiled)
        try:
            while (piece := read_columns(batches, COLUMN_NAMES, max_bytes)) is not None:
                table = piece.to_arrow("t", 0)
                # A damaged timestamp may be one that Python has no date for.
                times = table.column("timestamp").cast(pyarrow.int64())
                others = table.drop_columns("timestamp").to_pylist()
                seen.append((others, times.to_pylist(), piece.next_offset))
        except ProtocolError:
            seen.append("refused")
        else:
            seen.append(batches.next_offset)
    return seen


def test_a_batch_that_is_refused_leaves_nothing_behind() -> None:
    """Neither rows nor bits of nulls, though its first records were right."""
    compiled_records()
    from snakka.protocol.compiled_columns import CompiledColumns

    records = [Record(0, 5, b"key", b"value", (("h", b"x"),)), *[Record(-1, 5, b"k", b"v")] * 20]
    (sound,) = FetchedBatches(build_batch(records), from_offset=0)
    (nulls,) = FetchedBatches(build_batch([Record(-1, 5, None, None, (("n", None),))] * 9), from_offset=0)
    garbage = nulls._replace(body=bytes(nulls.body[:-1]) + b"\x54")
    builder = CompiledColumns(CONTENT)
    for _ in range(2):
        with pytest.raises(ProtocolError, match="header"):
            builder.add_batch(garbage)
        builder.add_batch(sound)
    builder.add_batch(nulls)
    count, arrays = builder.finish()
    assert count == 51
    assert arrays["key"].to_pylist() == [record.key for record in records] * 2 + [None] * 9
    assert arrays["value"].to_pylist() == [record.value for record in records] * 2 + [None] * 9
    assert [len(headers) for headers in arrays["headers"].to_pylist()] == [1, *[0] * 20] * 2 + [1] * 9
    assert arrays["offset"].to_pylist() == [*range(21)] * 2 + [*range(9)]
    for array in arrays.values():
        array.validate(full=True)


def test_columns_keep_their_memory_while_others_are_made() -> None:
    """Memory is used again, but not as long as anybody looks at it."""
    compiled_records()
    tables = []
    for number in range(8):
        data = build_batch(
            [Record(index, number, b"%d" % number, bytes([number]) * 3000) for index in range(50)]
        )
        tables.append(decode_columns(data, from_offset=0).to_arrow("t", number))
    for number, table in enumerate(tables):
        assert table["key"].to_pylist() == [b"%d" % number] * 50
        assert table["value"].to_pylist() == [bytes([number]) * 3000] * 50
    del table
    while tables:
        last = tables.pop().slice(10, 3)
        again = decode_columns(build_batch([Record(0, 9, None, None)]), from_offset=0).to_arrow("t", 0)
        assert again.to_pylist()[0]["value"] is None
        assert len(set(last["value"].to_pylist())) == 1


def test_the_compiled_builder_refuses_misuse() -> None:
    compiled = compiled_records()
    (batch,) = FetchedBatches(build_batch([Record(0, 5, b"k", b"v")]), from_offset=0)
    for wrong in ((), (None,), ("x",), (1, 2)):
        with pytest.raises(TypeError):
            compiled.ColumnBuilder(*wrong)
    with pytest.raises(TypeError):
        compiled.ColumnBuilder(wanted=1)
    builder = compiled.ColumnBuilder(0)
    for wrong_batch in (None, (), [1], (b"", 1)):
        with pytest.raises(TypeError):
            builder.add_batch(wrong_batch)
    for position in (-1, 4, 1 << 62):
        with pytest.raises(ValueError, match="position"):
            builder.add_run(b"abc", position, 0, 10, 10, 10, True, False)
    with pytest.raises(TypeError):
        builder.add_run(b"abc", 0)
    builder.add_batch(batch)
    assert builder.finish()[:3] == (1, 0, None)
    for use in (
        lambda: builder.add_batch(batch),
        lambda: builder.add_run(b"", 0, 0, 1, 1, 1, False, False),
        builder.finish,
    ):
        with pytest.raises(ValueError, match="nothing can be added"):
            use()
