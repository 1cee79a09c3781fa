"""The assignors: everything is assigned once, evenly, to subscribers only, and little moves."""

import time
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.coordination.groups.consumer.assignors import ASSIGNORS
from snakka.coordination.groups.consumer.assignors.range_assignor import assign_ranges
from snakka.coordination.groups.consumer.assignors.specification import (
    Assignment,
    Partitions,
    Specification,
    Subscriber,
)
from snakka.coordination.groups.consumer.assignors.uniform_assignor import assign_uniformly

A, B, C = b"A" * 16, b"B" * 16, b"C" * 16
TOPICS = (A, B, C)

counts_of_topics = st.fixed_dictionaries({topic: st.integers(0, 12) for topic in TOPICS})
subscriptions = st.dictionaries(
    st.sampled_from([f"member-{number}" for number in range(8)]),
    st.frozensets(st.sampled_from(TOPICS)),
    min_size=1,
)


def specification(
    subscribed: Mapping[str, frozenset[bytes]],
    counts: Mapping[bytes, int],
    assigned: Mapping[str, Partitions] | None = None,
    instances: Mapping[str, str] | None = None,
) -> Specification:
    return Specification(
        {
            member_id: Subscriber(
                topics, (assigned or {}).get(member_id, {}), (instances or {}).get(member_id)
            )
            for member_id, topics in subscribed.items()
        },
        counts,
    )


def alike(members: int, counts: Mapping[bytes, int], assigned: Assignment | None = None) -> Specification:
    topics = frozenset(counts)
    return specification({f"member-{number:03}": topics for number in range(members)}, counts, assigned)


def flat(share: Partitions) -> set[tuple[bytes, int]]:
    return {(topic, partition) for topic, partitions in share.items() for partition in partitions}


def sizes(assignment: Assignment) -> list[int]:
    return sorted(len(flat(share)) for share in assignment.values())


def assert_whole(spec: Specification, assignment: Assignment) -> None:
    """Every partition of a subscribed topic is assigned once, to a subscriber; nothing else is."""
    assert list(assignment) == list(spec.members)
    seen: set[tuple[bytes, int]] = set()
    for member_id, share in assignment.items():
        assert all(share.values()), "no topic without partitions"
        assert set(share) <= spec.members[member_id].topics
        assert not seen & flat(share)
        seen |= flat(share)
    subscribed = {topic for member in spec.members.values() for topic in member.topics}
    assert seen == {(topic, number) for topic in subscribed for number in range(spec.partition_counts[topic])}


@pytest.mark.parametrize("name", sorted(ASSIGNORS))
@given(subscriptions, counts_of_topics, subscriptions, counts_of_topics)
def test_every_partition_is_assigned_once_to_a_subscriber(
    name: str,
    before: dict[str, frozenset[bytes]],
    counts_before: dict[bytes, int],
    after: dict[str, frozenset[bytes]],
    counts_after: dict[bytes, int],
) -> None:
    assign = ASSIGNORS[name]
    first = specification(before, counts_before)
    assigned = assign(first)
    assert_whole(first, assigned)
    second = specification(after, counts_after, assigned)
    assert_whole(second, assign(second))
    assert assign(second) == assign(second)


@given(st.integers(1, 8), counts_of_topics, st.integers(1, 8), counts_of_topics)
def test_uniform_shares_differ_by_one_and_no_partition_moves_without_need(
    members_before: int, counts_before: dict[bytes, int], members_after: int, counts_after: dict[bytes, int]
) -> None:
    before = assign_uniformly(alike(members_before, counts_before))
    spec = alike(members_after, counts_after, before)
    after = assign_uniformly(spec)
    assert_whole(spec, after)
    assert sizes(after)[-1] - sizes(after)[0] <= 1
    # The least that must move: what is more than the largest share, and what lies with more members than may have it.
    there = {(topic, number) for topic, count in counts_after.items() for number in range(count)}
    kept = {member_id: flat(before.get(member_id, {})) & there for member_id in spec.members}
    quota, extra = divmod(len(there), members_after)
    allowed = sum(min(len(mine), quota) for mine in kept.values())
    allowed += min(extra, sum(len(mine) > quota for mine in kept.values()))
    assert sum(len(mine & flat(after[member_id])) for member_id, mine in kept.items()) == allowed


@given(subscriptions, counts_of_topics)
def test_uniform_moves_nothing_that_is_balanced(
    subscribed: dict[str, frozenset[bytes]], counts: dict[bytes, int]
) -> None:
    first = assign_uniformly(specification(subscribed, counts))
    assert assign_uniformly(specification(subscribed, counts, first)) == first


