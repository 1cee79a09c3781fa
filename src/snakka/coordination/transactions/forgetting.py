"""Transactional ids that nobody has used for long are forgotten."""

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.transactions.shard import TransactionShard
from snakka.coordination.transactions.transaction import COMPLETED, TransactionState, tombstone_of

_AT_REST = (TransactionState.EMPTY, *COMPLETED)


def forget_unused(shard: TransactionShard, now: Moment) -> Decision[bool]:
    """Tombstones for those without a transaction that were last used before `transactional.id.expiration.ms`."""
    oldest = now.wall_ms - shard.settings.transactional_id_expiration_ms
    unused = [
        transaction.transactional_id
        for transaction in shard.transactions.values()
        if transaction.state in _AT_REST and transaction.updated_ms <= oldest
    ]
    return Decision(records=[tombstone_of(one) for one in unused], response=True, atomic=False)
