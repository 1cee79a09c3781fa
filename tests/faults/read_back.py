"""Reads whole partitions with librdkafka, which knows nothing of how Snakka keeps them."""

import time
from collections.abc import Iterable

from confluent_kafka import Consumer, KafkaError, TopicPartition

from tests.faults.ledger import Found
from tests.faults.ledger import TopicPartition as Place

READ_SECONDS = 60.0


class PartitionContents:
    """Where a partition starts and ends, and every record that a reader gets in between."""

    def __init__(self, log_start: int, end: int) -> None:
        self.log_start = log_start
        self.end = end
        self.found: list[Found] = []


def read_back(bootstrap: str, places: Iterable[Place]) -> dict[Place, PartitionContents]:
    """All records of these partitions, by a consumer that checks every checksum."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "nobody",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "check.crcs": True,
            "auto.offset.reset": "error",
            "log_level": 0,
        }
    )
    try:
        contents: dict[Place, PartitionContents] = {}
        for topic, partition in places:
            low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=READ_SECONDS)
            contents[topic, partition] = PartitionContents(low, high)
        consumer.assign(
            [
                TopicPartition(topic, partition, found.log_start)
                for (topic, partition), found in contents.items()
            ]
        )
        _read_until_ends(consumer, contents)
        return contents
    finally:
        consumer.close()


def _read_until_ends(consumer: Consumer, contents: dict[Place, PartitionContents]) -> None:
    waiting = set(contents)
    deadline = time.monotonic() + READ_SECONDS
    while waiting:
        assert time.monotonic() < deadline, f"a reader never came to the end of {sorted(waiting)}"
        for message in consumer.consume(2000, 0.5):
            topic, partition, error = message.topic(), message.partition(), message.error()
            assert topic is not None
            assert partition is not None
            if error is not None:
                assert error.code() == KafkaError._PARTITION_EOF, f"{topic}-{partition}: {error}"
                waiting.discard((topic, partition))
                continue
            offset, value = message.offset(), message.value()
            assert offset is not None
            assert value is not None
            contents[topic, partition].found.append(Found(offset, message.key(), int(value)))
