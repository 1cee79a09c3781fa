"""InitProducerId, AllocateProducerIds and DescribeProducers."""

from tests.kafka.cases.produce_cases import UNKNOWN_TOPIC, batch, fill
from tests.kafka.referee import Broker, case

from snakka.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from snakka.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest


@case(InitProducerIdRequest)
def without_transactions(broker: Broker, version: int) -> None:
    for timeout_ms in (1000, 0, -1):
        broker.ask(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=timeout_ms), version)


@case(InitProducerIdRequest)
def an_empty_transactional_id(broker: Broker, version: int) -> None:
    broker.ask(InitProducerIdRequest(transactional_id="", transaction_timeout_ms=1000), version)


@case(InitProducerIdRequest, first=3)
def with_an_id_that_the_producer_has(broker: Broker, version: int) -> None:
    for producer_id, epoch in ((5, 0), (5, -1), (-1, 0), (0, 0), (-2, -2), (2**62, 32767), (5, 32767)):
        request = InitProducerIdRequest(
            transactional_id=None, transaction_timeout_ms=1000, producer_id=producer_id, producer_epoch=epoch
        )
        broker.ask(request, version)


@case(InitProducerIdRequest)
def for_transactions(broker: Broker, version: int) -> None:
    request = InitProducerIdRequest(transactional_id=broker.name("id"), transaction_timeout_ms=60_000)
    broker.ask(request, version)
    request.transaction_timeout_ms = 0
    broker.ask(request, version)


@case(AllocateProducerIdsRequest)
def by_brokers_that_are_none(broker: Broker, version: int) -> None:
    for broker_id, epoch in ((1, -1), (1, 0), (1, 2**62), (2, 0), (-1, 0)):
        request = AllocateProducerIdsRequest(broker_id=broker_id, broker_epoch=epoch)
        broker.ask(request, version, listener="CONTROLLER")


@case(AllocateProducerIdsRequest)
def on_the_clients_listener(broker: Broker, version: int) -> None:
    broker.ask(AllocateProducerIdsRequest(broker_id=1, broker_epoch=0), version)


@case(DescribeProducersRequest)
def known_and_unknown(broker: Broker, version: int) -> None:
    topic, empty = broker.topic(partitions=2), broker.topic("empty")
    for producer in (51, 52):
        fill(broker, topic, batch(b"a", b"b", producer_id=producer, producer_epoch=3, base_sequence=0))
    fill(broker, topic, batch(b"c", producer_id=52, producer_epoch=3, base_sequence=2))
    fill(broker, topic, batch(b"d"))
    for name, partitions in (
        (topic.name, [0]),
        (topic.name, [0, 1]),
        (topic.name, [2, -1]),
        (topic.name, []),
        (empty.name, [0]),
        (UNKNOWN_TOPIC.name, [0]),
        ("", [0]),
        ("a b", [0]),
        ("x" * 250, [0]),
    ):
        broker.ask(
            DescribeProducersRequest(topics=[TopicRequest(name=name, partition_indexes=partitions)]), version
        )
    broker.ask(DescribeProducersRequest(), version)


@case(DescribeProducersRequest)
def of_a_partition_twice(broker: Broker, version: int) -> None:
    row = TopicRequest(name=broker.topic().name, partition_indexes=[0, 0])
    broker.ask(DescribeProducersRequest(topics=[row]), version)
