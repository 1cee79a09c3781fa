"""Commits of both formats: once a batch, whoever tries, with others in between; what is refused, and which files stay.

The processes of a Spark job are played by openers and stagers: no Spark is needed to see what the table says.
"""

import dataclasses
import datetime
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake import Field as DeltaField
from deltalake import Schema as DeltaSchema
from deltalake.fs import DeltaStorageHandler
from deltalake.schema import PrimitiveType
from deltalake.transaction import CommitProperties, Transaction
from pyiceberg.transforms import BucketTransform
from pyspark.sql import types
from tests.spark.table_reading import counts_of, delta_rows, files_on_disk, iceberg_table
from tests.spark.table_writing import (
    SCHEMA,
    append,
    delta_opener,
    iceberg_opener,
    opener_and_reader,
    rows_from,
    staged,
)

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables import delta_table, table_writer
from snakka.spark.tables.data_sources import DeltaDataSource, IcebergDataSource
from snakka.spark.tables.iceberg_table import IcebergOpener
from snakka.spark.tables.schema_evolution import SchemaMismatchError
from snakka.spark.tables.table_options import CommitKey
from snakka.spark.tables.table_writer import (
    BatchTableWriter,
    ConcurrentCommitError,
    StreamTableWriter,
    TableBusyError,
    commit_once,
)

Opener = Callable[..., Any]
Reader = Callable[[], pa.Table]


@pytest.fixture(params=["delta", "iceberg"])
def sink(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Opener, Reader]:
    return opener_and_reader(request.param, tmp_path)


def test_a_batch_is_there_once_and_the_files_of_the_second_try_go(
    sink: tuple[Opener, Reader], tmp_path: Path
) -> None:
    opener, read = sink
    assert append(opener(), rows_from(0, 100), 0) is True
    assert append(opener(), rows_from(0, 100), 0) is False
    assert append(opener(), rows_from(100, 100), 1) is True
    # An older batch is there too; another query's batch of that number is another batch.
    assert append(opener(), rows_from(0, 100), 0) is False
    assert append(opener(), rows_from(200, 100), 0, query="another") is True
    assert counts_of(read()).rows == counts_of(read()).distinct == 300
    assert len(files_on_disk(tmp_path)) == 3


def test_a_driver_that_was_thought_dead_does_not_commit_a_second_time(
    sink: tuple[Opener, Reader], tmp_path: Path
) -> None:
    """Both have looked into the table before either commits."""
    opener, read = sink
    append(opener(), rows_from(0, 10), 0)
    first, second = opener().open(), opener().open()
    key = CommitKey("query", 1)
    mine, other = staged(first, rows_from(10, 10)), staged(second, rows_from(10, 10))
    assert commit_once(first, mine, key, overwrite=False) is True
    assert commit_once(second, other, key, overwrite=False) is False
    assert counts_of(read()).rows == 20
    assert len(files_on_disk(tmp_path)) == 2


