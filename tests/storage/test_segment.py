"""One segment: what is remembered of the newest batches, what the indexes say, what a bad index costs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_workshop import NOW_MS, batch_of

from snakka.protocol.record_batch import stamp
from snakka.storage.log_config import LogConfig
from snakka.storage.segment import Segment
from snakka.testing.simulated_files import Fault, SimulatedFiles

CONFIG = LogConfig(index_interval_bytes=300)


def segment_with(
    batches: int, *, base: int = 100, config: LogConfig = CONFIG, size: int = 20
) -> tuple[SimulatedFiles, Segment]:
    """Batches of two records each, a second apart."""
    files = SimulatedFiles()
    segment = Segment.create(files, "/", base, config, NOW_MS)
    for number in range(batches):
        batch = batch_of(2, size=size, timestamp=NOW_MS + 1000 * number)
        stamp(batch, 0, base + 2 * number, 0)
        segment.append(batch, base + 2 * number + 1, NOW_MS + 1000 * number + 1)
    return files, segment


def loaded(files: SimulatedFiles, base: int = 100) -> Segment:
    return Segment.load(files, "/", base, files.sizes("/"), CONFIG, NOW_MS)


@given(
    start=st.integers(100, 499),
    max_bytes=st.integers(1, 3000),
    bound=st.integers(101, 500),
    at_least_one=st.booleans(),
    fresh=st.booleans(),
)
def test_memory_and_index_find_the_same_slices(
    start: int, max_bytes: int, bound: int, at_least_one: bool, fresh: bool
) -> None:
    files, segment = SEGMENT_OF_200
    if fresh:
        segment = loaded(files)
    size = segment.size // 200
    first = (start - 100) // 2
    last = (min(bound, 500) - 100) // 2  # batches wholly before the bound
    fitting = min(last, first + max_bytes // size)
    if fitting <= first and at_least_one and last > first:
        fitting = first + 1
    fitting = max(fitting, first)
    found = segment.slice(start, max_bytes, bound, at_least_one)
    assert found is not None
    assert (found.start, found.end) == (first * size, fitting * size)
    if fitting > first:
        assert found.next_offset == 100 + 2 * fitting


SEGMENT_OF_200 = segment_with(200)
SEGMENT_OF_200[1].become_inactive()


def test_the_newest_batches_are_found_without_a_look_into_the_file() -> None:
    files, segment = segment_with(600)
    files.faults.append(Fault("read"))
    found = segment.slice(100 + 1190, 10_000, 10_000, True)
    assert found is not None
    assert found.in_memory
    assert found.next_offset == 1300
    assert files.faults == [Fault("read")]


def test_all_batches_before_the_offset_means_none() -> None:
    files, segment = segment_with(3)
    assert segment.slice(106, 1000, 1000, True) is None
    segment.become_inactive()
    assert loaded(files).slice(106, 1000, 1000, True) is None


def test_index_entries_come_every_so_many_bytes() -> None:
    files, segment = segment_with(100)
    size = segment.size // 100
    segment.become_inactive()
    entries = len(files.read("/00000000000000000100.index")) // 8
    assert entries == pytest.approx(100 * size / (CONFIG.index_interval_bytes + size), rel=0.2)
    assert segment.time_index.last() == (NOW_MS + 99_001, 100 + 199)


def test_indexes_say_when_they_are_full() -> None:
    _, segment = segment_with(40, config=LogConfig(index_interval_bytes=0, segment_index_bytes=8 * 30))
    assert segment.indexes_full
    # The last place of the time index is for the entry made at the roll.
    assert segment.time_index.count >= 8 * 30 // 12 - 1


@pytest.mark.parametrize("kind", [".index", ".timeindex"])
@pytest.mark.parametrize("damage", ["gone", "empty", "noise"])
def test_a_bad_index_costs_time_and_nothing_else(kind: str, damage: str) -> None:
    files, segment = segment_with(50)
    segment.become_inactive()
    path = "/00000000000000000100" + kind
    size = len(files.read(path))
    segment = loaded(files)
    if damage == "gone":
        files.remove(path)
    else:
        files.replace(path, b"" if damage == "empty" else b"\x5a" * size)
    for offset in range(100, 200):
        found = segment.find(offset)
        assert found is not None
        assert found.header.base_offset <= offset <= found.header.last_offset
    assert not loaded(files).indexes_are_plausible()


@pytest.mark.parametrize(("batches", "is_plausible"), [(1, True), (2, False)])
def test_only_a_batch_after_the_first_owes_an_index_entry(batches: int, is_plausible: bool) -> None:
    files, segment = segment_with(batches, size=4 * CONFIG.index_interval_bytes)
    segment.become_inactive()
    files.replace("/00000000000000000100.index", b"")
    assert loaded(files).indexes_are_plausible() is is_plausible


def test_the_largest_timestamp_survives_a_restart() -> None:
    files, segment = segment_with(5)
    segment.become_inactive()
    again = loaded(files)
    assert again.largest_record_timestamp() == NOW_MS + 4001
    assert again.rolling_timestamp() == NOW_MS + 1
    batch = batch_of(1, timestamp=NOW_MS - 5)
    stamp(batch, 0, 110, 0)
    again = loaded(files)
    again.append(batch, 110, NOW_MS - 5)
    assert again.largest_record_timestamp() == NOW_MS + 4001


def test_truncating_cuts_log_and_indexes() -> None:
    files, segment = segment_with(50)
    segment.truncate_to(141)
    # Offset 141 is the second of its batch, which goes whole.
    assert segment.size == len(files.read("/00000000000000000100.log"))
    assert [batch.header.base_offset for batch in segment.batches_from(0)][-1] == 138
    assert segment.largest_record_timestamp() == NOW_MS + 19_001
    assert segment.offset_index.last().offset < 141
    segment.truncate_to(0)
    assert segment.size == 0
    assert segment.largest_record_timestamp() == -1
    assert segment.rolling_timestamp() == -1


def test_preallocated_room_is_given_back_when_it_is_rolled() -> None:
    files, segment = segment_with(3, config=LogConfig(preallocate=True, segment_bytes=10_000))
    assert len(files.read("/00000000000000000100.log")) == 10_000
    segment.become_inactive()
    assert len(files.read("/00000000000000000100.log")) == segment.size < 1000
