"""What a produce within a transaction does before it may append: its coordinator must know of the partitions (KIP-890).

A client of transaction.version 2 (Produce 12) adds its partitions just by writing to them; all others have added them
before, and are asked about.
"""

from collections.abc import Callable, Mapping

from snakka.broker.services import Services
from snakka.broker.transaction_verification import Refusals, TopicPartition, verify_or_add
from snakka.coordination.runtime.reply import Reply
from snakka.options.option_set import OptionSet
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.record_batch import BatchHeader

FIRST_WITH_ABORTABLE_ERROR = 11
FIRST_THAT_ADDS_PARTITIONS = 12

# Not every client knows these to be worth another attempt; this one makes it try again, and look up no leaders.
_TRY_AGAIN = ErrorCode.NOT_ENOUGH_REPLICAS
_PASSING = frozenset(
    {
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)
MESSAGES = {
    ErrorCode.INVALID_TXN_STATE: "The partition does not belong to the transaction.",
    _TRY_AGAIN: "The transaction's coordinator could not be asked about the partition.",
}


def have_one_producer(batches: dict[TopicPartition, BatchHeader]) -> bool:
    """A request has one transactional id, so its batches must be of one producer."""
    return len({(header.producer_id, header.producer_epoch) for header in batches.values()}) <= 1


def are_under_way(services: Services, batches: Mapping[TopicPartition, BatchHeader]) -> bool:
    """Whether the transaction has records in all the partitions: then nobody need be asked."""
    for (topic, index), header in batches.items():
        partition = services.partitions.get(topic, index)
        if partition is None or not partition.log.producers.has_transaction(
            header.producer_id, header.producer_epoch
        ):
            return False
    return True


def when_verified(
    services: Services,
    transactional_id: str,
    batches: dict[TopicPartition, BatchHeader],
    version: int,
    append: Callable[[Refusals], None],
) -> None:
    """Call `append` when the coordinator has been asked, mostly before this returns; it must leave out what is refused."""
    first = next(iter(batches.values()))
    sequences = {partition: header.base_sequence for partition, header in batches.items()}
    adds = version >= FIRST_THAT_ADDS_PARTITIONS
    runtime = services.runtime
    options = services.options.current
    began = runtime.clock.monotonic()

    def attempt() -> None:
        verify_or_add(
            services,
            transactional_id,
            first.producer_id,
            first.producer_epoch,
            list(batches),
            add=adds,
            knows_abortable=version >= FIRST_WITH_ABORTABLE_ERROR,
            sequences=sequences,
            reply=Reply(heard),
        )

    def heard(refusals: Refusals) -> None:
        is_early = adds and ErrorCode.CONCURRENT_TRANSACTIONS in refusals.values()
        if is_early and runtime.clock.monotonic() < began + _patience_ms(options) / 1000:
            # The last transaction is about to be complete: waiting here is cheaper than sending it all again.
            pause_seconds = options.integer("add.partitions.to.txn.retry.backoff.ms") / 1000
            runtime.timers.schedule(pause_seconds, attempt)
        else:
            append({partition: _for_producers(code, adds) for partition, code in refusals.items()})

    attempt()


def _patience_ms(options: OptionSet) -> int:
    return min(
        options.integer("add.partitions.to.txn.retry.backoff.max.ms"), options.integer("request.timeout.ms")
    )


def _for_producers(code: ErrorCode, adds: bool) -> ErrorCode:
    if code in _PASSING or (code is ErrorCode.CONCURRENT_TRANSACTIONS and not adds):
        return _TRY_AGAIN
    return code
