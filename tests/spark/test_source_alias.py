"""`format("kafka")` without Spark's connector: a job of Spark's documentation runs as it stands."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import fill
from tests.spark.topic_sink_reading import read_topic

from pyspark_snakka import enable_kafka_alias
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink.write_options import DEFAULT_DECISION_TOPIC
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def _alias() -> Iterator[None]:
    alias = enable_kafka_alias()
    yield
    alias.disable()


@pytest.mark.usefixtures("_alias")
def test_a_job_that_says_kafka_runs(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    source, target = new_topic(1), new_topic(1)
    fill(broker.bootstrap_servers, source, ["a", "b", "a"])
    servers = {"kafka.bootstrap.servers": broker.bootstrap_servers}
    frame = spark.read.format("kafka").options(**servers).option("subscribe", source).load()
    assert frame.count() == 3
    # A save without a mode appends, as with Spark's connector.
    frame.select("key", "value").write.format("kafka").options(**servers).option("topic", target).save()

    counts = (
        spark.readStream.format("kafka")
        .options(**servers)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .load()
        .groupBy("value")
        .count()
        .selectExpr("value AS key", "CAST(count AS STRING) AS value")
    )
    query = (
        counts.writeStream.format("Kafka")
        .options(**servers)
        .option("topic", target)
        .option("checkpointLocation", str(tmp_path))
        .option("deliveryGuarantee", "exactly-once")
        .outputMode("update")
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(240)
    decisions = read_topic(broker.bootstrap_servers, DEFAULT_DECISION_TOPIC)
    # So a batch that is tried again is known, and told from what the query writes into another topic.
    assert {each.key for each in decisions} == {f"{query.id}-{target}".encode()}
    rows = spark.read.load(format="kafka", subscribe=target, **servers).selectExpr("key", "value").collect()
    found = sorted((row.key.decode() if row.key else "", row.value.decode()) for row in rows)
    assert found == [("", "a"), ("", "a"), ("", "b"), ("a", "2"), ("b", "1")]
    with pytest.raises(SparkOptionError, match="deliveryGuarantee must be at-least-once or exactly-once"):
        counts.writeStream.start(
            format="kafka", outputMode="update", topic=target, deliveryGuarantee="twice", **servers
        )


def test_the_alias_can_be_taken_back(spark: "SparkSession") -> None:
    enable_kafka_alias()  # as a notebook does whose cell is run twice
    enable_kafka_alias().disable()
    with pytest.raises(Exception, match=r"KAFKA_DATA_SOURCE_NOT_ENABLED|Failed to find data source: kafka"):
        spark.read.format("kafka").option("subscribe", "t").load()
