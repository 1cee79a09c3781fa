"""Good rows and bad rows on a real Spark; and a stream from a topic to a table and to dead letters."""

import datetime
import decimal
import io
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from google.protobuf import message_factory
from tests.spark.decoding_registry import Registry

from snakka.client.blocking import Consumer, Producer
from snakka.spark.decoding import DecodingError, DecodingSpec, decode, schema_of
from snakka.spark.decoding.dead_letters import as_records
from snakka.spark.decoding.json_rows import inferred_schema
from snakka.spark.decoding.protobuf_schema import descriptor_set, find_message
from snakka.testing import BlockingLocalBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SOURCE = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"
AT = datetime.datetime(2026, 1, 2, 3, 4, 5)
UNFRAMED = "is not framed: a zero byte and a schema's id come first"


def source(
    spark: "SparkSession", values: list[bytes | None], keys: list[bytes | None] | None = None
) -> "DataFrame":
    keys = keys or [b"k"] * len(values)
    rows = [
        (key, value, "orders", 3, place, AT)
        for place, (key, value) in enumerate(zip(keys, values, strict=True))
    ]
    return spark.createDataFrame(rows, SOURCE)


JSON_SCHEMA = (
    "id INT, name STRING, amount DOUBLE, at TIMESTAMP, tags ARRAY<INT>, price DECIMAL(5,2), day DATE, paid BOOLEAN, "
    "line STRUCT<sku: STRING, n: INT>, counts MAP<STRING, BIGINT>, tiny TINYINT, deep ARRAY<STRUCT<t: TINYINT, at: DATE>>, "
    "times MAP<STRING, TIMESTAMP>"
)
GOOD_JSON: dict[str, dict[str, Any]] = {
    '{"id":1,"name":"å","amount":1.5}': {"id": 1, "name": "å", "amount": 1.5},
    ' {"id" : 2 , "more": {"of": ["what", {"nobody": "asked"}]}} \n': {"id": 2},
    "{}": {},
    '{"id":null}': {"id": None},
    '{"amount":7}': {"amount": 7.0},
    '{"at":"2026-01-01T10:00:00+01:00"}': {"at": datetime.datetime(2026, 1, 1, 9)},
    '{"tags":[1,null,3]}': {"tags": [1, None, 3]},
    '{"price":1.25}': {"price": decimal.Decimal("1.25")},
    '{"day":"2026-02-28"}': {"day": datetime.date(2026, 2, 28)},
    '{"paid":true}': {"paid": True},
    '{"line":{"sku":"s","n":2}}': {"line": {"sku": "s", "n": 2}},
    '{"counts":{"a":1,"b":2}}': {"counts": {"a": 1, "b": 2}},
    '{"tiny":-128,"deep":[{"t":127,"at":"2026-01-02"},null,{"t":null}]}': {
        "tiny": -128,
        "deep": [{"t": 127, "at": datetime.date(2026, 1, 2)}, None, {"t": None, "at": None}],
    },
    '{"at":1767225600,"times":{"a":0,"b":null}}': {
        "at": datetime.datetime(2026, 1, 1),
        "times": {"a": datetime.datetime(1970, 1, 1), "b": None},
    },
}
BAD_JSON = {
    "": "is no JSON",
    "nothing": "is no JSON",
    "null": "is JSON, but no object",
    "5": "is JSON, but no object",
    '[{"id":1}]': "is JSON, but no object",
    '{"id":1': "is no JSON",
    '{"id":1} {"id":2}': "is no JSON",
    '{"id":1} and more': "is no JSON",
    '{"id":1},{"id":2}': "does not fit the schema",
    '{"id":1}],"x":[{}': "does not fit the schema",
    '{"id":1}],"both":[{"id":2}': "does not fit the schema",
    '{"id":1},{"_snakka_end":"end"}],"x":[{}': "does not fit the schema",
    "{'id':1}": "is no JSON",
    '{"amount":NaN}': "is no JSON",
    '{"id":"1"}': "id is no INT",
    '{"id":1.5}': "id is no INT",
    '{"id":99999999999}': "id is no INT",
    '{"amount":"much"}': "amount is no DOUBLE",
    '{"id":"x","paid":"yes"}': "id is no INT, paid is no BOOLEAN",
    '{"at":"yesterday"}': "at is no TIMESTAMP",
    '{"tags":[1,"x"]}': "tags is no ARRAY<INT>",
    '{"price":12345.6}': "price is no DECIMAL(5,2)",
    '{"line":{"n":"x"}}': "does not fit the schema",
    # Spark itself takes 200 for -56, text for so many days after 1970, and any number for seconds.
    '{"tiny":200}': "tiny is no TINYINT",
    '{"deep":[{"t":1},{"t":200}]}': "deep is no ARRAY<STRUCT<T:TINYINT,AT:DATE>>",
    '{"day":"20260228"}': "day is no DATE",
    '{"at":1767225600000}': "at is no TIMESTAMP",
    '{"at":1767225600000000,"id":"x"}': "id is no INT, at is no TIMESTAMP",
    '{"times":{"a":0,"b":1767225600000}}': "times is no MAP<STRING,TIMESTAMP>",
}


