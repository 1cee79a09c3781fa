"""Maintenance of both formats: figures, dry runs, what is kept, and writers that do not stop meanwhile. No Spark needed."""

import json
import math
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import Table
from tests.spark.table_deletes import delete_by_value
from tests.spark.table_reading import counts_of, delta_rows, files_on_disk, iceberg_table
from tests.spark.table_writing import SCHEMA, append, delta_opener, iceberg_opener, make_old, rows_from

from snakka.spark.tables import iceberg_maintenance
from snakka.spark.tables.delta_errors import DeltaTableError
from snakka.spark.tables.delta_maintenance import DeltaMaintenance
from snakka.spark.tables.iceberg_maintenance import IcebergMaintenance
from snakka.spark.tables.maintenance import (
    MaintenanceResult,
    maintain_delta,
    maintain_iceberg,
    small_files_together,
)

TARGET = 1024 * 1024
DAY_SECONDS = 86_400


def iceberg_catalog(directory: Path) -> dict[str, str]:
    return {"uri": f"sqlite:///{directory}/catalog.db", "warehouse": f"file://{directory}/warehouse"}


def maintain(directory: Path, *, dry_run: bool = False) -> MaintenanceResult:
    return maintain_iceberg(
        iceberg_catalog(directory),
        "lake.events",
        target_file_size_bytes=TARGET,
        retention_hours=24,
        dry_run=dry_run,
    )


def snapshot_of(directory: Path) -> dict[str, int]:
    return {str(path): path.stat().st_size for path in directory.rglob("*") if path.is_file()}


def test_delta_files_are_put_together_and_left_over_ones_removed(tmp_path: Path) -> None:
    opener = delta_opener(tmp_path / "t", partition_by=("k",))
    for batch in range(4):
        append(opener, rows_from(batch * 100, 100), batch)
    orphan, fresh = tmp_path / "t" / "k=0" / "part-killed.parquet", tmp_path / "t" / "part-running.parquet"
    orphan.write_bytes(b"x" * 64)
    fresh.write_bytes(b"x" * 64)
    checkpoint = tmp_path / "t" / "checkpoint" / "offsets" / "0"
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_text("v1")
    make_old(orphan, checkpoint)

    before = snapshot_of(tmp_path)
    plan = maintain_delta(
        str(tmp_path / "t"), target_file_size_bytes=TARGET, retention_hours=24, dry_run=True
    )
    assert snapshot_of(tmp_path) == before
    result = maintain_delta(f"file:{tmp_path}/t", target_file_size_bytes=TARGET, retention_hours=24)
    for figures in (plan, result):
        assert (figures.files_before, figures.files_after) == (8, 2)
        assert (figures.files_compacted, figures.files_written) == (8, 2)
        assert (figures.files_removed, figures.bytes_removed) == (1, 64)
        assert figures.compactions_lost == 0
    assert plan.bytes_compacted == result.bytes_compacted > result.bytes_written > 0
    assert counts_of(delta_rows(tmp_path / "t")).distinct == 400
    assert not orphan.exists()
    assert fresh.exists()
    # Whoever keeps a query's checkpoint within the table's directory keeps it.
    assert checkpoint.exists()
    # The batches that were in the table still are, for a query that tries one again.
    assert append(opener, rows_from(300, 100), 3) is False
    again = maintain_delta(str(tmp_path / "t"), target_file_size_bytes=TARGET, retention_hours=24)
    assert (again.files_compacted, again.files_removed) == (0, 0)


def test_delta_files_are_put_together_while_others_are_added(tmp_path: Path) -> None:
    opener = delta_opener(tmp_path / "t")
    append(opener, rows_from(0, 10), 0)
    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(lambda: [append(opener, rows_from(n * 10, 10), n) for n in range(1, 20)])
        compacted = 0
        while not writer.done():
            compacted += maintain_delta(str(tmp_path / "t"), retention_hours=1).files_compacted
        assert writer.result() == [True] * 19
    assert compacted + maintain_delta(str(tmp_path / "t"), retention_hours=1).files_compacted
    assert [append(opener, rows_from(n * 10, 10), n) for n in range(20)] == [False] * 20
    counts = counts_of(delta_rows(tmp_path / "t"))
    assert (counts.rows, counts.distinct) == (200, 200)


