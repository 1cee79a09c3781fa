"""Opening after a crash: the torn end goes, damage is found, and nothing else is lost."""

import os
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_workshop import NOW_MS, append, append_marker, batch_of, flush, open_log, read_all

from snakka.storage.files import OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulated_files import ProgramDied, SimulatedFiles

DIRECTORY = "/data/topic-0"
CONFIG = LogConfig(segment_bytes=500, index_interval_bytes=150)


def killed_log(batches: int = 12, *, clean: bool = False) -> SimulatedFiles:
    """A log of several segments whose broker was killed, or stopped."""
    files = SimulatedFiles(("/data",))
    files.make_directory("/data")
    log = open_log(files, DIRECTORY, CONFIG)
    for number in range(batches):
        append(
            log,
            batch_of(1, size=60, producer_id=1, producer_epoch=0, base_sequence=number),
            leader_epoch=number // 5,
        )
    if clean:
        log.close()
    return files


def reopened(files: SimulatedFiles, *, recovery_point: int = 0, clean: bool = False) -> PartitionLog:
    return open_log(files, DIRECTORY, CONFIG, clean_shutdown=clean, recovery_point=recovery_point)


def path(base: int, kind: str = ".log") -> str:
    return f"{DIRECTORY}/{base:020d}{kind}"


def offsets(log: PartitionLog) -> list[int]:
    return [header.base_offset for header, _ in read_all(log)]


def test_what_was_written_before_a_kill_is_all_there() -> None:
    log = reopened(killed_log())
    assert offsets(log) == list(range(12))
    assert log.recovery_point == 0
    assert log.producers.entries[1].last_sequence == 11
    assert len(log.producers.entries[1].batches) == 5
    assert [tuple(entry) for entry in log.epochs.entries] == [(0, 0), (1, 5), (2, 10)]
    assert log.end_offset_for_epoch(0) == (0, 5)


@given(cut=st.integers(1, 130), noise=st.integers(0, 40))
def test_a_torn_end_is_cut(cut: int, noise: int) -> None:
    """Part of a batch, and behind it something that is not the rest of it."""
    files = killed_log(3)
    last = bytes(batch_of(1, size=60, base_offset=3))
    garbage = bytes(byte ^ 0xFF for byte in last[cut : cut + noise])
    files.replace(path(0), files.read(path(0)) + last[:cut] + garbage)
    log = reopened(files)
    assert offsets(log) == [0, 1, 2]
    assert append(log, batch_of(1)).first_offset == 3
    assert offsets(log) == [0, 1, 2, 3]


def test_zeros_behind_the_end_are_cut() -> None:
    files = killed_log(3)
    size = len(files.read(path(0)))
    files.replace(path(0), files.read(path(0)) + bytes(5000))
    log = reopened(files)
    assert log.log_end_offset == 3
    assert len(files.read(path(0))) == size


@given(position=st.integers(12, 400), bit=st.integers(0, 7))
def test_a_flipped_bit_in_the_scanned_range_is_found(position: int, bit: int) -> None:
    """Offset and epoch are not under the checksum; every other bit is."""
    files = killed_log()
    data = bytearray(files.read(path(0)))
    size = len(data) // 3
    position %= len(data)
    data[position] ^= 1 << bit
    files.replace(path(0), bytes(data))
    log = reopened(files)
    intact = position // size
    if position % size >= 16:
        assert offsets(log) == list(range(intact))
        assert [name for name in files.list(DIRECTORY) if name.endswith(".log")] == [
            "00000000000000000000.log"
        ]


def test_what_comes_after_damage_is_removed_with_its_files() -> None:
    files = killed_log()
    data = bytearray(files.read(path(3)))
    data[-1] ^= 1
    files.replace(path(3), bytes(data))
    log = reopened(files)
    assert offsets(log) == [0, 1, 2, 3, 4]
    assert [name for name in files.list(DIRECTORY) if name.endswith(".log")] == [
        "00000000000000000000.log",
        "00000000000000000003.log",
    ]
    assert log.producers.entries[1].last_sequence == 4
    assert [tuple(entry) for entry in log.epochs.entries] == [(0, 0)]


