"""What Spark finds by itself: `spark.read.format("snakka")` works wherever Snakka is installed, without registration.

    from pyspark_snakka import enable_kafka_alias

    enable_kafka_alias()  # format("kafka") is ours too, where Spark's own connector is not there

    from pyspark_snakka import enable_fast_reads

    enable_fast_reads()  # what spark.read loads takes the shortest way into Spark

    from pyspark_snakka import enable_parallel_streams

    enable_parallel_streams(spark)  # streams of the session may begin at the same time

Spark looks for `DefaultSource` in every package whose name begins with `pyspark_`.
"""

from pyspark_snakka.kafka_alias import KafkaAlias, enable_kafka_alias
from snakka.spark.data_source import SnakkaDataSource as DefaultSource
from snakka.spark.fast_reads import FastReads, enable_fast_reads
from snakka.spark.parallel_streams import enable_parallel_streams

__all__ = [
    "DefaultSource",
    "FastReads",
    "KafkaAlias",
    "enable_fast_reads",
    "enable_kafka_alias",
    "enable_parallel_streams",
]
