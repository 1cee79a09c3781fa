"""What offsets, listing, description and deletion ask of a classic group, and its records."""

from itertools import product

import pytest
from tests.coordination.group_story import GROUP, GroupStory, subscription

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.group import ClassicGroup, ClassicMember, State
from snakka.coordination.groups.classic.records import stored_record
from snakka.coordination.groups.group import CLASSIC, CONSUMER
from snakka.coordination.groups.settings import GroupSettings
from snakka.coordination.groups.shard import GroupShard
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.coordinator_framing import GROUP_RECORDS, KeyedRecord, decoder, encode_key, encode_value
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_types.group_coordinator.consumer_group_metadata_key import (
    ConsumerGroupMetadataKey,
)
from snakka.protocol.record_types.group_coordinator.group_metadata_key import GroupMetadataKey
from snakka.protocol.record_types.group_coordinator.group_metadata_value import (
    GroupMetadataValue,
    MemberMetadata,
)

DEAD_OR_ALIVE = (State.EMPTY, State.PREPARING_REBALANCE, State.COMPLETING_REBALANCE, State.STABLE)


def member(member_id: str, *, instance_id: str | None = None, **protocols: bytes) -> ClassicMember:
    return ClassicMember(member_id, instance_id, "client", "/host", 60_000, 10_000, protocols)


def group(state: State, *members: ClassicMember, protocol_type: str = "consumer", **what) -> ClassicGroup:
    made = ClassicGroup(GROUP, state=state, generation=3, protocol_type=protocol_type, **what)
    for one in members:
        made.add(one)
    return made


def code_of(check, *arguments, **named) -> ErrorCode:
    try:
        assert check(*arguments, **named) is None
    except ApiError as error:
        return error.code
    return ErrorCode.NONE


# -- offsets ----------------------------------------------------------------------------------------------------------


def commit(of: ClassicGroup, member_id="", instance_id=None, generation=-1, transactional=False) -> ErrorCode:
    return code_of(
        of.check_offset_commit,
        member_id,
        instance_id,
        generation,
        is_transactional=transactional,
        api_version=9,
    )


def test_members_commit_in_their_generation():
    stable = group(State.STABLE, member("A"), member("B", instance_id="one"))
    assert commit(stable, "A", None, 3) is ErrorCode.NONE
    assert commit(stable, "B", "one", 3) is ErrorCode.NONE
    assert commit(stable, "A", None, 2) is ErrorCode.ILLEGAL_GENERATION
    assert commit(stable, "A", None, -1) is ErrorCode.ILLEGAL_GENERATION
    assert commit(stable, "C", None, 3) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit(stable, "", None, 3) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit(stable, "A", "one", 3) is ErrorCode.FENCED_INSTANCE_ID
    assert commit(stable, "A", "two", 3) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit(stable, "", "one", -1) is ErrorCode.FENCED_INSTANCE_ID


def test_who_names_no_generation_commits_to_an_empty_group_only():
    assert commit(group(State.EMPTY)) is ErrorCode.NONE
    assert commit(group(State.EMPTY), "whoever", "whatever") is ErrorCode.NONE
    assert commit(group(State.STABLE, member("A"))) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit(group(State.EMPTY), "A", None, 3) is ErrorCode.UNKNOWN_MEMBER_ID


def test_members_commit_during_a_rebalance_until_the_next_generation_has_begun():
    assert commit(group(State.PREPARING_REBALANCE, member("A")), "A", None, 3) is ErrorCode.NONE
    completing = group(State.COMPLETING_REBALANCE, member("A"))
    assert commit(completing, "A", None, 3) is ErrorCode.REBALANCE_IN_PROGRESS
    assert commit(completing, "A", None, 2) is ErrorCode.ILLEGAL_GENERATION


def test_transactions_commit_whatever_the_group_does_and_old_ones_name_no_member():
    for state in DEAD_OR_ALIVE:
        one = group(state, member("A", instance_id="one"))
        assert commit(one, transactional=True) is ErrorCode.NONE
        if state is not State.EMPTY:
            assert commit(one, "A", None, 3, transactional=True) is ErrorCode.NONE
            assert commit(one, "A", None, 2, transactional=True) is ErrorCode.ILLEGAL_GENERATION
            assert commit(one, "B", None, 3, transactional=True) is ErrorCode.UNKNOWN_MEMBER_ID
            assert commit(one, "B", "one", 3, transactional=True) is ErrorCode.FENCED_INSTANCE_ID


