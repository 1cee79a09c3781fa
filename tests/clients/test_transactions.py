"""Transactions of clients that nobody here wrote: committed, aborted, fenced, timed out, and through kill -9."""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioTopicPartition
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from tests.cli.broker_process import start_broker
from tests.clients.exchange import create_topic

from snakka.protocol.batch_reader import read_records
from snakka.protocol.coordinator_framing import TRANSACTION_RECORDS, decoder
from snakka.protocol.record_batch import iter_headers

DEADLINE_SECONDS = 30
SMALL = ("--set", "transaction.state.log.num.partitions=2", "--set", "offsets.topic.num.partitions=2")


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory) -> Iterator[str]:
    """With a reaper that comes often."""
    interval = "transaction.abort.timed.out.transaction.cleanup.interval.ms=200"
    with start_broker(tmp_path_factory.mktemp("broker"), *SMALL, "--set", interval) as broker:
        yield broker.bootstrap


def producer_of(bootstrap: str, transactional_id: str, **settings: object) -> Producer:
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": transactional_id, **settings})
    producer.init_transactions(DEADLINE_SECONDS)
    return producer


def write(producer: Producer, topic: str, *values: bytes, partition: int = 0) -> None:
    for value in values:
        producer.produce(topic, value, partition=partition)
    assert producer.flush(DEADLINE_SECONDS) == 0


@contextmanager
def transaction(producer: Producer) -> Iterator[None]:
    producer.begin_transaction()
    yield
    producer.commit_transaction(DEADLINE_SECONDS)


