"""Batches made ahead: in order, a few at a time, with the maker's error, and with no thread that stays behind."""

import threading
import time
from collections.abc import Iterator

import pytest

from snakka.spark import read_ahead
from snakka.spark.read_ahead import MOST_AHEAD, ReadAhead

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


def test_batches_come_in_order() -> None:
    ahead = ReadAhead(Maker(1000).batches())
    assert list(ahead) == [*range(1000)]
    assert not ahead.is_running


def test_the_next_ones_are_made_while_one_is_used_and_no_more() -> None:
    maker = Maker(100, wanted=51 + MOST_AHEAD)
    taken = iter(ReadAhead(maker.batches()))
    assert [next(taken) for _ in range(51)] == [*range(51)]
    assert maker.has_made_wanted.wait(SECONDS)
    time.sleep(0.05)
    assert maker.made == 51 + MOST_AHEAD


def test_an_error_comes_after_what_was_made_before_it() -> None:
    ahead = ReadAhead(Maker(3, fails=True).batches())
    taken = iter(ahead)
    assert [next(taken) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="the rest is gone"):
        next(taken)
    assert not ahead.is_running


def test_nothing_is_made_any_more_when_nobody_needs_it() -> None:
    maker = Maker(1000)
    ahead = ReadAhead(maker.batches())
    taken = iter(ahead)
    assert next(taken) == 0
    taken.close()  # type: ignore[attr-defined] -- a generator
    assert not ahead.is_running
    assert maker.made <= 2 + MOST_AHEAD


def test_who_waits_for_something_himself_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "END_SECONDS", 0.01)
    may_end = threading.Event()

    def batches() -> Iterator[int]:
        yield 0
        may_end.wait(SECONDS)

    ahead = ReadAhead(batches())
    taken = iter(ahead)
    assert next(taken) == 0
    taken.close()  # type: ignore[attr-defined] -- a generator
    assert ahead.is_running, "so that its client is not used for something else"
    may_end.set()
