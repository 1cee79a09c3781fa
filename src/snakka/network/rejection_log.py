"""Log lines about misbehaving clients, few enough that no client can fill the log."""

import logging

from snakka.runtime import Clock

INTERVAL_SECONDS = 10.0


class RejectionLog:
    """One line at once, then at most one in ten seconds, which says how many were left out."""

    __slots__ = ("_clock", "_left_out", "_log", "_next_at")

    def __init__(self, log: logging.Logger, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._next_at = 0.0
        self._left_out = 0

    def report(self, line: str, error: BaseException | None = None) -> None:
        """Log a line; an error is one of ours, and comes with where it happened."""
        now = self._clock.monotonic()
        if now < self._next_at:
            self._left_out += 1
            return
        self._next_at = now + INTERVAL_SECONDS
        left_out, self._left_out = self._left_out, 0
        if left_out:
            line = f"{line} (and {left_out} more before it, not shown)"
        self._log.log(logging.WARNING if error is None else logging.ERROR, "%s", line, exc_info=error)
