"""Topics as a stream: Spark's questions, put to the driver's part or to the executors'.

Rule: Spark makes this object in several processes, and sends it to executors; only the one that belongs to the query has
clients, and makes them when the first question comes.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    ReadMinRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from snakka.spark.read_options import read_options
from snakka.spark.source.batch_reader import partition_reader
from snakka.spark.source.offset_json import JsonOffsets, json_offsets, offsets_of
from snakka.spark.source.stream_driver import StreamDriver

if TYPE_CHECKING:
    import pyarrow


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads what comes, micro-batch by micro-batch."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self._options = read_options(options, is_stream=True)
        self._reader = partition_reader(self._options, schema)
        self._opened: StreamDriver | None = None

    # -- on the driver, with Spark's names ----------------------------------------------------------------------------

    def initialOffset(self) -> JsonOffsets:  # noqa: N802
        return json_offsets(self._driver.initial())

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Spark only needs to know that there is a limit: it has none for several at once."""
        if self._options.most_offsets is not None:
            return ReadMaxRows(self._options.most_offsets)
        if self._options.least_offsets is not None:
            return ReadMinRows(self._options.least_offsets)
        return ReadAllAvailable()

    def latestOffset(self, start: JsonOffsets, limit: ReadLimit) -> JsonOffsets:  # noqa: N802
        is_limited = not isinstance(limit, ReadAllAvailable)
        return json_offsets(self._driver.latest(offsets_of(start), is_limited=is_limited))

    def reportLatestOffset(self) -> JsonOffsets | None:  # noqa: N802
        return json_offsets(self._driver.available) or None

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._driver.end_at_what_is_there()

    def partitions(self, start: JsonOffsets, end: JsonOffsets) -> Sequence[InputPartition]:
        return self._driver.plan(offsets_of(start), offsets_of(end))

    def commit(self, end: JsonOffsets) -> None:
        self._driver.finished(offsets_of(end))

    def stop(self) -> None:
        if self._opened is not None:
            self._opened.close()

    @property
    def _driver(self) -> StreamDriver:
        if self._opened is None:
            _write_json_as_spark_does()
            self._opened = StreamDriver(self._options)
        return self._opened

    # -- on executors -------------------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> "Iterator[pyarrow.RecordBatch]":
        return self._reader.read(partition)


def _write_json_as_spark_does() -> None:
    """Without blanks, here in the process that belongs to this query: PySpark writes what we return with json.dumps."""
    defaults = json.dumps.__kwdefaults__
    assert defaults is not None
    defaults["separators"] = (",", ":")
