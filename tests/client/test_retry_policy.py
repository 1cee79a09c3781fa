"""Pauses: they double, differ by chance, and end with the deadline."""

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.client.errors import (
    AuthenticationError,
    BrokerUnreachableError,
    NoBrokerError,
    RequestTimedOutError,
)
from snakka.client.retry_policy import RETRIABLE, STALE_METADATA, Backoff, Pauses, is_retriable
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.runtime.clock import SystemClock


@given(st.integers(0, 10_000), st.integers(0, 60_000), st.integers(0, 100), st.integers())
def test_pauses_double_up_to_a_bound(first_ms: int, longest_ms: int, failures: int, seed: int) -> None:
    backoff = Backoff.of_ms(first_ms, longest_ms, random.Random(seed))
    seconds = backoff.seconds(failures)
    if failures == 0:
        assert seconds == 0
        return
    expected = min(first_ms * 2 ** (failures - 1), max(first_ms, longest_ms)) / 1000
    assert 0.79 * expected <= seconds <= 1.21 * expected


async def test_the_last_reason_is_raised_when_the_deadline_comes() -> None:
    clock = SystemClock()
    pauses = Pauses(clock, clock.monotonic() + 0.5, Backoff(0.001, 0.01))
    reason = NoBrokerError("gone")

    async def try_on() -> None:
        while True:
            await pauses.wait(reason)

    with pytest.raises(NoBrokerError) as caught:
        await try_on()
    assert caught.value is reason
    assert pauses.failures > 3


async def test_the_deadline_itself_is_no_reason() -> None:
    clock = SystemClock()
    pauses = Pauses(clock, clock.monotonic() + 0.05, Backoff(0.001, 0.001))
    await pauses.wait(NoBrokerError("gone"))
    await asyncio.sleep(0.06)
    with pytest.raises(NoBrokerError):
        await pauses.wait(RequestTimedOutError("late"))


def test_what_is_worth_another_attempt() -> None:
    assert is_retriable(BrokerUnreachableError("x"))
    assert is_retriable(ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER))
    assert not is_retriable(AuthenticationError("x"))
    assert not is_retriable(ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED))
    assert not is_retriable(ValueError())


def test_kafka_judges_alike(kafka_facts: list[list[str]]) -> None:
    kinds = {name: words.split() for kind, name, words in kafka_facts if kind == "error"}
    for code in ErrorCode:
        assert (code in RETRIABLE) == ("retriable" in kinds[code.name]), code.name
        assert (code in STALE_METADATA) == ("stale" in kinds[code.name]), code.name
