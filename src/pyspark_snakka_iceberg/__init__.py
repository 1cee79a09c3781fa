"""What Spark finds by itself: the format `snakka-iceberg`, Iceberg tables as sinks."""

from snakka.spark.tables.data_sources import IcebergDataSource as DefaultSource

__all__ = ["DefaultSource"]
