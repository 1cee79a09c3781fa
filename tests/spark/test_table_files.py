"""Arrow batches into Parquet files: sizes, partitions, zones, and what is left when a task fails."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.spark.tables import staged_files
from snakka.spark.tables.delta_actions import statistics
from snakka.spark.tables.partitions import PartitionColumn, PartitionKey, directory, split
from snakka.spark.tables.schema_evolution import SchemaMismatchError
from snakka.spark.tables.staged_files import FileLayout, FileStager


@dataclass(frozen=True)
class Directory:
    """Storage of the simplest kind."""

    root: str
    partitions: tuple[PartitionColumn, ...] = ()

    def path(self, partition: PartitionKey, name: str) -> str:
        texts = tuple(None if value is None else str(value) for value in partition)
        return f"{self.root}/{directory(self.partitions, texts)}/{name}"

    def create(self, path: str) -> Any:
        files = pafs.LocalFileSystem()
        files.create_dir(path.rpartition("/")[0])
        return files.open_output_stream(path)

    def remove(self, path: str) -> None:
        pafs.LocalFileSystem().delete_file(path)


def layout(root: Path, schema: pa.Schema, *columns: PartitionColumn, target: int = 1 << 27) -> FileLayout:
    return FileLayout("a table", Directory(str(root), columns), schema, schema, columns, target, "zstd")


ROWS = pa.schema([("id", pa.int64()), ("value", pa.binary())])


def random_batches(batches: int, rows: int, value_bytes: int) -> Iterator[pa.RecordBatch]:
    chance = np.random.default_rng(7)
    for number in range(batches):
        values = [chance.bytes(value_bytes) for _ in range(rows)]
        ids = range(number * rows, (number + 1) * rows)
        yield pa.RecordBatch.from_arrays([pa.array(ids), pa.array(values)], schema=ROWS)


@pytest.mark.parametrize("target", [64 * 1024, 300 * 1024])
def test_files_are_about_as_large_as_wanted(tmp_path: Path, target: int) -> None:
    files = FileStager(layout(tmp_path, ROWS, target=target), "part").write(random_batches(20, 1000, 100))
    assert sum(file.rows for file in files) == 20_000
    for file in files[:-1]:
        assert 0.75 * target <= file.size_bytes <= 1.25 * target
    for file in files:
        assert file.size_bytes == Path(file.path).stat().st_size
        assert file.footer.num_rows == pq.read_metadata(file.path).num_rows
    read = ds.dataset([file.path for file in files]).to_table().sort_by("id")
    assert read.column("id").to_pylist() == list(range(20_000))


def test_rows_that_compress_well_still_fill_their_files(tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64()), ("text", pa.string())])
    batch = pa.RecordBatch.from_arrays([pa.array(range(5000)), pa.array(["the same"] * 5000)], schema=schema)
    files = FileStager(layout(tmp_path, schema, target=64 * 1024), "part").write([batch] * 40)
    assert len(files) > 1
    for file in files[:-1]:
        assert 0.7 * 64 * 1024 <= file.size_bytes <= 1.5 * 64 * 1024


def test_nothing_makes_no_file(tmp_path: Path) -> None:
    empty = pa.RecordBatch.from_pylist([], schema=ROWS)
    assert FileStager(layout(tmp_path, ROWS), "part").write([empty, empty]) == []
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_task_that_fails_takes_its_files_away(tmp_path: Path) -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield from random_batches(10, 1000, 100)
        assert list(tmp_path.rglob("*.parquet"))
        raise OSError("the source is gone")

    with pytest.raises(OSError, match="the source is gone"):
        FileStager(layout(tmp_path, ROWS, target=64 * 1024), "part").write(failing())
    assert not list(tmp_path.rglob("*.parquet"))


def test_attempts_never_share_a_name(tmp_path: Path) -> None:
    for _ in range(2):
        FileStager(layout(tmp_path, ROWS), "part-0").write(random_batches(1, 10, 10))
    assert len(list(tmp_path.rglob("*.parquet"))) == 2


def test_times_are_in_utc_whatever_the_sessions_zone_is(tmp_path: Path) -> None:
    schema = pa.schema([("ts", pa.timestamp("us", "UTC"))])
    noon = datetime.datetime(2026, 7, 1, 12, tzinfo=datetime.UTC)
    local = pa.RecordBatch.from_arrays([pa.array([noon], pa.timestamp("us", "Europe/Oslo"))], names=["ts"])
    (file,) = FileStager(layout(tmp_path, schema), "part").write([local])
    read = pq.read_table(file.path)
    assert read.schema.field("ts").type == pa.timestamp("us", "UTC")
    assert read.column("ts")[0].as_py() == noon


def test_a_null_where_none_may_be_is_refused(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False)])
    batch = pa.RecordBatch.from_arrays([pa.array([1, None])], names=["id"])
    with pytest.raises(SchemaMismatchError, match="column id must not be null"):
        FileStager(layout(tmp_path, schema), "part").write([batch])


def test_more_partitions_than_open_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staged_files, "MAX_OPEN_FILES", 4)
    monkeypatch.setattr(staged_files, "MAX_BUFFERED_BYTES", 2_000)
    schema = pa.schema([("k", pa.int64()), ("id", pa.int64())])
    ids = np.arange(1000)
    batches = [
        pa.RecordBatch.from_arrays([pa.array(ids % 10), pa.array(ids + start)], schema=schema)
        for start in (0, 1000, 2000)
    ]
    files = FileStager(layout(tmp_path, schema, PartitionColumn("k", "k")), "part").write(batches)
    for file in files:
        assert set(pq.read_table(file.path).column("k").to_pylist()) == {file.partition[0]}
    read = ds.dataset([file.path for file in files], schema=schema).to_table()
    assert sorted(read.column("id").to_pylist()) == list(range(3000))


def of_groups(batches: int, groups: np.ndarray[Any, Any], value_bytes: int) -> Iterator[pa.RecordBatch]:
    """Batches whose rows are of these groups each."""
    for number in range(batches):
        values = [bytes([number]) * value_bytes] * len(groups)
        yield pa.RecordBatch.from_arrays([pa.array(groups), pa.array(values)], names=["k", "value"])


GROUPED = pa.schema([("k", pa.int64()), ("value", pa.binary())])


def test_rows_that_wait_do_not_keep_the_others_of_their_batch_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group that gets a row of each batch waits long for its file."""
    monkeypatch.setattr(staged_files, "ROW_GROUP_BYTES", 4_000_000)
    groups = np.zeros(1000, dtype=np.int64)
    groups[7] = 1
    most = 0

    def watched() -> Iterator[pa.RecordBatch]:
        nonlocal most
        for batch in of_groups(100, groups, 1000):
            most = max(most, pa.total_allocated_bytes() - before)
            yield batch

    before = pa.total_allocated_bytes()
    files = FileStager(layout(tmp_path, GROUPED, PartitionColumn("k", "k")), "part").write(watched())
    assert sum(file.rows for file in files) == 100_000
    assert most < 30_000_000, "of the 100 MB that came"