@pytest.mark.parametrize("deaths_at", range(1, 15))
def test_no_power_cut_brings_back_what_came_after_damage(deaths_at: int) -> None:
    """Not even in a compacted log, where a batch that follows a hole looks as if compaction had made it."""
    compacted = replace(CONFIG, compact=True)
    for seed in range(6):
        files = killed_log()
        data = bytearray(files.read(path(3)))
        data[-1] ^= 1
        files.replace(path(3), bytes(data))
        for name in files.list(DIRECTORY):
            files.sync_file(f"{DIRECTORY}/{name}")
        for directory in (DIRECTORY, "/data", "/"):
            files.sync_directory(directory)
        changes = 0

        def die(operation: str, where: str) -> None:
            nonlocal changes
            changes += 1
            if changes == deaths_at:
                raise ProgramDied

        files.on_change = die
        with suppress(ProgramDied):
            open_log(files, DIRECTORY, compacted)
        files.on_change = None
        files.crash(random.Random(seed))
        assert offsets(open_log(files, DIRECTORY, compacted)) == [0, 1, 2, 3, 4]


def test_segments_before_the_recovery_point_are_not_read() -> None:
    files = killed_log()
    data = bytearray(files.read(path(0)))
    data[100] ^= 1
    files.replace(path(0), bytes(data))
    log = reopened(files, recovery_point=6)
    assert offsets(log) == list(range(12))
    assert log.recovery_point == 6


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda files: [files.remove(path(base, ".index")) for base in (0, 3, 6, 9)],
        lambda files: [files.remove(path(base, ".timeindex")) for base in (0, 3, 6, 9)],
        lambda files: [files.replace(path(base, ".index"), b"\x11" * 64) for base in (0, 3, 6, 9)],
        lambda files: [files.replace(path(base, ".timeindex"), bytes(120)) for base in (0, 3, 6, 9)],
        lambda files: [files.replace(path(base, ".txnindex"), b"\xee" * 50) for base in (0, 6)],
        lambda files: files.remove(f"{DIRECTORY}/leader-epoch-checkpoint"),
        lambda files: files.replace(f"{DIRECTORY}/leader-epoch-checkpoint", b"0\n7\n"),
        lambda files: [files.replace(path(base, ".snapshot"), b"\0\1") for base in (3, 6, 9, 12)],
        lambda files: files.replace(f"{DIRECTORY}/partition.metadata", b""),
    ],
    ids=[
        "index",
        "timeindex",
        "index noise",
        "timeindex zeros",
        "txnindex",
        "no epochs",
        "epochs",
        "snapshots",
        "id",
    ],
)
def test_no_record_is_lost_because_of_what_lies_beside_the_log(
    spoil: Callable[[SimulatedFiles], object], clean: bool
) -> None:
    files = killed_log(clean=clean)
    spoil(files)
    log = reopened(files, recovery_point=12 if clean else 9, clean=clean)
    assert offsets(log) == list(range(12))
    assert log.log_end_offset == 12
    assert log.producers.entries[1].last_sequence == 11
    assert [entry.epoch for entry in log.epochs.entries] == [0, 1, 2]
    found = log.offset_for_timestamp(0, 12)
    assert found is not None
    assert found.offset == 0
    append(log, batch_of(1))
    log.close()
    assert offsets(reopened(files, clean=True)) == list(range(13))


def test_aborted_transactions_are_found_again() -> None:
    files = SimulatedFiles()
    files.make_directory("/data")
    log = open_log(files, DIRECTORY, CONFIG)
    for number in range(9):
        append(
            log,
            batch_of(
                1, size=60, producer_id=1, producer_epoch=0, base_sequence=number, is_transactional=True
            ),
        )
        if number % 3 == 2:
            append_marker(log, 1, committed=number == 2)
    before = log.aborted_transactions(0, 100)
    assert len(before) == 2
    for name in files.list(DIRECTORY):
        if name.endswith(".txnindex"):
            files.remove(os.path.join(DIRECTORY, name))
    log = reopened(files)
    assert log.aborted_transactions(0, 100) == before
    assert log.last_stable_offset == log.high_watermark
    append(log, batch_of(1, producer_id=1, producer_epoch=0, base_sequence=9, is_transactional=True))
    again = reopened(files)
    again.advance_high_watermark(again.log_end_offset)
    assert again.last_stable_offset == again.log_end_offset - 1


