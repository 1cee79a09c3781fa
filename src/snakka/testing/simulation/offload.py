"""Threads and processes on virtual time: work takes a while, and the event loop goes on meanwhile.

Rule: a piece of work happens at one moment, somewhere between its start and its end, and no more than a few are under way.
What a dead program had under way never happens; a death in the midst of it is the files' business.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from snakka.storage.cleaner import CleaningJob, CleaningResult, Throttle, UncleanableLogError, clean
from snakka.storage.segment_files import CLEANED, LOG, SEGMENT_KINDS, file_path
from snakka.testing.simulated_files import SimulatedFiles
from snakka.testing.simulation.trace import Trace

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 4


@dataclass(frozen=True)
class DiskManners:
    """How long the threads' work takes, most of it being syncs."""

    shortest: float
    longest: float
    # How often it takes twenty times as long.
    slow_share: float


class SimulatedOffload:
    """The threads of one program, and the cleaner's process, which works on the simulated files."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        chance: random.Random,
        manners: DiskManners,
        files: SimulatedFiles,
        trace: Trace,
    ) -> None:
        self._loop = loop
        self._chance = chance
        self._manners = manners
        self._files = files
        self._trace = trace
        # When each thread has done what it was given.
        self._free_at = [0.0] * _THREADS

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        thread = min(range(_THREADS), key=self._free_at.__getitem__)
        start = max(self._free_at[thread], self._loop.time())
        end = self._free_at[thread] = start + self._duration()
        future: asyncio.Future[T] = self._loop.create_future()

        def work() -> None:
            try:
                result = function(*args, **kwargs)
            except Exception as error:
                self._loop.call_at(end, _fail, future, error)
            else:
                self._loop.call_at(end, _complete, future, result)

        # Whatever runs in the same moment has no order; this way two pieces of work rarely do.
        self._loop.call_at(self._chance.uniform(start, end), work)
        return future

    async def run_module(self, module: str, *arguments: str, deadline_seconds: float) -> None:
        self._trace.note("process", module)
        (job_path,) = arguments
        async with asyncio.timeout(deadline_seconds):
            await self.run(run_cleaner, self._files, job_path)

    def close(self) -> None:
        """Threads end with their program."""

    def _duration(self) -> float:
        manners = self._manners
        duration = self._chance.uniform(manners.shortest, manners.longest)
        return duration * 20 if self._chance.random() < manners.slow_share else duration


def run_cleaner(files: SimulatedFiles, job_path: str) -> None:
    """`snakka.storage.cleaner` as the broker starts it, on simulated files."""
    job = CleaningJob.decode(files.read(job_path))
    try:
        result = clean(files, job, Throttle(float("inf"), wait=lambda _: None))
    except UncleanableLogError as error:
        result = CleaningResult(job.first_dirty_offset, uncleanable=str(error))
    for group in result.groups:
        modified_ms = files.modified_ms(file_path(job.directory, group.old_bases[-1], LOG))
        for kind in SEGMENT_KINDS:
            path = file_path(job.directory, group.old_bases[0], kind, CLEANED)
            if files.exists(path):
                files.set_modified_ms(path, modified_ms)
    files.replace(job.result_path, result.encode(), sync=False)


def _complete(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
