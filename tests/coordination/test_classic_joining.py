"""JoinGroup in stories: ids, the first rebalance and the later ones, protocols, and how big a group gets."""

import pytest
from tests.coordination.group_story import (
    GROUP,
    INITIAL_DELAY_MS,
    REBALANCE_MS,
    SESSION_MS,
    GroupStory,
    subscription,
)

from snakka.coordination.groups.classic.group import State
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.record_types.group_coordinator.group_metadata_value import GroupMetadataValue

FIVE_MINUTES_MS = 300_000


def states(*members) -> list[bool]:
    return [member.joined.is_answered for member in members]


def test_a_new_member_gets_its_id_first_and_joins_with_it():
    story = GroupStory()
    member = story.member("A")
    told = member.join_once()
    assert told.error is ErrorCode.MEMBER_ID_REQUIRED
    assert told.response.member_id == "A-1"
    assert story.group().pending_join == {"A-1": None}
    member.member_id = "A-1"
    member.join_once()
    assert not member.joined.is_answered
    assert story.state is State.PREPARING_REBALANCE
    story.pass_time(INITIAL_DELAY_MS)
    assert member.answer.member_id == "A-1"
    assert not story.group().pending_join


@pytest.mark.parametrize("version", range(4))
def test_old_clients_join_without_an_id(version):
    story = GroupStory()
    member = story.member("A", version=version)
    member.join_once()
    story.pass_time(INITIAL_DELAY_MS)
    assert member.joined.error is ErrorCode.NONE
    assert member.id == "A-1"


def test_the_first_member_leads_the_first_generation_and_is_told_of_all():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    a.join()
    b.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    assert (a.generation, b.generation) == (1, 1)
    assert a.is_leader
    assert not b.is_leader
    assert [(row.member_id, row.group_instance_id, row.metadata) for row in a.answer.members] == [
        (a.id, None, subscription("t")),
        (b.id, None, subscription("t")),
    ]
    assert b.answer.members == []
    assert a.answer.protocol_type == b.answer.protocol_type == "consumer"
    assert a.answer.protocol_name == "range"
    assert not a.answer.skip_assignment


def test_a_new_group_is_written_down_before_anybody_is_told():
    story = GroupStory()
    story.member("A").join_once()
    assert story.written() == [
        GroupMetadataValue(protocol=None, leader=None, current_state_timestamp=story.now.wall_ms)
    ]
    story.crash()
    assert story.state is State.EMPTY
    assert story.group().generation == 0


def test_a_group_that_can_not_be_written_down_does_not_exist():
    story = GroupStory()
    story.refuse_next_append()
    member = story.member("A")
    assert member.join().error is ErrorCode.NOT_COORDINATOR
    assert GROUP not in story.shard.groups
    assert not len(story.shard.deadlines)
    story.settled(member)
    assert story.state is State.STABLE


def test_an_old_member_whose_group_can_not_be_written_down_is_told():
    story = GroupStory()
    story.refuse_next_append(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert story.member("A", version=3).join().error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert not story.shard.groups
    assert not len(story.shard.deadlines)


def test_an_unknown_id_is_no_member():
    story = GroupStory()
    stranger = story.member("X")
    stranger.member_id = "X-99"
    assert stranger.join().error is ErrorCode.UNKNOWN_MEMBER_ID
    assert GROUP not in story.shard.groups
    story.settled(story.member("A"))
    stranger.join()
    assert (stranger.joined.error, stranger.answer.member_id) == (ErrorCode.UNKNOWN_MEMBER_ID, "X-99")


def test_a_member_of_an_empty_group_must_begin_anew():
    story = GroupStory()
    member = story.member("A")
    story.settled(member)
    member.leave()
    assert story.state is State.EMPTY
    assert member.join().error is ErrorCode.UNKNOWN_MEMBER_ID


# -- the first rebalance ----------------------------------------------------------------------------------------------


def test_the_first_rebalance_waits_for_more_members():
    story = GroupStory()
    a, b, c = story.member("A"), story.member("B"), story.member("C")
    a.join()
    story.pass_time(INITIAL_DELAY_MS - 1)
    b.join()
    # B came while it waited: it waits once more.
    story.pass_time(INITIAL_DELAY_MS)
    assert states(a, b) == [False, False]
    c.join()
    story.pass_time(INITIAL_DELAY_MS)
    assert states(a, b, c) == [False, False, False]
    story.pass_time(INITIAL_DELAY_MS)
    assert {a.generation, b.generation, c.generation} == {1}
    assert len(a.answer.members) == 3


def test_the_first_rebalance_never_waits_longer_than_a_rebalance_may():
    story = GroupStory()
    rebalance_ms = 2 * INITIAL_DELAY_MS + 1_000
    members = [story.member(name, rebalance_ms=rebalance_ms) for name in "ABCD"]
    for member in members:
        member.join()
        story.pass_time(INITIAL_DELAY_MS - 1_000)
    assert states(*members) == [True] * 4
    assert len(members[0].answer.members) == 4


def test_without_a_delay_the_first_member_is_on_its_way_at_once():
    story = GroupStory(group_initial_rebalance_delay_ms=0)
    member = story.member("A")
    member.join()
    story.pass_time(0)
    assert member.generation == 1


def test_everybody_leaves_during_the_first_rebalance():
    story = GroupStory()
    member = story.member("A")
    member.join()
    assert member.leave() is ErrorCode.NONE
    assert member.joined.error is ErrorCode.UNKNOWN_MEMBER_ID
    story.pass_time(INITIAL_DELAY_MS)
    assert (story.state, story.group().generation) == (State.EMPTY, 1)


def test_a_group_that_was_empty_waits_again():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    a.leave()
    b = story.member("B")
    b.join()
    story.pass_time(INITIAL_DELAY_MS - 1)
    assert not b.joined.is_answered
    story.pass_time(1)
    # Generation 2 was the empty one.
    assert b.generation == 3


# -- later rebalances -------------------------------------------------------------------------------------------------


def test_a_second_member_comes_and_the_first_joins_again():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a)
    b.join()
    assert story.state is State.PREPARING_REBALANCE
    assert a.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    a.join()
    assert (a.generation, b.generation) == (2, 2)
    assert a.is_leader
    a.sync({a: b"half", b: b"other half"})
    b.sync()
    assert (a.assignment, b.assignment) == (b"half", b"other half")
    assert story.state is State.STABLE


