"""Time as an argument: wall-clock milliseconds for records, monotonic seconds for waits."""

import time
from typing import Protocol


class Clock(Protocol):
    """What a component may ask of time. Tests and the simulation move it by hand."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, as Kafka stamps records."""

    def monotonic(self) -> float:
        """Seconds that never go backwards, for deadlines."""


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()
