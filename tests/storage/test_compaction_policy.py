"""Which logs are due, over which offsets, in which groups: Kafka's rules, case by case."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from snakka.storage.log_config import LogConfig
from snakka.storage.policy.compaction import (
    MAX_RELATIVE_OFFSET,
    CleanableSegment,
    CompactedLog,
    delete_horizon,
    dirty_range,
    group_segments,
    horizon_has_passed,
    is_due,
    needs_timestamps,
)

NOW_MS = 1_000_000
COMPACT = LogConfig(compact=True, delete=False)


def a_log(
    *bases: int, checkpoint: int | None = None, config: LogConfig = COMPACT, end: int = 1000
) -> CompactedLog:
    """Segments of 100 bytes at these offsets, the last one active; everything is stable."""
    segments = [CleanableSegment(base, 100, largest_timestamp=10, first_timestamp=5) for base in bases]
    return CompactedLog(segments, bases[0], end, end, end, checkpoint, config)


def test_a_log_that_was_never_cleaned_is_dirty_up_to_the_active_segment() -> None:
    dirty = dirty_range(a_log(0, 100, 200), NOW_MS)
    assert (dirty.first_dirty_offset, dirty.end_offset) == (0, 200)
    assert (dirty.clean_bytes, dirty.cleanable_bytes, dirty.ratio) == (0, 200, 1.0)
    assert is_due(dirty, COMPACT)


def test_a_log_with_only_an_active_segment_is_never_due() -> None:
    dirty = dirty_range(a_log(0), NOW_MS)
    assert (dirty.cleanable_bytes, dirty.ratio) == (0, 0.0)
    assert not is_due(dirty, replace(COMPACT, min_cleanable_dirty_ratio=0.0))


def test_the_ratio_must_be_exceeded() -> None:
    dirty = dirty_range(a_log(0, 100, 200, checkpoint=100), NOW_MS)
    assert (dirty.clean_bytes, dirty.cleanable_bytes, dirty.ratio) == (100, 100, 0.5)
    assert not is_due(dirty, COMPACT)
    assert is_due(dirty, replace(COMPACT, min_cleanable_dirty_ratio=0.49))


def test_a_checkpoint_within_a_segment_counts_it_on_both_sides() -> None:
    """As Kafka counts: the segment was cleaned in part, and will be read again as a whole."""
    dirty = dirty_range(a_log(0, 100, 200, checkpoint=150), NOW_MS)
    assert (dirty.first_dirty_offset, dirty.clean_bytes, dirty.cleanable_bytes) == (150, 200, 100)


def test_a_checkpoint_outside_the_log_is_reset_to_its_start() -> None:
    for checkpoint in (3, 1001):
        log = replace(a_log(0, 100, 200, checkpoint=checkpoint), log_start_offset=50)
        dirty = dirty_range(log, NOW_MS)
        assert (dirty.first_dirty_offset, dirty.checkpoint_is_wrong) == (50, True)
    assert not dirty_range(a_log(0, 100, checkpoint=1000), NOW_MS).checkpoint_is_wrong


def test_nothing_past_the_last_stable_offset() -> None:
    for stable, end in ((0, 0), (99, 0), (100, 100), (199, 100), (200, 200), (999, 300)):
        log = replace(a_log(0, 100, 200, 300), last_stable_offset=stable)
        dirty = dirty_range(log, NOW_MS)
        assert dirty.end_offset == end
        assert dirty.cleanable_bytes == end


def test_a_stable_offset_before_what_is_clean_leaves_nothing_to_do() -> None:
    dirty = dirty_range(replace(a_log(0, 100, 200, checkpoint=150), last_stable_offset=20), NOW_MS)
    assert dirty.cleanable_bytes == 0
    assert not is_due(dirty, replace(COMPACT, min_cleanable_dirty_ratio=0.0))


def test_young_segments_wait() -> None:
    config = replace(COMPACT, min_compaction_lag_ms=1000)
    log = a_log(0, 100, 200, 300, config=config)
    young = replace(log.segments[1], largest_timestamp=NOW_MS - 999)
    waiting = replace(log, segments=[log.segments[0], young, *log.segments[2:]])
    assert dirty_range(waiting, NOW_MS).end_offset == 100
    assert dirty_range(waiting, NOW_MS + 999).end_offset == 300
    assert dirty_range(replace(waiting, config=COMPACT), NOW_MS).end_offset == 300
    # What was cleaned already does not hold the rest back.
    assert dirty_range(replace(waiting, checkpoint=200), NOW_MS).end_offset == 300


def test_old_records_are_due_whatever_the_ratio() -> None:
    config = replace(COMPACT, max_compaction_lag_ms=1000, min_cleanable_dirty_ratio=1.0)
    log = a_log(0, 100, 200, config=config)
    assert is_due(dirty_range(log, NOW_MS), config)
    assert not is_due(dirty_range(log, 1005), config), "not older than the limit yet"
    assert is_due(dirty_range(log, 1006), config)
    assert not is_due(dirty_range(replace(log, checkpoint=200), NOW_MS), config), "nothing is dirty"
    without = [replace(segment, first_timestamp=-1) for segment in log.segments]
    assert not dirty_range(replace(log, segments=without), NOW_MS).is_overdue


def test_timestamps_are_asked_for_only_with_a_lag() -> None:
    assert not needs_timestamps(COMPACT)
    assert needs_timestamps(replace(COMPACT, min_compaction_lag_ms=1))
    assert needs_timestamps(replace(COMPACT, max_compaction_lag_ms=10**9))


def test_horizons() -> None:
    assert delete_horizon(NOW_MS, 500) == NOW_MS + 500
    assert not horizon_has_passed(None, NOW_MS)
    assert not horizon_has_passed(NOW_MS + 1, NOW_MS)
    assert horizon_has_passed(NOW_MS, NOW_MS)


def bases_of(groups: list[list[CleanableSegment]]) -> list[list[int]]:
    return [[segment.base_offset for segment in group] for group in groups]


def test_groups_stay_within_every_bound() -> None:
    segments = [CleanableSegment(base, 40, 16, 12) for base in (0, 10, 20, 30)]

    def grouped(max_bytes: int = 1000, max_index_bytes: int = 1000) -> list[list[int]]:
        return bases_of(
            group_segments(segments, max_bytes=max_bytes, max_index_bytes=max_index_bytes, end_offset=40)
        )

    assert grouped() == [[0, 10, 20, 30]]
    assert grouped(max_bytes=80) == [[0, 10], [20, 30]]
    assert grouped(max_bytes=79) == [[0], [10], [20], [30]]
    assert grouped(max_index_bytes=48) == [[0, 10, 20], [30]]


def test_a_group_spans_no_more_offsets_than_an_index_entry_can_say() -> None:
    far = MAX_RELATIVE_OFFSET
    within = [CleanableSegment(0, 1), CleanableSegment(10, 1)]
    assert len(group_segments(within, max_bytes=9, max_index_bytes=9, end_offset=far + 1)) == 1
    assert len(group_segments(within, max_bytes=9, max_index_bytes=9, end_offset=far + 2)) == 2
    empty = [CleanableSegment(0, 1), CleanableSegment(10, 0)]
    assert len(group_segments(empty, max_bytes=9, max_index_bytes=9, end_offset=far + 2)) == 1


@given(
    sizes=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20), st.integers(0, 20)), max_size=20),
    max_bytes=st.integers(50, 150),
    max_index_bytes=st.integers(20, 60),
)
def test_groups_are_the_segments_in_order(
    sizes: list[tuple[int, int, int]], max_bytes: int, max_index_bytes: int
) -> None:
    segments = [CleanableSegment(10 * number, *size) for number, size in enumerate(sizes)]
    groups = group_segments(
        segments, max_bytes=max_bytes, max_index_bytes=max_index_bytes, end_offset=10 * len(sizes)
    )
    assert [segment for group in groups for segment in group] == segments
    for group in groups:
        assert group
        assert sum(segment.size for segment in group) <= max_bytes
        assert sum(segment.offset_index_bytes for segment in group) <= max_index_bytes
        assert sum(segment.time_index_bytes for segment in group) <= max_index_bytes
