"""Brokers register: epochs, incarnations, directories, features, and what a crash leaves behind."""

from dataclasses import replace

import pytest
from cluster_builder import WITHOUT_ELR, Cluster, directory_of, uuid

from snakka.metadata.image.partition import NO_LEADER, RECOVERED, RECOVERING
from snakka.metadata.state.brokers import (
    fence_stale_broker,
    register_broker,
    unregister_broker,
)
from snakka.metadata.state.controllers import register_controller
from snakka.metadata.state.isr_changes import broker_unfenced
from snakka.metadata.state.rules import Caller
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.broker_registration import BrokerRegistrationRequest, Feature, Listener
from snakka.protocol.messages.controller_registration import ControllerRegistrationRequest
from snakka.protocol.messages.unregister_broker import UnregisterBrokerRequest
from snakka.protocol.uuids import LOST_DIRECTORY
from snakka.raft.features import FEATURES


def registration(broker_id: int = 1, incarnation: int = 1, **fields: object) -> BrokerRegistrationRequest:
    values: dict[str, object] = {
        "broker_id": broker_id,
        "cluster_id": "test-cluster",
        "incarnation_id": uuid(incarnation),
        "listeners": [Listener(name="PLAINTEXT", host="localhost", port=9092, security_protocol=0)],
        "features": [
            Feature(name=name, min_supported_version=one.min_level, max_supported_version=one.max_level)
            for name, one in FEATURES.items()
        ],
        "log_dirs": [directory_of(broker_id)],
        **fields,
    }
    return BrokerRegistrationRequest(**values)


def decide(cluster: Cluster, request: BrokerRegistrationRequest, *, now_ms: int = 0, version: int = 4):
    return register_broker(
        cluster.image,
        request,
        Caller(version),
        cluster.rules,
        cluster.heartbeats,
        next_offset=cluster.next_offset,
        now_ms=now_ms,
    )


def register(cluster: Cluster, request: BrokerRegistrationRequest, *, now_ms: int = 0) -> int:
    return cluster.apply(decide(cluster, request, now_ms=now_ms)).broker_epoch


def test_the_epoch_is_the_offset_of_the_registration() -> None:
    cluster = Cluster()
    offset = cluster.next_offset
    decision = decide(cluster, registration(rack="r"))
    assert not decision.atomic
    assert cluster.apply(decision).broker_epoch == offset
    broker = cluster.image.brokers.by_id[1]
    assert (broker.epoch, broker.rack, broker.fenced) == (offset, "r", True)
    assert broker.endpoints["PLAINTEXT"].port == 9092
    assert broker.features["metadata.version"] == (7, 30)
    assert broker.directories == (directory_of(1),)


def test_the_same_process_amends_its_registration_and_keeps_its_epoch() -> None:
    cluster = Cluster()
    epoch = register(cluster, registration())
    cluster.heartbeats.register(1, epoch, True, now_ms=0)
    cluster.fence(1, change=-1)
    assert register(cluster, registration(rack="new")) == epoch
    broker = cluster.image.brokers.by_id[1]
    assert (broker.rack, broker.fenced, broker.epoch) == ("new", False, epoch)


def test_another_process_must_wait_for_the_session_to_end() -> None:
    cluster = Cluster()
    epoch = register(cluster, registration(incarnation=1))
    cluster.heartbeats.register(1, epoch, True, now_ms=0)
    with pytest.raises(ApiError) as refused:
        register(cluster, registration(incarnation=2), now_ms=9_000)
    assert refused.value.code is ErrorCode.DUPLICATE_BROKER_REGISTRATION
    assert register(cluster, registration(incarnation=2), now_ms=9_001) > epoch


def test_after_an_orderly_stop_nobody_waits() -> None:
    cluster = Cluster()
    epoch = register(cluster, registration(incarnation=1))
    cluster.heartbeats.register(1, epoch, True, now_ms=0)
    cluster.heartbeats.end(1)
    assert register(cluster, registration(incarnation=2), now_ms=1) > epoch


@pytest.mark.parametrize(
    ("request_fields", "error"),
    [
        ({"cluster_id": "other"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        ({"is_migrating_zk_broker": True}, ErrorCode.BROKER_ID_NOT_REGISTERED),
        ({"log_dirs": []}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [LOST_DIRECTORY]}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [uuid(5), uuid(5)]}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [directory_of(2)]}, ErrorCode.INVALID_REGISTRATION),
        ({"features": []}, ErrorCode.INVALID_REGISTRATION),
    ],
)
def test_refusals(request_fields: dict[str, object], error: ErrorCode) -> None:
    cluster = Cluster()
    cluster.add_broker(2)
    with pytest.raises(ApiError) as refused:
        decide(cluster, registration(**request_fields))
    assert refused.value.code is error


@pytest.mark.parametrize(
    "features",
    [
        {"metadata.version": (7, 29)},
        {"metadata.version": (31, 40)},
        {"metadata.version": (7, 30)},
        {"metadata.version": (7, 30), "share.version": (2, 3)},
        {**{name: (one.min_level, one.max_level) for name, one in FEATURES.items()}, "new.version": (1, 2)},
    ],
    ids=["too old", "too new", "lacks finalized ones", "wants another level", "needs an unknown one"],
)
def test_a_broker_must_support_what_is_finalized(features: dict[str, tuple[int, int]]) -> None:
    offered = [
        Feature(name=name, min_supported_version=low, max_supported_version=high)
        for name, (low, high) in features.items()
    ]
    with pytest.raises(ApiError) as refused:
        decide(Cluster(), registration(features=offered))
    assert refused.value.code is ErrorCode.UNSUPPORTED_VERSION


