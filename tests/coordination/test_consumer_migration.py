"""Live migration in stories: classic groups become consumer groups and back, and members of both protocols live together."""

import pytest
from tests.coordination.consumer_story import INTERVAL_MS, ConsumerStory
from tests.coordination.group_story import GROUP, INITIAL_DELAY_MS, REBALANCE_MS, ClassicClient, leave
from tests.coordination.group_story import SESSION_MS as CLASSIC_SESSION_MS

from snakka.coordination.groups.classic.group import State
from snakka.coordination.groups.consumer.consumer_protocol import read_assignment, write_assignment
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.leave_group import MemberIdentity
from snakka.protocol.record_types.embedded.consumer_protocol_assignment import (
    ConsumerProtocolAssignment,
    TopicPartition,
)
from snakka.protocol.record_types.embedded.consumer_protocol_subscription import ConsumerProtocolSubscription
from snakka.protocol.record_types.embedded.consumer_protocol_subscription import (
    TopicPartition as OwnedTopicPartition,
)

VERSION = 1


def assignment(**partitions: list[int]) -> bytes:
    rows = [TopicPartition(topic=topic, partitions=numbers) for topic, numbers in partitions.items()]
    return write_assignment(ConsumerProtocolAssignment(assigned_partitions=rows, user_data=None), VERSION)


def subscription(*topics: str, **owned: list[int]) -> bytes:
    """Version 1 says what the member owns: it need not give up everything before it joins again."""
    rows = [OwnedTopicPartition(topic=topic, partitions=numbers) for topic, numbers in owned.items()]
    said = ConsumerProtocolSubscription(topics=list(topics), user_data=None, owned_partitions=rows)
    return VERSION.to_bytes(2) + said.encode(VERSION)


def classic_consumer(story: ConsumerStory, name: str, *topics: str, **what: object) -> ClassicClient:
    return story.member(name, protocols={"range": subscription(*(topics or ("t",)))}, **what)


def partitions_of(member: ClassicClient) -> dict[str, list[int]]:
    """What its last SyncGroup has brought."""
    return {row.topic: row.partitions for row in read_assignment(member.assignment).assigned_partitions}


def own(member: ClassicClient) -> None:
    """From now on it says that it owns what it has been assigned."""
    member.protocols = {"range": subscription("t", **partitions_of(member))}


def rejoin(member: ClassicClient) -> dict[str, list[int]]:
    """It joins again and asks for its assignment, as it does when a heartbeat says so."""
    assert member.join().error is ErrorCode.NONE
    assert member.sync().error is ErrorCode.NONE
    own(member)
    return partitions_of(member)


def classic_group(story: ConsumerStory, *members: ClassicClient, partitions: int = 4) -> None:
    """The members share the topic's partitions evenly, as an assignor of theirs would."""
    for member in members:
        member.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    leader = next(member for member in members if member.is_leader)
    share = partitions // len(members)
    given = {
        member: assignment(t=list(range(place * share, (place + 1) * share)))
        for place, member in enumerate(members)
    }
    leader.sync(given)
    for member in members:
        if member is not leader:
            member.sync()
        own(member)


def test_a_classic_group_becomes_a_consumer_group_with_the_first_member_of_the_new_protocol():
    story = ConsumerStory({"t": 4})
    c, d = classic_consumer(story, "C"), classic_consumer(story, "D")
    classic_group(story, c, d)
    before = len(story.log)
    a = story.consumer("A")
    a.join()
    kinds = [type(record.key).__name__ for record in story.records(before)]
    assert kinds[0] == "GroupMetadataKey"
    assert story.records(before)[0].value is None
    group = story.consumer_group()
    assert list(group.members) == [c.id, d.id, "A"]
    assert group.epoch == 2
    members = group.members
    assert {topic: set(has) for topic, has in members[c.id].assigned.items()} == {story.topic_id("t"): {0, 1}}
    assert members[c.id].classic.session_timeout_ms == CLASSIC_SESSION_MS
    assert (members[c.id].epoch, members[c.id].instance_id, members[c.id].topics) == (1, None, {"t"})
    assert a.epoch == 2, "the last assignment was the classic leader's: there is no interval to wait for"
    assert c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS


