"""A driver for tests that kill it: numbers of a topic into some sinks, each by its own query, each row with a random part.

python killed_driver.py SETTINGS, which is JSON: the fields of driver_lives.Life
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driver_deaths import DoomedDelta, DoomedIceberg, DoomedTopics

from pyspark_snakka import enable_parallel_streams
from snakka.spark.session import open_session
from snakka.spark.topic_sink import batch_saver

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

# What takes the rows, by the names that tests give; `update` is a topic that foreachBatch writes to.
SINKS = {"topic": DoomedTopics, "update": DoomedTopics, "delta": DoomedDelta, "iceberg": DoomedIceberg}
QUERY_SECONDS = 240.0
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def main(life: dict[str, Any]) -> None:
    directory = Path(life["directory"])
    confs = {
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.local.dir": str(directory / "scratch"),
        "spark.sql.execution.arrow.maxRecordsPerBatch": "5",
    }
    if life["master"].startswith("spark://"):
        confs |= {
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "spark.executor.extraJavaOptions": JAVA_OPTIONS,
            "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
            "spark.executorEnv.SPARK_HOME": os.environ["SPARK_HOME"],
        }
    spark = open_session("killed", master=life["master"], confs=confs)
    spark.sparkContext.setLogLevel("ERROR")
    java = spark._jvm.java.lang.ProcessHandle.current().pid()
    (directory / "pids").write_text(f"{os.getpid()} {java}")  # it would end by itself without its JVM
    batch_saver.FORMAT = DoomedTopics.name()
    for kind in set(SINKS.values()):
        spark.dataSource.register(kind)
    enable_parallel_streams(spark)
    wait_for([start(spark, life, name, options) for name, options in life["sinks"].items()])
    spark.stop()


def start(
    spark: "SparkSession", life: dict[str, Any], name: str, options: dict[str, str]
) -> "StreamingQuery":
    """The query of one sink."""
    rows = (
        spark.readStream.format("snakka")
        .option("kafka.bootstrap.servers", life["bootstrap"])
        .option("subscribe", life["source"])
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", str(life["rows_a_batch"]))
        .option("minPartitions", str(life["tasks"]))
        .load()
        .selectExpr("cast(value as string) AS number", "rand() AS chance")
    )
    directory = Path(life["directory"])
    fault = {"faultAt": life["where"], "faultBatch": str(life["batch"])}
    if life["is_worker"]:
        fault |= {"killPids": "0", "faultFile": str(directory / f"a worker of {name} was killed")}
    else:
        fault |= {"faultDirectory": str(directory), "faultParty": name}
    if "topic" in options:
        rows = rows.selectExpr("concat(number, ':', chance) AS value")
        exactly = {"kafka.bootstrap.servers": life["bootstrap"], "deliveryGuarantee": "exactly-once"}
        options = {**options, **exactly}
    else:
        # Files so small that each batch of rows is written at once.
        rows = rows.selectExpr("cast(number AS bigint) AS id", "chance", "repeat('.', 300) AS padding")
        options = {**options, "targetFileSizeBytes": "1k"}
    options |= fault
    writer = rows.writeStream.option("checkpointLocation", str(directory / f"checkpoint-{name}"))
    if name == "update":
        writer = writer.outputMode("update").foreachBatch(batch_saver.batch_saver(options))
    else:
        writer = writer.format(SINKS[name].name()).options(**options)
    return writer.trigger(availableNow=True).start()


def wait_for(queries: "list[StreamingQuery]") -> None:
    """Until all have ended; the first one that fails ends this driver."""
    deadline = time.monotonic() + QUERY_SECONDS
    while any(query.isActive for query in queries):
        assert time.monotonic() < deadline, [query.lastProgress for query in queries]
        for query in queries:
            if (failure := query.exception()) is not None:
                raise failure
        time.sleep(0.05)
    for query in queries:
        query.awaitTermination()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
