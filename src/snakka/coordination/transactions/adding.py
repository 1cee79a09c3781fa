"""Partitions of a transaction: adding them, and asking whether they belong to it (KIP-890)."""

from collections.abc import Collection
from typing import NamedTuple

from snakka.coordination.decision import Decision, Moment, Producer
from snakka.coordination.transactions.ending import check_is_complete
from snakka.coordination.transactions.shard import TransactionShard
from snakka.coordination.transactions.transaction import TopicPartition, Transaction, TransactionState
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError


class Addition(NamedTuple):
    """Partitions that a producer writes to; `client_version` is the transaction.version that it plays by."""

    transactional_id: str
    producer: Producer
    partitions: Collection[TopicPartition]
    client_version: int = 0


def add_partitions(shard: TransactionShard, request: Addition, now: Moment) -> Decision[bool]:
    """The first partition begins a transaction."""
    transaction = _find(shard, request)
    # First of all: until it is complete, who the client is may be about to change.
    check_is_complete(transaction)
    _check_producer(transaction, request.producer)
    is_ongoing = transaction.state is TransactionState.ONGOING
    if is_ongoing and transaction.partitions.issuperset(request.partitions):
        return Decision(response=True)
    added = transaction.becomes(
        TransactionState.ONGOING,
        now.wall_ms,
        partitions=transaction.partitions.union(request.partitions),
        started_ms=transaction.started_ms if is_ongoing else now.wall_ms,
        client_version=request.client_version,
    )
    return shard.write(added, True)


def verify_partitions(shard: TransactionShard, request: Addition) -> dict[TopicPartition, ErrorCode]:
    """Which of the partitions belong to the transaction, in the request's order."""
    transaction = _find(shard, request)
    _check_producer(transaction, request.producer)
    check_is_complete(transaction)
    return {
        partition: ErrorCode.NONE if partition in transaction.partitions else ErrorCode.TRANSACTION_ABORTABLE
        for partition in request.partitions
    }


def _find(shard: TransactionShard, request: Addition) -> Transaction:
    transaction = shard.transactions.get(request.transactional_id)
    if transaction is None:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    return transaction


def _check_producer(transaction: Transaction, producer: Producer) -> None:
    if transaction.producer_id != producer.producer_id:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if transaction.producer_epoch != producer.epoch:
        raise ApiError(ErrorCode.PRODUCER_FENCED)
