"""Two pitfalls of Spark 4: ANSI mode, which is on by default and makes casts fail, and pandas, which must not be needed."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import test_decoding_rows
from pyspark.errors import AnalysisException, StreamingQueryException
from table_reading import delta_rows, iceberg_table
from topic_sink_reading import read_topic, values

from snakka.client.blocking import Producer
from snakka.spark.pipelines.declaration import read_pipeline
from snakka.spark.pipelines.plan import build_views
from snakka.spark.pipelines.sink_writers import sink_problems, start_query
from snakka.spark.pipelines.spark_errors import reason, silence_pyspark
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NewTopic = Callable[..., str]
HERE = Path(__file__).parent
ANSI = "spark.sql.ansi.enabled"
RUN_SECONDS = 300


@pytest.fixture
def set_ansi(spark: "SparkSession") -> Iterator[Callable[[bool], None]]:
    """Turns it on or off; afterwards it is what it was."""
    before = spark.conf.get(ANSI)
    yield lambda is_on: spark.conf.set(ANSI, str(is_on).lower())
    spark.conf.set(ANSI, before)


PIPELINE = """
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  orders: {{topics: {source}, decode: json, schema: "id BIGINT NOT NULL, amount STRING", keep: [offset]}}
steps:
  lenient: {{sql: "SELECT id, try_cast(amount AS INT) AS amount FROM orders WHERE offset < 1000"}}
  strict:
    sql: |
      SELECT id,
        CAST(amount AS INT) AS amount
      FROM orders
sinks:
  records: {{from: lenient, format: topic, topic: {records}, guarantee: exactly-once, encode: json, key: id}}
  table: {{from: lenient, format: delta, path: table}}
  strict: {{from: strict, format: delta, path: strict}}
errors: {{policy: dead-letter, topic: {dead}}}
"""


@pytest.mark.parametrize("is_on", [True, False], ids=["ansi", "no ansi"])
def test_a_pipeline_does_the_same_with_and_without_ansi_but_for_casts_of_its_own(
    spark: "SparkSession",
    broker: BlockingLocalBroker,
    new_topic: NewTopic,
    set_ansi: Callable[[bool], None],
    tmp_path: Path,
    is_on: bool,
) -> None:
    set_ansi(is_on)
    silence_pyspark()
    topics = {name: new_topic(2) for name in ("source", "records", "dead")}
    amounts = ["7", "twelve", None, "-1"]
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number, amount in enumerate(amounts):
            producer.send(topics["source"], json.dumps({"id": number, "amount": amount}).encode())
        producer.send(topics["source"], b"]")
    (tmp_path / "p.yaml").write_text(PIPELINE.format(bootstrap=broker.bootstrap_servers, **topics))
    pipeline = read_pipeline(tmp_path / "p.yaml")
    views = build_views(spark, pipeline, group=topics["source"], starts={})
    assert views.problems == []

    def run(name: str) -> None:
        sink = pipeline.all_sinks[name]
        frame = views.of_sink(sink)
        assert frame is not None
        assert list(sink_problems(frame, sink)) == []
        checkpoint = str(tmp_path / f"checkpoint-{name}")
        start_query(frame, sink, trigger=pipeline.trigger, checkpoint=checkpoint).awaitTermination(200)

    for name in ("records", "table", "dead-letters"):
        run(name)
    expected = [(0, 7), (1, None), (2, None), (3, -1)]
    records = read_topic(broker.bootstrap_servers, topics["records"])
    found = [json.loads(record.value or b"") for record in records]
    assert sorted((row["id"], row.get("amount")) for row in found) == expected
    assert sorted(record.key or b"" for record in records) == [b"0", b"1", b"2", b"3"]
    assert rows_of_table(tmp_path / "table") == expected
    assert values(broker.bootstrap_servers, topics["dead"]) == ["]"]

    if not is_on:
        run("strict")
        assert rows_of_table(tmp_path / "strict") == expected
        return
    with pytest.raises(StreamingQueryException) as failed:
        run("strict")
    told = reason(failed.value)
    assert told.startswith('The value \'twelve\' of the type "STRING" cannot be cast to "INT"')
    assert "Use `try_cast`" in told
    assert rows_of_table(tmp_path / "strict") == []


def rows_of_table(path: Path) -> list[tuple[int, int | None]]:
    return sorted((row["id"], row["amount"]) for row in delta_rows(path).to_pylist())


@pytest.mark.parametrize(
    "check",
    [
        test_decoding_rows.test_json_that_does_not_fit_is_bad_and_never_a_silent_null,
        test_decoding_rows.test_avro_becomes_sparks_types,
        test_decoding_rows.test_protobuf_becomes_sparks_types,
    ],
)
def test_decoders_do_without_ansi_what_they_do_with_it(
    spark: "SparkSession", set_ansi: Callable[[bool], None], check: Callable[[Any], None]
) -> None:
    set_ansi(False)
    check(spark)


@pytest.mark.parametrize("is_on", [True, False], ids=["ansi", "no ansi"])
def test_numbers_are_no_records_until_they_are_cast(
    spark: "SparkSession",
    broker: BlockingLocalBroker,
    new_topic: NewTopic,
    set_ansi: Callable[[bool], None],
    is_on: bool,
) -> None:
    set_ansi(is_on)
    silence_pyspark()
    target = new_topic(1)

    def save(*columns: str) -> None:
        spark.range(1, 2).selectExpr(*columns).write.format("snakka").mode("append").option(
            "kafka.bootstrap.servers", broker.bootstrap_servers
        ).option("topic", target).save()

    for column, other in (("key", "value"), ("value", "key")):
        with pytest.raises(
            Exception, match=f"column {column} has the unsupported type bigint: it must be string or binary"
        ):
            save(f"id AS {column}", f"'text' AS {other}")
    save("CAST(id AS STRING) AS key", "to_binary(hex(id), 'hex') AS value")
    written = [(b"1", b"\x01")]
    if is_on:
        with pytest.raises(AnalysisException, match="with ANSI mode on"):
            save("CAST(id AS BINARY) AS value")
    else:
        save("CAST(id AS BINARY) AS value")
        written.append((None, b"\0\0\0\0\0\0\0\x01"))
    found = read_topic(broker.bootstrap_servers, target)
    assert [(record.key, record.value) for record in found] == written


TAKEN_AWAY = """
import sys

class WithoutPandas:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ImportError("taken away")

sys.meta_path.insert(0, WithoutPandas())
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java 17")
def test_source_decoders_and_sinks_need_no_pandas_and_warn_of_nothing(
    broker: BlockingLocalBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(TAKEN_AWAY)
    source, target = new_topic(2), new_topic(2)
    schema = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(20):
            producer.send(source, test_decoding_rows.encoded(schema, {"id": number}))
    ran = subprocess.run(
        [
            *(sys.executable, str(HERE / "source_without_pandas.py")),
            *(broker.bootstrap_servers, source, target, str(tmp_path), json.dumps(schema)),
        ],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "hook")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.findall(r".*\w+Warning\b.*", ran.stdout + ran.stderr) == []
    expected = [(number, "taken away") for number in range(20)]
    assert sorted(values(broker.bootstrap_servers, target)) == sorted(
        f"{number}:{told}" for number, told in expected
    )
    for table in (delta_rows(tmp_path / "delta"), iceberg_table(tmp_path).scan().to_arrow()):
        assert sorted((row["id"], row["pandas"]) for row in table.to_pylist()) == expected
