"""AlterConfigs and IncrementalAlterConfigs: set, delete, append, subtract, and every way to be refused."""

from dataclasses import replace

import pytest
from cluster_builder import NEWEST, WITHOUT_ELR, Cluster

from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.state.configs import (
    APPEND,
    DELETE,
    SET,
    SUBTRACT,
    alter_configs,
    incremental_alter_configs,
)
from snakka.metadata.state.rules import Caller
from snakka.protocol.errors import ErrorCode
from snakka.protocol.messages import alter_configs as old
from snakka.protocol.messages import incremental_alter_configs as new

TOPIC, BROKER = ConfigResourceType.TOPIC, ConfigResourceType.BROKER


@pytest.fixture
def cluster() -> Cluster:
    one = Cluster()
    one.add_broker(1)
    one.add_topic("t", [1])
    one.set_config(TOPIC, "t", "a", "1")
    one.set_config(TOPIC, "t", "x.list", "p,q")
    return one


def alter(cluster: Cluster, *resources: tuple, caller: Caller = NEWEST, validate_only: bool = False):
    request = new.IncrementalAlterConfigsRequest(
        resources=[
            new.AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[
                    new.AlterableConfig(name=key, config_operation=operation, value=value)
                    for key, operation, value in changes
                ],
            )
            for kind, name, *changes in resources
        ],
        validate_only=validate_only,
    )
    return incremental_alter_configs(cluster.image, request, caller, cluster.rules)


def replace_all(cluster: Cluster, *resources: tuple, caller: Caller = NEWEST, validate_only: bool = False):
    request = old.AlterConfigsRequest(
        resources=[
            old.AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[old.AlterableConfig(name=key, value=value) for key, value in configs],
            )
            for kind, name, *configs in resources
        ],
        validate_only=validate_only,
    )
    return alter_configs(cluster.image, request, caller, cluster.rules)


def codes(decision) -> list[ErrorCode]:
    return [ErrorCode(one.error_code) for one in decision.response.responses]


def test_set_and_delete(cluster: Cluster) -> None:
    decision = alter(cluster, (TOPIC, "t", ("a", SET, "2"), ("b", SET, "3"), ("x.list", DELETE, None)))
    assert codes(decision) == [ErrorCode.NONE]
    cluster.apply(decision)
    assert cluster.image.configs.of_topic("t") == {"a": "2", "b": "3"}


def test_lists_grow_and_shrink(cluster: Cluster) -> None:
    cluster.apply(alter(cluster, (TOPIC, "t", ("x.list", APPEND, "q,r"), ("y.list", APPEND, "z"))))
    assert cluster.image.configs.of_topic("t")["x.list"] == "p,q,r"
    assert cluster.image.configs.of_topic("t")["y.list"] == "z"
    cluster.apply(alter(cluster, (TOPIC, "t", ("x.list", SUBTRACT, "p,none"), ("y.list", SUBTRACT, "z"))))
    assert cluster.image.configs.of_topic("t")["x.list"] == "q,r"
    assert cluster.image.configs.of_topic("t")["y.list"] == ""


def test_a_list_that_is_not_set_starts_from_its_default(cluster: Cluster) -> None:
    cluster.apply(alter(cluster, (TOPIC, "t", ("cleanup.policy", APPEND, "compact"))))
    assert cluster.image.configs.of_topic("t")["cleanup.policy"] == "delete,compact"


def test_what_does_not_change_is_not_written_but_for_brokers(cluster: Cluster) -> None:
    assert not alter(cluster, (TOPIC, "t", ("a", SET, "1"), ("gone", DELETE, None))).records
    cluster.set_config(BROKER, "1", "k", "v")
    assert len(alter(cluster, (BROKER, "1", ("k", SET, "v"))).records) == 1
    assert len(replace_all(cluster, (BROKER, "1", ("k", "v"))).records) == 1


def test_the_old_way_deletes_what_it_does_not_name(cluster: Cluster) -> None:
    cluster.apply(replace_all(cluster, (TOPIC, "t", ("a", "5"), ("b", "6"))))
    assert cluster.image.configs.of_topic("t") == {"a": "5", "b": "6"}
    cluster.apply(replace_all(cluster, (TOPIC, "t")))
    assert cluster.image.configs.of_topic("t") == {}


def test_validation_alone_changes_nothing(cluster: Cluster) -> None:
    for decision in (
        alter(cluster, (TOPIC, "t", ("a", SET, "2")), validate_only=True),
        replace_all(cluster, (TOPIC, "t", ("a", "2")), validate_only=True),
    ):
        assert codes(decision) == [ErrorCode.NONE]
        assert not decision.records


def test_all_kinds_of_resources(cluster: Cluster) -> None:
    decision = alter(
        cluster,
        (BROKER, "", ("k", SET, "v")),
        (BROKER, "1", ("k", SET, "v")),
        (ConfigResourceType.GROUP, "g", ("k", SET, "v")),
        (ConfigResourceType.CLIENT_METRICS, "m", ("k", SET, "v")),
    )
    assert set(codes(decision)) == {ErrorCode.NONE}
    cluster.apply(decision)
    for resource in ((BROKER, ""), (BROKER, "1"), (ConfigResourceType.GROUP, "g")):
        assert cluster.image.configs.of(*resource) == {"k": "v"}


