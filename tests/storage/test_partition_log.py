"""A log from outside: appends, reads, rolls, offsets, transactions, the clean stop."""

import os
from pathlib import Path

import pytest
from log_workshop import (
    NOW_MS,
    TOPIC_ID,
    ManualClock,
    append,
    append_marker,
    batch_of,
    flush,
    open_log,
    read_all,
    read_bytes,
)

from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import read_header
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.files import Files, OsFiles, StorageFailure
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulated_files import Fault, SimulatedFiles

DIRECTORY = "/data/topic-0"


@pytest.fixture(params=["real", "simulated"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Files, str]:
    if request.param == "real":
        return OsFiles([str(tmp_path)]), str(tmp_path / "topic-0")
    files = SimulatedFiles(("/data",))
    files.make_directory("/data")
    return files, DIRECTORY


def new_log(config: LogConfig | None = None) -> tuple[SimulatedFiles, PartitionLog]:
    files = SimulatedFiles(("/data",))
    files.make_directory("/data")
    return files, open_log(files, DIRECTORY, config)


def code_of(log: PartitionLog, batch: bytearray) -> str:
    with pytest.raises(ApiError) as caught:
        append(log, batch)
    return caught.value.code.name


# -- appending ------------------------------------------------------------------------------------------------------


def test_batches_get_offset_and_epoch_and_come_back(disk: tuple[Files, str]) -> None:
    log = open_log(*disk)
    first = append(log, batch_of(3), leader_epoch=4)
    second = append(log, batch_of(2), leader_epoch=5)
    assert (first.first_offset, first.last_offset, first.count) == (0, 2, 3)
    assert (second.first_offset, second.last_offset, log.log_end_offset) == (3, 4, 5)
    assert (first.log_append_time, first.max_timestamp, first.duplicate) == (-1, NOW_MS + 2, False)
    headers = [header for header, _ in read_all(log)]
    assert [(header.base_offset, header.leader_epoch) for header in headers] == [(0, 4), (3, 5)]
    assert log.end_offset_for_epoch(4) == (4, 3)
    assert log.end_offset_for_epoch(5) == (5, 5)
    assert log.topic_id == TOPIC_ID


def test_the_producers_own_bytes_are_written() -> None:
    _, log = new_log()
    batch = batch_of(2)
    append(log, batch_of(1))
    info = append(log, batch)
    assert read_header(batch).base_offset == 1
    assert read_bytes(log.read(1, 1, upper_bound=3, min_one_message=True)) == bytes(batch)
    assert info.bytes == len(batch)


def test_a_refused_batch_changes_nothing() -> None:
    _, log = new_log()
    append(log, batch_of(1, producer_id=1, producer_epoch=0, base_sequence=0))
    size = log.size
    assert (
        code_of(log, batch_of(1, producer_id=1, producer_epoch=0, base_sequence=5))
        == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    )
    assert code_of(log, batch_of(1)[:-1] + bytearray(b"!")) == "CORRUPT_MESSAGE"
    assert (log.log_end_offset, log.size) == (1, size)


def test_a_duplicate_is_answered_with_its_first_offsets() -> None:
    _, log = new_log()
    for sequence in range(3):
        append(log, batch_of(2, producer_id=1, producer_epoch=0, base_sequence=2 * sequence))
    info = append(log, batch_of(2, producer_id=1, producer_epoch=0, base_sequence=2))
    assert info.duplicate
    assert (info.first_offset, info.last_offset) == (2, 3)
    assert log.log_end_offset == 6


def test_a_failed_write_leaves_the_log_as_it_was() -> None:
    files, log = new_log()
    append(log, batch_of(1, producer_id=1, producer_epoch=0, base_sequence=0))
    files.faults.append(Fault("append", path_contains=".log"))
    batch = batch_of(1, producer_id=1, producer_epoch=0, base_sequence=1)
    with pytest.raises(StorageFailure) as caught:
        append(log, bytearray(batch))
    assert caught.value.directory == "/data"
    assert log.log_end_offset == 1
    assert append(log, bytearray(batch)).first_offset == 1
    assert [header.base_offset for header, _ in read_all(log)] == [0, 1]


def test_a_failed_roll_leaves_the_log_as_it_was() -> None:
    files, log = new_log(LogConfig(segment_bytes=200))
    append(log, batch_of(1, size=50))
    files.faults.append(Fault("create", path_contains="00000000000000000001.log"))
    with pytest.raises(StorageFailure):
        append(log, batch_of(1, size=100))
    assert len(log.segments) == 1
    append(log, batch_of(1, size=100))
    assert [segment.base_offset for segment in log.segments] == [0, 1]
    assert len(read_all(log)) == 2


def test_log_append_time_is_answered() -> None:
    _, log = new_log(LogConfig(log_append_time=True))
    info = append(log, batch_of(1, timestamp=5), now_ms=NOW_MS + 7)
    assert info.log_append_time == info.max_timestamp == NOW_MS + 7
    marker = append_marker(log, 3, committed=True)
    assert read_header(
        read_bytes(log.read(marker.first_offset, 1, upper_bound=2, min_one_message=True))
    ).uses_log_append_time


def test_internal_appends_take_several_batches_and_control_batches() -> None:
    _, log = new_log()
    append(log, batch_of(1))
    joined = batch_of(2, is_control=False) + batch_of(3)
    info = log.append_as_leader(
        memoryview(bytes(joined)), leader_epoch=2, now_ms=NOW_MS, origin=AppendOrigin.RAFT_LEADER
    )
    assert (info.first_offset, info.last_offset, info.count) == (1, 5, 5)
    assert [header.base_offset for header, _ in read_all(log)] == [0, 1, 3]
    assert log.epochs.latest == 2
    with pytest.raises(ApiError, match="INVALID_RECORD"):
        log.append_as_leader(memoryview(b""), leader_epoch=2, now_ms=NOW_MS, origin=AppendOrigin.COORDINATOR)


def test_a_follower_keeps_the_leaders_offsets() -> None:
    _, log = new_log()
    joined = batch_of(2, base_offset=10, leader_epoch=3) + batch_of(1, base_offset=15, leader_epoch=4)
    log.append_as_follower(memoryview(joined), NOW_MS)
    assert log.log_end_offset == 16
    assert [tuple(entry) for entry in log.epochs.entries] == [(3, 10), (4, 15)]
    # An offset that compaction removed is answered by the batch after it.
    found = log.read(12, 1, upper_bound=16, min_one_message=True)
    assert read_header(read_bytes(found)).base_offset == 15
    with pytest.raises(ApiError):
        log.append_as_follower(memoryview(batch_of(1, base_offset=14)), NOW_MS)


# -- rolling --------------------------------------------------------------------------------------------------------


def test_a_full_segment_is_rolled_with_a_producer_snapshot(disk: tuple[Files, str]) -> None:
    files, directory = disk
    log = open_log(files, directory, LogConfig(segment_bytes=300))
    for number in range(6):
        append(log, batch_of(1, size=50, producer_id=9, producer_epoch=0, base_sequence=number))
    assert [segment.base_offset for segment in log.segments] == [0, 2, 4]
    names = files.list(directory)
    assert "00000000000000000002.snapshot" in names
    assert "00000000000000000004.index" in names
    assert len(read_all(log)) == 6


def test_age_rolls_a_segment() -> None:
    _, log = new_log(LogConfig(segment_ms=1000))
    append(log, batch_of(1, timestamp=NOW_MS))
    append(log, batch_of(1, timestamp=NOW_MS + 1000))
    assert len(log.segments) == 1
    append(log, batch_of(1, timestamp=NOW_MS + 1001))
    assert len(log.segments) == 2


def test_an_empty_segment_is_never_rolled() -> None:
    _, log = new_log()
    assert log.roll() is log.active
    assert len(log.segments) == 1


def test_offsets_that_do_not_fit_the_index_roll() -> None:
    _, log = new_log()
    log.append_as_follower(memoryview(batch_of(1, base_offset=0)), NOW_MS)
    log.append_as_follower(memoryview(batch_of(1, base_offset=3_000_000_000)), NOW_MS)
    assert [segment.base_offset for segment in log.segments] == [0, 3_000_000_000]
    assert [header.base_offset for header, _ in read_all(log)] == [0, 3_000_000_000]


# -- reading --------------------------------------------------------------------------------------------------------


def test_reading_outside_of_the_log_is_refused() -> None:
    _, log = new_log()
    append(log, batch_of(5))
    log.advance_high_watermark(5)
    log.advance_log_start_offset(2)
    for offset in (-1, 1, 6):
        with pytest.raises(ApiError, match="OFFSET_OUT_OF_RANGE"):
            log.read(offset, 100, upper_bound=5, min_one_message=True)
    assert log.read(5, 100, upper_bound=5, min_one_message=True).bytes == 0


def test_the_upper_bound_hides_whole_batches() -> None:
    _, log = new_log()
    for _ in range(3):
        append(log, batch_of(2))
    found = log.read(0, 10_000, upper_bound=4, min_one_message=True)
    assert (found.first_offset, found.next_offset) == (0, 4)
    assert log.read(4, 10_000, upper_bound=4, min_one_message=True).records == b""
    assert log.read(4, 10_000, upper_bound=5, min_one_message=True).records == b""


def test_the_first_batch_comes_although_it_is_too_large_only_if_asked() -> None:
    _, log = new_log()
    append(log, batch_of(1, size=500))
    assert log.read(0, 10, upper_bound=1, min_one_message=False).bytes == 0
    assert log.read(0, 10, upper_bound=1, min_one_message=True).bytes > 500


def test_a_read_ends_with_its_segment() -> None:
    _, log = new_log()
    append(log, batch_of(1))
    log.roll()
    append(log, batch_of(1))
    found = log.read(0, 10_000, upper_bound=2, min_one_message=True)
    assert found.next_offset == 1


def test_regions_survive_deletion_truncation_and_the_end_of_the_log(tmp_path: Path) -> None:
    files = OsFiles([str(tmp_path)])
    log = open_log(files, str(tmp_path / "topic-0"))
    batch = batch_of(4)
    append(log, batch)
    found = log.read(0, 1000, upper_bound=4, min_one_message=True)
    log.advance_high_watermark(4)
    log.roll()
    for path in log.delete_segments_before(4):
        os.unlink(path)
    log.close()
    assert read_bytes(found) == bytes(batch)


# -- offsets --------------------------------------------------------------------------------------------------------


def test_the_high_watermark_only_grows_and_never_passes_the_end() -> None:
    _, log = new_log()
    append(log, batch_of(5))
    assert log.advance_high_watermark(3)
    assert not log.advance_high_watermark(2)
    assert log.advance_high_watermark(100)
    assert log.high_watermark == 5


def test_the_log_start_follows_deletions_but_not_past_the_high_watermark() -> None:
    _, log = new_log()
    append(log, batch_of(5))
    with pytest.raises(ApiError, match="OFFSET_OUT_OF_RANGE"):
        log.advance_log_start_offset(1)
    log.advance_high_watermark(4)
    log.advance_log_start_offset(3)
    log.advance_log_start_offset(1)
    assert log.log_start_offset == 3
    assert log.epochs.entries[0].start_offset == 3


def test_transactions_hold_the_last_stable_offset_and_are_listed_when_aborted() -> None:
    _, log = new_log()
    append(log, batch_of(2))
    append(log, batch_of(1, producer_id=1, producer_epoch=0, base_sequence=0, is_transactional=True))
    append(log, batch_of(1, producer_id=2, producer_epoch=0, base_sequence=0, is_transactional=True))
    log.advance_high_watermark(4)
    assert log.last_stable_offset == 2
    append_marker(log, 1, committed=False)
    append_marker(log, 2, committed=True)
    assert log.last_stable_offset == 2
    log.advance_high_watermark(6)
    assert log.last_stable_offset == 6
    (aborted,) = log.aborted_transactions(0, 6)
    assert (aborted.producer_id, aborted.first_offset, aborted.last_offset) == (1, 2, 4)
    assert aborted.last_stable_offset == 3
    assert log.aborted_transactions(5, 6) == []
    assert {entry.producer_id for entry in log.describe_producers()} == {1, 2}
    log.expire_producers(NOW_MS + 10_000, 5_000)
    assert log.describe_producers() == []


# -- stopping -------------------------------------------------------------------------------------------------------


def test_a_clean_stop_is_followed_by_a_start_without_a_scan(disk: tuple[Files, str]) -> None:
    files, directory = disk
    config = LogConfig(segment_bytes=2000, index_interval_bytes=100)
    log = open_log(files, directory, config)
    for number in range(40):
        append(log, batch_of(2, size=40, producer_id=1, producer_epoch=0, base_sequence=2 * number))
    before = read_all(log)
    log.close()
    # A scan would stop here; a start that believes what it finds reads only the end.
    first = os.path.join(directory, "00000000000000000000.log")
    data = bytearray(files.read(first))
    data[70] ^= 1
    files.replace(first, bytes(data))
    again = open_log(files, directory, config, clean_shutdown=True)
    assert again.log_end_offset == again.recovery_point == 80
    assert len(read_all(again)) == len(before)
    assert append(again, batch_of(2, producer_id=1, producer_epoch=0, base_sequence=78)).duplicate
    assert again.flush_job() is None
    again.close()


def test_nothing_is_written_by_a_stop_without_news() -> None:
    files, log = new_log()
    append(log, batch_of(2))
    log.close()
    before = {name: files.read(os.path.join(DIRECTORY, name)) for name in files.list(DIRECTORY)}
    operations = ("append", "create", "replace", "rename", "sync", "sync_directory", "truncate", "remove")
    log = open_log(files, DIRECTORY, clean_shutdown=True)
    files.faults = [Fault(operation) for operation in operations]
    log.close()
    assert len(files.faults) == len(operations)
    files.faults.clear()
    assert before == {name: files.read(os.path.join(DIRECTORY, name)) for name in files.list(DIRECTORY)}


def test_another_topics_directory_is_refused() -> None:
    files, log = new_log()
    log.close()
    with pytest.raises(ApiError, match="INCONSISTENT_TOPIC_ID"):
        PartitionLog.open(
            DIRECTORY,
            topic="topic",
            partition=0,
            topic_id=b"another topic id",
            files=files,
            clock=ManualClock(),
            config=LogConfig(),
            clean_shutdown=True,
        )


def test_a_moved_directory_goes_on(tmp_path: Path) -> None:
    files = OsFiles([str(tmp_path)], open_files=16)
    log = open_log(files, str(tmp_path / "topic-0.x-future"), LogConfig(segment_bytes=200))
    for _ in range(3):
        append(log, batch_of(1, size=60))
    files.rename(str(tmp_path / "topic-0.x-future"), str(tmp_path / "topic-0"))
    log.moved_to(str(tmp_path / "topic-0"))
    for _ in range(3):
        append(log, batch_of(1, size=60))
    assert len(read_all(log)) == 6
    flush(log)
    log.close()
    assert len(read_all(open_log(files, str(tmp_path / "topic-0"), clean_shutdown=True))) == 6
