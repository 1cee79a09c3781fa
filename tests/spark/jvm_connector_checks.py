"""Spark's own Kafka connector beside ours, in a process of its own: its jars must be there when a session starts.

`python jvm_connector_checks.py DIRECTORY JAR...` runs every check and prints a line of JSON for each: its name, and what is
wrong, if anything is. One session and one broker serve them all.
"""

import json
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import StreamingQueryException

from pyspark_snakka import enable_fast_reads, enable_kafka_alias
from snakka.client.blocking import Admin, Producer
from snakka.client.topic_partition import TopicPartition
from snakka.spark.session import open_session
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

THEIRS, OURS, LOGS = "kafka", "snakka", "snakka-log"
NOW_MS = 1_700_000_000_000
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
# Several topics at once, for the order in which a text names them and their partitions.
WIDE = {"wide": 17, "orders": 3, "a-third": 2}
KEYS = ("topic", "partition", "offset")
QUERY_SECONDS = 60
KEEP = {"retention.ms": "-1"}


class Checks:
    """All checks by name; each is a method that asserts."""

    def __init__(self, spark: "SparkSession", bootstrap: str, data: Path, scratch: Path) -> None:
        self.spark = spark
        self.bootstrap = bootstrap
        self.data = data
        self.scratch = scratch
        with Admin(bootstrap_servers=bootstrap) as admin:
            for codec in CODECS:
                admin.create_topic(f"codec-{codec}", partitions=2, configs=KEEP)
            appended = {"message.timestamp.type": "LogAppendTime"}
            admin.create_topic("append-time", configs=KEEP | appended)
            admin.create_topic("transactional", configs=KEEP)
            admin.create_topic("trimmed", configs=KEEP)
            for name, partitions in WIDE.items():
                admin.create_topic(name, partitions=partitions, configs=KEEP)
            for name in ("by-theirs", "by-ours", "copied-by-theirs", "copied-by-ours"):
                admin.create_topic(name, partitions=2, configs=KEEP)
        for codec in CODECS:
            self.produce(f"codec-{codec}", 60, partitions=2, compression_type=codec)
        self.produce("append-time", 20)
        self.produce("trimmed", 20)
        for name, partitions in WIDE.items():
            self.produce(name, 140, partitions=partitions)
        self._write_transactions()

    # -- what all of them use -----------------------------------------------------------------------------------------

    def produce(self, topic: str, count: int, *, partitions: int = 1, **settings: Any) -> None:
        with Producer(bootstrap_servers=self.bootstrap, **settings) as producer:
            for number in range(count):
                producer.send(
                    topic,
                    None if number % 6 == 0 else b"value \xff\x00 %d" % number,
                    None if number % 4 == 0 else b"key %d" % number,
                    headers=[("first", b"%d" % number), ("none", None), ("first", b"")]
                    if number % 3
                    else None,
                    partition=number % partitions,
                    timestamp_ms=NOW_MS + number * 7,
                )

    def _write_transactions(self) -> None:
        with Producer(bootstrap_servers=self.bootstrap, transactional_id="checks") as producer:
            for number in range(4):
                producer.begin_transaction()
                for index in range(5):
                    producer.send(
                        "transactional", b"%d %d" % (number, index), partition=0, timestamp_ms=NOW_MS
                    )
                producer.flush()
                if number % 2:
                    producer.abort_transaction()
                else:
                    producer.commit_transaction()

    def read(self, source: str, topics: str, **options: str) -> "DataFrame":
        reader = self.spark.read.format(source).options(subscribe=topics, includeHeaders="true", **options)
        if source == LOGS:
            return reader.load(str(self.data))
        return reader.option("kafka.bootstrap.servers", self.bootstrap).load()

    def rows(self, source: str, topics: str, **options: str) -> list[Any]:
        return self.read(source, topics, **options).orderBy(*KEYS).collect()

    def pieces(self, source: str, topics: str, **options: str) -> list[list[Any]]:
        """The rows of each task."""
        rows = self.read(source, topics, **options).selectExpr("*", "spark_partition_id() AS task").collect()
        return grouped(rows, "task")

    def fails(self, source: str, topics: str, **options: str) -> bool:
        try:
            self.rows(source, topics, **options)
        except Exception:
            return True
        return False

    def stream(self, source: str, topics: str, checkpoint: Path, output: Path, **options: str) -> list[Any]:
        """Reads what is there, and gives the progress of each batch."""
        query = (
            self.spark.readStream.format(source)
            .options(**{"startingOffsets": "earliest", **options}, subscribe=topics)
            .option("kafka.bootstrap.servers", self.bootstrap)
            .load()
            .select(*KEYS, "value")
            .writeStream.format("parquet")
            .option("checkpointLocation", str(checkpoint))
            .option("path", str(output))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(QUERY_SECONDS), "the query does not end"
        return list(query.recentProgress)

    def written(self, output: Path) -> list[Any]:
        frame = self.spark.read.schema("topic STRING, partition INT, offset BIGINT, value BINARY")
        return frame.parquet(str(output)).orderBy(*KEYS).collect()

    def in_log(self, topics: str, **options: str) -> list[Any]:
        return self.read(THEIRS, topics, **options).select(*KEYS, "value").orderBy(*KEYS).collect()

    # -- the checks ---------------------------------------------------------------------------------------------------

    def check_identical_data_frames(self) -> None:
        topics = ",".join((*(f"codec-{codec}" for codec in CODECS), "append-time", "transactional"))
        frames = [self.read(source, topics) for source in (THEIRS, OURS, LOGS)]
        assert frames[0].schema == frames[1].schema == frames[2].schema
        theirs, *others = (self.rows(source, topics) for source in (THEIRS, OURS, LOGS))
        reads = enable_fast_reads()
        try:
            others += [self.rows(source, topics) for source in (OURS, LOGS)]
        finally:
            reads.disable()
        assert len(theirs) == 60 * len(CODECS) + 20 + 20
        assert {row.timestampType for row in theirs} == {0, 1}
        assert any(row.headers is None for row in theirs)
        for rows in others:
            different = [pair for pair in zip(theirs, rows, strict=True) if pair[0] != pair[1]]
            assert not different, different[:3]

    def check_committed_records_only(self) -> None:
        committed = {"kafka.isolation.level": "read_committed"}
        theirs, *others = (self.rows(source, "transactional", **committed) for source in (THEIRS, OURS, LOGS))
        assert [bytes(row.value)[:1] for row in theirs] == [b"0"] * 5 + [b"2"] * 5
        assert all(rows == theirs for rows in others)

    def check_bounds_and_pieces(self) -> None:
        start = json.dumps({"codec-none": {"0": 3, "1": -2}})
        end = json.dumps({"codec-none": {"0": 21, "1": -1}})
        first = json.dumps({"codec-none": {"0": NOW_MS + 100, "1": NOW_MS}})
        last = json.dumps({"codec-none": {"0": NOW_MS + 200, "1": NOW_MS + 10**9}})
        for options in (
            {"startingOffsets": start, "endingOffsets": end},
            {"startingTimestamp": str(NOW_MS + 100), "endingTimestamp": str(NOW_MS + 200)},
            {"startingOffsetsByTimestamp": first, "endingOffsetsByTimestamp": last},
            {"minPartitions": "7"},
            {"minPartitions": "13", "maxRecordsPerPartition": "7"},
        ):
            theirs, ours = (self.pieces(source, "codec-none", **options) for source in (THEIRS, OURS))
            assert theirs == ours, options

    def check_no_task_reads_more_than_it_may(self) -> None:
        """In streams; in batches theirs does not look at the option unless minPartitions wants more tasks, too."""
        most = {"maxRecordsPerPartition": "7"}
        written = []
        for source in (THEIRS, OURS):
            output = self.scratch / f"pieces-{source}"
            self.stream(source, "codec-none", self.scratch / f"divided-{source}", output, **most)
            rows = self.spark.read.parquet(str(output)).selectExpr("*", "_metadata.file_path AS file")
            written.append(grouped(rows.collect(), "file"))
        assert written[0] == written[1]
        for pieces in (written[1], self.pieces(OURS, "codec-none", **most)):
            assert [len(piece) for piece in pieces] == [6] * 10
        assert len(self.pieces(THEIRS, "codec-none", **most)) == 2

    def check_times_after_the_last_record(self) -> None:
        late = {
            "startingOffsetsByTimestamp": json.dumps({"codec-none": {"0": NOW_MS + 100, "1": NOW_MS + 10**9}})
        }
        assert all(self.fails(source, "codec-none", **late) for source in (THEIRS, OURS))
        late["startingOffsetsByTimestampStrategy"] = "latest"
        theirs, ours = (self.rows(source, "codec-none", **late) for source in (THEIRS, OURS))
        assert {row.partition for row in theirs} == {0}
        assert 0 < len(theirs) < 30
        assert theirs == ours

    def check_records_that_are_gone(self) -> None:
        """In batches, and in streams that have read others before."""
        places = {
            source: (self.scratch / f"gone-{source}", self.scratch / f"rows-gone-{source}")
            for source in (THEIRS, OURS)
        }
        for source, place in places.items():
            self.stream(source, "trimmed", *place)
        self.produce("trimmed", 20)
        with Admin(bootstrap_servers=self.bootstrap) as admin:
            admin.delete_records({TopicPartition("trimmed", 0): 28}).raise_for_errors()
        for end, count in ((-1, 12), (30, 2), (25, 0)):
            options = {
                "startingOffsets": json.dumps({"trimmed": {"0": 3}}),
                "endingOffsets": json.dumps({"trimmed": {"0": end}}),
            }
            assert all(self.fails(source, "trimmed", **options) for source in (THEIRS, OURS)), end
            options["failOnDataLoss"] = "false"
            theirs, ours = (self.rows(source, "trimmed", **options) for source in (THEIRS, OURS))
            assert len(theirs) == count, (end, theirs)
            assert theirs == ours, end
        for source, place in places.items():
            with pytest.raises(StreamingQueryException):
                self.stream(source, "trimmed", *place)
            self.stream(source, "trimmed", *place, failOnDataLoss="false")
        theirs, ours = (self.written(output) for _, output in places.values())
        assert [row.offset for row in theirs] == [*range(20), *range(28, 40)]
        assert theirs == ours

    def check_subscriptions(self) -> None:
        for options in (
            {"subscribePattern": r"^append-(?i)TIME|\QCODEC-\E\p{Lower}z4$"},
            {"assign": json.dumps({"codec-gzip": [1], "codec-lz4": [0]})},
        ):
            theirs, ours = (
                self.spark.read.format(source)
                .options(**options)
                .option("kafka.bootstrap.servers", self.bootstrap)
                .load()
                .orderBy("topic", "partition", "offset")
                .collect()
                for source in (THEIRS, OURS)
            )
            assert theirs == ours, options
            assert len({(row.topic, row.partition) for row in theirs}) >= 2, options

    def check_each_reads_what_the_other_writes(self) -> None:
        rows = (
            self.read(OURS, "codec-zstd")
            .select("key", "value", "headers", "partition")
            .where("value is not null")
        )
        for source, topic in ((THEIRS, "by-theirs"), (OURS, "by-ours")):
            writer = rows.write.format(source).option("kafka.bootstrap.servers", self.bootstrap)
            writer.option("topic", topic).option("includeHeaders", "true").mode("append").save()
        content = ("partition", "key", "value", "headers")
        wanted = sorted(map(repr, rows.select(*content).collect()))
        for source in (THEIRS, OURS):
            for topic in ("by-theirs", "by-ours"):
                found = self.read(source, topic).select(*content).collect()
                assert sorted(map(repr, found)) == wanted, (source, topic, len(found), len(wanted))

    def check_streams_write_to_topics(self) -> None:
        for source, topic in ((THEIRS, "copied-by-theirs"), (OURS, "copied-by-ours")):
            frame = self.spark.readStream.format(source).options(
                subscribe="append-time", startingOffsets="earliest"
            )
            query = (
                frame.option("kafka.bootstrap.servers", self.bootstrap)
                .load()
                .select("key", "value")
                .writeStream.format(source)
                .option("kafka.bootstrap.servers", self.bootstrap)
                .option("topic", topic)
                .option("checkpointLocation", str(self.scratch / topic))
                .trigger(availableNow=True)
                .start()
            )
            assert query.awaitTermination(QUERY_SECONDS)
        contents = [
            sorted((repr(row.key), repr(row.value)) for row in self.rows(source, topic))
            for source, topic in (
                (OURS, "copied-by-theirs"),
                (THEIRS, "copied-by-ours"),
                (OURS, "append-time"),
            )
        ]
        assert contents[0] == contents[1] == contents[2]

    def check_the_alias_leaves_the_name_to_spark_s_connector(self) -> None:
        alias = enable_kafka_alias()
        try:
            plan = self.read(THEIRS, "codec-none")._jdf.queryExecution().toString()
            assert "KafkaRelation" in plan, plan
            assert OURS not in plan, plan
        finally:
            alias.disable()

    def check_offsets_are_byte_equal_and_either_continues(self) -> None:
        """Batches of limited size: the same offsets in the same text; then each goes on where the other was."""
        places = {
            source: (self.scratch / f"from-{source}", self.scratch / f"rows-{source}")
            for source in (THEIRS, OURS)
        }
        texts, topics = {}, ",".join(WIDE)
        for source, (checkpoint, output) in places.items():
            batches = self.stream(source, topics, checkpoint, output, maxOffsetsPerTrigger="150")
            texts[source] = self._offset_texts(checkpoint)
            assert len(texts[source]) == len(batches) >= 3, texts
        assert texts[THEIRS] == texts[OURS], texts
        assert len(self.written(places[OURS][1])) == 140 * len(WIDE)
        for name, partitions in WIDE.items():
            self.produce(name, 40, partitions=partitions)
        wanted = self.in_log(topics)
        for source, (checkpoint, output) in places.items():
            other = OURS if source == THEIRS else THEIRS
            self.stream(other, topics, checkpoint, output)
            assert self.written(output) == wanted, source
        assert self._offset_texts(places[OURS][0]) == self._offset_texts(places[THEIRS][0])
        # And back again, with nothing new to read.
        for source, (checkpoint, output) in places.items():
            self.stream(source, topics, checkpoint, output)
            assert self.written(output) == wanted, source

    def _offset_texts(self, checkpoint: Path) -> list[str]:
        files = sorted((checkpoint / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
        return [file.read_text().splitlines()[-1] for file in files]

    def check_a_first_batch_of_the_other_is_refused(self) -> None:
        """A batch that was planned and not finished: where it began is in the other's own files."""
        checkpoint, output = self.scratch / "unfinished", self.scratch / "unfinished-rows"
        self.stream(THEIRS, "append-time", checkpoint, output)
        for file in (checkpoint / "commits").iterdir():
            file.unlink()
        shutil.rmtree(output)
        with pytest.raises(StreamingQueryException) as raised:
            self.stream(OURS, "append-time", checkpoint, output)
        reason = "the query's first batch must be repeated, but where it began is not known: the checkpoint is another"
        assert reason in str(raised.value), raised.value
        # Theirs knows what to do with it.
        self.stream(THEIRS, "append-time", checkpoint, output)
        assert self.written(output) == self.in_log("append-time")

    def check_a_first_batch_of_ours_begins_anew_with_theirs(self) -> None:
        """It looks for where a first batch began in files that ours has not, and asks its options instead."""
        begins = {
            name: json.dumps({"append-time": {"0": each}}) for name, each in (("same", 5), ("later", 9))
        }
        checkpoint = self.scratch / "ours-unfinished"
        self.stream(
            OURS, "append-time", checkpoint, self.scratch / "ours-rows", startingOffsets=begins["same"]
        )
        for file in (checkpoint / "commits").iterdir():
            file.unlink()
        lenient = {"same": begins["same"], "later": begins["later"], "all": "earliest", "none": "latest"}
        found = {}
        for name, start in lenient.items():
            own, output = (self.scratch / f"{kind}-{name}" for kind in ("ours-unfinished", "theirs-rows"))
            shutil.copytree(checkpoint, own)
            self.stream(THEIRS, "append-time", own, output, startingOffsets=start)
            found[name] = [row.offset for row in self.written(output)]
        assert found == {
            "same": [*range(5, 20)],
            "later": [*range(9, 20)],
            "all": [*range(20)],
            "none": [],
        }


def grouped(rows: list[Any], column: str) -> list[list[Any]]:
    """The rows that have the same value in a column, without it."""
    groups: dict[object, list[Any]] = {}
    for row in rows:
        content = row.asDict()
        groups.setdefault(content.pop(column), []).append(content)
    return sorted(groups.values(), key=lambda group: [group[0][key] for key in KEYS])


def checks_of(checks: Checks) -> dict[str, Callable[[], None]]:
    return {name: getattr(checks, name) for name in vars(Checks) if name.startswith("check_")}


def main() -> None:
    directory, *jars = sys.argv[1:]
    scratch = Path(directory)
    spark = open_session(
        "connectors",
        master="local[2]",
        confs={
            "spark.driver.memory": "768m",
            "spark.jars": ",".join(jars),
            "spark.local.dir": str(scratch / "spark"),
            "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        },
    )
    spark.sparkContext.setLogLevel("ERROR")
    data = scratch / "data"
    with BlockingLocalBroker(data_dir=str(data)) as broker:
        checks = Checks(spark, broker.bootstrap_servers, data, scratch)
        for name, check in checks_of(checks).items():
            try:
                check()
                wrong = ""
            except Exception:
                wrong = traceback.format_exc()
            print(json.dumps({"check": name, "wrong": wrong}), flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
