"""CreateTopics: what comes into being, and each way to be refused."""

from dataclasses import replace

import pytest
from cluster_builder import NEWEST, WITHOUT_ELR, Cluster, directory_of

from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.state.rules import Caller
from snakka.metadata.state.topics import create_topics
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from snakka.protocol.uuids import UNASSIGNED_DIRECTORY, ZERO_UUID
from snakka.security.operations import Operation, ResourceType


def topic(
    name: str = "t", partitions: int = -1, replication_factor: int = -1, **configs: str | None
) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replication_factor,
        configs=[
            CreatableTopicConfig(name=key.replace("_", "."), value=value) for key, value in configs.items()
        ],
    )


def assigned(*assignments: tuple[int, list[int]], **fields: int) -> CreatableTopic:
    return CreatableTopic(
        name="t",
        num_partitions=fields.get("num_partitions", -1),
        replication_factor=fields.get("replication_factor", -1),
        assignments=[
            CreatableReplicaAssignment(partition_index=number, broker_ids=replicas)
            for number, replicas in assignments
        ],
    )


def create(cluster: Cluster, *topics: CreatableTopic, caller: Caller = NEWEST, validate_only: bool = False):
    request = CreateTopicsRequest(topics=list(topics), validate_only=validate_only)
    return create_topics(cluster.image, request, caller, cluster.rules, cluster.heartbeats, cluster.chance)


def refusal(cluster: Cluster, one: CreatableTopic, caller: Caller = NEWEST) -> ErrorCode:
    """The error of a topic that must not come into being."""
    decision = create(cluster, one, caller=caller)
    (result,) = decision.response.topics
    assert not decision.records
    assert result.error_message
    assert result.topic_id == ZERO_UUID
    return ErrorCode(result.error_code)


@pytest.fixture
def cluster() -> Cluster:
    three = Cluster()
    for broker_id, rack in ((1, "a"), (2, "b"), (3, "c")):
        three.add_broker(broker_id, rack=rack)
    return three


def test_a_topic_on_three_brokers(cluster: Cluster) -> None:
    decision = create(cluster, topic(partitions=3, replication_factor=3, min_insync_replicas="2"))
    (result,) = cluster.apply(decision).topics
    assert (result.error_code, result.num_partitions, result.replication_factor) == (0, 3, 3)
    image = cluster.image.topics.by_name["t"]
    assert image.id == result.topic_id
    assert {partition.leader for partition in image.partitions.values()} == {1, 2, 3}
    for partition in image.partitions.values():
        assert sorted(partition.replicas) == [1, 2, 3]
        assert partition.isr == partition.replicas
        assert partition.directories == tuple(directory_of(replica) for replica in partition.replicas)
        assert (partition.leader_epoch, partition.partition_epoch) == (0, 0)
    assert cluster.image.configs.of_topic("t") == {"min.insync.replicas": "2"}


def test_configs_lie_between_the_topic_and_its_partitions(cluster: Cluster) -> None:
    decision = create(cluster, topic(partitions=2, min_insync_replicas="2"))
    kinds = [type(record).__name__ for record in decision.records]
    assert kinds == ["TopicRecord", "ConfigRecord", "ClearElrRecord", "PartitionRecord", "PartitionRecord"]
    without_elr = Cluster(levels=WITHOUT_ELR)
    without_elr.add_broker(1)
    kinds = [type(record).__name__ for record in create(without_elr, topic(min_insync_replicas="2")).records]
    assert kinds == ["TopicRecord", "ConfigRecord", "PartitionRecord"]


def test_the_answer_tells_the_configs_in_effect_but_no_secrets(cluster: Cluster) -> None:
    cluster.set_config(ConfigResourceType.BROKER, "", "cleanup.policy", "compact")
    (result,) = create(cluster, topic(min_insync_replicas="2")).response.topics
    assert [(config.name, config.value, config.config_source) for config in result.configs] == [
        ("cleanup.policy", "compact", 5),
        ("min.insync.replicas", "2", 1),
        ("secret", None, 5),
    ]
    assert result.topic_config_error_code == 0


def test_who_may_not_see_configs_is_told_nothing_of_them(cluster: Cluster) -> None:
    caller = Caller(7, lambda operation, *_: operation != Operation.DESCRIBE_CONFIGS)
    (result,) = create(cluster, topic(), caller=caller).response.topics
    assert result.error_code == ErrorCode.NONE
    assert result.topic_config_error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert (result.num_partitions, result.replication_factor, result.configs) == (-1, -1, [])


def test_defaults_are_asked_for_by_minus_one(cluster: Cluster) -> None:
    cluster.rules = replace(cluster.rules, default_partitions=4, default_replication_factor=2)
    (result,) = create(cluster, topic()).response.topics
    assert (result.num_partitions, result.replication_factor) == (4, 2)


def test_validation_alone_changes_nothing(cluster: Cluster) -> None:
    decision = create(cluster, topic(partitions=2), validate_only=True)
    assert not decision.records
    assert decision.response.topics[0].num_partitions == 2


def test_a_broker_with_several_directories_chooses_later(cluster: Cluster) -> None:
    cluster.add_broker(9, directories=2)
    cluster.apply(create(cluster, assigned((0, [9, 1]))))
    assert cluster.partition("t").directories == (UNASSIGNED_DIRECTORY, directory_of(1))


def test_directories_are_not_named_before_the_level_that_knows_them() -> None:
    old = Cluster(levels=(("metadata.version", 16),))
    old.add_broker(1, directories=0)
    (_, partition) = create(old, topic()).records
    assert partition.directories == []


