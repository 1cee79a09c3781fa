"""The measurements in Spark: that each query runs by each reader, and what becomes of their figures. Speed is not judged."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from bench.processor_time import own_seconds, seconds_of_started
from bench.report import LOG_FILES, PARQUET_FILES, SPARK_CONNECTOR, page
from bench.shortfalls import reason_for
from bench.spark_queries import Outcome, Queries, Reader, Topic
from pyspark.sql.types import StructType
from tests.spark.conftest import spark  # noqa: F401 -- the session of this worker

from bench import spark as spark_bench
from snakka.spark.columns import source_schema
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(400)]

SMALL = Topic(100, 2, 4000)


RATES = {
    Reader.OURS: 2000.0,
    Reader.THEIRS: 1000.0,
    Reader.LOGS: 2500.0,
    Reader.PARQUET: 4000.0,
    Reader.OURS_MAPPED: 3000.0,
    Reader.LOGS_MAPPED: 3600.0,
    Reader.NOTHING_READ: 3900.0,
}


class CountedQueries:
    """Answers at once: each reader has its speed, and three quarters of its time are the JVM's."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Reader]] = []

    def outcome(self, what: str, reader: Reader, topic: Topic) -> Outcome:
        self.asked.append((what, reader))
        seconds = topic.rows / RATES[reader]
        return Outcome(topic.rows, seconds, seconds * 0.75, seconds * 0.25, 0.0)


def test_a_topic_gives_a_row_for_each_query_beside_sparks_connector() -> None:
    queries = CountedQueries()
    rows = list(spark_bench._measure_queries(queries, SMALL, 2))  # type: ignore[arg-type]
    wanted = [
        (f"Spark {what}, 100 B, 2 partitions", 2.0, 1.0, SPARK_CONNECTOR) for what in spark_bench.QUERIES
    ]
    wanted.insert(1, ("Spark noop from log files, 100 B, 2 partitions", 2.5, 1.5, SPARK_CONNECTOR))
    assert [(row.what, row.figure, row.bound, row.against) for row in rows] == wanted
    # Once to warm up and twice to measure, each reader in turn first.
    counts = [reader for what, reader in queries.asked if what == "count"]
    readers = [Reader.OURS, Reader.THEIRS]
    assert counts == [*readers, *readers, *reversed(readers)]


def test_a_topic_gives_rows_beside_parquet_and_for_log_files() -> None:
    rows = list(spark_bench._measure_scans(CountedQueries(), SMALL, 3))  # type: ignore[arg-type]
    assert [(row.what, row.figure, row.bound, row.against, row.is_met) for row in rows] == [
        ("Spark reads all columns, 100 B, 2 partitions", 0.75, 0.8, PARQUET_FILES, False),
        ("log files instead of a broker, 100 B, 2 partitions", 1.2, 1.5, LOG_FILES, False),
        ("log files instead of a broker, only offsets, 100 B, 2 partitions", 1.2, 1.5, LOG_FILES, False),
    ]
    assert rows[0].snakka == "3,000 rows/s (JVM 250.00, Python 83.33, broker 0.00)"
    written = page(rows, [], 1.0, quick=False)
    assert "not seen before" not in written
    # The ratio that is judged, and what it is by other ways.
    assert "| 0.75, scanned 0.50 | at least 0.8 | **no** |" in written
    others = "both scanned 1.25, only log files mapped 1.80, nothing read 1.30"
    assert written.count(f"| 1.20, {others} | at least 1.5 | **no** |") == 2
    *_, missed = written.partition("## Missed, and why")
    assert [line.split("**")[1] for line in missed.splitlines() if "**" in line] == [row.what for row in rows]


def test_every_miss_has_its_reason_and_a_reason_stands_once() -> None:
    rows = [
        replace(row, figure=0.1)
        for row in spark_bench._measure_scans(CountedQueries(), SMALL, 1)  # type: ignore[arg-type]
    ]
    *_, missed = page(rows, [], 1.0, quick=False).partition("## Missed, and why")
    assert [line.split("**")[1] for line in missed.splitlines() if "**" in line] == [row.what for row in rows]
    for row in rows:
        assert missed.count(reason_for(row.what)) == 1


def test_the_bounds_are_those_of_the_targets() -> None:
    assert spark_bench.AT_LEAST_OF_CONNECTOR == 1.0
    assert spark_bench.AT_LEAST_OF_PARQUET == 0.8
    assert spark_bench.LOG_FILES_OF_CONNECTOR == 1.5
    assert spark_bench.OVERHEAD_OF_CONNECTOR == 1.2
    assert spark_bench.SIZES == (100, 1024)
    assert spark_bench.PARTITIONS == (1, 2, 8)
    assert spark_bench.QUERIES == ("noop", "count", "groupBy", "Parquet")