def test_json_that_does_not_fit_is_bad_and_never_a_silent_null(spark: "SparkSession") -> None:
    good = source(spark, [text.encode() for text in GOOD_JSON])
    spec = DecodingSpec("json", schema=JSON_SCHEMA, keep=("offset",))
    names = schema_of(spec).fieldNames()
    rows = [row.asDict(recursive=True) for row in decode(good, spec).rows.orderBy("offset").collect()]
    wanted = [dict.fromkeys(names) | values for values in GOOD_JSON.values()]
    assert rows == [{"offset": place, **row} for place, row in enumerate(wanted)]

    bad = source(spark, [*(text.encode() for text in BAD_JSON), b'{"name":"\xff"}', None])
    decoded = decode(bad, spec)
    found = decoded.bad.orderBy("offset").collect()
    assert [row.error for row in found] == [*BAD_JSON.values(), "is not UTF-8"]
    assert [bytes(row.value) for row in found][:3] == [b"", b"nothing", b"null"]
    assert found[0].asDict() == {
        "error": "is no JSON",
        "key": b"k",
        "value": b"",
        "topic": "orders",
        "partition": 3,
        "offset": 0,
        "timestamp": AT,
    }
    # A null value is a deletion: a row whose columns are all null.
    assert [row.asDict() for row in decoded.rows.collect()] == [
        {"offset": len(BAD_JSON) + 1, **dict.fromkeys(names)}
    ]


def test_columns_that_must_be_there_keys_and_names(spark: "SparkSession") -> None:
    values = [b'{"id":1,"topic":"t"}', b'{"topic":"t"}', b'{"id":null}', b'{"id":2}', b'{"id":3}']
    keys = [b"\0\0\0\0\1{}", b"\0\0\0\0\1{}", b"\0\0\0\0\1{}", b"{}", None]
    frame = source(spark, values, keys)
    value = DecodingSpec("json", schema="id BIGINT NOT NULL, topic STRING")
    with Registry() as registry:
        registry.register("orders-key", '{"properties": {"part": {"type": "integer"}}}', "JSON")
        key = DecodingSpec("json", registry_url=registry.url, subject="orders-key", on="key")
        decoded = decode(frame, value, key)
    assert decoded.rows.columns == ["partition", "offset", "timestamp", "id", "topic", "key"]
    rows = decoded.rows.orderBy("offset").collect()
    assert [(row.offset, row.id, row.topic) for row in rows] == [(0, 1, "t"), (4, 3, None)]
    assert [row.key for row in rows] == [(None,), None]
    errors = [row.error for row in decoded.bad.orderBy("offset").collect()]
    assert errors == ["id is missing", "id is missing", f"key: {UNFRAMED}"]

    into = decode(frame, DecodingSpec("json", schema="id BIGINT", into="order", keep=("key", "topic")))
    assert into.rows.columns == ["key", "topic", "order"]
    raw = decode(frame, DecodingSpec("raw"))
    assert raw.rows.columns == ["key", "topic", "partition", "offset", "timestamp", "value"]
    assert (raw.rows.count(), raw.bad.count()) == (5, 0)


def test_a_null_value_is_no_silent_null_where_a_column_can_not_be(spark: "SparkSession") -> None:
    schema = "id BIGINT NOT NULL, name STRING NOT NULL, note STRING"
    frame = source(spark, [None, b'{"id":1,"name":"n"}'])
    decoded = decode(frame, DecodingSpec("json", schema=schema))
    assert [row.id for row in decoded.rows.collect()] == [1]
    ((error, value),) = decoded.bad.select("error", "value").collect()
    assert (error, value) == ("is null, but id, name can't be", None)
    # A struct of them may be null as a whole.
    into = decode(frame, DecodingSpec("json", schema=schema, into="order"))
    assert [row.order is None for row in into.rows.orderBy("offset").collect()] == [True, False]


