"""The .index file: bytes as Kafka writes them, and where to begin looking."""

from snakka.storage.offset_index import OffsetEntry, OffsetIndex
from snakka.testing.simulated_files import SimulatedFiles


def index_with(*entries: tuple[int, int]) -> tuple[SimulatedFiles, OffsetIndex]:
    files = SimulatedFiles()
    files.open("/index", create=True)
    index = OffsetIndex(files, "/index", 1000, 0)
    for offset, position in entries:
        index.append(offset, position)
    return files, index


def test_entries_are_relative_offset_and_position() -> None:
    files, index = index_with((1005, 4200))
    index.file.write_out()
    assert files.read("/index") == bytes.fromhex("00000005 00001068")


def test_the_search_begins_at_the_last_entry_before_the_offset() -> None:
    _, index = index_with((1010, 500), (1020, 900))
    assert index.floor(1009) == OffsetEntry(1000, 0)
    assert index.floor(1010) == index.floor(1019) == OffsetEntry(1010, 500)
    assert index.floor(5000) == index.last() == OffsetEntry(1020, 900)
    assert index.floor_position(899) == OffsetEntry(1010, 500)
    assert index.floor_position(499) == OffsetEntry(1000, 0)


def test_truncating_removes_the_offset_itself_and_what_follows() -> None:
    _, index = index_with((1010, 500), (1020, 900))
    index.truncate_to(1021)
    assert index.count == 2
    index.truncate_to(1020)
    assert index.last() == OffsetEntry(1010, 500)
    index.truncate_to(1000)
    assert index.count == 0


def test_what_an_overwritten_index_looks_like() -> None:
    assert index_with()[1].is_ordered()
    assert index_with((1010, 500), (1020, 900))[1].is_ordered()
    assert not index_with((1010, 0))[1].is_ordered()
    assert not index_with((1010, 500), (1005, 900))[1].is_ordered()
    assert not index_with((1010, 500), (1020, -1))[1].is_ordered()
