"""InitProducerId with a transactional id: a producer id and an epoch, after which every producer before it is fenced.

KIP-360: a producer that names its id and epoch goes on after an error, and may ask twice. Who names those of another
producer is fenced.
"""

from typing import NamedTuple

from snakka.coordination.decision import Decision, Moment, Producer
from snakka.coordination.transactions.ending import NeedsProducerId, check_is_complete, fenced
from snakka.coordination.transactions.shard import TransactionShard
from snakka.coordination.transactions.transaction import (
    Transaction,
    TransactionState,
    created,
    is_last_epoch_of_client,
)
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import NO_PRODUCER_EPOCH, NO_TIMESTAMP


class Initialization(NamedTuple):
    """What a producer asks for; `expected` is what it was before, if it says so."""

    transactional_id: str
    timeout_ms: int
    expected: Producer | None = None


def init_producer_id(
    shard: TransactionShard, request: Initialization, new_producer_id: int | None, now: Moment
) -> Decision[Producer | NeedsProducerId]:
    """`new_producer_id` is one that nobody has had, for whoever needs one."""
    transaction = shard.transactions.get(request.transactional_id)
    if transaction is None:
        if new_producer_id is None:
            return Decision(response=NeedsProducerId.NEEDED)
        fresh = created(request.transactional_id, new_producer_id, request.timeout_ms, now.wall_ms)
        return _with_next_epoch(shard, fresh, request, now)
    check_is_complete(transaction)
    if not _may_go_on(transaction, request.expected):
        raise ApiError(ErrorCode.PRODUCER_FENCED, "Another producer has this transactional id now.")
    if transaction.state is TransactionState.ONGOING:
        if request.expected not in (None, Producer(transaction.producer_id, transaction.producer_epoch)):
            # One that was fenced wants to go on. Apache Kafka aborts what its successor has open before it says so.
            raise ApiError(ErrorCode.PRODUCER_FENCED, "Another producer has this transactional id now.")
        # The epoch of this fence is nobody's: whoever asks again, after the abort, gets the next one.
        return fenced(shard, transaction, ApiError(ErrorCode.CONCURRENT_TRANSACTIONS), now)
    expected = request.expected
    if transaction.is_epoch_exhausted and (expected is None or expected.epoch == transaction.producer_epoch):
        if new_producer_id is None:
            return Decision(response=NeedsProducerId.NEEDED)
        return _with_new_id(shard, transaction, request, new_producer_id, now)
    return _with_next_epoch(shard, transaction, request, now)


def _may_go_on(transaction: Transaction, expected: Producer | None) -> bool:
    """Whether the producer is the one that has the transactional id, or was until its epochs were used up."""
    return (
        expected is None
        or expected.producer_id == transaction.producer_id
        or (
            expected.producer_id == transaction.previous_producer_id
            and is_last_epoch_of_client(expected.epoch)
        )
    )


def _with_next_epoch(
    shard: TransactionShard, transaction: Transaction, request: Initialization, now: Moment
) -> Decision[Producer | NeedsProducerId]:
    current, expected = transaction.producer_epoch, request.expected
    last = shard.last_epochs.get(request.transactional_id, NO_PRODUCER_EPOCH)
    if expected is None:
        epoch, last = current + 1, NO_PRODUCER_EPOCH
    elif current in (NO_PRODUCER_EPOCH, expected.epoch):
        epoch, last = current + 1, current
    elif expected.epoch == last:
        # It has asked already, and not heard the answer. Had another producer come in between, there would be no last epoch.
        epoch = current
    else:
        raise ApiError(ErrorCode.PRODUCER_FENCED, "Another producer has this transactional id now.")
    return _empty(shard, transaction, request, transaction.producer_id, epoch, last, now)


def _with_new_id(
    shard: TransactionShard,
    transaction: Transaction,
    request: Initialization,
    new_producer_id: int,
    now: Moment,
) -> Decision[Producer | NeedsProducerId]:
    last = NO_PRODUCER_EPOCH if request.expected is None else transaction.producer_epoch
    return _empty(shard, transaction, request, new_producer_id, 0, last, now)


def _empty(
    shard: TransactionShard,
    transaction: Transaction,
    request: Initialization,
    producer_id: int,
    epoch: int,
    last_epoch: int,
    now: Moment,
) -> Decision[Producer | NeedsProducerId]:
    ready = transaction.becomes(
        TransactionState.EMPTY,
        now.wall_ms,
        producer_id=producer_id,
        producer_epoch=epoch,
        timeout_ms=request.timeout_ms,
        partitions=frozenset(),
        started_ms=NO_TIMESTAMP,
    )
    return shard.write(ready, Producer(producer_id, epoch), last_epoch=last_epoch)