def test_members_of_both_protocols_share():
    story = ConsumerStory({"t": 6})
    c, d = classic_consumer(story, "C"), classic_consumer(story, "D")
    classic_group(story, c, d, partitions=6)
    a = story.consumer("A")
    a.join()
    for _ in range(3):
        for member in (c, d):
            if member.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS:
                rejoin(member)
        a.beat()
    assert story.consumer_group().state_name == "Stable"
    assert len(partitions_of(c)["t"]) == len(partitions_of(d)["t"]) == a.partitions == 2
    assert c.heartbeat() is ErrorCode.NONE


def test_a_classic_member_gives_up_in_one_rebalance_and_gets_in_the_next():
    story = ConsumerStory({"t": 4})
    c = classic_consumer(story, "C")
    classic_group(story, c)
    a = story.consumer("A")
    a.join()
    assert a.owned == {}
    assert rejoin(c) == {"t": [0, 1]}
    assert c.generation == 1, "it stays in its epoch until it has said that it gave up"
    assert c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    assert rejoin(c) == {"t": [0, 1]}
    assert c.generation == 2
    assert c.heartbeat() is ErrorCode.NONE
    a.beat()
    assert a.owned == {"t": {2, 3}}


def test_a_classic_member_that_waits_for_others_is_told_when_they_have_let_go():
    story = ConsumerStory({"t": 4})
    a = story.consumer("A")
    a.join()
    c = classic_consumer(story, "C")
    c.join()
    c.sync()
    story.pass_time(INTERVAL_MS)
    assert c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    assert rejoin(c) == {}
    assert c.heartbeat() is ErrorCode.NONE, "A has everything still"
    a.beat()
    assert c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    assert rejoin(c) == {"t": [2, 3]}


def test_whoever_waits_in_the_classic_group_joins_again():
    story = ConsumerStory({"t": 4})
    c, d = classic_consumer(story, "C"), classic_consumer(story, "D")
    classic_group(story, c)
    d.join()
    assert not d.joined.is_answered
    story.consumer("A").join()
    assert d.joined.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert len(story.consumer_group().members) == 3


def test_an_upgrade_that_can_not_be_written_down_leaves_the_classic_group():
    story = ConsumerStory({"t": 4})
    c = classic_consumer(story, "C")
    classic_group(story, c)
    story.refuse_next_append()
    assert story.consumer("A").join().error is ErrorCode.NOT_COORDINATOR
    assert story.state is State.STABLE
    assert c.heartbeat() is ErrorCode.NONE


@pytest.mark.parametrize("policy", ["disabled", "downgrade"])
def test_an_upgrade_must_be_allowed(policy: str):
    story = ConsumerStory({"t": 4}, group_consumer_migration_policy=policy)
    classic_group(story, classic_consumer(story, "C"))
    assert story.consumer("A").join().error is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_group_that_is_too_big_for_a_consumer_group_stays_what_it_is():
    story = ConsumerStory({"t": 4}, group_consumer_max_size=1)
    classic_group(story, classic_consumer(story, "C"), classic_consumer(story, "D"))
    assert story.consumer("A").join().error is ErrorCode.GROUP_ID_NOT_FOUND


@pytest.mark.parametrize(
    ("protocols", "assigned"),
    [
        ({"range": b""}, b""),
        ({"range": b"\xff\xff"}, b""),
        ({"range": subscription("t")}, b"\0\1\0"),
        (
            {"range": subscription("t")},
            write_assignment(ConsumerProtocolAssignment(assigned_partitions=[], user_data=b"sticky"), 1),
        ),
    ],
)
def test_what_can_not_be_read_stays_a_classic_group(protocols: dict[str, bytes], assigned: bytes):
    story = ConsumerStory({"t": 4})
    c = story.member("C", protocols=protocols)
    c.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    c.sync({c: assigned})
    assert story.consumer("A").join().error is ErrorCode.GROUP_ID_NOT_FOUND
    assert c.heartbeat() is ErrorCode.NONE


