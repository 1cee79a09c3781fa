"""Sorted entries, partly on the disk: every question is answered as a plain list would answer it."""

from bisect import bisect_right
from struct import Struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.storage.index_file import PAGE_ENTRIES, BadIndexError, IndexFile
from snakka.testing.simulated_files import SimulatedFiles

LAYOUT = Struct(">qi")


def new_index() -> tuple[SimulatedFiles, IndexFile]:
    files = SimulatedFiles()
    files.open("/index", create=True)
    return files, IndexFile(files, "/index", LAYOUT, 0)


@given(
    steps=st.lists(st.integers(1, 5), max_size=3 * PAGE_ENTRIES, min_size=0),
    targets=st.lists(st.integers(-1, 1500), min_size=1, max_size=10),
    kept=st.integers(0, 3 * PAGE_ENTRIES),
    reopen=st.booleans(),
)
def test_it_answers_as_a_list_does(steps: list[int], targets: list[int], kept: int, reopen: bool) -> None:
    files, index = new_index()
    values: list[int] = []
    for step in steps:
        values.append((values[-1] if values else 0) + step)
        index.append(values[-1], len(values))
    if reopen:
        index.write_out()
        index = IndexFile(files, "/index", LAYOUT, len(files.read("/index")))
    for _ in range(2):
        assert index.count == len(values)
        for target in targets:
            assert index.last_at_most(0, target) == bisect_right(values, target) - 1
            assert index.last_at_most(1, target) == min(max(target, 0), len(values)) - 1
        kept = min(kept, len(values))
        index.truncate(kept)
        del values[kept:]
    index.append(10_000, 1)
    assert index.entry(index.count - 1) == (10_000, 1)
    index.write_out()
    assert len(files.read("/index")) == (len(values) + 1) * LAYOUT.size


def test_full_pages_leave_memory() -> None:
    files, index = new_index()
    for number in range(PAGE_ENTRIES + 1):
        index.append(number, number)
    assert len(files.read("/index")) == PAGE_ENTRIES * LAYOUT.size
    assert index.entry(0) == (0, 0)
    assert index.entry(PAGE_ENTRIES) == (PAGE_ENTRIES, PAGE_ENTRIES)


def test_an_index_that_is_gone_or_cut_is_bad_but_no_disk_failure() -> None:
    files, index = new_index()
    index.append(1, 1)
    index.write_out()
    shorter = IndexFile(files, "/index", LAYOUT, 5 * LAYOUT.size)
    with pytest.raises(BadIndexError):
        shorter.entry(3)


def test_clearing_makes_it_anew() -> None:
    files, index = new_index()
    index.append(1, 1)
    index.write_out()
    index.append(2, 2)
    index.clear()
    assert index.count == 0
    assert files.read("/index") == b""
    index.append(5, 5)
    index.write_out()
    assert files.read("/index") == LAYOUT.pack(5, 5)
