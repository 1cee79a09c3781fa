"""Groups in a test need not wait: neither for more members, nor for fifty partitions of an internal topic."""

import time

import pytest
from confluent_kafka import Consumer, Producer

from snakka.testing import BlockingLocalBroker

TRIES = 3


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_new_group_reads_at_once(protocol: str) -> None:
    with BlockingLocalBroker() as broker:
        assert broker.options.integer("group.initial.rebalance.delay.ms") == 0
        producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
        producer.produce("orders", b"first")
        assert producer.flush(30) == 0
        # Kafka's default would make it wait for three seconds in the classic protocol, each time.
        assert any(_read_seconds(broker, f"group {number}", protocol) < 2.5 for number in range(TRIES))


def _read_seconds(broker: BlockingLocalBroker, group: str, protocol: str) -> float:
    """How long a new group takes to have the first record."""
    began = time.monotonic()
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": group,
            "group.protocol": protocol,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe(["orders"])
    message = consumer.poll(30)
    assert message is not None
    assert message.value() == b"first"
    seconds = time.monotonic() - began
    consumer.close()
    return seconds


def test_a_test_may_want_it_otherwise() -> None:
    wanted = {"group.initial.rebalance.delay.ms": 100, "offsets.topic.num.partitions": 7}
    with BlockingLocalBroker(wanted) as broker:
        assert broker.options.integer("group.initial.rebalance.delay.ms") == 100
        assert broker.options.integer("offsets.topic.num.partitions") == 7
