"""What a pipeline does, in small: run by `warm_start` in a process of its own, so that the JVM loads what pipelines need.

Rule: it needs no broker, and leaves nothing behind but what is in the directory it is given.
"""

import sys
from pathlib import Path

from snakka.spark.session import open_session

_END_SECONDS = 60.0


def main(scratch: Path) -> None:
    session = open_session(
        "warmup",
        master="local[1]",
        confs={"spark.local.dir": str(scratch), "spark.sql.warehouse.dir": str(scratch / "warehouse")},
    )
    # The process that is the JVM: the archive is complete when it has ended.
    jvm = session.sparkContext._gateway.proc
    rate = session.readStream.format("rate-micro-batch").option("rowsPerBatch", 100).load()
    rate.createOrReplaceTempView("ticks")
    rows = session.sql(
        "SELECT value % 10 AS id, from_json(concat('{\"a\":', value, '}'), 'a BIGINT').a AS a, timestamp FROM ticks"
    )
    counted = (
        rows.withWatermark("timestamp", "1 minute")
        .groupBy("id")
        .count()
        .selectExpr("to_json(struct(*)) AS value")
    )
    for number, (frame, mode, target) in enumerate(
        ((rows, "append", "parquet"), (counted, "complete", "noop"))
    ):
        query = (
            frame.writeStream.format(target)
            .outputMode(mode)
            .option("checkpointLocation", str(scratch / f"checkpoint-{number}"))
            .option("path", str(scratch / f"rows-{number}"))
            .trigger(once=True)
            .start()
        )
        query.awaitTermination(int(_END_SECONDS))
    session.stop()
    session.sparkContext._gateway.shutdown()
    jvm.stdin.close()
    jvm.wait(_END_SECONDS * 2)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