def test_groups_that_are_no_consumers_stay_what_they_are():
    story = ConsumerStory({"t": 4})
    c = story.member("C", protocol_type="connect")
    c.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    assert story.consumer("A").join().error is ErrorCode.GROUP_ID_NOT_FOUND
    assert story.consumer("A").leave() is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_partition_that_two_classic_members_have_belongs_to_one():
    story = ConsumerStory({"t": 4})
    c, d = classic_consumer(story, "C"), classic_consumer(story, "D")
    for member in (c, d):
        member.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    c.sync({c: assignment(t=[0, 1, 2]), d: assignment(t=[2, 3])})
    story.consumer("A").join()
    members = story.consumer_group().members
    shares = [{*has[story.topic_id("t")]} for has in (members[c.id].assigned, members[d.id].assigned)]
    assert shares == [{0, 1, 2}, {3}]


def test_the_last_member_of_the_new_protocol_leaves_a_classic_group_behind():
    story = ConsumerStory({"t": 4})
    c, d = classic_consumer(story, "C"), classic_consumer(story, "D")
    classic_group(story, c, d)
    a = story.consumer("A")
    a.join()
    a.leave()
    assert story.state is State.PREPARING_REBALANCE
    assert story.group().generation == 2
    assert list(story.group().members) == [c.id, d.id]
    assert c.heartbeat(story.group().generation) is ErrorCode.REBALANCE_IN_PROGRESS
    classic_group(story, c, d)
    assert story.state is State.STABLE
    assert not [key for key in story.shard.deadlines._due if key[0] == "consumer" and key[2] == "assignment"]


def test_a_downgrade_survives_a_crash():
    story = ConsumerStory({"t": 4})
    c = classic_consumer(story, "C")
    classic_group(story, c)
    a = story.consumer("A")
    a.join()
    a.leave()
    story.crash()
    assert story.group().state is State.STABLE
    assert partitions_in(story.group().members[c.id].assignment) == {"t": [0, 1]}


def partitions_in(data: bytes) -> dict[str, list[int]]:
    return {row.topic: row.partitions for row in read_assignment(data).assigned_partitions}


def test_a_downgrade_that_can_not_be_written_down_leaves_the_consumer_group():
    story = ConsumerStory({"t": 4})
    c = classic_consumer(story, "C")
    classic_group(story, c)
    a = story.consumer("A")
    a.join()
    story.refuse_next_append()
    assert a.leave() is ErrorCode.NOT_COORDINATOR
    assert list(story.consumer_group().members) == [c.id, "A"]
    assert a.beat() is ErrorCode.NONE


def test_the_last_member_of_the_new_protocol_is_not_heard_of_any_more():
    story = ConsumerStory({"t": 4})
    c = classic_consumer(story, "C", session_ms=600_000)
    classic_group(story, c)
    story.consumer("A").join()
    story.pass_time(45_000)
    assert story.shard.groups[GROUP].kind == "classic"


@pytest.mark.parametrize("policy", ["disabled", "upgrade"])
def test_a_downgrade_must_be_allowed(policy: str):
    story = ConsumerStory({"t": 4})
    c = classic_consumer(story, "C")
    classic_group(story, c)
    a = story.consumer("A")
    a.join()
    story.settings = type(story.settings)(group_consumer_migration_policy=policy)
    a.leave()
    story.pass_time(INTERVAL_MS)
    assert list(story.consumer_group().members) == [c.id]
    assert c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    assert rejoin(c) == {"t": [0, 1, 2, 3]}


