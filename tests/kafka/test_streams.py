"""Kafka Streams counts words exactly once while the broker is killed twice: the counts are right to the last word."""

import random
import select
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from tests.kafka.kafka_tools_process import JVM_FLAGS
from tests.kafka.nodes import Node, running_snakka

PROGRAM = Path(__file__).with_name("WordCount.java")
WORDS = [f"word{number}" for number in range(40)]
ROUNDS = 3
LINES_A_ROUND = 1500
READY_SECONDS = 90
RESULT_SECONDS = 90


@pytest.mark.timeout(300)
def test_words_are_counted_exactly_once_through_two_kills(libs: str, tmp_path: Path) -> None:
    node = Node(tmp_path / "node")
    said: Counter[str] = Counter()
    chance = random.Random(5)
    with running_snakka(node):
        _create_topics(node.bootstrap)
    with _word_count(libs, node.bootstrap, tmp_path / "state") as application:
        for number in range(ROUNDS):
            with running_snakka(node) as broker:
                if not number:
                    _wait_until_running(application)
                said += _write_lines(node.bootstrap, chance)
                if number < ROUNDS - 1:
                    # In the middle of transactions: some counts are out, none of the rest.
                    _wait_for_some_counts(node.bootstrap, said)
                    broker.kill()
                else:
                    assert _final_counts(node.bootstrap, said) == dict(said)
                    _every_count_came_once(node.bootstrap, said)


def _create_topics(bootstrap: str) -> None:
    topics = [NewTopic("lines", 2, 1), NewTopic("counts", 2, 1)]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.create_topics(topics).values():
        future.result(30)


@contextmanager
def _word_count(libs: str, bootstrap: str, state: Path) -> Iterator[subprocess.Popen[str]]:
    command = [
        "java",
        "-Xmx512m",
        *JVM_FLAGS,
        "-cp",
        f"{libs}/*",
        str(PROGRAM),
        bootstrap,
        "words",
        str(state),
    ]
    with (state.with_suffix(".log")).open("w") as log:
        application = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        yield application
    finally:
        application.kill()
        application.communicate()


def _wait_until_running(application: subprocess.Popen[str]) -> None:
    assert application.stdout is not None
    assert select.select([application.stdout], [], [], READY_SECONDS)[0], "Kafka Streams does not start"
    assert application.stdout.readline() == "running\n"


def _write_lines(bootstrap: str, chance: random.Random) -> Counter[str]:
    """Idempotent, and all acknowledged: what is written is there once."""
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 1})
    said: Counter[str] = Counter()
    for _ in range(LINES_A_ROUND):
        line = chance.choices(WORDS, k=chance.randint(1, 6))
        said.update(line)
        producer.produce("lines", " ".join(line).encode())
    assert producer.flush(60) == 0
    return said


def _wait_for_some_counts(bootstrap: str, said: Counter[str]) -> None:
    """Until a part of the words is counted."""
    deadline = time.monotonic() + RESULT_SECONDS
    with _committed_counts(bootstrap) as consumer:
        while time.monotonic() < deadline:
            message = consumer.poll(1.0)
            if message is not None and message.error() is None:
                return
    raise AssertionError("nothing was counted")


def _final_counts(bootstrap: str, said: Counter[str]) -> dict[str, int]:
    """The newest committed count of each word, once they add up or the time is over."""
    counts: dict[str, int] = {}
    deadline = time.monotonic() + RESULT_SECONDS
    with _committed_counts(bootstrap) as consumer:
        while sum(counts.values()) < said.total() and time.monotonic() < deadline:
            message = consumer.poll(0.2)
            if message is not None and message.error() is None:
                counts[(message.key() or b"").decode()] = int(message.value() or b"")
    return counts


def _every_count_came_once(bootstrap: str, said: Counter[str]) -> None:
    """Readers of committed records see a word's count only grow: nothing is repeated, nothing taken back."""
    seen: dict[bytes, int] = {}
    with _committed_counts(bootstrap) as consumer:
        deadline = time.monotonic() + RESULT_SECONDS
        quiet = 0
        while quiet < 5 and time.monotonic() < deadline:
            message = consumer.poll(0.2)
            if message is None:
                quiet += sum(seen.values()) >= said.total()  # what comes after all of them would be too much
                continue
            assert message.error() is None or message.error().code() == KafkaError._PARTITION_EOF
            key, count = message.key() or b"", int(message.value() or b"")
            assert count > seen.get(key, 0)
            seen[key] = count
    assert {key.decode(): count for key, count in seen.items()} == dict(said)


@contextmanager
def _committed_counts(bootstrap: str) -> Iterator[Consumer]:
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "reader", "isolation.level": "read_committed"}
    )
    consumer.assign([TopicPartition("counts", partition, 0) for partition in range(2)])
    try:
        yield consumer
    finally:
        consumer.close()
