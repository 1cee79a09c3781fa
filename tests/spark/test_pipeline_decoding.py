"""Declared pipelines of every decoding, on a real Spark and a real broker: the rows that sinks get, and the bad ones."""

import io
import json
import struct
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deltalake
import fastavro
import pyarrow as pa
import pyarrow.dataset
import pytest
from google.protobuf import message_factory
from pyiceberg.catalog.sql import SqlCatalog
from pyspark.errors import StreamingQueryException
from tests.spark.decoding_registry import Registry

from snakka.client.blocking import Admin, Consumer, Producer
from snakka.spark.decoding.protobuf_schema import descriptor_set, find_message
from snakka.spark.pipelines.declaration import DEAD_LETTERS, Pipeline, Sink, read_pipeline
from snakka.spark.pipelines.plan import Views, build_views
from snakka.spark.pipelines.progress import SinkProgress
from snakka.spark.pipelines.sink_writers import sink_problems, start_query
from snakka.spark.pipelines.spark_errors import reason, silence_pyspark
from snakka.spark.pipelines.table_checks import table_problems
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERY_SECONDS = 300


@pytest.fixture(scope="module")
def bootstrap(broker: BlockingLocalBroker, admin: Admin) -> str:
    for topic in ("sold", "totals", "framed", "plain", "paid"):
        admin.create_topic(topic, partitions=2)
    silence_pyspark()
    return broker.bootstrap_servers


@pytest.fixture
def registry() -> Iterator[Registry]:
    with Registry() as running:
        yield running


def read(directory: Path, text: str) -> Pipeline:
    (directory / "p.yaml").write_text(text)
    return read_pipeline(directory / "p.yaml")


def views_of(spark: "SparkSession", pipeline: Pipeline) -> Views:
    views = build_views(spark, pipeline, group=pipeline.name, starts={})
    assert views.problems == []
    return views


def written(views: Views, pipeline: Pipeline, sink: Sink) -> SinkProgress:
    """How the sink's query went, which is over now."""
    frame = views.of_sink(sink)
    assert frame is not None
    assert [*sink_problems(frame, sink), *table_problems(frame, sink)] == []
    checkpoint = str(pipeline.file.parent / f"checkpoint-{sink.name}")
    query = start_query(frame, sink, trigger=pipeline.trigger, checkpoint=checkpoint)
    query.awaitTermination(QUERY_SECONDS)
    progress = SinkProgress(sink.name)
    for report in query.recentProgress:
        progress.add(json.loads(report.json), now=1.0)
    return progress


@pytest.mark.parametrize("policy", ["fail", "skip"])
def test_rows_that_can_not_be_decoded(
    spark: "SparkSession", broker: BlockingLocalBroker, bootstrap: str, tmp_path: Path, policy: str
) -> None:
    """The first ends the query and is named; or they are left out, and counted."""
    topic = f"broken-{policy}"
    with Producer(bootstrap_servers=bootstrap) as producer:
        for value in (b'{"id": 1}', b"{", b'{"id": 2}'):
            producer.send(topic, value, partition=0)
        producer.flush()
    pipeline = read(
        tmp_path,
        f"""
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources: {{orders: {{topics: {topic}, decode: json, schema: id BIGINT}}}}
sinks: {{out: {{format: noop}}}}
errors: {{policy: {policy}}}
""",
    )
    views = views_of(spark, pipeline)
    if policy == "fail":
        with pytest.raises(StreamingQueryException) as failed:
            written(views, pipeline, pipeline.sinks["out"])
        assert reason(failed.value).startswith(f"can't decode {topic} 0 offset 1: ")
        return
    progress = written(views, pipeline, pipeline.sinks["out"])
    assert (progress.rows, progress.rows_written, progress.bad_rows) == (3, 2, 1)
    assert progress.lag == {topic: 0}


def catalog_in(directory: Path) -> dict[str, str]:
    (directory / "lake").mkdir()
    return {
        "type": "sql",
        "uri": f"sqlite:///{directory / 'catalog.db'}",
        "warehouse": str(directory / "lake"),
    }


def letters_in(directory: Path, form: str, catalog: dict[str, str]) -> pa.Table:
    if form == "parquet":
        return pyarrow.dataset.dataset(directory / "letters").to_table()
    if form == "delta":
        return deltalake.DeltaTable(directory / "letters").to_pyarrow_table()
    opened = SqlCatalog("default", **catalog)
    files = opened.load_table("shop.letters").inspect.files().column("file_path").to_pylist()
    opened.close()
    # From its files: pyiceberg's own scan makes an empty list of none.
    return pyarrow.dataset.dataset([file.removeprefix("file://") for file in files]).to_table()


