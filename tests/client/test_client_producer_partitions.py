"""Where records go: those with a key where Kafka's own producer sends them, the others where there is room."""

import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kafka.kafka_tools_process import JVM_FLAGS
from tests.kafka.nodes import kafka_libs

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


class Numbers(random.Random):
    """Chance that gives the number that it was told, and remembers how many there were to choose from."""

    def __init__(self, number: int) -> None:
        super().__init__(0)
        self.number = number
        self.choices = 0

    def randrange(self, choices: int) -> int:  # type: ignore[override]
        self.choices = choices
        return self.number


def all_chosen(loads: list[int | None]) -> list[int]:
    """The partition for every number that chance may give."""
    first = Numbers(0)
    chosen_by_load(loads, first)
    return [chosen_by_load(loads, Numbers(number)) for number in range(first.choices)]


def test_kafka_s_own_producer_chooses_alike(tmp_path: Path) -> None:
    """Of the same queues by the same chance the same partition."""
    libs = kafka_libs()
    source = Path(__file__).with_name("PartitionerFacts.java")
    subprocess.run(["javac", "-cp", f"{libs}/*", "-d", str(tmp_path), str(source)], check=True, timeout=60)
    chance = random.Random(794)
    cases: list[list[int | None]] = [[0], [None], [None, None, None], [2, 2, 2], [None, 2, 2], [0, 3, 1]]
    for _ in range(300):
        loads = [chance.choice((None, 0, 0, 1, 2, 5, 40)) for _ in range(chance.randint(1, 12))]
        cases.append(loads)
    lines = [" ".join("-" if load is None else str(load) for load in loads) for loads in cases]
    main = "org.apache.kafka.clients.producer.internals.PartitionerFacts"
    command = ["java", *JVM_FLAGS, "-cp", f"{tmp_path}:{libs}/*", main]
    ended = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, timeout=60, check=True
    )
    answers = [[int(word) for word in line.split()] for line in ended.stdout.splitlines()]
    for loads, answer in zip(cases, answers, strict=True):
        assert all_chosen(loads) == answer, loads
