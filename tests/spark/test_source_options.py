"""The option table, one by one: names, defaults, what is accepted, what is refused and with which words."""

import itertools
import logging
import time
from typing import cast

import pytest
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType

from snakka.client.blocking import Admin
from snakka.client.cluster_topics import TopicView
from snakka.client.errors import RequestTimedOutError
from snakka.client.settings import ConsumerSettings, resolve
from snakka.client.topic_partition import TopicPartition
from snakka.spark.client_settings import SparkOptionError, admin_settings, consumer_settings
from snakka.spark.columns import ChosenColumns, source_schema
from snakka.spark.read_options import (
    OPTIONS,
    Bound,
    BoundKind,
    ReadOptions,
    Where,
    duration_ms,
    read_options,
)
from snakka.spark.source.batch_reader import BatchReader, FilteringBatchReader, open_reader
from snakka.spark.source.topic_offsets import TopicOffsets
from snakka.spark.topic_sink.write_options import write_options

NEEDED = {"kafka.bootstrap.servers": "127.0.0.1:9092"}
SUBSCRIBED = {**NEEDED, "subscribe": "t"}
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def options(*, is_stream: bool = True, **given: str) -> ReadOptions:
    named = {name.replace("__", "."): value for name, value in given.items()}
    return read_options(CaseInsensitiveDict({**SUBSCRIBED, **named}), is_stream=is_stream)


# The attribute, its default, texts that are accepted with what they mean, and texts that are refused.
TABLE: dict[str, tuple[str, object, dict[str, object], list[str]]] = {
    "startingTimestamp": (
        "start",
        Bound(BoundKind.LATEST),
        {"1700": Bound(BoundKind.TIME, time_ms=1700)},
        ["soon", "1.5", "-5", "9223372036854775808", ""],
    ),
    "startingOffsetsByTimestamp": (
        "start",
        Bound(BoundKind.LATEST),
        {'{"t":{"0":17,"1":18}}': Bound(BoundKind.TIMES, {T0: 17, T1: 18})},
        ["17", '{"t":17}', '{"t":{"x":17}}', "{", '{"t":{"0":"17"}}', '{"t":{"0":-3}}'],
    ),
    "startingOffsets": (
        "start",
        Bound(BoundKind.LATEST),
        {
            "earliest": Bound(BoundKind.EARLIEST),
            "Latest": Bound(BoundKind.LATEST),
            '{"t":{"0":23,"1":-2}}': Bound(BoundKind.OFFSETS, {T0: 23, T1: -2}),
        },
        ["newest", "[]", '{"t":[0]}', '{"t":{"0":null}}', '{"t":{"0":true}}', '{"t":{"0":-3}}'],
    ),
    "startingOffsetsByTimestampStrategy": (
        "begins_at_latest_without_match",
        False,
        {"error": False, "LATEST": True},
        ["earliest", ""],
    ),
    "endingTimestamp": (
        "end",
        Bound(BoundKind.LATEST),
        {"1700": Bound(BoundKind.TIME, time_ms=1700)},
        ["soon"],
    ),
    "endingOffsetsByTimestamp": (
        "end",
        Bound(BoundKind.LATEST),
        {'{"t":{"0":17}}': Bound(BoundKind.TIMES, {T0: 17})},
        ["17"],
    ),
    "endingOffsets": (
        "end",
        Bound(BoundKind.LATEST),
        {"latest": Bound(BoundKind.LATEST), '{"t":{"0":-1}}': Bound(BoundKind.OFFSETS, {T0: -1})},
        ["earliest", '{"t":{"0":-2}}', '{"t":{"0":9223372036854775808}}', "x"],
    ),
    "failOnDataLoss": ("fail_on_data_loss", True, {"false": False, "TRUE": True}, ["yes", "0", ""]),
    "kafkaConsumer.pollTimeoutMs": ("poll_timeout_ms", None, {"500": 500}, ["1s", "-1"]),
    "fetchOffset.numRetries": ("offset_attempts", 3, {"7": 7}, ["0", "x"]),
    "fetchOffset.retryIntervalMs": ("offset_pause_ms", 10, {"0": 0, "250": 250}, ["x"]),
    "maxOffsetsPerTrigger": ("most_offsets", None, {"1000": 1000}, ["x", "-1"]),
    "minOffsetsPerTrigger": ("least_offsets", None, {"1000": 1000}, ["x", "-1"]),
    "maxTriggerDelay": ("most_delay_ms", 900_000, {"30s": 30_000, "5": 5, "2h": 7_200_000}, ["soon", "1w"]),
    "minPartitions": ("least_pieces", None, {"5": 5}, ["0", "-3", "x"]),
    "maxRecordsPerPartition": ("most_records", None, {"5": 5}, ["0", "-3", "x"]),
    "includeHeaders": ("include_headers", False, {"true": True}, ["yes"]),
    "pushDownFilters": ("push_down_filters", False, {"true": True}, ["yes"]),
    "groupIdPrefix": ("group_id", "spark-kafka-source-e3b98a4da31a", {"mine": "mine-e3b98a4da31a"}, []),
}


