"""The sink of streaming queries.

Rule: Spark makes one for each batch, and another to commit it, in other processes; what has to last is in topics.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink.task_writer import streaming_batch
from snakka.spark.topic_sink.topic_sink import TopicSink
from snakka.spark.topic_sink.write_options import TXN_APP_ID
from snakka.spark.worker_clients import for_a_stream

if TYPE_CHECKING:
    import pyarrow


class TopicStreamWriter(DataSourceStreamArrowWriter):
    """Writes the batches of a query to topics."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        with for_a_stream():
            self._sink = TopicSink(options, schema)
        if self._sink.options.name_of_batch is not None:
            raise SparkOptionError(
                f"{TXN_APP_ID} is for batch writes: Spark itself names the batches of a query"
            )

    def write(self, iterator: "Iterator[pyarrow.RecordBatch]") -> WriterCommitMessage:
        batch = streaming_batch() if self._sink.options.is_exactly_once else None
        return self._sink.write(iterator, batch)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 -- Spark's name
        with for_a_stream():
            self._sink.commit(messages, is_asked_again=True)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 -- Spark's name
        self._sink.abort(messages, is_asked_again=True)
