"""Stories of a cluster of three, told as scripts: each step is a command, a line of dashes, and what came of it.

The files in `scripts` are the expectation. After a wanted change of behaviour run with SNAKKA_REWRITE=1 and read the diff.
"""

import os
from pathlib import Path

import pytest
from cluster_builder import Cluster, directory_of, uuid
from test_placement import NoChance

from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.image.partition import NO_LEADER, RECOVERED
from snakka.metadata.state.brokers import fence_stale_broker, heartbeat, register_broker
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.elections import elect_leaders
from snakka.metadata.state.heartbeats import BrokerState as Standing
from snakka.metadata.state.partitions import alter_partition
from snakka.metadata.state.rules import Caller
from snakka.metadata.state.topics import create_topics
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
    BrokerState,
)
from snakka.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from snakka.protocol.messages.broker_registration import BrokerRegistrationRequest, Feature
from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from snakka.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from snakka.raft.features import FEATURES

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.txt"))
CALLER = Caller(api_version=99)


class Story:
    """One cluster on its way through a script."""

    def __init__(self) -> None:
        self.cluster = Cluster()
        # Behind the epochs that the cluster's brokers are made with.
        self.cluster.next_offset = 1_000
        self.incarnations = 0

    def run(self, command: str) -> str:
        name, *arguments = command.split()
        before = self.states()
        try:
            said = getattr(self, name)(*arguments)
        except ApiError as error:
            said = error.code.name
        after = self.states()
        changed = [line for key, line in after.items() if before.get(key) != line]
        return "\n".join([*([said] if said else []), *changed]) or "nothing"

    def states(self) -> dict[str, str]:
        """A line for each broker and each partition."""
        image = self.cluster.image
        lines = {}
        for broker in image.brokers.by_id.values():
            standing = "fenced" if broker.fenced else "leaving" if broker.in_controlled_shutdown else "active"
            lines[f"{broker.id}"] = f"broker {broker.id} {standing}"
        for topic, number, one in image.topics.all_partitions():
            parts = [
                f"{topic.name}-{number} leader {'none' if one.leader == NO_LEADER else one.leader}",
                f"epoch {one.leader_epoch}.{one.partition_epoch}",
                f"isr {ids(one.isr)} of {ids(one.replicas)}",
            ]
            parts += [f"eligible {ids(one.elr)}"] if one.elr else []
            parts += [f"last {ids(one.last_known_elr)}"] if one.last_known_elr else []
            parts += ["recovering"] if one.leader_recovery_state != RECOVERED else []
            lines[f"{topic.name}-{number}"] = ", ".join(parts)
        return lines

    def apply(self, decision: Decision) -> object:
        return self.cluster.apply(decision)

    def brokers(self, *nodes: str) -> None:
        for node in nodes:
            broker_id, _, rack = node.partition(":")
            self.cluster.add_broker(int(broker_id), rack=rack or None)

    def create(self, name: str, partitions: str, replication_factor: str) -> str:
        topic = CreatableTopic(
            name=name, num_partitions=int(partitions), replication_factor=int(replication_factor)
        )
        cluster = self.cluster
        decision = create_topics(
            cluster.image,
            CreateTopicsRequest(topics=[topic]),
            CALLER,
            cluster.rules,
            cluster.heartbeats,
            NoChance(),
        )
        return ErrorCode(self.apply(decision).topics[0].error_code).name

    def config(self, topic: str, setting: str) -> None:
        key, _, value = setting.partition("=")
        self.cluster.set_config(ConfigResourceType.TOPIC, topic, key, value)

    def silent(self, broker: str) -> None:
        """The session of a broker ends."""
        self.apply(fence_stale_broker(self.cluster.image, self.cluster.rules, int(broker)))
        self.cluster.heartbeats.fence(int(broker))

    def beat(self, broker: str, *wishes: str) -> str:
        """A heartbeat; by default of a broker that wants to serve and knows everything."""
        cluster, broker_id = self.cluster, int(broker)
        request = BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=cluster.image.brokers.by_id[broker_id].epoch,
            current_metadata_offset=0 if "behind" in wishes else cluster.next_offset - 1,
            want_fence="fence" in wishes,
            want_shut_down="leave" in wishes,
            offline_log_dirs=[directory_of(broker_id)] if "disk-lost" in wishes else [],
        )
        decision = heartbeat(cluster.image, request, cluster.rules, cluster.heartbeats)
        cluster.replay(*decision.records)
        state = decision.response.state
        cluster.heartbeats.touch(
            broker_id, fenced=state.fenced, metadata_offset=request.current_metadata_offset, now_ms=0
        )
        if state is Standing.CONTROLLED_SHUTDOWN:
            cluster.heartbeats.begin_shutdown(broker_id, cluster.next_offset - 1)
        return state.value

    def restart(self, broker: str, how: str) -> None:
        """A new process registers, `cleanly` or after a `crash`."""
        cluster, broker_id = self.cluster, int(broker)
        known = cluster.image.brokers.by_id[broker_id]
        self.incarnations += 1
        request = BrokerRegistrationRequest(
            broker_id=broker_id,
            cluster_id=cluster.rules.cluster_id,
            incarnation_id=uuid(self.incarnations),
            features=[
                Feature(name=name, min_supported_version=one.min_level, max_supported_version=one.max_level)
                for name, one in FEATURES.items()
            ],
            log_dirs=[directory_of(broker_id)],
            previous_broker_epoch=known.epoch if how == "cleanly" else -1,
        )
        cluster.heartbeats.end(broker_id)
        decision = register_broker(
            cluster.image,
            request,
            CALLER,
            cluster.rules,
            cluster.heartbeats,
            next_offset=cluster.next_offset,
            now_ms=0,
        )
        epoch = self.apply(decision).broker_epoch
        cluster.heartbeats.register(broker_id, epoch, True, now_ms=0)

    def isr(self, partition: str, leader: str, wanted: str) -> str:
        """The leader reports who is in sync."""
        name, _, number = partition.rpartition("-")
        topic = self.cluster.image.topics.by_name[name]
        now = topic.partitions[int(number)]
        brokers = self.cluster.image.brokers.by_id
        change = AlterPartitionRequestPartitionData(
            partition_index=int(number),
            leader_epoch=now.leader_epoch,
            partition_epoch=now.partition_epoch,
            new_isr_with_epochs=[
                BrokerState(broker_id=int(one), broker_epoch=brokers[int(one)].epoch)
                for one in wanted.split(",")
            ],
        )
        request = AlterPartitionRequest(
            broker_id=int(leader),
            broker_epoch=brokers[int(leader)].epoch,
            topics=[AlterPartitionRequestTopicData(topic_id=topic.id, partitions=[change])],
        )
        response = self.apply(alter_partition(self.cluster.image, request, CALLER, self.cluster.rules))
        return ErrorCode(response.topics[0].partitions[0].error_code).name

    def elect(self, kind: str, partition: str) -> str:
        name, _, number = partition.rpartition("-")
        request = ElectLeadersRequest(
            election_type={"preferred": 0, "unclean": 1}[kind],
            topic_partitions=[TopicPartitions(topic=name, partitions=[int(number)])],
        )
        response = self.apply(elect_leaders(self.cluster.image, request, self.cluster.rules))
        return ErrorCode(response.replica_election_results[0].partition_result[0].error_code).name


def ids(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values)) or "nobody"


def retold(text: str) -> str:
    """The script with what comes of its commands now; lines that begin with # are kept."""
    story = Story()
    told = []
    for step in text.strip().split("\n\n"):
        lines = step.split("\n")
        comments = [line for line in lines if line.startswith("#")]
        commands = [line for line in lines if not line.startswith("#")]
        told += ["\n".join(comments)] if comments and not commands else []
        if commands:
            told.append("\n".join([*comments, commands[0], "----", story.run(commands[0])]))
    return "\n\n".join(told) + "\n"


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_the_story_goes_as_told(script: Path) -> None:
    text = script.read_text()
    now = retold(text)
    if os.environ.get("SNAKKA_REWRITE"):
        script.write_text(now)
    assert now == script.read_text()


def test_there_are_stories() -> None:
    assert len(SCRIPTS) >= 4