def test_the_table_has_every_option() -> None:
    subscriptions = {"subscribe", "subscribePattern", "assign"}
    assert {option.name for option in OPTIONS} == set(TABLE) | subscriptions


@pytest.mark.parametrize("name", TABLE)
def test_each_option_of_the_table(name: str) -> None:
    attribute, default, accepted, refused = TABLE[name]
    where = next(option.where for option in OPTIONS if option.name == name)
    is_stream = where is not Where.BATCH

    assert getattr(options(is_stream=is_stream), attribute) == default
    for text, meaning in accepted.items():
        for spelled in (name, name.lower(), name.upper()):  # as in Spark, names have no case
            found = options(is_stream=is_stream, **{spelled.replace(".", "__"): f" {text} "})
            assert getattr(found, attribute) == meaning
    for text in refused:
        with pytest.raises(SparkOptionError, match=name):
            options(is_stream=is_stream, **{name.replace(".", "__"): text})


@pytest.mark.parametrize("name", ["endingTimestamp", "endingOffsetsByTimestamp", "endingOffsets"])
def test_a_stream_has_no_end(name: str) -> None:
    with pytest.raises(SparkOptionError, match=f"{name} can't be set for a stream"):
        options(**{name: "latest"})


@pytest.mark.parametrize("name", ["maxOffsetsPerTrigger", "minOffsetsPerTrigger", "maxTriggerDelay"])
def test_what_limits_triggers_is_ignored_in_a_batch_with_a_warning(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    options(is_stream=False, **{name: "5"})
    assert f"{name} is ignored in batch queries" in caplog.text


def test_a_batch_begins_at_earliest_and_never_at_latest() -> None:
    assert options(is_stream=False).start == Bound(BoundKind.EARLIEST)
    for text in ("latest", '{"t":{"0":-1}}'):
        with pytest.raises(SparkOptionError, match="startingOffsets can't be latest"):
            options(is_stream=False, startingOffsets=text)


def test_a_time_for_all_goes_before_times_for_each_and_those_before_offsets() -> None:
    both = {"startingOffsetsByTimestamp": '{"t":{"0":17}}', "startingOffsets": "earliest"}
    assert options(**both).start.kind is BoundKind.TIMES
    assert options(**both, startingTimestamp="5").start.kind is BoundKind.TIME


@pytest.mark.parametrize(
    ("start", "end", "complaint"),
    [
        ('{"t":{"0":5}}', '{"t":{"0":4}}', "t-0 would begin at 5 and end before that, at 4"),
        ('{"t":{"0":5}}', '{"t":{"1":9}}', "only one of them has t-0, t-1"),
    ],
)
def test_a_range_must_make_sense(start: str, end: str, complaint: str) -> None:
    for begins, ends in (
        ("startingOffsets", "endingOffsets"),
        ("startingOffsetsByTimestamp", "endingOffsetsByTimestamp"),
    ):
        with pytest.raises(SparkOptionError, match=complaint):
            options(is_stream=False, **{begins: start, ends: end})


def test_the_least_is_not_more_than_the_most() -> None:
    with pytest.raises(SparkOptionError, match="minOffsetsPerTrigger=9 is more than maxOffsetsPerTrigger=8"):
        options(minOffsetsPerTrigger="9", maxOffsetsPerTrigger="8")


# -- what is read ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "one of assign, subscribe, subscribePattern must be set"),
        ({"subscribe": "a", "assign": '{"a":[0]}'}, "assign and subscribe are set: choose one"),
        ({"subscribe": " , "}, "names no topic"),
        ({"subscribePattern": "  "}, "subscribePattern is empty"),
        ({"subscribePattern": "("}, "is no pattern"),
        ({"assign": "t"}, "assign=t: JSON such as"),
        ({"assign": "{}"}, "names no partition"),
        ({"assign": '{"t":[-1]}'}, "JSON such as"),
        ({"assign": '{"t":0}'}, "JSON such as"),
    ],
)
def test_exactly_one_subscription_is_needed(given: dict[str, str], complaint: str) -> None:
    with pytest.raises(SparkOptionError, match=complaint):
        read_options({**NEEDED, **given}, is_stream=True)