def read(bootstrap: str, topic: str, *, committed: bool = True, partition: int = 0) -> list[bytes]:
    """All that such a reader sees until it has reached the end."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": str(uuid.uuid4()),
            "isolation.level": "read_committed" if committed else "read_uncommitted",
            "enable.partition.eof": True,
            "enable.auto.commit": False,
        }
    )
    consumer.assign([TopicPartition(topic, partition, 0)])
    found: list[bytes] = []
    until = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < until:
        message = consumer.poll(0.5)
        if message is None:
            continue
        if message.error() is None:
            found.append(message.value())
        elif message.error().code() == KafkaError._PARTITION_EOF:
            break
        else:
            raise KafkaException(message.error())
    consumer.close()
    return found


def test_commit_and_abort(bootstrap, topic):
    create_topic(bootstrap, topic, 2)
    producer = producer_of(bootstrap, topic)
    with transaction(producer):
        write(producer, topic, b"a", b"b")
        write(producer, topic, b"c", partition=1)
    producer.begin_transaction()
    write(producer, topic, b"never", b"ever")
    assert read(bootstrap, topic) == [b"a", b"b"]
    producer.abort_transaction(DEADLINE_SECONDS)
    producer.begin_transaction()
    write(producer, topic, b"d")
    assert read(bootstrap, topic) == [b"a", b"b"]
    assert read(bootstrap, topic, committed=False) == [b"a", b"b", b"never", b"ever", b"d"]
    producer.commit_transaction(DEADLINE_SECONDS)
    assert read(bootstrap, topic) == [b"a", b"b", b"d"]
    assert read(bootstrap, topic, partition=1) == [b"c"]


def test_a_zombie_is_fenced(bootstrap, topic):
    create_topic(bootstrap, topic)
    zombie = producer_of(bootstrap, topic)
    zombie.begin_transaction()
    write(zombie, topic, b"zombie")
    successor = producer_of(bootstrap, topic)
    with transaction(successor):
        write(successor, topic, b"successor")
    with pytest.raises(KafkaException) as caught:
        zombie.commit_transaction(DEADLINE_SECONDS)
    assert caught.value.args[0].fatal()
    assert read(bootstrap, topic) == [b"successor"]


def test_a_transaction_that_takes_too_long_is_aborted(bootstrap, topic):
    create_topic(bootstrap, topic)
    producer = producer_of(bootstrap, topic, **{"transaction.timeout.ms": 1000})
    producer.begin_transaction()
    write(producer, topic, b"slow")
    other = Producer({"bootstrap.servers": bootstrap})
    write(other, topic, b"plain")
    until = time.monotonic() + DEADLINE_SECONDS
    while read(bootstrap, topic) != [b"plain"]:
        assert time.monotonic() < until, "nobody aborted it"
    with pytest.raises(KafkaException):
        producer.commit_transaction(DEADLINE_SECONDS)
    assert read(bootstrap, topic) == [b"plain"]


def test_consume_transform_produce(bootstrap, topic):
    """Progress and results are one: what was aborted is read again, what was committed is not."""
    source, target, group = f"{topic}-in", f"{topic}-out", f"{topic}-group"
    create_topic(bootstrap, source)
    create_topic(bootstrap, target)
    write(Producer({"bootstrap.servers": bootstrap}), source, *(b"%d" % number for number in range(20)))
    done: list[bytes] = []
    for attempt in range(6):
        consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": group,
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
            }
        )
        consumer.subscribe([source])
        producer = producer_of(bootstrap, topic)
        messages = [one for one in consumer.consume(5, 10) if one.error() is None]
        producer.begin_transaction()
        for message in messages:
            producer.produce(target, b"<%s>" % message.value())
        position = [TopicPartition(source, 0, messages[-1].offset() + 1)] if messages else []
        if position:
            producer.send_offsets_to_transaction(
                position, consumer.consumer_group_metadata(), DEADLINE_SECONDS
            )
        if attempt == 1:
            producer.flush(DEADLINE_SECONDS)
            producer.abort_transaction(DEADLINE_SECONDS)
        else:
            producer.commit_transaction(DEADLINE_SECONDS)
            done += [b"<%s>" % message.value() for message in messages]
        consumer.close()
        if len(done) >= 20:
            break
    assert done == [b"<%d>" % number for number in range(20)]
    assert read(bootstrap, target) == done
    assert len(read(bootstrap, target, committed=False)) == 25


async def test_aiokafka(bootstrap, topic):
    create_topic(bootstrap, topic)
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id=topic)
    await producer.start()
    async with producer.transaction():
        await producer.send_and_wait(topic, b"a")
        await producer.send_offsets_to_transaction(
            {AioTopicPartition(topic, 0): 7}, group_id=f"{topic}-group"
        )
    await producer.begin_transaction()
    await producer.send_and_wait(topic, b"b")
    await producer.abort_transaction()
    async with producer.transaction():
        await producer.send_and_wait(topic, b"c")
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap, isolation_level="read_committed", auto_offset_reset="earliest"
    )
    await consumer.start()
    consumer.assign([AioTopicPartition(topic, 0)])
    found = [(await consumer.getone()).value for _ in range(2)]
    assert found == [b"a", b"c"]
    await consumer.stop()
    group = AIOKafkaConsumer(bootstrap_servers=bootstrap, group_id=f"{topic}-group", enable_auto_commit=False)
    await group.start()
    group.assign([AioTopicPartition(topic, 0)])
    assert await group.committed(AioTopicPartition(topic, 0)) == 7
    await group.stop()
    await producer.stop()


def last_states(data: Path) -> dict[str, int]:
    """The state of every transactional id as the log of a broker that is not running has it."""
    decode = decoder(TRANSACTION_RECORDS)
    found: dict[str, int] = {}
    for log in sorted(data.glob("**/__transaction_state-*/*.log")):
        data_bytes = log.read_bytes()
        for position, header in iter_headers(data_bytes):
            for record in read_records(data_bytes[position : position + header.size]):
                decoded = decode(record.key, record.value)
                if decoded is not None and decoded.value is not None:
                    found[decoded.key.transactional_id] = decoded.value.transaction_status
    return found


@pytest.mark.parametrize("commit", [True, False], ids=["commit", "abort"])
def test_kill_9_between_decision_and_completion(tmp_path, topic, commit):
    """The outcome that the client was told holds, though the broker died before any partition had heard of it.

    Where every write waits for the disk, the answer comes before the markers are safe: who kills at once kills in between.
    """
    options = (*SMALL, "--set", "log.flush.interval.messages=1")
    expected: list[bytes] = []
    prepared = 2 if commit else 3
    hits = 0
    broker = start_broker(tmp_path, *options)
    create_topic(broker.bootstrap, topic, 2)
    for number in range(12):
        producer = producer_of(broker.bootstrap, topic)
        producer.begin_transaction()
        value = b"%d" % number
        for partition in (0, 1):
            write(producer, topic, value, partition=partition)
        (producer.commit_transaction if commit else producer.abort_transaction)(DEADLINE_SECONDS)
        broker.kill()
        if commit:
            expected.append(value)
        hits += last_states(tmp_path).get(topic) == prepared
        broker = start_broker(tmp_path, *options)
        for partition in (0, 1):
            until = time.monotonic() + DEADLINE_SECONDS
            while (found := read(broker.bootstrap, topic, partition=partition)) != expected:
                assert time.monotonic() < until, (found, expected)
        if hits:
            break
    # And it goes on.
    producer = producer_of(broker.bootstrap, topic)
    with transaction(producer):
        write(producer, topic, b"end")
    assert read(broker.bootstrap, topic) == [*expected, b"end"]
    broker.stop()
    assert hits, "no kill came in between"
