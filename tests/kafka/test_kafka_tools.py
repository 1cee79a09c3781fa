"""Apache Kafka's own command-line tools work against Snakka as they do against Kafka."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node, running_snakka
from tests.kafka.tool_box import ToolBox

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kafka")]


@pytest.fixture(scope="module")
def broker(tools: KafkaTools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolBox]:
    node = Node(tmp_path_factory.mktemp("snakka"))
    with running_snakka(node):
        yield ToolBox(node, tools)


def values(text: str) -> dict[str, str]:
    """Lines of "Name: value"."""
    return dict(re.findall(r"^(\w+):\s+(.*)$", text, re.MULTILINE))


def test_topics(broker: ToolBox) -> None:
    broker.run(
        "kafka-topics", "--create", "--topic", "orders", "--partitions", "3", "--config", "retention.ms=5000"
    )
    assert "already exists" in broker.fail("kafka-topics", "--create", "--topic", "orders")
    assert broker.run("kafka-topics", "--create", "--topic", "orders", "--if-not-exists") == ""
    assert "orders" in broker.run("kafka-topics", "--list").splitlines()
    described = broker.run("kafka-topics", "--describe", "--topic", "orders")
    assert "PartitionCount: 3\tReplicationFactor: 1" in described
    assert "retention.ms=5000" in described
    assert described.count("Leader: 1\tReplicas: 1\tIsr: 1") == 3
    broker.run("kafka-topics", "--alter", "--topic", "orders", "--partitions", "5")
    assert "PartitionCount: 5" in broker.run("kafka-topics", "--describe", "--topic", "orders")
    assert "InvalidPartitions" in broker.fail(
        "kafka-topics", "--alter", "--topic", "orders", "--partitions", "2"
    )
    broker.run("kafka-topics", "--delete", "--topic", "orders")
    assert "orders" not in broker.run("kafka-topics", "--list").splitlines()
    assert "does not exist" in broker.fail("kafka-topics", "--describe", "--topic", "orders")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--topic", "a b"), "InvalidTopicException"),
        (("--topic", "few", "--replication-factor", "3"), "InvalidReplicationFactorException"),
        (("--topic", "none", "--partitions", "0"), "must be greater than 0"),
        (("--topic", "bad", "--config", "remote.storage.enable=true"), "InvalidConfigurationException"),
    ],
)
def test_topics_that_cannot_be(broker: ToolBox, arguments: tuple[str, ...], error: str) -> None:
    assert error in broker.fail("kafka-topics", "--create", *arguments)


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_console_producer_and_consumer(broker: ToolBox, codec: str) -> None:
    topic = f"console-{codec}"
    lines = [f"key-{number}\tvalue {number} of {codec}" for number in range(50)]
    broker.run("kafka-topics", "--create", "--topic", topic)
    producing = (
        *("--topic", topic, "--compression-codec", codec),
        *("--reader-property", "parse.key=true"),
    )
    broker.run("kafka-console-producer", *producing, stdin="\n".join(lines) + "\n")
    reading = (
        *("--topic", topic, "--partition", "0", "--timeout-ms", "20000"),
        *("--formatter-property", "print.key=true"),
    )
    everything = broker.run(
        "kafka-console-consumer", *reading, "--offset", "earliest", "--max-messages", "50"
    )
    assert everything.splitlines() == lines
    rest = broker.run("kafka-console-consumer", *reading, "--offset", "47", "--max-messages", "3")
    assert rest.splitlines() == lines[47:]


def test_offsets_and_deletion_of_records(broker: ToolBox, tmp_path: Path) -> None:
    broker.run("kafka-topics", "--create", "--topic", "cut", "--partitions", "2")
    producing = ("--topic", "cut", "--num-records", "100", "--record-size", "10", "--throughput", "-1")
    assert "100 records sent" in broker.run("kafka-producer-perf-test", *producing)

    def offsets(time: str) -> dict[str, int]:
        lines = broker.run("kafka-get-offsets", "--topic", "cut", "--time", time).splitlines()
        return {line.rpartition(":")[0]: int(line.rpartition(":")[2]) for line in lines}

    ends = offsets("latest")
    assert sum(ends.values()) == 100
    assert offsets("earliest") == {"cut:0": 0, "cut:1": 0}
    assert max(offsets("max-timestamp").values()) < 100
    assert offsets("earliest-local") == {"cut:0": 0, "cut:1": 0}
    file = tmp_path / "offsets.json"
    cuts = {"cut:0": ends["cut:0"] // 2, "cut:1": ends["cut:1"]}
    rows = [{"topic": "cut", "partition": index, "offset": cuts[f"cut:{index}"]} for index in range(2)]
    file.write_text(json.dumps({"version": 1, "partitions": rows}))
    deleted = broker.run("kafka-delete-records", "--offset-json-file", str(file))
    for index in range(2):
        assert f"partition: cut-{index}\tlow_watermark: {cuts[f'cut:{index}']}" in deleted
    assert offsets("earliest") == cuts
    assert offsets("latest") == ends


def test_configs_of_a_topic(broker: ToolBox) -> None:
    broker.run("kafka-topics", "--create", "--topic", "tuned")
    entity = ("--entity-type", "topics", "--entity-name", "tuned")
    broker.run(
        "kafka-configs",
        *entity,
        "--alter",
        "--add-config",
        "retention.ms=1000,cleanup.policy=[compact,delete]",
    )
    shown = broker.run("kafka-configs", *entity, "--describe")
    assert "retention.ms=1000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1000" in shown
    assert "cleanup.policy=compact,delete " in shown
    assert "segment.bytes" not in shown
    assert "segment.bytes=1073741824" in broker.run("kafka-configs", *entity, "--describe", "--all")
    broker.run("kafka-configs", *entity, "--alter", "--delete-config", "retention.ms")
    assert "retention.ms" not in broker.run("kafka-configs", *entity, "--describe")
    refused = broker.fail("kafka-configs", *entity, "--alter", "--add-config", "retention.ms=soon")
    assert "Invalid value soon" in refused


def test_configs_of_a_broker_and_of_all_brokers(broker: ToolBox) -> None:
    one = ("--entity-type", "brokers", "--entity-name", "1")
    all_of_them = ("--entity-type", "brokers", "--entity-default")
    broker.run("kafka-configs", *all_of_them, "--alter", "--add-config", "log.cleaner.backoff.ms=14000")
    broker.run("kafka-configs", *one, "--alter", "--add-config", "log.cleaner.backoff.ms=13000")
    assert "log.cleaner.backoff.ms=14000" in broker.run("kafka-configs", *all_of_them, "--describe")
    own = broker.run("kafka-configs", *one, "--describe")
    assert (
        "log.cleaner.backoff.ms=13000 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:log.cleaner.backoff.ms=13000, "
        "DYNAMIC_DEFAULT_BROKER_CONFIG:log.cleaner.backoff.ms=14000, DEFAULT_CONFIG:log.cleaner.backoff.ms=15000}"
    ) in own
    broker.run("kafka-configs", *one, "--alter", "--delete-config", "log.cleaner.backoff.ms")
    broker.run("kafka-configs", *all_of_them, "--alter", "--delete-config", "log.cleaner.backoff.ms")
    everything = broker.run("kafka-configs", *one, "--describe", "--all")
    assert "log.cleaner.backoff.ms=15000" in everything
    assert "Cannot update these configs dynamically" in broker.fail(
        "kafka-configs", *one, "--alter", "--add-config", "node.id=2"
    )


def test_log_dirs(broker: ToolBox) -> None:
    broker.run("kafka-topics", "--create", "--topic", "sized")
    broker.run("kafka-console-producer", "--topic", "sized", stdin="one\ntwo\n")
    printed = broker.run("kafka-log-dirs", "--describe", "--topic-list", "sized")
    (directory,) = json.loads(printed.splitlines()[-1])["brokers"][0]["logDirs"]
    assert directory["logDir"] == str(broker.node.data)
    assert directory["error"] is None
    (partition,) = directory["partitions"]
    size = (broker.node.data / "sized-0" / "00000000000000000000.log").stat().st_size
    assert partition == {"partition": "sized-0", "size": size, "offsetLag": 0, "isFuture": False}


def test_features(broker: ToolBox) -> None:
    described = broker.run("kafka-features", "describe")
    levels = dict(re.findall(r"Feature: (\S+) .*FinalizedVersionLevel: (\S+)", described))
    assert levels["metadata.version"] == "4.3-IV0"
    assert levels["kraft.version"] == "1"
    assert "can be downgraded" in broker.run(
        "kafka-features", "downgrade", "--feature", "transaction.version=1", "--dry-run"
    )
    refused = broker.fail("kafka-features", "downgrade", "--metadata", "4.0-IV3", "--dry-run")
    assert "Can not downgrade metadata.version to 25" in refused
    assert "FinalizedVersionLevel: 2" in re.sub(" +", " ", broker.run("kafka-features", "describe"))
    assert "upgraded" in broker.run("kafka-features", "upgrade", "--release-version", "4.3", "--dry-run")


@pytest.mark.parametrize("to_controller", [False, True])
def test_metadata_quorum(broker: ToolBox, to_controller: bool) -> None:
    where = ("--bootstrap-controller", broker.node.controller) if to_controller else ()
    status = values(broker.run("kafka-metadata-quorum", *where, "describe", "--status"))
    assert status["LeaderId"] == "1"
    assert status["MaxFollowerLag"] == "0"
    assert f'"endpoints": ["CONTROLLER://{broker.node.controller}"]' in status["CurrentVoters"]
    header, row = broker.run("kafka-metadata-quorum", *where, "describe", "--replication").splitlines()
    assert header.split() == [
        *("NodeId", "DirectoryId", "LogEndOffset", "Lag"),
        *("LastFetchTimestamp", "LastCaughtUpTimestamp", "Status"),
    ]
    assert (row.split()[0], row.split()[3], row.split()[-1]) == ("1", "0", "Leader")


def test_cluster_and_api_versions(broker: ToolBox) -> None:
    properties = (broker.node.data / "meta.properties").read_text()
    cluster_id = re.findall(r"^cluster.id=(.*)$", properties, re.MULTILINE)[0]
    assert broker.run("kafka-cluster", "cluster-id") == f"Cluster ID: {cluster_id}\n"
    endpoints = broker.run("kafka-cluster", "list-endpoints").splitlines()
    assert endpoints[1].split() == ["1", "127.0.0.1", str(broker.node.port), "null", "unfenced", "broker"]
    where = ("--bootstrap-controller", broker.node.controller)
    endpoints = broker.run("kafka-cluster", "list-endpoints", *where).splitlines()
    assert endpoints[1].split() == ["1", "127.0.0.1", str(broker.node.controller_port), "null", "controller"]
    versions = broker.run("kafka-broker-api-versions")
    assert "Produce(0): 0 to 13 [usable: 13]" in versions
    assert "UNKNOWN" not in versions
