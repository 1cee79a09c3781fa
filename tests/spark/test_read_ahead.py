"""Batches made ahead in an event loop: in order, a few at a time, with the maker's error, and nothing stays behind."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

import pytest

from snakka.runtime.loop_thread import LoopThread
from snakka.spark import read_ahead
from snakka.spark.read_ahead import MOST_AHEAD, FetchAhead

SECONDS = 20


class Maker:
    """Numbers as batches; `wanted` is set once so many have been made."""

    def __init__(self, count: int, *, wanted: int = 0, fails: bool = False) -> None:
        self.made = 0
        self.has_made_wanted = threading.Event()
        self._count = count
        self._wanted = wanted
        self._fails = fails

    def batches(self) -> Iterator[int]:
        for number in range(self._count):
            self.made += 1
            if self.made == self._wanted:
                self.has_made_wanted.set()
            yield number
        if self._fails:
            raise ValueError("the rest is gone")


class Loop:
    """Begins in a loop of its own, as a blocking client does."""

    def __init__(self) -> None:
        self.thread = LoopThread("test")

    def begin(self, use: Callable[[Any], Any]) -> Any:
        return self.thread.begin(use(self))


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.thread.end()


@pytest.fixture
def ahead_of(loop: Loop) -> Callable[[Maker], FetchAhead[int]]:
    def fetched(maker: Maker) -> FetchAhead[int]:
        async def batches(client: object) -> AsyncGenerator[int, None]:
            assert client is loop
            for number in maker.batches():
                await asyncio.sleep(0)
                yield number

        return FetchAhead(loop.begin, batches)

    return fetched


def test_batches_come_in_order(ahead_of: Callable[[Maker], FetchAhead[int]]) -> None:
    ahead = ahead_of(Maker(1000))
    assert list(ahead) == [*range(1000)]
    assert not ahead.is_running


def test_batches_come_in_order_however_slowly_they_are_taken(
    ahead_of: Callable[[Maker], FetchAhead[int]],
) -> None:
    taken = []
    for number in ahead_of(Maker(200)):
        taken.append(number)
        time.sleep(0.002 * (number % 3))
    assert taken == [*range(200)]


def test_the_next_ones_are_made_while_one_is_used_and_no_more(
    ahead_of: Callable[[Maker], FetchAhead[int]],
) -> None:
    maker = Maker(100, wanted=51 + MOST_AHEAD)
    taken = iter(ahead_of(maker))
    assert [next(taken) for _ in range(51)] == [*range(51)]
    assert maker.has_made_wanted.wait(SECONDS)
    time.sleep(0.05)
    assert maker.made == 51 + MOST_AHEAD


def test_an_error_comes_after_what_was_made_before_it(ahead_of: Callable[[Maker], FetchAhead[int]]) -> None:
    ahead = ahead_of(Maker(3, fails=True))
    taken = iter(ahead)
    assert [next(taken) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="the rest is gone"):
        next(taken)
    assert not ahead.is_running


def test_nothing_is_made_any_more_when_nobody_needs_it(ahead_of: Callable[[Maker], FetchAhead[int]]) -> None:
    maker = Maker(1000)
    ahead = ahead_of(maker)
    taken = iter(ahead)
    assert next(taken) == 0
    taken.close()  # type: ignore[attr-defined] -- a generator
    assert not ahead.is_running
    assert maker.made <= 2 + MOST_AHEAD


def test_a_fetch_that_waits_ends_at_once_when_nobody_needs_it(loop: Loop) -> None:
    is_closed = threading.Event()

    async def batches(client: object) -> AsyncGenerator[int, None]:
        try:
            yield 0
            await asyncio.sleep(SECONDS)
        finally:
            is_closed.set()

    ahead = FetchAhead(loop.begin, batches)
    taken = iter(ahead)
    assert next(taken) == 0
    began = time.monotonic()
    taken.close()  # type: ignore[attr-defined] -- a generator
    assert is_closed.is_set()
    assert not ahead.is_running
    assert time.monotonic() - began < SECONDS / 2


def test_a_fetch_that_can_t_be_ended_is_left_behind(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "END_SECONDS", 0.01)
    may_end = threading.Event()

    async def batches(client: object) -> AsyncGenerator[int, None]:
        yield 0
        may_end.wait(SECONDS)  # it holds up the loop
        yield 1

    ahead = FetchAhead(loop.begin, batches)
    taken = iter(ahead)
    assert next(taken) == 0
    taken.close()  # type: ignore[attr-defined] -- a generator
    assert ahead.is_running, "so that its client is not used for something else"
    may_end.set()
