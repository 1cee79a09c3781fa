"""Transactions and the producers in partitions: see them, end those that were handed over or hang, and fence producers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, failure, outcome
from snakka.client.broker_pool import Purpose
from snakka.client.coordinators import CoordinatorKind
from snakka.client.errors import ClientError
from snakka.client.open_transaction import OpenTransaction
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    TopicRequest,
)
from snakka.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)
from snakka.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from snakka.protocol.messages.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from snakka.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

NOT_OPEN = -1
_ANY_DURATION = -1
# A producer that is only fenced makes no transaction, so it needs no time for one.
_FENCING_TIMEOUT_MS = 1
# From this transaction.version on an end brings another epoch, and is asked for in a later version (KIP-890).
_FEATURE = "transaction.version"
_EPOCH_A_TRANSACTION = 2
_LAST_END_IN_EPOCH = 4


@dataclass(frozen=True, slots=True)
class TransactionListing:
    """One transactional id in a list."""

    transactional_id: str
    producer_id: int
    state: str
    coordinator_id: int


@dataclass(frozen=True, slots=True)
class TransactionDescription:
    """What the coordinator knows of a transactional id. The start is -1 if no transaction is open."""

    transactional_id: str
    coordinator_id: int
    state: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    start_ms: int
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class ActiveProducer:
    """A producer that a partition's leader remembers; the offset is where its open transaction begins, or -1."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp_ms: int
    coordinator_epoch: int
    transaction_start_offset: int


@dataclass(frozen=True, slots=True)
class FencedProducer:
    """The producer id and epoch from which on others of the same transactional id are refused."""

    producer_id: int
    producer_epoch: int


