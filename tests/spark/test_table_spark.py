"""The table sinks under a real Spark: streams and batches into Delta and Iceberg, read back without our code."""

import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyiceberg.catalog import load_catalog
from pyiceberg.table import Table
from tests.spark.table_reading import (
    counts_of,
    delta_files,
    delta_rows,
    files_on_disk,
    iceberg_files,
    iceberg_table,
    parquet_counts,
    spark_counts,
)
from tests.spark.table_rest_catalog import RestCatalog, running_rest_catalog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

FORMATS = ["snakka-delta", "snakka-iceberg"]
EVERY_TYPE = """
    id, CAST(id % 3 AS STRING) AS k, id % 2 = 0 AS flag, CAST(id % 100 AS TINYINT) AS tiny,
    CAST(id AS SMALLINT) AS small, CAST(id AS INT) AS number, CAST(id AS FLOAT) AS real, id / 7 AS double,
    CAST(id AS DECIMAL(12, 3)) AS price, CAST(id AS STRING) AS text, CAST(CAST(id AS STRING) AS BINARY) AS raw,
    DATE '2026-01-01' + INT(id % 40) AS day, TIMESTAMP '2026-01-01 00:00:00 UTC' + MAKE_DT_INTERVAL(0, INT(id)) AS ts,
    TIMESTAMP_NTZ '2026-01-01 00:00:00' AS wall, ARRAY(id, NULL) AS list, MAP('a', id) AS map,
    NAMED_STRUCT('x', id, 'y', CAST(id AS STRING)) AS struct, IF(id % 5 = 0, NULL, id) AS sometimes
"""
WAIT_SECONDS = 90
# The first of a worker starts Spark, which takes its time on a busy machine.
pytestmark = pytest.mark.timeout(400)


def sink_options(name: str, directory: Path) -> dict[str, str]:
    if name == "snakka-delta":
        return {"path": f"file:{directory}/delta"}
    return {
        "catalog.uri": f"sqlite:///{directory}/catalog.db",
        "catalog.warehouse": f"file://{directory}/warehouse",
        "table": "lake.events",
    }


def read_back(name: str, directory: Path) -> pa.Table:
    if name == "snakka-delta":
        return delta_rows(directory / "delta")
    return iceberg_table(directory).scan().to_arrow()


def table_files(name: str, directory: Path) -> list[str]:
    if name == "snakka-delta":
        return delta_files(directory / "delta")
    return iceberg_files(iceberg_table(directory))


def stream_of(spark: "SparkSession", directory: Path) -> "DataFrame":
    """A file a batch, from the Parquet files of a directory."""
    schema = spark.read.parquet(str(directory)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(directory))