def test_subscriptions() -> None:
    found = read_options({**NEEDED, "subscribe": "b, a ,,b"}, is_stream=True).subscription
    assert found.topics == ("b", "a")
    found = read_options({**NEEDED, "assign": '{"t":[1,0,1]}'}, is_stream=True).subscription
    assert found.partitions == (T1, T0)
    found = read_options({**NEEDED, "subscribePattern": " o.* "}, is_stream=True).subscription
    assert found.pattern == "o.*"


def test_the_group_is_named_by_the_user_or_by_what_is_read(caplog: pytest.LogCaptureFixture) -> None:
    one = read_options({**NEEDED, "subscribe": "a,b"}, is_stream=True).group_id
    assert one == read_options({**NEEDED, "subscribe": "b, a"}, is_stream=True).group_id
    assert one != read_options({**NEEDED, "subscribe": "a"}, is_stream=True).group_id
    assert options(kafka__group__id="mine", groupIdPrefix="p").group_id == "mine"
    assert "groupIdPrefix is ignored" in caplog.text


# -- the client ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "auto.offset.reset",
        "key.deserializer",
        "value.deserializer",
        "enable.auto.commit",
        "interceptor.classes",
    ],
)
def test_what_the_source_decides_is_refused(name: str) -> None:
    with pytest.raises(SparkOptionError, match=f"kafka.{name} can't be set: "):
        read_options({**SUBSCRIBED, f"kafka.{name}": "x"}, is_stream=True)


def test_brokers_are_needed_and_unknown_settings_are_named() -> None:
    with pytest.raises(SparkOptionError, match=r"kafka\.bootstrap\.servers must be set"):
        read_options({"subscribe": "t"}, is_stream=True)
    for name, said in {
        "fetch.maxbytes": r"^kafka\.fetch\.maxbytes: there is no .*; did you mean kafka\.fetch\.max\.bytes\?$",
        "zzz": r"^kafka\.zzz: there is no such setting of the client$",
        "bootstrap.servers": r"^kafka\.bootstrap\.servers: 5 is no HOST:PORT; write for example ",
        "ssl.provider": r"^kafka\.ssl\.provider has no meaning here: ",
    }.items():
        with pytest.raises(SparkOptionError, match=said):
            consumer_settings({"bootstrap.servers": "x:1", name: "5"})
    with pytest.raises(SparkOptionError, match=r"isolation\.level") as caught:
        consumer_settings({"bootstrap.servers": "x:1", "isolation.level": "x", "sasl.password": "secret"})
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(options(kafka__sasl__password="secret"))


def test_settings_may_be_written_as_other_clients_write_them() -> None:
    """Driver and executors must find the same: else one of them reads what is not committed, and the other waits for it."""
    found = options(
        **{
            "kafka.isolation_level": " Read_Committed ",
            "kafka.fetch.message.max.bytes": "77",
            "kafka.group_id": "g",
        }
    )
    assert found.is_read_committed
    assert found.group_id == "g"
    reading = consumer_settings(found.settings)
    assert "group.id" not in reading
    assert reading["max.partition.fetch.bytes"] == "77"
    for settings in (reading, consumer_settings(options().settings)):
        resolve(ConsumerSettings, {}, settings)  # it knows no setting twice
    with pytest.raises(SparkOptionError, match=r"kafka\.auto\.offset\.reset can't be set: "):
        options(**{"kafka.auto_offset_reset": "latest"})
    with pytest.raises(SparkOptionError, match=r"kafka\.max\.partition\.fetch\.bytes is given twice"):
        options(
            **{"kafka.fetch.message.max.bytes": "77", "kafka.max_partition_fetch_bytes": "78"},
        )


def test_what_only_writers_know_has_no_effect_on_readers(caplog: pytest.LogCaptureFixture) -> None:
    """Many a job gives both the same options, and Kafka's own clients do not mind."""
    for _ in range(2):
        found = options(kafka__compression__type="zstd", kafka__isolation__level="read_committed")
    assert found.settings.keys() == {"bootstrap.servers", "isolation.level"}
    (record,) = caplog.records
    assert record.getMessage() == "kafka.compression.type has no effect here: clients of another kind have it"
    writing = write_options({**NEEDED, "kafka.group.id": "g", "kafka.auto.offset.reset": "earliest"})
    assert writing.settings.keys() == {"bootstrap.servers"}