def test_who_does_not_join_again_is_left_behind():
    story = GroupStory()
    a, b = story.member("A", session_ms=REBALANCE_MS + 1), story.member("B")
    story.settled(a)
    b.join()
    story.pass_time(REBALANCE_MS - 1)
    assert not b.joined.is_answered
    story.pass_time(1)
    assert b.generation == 2
    assert b.is_leader
    assert a.heartbeat() is ErrorCode.UNKNOWN_MEMBER_ID
    assert a.join().error is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_rebalance_takes_as_long_as_the_most_patient_member_allows():
    story = GroupStory()
    patient = story.member("A", rebalance_ms=2 * REBALANCE_MS, session_ms=4 * REBALANCE_MS)
    story.settled(patient)
    b = story.member("B")
    b.join()
    story.pass_time(2 * REBALANCE_MS - 1)
    assert not b.joined.is_answered
    story.pass_time(1)
    assert b.generation == 2


def test_a_pending_member_is_waited_for():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a)
    b.member_id = b.join_once().response.member_id
    a.join()
    assert not a.joined.is_answered
    b.join_once()
    assert (a.generation, b.generation) == (2, 2)


def test_a_pending_member_that_does_not_come_is_not_waited_for_any_longer():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a)
    b.member_id = b.join_once().response.member_id
    a.join()
    story.pass_time(SESSION_MS - 1)
    assert not a.joined.is_answered
    story.pass_time(1)
    assert a.generation == 2
    assert not story.group().pending_join
    assert b.join_once().error is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_new_member_that_was_not_answered_for_minutes_is_given_up():
    story = GroupStory()
    a = story.member("A", rebalance_ms=2 * FIVE_MINUTES_MS, session_ms=2 * FIVE_MINUTES_MS)
    story.settled(a)
    b = story.member("B")
    b.join()
    story.pass_time(FIVE_MINUTES_MS - 1)
    assert not b.joined.is_answered
    story.pass_time(1)
    assert b.joined.error is ErrorCode.UNKNOWN_MEMBER_ID
    assert b.answer.member_id == ""
    assert list(story.group().members) == [a.id]


def test_the_leader_of_a_stable_group_begins_a_rebalance_by_joining():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    a.join()
    assert story.state is State.PREPARING_REBALANCE
    assert b.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    b.join()
    assert (a.generation, b.generation) == (2, 2)


def test_a_follower_that_has_not_changed_is_told_what_it_missed():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    b.join()
    assert (b.generation, b.answer.leader, b.answer.members) == (1, a.id, [])
    assert story.state is State.STABLE
    b.sync()
    assert b.assignment == b"B"


def test_a_follower_that_has_changed_begins_a_rebalance():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    b.protocols = {"range": subscription("another topic")}
    b.join()
    assert story.state is State.PREPARING_REBALANCE
    a.join()
    assert [row.metadata for row in a.answer.members] == [subscription("t"), subscription("another topic")]


def test_the_order_of_protocols_is_a_change_too():
    story = GroupStory()
    a = story.member("A", protocols=("range", "sticky"))
    b = story.member("B", protocols=("range", "sticky"))
    story.settled(a, b)
    b.protocols = ("sticky", "range")
    b.join()
    assert story.state is State.PREPARING_REBALANCE