class TransactionAdmin(AdminCalls):
    """What can be done to transactions and producers."""

    async def list_transactions(
        self,
        *,
        states: Iterable[str] = (),
        producer_ids: Iterable[int] = (),
        longer_than_ms: int = _ANY_DURATION,
        pattern: str | None = None,
        timeout_ms: int | None = None,
    ) -> list[TransactionListing]:
        """The transactional ids of all coordinators, or those that all of the conditions fit to.

        >>> await admin.list_transactions(states=["Ongoing"])
        []
        """
        deadline = self._deadline(timeout_ms)
        request = ListTransactionsRequest(
            state_filters=list(states),
            producer_id_filters=list(producer_ids),
            duration_filter=longer_than_ms,
            transactional_id_pattern=pattern,
        )
        answers = await self._every_broker(
            lambda node_id: self._ask_broker(node_id, request, ListTransactionsResponse, deadline), deadline
        )
        found = [
            TransactionListing(row.transactional_id, row.producer_id, row.transaction_state, node_id)
            for node_id, answer in answers.raise_for_errors().items()
            for row in answer.transaction_states
        ]
        return sorted(found, key=lambda listing: listing.transactional_id)

    async def describe_transactions(
        self, transactional_ids: Iterable[str], *, timeout_ms: int | None = None
    ) -> Outcomes[str, TransactionDescription]:
        """State, producer and partitions of transactional ids."""
        deadline = self._deadline(timeout_ms)

        async def ask(transactional_id: str) -> TransactionDescription:
            response = await self._ask_coordinator(
                CoordinatorKind.TRANSACTION,
                transactional_id,
                DescribeTransactionsRequest(transactional_ids=[transactional_id]),
                DescribeTransactionsResponse,
                deadline,
                rows=lambda answer: answer.transaction_states,
            )
            row = response.transaction_states[0]
            if row.error_code:
                raise failure(row.error_code, None, f"transactional id {transactional_id}")
            coordinator_id = self.coordinators.known(CoordinatorKind.TRANSACTION, transactional_id)
            return TransactionDescription(
                row.transactional_id,
                -1 if coordinator_id is None else coordinator_id,
                row.transaction_state,
                row.producer_id,
                row.producer_epoch,
                row.transaction_timeout_ms,
                row.transaction_start_time_ms,
                tuple(
                    TopicPartition(topic.topic, partition)
                    for topic in row.topics
                    for partition in topic.partitions
                ),
            )

        return await self._each_alone(transactional_ids, ask)

    async def fence_producers(
        self, transactional_ids: Iterable[str], *, timeout_ms: int | None = None
    ) -> Outcomes[str, FencedProducer]:
        """Refuse the producers that use these ids now, and abort their open transactions."""
        deadline = self._deadline(timeout_ms)

        async def ask(transactional_id: str) -> FencedProducer:
            request = InitProducerIdRequest(
                transactional_id=transactional_id, transaction_timeout_ms=_FENCING_TIMEOUT_MS
            )
            row = await self._ask_coordinator(
                CoordinatorKind.TRANSACTION, transactional_id, request, InitProducerIdResponse, deadline
            )
            return FencedProducer(row.producer_id, row.producer_epoch)

        return await self._each_alone(transactional_ids, ask)

    async def end_transactions(
        self,
        transactions: Iterable[OpenTransaction],
        *,
        commit: bool = True,
        timeout_ms: int | None = None,
    ) -> Outcomes[OpenTransaction, None]:
        """Commit, or abort, what producers have left open with `detach_transaction`.

        It may be asked again, also by others: what was ended so before is no error, as long as nobody has begun with the
        transactional id since. INVALID_TXN_STATE and PRODUCER_FENCED say that it was ended otherwise, or that somebody has.
        """
        deadline = self._deadline(timeout_ms)

        async def ask(transaction: OpenTransaction) -> None:
            transactional_id = transaction.transactional_id
            request = EndTxnRequest(
                transactional_id=transactional_id,
                producer_id=transaction.producer_id,
                producer_epoch=transaction.producer_epoch,
                committed=commit,
            )
            newest = await self._newest_end(transactional_id, deadline)
            try:
                await self._ask_coordinator(
                    CoordinatorKind.TRANSACTION,
                    transactional_id,
                    request,
                    EndTxnResponse,
                    deadline,
                    newest=newest,
                )
            except ApiError as error:
                what = f"{'committing' if commit else 'aborting'} what {transactional_id} left open"
                if error.code is ErrorCode.CONCURRENT_TRANSACTIONS:
                    what += ": its coordinator was not done with the last end or begin when the time was up"
                raise failure(error.code, error.message, what) from None

        return await self._each_alone(transactions, ask)

    async def _newest_end(self, transactional_id: str, deadline: float) -> int | None:
        """The newest version of EndTxn that goes with the transaction.version that the coordinator plays by."""

        async def features() -> Mapping[str, int]:
            where = (CoordinatorKind.TRANSACTION, transactional_id)
            node_id = await self.coordinators.find(*where, deadline)
            try:
                return (await self.cluster.pool.connection(node_id, deadline, Purpose.COORDINATOR)).features
            except ClientError:
                self.coordinators.forget(*where, node_id)
                raise

        level = (await self._retried(features, deadline)).get(_FEATURE, 0)
        return None if level >= _EPOCH_A_TRANSACTION else _LAST_END_IN_EPOCH

    async def abort_transaction(
        self, partition: TopicPartition, producer: ActiveProducer, *, timeout_ms: int | None = None
    ) -> None:
        """End a transaction that hangs in one partition, after its coordinator has forgotten it.

        `producer` is what `describe_producers` tells of it. For a transaction that its coordinator still knows this is
        wrong: use `fence_producers`.
        """
        deadline = self._deadline(timeout_ms)

        async def ask(leader_id: int, topics: Mapping[str, list[int]]) -> list[Row[TopicPartition, None]]:
            marker = WritableTxnMarker(
                producer_id=producer.producer_id,
                producer_epoch=producer.producer_epoch,
                coordinator_epoch=max(producer.coordinator_epoch, 0),
                transaction_result=False,
                topics=[
                    WritableTxnMarkerTopic(name=name, partition_indexes=indexes)
                    for name, indexes in topics.items()
                ],
            )
            request = WriteTxnMarkersRequest(markers=[marker])
            response = await self._ask_leader(leader_id, request, WriteTxnMarkersResponse, deadline)
            return [
                (key, outcome(None, row.error_code, None, f"aborting in {key}"))
                for each in response.markers
                for topic in each.topics
                for row in topic.partitions
                for key in (TopicPartition(topic.name, row.partition_index),)
            ]

        (await self._at_leaders([partition], ask, deadline)).raise_for_errors()

    async def describe_producers(
        self, partitions: Iterable[TopicPartition], *, timeout_ms: int | None = None
    ) -> Outcomes[TopicPartition, tuple[ActiveProducer, ...]]:
        """The producers that the leaders of partitions remember.

        >>> created = await admin.create_topic("orders")
        >>> (await admin.describe_producers([TopicPartition("orders", 0)]))[TopicPartition("orders", 0)]
        ()
        """
        deadline = self._deadline(timeout_ms)

        async def ask(
            leader_id: int, topics: Mapping[str, list[int]]
        ) -> list[Row[TopicPartition, tuple[ActiveProducer, ...]]]:
            request = DescribeProducersRequest(
                topics=[
                    TopicRequest(name=name, partition_indexes=indexes) for name, indexes in topics.items()
                ]
            )
            response = await self._ask_leader(leader_id, request, DescribeProducersResponse, deadline)
            return [
                (key, outcome(producers, row.error_code, row.error_message, str(key)))
                for topic in response.topics
                for row in topic.partitions
                for key in (TopicPartition(topic.name, row.partition_index),)
                for producers in (
                    tuple(
                        ActiveProducer(
                            each.producer_id,
                            each.producer_epoch,
                            each.last_sequence,
                            each.last_timestamp,
                            each.coordinator_epoch,
                            each.current_txn_start_offset,
                        )
                        for each in row.active_producers
                    ),
                )
            ]

        return await self._at_leaders(partitions, ask, deadline)
