"""The shortest way of batches into Spark: when it is taken, and that nothing but the way is another.

That the rows are the same, whatever the options are, is shown where those are tested, by either way.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import fill

from pyspark_snakka import FastReads, enable_fast_reads, enable_kafka_alias
from snakka.client.blocking import Admin
from snakka.spark import fast_reads as fast_reads_module
from snakka.spark.source import batch_reader
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MAPPED, SCANNED = "MapInArrow snakka", "BatchScan snakka"


@pytest.fixture
def fast_reads() -> Iterator[FastReads]:
    reads = enable_fast_reads()
    yield reads
    reads.disable()


@pytest.fixture
def topic(broker: BlockingLocalBroker, new_topic: NewTopic) -> str:
    name = new_topic(2)
    fill(broker.bootstrap_servers, name, range(5))
    fill(broker.bootstrap_servers, name, range(5, 8), partition=1)
    return name


@pytest.fixture
def load(spark: "SparkSession", broker: BlockingLocalBroker, topic: str) -> Callable[..., "DataFrame"]:
    def loaded(name: str = "snakka", **options: str) -> "DataFrame":
        servers = {"kafka.bootstrap.servers": broker.bootstrap_servers}
        return spark.read.format(name).options(**{"subscribe": topic, **servers, **options}).load()

    return loaded


def plan(frame: "DataFrame") -> str:
    return frame._jdf.queryExecution().executedPlan().toString()


def values(frame: "DataFrame") -> list[int]:
    return sorted(int(row.value) for row in frame.select("value").collect())


def test_it_is_asked_for_and_can_be_taken_back(load: Callable[..., "DataFrame"]) -> None:
    assert SCANNED in plan(load())
    enable_fast_reads()  # as a notebook does whose cell is run twice
    reads = enable_fast_reads()
    fast = load()
    assert MAPPED in plan(fast)
    reads.disable()
    usual = load()
    assert SCANNED in plan(usual)
    assert fast.schema == usual.schema
    assert fast.rdd.getNumPartitions() == usual.rdd.getNumPartitions() == 2
    assert values(fast) == values(usual) == list(range(8))


@pytest.mark.usefixtures("fast_reads")
def test_what_it_does_not_know_goes_spark_s_way(
    spark: "SparkSession", load: Callable[..., "DataFrame"], tmp_path: Path
) -> None:
    assert MAPPED in plan(load("Snakka"))  # names have no case in Spark
    # Filters come from Spark to a source only.
    pushed = load(pushDownFilters="true").where("partition = 1")
    assert SCANNED in plan(pushed)
    assert values(pushed) == [5, 6, 7]
    load().write.parquet(str(tmp_path / "rows"))
    assert spark.read.load(str(tmp_path / "rows")).count() == 8
    assert spark.read.format("parquet").load([str(tmp_path / "rows")]).count() == 8


@pytest.mark.usefixtures("fast_reads")
def test_the_alias_reads_by_the_shortest_way_too(load: Callable[..., "DataFrame"]) -> None:
    alias = enable_kafka_alias()
    try:
        frame = load("kafka")
    finally:
        alias.disable()
    assert MAPPED in plan(frame)
    assert values(frame) == list(range(8))


@pytest.mark.usefixtures("fast_reads")
def test_there_is_work_for_all_cores(
    spark: "SparkSession",
    broker: BlockingLocalBroker,
    new_topic: NewTopic,
    load: Callable[..., "DataFrame"],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cores = spark.sparkContext.defaultParallelism
    assert cores > 1, "else nothing is shown here"
    monkeypatch.setattr(batch_reader, "_LEAST_RECORDS_A_TASK", 4)
    large = new_topic(1)
    fill(broker.bootstrap_servers, large, range(4 * cores))

    def tasks(**options: str) -> list[list[int]]:
        """The values that each of them reads."""
        frame = load(subscribe=large, **options)
        return [[int(row.value) for row in task] for task in frame.rdd.glom().collect()]

    divided = tasks()
    assert len(divided) == cores
    assert all(divided)
    assert [value for task in divided for value in task] == list(range(4 * cores))
    # Whoever says how many has his way, and few records are worth no more tasks.
    assert len(tasks(minPartitions="1")) == 1
    assert len(tasks(minPartitions=str(cores + 1))) == cores + 1
    assert len(tasks(maxRecordsPerPartition="1000")) == 1
    assert len(tasks(endingOffsets=json.dumps({large: {"0": 7}}))) == 1
    reads = enable_fast_reads()
    reads.disable()
    assert len(tasks()) == 1, "Spark's own source has a task for each partition of the topic"


@pytest.mark.usefixtures("fast_reads")
def test_options_are_what_the_user_gave(spark: "SparkSession") -> None:
    given = {
        "subscribe": "a",
        "startingOffsets": '{"a":{"0":-2}}',
        "kafka.sasl.jaas.config": 'x y="z -> ,(1)";\n',
    }
    assert dict(fast_reads_module._options(spark.read.options(**given, includeHeaders=True))) == {
        "subscribe": "a",
        "startingoffsets": '{"a":{"0":-2}}',
        "kafka.sasl.jaas.config": 'x y="z -> ,(1)";\n',
        "includeheaders": "true",
    }
    assert dict(fast_reads_module._options(spark.read)) == {}


@pytest.mark.usefixtures("fast_reads")
def test_a_topic_is_not_taken_for_small(spark: "SparkSession", load: Callable[..., "DataFrame"]) -> None:
    """It is made of two numbers, but nobody knows how large it is: it must not be sent whole to all executors."""
    frame = load()
    statistics = frame._jdf.queryExecution().optimizedPlan().stats()
    assert statistics.sizeInBytes() >= 2**63 - 1
    joined = frame.join(load().withColumnRenamed("value", "other"), "offset")
    assert "BroadcastHashJoin" not in plan(joined)
    assert joined.count() == 5 + 3 + 2 * 3
    few = spark.range(1, 3).withColumnRenamed("id", "offset")
    broadcast = re.search(r"BroadcastHashJoin .*", plan(frame.join(few, "offset")))
    assert broadcast is not None
    assert "BuildRight" in broadcast[0]  # the few are sent, not the topic


@pytest.mark.usefixtures("fast_reads")
def test_it_leaves_nothing_in_the_user_s_process(load: Callable[..., "DataFrame"]) -> None:
    before = set(threading.enumerate())
    frames = [load() for _ in range(3)]
    assert {thread.name for thread in set(threading.enumerate()) - before} == set()
    assert [frame.limit(1).count() for frame in frames] == [1, 1, 1]


@pytest.mark.usefixtures("fast_reads")
def test_every_way_to_name_directories(spark: "SparkSession", tmp_path: Path) -> None:
    directories = []
    for number in range(2):
        directories.append(str(tmp_path / str(number)))
        with BlockingLocalBroker(data_dir=directories[-1]) as running:
            with Admin(bootstrap_servers=running.bootstrap_servers) as admin:
                admin.create_topic(f"orders-{number}")
            fill(running.bootstrap_servers, f"orders-{number}", range(number + 2))
    first, both = directories[0], {"subscribePattern": "orders-.*"}
    logs = spark.read.format("snakka-log").options(**both)
    frames = [
        logs.load(first),
        logs.load([first]),
        spark.read.format("snakka-log").options(**both, path=first).load(),
        spark.read.load(first, format="SNAKKA-LOG", schema="value BINARY", **both),
    ]
    assert [plan(frame).count(MAPPED) for frame in frames] == [1] * 4
    assert [frame.count() for frame in frames] == [2] * 4
    assert [len(frame.columns) for frame in frames] == [7, 7, 7, 1]
    all_of_them = logs.load(directories)
    assert MAPPED in plan(all_of_them)
    assert all_of_them.count() == 5
    # Spark says what is wrong itself.
    with pytest.raises(Exception, match="path"):
        spark.read.format("snakka-log").options(**both, path=first).load(first).count()