def test_joining_again_before_the_leader_has_assigned_changes_nothing():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    a.join()
    b.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    a.join()
    b.join()
    assert story.state is State.COMPLETING_REBALANCE
    assert a.generation == b.generation == 1
    assert len(a.answer.members) == 2
    assert b.answer.members == []


def test_a_change_before_the_leader_has_assigned_begins_another_rebalance():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    a.join()
    b.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    a_waits = a.sync() if not a.is_leader else None
    b_waits = b.sync()
    assert a_waits is None
    a.protocols = {"range": subscription("another topic")}
    a.join()
    assert b_waits.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert story.state is State.PREPARING_REBALANCE
    b.join()
    assert a.generation == b.generation == 2


def test_of_two_requests_of_a_member_the_later_one_is_waited_with():
    story = GroupStory()
    a = story.member("A")
    a.join()
    first, second = a.joined, a.join_once()
    assert first.error is ErrorCode.REBALANCE_IN_PROGRESS
    story.pass_time(INITIAL_DELAY_MS)
    assert second.error is ErrorCode.NONE


def test_a_new_leader_is_elected_if_the_old_one_is_late():
    story = GroupStory()
    a, b, c = story.member("A", session_ms=2 * REBALANCE_MS), story.member("B"), story.member("C")
    story.settled(a, b)
    c.join()
    b.join()
    story.pass_time(REBALANCE_MS)
    assert b.is_leader
    assert c.generation == 2
    assert a.heartbeat() is ErrorCode.UNKNOWN_MEMBER_ID


# -- protocols --------------------------------------------------------------------------------------------------------


def test_the_protocol_that_most_like_best_is_taken_of_those_that_all_support():
    story = GroupStory()
    members = [
        story.member("A", protocols=("range", "roundrobin", "sticky")),
        story.member("B", protocols=("sticky", "roundrobin", "range")),
        story.member("C", protocols=("special", "roundrobin", "range")),
    ]
    for member in members:
        member.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    # A votes for range, B and C for roundrobin: sticky and special are not for all.
    assert {member.answer.protocol_name for member in members} == {"roundrobin"}


@pytest.mark.parametrize(
    "what",
    [{"protocols": ("roundrobin",)}, {"protocols": ()}, {"protocol_type": "connect"}, {"protocol_type": ""}],
)
def test_who_has_no_protocol_in_common_stays_outside(what):
    story = GroupStory()
    story.settled(story.member("A"))
    other = story.member("B", **what)
    assert other.join().error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert other.answer.protocol_type is None
    assert story.state is State.STABLE


@pytest.mark.parametrize("what", [{"protocols": ()}, {"protocol_type": ""}])
def test_a_group_needs_a_protocol_and_its_type(what):
    story = GroupStory()
    assert story.member("A", **what).join().error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert not story.shard.groups


def test_a_member_that_forgets_the_common_protocol_stays_as_it_was():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    b.protocols = ("roundrobin",)
    assert b.join().error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert b.answer.member_id == b.id
    assert story.state is State.STABLE


def test_a_group_that_was_empty_may_change_its_type():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    a.leave()
    b = story.member("B", protocol_type="connect", protocols=("eager",))
    story.settled(b)
    assert story.group().protocol_type == "connect"


# -- how big a group gets ---------------------------------------------------------------------------------------------


def test_a_full_group_takes_nobody_else():
    story = GroupStory(group_max_size=2)
    a, b, c = story.member("A"), story.member("B"), story.member("C")
    story.settled(a, b)
    assert c.join().error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert c.answer.member_id == ""
    assert story.state is State.STABLE
    a.join()
    b.join()
    assert a.generation == b.generation == 2


def test_in_the_first_rebalance_the_last_ones_do_not_get_in():
    story = GroupStory(group_max_size=2)
    members = [story.member(name, version=3) for name in "ABC"]
    for member in members:
        member.join()
    assert states(*members) == [False, False, True]
    assert members[2].joined.error is ErrorCode.GROUP_MAX_SIZE_REACHED


def test_an_id_does_not_mean_a_place():
    story = GroupStory(group_max_size=2)
    members = [story.member(name) for name in "ABC"]
    for member in members:
        member.member_id = member.join_once().response.member_id
    for member in members:
        member.join_once()
    assert states(*members) == [False, False, True]
    assert members[2].joined.error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert not story.group().pending_join


def test_a_group_that_is_too_big_after_a_restart_loses_who_joins_last():
    story = GroupStory()
    members = [story.member(name) for name in "ABC"]
    story.settled(*members)
    story.settings = GroupStory(group_max_size=2).settings
    story.crash()
    assert story.state is State.PREPARING_REBALANCE
    assert members[0].heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    for member in members:
        member.join()
    assert [member.joined.error for member in members[2:]] == [ErrorCode.GROUP_MAX_SIZE_REACHED]
    # The group does not wait for the one that it has refused.
    story.pass_time(REBALANCE_MS)
    assert [member.generation for member in members[:2]] == [2, 2]
