"""Configs of topics, brokers, the cluster, groups, subscriptions and loggers: described, altered, listed."""

import logging

import pytest
from api_harness import CONTROLLERS, NODE_ID, running_broker

from snakka.metadata.image.configs import ConfigResourceType
from snakka.protocol.errors import ErrorCode
from snakka.protocol.messages import alter_configs, incremental_alter_configs
from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from snakka.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from snakka.protocol.messages.list_config_resources import ListConfigResourcesRequest
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

TOPIC, BROKER, LOGGER = ConfigResourceType.TOPIC, ConfigResourceType.BROKER, ConfigResourceType.BROKER_LOGGER
GROUP, CLIENT_METRICS = ConfigResourceType.GROUP, ConfigResourceType.CLIENT_METRICS
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3
OWN = str(NODE_ID)

# Sources, by Kafka's numbers.
DYNAMIC_TOPIC, DYNAMIC_BROKER, DYNAMIC_DEFAULT, STATIC, DEFAULT, DYNAMIC_LOGGER = 1, 2, 3, 4, 5, 6


@pytest.fixture
async def broker(tmp_path):
    async with running_broker(tmp_path) as running:
        topics = [CreatableTopic(name="orders", num_partitions=1, replication_factor=1)]
        await running.ask(CreateTopicsRequest(topics=topics, timeout_ms=10_000))
        yield running


async def describe(
    broker, kind, name, keys=None, version=None, *, synonyms=False, documentation=False, **arguments
):
    resource = DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=keys)
    request = DescribeConfigsRequest(
        resources=[resource], include_synonyms=synonyms, include_documentation=documentation
    )
    (result,) = (await broker.ask(request, version, **arguments)).results
    assert (result.resource_type, result.resource_name) == (kind, name)
    return result


async def shown(broker, kind, name, keys=None, **arguments):
    result = await describe(broker, kind, name, keys, **arguments)
    assert result.error_code == 0, result.error_message
    return {row.name: row for row in result.configs}


async def alter(broker, kind, name, *changes, version=None, validate_only=False, **arguments):
    """Changes are (operation, config, value)."""
    resource = incremental_alter_configs.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            incremental_alter_configs.AlterableConfig(name=key, config_operation=operation, value=value)
            for operation, key, value in changes
        ],
    )
    request = incremental_alter_configs.IncrementalAlterConfigsRequest(
        resources=[resource], validate_only=validate_only
    )
    (row,) = (await broker.ask(request, version, **arguments)).responses
    assert (row.resource_type, row.resource_name) == (kind, name)
    return ErrorCode(row.error_code)


async def replace(broker, kind, name, version=None, validate_only=False, **configs):
    resource = alter_configs.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            alter_configs.AlterableConfig(name=key.replace("_", "."), value=value)
            for key, value in configs.items()
        ],
    )
    request = alter_configs.AlterConfigsRequest(resources=[resource], validate_only=validate_only)
    (row,) = (await broker.ask(request, version)).responses
    return ErrorCode(row.error_code)


async def test_a_topic_shows_all_its_configs(broker):
    await alter(broker, TOPIC, "orders", (SET, "retention.ms", "1000"))
    for version in range(1, 5):
        await check_shown_topic(broker, version)


async def check_shown_topic(broker, version: int) -> None:
    rows = await shown(broker, TOPIC, "orders", version=version)
    assert len(rows) > 30
    assert (rows["retention.ms"].value, rows["retention.ms"].config_source) == ("1000", DYNAMIC_TOPIC)
    assert (rows["cleanup.policy"].value, rows["cleanup.policy"].config_source) == ("delete", DEFAULT)
    assert not rows["retention.ms"].synonyms
    assert not rows["retention.ms"].documentation
    assert rows["retention.ms"].config_type == (5 if version >= 3 else 0)
    rows = await shown(broker, TOPIC, "orders", ["retention.ms", "no.such"], version=version, synonyms=True)
    (row,) = rows.values()
    assert (row.synonyms[0].name, row.synonyms[0].source) == ("retention.ms", DYNAMIC_TOPIC)


