"""Four clients that nobody here wrote, each reduced to: create a topic, write records, read them all."""

import asyncio
import json
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioTopicPartition
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

ROOT = Path(__file__).parent.parent.parent
DEADLINE_SECONDS = 30
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

# Key and value.
Pair = tuple[bytes, bytes]


def create_topic(bootstrap: str, topic: str, partitions: int = 1, **config: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    new = NewTopic(topic, num_partitions=partitions, replication_factor=1, config=config)
    admin.create_topics([new])[topic].result(DEADLINE_SECONDS)


class Confluent:
    name = "confluent-kafka"

    @staticmethod
    def write(bootstrap: str, topic: str, pairs: Sequence[Pair], codec: str) -> None:
        errors = []
        producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "compression.type": codec,
                "linger.ms": 5,
                "enable.idempotence": True,
            }
        )
        for key, value in pairs:
            producer.produce(
                topic,
                value,
                key,
                partition=0,
                on_delivery=lambda error, _: errors.append(error) if error else None,
            )
        assert producer.flush(DEADLINE_SECONDS) == 0
        assert errors == []

    @staticmethod
    def read(bootstrap: str, topic: str, count: int) -> list[Pair]:
        consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": str(uuid.uuid4()),
                "enable.auto.commit": False,
                "session.timeout.ms": 6000,
            }
        )
        consumer.assign([TopicPartition(topic, 0, 0)])
        found: list[Pair] = []
        until = time.monotonic() + DEADLINE_SECONDS
        while len(found) < count and time.monotonic() < until:
            for message in consumer.consume(count, 0.5):
                assert message.error() is None, message.error()
                found.append((message.key(), message.value()))
        return found


class KafkaPython:
    name = "kafka-python"

    @staticmethod
    def run(action: str, *arguments: str, given: object = None) -> str:
        command = [sys.executable, "-m", "tests.clients.kafka_python_peer", action, *arguments]
        result = subprocess.run(
            command,
            input=json.dumps(given),
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=2 * DEADLINE_SECONDS,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    @classmethod
    def write(cls, bootstrap: str, topic: str, pairs: Sequence[Pair], codec: str) -> None:
        cls.run("write", bootstrap, topic, codec, given=[(key.hex(), value.hex()) for key, value in pairs])

    @classmethod
    def read(cls, bootstrap: str, topic: str, count: int) -> list[Pair]:
        found = json.loads(cls.run("read", bootstrap, topic, str(count)))
        return [(bytes.fromhex(key), bytes.fromhex(value)) for key, value in found]


class AioKafka:
    name = "aiokafka"

    @staticmethod
    def write(bootstrap: str, topic: str, pairs: Sequence[Pair], codec: str) -> None:
        async def run() -> None:
            producer = AIOKafkaProducer(
                bootstrap_servers=bootstrap, compression_type=None if codec == "none" else codec, linger_ms=5
            )
            await producer.start()
            try:
                futures = [await producer.send(topic, value, key, partition=0) for key, value in pairs]
                await asyncio.wait_for(asyncio.gather(*futures), DEADLINE_SECONDS)
            finally:
                await producer.stop()

        asyncio.run(run())

    @staticmethod
    def read(bootstrap: str, topic: str, count: int) -> list[Pair]:
        async def run() -> list[Pair]:
            consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
            await consumer.start()
            try:
                partition = AioTopicPartition(topic, 0)
                consumer.assign([partition])
                await consumer.seek_to_beginning(partition)
                found: list[Pair] = []
                async with asyncio.timeout(DEADLINE_SECONDS):
                    while len(found) < count:
                        message = await consumer.getone()
                        found.append((message.key, message.value))
                return found
            finally:
                await consumer.stop()

        return asyncio.run(run())


class Kcat:
    name = "kcat"
    command = "kcat"

    @classmethod
    def write(cls, bootstrap: str, topic: str, pairs: Sequence[Pair], codec: str) -> None:
        lines = b"".join(key + b"\t" + value + b"\n" for key, value in pairs)
        command = [cls.command, "-P", "-b", bootstrap, "-t", topic, "-p", "0", "-K", "\t", "-z", codec, "-q"]
        result = subprocess.run(
            command, input=lines, capture_output=True, timeout=DEADLINE_SECONDS, check=False
        )
        assert result.returncode == 0, result.stderr.decode()

    @classmethod
    def read(cls, bootstrap: str, topic: str, count: int) -> list[Pair]:
        command = [
            *(cls.command, "-C", "-b", bootstrap, "-t", topic, "-p", "0", "-o", "beginning"),
            *("-c", str(count), "-f", "%k\t%s\n", "-q"),
        ]
        result = subprocess.run(command, capture_output=True, timeout=DEADLINE_SECONDS, check=False)
        assert result.returncode == 0, result.stderr.decode()
        pairs = (line.split(b"\t", 1) for line in result.stdout.splitlines())
        return [(key, value) for key, value in pairs]


CLIENTS = (Confluent, KafkaPython, AioKafka, Kcat)
