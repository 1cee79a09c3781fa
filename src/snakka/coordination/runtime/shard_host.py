"""One shard at work: decides, appends, replays, and answers when all that an answer rests on is committed.

Rules: a refused append replays nothing; whoever asks while something is uncommitted waits for it; and when the leadership
goes, so does the state, and everybody who waits is told.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Generic, NamedTuple, TypeVar

from snakka.coordination.decision import Answer, Decision, Marker, Moment, Producer
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.shard import Shard
from snakka.protocol.batch_builder import build_batch, build_end_transaction
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.coordinator_framing import KeyedRecord, encode_key, encode_value
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from snakka.replication.partition import AckWaiter, Partition
from snakka.runtime import Runtime, Timer
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.files import StorageFailure

log = logging.getLogger(__name__)

S = TypeVar("S", bound=Shard)

# A turn of the loop ends after this many deadlines; the rest has the next one.
_DEADLINES_A_TURN = 64
# A batch that may be split is split here.
_RECORDS_A_BATCH = 1_000

# What a failed append means to a client of the coordinator.
_ERRORS = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.REQUEST_TIMED_OUT: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
    ErrorCode.RECORD_LIST_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.MESSAGE_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
}


class AppendSettings(NamedTuple):
    """How a coordinator writes: the codec of its batches, and how long a write may wait for its commit."""

    compression: Compression = Compression.NONE
    commit_timeout_ms: int = 5_000


class HostEnvironment(NamedTuple):
    """What all shards of a coordinator share."""

    runtime: Runtime
    settings: Callable[[], AppendSettings]
    # Carries out an effect of a decision that is committed.
    carry_out: Callable[[int, Any], None]
    storage_failed: Callable[[StorageFailure], None]


class _Commit(NamedTuple):
    """What happens when the high watermark has passed a decision."""

    answers: Sequence[Answer]
    effects: Sequence[object]


class ShardHost(Generic[S]):
    """A shard, the partition that keeps it, and those who wait for its commits."""

    def __init__(self, shard: S, partition: Partition, environment: HostEnvironment) -> None:
        self.shard = shard
        self.partition = partition
        self.leader_epoch = partition.leader_epoch
        self.is_closed = False
        self._environment = environment
        self._runtime = environment.runtime
        self._timer: Timer | None = None
        self._timer_due_ms = 0
        # Unanswered: decisions whose commit is awaited, and askers whose answer another decision will bring.
        self._commits: dict[AckWaiter, tuple[_Commit, Timer | None]] = {}
        self._open: dict[Reply, None] = {}

    def now(self) -> Moment:
        clock = self._runtime.clock
        return Moment(clock.now_ms(), int(clock.monotonic() * 1000))

    # -- deciding -------------------------------------------------------------------------------------------------

    def decide(self, decide: Callable[[S, Moment], Decision[Any]], reply: Reply | None) -> None:
        """Ask the shard and do what it says; the reply gets its response, or the error in its place."""
        try:
            decision = decide(self.shard, self.now())
        except ApiError as error:
            if reply is not None:
                self._when_committed(_Commit((Answer(reply, error),), ()))
            return
        finally:
            self._arm()
        self.apply(decision, reply)

    def apply(self, decision: Decision[Any], reply: Reply | None) -> None:
        answers = list(decision.answers)
        if reply is not None:
            if decision.response is not None:
                answers.append(Answer(reply, decision.response))
            elif not reply.is_done:
                self._keep_open(reply)
        if decision.records:
            try:
                self._append(decision)
            except (ApiError, StorageFailure) as error:
                self._refuse(decision, answers, reply, error)
                return
            finally:
                self._arm()
        if answers or decision.effects:
            self._when_committed(_Commit(answers, decision.effects))

    def _append(self, decision: Decision[Any]) -> None:
        records = decision.records
        step = len(records) if decision.atomic else _RECORDS_A_BATCH
        for start in range(0, len(records), step):
            self._append_batch(records[start : start + step], decision.producer)

    def _append_batch(self, records: Sequence[KeyedRecord], producer: Producer | None) -> None:
        now_ms = self._runtime.clock.now_ms()
        batch = build_batch(
            [Record(-1, now_ms, encode_key(record), encode_value(record)) for record in records],
            compression=self._environment.settings().compression,
            producer_id=producer.producer_id if producer else NO_PRODUCER_ID,
            producer_epoch=producer.epoch if producer else NO_PRODUCER_EPOCH,
            is_transactional=producer is not None,
        )
        offset = self._append_bytes(batch, now_ms)
        for place, record in enumerate(records):
            self.shard.replay(record, offset + place, producer)

    def _append_bytes(self, batch: bytearray, now_ms: int) -> int:
        """The first offset. ApiError if the partition does not take it."""
        partition = self.partition
        if partition.leader_epoch != self.leader_epoch:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        try:
            return partition.append(memoryview(batch), -1, now_ms, AppendOrigin.COORDINATOR).first_offset
        except StorageFailure as failure:
            self._environment.storage_failed(failure)
            raise

    def end_transaction(self, marker: Marker, reply: Reply) -> None:
        """Append the marker of a transaction that wrote here. The reply gets True, or the ApiError of the append."""
        now_ms = self._runtime.clock.now_ms()
        batch = build_end_transaction(
            producer_id=marker.producer_id,
            producer_epoch=marker.producer_epoch,
            committed=marker.committed,
            coordinator_epoch=marker.coordinator_epoch,
            timestamp=now_ms,
        )
        try:
            self.partition.log.producers.check_marker(
                marker.producer_id, marker.producer_epoch, marker.transaction_version
            )
            self._append_bytes(batch, now_ms)
        except ApiError as error:
            reply.complete(error)
            return
        except StorageFailure as failure:
            reply.complete(ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(failure)))
            return
        self.shard.replay_marker(marker.producer_id, marker.producer_epoch, marker.committed)
        self._when_committed(_Commit((Answer(reply, True),), ()))

    def _refuse(
        self,
        decision: Decision[Any],
        answers: Iterable[Answer],
        reply: Reply | None,
        cause: ApiError | StorageFailure,
    ) -> None:
        code = cause.code if isinstance(cause, ApiError) else ErrorCode.KAFKA_STORAGE_ERROR
        error = ApiError(_ERRORS.get(code, code), str(cause))
        if decision.refused is not None:
            answers = decision.refused(error.code)
        else:
            answers = [Answer(answer.ticket, error) for answer in answers]
        self._arm()
        self._give(answers)
        if reply is not None:
            self._give((Answer(reply, error),))

    # -- answering ------------------------------------------------------------------------------------------------

    def query(self, ask: Callable[[S, Moment], Any], reply: Reply) -> None:
        """Answer a question when all that the answer rests on is committed."""
        try:
            outcome = ask(self.shard, self.now())
        except ApiError as error:
            outcome = error
        self._when_committed(_Commit((Answer(reply, outcome),), ()))

    def _when_committed(self, commit: _Commit) -> None:
        partition = self.partition
        end = partition.log.log_end_offset
        if partition.is_acknowledged(end, True):
            self._finish(commit)
            return
        waiter = AckWaiter(end, True, self._committed)
        timeout_seconds = self._environment.settings().commit_timeout_ms / 1000
        timer = self._runtime.timers.schedule(timeout_seconds, lambda: self._too_late(waiter))
        self._commits[waiter] = (commit, timer)
        partition.wait_for_ack(waiter)

    def _committed(self, waiter: AckWaiter, error: ErrorCode) -> None:
        commit, timer = self._commits.pop(waiter)
        if timer is not None:
            timer.cancel()
        if error is ErrorCode.NONE:
            self._finish(commit)
        else:
            self._fail(commit, error)

    def _too_late(self, waiter: AckWaiter) -> None:
        """It may still be committed, so the state stays, and so do effects; who waits is told not to wait any more."""
        commit, _ = self._commits[waiter]
        if commit.effects:
            self._commits[waiter] = (_Commit((), commit.effects), None)
        else:
            del self._commits[waiter]
            self.partition.stop_waiting_for_ack(waiter)
        self._fail(commit, ErrorCode.REQUEST_TIMED_OUT)

    def _finish(self, commit: _Commit) -> None:
        self._give(commit.answers)
        for effect in commit.effects:
            self._environment.carry_out(self.partition.index, effect)

    def _fail(self, commit: _Commit, code: ErrorCode) -> None:
        error = ApiError(_ERRORS.get(code, code))
        self._give([Answer(answer.ticket, error) for answer in commit.answers])

    def _give(self, answers: Iterable[Answer]) -> None:
        for ticket, outcome in answers:
            if isinstance(ticket, Reply):
                self._open.pop(ticket, None)
                ticket.complete(outcome)

    def _keep_open(self, reply: Reply) -> None:
        self._open[reply] = None

    # -- deadlines ------------------------------------------------------------------------------------------------

    def _arm(self) -> None:
        """One timer, for the earliest deadline; one that fires too early because deadlines moved looks again."""
        due = self.shard.deadlines.earliest()
        if due is None or self.is_closed:
            return
        if self._timer is not None:
            if self._timer_due_ms <= due:
                return
            self._timer.cancel()
        self._timer_due_ms = due
        delay = max(due - self._runtime.clock.monotonic() * 1000, 0) / 1000
        self._timer = self._runtime.timers.schedule(delay, self._expire)

    def _expire(self) -> None:
        self._timer = None
        for _ in range(_DEADLINES_A_TURN):
            now = self.now()
            key = None if self.is_closed else self.shard.deadlines.take_due(now.steady_ms)
            if key is None:
                break
            try:
                self.apply(self.shard.expire(key, now), None)
            except Exception:
                # One group's trouble must not stop the clocks of the others.
                log.exception("%s-%d: a deadline failed", self.partition.topic, self.partition.index)
        self._arm()

    # -- the end --------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """The leadership is gone, or the broker stops: whoever waits looks for the new coordinator."""
        self.is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for waiter, (commit, timer) in list(self._commits.items()):
            if timer is not None:
                timer.cancel()
            with suppress(ValueError):
                self.partition.stop_waiting_for_ack(waiter)
            self._fail(commit, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        self._commits.clear()
        for reply in list(self._open):
            reply.complete(ApiError(ErrorCode.NOT_COORDINATOR))
        self._open.clear()
