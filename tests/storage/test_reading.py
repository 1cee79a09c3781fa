"""Offsets by timestamp, whatever is inside the batches."""

import pytest
from log_workshop import NOW_MS, append, batch_of, open_log

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.record_batch import stamp_crc
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from snakka.storage.reading import TimestampOffset
from snakka.testing.simulated_files import SimulatedFiles


def log_with(*timestamps: list[int], config: LogConfig | None = None) -> PartitionLog:
    """A batch for each list of timestamps, counted from now."""
    files = SimulatedFiles()
    log = open_log(files, "/topic-0", config)
    for batch in timestamps:
        append(log, build_batch([Record(-1, NOW_MS + ms, b"k", b"v") for ms in batch]), leader_epoch=3)
    return log


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [(-500, (0, 0)), (5, (10, 1)), (10, (10, 1)), (11, (30, 2)), (31, (40, 5)), (41, None)],
)
@pytest.mark.parametrize("roll", [True, False])
def test_the_first_record_that_is_not_older(
    wanted: int, expected: tuple[int, int] | None, roll: bool
) -> None:
    log = log_with([0, 10], [30, 20, 25], [40], config=LogConfig(segment_bytes=100 if roll else 1000))
    assert len(log.segments) == (3 if roll else 1)
    found = log.offset_for_timestamp(NOW_MS + wanted, 6)
    assert found == (TimestampOffset(NOW_MS + expected[0], expected[1], 3) if expected else None)


def test_bounds_at_both_ends() -> None:
    log = log_with([0, 10], [20, 30])
    assert log.offset_for_timestamp(NOW_MS + 20, 2) is None
    assert log.offset_of_max_timestamp(3) is None
    assert log.offset_of_max_timestamp(4) == TimestampOffset(NOW_MS + 30, 3, 3)
    log.advance_high_watermark(4)
    log.advance_log_start_offset(1)
    assert log.offset_for_timestamp(0, 4) == TimestampOffset(NOW_MS + 10, 1, 3)


def test_an_empty_log_and_one_without_timestamps_have_none() -> None:
    log = log_with()
    assert log.offset_for_timestamp(0, 10) is None
    assert log.offset_of_max_timestamp(10) is None
    append(log, batch_of(1, timestamp=-1))
    assert log.offset_for_timestamp(0, 10) is None
    assert log.offset_of_max_timestamp(10) is None


def test_the_largest_timestamp_is_the_first_record_that_has_it() -> None:
    log = log_with([5], [50, 70, 70], [70, 60])
    assert log.offset_of_max_timestamp(10) == TimestampOffset(NOW_MS + 70, 2, 3)


def test_garbage_inside_a_valid_checksum_is_answered_with_its_batch() -> None:
    log = log_with([0])
    batch = batch_of(3, timestamp=NOW_MS + 100)
    batch[61:80] = b"\xff" * 19
    stamp_crc(batch, 0)
    append(log, batch, leader_epoch=3)
    append(log, batch_of(1, timestamp=NOW_MS + 200), leader_epoch=3)
    assert log.offset_for_timestamp(NOW_MS + 50, 10) == TimestampOffset(NOW_MS + 102, 1, 3)
    assert log.offset_for_timestamp(NOW_MS + 150, 10) == TimestampOffset(NOW_MS + 200, 4, 3)


def test_log_append_time_needs_no_look_at_the_records() -> None:
    log = log_with(config=LogConfig(log_append_time=True))
    append(log, batch_of(3), now_ms=NOW_MS + 10)
    append(log, batch_of(3), now_ms=NOW_MS + 20)
    assert log.offset_for_timestamp(NOW_MS + 11, 10) == TimestampOffset(NOW_MS + 20, 3, 0)


def test_a_record_that_was_compacted_away_is_no_answer() -> None:
    config = LogConfig(log_append_time=True)
    log = open_log(SimulatedFiles(), "/topic-0", config)
    records = [Record(offset, NOW_MS, b"k", b"v") for offset in (2, 3)]
    batch = build_batch(records, base_offset=0, leader_epoch=1, log_append_time_ms=NOW_MS)
    log.append_as_follower(memoryview(batch), NOW_MS)
    assert log.offset_for_timestamp(NOW_MS, 4) == TimestampOffset(NOW_MS, 2, 1)
