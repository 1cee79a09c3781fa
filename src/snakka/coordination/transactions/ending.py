"""How a transaction ends: its outcome is decided, its partitions get their markers, and it is complete.

Rule: once an outcome is written it is carried out, whatever happens; and with transaction.version 2 each transaction has an
epoch of its own, so that whatever comes late from the one before finds itself fenced.

What a client of version 2 gets who ends what is not under way (a repeat is in the epoch before the current one):

                      abort, repeat   abort        commit, repeat   commit
    Empty             fenced          next epoch   fenced           INVALID_TXN_STATE
    CompleteAbort     as before       next epoch   INVALID_...      INVALID_TXN_STATE
    CompleteCommit    INVALID_...     next epoch   as before        INVALID_TXN_STATE

A client of an older version is fenced in any epoch but the current one, in which it may repeat what was done.
"""

from enum import Enum
from typing import Any, NamedTuple

from snakka.coordination.decision import Decision, Marker, Moment, Producer
from snakka.coordination.transactions.shard import SendMarkers, TransactionShard
from snakka.coordination.transactions.transaction import (
    COMPLETED,
    NEVER_MS,
    PREPARED,
    Transaction,
    TransactionState,
)
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from snakka.storage.producer_state import EPOCH_BUMP_SINCE, LAST_EPOCH

