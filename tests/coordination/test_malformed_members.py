"""One member says what nobody can read, or what is not true: the others read on, in groups of both protocols.

What is malformed is cut off, changed in one place, or plain noise: whatever a careless or hostile client may send.
"""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.coordination.consumer_story import INTERVAL_MS, ConsumerStory, assert_nothing_is_shared
from tests.coordination.group_story import GROUP, INITIAL_DELAY_MS, REBALANCE_MS, ClassicClient
from tests.coordination.test_consumer_migration import (
    assignment,
    classic_consumer,
    own,
    partitions_of,
    subscription,
)

from snakka.coordination.groups.classic.group import State
from snakka.coordination.groups.describing import describe_group
from snakka.coordination.groups.listing import list_groups
from snakka.coordination.groups.offsets.expiry import expire_offsets
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequestTopicPartitions

GOOD_SUBSCRIPTION = subscription("t", t=[0, 1])
GOOD_ASSIGNMENT = assignment(t=[0, 1])


def damaged(good: bytes) -> st.SearchStrategy[bytes]:
    place = st.integers(0, len(good) - 1)
    return st.one_of(
        st.binary(max_size=40),
        place.map(lambda end: good[:end]),
        st.tuples(place, st.integers(0, 255)).map(
            lambda what: good[: what[0]] + bytes([what[1]]) + good[what[0] + 1 :]
        ),
    )


def classic_group(story: ConsumerStory, garbled: ClassicClient, assigned: bytes) -> list[ClassicClient]:
    """Two members that are as they should be, beside one that is not; the first one leads and assigns."""
    good = [classic_consumer(story, "A"), classic_consumer(story, "B")]
    for member in (*good, garbled):
        member.join()
    story.pass_time(2 * INITIAL_DELAY_MS)
    good[0].sync({good[0]: assignment(t=[0, 1]), good[1]: assignment(t=[2, 3]), garbled: assigned})
    for member in (good[1], garbled):
        member.sync()
    return good


@settings(max_examples=100, deadline=None)
@given(damaged(GOOD_SUBSCRIPTION), damaged(GOOD_ASSIGNMENT))
def test_a_classic_group_goes_on(said: bytes, assigned: bytes) -> None:
    story = ConsumerStory({"t": 4})
    garbled = story.member("G", protocols={"range": said})
    a, b = classic_group(story, garbled, assigned)
    assert (partitions_of(a), partitions_of(b)) == ({"t": [0, 1]}, {"t": [2, 3]})
    assert garbled.assignment == assigned, "what members tell each other is their own business"
    assert story.state is State.STABLE
    # Everybody can be asked about the group, and its offsets are looked after.
    assert [row.group_id for row in list_groups(story.shard, [], [])] == [GROUP]
    assert len(describe_group(story.shard, GROUP, 6).members) == 3
    story.ask(lambda shard, now, _: expire_offsets(shard, now))
    story.crash()
    for member in (a, b, garbled):
        assert member.heartbeat() is ErrorCode.NONE
    # A member of the new protocol comes in, or it does not; the others stay in either way.
    came = story.consumer("N").join()
    assert came.error in (ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND)
    assert {a.id, b.id} <= story.shard.groups[GROUP].members.keys()
    if came.error is not ErrorCode.NONE:
        assert {member.heartbeat() for member in (a, b)} == {ErrorCode.NONE}


@settings(max_examples=60, deadline=None)
@given(damaged(GOOD_SUBSCRIPTION))
def test_members_of_the_new_protocol_beside_a_garbled_one(said: bytes) -> None:
    story = ConsumerStory({"t": 4})
    consumers = [story.consumer("A"), story.consumer("B")]
    for consumer in consumers:
        consumer.join()
    c = classic_consumer(story, "C")
    c.join()
    garbled = story.member("G", protocols={"range": said})
    garbled.join()
    # Whatever became of that one: everybody gets a share, and everything is shared out.
    for _ in range(8):
        story.pass_time(INTERVAL_MS)
        for consumer in consumers:
            assert consumer.beat() is ErrorCode.NONE
        if c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS:
            c.join()
        if c.sync().error is ErrorCode.NONE:
            own(c)
    assert_nothing_is_shared(*consumers)
    assert all(consumer.partitions for consumer in consumers)
    assert partitions_of(c)["t"]
    # If it is in and does nothing, it is missed in time.
    for _ in range(REBALANCE_MS // 5_000 + 1):
        story.pass_time(5_000)
        for consumer in consumers:
            assert consumer.beat() is ErrorCode.NONE
        if c.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS:
            c.join()
            c.sync()
            own(c)
    assert garbled.id not in story.shard.groups[GROUP].members
    assert len(partitions_of(c)["t"]) + sum(consumer.partitions for consumer in consumers) == 4


def test_a_member_that_joins_again_with_garbage_stays_what_it_was() -> None:
    story = ConsumerStory({"t": 4})
    a = story.consumer("A")
    a.join()
    c = classic_consumer(story, "C")
    c.join()
    story.pass_time(INTERVAL_MS)
    a.beat()
    before = story.consumer_group().members[c.id]
    c.protocols = {"range": b"\0\1\xff\xff"}
    assert c.join().error is not ErrorCode.NONE
    assert story.consumer_group().members[c.member_id] == before
    assert a.beat() is ErrorCode.NONE


def test_a_member_that_says_it_owns_what_others_have_gets_nothing_by_it() -> None:
    story = ConsumerStory({"t": 4, "u": 2})
    a, b = story.consumer("A"), story.consumer("B")
    a.join()
    b.join()
    story.settle(a, b)
    theirs = dict(a.owned)
    before = len(story.log)

    def rows(topic_id: bytes, *partitions: int) -> ConsumerGroupHeartbeatRequestTopicPartitions:
        return ConsumerGroupHeartbeatRequestTopicPartitions(topic_id=topic_id, partitions=list(partitions))

    t, u = story.topic_id("t"), story.topic_id("u")
    for lie in (
        [rows(t, 0, 1, 2, 3)],
        [rows(u, 0, 1)],
        [rows(b"\xff" * 16, 0)],
        [rows(bytes(16), -1)],
        [rows(t, 99, -5, 2**31 - 1)],
        [rows(t, 0), rows(t, 0, 0, 1), rows(u)],
    ):
        b.send(topic_partitions=lie)
        assert a.beat() is ErrorCode.NONE
        assert a.owned == theirs
        shares = [member.assigned for member in story.consumer_group().members.values()]
        assert sorted(number for share in shares for number in share[t]) == [0, 1, 2, 3]
    assert len(story.log) == before, "nothing of it is believed"
    assert b.beat() is ErrorCode.NONE
    assert_nothing_is_shared(a, b)
