"""Groups and transactions in the midst of what they do, handed over from one broker to the next.

`leave_behind` has one broker begin things; `decide` writes what a broker writes that is killed right after it has decided
how a transaction ends; `go_on` finds all of it at the next broker and brings it to an end there.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.kafka.cases.classic_members import Member, coordinated_group, settle_group
from tests.kafka.cases.committed_offset_cases import commit
from tests.kafka.cases.consumer_members import Consumer, owned
from tests.kafka.cases.transactional_producers import TransactionalProducer
from tests.kafka.committed_records import committed_values
from tests.kafka.nodes import Node
from tests.kafka.referee import Broker, Case, Topic, error_in

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.coordinator_framing import (
    TRANSACTION_RECORDS,
    KeyedRecord,
    decoder,
    encode_key,
    encode_value,
)
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.describe_transactions import DescribeTransactionsRequest
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from snakka.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from snakka.protocol.record_batch import iter_headers, stamp
from snakka.protocol.record_types.transaction_coordinator.transaction_log_value import TransactionLogValue

NODE_OPTIONS = {
    # What is left behind must outlive the exchange, and what has had its time is aborted soon.
    "group.consumer.session.timeout.ms": "60000",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "300",
}
SESSION_MS = 600_000
SHORT_TIMEOUT_MS = 5_000
GROUP_TOPIC, TRANSACTION_TOPIC = "__consumer_offsets", "__transaction_state"
# So that they are compacted again and again, by either broker.
SHORT_SEGMENTS = {"segment.ms": "1000", "min.cleanable.dirty.ratio": "0.01"}
TOPIC_RESOURCE = 2
PREPARE_COMMIT, PREPARE_ABORT = 2, 3
EPOCHS_CHANGE_SINCE = 2
# Older clients, which add partitions themselves, and newer ones, whose epoch grows with every transaction (KIP-890).
OLD, NEW = 4, 5
# Expected on the way: a member is given its id.
ON_THE_WAY = {ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED}

SCRIPT = Case("exchange", range(1), lambda _broker, _version: None, frozenset())


@contextmanager
def clients(node: Node) -> Iterator[Broker]:
    """The broker that runs on the node, as the referee's actors see it; nothing that they ask may fail."""
    ports = {"PLAINTEXT": node.port, "CONTROLLER": node.controller_port}
    broker = Broker(ports, str(node.data), SCRIPT, 0)
    try:
        yield broker
    finally:
        broker.close()
    for answer in broker.answers:
        assert set(_errors(answer.content)) <= ON_THE_WAY, answer


def _errors(content: Any) -> Iterator[int]:
    if isinstance(content, dict):
        for name, value in content.items():
            if name.endswith("error_code"):
                yield value
            else:
                yield from _errors(value)
    elif isinstance(content, list):
        for each in content:
            yield from _errors(each)


class Transaction(NamedTuple):
    """One that is open, with a topic of its own and what a reader must see of it in the end."""

    producer: TransactionalProducer
    topic: Topic
    group: str
    version: int


