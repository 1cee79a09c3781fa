"""A member of a group that is not ours: librdkafka's consumer, in a thread."""

import asyncio
import threading
from types import TracebackType
from typing import Any, Self

from confluent_kafka import Consumer, Message, TopicPartition
from tests.clients.librdkafka_closing import close_member

POLL_SECONDS = 0.05


class LibrdkafkaMember:
    """Reads until the end of `async with`; what it has read and has assigned can be looked at."""

    def __init__(self, bootstrap: str, group: str, topic: str, **settings: Any) -> None:
        """`settings` have underscores for dots."""
        self.assignment: frozenset[int] = frozenset()
        self.messages: list[Message] = []
        self.failure: Exception | None = None
        named = {name.replace("_", "."): value for name, value in settings.items()}
        self._consumer = Consumer(
            {"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest", **named}
        )
        self._topic = topic
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run)

    @property
    def numbers(self) -> list[int]:
        return [int(message.value() or b"") for message in self.messages]

    async def __aenter__(self) -> Self:
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_ending.set()
        await asyncio.to_thread(self._thread.join)
        if self.failure is not None and error is None:
            raise self.failure

    def _run(self) -> None:
        consumer = self._consumer
        consumer.subscribe(
            [self._topic], on_assign=self._changed, on_revoke=self._changed, on_lost=self._changed
        )
        try:
            while not self._is_ending.is_set():
                for message in consumer.consume(100, POLL_SECONDS):
                    if message.error() is None:
                        self.messages.append(message)
                self.assignment = frozenset(each.partition for each in consumer.assignment())
        except Exception as error:
            self.failure = error
        finally:
            close_member(consumer)

    def _changed(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """What is assigned is looked at after every poll."""
