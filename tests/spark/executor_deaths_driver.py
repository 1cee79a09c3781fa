"""A driver that survives its executors: the numbers of a topic into a topic, then a Delta table, then an Iceberg table; last
they are read as a batch, by the shortest way.

python executor_deaths_driver.py MASTER BOOTSTRAP SOURCE TARGET DIRECTORY ROWS_A_BATCH
"""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from executor_deaths import MortalDelta, MortalIceberg, MortalReading, MortalTopics

from pyspark_snakka import enable_fast_reads
from snakka.spark.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

BATCH = "batch"
SINKS = {"topic": MortalTopics, "delta": MortalDelta, "iceberg": MortalIceberg}
QUERY_SECONDS = 240.0
# Executors start often, and do little.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def main(master: str, bootstrap: str, source: str, target: str, directory: Path, rows_a_batch: str) -> None:
    spark = open_session(
        "executor-deaths",
        master=master,
        confs={
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": JAVA_OPTIONS,
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "spark.executor.extraJavaOptions": JAVA_OPTIONS,
            "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
            "spark.executorEnv.SPARK_HOME": os.environ["SPARK_HOME"],
            "spark.local.dir": str(directory / "scratch"),
            "spark.shuffle.io.maxRetries": "1",
            "spark.shuffle.io.retryWait": "100ms",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "5",
        },
    )
    spark.sparkContext.setLogLevel("ERROR")
    sinks = {
        "topic": {
            "kafka.bootstrap.servers": bootstrap,
            "topic": target,
            "deliveryGuarantee": "exactly-once",
        },
        "delta": {
            "path": str(directory / "delta"),
            "targetFileSizeBytes": "1k",  # each batch of rows is written at once
        },
        "iceberg": {
            "catalog.uri": f"sqlite:///{directory}/catalog.db",
            "catalog.warehouse": f"file://{directory}/warehouse",
            "table": "lake.events",
            "targetFileSizeBytes": "1k",
        },
    }
    for name, kind in SINKS.items():
        spark.dataSource.register(kind)
        query = start(spark, bootstrap, source, directory, rows_a_batch, name, sinks[name])
        watch(spark, query, directory / "executors")
    (directory / "batch").write_text(read_batch(spark, bootstrap, source, directory))
    spark.stop()


def read_batch(spark: "SparkSession", bootstrap: str, source: str, directory: Path) -> str:
    """How many rows there are, and how many different ones."""
    enable_fast_reads()
    deaths = directory / f"deaths-{BATCH}"
    deaths.mkdir()
    rows = (
        spark.read.format("snakka").options(subscribe=source, **{"kafka.bootstrap.servers": bootstrap}).load()
    )
    passed = rows.mapInArrow(MortalReading(deaths), rows.schema)
    found = passed.selectExpr("count(*)", "count(distinct value)").collect()[0]
    return f"{found[0]} {found[1]}"


def start(
    spark: "SparkSession",
    bootstrap: str,
    source: str,
    directory: Path,
    rows_a_batch: str,
    name: str,
    options: dict[str, str],
) -> "StreamingQuery":
    deaths = directory / f"deaths-{name}"
    deaths.mkdir()
    rows = (
        spark.readStream.format("snakka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("kafka.group.id", name)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", rows_a_batch)
        .load()
        .selectExpr("cast(value as string) AS number")
    )
    if name == "topic":
        rows = rows.selectExpr("concat(number, ':', rand()) AS value")
    else:
        # With a shuffle, who dies has what others need: the whole stage is tried again.
        rows = rows.repartition(2, "number").selectExpr(
            "cast(number AS bigint) AS id", "rand() AS chance", "repeat('.', 300) AS padding"
        )
    return (
        rows.writeStream.format(SINKS[name].name())
        .options(**options)
        .option("deathDirectory", str(deaths))
        .option("checkpointLocation", str(directory / f"checkpoint-{name}"))
        .trigger(availableNow=True)
        .start()
    )


def watch(spark: "SparkSession", query: "StreamingQuery", executors: Path) -> None:
    """Until the query ends: says which executors there are."""
    deadline = time.monotonic() + QUERY_SECONDS
    while not query.awaitTermination(0.1):
        assert time.monotonic() < deadline, f"it does not end: {query.lastProgress}"
        found = spark.sparkContext._jsc.sc().getExecutorIds()
        fresh = executors.with_suffix(".fresh")
        fresh.write_text(found.mkString(" "))
        fresh.replace(executors)


if __name__ == "__main__":
    main(*sys.argv[1:5], Path(sys.argv[5]), sys.argv[6])
