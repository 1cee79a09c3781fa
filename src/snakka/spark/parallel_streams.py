"""Streams of one session that begin at the same time, which Spark may mix up for good.

For the process of a stream's source Spark notes variables in a map that all streams of that source share, without a lock. Of
two that begin together both may add the same variable, and from then on no task of the source can be sent in this session:
"Illegal size 5 of collection, expected 6". Who is most likely to meet it starts two queries that go on from checkpoints.

Rule: all variables are in the map before the first stream begins; a new value for one that is there harms nobody.
"""

from typing import TYPE_CHECKING

from snakka.spark.data_source import SnakkaDataSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What Spark 4.3 puts beside PYTHONPATH, which is there from the beginning.
_VARIABLES = ("SPARK_LOCAL_DIRS", "SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE", "SPARK_PYTHON_RUNTIME")


def enable_parallel_streams(spark: "SparkSession") -> None:
    """From now on streams of format `snakka` may begin at the same time in all sessions of this JVM."""
    sources = spark._jsparkSession.sessionState().dataSourceManager()
    variables = sources.lookupDataSource(SnakkaDataSource.name()).dataSourceCls().envVars()
    for name in _VARIABLES:
        if not variables.containsKey(name):
            variables.put(name, "")
