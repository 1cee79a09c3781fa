"""Sequences, epochs, duplicates and transactions of producers, by Kafka's rules."""

import pytest

from snakka.protocol.control_records import EndTransaction
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import TRANSACTIONAL_BIT, BatchHeader
from snakka.storage.producer_state import CompletedTransaction, ProducerState

LAST_SEQUENCE = 2**31 - 1


def header_of(
    sequence: int = 0, count: int = 1, *, producer: int = 1, epoch: int = 0, transactional: bool = False
) -> BatchHeader:
    return BatchHeader(
        base_offset=0,
        length=0,
        leader_epoch=0,
        magic=2,
        crc=0,
        attributes=TRANSACTIONAL_BIT if transactional else 0,
        last_offset_delta=count - 1,
        base_timestamp=0,
        max_timestamp=0,
        producer_id=producer,
        producer_epoch=epoch,
        base_sequence=sequence,
        count=count,
    )


def appended(state: ProducerState, header: BatchHeader, offset: int, timestamp: int = 0) -> None:
    assert state.check_client_batch(header) is None
    state.append_data(header, offset, timestamp)


def refused(state: ProducerState, header: BatchHeader) -> str:
    with pytest.raises(ApiError) as caught:
        state.check_client_batch(header)
    return caught.value.code.name


def test_a_producer_may_begin_with_any_sequence_because_its_records_may_be_gone() -> None:
    state = ProducerState()
    appended(state, header_of(17), 0)
    appended(state, header_of(18), 1)


def test_a_gap_or_an_old_sequence_is_refused() -> None:
    state = ProducerState()
    appended(state, header_of(0, 5), 0)
    assert refused(state, header_of(6)) == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    assert refused(state, header_of(4)) == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    assert refused(state, header_of(0, 4)) == "OUT_OF_ORDER_SEQUENCE_NUMBER"


def test_the_last_five_batches_are_known_again() -> None:
    state = ProducerState()
    for number in range(6):
        appended(state, header_of(number * 10, 10), 100 + number * 10, timestamp=number)
    for number in range(1, 6):
        duplicate = state.check_client_batch(header_of(number * 10, 10))
        assert duplicate is not None
        assert (duplicate.first_offset, duplicate.last_offset) == (100 + number * 10, 109 + number * 10)
        assert duplicate.timestamp == number
    assert refused(state, header_of(0, 10)) == "OUT_OF_ORDER_SEQUENCE_NUMBER"


def test_sequences_wrap_around() -> None:
    state = ProducerState()
    appended(state, header_of(LAST_SEQUENCE - 1, 4), 0)
    assert state.entries[1].last_sequence == 1
    appended(state, header_of(2), 4)
    duplicate = state.check_client_batch(header_of(LAST_SEQUENCE - 1, 4))
    assert duplicate is not None
    assert duplicate.first_offset == 0
    appended(ProducerState(), header_of(LAST_SEQUENCE, 1), 0)
    fresh = ProducerState()
    appended(fresh, header_of(LAST_SEQUENCE, 1), 0)
    appended(fresh, header_of(0), 1)


def test_a_new_epoch_begins_with_sequence_zero() -> None:
    state = ProducerState()
    appended(state, header_of(0), 0)
    assert refused(state, header_of(1, epoch=1)) == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    appended(state, header_of(0, epoch=1), 1)
    assert refused(state, header_of(1, epoch=0)) == "INVALID_PRODUCER_EPOCH"
    # The same sequence under another epoch is no duplicate.
    assert state.entries[1].batches[-1].last_offset == 1
    appended(state, header_of(1, epoch=1), 2)


def test_writing_outside_of_ones_transaction_is_refused() -> None:
    state = ProducerState()
    appended(state, header_of(0, transactional=True), 0)
    assert refused(state, header_of(1)) == "INVALID_TXN_STATE"


def test_a_transaction_holds_the_stable_offset_until_its_marker_is_replicated() -> None:
    state = ProducerState()
    appended(state, header_of(0, producer=1, transactional=True), 10)
    appended(state, header_of(0, producer=2, transactional=True), 11)
    appended(state, header_of(1, producer=1, transactional=True), 12)
    assert state.first_unstable_offset == 10
    completed = state.append_marker(header_of(producer=1), EndTransaction(False, 3), 13, 99)
    assert completed == CompletedTransaction(1, 10, 13, is_aborted=True)
    assert completed is not None
    assert state.stable_offset_after(completed) == 11
    state.complete(completed)
    assert state.entries[1].transaction_start == -1
    assert state.entries[2].transaction_start == 11
    # The marker itself is not replicated yet.
    state.high_watermark_moved(13)
    assert state.first_unstable_offset == 10
    state.high_watermark_moved(14)
    assert state.first_unstable_offset == 11
    last = state.append_marker(header_of(producer=2), EndTransaction(True, 3), 14, 99)
    assert last is not None
    assert state.stable_offset_after(last) == 15
    state.complete(last)
    state.high_watermark_moved(15)
    assert state.first_unstable_offset is None
    assert (state.entries[1].coordinator_epoch, state.entries[1].last_timestamp) == (3, 99)


def test_a_marker_without_records_completes_nothing() -> None:
    state = ProducerState()
    assert state.append_marker(header_of(producer=1, epoch=4), EndTransaction(True, 0), 5, 0) is None
    assert state.entries[1].epoch == 4
    assert refused(state, header_of(3, epoch=4)) == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    appended(state, header_of(0, epoch=4), 6)


def test_coordinators_of_an_old_epoch_are_fenced() -> None:
    state = ProducerState()
    state.append_marker(header_of(producer=1, epoch=2), EndTransaction(True, 7), 5, 0)
    state.check_coordinator_batch(header_of(producer=1, epoch=2), EndTransaction(True, 7))
    with pytest.raises(ApiError, match="TRANSACTION_COORDINATOR_FENCED"):
        state.check_coordinator_batch(header_of(producer=1, epoch=2), EndTransaction(True, 6))
    with pytest.raises(ApiError, match="INVALID_PRODUCER_EPOCH"):
        state.check_coordinator_batch(header_of(producer=1, epoch=1), EndTransaction(True, 7))
    state.check_coordinator_batch(header_of(producer=9), None)


def test_silent_producers_are_forgotten_unless_they_have_a_transaction() -> None:
    state = ProducerState()
    appended(state, header_of(0, producer=1), 0, timestamp=1000)
    appended(state, header_of(0, producer=2, transactional=True), 1, timestamp=1000)
    appended(state, header_of(0, producer=3), 2, timestamp=1500)
    state.remove_expired(2000, 1000)
    assert sorted(state.entries) == [2, 3]
    assert sorted(entry.producer_id for entry in state.describe()) == [2, 3]
