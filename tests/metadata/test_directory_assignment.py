"""AssignReplicasToDirs: a broker says which directory holds a replica."""

import pytest
from cluster_builder import Cluster, directory_of, uuid

from snakka.metadata.state.directories import assign_replicas_to_directories
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.assign_replicas_to_dirs import (
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsRequestDirectoryData,
    AssignReplicasToDirsRequestPartitionData,
    AssignReplicasToDirsRequestTopicData,
)


@pytest.fixture
def cluster() -> Cluster:
    two = Cluster()
    two.add_broker(1, directories=2)
    two.add_broker(2)
    two.topic_id = two.add_topic("t", [1, 2], [2], directories=[bytes(16), directory_of(2)])
    return two


def request(
    topic_id: bytes, directory: bytes, *partitions: int, epoch: int = 101
) -> AssignReplicasToDirsRequest:
    topic = AssignReplicasToDirsRequestTopicData(
        topic_id=topic_id,
        partitions=[
            AssignReplicasToDirsRequestPartitionData(partition_index=number) for number in partitions
        ],
    )
    named = AssignReplicasToDirsRequestDirectoryData(id=directory, topics=[topic])
    return AssignReplicasToDirsRequest(broker_id=1, broker_epoch=epoch, directories=[named])


def errors(response) -> list[ErrorCode]:
    return [ErrorCode(one.error_code) for one in response.directories[0].topics[0].partitions]


def test_a_replica_is_found(cluster: Cluster) -> None:
    here = directory_of(1, 1)
    decision = assign_replicas_to_directories(
        cluster.image, request(cluster.topic_id, here, 0), cluster.rules
    )
    assert errors(cluster.apply(decision)) == [ErrorCode.NONE]
    partition = cluster.partition("t")
    assert partition.directories == (here, directory_of(2))
    assert (partition.leader, partition.leader_epoch) == (1, 0)
    again = assign_replicas_to_directories(cluster.image, request(cluster.topic_id, here, 0), cluster.rules)
    assert not again.records


def test_a_replica_in_a_lost_directory_is_out_of_sync(cluster: Cluster) -> None:
    lost = directory_of(1, 7)
    decision = assign_replicas_to_directories(
        cluster.image, request(cluster.topic_id, lost, 0), cluster.rules
    )
    cluster.apply(decision)
    partition = cluster.partition("t")
    assert (partition.directories[0], partition.leader, partition.isr) == (lost, 2, (2,))


def test_what_the_broker_cannot_have(cluster: Cluster) -> None:
    decision = assign_replicas_to_directories(
        cluster.image, request(cluster.topic_id, directory_of(1), 1, 9), cluster.rules
    )
    assert errors(decision.response) == [
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    decision = assign_replicas_to_directories(
        cluster.image, request(uuid(3), directory_of(1), 0), cluster.rules
    )
    assert errors(decision.response) == [ErrorCode.UNKNOWN_TOPIC_ID]
    assert not decision.records


def test_epochs_and_levels(cluster: Cluster) -> None:
    with pytest.raises(ApiError) as refused:
        assign_replicas_to_directories(
            cluster.image, request(cluster.topic_id, directory_of(1), 0, epoch=1), cluster.rules
        )
    assert refused.value.code is ErrorCode.STALE_BROKER_EPOCH
    old = Cluster(levels=(("metadata.version", 16),))
    with pytest.raises(ApiError) as refused:
        assign_replicas_to_directories(old.image, request(uuid(1), directory_of(1), 0), old.rules)
    assert refused.value.code is ErrorCode.UNSUPPORTED_VERSION