def test_what_is_about_java_s_metrics_has_no_effect(caplog: pytest.LogCaptureFixture) -> None:
    names = (
        "auto.include.jmx.reporter",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
    )
    java = {f"kafka.{name}": "x" for name in names}
    reading = read_options({**SUBSCRIBED, **java}, is_stream=True)
    assert not consumer_settings(reading.settings).keys() & set(names)
    assert (
        write_options({**NEEDED, **java}).settings.keys() == reading.settings.keys() == {"bootstrap.servers"}
    )
    assert {record.args[1] for record in caplog.records if record.args} == set(names)


def test_settings_go_to_whom_they_concern() -> None:
    given = {
        "bootstrap.servers": "x:1",
        "group.id": "g",
        "session.timeout.ms": "6000",
        "isolation.level": "read_committed",
        "max.partition.fetch.bytes": "77",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "u",
        "sasl.password": "p",
        "retries": "5",
    }
    reading = consumer_settings({name: value for name, value in given.items() if name != "retries"})
    assert "group.id" not in reading
    assert "session.timeout.ms" not in reading
    assert reading["max.partition.fetch.bytes"] == "77"
    assert reading["auto.offset.reset"] == "none"
    connecting = [
        "bootstrap.servers",
        "security.protocol",
        "sasl.mechanism",
        "sasl.username",
        "sasl.password",
    ]
    assert list(admin_settings(given)) == connecting


def test_an_unknown_option_is_ignored_but_a_near_miss_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        options(path="/x", topic="t", somethingElse="1")
        assert not caplog.records
        options(startingOffset="earliest")
    assert "option startingoffset is not known; did you mean startingOffsets?" in caplog.text


def test_durations_are_spark_s() -> None:
    for text, meaning in {
        "15m": 900_000,
        "1min": 60_000,
        "3d": 259_200_000,
        "5000us": 5,
        "1H": 3_600_000,
    }.items():
        assert duration_ms(text) == meaning
    assert (duration_ms("7"), duration_ms("7", "s"), duration_ms("7ms", "s")) == (7, 7000, 7)


class UnreliableAdmin:
    """Fails so often, and then knows no topic."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.asked: list[float] = []

    def list_topics(self) -> list[TopicView]:
        self.asked.append(time.monotonic())
        if len(self.asked) <= self.failures:
            raise RequestTimedOutError("nobody answers")
        return []


def test_the_driver_asks_as_often_as_it_is_told_to_with_pauses() -> None:
    given = {"subscribePattern": "o.*", "fetchOffset.numRetries": "3", "fetchOffset.retryIntervalMs": "30"}
    chosen = read_options({**NEEDED, **given}, is_stream=True)
    admin = UnreliableAdmin(2)
    assert TopicOffsets(cast(Admin, admin), chosen).partitions() == []
    assert [later - before >= 0.03 for before, later in itertools.pairwise(admin.asked)] == [True, True]
    admin = UnreliableAdmin(3)
    with pytest.raises(RequestTimedOutError):
        TopicOffsets(cast(Admin, admin), chosen).partitions()
    assert len(admin.asked) == 3


# -- columns ---------------------------------------------------------------------------------------------------------


def test_the_schema_is_that_of_spark_s_source() -> None:
    assert source_schema(True).simpleString() == (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,timestamp:timestamp,"
        "timestampType:int,headers:array<struct<key:string,value:binary>>>"
    )
    assert source_schema(False).fieldNames() == source_schema(True).fieldNames()[:-1]
    assert all(field.nullable for field in source_schema(True))


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ([StructField("value", StringType())], "column value is binary, not string"),
        ([StructField("payload", BinaryType())], "there is no column payload"),
        ([StructField("offset", LongType()), StructField("Offset", LongType())], "names a column twice"),
        ([], "the schema has no column"),
    ],
)
def test_a_schema_chooses_columns_only(fields: list[StructField], complaint: str) -> None:
    with pytest.raises(SparkOptionError, match=complaint):
        ChosenColumns(StructType(fields))


def test_only_who_asks_for_filters_gets_a_reader_that_takes_them() -> None:
    """Spark refuses a reader that could take filters where its setting is off: a job without settings must run."""
    schema = source_schema(False)
    assert type(open_reader(SUBSCRIBED, schema)) is BatchReader
    assert type(open_reader({**SUBSCRIBED, "pushDownFilters": "true"}, schema)) is FilteringBatchReader
