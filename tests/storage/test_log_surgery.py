"""Deleting at the beginning, cutting at the end."""

from pathlib import Path

import pytest
from log_workshop import append, append_marker, batch_of, flush, open_log, read_all

from snakka.protocol.errors import ApiError
from snakka.storage.files import OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog

CONFIG = LogConfig(segment_bytes=300, index_interval_bytes=100)


@pytest.fixture
def log(tmp_path: Path) -> PartitionLog:
    """Ten batches, two a segment."""
    log = open_log(OsFiles([str(tmp_path)]), str(tmp_path / "topic-0"), CONFIG)
    for number in range(10):
        append(
            log,
            batch_of(1, size=60, producer_id=1, producer_epoch=0, base_sequence=number),
            leader_epoch=number // 4,
        )
    return log


def offsets(log: PartitionLog) -> list[int]:
    return [header.base_offset for header, _ in read_all(log)]


def test_whole_segments_go_and_their_files_wait_for_deletion(log: PartitionLog, tmp_path: Path) -> None:
    log.advance_high_watermark(9)
    gone = log.delete_segments_before(5)
    assert log.log_start_offset == 4
    assert offsets(log) == [4, 5, 6, 7, 8, 9]
    names = sorted(path.name for path in (tmp_path / "topic-0").iterdir())
    assert "00000000000000000000.log.deleted" in names
    assert "00000000000000000002.snapshot.deleted" in names
    assert "00000000000000000004.snapshot" in names
    assert sorted(gone) == [str(path) for path in sorted((tmp_path / "topic-0").glob("*.deleted"))]
    assert log.delete_segments_before(5) == []
    assert log.epochs.entries[0] == (1, 4)


def test_nothing_above_the_high_watermark_is_deleted(log: PartitionLog) -> None:
    log.advance_high_watermark(3)
    with pytest.raises(ApiError):
        log.delete_segments_before(6)
    assert offsets(log) == list(range(10))


def test_all_segments_can_go_after_a_roll(log: PartitionLog) -> None:
    log.advance_high_watermark(10)
    log.roll()
    log.delete_segments_before(10)
    assert (log.log_start_offset, log.log_end_offset, log.size) == (10, 10, 0)
    assert append(log, batch_of(1)).first_offset == 10


def test_facts_for_retention(log: PartitionLog) -> None:
    facts = log.segment_facts()
    assert [fact.base_offset for fact in facts] == [0, 2, 4, 6, 8]
    assert sum(fact.size for fact in facts) == log.size
    assert all(fact.largest_timestamp > 0 for fact in facts)


@pytest.mark.parametrize("target", [0, 1, 4, 5, 9])
def test_the_end_is_cut(log: PartitionLog, target: int) -> None:
    flush(log)
    log.advance_high_watermark(10)
    log.truncate_to(target)
    assert offsets(log) == list(range(target))
    assert log.log_end_offset == log.recovery_point == log.high_watermark == target
    entry = log.producers.entries.get(1)
    assert (entry.last_sequence if entry else -1) == target - 1
    assert all(start.start_offset < target for start in log.epochs.entries)
    info = append(log, batch_of(1, producer_id=1, producer_epoch=0, base_sequence=target), leader_epoch=9)
    assert info.first_offset == target
    log.close()
    again = open_log(log.files, log.directory, CONFIG, clean_shutdown=True)
    assert offsets(again) == list(range(target + 1))


def test_cutting_at_or_after_the_end_only_forgets_epochs_without_records(log: PartitionLog) -> None:
    log.assign_leader_epoch(7)
    assert log.epochs.latest == 7
    log.truncate_to(99)
    assert offsets(log) == list(range(10))
    assert log.epochs.latest == 2


def test_a_transaction_that_a_cut_reopens_is_under_way_again(tmp_path: Path) -> None:
    log = open_log(OsFiles([str(tmp_path)]), str(tmp_path / "topic-0"), CONFIG)
    append(log, batch_of(2, producer_id=5, producer_epoch=0, base_sequence=0, is_transactional=True))
    append_marker(log, 5, committed=False)
    log.advance_high_watermark(3)
    assert log.aborted_transactions(0, 3) != []
    log.truncate_to(2)
    assert log.aborted_transactions(0, 3) == []
    assert log.last_stable_offset == 0


def test_throwing_everything_away(log: PartitionLog) -> None:
    log.truncate_fully_and_start_at(1000)
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (1000, 1000, 1000)
    assert log.describe_producers() == []
    assert log.epochs.entries == []
    assert append(log, batch_of(1)).first_offset == 1000
    log.close()
    again = open_log(log.files, log.directory, CONFIG, clean_shutdown=True, log_start_offset=1000)
    assert offsets(again) == [1000]
    again.truncate_to(5)
    assert (again.log_start_offset, again.log_end_offset) == (5, 5)
