"""A driver for tests that kill it: one query into a Delta table, one into an Iceberg table, until a batch is done.

python table_kill_driver.py DIRECTORY LAST_BATCH
"""

import os
import sys
import time
from pathlib import Path

from snakka.spark.session import open_session

ROWS_A_BATCH = 2_000
DEADLINE_SECONDS = 240


def main(directory: Path, last_batch: int) -> None:
    spark = open_session(
        "tables",
        master="local[2,3]",
        confs={
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.local.dir": str(directory / "scratch"),
        },
    )
    spark.sparkContext.setLogLevel("ERROR")
    java = spark._jvm.java.lang.ProcessHandle.current().pid()
    (directory / "pids").write_text(f"{os.getpid()} {java}")  # it would end by itself without its JVM
    rows = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", ROWS_A_BATCH)
        .option("numPartitions", 2)
        .load()
        .selectExpr("value AS id", "timestamp", "rand() AS chance")
    )
    sinks = {
        "snakka-delta": {"path": str(directory / "delta")},
        "snakka-iceberg": {
            "catalog.uri": f"sqlite:///{directory}/catalog.db",
            "catalog.warehouse": f"file://{directory}/warehouse",
            "table": "lake.events",
        },
    }
    queries = [
        rows.writeStream.format(name)
        .options(**options)
        .option("checkpointLocation", str(directory / f"checkpoint-{name}"))
        .trigger(processingTime="0 seconds")
        .start()
        for name, options in sinks.items()
    ]
    deadline = time.monotonic() + DEADLINE_SECONDS
    running = list(queries)
    while running and time.monotonic() < deadline:
        for query in list(running):
            progress = query.lastProgress
            if not query.isActive or (progress is not None and progress["batchId"] >= last_batch):
                query.stop()
                running.remove(query)
        time.sleep(0.05)
    failures = [str(query.exception()) for query in queries if query.exception() is not None]
    print("\n".join(failures))
    sys.exit(1 if failures or running else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
