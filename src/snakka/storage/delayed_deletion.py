"""Files that nobody needs any more go after `file.delete.delay.ms`, in a thread: whoever still reads them may finish.

Rule: what waits here already has a name that says so (`.deleted`, `-delete`). So a broker that stops may forget it, and the
next start removes it.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Callable, Sequence
from itertools import count

from snakka.runtime import Runtime
from snakka.storage.files import Files

log = logging.getLogger(__name__)


class DelayedDeletion:
    """Paths by the time at which they go. One timer of the loop is set, for the first of them."""

    def __init__(self, files: Files, runtime: Runtime, failed: Callable[[str, OSError], None]) -> None:
        self._files = files
        self._runtime = runtime
        self._failed = failed
        self._waiting: list[tuple[float, int, tuple[str, ...]]] = []
        self._numbers = count()
        self._timer: asyncio.TimerHandle | None = None
        self._removing: asyncio.Future[tuple[str, OSError] | None] | None = None

    def __len__(self) -> int:
        """How many paths wait."""
        return sum(len(paths) for _, _, paths in self._waiting)

    def schedule(self, paths: Sequence[str], delay_ms: int) -> None:
        """Remove these files, or directories with all that is in them, `delay_ms` from now."""
        if paths:
            due = self._runtime.loop.time() + delay_ms / 1000
            heapq.heappush(self._waiting, (due, next(self._numbers), tuple(paths)))
            self._set_timer()

    async def close(self) -> None:
        """Begin no further removal, and wait for the one under way."""
        self._waiting.clear()
        self._set_timer()
        if self._removing is not None:
            await asyncio.wait([self._removing], timeout=10.0)

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting and self._removing is None:
            self._timer = self._runtime.loop.call_at(self._waiting[0][0], self._remove_due)

    def _remove_due(self) -> None:
        self._timer = None
        # A timer may fire a little early by the clock that it was set with, so the first one counts as due.
        now = max(self._runtime.loop.time(), self._waiting[0][0])
        due: list[str] = []
        while self._waiting and self._waiting[0][0] <= now:
            due += heapq.heappop(self._waiting)[2]
        self._removing = self._runtime.offload.run(_remove_all, self._files, due)
        self._removing.add_done_callback(self._removed)

    def _removed(self, done: asyncio.Future[tuple[str, OSError] | None]) -> None:
        self._removing = None
        self._set_timer()
        if not done.cancelled():
            failure = done.result()
            if failure is not None:
                self._failed(*failure)


def _remove_all(files: Files, paths: Sequence[str]) -> tuple[str, OSError] | None:
    """In a thread. The first failure ends it, and is returned with its path."""
    for path in paths:
        try:
            if files.is_directory(path):
                files.remove_tree(path)
                log.info("removed %s", path)
            else:
                files.remove(path)
        except OSError as error:
            return path, error
    return None
