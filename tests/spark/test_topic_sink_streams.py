"""What streams promise beside exactly once: rows that come at least once, and transactions as long as the brokers allow."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.topic_sink_faults import IN_TASKS, FaultySource, faults_known_to
from tests.spark.topic_sink_reading import values

from snakka.client.blocking import Admin, Producer
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

NewTopic = Callable[..., str]
pytestmark = pytest.mark.timeout(600)
ROWS = 90
LONGEST_MS = 123_000


@pytest.fixture
def faulty_source(spark: "SparkSession") -> Iterator[None]:
    with faults_known_to(spark):
        yield


def numbers_from(
    spark: "SparkSession",
    broker: BlockingLocalBroker,
    source: str,
    target: str,
    checkpoint: Path,
    **options: str,
) -> "StreamingQuery":
    """Three batches of them, each number with a random part, at least once."""
    servers = {"kafka.bootstrap.servers": broker.bootstrap_servers}
    return (
        spark.readStream.format("snakka")
        .options(**servers, subscribe=source, startingOffsets="earliest", maxOffsetsPerTrigger=str(ROWS // 3))
        .load()
        .selectExpr("concat(cast(value as string), ':', rand()) as value")
        .writeStream.format(FaultySource.name())
        .options(**servers, topic=target, deliveryGuarantee="at-least-once", **options)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )


@pytest.mark.usefixtures("faulty_source")
def test_at_least_once_every_row_comes_though_a_worker_is_killed(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    source, target = new_topic(2), new_topic(2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(ROWS):
            producer.send(source, b"%d" % number, partition=number % 2)
    fault = {"faultAt": IN_TASKS[0], "faultBatch": "1", "faultFile": str(tmp_path / "fault"), "killPids": "0"}
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(Exception, match=r"crashed|exited"):
        numbers_from(spark, broker, source, target, checkpoint, **fault).awaitTermination()
    assert (tmp_path / "fault").exists()
    first_run = set(values(broker.bootstrap_servers, target))
    assert ROWS // 3 < len(first_run) < 2 * ROWS // 3, "it was in the middle of the second batch"

    numbers_from(spark, broker, source, target, checkpoint).awaitTermination()
    found = values(broker.bootstrap_servers, target)
    assert {int(value.split(":")[0]) for value in found} == {*range(ROWS)}
    assert first_run <= set(found), "what the worker had written is there, and its numbers a second time"
    assert len(found) == len(set(found)) > ROWS
    assert len(found) <= ROWS + ROWS // 3, "only that batch was written again"


def test_a_stream_may_take_as_long_as_its_brokers_allow(spark: "SparkSession", tmp_path: Path) -> None:
    with BlockingLocalBroker({"transaction.max.timeout.ms": str(LONGEST_MS)}) as broker:
        (
            spark.readStream.format("rate-micro-batch")
            .option("rowsPerBatch", "7")
            .load()
            .selectExpr("cast(value as string) as value")
            .writeStream.format("snakka")
            .option("kafka.bootstrap.servers", broker.bootstrap_servers)
            .options(topic="numbers", deliveryGuarantee="exactly-once")
            .option("checkpointLocation", str(tmp_path))
            .trigger(availableNow=True)
            .start()
            .awaitTermination()
        )
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            ids = [each.transactional_id for each in admin.list_transactions()]
            described = admin.describe_transactions(ids)
        written = values(broker.bootstrap_servers, "numbers")
    assert sorted(map(int, written)) == [*range(7)]
    assert {described[each].timeout_ms for each in ids} == {LONGEST_MS}