def test_a_manual_assignment_may_name_brokers_that_are_down(cluster: Cluster) -> None:
    cluster.fence(2)
    cluster.begin_shutdown(3)
    cluster.apply(create(cluster, assigned((1, [2, 3, 1]), (0, [1, 2, 3]))))
    partition = cluster.partition("t", 1)
    assert (partition.replicas, partition.isr, partition.leader) == ((2, 3, 1), (1,), 1)
    assert list(cluster.image.topics.by_name["t"].partitions) == [0, 1]


def test_fenced_brokers_hold_replicas_out_of_sync(cluster: Cluster) -> None:
    cluster.fence(2)
    cluster.apply(create(cluster, topic(partitions=4, replication_factor=3)))
    for partition in cluster.image.topics.by_name["t"].partitions.values():
        assert 2 in partition.replicas
        assert 2 not in partition.isr
        assert partition.leader in partition.isr


def test_brokers_that_stop_or_have_cordoned_disks_get_nothing(cluster: Cluster) -> None:
    cluster.heartbeats.begin_shutdown(2, offset=5)
    cluster.apply(create(cluster, topic(partitions=6, replication_factor=2)))
    for partition in cluster.image.topics.by_name["t"].partitions.values():
        assert sorted(partition.replicas) == [1, 3]
    assert refusal(cluster, topic("u", replication_factor=3)) is ErrorCode.INVALID_REPLICATION_FACTOR


@pytest.mark.parametrize(
    ("one", "error"),
    [
        (topic(partitions=0), ErrorCode.INVALID_PARTITIONS),
        (topic(partitions=-2), ErrorCode.INVALID_PARTITIONS),
        (topic(replication_factor=0), ErrorCode.INVALID_REPLICATION_FACTOR),
        (topic(replication_factor=-2), ErrorCode.INVALID_REPLICATION_FACTOR),
        (topic(replication_factor=4), ErrorCode.INVALID_REPLICATION_FACTOR),
        (topic(""), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic("."), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic(".."), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic("a" * 250), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic("a/b"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic("a b"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic("ä"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic("a\n"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic("old"), ErrorCode.TOPIC_ALREADY_EXISTS),
        (topic("old.name"), ErrorCode.TOPIC_ALREADY_EXISTS),
        (topic("old_name"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic("__cluster_metadata"), ErrorCode.INVALID_REQUEST),
        (topic(retention_ms="bad"), ErrorCode.INVALID_CONFIG),
        (topic(retention_ms=None), ErrorCode.INVALID_CONFIG),
        (topic(retention_ms="1" * 32_768), ErrorCode.INVALID_CONFIG),
        (assigned((0, [1]), num_partitions=1), ErrorCode.INVALID_REQUEST),
        (assigned((0, [1]), replication_factor=1), ErrorCode.INVALID_REQUEST),
        (assigned((0, [])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (assigned((0, [1, 1])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (assigned((0, [1, 7])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (assigned((0, [1, 2]), (1, [3])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (assigned((0, [1]), (0, [2])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (assigned((0, [1]), (2, [2])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (assigned((-1, [1]), (0, [2])), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_refusals(cluster: Cluster, one: CreatableTopic, error: ErrorCode) -> None:
    cluster.add_topic("old", [1])
    cluster.add_topic("old.name", [1])
    assert refusal(cluster, one) is error


def test_a_longest_name_is_fine(cluster: Cluster) -> None:
    assert create(cluster, topic("a" * 249)).response.topics[0].error_code == ErrorCode.NONE


def test_no_topic_without_an_active_broker(cluster: Cluster) -> None:
    for broker_id in (1, 2, 3):
        cluster.fence(broker_id)
    assert refusal(cluster, topic()) is ErrorCode.INVALID_REPLICATION_FACTOR
    assert refusal(cluster, assigned((0, [1, 2]))) is ErrorCode.INVALID_REPLICA_ASSIGNMENT


def test_brokers_in_controlled_shutdown_cannot_lead_a_new_topic() -> None:
    one = Cluster()
    one.add_broker(1)
    one.begin_shutdown(1)
    assert refusal(one, topic()) is ErrorCode.INVALID_REPLICATION_FACTOR


def test_each_topic_of_a_request_is_judged_on_its_own(cluster: Cluster) -> None:
    decision = create(cluster, topic("good"), topic("bad name"), topic("twice"), topic("twice"))
    assert [(result.name, result.error_code) for result in decision.response.topics] == [
        ("good", ErrorCode.NONE),
        ("bad name", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("twice", ErrorCode.INVALID_REQUEST),
    ]
    cluster.apply(decision)
    assert list(cluster.image.topics.by_name) == ["good"]


def test_who_may_not_create(cluster: Cluster) -> None:
    nobody = Caller(7, lambda *_: False)
    assert refusal(cluster, topic(), caller=nobody) is ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert refusal(cluster, topic("__cluster_metadata"), caller=nobody) is ErrorCode.INVALID_REQUEST
    asked = []

    def only_this_topic(operation: Operation, resource: ResourceType, name: str) -> bool:
        asked.append((operation, resource, name))
        return resource is ResourceType.TOPIC

    (result,) = create(cluster, topic(), caller=Caller(7, only_this_topic)).response.topics
    assert result.error_code == ErrorCode.NONE
    assert (Operation.CREATE, ResourceType.CLUSTER, "kafka-cluster") in asked
    assert (Operation.CREATE, ResourceType.TOPIC, "t") in asked


def test_a_request_for_too_much_is_refused_as_a_whole(cluster: Cluster) -> None:
    for topics in ([topic(partitions=10_001)], [topic("a", partitions=9_999), topic("b", partitions=2)]):
        with pytest.raises(ApiError) as refused:
            create(cluster, *topics)
        assert refused.value.code is ErrorCode.POLICY_VIOLATION
