"""How long answers took: counted, and begun anew when read."""

import pytest

from snakka.network.answer_times import AnswerTime, AnswerTimes


def test_times_are_counted_until_they_are_read() -> None:
    times = AnswerTimes()
    for seconds in (0.25, 1.0, 0.5):
        times.note(seconds)
    assert times.take() == AnswerTime(3, pytest.approx(1.75), 1.0)
    assert times.take() == AnswerTime(0, 0.0, 0.0)
