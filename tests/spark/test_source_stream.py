"""Topics as streams, through a real Spark: what appears later, limits, restarts, and what is remembered where."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.conftest import NewTopic
from tests.spark.source_topics import SECONDS, Collector, at, fill, stream_of, until

from snakka.broker.dispatch import Dispatcher
from snakka.client.admin import ConfigResource
from snakka.client.blocking import Admin
from snakka.spark.read_options import EARLIEST
from snakka.spark.source.offset_json import offsets_text
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HOUR_MS = 3_600_000
Stream = Callable[..., "DataFrame"]


@pytest.fixture(scope="module")
def broker() -> Iterator[BlockingLocalBroker]:
    """One whose retention does not keep tests waiting."""
    with BlockingLocalBroker(
        {"log.retention.check.interval.ms": 100, "log.initial.task.delay.ms": 0}
    ) as running:
        yield running


@pytest.fixture
def stream(spark: "SparkSession", broker: BlockingLocalBroker) -> Stream:
    return partial(stream_of, spark, broker.bootstrap_servers)


def offsets_in(checkpoint: Path, batch: int) -> str:
    return (checkpoint / "offsets" / str(batch)).read_text().splitlines()[-1]


def test_a_running_stream_finds_what_appears_later(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    """And says how far it is: in Spark's progress, in the checkpoint, and in a group for everybody's tools."""
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(3))
    collector = Collector()
    query = (
        stream(subscribePattern=f"^{topic}", kafka__group__id=topic)
        .writeStream.foreachBatch(collector)
        .option("checkpointLocation", str(tmp_path))
        .start()
    )
    try:
        until(lambda: 0 in collector.batches, query)  # it begins at what is latest now
        fill(bootstrap, topic, range(10, 15))
        until(lambda: collector.rows == [*range(10, 15)], query)
        admin.create_partitions({topic: 2}).raise_for_errors()
        fill(bootstrap, topic, range(20, 25), partition=1)
        admin.create_topic(f"{topic}-new")
        fill(bootstrap, f"{topic}-new", range(30, 35))
        until(lambda: collector.rows == [*range(10, 15), *range(20, 25), *range(30, 35)], query)
        end = {at(topic, 0): 8, at(topic, 1): 5, at(f"{topic}-new", 0): 5}

        def committed() -> dict[Any, int]:
            return {each: found.offset for each, found in admin.list_group_offsets(topic).results.items()}

        until(lambda: committed() == end, query)  # also of the last batch, which Spark never says is done
        assert [group.group_id for group in admin.list_groups() if group.group_id.startswith(topic)] == [
            topic
        ]
        last = max(int(path.name) for path in (tmp_path / "offsets").glob("[0-9]*"))
        assert offsets_in(tmp_path, last) == offsets_text(
            end
        )  # byte for byte as Spark's own source writes it
        (source,) = query.lastProgress["sources"]
        assert json.loads(source["latestOffset"]) == json.loads(offsets_text(end))
    finally:
        query.stop()


def test_an_idle_stream_asks_seldom(
    new_topic: NewTopic, stream: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a wait in the source Spark would ask 91 times a second (processingTime=0)."""
    topic, requests, dispatch = new_topic(1), [0], Dispatcher.dispatch

    def counted(self: Dispatcher, *arguments: Any) -> Any:
        requests[0] += 1
        return dispatch(self, *arguments)

    monkeypatch.setattr(Dispatcher, "dispatch", counted)
    query = stream(topic).writeStream.format("noop").option("checkpointLocation", str(tmp_path)).start()
    try:
        until(lambda: (tmp_path / "commits" / "0").exists(), query)
        time.sleep(0.5)
        requests[0], began = 0, time.monotonic()
        time.sleep(2)
        assert 0 < requests[0] / (time.monotonic() - began) < 25
        assert query.status["isDataAvailable"] is False
    finally:
        query.stop()


