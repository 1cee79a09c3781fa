"""Every background task of a broker, declared once: its name, how often it runs, and what it does."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import NamedTuple

from snakka.broker.assembly import Parts
from snakka.broker.services import Services
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
    yield from _log_tasks(parts)
    yield from _coordinator_tasks(parts.services)
    yield from _controller_tasks(parts.services)


def _every_ms(services: Services, option: str) -> Callable[[], float]:
    return lambda: services.options.current.integer(option) / 1000


def _log_tasks(parts: Parts) -> Iterator[BackgroundTask]:
    services, every_ms = parts.services, partial(_every_ms, parts.services)
    logs, clock = services.log_manager, services.runtime.clock

    async def apply_retention() -> None:
        await logs.apply_retention(clock.now_ms())

    def expire_producers() -> None:
        logs.expire_producers(clock.now_ms(), services.options.current.integer("producer.id.expiration.ms"))

    yield BackgroundTask("log retention", every_ms("log.retention.check.interval.ms"), apply_retention)
    yield BackgroundTask("log compaction", every_ms("log.cleaner.backoff.ms"), parts.compactor.run)
    yield BackgroundTask("log flush", logs.flusher.sweep_interval_seconds, logs.sweep_flushes)
    yield BackgroundTask(
        "recovery point checkpoint",
        every_ms("log.flush.offset.checkpoint.interval.ms"),
        lambda: logs.checkpoint(Checkpoint.RECOVERY_POINT),
    )
    yield BackgroundTask(
        "log start checkpoint",
        every_ms("log.flush.start.offset.checkpoint.interval.ms"),
        lambda: logs.checkpoint(Checkpoint.LOG_START),
    )
    yield BackgroundTask(
        "high watermark checkpoint",
        every_ms("replica.high.watermark.checkpoint.interval.ms"),
        lambda: logs.checkpoint(Checkpoint.HIGH_WATERMARK),
    )
    yield BackgroundTask(
        "producer id expiration", every_ms("producer.id.expiration.check.interval.ms"), expire_producers
    )


def _coordinator_tasks(services: Services) -> Iterator[BackgroundTask]:
    """Each imports its work when there is some: a broker without groups and transactions does without it."""
    every_ms = partial(_every_ms, services)

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

    yield BackgroundTask(
        "group offsets expiration",
        every_ms("offsets.retention.check.interval.ms"),
        expire_group_offsets,
    )
    yield BackgroundTask(
        "transaction timeouts",
        every_ms("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
        abort_overdue_transactions,
    )
    yield BackgroundTask(
        "transactional id expiration",
        every_ms("transaction.remove.expired.transaction.cleanup.interval.ms"),
        forget_unused_transactional_ids,
    )


def _controller_tasks(services: Services) -> Iterator[BackgroundTask]:
    controller = services.controller

    async def balance_leaders() -> None:
        if services.options.current.boolean("auto.leader.rebalance.enable"):
            await controller.balance_leaders()

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
