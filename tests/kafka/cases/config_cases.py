"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs and ListConfigResources."""

from tests.kafka.cases.produce_cases import UNKNOWN_TOPIC
from tests.kafka.referee import Broker, case

from snakka.protocol.messages import alter_configs, incremental_alter_configs
from snakka.protocol.messages.alter_configs import AlterConfigsRequest
from snakka.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from snakka.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from snakka.protocol.messages.list_config_resources import ListConfigResourcesRequest

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)


def describe(
    broker: Broker,
    version: int,
    resource_type: int,
    name: str,
    keys: list[str] | None = None,
    *,
    synonyms: bool = True,
    documentation: bool = False,
    listener: str = "PLAINTEXT",
) -> None:
    resource = DescribeConfigsResource(
        resource_type=resource_type, resource_name=name, configuration_keys=keys
    )
    request = DescribeConfigsRequest(resources=[resource], include_synonyms=synonyms)
    if version >= 3:
        request.include_documentation = documentation
    broker.ask(request, version, listener=listener)


@case(DescribeConfigsRequest)
def of_a_topic(broker: Broker, version: int) -> None:
    topic = broker.topic(retention_ms="5000", cleanup_policy="compact", compression_type="zstd").name
    describe(broker, version, TOPIC, topic)
    describe(broker, version, TOPIC, topic, synonyms=False)
    describe(broker, version, TOPIC, topic, documentation=True)
    describe(
        broker, version, TOPIC, topic, ["retention.ms", "no.such.config", "segment.bytes", "retention.ms"]
    )
    describe(broker, version, TOPIC, topic, [])


@case(DescribeConfigsRequest)
def of_the_broker(broker: Broker, version: int) -> None:
    describe(broker, version, BROKER, "1", documentation=True)
    describe(broker, version, BROKER, "1", synonyms=False)
    describe(broker, version, BROKER, "")
    describe(broker, version, BROKER, "1", ["num.partitions", "no.such.option", "log.retention.ms"])
    describe(broker, version, BROKER, "", ["num.partitions"])


@case(DescribeConfigsRequest)
def of_what_is_not_there(broker: Broker, version: int) -> None:
    for resource_type, name in (
        (TOPIC, UNKNOWN_TOPIC.name),
        (TOPIC, ""),
        (TOPIC, "a b"),
        (BROKER, "2"),
        (BROKER, "one"),
        (BROKER, "-1"),
        (BROKER_LOGGER, ""),
        (BROKER_LOGGER, "2"),
        (BROKER_LOGGER, "one"),
        (CLIENT_METRICS, ""),
        (CLIENT_METRICS, "no-such-subscription"),
        (GROUP, ""),
        (GROUP, "no-such-group"),
        (0, ""),
        (1, "x"),
        (3, "x"),
        (64, "x"),
        (-1, "x"),
    ):
        describe(broker, version, resource_type, name)


@case(DescribeConfigsRequest)
def of_loggers(broker: Broker, version: int) -> None:
    describe(broker, version, BROKER_LOGGER, "1")


@case(DescribeConfigsRequest)
def several_at_once(broker: Broker, version: int) -> None:
    topic = broker.topic().name
    resources = [
        DescribeConfigsResource(
            resource_type=resource_type, resource_name=name, configuration_keys=["min.insync.replicas"]
        )
        for resource_type, name in (
            (TOPIC, topic),
            (BROKER, "1"),
            (TOPIC, UNKNOWN_TOPIC.name),
            (BROKER, ""),
            (TOPIC, topic),
        )
    ]
    broker.ask(DescribeConfigsRequest(resources=resources), version)
    broker.ask(DescribeConfigsRequest(), version)


@case(DescribeConfigsRequest)
def on_the_controllers_listener(broker: Broker, version: int) -> None:
    topic = broker.topic(retention_ms="5000").name
    for resource_type, name in (
        (BROKER, "1"),
        (BROKER, ""),
        (TOPIC, topic),
        (BROKER, "2"),
        (GROUP, "g"),
        (CLIENT_METRICS, "m"),
    ):
        describe(broker, version, resource_type, name, listener="CONTROLLER")


def alter(
    broker: Broker,
    version: int,
    *resources: tuple[int, str, dict[str, str | None]],
    validate_only: bool = False,
    listener: str = "PLAINTEXT",
) -> None:
    rows = [
        alter_configs.AlterConfigsResource(
            resource_type=resource_type,
            resource_name=name,
            configs=[alter_configs.AlterableConfig(name=key, value=value) for key, value in configs.items()],
        )
        for resource_type, name, configs in resources
    ]
    broker.ask(AlterConfigsRequest(resources=rows, validate_only=validate_only), version, listener=listener)


