"""What is in a topic, as another client sees it: librdkafka, which has nothing in common with ours."""

import asyncio
import time
from typing import NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition

READ_SECONDS = 30.0


class Seen(NamedTuple):
    """One record as it was read."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]
    timestamp: int


async def read_topic(bootstrap: str, topic: str, *, isolation: str = "read_uncommitted") -> list[Seen]:
    """Every record up to the ends of the partitions as they are now, by partition and offset.

    With `read_committed` the end is that of the last transaction that has ended.
    """
    return await asyncio.to_thread(_read, bootstrap, topic, isolation)


def _read(bootstrap: str, topic: str, isolation: str) -> list[Seen]:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "enable.auto.commit": False,
            "isolation.level": isolation,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 10,
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }
    )
    try:
        partitions = consumer.list_topics(topic, timeout=READ_SECONDS).topics[topic].partitions
        consumer.assign([TopicPartition(topic, index, OFFSET_BEGINNING) for index in partitions])
        seen: list[Seen] = []
        at_end: set[int] = set()
        deadline = time.monotonic() + READ_SECONDS
        while len(at_end) < len(partitions) and time.monotonic() < deadline:
            for message in consumer.consume(1000, timeout=0.02):
                error = message.error()
                if error is None:
                    seen.append(_seen(message))
                elif error.name() == "_PARTITION_EOF":
                    at_end.add(message.partition())
                else:
                    raise KafkaException(error)
        assert len(at_end) == len(partitions), "the ends were not reached in time"
        return sorted(seen, key=lambda record: (record.partition, record.offset))
    finally:
        consumer.close()


def _seen(message: object) -> Seen:
    return Seen(
        message.partition(),  # type: ignore[attr-defined]
        message.offset(),  # type: ignore[attr-defined]
        message.key(),  # type: ignore[attr-defined]
        message.value(),  # type: ignore[attr-defined]
        message.headers() or [],  # type: ignore[attr-defined]
        message.timestamp()[1],  # type: ignore[attr-defined]
    )