@pytest.mark.parametrize("run", [DeltaMaintenance, IcebergMaintenance])
def test_two_runs_at_once_find_the_same_files_and_both_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    is_delta = run is DeltaMaintenance
    append(delta_opener(tmp_path / "t") if is_delta else iceberg_opener(tmp_path), rows_from(0, 10), 0)
    (data,) = [Path(path).parent for path in files_on_disk(tmp_path)]
    left = data / "left-over.parquet"
    left.write_bytes(b"of a killed task")
    make_old(left)
    found = "_removable" if is_delta else "_orphans"
    original = getattr(run, found)

    def other_run_is_faster(self: Any, *more: Any) -> Any:
        removable = original(self, *more)
        left.unlink()
        return removable

    monkeypatch.setattr(run, found, other_run_is_faster)
    result = maintain_delta(str(tmp_path / "t"), retention_hours=24) if is_delta else maintain(tmp_path)
    assert result.files_removed == 1


def test_old_log_entries_and_the_files_of_old_versions_go(tmp_path: Path) -> None:
    path = tmp_path / "t"
    opener = delta_opener(path)
    for batch in range(4):
        append(opener, rows_from(batch * 100, 100), batch)
    DeltaTable(str(path)).create_checkpoint()
    append(opener, rows_from(400, 100), 4, overwrite=True)
    log = sorted((path / "_delta_log").iterdir())
    # Two days pass: entries have their age by the file system, removed files by the log.
    old_ms = int((time.time() - 2 * DAY_SECONDS) * 1000)
    last = path / "_delta_log" / "00000000000000000005.json"
    last.write_text(re.sub(r'"deletionTimestamp":\d+', f'"deletionTimestamp":{old_ms}', last.read_text()))
    make_old(*log, *path.glob("*.parquet"))

    plan = maintain_delta(str(path), retention_hours=24, dry_run=True)
    result = maintain_delta(str(path), retention_hours=24)
    # By the checkpoint that there was; the one that the run makes lets it forget two more.
    assert (plan.states_expired, result.states_expired) == (4, 6)
    assert plan.files_removed == result.files_removed == 4
    assert len(files_on_disk(path)) == 1
    assert DeltaTable(str(path)).transaction_version("query") == 4
    assert counts_of(delta_rows(path)).lowest == 400
    settings = DeltaTable(str(path)).metadata().configuration
    assert settings["delta.logRetentionDuration"] == "interval 24 hours"


def test_iceberg_files_are_put_together_and_left_over_ones_removed(tmp_path: Path) -> None:
    opener = iceberg_opener(tmp_path, partition_by=("k", "day(ts)"))
    for batch in range(4):
        append(opener, rows_from(batch * 100, 100), batch)
    data = tmp_path / "warehouse" / "lake" / "events" / "data"
    orphan, fresh = data / "part-killed.parquet", data / "part-running.parquet"
    orphan.write_bytes(b"x" * 64)
    fresh.write_bytes(b"x" * 64)
    make_old(orphan)

    before = snapshot_of(tmp_path)
    plan = maintain(tmp_path, dry_run=True)
    assert snapshot_of(tmp_path) == before
    result = maintain(tmp_path)
    for figures in (plan, result):
        assert (figures.files_before, figures.files_after) == (8, 2)
        assert (figures.files_compacted, figures.files_written) == (8, 2)
        assert (figures.files_removed, figures.bytes_removed) == (1, 64)
    assert plan.bytes_compacted == result.bytes_compacted > result.bytes_written > 0
    table = iceberg_table(tmp_path)
    assert counts_of(table.scan().to_arrow()).distinct == 400
    assert table.scan(row_filter="k = '1'").to_arrow().num_rows == 200
    snapshot = table.current_snapshot()
    assert snapshot is not None
    assert snapshot.summary is not None
    assert snapshot.summary.operation.value == "replace"
    assert snapshot.summary["total-records"] == "400"
    assert not orphan.exists()
    assert fresh.exists()
    assert append(opener, rows_from(300, 100), 3) is False
    assert maintain(tmp_path).files_compacted == 0