def test_writers_at_the_same_moment_all_get_in(sink: tuple[Opener, Reader]) -> None:
    opener, read = sink
    opener().open()

    def write(query: int) -> None:
        for batch in range(3):
            append(opener(), rows_from(query * 1000 + batch * 10, 10), batch, query=f"query-{query}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    counts = counts_of(read())
    assert counts.rows == counts.distinct == 120


def test_tables_are_created_once_whoever_begins(sink: tuple[Opener, Reader], tmp_path: Path) -> None:
    """Queries that start together find neither a catalog nor a table."""
    opener, read = sink
    together = threading.Barrier(4)

    def write(query: int) -> None:
        together.wait(30)
        append(opener(partition_by=("k",)), rows_from(query * 10, 10), 0, query=f"query-{query}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert counts_of(read()).rows == 40


def test_complete_mode_replaces_all_rows_in_one_commit(sink: tuple[Opener, Reader]) -> None:
    opener, read = sink
    append(opener(), rows_from(0, 100), 0, overwrite=True)
    append(opener(), rows_from(500, 10), 1, overwrite=True)
    assert counts_of(read()).rows == 10
    assert append(opener(), rows_from(0, 100), 1, overwrite=True) is False
    table = opener().open()
    assert commit_once(table, [], CommitKey("query", 2), overwrite=True) is True
    assert read().num_rows == 0


def test_an_overwrite_sees_what_was_appended_just_before(sink: tuple[Opener, Reader]) -> None:
    opener, read = sink
    append(opener(), rows_from(0, 10), 0)
    table = opener().open()
    files = staged(table, rows_from(100, 5))
    append(opener(), rows_from(10, 10), 0, query="another")
    assert commit_once(table, files, CommitKey("query", 1), overwrite=True) is True
    assert counts_of(read()).rows == 5


def test_rows_are_partitioned_and_read_back_by_partition(sink: tuple[Opener, Reader], tmp_path: Path) -> None:
    opener, read = sink
    odd = ["plain", "a b/ü%20=x", None, "it's"]
    rows = rows_from(0, 8).set_column(1, "k", pa.array(odd * 2, pa.string()))
    append(opener(partition_by=("k",)), rows, 0)
    found = read().sort_by("id")
    assert found.select(["id", "k"]).to_pydict() == rows.select(["id", "k"]).to_pydict()
    assert len(files_on_disk(tmp_path)) == 4
    # What is not said is taken from the table; what is said otherwise is refused.
    append(opener(), rows_from(8, 2), 1)
    with pytest.raises(SparkOptionError, match=r"partitionBy is id, but the table is there already.* by k$"):
        opener(partition_by=("id",)).open()
    with pytest.raises(SchemaMismatchError, match="column k decides the table's partition"):
        opener(pa.schema([("id", pa.int64())])).open()


def test_columns_are_added_and_absent_ones_are_null(sink: tuple[Opener, Reader]) -> None:
    opener, read = sink
    append(opener(), rows_from(0, 2), 0)
    wider = pa.schema([("note", pa.string()), ("id", pa.int32()), ("s", pa.struct([("a", pa.int64())]))])
    with pytest.raises(SchemaMismatchError, match=r"column note \(string\) is not in the table"):
        opener(wider).open()
    rows = pa.table({"note": ["x"], "id": [7], "s": [{"a": 1}]}, schema=wider)
    assert append(opener(wider, merge=True), rows, 1) is True
    deeper = pa.schema([("id", pa.int64()), ("s", pa.struct([("a", pa.int64()), ("b", pa.string())]))])
    append(opener(deeper, merge=True), pa.table({"id": [8], "s": [{"a": 2, "b": "y"}]}, schema=deeper), 2)
    found = read().sort_by("id").to_pylist()
    assert [row["note"] for row in found] == [None, None, "x", None]
    assert found[2]["s"] == {"a": 1, "b": None}
    assert found[3]["s"] == {"a": 2, "b": "y"}
    assert found[3]["k"] is None


def test_types_are_widened_by_iceberg_and_refused_by_delta(tmp_path: Path) -> None:
    narrow = pa.schema([("id", pa.int32()), ("f", pa.float32()), ("d", pa.decimal128(5, 2))])
    wide = pa.schema([("id", pa.int64()), ("f", pa.float64()), ("d", pa.decimal128(9, 2))])
    rows = pa.table({"id": [1], "f": [1.5], "d": [None]}, schema=narrow)
    append(iceberg_opener(tmp_path, narrow), rows, 0)
    more = pa.table({"id": [1 << 40], "f": [0.1], "d": [None]}, schema=wide)
    append(iceberg_opener(tmp_path, wide, merge=True), more, 1)
    append(iceberg_opener(tmp_path, narrow), rows, 2)
    read = iceberg_table(tmp_path).scan().to_arrow()
    assert sorted(read.column("id").to_pylist()) == [1, 1, 1 << 40]
    assert read.schema.field("f").type == pa.float64()

    append(delta_opener(tmp_path / "t", narrow), rows, 0)
    with pytest.raises(
        SchemaMismatchError, match="column id: the table has int, the data bigint, and a column"
    ):
        delta_opener(tmp_path / "t", wide, merge=True).open()
    # Written anew, it takes the data, and still knows its batches.
    write_deltalake(
        tmp_path / "t", delta_rows(tmp_path / "t").cast(wide), mode="overwrite", schema_mode="overwrite"
    )
    assert append(delta_opener(tmp_path / "t", wide), more, 0) is False
    assert append(delta_opener(tmp_path / "t", wide), more, 1) is True
    assert sorted(delta_rows(tmp_path / "t").column("id").to_pylist()) == [1, 1 << 40]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (types.NullType(), "void"),
        (types.DayTimeIntervalType(), "interval day to second"),
        (types.YearMonthIntervalType(), "interval year to month"),
        (types.TimeType(), r"time\(6\)"),
        (types.VariantType(), "variant"),
        (types.StructType(), "struct<>"),
    ],
)
@pytest.mark.parametrize("source", [DeltaDataSource, IcebergDataSource])
def test_types_that_no_table_has_are_refused_by_name(source: Any, kind: types.DataType, name: str) -> None:
    inner = types.StructType().add("x", types.ArrayType(kind))
    schema = types.StructType().add("id", "long").add("s", types.MapType(types.StringType(), inner))
    with pytest.raises(
        SchemaMismatchError, match=rf"column s\.value\.x\.element: no table holds {name}; cast"
    ):
        source({"path": "/nowhere"} if source is DeltaDataSource else {"table": "lake.t"}).streamWriter(
            schema, False
        )


