"""Clients that are kept busy while a test does something to their cluster, and the account of every record."""

import asyncio
import itertools
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.client.awaited_answers import answer
from tests.client.independent_reader import Seen, read_topic
from tests.client.kafka_cluster import PATIENCE, SESSION_MS

from snakka.client.consumer import Consumer
from snakka.client.errors import TransactionAbortedError
from snakka.client.producer import Producer, RecordMetadata

SECONDS = 120.0
# Nobody is given up because the machine is busy: what is tried here are brokers that come and go.
_LONG_MS = 300_000
_RECORDS_AT_ONCE = 5
_PAUSE_SECONDS = 0.015
_KEYS = 7


class _Read(NamedTuple):
    """One message as a consumer handed it out."""

    partition: int
    offset: int
    number: int


class Reader:
    """A consumer in a task of its own, which keeps all it gets."""

    def __init__(self, name: str, consumer: Consumer) -> None:
        self.name = name
        self.consumer = consumer
        self.seen: list[_Read] = []
        self.reached: dict[int, int] = {}  # the last offset of each partition
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self.consumer:
            self.seen.append(_Read(message.partition, message.offset, int(message.value or b"")))
            self.reached[message.partition] = message.offset

    def check(self, written: list[Seen]) -> None:
        """Every record once, and those of a partition in their order."""
        for partition in {record.partition for record in written}:
            expected = [
                (record.offset, int(record.value or b""))
                for record in written
                if record.partition == partition
            ]
            seen = [(each.offset, each.number) for each in self.seen if each.partition == partition]
            assert seen == expected, f"{self.name} has lost, repeated or reordered records of {partition}"