def age(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two days later, for snapshots as well as for files."""

    class Later(iceberg_maintenance.SystemClock):
        def now_ms(self) -> int:
            return super().now_ms() + 2 * DAY_SECONDS * 1000

    monkeypatch.setattr(iceberg_maintenance, "SystemClock", Later)


def test_old_snapshots_and_their_files_go_but_no_batch_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = iceberg_opener(tmp_path)
    for batch in range(3):
        append(opener, rows_from(batch * 100, 100), batch)
    append(opener, rows_from(0, 50), 3, overwrite=True)
    append(iceberg_opener(tmp_path), rows_from(1000, 10), 0, query="other")
    age(tmp_path, monkeypatch)
    plan = maintain(tmp_path, dry_run=True)
    result = maintain(tmp_path)
    assert plan.states_expired == 4
    assert result.states_expired == 5  # with the one before the compaction
    assert result.files_removed >= plan.files_removed >= 3
    table = iceberg_table(tmp_path)
    assert len(table.snapshots()) == 1
    assert counts_of(table.scan().to_arrow()).rows == 60
    # Both queries' last batches are known, although the snapshots that carried them are gone.
    assert append(opener, rows_from(0, 50), 3) is False
    assert append(opener, rows_from(0, 50), 0, query="other") is False
    assert len(files_on_disk(tmp_path)) == 1


def meanwhile(monkeypatch: pytest.MonkeyPatch, action: Callable[[Table], None]) -> None:
    """Does something between the rewriting of files and the commit that replaces them."""
    original = iceberg_maintenance.IcebergMaintenance._rewrite

    def rewrite(self: Any, group: Any) -> Any:
        files = original(self, group)
        action(self._table)
        return files

    monkeypatch.setattr(iceberg_maintenance.IcebergMaintenance, "_rewrite", rewrite)


def test_what_is_appended_during_a_compaction_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opener = iceberg_opener(tmp_path)
    for batch in range(3):
        append(opener, rows_from(batch * 100, 100), batch)
    meanwhile(monkeypatch, lambda _table: append(opener, rows_from(300, 100), 3) and None)
    result = maintain(tmp_path)
    assert (result.files_compacted, result.files_after, result.compactions_lost) == (3, 2, 0)
    counts = counts_of(iceberg_table(tmp_path).scan().to_arrow())
    assert (counts.rows, counts.distinct, counts.highest) == (400, 400, 399)


def test_what_is_deleted_during_a_compaction_stays_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = iceberg_opener(tmp_path)
    for batch in range(3):
        append(opener, rows_from(batch * 100, 100), batch)
    meanwhile(monkeypatch, lambda _table: iceberg_table(tmp_path).delete("id < 50"))
    result = maintain(tmp_path)
    assert (result.files_compacted, result.compactions_lost) == (0, 1)
    counts = counts_of(iceberg_table(tmp_path).scan().to_arrow())
    assert (counts.rows, counts.lowest) == (250, 50)
    assert not [path for path in files_on_disk(tmp_path) if "compact" in path]


def test_a_compaction_that_is_called_a_conflict_although_it_came_through_keeps_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = iceberg_opener(tmp_path)
    for batch in range(3):
        append(opener, rows_from(batch * 100, 100), batch)
    original = SqlCatalog.commit_table
    answers: list[Exception] = [CommitFailedException("conflict")]

    def twice(*args: Any, **named: Any) -> Any:
        done = original(*args, **named)
        if answers:
            raise answers.pop()
        return done

    monkeypatch.setattr(SqlCatalog, "commit_table", twice)
    assert maintain(tmp_path).files_compacted == 3
    assert counts_of(iceberg_table(tmp_path).scan().to_arrow()).rows == 300


def test_files_of_a_partition_that_is_not_a_number_are_left_as_they_are(tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64()), ("real", pa.float32())])
    for batch in range(3):
        rows = pa.table({"id": range(4), "real": [0.5, 0.5, math.nan, None]}, schema=schema)
        append(iceberg_opener(tmp_path, schema, partition_by=("real",)), rows, batch)
    for is_dry in (True, False):
        result = maintain(tmp_path, dry_run=is_dry)
        assert (result.files_before, result.files_compacted, result.files_after) == (9, 6, 5)
    found = iceberg_table(tmp_path).scan().to_arrow()["real"]
    assert (len(found), found.null_count, pc.sum(pc.is_nan(found)).as_py()) == (12, 3, 3)


def test_rows_deleted_by_value_stay_deleted_and_the_rest_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyiceberg can't tell which files they were in, so none is put together with others."""
    for batch in range(3):
        append(iceberg_opener(tmp_path), rows_from(batch * 100, 100), batch)
    deletes: list[Path] = []
    meanwhile(monkeypatch, lambda _table: deletes.append(delete_by_value(iceberg_table(tmp_path), 5)))
    result = maintain(tmp_path)
    assert (result.files_compacted, result.compactions_lost, result.files_after) == (0, 1, 3)
    monkeypatch.undo()
    data = deletes[0].parent
    left_over = data / "part-killed.parquet"
    left_over.write_bytes(b"x" * 64)
    make_old(*data.iterdir())
    for is_dry in (True, False):
        result = maintain(tmp_path, dry_run=is_dry)
        assert (result.files_before, result.files_compacted, result.files_after) == (3, 0, 3)
        assert (result.files_removed, result.bytes_removed) == (1, 64)
    assert not left_over.exists()
    assert len(list(data.iterdir())) == 4
    assert deletes[0].exists()


def test_a_file_of_older_columns_is_rewritten_with_the_new_ones(tmp_path: Path) -> None:
    append(iceberg_opener(tmp_path), rows_from(0, 10), 0)
    wider = pa.schema([*SCHEMA, ("note", pa.string())])
    rows = rows_from(10, 10).append_column("note", pa.array(["new"] * 10))
    append(iceberg_opener(tmp_path, wider, merge=True), rows, 1)
    assert maintain(tmp_path).files_compacted == 2
    read = iceberg_table(tmp_path).scan().to_arrow().sort_by("id")
    assert read.column("note").to_pylist() == [None] * 10 + ["new"] * 10


def test_null_is_not_nothing_in_what_is_rewritten(tmp_path: Path) -> None:
    """Read from the files themselves: pyiceberg's own scan makes the one of the other."""
    item = pa.struct([("x", pa.int64())])
    names = ("list", "map", "lists", "inner")
    kinds = (pa.list_(item), pa.map_(pa.string(), item), pa.list_(pa.list_(item)))
    kinds = (*kinds, pa.struct([("list", pa.list_(item))]))
    schema = pa.schema([("id", pa.int64()), *zip(names, kinds, strict=True)])
    values: list[tuple[Any, ...]] = [
        (None, None, None, None),
        ([], [], [], {"list": None}),
        ([{"x": 1}, None], [("a", {"x": 1}), ("b", None)], [None, [], [{"x": 1}, None]], {"list": []}),
    ]
    rows = [{"id": number, **dict(zip(names, each, strict=True))} for number, each in enumerate(values)]
    append(iceberg_opener(tmp_path, schema), pa.Table.from_pylist(rows, schema), 0)
    wider = pa.struct([("y", pa.string()), ("x", pa.int64())])
    more = pa.schema([("id", pa.int64()), ("list", pa.list_(wider)), ("lists", pa.list_(pa.list_(wider)))])
    last = {"id": 3, "list": [{"y": "a", "x": 2}], "lists": [[{"y": "b", "x": 3}]]}
    append(iceberg_opener(tmp_path, more, merge=True), pa.Table.from_pylist([last], more), 1)
    with iceberg_table(tmp_path).update_schema() as update:
        update.rename_column("lists.element.element.x", "z")
    assert maintain(tmp_path).files_written == 1
    (task,) = iceberg_table(tmp_path).scan().plan_files()
    found = pq.read_table(task.file.file_path.removeprefix("file://")).sort_by("id").to_pylist()
    expected: list[tuple[Any, ...]] = [
        (None, None, None, None),
        ([], [], [], {"list": None}),
        (
            [{"x": 1, "y": None}, None],
            [("a", {"x": 1}), ("b", None)],
            [None, [], [{"z": 1, "y": None}, None]],
            {"list": []},
        ),
        ([{"x": 2, "y": "a"}], None, [[{"z": 3, "y": "b"}]], None),
    ]
    assert [tuple(row[name] for name in names) for row in found] == expected


def test_lists_of_one_size_are_rewritten_as_lists(tmp_path: Path) -> None:
    """Others write them: an Iceberg table knows only lists, but a file says of what size its own are."""

    def schema_with(pair: pa.DataType) -> pa.Schema:
        inner = pa.struct([("pair", pair)])
        kinds = {"pair": pair, "inner": inner, "pairs": pa.list_(pair), "named": pa.map_(pa.string(), pair)}
        return pa.schema(kinds.items())

    rows: list[dict[str, Any]] = [
        {"pair": [1, 2], "inner": {"pair": [5, None]}, "pairs": [[1, 2], None], "named": [("a", [1, 2])]},
        {"pair": None, "inner": {"pair": None}, "pairs": [], "named": [("b", None)]},
        {"pair": None, "inner": None, "pairs": None, "named": None},
    ]
    own, others = schema_with(pa.list_(pa.int64())), schema_with(pa.list_(pa.int64(), 2))
    append(iceberg_opener(tmp_path, own), pa.Table.from_pylist(rows, own), 0)
    pq.write_table(pa.Table.from_pylist(rows, others), tmp_path / "others.parquet")
    iceberg_table(tmp_path).add_files([f"file://{tmp_path / 'others.parquet'}"])
    files = [
        task.file.file_path.removeprefix("file://") for task in iceberg_table(tmp_path).scan().plan_files()
    ]
    assert pa.list_(pa.int64(), 2) in [pq.read_schema(file).field("pair").type for file in files]
    assert maintain(tmp_path).files_written == 1
    (task,) = iceberg_table(tmp_path).scan().plan_files()
    assert pq.read_table(task.file.file_path.removeprefix("file://")).to_pylist() == rows * 2


def delta_within(directory: Path) -> None:
    append(delta_opener(directory), rows_from(0, 5), 0)


def iceberg_within(directory: Path) -> None:
    """Where a catalog without directories of its own was told to put it."""
    catalog = SqlCatalog(
        "inner", uri=f"sqlite:///{directory.parent}/catalog.db", warehouse=f"file://{directory}"
    )
    catalog.create_namespace("lake")
    table = catalog.create_table("lake.inner", SCHEMA, location=f"file://{directory}")
    table.append(rows_from(0, 5))
    catalog.close()


def files_of_a_stream_within(directory: Path) -> None:
    """As Spark's own sink of files leaves them."""
    (directory / "_spark_metadata").mkdir(parents=True)
    pq.write_table(rows_from(0, 5), directory / "part-00000-c000.snappy.parquet")
    (directory / "_spark_metadata" / "0").write_text("v1\n")


@pytest.mark.parametrize("make_inner", [delta_within, iceberg_within, files_of_a_stream_within])
@pytest.mark.parametrize("depth", ["k=1/rejected", "rejected", "a/b/c/rejected"])
def test_a_table_within_a_tables_directory_keeps_its_files(
    tmp_path: Path, make_inner: Callable[[Path], None], depth: str
) -> None:
    outer, inner = tmp_path / "t", tmp_path / "t" / depth
    append(delta_opener(outer, partition_by=("k",)), rows_from(0, 10), 0)
    inner.parent.mkdir(parents=True, exist_ok=True)
    make_inner(inner)
    left_over = outer / "k=1" / "part-killed.parquet"
    left_over.write_bytes(b"x" * 64)
    make_old(*tmp_path.rglob("*.parquet"))
    before = snapshot_of(inner)
    for is_dry in (True, False):
        result = maintain_delta(str(outer), retention_hours=24, dry_run=is_dry)
        assert (result.files_removed, result.bytes_removed) == (1, 64)
    assert not left_over.exists()
    assert snapshot_of(inner) == before
    assert delta_rows(outer).num_rows == 10


def test_what_is_left_over_goes_though_files_can_not_be_put_together(tmp_path: Path) -> None:
    """deltalake names directories by a partition's whole value, which no file system takes if it is long."""
    path = tmp_path / "t"
    rows = pa.table({"id": [1], "k": ["long" * 100]})
    for batch in range(2):
        append(delta_opener(path, rows.schema, partition_by=("k",)), rows, batch)
    left_over = path / "part-killed.parquet"
    left_over.write_bytes(b"x" * 64)
    make_old(left_over)
    with pytest.raises(DeltaTableError, match="File name too long"):
        maintain_delta(str(path), retention_hours=24)
    assert not left_over.exists()
    assert delta_rows(path).num_rows == 2


@pytest.mark.parametrize("retention_hours", [0, -1])
def test_a_retention_that_running_batches_would_not_survive_is_refused(
    tmp_path: Path, retention_hours: int
) -> None:
    with pytest.raises(ValueError, match="retention_hours must be at least 1"):
        maintain_delta(str(tmp_path), retention_hours=retention_hours)
    with pytest.raises(ValueError, match="target_file_size_bytes must be at least"):
        maintain_iceberg({}, "a.b", target_file_size_bytes=1)


@given(st.lists(st.tuples(st.integers(1, 200), st.sampled_from("ab")), max_size=40))
def test_files_are_grouped_by_partition_up_to_the_target(files: list[tuple[int, str]]) -> None:
    groups = small_files_together(
        enumerate(files), target_bytes=100, size=lambda f: f[1][0], partition=lambda f: f[1][1]
    )
    members = [index for group in groups for index, _ in group]
    assert len(members) == len(set(members))
    for group in groups:
        assert len(group) > 1
        assert len({file[1] for _, file in group}) == 1
        assert sum(file[0] for _, file in group) <= 100
        assert all(file[0] < 75 for _, file in group)


def test_a_result_is_plain_figures(tmp_path: Path) -> None:
    import dataclasses

    append(delta_opener(tmp_path / "t"), rows_from(0, 10), 0)
    result = maintain_delta(str(tmp_path / "t"), dry_run=True)
    assert json.loads(json.dumps(dataclasses.asdict(result)))["dry_run"] is True
