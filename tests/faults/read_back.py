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
    """All records of these partitions, by a consumer that checks every checksum.

    Where retention moves the start of a log away from under the reader, all is read again.
    """
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
    wanted = list(places)
    try:
        deadline = time.monotonic() + READ_SECONDS
        while True:
            contents = {place: _ends(consumer, place) for place in wanted}
            consumer.assign([TopicPartition(*place, found.log_start) for place, found in contents.items()])
            if _read_until_ends(consumer, contents, deadline):
                return contents
    finally:
        consumer.close()


def _ends(consumer: Consumer, place: Place) -> PartitionContents:
    return PartitionContents(*consumer.get_watermark_offsets(TopicPartition(*place), timeout=READ_SECONDS))


def _read_until_ends(consumer: Consumer, contents: dict[Place, PartitionContents], deadline: float) -> bool:
    """Whether all was read; False if a log starts later by now than it did, and later than was to be read."""
    waiting = set(contents)
    while waiting:
        assert time.monotonic() < deadline, f"a reader never came to the end of {sorted(waiting)}"
        for message in consumer.consume(2000, 0.5):
            topic, partition, error = message.topic(), message.partition(), message.error()
            assert topic is not None
            assert partition is not None
            place = topic, partition
            if error is not None:
                if error.code() == KafkaError._AUTO_OFFSET_RESET:
                    assert _ends(consumer, place).log_start > contents[place].log_start, f"{place}: {error}"
                    return False
                assert error.code() == KafkaError._PARTITION_EOF, f"{topic}-{partition}: {error}"
                waiting.discard(place)
                continue
            offset, value = message.offset(), message.value()
            assert offset is not None
            assert value is not None
            contents[place].found.append(Found(offset, message.key(), int(value)))
    return True
