"""Notices when the event loop stood still: one slow call delays every client.

A timer that is due every 20 ms sees how late it runs. A stall of more than twice that is always seen, a shorter one
with the likelihood that it spans a tick.
"""

import asyncio

from snakka.telemetry.metric_set import Declaration, Kind, MetricSet

INTERVAL_SECONDS = 0.02
STALL_SECONDS = 0.02

STALLS = Declaration(
    "loop_stall_seconds",
    Kind.HISTOGRAM,
    "How long the event loop stood still, for stalls over 20 ms.",
    kafka_name="RequestHandlerAvgIdlePercent",
    unit=1e-6,
)


class LoopStallMonitor:
    """Watches one loop from `start` until `close`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, metrics: MetricSet) -> None:
        self._loop = loop
        self._stalls = metrics.histogram(STALLS)
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._due = self._loop.time() + INTERVAL_SECONDS
        self._timer = self._loop.call_at(self._due, self._tick)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        late = self._loop.time() - self._due
        if late > STALL_SECONDS:
            self._stalls.observe(int(late * 1_000_000))
        self.start()