def test_many_partitions_at_once_have_a_file_each(tmp_path: Path) -> None:
    partitions = 10 * staged_files.MAX_OPEN_FILES
    batches = list(of_groups(20, np.arange(1000) % partitions, 10))
    files = FileStager(layout(tmp_path, GROUPED, PartitionColumn("k", "k")), "part").write(batches)
    assert len(files) == partitions
    read = ds.dataset([file.path for file in files], schema=GROUPED).to_table()
    assert read.num_rows == 20_000


@pytest.mark.parametrize("most_bytes", [1, 50_000, 400_000])
def test_memory_is_bounded_however_many_partitions_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_bytes: int
) -> None:
    monkeypatch.setattr(staged_files, "MAX_BUFFERED_BYTES", most_bytes)
    batches = list(of_groups(20, np.arange(1000) % 100, 100))
    stager = FileStager(layout(tmp_path, GROUPED, PartitionColumn("k", "k")), "part")
    held: list[int] = []
    open_files: list[int] = []

    def watched() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch
            held.append(sum(file.held_bytes for file in stager._open.values()))
            open_files.append(sum(file.is_written for file in stager._open.values()))

    files = stager.write(watched())
    assert max(held) <= most_bytes
    assert max(open_files) <= staged_files.MAX_OPEN_FILES
    assert sum(file.rows for file in files) == 20_000
    assert sorted(file.path for file in files) == sorted(map(str, tmp_path.rglob("*.parquet")))


KEYS = st.one_of(st.none(), st.integers(-3, 3))


@settings(max_examples=60)
@given(st.lists(st.tuples(KEYS, st.one_of(st.none(), st.sampled_from(["", "a", "b/c"]))), max_size=30))
def test_rows_are_split_as_a_loop_would(keys: list[tuple[int | None, str | None]]) -> None:
    batch = pa.RecordBatch.from_arrays(
        [
            pa.array([key[0] for key in keys], pa.int64()),
            pa.array([key[1] for key in keys], pa.string()),
            pa.array(range(len(keys)), pa.int64()),
        ],
        names=["a", "b", "row"],
    )
    expected: dict[tuple[Any, ...], list[int]] = {}
    for row, key in enumerate(keys):
        expected.setdefault(key, []).append(row)
    columns = (PartitionColumn("a", "a"), PartitionColumn("b", "b"))
    found = {key: rows.column("row").to_pylist() for key, rows in split(batch, columns)}
    assert found == expected


MOMENTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))


@settings(max_examples=60)
@given(st.lists(st.one_of(st.none(), MOMENTS), min_size=1, max_size=20))
def test_parts_of_times_count_from_1970(moments: list[datetime.datetime | None]) -> None:
    column = pa.array(moments, pa.timestamp("us", "UTC"))
    epoch = datetime.datetime(1970, 1, 1)
    for name, seconds in (("day", 86_400), ("hour", 3_600)):
        unit = datetime.timedelta(seconds=seconds)
        expected = [None if moment is None else (moment - epoch) // unit for moment in moments]
        assert PartitionColumn("p", "t", name).values(column).to_pylist() == expected
    years = [None if moment is None else moment.year - 1970 for moment in moments]
    assert PartitionColumn("p", "t", "year").values(column).to_pylist() == years
    months = [None if moment is None else (moment.year - 1970) * 12 + moment.month - 1 for moment in moments]
    assert PartitionColumn("p", "t", "month").values(column).to_pylist() == months
    days = pa.array([None if moment is None else moment.date() for moment in moments], pa.date32())
    assert PartitionColumn("p", "t", "day").values(days).to_pylist() == [
        None if moment is None else (moment.date() - epoch.date()).days for moment in moments
    ]


def test_directories_are_for_people_and_never_leave_the_table() -> None:
    columns = (PartitionColumn("a b", "a b"), PartitionColumn("k", "k"))
    assert directory(columns, ("../x y", None)) == "a_b=.._x_y/k=__HIVE_DEFAULT_PARTITION__"
    assert len(directory(columns[1:], ("x" * 500,))) == 66


def test_statistics_come_from_the_footer_and_leave_out_what_may_be_wrong(tmp_path: Path) -> None:
    schema = pa.schema(
        [
            ("id", pa.int64()),
            ("text", pa.string()),
            ("long", pa.string()),
            ("raw", pa.binary()),
            ("yes", pa.bool_()),
            ("price", pa.decimal128(38, 2)),
            ("none", pa.int32()),
            ("real", pa.float64()),
            ("ts", pa.timestamp("us", "UTC")),
            ("day", pa.date32()),
            ("s", pa.struct([("x", pa.int32())])),
            ("l", pa.list_(pa.int32())),
            ("m", pa.map_(pa.string(), pa.struct([("z", pa.int32())]))),
            ("s.x", pa.int64()),
        ]
    )
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.UTC)
    rows = [
        {"id": 5, "text": "b", "long": "x" * 100, "raw": b"a", "ts": moment, "s.x": 77},
        {
            "id": -1,
            "text": "a",
            "long": "y" * 100,
            "real": 1.0,
            "day": moment.date(),
            "s": {"x": 3},
            "l": [1],
        },
        {"yes": True, "price": Decimal("-1.50")},
    ]
    batch = pa.RecordBatch.from_pylist(rows, schema=schema)
    (file,) = FileStager(replace(layout(tmp_path, schema)), "part").write([batch])
    figures = statistics(file)
    assert figures["numRecords"] == 3
    assert figures["minValues"] == {
        "id": -1,
        "text": "a",
        "long": "x" * 64,
        "yes": True,
        "price": -1.5,
        "none": None,
        "real": 1.0,
        "ts": "2026-01-02T03:04:05.678901Z",
        "day": "2026-01-02",
        "s": {"x": 3},
        "s.x": 77,
    }
    assert figures["maxValues"]["id"] == 5
    assert figures["maxValues"]["long"] == "y" * 64 + "\U0010ffff" * 2
    assert figures["nullCount"]["none"] == 3
    assert figures["nullCount"]["s"] == {"x": 2}
    assert not {"l", "m", "raw"} & figures["nullCount"].keys()


@pytest.mark.parametrize("odd", [{"real": float("inf")}, {"price": Decimal("1234567890123456789.5")}])
def test_a_file_has_the_bounds_of_all_its_columns_or_none(tmp_path: Path, odd: dict[str, Any]) -> None:
    schema = pa.schema([("id", pa.int64()), ("real", pa.float64()), ("price", pa.decimal128(38, 1))])
    batch = pa.RecordBatch.from_pylist([{"id": 1, **odd}], schema=schema)
    (file,) = FileStager(layout(tmp_path, schema), "part").write([batch])
    nulls = {name: int(name not in ("id", *odd)) for name in schema.names}
    assert statistics(file) == {"numRecords": 1, "nullCount": nulls}