class CoordinatedData:
    """Everything from the first round to the last."""

    def __init__(self) -> None:
        self.rounds = 0
        self._offsets: dict[str, int] = {}
        self._values: dict[str, list[bytes]] = {}
        self._members: list[Member] = []
        self._consumers: list[Consumer] = []
        self._open: dict[str, Transaction] = {}

    def leave_behind(self, node: Node, *, only_going_on: bool = False) -> None:
        """One more round, through the broker on the node, which is to be stopped or killed right after this.

        With `only_going_on` all of its transactions go on at the next broker: none is decided or forgotten.
        """
        self.rounds += 1
        with clients(node) as broker:
            topic = broker.topic(f"read-{self.rounds}", partitions=4)
            group = coordinated_group(broker, f"simple-{self.rounds}")
            commit(broker, 9, group, (topic, 0, 100 + self.rounds), metadata="said")
            self._offsets[group] = 100 + self.rounds
            self._gather_members(broker, topic)
            if self.rounds == 1:
                TransactionalProducer(broker, "first")
                for name in (GROUP_TOPIC, TRANSACTION_TOPIC):
                    _configure(broker, name, SHORT_SEGMENTS)
            for version in (OLD, NEW):
                self._begin(broker, f"going-{version}", version)
                if not only_going_on:
                    self._begin(broker, f"to-commit-{version}", version)
                    self._begin(broker, f"to-abort-{version}", version)
                    self._begin(broker, f"forgotten-{version}", version, timeout_ms=SHORT_TIMEOUT_MS)

    def _gather_members(self, broker: Broker, topic: Topic) -> None:
        group = coordinated_group(broker, f"classic-{self.rounds}")
        times = {"session_timeout_ms": SESSION_MS, "rebalance_timeout_ms": SESSION_MS}
        self._members = [
            Member(broker, group, "a", instance="one", **times),
            Member(broker, group, "b", **times),
        ]
        settle_group(9, *self._members)
        group = coordinated_group(broker, f"consumer-{self.rounds}")
        self._consumers = [
            Consumer(broker, group, "a", topic, instance="one"),
            Consumer(broker, group, "b", topic),
        ]
        for consumer in self._consumers:
            consumer.join()
        deadline = time.monotonic() + 30
        while not self._have_settled():
            assert time.monotonic() < deadline, "the members of a consumer group get no partitions"
            for consumer in self._consumers:
                consumer.beat()
                consumer.take()

    def _have_settled(self) -> bool:
        counts = [sum(map(len, consumer.told.values())) for consumer in self._consumers]
        return counts == [2, 2] and len({consumer.epoch for consumer in self._consumers}) == 1

    def _begin(self, broker: Broker, name: str, version: int, timeout_ms: int = 600_000) -> None:
        """A transaction with two records and an offset."""
        topic = broker.topic(f"{name}-{self.rounds}")
        group = coordinated_group(broker, f"group-of-{name}-{self.rounds}")
        commit(broker, 9, group, (topic, 0, 5))
        self._offsets[group] = 5
        producer = TransactionalProducer(broker, f"{name}-{self.rounds}")
        producer.initialize(transaction_timeout_ms=timeout_ms)
        if version == OLD:
            producer.add(3, (topic, 0))
            producer.add_offsets(3, group)
        producer.produce(topic, b"one", b"two", version=11 if version == OLD else 13)
        producer.commit_offsets(4 if version == OLD else 5, group, (topic, 0, 7))
        self._open[name] = Transaction(producer, topic, group, version)
        self._values[topic.name] = []

    # -- between brokers --------------------------------------------------------------------------------------------

    def decide(self, data: Path) -> None:
        """What a broker writes before it tells anybody: some of the open transactions are to be committed or aborted."""
        for version in (OLD, NEW):
            for name, status in (("to-commit", PREPARE_COMMIT), ("to-abort", PREPARE_ABORT)):
                transaction = self._open[f"{name}-{version}"]
                _append_decision(data, transaction.producer.transactional_id, status, version)

    # -- at the next broker -----------------------------------------------------------------------------------------

    def go_on(self, node: Node) -> None:
        """All that was left behind is there, and comes to its end."""
        with clients(node) as broker:
            self._wait_until_loaded(broker)
            self._check_members(broker)
            self._check_consumers(broker)
            self._check_unstable(broker)
            for version in (OLD, NEW):
                self._end_what_goes_on(broker, version)
                if f"forgotten-{version}" in self._open:
                    self._see_what_was_decided(broker, version)
                    self._see_what_was_forgotten(broker, version)
            self.check(node)

    def check(self, node: Node) -> None:
        """What has come to an end in any round is still as it was."""
        with clients(node) as broker:
            _compare(self._committed(broker), self._offsets)
            _compare({name: committed_values(node.port, name) for name in self._values}, self._values)

    def _committed(self, broker: Broker) -> dict[str, int]:
        rows = [OffsetFetchRequestGroup(group_id=group, topics=None) for group in self._offsets]
        answer = broker.ask(OffsetFetchRequest(groups=rows, require_stable=True))
        return {row.group_id: row.topics[0].partitions[0].committed_offset for row in answer.groups}

    def _wait_until_loaded(self, broker: Broker) -> None:
        broker.until(
            DescribeGroupsRequest(groups=[self._members[0].group]), lambda answer: not error_in(answer)
        )
        name = self._open[f"going-{NEW}"].producer.transactional_id
        broker.until(
            DescribeTransactionsRequest(transactional_ids=[name]), lambda answer: not error_in(answer)
        )

    def _check_members(self, broker: Broker) -> None:
        group = self._members[0].group
        (described,) = broker.ask(DescribeGroupsRequest(groups=[group])).groups
        assert described.group_state == "Stable"
        assert {
            (row.member_id, row.group_instance_id, row.member_assignment) for row in described.members
        } == {(member.id, member.instance, b"of " + member.protocols[0][1]) for member in self._members}
        for member in self._members:
            member.move_to(broker)
            member.heartbeat()
            assert member.sync().assignment == b"of " + member.protocols[0][1]
        for member in self._members:
            member.leave()

    def _check_consumers(self, broker: Broker) -> None:
        (described,) = broker.ask(ConsumerGroupDescribeRequest(group_ids=[self._consumers[0].group])).groups
        assert described.group_state == "Stable"
        shown = {
            row.member_id: (row.member_epoch, row.instance_id, _partitions(row.assignment))
            for row in described.members
        }
        assert shown == {
            consumer.id: (consumer.epoch, consumer.instance, consumer.told) for consumer in self._consumers
        }
        for consumer in self._consumers:
            consumer.broker = broker
            epoch = consumer.epoch
            consumer.send(topic_partitions=owned(consumer.told))
            assert consumer.epoch == epoch
        for consumer in self._consumers:
            consumer.leave(epoch=-1)

    def _check_unstable(self, broker: Broker) -> None:
        """Nobody is told an offset whose transaction is open, unless it has been there before and is asked for as it is."""
        transaction = self._open[f"going-{NEW}"]
        row = OffsetFetchRequestGroup(group_id=transaction.group, topics=None)
        codes = []
        broker.until(
            OffsetFetchRequest(groups=[row], require_stable=True),
            lambda answer: codes.append(answer.groups[0].topics[0].partitions[0].error_code) or True,
        )
        assert codes == [ErrorCode.UNSTABLE_OFFSET_COMMIT]
        assert committed_values(broker.port, transaction.topic.name) == []

    def _end_what_goes_on(self, broker: Broker, version: int) -> None:
        producer, topic, group, _ = self._open.pop(f"going-{version}")
        producer.broker = broker
        producer.produce(topic, b"three", version=11 if version == OLD else 13)
        producer.end(version, committed=True)
        self._values[topic.name] = [b"one", b"two", b"three"]
        self._offsets[group] = 7

    def _see_what_was_decided(self, broker: Broker, version: int) -> None:
        for name, committed in (("to-commit", True), ("to-abort", False)):
            producer, topic, group, _ = self._open.pop(f"{name}-{version}")
            producer.broker = broker
            producer.wait_for_states("CompleteCommit" if committed else "CompleteAbort")
            # Its answer was lost, so the producer asks again; then it goes on.
            producer.end(version, committed=committed)
            if committed:
                self._values[topic.name] = [b"one", b"two"]
                self._offsets[group] = 7
            if version == OLD:
                producer.add(3, (topic, 0))
            producer.produce(topic, b"next", version=11 if version == OLD else 13)
            producer.end(version, committed=True)
            self._values[topic.name].append(b"next")

    def _see_what_was_forgotten(self, broker: Broker, version: int) -> None:
        producer, *_ = self._open.pop(f"forgotten-{version}")
        producer.broker = broker
        producer.wait_for_states("CompleteAbort")
        producer.initialize()


