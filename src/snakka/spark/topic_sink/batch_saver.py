"""A stream in update mode to topics: Spark gives sinks in Python no such stream, so each of its batches is written as a job.

Rule: such a job has the names of the query and of the batch, so it is the same one when the batch is tried again.
"""

from collections.abc import Callable, Mapping
from functools import cache
from os import getpid
from typing import TYPE_CHECKING, Any

from pyspark.sql.utils import to_str

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink.task_writer import RUN_ID
from snakka.spark.topic_sink.write_options import TXN_APP_ID, TXN_VERSION, write_options
from snakka.spark.worker_clients import QUERY_ID

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FORMAT = "snakka"
_MOST_KNOWN = 1000


def batch_saver(options: Mapping[str, Any]) -> "Callable[[DataFrame, int], None]":
    """What foreachBatch calls. SparkOptionError if the options can't be followed, before the query starts.

    Writes of one query are told apart by their topic; those that have the same one need another txnAppId each.
    """
    given = {name: text for name, value in options.items() if (text := to_str(value)) is not None}
    own_name = next((given.pop(name) for name in tuple(given) if name.lower() == TXN_APP_ID.lower()), None)
    checked = write_options(given if own_name is None else {**given, TXN_APP_ID: own_name, TXN_VERSION: "0"})

    def save(batch: "DataFrame", batch_id: int) -> None:
        name: dict[str, str] = {}
        if checked.is_exactly_once:
            context = batch.sparkSession.sparkContext
            query_id, run_id = context.getLocalProperty(QUERY_ID), context.getLocalProperty(RUN_ID)
            assert query_id is not None, "only a query calls this"
            written_as = "-".join(filter(None, (query_id, own_name or checked.topic)))
            _refuse_second(written_as, f"{run_id} {batch_id}")
            name = {TXN_APP_ID: written_as, TXN_VERSION: str(batch_id)}
        batch.write.format(FORMAT).options(**{**given, **name}).mode("append").save()

    return save


def _refuse_second(written_as: str, batch: str) -> None:
    """The second write of a batch by one name would be taken for the first one that is tried again, and left out."""
    last = _last_written(getpid())
    if last.get(written_as) == batch:
        raise SparkOptionError(
            f"two writes of one batch are called {written_as}: give each of them its own {TXN_APP_ID}, a name that stays"
        )
    last.pop(written_as, None)
    while len(last) >= _MOST_KNOWN:
        del last[next(iter(last))]
    last[written_as] = batch


@cache
def _last_written(process_id: int) -> dict[str, str]:
    """The last batch of each write, and the run that it was of: a query that is started again has another one."""
    return {}
