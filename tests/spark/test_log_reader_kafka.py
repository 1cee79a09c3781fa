"""The direct log reader on a directory that Apache Kafka writes: running, stopped, and killed; all that Kafka serves."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.kafka.data_set import (
    COMPACTED,
    NODE_OPTIONS,
    STARTED_MS,
    DataSet,
    fetch_all,
    fetch_row,
    list_offset,
)
from tests.kafka.nodes import Node, kafka_libs, running_kafka, running_snakka
from tests.kafka.settling import prepare, settle
from tests.kafka.transactional_data import READ_COMMITTED, TOPIC, write_transactions
from tests.kafka.wire import Wire
from tests.spark.log_directories import read

from snakka.protocol.batch_reader import read_records
from snakka.protocol.messages.metadata import MetadataRequest
from snakka.protocol.record_batch import iter_headers

pytestmark = pytest.mark.slow

Rows = list[tuple[Any, ...]]


def rows_of(data: bytes, first_offset: int) -> Rows:
    """The records that clients are given, as the log reader's rows."""
    rows = []
    for position, header in iter_headers(data):
        if not header.is_control:
            for each in read_records(data[position : position + header.size]):
                kind = int(header.uses_log_append_time)
                rows.append((each.key, each.value, each.offset, each.timestamp, kind, each.headers))
    return [row for row in rows if row[2] >= first_offset]


def served(port: int) -> dict[tuple[str, int], Rows]:
    """All that the broker serves, by topic and partition."""
    with Wire(port) as wire:
        settle(wire)
        metadata = wire.ask(MetadataRequest(topics=None))
        places = [(row.name, index) for row in metadata.topics for index in range(len(row.partitions))]
        return {
            (topic, partition): rows_of(
                fetch_all(wire, topic, partition), list_offset(wire, topic, partition, -2).offset
            )
            for topic, partition in places
            if not topic.startswith("__")
        }


def committed(port: int) -> Rows:
    """Of the topic with transactions, what is not of the aborted one."""
    with Wire(port) as wire:
        row = fetch_row(wire, TOPIC, 0, 0, READ_COMMITTED)
        (aborted,) = row.aborted_transactions
        data = bytes(row.records)
    ends = [
        header.base_offset
        for _, header in iter_headers(data)
        if header.is_control and header.base_offset > aborted.first_offset
    ]
    return [each for each in rows_of(data, 0) if not aborted.first_offset <= each[2] < ends[0]]


def check(data: Path, shown: dict[tuple[str, int], Rows], decided: Rows) -> None:
    for (topic, partition), rows in shown.items():
        assign = json.dumps({topic: [partition]})
        assert read(data, assign=assign) == rows, (topic, partition)
        assert read(data, assign=assign, minPartitions=3) == rows, (topic, partition)
    assert read(data, subscribe=TOPIC, **{"isolation.level": "read_committed"}) == decided
    by_time = read(data, subscribe="codec-zstd", startingTimestamp=STARTED_MS + 5)
    assert by_time == [row for row in shown["codec-zstd", 0] if row[2] >= by_time[0][2]]
    assert by_time[0][3] >= STARTED_MS + 5


def test_all_that_apache_kafka_serves(tmp_path: Path) -> None:
    libs = kafka_libs()
    node = Node(tmp_path, NODE_OPTIONS)
    data_set = DataSet()
    with running_snakka(node):
        pass  # formats the directory
    with running_kafka(node, libs):
        prepare(node.port)
        write_transactions(node.port)
        data_set.extend(node.port)
        data_set.wait_until_compacted(node.port)
        data_set.remember(node.port)
        data_set.wait_until_cut_outlives_a_crash(node.data)
        shown, decided = served(node.port), committed(node.port)
        assert len(shown[COMPACTED, 0]) > 3
        check(node.data, shown, decided)
    check(node.data, shown, decided)
    with running_kafka(node, libs) as kafka:
        shown, decided = served(node.port), committed(node.port)
        kafka.kill()
    check(node.data, shown, decided)