async def test_documentation_and_an_empty_list_of_names(broker):
    rows = await shown(broker, TOPIC, "orders", [], documentation=True)
    assert len(rows) > 30
    assert all(row.documentation for row in rows.values())


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [
        (TOPIC, "missing", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, "bad name", ErrorCode.INVALID_TOPIC_EXCEPTION),
        (TOPIC, "", ErrorCode.INVALID_TOPIC_EXCEPTION),
        (BROKER, "2", ErrorCode.INVALID_REQUEST),
        (BROKER, "one", ErrorCode.INVALID_REQUEST),
        (BROKER, "1_0", ErrorCode.INVALID_REQUEST),
        (LOGGER, "", ErrorCode.INVALID_REQUEST),
        (LOGGER, "2", ErrorCode.INVALID_REQUEST),
        (GROUP, "", ErrorCode.INVALID_REQUEST),
        (CLIENT_METRICS, "", ErrorCode.INVALID_REQUEST),
        (3, "x", ErrorCode.INVALID_REQUEST),
    ],
)
async def test_what_cannot_be_described(broker, kind, name, code):
    result = await describe(broker, kind, name)
    assert (ErrorCode(result.error_code), result.configs) == (code, [])
    assert result.error_message


async def test_a_resource_of_no_kind_fails_the_whole_request(broker):
    resources = [DescribeConfigsResource(resource_type=kind, resource_name="orders") for kind in (TOPIC, 77)]
    response = await broker.ask(DescribeConfigsRequest(resources=resources))
    assert [row.error_code for row in response.results] == [ErrorCode.INVALID_REQUEST] * 2


