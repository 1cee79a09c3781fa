"""A task's rows into topics: on an executor, in a Python worker that serves many tasks one after the other.

Rule: a task that returns has written everything, and every record is acknowledged; a task that fails has said why. The rows
of a batch that is decided are read to their end all the same: operators before the sink keep their state only then.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import WriterCommitMessage

from snakka.client.blocking import Producer
from snakka.client.open_transaction import OpenTransaction
from snakka.spark.topic_sink.decisions import decision_topic
from snakka.spark.topic_sink.sink_columns import VALUE, SinkColumns, rows_by_topic
from snakka.spark.topic_sink.write_options import (
    DELIVERY_GUARANTEE,
    TXN_APP_ID,
    TXN_VERSION,
    WriteOptions,
)
from snakka.spark.worker_clients import QUERY_ID, started, worker_clients

if TYPE_CHECKING:
    import pyarrow

_BATCH_ID = "streaming.sql.batchId"
RUN_ID = "spark.jobGroup.id"
_SPECULATION = "spark.speculation"
_TRANSACTIONS_PREFIX = "snakka-spark-"


@dataclass(frozen=True, slots=True)
class BatchName:
    """A batch of a query, by names that stay when it is tried again."""

    query_id: str
    batch_id: int


@dataclass
class TaskMessage(WriterCommitMessage):
    """What the driver hears of a task: the transaction that it has left open, if it had rows to write."""

    batch: BatchName
    transaction: OpenTransaction | None = None
    run_id: str | None = None  # of the query's run; each restart has another


def transactional_id(query_id: str, partition: int) -> str:
    """Of the task that writes this partition of a batch."""
    return f"{_TRANSACTIONS_PREFIX}{query_id}-{partition}"


def is_of_query(transaction: str, query_id: str) -> bool:
    """Whether a transactional id is one of the query's. Users name jobs, so one name may begin with another."""
    begins, _, partition = transaction.rpartition("-")
    return begins == f"{_TRANSACTIONS_PREFIX}{query_id}" and partition.isdecimal()


def streaming_batch() -> BatchName:
    """The batch that the current task belongs to."""
    context = _task()
    query_id, batch_id = context.getLocalProperty(QUERY_ID), context.getLocalProperty(_BATCH_ID)
    if query_id is None or batch_id is None:
        raise RuntimeError(
            f"Spark does not tell {QUERY_ID} and {_BATCH_ID}: is this a task of a streaming query?"
        )
    return BatchName(query_id, int(batch_id))


def refuse_without_name() -> None:
    """A job that nobody has named is another one when its stream tries the batch again: its rows would be there twice."""
    if _task().getLocalProperty(QUERY_ID) is not None:
        raise RuntimeError(
            f"{DELIVERY_GUARANTEE}=exactly-once in foreachBatch needs the options {TXN_APP_ID}, a name that no other"
            f" write of the query has and that stays, and {TXN_VERSION}, the batch's id"
        )


def write_at_least_once(
    rows: "Iterator[pyarrow.RecordBatch]", options: WriteOptions, columns: SinkColumns
) -> WriterCommitMessage:
    """With a producer that the worker keeps."""
    clients = worker_clients()
    producer: Producer | None = None
    try:
        sent = _Sent()
        for batch in rows:
            if batch.num_rows:
                producer = producer or clients.producer(options.settings)
                sent.add(producer, batch, options, columns)
        if producer is not None:
            producer.flush()
            sent.check_all()
    except BaseException:
        if producer is not None:
            clients.drop(producer)
        raise
    return WriterCommitMessage()


def write_exactly_once(
    rows: "Iterator[pyarrow.RecordBatch]",
    options: WriteOptions,
    columns: SinkColumns,
    batch_name: BatchName,
    timeout_ms: int,
) -> TaskMessage:
    """In a transaction that stays open for the driver, unless there are no rows, or the batch is decided."""
    context = _task()
    _refuse_speculation(context)
    message = TaskMessage(batch_name, run_id=context.getLocalProperty(RUN_ID))
    for batch in rows:
        if batch.num_rows:
            break
    else:
        return message
    decision = decision_topic(options).last_of(batch_name.query_id)
    if decision is not None and decision.covers(batch_name.batch_id):
        for _ in rows:
            pass
        return message
    if decision is not None and not decision.is_finished:
        raise RuntimeError(
            f"batch {decision.batch_id} of query {batch_name.query_id} is decided, but not all of it is committed, and"
            f" batch {batch_name.batch_id} would abort the rest: write batch {decision.batch_id} again first, which"
            " finishes it and writes nothing twice"
        )
    settings = {
        **options.settings,
        "transactional.id": transactional_id(batch_name.query_id, context.partitionId()),
        "transaction.timeout.ms": timeout_ms,
    }
    producer = started(lambda: Producer(settings))
    try:
        producer.begin_transaction()
        sent = _Sent()
        while batch is not None:
            if batch.num_rows:
                sent.add(producer, batch, options, columns)
            batch = next(rows, None)
        producer.flush()  # which waits for each record as long as it may take; detaching only for max.block.ms
        sent.check_all()
        message.transaction = producer.detach_transaction()
    finally:
        producer.stop()  # what has failed is aborted
    return message


class _Sent:
    """What was sent and is not acknowledged yet."""

    def __init__(self) -> None:
        self._pending: deque[Future[Any]] = deque()

    def add(
        self, producer: Producer, batch: "pyarrow.RecordBatch", options: WriteOptions, columns: SinkColumns
    ) -> None:
        """Send a batch; raises what one before it has failed with."""
        while self._pending and self._pending[0].done():
            self._pending.popleft().result()
        for topic, rows in rows_by_topic(batch, columns, options.topic):
            self._pending.append(
                producer.send_arrow(
                    topic,
                    rows,
                    value=VALUE,
                    key=columns.key,
                    headers=columns.headers,
                    partition=columns.partition,
                )
            )

    def check_all(self) -> None:
        """Of what was flushed: raises if something was not written."""
        while self._pending:
            self._pending.popleft().result()


def _task() -> TaskContext:
    context = TaskContext.get()
    assert context is not None, "only tasks write"
    return context


def _refuse_speculation(context: TaskContext) -> None:
    """A second copy of a task would fence the first, which may have finished: the batch could not be committed."""
    if (context.getLocalProperty(_SPECULATION) or "").lower() == "true":
        raise RuntimeError(
            f"{DELIVERY_GUARANTEE}=exactly-once needs {_SPECULATION}=false: two copies of a task would end each"
            " other's transaction"
        )