def test_an_instance_that_goes_back_to_the_classic_protocol_takes_the_group_with_it():
    story = ConsumerStory({"t": 2})
    a = story.consumer("A", instance_id="i")
    a.join()
    c = classic_consumer(story, "C", instance_id="i")
    assert c.join().error is ErrorCode.NONE
    assert story.group().state is State.STABLE
    assert story.group().static_members == {"i": c.id}
    c.sync()
    assert partitions_of(c) == {"t": [0, 1]}
    assert a.ask_only() is ErrorCode.GROUP_ID_NOT_FOUND


def test_an_instance_that_goes_back_with_another_subscription_begins_a_rebalance():
    story = ConsumerStory({"t": 2, "u": 2})
    story.consumer("A", instance_id="i").join()
    c = classic_consumer(story, "C", "u", instance_id="i")
    assert c.join().error is ErrorCode.NONE
    assert story.group().state is State.PREPARING_REBALANCE


def test_an_instance_changes_to_the_new_protocol_and_back_in_a_group_that_stays():
    story = ConsumerStory({"t": 4})
    b = story.consumer("B")
    b.join()
    c = classic_consumer(story, "C", instance_id="i")
    c.join()
    c.sync()
    a = story.consumer("A", instance_id="i")
    a.join()
    assert not story.consumer_group().classic_members
    assert c.heartbeat() is ErrorCode.FENCED_INSTANCE_ID
    c.member_id = ""
    c.joined = type(c.joined)()
    assert c.join().error is ErrorCode.NONE
    assert story.consumer_group().classic_members == 1


def test_an_instance_of_a_classic_group_comes_back_with_the_new_protocol():
    story = ConsumerStory({"t": 4})
    c, d = classic_consumer(story, "C", instance_id="i"), classic_consumer(story, "D")
    classic_group(story, c, d)
    a = story.consumer("A", instance_id="i")
    a.join()
    assert a.owned == {"t": {0, 1}}, "it has what the instance had"
    group = story.consumer_group()
    assert list(group.members) == [d.id, "A"]
    assert group.epoch == group.assignment_epoch == a.epoch == 1, "so nobody else need notice"
    assert d.heartbeat() is ErrorCode.NONE
    assert c.heartbeat() is ErrorCode.FENCED_INSTANCE_ID


def test_an_instance_with_an_expression_comes_back_with_the_classic_protocol():
    story = ConsumerStory({"t": 4})
    a, b = story.consumer("A", [], pattern="t.*", instance_id="i"), story.consumer("B")
    a.join()
    b.join()
    story.settle(a, b)
    c = classic_consumer(story, "C", instance_id="i")
    assert c.join().error is ErrorCode.NONE
    assert not story.consumer_group().resolved
    assert not story.consumer_group().pattern_counts
    story.pass_time(INTERVAL_MS)
    if c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS:
        c.join()
    c.sync()
    assert partitions_of(c) == {"t": [0, 1]}


def test_a_group_that_was_never_assigned_becomes_a_consumer_group():
    story = ConsumerStory({"t": 4})
    c = classic_consumer(story, "C")
    c.join()
    assert story.state is State.PREPARING_REBALANCE
    a = story.consumer("A")
    a.join()
    assert c.joined.error is ErrorCode.REBALANCE_IN_PROGRESS
    assert (a.epoch, a.owned) == (1, {"t": {0, 1}})
    assert rejoin(c) == {"t": [2, 3]}


# -- what classic members are told --------------------------------------------------------------------------------


def mixed_group() -> tuple[ConsumerStory, object, ClassicClient]:
    story = ConsumerStory({"t": 4})
    a, c = story.consumer("A"), classic_consumer(story, "C")
    a.join()
    c.join()
    return story, a, c


def test_a_classic_member_gets_its_id_first():
    story = ConsumerStory({"t": 4})
    story.consumer("A").join()
    c = classic_consumer(story, "C")
    assert c.join_once().error is ErrorCode.MEMBER_ID_REQUIRED
    assert c.join().error is ErrorCode.NONE
    assert not c.is_leader
    assert (c.answer.protocol_type, c.answer.protocol_name) == ("consumer", "range")


