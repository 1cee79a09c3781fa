"""Filters as Spark hands them over: what is followed to the letter, what only helps, what is left alone."""

from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)
from tests.faults.wire import PRODUCE_VERSION, Wire, produce
from tests.spark.source_topics import at

from snakka.client.blocking import Admin
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.spark.columns import source_schema
from snakka.spark.data_source import SnakkaDataSource
from snakka.spark.log_reader.data_source import LogDataSource
from snakka.spark.source.filters import PushedFilters
from snakka.spark.source.offset_ranges import OffsetRange
from snakka.spark.source.topic_offsets import TopicOffsets
from snakka.testing import BlockingLocalBroker

TOPIC, PARTITION, OFFSET, TIME = ("topic",), ("partition",), ("offset",), ("timestamp",)
PARTITIONS = [at("a", 0), at("a", 1), at("b", 0)]


class FakeOffsets:
    """Ten records in each partition, one a second from the second 100 on."""

    def at_times(self, times: dict[TopicPartition, int]) -> dict[TopicPartition, int]:
        return {each: min(max(-(-(ms - 100_000) // 1000), 0), 10) for each, ms in times.items()}


def narrowed(filters: PushedFilters) -> dict[str, tuple[int, int]]:
    ranges = [OffsetRange(each, 0, 10) for each in PARTITIONS if filters.may_have(each)]
    found = filters.narrowed(ranges, cast(TopicOffsets, FakeOffsets()))
    return {str(each.partition): (each.start, each.end) for each in found if each.size > 0}


EVERYTHING = {"a-0": (0, 10), "a-1": (0, 10), "b-0": (0, 10)}


@pytest.mark.parametrize(
    ("given", "is_taken", "left"),
    [
        (EqualTo(TOPIC, "b"), True, {"b-0": (0, 10)}),
        (Not(EqualTo(TOPIC, "b")), True, {"a-0": (0, 10), "a-1": (0, 10)}),
        (StringStartsWith(TOPIC, "a"), True, {"a-0": (0, 10), "a-1": (0, 10)}),
        (StringEndsWith(TOPIC, "b"), True, {"b-0": (0, 10)}),
        (StringContains(TOPIC, "x"), True, {}),
        (In(TOPIC, ("b", "c")), True, {"b-0": (0, 10)}),
        (In(PARTITION, (1, 2)), True, {"a-1": (0, 10)}),
        (Not(In(PARTITION, (1, None))), False, EVERYTHING),
        (GreaterThan(PARTITION, 0), True, {"a-1": (0, 10)}),
        (IsNull(TOPIC), True, {}),
        (IsNotNull(OFFSET), True, EVERYTHING),
        (IsNotNull(("value",)), False, EVERYTHING),
        (EqualTo(OFFSET, 4), True, dict.fromkeys(EVERYTHING, (4, 5))),
        (EqualNullSafe(OFFSET, 4), True, dict.fromkeys(EVERYTHING, (4, 5))),
        (GreaterThan(OFFSET, 4), True, dict.fromkeys(EVERYTHING, (5, 10))),
        (GreaterThanOrEqual(OFFSET, 4), True, dict.fromkeys(EVERYTHING, (4, 10))),
        (LessThan(OFFSET, 4), True, dict.fromkeys(EVERYTHING, (0, 4))),
        (LessThanOrEqual(OFFSET, 4), True, dict.fromkeys(EVERYTHING, (0, 5))),
        (In(OFFSET, (7, 3)), False, dict.fromkeys(EVERYTHING, (3, 8))),
        (In(OFFSET, (7, None, 3)), False, dict.fromkeys(EVERYTHING, (3, 8))),
        (In(OFFSET, (None,)), False, {}),
        (Not(EqualTo(OFFSET, 3)), False, EVERYTHING),
        # Records need not be in the order of their times, so only the first one of a time says something.
        (
            GreaterThanOrEqual(TIME, datetime.fromtimestamp(104, UTC)),
            False,
            dict.fromkeys(EVERYTHING, (4, 10)),
        ),
        (GreaterThan(TIME, datetime.fromtimestamp(104.5, UTC)), False, dict.fromkeys(EVERYTHING, (5, 10))),
        (EqualTo(TIME, datetime.fromtimestamp(104, UTC)), False, dict.fromkeys(EVERYTHING, (4, 10))),
        (GreaterThanOrEqual(TIME, datetime.fromtimestamp(-5, UTC)), False, EVERYTHING),
        (LessThan(TIME, datetime.fromtimestamp(104, UTC)), False, EVERYTHING),
        (EqualTo(("value",), b"x"), False, EVERYTHING),
    ],
)
def test_each_kind(given: Filter, is_taken: bool, left: dict[str, tuple[int, int]]) -> None:
    filters = PushedFilters()
    assert filters.take(given) is is_taken
    assert narrowed(filters) == left


def test_filters_are_all_followed() -> None:
    filters = PushedFilters()
    for each in (EqualTo(TOPIC, "a"), GreaterThan(OFFSET, 1), LessThan(OFFSET, 8), LessThan(OFFSET, 6)):
        assert filters.take(each)
    assert not filters.take(GreaterThan(TIME, datetime.fromtimestamp(103, UTC)))
    assert narrowed(filters) == {"a-0": (3, 6), "a-1": (3, 6)}


def test_records_without_a_time_are_of_the_last_millisecond_before_1970(tmp_path: Path) -> None:
    """As Spark sees them in the column, which is how it would judge them if the filter were its own."""
    with (
        BlockingLocalBroker({}, data_dir=str(tmp_path)) as broker,
        Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
        Wire(broker.bootstrap_servers) as wire,
    ):
        admin.create_topic("timeless", partitions=1)
        request = produce("timeless", 0, b"")
        times = (-1, 5000, -1, 6000)
        request.topic_data[0].partition_data[0].records = build_batch(
            [Record(offset, time_ms, None, b"x") for offset, time_ms in enumerate(times)]
        )
        wire.ask(request, PRODUCE_VERSION)
        options = {
            "kafka.bootstrap.servers": broker.bootstrap_servers,
            "path": str(tmp_path),
            "subscribe": "timeless",
            "pushdownfilters": "true",
        }

        def fetched(second: float) -> list[list[int]]:
            found = []
            for kind in (SnakkaDataSource, LogDataSource):
                reader = kind(options).reader(source_schema(False))
                given = GreaterThanOrEqual(TIME, datetime.fromtimestamp(second, UTC))
                assert list(reader.pushFilters([given])) == [given]
                batches = [batch for part in reader.partitions() for batch in reader.read(part)]
                found.append([offset for batch in batches for offset in batch.column("offset").to_pylist()])
            return found

        assert fetched(-3600) == fetched(-0.001) == [[0, 1, 2, 3]] * 2
        assert fetched(5) == [[1, 2, 3]] * 2
