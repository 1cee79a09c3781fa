"""A sink of tables with a fault between two of its steps, which are those of the sink of topics where it has them.

The decision about a table's batch is the commit of the table itself: its steps are those before, and those after it.
"""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from pyspark.sql.datasource import DataSourceStreamArrowWriter, WriterCommitMessage
from topic_sink_faults import IN_COMMIT, IN_TASKS, Fault

from snakka.spark.tables import table_writer
from snakka.spark.topic_sink.task_writer import streaming_batch

IN_TABLE_COMMIT = IN_COMMIT[:2]


class FaultyTableWriter(DataSourceStreamArrowWriter):
    """Writes as a sink of tables does, until the fault."""

    def __init__(self, writer: DataSourceStreamArrowWriter, fault: Fault) -> None:
        self._writer = writer
        self._fault = fault

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        fault, batch_id = self._fault, streaming_batch().batch_id
        fault.begin_task(batch_id)
        if fault.is_at(IN_TASKS[0], batch_id):
            iterator = fault.between(iterator)
        files = self._writer.write(iterator)
        if fault.is_at(IN_TASKS[1], batch_id):
            fault.happen()
        return files

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 -- Spark's name
        fault, commit = self._fault, table_writer.commit_once
        before, after = IN_TABLE_COMMIT
        if fault.is_at(before, batchId):
            fault.happen()
        if fault.is_at(after, batchId):
            commit = fault.after(commit)
        with patch.object(table_writer, "commit_once", commit):
            self._writer.commit(messages, batchId)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 -- Spark's name
        self._writer.abort(messages, batchId)
