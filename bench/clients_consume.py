"""Consuming with Python's clients from one and the same broker: Snakka's beside aiokafka, kafka-python and confluent-kafka.

Every way reads a topic from its beginning with a client of its own; the clock runs from the first messages to the last, so
connecting is not counted. Rounds alternate, and the figure is the median of their ratios. The rule: each client is used as
its documentation shows, with its defaults, and in the fastest of its ways that does the same.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import aiokafka

import kafka
from bench import librdkafka_load
from bench.report import Row, median_ratio_row
from bench.servers import Server, start_snakka
from snakka.client.consumer import Consumer
from snakka.client.topic_partition import TopicPartition

RECORD_BYTES = 100
PARTITIONS = 4
RECORDS = 1_000_000
ROUNDS = 5
LIMIT_SECONDS = 120.0
WANTED_OF_PYTHON_CLIENTS = 2.0
WANTED_OF_LIBRDKAFKA = 1.0
_UNIT = "messages/s"


class Stopwatch:
    """Counts messages from the first that came to the last that is expected."""

    def __init__(self, expected: int) -> None:
        self._missing = expected
        self._started = 0.0
        self._counted = 0

    def count(self, messages: int) -> bool:
        """True when all have come."""
        if not self._started:
            self._started = time.perf_counter()
        else:
            self._counted += messages
        self._missing -= messages
        return self._missing <= 0

    @property
    def rate(self) -> float:
        return self._counted / (time.perf_counter() - self._started)


def snakka_iteration(server: Server, topic: str, records: int) -> float:
    return asyncio.run(_within(_snakka(server, topic, records, _iterate)))


def snakka_getmany(server: Server, topic: str, records: int) -> float:
    return asyncio.run(_within(_snakka(server, topic, records, _getmany)))


def snakka_arrow(server: Server, topic: str, records: int) -> float:
    return asyncio.run(_within(_snakka(server, topic, records, _fetch_arrow)))


async def _snakka(
    server: Server,
    topic: str,
    records: int,
    read: Callable[[Consumer, Stopwatch], Awaitable[None]],
) -> float:
    watch = Stopwatch(records)
    async with Consumer(bootstrap_servers=server.bootstrap_servers) as consumer:
        partitions = [TopicPartition(topic, index) for index in range(PARTITIONS)]
        consumer.assign(partitions)
        for partition in partitions:
            consumer.seek(partition, 0)
        await read(consumer, watch)
        return watch.rate


async def _iterate(consumer: Consumer, watch: Stopwatch) -> None:
    async for _ in consumer:
        if watch.count(1):
            return


async def _getmany(consumer: Consumer, watch: Stopwatch) -> None:
    while not watch.count(sum(map(len, (await consumer.getmany(timeout_ms=1000)).values()))):
        pass


async def _fetch_arrow(consumer: Consumer, watch: Stopwatch) -> None:
    while not watch.count(sum(batch.num_rows for batch in await consumer.fetch_arrow(timeout_ms=1000))):
        pass


def aiokafka_iteration(server: Server, topic: str, records: int) -> float:
    async def read(consumer: aiokafka.AIOKafkaConsumer, watch: Stopwatch) -> None:
        async for _ in consumer:
            if watch.count(1):
                return

    return asyncio.run(_within(_aiokafka(server, topic, records, read)))


def aiokafka_getmany(server: Server, topic: str, records: int) -> float:
    async def read(consumer: aiokafka.AIOKafkaConsumer, watch: Stopwatch) -> None:
        while not watch.count(sum(map(len, (await consumer.getmany(timeout_ms=1000)).values()))):
            pass

    return asyncio.run(_within(_aiokafka(server, topic, records, read)))


async def _aiokafka(
    server: Server,
    topic: str,
    records: int,
    read: Callable[[aiokafka.AIOKafkaConsumer, Stopwatch], Awaitable[None]],
) -> float:
    watch = Stopwatch(records)
    consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=server.bootstrap_servers)
    await consumer.start()
    try:
        partitions = [aiokafka.TopicPartition(topic, index) for index in range(PARTITIONS)]
        consumer.assign(partitions)
        for partition in partitions:
            consumer.seek(partition, 0)
        await read(consumer, watch)
        return watch.rate
    finally:
        await consumer.stop()


def kafka_python_iteration(server: Server, topic: str, records: int) -> float:
    watch = Stopwatch(records)
    with _kafka_python(server, topic) as consumer:
        for _ in consumer:
            if watch.count(1):
                break
        return watch.rate


def kafka_python_poll(server: Server, topic: str, records: int) -> float:
    watch = Stopwatch(records)
    with _kafka_python(server, topic) as consumer:
        while not watch.count(sum(map(len, consumer.poll(timeout_ms=1000).values()))):
            pass
        return watch.rate


def _kafka_python(server: Server, topic: str) -> kafka.KafkaConsumer:
    consumer = kafka.KafkaConsumer(bootstrap_servers=server.bootstrap_servers)
    partitions = [kafka.TopicPartition(topic, index) for index in range(PARTITIONS)]
    consumer.assign(partitions)
    for partition in partitions:
        consumer.seek(partition, 0)
    return consumer


def confluent_consume(server: Server, topic: str, records: int) -> float:
    load = librdkafka_load.Load(RECORD_BYTES, PARTITIONS)
    assert load.topic == topic
    return librdkafka_load.consume(server, load, records).rate / RECORD_BYTES


async def _within(work: Awaitable[float]) -> float:
    async with asyncio.timeout(LIMIT_SECONDS):
        return await work


Way = Callable[[Server, str, int], float]
COMPARISONS: tuple[tuple[str, Way, Way, str, float], ...] = (
    (
        "consume 100 B, async for",
        snakka_iteration,
        aiokafka_iteration,
        "aiokafka",
        WANTED_OF_PYTHON_CLIENTS,
    ),
    ("consume 100 B, getmany", snakka_getmany, aiokafka_getmany, "aiokafka", WANTED_OF_PYTHON_CLIENTS),
    (
        "consume 100 B, message by message",
        snakka_iteration,
        kafka_python_iteration,
        "kafka-python",
        WANTED_OF_PYTHON_CLIENTS,
    ),
    (
        "consume 100 B, many at once",
        snakka_getmany,
        kafka_python_poll,
        "kafka-python",
        WANTED_OF_PYTHON_CLIENTS,
    ),
    ("consume 100 B, fetch_arrow", snakka_arrow, confluent_consume, "confluent-kafka", WANTED_OF_LIBRDKAFKA),
)


def measure(server: Server, rounds: int = ROUNDS, records: int = RECORDS) -> Iterator[Row]:
    """Snakka's client beside each of the others, at the same broker."""
    load = librdkafka_load.Load(RECORD_BYTES, PARTITIONS)
    client = server.connect()
    client.creates_topic(load.topic, PARTITIONS)
    client.close()
    librdkafka_load.produce(server, load, records)
    for what, own, other, against, bound in COMPARISONS:
        pairs = [
            (own(server, load.topic, records), other(server, load.topic, records)) for _ in range(rounds)
        ]
        yield median_ratio_row(what, pairs, against=against, bound=bound, at_least=True, unit=_UNIT)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.clients_consume", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--records", type=int, default=RECORDS)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="snakka-bench-") as directory,
        start_snakka(Path(directory) / "snakka") as server,
    ):
        server.seconds_to_first_ack()
        for row in measure(server, arguments.rounds, arguments.records):
            print(
                f"{row.what}: {row.figure:.2f} ({row.target}), {row.snakka} / {row.against} {row.other}",
                flush=True,
            )


if __name__ == "__main__":
    main()