def test_a_broker_may_offer_features_that_nobody_has_finalized() -> None:
    offered = [
        *registration().features,
        Feature(name="new.version", min_supported_version=0, max_supported_version=1),
    ]
    assert register(Cluster(), registration(features=offered)) >= 0


def test_directories_are_not_asked_for_before_the_level_that_knows_them() -> None:
    cluster = Cluster(levels=(("metadata.version", 16),))
    cluster.rules = replace(cluster.rules, kraft_version=lambda: 0)
    register(cluster, registration(log_dirs=[]))
    assert cluster.image.brokers.by_id[1].directories == ()


def crashed_and_back(levels: tuple, *, clean: bool) -> Cluster:
    """Broker 1 alone in the ISR, then a new process of it."""
    cluster = Cluster(levels) if levels else Cluster()
    cluster.add_brokers(1, 2)
    cluster.add_topic("t", [1, 2], isr=[1])
    previous = cluster.image.brokers.by_id[1].epoch if clean else -1
    offset = cluster.next_offset
    decision = decide(cluster, registration(previous_broker_epoch=previous), now_ms=20_000)
    cluster.apply(decision)
    # The partitions change first, so the epoch is the offset of the last record.
    assert cluster.image.brokers.by_id[1].epoch == offset + len(decision.records) - 1
    assert len(decision.records) == 2
    return cluster


def test_after_a_clean_stop_the_replica_is_still_trusted() -> None:
    cluster = crashed_and_back((), clean=True)
    partition = cluster.partition("t")
    assert (partition.leader, partition.isr, partition.elr) == (NO_LEADER, (), (1,))
    cluster.replay(*broker_unfenced(cluster.image, cluster.rules, 1))
    partition = cluster.partition("t")
    assert (partition.leader, partition.isr, partition.leader_recovery_state) == (1, (1,), RECOVERED)


def test_after_a_crash_the_replica_leads_only_as_the_last_known_one() -> None:
    cluster = crashed_and_back((), clean=False)
    partition = cluster.partition("t")
    assert (partition.leader, partition.isr, partition.elr, partition.last_known_elr) == (
        NO_LEADER,
        (),
        (),
        (1,),
    )
    cluster.replay(*broker_unfenced(cluster.image, cluster.rules, 1))
    partition = cluster.partition("t")
    assert (partition.leader, partition.isr, partition.leader_recovery_state) == (1, (1,), RECOVERING)


def test_without_elr_a_crash_is_a_fencing_like_any_other() -> None:
    cluster = crashed_and_back(WITHOUT_ELR, clean=False)
    partition = cluster.partition("t")
    assert (partition.leader, partition.isr) == (NO_LEADER, (1,))
    cluster.replay(*broker_unfenced(cluster.image, cluster.rules, 1))
    assert cluster.partition("t").leader_recovery_state == RECOVERED


def test_an_old_broker_cannot_say_that_it_stopped_cleanly() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    cluster.add_topic("t", [1])
    request = registration(previous_broker_epoch=cluster.image.brokers.by_id[1].epoch)
    change, _ = decide(cluster, request, now_ms=20_000, version=2).records
    assert change.eligible_leader_replicas is None


def test_a_crash_hands_leaderships_to_those_in_sync() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2, 3)
    cluster.add_topic("t", [1, 2, 3], [2, 1, 3])
    register(cluster, registration(), now_ms=20_000)
    assert (cluster.partition("t", 0).leader, cluster.partition("t", 0).isr) == (2, (2, 3))
    assert (cluster.partition("t", 1).leader, cluster.partition("t", 1).isr) == (2, (2, 3))


def test_a_silent_broker_is_fenced_after_its_partitions_have_moved() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2)
    cluster.add_topic("t", [1, 2])
    decision = fence_stale_broker(cluster.image, cluster.rules, 1)
    assert [type(record).__name__ for record in decision.records] == [
        "PartitionChangeRecord",
        "BrokerRegistrationChangeRecord",
    ]
    cluster.apply(decision)
    assert cluster.partition("t").leader == 2
    assert cluster.image.brokers.by_id[1].fenced
    assert not fence_stale_broker(cluster.image, cluster.rules, 1).records
    assert not fence_stale_broker(cluster.image, cluster.rules, 77).records


def test_a_broker_is_unregistered_for_good() -> None:
    cluster = Cluster()
    cluster.add_brokers(1, 2)
    cluster.add_topic("t", [1, 2])
    cluster.apply(unregister_broker(cluster.image, UnregisterBrokerRequest(broker_id=1), cluster.rules))
    assert cluster.image.brokers.get(1) is None
    assert (cluster.partition("t").leader, cluster.partition("t").isr) == (2, (2,))
    with pytest.raises(ApiError) as refused:
        unregister_broker(cluster.image, UnregisterBrokerRequest(broker_id=1), cluster.rules)
    assert refused.value.code is ErrorCode.BROKER_ID_NOT_REGISTERED


def test_a_controller_registers_where_the_level_allows_it() -> None:
    cluster = Cluster()
    request = ControllerRegistrationRequest(controller_id=4, incarnation_id=uuid(1))
    cluster.apply(register_controller(cluster.image, request))
    assert list(cluster.image.controllers.by_id) == [4]
    with pytest.raises(ApiError) as refused:
        register_controller(Cluster(levels=(("metadata.version", 14),)).image, request)
    assert refused.value.code is ErrorCode.UNSUPPORTED_VERSION
