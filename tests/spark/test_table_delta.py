"""Delta tables and directories of others: what is refused, by name and before anything is written or removed."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from tests.spark.table_reading import delta_rows
from tests.spark.table_writing import SCHEMA, append, delta_opener, rows_from

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.delta_errors import DeltaTableError, one_line
from snakka.spark.tables.maintenance import NoTableError, maintain_delta
from snakka.spark.tables.schema_evolution import SchemaMismatchError


def delta_log(
    path: Path,
    *fields: dict[str, Any],
    features: tuple[str, ...] = (),
    of_readers: tuple[str, ...] = (),
    parts: tuple[str, ...] = (),
) -> None:
    """A table that another engine has made."""
    schema = json.dumps({"type": "struct", "fields": fields})
    table = {"id": "made-elsewhere", "format": {"provider": "parquet", "options": {}}, "schemaString": schema}
    readers: dict[str, Any] = {"minReaderVersion": 1}
    if of_readers:
        readers = {"minReaderVersion": 3, "readerFeatures": of_readers}
    actions = (
        {"protocol": {**readers, "minWriterVersion": 7, "writerFeatures": (*features, *of_readers)}},
        {"metaData": {**table, "partitionColumns": parts, "configuration": {}, "createdTime": 1}},
    )
    (path / "_delta_log").mkdir(parents=True)
    (path / "_delta_log" / f"{0:020d}.json").write_text("\n".join(map(json.dumps, actions)))


def field(name: str, kind: Any, **metadata: str) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def test_what_is_asked_of_a_column_within_a_column_is_not_overlooked(tmp_path: Path) -> None:
    checked = field("x", "long", **{"delta.invariants": '{"expression": {"expression": "x > 3"}}'})
    items = {
        "type": "array",
        "containsNull": True,
        "elementType": {"type": "struct", "fields": [checked]},
    }
    delta_log(tmp_path / "t", field("id", "long"), field("items", items), features=("invariants",))
    data = pa.schema([SCHEMA.field("id"), ("items", pa.list_(pa.struct([("x", pa.int64())])))])
    with pytest.raises(SchemaMismatchError, match=r"column items\.element\.x has an invariant"):
        delta_opener(tmp_path / "t", data).check()


def test_files_of_others_are_neither_made_a_table_of_nor_removed(tmp_path: Path) -> None:
    """A table in their directory would take them for left over by a task, and maintenance would remove them."""
    (tmp_path / "t" / "day=1").mkdir(parents=True)
    pq.write_table(rows_from(0, 3), tmp_path / "t" / "day=1" / "part-0.parquet")
    os.utime(tmp_path / "t" / "day=1" / "part-0.parquet", (1, 1))
    for ask in (delta_opener(tmp_path / "t").check, delta_opener(tmp_path / "t").open):
        with pytest.raises(
            SparkOptionError, match=r"there are files of no table, day=1/part-0\.parquet for one"
        ):
            ask()
    with pytest.raises(NoTableError):
        maintain_delta(str(tmp_path / "t"))
    assert [each.name for each in (tmp_path / "t").rglob("*") if each.is_file()] == ["part-0.parquet"]


def test_a_table_with_a_feature_that_nobody_here_knows_is_not_maintained(tmp_path: Path) -> None:
    """It may be that the log alone does not say which files are in use."""
    delta_log(tmp_path / "t", field("id", "long"), features=("futureThing",))
    (tmp_path / "t" / "in-use.parquet").touch()
    os.utime(tmp_path / "t" / "in-use.parquet", (1, 1))
    for is_dry in (True, False):
        with pytest.raises(SchemaMismatchError, match="writers that know futureThing"):
            maintain_delta(str(tmp_path / "t"), dry_run=is_dry)
    assert (tmp_path / "t" / "in-use.parquet").exists()


def test_a_feature_of_columns_that_a_table_has_none_of_is_no_hindrance(tmp_path: Path) -> None:
    """deltalake adds it to any table with features when it sets a property."""
    wall = pa.schema([("id", pa.int64()), ("variant", pa.timestamp("us"))])
    rows = pa.table({"id": [1], "variant": [0]}, schema=wall)
    append(delta_opener(tmp_path / "t", wall), rows, 0)
    DeltaTable(str(tmp_path / "t")).alter.set_table_properties({"delta.appendOnly": "false"})
    assert "variantType" in (DeltaTable(str(tmp_path / "t")).protocol().writer_features or ())
    assert append(delta_opener(tmp_path / "t", wall), rows, 1) is True
    assert maintain_delta(str(tmp_path / "t")).files_compacted == 2
    assert delta_rows(tmp_path / "t").num_rows == 2


@pytest.mark.parametrize(
    "kind",
    [
        "variant",
        {"type": "array", "containsNull": True, "elementType": "variant"},
        {"type": "map", "keyType": "string", "valueType": "variant", "valueContainsNull": True},
    ],
)
def test_a_feature_of_columns_that_a_table_has_is_refused(tmp_path: Path, kind: Any) -> None:
    delta_log(tmp_path / "t", field("id", "long"), field("v", kind), of_readers=("variantType",))
    opener = delta_opener(tmp_path / "t", pa.schema([("id", pa.int64())]))
    for ask in (opener.check, opener.open, lambda: maintain_delta(str(tmp_path / "t"))):
        with pytest.raises(SchemaMismatchError, match="writers that know variantType"):
            ask()


WALL = pa.timestamp("us")


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        (pa.map_(pa.string(), WALL), "w.value"),
        (pa.map_(WALL, pa.string()), "w.key"),
        (pa.struct([("m", pa.list_(pa.map_(pa.string(), WALL)))]), "w.m.element.value"),
    ],
)
def test_a_wall_clock_time_that_deltalake_does_not_see_makes_no_unreadable_table(
    tmp_path: Path, kind: pa.DataType, path: str
) -> None:
    data = pa.schema([("id", pa.int64()), ("w", kind)])
    new, old = delta_opener(tmp_path / "new", data), delta_opener(tmp_path / "old", data, merge=True)
    append(delta_opener(tmp_path / "old", data.remove(1)), pa.table({"id": [1]}), 0)
    for ask in (new.check, new.open, old.check, old.open):
        with pytest.raises(SchemaMismatchError, match=f"column {path} is a timestamp_ntz within a map"):
            ask()
    assert not (tmp_path / "new").exists()
    assert delta_rows(tmp_path / "old").to_pydict() == {"id": [1]}
    # Beside one that it sees they are as good as any.
    seen = pa.schema([*data, ("seen", pa.list_(WALL))])
    rows = pa.table({"id": [2], "w": [None], "seen": [[0]]}, schema=seen)
    append(delta_opener(tmp_path / "old", seen, merge=True), rows, 1)
    append(delta_opener(tmp_path / "old", data), rows.select(["id", "w"]), 2)
    append(delta_opener(tmp_path / "new", seen), rows, 0)
    assert sorted(delta_rows(tmp_path / "old")["id"].to_pylist()) == [1, 2, 2]
    assert delta_rows(tmp_path / "new").num_rows == 1


def test_wall_clock_times_within_maps_are_taken_by_a_table_that_says_so(tmp_path: Path) -> None:
    """As another engine makes it."""
    times = {"type": "map", "keyType": "string", "valueType": "timestamp_ntz", "valueContainsNull": True}
    delta_log(tmp_path / "t", field("id", "long"), field("w", times), of_readers=("timestampNtz",))
    rows = pa.table({"id": [1], "w": pa.array([[("a", 0)]], pa.map_(pa.string(), WALL))})
    opener = delta_opener(tmp_path / "t", rows.schema)
    opener.check()
    assert append(opener, rows, 0) is True
    assert delta_rows(tmp_path / "t").num_rows == 1


def test_a_log_begins_once_whoever_begins_it(tmp_path: Path) -> None:
    """Who comes second must not write what the table is once more: it would set back what others made of it since."""
    writers = 4
    for number in range(10):
        path = tmp_path / str(number)
        begin = Barrier(writers)

        def write(query: int, path: Path = path, begin: Barrier = begin) -> None:
            opener = delta_opener(path)
            begin.wait(30)
            append(opener, rows_from(query * 10, 10), 0, query=f"query-{query}")

        with ThreadPoolExecutor(writers) as pool:
            list(pool.map(write, range(writers)))
        entries = [file.read_text() for file in (path / "_delta_log").glob("*.json")]
        assert sum("metaData" in entry for entry in entries) == 1
        assert delta_rows(path).num_rows == 10 * writers


def test_columns_that_part_a_table_may_be_written_in_another_case(tmp_path: Path) -> None:
    columns = (field("ID", "long"), field("K", "string"), field("Ts", "timestamp"))
    delta_log(tmp_path / "t", *columns, parts=("K",))
    assert append(delta_opener(tmp_path / "t", partition_by=("k",)), rows_from(0, 10), 0) is True
    assert delta_rows(tmp_path / "t").filter(pa.compute.field("K") == "1").num_rows == 5
    with pytest.raises(SparkOptionError, match="partitioned by K"):
        delta_opener(tmp_path / "t", partition_by=("id",)).open()


def test_a_log_that_can_not_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "t" / "_delta_log").mkdir(parents=True)
    (tmp_path / "t" / "_delta_log" / f"{0:020d}.json").write_text("no JSON")
    opener = delta_opener(tmp_path / "t")
    for ask in (opener.check, opener.open, lambda: maintain_delta(str(tmp_path / "t"))):
        with pytest.raises(DeltaTableError, match=r"/t: Kernel error: Json error: [^\n]*$"):
            ask()
    (tmp_path / "file").touch()
    with pytest.raises(SparkOptionError, match="is no directory"):
        delta_opener(tmp_path / "file").open()


def test_causes_stand_behind_one_another() -> None:
    arrow = "\x1b[31m↳\x1b[0m"
    text = f"Generic S3 error\n    {arrow} Error performing GET\n     {arrow} Connection refused\n   0: <unknown>\n"
    assert one_line(text) == "Generic S3 error: Error performing GET: Connection refused"


def test_a_null_within_a_column_is_refused_by_the_columns_name(tmp_path: Path) -> None:
    inner = {**field("x", "long"), "nullable": False}
    delta_log(tmp_path / "t", field("s", {"type": "struct", "fields": [inner]}))
    data = pa.schema([("s", pa.struct([("x", pa.int64())]))])
    rows = pa.table({"s": [{"x": None}]}, schema=data)
    with pytest.raises(SchemaMismatchError, match="column s does not fit into the table: field 'x'"):
        append(delta_opener(tmp_path / "t", data), rows, 0)
