"""What Spark finds by name: the sinks `snakka-delta` and `snakka-iceberg`.

Rule: only wiring; each part is imported where it is used, because Spark makes these objects in several processes.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceStreamWriter, DataSourceWriter
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from snakka.spark.tables.table_options import CommitKey
    from snakka.spark.tables.table_writer import TableOpener


class _TableDataSource(DataSource):
    _LIBRARY: str  # that knows this kind of table

    def __init__(self, options: dict[str, str]) -> None:
        from snakka.spark.needed_packages import require_packages

        require_packages(self.name(), "pyarrow", "numpy", self._LIBRARY)
        super().__init__(options)

    @abstractmethod
    def _opener(self, schema: StructType) -> "tuple[TableOpener, CommitKey | None]":
        """What opens the table for data of that schema, and what a batch write is known by."""

    def schema(self) -> StructType:
        """Asked of one who reads."""
        from snakka.spark.client_settings import SparkOptionError

        raise SparkOptionError(
            f"{self.name()} writes tables only: read them with deltalake or pyiceberg, or with Spark's own connectors"
        )

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        from snakka.spark.tables.table_writer import BatchTableWriter

        opener, key = self._opener(schema)
        return BatchTableWriter(opener, overwrite, key)

    def streamWriter(  # noqa: N802 -- Spark's name
        self, schema: StructType, overwrite: bool
    ) -> DataSourceStreamWriter:
        from snakka.spark.tables.table_writer import StreamTableWriter

        opener, _ = self._opener(schema)
        return StreamTableWriter(opener, overwrite)


class DeltaDataSource(_TableDataSource):
    """Writes Delta tables, in batches and as streams."""

    _LIBRARY = "deltalake"

    @classmethod
    def name(cls) -> str:
        return "snakka-delta"

    def _opener(self, schema: StructType) -> "tuple[TableOpener, CommitKey | None]":
        from snakka.spark.tables.delta_table import DeltaOpener
        from snakka.spark.tables.stored_types import stored_columns
        from snakka.spark.tables.table_options import delta_options

        options = delta_options(self.options)
        return DeltaOpener(options, stored_columns(schema)), options.sink.key


class IcebergDataSource(_TableDataSource):
    """Writes Iceberg tables, in batches and as streams."""

    _LIBRARY = "pyiceberg"

    @classmethod
    def name(cls) -> str:
        return "snakka-iceberg"

    def _opener(self, schema: StructType) -> "tuple[TableOpener, CommitKey | None]":
        from snakka.spark.tables.iceberg_table import IcebergOpener
        from snakka.spark.tables.stored_types import stored_columns
        from snakka.spark.tables.table_options import iceberg_options

        options = iceberg_options(self.options)
        return IcebergOpener(options, stored_columns(schema)), options.sink.key
