"""A driver for tests that kill it: a batch job with a name writes forty numbers, each with a random part, exactly once.

It is killed with -9 when its decision is written, before anything is committed.

python topic_sink_killed_batch.py BOOTSTRAP TARGET NAME VERSION DIRECTORY
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType
from topic_sink_faults import FaultyBatchWriter, FaultySource

from snakka.spark.session import open_session

ROWS = 40
TASKS = 2
NUMBERS = "concat(cast(id as string), ':', rand()) as value"


class MortalWriter(FaultyBatchWriter):
    """Tasks write as the sink does; the fault is in the commit."""

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        return self._writer.write(iterator)


class MortalSource(FaultySource):
    @classmethod
    def name(cls) -> str:
        return "snakka-mortal-batch"

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        return MortalWriter(self.options, schema)


def main(bootstrap: str, target: str, name: str, version: str, directory: Path) -> None:
    spark = open_session(
        "killed",
        master="local[2]",
        confs={
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.local.dir": str(directory / "scratch"),
        },
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.dataSource.register(MortalSource)
    java = spark._jvm.java.lang.ProcessHandle.current().pid()
    fault = {
        "faultAt": "after the decision",
        "faultBatch": version,
        "faultFile": str(directory / "fault"),
        "killPids": f"{os.getpid()} {java}",
    }
    (
        spark.range(0, ROWS, 1, TASKS)
        .selectExpr(NUMBERS)
        .write.format(MortalSource.name())
        .option("kafka.bootstrap.servers", bootstrap)
        .options(topic=target, deliveryGuarantee="exactly-once", txnAppId=name, txnVersion=version)
        .options(**fault)
        .mode("append")
        .save()
    )


if __name__ == "__main__":
    main(*sys.argv[1:5], Path(sys.argv[5]))
