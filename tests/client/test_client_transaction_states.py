"""The life of a transaction as stories: what is allowed when, and what each failure leads to."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.client.errors import (
    DeliveryTimeoutError,
    ProducerFencedError,
    TransactionAbortedError,
    TransactionStateError,
)
from snakka.client.producer.sequences import Identity
from snakka.client.producer.transactions import Phase, TransactionState, Verdict, reason_to_abort, verdict_of
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import RETRIABLE, ErrorCode
from snakka.protocol.errors import ApiError

FIRST, SECOND = Identity(7, 0), Identity(7, 1)
PARTITION, OTHER = TopicPartition("t", 0), TopicPartition("t", 1)


def ready(version: int = 2) -> TransactionState:
    state = TransactionState()
    state.initialised(FIRST, version)
    return state


def opened(version: int = 2) -> TransactionState:
    state = ready(version)
    state.begin()
    return state


def test_one_transaction_after_the_other() -> None:
    state = opened()
    assert state.includes(PARTITION)
    assert state.has_begun
    state.commit()
    state.ended(SECOND)
    assert (state.phase, state.identity, state.has_begun) == (Phase.READY, SECOND, False)
    state.begin()
    state.abort()
    state.ended(None)
    assert (state.phase, state.identity) == (Phase.READY, SECOND)


def test_before_version_2_partitions_are_added_first() -> None:
    state = opened(version=1)
    assert not state.includes(PARTITION)
    assert not state.includes(OTHER)
    assert not state.has_begun
    assert list(state.wanted) == [PARTITION, OTHER]
    state.joined([PARTITION])
    assert state.has_begun
    assert state.includes(PARTITION)
    assert list(state.wanted) == [OTHER]
    state.commit()
    state.ended(None)
    state.begin()
    assert not state.includes(PARTITION), "each transaction has its own"


@pytest.mark.parametrize(
    ("call", "state", "advice"),
    [
        (TransactionState.begin, TransactionState(), "was not started"),
        (TransactionState.begin, opened(), "commit or abort it"),
        (TransactionState.commit, ready(), "begin one"),
        (TransactionState.abort, ready(), "begin one"),
        (lambda state: state.check_open("send"), ready(), "can't send: there is no transaction"),
    ],
)
def test_what_does_not_fit_is_said_with_what_to_do(
    call: Callable[[TransactionState], None], state: TransactionState, advice: str
) -> None:
    with pytest.raises(TransactionStateError, match=advice):
        call(state)


def test_a_doomed_transaction_can_only_be_aborted() -> None:
    state = opened()
    assert state.doom(LookupError("no room"))
    assert not state.doom(LookupError("another reason"))
    for call in (state.commit, lambda: state.check_open("send")):
        with pytest.raises(LookupError, match="no room"):
            call()
    with pytest.raises(TransactionStateError, match="can only be aborted"):
        state.begin()
    state.abort()
    state.ended(SECOND)
    assert state.phase is Phase.READY
    assert state.reason is None


def test_a_commit_whose_outcome_is_not_known_can_only_be_committed_again() -> None:
    state = opened()
    state.commit()
    for call in (state.abort, state.begin, lambda: state.check_open("send")):
        with pytest.raises(TransactionStateError, match="commit again"):
            call()
    state.commit()
    state.ended(None)
    assert state.phase is Phase.READY


def test_an_abort_that_did_not_come_through_is_repeated() -> None:
    state = opened()
    state.abort()
    assert not state.doom(ValueError("late news")), "it is being aborted anyway"
    with pytest.raises(TransactionStateError, match="abort again"):
        state.commit()
    state.abort()
    state.ended(None)
    assert state.phase is Phase.READY


def test_a_transaction_is_handed_over_once_and_whole() -> None:
    state = opened()
    assert state.includes(PARTITION)
    state.detach()
    for call in (state.commit, state.begin, lambda: state.check_open("send")):
        with pytest.raises(TransactionStateError, match="detach it again"):
            call()
    state.detach()
    assert state.detached() == FIRST
    for call in (state.begin, state.commit, state.abort, state.detach):
        with pytest.raises(TransactionStateError, match="was handed over"):
            call()

    state = opened()
    state.detach()
    assert state.doom(LookupError("no room"))
    for detach in (state.detached, state.detach):
        with pytest.raises(LookupError, match="no room"):
            detach()
    state.abort()

    state = opened()
    state.detach()
    with pytest.raises(TransactionStateError, match="nothing was written"):
        state.detached()
    state.abort()


def test_after_a_failure_before_version_2_the_next_epoch_is_asked_for() -> None:
    for version, must_bump in ((1, True), (2, False)):
        state = opened(version)
        state.doom(ValueError())
        assert state.must_bump is must_bump
        state.abort()
        state.ended(SECOND)
        assert not state.must_bump


def test_a_transaction_that_its_coordinator_has_ended_leaves_nothing_to_end() -> None:
    state = opened(version=1)
    state.joined([PARTITION])
    state.timed_out(SECOND, TransactionAbortedError("it took too long"))
    assert (state.phase, state.identity, state.has_begun) == (Phase.DOOMED, SECOND, False)
    assert not state.must_bump
    with pytest.raises(TransactionAbortedError, match="took too long"):
        state.commit()
    state.abort()
    state.ended(None)
    assert (state.phase, state.identity) == (Phase.READY, SECOND)


def test_the_dead_stay_dead() -> None:
    state = opened()
    state.die(ProducerFencedError("somebody else"))
    for call in (state.begin, state.commit, state.abort, lambda: state.check_open("send")):
        with pytest.raises(ProducerFencedError, match="somebody else"):
            call()


_CALLS = ("begin", "commit", "abort", "detach", "detached", "ended", "doom", "die", "timed out")


@given(st.lists(st.sampled_from(_CALLS)))
def test_whatever_is_called_nothing_doomed_is_ever_committed(calls: list[str]) -> None:
    state = ready()
    is_doomed = False
    for call in calls:
        before = state.phase
        try:
            if call == "ended":
                if before in (Phase.COMMITTING, Phase.ABORTING):
                    assert not (before is Phase.COMMITTING and is_doomed)
                    state.ended(SECOND)
                    is_doomed = False
            elif call == "doom":
                is_doomed = state.doom(ValueError()) or is_doomed
            elif call == "detached":
                if before in (Phase.DETACHING, Phase.DOOMED):
                    state.has_begun = True
                    state.detached()
                    assert not is_doomed
            elif call == "timed out":
                if before in (Phase.OPEN, Phase.COMMITTING):
                    state.timed_out(SECOND, ValueError())
                    is_doomed = True
            elif call == "die":
                state.die(ProducerFencedError())
            else:
                getattr(state, call)()
        except (TransactionStateError, ValueError, ProducerFencedError):
            assert state.phase is before
        assert (before is not Phase.DEAD) or state.phase is Phase.DEAD


def test_what_may_pass_is_told_as_worth_another_attempt() -> None:
    too_late = ApiError(ErrorCode.INVALID_PRODUCER_EPOCH, "t-0: too late")
    reason = reason_to_abort(too_late)
    assert isinstance(reason, TransactionAbortedError)
    assert "t-0: too late; abort it and try it again as a whole" in str(reason)
    assert reason.__cause__ is too_late
    assert isinstance(reason_to_abort(DeliveryTimeoutError("slow")), TransactionAbortedError)
    too_large = ApiError(ErrorCode.MESSAGE_TOO_LARGE, "t-0: too large")
    assert reason_to_abort(too_large) is too_large
    assert reason_to_abort(reason) is reason


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_error_has_a_meaning(code: ErrorCode) -> None:
    verdict = verdict_of(code)
    assert (verdict in (Verdict.AGAIN, Verdict.SOON, Verdict.ELSEWHERE)) == (code in RETRIABLE)
    assert (verdict is Verdict.DONE) == (code is ErrorCode.NONE)
