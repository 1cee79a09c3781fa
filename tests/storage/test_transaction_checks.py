"""What a partition knows of transactions beyond their records: who asks to begin one, and whose marker comes too late."""

import pytest

from snakka.protocol.control_records import EndTransaction
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import CONTROL_BIT, TRANSACTIONAL_BIT, BatchHeader
from snakka.storage.producer_state import ProducerState

PRODUCER = 7


def header_of(sequence: int = 0, *, epoch: int = 0, count: int = 1, attributes: int = TRANSACTIONAL_BIT):
    return BatchHeader(
        base_offset=0,
        length=0,
        leader_epoch=0,
        magic=2,
        crc=0,
        attributes=attributes,
        last_offset_delta=count - 1,
        base_timestamp=0,
        max_timestamp=0,
        producer_id=PRODUCER,
        producer_epoch=epoch,
        base_sequence=sequence,
        count=count,
    )


class Log:
    """Batches and markers of one producer."""

    def __init__(self) -> None:
        self.state = ProducerState()
        self.end = 0

    def asks(self, sequence: int = 0, *, epoch: int = 0, adds: bool = True, now_ms: int = 0):
        return self.state.verify(PRODUCER, epoch, sequence, adds=adds, now_ms=now_ms)

    def data(self, sequence: int = 0, *, epoch: int = 0) -> None:
        header = header_of(sequence, epoch=epoch)
        assert self.state.check_client_batch(header) is None
        self.state.append_data(header, self.end, 0)
        self.end += 1

    def marker(self, *, epoch: int, version: int = 2, commit: bool = True) -> None:
        self.state.check_marker(PRODUCER, epoch, version)
        header = header_of(-1, epoch=epoch, attributes=TRANSACTIONAL_BIT | CONTROL_BIT)
        end = EndTransaction(commit, 0)
        self.state.check_coordinator_batch(header, end)
        completed = self.state.append_marker(header, end, self.end, 0)
        if completed is not None:
            self.state.complete(completed)
        self.end += 1


def refused(act, *arguments, **named) -> str:
    with pytest.raises(ApiError) as caught:
        act(*arguments, **named)
    return caught.value.code.name


def test_who_has_a_transaction_under_way_need_not_ask():
    log = Log()
    assert log.asks() is not None
    log.data()
    assert log.asks(1) is None
    assert log.asks(0, epoch=1) is not None


def test_an_old_epoch_need_not_ask_either():
    log = Log()
    log.asks(epoch=3)
    log.data(epoch=3)
    assert refused(log.asks, epoch=2) == "INVALID_PRODUCER_EPOCH"


def test_a_question_is_over_with_the_first_record_and_with_a_marker():
    log = Log()
    question = log.asks()
    assert log.asks() is question
    log.data()
    assert not log.state.verifications
    log.marker(epoch=1)
    older = log.asks(0, epoch=1, adds=False)
    assert log.asks(0, epoch=1, adds=False) is older
    log.marker(epoch=1, version=0)
    assert log.asks(0, epoch=1, adds=False) is not older


def test_a_question_for_the_next_transaction_outlives_the_marker_of_the_last():
    log = Log()
    log.asks()
    log.data()
    question = log.asks(0, epoch=1)
    log.marker(epoch=1)
    assert log.asks(0, epoch=1) is question
    log.data(0, epoch=1)


def test_a_later_batch_does_not_get_ahead_of_the_one_that_asked_first():
    log = Log()
    log.asks(5, adds=False)
    log.asks(8, adds=False)
    assert refused(log.data, 8) == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    log.asks(2, adds=False)
    assert refused(log.data, 5) == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    log.data(2)
    log.data(3)


def test_sequences_of_the_next_epoch_begin_anew():
    log = Log()
    log.asks(5, adds=False)
    log.asks(9, epoch=1, adds=False)
    log.data(9, epoch=1)


def test_in_version_2_a_producer_without_state_begins_with_sequence_0():
    log = Log()
    log.asks(4)
    assert refused(log.data, 4) == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    log.asks(0)
    log.data(0)
    older = Log()
    older.asks(4, adds=False)
    older.data(4)


def test_questions_that_led_to_nothing_are_forgotten():
    log = Log()
    log.asks(now_ms=1_000)
    log.state.remove_expired(1_999, 1_000)
    assert log.state.verifications
    log.state.remove_expired(2_000, 1_000)
    assert not log.state.verifications


def test_a_marker_of_version_2_may_come_twice_but_not_late():
    log = Log()
    log.asks()
    log.data()
    log.marker(epoch=1)
    log.marker(epoch=1)
    assert refused(log.marker, epoch=0) == "INVALID_PRODUCER_EPOCH"
    log.asks(0, epoch=1)
    log.data(0, epoch=1)
    assert refused(log.marker, epoch=1) == "INVALID_PRODUCER_EPOCH"
    assert log.state.has_transaction(PRODUCER, 1)
    log.marker(epoch=2)
    assert not log.state.has_transaction(PRODUCER, 1)


def test_a_marker_of_an_older_version_can_end_the_wrong_transaction():
    """Why version 2 is there: both transactions have one epoch."""
    log = Log()
    log.data(0)
    log.marker(epoch=0, version=0)
    log.data(1)
    log.marker(epoch=0, version=0)
    assert not log.state.has_transaction(PRODUCER, 0)


def test_a_marker_of_somebody_unknown_is_taken_and_its_epoch_remembered():
    log = Log()
    log.marker(epoch=4)
    assert log.state.entries[PRODUCER].epoch == 4
    assert log.state.first_unstable_offset is None
    assert refused(log.data, epoch=3) == "INVALID_PRODUCER_EPOCH"
    log.data(0, epoch=4)
