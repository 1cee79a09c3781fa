"""The simulation finds what it is for: each of these brokers has one fault, and none of them gets through."""

from collections.abc import Callable

import pytest

from snakka.metadata.image.configs import ConfigsImage
from snakka.replication.partition import Partition
from snakka.storage.directory_checkpoints import Checkpoint
from snakka.storage.flush_job import Unsynced
from snakka.storage.log_directory import LogDirectory
from snakka.storage.log_manager import LogManager
from snakka.storage.producer_state import ProducerEntry, ProducerState
from snakka.storage.segment import Segment
from snakka.storage.swap_files import finish_interrupted_swaps
from snakka.testing.simulation.runner import run_seed

MOST_SEEDS = 120

Break = Callable[[pytest.MonkeyPatch], None]


def never_syncs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Unsynced, "steps", lambda self, log: [])


def answers_before_the_sync(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Partition, "is_acknowledged", lambda self, offset, needs_isr: True)


def knows_no_duplicates(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ProducerEntry, "duplicate_of", lambda self, first, last: None)


def forgets_times(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Segment, "largest_record_timestamp", lambda self: -1)


def forgets_configs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ConfigsImage, "snapshot", lambda self: iter(()))


def leaves_swaps_half_done(patch: pytest.MonkeyPatch) -> None:
    assert finish_interrupted_swaps is not None
    patch.setattr("snakka.storage.recovery.finish_interrupted_swaps", lambda files, directory: None)


def forgets_log_starts(patch: pytest.MonkeyPatch) -> None:
    before = LogManager._offsets

    def offsets(self: LogManager, directory: LogDirectory, which: Checkpoint) -> dict[tuple[str, int], int]:
        return {} if which is Checkpoint.LOG_START else before(self, directory, which)

    patch.setattr(LogManager, "_offsets", offsets)


def keeps_torn_batches(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("snakka.storage.recovery._is_intact", lambda segment, batch: True)


def forgets_a_producers_last_batch(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ProducerState, "append_data", lambda self, header, first_offset, timestamp: None)


# Where to begin: some faults need a world that is rare.
@pytest.mark.parametrize(
    ("fault", "first_seed"),
    [
        (never_syncs, 0),
        (answers_before_the_sync, 8),
        (knows_no_duplicates, 0),
        (forgets_times, 0),
        (forgets_configs, 0),
        (leaves_swaps_half_done, 2),
        (forgets_log_starts, 50),
        (keeps_torn_batches, 40),
        (forgets_a_producers_last_batch, 0),
    ],
)
def test_a_broken_broker_is_found_out(fault: Break, first_seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fault(monkeypatch)
    assert any(run_seed(seed).failure for seed in range(first_seed, first_seed + MOST_SEEDS))
