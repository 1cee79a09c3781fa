"""What the sink takes and refuses, without a Spark: options and columns by name and type, and rows by topic."""

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    NullType,
    StringType,
    StructField,
    StructType,
)

from snakka.client.open_transaction import OpenTransaction
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.topic_sink.decisions import Decision
from snakka.spark.topic_sink.sink_columns import SinkColumns, rows_by_topic, sink_columns
from snakka.spark.topic_sink.write_options import DEFAULT_DECISION_TOPIC, write_options

BROKERS = {"kafka.bootstrap.servers": "127.0.0.1:9092"}
HEADERS = ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())]))


def schema(**types: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in types.items()])


def test_the_defaults_are_those_of_the_cheap_mode() -> None:
    options = write_options({**BROKERS, "checkpointLocation": "/x", "Topic": " orders "})
    assert not options.is_exactly_once
    assert options.topic == "orders"
    assert options.decision_topic == DEFAULT_DECISION_TOPIC
    assert options.transaction_timeout_ms is None
    assert options.settings == {"bootstrap.servers": "127.0.0.1:9092"}


def test_settings_of_the_client_are_told_apart_by_who_needs_them() -> None:
    options = write_options({**BROKERS, "kafka.linger.ms": "20", "kafka.security.protocol": "SSL"})
    assert options.settings["linger.ms"] == "20"
    assert options.connection == {"bootstrap.servers": "127.0.0.1:9092", "security.protocol": "SSL"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "kafka.bootstrap.servers must be set"),
        ({**BROKERS, "kafka.key.serializer": "x"}, "kafka.key.serializer can't be set"),
        ({**BROKERS, "kafka.transactional.id": "x"}, "set deliveryGuarantee=exactly-once"),
        ({**BROKERS, "kafka.transaction.timeout.ms": "1"}, "set transactionTimeoutMs"),
        (
            {**BROKERS, "kafka.linger": "1"},
            r"^kafka\.linger: there is no .*; did you mean kafka\.linger\.ms\?$",
        ),
        ({**BROKERS, "deliveryGuarantee": "twice"}, "at-least-once or exactly-once, not 'twice'"),
        ({**BROKERS, "deliveryGuarantee": "exactly-once", "kafka.acks": "1"}, "needs acks=all"),
        ({**BROKERS, "transactionTimeoutMs": "soon"}, "transactionTimeoutMs must be a number above 0"),
        ({**BROKERS, "txnAppId": "job"}, "txnAppId and txnVersion belong together"),
        ({**BROKERS, "txnAppId": "job", "txnVersion": "1"}, "need deliveryGuarantee=exactly-once"),
    ],
)
def test_what_can_t_be_followed_is_said_in_one_line(given: dict[str, str], said: str) -> None:
    with pytest.raises(SparkOptionError, match=said) as refused:
        write_options(given)
    assert "\n" not in str(refused.value)


def test_an_unknown_option_is_ignored_but_a_near_miss_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    write_options(
        {**BROKERS, "checkpointLocation": "/x", "path": "/x", "queryName": "q", "includeHeaders": "true"}
    )
    assert not caplog.records
    for _ in range(2):  # Spark makes a sink for each batch
        write_options({**BROKERS, "deliveryGarantee": "exactly-once"})
    (record,) = caplog.records
    assert record.getMessage() == "option deliverygarantee is not known; did you mean deliveryGuarantee?"


def test_columns_are_found_by_name_and_others_are_left_alone() -> None:
    everything = schema(
        offset=LongType(),
        key=StringType(),
        value=BinaryType(),
        headers=HEADERS,
        topic=StringType(),
        partition=IntegerType(),
    )
    assert sink_columns(everything, None) == SinkColumns("key", "headers", "partition", "topic")
    assert sink_columns(everything, "orders").topic is None, "the option overrides the column"
    assert sink_columns(schema(value=StringType()), "orders") == SinkColumns(None, None, None, None)
    nothing = schema(key=NullType(), value=StringType(), headers=NullType(), partition=NullType())
    assert sink_columns(nothing, "orders") == SinkColumns(None, None, None, None)
    assert sink_columns(schema(value=StringType(), topic=LongType()), "orders").topic is None


