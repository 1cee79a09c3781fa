"""Load from librdkafka, the C client that most languages use: rates of producing and consuming, and latency of an ack.

Everything here takes one server and returns one round's figures; who alternates between servers is `against_kafka`.
"""

import time
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from bench.servers import Server

CHUNK_RECORDS = 1000
CONSUMED_AT_ONCE = 10_000
ROUND_SECONDS = 60.0


@dataclass(frozen=True)
class Load:
    """One kind of load; `acks` is for producing."""

    record_bytes: int
    partitions: int
    acks: int = 1

    @property
    def topic(self) -> str:
        return f"load-{self.record_bytes}-{self.partitions}"


@dataclass(frozen=True)
class RoundFigures:
    """What one round did and took."""

    bytes: int
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        return self.bytes / self.seconds


def produce(server: Server, load: Load, records: int) -> RoundFigures:
    """Queue the records as fast as the client takes them, and wait for the last acknowledgement."""
    producer = Producer(
        {
            "bootstrap.servers": server.bootstrap_servers,
            "acks": load.acks,
            "queue.buffering.max.messages": 2_000_000,
            "queue.buffering.max.kbytes": 1_000_000,
        }
    )
    producer.list_topics(load.topic, timeout=ROUND_SECONDS)
    chunk = [{"value": bytes(load.record_bytes)} for _ in range(CHUNK_RECORDS)]
    cpu_before, started = server.cpu_seconds, time.perf_counter()
    for _ in range(records // CHUNK_RECORDS):
        producer.produce_batch(load.topic, chunk)
    left = producer.flush(ROUND_SECONDS)
    seconds = time.perf_counter() - started
    if left:
        raise RuntimeError(f"{server.name} has not acknowledged {left} records of {records}")
    return RoundFigures(records * load.record_bytes, seconds, server.cpu_seconds - cpu_before)


def consume(server: Server, load: Load, records: int) -> RoundFigures:
    """Read the topic from its beginning; the clock runs from the first records to the last, connecting is not counted."""
    consumer = Consumer(
        {
            "bootstrap.servers": server.bootstrap_servers,
            "group.id": "bench",
            "enable.auto.commit": False,
            "fetch.queue.backoff.ms": 5,
        }
    )
    try:
        consumer.assign([TopicPartition(load.topic, index, 0) for index in range(load.partitions)])
        deadline = time.perf_counter() + ROUND_SECONDS
        first: list[Message] = []
        while not first:
            first = consumer.consume(CONSUMED_AT_ONCE, 0.1)
            if time.perf_counter() > deadline:
                raise RuntimeError(f"{server.name} gave no record of {load.topic}")
        cpu_before, started = server.cpu_seconds, time.perf_counter()
        missing = records - len(first)
        while missing > 0:
            missing -= len(consumer.consume(min(CONSUMED_AT_ONCE, missing), 1.0))
            if time.perf_counter() > deadline:
                raise RuntimeError(f"{server.name} did not give {missing} records of {load.topic}")
        seconds = time.perf_counter() - started
        counted = (records - len(first)) * load.record_bytes
        return RoundFigures(counted, seconds, server.cpu_seconds - cpu_before)
    finally:
        consumer.close()


class AckTimer:
    """One record at a time: how long from handing it to the client until it is known to be acknowledged."""

    def __init__(self, server: Server, load: Load) -> None:
        self._topic = load.topic
        self._value = bytes(load.record_bytes)
        self._producer = Producer(
            {"bootstrap.servers": server.bootstrap_servers, "acks": load.acks, "linger.ms": 0}
        )
        self._is_acknowledged = False
        self._producer.list_topics(self._topic, timeout=ROUND_SECONDS)

    def measure(self, records: int) -> list[float]:
        """Seconds of each record."""
        producer = self._producer
        figures = []
        for _ in range(records):
            self._is_acknowledged = False
            started = time.perf_counter()
            producer.produce(self._topic, self._value, on_delivery=self._delivered)
            while not self._is_acknowledged:
                producer.poll(1.0)
            figures.append(time.perf_counter() - started)
        return figures

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            raise RuntimeError(f"a record was not acknowledged: {error}")
        self._is_acknowledged = True
