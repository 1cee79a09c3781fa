"""SyncGroup in stories: the leader assigns, everybody asks, and who does not is left behind."""

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


def joined(story: GroupStory, *names: str, **what) -> list[ClassicClient]:
    """Members of a generation that the leader, the first one, has not assigned yet."""
    members = [story.member(name, **what) for name in names]
    for member in members:
        member.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    assert story.state is State.COMPLETING_REBALANCE
    return members


def test_followers_ask_first_and_wait_for_the_leader():
    story = GroupStory()
    a, b = joined(story, "A", "B")
    b.sync()
    assert not b.synced.is_answered
    a.sync({a: b"one", b: b"two"})
    assert (a.assignment, b.assignment) == (b"one", b"two")
    assert b.synced.response.protocol_type == "consumer"
    assert b.synced.response.protocol_name == "range"
    assert story.state is State.STABLE


def test_followers_ask_after_the_leader():
    story = GroupStory()
    a, b = joined(story, "A", "B")
    a.sync({a: b"one", b: b"two"})
    b.sync()
    assert b.assignment == b"two"


def test_what_the_leader_decides_survives_a_crash():
    story = GroupStory()
    a, b = joined(story, "A", "B")
    a.sync({a: b"one", b: b"two"})
    record = story.written()[-1]
    assert (record.protocol_type, record.protocol, record.generation, record.leader) == (
        "consumer",
        "range",
        1,
        a.id,
    )
    assert [(row.member_id, row.client_id, row.client_host) for row in record.members] == [
        (a.id, "A", "/127.0.0.1"),
        (b.id, "B", "/127.0.0.1"),
    ]
    assert record.members[0].subscription == subscription("t")
    story.crash()
    b.sync()
    assert b.assignment == b"two"
    assert a.heartbeat() is ErrorCode.NONE


def test_who_gets_nothing_gets_an_empty_assignment():
    story = GroupStory()
    a, b = joined(story, "A", "B")
    a.sync({a: b"all"})
    b.sync()
    assert b.assignment == b""


def test_an_assignment_for_somebody_else_is_nobodys():
    story = GroupStory()
    (a,) = joined(story, "A")
    stranger = story.member("X")
    stranger.member_id = "X-99"
    a.sync({a: b"one", stranger: b"two"})
    assert a.assignment == b"one"
    assert list(story.group().members) == [a.id]


def test_who_is_not_a_member_of_this_generation_gets_nothing():
    story = GroupStory()
    (a,) = joined(story, "A")
    assert a.sync(group_id="no such group").error is ErrorCode.UNKNOWN_MEMBER_ID
    assert a.sync(member_id="nobody").error is ErrorCode.UNKNOWN_MEMBER_ID
    assert a.sync(group_instance_id="nobody").error is ErrorCode.UNKNOWN_MEMBER_ID
    assert a.sync(generation_id=2).error is ErrorCode.ILLEGAL_GENERATION
    assert story.state is State.COMPLETING_REBALANCE


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ({"protocol_type": "connect"}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocol_name": "roundrobin"}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocol_type": None, "protocol_name": None}, ErrorCode.NONE),
    ],
)
def test_the_protocol_must_be_the_groups_if_it_is_named(what, error):
    story = GroupStory()
    (a,) = joined(story, "A")
    assert a.sync({a: b"all"}, **what).error is error
    assert a.sync({a: b"all"}).error is ErrorCode.NONE
    assert a.sync({a: b"all"}, **what).error is error


def test_a_rebalance_sends_everybody_back_to_join():
    story = GroupStory()
    a, b = joined(story, "A", "B")
    b.sync()
    story.member("C").join()
    assert b.synced.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert a.sync({a: b"one", b: b"two"}).error is ErrorCode.REBALANCE_IN_PROGRESS


