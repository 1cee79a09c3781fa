"""Whoever writes into a partition within a transaction asks its coordinator first (KIP-890).

Rule: a partition gets no transactional records that its coordinator does not know of: nobody would ever end them, and
readers of committed records would wait for ever. Only the first write of a transaction to a partition asks; and where the
coordinator is on this broker, the answer nearly always comes at once.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from snakka.broker.services import Services
from snakka.broker.transaction_requests import ask, decide
from snakka.coordination.decision import Producer
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.transactions.adding import Addition, add_partitions, verify_partitions
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import NO_SEQUENCE
from snakka.storage.producer_state import EPOCH_BUMP_SINCE, ProducerState, Verification

TopicPartition = tuple[str, int]
# The partitions that may not be written to, and why; empty: write now, within the call of the reply.
Refusals = dict[TopicPartition, ErrorCode]

_NO_SEQUENCES: Mapping[TopicPartition, int] = MappingProxyType({})


def verify_or_add(
    services: Services,
    transactional_id: str,
    producer_id: int,
    producer_epoch: int,
    partitions: Sequence[TopicPartition],
    *,
    add: bool,
    knows_abortable: bool = True,
    sequences: Mapping[TopicPartition, int] = _NO_SEQUENCES,
    reply: Reply,
) -> None:
    """Ask whether the partitions belong to the producer's transaction, or let them: `add`, for clients of version 2.

    The reply gets `Refusals`, never an ApiError: at once, if nothing has to be waited for. `knows_abortable` is false for
    clients that have not heard of TRANSACTION_ABORTABLE (Produce before 11, TxnOffsetCommit before 4); `sequences` are
    those of the batches that are about to be written, where batches have any. An unrefused write must happen within the
    call of the reply: what is true now may not be true later.
    """
    if not add and not services.options.current.boolean("transaction.partition.verification.enable"):
        reply.complete({})
        return
    producer = Producer(producer_id, producer_epoch)
    refusals: Refusals = {}
    questions: dict[TopicPartition, tuple[ProducerState, Verification]] = {}
    for partition in partitions:
        try:
            producers = _producers(services, partition)
            question = producers.verify(
                producer_id,
                producer_epoch,
                sequences.get(partition, NO_SEQUENCE),
                adds=add,
                now_ms=services.runtime.clock.now_ms(),
            )
        except ApiError as error:
            refusals[partition] = error.code
        else:
            if question is not None:
                questions[partition] = (producers, question)
    if not questions:
        reply.complete(refusals)
        return

    def answered(outcome: Any) -> None:
        for partition, (producers, question) in questions.items():
            code = _code(outcome, partition, knows_abortable)
            if code is ErrorCode.NONE and not (
                producers.verifications.get(producer_id) is question or producers.has_transaction(*producer)
            ):
                # A marker came in between: what the coordinator said was about a transaction that is over.
                code = ErrorCode.INVALID_TXN_STATE
            if code is not ErrorCode.NONE:
                refusals[partition] = code
        for partition in partitions:
            if partition not in questions and partition not in refusals:
                _check_again(services, partition, producer, refusals)
        reply.complete(refusals)

    request = Addition(transactional_id, producer, tuple(questions), EPOCH_BUMP_SINCE if add else 0)
    _ask_coordinator(services, request, add, Reply(answered))


def _ask_coordinator(services: Services, request: Addition, add: bool, reply: Reply) -> None:
    """Of a coordinator elsewhere this would be an AddPartitionsToTxn; today every coordinator is on this broker."""
    if not services.transactions.partition_count:
        reply.complete(ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE))
    elif add:
        decide(
            services,
            request.transactional_id,
            lambda shard, now: add_partitions(shard, request, now),
            reply,
        )
    else:
        ask(services, request.transactional_id, lambda shard, _: verify_partitions(shard, request), reply)


def _producers(services: Services, partition: TopicPartition) -> ProducerState:
    topic, index = partition
    found = services.partitions.get(topic, index)
    if found is None:
        raise ApiError(services.missing_partition_error(topic, index))
    return found.check_leader(-1).producers


def _check_again(
    services: Services, partition: TopicPartition, producer: Producer, refusals: Refusals
) -> None:
    """Its transaction was under way when the others began to ask; if they had to wait, it may have ended meanwhile."""
    try:
        is_under_way = _producers(services, partition).has_transaction(*producer)
    except ApiError as error:
        refusals[partition] = error.code
    else:
        if not is_under_way:
            refusals[partition] = ErrorCode.INVALID_TXN_STATE


def _code(outcome: Any, partition: TopicPartition, knows_abortable: bool) -> ErrorCode:
    """What the writer hears of the coordinator's answer."""
    if isinstance(outcome, ApiError):
        code = outcome.code
    elif isinstance(outcome, dict):
        code = outcome[partition]
    else:
        code = ErrorCode.NONE
    if code is ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    if code is ErrorCode.TRANSACTION_ABORTABLE and not knows_abortable:
        return ErrorCode.INVALID_TXN_STATE
    return code
