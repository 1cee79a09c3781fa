"""Static members in stories (KIP-345, KIP-814): they come back without a rebalance, and fence who they were."""

import pytest
from tests.coordination.group_story import (
    GROUP,
    INITIAL_DELAY_MS,
    REBALANCE_MS,
    SESSION_MS,
    ClassicClient,
    GroupStory,
    subscription,
)

from snakka.coordination.groups.classic.group import State
from snakka.protocol.error_codes import ErrorCode


def two(story: GroupStory, **what) -> tuple[ClassicClient, ClassicClient]:
    """A leader and a follower, both static, in a stable group."""
    leader = story.member("A", instance_id="leader", **what)
    follower = story.member("B", instance_id="follower", **what)
    story.settled(leader, follower)
    return leader, follower


def again(member: ClassicClient, **what) -> ClassicClient:
    """The same instance in a new process: it knows nothing."""
    given = {
        "instance_id": member.instance_id,
        "version": member.version,
        "protocols": member.protocols,
        **what,
    }
    return member.story.member(member.name, **given)


def test_a_static_member_needs_no_id_to_join():
    story = GroupStory()
    member = story.member("A", instance_id="one")
    member.join_once()
    story.pass_time(INITIAL_DELAY_MS)
    assert member.id == "one-1"
    assert story.group().static_members == {"one": "one-1"}
    assert member.answer.members[0].group_instance_id == "one"


def test_a_follower_comes_back_and_gets_what_it_had_without_a_rebalance():
    story = GroupStory()
    leader, follower = two(story)
    back = again(follower)
    back.join()
    assert (back.generation, back.answer.leader, back.answer.members) == (1, leader.id, [])
    assert not back.answer.skip_assignment
    assert back.id != follower.id
    assert story.state is State.STABLE
    back.sync()
    assert back.assignment == b"B"
    assert leader.heartbeat() is ErrorCode.NONE
    assert back.heartbeat() is ErrorCode.NONE
    story.crash()
    assert back.heartbeat() is ErrorCode.NONE
    assert story.group().members[back.id].assignment == b"B"


def test_who_it_was_is_fenced():
    story = GroupStory()
    _, follower = two(story)
    old_id = follower.id
    back = again(follower)
    back.join()
    assert follower.heartbeat() is ErrorCode.FENCED_INSTANCE_ID
    assert follower.sync().error is ErrorCode.FENCED_INSTANCE_ID
    assert follower.leave() is ErrorCode.FENCED_INSTANCE_ID
    assert follower.join().error is ErrorCode.FENCED_INSTANCE_ID
    assert follower.answer.member_id == old_id
    follower.instance_id = None
    assert follower.heartbeat(1) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_leader_comes_back_and_is_told_that_it_need_not_assign():
    story = GroupStory()
    leader, _ = two(story)
    back = again(leader)
    back.join()
    assert back.is_leader
    assert back.answer.skip_assignment
    assert len(back.answer.members) == 2
    back.sync()
    assert back.assignment == b"A"
    assert story.state is State.STABLE


@pytest.mark.parametrize("version", [5, 8])
def test_an_older_leader_comes_back_and_does_not_take_itself_for_the_leader(version):
    story = GroupStory()
    leader, _ = two(story)
    back = again(leader, version=version)
    back.join()
    assert back.answer.leader == leader.id
    assert not back.is_leader
    assert (back.answer.members, back.answer.skip_assignment) == ([], False)
    assert story.group().leader_id == back.id
    back.sync()
    assert back.assignment == b"A"


def test_it_gets_another_id_each_time():
    story = GroupStory()
    _, follower = two(story)
    seen = {follower.id}
    for _ in range(3):
        follower = again(follower)
        follower.join()
        seen.add(follower.id)
    assert len(seen) == 4
    assert len(story.group().members) == 2


def test_what_comes_back_is_written_down_with_what_it_says_now():
    story = GroupStory()
    leader, follower = two(story)
    back = again(follower, session_ms=20_000, rebalance_ms=30_000, protocols={"range": subscription("new")})
    back.join()
    record = story.written()[-1]
    assert (record.generation, record.leader, record.protocol) == (1, leader.id, "range")
    row = record.members[1]
    assert (row.member_id, row.group_instance_id, row.assignment) == (back.id, "follower", b"B")
    assert (row.session_timeout, row.rebalance_timeout, row.subscription) == (
        20_000,
        30_000,
        subscription("new"),
    )


