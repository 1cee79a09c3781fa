"""Transactional Produce, what readers of committed records see, WriteTxnMarkers, and producers with open transactions."""

import time

from tests.kafka.cases.fetch_cases import fetch, target
from tests.kafka.cases.offset_cases import list_offsets
from tests.kafka.cases.produce_cases import NOW_MS, UNKNOWN_TOPIC, batch, fill, produce_request, read_back
from tests.kafka.cases.transactional_producers import TransactionalProducer
from tests.kafka.referee import Broker, Topic, case

from snakka.coordination.decision import Producer
from snakka.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from snakka.protocol.messages.fetch import FetchRequest, FetchTopic
from snakka.protocol.messages.list_offsets import ListOffsetsRequest
from snakka.protocol.messages.produce import ProduceRequest
from snakka.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)

READ_COMMITTED = 1


def read_committed(broker: Broker, version: int, topic: Topic, offset: int = 0) -> None:
    fetch(broker, version, [target(topic, offset=offset)], isolation_level=READ_COMMITTED, max_wait_ms=1)


def describe_producers(broker: Broker, topic: Topic) -> None:
    row = TopicRequest(name=topic.name, partition_indexes=[0])
    broker.ask(DescribeProducersRequest(topics=[row]))


# -- Produce ------------------------------------------------------------------------------------------------------


