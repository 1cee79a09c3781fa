"""The measurements in Spark: that each query runs by each reader, and what becomes of their figures. Speed is not judged."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.report import LOG_FILES, PARQUET_FILES, SPARK_CONNECTOR, page
from bench.spark_queries import Queries, Reader, Topic
from tests.spark.conftest import spark  # noqa: F401 -- the session of this worker

from bench import spark as spark_bench
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(400)]

SMALL = Topic(100, 2, 4000)


RATES = {Reader.OURS: 2.0, Reader.THEIRS: 1.0, Reader.LOGS: 2.5, Reader.PARQUET: 4.0}


class CountedQueries:
    """Answers at once: each reader has its speed."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Reader]] = []
        self.is_warm = False

    def rate(self, what: str, reader: Reader, topic: Topic) -> float:
        self.asked.append((what, reader))
        return RATES[reader]


@pytest.mark.parametrize("with_theirs", [True, False])
def test_a_topic_gives_a_row_for_each_target(with_theirs: bool) -> None:
    queries = CountedQueries()
    rows = list(spark_bench._measure_topic(queries, SMALL, 2, with_theirs=with_theirs))  # type: ignore[arg-type]
    found = {(row.what, row.against): (row.figure, row.bound, row.is_met) for row in rows}
    assert found["Spark reads all columns, 100 B, 2 partitions", PARQUET_FILES] == (0.5, 0.8, False)
    assert found["log files instead of a broker, 100 B, 2 partitions", LOG_FILES] == (1.25, 1.5, False)
    against = [what for what, other in found if other == SPARK_CONNECTOR]
    assert against == (
        [f"Spark {what}, 100 B, 2 partitions" for what in spark_bench.QUERIES] if with_theirs else []
    )
    # Once to warm up and twice to measure, each reader in turn first.
    counts = [reader for what, reader in queries.asked if what == "count"]
    readers = [Reader.OURS, Reader.THEIRS] if with_theirs else [Reader.OURS]
    assert counts == [*readers, *readers, *reversed(readers)]
    assert "not seen before" not in page(rows, [], 1.0, quick=False)


def test_the_topics_are_those_of_the_targets() -> None:
    topics = spark_bench.topics(quick=False)
    assert {(each.value_bytes, each.partitions) for each in topics} == {
        (size, count) for size in (100, 1024) for count in (1, 2, 8)
    }
    assert all(each.rows % each.partitions == 0 and each.rows > 100_000 for each in topics)
    assert len(spark_bench.topics(quick=True)) == 2


@pytest.fixture(scope="module")
def queries(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queries]:  # noqa: F811
    scratch = tmp_path_factory.mktemp("spark-bench")
    data = scratch / "data"
    with BlockingLocalBroker(data_dir=str(data)) as broker:
        SMALL.fill(broker.bootstrap_servers)
        queries = Queries(spark, broker.bootstrap_servers, data, scratch)
        queries.write_parquet(SMALL)
        yield queries


def test_every_reader_reads_the_same_rows(queries: Queries) -> None:
    for reader in (Reader.OURS, Reader.LOGS, Reader.PARQUET):
        frame = queries.frame(reader, SMALL)
        totals = frame.selectExpr(
            "count(*)", "sum(offset)", "sum(crc32(value))", "sum(crc32(key))"
        ).collect()[0]
        if reader is Reader.OURS:
            expected = totals
        assert totals == expected, reader
        assert totals[0] == SMALL.rows


@pytest.mark.parametrize("what", spark_bench.QUERIES)
def test_every_query_has_a_rate(queries: Queries, what: str) -> None:
    assert queries.rate(what, Reader.LOGS, SMALL) > 0


def test_a_micro_batch_has_a_duration(queries: Queries) -> None:
    assert 0 < queries.batch_seconds(Reader.OURS, SMALL._replace(rows=8000)) < 60


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