@case(AlterConfigsRequest)
def of_topics(broker: Broker, version: int) -> None:
    topic = broker.topic(retention_ms="5000", segment_bytes="2000000").name
    alter(broker, version, (TOPIC, topic, {"retention.ms": "6000"}), validate_only=True)
    describe(broker, 4, TOPIC, topic, ["retention.ms", "segment.bytes"])
    alter(broker, version, (TOPIC, topic, {"retention.ms": "6000"}))
    describe(broker, 4, TOPIC, topic, ["retention.ms", "segment.bytes"])
    for configs in (
        {"retention.ms": "soon"},
        {"no.such.config": "1"},
        {"retention.ms": None},
        {"retention.ms": ""},
    ):
        alter(broker, version, (TOPIC, topic, configs))
    alter(
        broker,
        version,
        (TOPIC, topic, {"retention.ms": "7"}),
        (TOPIC, UNKNOWN_TOPIC.name, {"retention.ms": "1"}),
    )
    describe(broker, 4, TOPIC, topic, ["retention.ms", "segment.bytes"])
    alter(broker, version, (TOPIC, topic, {}))
    alter(broker, version)
    describe(broker, 4, TOPIC, topic, ["retention.ms", "segment.bytes"])


@case(AlterConfigsRequest, first=2)
def one_resource_twice(broker: Broker, version: int) -> None:
    row = alter_configs.AlterConfigsResource(resource_type=TOPIC, resource_name=broker.topic().name)
    broker.ask(AlterConfigsRequest(resources=[row, row]), version, patience_seconds=0.5)


@case(AlterConfigsRequest)
def of_other_resources(broker: Broker, version: int) -> None:
    for resource_type, name, configs in (
        (TOPIC, "", {"retention.ms": "1"}),
        (TOPIC, "a b", {"retention.ms": "1"}),
        (BROKER, "1", {"node.id": "2"}),
        (BROKER, "1", {"no.such.option": "x"}),
        (BROKER, "1", {"log.cleaner.threads": "many"}),
        (BROKER, "1", {"log.cleaner.threads": "3"}),
        (BROKER, "2", {"log.cleaner.threads": "3"}),
        (BROKER, "one", {"log.cleaner.threads": "3"}),
        (BROKER, "", {"listeners": "PLAINTEXT://:1"}),
        (BROKER, "", {"log.cleaner.threads": "3"}),
        (BROKER, "", {"log.cleaner.threads": "2"}),
        (BROKER, "1", {"log.cleaner.threads": "2"}),
        (BROKER, "1", {"num.io.threads": "3"}),
        (BROKER, "1", {"num.io.threads": "4", "num.network.threads": "7"}),
        (BROKER, "1", {"background.threads": "20"}),
        (BROKER, "1", {"max.connections": "1000", "node.id": "1"}),
        (BROKER_LOGGER, "1", {"root": "INFO"}),
        (CLIENT_METRICS, "m", {"interval.ms": "1000"}),
        (CLIENT_METRICS, "m", {"interval.ms": "1"}),
        (CLIENT_METRICS, "", {"interval.ms": "1000"}),
        (GROUP, "g", {"consumer.session.timeout.ms": "50000"}),
        (GROUP, "g", {"consumer.session.timeout.ms": "1"}),
        (GROUP, "", {"consumer.session.timeout.ms": "50000"}),
        (0, "x", {}),
        (3, "x", {}),
        (64, "x", {"a": "b"}),
    ):
        alter(broker, version, (resource_type, name, configs), validate_only=True)


@case(AlterConfigsRequest)
def through_the_controllers_listener(broker: Broker, version: int) -> None:
    topic = broker.topic().name
    alter(
        broker,
        version,
        (TOPIC, topic, {"retention.ms": "6000"}),
        (BROKER, "1", {"node.id": "5"}),
        listener="CONTROLLER",
    )


def change(
    broker: Broker,
    version: int,
    resource_type: int,
    name: str,
    *operations: tuple[str, int, str | None],
    validate_only: bool = False,
    listener: str = "PLAINTEXT",
) -> None:
    resource = incremental_alter_configs.AlterConfigsResource(
        resource_type=resource_type,
        resource_name=name,
        configs=[
            incremental_alter_configs.AlterableConfig(name=key, config_operation=operation, value=value)
            for key, operation, value in operations
        ],
    )
    broker.ask(
        IncrementalAlterConfigsRequest(resources=[resource], validate_only=validate_only),
        version,
        listener=listener,
    )


