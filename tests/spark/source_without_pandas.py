"""A job for a test that takes pandas away from it: Avro from a topic, decoded, into a topic and into tables.

python source_without_pandas.py BOOTSTRAP SOURCE TARGET DIRECTORY SCHEMA

Each row has a column that says what a Python worker of this very query hears when it imports pandas.
"""

import sys
from pathlib import Path

import pyarrow
from pyspark.sql.functions import arrow_udf, concat_ws

from pyspark_snakka import enable_fast_reads
from snakka.spark.decoding import DecodingSpec, decode
from snakka.spark.session import open_session


def answer_to_pandas(values: pyarrow.Array) -> pyarrow.Array:
    try:
        import pandas
    except ImportError as error:
        return pyarrow.array([str(error)] * len(values))
    return pyarrow.array([pandas.__version__] * len(values))


def main(bootstrap: str, source: str, target: str, directory: Path, schema: str) -> None:
    assert answer_to_pandas(pyarrow.array([1])).to_pylist() == ["taken away"]
    spark = open_session(
        "without-pandas",
        master="local[2]",
        confs={
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.local.dir": str(directory / "scratch"),
        },
    )
    records = (
        spark.readStream.format("snakka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .load()
    )
    rows = decode(records, DecodingSpec("avro", schema=schema, keep=())).rows
    told = rows.withColumn("pandas", arrow_udf(answer_to_pandas, "string")("id"))
    sinks = {
        "snakka": {
            "kafka.bootstrap.servers": bootstrap,
            "topic": target,
            "deliveryGuarantee": "exactly-once",
        },
        "snakka-delta": {"path": str(directory / "delta")},
        "snakka-iceberg": {
            "catalog.uri": f"sqlite:///{directory}/catalog.db",
            "catalog.warehouse": f"file://{directory}/warehouse",
            "table": "lake.events",
        },
    }
    for name, options in sinks.items():
        frame = told.select(concat_ws(":", "id", "pandas").alias("value")) if name == "snakka" else told
        frame.writeStream.format(name).options(**options).option(
            "checkpointLocation", str(directory / f"checkpoint-{name}")
        ).trigger(availableNow=True).start().awaitTermination()
    enable_fast_reads()
    batches = spark.read.format("snakka").option("kafka.bootstrap.servers", bootstrap)
    read, written = (batches.option("subscribe", topic).load().count() for topic in (source, target))
    assert read == written > 0, (read, written)
    assert "pandas" not in sys.modules
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:4], Path(sys.argv[4]), sys.argv[5])
