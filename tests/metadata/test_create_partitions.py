"""CreatePartitions: more of what a topic has."""

import pytest
from cluster_builder import NEWEST, Cluster

from snakka.metadata.state.partition_creation import create_partitions
from snakka.metadata.state.rules import Caller
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)


@pytest.fixture
def cluster() -> Cluster:
    three = Cluster()
    three.add_brokers(1, 2, 3)
    three.add_topic("t", [1, 2], [2, 3])
    return three


def more(name: str, count: int, *assignments: list[int]) -> CreatePartitionsTopic:
    return CreatePartitionsTopic(
        name=name,
        count=count,
        assignments=[CreatePartitionsAssignment(broker_ids=ids) for ids in assignments]
        if assignments
        else None,
    )


def create(
    cluster: Cluster, *topics: CreatePartitionsTopic, caller: Caller = NEWEST, validate_only: bool = False
):
    request = CreatePartitionsRequest(topics=list(topics), validate_only=validate_only)
    return create_partitions(cluster.image, request, caller, cluster.heartbeats, cluster.chance)


def test_new_partitions_have_the_replication_factor_of_the_old(cluster: Cluster) -> None:
    decision = create(cluster, more("t", 5))
    assert cluster.apply(decision).results[0].error_code == ErrorCode.NONE
    partitions = cluster.image.topics.by_name["t"].partitions
    assert list(partitions) == [0, 1, 2, 3, 4]
    assert all(len(partition.replicas) == 2 for partition in partitions.values())


def test_a_manual_assignment(cluster: Cluster) -> None:
    cluster.fence(3)
    cluster.apply(create(cluster, more("t", 4, [3, 1], [1, 2])))
    assert cluster.partition("t", 2).replicas == (3, 1)
    assert (cluster.partition("t", 2).isr, cluster.partition("t", 2).leader) == ((1,), 1)
    assert cluster.partition("t", 3).leader == 1


def test_validation_alone_changes_nothing(cluster: Cluster) -> None:
    decision = create(cluster, more("t", 5), validate_only=True)
    assert not decision.records
    assert decision.response.results[0].error_code == ErrorCode.NONE


@pytest.mark.parametrize(
    ("one", "error"),
    [
        (more("nope", 5), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (more("t", 2), ErrorCode.INVALID_PARTITIONS),
        (more("t", 1), ErrorCode.INVALID_PARTITIONS),
        (more("t", -1), ErrorCode.INVALID_PARTITIONS),
        (more("t", 4, [1, 2]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (more("t", 3, [1]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (more("t", 3, [1, 9]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (more("t", 3, [1, 1]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_refusals(cluster: Cluster, one: CreatePartitionsTopic, error: ErrorCode) -> None:
    decision = create(cluster, one)
    assert decision.response.results[0].error_code == error
    assert not decision.records


def test_more_than_one_request_may_write_is_refused_before_it_is_worked_out(cluster: Cluster) -> None:
    with pytest.raises(ApiError, match="POLICY_VIOLATION"):
        create(cluster, more("t", 2**31 - 1))


def test_no_partitions_while_nobody_can_lead_them(cluster: Cluster) -> None:
    for broker_id in (1, 2, 3):
        cluster.fence(broker_id)
    decision = create(cluster, more("t", 3))
    assert decision.response.results[0].error_code == ErrorCode.INVALID_REPLICATION_FACTOR
    assert (
        create(cluster, more("t", 3, [1, 2])).response.results[0].error_code
        == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    )


def test_duplicates_and_permissions(cluster: Cluster) -> None:
    cluster.add_topic("u", [1])
    decision = create(cluster, more("t", 3), more("t", 4), more("u", 2))
    assert [(one.name, one.error_code) for one in decision.response.results] == [
        ("t", ErrorCode.INVALID_REQUEST),
        ("u", ErrorCode.NONE),
    ]
    decision = create(cluster, more("t", 3), caller=Caller(3, lambda *_: False))
    assert decision.response.results[0].error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