@case(IncrementalAlterConfigsRequest)
def of_one_topic(broker: Broker, version: int) -> None:
    topic = broker.topic(retention_ms="5000").name
    shown = ["retention.ms", "segment.bytes", "cleanup.policy", "leader.replication.throttled.replicas"]
    for operations in (
        [("retention.ms", SET, "6000"), ("segment.bytes", SET, "3000000")],
        [("retention.ms", DELETE, None)],
        [("retention.ms", DELETE, "1")],
        [("retention.ms", SET, None)],
        [("retention.ms", SET, "")],
        [("retention.ms", SET, "x")],
        [("retention.ms", APPEND, "1")],
        [("no.such.config", SET, "1")],
        [("no.such.config", DELETE, None)],
        [("", SET, "1")],
        [("cleanup.policy", APPEND, "compact")],
        [("cleanup.policy", APPEND, "compact")],
        [("cleanup.policy", SUBTRACT, "delete")],
        [("cleanup.policy", SUBTRACT, "delete")],
        [("cleanup.policy", APPEND, "shred")],
        [("cleanup.policy", SUBTRACT, "compact")],
        [("cleanup.policy", DELETE, None)],
        [("cleanup.policy", SUBTRACT, "delete")],
        [("leader.replication.throttled.replicas", APPEND, "0:1,1:1")],
        [("leader.replication.throttled.replicas", SUBTRACT, "0:1")],
        [("retention.ms", SET, "1"), ("retention.ms", SET, "2")],
        [("retention.ms", SET, "1"), ("no.such.config", SET, "2")],
        [("min.insync.replicas", SET, "0")],
        [("min.insync.replicas", SET, "1")],
        [("min.insync.replicas", DELETE, None)],
        [],
    ):
        change(broker, version, TOPIC, topic, *operations)
        describe(broker, 4, TOPIC, topic, shown)
    change(broker, version, TOPIC, topic, ("retention.ms", SET, "9"), validate_only=True)
    describe(broker, 4, TOPIC, topic, shown)


@case(IncrementalAlterConfigsRequest, first=1)
def operations_that_are_none(broker: Broker, version: int) -> None:
    topic = broker.topic().name
    for operation in (4, -1):
        change(broker, version, TOPIC, topic, ("retention.ms", operation, "1"))


@case(IncrementalAlterConfigsRequest)
def changes_of_what_is_not_there(broker: Broker, version: int) -> None:
    for resource_type, name, key, value in (
        (TOPIC, UNKNOWN_TOPIC.name, "retention.ms", "1"),
        (TOPIC, "", "retention.ms", "1"),
        (TOPIC, "a b", "retention.ms", "1"),
        (BROKER, "2", "log.cleaner.threads", "2"),
        (BROKER, "one", "log.cleaner.threads", "2"),
        (BROKER, "-1", "log.cleaner.threads", "2"),
        (BROKER_LOGGER, "1", "no.such.logger", "INFO"),
        (BROKER_LOGGER, "1", "root", "LOUD"),
        (BROKER_LOGGER, "2", "root", "INFO"),
        (BROKER_LOGGER, "", "root", "INFO"),
        (CLIENT_METRICS, "", "interval.ms", "1000"),
        (CLIENT_METRICS, "m", "interval.ms", "soon"),
        (CLIENT_METRICS, "m", "no.such", "1"),
        (CLIENT_METRICS, "m", "match", "x=("),
        (GROUP, "", "consumer.session.timeout.ms", "50000"),
        (GROUP, "g", "consumer.session.timeout.ms", "1"),
        (GROUP, "g", "no.such", "1"),
        (0, "x", "a", "b"),
        (3, "x", "a", "b"),
        (64, "x", "a", "b"),
    ):
        change(broker, version, resource_type, name, (key, SET, value), validate_only=True)