def run(
    rows: "DataFrame", name: str, directory: Path, mode: str = "append", **options: str
) -> "StreamingQuery":
    """One life of a query that ends with what there is; a failure is raised."""
    query = (
        rows.writeStream.format(name)
        .outputMode(mode)
        .options(**{**sink_options(name, directory), **options})
        .option("checkpointLocation", str(directory / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(WAIT_SECONDS)
    return query


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def in_new_york(spark: "SparkSession") -> Iterator[None]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))


@pytest.mark.usefixtures("in_new_york")
@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_of_every_type_is_read_back_as_it_was(
    spark: "SparkSession", tmp_path: Path, name: str
) -> None:
    """Times too: Spark hands them over in the session's zone."""
    rows = spark.sql(f"SELECT {EVERY_TYPE} FROM RANGE(0, 3000, 1, 3)")
    rows.write.parquet(str(tmp_path / "input"))
    query = run(
        stream_of(spark, tmp_path / "input"), name, tmp_path, partitionBy="k", targetFileSizeBytes="1m"
    )
    assert query.lastProgress is not None
    assert query.lastProgress["batchId"] == 2
    expected = rows.orderBy("id").toArrow()
    found = read_back(name, tmp_path).sort_by("id").select(expected.column_names)
    for column in expected.column_names:
        assert found.column(column).to_pylist() == expected.column(column).to_pylist(), column
    assert found.schema.field("ts").type == pa.timestamp("us", "UTC")
    files = table_files(name, tmp_path)
    assert len(files) == 9  # three batches, three partitions
    counts = counts_of(found)
    assert (counts.rows, counts.distinct) == (3000, 3000)
    assert parquet_counts(files) == spark_counts(spark, files) == counts


@pytest.mark.parametrize("name", FORMATS)
def test_complete_mode_replaces_the_result_and_a_restart_goes_on(
    spark: "SparkSession", tmp_path: Path, name: str
) -> None:
    inputs = tmp_path / "input"
    spark.range(0, 100, 1, 2).write.parquet(str(inputs))

    def totals() -> "DataFrame":
        return stream_of(spark, inputs).selectExpr("id % 2 AS odd").groupBy("odd").count()

    run(totals(), name, tmp_path, mode="complete")
    assert sorted(read_back(name, tmp_path).column("count").to_pylist()) == [50, 50]
    spark.range(100, 110, 1, 1).write.mode("append").parquet(str(inputs))
    run(totals(), name, tmp_path, mode="complete")
    assert sorted(read_back(name, tmp_path).column("count").to_pylist()) == [55, 55]
    if name == "snakka-iceberg":
        operations = [entry.summary.operation.value for entry in iceberg_table(tmp_path).snapshots()]
        assert operations == ["append", "overwrite", "overwrite"]


@pytest.mark.parametrize("name", FORMATS)
def test_columns_are_added_when_a_query_brings_more(spark: "SparkSession", tmp_path: Path, name: str) -> None:
    inputs = tmp_path / "input"
    spark.range(0, 10, 1, 1).write.parquet(str(inputs))
    run(stream_of(spark, inputs), name, tmp_path)
    spark.range(10, 20, 1, 1).write.mode("append").parquet(str(inputs))
    more = stream_of(spark, inputs).selectExpr("id", "CAST(id AS STRING) AS note")
    with pytest.raises(
        Exception, match=r"column note \(string\) is not in the table; mergeSchema=true adds it"
    ):
        run(more, name, tmp_path)
    run(more, name, tmp_path, mergeSchema="true")
    found = read_back(name, tmp_path).sort_by("id")
    assert found.column("id").to_pylist() == list(range(20))
    assert found.column("note").to_pylist() == [None] * 10 + [str(number) for number in range(10, 20)]


@pytest.mark.parametrize("name", FORMATS)
def test_batches_append_overwrite_and_are_written_once_if_named(
    spark: "SparkSession", tmp_path: Path, name: str
) -> None:
    def write(rows: "DataFrame", mode: str, **options: Any) -> None:
        rows.write.format(name).mode(mode).options(**sink_options(name, tmp_path), **options).save()

    write(spark.range(0, 1000, 1, 2), "append", txnAppId="backfill", txnVersion=1)
    write(spark.range(0, 1000, 1, 2), "append", txnAppId="backfill", txnVersion=1)
    write(spark.range(1000, 1500, 1, 2), "append")
    assert counts_of(read_back(name, tmp_path)).rows == 1500
    write(spark.range(0, 10, 1, 1), "overwrite")
    assert counts_of(read_back(name, tmp_path)).rows == 10
    with pytest.raises(Exception, match="there is no option partitionsby; did you mean partitionBy"):
        write(spark.range(1), "append", partitionsBy="id")
    with pytest.raises(
        Exception, match="column id: the table has bigint, the data string; cast it in the query"
    ):
        write(spark.range(1).selectExpr("CAST(id AS STRING) AS id"), "append")
    before = files_on_disk(tmp_path)
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        write(spark.range(0, 10, 1, 1).selectExpr("id + id DIV (id - 7) AS id"), "append")
    # What the failed task wrote goes as soon as its worker has heard of it.
    wait_until(lambda: files_on_disk(tmp_path) == before)


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[tuple[str, RestCatalog]]:
    with running_rest_catalog(tmp_path / "server") as running:
        yield running


def rest_table(address: str) -> Table:
    return load_catalog("default", type="rest", uri=address).load_table("lake.events")


def test_a_commit_that_came_through_unseen_loses_no_file_and_repeats_no_row(
    spark: "SparkSession", tmp_path: Path, rest: tuple[str, RestCatalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was not answered may have been done: the table is asked before it is tried again."""
    address, catalog = rest
    options = {"catalog.type": "rest", "catalog.uri": address, "table": "lake.events"}
    inputs = tmp_path / "input"
    spark.range(0, 400, 1, 4).write.parquet(str(inputs))
    original: Callable[..., tuple[int, Any]] = catalog.answer
    commits: list[str] = []

    def lose_an_answer(method: str, path: str, body: bytes) -> tuple[int, Any]:
        answer = original(method, path, body)
        if b"snakka.batch-id" in body:
            commits.append(path)
            if len(commits) == 2:
                return 504, {"error": {"message": "lost", "type": "Timeout", "code": 504}}
        return answer

    monkeypatch.setattr(catalog, "answer", lose_an_answer)

    query = (
        stream_of(spark, inputs)
        .writeStream.format("snakka-iceberg")
        .options(**options)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(WAIT_SECONDS)
    table = rest_table(address)
    counts = counts_of(table.scan().to_arrow())
    assert (counts.rows, counts.distinct) == (400, 400)
    # Batch 1 was there when the table was asked, and was not added again.
    assert files_on_disk(tmp_path / "server") == iceberg_files(table)
    assert len(commits) == 4


def test_a_topic_becomes_parquet_delta_and_iceberg(
    spark: "SparkSession", tmp_path: Path, broker: Any, new_topic: Any, rest: tuple[str, RestCatalog]
) -> None:
    """Our source into each kind of table; Parquet is written by Spark's own sink."""
    from snakka.client.blocking import Producer

    topic = new_topic(partitions=2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(500):
            producer.send(topic, value=str(number).encode())
        producer.flush()
    rows = (
        spark.readStream.format("snakka")
        .option("kafka.bootstrap.servers", broker.bootstrap_servers)
        .option("kafka.group.id", f"tables-{uuid.uuid4().hex[:8]}")
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 200)
        .load()
        .selectExpr(
            "CAST(CAST(value AS STRING) AS BIGINT) AS id", "timestamp", "partition", "offset", "value"
        )
    )
    sinks = {
        "parquet": {"path": str(tmp_path / "parquet")},
        "snakka-delta": {"path": str(tmp_path / "delta"), "partitionBy": "partition"},
        "snakka-iceberg": {
            "catalog.type": "rest",
            "catalog.uri": rest[0],
            "table": "lake.events",
            "partitionBy": "day(timestamp)",
        },
    }
    for name, options in sinks.items():
        query = (
            rows.writeStream.format(name)
            .options(**options)
            .option("checkpointLocation", str(tmp_path / f"checkpoint-{name}"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(WAIT_SECONDS)
    expected = counts_of(pa.table({"id": range(500)}))
    assert counts_of(spark.read.parquet(str(tmp_path / "parquet")).select("id").toArrow()) == expected
    assert counts_of(delta_rows(tmp_path / "delta")) == expected
    assert counts_of(rest_table(rest[0]).scan().to_arrow()) == expected
    assert DeltaTable(str(tmp_path / "delta")).metadata().partition_columns == ["partition"]
    assert "POST /v1/namespaces/lake/tables/events" in rest[1].requests
