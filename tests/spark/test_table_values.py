"""Values that are odd but real: each is in the table as it was, and found by whoever looks for it."""

import datetime
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable, QueryBuilder
from tests.spark.table_reading import delta_rows, iceberg_table
from tests.spark.table_writing import append, delta_opener, iceberg_opener, staged

from snakka.spark.tables import staged_files
from snakka.spark.tables.schema_evolution import SchemaMismatchError
from snakka.spark.tables.table_options import CommitKey
from snakka.spark.tables.table_writer import commit_once

MOMENT = pa.timestamp("us", "UTC")
# Seconds taken for milliseconds, or the other way round, are the most usual way to get there.
YEAR_26000 = 760_206_902_400_000_000
_MAP = pa.map_(pa.string(), pa.int32())
YEAR_1 = -62_135_596_800_000_000

Opener = Callable[..., Any]


@pytest.fixture(params=["delta", "iceberg"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    if request.param == "delta":
        return lambda *args, **named: delta_opener(tmp_path / "t", *args, **named)
    return lambda *args, **named: iceberg_opener(tmp_path, *args, **named)


def _rows_where(directory: Path, column: str, value: str) -> list[dict[str, Any]]:
    """By the formats' own readers, which skip files by the statistics in the table."""
    if (directory / "t").exists():
        found = DeltaTable(str(directory / "t")).to_pyarrow_table(filters=[(column, "=", value)])
    else:
        found = iceberg_table(directory).scan(row_filter=f"{column} == '{value}'").to_arrow()
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows


def _all_rows(directory: Path) -> pa.Table:
    if (directory / "t").exists():
        return delta_rows(directory / "t")
    return iceberg_table(directory).scan().to_arrow()


def test_times_beyond_pythons_calendar_are_written_as_they_are(opener: Opener, tmp_path: Path) -> None:
    moments = pa.array([YEAR_26000, 0, -YEAR_26000], MOMENT)
    days = pa.array([5_000_000, 0, -5_000_000], pa.date32())
    rows = pa.table({"id": [0, 1, 2], "at": moments, "day": days, "s": ["a", "b", "c"]})
    append(opener(rows.schema), rows, 0)
    found = _all_rows(tmp_path).sort_by("id")
    assert found["at"].cast(MOMENT).combine_chunks().equals(moments)
    assert found["day"].combine_chunks().equals(days)
    # The other columns can still be searched.
    assert [row["id"] for row in _rows_where(tmp_path, "s", "b")] == [1]


@pytest.mark.parametrize("partition", ["at", "day(at)"])
def test_a_time_that_no_partition_can_have_is_named(partition: str, tmp_path: Path) -> None:
    rows = pa.table({"id": [0, 1], "at": pa.array([0, YEAR_26000], MOMENT)})
    openers = [iceberg_opener(tmp_path, rows.schema, partition_by=(partition,))]
    openers += [delta_opener(tmp_path / "t", rows.schema, partition_by=("at",))]  # type: ignore[list-item]
    for each in openers:
        with pytest.raises(
            SchemaMismatchError, match=r"column at decides the partition, and holds a time beyond"
        ):
            append(each, rows, 0)


def test_a_value_is_found_beside_one_that_is_too_long_for_statistics(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_files, "ROW_GROUP_BYTES", 1)
    schema = pa.schema([("id", pa.int64()), ("s", pa.string())])
    table = opener(schema).open()
    batches = [pa.table({"id": [0, 1], "s": texts}) for texts in (["a", "b"], ["c", "z" * 5000])]
    files = staged(table, pa.concat_tables(batches))
    assert [file.footer.num_row_groups for file in files] == [2]
    commit_once(table, files, CommitKey("query", 0), overwrite=False)
    assert [row["s"] for row in _rows_where(tmp_path, "s", "c")] == ["c"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\U00020001", id="two escapes in JSON"),
        pytest.param("\U0010ffff" * 100, id="nothing shorter comes after it"),
        pytest.param("\ud7ff" * 17, id="no character is next to its last one"),
    ],
)
def test_a_text_is_found_whatever_it_is_made_of(opener: Opener, tmp_path: Path, text: str) -> None:
    rows = pa.table({"id": [0, 1], "s": ["a", text]})
    append(opener(rows.schema), rows, 0)
    assert [row["id"] for row in _rows_where(tmp_path, "s", text)] == [1]


def test_what_is_not_a_number_is_one_partition(opener: Opener, tmp_path: Path) -> None:
    """Two of them are not equal, so each of a task's batches would begin files of its own."""
    schema = pa.schema([("id", pa.int64()), ("f", pa.float32())])
    table = opener(schema, partition_by=("f",)).open()
    batches = [pa.table({"id": [number], "f": [float("nan")]}, schema=schema) for number in range(5)]
    (file,) = staged(table, pa.concat_tables(batches))
    commit_once(table, [file], CommitKey("query", 0), overwrite=False)
    found = _all_rows(tmp_path)
    assert found.num_rows == 5
    assert pc.all(pc.is_nan(found["f"])).as_py()


def test_what_is_looked_for_is_found_whatever_its_type_is(tmp_path: Path) -> None:
    """deltalake's reader takes a column without bounds beside columns with bounds for one that has no value at all."""
    rows = pa.table(
        {
            "id": [0, 1],
            "yes": [True, False],
            "price": pa.array([Decimal("1.50"), Decimal("-7.25")], pa.decimal128(10, 2)),
            "huge": pa.array([Decimal(10**30), None], pa.decimal128(38, 0)),
            "text": ["a", "z" * 5000],
            "real": [1.5, float("nan")],
            "raw": [b"a", b"b"],
            "none": pa.array([None, None], pa.int32()),
            "deep": [{"x": 1}, {"x": 2}],
            **{f"m{number}": pa.array([[("a", 1)]] * 2, _MAP) for number in range(20)},
            "last": ["y", "z"],
        }
    )
    plain = rows.drop_columns(["huge", "text", "real"])
    for name, table in (("all", rows), ("plain", plain)):
        append(delta_opener(tmp_path / name, table.schema), table, 0)
        found = DeltaTable(str(tmp_path / name)).to_pyarrow_dataset()
        for column in (each for each in table.schema.names if not each.startswith(("m", "deep", "none"))):
            value = table[column][0]
            assert found.to_table(filter=pc.field(column) == value).num_rows == 1, (name, column)
        assert found.to_table(filter=pc.field("none").is_null()).num_rows == 2
    skipped = next(iter(DeltaTable(str(tmp_path / "plain")).to_pyarrow_dataset().get_fragments()))
    assert "price <= 1.50" in str(skipped.partition_expression)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("delta.dataSkippingNumIndexedCols", "-1"),
        ("delta.dataSkippingNumIndexedCols", "0"),
        ("delta.dataSkippingNumIndexedCols", "36"),
        ("delta.dataSkippingStatsColumns", "c39,c1"),
    ],
)
def test_a_table_says_which_columns_are_searched(tmp_path: Path, setting: str, value: str) -> None:
    rows = pa.table({f"c{number}": [number, 100] for number in range(40)})
    DeltaTable.create(str(tmp_path / "t"), rows.schema, configuration={setting: value})
    append(delta_opener(tmp_path / "t", rows.schema), rows, 0)
    found = DeltaTable(str(tmp_path / "t")).to_pyarrow_dataset()
    for number in (0, 31, 35, 39):
        assert found.to_table(filter=pc.field(f"c{number}") == number).num_rows == 1


