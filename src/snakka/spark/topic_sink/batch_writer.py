"""The sink of batch jobs.

Spark makes it once for a job, on the driver, and takes that one to the tasks and to the commit: a name that is given here is
the same everywhere. A job that is run again has another name, unless its user names it with txnAppId and txnVersion; then
what was decided is finished, and written no second time.
"""

import secrets
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from snakka.spark.topic_sink.task_writer import BatchName, refuse_without_name
from snakka.spark.topic_sink.topic_sink import TopicSink

if TYPE_CHECKING:
    import pyarrow


class TopicBatchWriter(DataSourceArrowWriter):
    """Writes one DataFrame to topics."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self._sink = TopicSink(options, schema)
        named = self._sink.options.name_of_batch
        self._is_named = named is not None
        self._batch = BatchName(*named) if named is not None else BatchName(f"job-{secrets.token_hex(16)}", 0)
        if self._is_named:
            self._sink.begin(self._batch)

    def write(self, iterator: "Iterator[pyarrow.RecordBatch]") -> WriterCommitMessage:
        if self._sink.options.is_exactly_once and not self._is_named:
            refuse_without_name()
        return self._sink.write(iterator, self._batch)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        self._sink.commit(messages, is_asked_again=self._is_named)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        self._sink.abort(messages, self._batch, is_asked_again=self._is_named)