def test_a_log_start_past_the_end_is_not_believed_after_a_clean_stop() -> None:
    log = open_log(killed_log(3, clean=True), DIRECTORY, CONFIG, clean_shutdown=True, log_start_offset=50)
    assert (log.log_start_offset, log.log_end_offset) == (0, 3)


def test_a_log_start_past_the_end_begins_there() -> None:
    files = killed_log(3)
    log = open_log(files, DIRECTORY, CONFIG, log_start_offset=50)
    assert (log.log_start_offset, log.log_end_offset, log.recovery_point) == (50, 50, 50)
    assert append(log, batch_of(1)).first_offset == 50
    assert log.epochs.entries[0].start_offset == 50


def test_index_files_without_a_log_are_removed() -> None:
    files = killed_log(3)
    files.replace(path(77, ".index"), bytes(8))
    files.replace(path(77, ".timeindex"), bytes(12))
    assert reopened(files).log_end_offset == 3
    assert not files.exists(path(77, ".index"))
    assert not files.exists(path(77, ".timeindex"))


def test_a_cut_that_came_back_in_a_rolled_segment_is_cut_again() -> None:
    files = killed_log(3)
    log = reopened(files)
    flush(log)
    before = files.read(path(0))
    log.truncate_to(2)
    log.roll()
    append(log, batch_of(1))
    # As if the power had gone before the shorter file was synced: the old batch at offset 2 is back.
    files.replace(path(0), before)
    log = reopened(files, recovery_point=2)
    assert offsets(log) == [0, 1, 2]
    assert len(files.read(path(0))) < len(before)


def test_a_preallocated_log_of_a_killed_broker_opens(tmp_path: Path) -> None:
    files = OsFiles([str(tmp_path)])
    config = LogConfig(preallocate=True, segment_bytes=100_000)
    log = open_log(files, str(tmp_path / "topic-0"), config)
    append(log, batch_of(3))
    log.abandon()
    assert (tmp_path / "topic-0" / "00000000000000000000.log").stat().st_size == 100_000
    log = open_log(files, str(tmp_path / "topic-0"), config)
    assert log.log_end_offset == 3
    append(log, batch_of(1))
    log.close()
    assert (tmp_path / "topic-0" / "00000000000000000000.log").stat().st_size < 1000


def test_a_segment_that_lost_its_end_takes_the_later_ones_along() -> None:
    """A power cut may leave a rolled segment short, at the end of a batch, and the next one whole."""
    for keep in (0, 1, 2):
        files = killed_log()
        batch_bytes = len(files.read(path(3))) // 3
        file = files.open(path(3))
        file.truncate(keep * batch_bytes)
        log = reopened(files)
        assert offsets(log) == list(range(3 + keep))
        assert log.log_end_offset == 3 + keep
        assert append(log, batch_of(1)).first_offset == 3 + keep


def test_offsets_that_compaction_left_out_stay_left_out() -> None:
    files = killed_log()
    file = files.open(path(3))
    file.truncate(2 * len(files.read(path(3))) // 3)
    compacted = LogConfig(segment_bytes=500, index_interval_bytes=150, compact=True)
    log = open_log(files, DIRECTORY, compacted)
    assert offsets(log) == [0, 1, 2, 3, 4, *range(6, 12)]


def test_indexes_of_a_segment_that_was_rolled_after_its_last_sync_are_made_anew() -> None:
    """What they say is true, but a power cut has taken their last entries."""
    files = SimulatedFiles(("/data",))
    files.make_directory("/data")
    log = open_log(files, DIRECTORY, CONFIG)
    for number in range(3):
        append(log, batch_of(1, size=60, timestamp=NOW_MS + number))
    flush(log)
    log.roll()
    index = files.open(path(0, ".timeindex"))
    index.truncate(index.size - 12)
    log = reopened(files, recovery_point=3)
    found = log.offset_for_timestamp(NOW_MS + 2, 3)
    assert found is not None
    assert found.offset == 2