def test_if_that_can_not_be_written_down_the_old_member_stays():
    story = GroupStory()
    leader, follower = two(story)
    story.refuse_next_append(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    back = again(follower, protocols={"range": subscription("new"), "sticky": b""}, session_ms=20_000)
    assert back.join().error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    group = story.group()
    assert list(group.members) == [leader.id, follower.id]
    assert group.static_members["follower"] == follower.id
    assert group.members[follower.id].protocols == {"range": subscription("t")}
    assert group.members[follower.id].session_timeout_ms == SESSION_MS
    assert follower.heartbeat() is ErrorCode.NONE
    assert again(leader).join().error is ErrorCode.NONE


def test_it_comes_back_with_a_protocol_that_the_group_changes_to():
    story = GroupStory()
    leader, follower = two(story, protocols=("range", "roundrobin"))
    back = again(follower, protocols=("roundrobin",))
    back.join()
    assert story.state is State.PREPARING_REBALANCE
    assert leader.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    leader.join()
    assert (leader.generation, back.generation) == (2, 2)
    assert back.answer.protocol_name == "roundrobin"


def test_it_comes_back_before_the_leader_has_assigned():
    story = GroupStory()
    leader, follower = story.member("A", instance_id="leader"), story.member("B", instance_id="follower")
    leader.join()
    follower.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    waiting = follower.sync()
    back = again(follower)
    back.join()
    assert waiting.error is ErrorCode.FENCED_INSTANCE_ID
    # The leader would assign to an id that is gone.
    assert story.state is State.PREPARING_REBALANCE
    assert leader.sync({leader: b"all"}).error is ErrorCode.REBALANCE_IN_PROGRESS
    leader.join()
    assert [row.member_id for row in leader.answer.members] == [leader.id, back.id]


def test_it_comes_back_during_a_rebalance():
    story = GroupStory()
    leader, follower = two(story)
    leader.join()
    back = again(follower)
    back.join()
    assert (leader.generation, back.generation) == (2, 2)


def test_a_duplicate_is_fenced_while_it_waits_to_join():
    story = GroupStory()
    leader, follower = two(story)
    third = story.member("C")
    third.join()
    follower.join()
    waiting, old_id = follower.joined, follower.member_id
    back = again(follower)
    back.join()
    assert waiting.error is ErrorCode.FENCED_INSTANCE_ID
    assert (waiting.response.member_id, waiting.response.protocol_name) == (old_id, None)
    leader.join()
    assert {leader.generation, back.generation, third.generation} == {2}


def test_a_member_that_knows_its_id_joins_as_others_do():
    story = GroupStory()
    leader, follower = two(story)
    follower.join()
    assert follower.generation == 1
    assert story.state is State.STABLE
    leader.join()
    assert story.state is State.PREPARING_REBALANCE
    follower.join()
    assert (leader.generation, follower.generation) == (2, 2)


def test_an_id_and_an_instance_that_do_not_belong_together():
    story = GroupStory()
    leader, follower = two(story)
    mixed = again(leader)
    mixed.member_id = follower.id
    assert mixed.join().error is ErrorCode.FENCED_INSTANCE_ID
    unknown = story.member("X", instance_id="nobody")
    unknown.member_id = follower.id
    assert unknown.join().error is ErrorCode.UNKNOWN_MEMBER_ID


def test_an_id_that_was_given_to_a_dynamic_member_is_none_for_a_static_one():
    story = GroupStory()
    story.settled(story.member("A"))
    dynamic = story.member("B")
    given = dynamic.join_once().response.member_id
    static = story.member("C", instance_id="one")
    static.member_id = given
    assert static.join().error is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_static_member_that_does_not_join_again_keeps_its_place_for_now():
    story = GroupStory()
    long_ms = 10 * REBALANCE_MS
    leader, follower = two(story, session_ms=long_ms)
    story.member("C", session_ms=long_ms).join()
    leader.join()
    story.pass_time(REBALANCE_MS)
    assert leader.generation == 2
    assert follower.id in story.group().members
    # But it has not asked for its assignment: the next generation goes without it.
    leader.sync({leader: b"all"})
    story.pass_time(REBALANCE_MS)
    assert follower.id not in story.group().members
    assert story.state is State.PREPARING_REBALANCE


def test_a_leader_that_does_not_join_again_loses_the_lead_and_keeps_its_place():
    story = GroupStory()
    leader, follower = two(story, session_ms=10 * REBALANCE_MS)
    third = story.member("C")
    third.join()
    follower.join()
    story.pass_time(REBALANCE_MS)
    assert follower.is_leader
    assert [row.member_id for row in follower.answer.members] == [leader.id, follower.id, third.id]


def test_if_no_static_member_joins_the_rebalance_goes_on_until_their_sessions_end():
    story = GroupStory()
    long_ms = 3 * REBALANCE_MS
    leader, follower = two(story, session_ms=long_ms)
    leader.heartbeat()
    follower.heartbeat()
    dynamic = story.member("C")
    dynamic.join()
    dynamic.leave()
    story.pass_time(2 * REBALANCE_MS)
    assert story.state is State.PREPARING_REBALANCE
    assert len(story.group().members) == 2
    story.pass_time(REBALANCE_MS)
    assert (story.state, story.group().generation) == (State.EMPTY, 2)


def test_a_static_member_that_left_for_too_long_is_a_new_one():
    story = GroupStory()
    leader, follower = two(story)
    for _ in range(3):
        story.pass_time(SESSION_MS // 2)
        leader.heartbeat()
    assert leader.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    back = again(follower)
    back.join()
    leader.join()
    assert (leader.generation, back.generation) == (2, 2)
    assert list(story.group().members) == [leader.id, back.id]


def test_a_static_member_counts_for_the_size_of_a_group():
    story = GroupStory(group_max_size=2)
    _, follower = two(story)
    assert story.member("C", instance_id="third").join().error is ErrorCode.GROUP_MAX_SIZE_REACHED
    # Kafka looks at the size before it looks for the instance.
    assert again(follower).join().error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert GROUP in story.shard.groups