# What a client of an older version hears of its producer: nothing.
_NOBODY = Producer(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
_OUTCOME_OF = {
    TransactionState.PREPARE_COMMIT: True,
    TransactionState.COMPLETE_COMMIT: True,
    TransactionState.PREPARE_ABORT: False,
    TransactionState.COMPLETE_ABORT: False,
}


class Ending(NamedTuple):
    """A client's wish to end its transaction; `client_version` is the transaction.version that it plays by."""

    transactional_id: str
    producer: Producer
    commit: bool
    client_version: int


class NeedsProducerId(Enum):
    """Instead of a response: decide again, with a producer id that nobody has had."""

    NEEDED = "needed"


def end_transaction(
    shard: TransactionShard, request: Ending, new_producer_id: int | None, now: Moment
) -> Decision[Producer | NeedsProducerId]:
    """The response is who the client is from now on. The new producer id is for one whose epochs are used up."""
    transaction = shard.transactions.get(request.transactional_id)
    if transaction is None:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if request.client_version < EPOCH_BUMP_SINCE:
        return _end_in_epoch(shard, transaction, request, now)
    return _end_with_epoch(shard, transaction, request, new_producer_id, now)


def _end_in_epoch(
    shard: TransactionShard, transaction: Transaction, request: Ending, now: Moment
) -> Decision[Producer | NeedsProducerId]:
    """For clients that keep their epoch from one transaction to the next."""
    if request.producer.producer_id != transaction.producer_id:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if request.producer.epoch != transaction.producer_epoch:
        raise ApiError(ErrorCode.PRODUCER_FENCED)
    check_is_complete(transaction)
    if transaction.state is TransactionState.ONGOING:
        prepared = transaction.prepared(request.commit, 0, NO_PRODUCER_ID, now.wall_ms)
        return _prepare(shard, prepared, _NOBODY, now)
    _check_outcome(transaction, request.commit)
    return Decision(response=_NOBODY)


def _end_with_epoch(
    shard: TransactionShard,
    transaction: Transaction,
    request: Ending,
    new_producer_id: int | None,
    now: Moment,
) -> Decision[Producer | NeedsProducerId]:
    """For clients of version 2: the answer has the epoch of the next transaction."""
    # First of all: until it is complete, who the client is may be about to change.
    check_is_complete(transaction)
    producer_id, epoch = request.producer
    after_overflow = (
        transaction.previous_producer_id == producer_id
        and epoch == LAST_EPOCH - 1
        and transaction.producer_epoch == 0
    )
    is_repeat = transaction.state in COMPLETED and (after_overflow or transaction.producer_epoch == epoch + 1)
    if producer_id != transaction.producer_id and not after_overflow:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if not is_repeat and epoch != transaction.producer_epoch:
        raise ApiError(ErrorCode.PRODUCER_FENCED)
    if is_repeat:
        _check_outcome(transaction, request.commit)
        return Decision(response=Producer(transaction.producer_id, transaction.producer_epoch))
    if request.commit and transaction.state is not TransactionState.ONGOING:
        raise _wrong_state(transaction, request.commit)
    next_producer_id = NO_PRODUCER_ID
    if transaction.is_epoch_exhausted:
        if new_producer_id is None:
            return Decision(response=NeedsProducerId.NEEDED)
        next_producer_id = new_producer_id
    prepared = transaction.prepared(request.commit, request.client_version, next_producer_id, now.wall_ms)
    done = prepared.completed(now.wall_ms)
    who = Producer(done.producer_id, done.producer_epoch)
    return _prepare(shard, prepared, who, now, last_epoch=transaction.producer_epoch)


def check_is_complete(transaction: Transaction) -> None:
    """ApiError if the outcome is decided and not all partitions have it: whoever wants more shall ask again."""
    if transaction.state in PREPARED:
        raise ApiError(ErrorCode.CONCURRENT_TRANSACTIONS, "The last transaction is not complete yet.")


def _check_outcome(transaction: Transaction, commit: bool) -> None:
    """ApiError unless what the client wants is what has been done."""
    if _OUTCOME_OF.get(transaction.state) is not commit:
        raise _wrong_state(transaction, commit)


def _wrong_state(transaction: Transaction, commit: bool) -> ApiError:
    wish = "committed" if commit else "aborted"
    return ApiError(
        ErrorCode.INVALID_TXN_STATE, f"A transaction in state {transaction.state.label} can't be {wish}."
    )


def _prepare(
    shard: TransactionShard,
    prepared: Transaction,
    response: Any,
    now: Moment,
    *,
    last_epoch: int | None = None,
) -> Decision[Any]:
    written = shard.write(prepared, response, last_epoch=last_epoch)
    return Decision(
        records=written.records,
        response=response,
        effects=(shard.markers_of(prepared, now),),
        refused=written.refused,
    )


def fenced(shard: TransactionShard, transaction: Transaction, response: Any, now: Moment) -> Decision[Any]:
    """Abort a transaction against the will of its producer, in an epoch that it has not got."""
    version = shard.transaction_version
    if version >= EPOCH_BUMP_SINCE:
        # A producer of version 2 may find out by trying to end the transaction, and go on in the next epoch.
        prepared = transaction.prepared(False, version, NO_PRODUCER_ID, now.wall_ms)
        return _prepare(shard, prepared, response, now, last_epoch=transaction.producer_epoch)
    bumped = transaction.becomes(transaction.state, now.wall_ms, producer_epoch=transaction.next_epoch)
    prepared = bumped.prepared(False, 0, NO_PRODUCER_ID, now.wall_ms)
    return _prepare(shard, prepared, response, now, last_epoch=NO_PRODUCER_EPOCH)


def overdue(shard: TransactionShard, now: Moment) -> list[str]:
    """Those that have been under way for longer than their producers asked for."""
    return [
        transactional_id for transactional_id in shard.ongoing if _is_overdue(shard, transactional_id, now)
    ]


def abort_overdue(shard: TransactionShard, transactional_id: str, now: Moment) -> Decision[bool]:
    if not _is_overdue(shard, transactional_id, now):
        return Decision(response=False)
    return fenced(shard, shard.ongoing[transactional_id], True, now)


def _is_overdue(shard: TransactionShard, transactional_id: str, now: Moment) -> bool:
    transaction = shard.ongoing.get(transactional_id)
    return (
        transaction is not None
        and transaction.timeout_ms != NEVER_MS
        and transaction.started_ms + transaction.timeout_ms < now.wall_ms
    )


def complete(shard: TransactionShard, sent: SendMarkers, now: Moment) -> Decision[bool]:
    """Every partition has its marker. False if the transaction is not the one that the markers were for."""
    transaction = shard.transactions.get(sent.transactional_id)
    if transaction is None or not _is_of(sent.marker, shard, transaction):
        return Decision(response=False)
    return shard.write(transaction.completed(now.wall_ms), True)


def _is_of(marker: Marker, shard: TransactionShard, transaction: Transaction) -> bool:
    return (
        transaction.state in PREPARED
        and _OUTCOME_OF[transaction.state] is marker.committed
        and transaction.producer_id == marker.producer_id
        and transaction.producer_epoch == marker.producer_epoch
        and shard.coordinator_epoch == marker.coordinator_epoch
    )
