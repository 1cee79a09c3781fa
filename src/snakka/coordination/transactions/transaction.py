"""One transactional id: which producer has it, and how far its transaction has got.

A `Transaction` never changes; a transition makes another one, which becomes the state by way of its record.

    Empty -> Ongoing                          a partition is added
    Ongoing -> PrepareCommit, PrepareAbort    the outcome is decided, and can't change any more
    PrepareX -> CompleteX                     every partition has its marker
    CompleteX -> Ongoing, Empty               the next transaction; a new producer
    Empty, CompleteX -> PrepareAbort          transaction.version 2: an abort that nothing was written for

Kafka knows two more: Dead, an id that is being forgotten, and PrepareEpochFence, a transaction whose producer is about to be
fenced. Here both are steps within one decision, and only their names are left.
"""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.record_batch import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_TIMESTAMP
from snakka.protocol.record_types.transaction_coordinator.transaction_log_key import TransactionLogKey
from snakka.protocol.record_types.transaction_coordinator.transaction_log_value import (
    PartitionsSchema,
    TransactionLogValue,
)
from snakka.storage.producer_state import EPOCH_BUMP_SINCE, LAST_EPOCH

TopicPartition = tuple[str, int]

# The timeout of a two-phase commit, which never times out.
NEVER_MS = 2**31 - 1

# From this transaction.version on records have room for more fields (KIP-890).
FLEXIBLE_RECORDS_SINCE = 1


class TransactionState(IntEnum):
    """By their numbers in records."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def label(self) -> str:
        """As DescribeTransactions and ListTransactions name it."""
        return "".join(word.capitalize() for word in self.name.split("_"))


STATES_BY_LABEL = {state.label: state for state in TransactionState}
PREPARED = (TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT)
COMPLETED = (TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT)
# What a record may say.
_WRITTEN = frozenset({TransactionState.EMPTY, TransactionState.ONGOING, *PREPARED, *COMPLETED})


@dataclass(frozen=True, slots=True)
class Transaction:
    """What records describe of a transactional id."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    updated_ms: int
    state: TransactionState = TransactionState.EMPTY
    partitions: frozenset[TopicPartition] = frozenset()
    started_ms: int = NO_TIMESTAMP
    # Who had the transactional id before the last transition; mostly the same.
    previous_producer_id: int = NO_PRODUCER_ID
    # Who has it when the transaction is complete, if the epochs of this producer id are used up.
    next_producer_id: int = NO_PRODUCER_ID
    # The transaction.version by whose rules its client plays.
    client_version: int = 0

    @property
    def is_epoch_exhausted(self) -> bool:
        return is_last_epoch_of_client(self.producer_epoch)

    @property
    def next_epoch(self) -> int:
        """There is none after the last; who has it all the same, from a repeated answer, must not harm the others."""
        return min(self.producer_epoch + 1, LAST_EPOCH)

    def becomes(self, state: TransactionState, now_ms: int, **changes: Any) -> "Transaction":
        return replace(self, state=state, updated_ms=now_ms, previous_producer_id=self.producer_id, **changes)

    def prepared(
        self, committed: bool, client_version: int, next_producer_id: int, now_ms: int
    ) -> "Transaction":
        """The outcome is decided. With version 2 the epoch of the markers is already the next transaction's."""
        bump = client_version >= EPOCH_BUMP_SINCE
        return self.becomes(
            TransactionState.PREPARE_COMMIT if committed else TransactionState.PREPARE_ABORT,
            now_ms,
            producer_epoch=self.next_epoch if bump else self.producer_epoch,
            # An abort that nothing was written for begins and ends at once.
            started_ms=self.started_ms if self.state is TransactionState.ONGOING else now_ms,
            next_producer_id=next_producer_id,
            client_version=client_version,
        )

    def completed(self, now_ms: int) -> "Transaction":
        """Every partition has its marker."""
        committed = self.state is TransactionState.PREPARE_COMMIT
        rotates = self.client_version >= EPOCH_BUMP_SINCE and self.next_producer_id != NO_PRODUCER_ID
        return self.becomes(
            TransactionState.COMPLETE_COMMIT if committed else TransactionState.COMPLETE_ABORT,
            now_ms,
            producer_id=self.next_producer_id if rotates else self.producer_id,
            producer_epoch=0 if rotates else self.producer_epoch,
            next_producer_id=NO_PRODUCER_ID,
            partitions=frozenset(),
        )


def is_last_epoch_of_client(epoch: int) -> bool:
    """Whether a producer with this epoch has had all that its id has: the last one is kept to fence it."""
    return epoch >= LAST_EPOCH - 1


def created(transactional_id: str, producer_id: int, timeout_ms: int, now_ms: int) -> Transaction:
    """A transactional id that nobody has heard of. No record says so: its first one says epoch 0."""
    return Transaction(transactional_id, producer_id, NO_PRODUCER_EPOCH, timeout_ms, now_ms)


def record_of(transaction: Transaction, transaction_version: int) -> KeyedRecord:
    """In the form that the finalized transaction.version allows: the old one has no room for some of the fields."""
    value = TransactionLogValue(
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_status=transaction.state,
        transaction_partitions=_rows(transaction),
        transaction_last_update_timestamp_ms=transaction.updated_ms,
        transaction_start_timestamp_ms=transaction.started_ms,
    )
    version = 0
    if transaction_version >= FLEXIBLE_RECORDS_SINCE:
        version = 1
        value.previous_producer_id = transaction.previous_producer_id
        value.next_producer_id = transaction.next_producer_id
        value.client_transaction_version = transaction.client_version
    return KeyedRecord(TransactionLogKey(transactional_id=transaction.transactional_id), value, version)


def tombstone_of(transactional_id: str) -> KeyedRecord:
    return KeyedRecord(TransactionLogKey(transactional_id=transactional_id), None)


def _rows(transaction: Transaction) -> list[PartitionsSchema] | None:
    if transaction.state is TransactionState.EMPTY:
        return None
    by_topic: dict[str, list[int]] = {}
    for topic, index in sorted(transaction.partitions):
        by_topic.setdefault(topic, []).append(index)
    return [PartitionsSchema(topic=topic, partition_ids=indexes) for topic, indexes in by_topic.items()]


def read_transaction(transactional_id: str, value: TransactionLogValue) -> Transaction | None:
    """What a record says; None if it makes no sense."""
    if value.transaction_status not in _WRITTEN:
        return None
    return Transaction(
        transactional_id,
        value.producer_id,
        value.producer_epoch,
        value.transaction_timeout_ms,
        value.transaction_last_update_timestamp_ms,
        TransactionState(value.transaction_status),
        frozenset(
            (row.topic, index) for row in value.transaction_partitions or () for index in row.partition_ids
        ),
        value.transaction_start_timestamp_ms,
        value.previous_producer_id,
        value.next_producer_id,
        value.client_transaction_version,
    )
