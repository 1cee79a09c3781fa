"""How long a peer takes to answer, for whoever reports it: three numbers, begun anew whenever they are read."""

from typing import NamedTuple


class AnswerTime(NamedTuple):
    """Of all answers since it was read last."""

    answers: int
    total_seconds: float
    longest_seconds: float


class AnswerTimes:
    """Counts answers."""

    __slots__ = ("_count", "_longest_seconds", "_total_seconds")

    def __init__(self) -> None:
        self._count = 0
        self._total_seconds = self._longest_seconds = 0.0

    def note(self, seconds: float) -> None:
        self._count += 1
        self._total_seconds += seconds
        if seconds > self._longest_seconds:
            self._longest_seconds = seconds

    def take(self) -> AnswerTime:
        """What there was since the last time."""
        taken = AnswerTime(self._count, self._total_seconds, self._longest_seconds)
        self._count, self._total_seconds, self._longest_seconds = 0, 0.0, 0.0
        return taken
