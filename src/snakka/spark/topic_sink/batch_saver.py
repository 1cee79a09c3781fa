"""A stream in update mode to topics: Spark gives sinks in Python no such stream, so each of its batches is written as a job.

Rule: such a job has the names of the query and of the batch, so it is the same one when the batch is tried again.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql.utils import to_str

from snakka.spark.topic_sink.task_writer import QUERY_ID
from snakka.spark.topic_sink.write_options import TXN_APP_ID, TXN_VERSION, write_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FORMAT = "snakka"


def batch_saver(options: Mapping[str, Any]) -> "Callable[[DataFrame, int], None]":
    """What foreachBatch calls. SparkOptionError if the options can't be followed, before the query starts."""
    given = {name: text for name, value in options.items() if (text := to_str(value)) is not None}
    is_exactly_once = write_options(given).is_exactly_once

    def save(batch: "DataFrame", batch_id: int) -> None:
        name: dict[str, str] = {}
        if is_exactly_once:
            query_id = batch.sparkSession.sparkContext.getLocalProperty(QUERY_ID)
            assert query_id is not None, "only a query calls this"
            name = {TXN_APP_ID: query_id, TXN_VERSION: str(batch_id)}
        batch.write.format(FORMAT).options(**{**given, **name}).mode("append").save()

    return save
