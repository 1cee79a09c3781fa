"""Topics as batches in a real Spark, by either way to read them: columns, ranges, pieces, filters, transactions, losses."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import at, fill, transactions

from snakka.client.blocking import Admin, Producer
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# An hour ago, so that retention takes nothing while a test runs.
TIME_MS = int(time.time()) * 1000 - 3_600_000
PUSH_DOWN = "spark.sql.python.filterPushdown.enabled"
Read = Callable[..., "DataFrame"]

pytestmark = pytest.mark.usefixtures("either_way")


@pytest.fixture
def read(spark: "SparkSession", broker: BlockingLocalBroker) -> Read:
    def load(topic: str = "", *, schema: str = "", **given: str) -> "DataFrame":
        reader = spark.read.format("snakka").option("kafka.bootstrap.servers", broker.bootstrap_servers)
        if topic:
            reader = reader.option("subscribe", topic)
        if schema:
            reader = reader.schema(schema)
        return reader.options(**{name.replace("__", "."): value for name, value in given.items()}).load()

    return load


@contextmanager
def conf(spark: "SparkSession", name: str, value: str) -> Iterator[None]:
    before = spark.conf.get(name, None)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, before)


def values(frame: "DataFrame") -> list[str]:
    return sorted(row.value.decode() for row in frame.select("value").collect())


def numbers(frame: "DataFrame") -> list[int]:
    return sorted(map(int, values(frame)))


def test_every_column_of_every_kind_of_record(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    topic = new_topic(2)
    appended = new_topic(1, message_timestamp_type="LogAppendTime")
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send_and_wait(topic, b"plain", key=b"k", partition=1, timestamp_ms=TIME_MS + 7)
        headers = [("h", b"1"), ("h", None), ("ä", b"")]
        producer.send_and_wait(topic, None, headers=headers, partition=1, timestamp_ms=TIME_MS)
        producer.send_and_wait(appended, b"", key=b"", timestamp_ms=TIME_MS)
    with conf(spark, "spark.sql.session.timeZone", "America/New_York"):
        rows = read(topic, includeHeaders="true").orderBy("offset").collect()
    first, second = rows
    assert (bytes(first.key), bytes(first.value), first.topic, first.partition, first.offset) == (
        b"k",
        b"plain",
        topic,
        1,
        0,
    )
    assert first.timestamp.astimezone(UTC) == datetime.fromtimestamp((TIME_MS + 7) / 1000, UTC)
    assert (first.timestampType, first.headers) == (0, None)  # none, and no empty list, as in Spark's source
    assert (second.key, second.value) == (None, None)
    assert [(each.key, each.value) for each in second.headers] == [("h", b"1"), ("h", None), ("ä", b"")]
    (row,) = read(appended).collect()
    assert (bytes(row.key), bytes(row.value), row.timestampType) == (b"", b"", 1)
    assert row.timestamp.astimezone(UTC) > datetime.fromtimestamp(TIME_MS / 1000 + 1, UTC)
    assert "headers" not in row.asDict()


def test_ranges_by_name_number_and_time(broker: BlockingLocalBroker, new_topic: NewTopic, read: Read) -> None:
    topic, bootstrap = new_topic(2), broker.bootstrap_servers
    fill(bootstrap, topic, range(10), partition=0, timestamp_ms=TIME_MS)
    fill(bootstrap, topic, range(100, 104), partition=1, timestamp_ms=TIME_MS)
    both = [*range(10), *range(100, 104)]
    middle = TIME_MS + 2500

    def named(first: int, second: int) -> str:
        return f'{{"{topic}":{{"0":{first},"1":{second}}}}}'

    assert numbers(read(topic, startingOffsets="earliest", endingOffsets="latest")) == both
    given = {"startingOffsets": named(8, -2), "endingOffsets": named(-1, 1)}
    assert numbers(read(topic, **given)) == [8, 9, 100]
    assert numbers(read(topic, startingTimestamp=str(middle))) == [*range(3, 10), 103]
    given = {"startingOffsetsByTimestamp": named(middle, TIME_MS), "endingTimestamp": str(TIME_MS + 5000)}
    assert numbers(read(topic, **given)) == [
        3,
        4,
        *range(100, 104),
    ]  # nothing so new in the second: to its end
    given = {"endingOffsetsByTimestamp": named(middle, middle)}
    assert numbers(read(topic, **given)) == [0, 1, 2, 100, 101, 102]
    assert numbers(read(assign=f'{{"{topic}":[1]}}')) == [100, 101, 102, 103]
    assert numbers(read(subscribePattern=f"^{topic[:-2]}\\p{{Alnum}}+$")) == both


def test_a_topic_that_was_made_anew_between_two_queries_of_a_session(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, read: Read
) -> None:
    """Python's workers are kept, and their clients have read the old one."""
    topic, bootstrap = new_topic(2), broker.bootstrap_servers
    for partition in (0, 1):
        fill(bootstrap, topic, range(100), partition=partition)
    assert [read(topic).count() for _ in range(2)] == [200, 200]
    admin.delete_topic(topic)
    admin.create_topic(topic, partitions=2)
    for partition in (0, 1):
        fill(bootstrap, topic, range(7), partition=partition)
    assert [read(topic).count() for _ in range(3)] == [14, 14, 14]


