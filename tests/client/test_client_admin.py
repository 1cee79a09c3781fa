"""Topics, configs, groups and offsets by the admin, against both brokers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest

from snakka.client.admin import (
    Admin,
    Append,
    CommittedOffset,
    ConfigKind,
    ConfigResource,
    ConfigSource,
    NewTopic,
    OffsetSpec,
    Operation,
    Subtract,
    TopicPartition,
)
from snakka.client.errors import ClientClosedError, NoBrokerError
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.testing import LocalBroker


@pytest.fixture(params=("snakka", "kafka"))
async def admin(request: pytest.FixtureRequest) -> AsyncIterator[Admin]:
    """An admin of Snakka, and then of Apache Kafka."""
    async with AsyncExitStack() as opened:
        if request.param == "kafka":
            bootstrap = request.getfixturevalue("kafka").bootstrap
        else:
            bootstrap = (await opened.enter_async_context(LocalBroker())).bootstrap_servers
        yield await opened.enter_async_context(Admin(bootstrap_servers=bootstrap))


@pytest.fixture
def topic() -> str:
    """A name of the test's own: Apache Kafka is shared."""
    return f"topic-{uuid4().hex[:8]}"


@pytest.fixture
def group() -> str:
    return f"group-{uuid4().hex[:8]}"


async def test_a_topic_s_life(admin: Admin, topic: str) -> None:
    created = await admin.create_topic(topic, partitions=3, configs={"cleanup.policy": "compact"})
    assert (created.partitions, created.replication_factor) == (3, 1)
    assert created.configs is not None
    assert created.configs["cleanup.policy"] == "compact"
    assert topic in [each.name for each in await admin.list_topics()]
    described = (await admin.describe_topics([topic]))[topic]
    assert described.topic_id == created.topic_id
    assert [partition.index for partition in described.partitions] == [0, 1, 2]
    assert {partition.leader_id for partition in described.partitions} == {1}
    with pytest.raises(ApiError, match="TOPIC_ALREADY_EXISTS"):
        await admin.create_topic(topic)
    (await admin.create_partitions({topic: 5})).raise_for_errors()
    with pytest.raises(ApiError, match="INVALID_PARTITIONS"):
        (await admin.create_partitions({topic: 4})).raise_for_errors()
    await admin.delete_topic(topic)
    with pytest.raises(ApiError, match=f"topic {topic} does not exist"):
        await admin.delete_topic(topic)


async def test_each_topic_has_its_own_outcome(admin: Admin, topic: str) -> None:
    outcomes = await admin.create_topics([NewTopic(topic, partitions=2), NewTopic("not valid!")])
    assert list(outcomes) == [topic, "not valid!"]
    assert outcomes.results[topic].partitions == 2
    assert outcomes.errors["not valid!"].code is ErrorCode.INVALID_TOPIC_EXCEPTION  # type: ignore[union-attr]
    with pytest.raises(ApiError, match="INVALID_TOPIC_EXCEPTION"):
        outcomes.raise_for_errors()
    only_checked = await admin.create_topics([NewTopic(topic + "-not")], validate_only=True)
    assert only_checked.raise_for_errors()
    described = await admin.describe_topics([topic, topic + "-not"])
    assert described.errors[topic + "-not"].code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION  # type: ignore[union-attr]


async def test_topics_by_their_ids(admin: Admin, topic: str) -> None:
    created = await admin.create_topic(topic)
    nothing = bytes(15) + b"\x7f"
    described = await admin.describe_topics_by_id([created.topic_id, nothing])
    assert described[created.topic_id].name == topic
    with pytest.raises(ApiError, match="UNKNOWN_TOPIC_ID"):
        described[nothing]
    deleted = await admin.delete_topics_by_id([created.topic_id, nothing])
    assert list(deleted.results) == [created.topic_id]
    assert list(deleted.errors) == [nothing]


async def test_given_replicas_are_used(admin: Admin, topic: str) -> None:
    (await admin.create_topics([NewTopic(topic, assignments={0: [1], 1: [1]})])).raise_for_errors()
    (await admin.create_partitions({topic: 3}, assignments={topic: [[1]]})).raise_for_errors()
    outcomes = await admin.create_partitions({topic: 4}, assignments={topic: [[77]]})
    assert outcomes.errors[topic].code is ErrorCode.INVALID_REPLICA_ASSIGNMENT  # type: ignore[union-attr]


async def test_the_end_and_the_beginning_of_a_log(admin: Admin, topic: str) -> None:
    await admin.create_topic(topic, partitions=2)
    first, gone = TopicPartition(topic, 0), TopicPartition(topic, 9)
    offsets = await admin.list_offsets({first: OffsetSpec.LATEST, gone: OffsetSpec.EARLIEST})
    assert offsets[first].offset == 0
    with pytest.raises(ApiError, match="INVALID_PARTITIONS"):
        offsets[gone]
    assert (await admin.list_offsets({first: 1_000_000}))[first].offset == -1
    assert (await admin.delete_records({first: -1}))[first] == 0
    with pytest.raises(ApiError, match="OFFSET_OUT_OF_RANGE"):
        (await admin.delete_records({first: 10})).raise_for_errors()


