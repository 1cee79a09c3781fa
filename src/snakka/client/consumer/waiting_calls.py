"""The application's calls for messages: how many wait just now, how many there were, and for how long it has waited."""

import asyncio


class WaitingCalls:
    """`with` it around each call. Those that wait at the same time count once for the time."""

    def __init__(self) -> None:
        self.now = 0
        self.ended = 0
        self._seconds = 0.0  # of the times that are over
        self._since = 0.0

    def __enter__(self) -> None:
        if not self.now:
            self._since = _now()
        self.now += 1

    def __exit__(self, *error: object) -> None:
        self.now -= 1
        self.ended += 1
        if not self.now:
            self._seconds += _now() - self._since

    @property
    def seconds(self) -> float:
        """How long the application has waited, in all."""
        return self._seconds + (_now() - self._since if self.now else 0.0)


def _now() -> float:
    return asyncio.get_running_loop().time()
