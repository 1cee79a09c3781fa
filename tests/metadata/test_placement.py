"""Replicas spread over racks first, over brokers second, and touch fenced brokers last."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.metadata.state.placement import UsableBroker, place_replicas
from snakka.protocol.errors import ApiError, ErrorCode


class NoChance(random.Random):
    """Always the first: the pattern of the placement without its random start."""

    def randrange(self, *_args: object) -> int:
        return 0

    def shuffle(self, x: list) -> None:
        pass


def brokers(**racks: list[int]) -> list[UsableBroker]:
    return [UsableBroker(node, rack, False) for rack, nodes in racks.items() for node in nodes]


def test_one_broker_takes_everything() -> None:
    assert place_replicas([UsableBroker(1, None, False)], 5, 1, NoChance()) == [[1]] * 5


def test_the_stripes_of_three_racks() -> None:
    cluster = brokers(a=[0, 1, 2], b=[10, 11, 12], c=[20, 21, 22])
    assert place_replicas(cluster, 3, 3, NoChance()) == [[0, 10, 20], [11, 21, 1], [22, 2, 12]]


def test_leaders_take_turns_without_racks() -> None:
    cluster = [UsableBroker(node, None, False) for node in (3, 1, 2)]
    placed = place_replicas(cluster, 3, 2, NoChance())
    assert placed == [[1, 2], [2, 3], [3, 1]]


def test_a_small_rack_gets_a_replica_of_each_partition() -> None:
    cluster = brokers(a=[1, 2, 3], b=[4, 5, 6], c=[7])
    assert all(7 in replicas for replicas in place_replicas(cluster, 20, 3, random.Random(1)))


def test_a_fenced_broker_never_leads_and_is_taken_only_when_it_must() -> None:
    cluster = [UsableBroker(1, None, True), UsableBroker(2, None, False), UsableBroker(3, None, False)]
    placed = place_replicas(cluster, 30, 2, random.Random(1))
    assert all(1 not in replicas for replicas in placed)
    placed = place_replicas(cluster, 30, 3, random.Random(1))
    assert all(replicas[0] != 1 and 1 in replicas for replicas in placed)


def test_a_rack_with_nothing_but_fenced_brokers_still_counts() -> None:
    cluster = [
        UsableBroker(1, "a", False),
        UsableBroker(2, "a", False),
        UsableBroker(3, "b", True),
    ]
    assert all(
        3 in replicas and replicas[0] != 3 for replicas in place_replicas(cluster, 10, 2, random.Random(4))
    )


@pytest.mark.parametrize(
    ("cluster", "replication_factor"),
    [
        ([], 1),
        ([UsableBroker(1, None, True)], 1),
        ([UsableBroker(1, None, False)], 0),
        ([UsableBroker(1, None, False)], -3),
        ([UsableBroker(1, None, False), UsableBroker(2, "r", True)], 3),
    ],
)
def test_what_cannot_be_placed(cluster: list[UsableBroker], replication_factor: int) -> None:
    with pytest.raises(ApiError) as refused:
        place_replicas(cluster, 1, replication_factor, random.Random(0))
    assert refused.value.code is ErrorCode.INVALID_REPLICATION_FACTOR
    assert refused.value.message


@given(
    st.dictionaries(
        st.integers(0, 40), st.tuples(st.sampled_from([None, "a", "b", "c", "d"]), st.booleans()), min_size=1
    ),
    st.integers(1, 6),
    st.integers(1, 60),
    st.integers(0, 2**32),
)
@settings(max_examples=300, deadline=None)
def test_what_every_placement_keeps(
    nodes: dict[int, tuple[str | None, bool]], replication_factor: int, partitions: int, seed: int
) -> None:
    nodes[99] = (None, False)  # somebody must be able to lead
    replication_factor = min(replication_factor, len(nodes))
    cluster = [UsableBroker(node, rack, fenced) for node, (rack, fenced) in nodes.items()]
    placed = place_replicas(cluster, partitions, replication_factor, random.Random(seed))
    assert len(placed) == partitions
    racks = {rack for rack, _ in nodes.values()}
    for replicas in placed:
        assert len(set(replicas)) == len(replicas) == replication_factor
        assert not nodes[replicas[0]][1]
        used = {nodes[replica][0] for replica in replicas}
        assert len(used) == min(len(racks), replication_factor)
    assert placed == place_replicas(reversed(cluster), partitions, replication_factor, random.Random(seed))


def test_leaders_are_even_over_many_partitions() -> None:
    cluster = brokers(a=[1, 2], b=[3, 4], c=[5, 6])
    placed = place_replicas(cluster, 600, 3, random.Random(9))
    leaders = Counter(replicas[0] for replicas in placed)
    assert max(leaders.values()) < 2 * min(leaders.values())
