"""What batch and streaming writes have in common: made on the driver, and taken by Spark to the tasks and to the commit."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from os import getpid
from typing import TYPE_CHECKING, NamedTuple, cast

from pyspark.sql.datasource import WriterCommitMessage
from pyspark.sql.types import StructType

from snakka.client.admin import ConfigResource
from snakka.client.blocking import Admin
from snakka.client.errors import ClientError
from snakka.protocol.errors import ApiError
from snakka.runtime.clock import SystemClock
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink.decisions import ensure_decision_topic
from snakka.spark.topic_sink.sink_columns import sink_columns
from snakka.spark.topic_sink.task_writer import (
    BatchName,
    TaskMessage,
    write_at_least_once,
    write_exactly_once,
)
from snakka.spark.topic_sink.transaction_ends import BatchEnd
from snakka.spark.topic_sink.write_options import TRANSACTION_TIMEOUT_MS, WriteOptions, write_options
from snakka.spark.worker_clients import worker_clients

if TYPE_CHECKING:
    import pyarrow

_LONGEST = "transaction.max.timeout.ms"
# A broker may just have been lost, and be listed still; the others say what is needed.
_ONE_OF_MANY_MS = 10_000
_KNOWN_SECONDS = 60.0


class _Limit(NamedTuple):
    """How long transactions may take, and until when that is believed."""

    timeout_ms: int
    until: float


class TopicSink:
    """The sink with its options and columns checked, and with the decision topic in its place if there has to be one."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self.options = write_options(options)
        self._columns = sink_columns(schema, self.options.topic)
        self._timeout_ms = _prepared(self.options) if self.options.is_exactly_once else 0

    def begin(self, batch: BatchName) -> None:
        """On the driver, before the tasks of a batch that may be asked about again."""
        if self.options.is_exactly_once:
            self._end(is_asked_again=True).begin(batch)

    def write(self, rows: "Iterator[pyarrow.RecordBatch]", batch: BatchName | None) -> WriterCommitMessage:
        """A task's rows; who writes exactly once has to know the batch."""
        if not self.options.is_exactly_once:
            return write_at_least_once(rows, self.options, self._columns)
        assert batch is not None
        return write_exactly_once(rows, self.options, self._columns, batch, self._timeout_ms)

    def commit(self, messages: Sequence[WriterCommitMessage | None], *, is_asked_again: bool) -> None:
        if self.options.is_exactly_once:
            self._end(is_asked_again).commit(cast(Sequence[TaskMessage], messages))

    def abort(
        self,
        messages: Sequence[WriterCommitMessage | None],
        batch: BatchName | None = None,
        *,
        is_asked_again: bool,
    ) -> None:
        if self.options.is_exactly_once:
            self._end(is_asked_again).abort(cast(Sequence[TaskMessage | None], messages), batch)

    def _end(self, is_asked_again: bool) -> BatchEnd:
        return BatchEnd(self.options, self._timeout_ms, is_asked_again=is_asked_again)


def _prepared(options: WriteOptions) -> int:
    """How long transactions may be open. Not asked every time: Spark makes a sink for every batch, and for its commit.

    Brokers may be started anew with another limit, and a driver lives long: it is asked again now and then.
    """
    known = _prepared_clusters(getpid())
    key = (repr(sorted(options.connection.items())), options.decision_topic, options.transaction_timeout_ms)
    now = SystemClock().monotonic()
    last = known.get(key)
    if last is None or last.until < now:
        admin = worker_clients().admin(options.connection)
        if last is None:
            ensure_decision_topic(admin, options.decision_topic)
        try:
            timeout_ms = transaction_timeout_ms(admin, options.transaction_timeout_ms)
        except (ApiError, ClientError):
            if last is None:
                raise
            timeout_ms = last.timeout_ms
        known[key] = last = _Limit(timeout_ms, now + _KNOWN_SECONDS)
    return last.timeout_ms


def transaction_timeout_ms(admin: Admin, wanted: int | None) -> int:
    """What the user says, if brokers allow it, or as much as they do. One that is away allows what the others do."""
    resources = [ConfigResource.broker(broker.node_id) for broker in admin.describe_cluster().brokers]
    timeout_ms = _ONE_OF_MANY_MS if len(resources) > 1 else None
    allowed: list[int] = []
    failure: ApiError | ClientError | None = None
    for resource in resources:
        try:
            configs = admin.describe_configs([resource], names=[_LONGEST], timeout_ms=timeout_ms)[resource]
        except (ApiError, ClientError) as error:
            failure = error
        else:
            allowed.append(int(configs[_LONGEST].value or 0))
    if not allowed:
        if wanted is not None:
            return wanted  # brokers that do not tell say no when a task begins
        assert failure is not None
        failure.add_note(f"it is needed to know {_LONGEST}: set {TRANSACTION_TIMEOUT_MS} to do without")
        raise failure
    longest = min(allowed)
    if wanted is not None and wanted > longest:
        raise SparkOptionError(
            f"{TRANSACTION_TIMEOUT_MS} is {wanted}, and brokers allow {longest} with {_LONGEST}"
        )
    return longest if wanted is None else wanted


@cache
def _prepared_clusters(process_id: int) -> dict[tuple[str, str, int | None], _Limit]:
    return {}
