"""kafka-transactions works against Snakka as it does against Kafka, and helps with transactions that nobody ends."""

import itertools
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaException, Producer
from tests.kafka.data_set import STARTED_MS, TIMEOUT_MS, fetch_row
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node, running_snakka
from tests.kafka.tool_box import ToolBox
from tests.kafka.wire import Wire

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kafka")]

TRANSACTIONS = "kafka-transactions"
DEADLINE_SECONDS = 30
NUMBERS = itertools.count()
READ_COMMITTED = 1
# The last version of clients that say themselves which partitions belong to a transaction.
PRODUCE_VERSION = 11


@pytest.fixture(scope="module")
def broker(tools: KafkaTools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolBox]:
    # As brokers were before they looked whether a record belongs to an open transaction: some may stay open for ever.
    node = Node(tmp_path_factory.mktemp("snakka"), {"transaction.partition.verification.enable": "false"})
    with running_snakka(node):
        yield ToolBox(node, tools)


@pytest.fixture
def topic(broker: ToolBox) -> str:
    name = f"topic-{next(NUMBERS)}"
    broker.run("kafka-topics", "--create", "--topic", name)
    return name


def begun(broker: ToolBox, topic: str, name: str) -> Producer:
    """A producer whose transaction has one record."""
    producer = Producer({"bootstrap.servers": broker.node.bootstrap, "transactional.id": name})
    producer.init_transactions(DEADLINE_SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"value")
    assert producer.flush(DEADLINE_SECONDS) == 0
    return producer


def states(broker: ToolBox, *filters: str) -> dict[str, str]:
    return {row[0]: row[-1] for row in broker.table(TRANSACTIONS, "list", *filters)}


def test_transactions_are_listed_and_described(broker: ToolBox, topic: str) -> None:
    one, two = f"one-{topic}", f"two-{topic}"
    begun(broker, topic, one).commit_transaction(DEADLINE_SECONDS)
    producer = begun(broker, topic, two)
    found = states(broker)
    assert (found[one], found[two]) == ("CompleteCommit", "Ongoing")
    assert states(broker, "--transactional-id-pattern", f"one-{topic}") == {one: "CompleteCommit"}
    assert states(broker, "--duration-filter", "3600000") == {}
    assert two in states(broker, "--duration-filter", "0")
    (row,) = broker.table(TRANSACTIONS, "describe", "--transactional-id", two)
    coordinator, name, producer_id, epoch, state, timeout_ms, _, _, partitions = row
    assert (coordinator, name, state, timeout_ms) == ("1", two, "Ongoing", "60000")
    assert partitions == f"{topic}-0"
    active = broker.table(TRANSACTIONS, "describe-producers", "--topic", topic, "--partition", "0")
    assert {row[0]: (row[1], row[5]) for row in active}[producer_id] == (epoch, "2")
    assert sorted(row[5] for row in active) == ["2", "None"]
    assert "could not be found" in broker.fail(TRANSACTIONS, "describe", "--transactional-id", "nobody")
    assert not broker.table(TRANSACTIONS, "find-hanging", "--broker-id", "1")
    producer.abort_transaction(DEADLINE_SECONDS)


def test_a_transaction_is_terminated(broker: ToolBox, topic: str) -> None:
    name = f"terminated-{topic}"
    producer = begun(broker, topic, name)
    broker.run(TRANSACTIONS, "forceTerminateTransaction", "--transactionalId", name)
    assert states(broker)[name] in ("CompleteAbort", "Empty")
    with pytest.raises(KafkaException, match="fenced"):
        producer.commit_transaction(DEADLINE_SECONDS)
    with Wire(broker.node.port) as wire:
        row = fetch_row(wire, topic, 0, 0, READ_COMMITTED)
        assert [aborted.first_offset for aborted in row.aborted_transactions] == [0]
        assert row.last_stable_offset == row.high_watermark == 2


def test_a_hanging_transaction_is_found_and_aborted(broker: ToolBox, topic: str) -> None:
    with Wire(broker.node.port) as wire:
        hang(wire, topic)
        row = fetch_row(wire, topic, 0, 0, READ_COMMITTED)
        assert (row.last_stable_offset, row.high_watermark) == (0, 1)
        (found,) = broker.table(TRANSACTIONS, "find-hanging", "--broker-id", "1")
        assert found[:6] == [topic, "0", "4711", "3", "-1", "0"]
        broker.run(TRANSACTIONS, "abort", "--topic", topic, "--partition", "0", "--start-offset", "0")
        row = fetch_row(wire, topic, 0, 0, READ_COMMITTED)
        assert row.last_stable_offset == row.high_watermark == 2
        assert [aborted.producer_id for aborted in row.aborted_transactions] == [4711]
    assert not broker.table(TRANSACTIONS, "find-hanging", "--broker-id", "1")
    gone = ("abort", "--topic", topic, "--partition", "0", "--start-offset", "0")
    assert "Could not find any open transactions" in broker.fail(TRANSACTIONS, *gone)


def test_a_java_producer_writes_in_transactions(broker: ToolBox, topic: str) -> None:
    """One that leaves it to the broker to add partitions, and gets a new epoch for every transaction (KIP-890)."""
    name = f"perf-{topic}"
    said = broker.run(
        "kafka-producer-perf-test",
        *("--topic", topic, "--num-records", "500", "--record-size", "10", "--throughput", "400"),
        *("--transactional-id", name, "--transaction-duration-ms", "20"),
    )
    assert "500 records sent" in said
    (row,) = broker.table(TRANSACTIONS, "describe", "--transactional-id", name)
    assert row[4] == "CompleteCommit"
    # One epoch for each transaction, and there were several.
    assert int(row[3]) > 3
    read = broker.run(
        "kafka-console-consumer",
        *("--topic", topic, "--group", f"readers-of-{topic}", "--from-beginning", "--max-messages", "500"),
        *("--timeout-ms", "20000", "--isolation-level", "read_committed"),
    )
    assert len(read.splitlines()) == 500


def hang(wire: Wire, topic: str) -> None:
    """A transactional record of an hour ago that no coordinator knows of."""
    batch = build_batch(
        [Record(-1, STARTED_MS, b"key", b"value")],
        producer_id=4711,
        producer_epoch=3,
        base_sequence=0,
        is_transactional=True,
    )
    data = PartitionProduceData(index=0, records=bytes(batch))
    request = ProduceRequest(
        acks=-1,
        timeout_ms=TIMEOUT_MS,
        transactional_id="nobody",
        topic_data=[TopicProduceData(name=topic, partition_data=[data])],
    )
    assert not wire.ask(request, PRODUCE_VERSION).responses[0].partition_responses[0].error_code
