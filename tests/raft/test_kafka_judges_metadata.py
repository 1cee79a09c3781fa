"""Apache Kafka's own tools read what we write, and its classes name the levels that we claim."""

import pytest
from kafka_tools import needs_kafka, run_java
from raft_harness import SettableClock, running_node, topics

from snakka.raft.features import FEATURES, METADATA_VERSION, METADATA_VERSION_NAMES
from snakka.storage.files import OsFiles

pytestmark = [needs_kafka, pytest.mark.slow]

LEVELS = """
import org.apache.kafka.server.common.*;
public class Levels {
  public static void main(String[] arguments) {
    for (MetadataVersion v : MetadataVersion.values())
      if (v.featureLevel() <= MetadataVersion.LATEST_PRODUCTION.featureLevel())
        System.out.println("name " + v.featureLevel() + " " + v);
    for (Feature f : Feature.PRODUCTION_FEATURES) {
      System.out.println("levels " + f.featureName() + " " + f.minimumProduction() + " " + f.latestProduction());
      for (FeatureVersion v : f.featureVersions())
        if (v.featureLevel() <= f.latestProduction()) {
          System.out.println("bootstrap " + f.featureName() + " " + v.bootstrapMetadataVersion().featureLevel());
          v.dependencies().forEach((name, level) ->
            System.out.println("needs " + f.featureName() + " " + v.featureLevel() + " " + name + " " + level));
        }
    }
  }
}
"""


def test_feature_levels_are_those_of_kafkas_classes(tmp_path):
    source = tmp_path / "Levels.java"
    source.write_text(LEVELS)
    said = [line.split() for line in run_java(str(source)).splitlines()]
    names = {int(line[1]): line[2] for line in said if line[0] == "name"}
    assert names == METADATA_VERSION_NAMES
    assert (min(names), max(names)) == (
        FEATURES[METADATA_VERSION].min_level,
        FEATURES[METADATA_VERSION].max_level,
    )
    levels = {line[1]: (int(line[2]), int(line[3])) for line in said if line[0] == "levels"}
    ours = {name: (f.min_level, f.max_level) for name, f in FEATURES.items() if name != METADATA_VERSION}
    assert levels == ours
    for feature in FEATURES.values():
        bootstrap = [int(line[2]) for line in said if line[:2] == ["bootstrap", feature.name]]
        assert tuple(bootstrap) == feature.bootstrap_metadata_levels
        needs = [
            (int(line[2]), line[3], int(line[4])) for line in said if line[:2] == ["needs", feature.name]
        ]
        assert tuple(needs) == feature.dependencies


async def test_kafka_reads_log_and_snapshots(tmp_path):
    directory = tmp_path / "data"
    async with running_node(OsFiles(), str(directory), clock=SettableClock()) as node:
        await node.driver.append(node.driver.read_bootstrap_records()).committed
        await node.create("first", "second")
        last = node.listener.batches[-1]
        await node.driver.write_snapshot(
            last.last_offset, last.epoch, last.timestamp_ms, topics("first", "second")
        )
        await node.create("third")
    log = directory / "__cluster_metadata-0"
    files = [
        log / "00000000000000000000.log",
        *sorted(log.glob("*.checkpoint")),
        directory / "bootstrap.checkpoint",
    ]
    printed = run_java(
        "org.apache.kafka.tools.DumpLogSegments",
        "--cluster-metadata-decoder",
        "--files",
        ",".join(map(str, files)),
    )
    parts = dict(part.split("\n", 1) for part in printed.split("Dumping ")[1:])
    in_log, first, later, bootstrap = (parts[str(file)] for file in files)
    for name in ("first", "second", "third"):
        assert f'"TOPIC_RECORD","version":0,"data":{{"name":"{name}"' in in_log
    assert '"name":"metadata.version","featureLevel":30' in bootstrap
    assert "LeaderChange" in in_log
    assert "KRaftVoters" in first
    assert "SnapshotHeader" in later
    assert "SnapshotFooter" in later
    assert '"name":"second"' in later
    assert '"name":"third"' not in later
    assert "isvalid: false" not in printed.lower()


async def test_kafkas_storage_tool_knows_the_directory(tmp_path):
    directory = tmp_path / "data"
    async with running_node(OsFiles(), str(directory)) as node:
        cluster_id = node.driver.cluster_id
    properties = tmp_path / "server.properties"
    properties.write_text(
        "process.roles=broker,controller\nnode.id=1\ncontroller.listener.names=CONTROLLER\n"
        "listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:19393\n"
        f"controller.quorum.bootstrap.servers=127.0.0.1:19393\nlog.dirs={directory}\n"
    )
    printed = run_java("kafka.tools.StorageTool", "info", "-c", str(properties))
    assert f"cluster.id={cluster_id}" in printed
    assert "Found problem" not in printed