@case(ProduceRequest)
def in_transactions(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic(partitions=2)
    for committed in (True, False):
        # By version, the partition belongs to the transaction by being written to, or the record is refused.
        producer.produce(topic, b"a", b"b", version=version)
        producer.add(3, (topic, 0))
        producer.produce(topic, b"c", version=version)
        producer.produce(topic, b"c", version=version)
        producer.produce(topic, b"d", partition=1, version=version)
        producer.describe()
        producer.end(5 if version >= 12 else 4, committed=committed)
        read_back(broker, topic)


@case(ProduceRequest, first=3)
def in_transactions_of_others(broker: Broker, version: int) -> None:
    producer, topic, plain = TransactionalProducer(broker), broker.topic(), broker.topic("plain")
    producer.add(3, (topic, 0))
    who = producer.who
    for name in (None, broker.name("nobody")):
        producer.produce(topic, b"a", version=version, name=name)
    for other in (Producer(who.producer_id, who.epoch + 1), Producer(who.producer_id + 10_000, who.epoch)):
        producer.produce(topic, b"a", version=version, who=other, sequence=0)
    producer.produce(topic, b"a", version=version, sequence=0, is_transactional=False)
    data = [
        batch(b"a", producer_id=each, producer_epoch=0, base_sequence=0, is_transactional=True)
        for each in (who.producer_id, who.producer_id + 10_000)
    ]
    both = produce_request(
        [(topic, 0, data[0]), (plain, 0, data[1])], transactional_id=producer.transactional_id
    )
    broker.ask(both, version)
    mixed = produce_request(
        [(topic, 0, data[0]), (plain, 0, batch(b"a")), (UNKNOWN_TOPIC, 0, data[0])],
        transactional_id=producer.transactional_id,
    )
    broker.ask(mixed, version)
    producer.describe()


@case(ProduceRequest, first=11, ignored=("last_timestamp",))
def sequences_in_transactions(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    producer.add(3, (topic, 0))
    for sequence in (5, 0, 0, 2, 1, 1):
        producer.produce(topic, b"a", version=version, sequence=sequence)
    describe_producers(broker, topic)
    producer.end(5 if version >= 12 else 4, committed=True)
    producer.add(3, (topic, 0))
    for sequence in (3, 0, 2, 1):
        producer.produce(topic, b"a", version=version, sequence=sequence)
    describe_producers(broker, topic)
    read_back(broker, topic)


@case(ProduceRequest, first=13)
def by_the_same_producer_without_a_transaction(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    producer.produce(topic, b"a", version=version)
    producer.produce(topic, b"b", version=version, is_transactional=False)
    producer.produce(topic, b"b", version=version, is_transactional=False, name=None)
    producer.end(5, committed=True)
    producer.produce(topic, b"b", version=version, is_transactional=False, name=None)
    producer.produce(topic, b"b", version=version)
    read_back(broker, topic)


# -- Fetch and ListOffsets ----------------------------------------------------------------------------------------


def interleaved(broker: Broker, topic: Topic) -> TransactionalProducer:
    """Committed, aborted and plain records among each other, and one transaction that has not ended, which is returned."""
    committed, aborted, going = (TransactionalProducer(broker, text) for text in ("one", "two", "three"))
    committed.produce(topic, b"a", b"b")
    aborted.produce(topic, b"c")
    fill(broker, topic, batch(b"plain"))
    committed.end(5, committed=True)
    aborted.produce(topic, b"d")
    going.produce(topic, b"e")
    aborted.end(5, committed=False)
    aborted.produce(topic, b"f")
    fill(broker, topic, batch(b"plain", timestamp=NOW_MS + 1000))
    # Where the last two markers come in the same millisecond, the first of them has the largest timestamp, not the second.
    time.sleep(0.002)
    aborted.end(5, committed=False)
    return going


@case(FetchRequest, first=4)
def committed_records(broker: Broker, version: int) -> None:
    topic = broker.topic()
    going = interleaved(broker, topic)
    for offset in (0, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13):
        read_committed(broker, version, topic, offset)
    fetch(broker, version, [target(topic)])
    going.end(5, committed=False)
    for offset in range(13):
        read_committed(broker, version, topic, offset)


@case(FetchRequest, first=11)
def committed_records_that_come_while_somebody_waits(broker: Broker, version: int) -> None:
    topic, reader = broker.topic(), broker.caller()
    producer = TransactionalProducer(broker)
    producer.produce(topic, b"a")
    _, row = target(topic)
    request = FetchRequest(
        max_wait_ms=20_000,
        min_bytes=1,
        max_bytes=1 << 20,
        isolation_level=READ_COMMITTED,
        topics=[FetchTopic(topic=topic.name, topic_id=topic.id, partitions=[row])],
    )
    reader.begin(request, version)
    producer.produce(topic, b"b")
    producer.end(5, committed=True)
    reader.end()


@case(ListOffsetsRequest, first=2, ignored=("timestamp",))
def offsets_of_committed_records(broker: Broker, version: int) -> None:
    topic = broker.topic()
    going = interleaved(broker, topic)

    def ask() -> None:
        for timestamp in (-1, -2, -3, -4, NOW_MS, NOW_MS + 500, NOW_MS + 5000):
            for isolation_level in (0, READ_COMMITTED):
                list_offsets(broker, version, (topic.name, 0, timestamp), isolation_level=isolation_level)

    ask()
    going.end(5, committed=True)
    list_offsets(broker, version, (topic.name, 0, -1), isolation_level=READ_COMMITTED)


@case(DescribeProducersRequest, ignored=("last_timestamp",))
def producers_with_transactions(broker: Broker, version: int) -> None:
    topic = broker.topic()
    going = interleaved(broker, topic)
    describe_producers(broker, topic)
    going.end(4, committed=True)
    describe_producers(broker, topic)
    going.add(3, (topic, 0))
    going.produce(topic, b"g", sequence=1)
    describe_producers(broker, topic)


# -- WriteTxnMarkers ----------------------------------------------------------------------------------------------


def markers(
    broker: Broker,
    version: int,
    who: Producer,
    *places: tuple[str, int],
    committed: bool = True,
    coordinator_epoch: int = 0,
    transaction_version: int = 0,
) -> None:
    topics: dict[str, WritableTxnMarkerTopic] = {}
    for name, index in places:
        topics.setdefault(name, WritableTxnMarkerTopic(name=name)).partition_indexes.append(index)
    marker = WritableTxnMarker(
        producer_id=who.producer_id,
        producer_epoch=who.epoch,
        transaction_result=committed,
        coordinator_epoch=coordinator_epoch,
        topics=list(topics.values()),
    )
    if version >= 2:
        marker.transaction_version = transaction_version
    broker.ask(WriteTxnMarkersRequest(markers=[marker]), version)


@case(WriteTxnMarkersRequest, ignored=("last_timestamp",))
def markers_of_open_transactions(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic(partitions=2)
    producer.initialize()
    who = producer.who
    producer.produce(topic, b"a")
    producer.produce(topic, b"b", partition=1)
    markers(broker, version, who, (topic.name, 0), (topic.name, 5), (UNKNOWN_TOPIC.name, 0), ("", 0))
    describe_producers(broker, topic)
    markers(broker, version, who, (topic.name, 1), committed=False, coordinator_epoch=5)
    for epoch in (who.epoch - 1, who.epoch, who.epoch + 1):
        for coordinator_epoch in (5, 4, 6):
            other = Producer(who.producer_id, epoch)
            markers(broker, version, other, (topic.name, 1), coordinator_epoch=coordinator_epoch)
    markers(broker, version, Producer(who.producer_id + 10_000, 0), (topic.name, 0))
    broker.ask(WriteTxnMarkersRequest(markers=[]), version)
    markers(broker, version, who)
    describe_producers(broker, topic)
    read_back(broker, topic)
    read_back(broker, topic, 1)


@case(WriteTxnMarkersRequest, first=2, ignored=("last_timestamp",))
def markers_of_the_newest_version(broker: Broker, version: int) -> None:
    producer, topic = TransactionalProducer(broker), broker.topic()
    producer.initialize()
    who = producer.who
    place = (topic.name, 0)
    producer.produce(topic, b"a")
    for epoch in (who.epoch - 1, who.epoch, who.epoch + 1, who.epoch + 1, who.epoch + 2):
        for transaction_version in (2, 1, 3):
            other = Producer(who.producer_id, epoch)
            markers(broker, version, other, place, transaction_version=transaction_version)
            describe_producers(broker, topic)
    read_back(broker, topic)


@case(WriteTxnMarkersRequest)
def markers_of_several_at_once(broker: Broker, version: int) -> None:
    one, two = TransactionalProducer(broker, "one"), TransactionalProducer(broker, "two")
    topic = broker.topic()
    rows = []
    for producer, committed in ((one, True), (two, False)):
        producer.produce(topic, b"a")
        rows.append(
            WritableTxnMarker(
                producer_id=producer.who.producer_id,
                producer_epoch=producer.who.epoch,
                transaction_result=committed,
                topics=[WritableTxnMarkerTopic(name=topic.name, partition_indexes=[0])],
            )
        )
    broker.ask(WriteTxnMarkersRequest(markers=rows), version)
    read_committed(broker, 12, topic)
    read_back(broker, topic)
