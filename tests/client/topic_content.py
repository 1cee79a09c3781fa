"""Topics with content for a consumer to read, made by another client: librdkafka, in a thread, since it blocks."""

import asyncio
import itertools
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic, TopicMetadata

SECONDS = 30.0
_numbers = itertools.count()


def new_name(what: str) -> str:
    """Of a topic or a group that nobody else uses."""
    return f"{what}-{os.getpid()}-{next(_numbers)}"


async def create(bootstrap: str, topic: str, partitions: int = 1, **configs: str) -> None:
    """`configs` have underscores for dots."""
    named = {name.replace("_", "."): value for name, value in configs.items()}
    await asyncio.to_thread(_create, bootstrap, NewTopic(topic, partitions, 1, config=named))


async def delete(bootstrap: str, topic: str) -> None:
    def work() -> None:
        admin = AdminClient({"bootstrap.servers": bootstrap})
        for future in admin.delete_topics([topic]).values():
            future.result(SECONDS)
        _wait_until_told(admin, lambda topics: topic not in topics)

    await asyncio.to_thread(work)


async def grow(bootstrap: str, topic: str, partitions: int) -> None:
    def work() -> None:
        admin = AdminClient({"bootstrap.servers": bootstrap})
        for future in admin.create_partitions([NewPartitions(topic, partitions)]).values():
            future.result(SECONDS)
        _wait_until_told(admin, lambda topics: len(topics[topic].partitions) >= partitions)

    await asyncio.to_thread(work)


async def fill(bootstrap: str, topic: str, numbers: Iterable[int], **options: Any) -> None:
    """Each number as a message, its text both key and value; `partition` and `timestamp` as librdkafka has them."""
    await asyncio.to_thread(_fill, bootstrap, topic, list(numbers), options)


def _wait_until_told(admin: AdminClient, is_told: Callable[[dict[str, TopicMetadata]], bool]) -> None:
    """Kafka's broker hears of a change after its controller has answered."""
    deadline = time.monotonic() + SECONDS
    while not is_told(admin.list_topics(timeout=SECONDS).topics):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _create(bootstrap: str, topic: NewTopic) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.create_topics([topic]).values():
        future.result(SECONDS)


def _fill(bootstrap: str, topic: str, numbers: list[int], options: dict[str, Any]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, **options.pop("settings", {})})
    errors: list[KafkaError] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            errors.append(error)

    for number in numbers:
        text = b"%d" % number
        with suppress(BufferError):
            producer.produce(topic, text, text, on_delivery=delivered, **options)
    if producer.flush(SECONDS) or errors:
        raise KafkaException(f"{topic} was not filled: {errors[:1]}")
