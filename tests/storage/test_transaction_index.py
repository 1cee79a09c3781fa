"""The .txnindex file: bytes as Kafka writes them, and which aborted transactions a reader must know."""

from snakka.storage.transaction_index import AbortedTransaction, TransactionIndex
from snakka.testing.simulated_files import SimulatedFiles

FIRST = AbortedTransaction(7, 10, 20, 12)
SECOND = AbortedTransaction(8, 12, 30, 31)
THIRD = AbortedTransaction(7, 35, 40, 41)


def index_with(*aborted: AbortedTransaction) -> tuple[SimulatedFiles, TransactionIndex]:
    files = SimulatedFiles()
    index = TransactionIndex(files, "/txnindex", 0)
    for one in aborted:
        index.append(one)
    return files, index


def test_the_file_is_made_with_its_first_entry() -> None:
    files, index = index_with()
    assert list(index.entries()) == []
    assert not files.exists("/txnindex")
    index.append(FIRST)
    assert files.read("/txnindex") == bytes.fromhex(
        "0000 0000000000000007 000000000000000a 0000000000000014 000000000000000c"
    )


def test_a_reader_hears_of_what_overlaps_its_range() -> None:
    _, index = index_with(FIRST, SECOND, THIRD)
    assert index.overlapping(0, 12) == ([FIRST], True)
    assert index.overlapping(21, 25) == ([SECOND], True)
    assert index.overlapping(0, 100) == ([FIRST, SECOND, THIRD], False)
    assert index.overlapping(41, 100) == ([], False)


def test_truncating_forgets_markers_from_the_offset_on() -> None:
    files, index = index_with(FIRST, SECOND, THIRD)
    index.truncate_to(30)
    assert list(index.entries()) == [FIRST]
    index.append(SECOND)
    assert list(TransactionIndex(files, "/txnindex", index.size).entries()) == [FIRST, SECOND]


def test_what_an_overwritten_index_looks_like() -> None:
    files, index = index_with(FIRST, SECOND)
    assert index.is_plausible(0, 100)
    assert not index.is_plausible(25, 100)
    assert not index.is_plausible(0, 30)
    assert not TransactionIndex(files, "/txnindex", 67).is_plausible(0, 100)
    files.replace("/txnindex", b"\xff" * 68)
    damaged = TransactionIndex(files, "/txnindex", 68)
    assert not damaged.is_plausible(0, 100)
    damaged.reset()
    assert files.read("/txnindex") == b""