@pytest.mark.parametrize(
    ("specs", "reason"),
    [
        ([DecodingSpec("json", schema="id BIGNUM")], "schema: can't be read as columns: .*BIGNUM"),
        ([DecodingSpec("json", schema="id INT", keep=("offst",))], "keep: the source has no column offst"),
        (
            [DecodingSpec("json", schema="key INT", keep=("key",))],
            "keep: a decoded column is called key, too",
        ),
        ([DecodingSpec("raw"), DecodingSpec("raw")], "on: value is decoded twice"),
    ],
)
def test_what_can_not_be_decoded_at_all_is_refused(
    spark: "SparkSession", specs: list[DecodingSpec], reason: str
) -> None:
    with pytest.raises(DecodingError, match=reason):
        decode(source(spark, [b""]), *specs)


def test_a_first_declaration_comes_from_a_sample(spark: "SparkSession") -> None:
    values: list[bytes | None] = [b'{"id":1,"at":"x"}', b'{"id":2.5,"tags":["a"]}', b"broken", None]
    assert inferred_schema(source(spark, values)) == "`at` string, `id` double, `tags` array<string>"
    with pytest.raises(DecodingError, match="holds no JSON objects"):
        inferred_schema(source(spark, [b"broken"]))


AVRO = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "status", "type": {"type": "enum", "name": "S", "symbols": ["NEW", "SENT"]}},
        {"name": "lines", "type": {"type": "array", "items": ["null", "string"]}},
        {"name": "counts", "type": {"type": "map", "values": "float"}},
        {
            "name": "note",
            "type": ["null", {"type": "record", "name": "N", "fields": [{"name": "n", "type": "int"}]}],
        },
        {"name": "either", "type": ["string", "boolean"]},
    ],
}
ORDER: dict[str, Any] = {
    "id": 1,
    "price": decimal.Decimal("-12.50"),
    "at": AT.replace(tzinfo=datetime.UTC),
    "local": AT,
    "day": AT.date(),
    "status": "SENT",
    "lines": ["a", None],
    "counts": {"x": 0.5},
    "note": {"n": 7},
    "either": True,
}


def encoded(schema: Any, datum: Any) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, fastavro.parse_schema(schema), datum)
    return buffer.getvalue()


def test_avro_becomes_sparks_types(spark: "SparkSession") -> None:
    values = [encoded(AVRO, ORDER), b"broken", None]
    decoded = decode(source(spark, values), DecodingSpec("avro", schema=json.dumps(AVRO), keep=()))
    good, deleted = decoded.rows.collect()
    assert good.asDict(recursive=True) == {
        **ORDER,
        "at": AT,
        "either": {"member0": None, "member1": True},
    }
    assert set(deleted.asDict().values()) == {None}
    (bad,) = decoded.bad.collect()
    assert (bad.error, bytes(bad.value), bad.offset) == ("ends before its last field does", b"broken", 1)


PROTO = """
syntax = "proto3";
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
message Order {
  int64 id = 1;
  uint64 big = 2;
  google.protobuf.Timestamp at = 3;
  google.protobuf.Duration took = 4;
  repeated Line lines = 5;
  map<string, Line> by_name = 6;
  Status status = 7;
  optional bool paid = 8;
  message Line { string sku = 1; }
  enum Status { NEW = 0; SENT = 1; }
}
"""


def test_protobuf_becomes_sparks_types(spark: "SparkSession") -> None:
    order = message_factory.GetMessageClass(find_message(descriptor_set(PROTO), None))()
    order.id, order.big, order.status = -5, 2**64 - 1, 1
    order.at.FromDatetime(AT)
    order.took.FromMilliseconds(1500)
    order.lines.add(sku="a")
    order.by_name["b"].sku = "c"
    values = [order.SerializeToString(), b"\x08", b""]
    decoded = decode(source(spark, values), DecodingSpec("protobuf", schema=PROTO, keep=()))
    good, empty = decoded.rows.collect()
    assert good.asDict(recursive=True) == {
        "id": -5,
        "big": decimal.Decimal(2**64 - 1),
        "at": AT,
        "took": datetime.timedelta(seconds=1.5),
        "lines": [{"sku": "a"}],
        "by_name": {"b": {"sku": "c"}},
        "status": "SENT",
        "paid": None,
    }
    assert (empty.id, empty.lines, empty.status, empty.at) == (0, [], "NEW", None)
    assert [row.error for row in decoded.bad.collect()] == ["ends before its last field does"]


