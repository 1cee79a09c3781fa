"""A transactional producer that says exactly what a test wants, in the versions that a test wants."""

from collections.abc import Sequence

from tests.broker.raw_client import RawClient, batch

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
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from snakka.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from snakka.protocol.uuids import ZERO_UUID

TRANSACTION = 1
# The last versions of clients that play by the older rules, and the first of those of version 2.
OLD_PRODUCE, OLD_END, OLD_ADD = 11, 4, 3
NEW_PRODUCE, NEW_END = 12, 5

TopicPartition = tuple[str, int]


def name_of(code: int) -> str:
    return ErrorCode(code).name


class TransactionClient:
    """One transactional id over one connection. `who` is what the broker said last."""

    def __init__(self, client: RawClient, transactional_id: str, *, is_old: bool = False) -> None:
        self.client = client
        self.transactional_id = transactional_id
        self.is_old = is_old
        self.who = Producer(-1, -1)
        self.sequences: dict[TopicPartition, int] = {}

    async def find(self) -> None:
        """Whoever looks for the coordinator first brings it into being."""
        request = FindCoordinatorRequest(key_type=TRANSACTION, coordinator_keys=[self.transactional_id])
        (found,) = (await self.client.ask(request)).coordinators
        assert name_of(found.error_code) == "NONE"

    async def init(
        self, *, version: int | None = None, timeout_ms: int = 60_000, expected: Producer | None = None
    ) -> str:
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id, transaction_timeout_ms=timeout_ms
        )
        if expected is not None:
            request.producer_id, request.producer_epoch = expected
        answer = await self.client.ask(request, version)
        if not answer.error_code:
            self.who = Producer(answer.producer_id, answer.producer_epoch)
            self.sequences.clear()
        return name_of(answer.error_code)

    async def add(self, *partitions: TopicPartition, version: int = OLD_ADD, who: Producer | None = None):
        """The errors of the partitions, in order."""
        who = who or self.who
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=who.producer_id,
            v3_and_below_producer_epoch=who.epoch,
            v3_and_below_topics=topics_of(partitions),
        )
        answer = await self.client.ask(request, version)
        return [
            name_of(row.partition_error_code)
            for topic in answer.results_by_topic_v3_and_below
            for row in topic.results_by_partition
        ]

    async def add_offsets(self, group: str, version: int | None = None) -> str:
        request = AddOffsetsToTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.who.producer_id,
            producer_epoch=self.who.epoch,
            group_id=group,
        )
        return name_of((await self.client.ask(request, version)).error_code)

    async def produce(
        self,
        topic: str,
        *values: bytes,
        partition: int = 0,
        version: int | None = None,
        who: Producer | None = None,
        sequence: int | None = None,
        acks: int = -1,
    ) -> str:
        request = self.produce_request([(topic, partition)], *values, who=who, sequence=sequence, acks=acks)
        answer = await self.client.ask(request, version or self.produce_version)
        row = answer.responses[0].partition_responses[0]
        if not row.error_code and who is None and sequence is None:
            place = (topic, partition)
            self.sequences[place] = self.sequences.get(place, 0) + len(values)
        return name_of(row.error_code)

    @property
    def produce_version(self) -> int:
        return OLD_PRODUCE if self.is_old else NEW_PRODUCE

    def produce_request(
        self,
        partitions: Sequence[TopicPartition],
        *values: bytes,
        who: Producer | None = None,
        sequence: int | None = None,
        acks: int = -1,
    ) -> ProduceRequest:
        who = who or self.who
        rows: dict[str, TopicProduceData] = {}
        for topic, index in partitions:
            row = rows.setdefault(
                topic, TopicProduceData(name=topic, topic_id=self.client.topic_ids.get(topic, ZERO_UUID))
            )
            records = batch(
                *values,
                is_transactional=True,
                producer_id=who.producer_id,
                producer_epoch=who.epoch,
                base_sequence=self.sequences.get((topic, index), 0) if sequence is None else sequence,
            )
            row.partition_data.append(PartitionProduceData(index=index, records=records))
        return ProduceRequest(
            acks=acks,
            timeout_ms=10_000,
            transactional_id=self.transactional_id,
            topic_data=list(rows.values()),
        )

    def end_request(self, commit: bool, who: Producer | None = None) -> EndTxnRequest:
        who = who or self.who
        return EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=who.producer_id,
            producer_epoch=who.epoch,
            committed=commit,
        )

    async def end(
        self, commit: bool = True, *, version: int | None = None, who: Producer | None = None
    ) -> str:
        if version is None:
            version = OLD_END if self.is_old else NEW_END
        answer = await self.client.ask(self.end_request(commit, who), version)
        if not answer.error_code and version >= NEW_END:
            who_now = Producer(answer.producer_id, answer.producer_epoch)
            if who_now != self.who:
                self.sequences.clear()
            self.who = who_now
        return name_of(answer.error_code)

    async def describe(self):
        request = DescribeTransactionsRequest(transactional_ids=[self.transactional_id])
        (row,) = (await self.client.ask(request)).transaction_states
        return row

    async def state(self) -> str:
        row = await self.describe()
        return row.transaction_state or name_of(row.error_code)


def topics_of(partitions: Sequence[TopicPartition]) -> list[AddPartitionsToTxnTopic]:
    topics: dict[str, AddPartitionsToTxnTopic] = {}
    for topic, index in partitions:
        topics.setdefault(topic, AddPartitionsToTxnTopic(name=topic)).partitions.append(index)
    return list(topics.values())


def transaction_of(
    transactional_id: str, who: Producer, *partitions: TopicPartition, verify_only: bool = False
) -> AddPartitionsToTxnTransaction:
    """As a broker asks for a client."""
    return AddPartitionsToTxnTransaction(
        transactional_id=transactional_id,
        producer_id=who.producer_id,
        producer_epoch=who.epoch,
        verify_only=verify_only,
        topics=topics_of(partitions),
    )


def marker_request(
    who: Producer,
    *partitions: TopicPartition,
    commit: bool = True,
    coordinator_epoch: int = 0,
    transaction_version: int = 0,
) -> WriteTxnMarkersRequest:
    topics: dict[str, WritableTxnMarkerTopic] = {}
    for topic, index in partitions:
        topics.setdefault(topic, WritableTxnMarkerTopic(name=topic)).partition_indexes.append(index)
    marker = WritableTxnMarker(
        producer_id=who.producer_id,
        producer_epoch=who.epoch,
        transaction_result=commit,
        topics=list(topics.values()),
        coordinator_epoch=coordinator_epoch,
        transaction_version=transaction_version,
    )
    return WriteTxnMarkersRequest(markers=[marker])


async def write_marker(client: RawClient, who: Producer, *partitions: TopicPartition, **fields: object):
    """The errors of the partitions, in order."""
    answer = await client.ask(marker_request(who, *partitions, **fields))
    (marker,) = answer.markers
    assert marker.producer_id == who.producer_id
    return [name_of(row.error_code) for topic in marker.topics for row in topic.partitions]


async def committed(client: RawClient, topic: str, offset: int = 0, **fields: object):
    """What a reader of committed records gets."""
    return await client.fetch(topic, offset, isolation_level=1, **fields)
