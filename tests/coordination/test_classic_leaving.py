"""LeaveGroup in stories: one member or many, by id or by instance."""

from tests.coordination.group_story import INITIAL_DELAY_MS, GroupStory, ask_to_leave, leave

from snakka.coordination.groups.classic.group import State
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.leave_group import MemberIdentity


def codes(rows) -> list[ErrorCode]:
    return [ErrorCode(row.error_code) for row in rows]


def test_a_member_leaves_and_the_others_share_what_it_had():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    assert a.leave() is ErrorCode.NONE
    assert b.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    b.join()
    assert b.is_leader
    assert b.generation == 2
    assert a.leave() is ErrorCode.UNKNOWN_MEMBER_ID


def test_the_last_one_leaves_an_empty_group():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    assert a.leave() is ErrorCode.NONE
    assert (story.state, story.group().generation, story.group().leader_id) == (State.EMPTY, 2, None)
    assert not len(story.shard.deadlines)


def test_who_leaves_an_empty_group_is_told_if_that_can_not_be_written_down():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    story.refuse_next_append(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert a.leave() is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert story.state is State.EMPTY


def test_a_member_leaves_that_everybody_waits_for():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    a.join()
    assert not a.joined.is_answered
    assert b.leave() is ErrorCode.NONE
    assert a.generation == 2


def test_who_leaves_while_it_waits_to_join_is_told():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    b.protocols = ("range", "sticky")
    b.join()
    assert b.leave() is ErrorCode.NONE
    assert b.joined.error is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_pending_member_leaves():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a)
    b.member_id = b.join_once().response.member_id
    a.join()
    assert not a.joined.is_answered
    assert b.leave() is ErrorCode.NONE
    assert a.generation == 2
    assert b.join_once().error is ErrorCode.UNKNOWN_MEMBER_ID


def test_nobody_leaves_a_group_that_does_not_exist():
    asked = ask_to_leave(GroupStory(), MemberIdentity(member_id="A-1"), group="no such group")
    assert asked.error is ErrorCode.UNKNOWN_MEMBER_ID


def test_several_leave_at_once_and_each_is_told():
    story = GroupStory()
    a = story.member("A", instance_id="one")
    b = story.member("B", instance_id="two")
    c = story.member("C")
    pending = story.member("D")
    story.settled(a, b, c)
    pending.member_id = pending.join_once().response.member_id
    rows = leave(
        story,
        MemberIdentity(member_id=a.id, group_instance_id="one"),
        # An administrator knows the instance only.
        MemberIdentity(group_instance_id="two"),
        MemberIdentity(member_id=c.id),
        MemberIdentity(member_id=pending.member_id),
        MemberIdentity(member_id=c.id),
        MemberIdentity(group_instance_id="three"),
        MemberIdentity(),
    )
    unknown = ErrorCode.UNKNOWN_MEMBER_ID
    assert codes(rows) == [*[ErrorCode.NONE] * 4, unknown, unknown, unknown]
    assert (rows[1].member_id, rows[1].group_instance_id) == ("", "two")
    assert (rows[0].member_id, rows[0].group_instance_id) == (a.id, "one")
    assert story.state is State.EMPTY


def test_a_fenced_instance_does_not_leave_for_its_successor():
    story = GroupStory()
    a, b = story.member("A", instance_id="one"), story.member("B")
    story.settled(a, b)
    back = story.member("A", instance_id="one")
    back.join()
    rows = leave(
        story,
        MemberIdentity(member_id=a.id, group_instance_id="one"),
        MemberIdentity(member_id=a.id),
        MemberIdentity(member_id=back.id, group_instance_id="unknown"),
    )
    assert codes(rows) == [
        ErrorCode.FENCED_INSTANCE_ID,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.UNKNOWN_MEMBER_ID,
    ]
    assert story.state is State.STABLE


def test_all_leave_the_first_rebalance_but_one():
    story = GroupStory()
    members = [story.member(name) for name in "ABC"]
    for member in members:
        member.join()
    assert members[0].leave() is members[1].leave() is ErrorCode.NONE
    story.pass_time(2 * INITIAL_DELAY_MS)
    assert members[2].is_leader
    assert len(members[2].answer.members) == 1
