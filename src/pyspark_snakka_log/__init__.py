"""What Spark finds by itself: the format `snakka-log`, log directories as DataFrames.

Spark looks for `DefaultSource` in every package whose name begins with `pyspark_`.
"""

from snakka.spark.log_reader.data_source import LogDataSource as DefaultSource

__all__ = ["DefaultSource"]