def test_limits_restarts_and_triggers(
    broker: BlockingLocalBroker, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    topic, bootstrap = new_topic(2), broker.bootstrap_servers
    fill(bootstrap, topic, range(30), partition=0)
    fill(bootstrap, topic, range(100, 110), partition=1)
    given = {"startingOffsets": "earliest", "maxOffsetsPerTrigger": "20", "minPartitions": "3"}
    collector = Collector()
    collector.run(stream(topic, **given), tmp_path)
    assert collector.batches == {0: [*range(15), *range(100, 105)], 1: [*range(15, 30), *range(105, 110)]}
    assert offsets_in(tmp_path, 0) == f'{{"{topic}":{{"0":15,"1":5}}}}'

    fill(bootstrap, topic, range(30, 33), partition=0)
    collector.run(stream(topic, **given), tmp_path, once=True)
    assert collector.batches[2] == [30, 31, 32]

    # What was not committed when the driver died is repeated exactly.
    (tmp_path / "commits" / "2").unlink()
    fill(bootstrap, topic, range(33, 40), partition=0)
    again = Collector()
    again.run(stream(topic, **given), tmp_path)
    assert again.batches == {2: [30, 31, 32], 3: [*range(33, 40)]}

    # A checkpoint whose first batch was never committed, by whoever wrote it: where it began is not in it.
    foreign = tmp_path.with_name("foreign")
    shutil.copytree(tmp_path, foreign)
    for path in [*(foreign / "offsets").iterdir(), *(foreign / "commits").iterdir()]:
        if path.name.strip(".").removesuffix(".crc") != "0" or path.parent.name == "commits":
            path.unlink()
    with pytest.raises(Exception, match="where it began is not known: the checkpoint is another connector's"):
        Collector().run(stream(topic, **given), foreign)


def test_records_that_retention_takes_while_nobody_reads(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    topic, bootstrap = new_topic(1, retention_ms="-1", segment_ms="60000"), broker.bootstrap_servers
    old_ms = int(time.time() * 1000) - 2 * HOUR_MS
    fill(bootstrap, topic, range(3), timestamp_ms=old_ms)
    collector = Collector()
    collector.run(stream(topic, startingOffsets="earliest"), tmp_path)
    fill(bootstrap, topic, range(3, 6), timestamp_ms=old_ms)
    fill(bootstrap, topic, range(6, 10), timestamp_ms=old_ms + 2 * HOUR_MS)  # in another segment, which stays
    admin.alter_configs({ConfigResource.topic(topic): {"retention.ms": str(HOUR_MS)}}).raise_for_errors()
    deadline = time.monotonic() + SECONDS
    while (begins := admin.list_offsets({at(topic, 0): EARLIEST})[at(topic, 0)].offset) < 6:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert begins == 6
    with pytest.raises(Exception, match="offset 3 of the range up to 10 is gone, there are 6 to 10"):
        Collector().run(stream(topic), tmp_path)
    collector.run(stream(topic, failOnDataLoss="false"), tmp_path)
    assert collector.rows == [0, 1, 2, *range(6, 10)]


def test_a_first_batch_that_failed_loses_nothing(
    broker: BlockingLocalBroker, admin: Admin, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    """Spark asks for the initial offset again then, and the earliest is another one by now: that must be heard of."""
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(5))
    with pytest.raises(Exception, match="refused on purpose"):
        Collector(fails=True).run(stream(topic, startingOffsets="earliest"), tmp_path)
    admin.delete_records({at(topic, 0): 2}).raise_for_errors()
    with pytest.raises(Exception, match="offset 0 of the range up to 5 is gone, there are 2 to 5"):
        Collector().run(stream(topic, startingOffsets="earliest"), tmp_path)
    collector = Collector()
    collector.run(stream(topic, startingOffsets="earliest", failOnDataLoss="false"), tmp_path)
    assert collector.rows == [2, 3, 4]


@pytest.mark.parametrize("is_seen_gone", [True, False])
def test_a_topic_that_is_made_anew_under_a_running_stream(
    broker: BlockingLocalBroker,
    admin: Admin,
    new_topic: NewTopic,
    stream: Stream,
    tmp_path: Path,
    is_seen_gone: bool,
) -> None:
    """Python's workers and their clients have read the old one, and none of the new records is lost for that."""
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(50))
    collector = Collector()
    query = (
        stream(topic, startingOffsets="earliest", failOnDataLoss="false")
        .writeStream.foreachBatch(collector)
        .option("checkpointLocation", str(tmp_path))
        .start()
    )
    try:
        until(lambda: len(collector.rows) == 50, query)
        admin.delete_topic(topic)
        if is_seen_gone:
            until(lambda: 1 in collector.batches, query)
        admin.create_topic(topic)
        fill(bootstrap, topic, range(1000, 1020))
        until(lambda: collector.rows[50:] == [*range(1000, 1020)], query)
        fill(bootstrap, topic, range(1020, 1030))
        until(lambda: collector.rows[50:] == [*range(1000, 1030)], query)
    finally:
        query.stop()


def test_a_least_number_of_rows(
    broker: BlockingLocalBroker, new_topic: NewTopic, stream: Stream, tmp_path: Path
) -> None:
    topic, bootstrap = new_topic(1), broker.bootstrap_servers
    fill(bootstrap, topic, range(2))
    collector = Collector()
    query = (
        stream(topic, startingOffsets="earliest", minOffsetsPerTrigger="5", maxTriggerDelay="1h")
        .writeStream.foreachBatch(collector)
        .option("checkpointLocation", str(tmp_path))
        .start()
    )
    try:
        until(lambda: collector.batches == {0: [0, 1]}, query)  # the first waits for nothing
        fill(bootstrap, topic, range(2, 5))
        time.sleep(1)
        assert collector.batches == {0: [0, 1]}
        fill(bootstrap, topic, range(5, 8))
        until(lambda: collector.rows == [*range(8)], query)
    finally:
        query.stop()
