"""Transactional producers as cases play them; what brokers give them, they remember."""

from collections.abc import Sequence
from typing import Any

from tests.kafka.cases.produce_cases import batch, produce_request
from tests.kafka.referee import Broker, Topic

from snakka.coordination.decision import Producer
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from snakka.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from snakka.protocol.messages.describe_transactions import DescribeTransactionsRequest
from snakka.protocol.messages.end_txn import EndTxnRequest
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

TRANSACTION = 1
# The first versions of clients that leave it to the broker to add what they write to, with new epochs for each transaction.
PRODUCE_ADDS, COMMIT_ADDS, END_RENEWS = 12, 5, 5
BATCHED_ADDING = 4
# The markers of the last transaction may still be on their way, or the ids that Kafka gives to new producers.
BUSY = frozenset({ErrorCode.CONCURRENT_TRANSACTIONS, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS})

# Topic, partition, offset.
Offset = tuple[Topic, int, int]
Place = tuple[Topic, int]


def transactional_id(broker: Broker, text: str = "producer") -> str:
    """A new one, when its coordinator is there."""
    name = broker.name(text)
    broker.until(
        FindCoordinatorRequest(key_type=TRANSACTION, coordinator_keys=[name]),
        lambda answer: not answer.coordinators[0].error_code,
    )
    broker.until(
        DescribeTransactionsRequest(transactional_ids=[name]),
        lambda answer: answer.transaction_states[0].error_code == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND,
    )
    return name


class TransactionalProducer:
    """One transactional id, with the producer id and epoch that the broker gave it last."""

    def __init__(self, broker: Broker, text: str = "producer") -> None:
        self.broker = broker
        self.transactional_id = transactional_id(broker, text)
        self.who = Producer(-1, -1)
        self._sequences: dict[Place, int] = {}
        self.initialize()

    def initialize(self, version: int = 5, **fields: Any) -> Any:
        """What is under way is aborted, and those who had the id before are out."""
        given = {"transactional_id": self.transactional_id, "transaction_timeout_ms": 600_000, **fields}
        answer = self.broker.ask(InitProducerIdRequest(**given), version, passing=BUSY)
        if not answer.error_code:
            self._renew(answer)
        return answer

    def _renew(self, answer: Any) -> None:
        self.who = Producer(answer.producer_id, answer.producer_epoch)
        self._sequences.clear()

    # -- what belongs to a transaction ------------------------------------------------------------------------------

    def add(self, version: int, *places: Place, who: Producer | None = None, **fields: Any) -> Any:
        """Partitions; `fields` are those of newer versions, in which only brokers ask."""
        who = who or self.who
        topics: dict[str, AddPartitionsToTxnTopic] = {}
        for topic, index in places:
            topics.setdefault(topic.name, AddPartitionsToTxnTopic(name=topic.name)).partitions.append(index)
        rows = list(topics.values())
        if version < BATCHED_ADDING:
            request = AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=self.transactional_id,
                v3_and_below_producer_id=who.producer_id,
                v3_and_below_producer_epoch=who.epoch,
                v3_and_below_topics=rows,
            )
        else:
            transaction = AddPartitionsToTxnTransaction(
                transactional_id=self.transactional_id,
                producer_id=who.producer_id,
                producer_epoch=who.epoch,
                topics=rows,
                **fields,
            )
            request = AddPartitionsToTxnRequest(transactions=[transaction])
        return self.broker.ask(request, version, passing=BUSY)

    def add_offsets(self, version: int, group: str, *, who: Producer | None = None) -> None:
        who = who or self.who
        request = AddOffsetsToTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=who.producer_id,
            producer_epoch=who.epoch,
            group_id=group,
        )
        self.broker.ask(request, version, passing=BUSY)

    def produce(
        self,
        topic: Topic,
        *values: bytes,
        partition: int = 0,
        version: int = PRODUCE_ADDS,
        who: Producer | None = None,
        sequence: int | None = None,
        name: str | None = "",
        **header: Any,
    ) -> Any:
        """Values in one batch, in the right place of the sequence unless told otherwise."""
        who = who or self.who
        place = (topic, partition)
        first = self._sequences.get(place, 0) if sequence is None else sequence
        fields = {"is_transactional": True, "base_sequence": first, **header}
        data = batch(*values, producer_id=who.producer_id, producer_epoch=who.epoch, **fields)
        request = produce_request(
            [(topic, partition, data)], transactional_id=self.transactional_id if name == "" else name
        )
        answer = self.broker.ask(request, version, passing=BUSY)
        if sequence is None and not answer.responses[0].partition_responses[0].error_code:
            self._sequences[place] = first + len(values)
        return answer

    def commit_offsets(
        self,
        version: int,
        group: str,
        *offsets: Offset,
        metadata: str | None = "",
        who: Producer | None = None,
        name: str | None = None,
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
            transactional_id=self.transactional_id if name is None else name,
            group_id=group,
            producer_id=who.producer_id,
            producer_epoch=who.epoch,
            topics=list(rows.values()),
            **fields,
        )
        self.broker.ask(request, version, passing=BUSY)

    # -- its end ----------------------------------------------------------------------------------------------------

    def end(self, version: int, *, committed: bool, who: Producer | None = None) -> Any:
        """When this returns, the markers are written."""
        who = who or self.who
        request = EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=who.producer_id,
            producer_epoch=who.epoch,
            committed=committed,
        )
        answer = self.broker.ask(request, version, passing=BUSY)
        if version >= END_RENEWS and not answer.error_code:
            self._renew(answer)
        self.wait_until_ended()
        return answer

    def wait_until_ended(self) -> None:
        self.wait_for_states("Empty", "Ongoing", "CompleteCommit", "CompleteAbort")

    def wait_for_states(self, *states: str) -> None:
        self.broker.until(
            DescribeTransactionsRequest(transactional_ids=[self.transactional_id]),
            lambda answer: answer.transaction_states[0].transaction_state in states,
        )

    def describe(self) -> None:
        self.broker.ask(DescribeTransactionsRequest(transactional_ids=[self.transactional_id]))


def describe_all(broker: Broker, producers: Sequence[TransactionalProducer]) -> None:
    names = [producer.transactional_id for producer in producers]
    broker.ask(DescribeTransactionsRequest(transactional_ids=names))