class Traffic:
    """Numbers are produced without an end, and read by a consumer alone and by one of each group protocol."""

    def __init__(self, bootstrap: str, topic: str, **reader_settings: Any) -> None:
        self.bootstrap = bootstrap
        self.topic = topic
        self.producer = Producer(
            bootstrap_servers=bootstrap,
            batch_size=2_000,
            linger_ms=2,
            delivery_timeout_ms=_LONG_MS,
            **PATIENCE,
        )
        self.readers: list[Reader] = []
        self._reader_settings = reader_settings
        self._stack = AsyncExitStack()
        self._futures: list[asyncio.Future[RecordMetadata]] = []
        self._sender: asyncio.Task[None] | None = None
        self._is_enough = False

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.producer)
            for name in ("alone", "classic", "consumer"):
                group = (
                    {} if name == "alone" else {"group_id": f"{self.topic}-{name}", "group_protocol": name}
                )
                settings = {**PATIENCE, "auto_offset_reset": "earliest", "auto_commit_interval_ms": 200}
                consumer = Consumer(
                    self.topic,
                    bootstrap_servers=self.bootstrap,
                    **{**settings, **group, **self._reader_settings},
                )
                await stack.enter_async_context(consumer)
                self.readers.append(Reader(name, consumer))
            self._sender = asyncio.create_task(self._send())
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_enough = True
        tasks = [*(reader.task for reader in self.readers), *([self._sender] if self._sender else ())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._stack.aclose()

    async def _send(self) -> None:
        for number in itertools.count():
            if self._is_enough:
                return
            future = await self.producer.send(self.topic, b"%d" % number, b"%d" % (number % _KEYS))
            self._futures.append(future)
            if number % _RECORDS_AT_ONCE == 0:
                await asyncio.sleep(_PAUSE_SECONDS)

    async def progress(self, count: int = 100) -> None:
        """Until so many more records were sent from now on and acknowledged, and everybody has read that far."""
        begins = len(self._futures)
        await self.until(lambda: len(self._futures) >= begins + count)
        awaited = self._futures[begins : begins + count]
        await self.until(lambda: all(future.done() for future in awaited))
        last = {future.result().partition: future.result().offset for future in awaited}
        for reader in self.readers:
            await self.until(
                lambda: all(
                    reader.reached.get(partition, -1) >= offset  # noqa: B023
                    for partition, offset in last.items()
                )
            )

    async def until(self, condition: Callable[[], object]) -> None:
        """As long as it takes, but not longer than anybody would wait; whoever fails meanwhile is heard."""
        async with asyncio.timeout(SECONDS):
            while not condition():
                assert self._sender is not None
                for task in (self._sender, *(reader.task for reader in self.readers)):
                    if task.done() and not self._is_enough:
                        task.result()
                await asyncio.sleep(0.01)

    async def check(self) -> list[Seen]:
        """Send no more, and give account: what was acknowledged is there once, where it was said to be, in order."""
        self._is_enough = True
        assert self._sender is not None
        await self._sender
        async with asyncio.timeout(SECONDS):
            metadata = [await future for future in self._futures]
        written = await read_topic(self.bootstrap, self.topic)
        numbers = [int(record.value or b"") for record in written]
        assert sorted(numbers) == list(range(len(metadata)))
        places = {
            number: (record.partition, record.offset) for number, record in zip(numbers, written, strict=True)
        }
        assert [places[number] for number in range(len(metadata))] == [
            (each.partition, each.offset) for each in metadata
        ]
        for _, records in itertools.groupby(written, key=lambda record: record.partition):
            of_partition = [int(record.value or b"") for record in records]
            assert of_partition == sorted(of_partition)
        for reader in self.readers:
            await self.until(lambda: len(reader.seen) >= len(written))  # noqa: B023
            reader.check(written)
        return written


class Pipeline:
    """Reads a topic and writes what it reads into another, in transactions with its offsets: each record once."""

    def __init__(self, bootstrap: str, source: str, target: str) -> None:
        self.target = target
        self.copied = 0
        self.aborted = 0
        self._bootstrap = bootstrap
        settings = {**PATIENCE, "bootstrap_servers": bootstrap}
        self._consumer = Consumer(
            source,
            **{
                **settings,
                "group_id": f"{target}-pipeline",
                "session_timeout_ms": SESSION_MS,
                "auto_offset_reset": "earliest",
                "enable_auto_commit": False,
                "isolation_level": "read_committed",
            },
        )
        self._producer = Producer(
            transactional_id=target, transaction_timeout_ms=_LONG_MS, delivery_timeout_ms=_LONG_MS, **settings
        )
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._consumer.start()
        await self._producer.start()
        self._task = asyncio.create_task(self._copy())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._producer.stop(SECONDS)
        await self._consumer.stop()

    async def _copy(self) -> None:
        while True:
            batch = await self._consumer.getmany(timeout_ms=1000, max_records=200)
            if not batch:
                continue
            try:
                async with self._producer.transaction():
                    for messages in batch.values():
                        for message in messages:
                            await self._producer.send(self.target, message.value, message.key)
                    offsets = {partition: messages[-1].offset + 1 for partition, messages in batch.items()}
                    await self._producer.send_offsets_to_transaction(offsets, self._consumer.group_metadata())
                self.copied += sum(map(len, batch.values()))
            except TransactionAbortedError:
                self.aborted += 1
                await self._consumer.seek_to_committed()

    async def progress(self, count: int = 100) -> None:
        aim = self.copied + count
        await self._until(lambda: self.copied >= aim)

    async def check(self, written: list[Seen]) -> None:
        """Everything that the source has is in the target, once, in its order."""
        await self._until(lambda: self.copied >= len(written))
        # A coordinator answers when it has decided; the partitions hear of it a moment later.
        copied = await answer(
            lambda: read_topic(self._bootstrap, self.target, isolation="read_committed"),
            lambda found: len(found) >= len(written),
        )
        numbers = [int(record.value or b"") for record in copied]
        assert sorted(numbers) == sorted(int(record.value or b"") for record in written)
        for _, records in itertools.groupby(copied, key=lambda record: (record.partition, record.key)):
            of_key = [int(record.value or b"") for record in records]
            assert of_key == sorted(of_key)

    async def _until(self, condition: Callable[[], object]) -> None:
        assert self._task is not None
        async with asyncio.timeout(SECONDS):
            while not condition():
                if self._task.done():
                    self._task.result()
                await asyncio.sleep(0.01)
