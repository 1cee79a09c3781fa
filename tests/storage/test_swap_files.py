"""Putting cleaned segments in place: at every moment of a crash either the old ones or the new ones are there, whole."""

import random

import pytest
from log_workshop import append, batch_of, flush, open_log, read_all

from snakka.protocol.record_batch import read_header
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from snakka.storage.segment import Segment
from snakka.storage.segment_files import SEGMENT_KINDS, file_path
from snakka.storage.swap_files import prepare_swap
from snakka.testing.simulated_files import Fault, SimulatedFiles

DIRECTORY = "/data/topic-0"
CONFIG = LogConfig(segment_bytes=300, index_interval_bytes=100)
OLD = list(range(8))
NEW = [1, 3, 5, 6, 7]


def log_to_clean() -> tuple[SimulatedFiles, PartitionLog]:
    """Two batches a segment; the cleaner has made 1 and 3 of the first two segments, and 5 of the third."""
    files = SimulatedFiles(("/data",))
    files.make_directory("/data")
    files.sync_directory("/")
    log = open_log(files, DIRECTORY, CONFIG)
    for _ in OLD:
        append(log, batch_of(1, size=60))
    log.advance_high_watermark(8)
    flush(log)
    batches = {header.base_offset: data for header, data in read_all(log)}
    scratch = SimulatedFiles()
    scratch.make_directory(DIRECTORY)
    for base, kept in ((0, (1, 3)), (4, (5,))):
        segment = Segment.create(scratch, DIRECTORY, base, CONFIG, 0)
        for offset in kept:
            header = read_header(batches[offset])
            segment.append(batches[offset], offset, header.max_timestamp)
        segment.become_inactive()
        for kind in SEGMENT_KINDS:
            path = file_path(DIRECTORY, base, kind)
            if scratch.exists(path):
                files.replace(path + ".cleaned", scratch.read(path))
    return files, log


def offsets(log: PartitionLog) -> list[int]:
    return [header.base_offset for header, _ in read_all(log)]


def swap(files: SimulatedFiles, log: PartitionLog) -> list[str]:
    prepare_swap(files, DIRECTORY, [0, 4])
    return log.replace_segments([0, 4], [0, 2, 4])


def test_the_new_segments_take_the_place_of_the_old() -> None:
    files, log = log_to_clean()
    gone = swap(files, log)
    assert offsets(log) == NEW
    assert [segment.base_offset for segment in log.segments] == [0, 4, 6]
    assert file_path(DIRECTORY, 2, ".log", ".deleted") in gone
    assert file_path(DIRECTORY, 2, ".snapshot", ".deleted") in gone
    assert all(files.exists(path) for path in gone)
    assert append(log, batch_of(1)).first_offset == 8
    log.close()
    assert offsets(open_log(files, DIRECTORY, CONFIG, clean_shutdown=True)) == [*NEW, 8]


def test_the_active_segment_and_unknown_ones_are_not_replaced() -> None:
    _, log = log_to_clean()
    for bases in ([6], [1]):
        with pytest.raises(ValueError, match="replaced"):
            log.replace_segments([0], bases)
    assert offsets(log) == OLD


@pytest.mark.parametrize("seed", range(30))
def test_after_a_power_loss_at_any_moment_old_or_new_ones_are_whole(seed: int) -> None:
    chance = random.Random(seed)
    files, log = log_to_clean()
    files.faults.append(Fault("rename", skip=chance.randint(0, 25)))
    swapped = False
    try:
        swap(files, log)
        swapped = True
    except OSError:
        pass
    prepared = not any(name.endswith(".cleaned") for name in files.list(DIRECTORY))
    files.faults.clear()
    if chance.random() < 0.7:
        files.crash(chance)
    log = open_log(files, DIRECTORY, CONFIG, recovery_point=8)
    assert offsets(log) in ([OLD, NEW] if prepared and not swapped else [NEW] if swapped else [OLD])
    assert not any(name.endswith((".cleaned", ".swap", ".deleted")) for name in files.list(DIRECTORY))
    assert append(log, batch_of(1)).first_offset == 8