@pytest.mark.parametrize(
    ("resource", "error"),
    [
        ((TOPIC, "t", ("a", SET, "bad")), ErrorCode.INVALID_CONFIG),
        ((TOPIC, "t", ("a", APPEND, "x")), ErrorCode.INVALID_CONFIG),
        ((TOPIC, "t", ("a", SUBTRACT, "x")), ErrorCode.INVALID_CONFIG),
        ((TOPIC, "t", ("a", SET, "1" * 32_768)), ErrorCode.INVALID_CONFIG),
        ((TOPIC, "t", ("a", SET, None)), ErrorCode.INVALID_REQUEST),
        ((TOPIC, "t", ("x.list", APPEND, None)), ErrorCode.INVALID_REQUEST),
        ((TOPIC, "t", ("a", 9, "1")), ErrorCode.INVALID_REQUEST),
        ((TOPIC, "t", ("a", SET, "1"), ("a", SET, "2")), ErrorCode.INVALID_REQUEST),
        ((TOPIC, "nope", ("a", SET, "1")), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ((TOPIC, "no pe", ("a", SET, "1")), ErrorCode.INVALID_TOPIC_EXCEPTION),
        ((TOPIC, "", ("a", SET, "1")), ErrorCode.INVALID_REQUEST),
        ((ConfigResourceType.GROUP, "", ("a", SET, "1")), ErrorCode.INVALID_REQUEST),
        ((ConfigResourceType.CLIENT_METRICS, "", ("a", SET, "1")), ErrorCode.INVALID_REQUEST),
        ((BROKER, "x", ("a", SET, "1")), ErrorCode.INVALID_REQUEST),
        ((BROKER, "-1", ("a", SET, "1")), ErrorCode.INVALID_REQUEST),
        ((BROKER, "9", ("a", SET, "1")), ErrorCode.BROKER_ID_NOT_REGISTERED),
        ((BROKER, "1", ("min.insync.replicas", SET, "2")), ErrorCode.INVALID_CONFIG),
        ((BROKER, "", ("min.insync.replicas", DELETE, None)), ErrorCode.INVALID_CONFIG),
        ((ConfigResourceType.BROKER_LOGGER, "1", ("a", SET, "1")), ErrorCode.INVALID_REQUEST),
        ((99, "x", ("a", SET, "1")), ErrorCode.INVALID_REQUEST),
    ],
)
def test_refusals(cluster: Cluster, resource: tuple, error: ErrorCode) -> None:
    decision = alter(cluster, resource)
    assert codes(decision) == [error]
    assert decision.response.responses[0].error_message
    assert not decision.records


@pytest.mark.parametrize(
    ("resource", "error"),
    [
        ((TOPIC, "t", ("a", "bad")), ErrorCode.INVALID_CONFIG),
        ((TOPIC, "t", ("a", None)), ErrorCode.INVALID_REQUEST),
        ((TOPIC, "t", ("a", "1"), ("a", "2")), ErrorCode.INVALID_REQUEST),
        ((TOPIC, "nope", ("a", "1")), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ((BROKER, "9", ("a", "1")), ErrorCode.BROKER_ID_NOT_REGISTERED),
        ((99, "x", ("a", "1")), ErrorCode.INVALID_REQUEST),
    ],
)
def test_refusals_of_the_old_way(cluster: Cluster, resource: tuple, error: ErrorCode) -> None:
    decision = replace_all(cluster, resource)
    assert codes(decision) == [error]
    assert not decision.records


def test_a_resource_changes_as_a_whole_or_not_at_all(cluster: Cluster) -> None:
    decision = alter(
        cluster,
        (TOPIC, "t", ("a", SET, "7"), ("b", SET, "bad")),
        (BROKER, "1", ("k", SET, "v")),
        (BROKER, "", ("k", SET, "v")),
        (BROKER, "", ("k", SET, "w")),
    )
    assert codes(decision) == [
        ErrorCode.INVALID_CONFIG,
        ErrorCode.NONE,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.INVALID_REQUEST,
    ]
    cluster.apply(decision)
    assert cluster.image.configs.of_topic("t")["a"] == "1"
    assert cluster.image.configs.of(BROKER, "") == {}


def test_a_controller_that_is_no_broker_can_have_configs(cluster: Cluster) -> None:
    cluster.rules = replace(cluster.rules, quorum_node_ids=lambda: (1, 42))
    assert codes(alter(cluster, (BROKER, "42", ("k", SET, "v")))) == [ErrorCode.NONE]


def test_another_min_isr_voids_who_was_eligible(cluster: Cluster) -> None:
    kinds = [
        type(one).__name__ for one in alter(cluster, (TOPIC, "t", ("min.insync.replicas", SET, "2"))).records
    ]
    assert kinds == ["ConfigRecord", "ClearElrRecord"]
    _, clear = alter(cluster, (BROKER, "", ("min.insync.replicas", SET, "2"))).records
    assert clear.topic_name == ""
    without_elr = Cluster(WITHOUT_ELR)
    without_elr.add_broker(1)
    decision = alter(without_elr, (BROKER, "1", ("min.insync.replicas", SET, "2")))
    assert [type(one).__name__ for one in decision.records] == ["ConfigRecord"]


def test_cordoning_needs_a_level() -> None:
    old_level = Cluster(levels=(("metadata.version", 29),))
    old_level.add_broker(1)
    assert codes(alter(old_level, (BROKER, "1", ("cordoned.log.dirs", SET, "*")))) == [
        ErrorCode.INVALID_CONFIG
    ]


@pytest.mark.parametrize(
    ("resource", "error"),
    [
        ((TOPIC, "t", ("a", SET, "1")), ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        ((BROKER, "1", ("a", SET, "1")), ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
        ((ConfigResourceType.GROUP, "g", ("a", SET, "1")), ErrorCode.GROUP_AUTHORIZATION_FAILED),
        ((ConfigResourceType.CLIENT_METRICS, "m", ("a", SET, "1")), ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    ],
)
def test_permissions(cluster: Cluster, resource: tuple, error: ErrorCode) -> None:
    assert codes(alter(cluster, resource, caller=Caller(1, lambda *_: False))) == [error]
