"""A source in Python that has nothing to do: its columns are ready, and it hands them to Spark again and again.

It has the columns of a topic, its number of rows, our connector's batches and a task for each core. What it reaches is about
what our readers would reach if fetching and decoding took no time.
"""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "snakka-bench-memory"


def register(spark: "SparkSession") -> None:
    """Make format(NAME) known; its options are `rows` and `value_bytes`."""
    # A class within a function is sent to the workers as it is: they can't import this package.
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    from snakka.spark.columns import MOST_BYTES, MOST_ROWS, source_schema

    class Share(InputPartition):
        def __init__(self, rows: int) -> None:
            self.rows = rows

    class MemoryReader(DataSourceReader):
        def __init__(self, rows: int, tasks: int, value_bytes: int, names: list[str]) -> None:
            self._rows = rows
            self._tasks = tasks
            self._value_bytes = value_bytes
            self._names = names

        def partitions(self) -> list[InputPartition]:
            shares = [self._rows // self._tasks] * self._tasks
            shares[0] += self._rows % self._tasks
            return [Share(rows) for rows in shares]

        def read(self, partition):  # type: ignore[no-untyped-def]
            batch = self._columns(min(MOST_ROWS, MOST_BYTES // self._value_bytes))
            left = partition.rows
            while left > 0:
                yield batch.slice(0, left)
                left -= batch.num_rows

        def _columns(self, rows: int):  # type: ignore[no-untyped-def]
            import pyarrow

            of_every_row = {
                "key": pyarrow.scalar(b"k" * 8),
                "value": pyarrow.scalar(b"v" * self._value_bytes),
                "topic": pyarrow.scalar(f"bench-{self._value_bytes}-{self._rows}"),
                "partition": pyarrow.scalar(0, pyarrow.int32()),
                "offset": pyarrow.scalar(0, pyarrow.int64()),
                "timestamp": pyarrow.scalar(0, pyarrow.timestamp("us", "UTC")),
                "timestampType": pyarrow.scalar(0, pyarrow.int32()),
            }
            columns = {name: pyarrow.repeat(of_every_row[name], rows) for name in self._names}
            return pyarrow.RecordBatch.from_pydict(columns)

    class MemorySource(DataSource):
        @classmethod
        def name(cls) -> str:
            return NAME

        def schema(self):  # type: ignore[no-untyped-def]
            return source_schema(False)

        def reader(self, schema):  # type: ignore[no-untyped-def]
            rows, value_bytes = (int(self.options[name]) for name in ("rows", "value_bytes"))
            return MemoryReader(rows, os.cpu_count() or 1, value_bytes, schema.fieldNames())

    spark.dataSource.register(MemorySource)
