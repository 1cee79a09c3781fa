"""Which leader wrote which part of the log."""

import pytest

from snakka.storage.checkpoint_file import BadCheckpoint
from snakka.storage.leader_epochs import EpochStart, LeaderEpochs


def epochs(*entries: tuple[int, int]) -> LeaderEpochs:
    return LeaderEpochs(EpochStart(*entry) for entry in entries)


def entries(known: LeaderEpochs) -> list[tuple[int, int]]:
    return [tuple(entry) for entry in known.entries]


def test_the_file_is_kafkas() -> None:
    known = epochs((0, 0), (3, 120))
    assert known.format() == b"0\n2\n0 0\n3 120\n"
    assert entries(LeaderEpochs.parse(known.format())) == [(0, 0), (3, 120)]
    assert entries(LeaderEpochs.parse(b"")) == []
    for torn in (b"0\n2\n0 0\n", b"0\n1\nx y\n", b"0\n1\n1\n"):
        with pytest.raises(BadCheckpoint):
            LeaderEpochs.parse(torn)


def test_an_epoch_keeps_its_first_offset() -> None:
    known = epochs((1, 5))
    version = known.version
    known.assign(1, 9)
    assert entries(known) == [(1, 5)]
    assert known.version == version
    known.assign(2, 9)
    assert entries(known) == [(1, 5), (2, 9)]
    known.assign(-1, 12)
    assert known.latest == 2
    assert known.version > version


def test_what_contradicts_a_new_entry_goes() -> None:
    known = epochs((1, 5), (2, 9), (3, 12))
    known.assign(4, 9)
    assert entries(known) == [(1, 5), (4, 9)]
    known.assign(2, 30)
    assert entries(known) == [(1, 5), (2, 30)]
    known.assign(2, 20)
    assert entries(known) == [(1, 5), (2, 20)]


def test_the_end_offset_of_an_epoch() -> None:
    known = epochs((2, 10), (4, 20), (7, 30))
    assert known.end_offset_for(7, 99) == (7, 99)
    assert known.end_offset_for(4, 99) == (4, 30)
    assert known.end_offset_for(5, 99) == (4, 30)
    assert known.end_offset_for(2, 99) == (2, 20)
    # Older than all that is known: the log begins where the first known epoch does.
    assert known.end_offset_for(1, 99) == (1, 10)
    assert known.end_offset_for(8, 99) == (-1, -1)
    assert known.end_offset_for(-1, 99) == (-1, -1)
    assert epochs().end_offset_for(0, 99) == (-1, -1)


def test_the_epoch_of_an_offset() -> None:
    known = epochs((2, 10), (4, 20))
    assert [known.epoch_for(offset) for offset in (9, 10, 19, 20, 500)] == [-1, 2, 2, 4, 4]


def test_cutting_the_end() -> None:
    known = epochs((2, 10), (4, 20))
    known.truncate_from_end(21)
    assert entries(known) == [(2, 10), (4, 20)]
    known.truncate_from_end(20)
    assert entries(known) == [(2, 10)]
    assert known.latest == 2
    known.truncate_from_end(0)
    assert known.latest == -1


def test_cutting_the_beginning() -> None:
    known = epochs((2, 10), (4, 20), (5, 30))
    version = known.version
    known.truncate_from_start(5)
    known.truncate_from_start(10)
    assert known.version == version
    known.truncate_from_start(25)
    assert entries(known) == [(4, 25), (5, 30)]
    known.truncate_from_start(30)
    assert entries(known) == [(5, 30)]