@pytest.mark.parametrize("form", ["delta", "iceberg", "parquet"])
def test_dead_letters_may_go_to_a_table(
    spark: "SparkSession", broker: BlockingLocalBroker, bootstrap: str, tmp_path: Path, form: str
) -> None:
    """Beside the error each has all of its record, so that it can be looked at, and sent again."""
    topic = f"letters-{form}"
    headers = [("trace", b"\x00\xff"), ("trace", b"again")]
    with Producer(bootstrap_servers=bootstrap) as producer:
        producer.send(topic, b'{"id": 1}', key=b"good", partition=0)
        producer.send(
            topic, b"{", key=b"\xfe key", partition=0, headers=headers, timestamp_ms=1_700_000_000_123
        )
        producer.send(topic, b"\x80\x81", partition=0, timestamp_ms=1_700_000_000_456)
        producer.flush()
    catalog = catalog_in(tmp_path)
    place = f"table: shop.letters, catalog: {json.dumps(catalog)}" if form == "iceberg" else "path: letters"
    pipeline = read(
        tmp_path,
        f"""
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources: {{orders: {{topics: {topic}, decode: json, schema: id BIGINT}}}}
sinks: {{out: {{format: noop}}}}
errors: {{policy: dead-letter, format: {form}, {place}}}
""",
    )
    progress = written(views_of(spark, pipeline), pipeline, pipeline.all_sinks[DEAD_LETTERS])
    assert progress.rows == 3
    letters = letters_in(tmp_path, form, catalog)
    assert letters.column_names == [
        "error", "key", "value", "topic", "partition", "offset", "timestamp", "headers",
    ]  # fmt: skip
    first, second = letters.sort_by("offset").to_pylist()
    assert first["error"] == "is no JSON"
    assert (first["key"], first["value"]) == (b"\xfe key", b"{")
    assert (first["topic"], first["partition"], first["offset"]) == (topic, 0, 1)
    assert first["timestamp"].timestamp() == 1_700_000_000.123
    assert [(each["key"], each["value"]) for each in first["headers"]] == headers
    assert second["error"] == "is not UTF-8"
    assert (second["key"], second["value"], second["offset"]) == (None, b"\x80\x81", 2)
    assert second["headers"] is None


OLD_ORDER = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "long"}, {"name": "who", "type": ["null", "string"]}],
}
PAID = {"name": "paid", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}}
ORDER = {**OLD_ORDER, "fields": [*OLD_ORDER["fields"], {**PAID, "default": "\x01"}]}
PROTO = """syntax = "proto3";
package shop;
message Line { string sku = 1; int32 count = 2; }
message Payment { int64 id = 1; string who = 2; repeated Line lines = 3; }
"""

DECODED = """
trigger: once
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources:
  framed:
    topics: framed
    decode: avro
    registry: "{registry}"
    subject: shop.Order
    framing: confluent
    options: {{maxOffsetsPerTrigger: 1}}
  plain: {{topics: plain, decode: avro, schema_file: order.avsc, keep: [topic, offset]}}
  payments: {{topics: paid, decode: protobuf, schema_file: shop.proto, message: shop.Payment, framing: plain}}
steps:
  all:
    sql: |
      SELECT 'framed' AS source, id, who, paid, NULL AS lines FROM framed
      UNION ALL SELECT topic, id, who, paid, NULL FROM plain
      UNION ALL SELECT 'payments', id, who, NULL, lines FROM payments
sinks: {{out: {{format: parquet, path: out}}}}
errors: {{policy: skip}}
"""


def avro(schema: dict[str, Any], row: dict[str, Any]) -> bytes:
    written_to = io.BytesIO()
    fastavro.schemaless_writer(written_to, fastavro.parse_schema(schema), row)
    return written_to.getvalue()


def produce_decoded(bootstrap: str, registry: Registry) -> None:
    """Records as others write them, and one of each kind that is none."""
    old, new = (registry.register("shop.Order", json.dumps(each)) for each in (OLD_ORDER, ORDER))
    payment = message_factory.GetMessageClass(find_message(descriptor_set(PROTO), "shop.Payment"))
    lines = [{"sku": "a", "count": 2}, {"sku": "b"}]
    with Producer(bootstrap_servers=bootstrap) as producer:
        for number, schema, row in (
            (old, OLD_ORDER, {"id": 1, "who": "ann"}),
            (new, ORDER, {"id": 2, "who": None, "paid": Decimal("12.34")}),
        ):
            producer.send("framed", struct.pack(">bI", 0, number) + avro(schema, row))
        producer.send("framed", avro(ORDER, {"id": 3, "who": "bob", "paid": Decimal(5)}))  # without the frame
        for row in (
            {"id": 1 << 40, "who": "zoë", "paid": Decimal("-0.05")},
            {"id": -1, "who": None, "paid": Decimal("9999999.99")},
        ):
            producer.send("plain", avro(ORDER, row))
        producer.send("plain", b"\x80")
        producer.send("paid", payment(id=7, who="eve", lines=lines).SerializeToString())
        producer.send("paid", payment(id=8).SerializeToString())
        producer.send("paid", b"\x08")
        producer.flush()