def test_small_integers_are_ints_in_iceberg_and_themselves_in_delta(tmp_path: Path) -> None:
    small = pa.schema([("id", pa.int8()), ("l", pa.list_(pa.int16()))])
    rows = pa.table({"id": [1], "l": [[2]]}, schema=small)
    append(iceberg_opener(tmp_path, small), rows, 0)
    append(delta_opener(tmp_path / "t", small), rows, 0)
    assert iceberg_table(tmp_path).scan().to_arrow().to_pydict() == {"id": [1], "l": [[2]]}
    assert delta_rows(tmp_path / "t").schema.field("id").type == pa.int8()


def test_only_openers_and_layouts_travel(sink: tuple[Opener, Reader], tmp_path: Path) -> None:
    opener, read = sink
    writer = BatchTableWriter(opener(), False, None)
    travelled = pickle.loads(pickle.dumps(writer))
    message = pickle.loads(pickle.dumps(travelled.write(iter(rows_from(0, 10).to_batches()))))
    travelled.commit([message, dataclasses.replace(message, files=())])
    assert read().num_rows == 10
    stream = StreamTableWriter(opener(), False)
    stream.commit([], 0)
    stream.commit([dataclasses.replace(message, query_id="query", files=())], 1)
    assert read().num_rows == 10


def test_abort_takes_away_what_no_commit_was_tried_with(sink: tuple[Opener, Reader], tmp_path: Path) -> None:
    opener, read = sink
    writer = StreamTableWriter(opener(), False)
    done = writer.write(iter(rows_from(0, 10).to_batches()))
    writer.abort([done, None], 0)
    assert not files_on_disk(tmp_path)
    # Spark also aborts when the commit itself failed, after every task has succeeded: the batch may be in the table.
    done = dataclasses.replace(writer.write(iter(rows_from(0, 10).to_batches())), query_id="query")
    writer.commit([done], 0)
    writer.abort([done], 0)
    assert read().num_rows == 10
    # And with tasks that failed no commit was tried, so nothing that is in the table can be among the files.
    assert len(files_on_disk(tmp_path)) == 1