def test_overhead_is_the_median_of_what_is_at_most_a_fifth_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of micro-batches less is better, and the first ones of each reader do not count."""
    warm_ups, rounds = spark_bench.STREAM_WARM_UPS, 3
    seconds = {
        Reader.OURS: [9.0] * warm_ups + [1.3, 1.1, 1.25],
        Reader.THEIRS: [1.0] * (warm_ups + rounds),
    }
    asked: list[Reader] = []

    def batch_seconds(reader: Reader, topic: Topic) -> float:
        asked.append(reader)
        return seconds[reader].pop(0)

    monkeypatch.setattr(Topic, "fill", lambda topic, bootstrap: None)
    queries = SimpleNamespace(batch_seconds=batch_seconds)
    row = spark_bench._measure_overhead(queries, "nowhere", rounds)  # type: ignore[arg-type]
    assert (row.figure, row.bound, row.at_least, row.against) == (1.25, 1.2, False, SPARK_CONNECTOR)
    assert not row.is_met
    assert replace(row, figure=1.2).is_met
    assert asked[:4] == [Reader.THEIRS, Reader.OURS, Reader.OURS, Reader.THEIRS], "each is first in turn"


def test_the_topics_are_those_of_the_targets() -> None:
    topics = spark_bench.topics(spark_bench.BYTES, quick=False)
    assert {(each.value_bytes, each.partitions) for each in topics} == {
        (size, count) for size in (100, 1024) for count in (1, 2, 8)
    }
    assert all(each.rows % each.partitions == 0 and each.rows > 100_000 for each in topics)
    assert len(spark_bench.topics(spark_bench.QUICK_BYTES, quick=True)) == 2


def test_processor_time_is_that_of_a_process_and_of_those_it_has_started() -> None:
    work = "sum(range(6_000_000)); print(flush=True); input()"
    own = own_seconds(os.getpid())
    started = seconds_of_started(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        spent = own_seconds(child.pid)
        assert spent > 0
        assert seconds_of_started(os.getpid()) >= started + spent
        child.communicate(b"\n", timeout=30)
    assert own_seconds(os.getpid()) >= own > 0
    assert own_seconds(child.pid) == 0


@pytest.fixture(scope="module")
def queries(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queries]:  # noqa: F811
    scratch = tmp_path_factory.mktemp("spark-bench")
    data = scratch / "data"
    with BlockingLocalBroker(data_dir=str(data)) as broker:
        SMALL.fill(broker.bootstrap_servers)
        queries = Queries(spark, broker.bootstrap_servers, data, scratch, time.process_time)
        queries.write_parquet(SMALL)
        yield queries


def test_every_reader_reads_the_same_rows(queries: Queries) -> None:
    for reader in (Reader.OURS, Reader.LOGS, Reader.PARQUET, Reader.OURS_MAPPED, Reader.LOGS_MAPPED):
        frame = queries.frame(reader, SMALL)
        plan = frame._jdf.queryExecution().executedPlan().toString()
        assert ("MapInArrow" in plan) == (reader in (Reader.OURS_MAPPED, Reader.LOGS_MAPPED))
        totals = frame.selectExpr(
            "count(*)",
            "sum(offset)",
            "sum(crc32(value))",
            "sum(crc32(key))",
            "sum(unix_millis(timestamp))",
            "count(distinct timestamp)",
        ).collect()[0]
        if reader is Reader.OURS:
            expected = totals
        assert totals == expected, reader
        assert totals[0] == SMALL.rows
        assert totals[5] >= SMALL.rows // SMALL.partitions, "records of a partition have each their own time"


@pytest.mark.parametrize("reader", [Reader.LOGS, Reader.LOGS_MAPPED])
@pytest.mark.parametrize("what", [*spark_bench.QUERIES, "offsets"])
def test_every_query_has_a_rate(queries: Queries, what: str, reader: Reader) -> None:
    outcome = queries.outcome(what, reader, SMALL)
    assert outcome.rate > 0
    assert outcome.jvm_seconds > 0


@pytest.mark.parametrize(("columns", "chosen"), [("", source_schema(False)), ("offset LONG", ["offset"])])
def test_columns_that_are_there_already_are_as_many_and_as_large(
    queries: Queries, columns: str, chosen: StructType | list[str]
) -> None:
    frame = queries.frame(Reader.NOTHING_READ, SMALL, columns)
    assert frame.rdd.getNumPartitions() >= SMALL.partitions
    assert frame.columns == (chosen if isinstance(chosen, list) else chosen.fieldNames())
    sizes = "0" if columns else "sum(length(key)) + sum(length(value))"
    expected = 0 if columns else SMALL.rows * (8 + SMALL.value_bytes)
    assert [*frame.selectExpr("count(*)", sizes).collect()[0]] == [SMALL.rows, expected]


def test_a_micro_batch_has_a_duration(queries: Queries) -> None:
    assert 0 < queries.batch_seconds(Reader.OURS, SMALL) < 60


def test_without_a_compiler_there_is_no_row_for_compiled_code() -> None:
    script = "from bench.record_decoding import measure; print(len([*measure(0.01)]))"
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "SNAKKA_RECORDS": "python"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.stdout == "1\n", result.stderr