def test_rows_are_found_by_the_columns_that_they_lack(opener: Opener, tmp_path: Path) -> None:
    rows = pa.table({"id": [1, 2], "c": [5, 6], "s": ["x", "y"], "deep": [{"a": 1}, {"a": 2}]})
    append(opener(rows.schema), rows, 0)
    few = pa.table({"id": [3, 4, 5]})
    append(opener(few.schema), few, 1)
    for column in ("c", "s", "deep"):
        if (tmp_path / "t").exists():
            found = DeltaTable(str(tmp_path / "t")).to_pyarrow_dataset()
            counted = found.to_table(filter=pc.field(column).is_null()).num_rows
        elif column != "deep":  # of which pyiceberg can't ask this
            counted = iceberg_table(tmp_path).scan(row_filter=f"{column} is null").to_arrow().num_rows
        assert counted == 3, column


def test_what_was_never_null_may_be_null_later(opener: Opener, tmp_path: Path) -> None:
    """Spark knows of a literal, or of a collected list, that it holds no null: the table must not promise that."""

    def rows(*, nullable: bool, number: int | None) -> pa.Table:
        inner = pa.struct([pa.field("x", pa.int32(), nullable=nullable)])
        kinds = {
            "s": inner,
            "l": pa.list_(pa.field("element", pa.int32(), nullable=nullable)),
            "m": pa.map_(pa.string(), pa.field("value", pa.int32(), nullable=nullable)),
        }
        values = {"s": {"x": number}, "l": [number], "m": [("a", number)]}
        return pa.table({name: pa.array([values[name]], kind) for name, kind in kinds.items()})

    for batch, number in enumerate((1, None)):
        table = rows(nullable=number is None, number=number)
        append(opener(table.schema), table, batch)
    more = rows(nullable=False, number=2).rename_columns(["s2", "l2", "m2"])
    append(opener(more.schema, merge=True), more, 2)
    again = rows(nullable=True, number=None).rename_columns(["s2", "l2", "m2"])
    append(opener(again.schema), again, 3)
    found = _all_rows(tmp_path).to_pylist()
    for names in (("s", "l", "m"), ("s2", "l2", "m2")):
        assert sum(row[names[0]] == {"x": None} for row in found) == 1
        assert sum(row[names[1]] == [None] for row in found) == 1
        assert sum(row[names[2]] == [("a", None)] for row in found) == 1