def test_who_never_gets_in_says_so(
    sink: tuple[Opener, Reader], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener, _ = sink
    monkeypatch.setattr(table_writer, "MAX_COMMIT_ATTEMPTS", 3)
    table = opener().open()

    def lose(*_: Any, **__: Any) -> None:
        raise ConcurrentCommitError("another was first")

    monkeypatch.setattr(table, "commit", lose)
    with pytest.raises(TableBusyError, match="3 commits in a row lost to other writers"):
        commit_once(table, staged(table, rows_from(0, 10)), CommitKey("query", 0), overwrite=False)


def test_columns_that_change_during_a_write_are_noticed(tmp_path: Path) -> None:
    opener = iceberg_opener(tmp_path)
    table = opener.open()
    files = staged(table, rows_from(0, 10))
    other = iceberg_table(tmp_path)
    with other.update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("k")
    with other.update_schema() as update:
        update.add_column("k", other.schema().find_type("id"))
    append(
        iceberg_opener(tmp_path, pa.schema([("id", pa.int64())])),
        rows_from(0, 1).select(["id"]),
        0,
        query="o",
    )
    with pytest.raises(SchemaMismatchError, match="column k"):
        commit_once(table, files, CommitKey("query", 0), overwrite=False)


def test_partitions_that_change_between_a_task_and_the_commit_are_noticed(tmp_path: Path) -> None:
    """A task writes for the table as it was planned; the driver opens it anew to commit."""
    done = StreamTableWriter(iceberg_opener(tmp_path), False).write(iter(rows_from(0, 10).to_batches()))
    with iceberg_table(tmp_path).update_spec() as spec:
        spec.add_identity("k")
    driver = StreamTableWriter(iceberg_opener(tmp_path), False)
    with pytest.raises(SchemaMismatchError, match="columns or partitions changed during the write"):
        driver.commit([dataclasses.replace(done, query_id="query")], 0)
    assert iceberg_table(tmp_path).current_snapshot() is None


def test_deltas_own_sink_for_spark_and_ours_know_each_others_batches(tmp_path: Path) -> None:
    opener = delta_opener(tmp_path / "t")
    append(opener, rows_from(0, 10), 4)
    assert DeltaTable(str(tmp_path / "t")).transaction_version("query") == 4
    table = DeltaTable(str(tmp_path / "t"))
    table.create_write_transaction(
        [],
        "append",
        table.schema(),
        commit_properties=CommitProperties(app_transactions=[Transaction("query", 9)]),
    )
    assert append(opener, rows_from(10, 10), 9) is False
    assert append(opener, rows_from(10, 10), 10) is True


def test_snapshots_name_query_and_batch(tmp_path: Path) -> None:
    append(iceberg_opener(tmp_path), rows_from(0, 10), 3)
    table = iceberg_table(tmp_path)
    snapshot = table.current_snapshot()
    assert snapshot is not None
    assert snapshot.summary is not None
    assert snapshot.summary["snakka.query-id"] == "query"
    assert snapshot.summary["snakka.batch-id"] == "3"
    assert table.properties["snakka.last-batch.query"] == "3"
    assert "commit.retry.num-retries" not in table.properties


def test_delta_tables_that_ask_more_of_writers_are_refused(tmp_path: Path) -> None:
    append(delta_opener(tmp_path / "t"), rows_from(0, 10), 0)
    DeltaTable(str(tmp_path / "t")).alter.add_constraint({"positive": "id >= 0"})
    with pytest.raises(
        SchemaMismatchError, match="must check the constraint positive, which this sink does not"
    ):
        delta_opener(tmp_path / "t").open()
    computed = DeltaField("k", PrimitiveType("string"), metadata={"delta.generationExpression": "id"})
    columns = [DeltaField("id", PrimitiveType("long")), computed]
    DeltaTable.create(str(tmp_path / "g"), DeltaSchema(columns))
    with pytest.raises(SchemaMismatchError, match="column k is computed by its writers, which this sink"):
        delta_opener(tmp_path / "g").open()


def test_iceberg_partitions_that_we_can_not_compute_are_refused(tmp_path: Path) -> None:
    iceberg_opener(tmp_path).open()
    with iceberg_table(tmp_path).update_spec() as spec:
        spec.add_field("id", BucketTransform(4), "bucket")
    with pytest.raises(SparkOptionError, match=r"partitioned by bucket\[4\]\(id\)"):
        iceberg_opener(tmp_path).open()


@pytest.mark.parametrize(
    ("partition_by", "words"),
    [
        (("nowhere",), "nowhere is not a column of the data"),
        (("day(ts)",), r"day\(ts\): Delta's partitions are columns"),
        (("id", "k", "ts"), "every column is a partition's"),
    ],
)
def test_delta_partitions_that_can_not_be_are_refused(
    tmp_path: Path, partition_by: tuple[str, ...], words: str
) -> None:
    with pytest.raises(SparkOptionError, match=f"partitionBy: {words}"):
        delta_opener(tmp_path / "t", partition_by=partition_by).open()
    assert not (tmp_path / "t").exists()


def test_a_catalog_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    opener = iceberg_opener(tmp_path)
    options = opener.options.__class__(
        **{name: getattr(opener.options, name) for name in ("table", "location", "sink")},
        catalog_name="unknown",
        catalog_properties={},
    )
    with pytest.raises(SparkOptionError, match="catalog unknown can't be opened") as refused:
        IcebergOpener(options, SCHEMA).open()
    assert "\n" not in str(refused.value)


def test_every_iceberg_file_carries_the_field_ids(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    append(iceberg_opener(tmp_path), rows_from(0, 10), 0)
    (path,) = files_on_disk(tmp_path)
    ids = [field.metadata[b"PARQUET:field_id"] for field in pq.read_schema(path)]
    assert ids == [b"1", b"2", b"3"]


def test_object_stores_are_written_through_deltalakes_own_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no object store here, but deltalake's way to one leads to this disk as well."""
    (tmp_path / "t").mkdir()
    opener = delta_opener(tmp_path / "t", partition_by=("k",))
    options = dataclasses.replace(opener.options, path=f"file://{tmp_path}/t")
    monkeypatch.setattr(delta_table, "local_path", lambda _: None)
    remote = dataclasses.replace(opener, options=options)
    storage = remote.open().layout.storage
    assert isinstance(storage.filesystem().handler, DeltaStorageHandler)
    assert append(remote, rows_from(0, 100), 0) is True
    assert append(remote, rows_from(0, 100), 0) is False
    assert counts_of(delta_rows(tmp_path / "t")).rows == 100
    assert len(files_on_disk(tmp_path)) == 2


def test_wall_clock_times_can_be_added_to_a_delta_table(tmp_path: Path) -> None:
    append(delta_opener(tmp_path / "t"), rows_from(0, 5), 0)
    wider = pa.schema([("id", pa.int64()), ("wall", pa.timestamp("us"))])
    noon = datetime.datetime(2026, 1, 1, 12)
    append(
        delta_opener(tmp_path / "t", wider, merge=True),
        pa.table({"id": [9], "wall": [noon]}, schema=wider),
        1,
    )
    assert delta_rows(tmp_path / "t").sort_by("id").column("wall").to_pylist() == [None] * 5 + [noon]
