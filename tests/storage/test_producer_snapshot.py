"""The .snapshot file: bytes as Kafka writes them, and what a torn one is worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.storage.producer_snapshot import (
    BadSnapshotError,
    ProducerSnapshots,
    decode_snapshot,
    encode_snapshot,
)
from snakka.storage.producer_state import AppendedBatch, ProducerEntry, ProducerState
from snakka.testing.simulated_files import SimulatedFiles

# Written by Kafka's own ProducerStateManager.
KAFKA_BYTES = bytes.fromhex(
    "0001 88be8ea5 00000001"
    "0000000000000007 0003 ffffffff ffffffffffffffff 00000000 000000000000b26e 00000002 ffffffffffffffff"
)


def entry_of(producer_id: int, *, start: int = -1) -> ProducerEntry:
    entry = ProducerEntry(producer_id, 3, 2, 45_678, start)
    entry.batches.append(AppendedBatch(21, 99, 4, 45_678))
    return entry


def test_the_bytes_are_kafkas() -> None:
    assert encode_snapshot([ProducerEntry(7, 3, 2, 45_678)]) == KAFKA_BYTES
    (entry,) = decode_snapshot(KAFKA_BYTES)
    assert (entry.producer_id, entry.epoch, entry.coordinator_epoch) == (7, 3, 2)
    assert (entry.last_timestamp, entry.transaction_start, entry.batches) == (45_678, -1, [])


def test_the_last_batch_and_the_transaction_survive() -> None:
    (entry,) = decode_snapshot(encode_snapshot([entry_of(7, start=30)]))
    assert entry.batches == [AppendedBatch(21, 99, 4, 45_678)]
    assert entry.transaction_start == 30


@given(position=st.integers(0, 101), flipped=st.integers(1, 255))
def test_no_changed_byte_goes_unnoticed(position: int, flipped: int) -> None:
    data = bytearray(encode_snapshot([entry_of(7), entry_of(8)]))
    data[position] ^= flipped
    with pytest.raises(BadSnapshotError):
        decode_snapshot(bytes(data))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_snapshot_or_bad(data: bytes) -> None:
    with pytest.raises(BadSnapshotError):
        decode_snapshot(data)


def snapshots_at(*offsets: int) -> tuple[SimulatedFiles, ProducerSnapshots]:
    files = SimulatedFiles()
    snapshots = ProducerSnapshots(files, "/", ())
    for offset in offsets:
        state = ProducerState(offset)
        state.entries[offset] = entry_of(offset)
        snapshots.take(state)
    return files, snapshots


def name(offset: int) -> str:
    return f"/{offset:020d}.snapshot"


def test_the_newest_good_one_is_loaded_and_bad_ones_go() -> None:
    files, snapshots = snapshots_at(10, 20, 30, 40)
    files.replace(name(30), b"torn")
    state = ProducerState()
    snapshots.load(state, 0, 35)
    assert (state.end_offset, list(state.entries)) == (20, [20])
    assert files.list("/") == ["00000000000000000010.snapshot", "00000000000000000020.snapshot"]
    snapshots.load(state, 20, 35)
    assert (state.end_offset, list(state.entries)) == (20, [])
    assert snapshots.offsets == []


def test_a_transaction_in_a_snapshot_is_under_way_again() -> None:
    snapshots = snapshots_at()[1]
    state = ProducerState(50)
    state.entries = {1: entry_of(1, start=45), 2: entry_of(2, start=41)}
    snapshots.take(state)
    loaded = ProducerState()
    snapshots.load(loaded, 0, 50)
    assert loaded.first_unstable_offset == 41


def test_strays_go_but_not_the_one_of_a_clean_stop() -> None:
    _, snapshots = snapshots_at(10, 15, 20, 27)
    snapshots.remove_strays([0, 10, 20])
    assert snapshots.offsets == [10, 20, 27]


def test_files_of_deleted_segments_are_renamed() -> None:
    files, snapshots = snapshots_at(10, 20, 30)
    assert snapshots.rename_deleted(0, 20) == [name(10) + ".deleted"]
    assert snapshots.offsets == [20, 30]
    assert files.exists(name(10) + ".deleted")