@settings(max_examples=200)
@given(subscriptions, counts_of_topics)
def test_uniform_leaves_no_topic_whose_subscribers_could_be_more_alike(
    subscribed: dict[str, frozenset[bytes]], counts: dict[bytes, int]
) -> None:
    assigned = assign_uniformly(specification(subscribed, counts))
    loads = {member_id: len(flat(share)) for member_id, share in assigned.items()}
    for topic in TOPICS:
        subscribers = [member_id for member_id, topics in subscribed.items() if topic in topics]
        givers = [loads[member_id] for member_id in subscribers if assigned[member_id].get(topic)]
        if givers:
            assert max(givers) - min(loads[member_id] for member_id in subscribers) <= 1


def test_a_second_member_takes_half_and_the_first_keeps_the_other() -> None:
    alone = assign_uniformly(alike(1, {A: 6}))
    both = assign_uniformly(alike(2, {A: 6}, alone))
    assert both == {"member-000": {A: frozenset({0, 1, 2})}, "member-001": {A: frozenset({3, 4, 5})}}


def test_a_leaver_s_partitions_are_shared_and_nothing_else_moves() -> None:
    three = assign_uniformly(alike(3, {A: 9}))
    two = assign_uniformly(
        specification({"member-000": frozenset({A}), "member-001": frozenset({A})}, {A: 9}, three)
    )
    for member_id in two:
        assert three[member_id][A] < two[member_id][A]


def test_who_is_subscribed_to_more_leaves_the_shared_topic_to_the_others() -> None:
    spec = specification({"both": frozenset({A, B}), "only-b": frozenset({B})}, {A: 3, B: 3})
    assert assign_uniformly(spec) == {"both": {A: frozenset({0, 1, 2})}, "only-b": {B: frozenset({0, 1, 2})}}


def test_nobody_is_subscribed_to_anything() -> None:
    assert assign_uniformly(specification({}, {})) == {}
    assert assign_uniformly(specification({"a": frozenset()}, {A: 3})) == {"a": {}}
    assert assign_ranges(specification({"a": frozenset()}, {A: 3})) == {"a": {}}


def test_ranges_are_alike_for_topics_of_one_size() -> None:
    spec = alike(3, {A: 7, B: 7})
    assigned = assign_ranges(spec)
    assert [share[A] for share in assigned.values()] == [share[B] for share in assigned.values()]
    assert assigned["member-000"][A] == frozenset({0, 1, 2})
    assert assigned["member-001"][A] == frozenset({3, 4})
    assert assigned["member-002"][A] == frozenset({5, 6})


def test_more_members_than_partitions_leaves_the_last_without_any() -> None:
    assert assign_ranges(alike(3, {A: 2})) == {
        "member-000": {A: frozenset({0})},
        "member-001": {A: frozenset({1})},
        "member-002": {},
    }


def test_static_members_come_first_in_the_order_of_their_instances() -> None:
    topics = frozenset({A})
    members = {"a": topics, "x": topics, "y": topics}
    assigned = assign_ranges(specification(members, {A: 3}, instances={"x": "2", "y": "1"}))
    assert assigned == {"a": {A: frozenset({2})}, "x": {A: frozenset({1})}, "y": {A: frozenset({0})}}


def test_a_replaced_static_member_s_range_stays_where_it_was() -> None:
    topics = frozenset({A})
    before = assign_ranges(specification({"a": topics, "b": topics}, {A: 4}, instances={"a": "1", "b": "2"}))
    after = assign_ranges(specification({"b": topics, "z": topics}, {A: 4}, instances={"z": "1", "b": "2"}))
    assert after["z"] == before["a"]
    assert after["b"] == before["b"]


@pytest.mark.parametrize("name", sorted(ASSIGNORS))
def test_a_hundred_members_and_a_thousand_partitions_take_no_time(name: str) -> None:
    assign = ASSIGNORS[name]
    counts = {bytes([number]) * 16: 100 for number in range(10)}
    mixed = specification(
        {f"member-{number:03}": frozenset(list(counts)[number % 3 :]) for number in range(100)}, counts
    )
    for spec in (alike(100, counts), mixed):
        best = min(_seconds(assign, spec) for _ in range(3))
        assert best < 0.1


def _seconds(assign: object, spec: Specification) -> float:
    assert callable(assign)
    started = time.perf_counter()
    assign(spec)
    return time.perf_counter() - started
