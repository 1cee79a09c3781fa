"""The only creator of tasks: each has a name, an owner, and a failure that somebody sees."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from snakka.runtime.clock import Clock

log = logging.getLogger(__name__)


@dataclass
class TaskReport:
    """What the console and the metrics show of one background task."""

    name: str
    runs: int = 0
    failures: int = 0
    last_run_ms: int = -1
    last_error: str = ""


@dataclass
class Supervisor:
    """Runs tasks, restarts none: a periodic task that fails is reported and runs again at its next turn."""

    clock: Clock
    on_fatal: Callable[[str, BaseException], None] | None = None
    reports: dict[str, TaskReport] = field(default_factory=dict)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def spawn(self, name: str, work: Coroutine[Any, Any, Any], *, fatal: bool = False) -> asyncio.Task[Any]:
        """Run a coroutine now. A failure is logged; with `fatal` it also reaches the owner, who stops the broker."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._ended(name, done, fatal))
        return task

    def every(
        self,
        name: str,
        interval_seconds: Callable[[], float],
        work: Callable[[], Awaitable[None] | None],
        *,
        first_after_seconds: float | None = None,
    ) -> asyncio.Task[Any]:
        """Run `work` again and again; the interval is asked anew each time so that it can be changed while running.

        The first turn comes after `first_after_seconds` where that is sooner than the interval.
        """
        report = self.reports.setdefault(name, TaskReport(name))
        return self.spawn(name, self._periodic(report, interval_seconds, work, first_after_seconds))

    async def _periodic(
        self,
        report: TaskReport,
        interval_seconds: Callable[[], float],
        work: Callable[[], Awaitable[None] | None],
        first_after_seconds: float | None,
    ) -> None:
        pause = interval_seconds()
        if first_after_seconds is not None:
            pause = min(pause, first_after_seconds)
        while True:
            await asyncio.sleep(pause)
            report.runs += 1
            report.last_run_ms = self.clock.now_ms()
            try:
                pending = work()
                if pending is not None:
                    await pending
            except Exception as error:
                report.failures += 1
                report.last_error = f"{type(error).__name__}: {error}"
                log.exception("background task %s failed; it runs again at its next turn", report.name)
            pause = interval_seconds()

    def _ended(self, name: str, task: asyncio.Task[Any], fatal: bool) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            return
        log.error("task %s failed", name, exc_info=error)
        if fatal and self.on_fatal is not None:
            self.on_fatal(name, error)

    async def close(self, deadline_seconds: float = 5.0) -> None:
        """Cancel what still runs and wait until it has ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=deadline_seconds)
