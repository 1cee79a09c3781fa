"""Topics with content for tests of the source, and streams of them."""

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow

from snakka.client.blocking import Producer
from snakka.client.topic_partition import TopicPartition
from snakka.spark.read_options import ReadOptions, read_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

SECONDS = 100


def fill(
    bootstrap: str,
    topic: str,
    values: Iterable[object],
    *,
    partition: int = 0,
    timestamp_ms: int | None = None,
    settings: Mapping[str, str] | None = None,
) -> None:
    """These values, each as text, in one partition; their times go up by a second each if a first one is given."""
    texts = [str(value).encode() for value in values]
    columns: dict[str, pyarrow.Array] = {"value": pyarrow.array(texts, pyarrow.binary())}
    if timestamp_ms is not None:
        times = [timestamp_ms + 1000 * index for index in range(len(texts))]
        columns["timestamp"] = pyarrow.array(times, pyarrow.timestamp("ms", tz="UTC"))
    timestamp = None if timestamp_ms is None else "timestamp"
    with Producer({"bootstrap.servers": bootstrap, **(settings or {})}) as producer:
        sent = producer.send_arrow(topic, pyarrow.table(columns), timestamp=timestamp, partition=partition)
        sent.result(20)


def transactions(bootstrap: str, topic: str, *ends: str) -> Producer:
    """Three records in a transaction for each of these ends; with "open" the producer keeps it open."""
    producer = Producer(bootstrap_servers=bootstrap, transactional_id=topic)
    producer.start()
    for end in ends:
        producer.begin_transaction()
        for number in range(3):
            producer.send_and_wait(topic, f"{end} {number}".encode(), partition=0)
        if end == "commit":
            producer.commit_transaction()
        elif end == "abort":
            producer.abort_transaction()
    return producer


def stream_options(bootstrap: str, **given: str) -> ReadOptions:
    named = {name.replace("__", "."): value for name, value in given.items()}
    return read_options({"kafka.bootstrap.servers": bootstrap, **named}, is_stream=True)


def at(topic: str, partition: int) -> TopicPartition:
    return TopicPartition(topic, partition)


def stream_of(spark: "SparkSession", bootstrap: str, topic: str = "", **given: str) -> "DataFrame":
    """A stream with these options, whose names may have two underscores for a dot."""
    reader = spark.readStream.format("snakka").option("kafka.bootstrap.servers", bootstrap)
    if topic:
        reader = reader.option("subscribe", topic)
    return reader.options(**{name.replace("__", "."): value for name, value in given.items()}).load()


class Collector:
    """Keeps the values of each micro-batch, and of each of its tasks; fails where it is told to."""

    def __init__(self, *, fails: bool = False) -> None:
        self.batches: dict[int, list[int]] = {}
        self.tasks: dict[int, list[list[int]]] = {}
        self.fails = fails

    def __call__(self, batch: "DataFrame", batch_id: int) -> None:
        found = batch.selectExpr("spark_partition_id()", "CAST(CAST(value AS STRING) AS INT)").collect()
        rows = sorted(value for _, value in found)
        if self.fails:
            raise RuntimeError(f"refused on purpose: {rows}")
        by_task: dict[int, list[int]] = {}
        for task, value in found:
            by_task.setdefault(task, []).append(value)
        self.tasks[batch_id] = sorted(by_task.values())
        self.batches[batch_id] = rows

    @property
    def rows(self) -> list[int]:
        return sorted(row for rows in self.batches.values() for row in rows)

    def run(self, frame: "DataFrame", checkpoint: Path, **trigger: Any) -> "StreamingQuery":
        """Until everything that is there now is done."""
        writer = frame.writeStream.foreachBatch(self).option("checkpointLocation", str(checkpoint))
        query = writer.trigger(**(trigger or {"availableNow": True})).start()
        try:
            assert query.awaitTermination(SECONDS)
        finally:
            query.stop()
        return query


def until(is_so: Callable[[], bool], query: "StreamingQuery") -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        assert query.exception() is None
        time.sleep(0.05)
