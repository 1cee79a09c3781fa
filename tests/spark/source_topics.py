"""Topics with content for tests of the source."""

from collections.abc import Iterable, Mapping

import pyarrow

from snakka.client.blocking import Producer
from snakka.client.topic_partition import TopicPartition
from snakka.spark.read_options import ReadOptions, read_options


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
