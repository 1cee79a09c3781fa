"""UpdateFeatures: up when all can follow, down when nothing is lost."""

from dataclasses import replace

import pytest
from cluster_builder import LATEST_LEVELS, WITHOUT_ELR, Cluster

from snakka.metadata.image.configs import CLUSTER_DEFAULT, ConfigResourceType
from snakka.metadata.state.features import SAFE_DOWNGRADE, UNSAFE_DOWNGRADE, UPGRADE, update_features
from snakka.metadata.state.rules import Caller
from snakka.protocol.errors import ErrorCode
from snakka.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from snakka.protocol.record_types.metadata.register_controller_record import (
    ControllerFeature,
    RegisterControllerRecord,
)

ELR = "eligible.leader.replicas.version"


def update(cluster: Cluster, *updates: tuple, version: int = 2, validate_only: bool = False):
    request = UpdateFeaturesRequest(
        feature_updates=[
            FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=kind)
            for name, level, kind in updates
        ],
        validate_only=validate_only,
    )
    return update_features(cluster.image, request, Caller(version), cluster.rules)


def error(decision) -> ErrorCode:
    return ErrorCode(decision.response.error_code)


def at(**levels: int) -> Cluster:
    cluster = Cluster(tuple((name.replace("_", "."), level) for name, level in levels.items()))
    cluster.add_broker(1, directories=1)
    return cluster


def test_an_upgrade() -> None:
    cluster = at(metadata_version=25)
    decision = update(cluster, ("metadata.version", 30, UPGRADE), ("share.version", 1, UPGRADE))
    cluster.apply(decision)
    assert cluster.image.features.levels == {"metadata.version": 30, "share.version": 1}


def test_validation_alone_changes_nothing() -> None:
    decision = update(at(metadata_version=25), ("metadata.version", 30, UPGRADE), validate_only=True)
    assert error(decision) is ErrorCode.NONE
    assert not decision.records


def test_a_downgrade_that_loses_nothing() -> None:
    cluster = at(metadata_version=29)
    cluster.apply(update(cluster, ("metadata.version", 24, SAFE_DOWNGRADE)))
    assert cluster.image.features.metadata_version == 24
    full = Cluster()
    full.add_broker(1)
    full.apply(update(full, ("share.version", 0, SAFE_DOWNGRADE)))
    assert full.image.features.level("share.version") == 0


@pytest.mark.parametrize(
    "one",
    [
        ("metadata.version", 31, UPGRADE),
        ("metadata.version", 6, SAFE_DOWNGRADE),
        ("metadata.version", 29, SAFE_DOWNGRADE),
        ("metadata.version", 29, UNSAFE_DOWNGRADE),
        ("metadata.version", 29, UPGRADE),
        ("share.version", 1, 0),
        ("share.version", 1, 9),
        ("share.version", -1, SAFE_DOWNGRADE),
        ("share.version", 2, UPGRADE),
        ("share.version", 0, UPGRADE),
        ("nobody.knows", 1, UPGRADE),
        ("nobody.knows", 0, UPGRADE),
        ("kraft.version", 0, SAFE_DOWNGRADE),
        ("transaction.version", 3, UPGRADE),
    ],
)
def test_refusals(one: tuple) -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    decision = update(cluster, one)
    assert error(decision) is ErrorCode.INVALID_UPDATE_VERSION
    assert decision.response.error_message
    assert not decision.records


def test_going_up_is_no_downgrade() -> None:
    assert error(update(at(metadata_version=25), ("metadata.version", 26, SAFE_DOWNGRADE))) is (
        ErrorCode.INVALID_UPDATE_VERSION
    )


def test_one_bad_update_spoils_all() -> None:
    cluster = at(metadata_version=25)
    decision = update(cluster, ("share.version", 1, UPGRADE), ("group.version", 7, UPGRADE))
    assert error(decision) is ErrorCode.INVALID_UPDATE_VERSION
    assert not decision.records


def test_every_broker_must_support_the_level() -> None:
    cluster = Cluster(levels=(("metadata.version", 25),))
    cluster.add_broker(1)
    cluster.add_broker(2)
    old = cluster.image.brokers.by_id[2]
    cluster.image.brokers.by_id[2] = replace(old, features={**old.features, "share.version": (0, 0)})
    assert "Broker 2" in update(cluster, ("share.version", 1, UPGRADE)).response.error_message
    assert error(update(cluster, ("group.version", 1, UPGRADE))) is ErrorCode.NONE


def test_every_controller_must_support_the_level_and_have_said_so() -> None:
    cluster = at(metadata_version=25)
    cluster.rules = replace(cluster.rules, quorum_node_ids=lambda: (1, 2))
    assert "Controller 2" in update(cluster, ("share.version", 1, UPGRADE)).response.error_message
    feature = ControllerFeature(name="share.version", min_supported_version=0, max_supported_version=1)
    cluster.replay(RegisterControllerRecord(controller_id=2, features=[feature]))
    assert error(update(cluster, ("share.version", 1, UPGRADE))) is ErrorCode.NONE
    assert error(update(cluster, ("group.version", 1, UPGRADE))) is ErrorCode.INVALID_UPDATE_VERSION
    before_registration = at(metadata_version=14)
    before_registration.rules = cluster.rules
    assert error(update(before_registration, ("metadata.version", 15, UPGRADE))) is ErrorCode.NONE


def test_a_level_may_need_levels_of_other_features() -> None:
    cluster = at(metadata_version=22)
    assert error(update(cluster, (ELR, 1, UPGRADE))) is ErrorCode.INVALID_UPDATE_VERSION
    together = update(cluster, (ELR, 1, UPGRADE), ("metadata.version", 23, UPGRADE))
    assert error(together) is ErrorCode.NONE


def test_eligible_leader_replicas_need_one_min_isr_for_all() -> None:
    cluster = Cluster(WITHOUT_ELR, min_insync_replicas="2")
    cluster.add_brokers(1, 2)
    cluster.set_config(ConfigResourceType.BROKER, "2", "min.insync.replicas", "3")
    cluster.apply(update(cluster, (ELR, 1, UPGRADE)))
    assert cluster.image.features.elr_enabled
    assert cluster.image.configs.of(*CLUSTER_DEFAULT) == {"min.insync.replicas": "2"}
    assert cluster.image.configs.of(ConfigResourceType.BROKER, "2") == {}
    again = update(cluster, (ELR, 1, UPGRADE))
    assert [type(one).__name__ for one in again.records] == ["FeatureLevelRecord"]


def test_the_level_that_is_there_can_be_asked_for() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    assert error(update(cluster, ("kraft.version", 1, UPGRADE))) is ErrorCode.NONE
    for name, level in LATEST_LEVELS:
        assert error(update(cluster, (name, level, UPGRADE))) is ErrorCode.NONE


def test_old_requests_speak_of_downgrades_in_another_way_and_want_results() -> None:
    cluster = Cluster()
    cluster.add_broker(1)
    request = UpdateFeaturesRequest(
        feature_updates=[FeatureUpdateKey(feature="share.version", max_version_level=0, allow_downgrade=True)]
    )
    decision = update_features(cluster.image, request, Caller(0), cluster.rules)
    assert error(decision) is ErrorCode.NONE
    assert [one.feature for one in decision.response.results] == ["share.version"]
    request.feature_updates[0].allow_downgrade = False
    assert error(update_features(cluster.image, request, Caller(0), cluster.rules)) is (
        ErrorCode.INVALID_UPDATE_VERSION
    )
    assert update(cluster, ("share.version", 1, UPGRADE), version=2).response.results == []