@case(IncrementalAlterConfigsRequest)
def of_the_broker_and_of_all(broker: Broker, version: int) -> None:
    shown = [
        "log.cleaner.threads",
        "max.connections",
        "log.retention.ms",
        "log.cleaner.backoff.ms",
        "num.io.threads",
        "no.such.option",
    ]
    for name, operations in (
        ("1", [("node.id", SET, "2")]),
        ("1", [("log.dirs", SET, "/tmp")]),
        ("1", [("no.such.option", SET, "2")]),
        ("1", [("log.cleaner.backoff.ms", SET, "many")]),
        ("1", [("log.cleaner.backoff.ms", SET, "14000")]),
        ("", [("log.cleaner.backoff.ms", SET, "13000")]),
        ("", [("listeners", SET, "PLAINTEXT://:1")]),
        ("", [("max.connections", SET, "5000"), ("log.retention.ms", SET, "600000")]),
        ("", [("max.connections", SET, "-1")]),
        ("1", [("max.connections", SET, "4000")]),
        ("1", [("log.cleaner.backoff.ms", DELETE, None), ("max.connections", DELETE, None)]),
        ("", [("log.cleaner.backoff.ms", DELETE, None), ("max.connections", DELETE, None)]),
        ("", [("log.retention.ms", DELETE, None)]),
        ("", [("log.retention.ms", DELETE, None)]),
        ("", [("num.io.threads", SET, "0")]),
        ("", [("background.threads", APPEND, "0")]),
        ("1", [("message.max.bytes", SET, "2000000")]),
        ("1", [("message.max.bytes", DELETE, None)]),
    ):
        change(broker, version, BROKER, name, *operations)
        describe(broker, 4, BROKER, "1", shown, documentation=True)
        describe(broker, 4, BROKER, "")


@case(IncrementalAlterConfigsRequest)
def of_client_metrics_and_groups(broker: Broker, version: int) -> None:
    metrics, group = broker.name("metrics"), broker.name("group")
    for resource_type, name, operations in (
        (CLIENT_METRICS, metrics, [("interval.ms", SET, "1000"), ("metrics", SET, "a,b")]),
        (CLIENT_METRICS, metrics, [("metrics", APPEND, "c"), ("match", SET, "client_id=x.*")]),
        (CLIENT_METRICS, metrics, [("metrics", SUBTRACT, "a")]),
        (GROUP, group, [("consumer.session.timeout.ms", SET, "50000")]),
        (GROUP, group, [("share.auto.offset.reset", SET, "earliest")]),
    ):
        change(broker, version, resource_type, name, *operations)
        describe(broker, 4, resource_type, name)
    for types in ([], [CLIENT_METRICS], [GROUP]):
        broker.ask(ListConfigResourcesRequest(resource_types=types))
    change(
        broker,
        version,
        CLIENT_METRICS,
        metrics,
        *[(key, DELETE, None) for key in ("interval.ms", "metrics", "match")],
    )
    change(
        broker,
        version,
        GROUP,
        group,
        ("consumer.session.timeout.ms", DELETE, None),
        ("share.auto.offset.reset", DELETE, None),
    )
    for types in ([], [CLIENT_METRICS], [GROUP]):
        broker.ask(ListConfigResourcesRequest(resource_types=types))


@case(IncrementalAlterConfigsRequest)
def changes_of_one_resource_twice(broker: Broker, version: int) -> None:
    topic = broker.topic().name
    config = incremental_alter_configs.AlterableConfig(name="retention.ms", value="1")
    resource = incremental_alter_configs.AlterConfigsResource(
        resource_type=TOPIC, resource_name=topic, configs=[config]
    )
    broker.ask(IncrementalAlterConfigsRequest(resources=[resource, resource]), version)
    broker.ask(IncrementalAlterConfigsRequest(), version)
    describe(broker, 4, TOPIC, topic, ["retention.ms"])


@case(IncrementalAlterConfigsRequest)
def changes_through_the_controllers_listener(broker: Broker, version: int) -> None:
    topic = broker.topic().name
    change(broker, version, TOPIC, topic, ("retention.ms", SET, "6000"), listener="CONTROLLER")
    change(broker, version, BROKER, "1", ("node.id", SET, "5"), listener="CONTROLLER")


@case(ListConfigResourcesRequest)
def resources(broker: Broker, version: int) -> None:
    for types in (
        [],
        [TOPIC],
        [BROKER],
        [BROKER_LOGGER],
        [CLIENT_METRICS],
        [GROUP],
        [0],
        [3],
        [TOPIC, 99],
        [TOPIC, TOPIC],
    ):
        if version >= 1:
            broker.ask(ListConfigResourcesRequest(resource_types=types), version)
        elif not types:
            broker.ask(ListConfigResourcesRequest(), version)
