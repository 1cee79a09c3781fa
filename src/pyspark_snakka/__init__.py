"""What Spark finds by itself: `spark.read.format("snakka")` works wherever Snakka is installed, without registration.

    from pyspark_snakka import enable_kafka_alias

Spark looks for `DefaultSource` in every package whose name begins with `pyspark_`.
"""

from snakka.spark.data_source import SnakkaDataSource as DefaultSource

__all__ = ["DefaultSource"]
