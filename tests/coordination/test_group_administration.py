"""ListGroups and DescribeGroups as a shard answers them."""

import pytest
from tests.coordination.offset_story import OffsetStory

from snakka.coordination.groups.classic.group import ClassicGroup, ClassicMember, State
from snakka.coordination.groups.describing import describe_group
from snakka.coordination.groups.group import CONSUMER
from snakka.coordination.groups.listing import list_groups
from snakka.protocol.error_codes import ErrorCode


@pytest.fixture
def story() -> OffsetStory:
    told = OffsetStory()
    told.add("classic", state_name="PreparingRebalance")
    told.add("modern", kind=CONSUMER, state_name="Stable")
    told.commit("simple", {("orders", 0): 1})
    return told


def listed(story: OffsetStory, states=(), kinds=()) -> list[str]:
    return [group.group_id for group in list_groups(story.shard, states, kinds)]


def test_every_group_is_listed_with_what_it_is(story) -> None:
    rows = [
        (group.group_id, group.protocol_type, group.group_state, group.group_type)
        for group in list_groups(story.shard, [], [])
    ]
    assert rows == [
        ("classic", "consumer", "PreparingRebalance", "classic"),
        ("modern", "consumer", "Stable", "consumer"),
        ("simple", "", "Empty", "classic"),
    ]


def test_groups_are_listed_by_state(story) -> None:
    assert listed(story, ["Stable"]) == ["modern"]
    assert listed(story, [" stable ", "EMPTY"]) == ["modern", "simple"]
    assert listed(story, ["no such state"]) == []


def test_groups_are_listed_by_kind(story) -> None:
    assert listed(story, kinds=["classic"]) == ["classic", "simple"]
    assert listed(story, kinds=["Consumer"]) == ["modern"]
    assert listed(story, kinds=["share", "no such kind"]) == []
    assert listed(story, ["Empty"], ["consumer"]) == []


def stable_group() -> ClassicGroup:
    group = ClassicGroup("g", protocol_type="consumer", protocol_name="range", state=State.STABLE)
    group.add(
        ClassicMember("m-1", "i-1", "client", "/127.0.0.1", 1, 1, {"range": b"wants"}, assignment=b"gets")
    )
    return group


def test_a_stable_group_is_described_with_all_that_its_members_said(story) -> None:
    story.shard.groups["g"] = stable_group()
    described = describe_group(story.shard, "g", 5)
    assert (described.error_code, described.group_id, described.group_state) == (0, "g", "Stable")
    assert (described.protocol_type, described.protocol_data) == ("consumer", "range")
    (member,) = described.members
    assert (member.member_id, member.group_instance_id) == ("m-1", "i-1")
    assert (member.client_id, member.client_host) == ("client", "/127.0.0.1")
    assert (member.member_metadata, member.member_assignment) == (b"wants", b"gets")


def test_while_a_group_rebalances_nobody_is_told_what_its_members_want(story) -> None:
    group = story.shard.groups["g"] = stable_group()
    group.enter(State.PREPARING_REBALANCE, 0)
    described = describe_group(story.shard, "g", 5)
    assert (described.group_state, described.protocol_data) == ("PreparingRebalance", "")
    assert described.members[0].member_metadata == b""


@pytest.mark.parametrize(
    ("group_id", "message"),
    [("nobody", "Group nobody not found."), ("modern", "Group modern is not a classic group.")],
)
def test_a_group_that_can_not_be_described(story, group_id, message) -> None:
    before = describe_group(story.shard, group_id, 5)
    assert (before.group_state, before.error_code, before.error_message) == ("Dead", 0, None)
    now = describe_group(story.shard, group_id, 6)
    assert (now.group_state, now.error_code) == ("Dead", ErrorCode.GROUP_ID_NOT_FOUND)
    assert now.error_message == message
