"""The data source `snakka-log`: the topics in a broker's data directory as DataFrames, without the broker.

Rule: it has the columns of the source `snakka`, and its options where they make sense; see `log_options` for its own.
"""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
    Filter,
    InputPartition,
)
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    import pyarrow

    from snakka.spark.log_reader.log_options import LogOptions


class LogDataSource(DataSource):
    """Reads log directories, in batches."""

    def __init__(self, options: dict[str, str]) -> None:
        from snakka.spark.needed_packages import require_packages

        require_packages(self.name(), "pyarrow", "numpy")
        super().__init__(options)

    @classmethod
    def name(cls) -> str:
        return "snakka-log"

    def schema(self) -> StructType:
        from snakka.spark.columns import source_schema
        from snakka.spark.log_reader.log_options import log_options

        return source_schema(log_options(self.options).source.include_headers)

    def reader(self, schema: StructType) -> DataSourceReader:
        from snakka.spark.log_reader.log_options import log_options

        options = log_options(self.options)
        return (FilteringLogReader if options.source.push_down_filters else LogReader)(options, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 -- Spark's name
        raise self._refusal("spark.readStream")

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        raise self._refusal("write")

    def streamWriter(  # noqa: N802 -- Spark's name
        self, schema: StructType, overwrite: bool
    ) -> DataSourceStreamWriter:
        raise self._refusal("writeStream")

    def _refusal(self, asked: str) -> Exception:
        from snakka.spark.client_settings import SparkOptionError

        return SparkOptionError(
            f"{self.name()} is for spark.read only; {asked} goes through a broker, with format snakka"
        )


class LogReader(DataSourceReader):
    """One query: planned on the driver, read by executors."""

    def __init__(self, options: "LogOptions", schema: StructType) -> None:
        from snakka.spark.columns import ChosenColumns
        from snakka.spark.source.filters import PushedFilters

        self._options = options
        self._columns = ChosenColumns(schema)
        self.filters = PushedFilters()

    def partitions(self) -> list[InputPartition]:
        return self.planned_apart(os.cpu_count() or 1)

    def planned_apart(self, tasks_at_a_time: int) -> list[InputPartition]:
        """The same in a process of the user's, which knows how many tasks can run at a time."""
        from snakka.spark.log_reader.planning import plan

        return [*plan(self._options, self.filters, tasks_at_a_time)]

    def read(self, partition: InputPartition) -> "Iterator[pyarrow.RecordBatch]":
        from snakka.spark.log_reader.damage import Damages
        from snakka.spark.log_reader.segment_ranges import LogRange
        from snakka.spark.log_reader.segment_reader import RangeReader
        from snakka.spark.worker_process import keep_what_is_loaded

        if not isinstance(partition, LogRange):
            return iter(())  # Spark's own: there was nothing to plan
        keep_what_is_loaded()
        damages = Damages(self._options.source.fail_on_data_loss)
        return RangeReader(partition, self._columns, damages).batches()


class FilteringLogReader(LogReader):
    """The same, for those who have turned on filters: they choose what is read at all."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 -- Spark's name
        """Take what can be followed to the letter; the rest is given back, also where it helps to read less."""
        return [each for each in filters if not self.filters.take(each)]