def _compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    names = found.keys() | expected.keys()
    wrong = {name: (found.get(name), expected.get(name)) for name in names}
    assert found == expected, {name: pair for name, pair in wrong.items() if pair[0] != pair[1]}


def _partitions(assignment: Any) -> dict[bytes, list[int]]:
    return {row.topic_id: row.partitions for row in assignment.topic_partitions}


def _configure(broker: Broker, topic: str, configs: dict[str, str]) -> None:
    given = [AlterableConfig(name=name, value=value) for name, value in configs.items()]
    resource = AlterConfigsResource(resource_type=TOPIC_RESOURCE, resource_name=topic, configs=given)
    broker.ask(IncrementalAlterConfigsRequest(resources=[resource]))


def _segments(data: Path, topic: str) -> list[Path]:
    return sorted((data / f"{topic}-0").glob("*.log"))


def offsets_in(data: Path, topic: str) -> list[int]:
    """Of all records that are in an internal topic."""
    found = []
    for segment in _segments(data, topic):
        content = segment.read_bytes()
        for position, header in iter_headers(content):
            found += [record.offset for record in read_records(content[position : position + header.size])]
    return found


def _append_decision(data: Path, transactional_id: str, status: int, version: int) -> None:
    """The next state of a transaction, behind all that is in the log."""
    newest: KeyedRecord | None = None
    decode = decoder(TRANSACTION_RECORDS)
    for segment in _segments(data, TRANSACTION_TOPIC):
        content = segment.read_bytes()
        for position, header in iter_headers(content):
            for record in read_records(content[position : position + header.size]):
                assert record.key is not None
                found = decode(record.key, record.value)
                if found is not None and found.key.transactional_id == transactional_id:
                    newest = found
    assert newest is not None
    value = newest.value
    assert isinstance(value, TransactionLogValue)
    value.transaction_status = status
    if version == NEW:
        value.client_transaction_version = EPOCHS_CHANGE_SINCE
        value.producer_epoch += 1
    record = Record(-1, value.transaction_last_update_timestamp_ms, encode_key(newest), encode_value(newest))
    batch = build_batch([record])
    stamp(batch, 0, header.next_offset, header.leader_epoch)
    with segment.open("ab") as file:
        file.write(batch)
