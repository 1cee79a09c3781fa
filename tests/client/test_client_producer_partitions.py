"""Where records go: those with a key where Kafka's own producer sends them, the others where there is room."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.client.producer.partitioners import StickyPartition, chosen_by_load


def test_records_without_a_key_stay_together_for_a_batch_and_then_move_on() -> None:
    sticky = StickyPartition(16_384, random.Random(1))
    first = sticky.move([0] * 50)
    assert sticky.current == first
    assert not sticky.filled(16_000)
    assert sticky.filled(384)
    assert sticky.move([0] * 50) != first
    assert not sticky.filled(16_383)


@given(st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=20), st.integers(0, 1000))
def test_only_what_can_be_used_is_chosen_if_anything_can(loads: list[int | None], seed: int) -> None:
    chosen = chosen_by_load(loads, random.Random(seed))
    assert 0 <= chosen < len(loads)
    assert loads[chosen] is not None or set(loads) == {None}


def test_where_more_waits_less_is_sent() -> None:
    """The weights are Kafka's: the longest queue and one more, less one's own."""
    chance = random.Random(7)
    chosen = Counter(chosen_by_load([3, 0, None, 1], chance) for _ in range(8000))
    assert chosen[0] / 8000 == pytest.approx(1 / 8, abs=0.02)
    assert chosen[1] / 8000 == pytest.approx(4 / 8, abs=0.02)
    assert chosen[3] / 8000 == pytest.approx(3 / 8, abs=0.02)
    assert 2 not in chosen
