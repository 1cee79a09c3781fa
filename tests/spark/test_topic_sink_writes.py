"""DataFrames become records: batch and streaming, by the columns and options of Spark's own Kafka sink."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest
from pyspark.sql.types import StringType, StructField, StructType
from tests.cli.broker_process import start_broker
from tests.spark.topic_sink_reading import read_topic, values

from snakka.client.blocking import Admin, Producer
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.key_hash import partition_for_key
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink import task_writer
from snakka.spark.topic_sink.batch_saver import batch_saver
from snakka.spark.topic_sink.decisions import Decision, DecisionTopic, ensure_decision_topic
from snakka.spark.topic_sink.sink_columns import sink_columns
from snakka.spark.topic_sink.task_writer import BatchName, transactional_id, write_exactly_once
from snakka.spark.topic_sink.transaction_ends import BatchEnd
from snakka.spark.topic_sink.write_options import write_options
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NewTopic = Callable[..., str]
pytestmark = pytest.mark.timeout(600)
SCHEMA = "topic string, key string, value binary, headers array<struct<key:string,value:binary>>, partition int, more int"


def write(data: "DataFrame", broker: BlockingLocalBroker, **options: str) -> None:
    (
        data.write.format("snakka")
        .option("kafka.bootstrap.servers", broker.bootstrap_servers)
        .options(**options)
        .mode("append")
        .save()
    )


@pytest.fixture(params=["at-least-once", "exactly-once"])
def guarantee(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_all_columns_become_a_record(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, guarantee: str
) -> None:
    three, two = new_topic(3), new_topic(2)
    rows: list[tuple[Any, ...]] = []
    for number in range(300):
        key = None if number % 5 == 0 else f"key {number % 17}"
        headers = [("number", b"%d" % number), ("empty", None)] if number % 3 else None
        partition = number % 2 if number % 4 == 0 else None
        rows.append((three if number % 2 else two, key, b"value %d" % number, headers, partition, number))
    write(spark.createDataFrame(rows, SCHEMA).repartition(2), broker, deliveryGuarantee=guarantee)
    for topic, count in ((three, 3), (two, 2)):
        expected = {row[2]: row for row in rows if row[0] == topic}
        found = {message.value: message for message in read_topic(broker.bootstrap_servers, topic)}
        assert found.keys() == expected.keys()
        for value, (_, key, _, headers, partition, _) in expected.items():
            message = found[value]
            assert message.key == (None if key is None else key.encode())
            assert [*message.headers] == (headers or [])
            if partition is not None:
                assert message.partition == partition
            elif key is not None:
                assert message.partition == partition_for_key(key.encode(), count)


def test_the_option_overrides_the_column_and_rows_of_one_task_keep_their_order(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, guarantee: str
) -> None:
    topic = new_topic(1)
    data = spark.range(0, 25_000, 1, 1).selectExpr("'elsewhere' as topic", "cast(id as string) as value")
    write(data, broker, topic=topic, deliveryGuarantee=guarantee)
    assert values(broker.bootstrap_servers, topic) == [str(number) for number in range(25_000)]


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ("id as value", {"topic": "t"}, "column value has the unsupported type bigint"),
        ("'a' as key", {"topic": "t"}, "there is no column value"),
        ("'a' as value", {}, "set the option topic"),
        ("'a' as value", {"topic": "t", "kafka.acks": "2"}, "acks"),
        (
            "'a' as value",
            {"topic": "t", "deliveryGuarantee": "exactly-once", "transactionTimeoutMs": "99999999"},
            "brokers allow 900000",
        ),
    ],
)
def test_what_can_t_be_written_is_refused_before_a_task_begins(
    spark: "SparkSession", broker: BlockingLocalBroker, columns: str, options: dict[str, str], said: str
) -> None:
    with pytest.raises(Exception, match=said):
        write(spark.range(1).selectExpr(columns), broker, **options)


def test_a_topic_is_not_overwritten(spark: "SparkSession", broker: BlockingLocalBroker) -> None:
    data = spark.sql("select 'a' as value").write.format("snakka").option("topic", "t")
    with pytest.raises(Exception, match="a topic can't be overwritten"):
        data.option("kafka.bootstrap.servers", broker.bootstrap_servers).mode("overwrite").save()


def test_what_is_not_written_fails_the_job(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, guarantee: str, admin: Admin
) -> None:
    topic = new_topic(1)
    data = spark.range(0, 10, 1, 1).selectExpr("'a' as value", "cast(id / 9 as int) as partition")
    with pytest.raises(Exception, match=f"topic {topic} has no partition 1, only 0 to 0"):
        write(data, broker, topic=topic, deliveryGuarantee=guarantee)
    if guarantee == "exactly-once":
        assert read_topic(broker.bootstrap_servers, topic) == []
        assert admin.list_transactions(states=["Ongoing"]) == []
    with pytest.raises(Exception, match="1 rows have no topic"):
        write(
            spark.sql("select cast(null as string) as topic, 'a' as value"),
            broker,
            deliveryGuarantee=guarantee,
        )


def test_records_may_take_longer_than_a_call_may_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """delivery.timeout.ms is how long they may wait for their acknowledgement; max.block.ms is not about that."""
    monkeypatch.setattr(
        task_writer,
        "_task",
        lambda: SimpleNamespace(getLocalProperty=lambda name: None, partitionId=lambda: 0),
    )
    columns = sink_columns(StructType([StructField("value", StringType())]), "t")
    with start_broker(tmp_path) as stopped, Admin(bootstrap_servers=stopped.bootstrap) as admin:
        admin.create_topic("t")
        ensure_decision_topic(admin, "decisions")
        options = write_options(
            {
                "kafka.bootstrap.servers": stopped.bootstrap,
                "kafka.max.block.ms": "2000",
                "deliveryGuarantee": "exactly-once",
                "decisionTopic": "decisions",
                "topic": "t",
            }
        )

        def rows() -> Iterator[pyarrow.RecordBatch]:
            yield pyarrow.record_batch({"value": ["a"]})
            while not admin.describe_producers([TopicPartition("t", 0)])[TopicPartition("t", 0)]:
                time.sleep(0.01)
            stopped.process.send_signal(signal.SIGSTOP)
            threading.Timer(4, stopped.process.send_signal, [signal.SIGCONT]).start()
            yield pyarrow.record_batch({"value": ["b"]})

        message = write_exactly_once(rows(), options, columns, BatchName("q", 0), 60_000)
        assert message.transaction is not None
        BatchEnd(options, 60_000, is_asked_again=True).commit([message])
        assert values(stopped.bootstrap, "t") == ["a", "b"]


def test_a_worker_keeps_its_producer(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, admin: Admin
) -> None:
    """An idempotent one: others leave nothing behind that leaders remember."""
    topic = new_topic(1)
    for _ in range(8):
        write(spark.range(0, 10, 1, 1).selectExpr("'a' as value"), broker, topic=topic)
    partition = TopicPartition(topic, 0)
    assert 1 <= len(admin.describe_producers([partition])[partition]) < 8
    assert len(read_topic(broker.bootstrap_servers, topic)) == 80


def test_tasks_without_rows_open_no_transaction_and_jobs_leave_no_decision(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, admin: Admin
) -> None:
    topic = new_topic(1)
    options = {
        "topic": topic,
        "deliveryGuarantee": "exactly-once",
        "decisionTopic": new_topic(cleanup_policy="compact"),
    }
    before = {each.transactional_id for each in admin.list_transactions()}
    data = spark.range(0, 40, 1, 4).selectExpr("cast(id as string) as value")
    write(data.where("value < 0"), broker, **options)
    assert {each.transactional_id for each in admin.list_transactions()} == before
    assert read_topic(broker.bootstrap_servers, options["decisionTopic"]) == []
    write(data.where("value = 15"), broker, **options)
    [listing] = [each for each in admin.list_transactions() if each.transactional_id not in before]
    assert listing.transactional_id.startswith("snakka-spark-job-")
    assert listing.transactional_id.endswith("-1"), "the task's partition"
    assert values(broker.bootstrap_servers, topic) == ["15"]
    decisions = read_topic(broker.bootstrap_servers, options["decisionTopic"])
    assert [message.value is None for message in decisions] == [False, True]
    described = admin.describe_transactions([listing.transactional_id])[listing.transactional_id]
    assert described.timeout_ms == 900_000, "as long as the broker allows"


def test_a_job_with_a_name_is_written_once_however_often_it_runs(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, admin: Admin
) -> None:
    topic = new_topic(1)
    for version, last in ((1, 10), (1, 99), (2, 20)):
        write(
            spark.range(last - 10, last, 1, 2).selectExpr("cast(id as string) as value"),
            broker,
            topic=topic,
            deliveryGuarantee="exactly-once",
            txnAppId=topic,
            txnVersion=str(version),
            transactionTimeoutMs="70000",
        )
    name = f"snakka-spark-{topic}-0"
    assert admin.describe_transactions([name])[name].timeout_ms == 70_000
    assert sorted(map(int, values(broker.bootstrap_servers, topic))) == [*range(20)]


@pytest.fixture
def speculation(spark: "SparkSession") -> Iterator[None]:
    confs = spark._jsparkSession.sessionState().conf()
    confs.setConfString("spark.speculation", "true")
    yield
    confs.setConfString("spark.speculation", "false")


@pytest.mark.usefixtures("speculation")
def test_speculative_execution_is_refused(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic
) -> None:
    data = spark.range(1).selectExpr("'a' as value")
    with pytest.raises(Exception, match=r"exactly-once needs spark\.speculation=false"):
        write(data, broker, topic=new_topic(), deliveryGuarantee="exactly-once")
    write(data, broker, topic=new_topic())


def test_streams_append_complete_and_update(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, guarantee: str, tmp_path: Path
) -> None:
    source, appended, counted, updated = new_topic(2), new_topic(2), new_topic(1), new_topic(1)
    write(spark.range(100).selectExpr("cast(id as string) as value"), broker, topic=source)
    data = (
        spark.readStream.format("snakka")
        .option("kafka.bootstrap.servers", broker.bootstrap_servers)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", "60")
        .load()
    )
    counts = data.groupBy("topic").count().selectExpr("topic as key", "cast(count as string) as value")
    for topic, frame, mode in (
        (appended, data.select("value"), "append"),
        (counted, counts, "complete"),
        (updated, counts, "update"),
    ):
        sink = {
            "kafka.bootstrap.servers": broker.bootstrap_servers,
            "topic": topic,
            "deliveryGuarantee": guarantee,
        }
        writer = frame.writeStream.outputMode(mode).option("checkpointLocation", str(tmp_path / topic))
        if mode == "update":
            writer = writer.foreachBatch(batch_saver(sink))
        else:
            writer = writer.format("snakka").options(**sink)
        writer.trigger(availableNow=True).start().awaitTermination()
    assert sorted(map(int, values(broker.bootstrap_servers, appended))) == [*range(100)]
    for topic in (counted, updated):
        batches = values(broker.bootstrap_servers, topic)
        assert len(batches) > 1
        assert batches[-1] == "100"


def test_in_foreach_batch_exactly_once_needs_a_name_and_then_has_all_modes(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    topic = new_topic(1)
    counts = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", 10)
        .load()
        .groupBy("value")
        .count()
        .selectExpr("cast(value as string) as value")
    )

    def run(checkpoint: str, last: int, **named: str) -> None:
        def each(batch: "DataFrame", batch_id: int) -> None:
            version = {"txnVersion": str(batch_id)} if named else {}
            options = {"topic": topic, "deliveryGuarantee": "exactly-once", **named, **version}
            for _ in range(2):  # as after a driver that was killed behind the commit
                write(batch, broker, **options)
            if batch_id == last:
                raise RuntimeError("enough")

        query = counts.writeStream.outputMode("update").foreachBatch(each)
        query.option("checkpointLocation", str(tmp_path / checkpoint)).start().awaitTermination()

    with pytest.raises(Exception, match="in foreachBatch needs the options txnAppId"):
        run("unnamed", 0)
    for last in (1, 2):  # the second run tries batch 1 again
        with pytest.raises(Exception, match="enough"):
            run("named", last, txnAppId=topic)
    assert sorted(map(int, values(broker.bootstrap_servers, topic))) == [*range(30)]


def saved_by(
    spark: "SparkSession", checkpoint: Path, *savers: "Callable[[DataFrame, int], None]", rows: int = 10
) -> None:
    """Two batches, each of which is given to all of them."""

    def each(batch: "DataFrame", batch_id: int) -> None:
        for save in savers:
            save(batch.selectExpr("cast(value as string) as value"), batch_id)
        if batch_id == 1:
            raise RuntimeError("enough")

    numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows).load()
    query = numbers.writeStream.foreachBatch(each).option("checkpointLocation", str(checkpoint))
    query.start().awaitTermination()


def test_several_savers_of_one_query_leave_out_nothing(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    topics = new_topic(1), new_topic(1)
    exactly_once = {
        "kafka.bootstrap.servers": broker.bootstrap_servers,
        "deliveryGuarantee": "exactly-once",
    }
    one, other = (batch_saver({**exactly_once, "topic": topic}) for topic in topics)
    for _ in range(2):  # the second run tries the last batch again
        with pytest.raises(Exception, match="enough"):
            saved_by(spark, tmp_path / "topics", one, other)
    for topic in topics:
        assert sorted(map(int, values(broker.bootstrap_servers, topic))) == [*range(20)]
    alike = batch_saver({**exactly_once, "topic": topics[0]})
    for number, savers in enumerate(((one, one), (one, alike))):
        with pytest.raises(Exception, match=r"two writes of one batch .* its own txnAppId"):
            saved_by(spark, tmp_path / f"alike-{number}", *savers)
    topic = new_topic(1)
    named = [batch_saver({**exactly_once, "topic": topic, "txnappid": name}) for name in "ab"]
    with pytest.raises(Exception, match="enough"):
        saved_by(spark, tmp_path / "named", *named)
    assert sorted(map(int, values(broker.bootstrap_servers, topic))) == sorted([*range(20)] * 2)
    with pytest.raises(SparkOptionError, match="need deliveryGuarantee=exactly-once"):
        batch_saver({"kafka.bootstrap.servers": broker.bootstrap_servers, "txnAppId": "a"})


def decided_and_left(broker: BlockingLocalBroker, topic: str, query_id: str, batch_id: int) -> None:
    """As by a driver that was killed behind its decision, the last one of the query; the row is b"left"."""
    servers = {"kafka.bootstrap.servers": broker.bootstrap_servers}
    options = write_options({**servers, "deliveryGuarantee": "exactly-once"})
    with Producer(options.settings, transactional_id=transactional_id(query_id, 0)) as producer:
        producer.begin_transaction()
        producer.send(topic, b"left")
        transaction = producer.detach_transaction()
    decisions = DecisionTopic(options)
    decisions.forget(query_id)
    decisions.write(Decision(query_id, batch_id, (transaction,)))


def test_a_job_finishes_what_one_of_its_name_has_decided(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic
) -> None:
    topic = new_topic(1)
    named = {"topic": topic, "deliveryGuarantee": "exactly-once", "txnAppId": topic}
    data = spark.range(0, 4, 1, 2).selectExpr("cast(id as string) as value")
    write(data, broker, **named, txnVersion="1")
    decided_and_left(broker, topic, topic, 2)
    write(data, broker, **named, txnVersion="3")
    write(data, broker, **named, txnVersion="2")
    assert sorted(values(broker.bootstrap_servers, topic)) == sorted(["left", *"0123", *"0123"])


def test_tasks_do_not_abort_what_is_decided(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    """No stream comes to this by itself: Spark tries a batch again before it goes on."""
    source, topic = new_topic(1), new_topic(1)

    def run() -> str:
        write(spark.range(1).selectExpr("cast(id as string) as value"), broker, topic=source)
        query = (
            spark.readStream.format("snakka")
            .options(**{"kafka.bootstrap.servers": broker.bootstrap_servers, "subscribe": source})
            .option("startingOffsets", "earliest")
            .load()
            .select("value")
            .writeStream.format("snakka")
            .options(**{"kafka.bootstrap.servers": broker.bootstrap_servers, "topic": topic})
            .option("deliveryGuarantee", "exactly-once")
            .option("checkpointLocation", str(tmp_path))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return str(query.id)

    decided_and_left(broker, topic, run(), 0)
    with pytest.raises(Exception, match=r"batch 0 of query .* is decided, but not all of it is committed"):
        run()
