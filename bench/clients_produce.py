"""Producing with Python's clients to one and the same broker: Snakka's beside aiokafka and kafka-python.

Every way sends records of 100 B one by one with acks=all from one thread; the clock runs from the first send until all are
acknowledged. Connecting, and what is known of the topic, is not counted: one record goes before. Rounds alternate, and the
figure is the median of their ratios. The rule: each client is used as its documentation shows, with its defaults.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import aiokafka

import kafka
from bench.report import Row, median_ratio_row
from bench.servers import Server, start_snakka
from snakka.client.producer import Producer

RECORD_BYTES = 100
PARTITIONS = 4
RECORDS = 200_000
ROUNDS = 5
LIMIT_SECONDS = 120.0
WANTED_OF_PYTHON_CLIENTS = 2.0
TOPIC = "clients-produce"
KEYS = tuple(b"key-%04d" % number for number in range(1000))
VALUE = bytes(RECORD_BYTES)
_UNIT = "messages/s"


def snakka_send(server: Server, records: int) -> float:
    return asyncio.run(_within(_snakka(server, records, has_keys=False)))


def snakka_send_with_keys(server: Server, records: int) -> float:
    return asyncio.run(_within(_snakka(server, records, has_keys=True)))


async def _snakka(server: Server, records: int, has_keys: bool) -> float:
    async with Producer(bootstrap_servers=server.bootstrap_servers) as producer:
        await producer.send_and_wait(TOPIC, VALUE)
        started = time.perf_counter()
        if has_keys:
            for number in range(records):
                await producer.send(TOPIC, VALUE, KEYS[number % 1000])
        else:
            for _ in range(records):
                await producer.send(TOPIC, VALUE)
        await producer.flush()
        return records / (time.perf_counter() - started)


def aiokafka_send(server: Server, records: int) -> float:
    return asyncio.run(_within(_aiokafka(server, records, has_keys=False)))


def aiokafka_send_with_keys(server: Server, records: int) -> float:
    return asyncio.run(_within(_aiokafka(server, records, has_keys=True)))


async def _aiokafka(server: Server, records: int, has_keys: bool) -> float:
    async with aiokafka.AIOKafkaProducer(bootstrap_servers=server.bootstrap_servers, acks="all") as producer:
        await producer.send_and_wait(TOPIC, VALUE)
        started = time.perf_counter()
        if has_keys:
            for number in range(records):
                await producer.send(TOPIC, VALUE, KEYS[number % 1000])
        else:
            for _ in range(records):
                await producer.send(TOPIC, VALUE)
        await producer.flush()
        return records / (time.perf_counter() - started)


def kafka_python_send(server: Server, records: int) -> float:
    return _kafka_python(server, records, has_keys=False)


def kafka_python_send_with_keys(server: Server, records: int) -> float:
    return _kafka_python(server, records, has_keys=True)


def _kafka_python(server: Server, records: int, has_keys: bool) -> float:
    producer = kafka.KafkaProducer(bootstrap_servers=server.bootstrap_servers, acks="all")
    try:
        producer.send(TOPIC, VALUE).get(LIMIT_SECONDS)
        started = time.perf_counter()
        for number in range(records):
            producer.send(TOPIC, VALUE, KEYS[number % 1000] if has_keys else None)
        producer.flush(LIMIT_SECONDS)
        return records / (time.perf_counter() - started)
    finally:
        producer.close()


async def _within(work: Awaitable[float]) -> float:
    async with asyncio.timeout(LIMIT_SECONDS):
        return await work


Way = Callable[[Server, int], float]
COMPARISONS: tuple[tuple[str, Way, Way, str], ...] = (
    ("produce 100 B, send", snakka_send, aiokafka_send, "aiokafka"),
    ("produce 100 B with keys, send", snakka_send_with_keys, aiokafka_send_with_keys, "aiokafka"),
    ("produce 100 B, send", snakka_send, kafka_python_send, "kafka-python"),
    ("produce 100 B with keys, send", snakka_send_with_keys, kafka_python_send_with_keys, "kafka-python"),
)


def measure(server: Server, rounds: int = ROUNDS, records: int = RECORDS) -> Iterator[Row]:
    """Snakka's client beside each of the others, at the same broker."""
    client = server.connect()
    client.creates_topic(TOPIC, PARTITIONS)
    client.wait_for_leaders(TOPIC, PARTITIONS)
    client.close()
    for what, own, other, against in COMPARISONS:
        pairs = [(own(server, records), other(server, records)) for _ in range(rounds)]
        yield median_ratio_row(
            what,
            pairs,
            against=against,
            bound=WANTED_OF_PYTHON_CLIENTS,
            at_least=True,
            unit=_UNIT,
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.clients_produce", description=__doc__)
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
