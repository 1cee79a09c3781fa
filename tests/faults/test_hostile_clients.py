"""Clients that mean harm: the broker's memory stays bounded, it gets its descriptors back, and a bystander is served."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.faults.hostile_clients import (
    MIB,
    Attack,
    HostileClients,
    churn,
    half_open_frames,
    idle_connections,
    largest_requests,
    pipelining_without_reading,
    slow_readers,
)
from tests.faults.process_facts import needs_proc

pytestmark = [needs_proc, pytest.mark.xdist_group("hostile clients")]

# On a busy machine; the soak has the figures.
SLOWEST_ROUND_TRIP_MS = 5000
LEFT_BEHIND_BYTES = 24 * MIB


@pytest.fixture(scope="module")
def besieged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileClients]:
    with HostileClients(tmp_path_factory.mktemp("besieged")) as clients:
        yield clients


@pytest.mark.parametrize(
    ("attack", "most_bytes"),
    [
        pytest.param(partial(idle_connections, connections=2000), 40 * MIB, id="idle connections"),
        pytest.param(slow_readers, 64 * MIB, id="slow readers"),
        pytest.param(pipelining_without_reading, 64 * MIB, id="pipelining without reading"),
        pytest.param(half_open_frames, 16 * MIB, id="half-open frames"),
        pytest.param(churn, 32 * MIB, id="churn"),
        # The largest last: its memory must have gone back when it is over.
        pytest.param(largest_requests, 220 * MIB, id="largest requests"),
    ],
)
def test_memory_is_bounded_and_a_bystander_is_served(
    besieged: HostileClients, attack: Callable[[str], Attack], most_bytes: int
) -> None:
    siege = besieged.besiege("attack", attack)
    assert siege.peak_growth < most_bytes, siege.line()
    assert siege.growth_afterwards < LEFT_BEHIND_BYTES, siege.line()
    assert siege.bystander_slowest_ms < SLOWEST_ROUND_TRIP_MS, siege.line()


def test_announced_requests_wait_for_their_memory(tmp_path: Path) -> None:
    """queued.max.request.bytes: two of a hundred may come in, the others are not read, and small requests need no place."""
    with HostileClients(tmp_path, "--set", f"queued.max.request.bytes={100 * MIB}") as clients:
        siege = clients.besiege("half-open frames", half_open_frames)
        assert siege.peak_growth < 16 * MIB, siege.line()
        assert siege.bystander_slowest_ms < SLOWEST_ROUND_TRIP_MS, siege.line()
