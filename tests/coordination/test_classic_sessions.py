"""Heartbeats and sessions in stories: who is heard of stays, and who is not goes."""

from tests.coordination.group_story import GROUP, INITIAL_DELAY_MS, SESSION_MS, GroupStory

from snakka.coordination.decision import Decision
from snakka.coordination.groups.classic.group import State
from snakka.protocol.error_codes import ErrorCode


def test_heartbeats_keep_a_session():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    for _ in range(5):
        story.pass_time(SESSION_MS - 1)
        assert a.heartbeat() is ErrorCode.NONE
    assert len(story.shard.deadlines) == 1


def test_without_heartbeats_a_session_ends():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    story.pass_time(SESSION_MS)
    assert a.heartbeat() is ErrorCode.UNKNOWN_MEMBER_ID
    assert (story.state, story.group().generation) == (State.EMPTY, 2)
    record = story.written()[-1]
    assert (record.generation, record.members, record.protocol, record.leader) == (2, [], None, None)
    assert record.protocol_type == "consumer"
    assert record.current_state_timestamp == story.now.wall_ms
    assert not len(story.shard.deadlines)


def test_an_empty_generation_stands_even_if_it_is_not_written_down():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    story.refuse_next_append()
    story.pass_time(SESSION_MS)
    assert (story.state, story.group().generation) == (State.EMPTY, 2)
    story.settled(story.member("B"))
    assert story.group().generation == 3


def test_a_failed_member_begins_a_rebalance_of_the_others():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    story.pass_time(SESSION_MS - 1)
    b.heartbeat()
    story.pass_time(1)
    assert b.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    b.join()
    assert b.is_leader
    assert b.generation == 2


def test_a_member_fails_before_the_leader_has_assigned():
    story = GroupStory()
    a, b = story.member("A", session_ms=30_000), story.member("B")
    a.join()
    b.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    a.sync({a: b"one", b: b"two"})
    story.pass_time(SESSION_MS)
    assert story.state is State.PREPARING_REBALANCE
    assert list(story.group().members) == [a.id]


def test_a_new_member_that_fails_right_after_it_joined():
    story = GroupStory()
    a, b = story.member("A", session_ms=30_000), story.member("B")
    story.settled(a)
    b.join()
    a.join()
    assert b.generation == 2
    # B was new while it waited; now it has a session as others do, and does not come back.
    story.pass_time(SESSION_MS)
    assert list(story.group().members) == [a.id]


def test_a_member_fails_that_everybody_waits_for():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    a.join()
    story.pass_time(SESSION_MS)
    assert a.generation == 2
    assert list(story.group().members) == [a.id]


def test_waiting_to_join_is_as_good_as_a_heartbeat():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    a.join()
    for _ in range(4):
        story.pass_time(SESSION_MS - 1)
        assert b.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    b.join()
    assert a.generation == b.generation == 2
    story.pass_time(SESSION_MS - 1)
    assert a.heartbeat() is ErrorCode.NONE


def test_heartbeats_before_the_leader_has_assigned_are_welcome():
    story = GroupStory()
    a = story.member("A")
    a.join()
    story.pass_time(INITIAL_DELAY_MS)
    for _ in range(3):
        story.pass_time(SESSION_MS - 1)
        assert a.heartbeat() is ErrorCode.NONE


def test_a_heartbeat_of_somebody_else():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    assert a.heartbeat(2) is ErrorCode.ILLEGAL_GENERATION
    a.group = "no such group"
    assert a.heartbeat() is ErrorCode.UNKNOWN_MEMBER_ID
    a.group, a.instance_id = GROUP, "nobody"
    assert a.heartbeat() is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_new_coordinator_gives_everybody_a_whole_session():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a, b)
    story.pass_time(SESSION_MS - 1)
    story.crash()
    story.pass_time(SESSION_MS - 1)
    assert a.heartbeat() is ErrorCode.NONE
    story.pass_time(1)
    assert a.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    assert list(story.group().members) == [a.id]


def test_a_rebalance_that_a_crash_interrupts_begins_again():
    story = GroupStory()
    a, b = story.member("A"), story.member("B")
    story.settled(a)
    b.join()
    a.join()
    a.sync({a: b"one", b: b"two"})
    story.crash()
    # Generation 2 was stored: A missed its answer, and B had not asked yet.
    a.sync()
    b.sync()
    assert (a.assignment, b.assignment) == (b"one", b"two")
    c = story.member("C")
    c.join()
    a.join()
    story.crash()
    # Generation 3 was not: who has joined is not known any more.
    assert (story.state, story.group().generation) == (State.STABLE, 2)
    assert c.join().error is ErrorCode.UNKNOWN_MEMBER_ID
    assert b.heartbeat() is ErrorCode.NONE
    c.member_id = ""
    c.join()
    a.join()
    b.join()
    assert {a.generation, b.generation, c.generation} == {3}


def test_a_deleted_group_takes_its_deadlines_with_it():
    story = GroupStory()
    a = story.member("A")
    story.settled(a)
    a.leave()
    pending = story.member("B")
    pending.member_id = pending.join_once().response.member_id
    assert len(story.shard.deadlines) == 1
    story.ask(lambda shard, now, _: Decision(shard.groups[GROUP].tombstones()))
    assert not story.shard.groups
    assert not len(story.shard.deadlines)
    assert pending.join_once().error is ErrorCode.UNKNOWN_MEMBER_ID
    story.settled(story.member("C"))
    assert story.group().generation == 1
