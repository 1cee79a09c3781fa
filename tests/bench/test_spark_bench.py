"""The measurements in Spark: that each query runs by each reader, and what becomes of their figures. Speed is not judged."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.bare_sender import REQUEST, BareSender
from bench.processor_time import own_seconds, seconds_of_started
from bench.report import LOG_FILES, PARQUET_FILES, SPARK_CONNECTOR, page
from bench.shortfalls import reason_for
from bench.spark_queries import Outcome, Queries, Reader, Topic
from tests.spark.conftest import spark  # noqa: F401 -- the session of this worker

from bench import spark as spark_bench
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
    Reader.BARE_RECEIVED: 3000.0,
    Reader.BARE_READ: 3500.0,
    Reader.READY_AS_OURS: 5000.0,
    Reader.READY_AS_LOGS: 6000.0,
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
        ("Spark reads all columns, 100 B, 2 partitions", 0.5, 0.8, PARQUET_FILES, False),
        ("log files instead of a broker, 100 B, 2 partitions", 1.25, 1.5, LOG_FILES, False),
        ("log files instead of a broker, only offsets, 100 B, 2 partitions", 1.25, 1.5, LOG_FILES, False),
    ]
    assert rows[0].snakka == "2,000 rows/s (JVM 375.00, Python 125.00, broker 0.00)"
    written = page(rows, [], 1.0, quick=False)
    assert "not seen before" not in written
    # What the floors reach: below our connector of Parquet's rate, below the log reader of our connector's.
    assert "| 0.50, least work 0.75, no work 1.25 | at least 0.8 |" in written
    assert "| 1.25, least work 1.75, no work 3.00 | at least 1.5 |" in written
    # Every miss has its reason, and a reason stands once.
    *_, missed = written.partition("## Missed, and why")
    assert [line.split("**")[1] for line in missed.splitlines() if "**" in line] == [row.what for row in rows]
    for row in rows:
        assert missed.count(reason_for(row.what)) == 1


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
    for reader in (Reader.OURS, Reader.LOGS, Reader.PARQUET):
        frame = queries.frame(reader, SMALL)
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


@pytest.mark.parametrize("reader", [Reader.BARE_RECEIVED, Reader.BARE_READ])
def test_a_floor_has_as_many_rows_and_tasks_as_the_reader_above_it(queries: Queries, reader: Reader) -> None:
    above = queries.frame(Reader.OURS if reader is Reader.BARE_RECEIVED else Reader.LOGS, SMALL)
    with queries.served_bare(SMALL):
        frame = queries.frame(reader, SMALL)
        assert frame.schema == above.schema
        assert frame.rdd.getNumPartitions() == above.rdd.getNumPartitions()
        row = frame.selectExpr("count(*)", "min(length(value))", "max(length(value))").collect()[0]
        assert tuple(row) == (SMALL.rows, SMALL.value_bytes, SMALL.value_bytes)
        # What was moved is in them: the log's bytes, whatever they are there, and not the same in every row.
        assert frame.select("value").distinct().count() > SMALL.rows // 2
        assert queries.frame(reader, SMALL, "offset LONG").count() == SMALL.rows


@pytest.mark.parametrize("reader", [Reader.READY_AS_OURS, Reader.READY_AS_LOGS])
def test_ready_columns_have_as_many_rows_and_tasks_and_none_of_the_bytes(
    queries: Queries, reader: Reader
) -> None:
    above = queries.frame(Reader.OURS if reader is Reader.READY_AS_OURS else Reader.LOGS, SMALL)
    frame = queries.frame(reader, SMALL)
    assert frame.schema == above.schema
    assert frame.rdd.getNumPartitions() == above.rdd.getNumPartitions()
    row = frame.selectExpr("count(*)", "min(length(value))", "max(length(value))").collect()[0]
    assert tuple(row) == (SMALL.rows, SMALL.value_bytes, SMALL.value_bytes)
    assert frame.select("value").distinct().count() == 1


def test_without_a_bare_sender_nothing_is_received(queries: Queries) -> None:
    with pytest.raises(RuntimeError, match="served_bare"):
        queries.frame(Reader.BARE_RECEIVED, SMALL)


def test_a_bare_sender_sends_pieces_of_files_and_nothing_beyond_their_end(tmp_path: Path) -> None:
    paths = [tmp_path / "one", tmp_path / "two"]
    contents = [os.urandom(3_000_000), os.urandom(1000)]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    with (
        BareSender(paths) as sender,
        socket.create_connection(("127.0.0.1", sender.port), 30) as client,
        client.makefile("rb") as answers,
    ):
        client.sendall(REQUEST.pack(0, 17, 2_900_000) + REQUEST.pack(1, 500, 500))
        assert answers.read(2_900_000) == contents[0][17:2_900_017]
        assert answers.read(500) == contents[1][500:]
        client.sendall(REQUEST.pack(1, 900, 101))
        assert answers.read() == contents[1][900:]  # and then it closes


def test_a_server_that_does_not_come_up_says_so(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"bench\.bare_sender ended with 1"):
        BareSender([tmp_path / "nothing"])


@pytest.mark.parametrize("what", [*spark_bench.QUERIES, "offsets"])
def test_every_query_has_a_rate(queries: Queries, what: str) -> None:
    outcome = queries.outcome(what, Reader.LOGS, SMALL)
    assert outcome.rate > 0
    assert outcome.jvm_seconds > 0


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
