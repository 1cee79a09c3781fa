"""TxnOffsetCommit, and what OffsetFetch and OffsetDelete say of offsets whose transaction has not ended."""

from typing import Any

from tests.kafka.cases.committed_offset_cases import (
    COMMIT_VERSION,
    NAMELESS,
    STRANGER,
    commit,
    coordinated_group,
    delete,
    fetch,
)
from tests.kafka.cases.transactional_producers import COMMIT_ADDS, TransactionalProducer
from tests.kafka.referee import Broker, case

from snakka.coordination.decision import Producer
from snakka.protocol.messages.delete_groups import DeleteGroupsRequest
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from snakka.protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

FETCH_VERSION = 9


def add(producer: TransactionalProducer, group: str, version: int) -> None:
    """Older clients say that the group's offsets belong to the transaction before they commit them."""
    if version < COMMIT_ADDS:
        producer.add_offsets(3, group)


def end(producer: TransactionalProducer, group: str, *, committed: bool, version: int) -> None:
    """And wait until the group knows."""

    def is_stable(answer: Any) -> bool:
        rows = [partition for topic in answer.groups[0].topics for partition in topic.partitions]
        return not any(row.error_code for row in rows)

    producer.end(5 if version >= COMMIT_ADDS else 4, committed=committed)
    row = OffsetFetchRequestGroup(group_id=group, topics=None)
    producer.broker.until(OffsetFetchRequest(groups=[row], require_stable=True), is_stable)


@case(TxnOffsetCommitRequest)
def offsets_of_transactions(broker: Broker, version: int) -> None:
    group, one, two = coordinated_group(broker), broker.topic("one", 2), broker.topic("two")
    commit(broker, COMMIT_VERSION, group, (one, 0, 1), (one, 1, 2), (two, 0, 3))
    producer = TransactionalProducer(broker)
    for committed in (True, False, True):
        add(producer, group, version)
        producer.commit_offsets(version, group, (one, 0, 10), (two, 0, 20), metadata=None)
        producer.commit_offsets(version, group, (one, 0, 11))
        asked = {one: [0, 1], two: [0]}
        fetch(broker, FETCH_VERSION, group, asked=asked, require_stable=True)
        fetch(broker, FETCH_VERSION, group, require_stable=True)
        fetch(broker, FETCH_VERSION, group)
        end(producer, group, committed=committed, version=version)
        fetch(broker, FETCH_VERSION, group, require_stable=True)


@case(TxnOffsetCommitRequest)
def plain_commits_and_deletions_in_the_midst_of_a_transaction(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic("topic", 3)
    producer = TransactionalProducer(broker)
    add(producer, group, version)
    producer.commit_offsets(version, group, (topic, 0, 10), (topic, 1, 20), (topic, 2, 30))
    broker.ask(DescribeGroupsRequest(groups=[group]))
    commit(broker, COMMIT_VERSION, group, (topic, 0, 5))
    delete(broker, group, (topic, 1))
    fetch(broker, FETCH_VERSION, group, asked={topic: [0, 1, 2]}, require_stable=True)
    end(producer, group, committed=True, version=version)
    fetch(broker, FETCH_VERSION, group, asked={topic: [0, 1, 2]}, require_stable=True)
    producer.initialize()
    add(producer, group, version)
    producer.commit_offsets(version, group, (topic, 0, 10))
    broker.ask(DeleteGroupsRequest(groups_names=[group]))
    fetch(broker, FETCH_VERSION, group, asked={topic: [0, 1, 2]}, require_stable=True)
    end(producer, group, committed=True, version=version)
    fetch(broker, FETCH_VERSION, group, asked={topic: [0, 1, 2]}, require_stable=True)


@case(TxnOffsetCommitRequest)
def transactional_commits_that_are_refused(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic("topic", 2)
    producer = TransactionalProducer(broker)
    who = producer.who
    producer.commit_offsets(version, group, (topic, 0, 1), who=Producer(who.producer_id, who.epoch + 1))
    producer.commit_offsets(version, group, (topic, 0, 1), who=Producer(who.producer_id + 10_000, 0))
    producer.commit_offsets(version, group, (topic, 0, 1), name=broker.name("nobody"))
    producer.commit_offsets(version, group, (STRANGER, 0, 1), (NAMELESS, 0, 1))
    producer.commit_offsets(version, group, (topic, 9, 1))
    producer.commit_offsets(version, "", (topic, 0, 1), (topic, 9, 1))
    producer.commit_offsets(version, group)
    if version < COMMIT_ADDS:
        producer.commit_offsets(version, group, (topic, 0, 1))
    add(producer, group, version)
    if version >= 3:
        for generation, member in ((0, "m"), (5, ""), (-1, "m"), (0, "")):
            producer.commit_offsets(version, group, (topic, 0, 1), generation_id=generation, member_id=member)
    rows = ((topic, 0, 1), (STRANGER, 0, 1), (topic, 9, 1))
    producer.commit_offsets(version, group, *rows, metadata="x" * 4097)
    producer.initialize()
    producer.commit_offsets(version, group, (topic, 0, 1), who=who)
