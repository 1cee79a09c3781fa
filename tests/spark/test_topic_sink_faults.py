"""Exactly once, with something failing between any two steps: the next run of the query neither loses nor repeats a row.

Values have a random part, and the next run has other tasks: what was written before must not matter.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.topic_sink_faults import IN_COMMIT, IN_TASKS, FaultySource, faults_known_to
from tests.spark.topic_sink_reading import read_topic, values

from snakka.client.blocking import Admin, Producer
from snakka.spark.topic_sink import batch_saver
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

NewTopic = Callable[..., str]
pytestmark = pytest.mark.timeout(600)
ROWS = 90


@pytest.fixture(scope="module", autouse=True)
def faulty_source(spark: "SparkSession") -> Iterator[None]:
    with faults_known_to(spark):
        yield


@pytest.fixture(scope="module")
def source(broker: BlockingLocalBroker, admin: Admin) -> str:
    """A topic of two partitions with the numbers."""
    admin.create_topic("numbers", partitions=2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(ROWS):
            producer.send("numbers", b"%d" % number, partition=number % 2)
    return "numbers"


def start(
    spark: "SparkSession",
    broker: BlockingLocalBroker,
    source: str,
    target: str,
    checkpoint: Path,
    *,
    tasks: int,
    mode: str = "append",
    **options: str,
) -> "StreamingQuery":
    """Three batches of the numbers, each with a random part."""
    data = (
        spark.readStream.format("snakka")
        .option("kafka.bootstrap.servers", broker.bootstrap_servers)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", str(ROWS // 3))
        .option("minPartitions", str(tasks))
        .load()
        .selectExpr("concat(cast(value as string), ':', rand()) as value")
    )
    sink = {
        "kafka.bootstrap.servers": broker.bootstrap_servers,
        "topic": target,
        "deliveryGuarantee": "exactly-once",
        **options,
    }
    writer = data.writeStream.outputMode(mode).option("checkpointLocation", str(checkpoint))
    if mode == "update":
        writer = writer.foreachBatch(batch_saver.batch_saver(sink))
    else:
        writer = writer.format(FaultySource.name()).options(**sink)
    return writer.trigger(availableNow=True).start()


# Whatever is left of IN_COMMIT is tried with killed drivers.
@pytest.mark.parametrize(
    ("where", "mode"),
    [
        *((where, "append") for where in (*IN_TASKS, *IN_COMMIT[:3])),
        *((where, "update") for where in (IN_COMMIT[0], IN_COMMIT[2])),
    ],
)
def test_a_fault_between_any_two_steps_costs_nothing(
    spark: "SparkSession",
    broker: BlockingLocalBroker,
    admin: Admin,
    source: str,
    new_topic: NewTopic,
    tmp_path: Path,
    where: str,
    mode: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch_saver, "FORMAT", FaultySource.name())
    target = new_topic(2)
    fault = {"faultAt": where, "faultBatch": "1", "faultFile": str(tmp_path / "fault")}
    if where in IN_TASKS:
        fault["killPids"] = "0"  # the Python worker of an executor
    checkpoint = tmp_path / "checkpoint"
    query = start(spark, broker, source, target, checkpoint, tasks=2, mode=mode, **fault)
    with pytest.raises(Exception, match=r"fault|crashed|exited"):
        query.awaitTermination()
    assert (tmp_path / "fault").exists()
    first_run = set(values(broker.bootstrap_servers, target))

    start(spark, broker, source, target, checkpoint, tasks=5, mode=mode).awaitTermination()
    found = values(broker.bootstrap_servers, target)
    assert sorted(int(value.split(":")[0]) for value in found) == [*range(ROWS)]
    assert first_run <= set(found), "what was seen stays"
    left = [each for each in admin.list_transactions(states=["Ongoing"]) if query.id in each.transactional_id]
    assert left == [], "nothing holds up readers"
    is_decided = where in IN_COMMIT[1:]
    everything = read_topic(broker.bootstrap_servers, target, isolation="read_uncommitted")
    assert (len(everything) == ROWS) == is_decided, "a decided batch is written once, not only seen once"


def test_a_decided_batch_whose_transaction_was_aborted_stops_the_query_for_good(
    spark: "SparkSession",
    broker: BlockingLocalBroker,
    admin: Admin,
    source: str,
    new_topic: NewTopic,
    tmp_path: Path,
) -> None:
    target, checkpoint = new_topic(2), tmp_path / "checkpoint"
    fault = {"faultAt": "after the decision", "faultBatch": "1", "faultFile": str(tmp_path / "fault")}
    query = start(spark, broker, source, target, checkpoint, tasks=2, **fault)
    with pytest.raises(Exception, match="fault after the decision"):
        query.awaitTermination()
    left = [
        each.transactional_id
        for each in admin.list_transactions(states=["Ongoing"])
        if query.id in each.transactional_id
    ]
    assert len(left) == 2
    admin.fence_producers(left[:1]).raise_for_errors()  # as a timeout does it
    for _ in range(2):
        with pytest.raises(
            Exception, match=f"batch 1 of query {query.id} is decided, but the transaction of"
        ):
            start(spark, broker, source, target, checkpoint, tasks=2).awaitTermination()
