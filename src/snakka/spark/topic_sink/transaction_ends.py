"""The driver's part of a batch that is written exactly once: it decides, ends transactions, and clears what is left over.

Rule: nothing is committed that is not decided, and nothing is aborted that is, or that may be. Every step may be repeated.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from os import getpid

from snakka.client.admin import TransactionDescription
from snakka.client.admin.outcomes import Failure
from snakka.client.blocking import Admin
from snakka.client.errors import ClientError
from snakka.client.open_transaction import OpenTransaction
from snakka.client.retry_policy import is_retriable
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink.decisions import Decision, DecisionTopic, decision_topic
from snakka.spark.topic_sink.task_writer import BatchName, TaskMessage, is_of_query
from snakka.spark.topic_sink.write_options import (
    DECISION_TOPIC,
    TRANSACTION_TIMEOUT_MS,
    TXN_APP_ID,
    TXN_VERSION,
    WriteOptions,
)
from snakka.spark.worker_clients import worker_clients

_log = logging.getLogger(__name__)

ONGOING = "Ongoing"
_COMMITTED = ("PrepareCommit", "CompleteCommit")
# What a coordinator says of a transaction that it does not have open any more, whichever way it ended.
_ENDED = frozenset(
    {
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        ErrorCode.TRANSACTIONAL_ID_NOT_FOUND,
    }
)
# Whoever may be asked again soon keeps trying for as long as the transactions last, and no shorter than this.
_LEAST_TO_END_MS = 60_000
# Every broker is asked what is open there, also one that has just been lost.
_LIST_MS = 20_000
# Whoever has failed waits no longer than that to be tidy.
_ABORT_MS = 20_000


class TransactionLostError(Exception):
    """Rows that count were lost: their transaction was aborted. Writing them again would repeat those of other tasks."""


class BatchEnd:
    """How one batch ends."""

    def __init__(self, options: WriteOptions, timeout_ms: int, *, is_asked_again: bool) -> None:
        self._options = options
        self._to_end_ms = max(timeout_ms, _LEAST_TO_END_MS)
        self._is_asked_again = is_asked_again  # whether anybody may ask for the decision after the batch

    @property
    def _admin(self) -> Admin:
        return worker_clients().admin(self._options.connection)

    @property
    def _decisions(self) -> DecisionTopic:
        return decision_topic(self._options)

    def begin(self, batch: BatchName) -> None:
        """Before tasks write: what an earlier batch of the same name has decided is finished first.

        The tasks of this one have the same transactional ids, and so they would abort it. SparkOptionError if what is
        decided was written elsewhere: then the rows of this one would be taken for written.
        """
        decision = self._decisions.last_of(batch.query_id)
        if decision is not None and decision.covers(batch.batch_id):
            self._refuse_other_topic(decision)
        self._finish_earlier(decision, batch)

    def commit(self, messages: Sequence[TaskMessage]) -> None:
        """All tasks have finished: decide and finish, or finish what was decided before."""
        if not messages:
            return
        batch = messages[0].batch
        written = _transactions(messages)
        try:
            decision = self._decisions.last_of(batch.query_id)
            if decision is None or not decision.covers(batch.batch_id):
                self._prepare(decision, messages, written)
        except Exception:
            self._abort(written)  # nobody has decided about these, and nobody will
            raise
        if decision is None or not decision.covers(batch.batch_id):
            if not written:
                return
            topic = self._options.topic
            self._decisions.write(Decision(batch.query_id, batch.batch_id, tuple(written), topic=topic))
            decision = self._decisions.last_of(batch.query_id)
            assert decision is not None, "it was just written"
        # Whoever wrote all the same has looked before the decision could be seen.
        self._abort([each for each in written if each not in decision.transactions])
        if decision.batch_id == batch.batch_id and not decision.is_finished:
            self._finish(decision)
        else:
            _log.warning(
                "batch %d of query %s was written before, up to batch %d: nothing is written again",
                batch.batch_id,
                batch.query_id,
                decision.batch_id,
            )

    def abort(self, messages: Sequence[TaskMessage | None], batch: BatchName | None = None) -> None:
        """Nothing of the batch counts, unless it is decided.

        Spark calls this after a commit that has failed, too. Then all tasks have finished, and whether the decision was
        written may not be known: it is left to the next run, which reads it.
        """
        finished = [message for message in messages if message is not None]
        if len(finished) == len(messages):
            return
        if finished:
            batch = finished[0].batch
        if batch is None:
            return  # no task tells which one it is; the next run clears what they have left
        decision = self._decisions.last_of(batch.query_id)
        if decision is not None and decision.covers(batch.batch_id):
            return
        if any(map(_is_ended, self._abort(_transactions(finished)))):
            return  # another driver has begun with the batch: what is open now is that one's
        self._clear(batch.query_id, () if decision is None else decision.open_transactions)

    def _prepare(
        self, last: Decision | None, messages: Sequence[TaskMessage], written: Collection[OpenTransaction]
    ) -> None:
        """All that has to be done before a batch is decided; what was decided last is about another one."""
        batch = messages[0].batch
        self._finish_earlier(last, batch)
        self._clear_earlier(messages, written)
        self._check_open(batch, written)

    def _refuse_other_topic(self, decision: Decision) -> None:
        here = self._options.topic
        if None not in (here, decision.topic) and here != decision.topic:
            if not decision.is_finished:
                self._finish(decision)
            raise SparkOptionError(
                f"{TXN_APP_ID} {decision.query_id} has written up to {TXN_VERSION} {decision.batch_id} to topic"
                f" {decision.topic}: a write to {here} needs a {TXN_APP_ID} of its own"
            )

    # -- what is decided ------------------------------------------------------------------------------------------

    def _finish_earlier(self, decision: Decision | None, batch: BatchName) -> None:
        if decision is not None and not decision.covers(batch.batch_id) and not decision.is_finished:
            self._finish(decision)

    def _finish(self, decision: Decision) -> None:
        """Commit what is open, until all of it is."""
        outcomes = self._admin.end_transactions(decision.transactions, timeout_ms=self._to_end_ms)
        ended = [transaction for transaction, error in outcomes.errors.items() if _is_ended(error)]
        for transaction, error in outcomes.errors.items():
            if transaction not in ended:
                error.add_note(
                    f"batch {decision.batch_id} of query {decision.query_id} is decided; who starts the query again"
                    " finishes it"
                    if self._is_asked_again
                    else "a part of the job's rows may be written, and running it again would repeat them; a job that"
                    f" {TXN_APP_ID} and {TXN_VERSION} name is finished then"
                )
                raise error
        self._check_committed(decision, ended)
        if self._is_asked_again:
            self._decisions.write(decision.finished())
        else:
            self._decisions.forget(decision.query_id)

    def _check_committed(self, decision: Decision, ended: Collection[OpenTransaction]) -> None:
        """TransactionLostError if one that could not be committed was not committed before."""
        described = self._described(ended)
        for transaction in ended:
            description = described.get(transaction.transactional_id)
            if description is None or not _is_committed(description, transaction):
                raise TransactionLostError(
                    f"batch {decision.batch_id} of query {decision.query_id} is decided, but the transaction of"
                    f" {transaction.transactional_id} (producer {transaction.producer_id}, epoch"
                    f" {transaction.producer_epoch}) can't be committed any more: {_state_of(description)};"
                    f" most likely it was open for longer than {TRANSACTION_TIMEOUT_MS}, or the query ran twice. Its rows"
                    " are lost, and the query stops here. To write the whole batch again, with the rows of its other"
                    f" tasks a second time, delete the key {decision.query_id} in topic"
                    f" {self._options.decision_topic} ({DECISION_TOPIC})"
                )

    # -- what is not ----------------------------------------------------------------------------------------------

    def _check_open(self, batch: BatchName, transactions: Collection[OpenTransaction]) -> None:
        """Before anything is decided: a transaction that has ended meanwhile means that the batch has to be tried again."""
        described = self._described(transactions)
        for transaction in transactions:
            description = described.get(transaction.transactional_id)
            if description is None or not _is_open(description, transaction):
                raise ClientError(
                    f"batch {batch.batch_id} of query {batch.query_id} can't be committed: the transaction of"
                    f" {transaction.transactional_id} is not open any more ({_state_of(description)});"
                    f" perhaps it took longer than {TRANSACTION_TIMEOUT_MS}, or the query runs twice. Nothing of the"
                    " batch counts, and who starts the query again writes it again"
                )

    def _described(self, transactions: Iterable[OpenTransaction]) -> Mapping[str, TransactionDescription]:
        """What coordinators know, by transactional id; raises if one of them does not tell."""
        described = self._admin.describe_transactions(each.transactional_id for each in transactions)
        for error in described.errors.values():
            if not isinstance(error, ApiError) or error.code is not ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
                raise error
        return described.results

    def _clear_earlier(self, messages: Sequence[TaskMessage], written: Collection[OpenTransaction]) -> None:
        """Only a run's first batch can have found something; and tasks without rows, which fence nobody.

        They may have had rows when they were tried before: of a stage that was tried again Spark tells them nothing.
        """
        query_id, run_id = messages[0].batch.query_id, messages[0].run_id
        cleared = _cleared_runs(getpid())
        may_be_left = self._is_asked_again and (run_id is None or cleared.get(query_id) != run_id)
        if may_be_left or len(written) < len(messages):
            # A driver in whose place another one writes must not end what is that one's.
            self._check_open(messages[0].batch, written)
            try:
                self._clear(query_id, written)
            except (ApiError, ClientError) as error:
                if not is_retriable(error):
                    raise
                # All brokers are asked, and one may be away: the next batch asks again.
                cleared.pop(query_id, None)
                _log.warning(
                    "transactions that earlier attempts at query %s have left open may hold up readers: %s",
                    query_id,
                    error,
                )
            else:
                if may_be_left and run_id is not None:
                    cleared[query_id] = run_id

    def _clear(self, query_id: str, written: Collection[OpenTransaction]) -> None:
        """Abort what attempts have left open under ids that are not used now: it would hold up readers."""
        used = {each.transactional_id for each in written}
        left = [
            each.transactional_id
            for each in self._admin.list_transactions(states=[ONGOING], timeout_ms=_LIST_MS)
            if is_of_query(each.transactional_id, query_id) and each.transactional_id not in used
        ]
        self._admin.fence_producers(left).raise_for_errors()

    def _abort(self, transactions: Collection[OpenTransaction]) -> Collection[Failure]:
        """As far as that is possible; what is left is aborted by its timeout, or by the next attempt. Why not all were."""
        if not transactions:
            return ()
        try:
            outcomes = self._admin.end_transactions(transactions, commit=False, timeout_ms=_ABORT_MS)
        except (ApiError, ClientError) as error:
            return (error,)
        return outcomes.errors.values()


@cache
def _cleared_runs(process_id: int) -> dict[str, str]:
    """The run of each query of which this process knows that nothing is left over."""
    return {}


def _transactions(messages: Sequence[TaskMessage]) -> list[OpenTransaction]:
    return [message.transaction for message in messages if message.transaction is not None]


def _is_ended(error: Failure) -> bool:
    return isinstance(error, ApiError) and error.code in _ENDED


def _is_open(description: TransactionDescription, transaction: OpenTransaction) -> bool:
    who = (description.producer_id, description.producer_epoch)
    return description.state == ONGOING and who == (transaction.producer_id, transaction.producer_epoch)


def _is_committed(description: TransactionDescription, transaction: OpenTransaction) -> bool:
    """Whether the last thing that the coordinator knows is the commit of this transaction.

    With transaction.version 2 a commit brings the next epoch. An abort would be followed by an epoch that nobody commits in.
    """
    return (
        description.state in _COMMITTED
        and description.producer_id == transaction.producer_id
        and description.producer_epoch - transaction.producer_epoch in (0, 1)
    )


def _state_of(description: TransactionDescription | None) -> str:
    if description is None:
        return "its coordinator does not know it"
    return f"its coordinator says {description.state} in epoch {description.producer_epoch}"
