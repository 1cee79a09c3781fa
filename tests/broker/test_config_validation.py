"""What may be changed at run time, with the codes and the meaning of Apache Kafka 4.3's answers."""

import pytest

from snakka.broker.config_validation import (
    validate_broker_configs,
    validate_client_metrics_configs,
    validate_group_configs,
)
from snakka.broker.option_catalog import node_options
from snakka.protocol.errors import ApiError

INVALID_CONFIG = 40
INVALID_REQUEST = 42
NODE = node_options({})


@pytest.mark.parametrize(
    ("per_broker", "overrides"),
    [
        (True, {}),
        (True, {"listeners": "PLAINTEXT://h:1"}),
        (True, {"listener.name.a.ssl.keystore.location": "x"}),
        (True, {"leader.replication.throttled.rate": "5"}),
        (True, {"listener.name.a.num.partitions": "3"}),
        (False, {"log.segment.bytes": "1048576"}),
        (False, {"listener.name.a.max.connections": "5"}),
        (False, {"log.retention.ms": "-7"}),
        (False, {"a.plugin.has.this": "1"}),
    ],
)
def test_what_kafka_accepts(per_broker: bool, overrides: dict[str, str]) -> None:
    validate_broker_configs(overrides, per_broker)  # which would raise
    levels = ({}, overrides) if per_broker else (overrides, {})
    now = NODE.with_dynamic(*levels, on_invalid=pytest.fail)
    assert [name for name in overrides if now.is_set(name)] == [*overrides]


@pytest.mark.parametrize(
    ("per_broker", "overrides", "message"),
    [
        (True, {"num.partitions": "3"}, "Cannot update these configs dynamically: [num.partitions]"),
        (True, {"num.partitions": "3", "node.id": "4"}, "dynamically: [node.id, num.partitions]"),
        (True, {"log.retention.hours": "5"}, "dynamically: [log.retention.hours]"),
        (True, {"log.segment.bytes": "x"}, "Invalid value x for configuration log.segment.bytes"),
        (True, {"log.segment.bytes": "10"}, "must be at least 1048576"),
        (
            False,
            {"listeners": "PLAINTEXT://h:1"},
            "at default cluster level, broker id must be specified: [listeners]",
        ),
        (
            True,
            {"ssl.keystore.location": "x"},
            "only per-listener using the listener prefix: [ssl.keystore.location]",
        ),
        (False, {"listener.name.a.ssl.keystore.location": "x"}, "at default cluster level"),
        (False, {"listener.name.a.max.connections": "x"}, "max.connections"),
        (True, {"log.segment.bytes": None}, "Null value not supported"),
        (True, {"log.retention.ms": "0"}, "log.retention.ms must be at least 1"),
        (True, {"max.connections.per.ip": "0"}, "max.connections.per.ip.overrides"),
    ],
)
def test_what_kafka_refuses(per_broker: bool, overrides: dict[str, str | None], message: str) -> None:
    with pytest.raises(ApiError) as caught:
        validate_broker_configs(overrides, per_broker, NODE)
    assert caught.value.code == INVALID_REQUEST
    assert message in caught.value.message


def test_the_rules_look_at_what_the_other_level_has_set() -> None:
    current = NODE.with_dynamic({}, {"max.connections.per.ip.overrides": "h:5"}, pytest.fail)
    validate_broker_configs({"max.connections.per.ip": "0"}, False, current)
    with pytest.raises(ApiError):
        validate_broker_configs({"max.connections.per.ip": "0"}, True, current)


def test_a_secret_is_in_no_refusal() -> None:
    with pytest.raises(ApiError) as caught:
        validate_broker_configs({"ssl.key.password": "geheim"}, True, NODE)
    assert "geheim" not in str(caught.value)


def test_groups_keep_to_what_the_broker_allows() -> None:
    validate_group_configs(
        {"consumer.session.timeout.ms": "50000", "share.isolation.level": "read_committed"}, NODE
    )
    validate_group_configs({"streams.num.standby.replicas": "2"}, NODE)
    for overrides, message in (
        ({"foo": "1"}, "Unknown group config name: foo"),
        (
            {"consumer.session.timeout.ms": "1"},
            "greater than or equal to group.consumer.min.session.timeout.ms=45000",
        ),
        (
            {"consumer.session.timeout.ms": "60001"},
            "less than or equal to group.consumer.max.session.timeout.ms=60000",
        ),
        ({"streams.num.standby.replicas": "3"}, "group.streams.max.standby.replicas=2"),
        ({"share.auto.offset.reset": "soon"}, "share.auto.offset.reset"),
        ({"share.session.timeout.ms": None}, "Null value"),
    ):
        with pytest.raises(ApiError) as caught:
            validate_group_configs(overrides, NODE)  # type: ignore[arg-type]
        assert caught.value.code == INVALID_CONFIG
        assert message in caught.value.message


def test_a_group_s_session_must_outlast_its_heartbeats() -> None:
    node = node_options({"group.consumer.min.session.timeout.ms": "1000"})
    with pytest.raises(ApiError, match=r"must be greater than consumer\.heartbeat\.interval\.ms=6000"):
        validate_group_configs(
            {"consumer.session.timeout.ms": "6000", "consumer.heartbeat.interval.ms": "6000"}, node
        )


def test_subscriptions_to_metrics() -> None:
    validate_client_metrics_configs(
        {"interval.ms": "5000", "metrics": "", "match": "client_id=a.*,client_source_port=1"}
    )
    for overrides, code in (
        ({"foo": "1"}, INVALID_REQUEST),
        ({"interval.ms": "5"}, INVALID_REQUEST),
        ({"match": "zz"}, INVALID_CONFIG),
        ({"match": "client_id=["}, INVALID_CONFIG),
        ({"match": "shoe_size=44"}, INVALID_CONFIG),
    ):
        with pytest.raises(ApiError) as caught:
            validate_client_metrics_configs(overrides)
        assert caught.value.code == code