async def described_policy(admin: Admin, resource: ConfigResource, wanted: str) -> dict[str, str | None]:
    """What one config has become: Kafka's brokers hear of a change a moment after it was answered."""
    async with asyncio.timeout(20):
        while True:
            some = (await admin.describe_configs([resource], names=["cleanup.policy"]))[resource]
            if some["cleanup.policy"].value == wanted:
                return {name: config.value for name, config in some.items()}
            await asyncio.sleep(0.01)


async def test_configs_are_changed_one_by_one(admin: Admin, topic: str) -> None:
    await admin.create_topic(topic, configs={"retention.ms": "1000"})
    resource = ConfigResource.topic(topic)
    changes = {"segment.bytes": "2000000", "cleanup.policy": Append("compact"), "retention.ms": None}
    (await admin.alter_configs({resource: changes})).raise_for_errors()
    await described_policy(admin, resource, "delete,compact")
    configs = (await admin.describe_configs([resource], include_synonyms=True, include_documentation=True))[
        resource
    ]
    assert configs["segment.bytes"].value == "2000000"
    assert configs["segment.bytes"].source is ConfigSource.TOPIC
    assert configs["segment.bytes"].synonyms[0].value == "2000000"
    assert configs["segment.bytes"].documentation
    assert configs["cleanup.policy"].value == "delete,compact"
    assert configs["retention.ms"].is_default
    (await admin.alter_configs({resource: {"cleanup.policy": Subtract("delete")}})).raise_for_errors()
    assert await described_policy(admin, resource, "compact") == {"cleanup.policy": "compact"}
    refused = await admin.alter_configs({resource: {"retention.ms": "soon"}}, validate_only=True)
    assert refused.errors[resource].code is ErrorCode.INVALID_CONFIG  # type: ignore[union-attr]
    assert resource in await admin.list_config_resources([ConfigKind.TOPIC])


async def test_a_broker_is_asked_for_its_own_configs(admin: Admin) -> None:
    ours, nobody = ConfigResource.broker(1), ConfigResource.broker(77)
    described = await admin.describe_configs([ours, nobody], names=["node.id"])
    assert described[ours]["node.id"].value == "1"
    with pytest.raises(ApiError, match="the cluster has no broker 77 now, only 1"):
        described[nobody]


async def test_offsets_of_a_group_without_members(admin: Admin, topic: str, group: str) -> None:
    await admin.create_topic(topic, partitions=2)
    first, second = TopicPartition(topic, 0), TopicPartition(topic, 1)
    given = {first: 5, second: CommittedOffset(7, metadata="by hand")}
    (await admin.alter_group_offsets(group, given)).raise_for_errors()
    listed = await admin.list_group_offsets(group, require_stable=True)
    assert {key: found.offset for key, found in listed.items()} == {first: 5, second: 7}
    assert listed[second].metadata == "by hand"
    assert list(await admin.list_group_offsets(group, [second])) == [second]
    described = (await admin.describe_groups([group]))[group]
    assert (described.state, described.members, described.coordinator_id) == ("Empty", (), 1)
    assert group in [each.group_id for each in await admin.list_groups(states=["Empty"])]
    (await admin.delete_group_offsets(group, [first])).raise_for_errors()
    assert list(await admin.list_group_offsets(group)) == [second]
    (await admin.delete_groups([group])).raise_for_errors()
    outcomes = await admin.delete_groups([group])
    with pytest.raises(ApiError, match=f"group {group} does not exist"):
        outcomes[group]


async def test_what_we_may_do_is_told(admin: Admin, topic: str, group: str) -> None:
    await admin.create_topic(topic)
    described = (await admin.describe_topics([topic]))[topic]
    assert described.allowed_operations is not None
    assert {Operation.READ, Operation.DELETE, Operation.ALTER_CONFIGS} <= described.allowed_operations
    cluster = await admin.describe_cluster(include_allowed_operations=True)
    assert Operation.CREATE in (cluster.allowed_operations or ())
    assert (await admin.describe_cluster()).allowed_operations is None
    (await admin.alter_group_offsets(group, {TopicPartition(topic, 0): 0})).raise_for_errors()
    groups = await admin.describe_groups([group], include_allowed_operations=True)
    assert groups[group].allowed_operations == {
        Operation.READ,
        Operation.DELETE,
        Operation.DESCRIBE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    }
    assert (await admin.describe_groups([group]))[group].allowed_operations is None


async def test_an_admin_that_is_not_started_says_so() -> None:
    admin = Admin({"bootstrap.servers": "127.0.0.1:1"})
    with pytest.raises(ClientClosedError, match="async with Admin"):
        await admin.list_topics()
    with pytest.raises(NoBrokerError, match="is it running"):
        await admin.start()
