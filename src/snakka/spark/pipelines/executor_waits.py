"""Whether tasks wait for executors that do not come: no worker has room for one, say, or a queue is full.

Spark waits for ever then, and says so in its log only. On a cluster that many share that may be right, so a run waits
too, but it says what it waits for.

Rule: what has no work needs no executors, so that is no wait. It asks the driver's own books, nobody on the network.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from snakka.runtime.clock import Clock

if TYPE_CHECKING:
    from pyspark import SparkContext

# Executors of a cluster that is awake are there within seconds, pods whose image must be loaded within a minute.
PATIENCE_SECONDS = 60.0
ASK_SECONDS = 5.0
MEMORY = "spark.executor.memory"
CORES = "spark.executor.cores"
_DRIVER = 1  # Spark counts it among the executors


class ExecutorWait:
    """Of one run on a cluster."""

    def __init__(self, context: "SparkContext", master: str, clock: Clock) -> None:
        self._context = context
        self._master = master
        self._clock = clock
        self._asked_at = float("-inf")
        self._since: float | None = None
        self._note = ""

    def note(self) -> str:
        """A line for whoever looks at the run; empty while all is well."""
        now = self._clock.monotonic()
        if now - self._asked_at >= ASK_SECONDS:
            self._asked_at = now
            self._look(now)
        return self._note

    def _look(self, now: float) -> None:
        if not self._tasks_wait():
            self._since, self._note = None, ""
        elif self._since is None:
            self._since = now
        elif now - self._since >= PATIENCE_SECONDS and not self._note:
            self._note = self._words(self._clock.now_ms() - round((now - self._since) * 1000))

    def _tasks_wait(self) -> bool:
        tracker = self._context._jsc.sc().statusTracker()
        return len(tracker.getExecutorInfos()) <= _DRIVER and len(tracker.getActiveStageIds()) > 0

    def _words(self, since_ms: int) -> str:
        needs = executor_needs(self._context, self._master)
        since = f"{datetime.fromtimestamp(since_ms / 1000, UTC):%H:%M:%S} UTC"
        return (
            f"since {since} there is work, but no executor: one takes {needs} of one machine of {self._master}. "
            f"Free that or add it there, or ask for less with --conf {MEMORY}=... and {CORES}=...; the run waits"
        )


def executor_needs(context: "SparkContext", master: str) -> str:
    """For people: the memory and the cores of an executor, and the settings that they are from."""
    cores = context.getConf().get(CORES) or ("all cores" if master.startswith("spark://") else "1")
    return f"{executor_memory_mb(context)} MiB ({MEMORY}) and {cores} ({CORES})"


def executor_memory_mb(context: "SparkContext") -> int:
    """As Spark itself reads it."""
    return int(context._jsc.sc().executorMemory())
