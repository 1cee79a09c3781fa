"""What the controller is told of configs, on a node with options of its own."""

import pytest

from snakka.broker.config_schema import CatalogSchema
from snakka.broker.live_options import LiveOptions
from snakka.broker.option_catalog import node_options
from snakka.metadata.image.configs import ConfigResourceType
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.storage.log_config import topic_options

TOPIC, BROKER = ConfigResourceType.TOPIC, ConfigResourceType.BROKER
GROUP, CLIENT_METRICS = ConfigResourceType.GROUP, ConfigResourceType.CLIENT_METRICS


def schema_of(**texts: str) -> CatalogSchema:
    options = node_options(
        {"log.dirs": "/nowhere", **{name.replace("_", "."): text for name, text in texts.items()}}
    )
    return CatalogSchema(LiveOptions(1, options))


def error_of(schema: CatalogSchema, kind: int, name: str, **configs: str) -> ErrorCode | None:
    try:
        schema.validate(kind, name, {key.replace("_", "."): text for key, text in configs.items()}, {})
    except ApiError as error:
        return error.code
    return None


@pytest.mark.parametrize(
    ("kind", "name", "configs", "code"),
    [
        (TOPIC, "t", {"retention_ms": "1"}, None),
        (TOPIC, "t", {"retention_ms": "x"}, ErrorCode.INVALID_CONFIG),
        (TOPIC, "t", {"nonsense": "x"}, ErrorCode.INVALID_CONFIG),
        (BROKER, "", {"log_retention_ms": "1"}, None),
        (BROKER, "1", {"num_io_threads": "5"}, None),
        (BROKER, "2", {"num_io_threads": "5"}, None),
        (BROKER, "2", {"node_id": "3"}, ErrorCode.INVALID_REQUEST),
        (BROKER, "", {"listeners": "PLAINTEXT://x:1"}, ErrorCode.INVALID_REQUEST),
        (GROUP, "g", {"consumer_session_timeout_ms": "50000"}, None),
        (GROUP, "g", {"consumer_session_timeout_ms": "1"}, ErrorCode.INVALID_CONFIG),
        (CLIENT_METRICS, "m", {"interval_ms": "1000"}, None),
        (CLIENT_METRICS, "m", {"interval_ms": "x"}, ErrorCode.INVALID_CONFIG),
        (CLIENT_METRICS, "m", {"interval_ms": "1"}, ErrorCode.INVALID_REQUEST),
        (ConfigResourceType.BROKER_LOGGER, "1", {}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_each_kind_of_resource_is_judged_by_its_own_rules(kind, name, configs, code):
    assert error_of(schema_of(), kind, name, **configs) == code


def test_rules_between_options_hold_for_this_node_and_not_for_others():
    schema = schema_of()
    unknown_listener = {"listeners": "ELSEWHERE://127.0.0.1:9092"}
    assert error_of(schema, BROKER, "1", **unknown_listener) == ErrorCode.INVALID_REQUEST
    assert error_of(schema, BROKER, "2", **unknown_listener) is None


def test_a_topic_takes_its_own_value_then_the_nodes_then_the_clusters_then_the_static_one():
    schema = schema_of(min_insync_replicas="4")

    def value(topic: str = "", node: str = "", cluster: str = "") -> str:
        layers = [{"min.insync.replicas": text} if text else {} for text in (topic, node, cluster)]
        return schema.topic_config("min.insync.replicas", *layers)

    assert value() == "4"
    assert value(cluster="3") == "3"
    assert value(cluster="3", node="2") == "2"
    assert value(cluster="3", node="2", topic="1") == "1"
    assert schema_of().topic_config("min.insync.replicas", {}, {}, {}) == "1"
    assert schema_of().topic_config("unclean.leader.election.enable", {}, {}, {}) == "false"


def test_the_configs_of_a_topic_with_their_sources():
    schema = schema_of(log_retention_hours="2")
    rows = {
        row.name: (row.value, row.source)
        for row in schema.topic_configs(
            {"segment.ms": "7"}, {"log.flush.interval.messages": "9"}, {"log.retention.bytes": "8"}
        )
    }
    assert set(rows) == {name for name, option in topic_options().items() if not option.internal}
    assert rows["segment.ms"] == ("7", 1)
    assert rows["flush.messages"] == ("9", 2)
    assert rows["retention.bytes"] == ("8", 3)
    assert rows["retention.ms"] == (str(2 * 3_600_000), 4)
    assert rows["cleanup.policy"] == ("delete", 5)


def test_configs_that_topics_share_follow_the_brokers():
    schema = schema_of()

    def retention(cluster: dict[str, str]) -> str | None:
        return next(row.value for row in schema.topic_configs({}, {}, cluster) if row.name == "retention.ms")

    cluster = {"log.retention.ms": "5"}
    assert retention(cluster) == "5"
    cluster["log.retention.ms"] = "6"
    assert retention(cluster) == "6"
    assert retention({}) == "604800000"


def test_lists_and_defaults():
    schema = schema_of()
    assert schema.is_list(TOPIC, "cleanup.policy")
    assert not schema.is_list(TOPIC, "retention.ms")
    assert not schema.is_list(TOPIC, "nonsense")
    assert schema.is_list(BROKER, "log.cleanup.policy")
    assert schema.default(TOPIC, "cleanup.policy") == "delete"
    assert schema.default(TOPIC, "nonsense") is None
    assert schema.default(CLIENT_METRICS, "interval.ms") == "300000"
    assert schema.default(ConfigResourceType.UNKNOWN, "x") is None