@pytest.mark.parametrize(
    ("kind", "name", "resource", "code"),
    [
        (TOPIC, "orders", (ResourceType.TOPIC, "orders"), ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        (GROUP, "billing", (ResourceType.GROUP, "billing"), ErrorCode.GROUP_AUTHORIZATION_FAILED),
        (BROKER, OWN, (ResourceType.CLUSTER, CLUSTER_NAME), ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
        (LOGGER, OWN, (ResourceType.CLUSTER, CLUSTER_NAME), ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
        (CLIENT_METRICS, "cpu", (ResourceType.CLUSTER, CLUSTER_NAME), ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    ],
)
async def test_who_may_neither_see_nor_change(broker, kind, name, resource, code):
    denied = ((Operation.DESCRIBE_CONFIGS, *resource), (Operation.ALTER_CONFIGS, *resource))
    result = await describe(broker, kind, name, denied=denied)
    assert (ErrorCode(result.error_code), result.configs) == (code, [])
    assert await alter(broker, kind, name, (DELETE, "anything", None), denied=denied) == code


async def test_a_broker_shows_its_options_and_no_secrets(tmp_path):
    async with running_broker(tmp_path, num_io_threads="5", ssl_key_password="hush") as broker:
        rows = await shown(broker, BROKER, OWN, synonyms=True, documentation=True)
        assert len(rows) > 250
        threads, node_id, password = rows["num.io.threads"], rows["node.id"], rows["ssl.key.password"]
        assert (threads.value, threads.config_source, threads.read_only) == ("5", STATIC, False)
        assert [(synonym.value, synonym.source) for synonym in threads.synonyms] == [
            ("5", STATIC),
            ("8", DEFAULT),
        ]
        assert (node_id.value, node_id.read_only) == (OWN, True)
        assert (password.value, password.is_sensitive) == (None, True)
        assert [synonym.value for synonym in password.synonyms] == [None]
        assert "hush" not in repr(rows)


async def test_changes_of_brokers_and_of_the_cluster_take_effect(broker):
    assert await alter(broker, BROKER, "", (SET, "log.retention.ms", "5000")) is ErrorCode.NONE
    assert await alter(broker, BROKER, OWN, (SET, "num.io.threads", "5")) is ErrorCode.NONE
    assert broker.services.options.current.integer("num.io.threads") == 5
    assert broker.services.options.log_defaults.retention_ms == 5000
    rows = await shown(broker, BROKER, "")
    # A new cluster writes down its min.insync.replicas, because eligible leader replicas are on.
    assert {name: (row.value, row.config_source) for name, row in rows.items()} == {
        "log.retention.ms": ("5000", DYNAMIC_DEFAULT),
        "min.insync.replicas": ("1", DYNAMIC_DEFAULT),
    }
    rows = await shown(broker, BROKER, OWN, ["log.retention.ms", "num.io.threads"])
    assert rows["num.io.threads"].config_source == DYNAMIC_BROKER
    assert rows["log.retention.ms"].config_source == DYNAMIC_DEFAULT
    rows = await shown(broker, TOPIC, "orders", ["retention.ms"])
    assert (rows["retention.ms"].value, rows["retention.ms"].config_source) == ("5000", DYNAMIC_DEFAULT)
    assert await alter(broker, BROKER, "", (DELETE, "log.retention.ms", None)) is ErrorCode.NONE
    assert list(await shown(broker, BROKER, "")) == ["min.insync.replicas"]


@pytest.mark.parametrize(
    ("name", "config", "value", "code"),
    [
        (OWN, "node.id", "2", ErrorCode.INVALID_REQUEST),
        (OWN, "num.io.threads", "none", ErrorCode.INVALID_REQUEST),
        (OWN, "num.io.threads", "0", ErrorCode.INVALID_REQUEST),
        (OWN, "num.io.threads", "3", ErrorCode.INVALID_REQUEST),
        (OWN, "num.io.threads", "17", ErrorCode.INVALID_REQUEST),
        ("", "advertised.listeners", "PLAINTEXT://x:1", ErrorCode.INVALID_REQUEST),
        ("2", "num.io.threads", "5", ErrorCode.INVALID_REQUEST),
        ("two", "num.io.threads", "5", ErrorCode.INVALID_REQUEST),
        (OWN, "min.insync.replicas", "1", ErrorCode.INVALID_CONFIG),
    ],
)
async def test_what_a_broker_does_not_take(broker, name, config, value, code):
    assert await alter(broker, BROKER, name, (SET, config, value)) == code
    assert (BROKER, name) not in broker.image.configs.by_resource or name == ""


async def test_a_controller_speaks_for_every_node_that_it_knows(broker):
    change = (SET, "num.io.threads", "5")
    assert await alter(broker, BROKER, OWN, change, listener=CONTROLLERS) is ErrorCode.NONE
    assert (
        await alter(broker, BROKER, "2", change, listener=CONTROLLERS) is ErrorCode.BROKER_ID_NOT_REGISTERED
    )
    assert await alter(broker, 77, "x", change, listener=CONTROLLERS) is ErrorCode.UNSUPPORTED_VERSION
    assert await alter(broker, 77, "x", change) is ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("version", range(2))
async def test_incremental_changes_of_a_topic(broker, version):
    configs = broker.image.configs
    log = broker.services.partitions.get("orders", 0).check_leader(-1)
    changes = [(SET, "retention.ms", "1000"), (APPEND, "cleanup.policy", "compact")]
    assert await alter(broker, TOPIC, "orders", *changes, version=version) is ErrorCode.NONE
    assert configs.of_topic("orders") == {"retention.ms": "1000", "cleanup.policy": "delete,compact"}
    assert (log.config.retention_ms, log.config.compact, log.config.delete) == (1000, True, True)
    changes = [(DELETE, "retention.ms", None), (SUBTRACT, "cleanup.policy", "delete")]
    assert await alter(broker, TOPIC, "orders", *changes, version=version) is ErrorCode.NONE
    assert configs.of_topic("orders") == {"cleanup.policy": "compact"}
    assert (log.config.compact, log.config.delete) == (True, False)


@pytest.mark.parametrize(
    ("name", "change", "code"),
    [
        ("orders", (SET, "retention.ms", "soon"), ErrorCode.INVALID_CONFIG),
        ("orders", (SET, "colour", "red"), ErrorCode.INVALID_CONFIG),
        ("orders", (SET, "retention.ms", None), ErrorCode.INVALID_REQUEST),
        ("orders", (APPEND, "retention.ms", "1"), ErrorCode.INVALID_CONFIG),
        ("orders", (9, "retention.ms", "1"), ErrorCode.INVALID_REQUEST),
        ("orders", (SET, "remote.storage.enable", "true"), ErrorCode.INVALID_CONFIG),
        ("missing", (SET, "retention.ms", "1"), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("bad name", (SET, "retention.ms", "1"), ErrorCode.INVALID_TOPIC_EXCEPTION),
    ],
)
async def test_what_a_topic_does_not_take(broker, name, change, code):
    assert await alter(broker, TOPIC, name, change) == code
    assert not broker.image.configs.of_topic(name)


async def test_a_config_or_a_resource_named_twice(broker):
    change = (SET, "retention.ms", "1")
    assert await alter(broker, TOPIC, "orders", change, change) is ErrorCode.INVALID_REQUEST
    resources = [
        incremental_alter_configs.AlterConfigsResource(resource_type=TOPIC, resource_name=name)
        for name in ("orders", "missing", "orders")
    ]
    response = await broker.ask(incremental_alter_configs.IncrementalAlterConfigsRequest(resources=resources))
    assert [(row.resource_name, ErrorCode(row.error_code)) for row in response.responses] == [
        ("orders", ErrorCode.INVALID_REQUEST),
        ("missing", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("orders", ErrorCode.INVALID_REQUEST),
    ]


async def test_validation_changes_nothing(broker):
    change = (SET, "retention.ms", "1")
    assert await alter(broker, TOPIC, "orders", change, validate_only=True) is ErrorCode.NONE
    assert await replace(broker, TOPIC, "orders", validate_only=True, retention_ms="1") is ErrorCode.NONE
    assert not broker.image.configs.of_topic("orders")


@pytest.mark.parametrize("version", range(3))
async def test_the_old_way_replaces_all_that_is_set(broker, version):
    assert await replace(broker, TOPIC, "orders", version, retention_ms="1", segment_ms="2") is ErrorCode.NONE
    assert await replace(broker, TOPIC, "orders", version, segment_ms="3") is ErrorCode.NONE
    assert broker.image.configs.of_topic("orders") == {"segment.ms": "3"}
    assert await replace(broker, TOPIC, "orders", version, segment_ms="never") is ErrorCode.INVALID_CONFIG
    assert await replace(broker, TOPIC, "missing", version, segment_ms="3") is (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    )
    assert await replace(broker, LOGGER, OWN, version, root="INFO") is ErrorCode.INVALID_REQUEST
    assert await replace(broker, BROKER, "2", version, num_io_threads="5") is ErrorCode.INVALID_REQUEST
    assert await replace(broker, BROKER, OWN, version, num_io_threads="5") is ErrorCode.NONE


async def test_groups_and_subscriptions_have_configs(broker):
    change = (SET, "consumer.session.timeout.ms", "50000")
    assert await alter(broker, GROUP, "billing", change) is ErrorCode.NONE
    assert await alter(broker, GROUP, "billing", (SET, "colour", "red")) is ErrorCode.INVALID_CONFIG
    row = (await shown(broker, GROUP, "billing"))["consumer.session.timeout.ms"]
    assert (row.value, row.config_source) == ("50000", 8)
    assert await alter(broker, CLIENT_METRICS, "cpu", (SET, "interval.ms", "1000")) is ErrorCode.NONE
    row = (await shown(broker, CLIENT_METRICS, "cpu"))["interval.ms"]
    assert (row.value, row.config_source) == ("1000", 7)


async def test_without_an_active_controller_every_resource_is_told(broker):
    broker.services.controller.handle_leader_change(None, 99)
    change = (SET, "retention.ms", "1")
    assert await alter(broker, TOPIC, "orders", change) is ErrorCode.NOT_CONTROLLER
    assert await replace(broker, TOPIC, "orders", retention_ms="1") is ErrorCode.NOT_CONTROLLER


@pytest.fixture
def logger():
    """A logger of Snakka's whose level the test may change."""
    one = logging.getLogger("snakka.tests.chatty")
    root_level = logging.getLogger().level
    yield one
    one.setLevel(logging.NOTSET)
    logging.getLogger().setLevel(root_level)


async def test_levels_of_loggers_have_kafkas_names(broker, logger):
    logging.getLogger("stranger")
    assert (
        await alter(broker, LOGGER, OWN, (SET, logger.name, "TRACE"), (SET, "root", "ERROR"))
        is ErrorCode.NONE
    )
    rows = await shown(broker, LOGGER, OWN)
    assert (rows[logger.name].value, rows[logger.name].config_source) == ("TRACE", DYNAMIC_LOGGER)
    assert (rows["root"].value, rows["snakka"].value) == ("ERROR", "ERROR")
    assert "stranger" not in rows
    assert not rows["root"].read_only
    assert logger.isEnabledFor(5)
    assert await alter(broker, LOGGER, OWN, (SET, logger.name, "FATAL"), validate_only=True) is ErrorCode.NONE
    assert logger.level == 5
    assert await alter(broker, LOGGER, OWN, (DELETE, logger.name, None)) is ErrorCode.NONE
    assert (await shown(broker, LOGGER, OWN, [logger.name]))[logger.name].value == "ERROR"


@pytest.mark.parametrize(
    ("name", "change", "code"),
    [
        (OWN, (SET, "no.such.logger", "INFO"), ErrorCode.INVALID_CONFIG),
        (OWN, (SET, "root", "LOUD"), ErrorCode.INVALID_CONFIG),
        (OWN, (SET, "root", None), ErrorCode.INVALID_REQUEST),
        (OWN, (DELETE, "root", None), ErrorCode.INVALID_REQUEST),
        (OWN, (APPEND, "root", "INFO"), ErrorCode.INVALID_REQUEST),
        (OWN, (7, "root", "INFO"), ErrorCode.INVALID_REQUEST),
        ("2", (SET, "root", "INFO"), ErrorCode.INVALID_REQUEST),
        ("", (SET, "root", "INFO"), ErrorCode.INVALID_REQUEST),
    ],
)
async def test_what_loggers_do_not_take(broker, logger, name, change, code):
    before = logger.level
    good = (SET, logger.name, "DEBUG")
    assert await alter(broker, LOGGER, name, good, change) == code
    assert logger.level == before


async def test_a_controller_asks_for_more_before_it_touches_loggers(broker, logger):
    denied = ((Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME),)
    change = (SET, logger.name, "DEBUG")
    answer = await alter(broker, LOGGER, OWN, change, listener=CONTROLLERS, denied=denied)
    assert answer is ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert await alter(broker, LOGGER, OWN, change, denied=denied) is ErrorCode.NONE


async def test_resources_are_listed(broker):
    await alter(broker, GROUP, "billing", (SET, "consumer.session.timeout.ms", "50000"))
    await alter(broker, CLIENT_METRICS, "cpu", (SET, "interval.ms", "1000"))
    response = await broker.ask(ListConfigResourcesRequest())
    assert {(row.resource_type, row.resource_name) for row in response.config_resources} == {
        (GROUP, "billing"),
        (CLIENT_METRICS, "cpu"),
        (BROKER, OWN),
        (LOGGER, OWN),
        (TOPIC, "orders"),
    }
    response = await broker.ask(ListConfigResourcesRequest(resource_types=[TOPIC, GROUP]))
    assert [row.resource_name for row in response.config_resources] == ["billing", "orders"]
    response = await broker.ask(ListConfigResourcesRequest(), 0)
    assert [row.resource_name for row in response.config_resources] == ["cpu"]


async def test_resources_that_nobody_knows_or_may_see_are_not_listed(broker):
    response = await broker.ask(ListConfigResourcesRequest(resource_types=[77]))
    assert (response.error_code, response.config_resources) == (ErrorCode.UNSUPPORTED_VERSION, [])
    denied = ((Operation.DESCRIBE_CONFIGS, ResourceType.CLUSTER, CLUSTER_NAME),)
    response = await broker.ask(ListConfigResourcesRequest(), denied=denied)
    assert (response.error_code, response.config_resources) == (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, [])
