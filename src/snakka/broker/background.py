"""Every background task of a broker, declared once: its name, how often it runs, and what it does."""

from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from snakka.broker.assembly import Parts
from snakka.storage.directory_checkpoints import Checkpoint

# Kafka looks for partitions that wait for an unclean election this often.
UNCLEAN_ELECTION_SECONDS = 300.0


class BackgroundTask(NamedTuple):
    """`interval_seconds` is asked before each turn, so that a changed option takes effect."""

    name: str
    interval_seconds: Callable[[], float]
    work: Callable[[], Awaitable[None] | None]


def background_tasks(parts: Parts) -> Iterator[BackgroundTask]:
    """What runs for as long as the broker does."""
    services = parts.services
    logs, controller, clock = services.log_manager, services.controller, services.runtime.clock

    def option_ms(name: str) -> Callable[[], float]:
        return lambda: services.options.current.integer(name) / 1000

    async def apply_retention() -> None:
        await logs.apply_retention(clock.now_ms())

    async def balance_leaders() -> None:
        if services.options.current.boolean("auto.leader.rebalance.enable"):
            await controller.balance_leaders()

    def expire_producers() -> None:
        logs.expire_producers(clock.now_ms(), services.options.current.integer("producer.id.expiration.ms"))

    def expire_group_offsets() -> None:
        if any(services.groups.hosts()):
            from snakka.coordination.groups.offsets.expiry import expire_offsets

            services.groups.decide_everywhere(expire_offsets)

    def abort_overdue_transactions() -> None:
        if any(services.transactions.hosts()):
            from snakka.broker.transaction_upkeep import abort_overdue_transactions

            abort_overdue_transactions(services.transactions)

    def forget_unused_transactional_ids() -> None:
        if any(services.transactions.hosts()):
            from snakka.broker.transaction_upkeep import forget_unused_transactional_ids

            forget_unused_transactional_ids(services.transactions)

    yield BackgroundTask("log retention", option_ms("log.retention.check.interval.ms"), apply_retention)
    yield BackgroundTask("log compaction", option_ms("log.cleaner.backoff.ms"), parts.compactor.run)
    yield BackgroundTask("log flush", logs.flusher.sweep_interval_seconds, logs.sweep_flushes)
    yield BackgroundTask(
        "recovery point checkpoint",
        option_ms("log.flush.offset.checkpoint.interval.ms"),
        lambda: logs.checkpoint(Checkpoint.RECOVERY_POINT),
    )
    yield BackgroundTask(
        "log start checkpoint",
        option_ms("log.flush.start.offset.checkpoint.interval.ms"),
        lambda: logs.checkpoint(Checkpoint.LOG_START),
    )
    yield BackgroundTask(
        "high watermark checkpoint",
        option_ms("replica.high.watermark.checkpoint.interval.ms"),
        lambda: logs.checkpoint(Checkpoint.HIGH_WATERMARK),
    )
    yield BackgroundTask(
        "producer id expiration", option_ms("producer.id.expiration.check.interval.ms"), expire_producers
    )
    yield BackgroundTask(
        "group offsets expiration",
        option_ms("offsets.retention.check.interval.ms"),
        expire_group_offsets,
    )
    yield BackgroundTask(
        "transaction timeouts",
        option_ms("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
        abort_overdue_transactions,
    )
    yield BackgroundTask(
        "transactional id expiration",
        option_ms("transaction.remove.expired.transaction.cleanup.interval.ms"),
        forget_unused_transactional_ids,
    )
    yield BackgroundTask(
        "broker fencing",
        lambda: services.options.current.integer("broker.session.timeout.ms") / 4000,
        controller.fence_stale_brokers,
    )
    yield BackgroundTask(
        "leader balance",
        lambda: float(services.options.current.integer("leader.imbalance.check.interval.seconds")),
        balance_leaders,
    )
    yield BackgroundTask(
        "unclean leader election", lambda: UNCLEAN_ELECTION_SECONDS, controller.elect_unclean_leaders
    )
