"""The table of steps: every step that a request goes through is in it, and no clock stays behind."""

import asyncio

import uvloop
from bench.steps import (
    CASES,
    CHECK,
    CHECKSUM,
    ENCODE,
    FIND,
    HANDLER,
    SEAMS,
    SEND,
    SPLIT,
    WHOLE,
    WRITE,
    Nesting,
    measure,
    table,
    wrapped,
)


def test_steps_are_measured_and_the_broker_is_as_before() -> None:
    before = [getattr(seam.owner, seam.name) for seam in SEAMS]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        produce = measure(runner, CASES[0], blocks=1, rounds=1)
    assert all(produce[step] > 0 for step in (WRITE, ENCODE, SEND, WHOLE))
    # What is or has a part is a difference of two measurements, and of so few requests may be anything.
    assert all(produce[step] != 0 for step in (CHECK, CHECKSUM, HANDLER))
    assert abs(produce[FIND]) < 1
    assert [getattr(seam.owner, seam.name) for seam in SEAMS] == before
    lines = table({CASES[0]: produce})
    assert lines[0] == "| microseconds | produce 100 B |"
    assert all(line.count("|") == 3 for line in lines)


def test_nesting_is_that_of_the_calls() -> None:
    nesting = Nesting()
    inner = nesting.wrap(CHECK, lambda: None)
    outer = nesting.wrap(SPLIT, lambda: inner())
    inner()
    assert nesting.inner == {}, "it was no request"
    outer()
    assert nesting.inner == {SPLIT: {CHECK}}


def test_what_was_wrapped_is_put_back_after_a_failure() -> None:
    plain = SEAMS[0].owner.buffer_updated
    try:
        with wrapped(SEAMS[:1], lambda step, function: print):
            raise RuntimeError
    except RuntimeError:
        assert SEAMS[0].owner.buffer_updated is plain
