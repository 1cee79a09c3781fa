"""ConsumerGroupHeartbeat over the wire: what is refused before a group is asked, who may not, and what members are told."""

import pytest
from tests.broker.api_harness import running_broker
from tests.broker.broker_in_process import until
from tests.broker.consumer_requests import assigned, beat, join, join_request, rows
from tests.broker.group_requests import create_topics, group_broker
from tests.broker.raw_client import all_versions

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from snakka.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from snakka.protocol.uuids import uuid_from_text
from snakka.raft.features import GROUP_VERSION
from snakka.security.operations import Operation, ResourceType

GROUP_RESOURCE = 32


@pytest.fixture
async def broker(tmp_path):
    async with group_broker(tmp_path) as running:
        yield running


async def test_a_member_joins_reports_and_leaves_in_every_version(broker):
    for version in all_versions(ConsumerGroupHeartbeatRequest):
        group = f"group {version}"
        answer = await join(broker, group, version=version)
        assert (answer.error_code, answer.error_message, answer.member_id) == (0, None, "m")
        assert (answer.member_epoch, answer.heartbeat_interval_ms) == (2, 5_000)
        assert assigned(broker, answer) == {"orders": [0, 1]}
        silent = await beat(broker, answer, group)
        assert (silent.error_code, silent.assignment) == (0, None)
        left = await beat(broker, answer, group, member_epoch=-1)
        assert (left.error_code, left.member_epoch, left.heartbeat_interval_ms) == (0, -1, 0)
        gone = await beat(broker, answer, group)
        assert (gone.error_code, gone.member_id) == (ErrorCode.UNKNOWN_MEMBER_ID, None)
        assert gone.error_message


async def test_only_the_first_version_gives_out_ids(broker):
    answer = await join(broker, "g", "", version=0)
    assert len(uuid_from_text(answer.member_id)) == 16
    refused = await join(broker, "g", "", version=1)
    assert refused.error_code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(
    "wrong",
    [
        {"group_id": ""},
        {"group_id": " \t"},
        {"member_id": " "},
        {"instance_id": ""},
        {"rack_id": ""},
        {"rebalance_timeout_ms": -1},
        {"topic_partitions": None},
        {"topic_partitions": rows(orders=[0])},
        {"subscribed_topic_names": None},
        {"member_epoch": -2},
        {"member_epoch": -3, "instance_id": "i"},
    ],
    ids=str,
)
async def test_requests_that_make_no_sense(broker, wrong):
    answer = await broker.ask(join_request(**wrong))
    assert answer.error_code == ErrorCode.INVALID_REQUEST
    assert answer.error_message


async def test_assignors_that_there_are_not(broker, tmp_path):
    assert (await join(broker, server_assignor="none")).error_code == ErrorCode.UNSUPPORTED_ASSIGNOR
    assert (await join(broker, server_assignor="range")).error_code == 0
    name = "org.apache.kafka.coordinator.group.assignor.RangeAssignor"
    async with group_broker(tmp_path / "other", group_consumer_assignors=name) as other:
        assert (await join(other, server_assignor="range")).error_code == 0
        assert (await join(other, server_assignor="uniform")).error_code == ErrorCode.UNSUPPORTED_ASSIGNOR


async def test_expressions_that_are_none(broker):
    answer = await join(broker, subscribed_topic_names=[], subscribed_topic_regex="orders(")
    assert answer.error_code == ErrorCode.INVALID_REGULAR_EXPRESSION
    assert "orders(" in answer.error_message


async def test_who_may_not(broker):
    no_group = (Operation.READ, ResourceType.GROUP, "g")
    answer = await broker.ask(join_request(), denied=(no_group,))
    assert (answer.error_code, answer.error_message) == (ErrorCode.GROUP_AUTHORIZATION_FAILED, None)
    no_topic = (Operation.DESCRIBE, ResourceType.TOPIC, "payments")
    both = join_request(subscribed_topic_names=["orders", "payments"])
    answer = await broker.ask(both, denied=(no_topic,))
    assert (answer.error_code, answer.error_message) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, None)
    pattern = join_request(subscribed_topic_names=[], subscribed_topic_regex="[a-z]+")
    answer = await broker.ask(pattern, denied=(no_topic,))
    assert assigned(broker, answer) == {"orders": [0, 1]}


async def test_without_the_feature_or_the_option_there_are_no_consumer_groups(broker, tmp_path):
    async with group_broker(tmp_path / "other", group_coordinator_rebalance_protocols="classic") as other:
        assert (await join(other)).error_code == ErrorCode.UNSUPPORTED_VERSION
    assert broker.image.features.level(GROUP_VERSION) == 1, "new clusters have them"
    del broker.image.features.levels[GROUP_VERSION]
    assert (await join(broker)).error_code == ErrorCode.UNSUPPORTED_VERSION


async def test_topics_that_come_and_grow_are_assigned(broker):
    answer = await join(broker, subscribed_topic_names=["later", "orders"])
    assert assigned(broker, answer) == {"orders": [0, 1]}
    await create_topics(broker, later=1)
    answer = await beat(broker, answer)
    assert assigned(broker, answer) == {"later": [0], "orders": [0, 1]}
    grown = CreatePartitionsTopic(name="orders", count=4, assignments=None)
    await broker.ask(CreatePartitionsRequest(topics=[grown], timeout_ms=10_000))
    answer = await beat(broker, answer)
    assert assigned(broker, answer) == {"later": [0], "orders": [0, 1, 2, 3]}


async def test_members_that_come_together_share_after_the_interval(broker):
    first = await join(broker, "g", "a")
    second = await join(broker, "g", "b")
    assert assigned(broker, second) == {}
    coordinator = broker.services.groups
    group = coordinator.host(coordinator.partition_of("g")).shard.groups["g"]
    await until(lambda: group.assignment_epoch == group.epoch)
    first = await beat(broker, first)
    assert assigned(broker, first) == {"orders": [0]}
    first = await beat(broker, first, topic_partitions=first.assignment.topic_partitions)
    second = await beat(broker, second)
    assert assigned(broker, second) == {"orders": [1]}
    assert first.member_epoch == second.member_epoch == 3


async def test_a_group_has_its_own_timing(broker):
    given = [AlterableConfig(name="consumer.heartbeat.interval.ms", value="7000")]
    resource = AlterConfigsResource(resource_type=GROUP_RESOURCE, resource_name="g", configs=given)
    await broker.ask(IncrementalAlterConfigsRequest(resources=[resource]))
    assert (await join(broker)).heartbeat_interval_ms == 7_000
    assert (await join(broker, "other")).heartbeat_interval_ms == 5_000


async def test_members_are_known_after_a_restart(tmp_path):
    async with group_broker(tmp_path) as broker:
        answer = await join(broker)
    async with running_broker(tmp_path, offsets_topic_num_partitions="3") as broker:
        await until(lambda: not broker.services.groups.is_loading)
        again = await beat(broker, answer)
        assert (again.error_code, again.member_epoch, again.assignment) == (0, answer.member_epoch, None)
