"""Positions, subscriptions and fetch sessions of a consumer: pure, told as stories."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.client.consumer.fetch_session import FetchSession, Wanted
from snakka.client.consumer.positions import EARLIEST, AssignedPartition, Phase, Truncation
from snakka.client.consumer.subscription import Kind, Subscription
from snakka.client.errors import ClientConfigError
from snakka.client.retry_policy import Backoff
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.uuids import ZERO_UUID

FIRST_ID, SECOND_ID = b"1" * 16, b"2" * 16
PARTITION = TopicPartition("orders", 0)


def reading(offset: int = 100, epoch: int = 3) -> AssignedPartition:
    """Read up to `offset`, the last of it written under leader epoch `epoch`."""
    assigned = AssignedPartition(PARTITION)
    assigned.seek(offset)
    assert assigned.bind(FIRST_ID, epoch)
    assigned.fetched(offset, epoch)
    assigned.epoch = epoch
    return assigned


# -- positions -------------------------------------------------------------------------------------------------------


def test_a_partition_begins_without_a_position() -> None:
    assigned = AssignedPartition(PARTITION)
    assert assigned.phase is Phase.NEW
    assert not assigned.has_position
    assigned.seek_to_time(EARLIEST)
    assert assigned.phase is Phase.RESETTING
    assigned.found(17, 2)
    assert (assigned.phase, assigned.position, assigned.fetch_offset) == (Phase.READY, 17, 17)
    assert assigned.committable == (17, "", 2)


def test_what_was_asked_for_before_a_seek_is_worth_nothing() -> None:
    assigned = reading()
    for move in (
        lambda: assigned.seek(5),
        lambda: assigned.seek_to_time(EARLIEST),
        assigned.seek_to_committed,
        assigned.rewind,
    ):
        fence = assigned.fence
        move()
        assert assigned.fence > fence


def test_a_position_with_an_epoch_is_validated_before_it_is_fetched() -> None:
    assigned = AssignedPartition(PARTITION)
    assigned.seek(100, 3)
    assert assigned.phase is Phase.VALIDATING
    assert assigned.has_position
    assert assigned.validated(7, 3, 500) is None
    assert (assigned.phase, assigned.leader_epoch, assigned.position) == (Phase.READY, 7, 100)


def test_a_new_leader_must_have_what_was_read() -> None:
    assigned = reading(epoch=3)
    assert assigned.bind(FIRST_ID, 4)
    assert assigned.phase is Phase.VALIDATING
    # The old leader is heard of again: nothing to do.
    assert assigned.bind(FIRST_ID, 3)
    assert assigned.phase is Phase.VALIDATING


def test_without_epochs_nothing_is_validated() -> None:
    assigned = AssignedPartition(PARTITION)
    assigned.seek(100)
    assert assigned.bind(FIRST_ID, 3)
    assert assigned.bind(FIRST_ID, 4)
    assert (assigned.phase, assigned.leader_epoch) == (Phase.READY, 4)


def test_what_is_buffered_is_fetched_again_if_only_that_was_truncated() -> None:
    assigned = reading(100)
    assigned.fetched(150, 3)
    assigned.bind(FIRST_ID, 4)
    fence = assigned.fence
    assert assigned.validated(4, 3, 120) is None
    assert (assigned.position, assigned.fetch_offset, assigned.phase) == (100, 100, Phase.READY)
    assert assigned.fence > fence


def test_records_that_were_read_and_are_gone_are_a_truncation() -> None:
    assigned = reading(100)
    assigned.bind(FIRST_ID, 4)
    assert assigned.validated(4, 2, 80) == Truncation(100, 80)
    assigned.truncated(2, 80)
    assert (assigned.position, assigned.epoch, assigned.phase) == (80, 2, Phase.READY)


def test_a_leader_that_knows_no_such_epoch_is_a_truncation_of_unknown_size() -> None:
    assigned = reading(100)
    assigned.bind(FIRST_ID, 4)
    assert assigned.validated(4, -1, -1) == Truncation(100, -1)


def test_a_topic_that_was_made_anew_is_read_from_its_beginning() -> None:
    assigned = reading(100)
    assert not assigned.bind(SECOND_ID, 0)
    assert assigned.topic_id == FIRST_ID
    assigned.recreated(SECOND_ID)
    assert (assigned.phase, assigned.reset_timestamp, assigned.topic_id) == (
        Phase.RESETTING,
        EARLIEST,
        SECOND_ID,
    )
    assert assigned.bind(SECOND_ID, 0)


def test_pauses_grow_until_something_succeeds() -> None:
    assigned = reading()
    backoff = Backoff(0.1, 1.0, random.Random(1))
    waits = []
    for _ in range(6):
        assigned.postpone(10.0, backoff)
        waits.append(assigned.not_before - 10.0)
    assert waits[0] < waits[2] < waits[5] <= 1.2
    assigned.fetched(101, 3)
    assigned.postpone(10.0, backoff)
    assert assigned.not_before - 10.0 <= 0.12


# -- subscriptions ---------------------------------------------------------------------------------------------------


def test_topics_patterns_and_partitions_exclude_each_other() -> None:
    subscription = Subscription()
    subscription.subscribe(["a", "b"])
    assert (subscription.kind, subscription.topics, subscription.uses_group) == (
        Kind.TOPICS,
        {"a", "b"},
        True,
    )
    subscription.subscribe(["c"])
    assert subscription.topics == {"c"}
    for other in (
        lambda: subscription.assign([PARTITION]),
        lambda: subscription.subscribe_pattern(re.compile("x")),
        lambda: subscription.subscribe_brokers_pattern("x"),
    ):
        with pytest.raises(ClientConfigError, match="call unsubscribe before"):
            other()
    subscription.clear()
    subscription.assign([PARTITION, PARTITION])
    assert subscription.partitions == (PARTITION,)
    assert not subscription.uses_group
    subscription.assign([])
    assert subscription.kind is Kind.NOTHING


def test_one_topic_must_be_in_a_list() -> None:
    with pytest.raises(ClientConfigError, match=r"such as \['orders'\]"):
        Subscription().subscribe("orders")


def test_a_pattern_finds_whole_names_and_leaves_internal_topics_out() -> None:
    subscription = Subscription()
    subscription.subscribe_pattern(re.compile("a.*|__x"))
    topics = [("a", False), ("ab", False), ("ba", False), ("__x", True)]
    version = subscription.version
    assert subscription.match(topics, exclude_internal=True)
    assert subscription.topics == {"a", "ab"}
    assert subscription.version > version
    assert not subscription.match(topics, exclude_internal=True)
    assert subscription.match(topics, exclude_internal=False)
    assert subscription.topics == {"a", "ab", "__x"}


# -- fetch sessions --------------------------------------------------------------------------------------------------


def wanted(offset: int, topic_id: bytes = FIRST_ID, epoch: int = 0) -> Wanted:
    return Wanted(topic_id, offset, epoch, AssignedPartition(PARTITION), 0)


def asked(session: FetchSession, **partitions: Wanted) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """What is sent, offsets by topic, and what is to be forgotten; names are those of topics with one partition."""
    topics, forgotten = session.changes({TopicPartition(name, 0): each for name, each in partitions.items()})
    return (
        {topic.topic: [row.fetch_offset for row in topic.partitions] for topic in topics},
        {topic.topic: topic.partitions for topic in forgotten},
    )


def test_a_session_tells_only_what_has_changed() -> None:
    session = FetchSession(1000)
    assert asked(session, a=wanted(1), b=wanted(2, SECOND_ID)) == ({"a": [1], "b": [2]}, {})
    assert (session.session_id, session.epoch) == (0, 0)
    session.answered(77)
    assert (session.session_id, session.epoch) == (77, 1)
    assert asked(session, a=wanted(1), b=wanted(2, SECOND_ID)) == ({}, {})
    session.answered(77)
    assert asked(session, a=wanted(5)) == ({"a": [5]}, {"b": [0]})
    session.answered(77)
    assert session.epoch == 3
    assert asked(session, a=wanted(5, epoch=1)) == ({"a": [5]}, {})


def test_a_topic_that_was_made_anew_takes_the_place_of_the_old_one() -> None:
    session = FetchSession(1000)
    asked(session, a=wanted(9))
    session.answered(77)
    topics, forgotten = session.changes({TopicPartition("a", 0): wanted(0, SECOND_ID)})
    assert [topic.topic_id for topic in topics] == [SECOND_ID]
    assert [topic.topic_id for topic in forgotten] == [FIRST_ID]


def test_after_a_loss_or_a_refusal_everything_is_told_again() -> None:
    for trouble in (
        lambda session: session.lost(),
        lambda session: session.refused(ErrorCode.INVALID_FETCH_SESSION_EPOCH),
        lambda session: session.refused(ErrorCode.FETCH_SESSION_ID_NOT_FOUND),
        lambda session: session.answered(0),  # the broker keeps no session for us
    ):
        session = FetchSession(1000)
        asked(session, a=wanted(1))
        session.answered(77)
        trouble(session)
        assert session.epoch == 0
        assert asked(session, a=wanted(1)) == ({"a": [1]}, {})
    session = FetchSession(1000)
    session.session_id = 77
    session.refused(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    assert session.session_id == 0


def test_the_epoch_of_a_session_begins_again_at_one() -> None:
    session = FetchSession(1000)
    session.session_id, session.epoch = 77, 2**31 - 1
    session.answered(77)
    assert session.epoch == 1


def test_without_a_session_everybody_comes_first_once() -> None:
    session = FetchSession(1000)
    first = []
    for _ in range(3):
        topics, _ = session.changes(
            {TopicPartition(name, 0): wanted(0, name.encode() * 16) for name in "abc"}
        )
        first.append(topics[0].topic)
        session.answered(0)
    assert sorted(first) == ["a", "b", "c"]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcd"), st.tuples(st.integers(0, 3), st.sampled_from((FIRST_ID, SECOND_ID)))
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_a_broker_that_follows_the_changes_knows_what_is_wanted(
    rounds: list[dict[str, tuple[int, bytes]]], chance: random.Random
) -> None:
    session = FetchSession(1000)
    broker: dict[tuple[str, bytes], int] = {}
    for each in rounds:
        goal = {
            TopicPartition(name, 0): wanted(offset, topic_id) for name, (offset, topic_id) in each.items()
        }
        topics, forgotten = session.changes(goal)
        if session.epoch == 0:
            broker = {}
        for topic in forgotten:
            del broker[topic.topic, topic.topic_id]
        for new in topics:
            broker[new.topic, new.topic_id] = new.partitions[0].fetch_offset
        assert broker == {(name, topic_id): offset for name, (offset, topic_id) in each.items()}
        if chance.random() < 0.2:
            session.lost()
        else:
            session.answered(77)


def test_zero_is_no_topic_id() -> None:
    assigned = AssignedPartition(PARTITION)
    assigned.seek(0)
    assert assigned.bind(ZERO_UUID, 0)
    assert assigned.bind(FIRST_ID, 0)
    assert assigned.bind(ZERO_UUID, 0)
