"""Columns as batches: both engines write the same, and what they write reads back as the rows."""

from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.protocol.record_samples import CONTENT, ENGINES, HEADERS, TIMESTAMPS, compiled_records

from snakka.protocol import column_encoder, header_columns
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.column_encoder import encode_columns, partition_keys
from snakka.protocol.key_hash import partition_for_key
from snakka.protocol.record_encoder import finish_batch
from snakka.protocol.varints import varint

NOW_MS = 1_700_000_000_000
READABLE_HEADERS = HEADERS.filter(lambda headers: all(name.isprintable() for name, _ in headers))
ROWS = st.lists(st.tuples(st.none() | TIMESTAMPS, CONTENT, CONTENT, READABLE_HEADERS), max_size=8)
HEADERS_TYPE = pyarrow.list_(pyarrow.struct([("name", pyarrow.string()), ("value", pyarrow.binary())]))


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "compiled":
        compiled_records()
    monkeypatch.setattr(column_encoder, "IS_COMPILED", request.param == "compiled")
    return str(request.param)


def written(limit: int = 1 << 20, **columns: Any) -> list[list[Record]]:
    encoders = encode_columns(now_ms=NOW_MS, limit=limit, **columns)
    return [list(read_records(finish_batch(encoder))) for encoder in encoders]


def flat(batches: list[list[Record]]) -> list[Record]:
    return [record._replace(offset=0) for records in batches for record in records]


# A fixture for each engine, not for each example: it only names the engine.
@pytest.mark.parametrize("skipped", [0, 3])
def test_rows_are_written_as_they_are(engine: str, skipped: int) -> None:
    @given(rows=ROWS, limit=st.sampled_from([100, 1000, 1 << 20]))
    def check(rows: list[Any], limit: int) -> None:
        table = arrow_table(rows, skipped)
        batches = written(
            limit,
            key=table["key"],
            value=table["value"],
            headers=table["headers"],
            timestamp=table["timestamp"],
        )
        assert flat(batches) == [
            Record(0, NOW_MS if timestamp is None else timestamp, key, value, headers)
            for timestamp, key, value, headers in rows
        ]

    check()


def arrow_table(rows: list[Any], skipped: int) -> pyarrow.RecordBatch:
    """Its columns begin within larger ones, as those of a slice do."""
    padded = [(1, b"other", None, (("other", None),))] * skipped + rows
    headers = [[{"name": name, "value": value} for name, value in row[3]] or None for row in padded]
    arrays = {
        "timestamp": pyarrow.array([row[0] for row in padded], pyarrow.int64()),
        "key": pyarrow.array([row[1] for row in padded], pyarrow.binary()),
        "value": pyarrow.array([row[2] for row in padded], pyarrow.binary()),
        "headers": pyarrow.array(headers, HEADERS_TYPE),
    }
    return pyarrow.RecordBatch.from_pydict(arrays)[skipped:]


def test_batches_are_as_large_as_the_limit_allows() -> None:
    values = pyarrow.array([b"v" * 100] * 1000)
    sizes = [encoder.size for encoder in encode_columns(value=values, now_ms=NOW_MS, limit=5000)]
    assert max(sizes) <= 5000
    assert min(sizes[:-1]) > 5000 - 120
    assert sum(map(len, written(5000, value=values))) == 1000
    assert [len(records) for records in written(0, value=values[:3])] == [1, 1, 1]


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.binary(),
        pyarrow.large_binary(),
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.binary_view(),
        pyarrow.string_view(),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    ],
    ids=str,
)
def test_bytes_and_text_of_every_kind_are_taken(kind: pyarrow.DataType) -> None:
    column = pyarrow.array([b"first", None, b"third"]).cast(pyarrow.string()).cast(kind)
    records = flat(written(value=column, key=pyarrow.chunked_array([column[:1], column[1:]])))
    assert [(record.key, record.value) for record in records] == [
        (b"first", b"first"),
        (None, None),
        (b"third", b"third"),
    ]


