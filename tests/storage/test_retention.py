"""Retention decides by start offset, size and age, in that order, and never past the high watermark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.storage.log_config import LogConfig
from snakka.storage.policy.retention import Expired, SegmentFacts, expired_segments

NOW = 1_000_000
# Four segments of ten records and 100 bytes each; their newest records are 400, 300, 200 and 100 ms old.
SEGMENTS = [SegmentFacts(base, 100, NOW - age) for base, age in ((0, 400), (10, 300), (20, 200), (30, 100))]
KEEP = LogConfig(retention_ms=-1, retention_bytes=-1)


def decide(
    config: LogConfig = KEEP,
    *,
    segments: list[SegmentFacts] = SEGMENTS,
    start: int = 0,
    end: int = 40,
    high_watermark: int = 40,
) -> Expired:
    return expired_segments(
        segments,
        log_start_offset=start,
        log_end_offset=end,
        high_watermark=high_watermark,
        config=config,
        now_ms=NOW,
    )


@pytest.mark.parametrize(
    ("retention_ms", "expected"),
    [(-1, 0), (400, 0), (399, 1), (299, 2), (150, 3), (99, 4), (0, 4)],
)
def test_by_time(retention_ms: int, expected: int) -> None:
    assert decide(LogConfig(retention_ms=retention_ms)) == Expired(0, 0, expected)


@pytest.mark.parametrize(
    ("retention_bytes", "expected"),
    [(-1, 0), (1000, 0), (400, 0), (301, 0), (300, 1), (250, 1), (200, 2), (1, 3), (0, 4)],
)
def test_by_size_keeps_at_least_the_limit(retention_bytes: int, expected: int) -> None:
    assert decide(LogConfig(retention_ms=-1, retention_bytes=retention_bytes)) == Expired(0, expected, 0)


@pytest.mark.parametrize(("start", "expected"), [(0, 0), (9, 0), (10, 1), (29, 2), (30, 3), (40, 3)])
@pytest.mark.parametrize("cleanup", ["delete", "compact", "compact,delete", ""])
def test_by_start_offset_whatever_the_cleanup_policy(start: int, expected: int, cleanup: str) -> None:
    config = LogConfig(retention_ms=-1, compact="compact" in cleanup, delete="delete" in cleanup)
    assert decide(config, start=start) == Expired(expected, 0, 0)


@pytest.mark.parametrize(
    ("compact", "delete", "expected"),
    [(False, True, 4), (True, True, 4), (True, False, 0), (False, False, 0)],
)
def test_limits_hold_only_with_the_delete_policy(compact: bool, delete: bool, expected: int) -> None:
    config = LogConfig(retention_ms=0, retention_bytes=0, compact=compact, delete=delete)
    assert decide(config).total == expected


@pytest.mark.parametrize(("high_watermark", "expected"), [(0, 0), (9, 0), (10, 1), (39, 3), (40, 4)])
def test_nothing_at_or_above_the_high_watermark_goes(high_watermark: int, expected: int) -> None:
    for config in (LogConfig(retention_ms=0), LogConfig(retention_ms=-1, retention_bytes=0)):
        assert decide(config, high_watermark=high_watermark).total == expected


def test_the_rules_are_asked_in_order_about_what_is_left() -> None:
    # The first is below the start; of 300 bytes one segment is over 200; of two left one is over 150 ms old.
    config = LogConfig(retention_ms=150, retention_bytes=200)
    assert decide(config, start=10) == Expired(by_start_offset=1, by_size=1, by_time=1)


def test_an_empty_active_segment_never_goes() -> None:
    segments = [*SEGMENTS, SegmentFacts(40, 0, 0)]
    assert decide(LogConfig(retention_ms=0, retention_bytes=0), segments=segments).total == 4
    assert decide(LogConfig(retention_ms=0), segments=[SegmentFacts(40, 0, 0)], start=40).total == 0


def test_one_young_segment_stops_the_run() -> None:
    segments = [SegmentFacts(0, 100, NOW), *SEGMENTS[1:]]
    assert decide(LogConfig(retention_ms=50), segments=segments).total == 0


def test_a_record_from_the_future_is_not_old() -> None:
    segments = [SegmentFacts(0, 100, NOW + 10_000_000)]
    assert decide(LogConfig(retention_ms=0), segments=segments).total == 0


@given(
    sizes=st.lists(st.tuples(st.integers(1, 50), st.integers(0, 200), st.integers(0, 500)), max_size=8),
    retention_ms=st.integers(-1, 600),
    retention_bytes=st.integers(-1, 1500),
    watermark=st.integers(0, 450),
    start=st.integers(0, 450),
)
def test_properties(
    sizes: list[tuple[int, int, int]], retention_ms: int, retention_bytes: int, watermark: int, start: int
) -> None:
    segments, offset = [], 0
    for records, size, age in sizes:
        segments.append(SegmentFacts(offset, size, NOW - age))
        offset += records
    config = LogConfig(retention_ms=retention_ms, retention_bytes=retention_bytes)
    expired = decide(config, segments=segments, start=start, end=offset, high_watermark=watermark)
    count = expired.total
    assert 0 <= count <= len(segments)
    end_of_removed = segments[count].base_offset if count < len(segments) else offset
    assert count == 0 or end_of_removed <= watermark
    if expired.by_size:
        assert sum(s.size for s in segments[expired.by_start_offset + expired.by_size :]) >= retention_bytes
    # Asking again about what was kept finds nothing that is too old.
    kept = segments[count:]
    assert decide(config, segments=kept, start=start, end=offset, high_watermark=watermark).by_time == 0
