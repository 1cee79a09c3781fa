"""A driver whose session was started with spark.speculation=true: it writes in every way, and prints what became of each.

python topic_sink_speculating_job.py BOOTSTRAP DIRECTORY
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from snakka.spark.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITTEN = "written"
GUARANTEES = ("exactly-once", "at-least-once")
ROWS = 7


def write_batch(spark: "SparkSession", options: dict[str, str], directory: Path) -> None:
    data = spark.range(ROWS).selectExpr("cast(id as string) as value")
    data.write.format("snakka").options(**options).mode("append").save()


def write_stream(spark: "SparkSession", options: dict[str, str], directory: Path) -> None:
    data = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS).load()
    writer = data.selectExpr("cast(value as string) as value").writeStream.format("snakka")
    checkpoint = str(directory / options["topic"])
    writer = writer.options(**options).option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start().awaitTermination()


WAYS: dict[str, Callable[["SparkSession", dict[str, str], Path], None]] = {
    "batch": write_batch,
    "stream": write_stream,
}


def main(bootstrap: str, directory: Path) -> None:
    spark = open_session(
        "speculating",
        master="local[2]",
        confs={
            "spark.speculation": "true",
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.local.dir": str(directory / "scratch"),
        },
    )
    spark.sparkContext.setLogLevel("OFF")
    became = {}
    for way, write in WAYS.items():
        for guarantee in GUARANTEES:
            topic = f"{way}-{guarantee}"
            options = {"kafka.bootstrap.servers": bootstrap, "topic": topic, "deliveryGuarantee": guarantee}
            try:
                write(spark, options, directory)
                became[topic] = WRITTEN
            except Exception as error:
                became[topic] = str(error)
    print(json.dumps(became))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