def test_wrong_options_are_told_when_the_frame_is_made_or_planned(
    new_topic: NewTopic, read: Read, broker: BlockingLocalBroker
) -> None:
    topic = new_topic(1)
    with pytest.raises(Exception, match="one of assign, subscribe, subscribePattern must be set"):
        read()
    with pytest.raises(Exception, match=r"kafka\.auto\.offset\.reset can't be set: where to begin is"):
        read(topic, kafka__auto__offset__reset="latest")
    with pytest.raises(Exception, match="startingOffsets can't be latest"):
        read(topic, startingOffsets="latest").count()
    with pytest.raises(Exception, match="nobody-made-this: there is no such topic"):
        read("nobody-made-this").count()
    with pytest.raises(Exception, match="column value is binary, not string"):
        read(topic, schema="value STRING").count()
    assert read(topic).count() == 0


def test_large_partitions_are_divided_and_rows_stay_whole(
    broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    """More rows than one Arrow batch may have, of several batches of records, in several tasks."""
    from pyspark.sql.functions import count, countDistinct, spark_partition_id

    topic = new_topic(2)
    fill(broker.bootstrap_servers, topic, range(25_000))
    fill(broker.bootstrap_servers, topic, range(100), partition=1)
    for given, tasks in (({}, 2), ({"minPartitions": "4"}, 4), ({"maxRecordsPerPartition": "10000"}, 4)):
        (row,) = (
            read(topic, **given)
            .withColumn("task", spark_partition_id())
            .agg(
                count("*").alias("rows"),
                countDistinct("partition", "offset", "value").alias("distinct"),
                countDistinct("task").alias("tasks"),
            )
            .collect()
        )
        assert (row.rows, row.distinct, row.tasks) == (25_100, 25_100, tasks)
    assert read(topic).limit(3).count() == 3  # a task that is not read to its end leaves nothing behind
    assert read(topic).count() == 25_100


def test_only_chosen_columns_in_the_order_that_is_asked_for(
    broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, ["a", "b"], timestamp_ms=TIME_MS)
    frame = read(topic, schema="timestampType INT, value BINARY, offset BIGINT")
    assert [tuple(row) for row in frame.collect()] == [(0, b"a", 0), (0, b"b", 1)]
    headers = "headers ARRAY<STRUCT<key: STRING, value: BINARY>>, topic STRING"
    assert [tuple(row) for row in read(topic, schema=headers).collect()] == [(None, topic)] * 2


def test_columns_that_are_said_to_be_never_null(
    broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    """Spark looks for no nulls then: where there are some, it would fail with a trace of its own."""
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, ["a", "b"])
    frame = read(
        topic, schema="value BINARY NOT NULL, offset LONG NOT NULL, topic STRING NOT NULL, key BINARY"
    )
    assert [field.nullable for field in frame.schema] == [False, False, False, True]
    assert [tuple(row) for row in frame.collect()] == [(b"a", 0, topic, None), (b"b", 1, topic, None)]
    told = "there are records without key: say it in the schema without NOT NULL"
    with pytest.raises(Exception, match=told):
        read(topic, schema="key BINARY NOT NULL, offset LONG").collect()


def test_filters_choose_what_is_fetched_where_that_is_turned_on(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    topic, other = new_topic(2), new_topic(1)
    bootstrap = broker.bootstrap_servers
    fill(bootstrap, topic, range(10), partition=0, timestamp_ms=TIME_MS)
    fill(bootstrap, topic, range(100, 110), partition=1, timestamp_ms=TIME_MS)
    fill(bootstrap, other, range(1000, 1010), timestamp_ms=TIME_MS)
    when = datetime.fromtimestamp(TIME_MS / 1000 + 7, UTC).strftime("TIMESTAMP'%Y-%m-%d %H:%M:%SZ'")
    expected = {
        f"topic = '{other}'": list(range(1000, 1010)),
        "partition IN (1, 5)": list(range(100, 110)),
        "partition != 0 AND offset < 2": [100, 101],
        "offset BETWEEN 3 AND 4 AND partition = 0": [3, 4, 1003, 1004],
        "offset IN (1, 9) AND partition = 1": [101, 109],
        f"timestamp >= {when} AND partition = 1": [107, 108, 109],
        f"timestamp < {when} AND partition = 1": list(range(100, 107)),
        "offset = 5 AND topic IS NOT NULL": [5, 105, 1005],
        "CAST(CAST(value AS STRING) AS INT) > 1008": [1009],
    }
    for condition, found in expected.items():
        # Spark would use the ranges of one filter for another one of the same frame, or for none.
        pushed = read(f"{topic},{other}", pushDownFilters="true")
        assert numbers(pushed.where(condition)) == found, condition
    bounds = (
        f'{{"{topic}":{{"0":8,"1":-2}},"{other}":{{"0":-2}}}}'  # complete, whatever the filter leaves of it
    )
    pushed = read(f"{topic},{other}", pushDownFilters="true", startingOffsets=bounds)
    assert numbers(pushed.where(f"topic = '{topic}' AND partition = 0 AND offset IN (1, 9, NULL)")) == [9]
    plan = pushed.where(f"topic = '{other}' AND offset > 7")._jdf.queryExecution().toString()
    assert "Filter" in plan
    assert "Filter (" not in plan.partition("== Physical Plan ==")[2]  # nothing is left for Spark to judge
    with conf(spark, PUSH_DOWN, "false"):
        # Spark refuses a reader that could take filters then; a job that does not ask for it must run.
        with pytest.raises(Exception, match=PUSH_DOWN.replace(".", r"\.")):
            read(topic, pushDownFilters="true").where("partition = 1").count()
        plain = read(f"{topic},{other}")
        assert numbers(plain.where("partition = 1 AND offset < 3")) == [100, 101, 102]


def test_committed_records_only_and_a_range_that_ends_with_nothing(
    broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    """The end of the range is a marker, an aborted transaction or an open one: nobody waits for a record there."""
    topic = new_topic(1)
    producer = transactions(broker.bootstrap_servers, topic, "commit", "abort", "open")
    try:
        uncommitted = read(topic, kafkaConsumer__pollTimeoutMs="20000")
        assert len(values(uncommitted)) == 9
        committed = read(
            topic, kafka__isolation__level="read_committed", kafkaConsumer__pollTimeoutMs="20000"
        )
        assert values(committed) == ["commit 0", "commit 1", "commit 2"]
        only_aborted = read(
            topic,
            kafka__isolation__level="read_committed",
            startingOffsets=f'{{"{topic}":{{"0":4}}}}',
            endingOffsets=f'{{"{topic}":{{"0":8}}}}',
            kafkaConsumer__pollTimeoutMs="20000",
        )
        assert only_aborted.count() == 0
    finally:
        producer.abort_transaction()
        producer.stop()


def test_records_that_are_gone(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, read: Read
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(10))
    admin.delete_records({at(topic, 0): 6}).raise_for_errors()
    assert numbers(read(topic)) == [6, 7, 8, 9]
    begins = {"startingOffsets": f'{{"{topic}":{{"0":2}}}}'}
    with pytest.raises(Exception, match=r"offset 2 of the range up to 10 is gone, there are 6 to 10"):
        read(topic, **begins).count()
    assert numbers(read(topic, **begins, failOnDataLoss="false")) == [6, 7, 8, 9]
    ends = {"endingOffsets": f'{{"{topic}":{{"0":4}}}}'}
    assert numbers(read(topic, **begins, **ends, failOnDataLoss="false")) == []


def test_an_end_beyond_the_log_is_told_at_once(
    broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    """Spark's own source tells it too, after pollTimeoutMs and as something that is lost."""
    topic = new_topic(2)
    fill(broker.bootstrap_servers, topic, range(10))

    def ranges(start: int, end: int) -> dict[str, str]:
        return {
            "startingOffsets": f'{{"{topic}":{{"0":{start},"1":-2}}}}',
            "endingOffsets": f'{{"{topic}":{{"0":{end},"1":-1}}}}',
        }

    began = time.monotonic()
    told = f"{topic}-0 has no offset 19 yet, its log ends at 10: endingOffsets may be at most 10 there"
    with pytest.raises(Exception, match=told):
        read(topic, **ranges(8, 20)).count()
    assert numbers(read(topic, **ranges(8, 20), failOnDataLoss="false")) == [8, 9]
    assert numbers(read(topic, **ranges(15, 20), failOnDataLoss="false")) == []
    assert numbers(read(topic, **ranges(8, 10))) == [8, 9]
    assert time.monotonic() - began < 60  # nobody has waited for pollTimeoutMs, which is twice as long


def test_an_end_that_an_open_transaction_holds_back_is_waited_for(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    topic = new_topic(1)
    producer = transactions(broker.bootstrap_servers, topic, "commit", "open")
    given = {"kafka__isolation__level": "read_committed", "endingOffsets": f'{{"{topic}":{{"0":7}}}}'}
    try:
        told = "an open transaction holds back everything from offset 4 on, of the range up to 7, and did not end"
        with pytest.raises(Exception, match=told):
            read(topic, **given, kafkaConsumer__pollTimeoutMs="1500").count()
        lenient = {**given, "failOnDataLoss": "false", "kafkaConsumer__pollTimeoutMs": "1500"}
        assert read(topic, **lenient).count() == 3
        # As in Spark's own source: who does not say how long waits for as long as Spark waits for anything.
        with (
            conf(spark, "spark.sql.legacy.setCommandRejectsSparkCoreConfs", "false"),
            conf(spark, "spark.network.timeout", "1"),
            pytest.raises(Exception, match=f"{told} in 1000 ms"),
        ):
            read(topic, **given).count()
        ending = threading.Timer(1.0, producer.commit_transaction)
        ending.start()
        assert read(topic, **given).count() == 6
        ending.join()
    finally:
        producer.stop()


def test_a_frame_that_is_used_again_has_what_has_come_since(
    broker: BlockingLocalBroker, new_topic: NewTopic, read: Read
) -> None:
    """Spark plans a frame of a Python source once; an end that is asked for by name is found when it is read."""
    topic, bootstrap = new_topic(2), broker.bootstrap_servers
    fill(bootstrap, topic, [0], partition=1)
    frames = [
        read(topic),
        read(topic, minPartitions="4"),
        read(topic, startingOffsets=f'{{"{topic}":{{"0":-2,"1":1}}}}'),
    ]
    assert [frame.count() for frame in frames] == [1, 1, 0]
    fill(bootstrap, topic, range(10), partition=0)
    fill(bootstrap, topic, [11], partition=1)
    assert [frame.count() for frame in frames] == [12, 12, 11]


def test_sql_finds_the_source_too(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic
) -> None:
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(3))
    spark.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW v USING snakka OPTIONS "
        f"(`kafka.bootstrap.servers` '{broker.bootstrap_servers}', subscribe '{topic}')"
    )
    assert spark.sql("SELECT count(*) AS n FROM v").collect()[0].n == 3
    spark.catalog.dropTempView("v")
