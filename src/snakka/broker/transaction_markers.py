"""The outcome of a transaction, carried to every partition that it wrote to.

Rule: a decided transaction gets all its markers, however long that takes. A partition that can't take its marker now is
asked again for a while; who gives up is asked again by the coordinator, and a crash is only a long pause.
"""

import logging
from typing import Any

from snakka.broker.coordinators import OFFSETS_TOPIC
from snakka.broker.services import Services
from snakka.coordination.decision import Marker
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.transactions.ending import complete
from snakka.coordination.transactions.shard import SendMarkers
from snakka.coordination.transactions.transaction import TopicPartition
from snakka.protocol.batch_builder import build_end_transaction
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.replication.waiting_requests import WaitingProduce
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.files import StorageFailure

log = logging.getLogger(__name__)

# Pauses between attempts; with the last one for as long as there is time.
BACKOFF_SECONDS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
# Less than the coordinator waits before it asks again.
GIVE_UP_SECONDS = 10.0

ALL_REPLICAS = -1
# A coordinator that is not ready is a partition without a leader to who writes markers, and is asked again.
_NOT_READY = frozenset(
    {
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_COORDINATOR,
    }
)


def write_marker(services: Services, partition: TopicPartition, marker: Marker, reply: Reply) -> None:
    """Append a marker to a partition of this broker. The reply gets True once it is safe, or the ApiError."""
    topic, index = partition
    found = services.partitions.get(topic, index)
    if found is None or found.offline_error is not None:
        reply.complete(ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        return
    if topic == OFFSETS_TOPIC:
        services.groups.end_transaction(
            index, marker, Reply(lambda outcome: reply.complete(_translated(outcome)))
        )
        return
    now_ms = services.runtime.clock.now_ms()
    batch = build_end_transaction(
        producer_id=marker.producer_id,
        producer_epoch=marker.producer_epoch,
        committed=marker.committed,
        coordinator_epoch=marker.coordinator_epoch,
        timestamp=now_ms,
    )
    try:
        found.log.producers.check_marker(
            marker.producer_id, marker.producer_epoch, marker.transaction_version
        )
        info = found.append(memoryview(batch), ALL_REPLICAS, now_ms, AppendOrigin.COORDINATOR)
    except ApiError as error:
        reply.complete(error)
        return
    except StorageFailure as failure:
        services.partition_storage_failed(found, failure)
        reply.complete(ApiError(ErrorCode.KAFKA_STORAGE_ERROR))
        return
    end = info.last_offset + 1
    if found.is_acknowledged(end, True):
        reply.complete(True)
        return

    def tell(error: ErrorCode) -> None:
        reply.complete(True if error is ErrorCode.NONE else ApiError(error))

    timeout_seconds = services.options.current.integer("request.timeout.ms") / 1000
    WaitingProduce(services.runtime, timeout_seconds, [(found, end, True, tell)], lambda: None)


def _translated(outcome: Any) -> Any:
    if isinstance(outcome, ApiError) and outcome.code in _NOT_READY:
        return ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER, outcome.message)
    return outcome


class _Sending:
    """The markers of one transaction that are under way."""

    __slots__ = ("attempts", "effect", "gives_up_at", "is_fenced", "left", "unanswered")

    def __init__(self, effect: SendMarkers, gives_up_at: float) -> None:
        self.effect = effect
        self.gives_up_at = gives_up_at
        self.attempts = 0
        self.left = dict.fromkeys(effect.partitions)
        self.unanswered = 0
        # A newer coordinator has the transaction: it sends the rest.
        self.is_fenced = False


class MarkerSender:
    """Carries out the effects of the transaction coordinator's decisions."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._clock = services.runtime.clock
        self._under_way: dict[str, _Sending] = {}

    def carry_out(self, index: int, effect: object) -> None:
        """Of a decision at the partition `index` of the transaction topic, which is committed."""
        if not isinstance(effect, SendMarkers):
            return
        known = self._under_way.get(effect.transactional_id)
        if known is None or known.effect != effect:
            sending = _Sending(effect, self._clock.monotonic() + GIVE_UP_SECONDS)
            self._under_way[effect.transactional_id] = sending
            self._attempt(sending)

    def _attempt(self, sending: _Sending) -> None:
        if self._under_way.get(sending.effect.transactional_id) is not sending:
            return
        # One more than there are, so that answers that come at once do not end the attempt before its end.
        sending.unanswered = len(sending.left) + 1
        for partition in list(sending.left):
            self._write(partition, sending)
        self._answered(sending)

    def _write(self, partition: TopicPartition, sending: _Sending) -> None:
        reply = Reply(lambda outcome: self._heard(sending, partition, outcome))
        topic, index = partition
        known = self._services.image.topics.get(topic)
        placed = known.partitions.get(index) if known is not None else None
        if placed is None:
            # Deleted, with all that the transaction wrote to it.
            reply.complete(True)
        elif placed.leader == self._services.node_id:
            write_marker(self._services, partition, sending.effect.marker, reply)
        else:
            # Leaders elsewhere get their markers by WriteTxnMarkers, once there are other brokers.
            reply.complete(ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER))

    def _heard(self, sending: _Sending, partition: TopicPartition, outcome: Any) -> None:
        code = outcome.code if isinstance(outcome, ApiError) else ErrorCode.NONE
        if code is ErrorCode.TRANSACTION_COORDINATOR_FENCED:
            sending.is_fenced = True
        elif code in (ErrorCode.NONE, ErrorCode.INVALID_PRODUCER_EPOCH):
            # The producer is in the epoch of the marker or a later one: the marker was here before a crash.
            sending.left.pop(partition, None)
        self._answered(sending)

    def _answered(self, sending: _Sending) -> None:
        sending.unanswered -= 1
        transactional_id = sending.effect.transactional_id
        if sending.unanswered or self._under_way.get(transactional_id) is not sending:
            return
        if sending.left and not sending.is_fenced and self._clock.monotonic() < sending.gives_up_at:
            pause = BACKOFF_SECONDS[min(sending.attempts, len(BACKOFF_SECONDS) - 1)]
            sending.attempts += 1
            self._services.runtime.timers.schedule(pause, lambda: self._attempt(sending))
            return
        del self._under_way[transactional_id]
        if not sending.left:
            effect = sending.effect
            self._services.transactions.submit(
                transactional_id, lambda shard, now: complete(shard, effect, now), Reply(lambda _: None)
            )
        elif not sending.is_fenced:
            log.warning(
                "transaction %s: %d partitions do not take its marker, %s-%d among them; it is tried again",
                transactional_id,
                len(sending.left),
                *next(iter(sending.left)),
            )
