"""What Spark is asked to do with a topic, by each way to read it: our connector, Spark's own, log files and Parquet files.

Rule: the same session, as many rows of the same size, and the same query; only the reader differs. The clock runs from the
call to its return, planning included: where a frame is planned when it is loaded, the loading too.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import pyarrow
from pyspark.sql.types import StructType

from bench.processor_time import own_seconds, seconds_of_started
from bench.ready_columns import KEY_BYTES, ReadyColumns, random_bytes
from pyspark_snakka import enable_fast_reads
from snakka.client.blocking import Admin, Producer
from snakka.spark.columns import source_schema
from snakka.spark.fast_reads import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.listener import StreamingQueryProgress

TABLE_ROWS = 50_000
BATCH_ROWS = 1000
HOUR_MS = 3_600_000
STREAM_SECONDS = 120
ONLY_OFFSETS = "offset LONG"


class Topic(NamedTuple):
    """A topic that is filled once: records of one size, evenly spread."""

    value_bytes: int
    partitions: int
    rows: int

    @property
    def name(self) -> str:
        return f"bench-{self.value_bytes}-{self.partitions}-{self.rows}"

    @property
    def shown(self) -> str:
        size = f"{self.value_bytes} B" if self.value_bytes < 1024 else f"{self.value_bytes // 1024} KB"
        return f"{size}, {self.partitions} partition{'s' if self.partitions > 1 else ''}"

    def fill(self, bootstrap: str) -> None:
        with Admin(bootstrap_servers=bootstrap) as admin:
            admin.create_topic(self.name, partitions=self.partitions)
        with Producer(bootstrap_servers=bootstrap) as producer:
            for partition in range(self.partitions):
                rows = self.rows // self.partitions
                for begin in range(0, rows, TABLE_ROWS):
                    table = _random_rows(begin, min(begin + TABLE_ROWS, rows), rows, self.value_bytes)
                    producer.send_arrow(
                        self.name, table, key="key", timestamp="timestamp", partition=partition
                    ).result(120)


def _random_rows(begin: int, end: int, rows: int, value_bytes: int) -> pyarrow.Table:
    """Those from `begin` to `end` of so many, which have come evenly in the hour before now.

    Each has its own time, as in a topic that producers have filled: a column of one time would cost Parquet nothing to read.
    """
    import numpy

    count = end - begin
    times = int(time.time() * 1000) - HOUR_MS + numpy.arange(begin, end) * HOUR_MS // rows
    columns = {
        "key": random_bytes(count, KEY_BYTES),
        "value": random_bytes(count, value_bytes),
        "timestamp": pyarrow.array(times),
    }
    return pyarrow.table(columns)


class Reader(Enum):
    """A way to read a topic."""

    OURS = "snakka"
    THEIRS = "kafka"
    LOGS = "snakka-log"
    PARQUET = "parquet"
    # What `enable_fast_reads` makes of ours: a map over ranges, where Spark would scan a source in Python.
    OURS_MAPPED = "snakka, mapped"
    LOGS_MAPPED = "snakka-log, mapped"
    # The same map over columns that are there already: what remains if reading costs nothing.
    NOTHING_READ = "ready columns, mapped"


_SCANNED = {Reader.OURS_MAPPED: Reader.OURS, Reader.LOGS_MAPPED: Reader.LOGS}
_PLANNED_WHERE_LOADED = (*_SCANNED, Reader.NOTHING_READ)


class Outcome(NamedTuple):
    """What a query took: for those who read it, and of whom."""

    rows: int
    seconds: float
    jvm_seconds: float
    python_seconds: float
    broker_seconds: float

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds

    @property
    def shares(self) -> str:
        """Processor time of a million rows."""
        parts = {"JVM": self.jvm_seconds, "Python": self.python_seconds, "broker": self.broker_seconds}
        million = self.rows / 1_000_000
        return ", ".join(f"{name} {seconds / million:.2f}" for name, seconds in parts.items())


class Queries:
    """Runs queries in one session against one broker, and says how long they take."""

    def __init__(
        self,
        spark: "SparkSession",
        bootstrap: str,
        data: Path,
        scratch: Path,
        broker_seconds: Callable[[], float],
    ) -> None:
        """`data` is the broker's directory, `broker_seconds` tells its processor time."""
        self._spark = spark
        self._jvm_id = int(spark.sparkContext._jvm.ProcessHandle.current().pid())
        self._bootstrap = bootstrap
        self._broker_seconds = broker_seconds
        self._data = data
        self._scratch = scratch
        self._streams = 0

    def frame(self, reader: Reader, topic: Topic, columns: str = "") -> "DataFrame":
        """All columns, or those that a schema names."""
        if reader in _SCANNED:
            reads = enable_fast_reads()
            try:
                return self.frame(_SCANNED[reader], topic, columns)
            finally:
                reads.disable()
        if reader is Reader.NOTHING_READ:
            schema = StructType.fromDDL(columns) if columns else source_schema(False)
            ready = ReadyColumns(topic.rows, topic.value_bytes, topic.partitions, schema)
            return mapped(self._spark, reader.value, ready, schema)
        read = self._spark.read.schema(columns) if columns else self._spark.read
        if reader is Reader.PARQUET:
            # Without a schema it would look for one in the files first, which is a query of its own.
            return read.schema(columns or source_schema(False)).parquet(str(self._parquet_of(topic)))
        chosen = read.format(reader.value).option("subscribe", topic.name)
        if reader is Reader.LOGS:
            return chosen.load(str(self._data))
        return chosen.option("kafka.bootstrap.servers", self._bootstrap).load()

    def write_parquet(self, topic: Topic) -> None:
        """The same rows as files, as many as there are partitions."""
        self.frame(Reader.OURS, topic).write.mode("overwrite").parquet(str(self._parquet_of(topic)))

    def discard(self, topic: Topic) -> None:
        """All of it: what is measured next shall find room in the page cache."""
        shutil.rmtree(self._parquet_of(topic))
        with Admin(bootstrap_servers=self._bootstrap) as admin:
            admin.delete_topic(topic.name)

    def _parquet_of(self, topic: Topic) -> Path:
        return self._scratch / f"{topic.name}.parquet"

    def outcome(self, what: str, reader: Reader, topic: Topic) -> Outcome:
        columns = ONLY_OFFSETS if what == "offsets" else ""
        frame = None if reader in _PLANNED_WHERE_LOADED else self.frame(reader, topic, columns)
        act: dict[str, Callable[[DataFrame], object]] = {
            "noop": _read_all,
            "offsets": _read_all,
            "count": _counted,
            "groupBy": lambda frame: frame.groupBy((frame["offset"] % 1000).alias("group")).count().collect(),
            "Parquet": lambda frame: frame.write.mode("overwrite").parquet(str(self._scratch / "out")),
        }
        before, started = self._processor_times(), time.perf_counter()
        act[what](self.frame(reader, topic, columns) if frame is None else frame)
        seconds = time.perf_counter() - started
        spent = (after - first for after, first in zip(self._processor_times(), before, strict=True))
        return Outcome(topic.rows, seconds, *spent)

    def _processor_times(self) -> tuple[float, float, float]:
        return own_seconds(self._jvm_id), seconds_of_started(self._jvm_id), self._broker_seconds()

    def batch_seconds(self, reader: Reader, topic: Topic) -> float:
        """What a micro-batch of a thousand rows takes, in the middle: nearly all of it is overhead."""
        self._streams += 1
        query = (
            self._spark.readStream.format(reader.value)
            .option("kafka.bootstrap.servers", self._bootstrap)
            .option("subscribe", topic.name)
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", str(BATCH_ROWS))
            .load()
            .writeStream.format("noop")
            .option("checkpointLocation", str(self._scratch / f"checkpoint-{self._streams}"))
            .trigger(availableNow=True)
            .start()
        )
        if not query.awaitTermination(STREAM_SECONDS):
            query.stop()
            raise RuntimeError(f"the stream of {reader.value} does not end")
        return median(_trigger_seconds(query.recentProgress))


def _read_all(frame: "DataFrame") -> None:
    frame.write.format("noop").mode("overwrite").save()


def _counted(frame: "DataFrame") -> None:
    count = frame.count()
    if not count:
        raise RuntimeError("there is nothing to count")


def _trigger_seconds(progress: "list[StreamingQueryProgress]") -> Iterator[float]:
    """Of the batches after the first ones, which warm everything up."""
    for each in progress[3:]:
        if each.numInputRows:
            yield each.durationMs["triggerExecution"] / 1000
