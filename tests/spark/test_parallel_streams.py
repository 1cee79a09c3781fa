"""Streams of one session that begin at the same time."""

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import SECONDS, fill, stream_of

from pyspark_snakka import enable_parallel_streams
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def variables_of(spark: "SparkSession") -> Any:
    """What all streams of our source share, in the JVM."""
    manager = spark._jsparkSession.sessionState().dataSourceManager()
    return manager.lookupDataSource("snakka").dataSourceCls().envVars()


@pytest.fixture
def untouched(spark: "SparkSession") -> None:
    """As in a session that had no stream yet."""
    variables = variables_of(spark)
    for name in [*variables.keySet()]:
        if name != "PYTHONPATH":
            variables.remove(name)
    assert [*variables.keySet()] == ["PYTHONPATH"]


@pytest.mark.usefixtures("untouched")
def test_no_stream_adds_to_what_all_of_them_share(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    """Which is where two that begin at the same time would spoil it for all others."""
    enable_parallel_streams(spark)
    names = {*variables_of(spark).keySet()}
    topic = new_topic(1)
    fill(broker.bootstrap_servers, topic, range(10))
    load = partial(stream_of, spark, broker.bootstrap_servers, topic, startingOffsets="earliest")
    for _ in range(2):  # new queries, and the same ones again
        queries = []

        def start(number: int, queries: list[Any] = queries) -> None:
            writer = (
                load().writeStream.format("noop").option("checkpointLocation", str(tmp_path / f"{number}"))
            )
            queries.append(writer.trigger(availableNow=True).start())

        starts = [threading.Thread(target=start, args=(number,)) for number in range(4)]
        for each in starts:
            each.start()
        for each in starts:
            each.join(SECONDS)
        assert len(queries) == len(starts)
        for query in queries:
            assert query.awaitTermination(SECONDS)
            assert query.exception() is None
    assert {*variables_of(spark).keySet()} == names
    assert variables_of(spark).size() == len(names)
    assert "" not in [*variables_of(spark).values()], "each has the value that Spark gives it"
    enable_parallel_streams(spark)
    assert "" not in [*variables_of(spark).values()], "which stays"


@pytest.mark.usefixtures("untouched")
def test_a_stream_alone_adds_the_variables_that_we_know_of(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    """Should Spark have others one day, what is enabled here is not enough."""
    topic = new_topic(1)
    frame = stream_of(spark, broker.bootstrap_servers, topic)
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path))
    assert writer.trigger(availableNow=True).start().awaitTermination(SECONDS)
    by_itself = {*variables_of(spark).keySet()}
    enable_parallel_streams(spark)
    assert {*variables_of(spark).keySet()} == by_itself
