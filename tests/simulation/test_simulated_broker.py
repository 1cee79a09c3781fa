"""A whole broker in a hundred worlds that go wrong; and that a seed does the same again, whoever runs it."""

import os
import subprocess
import sys

import pytest

from snakka.testing.simulation.runner import run_seed

SEEDS = range(100)
GROUPS = 10


@pytest.mark.parametrize("group", range(GROUPS))
def test_the_broker_keeps_its_promises(group: int) -> None:
    for seed in SEEDS[group::GROUPS]:
        verdict = run_seed(seed)
        assert not verdict.failure, (
            f"{verdict.failure}\nreplay: python -m snakka.testing.simulation --seed {seed}\n{verdict.details}"
        )


@pytest.mark.parametrize("seed", [3, 12, 41])
def test_a_seed_does_the_same_twice(seed: int) -> None:
    first, second = run_seed(seed), run_seed(seed)
    assert first == second
    assert first.counts["arrived"] > 0


def test_a_seed_does_the_same_in_every_process() -> None:
    """Sets of strings have another order in each of them; nothing may depend on that."""
    lines = set()
    for hash_seed in ("1", "2"):
        ended = subprocess.run(
            [sys.executable, "-m", "snakka.testing.simulation", "--seed", "5"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        lines.add(ended.stdout)
    lines.add(f"seed 5: ok ({run_seed(5).virtual_seconds:.1f} virtual s, trace {run_seed(5).digest})\n")
    assert len(lines) == 1, lines