def test_everybody_may_fetch_offsets():
    for state in DEAD_OR_ALIVE:
        assert code_of(group(state).check_offset_fetch, "A", 5) is ErrorCode.NONE


def test_offsets_of_members_that_are_no_consumers_are_theirs():
    for state, kind in product(DEAD_OR_ALIVE, ("consumer", "connect")):
        found = code_of(group(state, protocol_type=kind).check_offset_delete)
        refused = kind == "connect" and state is not State.EMPTY
        assert found is (ErrorCode.NON_EMPTY_GROUP if refused else ErrorCode.NONE)


def test_an_empty_group_may_be_deleted():
    for state in DEAD_OR_ALIVE:
        expected = ErrorCode.NONE if state is State.EMPTY else ErrorCode.NON_EMPTY_GROUP
        assert code_of(group(state).check_delete) is expected


def test_when_offsets_begin_to_grow_old():
    simple = ClassicGroup(GROUP, state_since_ms=500)
    assert simple.offset_expiry().base_timestamp_ms(100) == 100
    empty = group(State.EMPTY, state_since_ms=500)
    assert empty.offset_expiry().base_timestamp_ms(100) == 500
    old = group(State.EMPTY)
    assert old.offset_expiry().base_timestamp_ms(100) == 100
    stable = group(State.STABLE, member("A"), subscribed=frozenset({"t"}))
    assert stable.offset_expiry().base_timestamp_ms(100) == 100
    for never in (
        group(State.STABLE, member("A")),
        group(State.STABLE, member("A"), subscribed=frozenset(), protocol_type="connect"),
        group(State.PREPARING_REBALANCE, member("A"), subscribed=frozenset()),
        group(State.COMPLETING_REBALANCE, member("A"), subscribed=frozenset()),
    ):
        assert never.offset_expiry() is None


# -- subscriptions ----------------------------------------------------------------------------------------------------


def test_a_group_knows_what_its_consumers_subscribe_to():
    story = GroupStory()
    a = story.member("A", protocols={"range": subscription("x", "y"), "sticky": subscription("z")})
    b = story.member("B", protocols={"range": subscription("y", "w")})
    a.join()
    b.join()
    # Not known before the first generation: then everything counts as subscribed to.
    assert story.group().is_subscribed_to("anything")
    story.settled(a, b)
    assert {topic for topic in "wxyz" if story.group().is_subscribed_to(topic)} == {"w", "x", "y"}
    story.crash()
    assert story.group().subscribed == {"w", "x", "y"}
    a.leave()
    b.leave()
    assert story.state is State.EMPTY
    assert not story.group().is_subscribed_to("x")


@pytest.mark.parametrize(
    ("garbage", "known"),
    [
        (b"", None),
        (b"\0", None),
        (b"\0\0\0\0\0\x05", None),
        (b"\0\0\xff\xff\xff\xff", None),
        (b"\0\0\0\0\0\x01\0\x01\xff", None),
        # Later versions begin as the first does.
        (b"\0\x03" + subscription("new")[2:] + b"whatever comes after", {"t", "new"}),
    ],
)
def test_a_subscription_that_can_not_be_read_may_be_to_anything(garbage, known):
    story = GroupStory()
    story.settled(story.member("A"), story.member("B", protocols={"range": garbage}))
    assert story.state is State.STABLE
    assert story.group().subscribed == known
    assert story.group().is_subscribed_to("other") is (known is None)
    assert (story.group().offset_expiry() is None) is (known is None)


def test_what_others_than_consumers_say_is_their_own_business():
    story = GroupStory()
    story.settled(story.member("A", protocol_type="connect", protocols={"eager": subscription("t")}))
    assert story.group().subscribed is None
    assert not story.group().is_subscribed_to("t")


# -- description ------------------------------------------------------------------------------------------------------


def test_a_stable_group_is_described_with_what_its_members_said():
    story = GroupStory()
    a, b = story.member("A"), story.member("B", instance_id="one")
    story.settled(a, b)
    stable = story.group()
    assert (stable.kind, stable.state_name, stable.protocol_type) == (CLASSIC, "Stable", "consumer")
    assert stable.described_members() == [
        (a.id, None, "A", "/127.0.0.1", subscription("t"), b"A"),
        (b.id, "one", "B", "/127.0.0.1", subscription("t"), b"B"),
    ]
    a.join()
    assert story.group().described_members()[0] == (a.id, None, "A", "/127.0.0.1", b"", b"A")
    assert story.group().has_member(a.id)
    assert not story.group().has_member("nobody")


