"""A driver for tests that kill it: numbers from one topic into another, exactly once, each with a random part.

python topic_sink_killed_job.py BOOTSTRAP SOURCE TARGET DIRECTORY TASKS ROWS_A_BATCH [FAULT BATCH]
"""

import os
import sys
from pathlib import Path

from topic_sink_faults import IN_TASKS, FaultySource

from snakka.spark.session import open_session


def main(
    bootstrap: str, source: str, target: str, directory: Path, tasks: str, rows: str, *fault: str
) -> None:
    spark = open_session(
        "killed",
        master="local[2,3]",  # a task that fails is tried again
        confs={
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.local.dir": str(directory / "scratch"),
            "spark.sql.execution.arrow.maxRecordsPerBatch": "5",
        },
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.dataSource.register(FaultySource)
    options = {"topic": target, "deliveryGuarantee": "exactly-once"}
    if fault:
        where, batch = fault
        java = spark._jvm.java.lang.ProcessHandle.current().pid()
        options |= {
            "faultAt": where,
            "faultBatch": batch,
            "faultFile": str(directory / f"fault in batch {batch}"),
            "killPids": "0" if where in IN_TASKS else f"{os.getpid()} {java}",
        }
    query = (
        spark.readStream.format("snakka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", rows)
        .option("minPartitions", tasks)
        .load()
        .selectExpr("concat(cast(value as string), ':', rand()) as value")
        .writeStream.format("snakka-faulty")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("checkpointLocation", str(directory / "checkpoint"))
        .options(**options)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:4], Path(sys.argv[4]), *sys.argv[5:])
