"""What can be said of transactions, for those who look after them: describe one, list many."""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from snakka.coordination.decision import Moment
from snakka.coordination.transactions.shard import TransactionShard
from snakka.coordination.transactions.transaction import Transaction, TransactionState
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError


class Filters(NamedTuple):
    """Whom to list: whoever passes all filters; an empty one lets everybody pass, a negative duration too."""

    states: Collection[TransactionState] | None = None
    producer_ids: Collection[int] = ()
    longer_than_ms: int = -1
    matches: Callable[[str], bool] | None = None


def describe(shard: TransactionShard, transactional_id: str) -> Transaction:
    """ApiError if it is not known here."""
    transaction = shard.transactions.get(transactional_id)
    if transaction is None:
        raise ApiError(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
    return transaction


def listed(shard: TransactionShard, filters: Filters, now: Moment) -> Iterator[Transaction]:
    for transaction in shard.transactions.values():
        if (
            (not filters.producer_ids or transaction.producer_id in filters.producer_ids)
            and (filters.states is None or transaction.state in filters.states)
            and (filters.longer_than_ms < 0 or now.wall_ms - transaction.started_ms > filters.longer_than_ms)
            and (filters.matches is None or filters.matches(transaction.transactional_id))
        ):
            yield transaction
