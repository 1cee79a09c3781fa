"""The .timeindex file: bytes as Kafka writes them, timestamps that only grow."""

from snakka.storage.time_index import TimeEntry, TimeIndex
from snakka.testing.simulated_files import SimulatedFiles


def index_with(*entries: tuple[int, int]) -> tuple[SimulatedFiles, TimeIndex]:
    files = SimulatedFiles()
    files.open("/index", create=True)
    index = TimeIndex(files, "/index", 1000, 0)
    for timestamp, offset in entries:
        index.append_if_larger(timestamp, offset)
    return files, index


def test_entries_are_timestamp_and_relative_offset() -> None:
    files, index = index_with((70_000, 1003))
    index.file.write_out()
    assert files.read("/index") == bytes.fromhex("0000000000011170 00000003")


def test_only_a_larger_timestamp_makes_an_entry() -> None:
    _, index = index_with((50, 1003), (50, 1005), (40, 1007), (60, 1009), (70, 1008))
    assert index.count == 2
    assert index.last() == TimeEntry(60, 1009)


def test_the_floor_of_a_timestamp() -> None:
    _, index = index_with((50, 1003), (60, 1009))
    assert index.floor(49) == TimeEntry(-1, 1000)
    assert index.floor(50) == index.floor(59) == TimeEntry(50, 1003)
    assert index.floor(1000) == TimeEntry(60, 1009)


def test_truncating_goes_by_offset() -> None:
    _, index = index_with((50, 1003), (60, 1009))
    index.truncate_to(1010)
    assert index.count == 2
    index.truncate_to(1009)
    assert index.last() == TimeEntry(50, 1003)


def test_what_an_overwritten_index_looks_like() -> None:
    files, index = index_with((50, 1003), (60, 1009))
    assert index.is_ordered()
    index.file.write_out()
    for garbage in (b"\xff" * 24, bytes.fromhex("000000000000003c00000009") + bytes(12)):
        files.replace("/index", garbage)
        assert not TimeIndex(files, "/index", 1000, 24).is_ordered()
