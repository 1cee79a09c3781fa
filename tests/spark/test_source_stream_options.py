"""Options of a stream, seen at what it reads: where it begins, how large its tasks are, how long little waits."""

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import Collector, at, fill, stream_of, until

from snakka.client.blocking import Admin
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# An hour ago, so that retention takes nothing while a test runs.
TIME_MS = int(time.time()) * 1000 - 3_600_000
Stream = Callable[..., "DataFrame"]


@pytest.fixture
def stream(spark: "SparkSession", broker: BlockingLocalBroker) -> Stream:
    return partial(stream_of, spark, broker.bootstrap_servers)


def test_assigned_partitions_from_numbers_on_in_small_tasks_and_a_group_that_says_so(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    topic, bootstrap = new_topic(4), broker.bootstrap_servers
    fill(bootstrap, topic, range(30), partition=0)
    fill(bootstrap, topic, range(100, 110), partition=1)
    fill(bootstrap, topic, range(200, 205), partition=2)
    fill(bootstrap, topic, range(300, 310), partition=3)
    collector = Collector()
    given = {
        "assign": json.dumps({topic: [0, 2, 3]}),
        "startingOffsets": json.dumps({topic: {"0": 5, "2": -2, "3": -1}}),
        "maxRecordsPerPartition": "10",
        "groupIdPrefix": f"lag-of-{topic}",
    }
    collector.run(stream(**given), tmp_path)
    assert collector.tasks == {0: [[*range(5, 13)], [*range(13, 21)], [*range(21, 30)], [*range(200, 205)]]}
    (group,) = (each.group_id for each in admin.list_groups() if each.group_id.startswith(f"lag-of-{topic}-"))
    committed = {each: found.offset for each, found in admin.list_group_offsets(group).results.items()}
    assert committed == {at(topic, 0): 30, at(topic, 2): 5, at(topic, 3): 10}


def test_streams_that_begin_at_a_time(
    broker: BlockingLocalBroker, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    topic, bootstrap = new_topic(2), broker.bootstrap_servers
    fill(bootstrap, topic, range(10), partition=0, timestamp_ms=TIME_MS)
    fill(bootstrap, topic, range(100, 104), partition=1, timestamp_ms=TIME_MS)
    middle = str(TIME_MS + 2500)
    late = str(TIME_MS + 6000)  # the second partition has nothing so new
    of_each = {
        "startingOffsetsByTimestamp": json.dumps({topic: {"0": TIME_MS + 8000, "1": TIME_MS}}),
        "startingOffsets": "earliest",  # which counts for less
    }
    for number, (given, rows) in enumerate(
        (
            ({"startingTimestamp": middle, **of_each}, [*range(3, 10), 103]),
            (of_each, [8, 9, *range(100, 104)]),
        )
    ):
        collector = Collector()
        collector.run(stream(topic, **given), tmp_path / str(number))
        assert collector.rows == rows, given
    with pytest.raises(Exception, match=f"{topic}-1 has no record of {late} .* or later to begin at"):
        Collector().run(stream(topic, startingTimestamp=late), tmp_path / "error")
    lenient = {"startingTimestamp": late, "startingOffsetsByTimestampStrategy": "latest"}
    collector = Collector()
    collector.run(stream(topic, **lenient), tmp_path / "latest")
    assert collector.rows == [*range(6, 10)]
    fill(bootstrap, topic, [104], partition=1)
    collector.run(stream(topic, **lenient), tmp_path / "latest")
    assert collector.rows == [*range(6, 10), 104]


def test_little_is_read_when_it_has_waited_for_the_longest_delay(
    broker: BlockingLocalBroker, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    """The default is a quarter of an hour."""
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(2))
    collector = Collector()
    frame = stream(
        topic, startingOffsets="earliest", minOffsetsPerTrigger="5", maxTriggerDelay="2s"
    ).writeStream.foreachBatch(collector)
    query = frame.option("checkpointLocation", str(tmp_path)).start()
    try:
        until(lambda: collector.batches == {0: [0, 1]}, query)  # the first waits for nothing
        fill(bootstrap, topic, range(2, 5))
        until(lambda: collector.batches == {0: [0, 1], 1: [2, 3, 4]}, query)
    finally:
        query.stop()
    first, second = (planned_ms(tmp_path, batch) for batch in (0, 1))
    assert 1500 < second - first < 30_000


def planned_ms(checkpoint: Path, batch: int) -> int:
    """When Spark had heard where the batch ends."""
    _, about, *_ = (checkpoint / "offsets" / str(batch)).read_text().splitlines()
    return int(json.loads(about)["batchTimestampMs"])