@pytest.mark.parametrize(
    ("columns", "topic", "said"),
    [
        (schema(key=StringType()), "t", "there is no column value"),
        (
            schema(value=LongType()),
            "t",
            "column value has the unsupported type bigint: it must be string or binary",
        ),
        (schema(value=NullType()), "t", "column value has the unsupported type void"),
        (schema(value=StringType(), key=IntegerType()), "t", "column key has the unsupported type int"),
        (schema(value=StringType()), None, "set the option topic"),
        (
            schema(value=StringType(), topic=BinaryType()),
            None,
            "column topic has the unsupported type binary",
        ),
        (schema(value=StringType(), partition=LongType()), "t", "partition .* bigint: it must be int"),
        (
            schema(value=StringType(), headers=ArrayType(StringType())),
            "t",
            "headers .* array<string>: it must be array<struct<key:string,value:binary>>",
        ),
    ],
)
def test_columns_of_the_wrong_type_are_refused(columns: StructType, topic: str | None, said: str) -> None:
    with pytest.raises(SparkOptionError, match=said) as refused:
        sink_columns(columns, topic)
    assert "\n" not in str(refused.value)


@given(st.lists(st.sampled_from(["orders", "payments", "ü"]), min_size=1))
def test_rows_go_to_their_topics_in_their_order(topics: list[str]) -> None:
    batch = pyarrow.record_batch({"topic": topics, "value": list(range(len(topics)))})
    found = list(rows_by_topic(batch, SinkColumns(None, None, None, "topic"), None))
    assert {topic: rows.column("value").to_pylist() for topic, rows in found} == {
        topic: [number for number, each in enumerate(topics) if each == topic] for topic in set(topics)
    }


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_row_without_a_topic_is_refused(nothing: str | None) -> None:
    batch = pyarrow.record_batch({"topic": ["orders", nothing], "value": ["a", "b"]})
    with pytest.raises(ValueError, match="1 rows have no topic"):
        list(rows_by_topic(batch, SinkColumns(None, None, None, "topic"), None))


@pytest.mark.parametrize("nothing", [None, {"key": None, "value": b"x"}])
def test_a_header_without_a_key_is_refused(nothing: object) -> None:
    kind = pyarrow.list_(pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())]))
    columns = SinkColumns(None, "headers", None, None)

    def rows(*headers: object) -> pyarrow.RecordBatch:
        return pyarrow.record_batch({"value": ["a"] * len(headers), "headers": pyarrow.array(headers, kind)})

    fine = rows(None, [], [{"key": "k", "value": None}])
    assert list(rows_by_topic(fine, columns, "t")) == [("t", fine)]
    with pytest.raises(ValueError, match="1 headers have no key"):
        list(rows_by_topic(rows(None, [{"key": "k", "value": None}, nothing]), columns, "t"))


@given(
    st.text(),
    st.integers(0, 2**63 - 1),
    st.lists(st.builds(OpenTransaction, st.text(), st.integers(0, 2**63 - 1), st.integers(0, 2**15 - 1))),
    st.booleans(),
    st.none() | st.text(),
)
def test_a_decision_is_read_as_it_was_written(
    query_id: str, batch_id: int, transactions: list[OpenTransaction], is_finished: bool, topic: str | None
) -> None:
    decision = Decision(query_id, batch_id, tuple(transactions), is_finished, topic)
    assert Decision.from_bytes(decision.to_bytes()) == decision


def test_a_decision_of_an_earlier_release_does_not_say_where_its_rows_are() -> None:
    earlier = Decision("q", 1, ()).to_bytes().replace(b',"topic":null', b"")
    assert b"topic" not in earlier
    assert Decision.from_bytes(earlier) == Decision("q", 1, ())


def test_a_decision_of_a_later_format_is_not_guessed_at() -> None:
    later = Decision("q", 1, ()).to_bytes().replace(b'"version":1', b'"version":2')
    with pytest.raises(ValueError, match="query q has format 2, and this release knows 1"):
        Decision.from_bytes(later)
