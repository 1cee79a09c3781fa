"""When a segment is full or old."""

from snakka.storage.log_config import LogConfig
from snakka.storage.policy.roll import must_roll_by_age, must_roll_by_size, roll_jitter

CONFIG = LogConfig(segment_bytes=1000, segment_ms=500)


def test_size_counts_what_would_be_there() -> None:
    assert not must_roll_by_size(CONFIG, 900, 100)
    assert must_roll_by_size(CONFIG, 900, 101)


def test_age_is_counted_between_timestamps() -> None:
    assert not must_roll_by_age(CONFIG, 0, 100, 0, 600, 9_999)
    assert must_roll_by_age(CONFIG, 0, 100, 0, 601, 0)
    assert must_roll_by_age(CONFIG, 50, 100, 0, 551, 0)


def test_without_timestamps_the_clock_counts() -> None:
    assert not must_roll_by_age(CONFIG, 0, -1, 100, -1, 600)
    assert must_roll_by_age(CONFIG, 0, -1, 100, -1, 601)


def test_jitter_spreads_partitions_and_is_stable() -> None:
    config = LogConfig(segment_jitter_ms=1000)
    jitters = {roll_jitter(config, "topic", partition, 0) for partition in range(20)}
    assert len(jitters) > 10
    assert all(0 <= jitter < 1000 for jitter in jitters)
    assert roll_jitter(config, "topic", 3, 7) == roll_jitter(config, "topic", 3, 7)
    assert roll_jitter(CONFIG, "topic", 3, 7) == 0
