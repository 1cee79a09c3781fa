"""The sink with a fault between two of its steps: the process that is at it raises, or somebody is killed.

The format is `snakka-faulty`; its options say where (`faultAt`), at which batch (`faultBatch`), and whom to kill
(`killPids`, of which 0 is whoever is at it; without any, something is raised). A fault happens once: the first who comes
there leaves a file (`faultFile`).
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from pyspark import cloudpickle
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from snakka.client.blocking import Admin, Producer
from snakka.spark.data_source import SnakkaDataSource
from snakka.spark.topic_sink.batch_writer import TopicBatchWriter
from snakka.spark.topic_sink.decisions import DecisionTopic
from snakka.spark.topic_sink.stream_writer import TopicStreamWriter
from snakka.spark.topic_sink.task_writer import streaming_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BEFORE_A_TASK = "before a task has written"
IN_TASKS = ("in the middle of a task", "at the end of a task")
IN_COMMIT = (
    "before the decision",
    "after the decision",
    "between two ends",
    "after the ends",
    "after the commit",
)


class Fault:
    """What happens, if it is time."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._where = options.get("faultat", "")
        self._batch_id = int(options.get("faultbatch", "-1"))
        self._file = options.get("faultfile", "")
        self._pids = [int(pid) for pid in options.get("killpids", "").split()]

    def is_at(self, where: str, batch_id: int) -> bool:
        return self._where == where and self._batch_id == batch_id and not os.path.exists(self._file)

    def begin_task(self, batch_id: int) -> None:
        """The first step of a task."""
        if self.is_at(BEFORE_A_TASK, batch_id):
            self.happen()

    def happen(self) -> None:
        try:
            os.close(os.open(self._file, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        for pid in self._pids:
            os.kill(pid or os.getpid(), signal.SIGKILL)
        raise RuntimeError(f"fault {self._where}")

    def after(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def faulty(*arguments: Any, **keywords: Any) -> Any:
            result = function(*arguments, **keywords)
            self.happen()
            return result

        return faulty

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def faulty(*arguments: Any, **keywords: Any) -> Any:
            self.happen()
            return function(*arguments, **keywords)

        return faulty

    def within(self, end: Callable[..., Any]) -> Callable[..., Any]:
        """Of several transactions only the first is ended before."""

        def faulty(admin: Admin, transactions: Any, **keywords: Any) -> Any:
            first, *others = transactions
            end(admin, [first], **keywords).raise_for_errors()
            self.happen()
            return end(admin, others, **keywords)  # where somebody else was killed

        return faulty

    def between(self, rows: Iterator[Any]) -> Iterator[Any]:
        """After the first batch of rows."""
        for number, batch in enumerate(rows):
            if number:
                self.happen()
            yield batch


class FaultyStreamWriter(DataSourceStreamArrowWriter):
    """Writes as the sink of streams does, until the fault."""

    def __init__(self, options: Mapping[str, str], schema: StructType, fault: Fault | None = None) -> None:
        self._writer = TopicStreamWriter(options, schema)
        self._fault = fault or Fault(options)

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        return _write(self._fault, self._writer, iterator)

    def commit(self, messages: list[Any], batchId: int) -> None:  # noqa: N803 -- Spark's name
        with _in_commit(self._fault, batchId):
            self._writer.commit(messages, batchId)

    def abort(self, messages: list[Any], batchId: int) -> None:  # noqa: N803 -- Spark's name
        self._writer.abort(messages, batchId)


class FaultyBatchWriter(DataSourceArrowWriter):
    """Writes as the sink of batches does, until the fault; it is for foreachBatch, which names what it writes."""

    def __init__(self, options: Mapping[str, str], schema: StructType, fault: Fault | None = None) -> None:
        self._writer = TopicBatchWriter(options, schema)
        self._fault = fault or Fault(options)
        self._batch_id = int(options["txnversion"])

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        return _write(self._fault, self._writer, iterator)

    def commit(self, messages: list[Any]) -> None:
        with _in_commit(self._fault, self._batch_id):
            self._writer.commit(messages)

    def abort(self, messages: list[Any]) -> None:
        self._writer.abort(messages)


def _write(fault: Fault, writer: Any, rows: Iterator[Any]) -> WriterCommitMessage:
    batch_id = streaming_batch().batch_id
    fault.begin_task(batch_id)
    with ExitStack() as patches:
        if fault.is_at("in the middle of a task", batch_id):
            rows = fault.between(rows)
            patches.enter_context(patch.object(Producer, "send_arrow", _awaited(Producer.send_arrow)))
        if fault.is_at("at the end of a task", batch_id):
            detach = fault.after(Producer.detach_transaction)
            patches.enter_context(patch.object(Producer, "detach_transaction", detach))
        message: WriterCommitMessage = writer.write(rows)
        return message


@contextmanager
def _in_commit(fault: Fault, batch_id: int) -> Iterator[None]:
    write, end = DecisionTopic.write, Admin.end_transactions
    places = {
        "before the decision": (DecisionTopic, "write", fault.before(write)),
        "after the decision": (DecisionTopic, "write", fault.after(write)),
        "between two ends": (Admin, "end_transactions", fault.within(end)),
        "after the ends": (Admin, "end_transactions", fault.after(end)),
    }
    with ExitStack() as patches:
        for where, place in places.items():
            if fault.is_at(where, batch_id):
                patches.enter_context(patch.object(*place))
        yield
    if fault.is_at("after the commit", batch_id):
        fault.happen()


def _awaited(send: Callable[..., Any]) -> Callable[..., Any]:
    """So that what was sent is in the topic when the fault happens."""

    def sent(producer: Producer, *arguments: Any, **keywords: Any) -> Any:
        future = send(producer, *arguments, **keywords)
        producer.flush()
        return future

    return sent


class FaultySource(SnakkaDataSource):
    """`snakka` with a fault in its sinks."""

    @classmethod
    def name(cls) -> str:
        return "snakka-faulty"

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802
        return FaultyStreamWriter(self.options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        return FaultyBatchWriter(self.options, schema)


@contextmanager
def faults_known_to(spark: "SparkSession") -> Iterator[None]:
    """In the session, and by value in its workers, which can't import tests. Small pieces have a middle."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    spark.dataSource.register(FaultySource)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "5")
    yield
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    cloudpickle.unregister_pickle_by_value(module)