def test_nothing_is_decoded_twice_for_a_filter_on_its_outcome(spark: "SparkSession") -> None:
    frame = source(spark, [b'{"id":1}', b"\x02"]).localCheckpoint()
    avro = json.dumps({"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]})
    for spec, work in (
        (DecodingSpec("json", schema="id BIGINT, name STRING"), "from_json("),
        (DecodingSpec("avro", schema=avro), "ArrowEvalPython"),
    ):
        decoded = decode(frame, spec)
        for view in (decoded.rows.where("id > 0"), decoded.bad):
            plan = view._jdf.queryExecution().executedPlan().toString()
            assert plan.count(work) == 1, plan

    seen: list[int] = []
    decoded = decode(frame.where("offset = 0"), DecodingSpec("json", schema="id BIGINT"))
    bad = decoded.write_both(
        decoded.everything, lambda rows: seen.append(rows.count()), lambda _: pytest.fail("there is none")
    )
    assert (seen, bad) == ([1], 0)


def test_a_registry_that_is_away_fails_the_query_and_spoils_no_row(spark: "SparkSession") -> None:
    spec = DecodingSpec("avro", schema='"long"', registry_url="http://127.0.0.1:1")
    with pytest.raises(Exception, match="the schema registry did not say what schema id 1 is"):
        decode(source(spark, [b"\0\0\0\0\1\x02"]), spec).bad.collect()


@pytest.mark.timeout(300)
def test_a_stream_of_two_schemas_feeds_a_table_and_dead_letters(
    spark: "SparkSession", broker: BlockingLocalBroker, new_topic: Callable[..., str], tmp_path: Path
) -> None:
    """Good rows to Parquet, bad ones to a topic with all that is known of them, and to a table: in one query."""
    first = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}]}
    second = {
        "type": "record",
        "name": "Order",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "customer", "type": "string", "default": "unknown"},
        ],
    }
    orders, letters = new_topic(partitions=2), new_topic()
    options = {"kafka.bootstrap.servers": broker.bootstrap_servers}
    with Registry() as registry:
        one, two = (registry.register(f"{orders}-value", json.dumps(schema)) for schema in (first, second))
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(20):
                value = struct.pack(">bI", 0, one) + encoded(first, {"id": number})
                producer.send(orders, value, partition=number % 2)
            for number in range(20, 30):
                value = struct.pack(">bI", 0, two) + encoded(second, {"id": number, "customer": "c"})
                producer.send(orders, value, partition=number % 2)
            place = producer.send_and_wait(
                orders,
                b"broken",
                b"key",
                headers=[("trace", b"1")],
                partition=1,
                timestamp_ms=1_767_323_045_678,
            )
            producer.send_and_wait(orders, struct.pack(">bI", 0, 99), partition=0)
        stream = (
            spark.readStream.format("snakka")
            .options(**options, subscribe=orders, startingOffsets="earliest", includeHeaders="true")
            .load()
        )
        decoded = decode(
            stream,
            DecodingSpec("avro", registry_url=registry.url, subject=f"{orders}-value", keep=("offset",)),
        )

        def write_bad(bad: "DataFrame") -> None:
            as_records(bad).write.format("snakka").options(**options, topic=letters).mode("append").save()
            bad.write.mode("append").parquet(str(tmp_path / "bad"))

        def write_rows(rows: "DataFrame") -> None:
            rows.write.mode("append").parquet(str(tmp_path / "rows"))

        query = (
            decoded.everything.writeStream.foreachBatch(
                lambda batch, _: decoded.write_both(batch, write_rows, write_bad)
            )
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(240)

    rows = spark.read.parquet(str(tmp_path / "rows")).orderBy("id").collect()
    assert [(row.id, row.customer) for row in rows] == [
        (number, "unknown" if number < 20 else "c") for number in range(30)
    ]
    table = spark.read.parquet(str(tmp_path / "bad")).orderBy("partition").collect()
    assert [row.error for row in table] == ["schema id 99 is not known to the schema registry", UNFRAMED]
    assert (bytes(table[1].value), table[1].topic, table[1].partition, table[1].offset) == (
        b"broken",
        orders,
        1,
        place.offset,
    )
    with Consumer(
        letters, bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest"
    ) as consumer:
        found = {letter.value: letter for letter in (consumer.getone(), consumer.getone())}
    letter = found[b"broken"]
    assert letter.key == b"key"
    assert list(letter.headers) == [
        ("trace", b"1"),
        ("snakka.dead-letter.error", UNFRAMED.encode()),
        ("snakka.dead-letter.topic", orders.encode()),
        ("snakka.dead-letter.partition", b"1"),
        ("snakka.dead-letter.offset", str(place.offset).encode()),
        ("snakka.dead-letter.timestamp", b"1767323045678"),
    ]