def test_classic_members_need_an_assignor_in_common():
    story, _, _ = mixed_group()
    assert story.member("D", protocols={"sticky": subscription("t")}).join().error is (
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    )
    other = story.member("D", protocols={"range": subscription("t")}, protocol_type="connect")
    assert other.join().error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_a_malformed_subscription_harms_nobody():
    story, a, c = mixed_group()
    d = story.member("D", protocols={"range": b"\0\1garbage"})
    assert d.join().error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert c.sync().error is ErrorCode.NONE
    assert a.beat() is ErrorCode.NONE


def test_a_full_group_takes_no_classic_member():
    story = ConsumerStory({"t": 4}, group_consumer_max_size=1)
    story.consumer("A").join()
    assert classic_consumer(story, "C").join().error is ErrorCode.GROUP_MAX_SIZE_REACHED


def test_what_a_classic_member_says_must_be_right():
    _, a, c = mixed_group()
    assert c.sync(generation_id=7).error is ErrorCode.ILLEGAL_GENERATION
    assert c.sync(member_id="nobody").error is ErrorCode.UNKNOWN_MEMBER_ID
    assert c.sync(group_instance_id="i").error is ErrorCode.UNKNOWN_MEMBER_ID
    assert c.sync(member_id="A", generation_id=a.epoch).error is ErrorCode.UNKNOWN_MEMBER_ID
    assert c.sync(protocol_name="sticky").error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert c.sync(protocol_type="connect").error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert c.sync().error is ErrorCode.NONE
    assert c.heartbeat(generation=7) is ErrorCode.ILLEGAL_GENERATION
    assert c.heartbeat() is ErrorCode.NONE


def test_a_sync_that_comes_after_the_next_assignment_must_join_again():
    story, _, c = mixed_group()
    story.pass_time(INTERVAL_MS)
    assert c.sync().error is ErrorCode.REBALANCE_IN_PROGRESS


@pytest.mark.parametrize("last", ["sync", "join"])
def test_a_classic_member_that_is_late_is_removed(last: str):
    story, a, c = mixed_group()
    c.session_ms = 600_000
    c.join()
    if last == "join":
        c.sync()
        story.pass_time(INTERVAL_MS)
        assert c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS
    for _ in range(10):
        story.pass_time(REBALANCE_MS // 10 + 1)
        a.beat()
        if last == "join":
            c.heartbeat()
    assert list(story.consumer_group().members) == ["A"]


def test_a_classic_member_whose_session_ends_is_removed():
    story, a, c = mixed_group()
    c.sync()
    story.pass_time(CLASSIC_SESSION_MS)
    assert list(story.consumer_group().members) == ["A"]
    assert c.heartbeat() is ErrorCode.UNKNOWN_MEMBER_ID
    a.beat()


def test_members_of_both_protocols_are_made_to_leave():
    story, a, c = mixed_group()
    d = classic_consumer(story, "D", instance_id="i")
    d.join()
    rows = leave(
        story,
        MemberIdentity(member_id="nobody"),
        MemberIdentity(member_id="", group_instance_id="i"),
        MemberIdentity(member_id="wrong", group_instance_id="i"),
        MemberIdentity(member_id="", group_instance_id="none"),
        MemberIdentity(member_id=c.id),
    )
    assert [ErrorCode(row.error_code) for row in rows] == [
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.NONE,
        ErrorCode.FENCED_INSTANCE_ID,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.NONE,
    ]
    assert list(story.consumer_group().members) == ["A"]
    assert a.leave() is ErrorCode.NONE
    assert story.consumer_group().is_empty


def test_classic_members_keep_the_new_sessions_after_a_crash():
    story, _, c = mixed_group()
    c.sync()
    story.crash()
    story.pass_time(CLASSIC_SESSION_MS)
    assert c.id in story.consumer_group().members
    assert story.described().members[1].member_type == 0