def test_times_are_cut_to_milliseconds() -> None:
    values = pyarrow.nulls(3, pyarrow.binary())
    micros = pyarrow.array([1_500_999, None, -1], pyarrow.timestamp("us", tz="UTC"))
    assert [record.timestamp for record in flat(written(value=values, timestamp=micros))][:2] == [
        1500,
        NOW_MS,
    ]
    seconds = pyarrow.array([7, 8, 9], pyarrow.timestamp("s"))
    assert [record.timestamp for record in flat(written(value=values, timestamp=seconds))] == [
        7000,
        8000,
        9000,
    ]


def test_headers_may_be_a_map() -> None:
    rows = [[("other", b"")], [("a", b"x"), ("b", None)], None, []]
    column = pyarrow.array(rows, pyarrow.map_(pyarrow.string(), pyarrow.binary()))[1:]
    records = flat(written(value=pyarrow.array([b"v"] * 3), headers=column))
    assert [record.headers for record in records] == [(("a", b"x"), ("b", None)), (), ()]


def test_headers_without_a_name_are_refused() -> None:
    column = pyarrow.array([[{"name": None, "value": b"x"}], [None]], HEADERS_TYPE)
    with pytest.raises(ValueError, match="2 headers have no name"):
        written(value=pyarrow.array([b"v", b"w"]), headers=column)


def test_thousands_of_headers_cost_no_python_object_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only distinct lengths are looked at by themselves."""
    looked_at: list[int] = []
    monkeypatch.setattr(header_columns, "varint", lambda length: looked_at.append(length) or varint(length))
    column = pyarrow.array([[{"name": "n" * (row % 3), "value": b"v"}] for row in range(3000)], HEADERS_TYPE)
    records = flat(written(value=pyarrow.array([b"v"] * 3000), headers=column))
    assert [record.headers for record in records[:3]] == [(("", b"v"),), (("n", b"v"),), (("nn", b"v"),)]
    assert len(looked_at) <= 5


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        written(value=pyarrow.array([b"v"]), key=pyarrow.array([b"a", b"b"]))
    assert written(value=pyarrow.array([], pyarrow.binary())) == []


def test_keys_are_partitioned_as_by_every_client() -> None:
    keys = [b"x" * size for size in range(40)] + [None, b"y" * 1000, b"", "\u00e6".encode()]
    partitions = partition_keys(pyarrow.array(keys), 7)
    assert partitions.type == pyarrow.int32()
    assert partitions.to_pylist() == [-1 if key is None else partition_for_key(key, 7) for key in keys]
    assert partition_keys(pyarrow.array(keys)[38:], 7).to_pylist() == partitions.to_pylist()[38:]
    assert partition_keys(pyarrow.array([], pyarrow.string()), 7).to_pylist() == []
    assert partition_keys(pyarrow.nulls(2), 7).to_pylist() == [-1, -1]
    with pytest.raises(ValueError, match="at least one partition"):
        partition_keys(pyarrow.array(keys), 0)


def test_a_column_that_leads_out_of_its_memory_is_refused() -> None:
    """pyarrow does not judge the positions that it is given; the compiled module does."""
    compiled = compiled_records()
    times = bytes(32)
    positions = b"".join(number.to_bytes(4, "little", signed=True) for number in (0, 3, 5))
    assert compiled.Encoder(1000).extend(times, (positions, b"abcde", None, 0), None, None, 0, 2) == 2
    for ends, valid in [
        ((0, 3, 6), None),
        ((0, 3, 2), None),
        ((-1, 3, 5), None),
        ((0, 3), None),
        ((0, 3, 5), b""),
    ]:
        positions = b"".join(number.to_bytes(4, "little", signed=True) for number in ends)
        column = (positions, b"abcde", valid, 0)
        with pytest.raises(ValueError, match="memory"):
            compiled.Encoder(1000).extend(times, column, None, None, 0, 2)
        with pytest.raises(ValueError, match="memory"):
            compiled.partition_keys(column, 2, 5, bytearray(8))
    for row, stop in ((-1, 1), (0, 5), (1 << 62, 1 << 62)):
        with pytest.raises(ValueError, match="timestamps"):
            compiled.Encoder(1000).extend(times, None, None, None, row, stop)
    with pytest.raises(ValueError, match="memory"):
        compiled.partition_keys(None, 3, 5, bytearray(8))
