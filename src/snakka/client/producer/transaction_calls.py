"""What a producer asks of its transaction coordinator, and of a group's: each call until it is carried out or refused.

Rule: every call may be made again. The coordinator knows by the producer's epoch what it has done already.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TypeVar

from snakka.client.broker_pool import Purpose
from snakka.client.cluster_view import ClusterView
from snakka.client.coordinators import CoordinatorKind, Coordinators
from snakka.client.errors import (
    AuthenticationError,
    ClientError,
    ProducerFencedError,
    RequestTimedOutError,
    TransactionAbortedError,
)
from snakka.client.group_metadata import GroupMetadata
from snakka.client.producer.sequences import Identity
from snakka.client.producer.transactions import IMPLICIT_VERSION, Verdict, verdict_of
from snakka.client.retry_policy import Pauses, is_retriable
from snakka.client.settings import ProducerSettings
from snakka.client.topic_partition import TopicPartition, by_topic
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.message import Message
from snakka.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from snakka.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from snakka.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from snakka.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)

# Whoever speaks a later version plays by transaction.version 2.
LAST_EXPLICIT_END = 4
LAST_EXPLICIT_OFFSETS = 4
# Later ones are for brokers.
_LAST_ADD_PARTITIONS = 3
_SOON_SECONDS = 0.02
_FEATURE = "transaction.version"

R = TypeVar("R", bound=Message)
Offset = tuple[int, str, int]  # the offset, what is said of it, and the leader epoch


class TransactionCalls:
    """The calls of one transactional id. Each raises TransactionAbortedError, ProducerFencedError or what is fatal."""

    def __init__(self, cluster: ClusterView, settings: ProducerSettings, transactional_id: str) -> None:
        self.transactional_id = transactional_id
        self._cluster = cluster
        self._settings = settings
        self._coordinators = Coordinators(cluster)

    async def version(self, deadline: float) -> int:
        """The transaction.version that the coordinator plays by."""
        key = self.transactional_id
        pauses = Pauses(self._cluster.clock, deadline, self._cluster.backoff)
        while True:
            try:
                node_id = await self._coordinators.find(CoordinatorKind.TRANSACTION, key, deadline)
                connection = await self._cluster.pool.connection(node_id, deadline, Purpose.COORDINATOR)
            except ClientError as error:
                self._coordinators.forget(CoordinatorKind.TRANSACTION, key)
                if not is_retriable(error):
                    raise
                await pauses.wait(error)
            else:
                return connection.features.get(_FEATURE, 0)

    async def init(self, identity: Identity | None, deadline: float) -> Identity:
        """An identity that fences all before it; of `identity` the next epoch, if nobody else has begun (KIP-360)."""
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id,
            transaction_timeout_ms=self._settings.transaction_timeout_ms,
            enable_2pc=self._settings.transaction_two_phase_commit_enable,
        )
        if identity is not None:
            request.producer_id, request.producer_epoch = identity
        response = await self._ask(request, InitProducerIdResponse, "begin with transactions", deadline)
        return Identity(response.producer_id, response.producer_epoch)

    async def add_partitions(
        self, identity: Identity, partitions: Sequence[TopicPartition], deadline: float
    ) -> None:
        """Make partitions a part of the transaction, before transaction.version 2."""
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=identity.producer_id,
            v3_and_below_producer_epoch=identity.epoch,
            v3_and_below_topics=[
                AddPartitionsToTxnTopic(name=topic, partitions=indexes)
                for topic, indexes in by_topic(partitions).items()
            ],
        )
        await self._ask(
            request, AddPartitionsToTxnResponse, "write", deadline, highest_version=_LAST_ADD_PARTITIONS
        )

    async def add_group(self, identity: Identity, group_id: str, deadline: float) -> None:
        """Make a group's offsets a part of the transaction, before transaction.version 2."""
        request = AddOffsetsToTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=identity.producer_id,
            producer_epoch=identity.epoch,
            group_id=group_id,
        )
        await self._ask(request, AddOffsetsToTxnResponse, "send offsets", deadline)

    async def commit_offsets(
        self,
        identity: Identity,
        version: int,
        offsets: Mapping[TopicPartition, Offset],
        group: GroupMetadata,
        deadline: float,
    ) -> None:
        """Offsets that count if the transaction is committed."""
        request = TxnOffsetCommitRequest(
            transactional_id=self.transactional_id,
            producer_id=identity.producer_id,
            producer_epoch=identity.epoch,
            group_id=group.group_id,
            generation_id=group.generation_id,
            member_id=group.member_id,
            group_instance_id=group.group_instance_id,
            topics=_offset_rows(offsets),
        )
        await self._ask(
            request,
            TxnOffsetCommitResponse,
            "send offsets",
            deadline,
            group_id=group.group_id,
            highest_version=None if version >= IMPLICIT_VERSION else LAST_EXPLICIT_OFFSETS,
        )

    async def end(
        self, identity: Identity, version: int, is_committed: bool, deadline: float
    ) -> Identity | None:
        """Commit or abort; the identity of the next transaction if it is another one."""
        request = EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=identity.producer_id,
            producer_epoch=identity.epoch,
            committed=is_committed,
        )
        response = await self._ask(
            request,
            EndTxnResponse,
            "commit" if is_committed else "abort",
            deadline,
            highest_version=None if version >= IMPLICIT_VERSION else LAST_EXPLICIT_END,
        )
        if response.producer_id < 0:
            return None
        return Identity(response.producer_id, response.producer_epoch)

    # -- how ------------------------------------------------------------------------------------------------------

    async def _ask(
        self,
        request: Message,
        kind: type[R],
        what: str,
        deadline: float,
        *,
        group_id: str | None = None,
        highest_version: int | None = None,
    ) -> R:
        """Until the coordinator has carried it out, or says that it can't be."""
        clock = self._cluster.clock
        pauses = Pauses(clock, deadline, self._cluster.backoff)
        where = (CoordinatorKind.TRANSACTION, self.transactional_id)
        if group_id is not None:
            where = (CoordinatorKind.GROUP, group_id)
        while True:
            try:
                response = await self._attempt(where, request, kind, deadline, highest_version)
            except (ClientError, ApiError) as error:
                if not is_retriable(error):
                    raise
                await pauses.wait(_late(what, error))
                continue
            code = _worst(response)
            verdict = verdict_of(code)
            if verdict is Verdict.DONE:
                return response
            failure = self._error(verdict, code, what)
            if verdict in (Verdict.DOOMED, Verdict.FENCED, Verdict.FATAL):
                raise failure
            if verdict is Verdict.ELSEWHERE:
                self._coordinators.forget(*where)
            if verdict is not Verdict.SOON:
                await pauses.wait(_late(what, failure))
            elif clock.monotonic() + _SOON_SECONDS < deadline:
                await asyncio.sleep(_SOON_SECONDS)
            else:
                raise _late(what, failure)

    async def _attempt(
        self,
        where: tuple[CoordinatorKind, str],
        request: Message,
        kind: type[R],
        deadline: float,
        highest_version: int | None,
    ) -> R:
        pool = self._cluster.pool
        node_id = await self._coordinators.find(*where, deadline)
        try:
            connection = await pool.connection(node_id, deadline, Purpose.COORDINATOR)
            version = connection.highest_version(request.API_KEY)
            if highest_version is not None:
                version = min(version, highest_version)
            return await pool.ask_on(connection, request, kind, deadline, version=version)
        except ClientError as error:
            if not isinstance(error, AuthenticationError):
                self._coordinators.forget(*where, node_id)
            raise

    def _error(self, verdict: Verdict, code: int, what: str) -> ClientError | ApiError:
        name = ErrorCode(code).name
        if verdict is Verdict.FENCED:
            return ProducerFencedError(
                f"can't {what}: another producer with transactional.id={self.transactional_id} has begun ({name});"
                " stop this one, or give each its own id"
            )
        if verdict is Verdict.DOOMED:
            return TransactionAbortedError(
                f"can't {what}: {_DOOM.get(ErrorCode(code), 'the coordinator refuses it')} ({name}); abort the"
                " transaction and try it again as a whole"
            )
        return ApiError(
            ErrorCode(code), f"can't {what}: {_FATAL.get(ErrorCode(code), 'the coordinator says no')}"
        )


