"""TxnOffsetCommit, and what OffsetFetch and OffsetDelete say of offsets whose transaction has not ended."""

from typing import Any

from tests.kafka.cases.committed_offset_cases import (
    COMMIT_VERSION,
    NAMELESS,
    STRANGER,
    Offset,
    commit,
    coordinated_group,
    delete,
    fetch,
)
from tests.kafka.referee import Broker, case

from snakka.coordination.decision import Producer
from snakka.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from snakka.protocol.messages.delete_groups import DeleteGroupsRequest
from snakka.protocol.messages.describe_groups import DescribeGroupsRequest
from snakka.protocol.messages.end_txn import EndTxnRequest
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from snakka.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

TRANSACTION = 1
ADDS_BY_ITSELF = 5
FETCH_VERSION = 9


class TransactionalProducer:
    """One transactional id, with the id and epoch that the broker gave it last."""

    def __init__(self, broker: Broker, text: str = "producer") -> None:
        self.broker = broker
        self.transactional_id = broker.name(text)
        key = FindCoordinatorRequest(key_type=TRANSACTION, coordinator_keys=[self.transactional_id])
        broker.until(key, lambda answer: not answer.coordinators[0].error_code)
        self.who = self.begin_anew()

    def begin_anew(self) -> Producer:
        answers: list[Any] = []

        def has_begun(answer: Any) -> bool:
            answers.append(answer)
            return not answer.error_code

        request = InitProducerIdRequest(transactional_id=self.transactional_id, transaction_timeout_ms=60_000)
        self.broker.until(request, has_begun)
        self.who = Producer(answers[-1].producer_id, answers[-1].producer_epoch)
        return self.who

    def add(self, group: str, version: int) -> None:
        """Older clients say that the group's offsets belong to the transaction before they commit them."""
        if version < ADDS_BY_ITSELF:
            request = AddOffsetsToTxnRequest(
                transactional_id=self.transactional_id,
                producer_id=self.who.producer_id,
                producer_epoch=self.who.epoch,
                group_id=group,
            )
            self.broker.until(request, lambda answer: not answer.error_code)

    def commit_offsets(
        self,
        version: int,
        group: str,
        *offsets: Offset,
        metadata: str | None = "",
        who: Producer | None = None,
        transactional_id: str | None = None,
        **fields: Any,
    ) -> None:
        who = who or self.who
        rows: dict[str, TxnOffsetCommitRequestTopic] = {}
        for topic, index, offset in offsets:
            row = rows.setdefault(topic.name, TxnOffsetCommitRequestTopic(name=topic.name))
            row.partitions.append(
                TxnOffsetCommitRequestPartition(
                    partition_index=index, committed_offset=offset, committed_metadata=metadata
                )
            )
        request = TxnOffsetCommitRequest(
            transactional_id=self.transactional_id if transactional_id is None else transactional_id,
            group_id=group,
            producer_id=who.producer_id,
            producer_epoch=who.epoch,
            topics=list(rows.values()),
            **fields,
        )
        self.broker.ask(request, version)

    def end(self, group: str, *, committed: bool, version: int) -> None:
        """And wait until the group knows."""
        request = EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.who.producer_id,
            producer_epoch=self.who.epoch,
            committed=committed,
        )
        answer = self.broker.ask(request, 5 if version >= ADDS_BY_ITSELF else 4)
        if version >= ADDS_BY_ITSELF and not answer.error_code:
            self.who = Producer(answer.producer_id, answer.producer_epoch)
        row = OffsetFetchRequestGroup(group_id=group, topics=None)
        self.broker.until(
            OffsetFetchRequest(groups=[row], require_stable=True),
            lambda told: (
                not any(
                    partition.error_code for topic in told.groups[0].topics for partition in topic.partitions
                )
            ),
        )


@case(TxnOffsetCommitRequest, ignored=("producer_id",))
def offsets_of_transactions(broker: Broker, version: int) -> None:
    group, one, two = coordinated_group(broker), broker.topic("one", 2), broker.topic("two")
    commit(broker, COMMIT_VERSION, group, (one, 0, 1), (one, 1, 2), (two, 0, 3))
    producer = TransactionalProducer(broker)
    for committed in (True, False, True):
        producer.add(group, version)
        producer.commit_offsets(version, group, (one, 0, 10), (two, 0, 20), metadata=None)
        producer.commit_offsets(version, group, (one, 0, 11))
        asked = {one: [0, 1], two: [0]}
        fetch(broker, FETCH_VERSION, group, asked=asked, require_stable=True)
        fetch(broker, FETCH_VERSION, group, require_stable=True)
        fetch(broker, FETCH_VERSION, group)
        producer.end(group, committed=committed, version=version)
        fetch(broker, FETCH_VERSION, group, require_stable=True)


@case(TxnOffsetCommitRequest, ignored=("producer_id",))
def plain_commits_and_deletions_in_the_midst_of_a_transaction(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic("topic", 3)
    producer = TransactionalProducer(broker)
    producer.add(group, version)
    producer.commit_offsets(version, group, (topic, 0, 10), (topic, 1, 20), (topic, 2, 30))
    broker.ask(DescribeGroupsRequest(groups=[group]))
    commit(broker, COMMIT_VERSION, group, (topic, 0, 5))
    delete(broker, group, (topic, 1))
    fetch(broker, FETCH_VERSION, group, asked={topic: [0, 1, 2]}, require_stable=True)
    producer.end(group, committed=True, version=version)
    fetch(broker, FETCH_VERSION, group, asked={topic: [0, 1, 2]}, require_stable=True)
    producer.begin_anew()
    producer.add(group, version)
    producer.commit_offsets(version, group, (topic, 0, 10))
    broker.ask(DeleteGroupsRequest(groups_names=[group]))
    fetch(broker, FETCH_VERSION, group, asked={topic: [0, 1, 2]}, require_stable=True)
    producer.end(group, committed=True, version=version)
    fetch(broker, FETCH_VERSION, group, asked={topic: [0, 1, 2]}, require_stable=True)


@case(TxnOffsetCommitRequest)
def transactional_commits_that_are_refused(broker: Broker, version: int) -> None:
    group, topic = coordinated_group(broker), broker.topic("topic", 2)
    producer = TransactionalProducer(broker)
    who = producer.who
    producer.commit_offsets(version, group, (topic, 0, 1), who=Producer(who.producer_id, who.epoch + 1))
    producer.commit_offsets(version, group, (topic, 0, 1), who=Producer(who.producer_id + 10_000, 0))
    producer.commit_offsets(version, group, (topic, 0, 1), transactional_id=broker.name("nobody"))
    producer.commit_offsets(version, group, (STRANGER, 0, 1), (NAMELESS, 0, 1))
    producer.commit_offsets(version, group, (topic, 9, 1))
    producer.commit_offsets(version, "", (topic, 0, 1), (topic, 9, 1))
    producer.commit_offsets(version, group)
    if version < ADDS_BY_ITSELF:
        producer.commit_offsets(version, group, (topic, 0, 1))
    producer.add(group, version)
    if version >= 3:
        for generation, member in ((0, "m"), (5, ""), (-1, "m"), (0, "")):
            producer.commit_offsets(version, group, (topic, 0, 1), generation_id=generation, member_id=member)
    rows = ((topic, 0, 1), (STRANGER, 0, 1), (topic, 9, 1))
    producer.commit_offsets(version, group, *rows, metadata="x" * 4097)
    producer.begin_anew()
    producer.commit_offsets(version, group, (topic, 0, 1), who=who)
