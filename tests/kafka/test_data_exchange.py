"""A data directory goes from Apache Kafka to Snakka and back, and nothing is lost on the way."""

from pathlib import Path

import pytest
from tests.kafka.data_set import NODE_OPTIONS, DataSet
from tests.kafka.dumped_files import dumped_metadata, dumped_offsets
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node, running_kafka, running_snakka
from tests.kafka.settling import prepare
from tests.kafka.transactional_data import aborted_and_committed, write_transactions

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kafka")]

CLUSTER_ID = "ZXhjaGFuZ2VkLWNsdXN0ZQ"


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path, NODE_OPTIONS)


def snapshots(node: Node) -> set[str]:
    return {file.name for file in (node.data / "__cluster_metadata-0").glob("*.checkpoint")}


def commit_offsets(node: Node, tools: KafkaTools) -> None:
    """Three records are read by a consumer group."""
    tools.run_ok(
        "kafka-console-consumer",
        *("--bootstrap-server", node.bootstrap, "--topic", "codec-none", "--group", "readers"),
        *("--from-beginning", "--max-messages", "3", "--timeout-ms", "30000"),
    )


def committed_offset(node: Node, tools: KafkaTools) -> str:
    described = tools.run_ok(
        "kafka-consumer-groups", "--bootstrap-server", node.bootstrap, "--describe", "--group", "readers"
    )
    (row,) = (line.split() for line in described.splitlines() if "codec-none" in line)
    return row[3]


def test_from_kafka_to_snakka_and_back(node: Node, tools: KafkaTools, libs: str) -> None:
    node.format_with_kafka(tools, CLUSTER_ID)
    data_set = DataSet()
    with running_kafka(node, libs):
        prepare(node.port)
        write_transactions(node.port)
        data_set.extend(node.port)
        commit_offsets(node, tools)
        data_set.wait_until_compacted(node.port)
        data_set.remember(node.port)
        transactions = aborted_and_committed(node.port)
    by_kafka = snapshots(node)
    with running_snakka(node):
        data_set.check(node.port)
        assert aborted_and_committed(node.port) == transactions
        assert committed_offset(node, tools) == "3"
        write_transactions(node.port)
        transactions = aborted_and_committed(node.port)
        data_set.extend(node.port)
        data_set.wait_until_compacted(node.port)
        data_set.remember(node.port)
    assert snapshots(node) - by_kafka, "Snakka has written no snapshot of the metadata"
    dumped_offsets(tools, node.data)
    dumped_metadata(tools, node.data)
    with running_kafka(node, libs):
        data_set.check(node.port)
        assert aborted_and_committed(node.port) == transactions
        assert committed_offset(node, tools) == "3"
        write_transactions(node.port)
        transactions = aborted_and_committed(node.port)
        data_set.extend(node.port)
        data_set.remember(node.port)
    with running_snakka(node):
        data_set.check(node.port)
        assert aborted_and_committed(node.port) == transactions


def test_from_snakka_to_kafka_and_back(tmp_path: Path, libs: str) -> None:
    two_disks = {"log.dirs": f"{tmp_path}/one,{tmp_path}/two"}
    node = Node(tmp_path, NODE_OPTIONS | two_disks)
    data_set = DataSet()
    with running_snakka(node):
        prepare(node.port)
        for _ in range(2):
            data_set.extend(node.port)
        data_set.wait_until_compacted(node.port)
        data_set.remember(node.port)
    with running_kafka(node, libs):
        data_set.check(node.port)
        data_set.extend(node.port)
        data_set.remember(node.port)
    with running_snakka(node):
        data_set.check(node.port)


def test_what_a_killed_broker_leaves_behind(node: Node, tools: KafkaTools, libs: str) -> None:
    data_set = DataSet()
    with running_snakka(node) as snakka:
        prepare(node.port)
        data_set.extend(node.port)
        data_set.remember(node.port)
        data_set.wait_until_cut_outlives_a_crash(node.data)
        snakka.kill()
    with running_kafka(node, libs) as kafka:
        data_set.check(node.port)
        data_set.extend(node.port)
        data_set.remember(node.port)
        data_set.wait_until_cut_outlives_a_crash(node.data)
        kafka.kill()
    with running_snakka(node):
        data_set.check(node.port)
    dumped_offsets(tools, node.data)
    dumped_metadata(tools, node.data)
