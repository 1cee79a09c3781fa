"""The data source `snakka`: topics as DataFrames, with the options and columns of Spark's own Kafka source and sink.

Rule: Spark makes one of these in several processes; each part is imported where it is used.
"""

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.types import StructType


class SnakkaDataSource(DataSource):
    """Reads and writes topics, in batches and as streams."""

    def __init__(self, options: dict[str, str]) -> None:
        from snakka.spark.needed_packages import require_packages

        require_packages(self.name(), "pyarrow", "numpy")
        super().__init__(options)

    @classmethod
    def name(cls) -> str:
        return "snakka"

    def schema(self) -> StructType:
        from snakka.spark.columns import source_schema
        from snakka.spark.read_options import includes_headers

        return source_schema(includes_headers(self.options))

    def reader(self, schema: StructType) -> DataSourceReader:
        from snakka.spark.source.batch_reader import open_reader

        return open_reader(self.options, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 -- Spark's name
        from snakka.spark.source.stream_reader import StreamReader

        return StreamReader(self.options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        from snakka.spark.client_settings import SparkOptionError
        from snakka.spark.topic_sink.batch_writer import TopicBatchWriter

        if overwrite:
            raise SparkOptionError('a topic can\'t be overwritten: use mode("append")')
        return TopicBatchWriter(self.options, schema)

    def streamWriter(  # noqa: N802 -- Spark's name
        self, schema: StructType, overwrite: bool
    ) -> DataSourceStreamWriter:
        from snakka.spark.topic_sink.stream_writer import TopicStreamWriter

        return TopicStreamWriter(self.options, schema)
