"""Pipelines that read, transform and write in transactions: every result comes once, though workers and brokers die.

The members' protocol makes no difference. Who takes over from a dead worker has its transactional id, and so fences it.
"""

import asyncio
import time

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioTopicPartition
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from tests.cli.broker_process import start_broker
from tests.clients.exchange import DEADLINE_SECONDS, create_topic
from tests.clients.librdkafka_closing import close_member

PARTITIONS = 2
NUMBERS = 60
SETTINGS = tuple(
    word
    for setting in (
        "group.initial.rebalance.delay.ms=0",
        "group.min.session.timeout.ms=1000",
        "group.consumer.min.heartbeat.interval.ms=100",
        "group.consumer.heartbeat.interval.ms=200",
        "group.consumer.min.session.timeout.ms=1000",
        "group.consumer.session.timeout.ms=2000",
        "offsets.topic.num.partitions=2",
        "transaction.state.log.num.partitions=2",
    )
    for word in ("--set", setting)
)
# Where every write waits for the disk, a kill comes in between more often.
SYNCED = ("--set", "log.flush.interval.messages=1")


class Worker:
    """One after the other: some records in, as many out, and their offsets, in one transaction."""

    def __init__(self, bootstrap: str, topic: str, name: str, protocol: str) -> None:
        self._target = f"{topic}-out"
        # More than one heartbeat in a session: librdkafka's own interval is three seconds.
        session = {"session.timeout.ms": 2000, "heartbeat.interval.ms": 200} if protocol == "classic" else {}
        self.consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": f"{topic}-group",
                "group.protocol": protocol,
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                **session,
            }
        )
        self.consumer.subscribe([f"{topic}-in"])
        self._producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": f"{topic}-{name}"})
        self._producer.init_transactions(DEADLINE_SECONDS)

    def begin(self, most: int = 3) -> bool:
        """Everything but the end of a transaction; False if there was nothing to read."""
        records = [one for one in self.consumer.consume(most, 0.2) if one.error() is None]
        if not records:
            return False
        self._producer.begin_transaction()
        for record in records:
            self._producer.produce(self._target, record.value(), partition=record.partition())
        positions = {}
        for record in records:
            positions[record.partition()] = TopicPartition(
                record.topic(), record.partition(), record.offset() + 1
            )
        assert self._producer.flush(DEADLINE_SECONDS) == 0
        self._producer.send_offsets_to_transaction(
            list(positions.values()), self.consumer.consumer_group_metadata(), DEADLINE_SECONDS
        )
        return True

    def commit(self) -> None:
        self._producer.commit_transaction(DEADLINE_SECONDS)

    def close(self) -> None:
        close_member(self.consumer)


def fill(bootstrap: str, topic: str) -> None:
    for name in (f"{topic}-in", f"{topic}-out"):
        create_topic(bootstrap, name, PARTITIONS)
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(NUMBERS):
        producer.produce(f"{topic}-in", b"%d" % number, partition=number % PARTITIONS)
    assert producer.flush(DEADLINE_SECONDS) == 0


def committed_results(bootstrap: str, topic: str) -> dict[int, list[int]]:
    """By partition, everything before the last stable offset."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "results",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(f"{topic}-out", partition, 0) for partition in range(PARTITIONS)])
    found: dict[int, list[int]] = {partition: [] for partition in range(PARTITIONS)}
    ended: set[int] = set()
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(ended) < PARTITIONS:
        assert time.monotonic() < deadline, found
        message = consumer.poll(0.1)
        if message is None:
            continue
        if message.error() is None:
            found[message.partition()].append(int(message.value()))
        elif message.error().code() == KafkaError._PARTITION_EOF:
            ended.add(message.partition())
    consumer.close()
    return found


EVERYTHING = {
    partition: [number for number in range(NUMBERS) if number % PARTITIONS == partition]
    for partition in range(PARTITIONS)
}


def count(found: dict[int, list[int]]) -> int:
    return sum(map(len, found.values()))


def work_until_done(bootstrap: str, topic: str, *workers: Worker) -> dict[int, list[int]]:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while count(found := committed_results(bootstrap, topic)) < NUMBERS:
        assert time.monotonic() < deadline, found
        for worker in workers:
            if worker.begin(most=20):
                worker.commit()
    return found


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_what_a_worker_began_that_was_replaced_counts_for_nothing(tmp_path, topic, protocol) -> None:
    with start_broker(tmp_path, *SETTINGS) as broker:
        fill(broker.bootstrap, topic)
        first = Worker(broker.bootstrap, topic, "one", protocol)
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not first.begin():
            assert time.monotonic() < deadline
        first.commit()
        while not first.begin():
            assert time.monotonic() < deadline
        # Its successor comes before it has committed, and begins where the last commit was.
        second = Worker(broker.bootstrap, topic, "one", protocol)
        with pytest.raises(KafkaException) as caught:
            first.commit()
        assert caught.value.args[0].fatal()
        first.close()
        assert work_until_done(broker.bootstrap, topic, second) == EVERYTHING
        second.close()
        assert broker.stop() == 0


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_the_broker_is_killed_in_the_middle_of_transactions(tmp_path, topic, protocol) -> None:
    broker = start_broker(tmp_path, *SETTINGS, *SYNCED)
    fill(broker.bootstrap, topic)
    for is_decided in (True, False):
        worker = Worker(broker.bootstrap, topic, "one", protocol)
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not worker.begin():
            assert time.monotonic() < deadline
        if is_decided:
            worker.commit()
        broker.kill()
        broker = start_broker(tmp_path, *SETTINGS, *SYNCED)
    workers = [Worker(broker.bootstrap, topic, name, protocol) for name in ("one", "two")]
    assert work_until_done(broker.bootstrap, topic, *workers) == EVERYTHING
    for worker in workers:
        worker.close()
    assert broker.stop() == 0


async def test_a_pipeline_of_aiokafka(tmp_path, topic) -> None:
    """The first transaction is aborted: its records are read again."""
    with start_broker(tmp_path, *SETTINGS) as broker:
        fill(broker.bootstrap, topic)
        group = f"{topic}-group"
        producer = AIOKafkaProducer(bootstrap_servers=broker.bootstrap, transactional_id=topic)
        await producer.start()
        for attempt in range(3):
            consumer = AIOKafkaConsumer(
                f"{topic}-in",
                bootstrap_servers=broker.bootstrap,
                group_id=group,
                isolation_level="read_committed",
                auto_offset_reset="earliest",
                enable_auto_commit=False,
            )
            await consumer.start()
            done = 0
            async with asyncio.timeout(DEADLINE_SECONDS):
                while done < (20 if attempt < 2 else NUMBERS - 20):
                    batches = await consumer.getmany(timeout_ms=200, max_records=5)
                    if not batches:
                        continue
                    await producer.begin_transaction()
                    for source, records in batches.items():
                        for record in records:
                            await producer.send(f"{topic}-out", record.value, partition=source.partition)
                            done += 1
                    positions = {
                        AioTopicPartition(source.topic, source.partition): records[-1].offset + 1
                        for source, records in batches.items()
                    }
                    await producer.send_offsets_to_transaction(positions, group)
                    await (producer.commit_transaction if attempt else producer.abort_transaction)()
            await consumer.stop()
        await producer.stop()
        assert await asyncio.to_thread(committed_results, broker.bootstrap, topic) == EVERYTHING
        assert broker.stop() == 0
