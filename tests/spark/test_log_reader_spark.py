"""The format `snakka-log` in a real Spark: found without registration, the same DataFrame as the broker's consumer gives.

By either way to read batches.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from pyspark.errors import AnalysisException, PythonException

from snakka.client.blocking import Admin, Consumer, Producer
from snakka.client.topic_partition import TopicPartition
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.columns import source_schema
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The first of them starts Spark, which takes its time where others need the cores.
pytestmark = [pytest.mark.timeout(400), pytest.mark.usefixtures("either_way")]

NOW_MS = 1_700_000_000_000
TOPIC = "orders"
PARTITIONS = 3
COUNT = 4000
# Spark's, with our words in them, or ours.
REFUSALS = (AnalysisException, PythonException, SparkOptionError)


class Written(NamedTuple):
    """The data directory of a broker that runs, and what a consumer gets from it: partition, offset, key, value."""

    directory: Path
    consumed: list[tuple[int, int, bytes | None, bytes | None]]


@pytest.fixture(scope="module")
def data(written: Written) -> Path:
    return written.directory


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    directory = tmp_path_factory.mktemp("spark-log") / "data"
    with BlockingLocalBroker(data_dir=str(directory)) as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            settings = {"segment.index.bytes": "160", "retention.ms": "-1"}
            admin.create_topic(TOPIC, partitions=PARTITIONS, configs=settings)
        with Producer(bootstrap_servers=broker.bootstrap_servers, compression_type="lz4") as producer:
            for number in range(COUNT):
                producer.send(
                    TOPIC,
                    None if number % 10 == 0 else b"value %d" % number * 10,
                    None if number % 7 == 0 else b"%d" % number,
                    headers=[("n", b"%d" % number)] if number % 2 else None,
                    partition=number % PARTITIONS,
                    timestamp_ms=NOW_MS + number,
                )
        with Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="t") as producer:
            producer.begin_transaction()
            producer.send(TOPIC, b"never", partition=0, timestamp_ms=NOW_MS)
            producer.flush()
            producer.abort_transaction()
        consumed = []
        with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
            places = [TopicPartition(TOPIC, partition) for partition in range(PARTITIONS)]
            consumer.assign(places)
            consumer.seek_to_beginning(*places)
            while len(consumed) < COUNT + 1:
                for messages in consumer.getmany(timeout_ms=1000).values():
                    consumed += [(each.partition, each.offset, each.key, each.value) for each in messages]
        yield Written(directory, sorted(consumed, key=lambda row: row[:2]))


def logs(spark: "SparkSession", data: Path, **options: object) -> "DataFrame":
    return spark.read.format("snakka-log").options(subscribe=TOPIC, **options).load(str(data))


def test_the_data_frame_is_what_the_broker_serves(spark: "SparkSession", written: Written) -> None:
    frame = logs(spark, written.directory)
    assert frame.schema == source_schema(False)
    rows = frame.orderBy("partition", "offset").collect()
    assert [(row.partition, row.offset, row.key, row.value) for row in rows] == [
        (partition, offset, key and bytearray(key), value and bytearray(value))
        for partition, offset, key, value in written.consumed
    ]
    assert {row.topic for row in rows} == {TOPIC}
    assert {row.timestampType for row in rows} == {0}


def test_tasks_committed_records_headers_and_sql(spark: "SparkSession", data: Path) -> None:
    options = {"minPartitions": 8, "includeHeaders": "true", "isolation.level": "read_committed"}
    frame = logs(spark, data, **options)
    assert frame.rdd.getNumPartitions() >= 8
    frame.createOrReplaceTempView("log_records")
    totals = spark.sql(
        "select count(*) as n, count(distinct partition, offset) as d, count(value) as v, min(timestamp) as first,"
        " count_if(headers[0].key = 'n' and headers[0].value is not null) as h, count(headers) as hh"
        " from log_records"
    ).collect()[0]
    assert (totals.n, totals.d, totals.v) == (COUNT, COUNT, COUNT - COUNT // 10)
    assert (totals.h, totals.hh) == (COUNT // 2, COUNT // 2)
    assert int(totals["first"].timestamp() * 1000) == NOW_MS


def test_only_the_columns_of_the_given_schema(spark: "SparkSession", data: Path) -> None:
    reader = spark.read.format("snakka-log").option("subscribe", TOPIC)
    frame = reader.schema("offset LONG, value BINARY").load(str(data))
    assert frame.columns == ["offset", "value"]
    assert frame.where("value is null").count() == COUNT // 10
    with pytest.raises(REFUSALS, match="there is no column colour"):
        reader.schema("colour STRING").load(str(data)).count()


def test_bounds_and_an_empty_result(spark: "SparkSession", data: Path) -> None:
    start = json.dumps({TOPIC: {str(index): 100 for index in range(PARTITIONS)}})
    end = json.dumps({TOPIC: {str(index): 110 for index in range(PARTITIONS)}})
    frame = logs(spark, data, startingOffsets=start, endingOffsets=end)
    assert frame.count() == 10 * PARTITIONS
    assert logs(spark, data, startingOffsets=start, endingOffsets=start).count() == 0


def test_filters_choose_what_is_read_where_they_are_turned_on(spark: "SparkSession", data: Path) -> None:
    plain, pushed = logs(spark, data), logs(spark, data, pushDownFilters="true")
    for condition, count in (
        ("partition = 1 and offset >= 1200", 133),
        ("offset between 7 and 11", 5 * PARTITIONS),
        ("topic = 'other'", 0),
        (f"timestamp >= timestamp_millis({NOW_MS + COUNT - 6})", 6),
    ):
        assert plain.where(condition).count() == count, condition
        chosen = pushed.where(condition)
        assert chosen.count() == count, condition
    assert pushed.where("offset < 5 and partition = 0").rdd.getNumPartitions() == 1


def test_what_is_wrong_is_said_by_the_driver(spark: "SparkSession", data: Path) -> None:
    for options, message in (
        ({"subscribe": "nowhere"}, "nowhere: not in"),
        ({"subscribe": TOPIC, "isolation.level": "serializable"}, "isolation.level=serializable"),
        ({"subscribe": TOPIC, "maxPartitionBytes": "few"}, "maxPartitionBytes=few"),
        ({}, "one of assign, subscribe, subscribePattern must be set"),
    ):
        with pytest.raises(REFUSALS, match=message):
            spark.read.format("snakka-log").options(**options).load(str(data)).count()
    with pytest.raises(REFUSALS, match="path must be set"):
        spark.read.format("snakka-log").option("subscribe", TOPIC).load().count()