@pytest.mark.parametrize("row_group_bytes", [staged_files.ROW_GROUP_BYTES, 1])
def test_what_is_not_a_number_is_found_and_taken_for_no_other(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row_group_bytes: int
) -> None:
    """NaN is in no range: readers would leave such rows out, or show them with the one value that a file's range has."""
    monkeypatch.setattr(staged_files, "ROW_GROUP_BYTES", row_group_bytes)
    nan = float("nan")
    values: list[float | None] = [1.5, 1.5, nan, None]
    rows = pa.table(
        {
            "id": range(4),
            "real": values,
            "small": pa.array(values, pa.float32()),
            "deep": [{"x": each} for each in values],
            "real.x": [1, 1, 1, 1],
        }
    )
    table = opener(rows.schema).open()
    # A row at a time: a file may have been begun before it is known what comes.
    batches = pa.Table.from_batches([rows.slice(row, 1).combine_chunks().to_batches()[0] for row in range(4)])
    files = staged(table, batches)
    assert len(files) == (1 if row_group_bytes > 1 else 2)
    commit_once(table, files, CommitKey("query", 0), overwrite=False)
    if (tmp_path / "t").exists():
        found = DeltaTable(str(tmp_path / "t"))
        for column in ("real", "small"):
            field = pc.field(column)
            for condition, ids in (
                (pc.is_nan(field), [2]),
                (field != 1.5, [2]),
                (field == 1.5, [0, 1]),
                (field.is_null(), [3]),
            ):
                got = found.to_pyarrow_dataset().to_table(filter=condition)["id"]
                assert sorted(got.to_pylist()) == ids, condition
        asked = {"real = 1.5": [0, 1], "real > 2": [2], "deep['x'] > 2": [2], "real IS NULL": [3]}
        for words, ids in asked.items():
            answer = (
                QueryBuilder().register("t", found).execute(f"SELECT id FROM t WHERE {words} ORDER BY id")
            )
            assert pa.table(answer)["id"].to_pylist() == ids, words
    else:
        scanned = {"real is nan": [2], "real != 1.5": [2], "small == 1.5": [0, 1], "real is null": [3]}
        for words, ids in scanned.items():
            got = iceberg_table(tmp_path).scan(row_filter=words).to_arrow()["id"]
            assert sorted(got.to_pylist()) == ids, words


