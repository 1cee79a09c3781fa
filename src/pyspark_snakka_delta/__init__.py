"""What Spark finds by itself: the format `snakka-delta`, Delta tables as sinks."""

from snakka.spark.tables.data_sources import DeltaDataSource as DefaultSource

__all__ = ["DefaultSource"]
