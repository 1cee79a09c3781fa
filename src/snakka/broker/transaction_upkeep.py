"""What happens to transactions that nobody asks about any more: the background's part of the transaction coordinator."""

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.runtime.coordinator import Coordinator
from snakka.coordination.transactions.ending import abort_overdue, overdue
from snakka.coordination.transactions.forgetting import forget_unused
from snakka.coordination.transactions.shard import TransactionShard


def abort_overdue_transactions(coordinator: Coordinator[TransactionShard]) -> None:
    """One decision each: what can't be written for one is not in the way of the others."""
    for host in coordinator.hosts():
        for transactional_id in overdue(host.shard, host.now()):

            def abort(shard: TransactionShard, now: Moment, one: str = transactional_id) -> Decision[bool]:
                return abort_overdue(shard, one, now)

            host.decide(abort, None)


def forget_unused_transactional_ids(coordinator: Coordinator[TransactionShard]) -> None:
    coordinator.decide_everywhere(forget_unused)
