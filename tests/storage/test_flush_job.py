"""What a flush syncs, when it counts, and that a failed one is final."""

import errno
import random

import pytest
from log_workshop import NOW_MS, ManualClock, append, batch_of, flush, open_log, read_all

from snakka.protocol.record_batch import crc_matches
from snakka.storage.files import StorageFailure
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulated_files import Fault, SimulatedFiles

DIRECTORY = "/data/topic-0"


def new_log(config: LogConfig | None = None) -> tuple[SimulatedFiles, PartitionLog]:
    files = SimulatedFiles(("/data",))
    files.make_directory("/data")
    files.sync_directory("/")
    return files, open_log(files, DIRECTORY, config)


def test_the_recovery_point_moves_when_the_job_is_done() -> None:
    _, log = new_log()
    assert log.flush_job() is None
    append(log, batch_of(3))
    job = log.flush_job()
    assert job is not None
    assert job.offset == 3
    job.run()
    assert log.recovery_point == 0
    append(log, batch_of(1))
    # One at a time: what came meanwhile waits for the next.
    assert log.flush_job() is None
    job.done()
    assert log.recovery_point == 3
    flush(log)
    assert log.recovery_point == 4
    assert log.flush_job() is None


@pytest.mark.parametrize("seed", range(20))
def test_what_was_flushed_survives_any_power_loss(seed: int) -> None:
    files, log = new_log(LogConfig(segment_bytes=400))
    for number in range(7):
        append(
            log,
            batch_of(1, size=60, producer_id=1, producer_epoch=0, base_sequence=number),
            leader_epoch=number,
        )
    flush(log)
    flushed = [data for _, data in read_all(log)]
    for number in range(7, 12):
        append(
            log, batch_of(1, size=60, producer_id=1, producer_epoch=0, base_sequence=number), leader_epoch=9
        )
    files.crash(random.Random(seed))
    log = open_log(files, DIRECTORY, recovery_point=7)
    assert [data for _, data in read_all(log)][:7] == flushed
    assert [entry.epoch for entry in log.epochs.entries][:7] == list(range(7))
    assert log.producers.entries[1].last_sequence >= 6


def test_a_failed_sync_is_reported_and_stays_failed() -> None:
    files, log = new_log()
    append(log, batch_of(1))
    files.faults.append(Fault("sync", errno.EIO, path_contains=".log"))
    job = log.flush_job()
    assert job is not None
    for _ in range(2):
        with pytest.raises(StorageFailure) as caught:
            job.run()
        assert caught.value.directory == "/data"
    assert log.recovery_point == 0


def test_truncation_while_a_job_runs_takes_its_promise_back() -> None:
    _, log = new_log()
    append(log, batch_of(2))
    append(log, batch_of(2))
    job = log.flush_job()
    assert job is not None
    job.run()
    log.truncate_to(2)
    append(log, batch_of(5))
    job.done()
    assert log.recovery_point == 2
    # The cut itself is not on the disk yet.
    log.truncate_to(2)
    assert log.flush_job() is not None


def test_flush_messages_and_flush_ms_say_when_it_is_time() -> None:
    files, _ = new_log()
    clock = ManualClock()
    log = open_log(files, "/data/other-0", LogConfig(flush_messages=3, flush_ms=1000), clock=clock)
    append(log, batch_of(2))
    assert not log.flush_due(NOW_MS)
    assert log.flush_due(NOW_MS + 1000)
    append(log, batch_of(1))
    assert log.flush_due(NOW_MS)
    clock.ms += 10
    flush(log)
    assert not log.flush_due(NOW_MS + 5000)
    assert log.last_flush_ms == NOW_MS + 10


@pytest.mark.parametrize("seed", range(10))
def test_after_a_clean_stop_a_power_cut_takes_nothing(seed: int) -> None:
    files, log = new_log(LogConfig(segment_bytes=400, index_interval_bytes=0))
    for number in range(7):
        append(log, batch_of(1, size=60, timestamp=NOW_MS + number))
    flush(log)
    log.close()
    files.crash(random.Random(seed))
    log = open_log(files, DIRECTORY, clean_shutdown=True, recovery_point=7)
    assert log.log_end_offset == 7
    for number in range(7):
        found = log.offset_for_timestamp(NOW_MS + number, 7)
        assert found is not None
        assert found.offset == number


@pytest.mark.parametrize("seed", range(10))
def test_after_a_clean_stop_a_log_without_records_still_knows_where_it_is(seed: int) -> None:
    files, log = new_log()
    append(log, batch_of(5))
    log.advance_high_watermark(5)
    log.roll()
    log.delete_segments_before(5)
    log.close()
    files.crash(random.Random(seed))
    log = open_log(files, DIRECTORY, clean_shutdown=True)
    assert (log.log_start_offset, log.log_end_offset) == (5, 5)


def test_deleting_records_syncs_nothing() -> None:
    """A crash may bring them back, and then recovery must look at them."""
    _, log = new_log()
    append(log, batch_of(5))
    log.advance_high_watermark(5)
    log.advance_log_start_offset(4)
    assert log.recovery_point == 0
    flush(log)
    assert log.recovery_point == 5


@pytest.mark.parametrize("seed", range(10))
def test_deleted_segments_that_come_back_torn_are_cut(seed: int) -> None:
    files, log = new_log(LogConfig(segment_bytes=2000))
    for _ in range(10):
        append(log, batch_of(1, size=800))
    log.advance_high_watermark(10)
    log.roll()
    log.delete_segments_before(10)
    recovery_point = log.recovery_point
    files.crash(random.Random(seed))
    log = open_log(files, DIRECTORY, recovery_point=recovery_point)
    assert [header.base_offset for header, _ in read_all(log)] == list(
        range(log.log_start_offset, log.log_end_offset)
    )
    for header, data in read_all(log):
        assert crc_matches(data, 0, header)