def test_if_the_assignment_can_not_be_stored_nobody_gets_it():
    story = GroupStory()
    a, b, c = joined(story, "A", "B", "C")
    b.sync()
    story.refuse_next_append(ErrorCode.NOT_COORDINATOR)
    a.sync({a: b"one", b: b"two"})
    assert a.synced.error is ErrorCode.NOT_COORDINATOR
    assert b.synced.error is ErrorCode.NOT_COORDINATOR
    assert story.state is State.PREPARING_REBALANCE
    assert c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    assert [member.assignment for member in story.group().members.values()] == [b"", b"", b""]
    for member in (a, b, c):
        member.join()
    assert a.generation == 2


def test_of_two_requests_of_a_member_the_later_one_is_waited_with():
    story = GroupStory()
    a, b = joined(story, "A", "B")
    first = b.sync()
    second = b.sync()
    assert first.error is ErrorCode.REBALANCE_IN_PROGRESS
    a.sync({b: b"two"})
    assert second.response.assignment == b"two"


def test_a_leader_that_does_not_assign_is_left_behind():
    story = GroupStory()
    a, b, c = joined(story, "A", "B", "C", session_ms=3 * REBALANCE_MS)
    b.sync()
    story.pass_time(REBALANCE_MS - 2 * INITIAL_DELAY_MS)
    assert not b.synced.is_answered
    story.pass_time(2 * INITIAL_DELAY_MS)
    # C has not asked either.
    assert b.synced.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert list(story.group().members) == [b.id]
    assert a.heartbeat() is c.heartbeat() is ErrorCode.UNKNOWN_MEMBER_ID
    b.join()
    assert b.is_leader
    assert b.generation == 2


def test_followers_that_do_not_ask_are_left_behind():
    story = GroupStory()
    a, b, c = joined(story, "A", "B", "C", session_ms=3 * REBALANCE_MS)
    a.sync({a: b"one", b: b"two", c: b"three"})
    b.sync()
    assert story.state is State.STABLE
    story.pass_time(REBALANCE_MS)
    assert story.state is State.PREPARING_REBALANCE
    assert list(story.group().members) == [a.id, b.id]
    assert a.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS


def test_nobody_asks():
    story = GroupStory()
    joined(story, "A", "B", session_ms=3 * REBALANCE_MS)
    story.pass_time(REBALANCE_MS)
    assert (story.state, story.group().generation) == (State.EMPTY, 2)
    assert not len(story.shard.deadlines)


def test_everybody_has_asked_and_nobody_is_left_behind():
    story = GroupStory()
    a, b = joined(story, "A", "B", session_ms=3 * REBALANCE_MS)
    a.sync({})
    b.sync()
    story.pass_time(2 * REBALANCE_MS)
    assert story.state is State.STABLE


def test_waiting_for_the_leader_is_as_good_as_a_heartbeat():
    story = GroupStory()
    a, b = joined(story, "A", "B")
    b.sync()
    for _ in range(3):
        story.pass_time(SESSION_MS - 1)
        assert a.heartbeat() is ErrorCode.NONE
    a.sync({b: b"two"})
    assert b.assignment == b"two"
    # From here on it must be heard of again.
    story.pass_time(SESSION_MS - 1)
    assert b.heartbeat() is ErrorCode.NONE


def test_a_member_that_leaves_while_it_waits_is_told():
    story = GroupStory()
    a, b = joined(story, "A", "B")
    b.sync()
    assert b.leave() is ErrorCode.NONE
    assert b.synced.error is ErrorCode.UNKNOWN_MEMBER_ID
    assert a.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_garbled_subscription_harms_nobody():
    story = GroupStory()
    a = story.member("A")
    b = story.member("B", protocols={"range": b"\xff\xff garbage"})
    story.settled(a, b)
    assert a.assignment == b"A"
    assert b.assignment == b"B"
    assert [row.metadata for row in a.answer.members] == [subscription("t"), b"\xff\xff garbage"]
    assert story.shard.groups[GROUP].is_subscribed_to("anything")
