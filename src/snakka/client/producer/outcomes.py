"""What becomes of a batch after an attempt: it is settled, sent again, split, or given up.

Rule: each record's future ends exactly once, with its place or with a reason; and a batch leaves its line only here.
"""

import asyncio
from collections.abc import Callable

from snakka.client.cluster_view import ClusterView
from snakka.client.errors import DeliveryTimeoutError, OutOfOrderError, ProducerFencedError
from snakka.client.producer.accumulator import Accumulator
from snakka.client.producer.answers import Meaning, error_of, meaning_of
from snakka.client.producer.batches import Batch, PartitionQueue, TopicQueues
from snakka.client.producer.receipts import UNKNOWN_OFFSET
from snakka.client.retry_policy import STALE_METADATA
from snakka.client.settings import ProducerSettings
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.produce import PartitionProduceResponse

# The transaction before is still being ended, which takes a moment only.
_SOON_SECONDS = 0.02


class Outcomes:
    """Carries out what answers mean. `on_change` hears of each queue that may have something to send again."""

    def __init__(
        self,
        settings: ProducerSettings,
        cluster: ClusterView,
        accumulator: Accumulator,
        on_change: Callable[[PartitionQueue], None],
        on_failed: Callable[[Exception], Exception],
        refusal: Callable[[], Exception | None],
    ) -> None:
        """`on_failed` hears of each batch that failed, and says what its records are told.

        `refusal` says why nothing is sent again, if that is so: a transaction that can't be committed any more.
        """
        self._settings = settings
        self._cluster = cluster
        self._accumulator = accumulator
        self._on_change = on_change
        self._on_failed = on_failed
        self._refusal = refusal
        self._loop = asyncio.get_running_loop()
        self._expiry: asyncio.TimerHandle | None = None
        self.records_written = self.records_failed = self.records_retried = 0

    # -- answers --------------------------------------------------------------------------------------------------

    def answered(self, batch: Batch, row: PartitionProduceResponse, has_new_leader: bool) -> None:
        """A broker has said what it did with the batch."""
        meaning = meaning_of(row.error_code, is_numbered=batch.identity is not None)
        if meaning is Meaning.WRITTEN:
            is_known = row.error_code == ErrorCode.NONE
            self.written(batch, row.base_offset if is_known else UNKNOWN_OFFSET, row.log_append_time_ms)
            return
        error = error_of(batch.queue.shown, row)
        if error.code in STALE_METADATA and not has_new_leader:
            self._cluster.refresh_soon()
        if meaning is Meaning.AGAIN:
            self.lost(batch, error, pauses=not has_new_leader)
        elif batch.is_settled:
            self._give_up(batch, error)
        elif meaning is Meaning.OUT_OF_ORDER:
            self._out_of_order(batch, error)
        elif meaning is Meaning.TOO_LARGE and batch.count > 1:
            self._split(batch)
        elif meaning is Meaning.FENCED:
            self._give_up(batch, ProducerFencedError(str(error)))
        else:
            self._give_up(batch, error)

    def written(self, batch: Batch, base_offset: int, log_append_time_ms: int) -> None:
        queue = batch.queue
        queue.line.written(batch)
        queue.not_before = 0.0
        if not batch.is_settled:
            batch.acknowledge(base_offset, log_append_time_ms)
            self.records_written += batch.count
            self._accumulator.release(batch)
        self._on_change(queue)

    def lost(self, batch: Batch, error: Exception, *, pauses: bool = True) -> None:
        """It may have been written or not, or could not be yet: it is sent again under the same number."""
        queue = batch.queue
        batch.failure = error
        reason = queue.topic.end_reason or self._refusal()
        if reason is not None:
            self._give_up(batch, reason)
        elif batch.is_settled or batch.attempts > self._settings.retries:
            self._give_up(batch, error)
        else:
            queue.line.lost(batch)
            self.records_retried += batch.count
            self._rest(queue, batch, pauses)
            self._on_change(queue)

    def _out_of_order(self, batch: Batch, error: ApiError) -> None:
        queue = batch.queue
        batch.failure = error
        if batch.attempts > self._settings.retries:
            self._give_up(batch, error)
        elif queue.line.out_of_order(batch):
            if batch is queue.line.unsettled[0]:
                self._rest(queue, batch, batch.attempts > 1)
            self._on_change(queue)
        elif batch.is_overtaken:
            self._give_up(
                batch,
                OutOfOrderError(
                    f"{queue.shown}: the broker lost what it knew of this producer, and wrote later records before"
                    " these; send them again if their order does not matter"
                ),
            )
        else:
            self._give_up(batch, error)

    def _split(self, batch: Batch) -> None:
        """Its records may fit in smaller batches, which then have its numbers."""
        queue = batch.queue
        parts = batch.halves()
        queue.line.split(batch, parts)
        self._accumulator.replace(batch, parts)
        self._on_change(queue)

    def _give_up(self, batch: Batch, error: Exception) -> None:
        queue = batch.queue
        queue.line.given_up(batch)
        self._fail(batch, error)
        self._on_change(queue)

    def _fail(self, batch: Batch, error: Exception) -> None:
        if not batch.is_settled:
            error = self._on_failed(error)
            batch.fail(error, self._settings.transactional_id is not None)
            self.records_failed += batch.count
            self._accumulator.release(batch)

    def _rest(self, queue: PartitionQueue, batch: Batch, pauses: bool) -> None:
        """The pause before the partition is tried again."""
        seconds = self._cluster.backoff.seconds(batch.attempts) if pauses else 0.0
        if isinstance(batch.failure, ApiError) and batch.failure.code is ErrorCode.CONCURRENT_TRANSACTIONS:
            seconds = min(seconds, _SOON_SECONDS)
        queue.not_before = self._cluster.clock.monotonic() + seconds if seconds else 0.0

    # -- the end --------------------------------------------------------------------------------------------------

    def fail_topic(self, topic: TopicQueues, error: Exception) -> None:
        """Nothing of it can be sent any more. Batches on their way keep their places until they are answered."""
        topic.end_reason = error
        for queue in topic.partitions:
            for batch in (*queue.waiting, *queue.line.unsettled):
                self.drop(batch, error)

    def fail_unsent(self, error: Exception) -> None:
        """All that is not on its way."""
        for batch in list(self._accumulator.unsettled):
            if not batch.is_in_flight:
                self.drop(batch, error)

    def fail_everything(self, error: Exception) -> None:
        for batch in list(self._accumulator.unsettled):
            self.drop(batch, error)

    def drop(self, batch: Batch, error: Exception) -> None:
        """Fail a batch wherever it is."""
        queue = batch.queue
        if queue.open is batch:
            self._accumulator.forget_open(batch)
        elif batch in queue.waiting:
            queue.waiting.remove(batch)
        elif not batch.is_in_flight and batch in queue.line.unsettled:
            queue.line.given_up(batch)
        self._fail(batch, error)
        self._on_change(queue)

    # -- delivery.timeout.ms --------------------------------------------------------------------------------------

    def watch_expiry(self, deadline: float) -> None:
        """There is a batch again: look when the oldest would be too old."""
        if self._expiry is None:
            seconds = max(deadline - self._cluster.clock.monotonic(), 0.0)
            self._expiry = self._loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        self._expiry = None
        now = self._cluster.clock.monotonic()
        for batch in [each for each in self._accumulator.unsettled if each.deadline <= now]:
            self.drop(batch, self._expired(batch))
        if self._accumulator.unsettled:
            self.watch_expiry(min(batch.deadline for batch in self._accumulator.unsettled))

    def _expired(self, batch: Batch) -> DeliveryTimeoutError:
        queue = batch.queue
        reason: object = batch.failure
        if reason is None and batch.is_in_flight:
            reason = "the broker does not answer"
        elif reason is None:
            reason = self._cluster.error_of(queue.topic.name) or "its leader could not be reached"
        state = "whether it was written is not known" if batch.attempts else "it was never sent"
        return DeliveryTimeoutError(
            f"{queue.shown}: not acknowledged within delivery.timeout.ms={self._settings.delivery_timeout_ms}"
            f" ({reason}); {state}"
        )

    def stop(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