@pytest.mark.parametrize("row_group_bytes", [staged_files.ROW_GROUP_BYTES, 1])
def test_columns_whose_names_have_dots_are_not_taken_for_those_within_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row_group_bytes: int
) -> None:
    """To a writer of Parquet b within a, and a.b, are one column: where one is not a number, neither has a range.

    Iceberg has no such tables.
    """
    monkeypatch.setattr(staged_files, "ROW_GROUP_BYTES", row_group_bytes)
    nan = float("nan")
    rows = pa.table(
        {
            "id": range(4),
            "a.b": [1.5, nan, None, None],
            "a": [{"b": 1, ".c": nan}, {"b": 2, ".c": 1.5}, {"b": None, ".c": None}, None],
        }
    )
    table = delta_opener(tmp_path, rows.schema).open()
    batches = pa.Table.from_batches([rows.slice(row, 1).combine_chunks().to_batches()[0] for row in range(4)])
    commit_once(table, staged(table, batches), CommitKey("query", 0), overwrite=False)
    asked = {
        '"a.b" IS NULL': [2, 3],
        '"a.b" = 1.5': [0],
        "a['b'] IS NULL": [2, 3],
        "a['b'] > 1": [1],
        "a['.c'] IS NULL": [2, 3],
        "a['.c'] = 1.5": [1],
    }
    for words, ids in asked.items():
        builder = QueryBuilder().register("t", DeltaTable(str(tmp_path)))
        answer = pa.table(builder.execute(f"SELECT id FROM t WHERE {words} ORDER BY id"))
        assert answer["id"].to_pylist() == ids, words
    nulls = [json.loads(each)["nullCount"] for each in _statistics(tmp_path)]
    assert sum(each["a.b"] for each in nulls) == 2
    assert [sum(each["a"][name] for each in nulls) for name in ("b", ".c")] == [2, 2]


def _statistics(table: Path) -> list[str]:
    lines = [line for log in (table / "_delta_log").glob("*.json") for line in log.read_text().splitlines()]
    return [each["add"]["stats"] for each in map(json.loads, lines) if "add" in each]


def test_a_partitions_decimal_is_written_without_exponent(tmp_path: Path) -> None:
    prices = [Decimal("0E-10"), Decimal("1E-7"), Decimal("1.5")]
    rows = pa.table({"id": [0, 1, 2], "price": pa.array(prices, pa.decimal128(38, 10))})
    append(delta_opener(tmp_path / "t", rows.schema, partition_by=("price",)), rows, 0)
    log = sorted((tmp_path / "t" / "_delta_log").glob("*.json"))[-1].read_text().splitlines()
    added = [json.loads(line)["add"] for line in log if "add" in json.loads(line)]
    assert sorted(one["partitionValues"]["price"] for one in added) == [
        "0.0000000000",
        "0.0000001000",
        "1.5000000000",
    ]
    assert sorted(delta_rows(tmp_path / "t")["price"].to_pylist()) == prices


def test_a_moment_is_the_same_moment_in_every_zone(tmp_path: Path) -> None:
    """Delta has partitions and statistics as text: without its zone, a reader would take a moment for one of his own."""
    rows = pa.table(
        {
            "id": [0, 1],
            "at": pa.array([YEAR_1, 1_500_000], MOMENT),
            "seen": pa.array([YEAR_1, YEAR_1], MOMENT),
            "wall": pa.array([YEAR_1, 1_500_000], pa.timestamp("us")),
        }
    )
    append(delta_opener(tmp_path / "t", rows.schema, partition_by=("at", "wall")), rows, 0)
    log = sorted((tmp_path / "t" / "_delta_log").glob("*.json"))[-1].read_text().splitlines()
    added = [json.loads(line)["add"] for line in log if "add" in json.loads(line)]
    assert {(one["partitionValues"]["at"], one["partitionValues"]["wall"]) for one in added} == {
        ("0001-01-01T00:00:00.000000Z", "0001-01-01 00:00:00.000000"),
        ("1970-01-01T00:00:01.500000Z", "1970-01-01 00:00:01.500000"),
    }
    assert {json.loads(one["stats"])["minValues"]["seen"] for one in added} == {"0001-01-01T00:00:00.000000Z"}
    found = delta_rows(tmp_path / "t").sort_by("id").to_pylist()
    assert [row["at"] for row in found] == [
        datetime.datetime(1, 1, 1, tzinfo=datetime.UTC),
        datetime.datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=datetime.UTC),
    ]
