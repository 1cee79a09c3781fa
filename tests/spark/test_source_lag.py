"""How far a stream is, as others see it: in its group, by Kafka's own tool, and after trigger(once=True)."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import kafka_libs
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import Collector, at, fill, stream_of

from snakka.client.blocking import Admin
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Stream = Callable[..., "DataFrame"]
TopicLag = Callable[[str], list[list[str]]]


@pytest.fixture
def stream(spark: "SparkSession", broker: BlockingLocalBroker) -> Stream:
    return partial(stream_of, spark, broker.bootstrap_servers)


@pytest.fixture
def lag(broker: BlockingLocalBroker) -> Iterator[TopicLag]:
    """Topic, partition, current offset, end of the log and lag, as kafka-consumer-groups describes a group."""
    tools = KafkaTools(kafka_libs())

    def described(group: str) -> list[list[str]]:
        about = ("--bootstrap-server", broker.bootstrap_servers, "--describe", "--group", group)
        lines = tools.run_ok("kafka-consumer-groups", *about).splitlines()
        return sorted(line.split()[1:6] for line in lines if line.startswith(group))

    yield described
    tools.close()


@pytest.mark.slow
def test_kafka_s_own_tool_sees_how_far_a_stream_is(
    broker: BlockingLocalBroker, new_topic: NewTopic, stream: Stream, lag: TopicLag, tmp_path: Path
) -> None:
    topic, bootstrap = new_topic(2), broker.bootstrap_servers
    fill(bootstrap, topic, range(7), partition=0)
    fill(bootstrap, topic, range(100, 103), partition=1)
    frame = stream(topic, startingOffsets="earliest", maxOffsetsPerTrigger="5", kafka__group__id=topic)
    Collector().run(frame, tmp_path)
    assert lag(topic) == [[topic, "0", "7", "7", "0"], [topic, "1", "3", "3", "0"]]
    fill(bootstrap, topic, range(7, 11), partition=0)
    assert lag(topic) == [[topic, "0", "7", "11", "4"], [topic, "1", "3", "3", "0"]]


def test_the_batch_of_trigger_once_is_committed_by_the_next_run(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    topic = new_topic(1)
    frame = stream(topic, startingOffsets="earliest", kafka__group__id=topic)
    collector = Collector()
    committed = []
    for rows in (range(5), range(5, 8), ()):
        fill(broker.bootstrap_servers, topic, rows)
        collector.run(frame, tmp_path, once=True)
        committed.append(admin.list_group_offsets(topic).results[at(topic, 0)].offset)
    assert collector.batches == {0: [*range(5)], 1: [5, 6, 7]}
    assert committed == [0, 5, 8]
