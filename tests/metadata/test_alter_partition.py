"""AlterPartition: what a leader may change, and every way to be refused."""

import pytest
from cluster_builder import Cluster, uuid

from snakka.metadata.image.partition import RECOVERED, RECOVERING
from snakka.metadata.state.partitions import alter_partition
from snakka.metadata.state.rules import Caller
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
    BrokerState,
)


@pytest.fixture
def cluster() -> Cluster:
    three = Cluster()
    three.add_brokers(1, 2, 3)
    three.topic_id = three.add_topic("t", [1, 2, 3])
    return three


def decide(cluster: Cluster, isr: list[int], *, version: int = 3, **fields: object):
    topic_id = fields.pop("topic_id", cluster.topic_id)
    broker_id = fields.pop("broker_id", 1)
    epochs = fields.pop("epochs", {})
    values: dict[str, object] = {
        "partition_index": 0,
        "leader_epoch": 0,
        "partition_epoch": 0,
        "leader_recovery_state": RECOVERED,
        **fields,
    }
    if version >= 3:
        values["new_isr_with_epochs"] = [
            BrokerState(broker_id=one, broker_epoch=epochs.get(one, 100 + one)) for one in isr
        ]
    else:
        values["new_isr"] = isr
    request = AlterPartitionRequest(
        broker_id=broker_id,
        broker_epoch=100 + broker_id,
        topics=[
            AlterPartitionRequestTopicData(
                topic_id=topic_id, partitions=[AlterPartitionRequestPartitionData(**values)]
            )
        ],
    )
    return alter_partition(cluster.image, request, Caller(version), cluster.rules)


def answer(decision):
    return decision.response.topics[0].partitions[0]


@pytest.mark.parametrize("version", [2, 3])
def test_the_isr_shrinks_and_grows(cluster: Cluster, version: int) -> None:
    decision = decide(cluster, [1, 2], version=version)
    cluster.apply(decision)
    result = answer(decision)
    assert (result.error_code, result.isr, result.leader_id) == (0, [1, 2], 1)
    assert (result.leader_epoch, result.partition_epoch) == (0, 1)
    assert cluster.partition("t").isr == (1, 2)
    cluster.apply(decide(cluster, [1, 2, 3], version=version, partition_epoch=1))
    assert cluster.partition("t").isr == (1, 2, 3)


def test_a_shrink_below_min_isr_makes_replicas_eligible(cluster: Cluster) -> None:
    cluster.set_config(2, "t", "min.insync.replicas", "2")
    cluster.apply(decide(cluster, [1]))
    assert cluster.partition("t").elr == (2, 3)
    cluster.apply(decide(cluster, [1, 3], partition_epoch=1))
    assert cluster.partition("t").elr == ()


def test_no_change_is_no_record(cluster: Cluster) -> None:
    decision = decide(cluster, [1, 2, 3])
    assert not decision.records
    assert answer(decision).partition_epoch == 0


@pytest.mark.parametrize(
    ("isr", "fields", "error"),
    [
        ([1], {"topic_id": uuid(7)}, ErrorCode.UNKNOWN_TOPIC_ID),
        ([1], {"partition_index": 5}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ([1], {"leader_epoch": 2}, ErrorCode.NOT_CONTROLLER),
        ([1], {"partition_epoch": 2}, ErrorCode.NOT_CONTROLLER),
        ([1], {"leader_epoch": 0}, ErrorCode.FENCED_LEADER_EPOCH),
        ([2], {"broker_id": 2}, ErrorCode.INVALID_REQUEST),
        ([1], {"partition_epoch": 0}, ErrorCode.INVALID_UPDATE_VERSION),
        ([1, 9], {}, ErrorCode.INVALID_REQUEST),
        ([1, 1], {}, ErrorCode.INVALID_REQUEST),
        ([2, 3], {}, ErrorCode.INVALID_REQUEST),
        ([], {}, ErrorCode.INVALID_REQUEST),
        ([1], {"leader_recovery_state": 7}, ErrorCode.INVALID_REQUEST),
        ([1], {"leader_recovery_state": RECOVERING}, ErrorCode.INVALID_REQUEST),
        ([1, 2], {"epochs": {2: 55}}, ErrorCode.INELIGIBLE_REPLICA),
    ],
)
def test_refusals(cluster: Cluster, isr: list[int], fields: dict[str, object], error: ErrorCode) -> None:
    # The partition is at leader epoch 1 and partition epoch 1 by now.
    cluster.topic_id = cluster.add_topic("u", [1, 2, 3], leader_epoch=1, partition_epoch=1)
    decision = decide(cluster, isr, **{"leader_epoch": 1, "partition_epoch": 1, **fields})
    assert answer(decision).error_code == error
    assert not decision.records


@pytest.mark.parametrize("state", ["fenced", "stopping", "gone"])
def test_a_replica_that_is_not_active_cannot_join(cluster: Cluster, state: str) -> None:
    cluster.topic_id = cluster.add_topic("u", [1, 2, 3], isr=[1])
    if state == "fenced":
        cluster.fence(2)
    elif state == "stopping":
        cluster.begin_shutdown(2)
    else:
        del cluster.image.brokers.by_id[2]
    decision = decide(cluster, [1, 2], epochs={2: -1})
    assert answer(decision).error_code == ErrorCode.INELIGIBLE_REPLICA


def test_an_unknown_epoch_of_a_follower_is_not_checked(cluster: Cluster) -> None:
    cluster.topic_id = cluster.add_topic("u", [1, 2, 3], isr=[1])
    assert answer(decide(cluster, [1, 2], epochs={2: -1})).error_code == ErrorCode.NONE


def test_a_recovering_leader_stays_alone_until_it_is_done(cluster: Cluster) -> None:
    cluster.topic_id = cluster.add_topic("u", [1, 2, 3], isr=[1], leader_recovery_state=RECOVERING)
    assert (
        answer(decide(cluster, [1, 2], leader_recovery_state=RECOVERING)).error_code
        == ErrorCode.INVALID_REQUEST
    )
    assert answer(decide(cluster, [1], leader_recovery_state=RECOVERING)).error_code == ErrorCode.NONE
    decision = decide(cluster, [1, 2])
    cluster.apply(decision)
    assert answer(decision).leader_recovery_state == RECOVERED
    assert cluster.partition("u").leader_recovery_state == RECOVERED


def test_completing_a_reassignment_can_cost_the_leadership(cluster: Cluster) -> None:
    cluster.topic_id = cluster.add_topic(
        "u", [2, 3, 1], isr=[1, 2], leader=1, removing_replicas=[1], adding_replicas=[3]
    )
    decision = decide(cluster, [1, 2, 3])
    cluster.apply(decision)
    assert answer(decision).error_code == ErrorCode.NEW_LEADER_ELECTED
    partition = cluster.partition("u")
    assert (partition.leader, partition.replicas, partition.isr) == (2, (2, 3), (2, 3))


def test_a_broker_speaks_only_with_its_epoch(cluster: Cluster) -> None:
    request = AlterPartitionRequest(broker_id=1, broker_epoch=7)
    with pytest.raises(ApiError) as refused:
        alter_partition(cluster.image, request, Caller(3), cluster.rules)
    assert refused.value.code is ErrorCode.STALE_BROKER_EPOCH