def test_avro_and_protobuf_by_a_registry_and_by_files(
    spark: "SparkSession", bootstrap: str, registry: Registry, tmp_path: Path
) -> None:
    """All in one batch, whatever limit a source has: that is what the trigger once means."""
    produce_decoded(bootstrap, registry)
    (tmp_path / "order.avsc").write_text(json.dumps(ORDER))
    (tmp_path / "shop.proto").write_text(PROTO)
    pipeline = read(tmp_path, DECODED.format(bootstrap=bootstrap, registry=registry.url))
    progress = written(views_of(spark, pipeline), pipeline, pipeline.sinks["out"])
    assert (progress.batches, progress.rows, progress.bad_rows) == (1, 9, 3)
    files = pyarrow.dataset.dataset(tmp_path / "out").to_table()
    rows = files.sort_by([("source", "ascending"), ("id", "ascending")]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("framed", 1, "ann", Decimal("0.01"), None),  # by the subject's latest schema, which has that default
        ("framed", 2, None, Decimal("12.34"), None),
        ("payments", 7, "eve", None, [{"sku": "a", "count": 2}, {"sku": "b", "count": 0}]),
        ("payments", 8, "", None, []),
        ("plain", -1, None, Decimal("9999999.99"), None),
        ("plain", 1 << 40, "zoë", Decimal("-0.05"), None),
    ]


def test_tables_and_updates_take_rows(
    spark: "SparkSession", broker: BlockingLocalBroker, bootstrap: str, registry: Registry, tmp_path: Path
) -> None:
    """Sinks that no other test of pipelines writes to: Delta, Iceberg, and a topic in update mode; JSON by a registry."""
    schema = {"type": "object", "properties": {"id": {"type": "integer"}, "shop": {"type": "string"}}}
    frame_begin = b"\0" + registry.register("sold-value", json.dumps(schema), "JSON").to_bytes(4, "big")
    with Producer(bootstrap_servers=bootstrap) as producer:
        for number in range(90):
            producer.send("sold", frame_begin + b'{"id": %d, "shop": "s%d"}' % (number, number % 3))
        producer.flush()
    catalog = catalog_in(tmp_path)
    pipeline = read(
        tmp_path,
        f"""
kafka: {{bootstrap.servers: "{bootstrap}"}}
sources: {{sold: {{topics: sold, decode: json, registry: "{registry.url}", keep: [timestamp]}}}}
steps:
  counts: {{sql: "SELECT shop, count(*) AS sold FROM sold GROUP BY shop"}}
sinks:
  delta: {{format: delta, path: table, from: sold, partition_by: shop, target_file_size: 1 MiB}}
  ice: {{format: iceberg, table: shops.sold, from: sold, partition_by: day(timestamp), catalog: {json.dumps(catalog)}}}
  totals: {{format: topic, topic: totals, from: counts, mode: update, guarantee: exactly-once, encode: json, key: shop}}
""",
    )
    views = views_of(spark, pipeline)
    for sink in pipeline.sinks.values():
        written(views, pipeline, sink)
    delta = deltalake.DeltaTable(tmp_path / "table")
    assert delta.metadata().partition_columns == ["shop"]
    assert sorted(delta.to_pyarrow_table().column("id").to_pylist()) == list(range(90))
    opened = SqlCatalog("default", **catalog)
    table = opened.load_table("shops.sold")
    assert sorted(table.scan().to_arrow().column("id").to_pylist()) == list(range(90))
    assert [field.name for field in table.spec().fields] == ["timestamp_day"]
    opened.close()
    with Consumer(
        "totals", bootstrap_servers=bootstrap, auto_offset_reset="earliest", group_id="t"
    ) as consumer:
        totals = [consumer.getone() for _ in range(3)]
    assert {message.key: json.loads(message.value or b"") for message in totals} == {
        shop.encode(): {"shop": shop, "sold": 30} for shop in ("s0", "s1", "s2")
    }