# -- records ----------------------------------------------------------------------------------------------------------


def shard() -> GroupShard:
    return GroupShard(GroupSettings, ClusterImage)


def replayed(*values: GroupMetadataValue | None, version: int = 3) -> GroupShard:
    into = shard()
    for value in values:
        record = KeyedRecord(GroupMetadataKey(group=GROUP), value, version)
        decoded = decoder(GROUP_RECORDS)(encode_key(record), encode_value(record))
        into.replay(decoded, 0, None)
    return into


def row(member_id: str, **what) -> MemberMetadata:
    return MemberMetadata(member_id=member_id, session_timeout=10_000, subscription=subscription("t"), **what)


@pytest.mark.parametrize("version", range(5))
def test_records_of_all_versions_are_understood(version):
    value = GroupMetadataValue(
        protocol_type="consumer", generation=7, protocol="range", leader="B", members=[row("A"), row("B")]
    )
    if version >= 1:
        value.members[0].rebalance_timeout = 50_000
    if version >= 2:
        value.current_state_timestamp = 123
    if version >= 3:
        value.members[1].group_instance_id = "one"
    found = replayed(value, version=version).groups[GROUP]
    assert isinstance(found, ClassicGroup)
    assert (found.state, found.generation, found.leader_id) == (State.STABLE, 7, "B")
    assert found.state_since_ms == (123 if version >= 2 else None)
    assert found.members["A"].rebalance_timeout_ms == (50_000 if version >= 1 else 10_000)
    assert found.static_members == ({"one": "B"} if version >= 3 else {})
    assert found.subscribed == {"t"}


def test_the_last_record_counts():
    first = GroupMetadataValue(
        protocol_type="consumer", generation=1, protocol="range", members=[row("A"), row("B")]
    )
    second = GroupMetadataValue(
        protocol_type="consumer",
        generation=1,
        protocol="range",
        leader="A",
        members=[row("C", group_instance_id="one"), row("A", assignment=b"all")],
    )
    second.members[1].session_timeout = 20_000
    found = replayed(first, second).groups[GROUP]
    assert isinstance(found, ClassicGroup)
    assert list(found.members) == ["C", "A"]
    assert found.members["A"].session_timeout_ms == 20_000
    assert found.members["A"].assignment == b"all"
    assert found.supports("consumer", {"range": b""})
    assert not replayed(first, second, None).groups
    assert replayed(first, second, None, first).groups[GROUP].has_member("B")


def test_records_that_make_no_sense_make_no_trouble():
    nobody = GroupMetadataValue(
        protocol_type="consumer", protocol="range", leader="nobody", members=[row("A")]
    )
    found = replayed(nobody).groups[GROUP]
    assert isinstance(found, ClassicGroup)
    assert found.leader_id == "A"
    no_protocol = GroupMetadataValue(protocol_type="", protocol=None, leader=None, members=[row("A")])
    into = replayed(no_protocol)
    into.loaded(Moment(0, 0))
    odd = into.groups[GROUP]
    assert isinstance(odd, ClassicGroup)
    assert odd.described_members()[0].member_id == "A"
    assert stored_record(odd).value is not None


def test_a_tombstone_of_another_kind_does_not_concern_a_classic_group():
    story = GroupStory()
    story.settled(story.member("A"))
    story.ask(lambda shard, now, _: Decision([KeyedRecord(ConsumerGroupMetadataKey(group_id=GROUP), None)]))
    assert story.state is State.STABLE


class EmptyConsumerGroup:
    """A consumer group that all members have left."""

    kind, is_empty = CONSUMER, True

    def tombstones(self):
        return (KeyedRecord(ConsumerGroupMetadataKey(group_id=GROUP), None),)


def test_an_empty_consumer_group_gives_way_to_a_classic_one():
    story = GroupStory()
    story.shard.groups[GROUP] = EmptyConsumerGroup()
    a = story.member("A")
    story.settled(a)
    assert a.assignment == b"A"
    assert story.log[0][1] is None
    assert story.group().generation == 1


def test_an_empty_consumer_group_stays_if_a_classic_one_can_not_be_written_down():
    story = GroupStory()
    before = story.shard.groups[GROUP] = EmptyConsumerGroup()
    story.refuse_next_append()
    assert story.member("A").join().error is ErrorCode.NOT_COORDINATOR
    assert story.shard.groups[GROUP] is before