def _late(what: str, error: ClientError | ApiError) -> RequestTimedOutError:
    return RequestTimedOutError(f"could not {what} in time: {error}")


_DOOM = {
    ErrorCode.INVALID_TXN_STATE: "it is not open any more, perhaps it took longer than transaction.timeout.ms",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "a topic may not be written to by this client: it needs an ACL for Write",
    ErrorCode.OPERATION_NOT_ATTEMPTED: "another of the topics may not be written to",
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "the group may not be used by this client: it needs an ACL for Read",
    ErrorCode.FENCED_INSTANCE_ID: "another member with the same group.instance.id has taken the consumer's place",
    ErrorCode.UNKNOWN_MEMBER_ID: "the consumer is not a member of its group any more",
    ErrorCode.ILLEGAL_GENERATION: "the group has given the partitions to somebody else",
    ErrorCode.STALE_MEMBER_EPOCH: "the group has given the partitions to somebody else",
}
_FATAL = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "a topic or a partition does not exist",
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "it needs an ACL for Write on this transactional.id",
    ErrorCode.INVALID_TRANSACTION_TIMEOUT: "transaction.timeout.ms is more than brokers allow with"
    " transaction.max.timeout.ms",
    ErrorCode.INVALID_PRODUCER_ID_MAPPING: "the coordinator has forgotten this transactional.id, which was not used"
    " for long: start the producer anew",
}


def _worst(response: Message) -> int:
    """The error that decides about a whole answer: one that ends it goes before one that passes."""
    codes: list[int] = []
    if isinstance(response, AddPartitionsToTxnResponse):
        for topic in response.results_by_topic_v3_and_below:
            codes += [row.partition_error_code for row in topic.results_by_partition]
    elif isinstance(response, TxnOffsetCommitResponse):
        for committed in response.topics:
            codes += [row.error_code for row in committed.partitions]
    else:
        codes.append(response.error_code)  # type: ignore[attr-defined]
    return max(codes, key=lambda code: (_SEVERITY[verdict_of(code)], -code), default=0)


_SEVERITY = {
    Verdict.DONE: 0,
    Verdict.SOON: 1,
    Verdict.AGAIN: 2,
    Verdict.ELSEWHERE: 3,
    Verdict.DOOMED: 4,
    Verdict.FATAL: 5,
    Verdict.FENCED: 6,
}


def _offset_rows(offsets: Mapping[TopicPartition, Offset]) -> list[TxnOffsetCommitRequestTopic]:
    rows: dict[str, TxnOffsetCommitRequestTopic] = {}
    for (topic, partition), (offset, metadata, leader_epoch) in offsets.items():
        row = rows.setdefault(topic, TxnOffsetCommitRequestTopic(name=topic))
        row.partitions.append(
            TxnOffsetCommitRequestPartition(
                partition_index=partition,
                committed_offset=offset,
                committed_leader_epoch=leader_epoch,
                committed_metadata=metadata,
            )
        )
    return [*rows.values()]
