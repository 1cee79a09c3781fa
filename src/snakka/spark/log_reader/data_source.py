"""The data source `snakka-log`: the topics in a broker's data directory as DataFrames, without the broker.

Rule: it has the columns of the source `snakka`, and its options where they make sense; see `log_options` for its own.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    import pyarrow


class LogDataSource(DataSource):
    """Reads log directories, in batches."""

    @classmethod
    def name(cls) -> str:
        return "snakka-log"

    def schema(self) -> StructType:
        from snakka.spark.columns import source_schema
        from snakka.spark.read_options import includes_headers

        return source_schema(includes_headers(self.options))

    def reader(self, schema: StructType) -> DataSourceReader:
        return LogReader(dict(self.options), schema)


class LogReader(DataSourceReader):
    """One query: planned on the driver, read by executors."""

    def __init__(self, options: dict[str, str], schema: StructType) -> None:
        from snakka.spark.columns import ChosenColumns
        from snakka.spark.log_reader.log_options import log_options

        self._options = log_options(options)
        self._columns = ChosenColumns(schema)

    def partitions(self) -> list[InputPartition]:
        from snakka.spark.log_reader.planning import plan

        return [*plan(self._options)]

    def read(self, partition: InputPartition) -> "Iterator[pyarrow.RecordBatch]":
        from snakka.spark.log_reader.damage import Damages
        from snakka.spark.log_reader.segment_ranges import LogRange
        from snakka.spark.log_reader.segment_reader import RangeReader

        if not isinstance(partition, LogRange):
            return iter(())  # Spark's own: there was nothing to plan
        damages = Damages(self._options.source.fail_on_data_loss)
        return RangeReader(partition, self._columns, damages).batches()
