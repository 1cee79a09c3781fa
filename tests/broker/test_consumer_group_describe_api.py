"""ConsumerGroupDescribe over the wire: groups that are, groups that are not, and who may not see them."""

import pytest
from tests.broker.consumer_requests import join
from tests.broker.group_requests import group_broker
from tests.broker.raw_client import all_versions

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from snakka.raft.features import GROUP_VERSION
from snakka.security.operations import Operation, ResourceType

NO_OPERATIONS = -2147483648


@pytest.fixture
async def broker(tmp_path):
    async with group_broker(tmp_path) as running:
        yield running


async def test_a_group_is_described_in_every_version(broker):
    await join(broker, instance_id="i", rack_id="r", server_assignor="range")
    for version in all_versions(ConsumerGroupDescribeRequest):
        (group,) = (await broker.ask(ConsumerGroupDescribeRequest(group_ids=["g"]), version)).groups
        assert (group.error_code, group.error_message, group.group_id) == (0, None, "g")
        assert (group.group_state, group.group_epoch, group.assignment_epoch) == ("Stable", 2, 2)
        assert (group.assignor_name, group.authorized_operations) == ("range", NO_OPERATIONS)
        (member,) = group.members
        assert (member.member_id, member.instance_id, member.rack_id, member.member_epoch) == (
            "m",
            "i",
            "r",
            2,
        )
        assert (member.client_id, member.client_host) == ("tester", "/127.0.0.1")
        assert (member.subscribed_topic_names, member.subscribed_topic_regex) == (["orders"], "")
        assert member.member_type == (1 if version >= 1 else -1)
        for assignment in (member.assignment, member.target_assignment):
            (row,) = assignment.topic_partitions
            assert (row.topic_name, row.topic_id) == ("orders", broker.image.topics.by_name["orders"].id)
            assert row.partitions == [0, 1]


async def test_every_group_has_an_answer_of_its_own(broker):
    await join(broker)
    request = ConsumerGroupDescribeRequest(group_ids=["g", "nobody", "", "g", "secret"])
    hidden = (Operation.DESCRIBE, ResourceType.GROUP, "secret")
    answer = await broker.ask(request, denied=(hidden,))
    assert {row.group_id: row.error_code for row in answer.groups} == {
        "secret": ErrorCode.GROUP_AUTHORIZATION_FAILED,
        "": ErrorCode.INVALID_GROUP_ID,
        "g": ErrorCode.NONE,
        "nobody": ErrorCode.GROUP_ID_NOT_FOUND,
    }
    assert {row.group_id: row.error_message for row in answer.groups}["nobody"] == "Group nobody not found."
    assert (await broker.ask(ConsumerGroupDescribeRequest(group_ids=[]))).groups == []


async def test_what_the_client_may_do_is_told_if_it_asks(broker):
    await join(broker)
    request = ConsumerGroupDescribeRequest(group_ids=["g", "nobody"], include_authorized_operations=True)
    groups = (await broker.ask(request)).groups
    assert [row.authorized_operations != NO_OPERATIONS for row in groups] == [True, False]


async def test_a_group_that_reads_what_the_client_may_not_see_is_not_shown(broker):
    await join(broker)
    hidden = (Operation.DESCRIBE, ResourceType.TOPIC, "orders")
    answer = await broker.ask(ConsumerGroupDescribeRequest(group_ids=["g"]), denied=(hidden,))
    (group,) = answer.groups
    assert (group.error_code, group.members) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, [])
    assert group.error_message


async def test_without_the_feature_there_are_no_consumer_groups(broker):
    del broker.image.features.levels[GROUP_VERSION]
    answer = await broker.ask(ConsumerGroupDescribeRequest(group_ids=["a", "b"]))
    assert [(row.group_id, row.error_code) for row in answer.groups] == [
        ("a", ErrorCode.UNSUPPORTED_VERSION),
        ("b", ErrorCode.UNSUPPORTED_VERSION),
    ]
