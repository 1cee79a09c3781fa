"""Syncs logs in threads, so that the event loop never waits for a disk.

Rules: one job at a time in each log directory, and whatever asks meanwhile goes into the next one: a sync that takes ten
milliseconds then serves all appends of those ten milliseconds. A failed sync is not tried again; its directory goes offline.

By default Kafka never syncs because of an append, and nothing here is called for one. A sweep over the logs now and then
finds those that `flush.ms` or `flush.messages` want synced, and those that wrote a few megabytes since the last sync:
written back in such portions the dirty pages never pile up until the kernel stalls whoever appends next.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from snakka.runtime import Runtime
from snakka.storage.flush_job import FlushJob
from snakka.storage.partition_log import PartitionLog
from snakka.storage.segment import Segment

log = logging.getLogger(__name__)

# Measured on ext4 at 150 MB/s: portions of 4 to 16 MiB left the appends' 99.9th percentile as it was without any sync, and
# those of 64 MiB made it ten times worse.
WRITE_BACK_BYTES = 8 << 20
SWEEP_SECONDS_BUSY = 0.05
SWEEP_SECONDS_QUIET = 0.5
_BUSY_FOR_MS = 2_000

Flushed = Callable[[PartitionLog, int], None]
Results = list[tuple[PartitionLog, OSError | None]]


class _Directory:
    """What one log directory has to sync."""

    __slots__ = ("future", "path", "running", "waiting")

    def __init__(self, path: str) -> None:
        self.path = path
        self.waiting: dict[PartitionLog, None] = {}
        self.running: dict[PartitionLog, FlushJob] = {}
        self.future: asyncio.Future[Results] | None = None


class Flusher:
    """Groups the syncs of the logs of a broker. `on_flushed` are told each log, and the offset it is now safe up to."""

    def __init__(self, runtime: Runtime, failed: Callable[[str, OSError], None]) -> None:
        self.on_flushed: list[Flushed] = []
        self._runtime = runtime
        self._failed = failed
        self._directories: dict[str, _Directory] = {}
        # Where the active segment ended when the log was last given to a thread.
        self._written: dict[PartitionLog, tuple[Segment, int]] = {}
        self._busy_until_ms = 0

    def flush_soon(self, wanted: PartitionLog) -> None:
        """Sync what `wanted` has now, with whatever else is asked for until the next job begins."""
        path = os.path.dirname(wanted.directory)
        directory = self._directories.get(path)
        if directory is None:
            directory = self._directories[path] = _Directory(path)
        if not directory.waiting and directory.future is None:
            # Not at once: other partitions of the same request shall come along.
            self._runtime.loop.call_soon(self._begin, directory)
        directory.waiting[wanted] = None

    def sweep(self, logs: Iterable[PartitionLog], now_ms: int) -> None:
        """Ask for those of `logs` that their config wants synced, that have rolled, or that have written much."""
        for one in logs:
            if one.log_end_offset > one.recovery_point:
                if self._unwritten_bytes(one) >= WRITE_BACK_BYTES:
                    self._busy_until_ms = now_ms + _BUSY_FOR_MS
                    self.flush_soon(one)
                elif one.recovery_point < one.active.base_offset or one.flush_due(now_ms):
                    self.flush_soon(one)

    def sweep_interval_seconds(self) -> float:
        """Short while a log grows fast, long otherwise."""
        busy = self._runtime.clock.now_ms() < self._busy_until_ms
        return SWEEP_SECONDS_BUSY if busy else SWEEP_SECONDS_QUIET

    def forget(self, gone: PartitionLog) -> None:
        """The log is deleted or out of reach: what a sync of it says does not matter any more."""
        self._written.pop(gone, None)
        for directory in self._directories.values():
            directory.waiting.pop(gone, None)
            directory.running.pop(gone, None)

    async def drain(self, deadline_seconds: float = 10.0) -> None:
        """Wait until no sync is asked for or under way; TimeoutError if the disk takes too long."""
        deadline = self._runtime.loop.time() + deadline_seconds
        while True:
            for directory in self._directories.values():
                self._begin(directory)
            futures = [one.future for one in self._directories.values() if one.future is not None]
            if not futures:
                return
            _, pending = await asyncio.wait(futures, timeout=max(deadline - self._runtime.loop.time(), 0))
            if pending:
                raise TimeoutError(f"logs were still being synced after {deadline_seconds:.0f} s")

    def _unwritten_bytes(self, one: PartitionLog) -> int:
        active = one.active
        segment, position = self._written.get(one, (None, 0))
        return active.size - (position if segment is active else 0)

    def _begin(self, directory: _Directory) -> None:
        if directory.future is not None:
            return
        waiting, directory.waiting = directory.waiting, {}
        directory.running = {}
        for one in waiting:
            try:
                job = one.flush_job()
            except OSError as error:
                self._failed(directory.path, error)
                return
            if job is not None:
                directory.running[one] = job
                self._written[one] = (one.active, one.active.size)
        if directory.running:
            directory.future = self._runtime.offload.run(_run, list(directory.running.items()))
            directory.future.add_done_callback(partial(self._ended, directory))

    def _ended(self, directory: _Directory, future: asyncio.Future[Results]) -> None:
        running, directory.running, directory.future = directory.running, {}, None
        if directory.waiting:
            self._runtime.loop.call_soon(self._begin, directory)
        if future.cancelled():
            return
        for flushed, error in future.result():
            job = running.get(flushed)
            if job is None:
                continue  # deleted meanwhile
            if error is not None:
                self._failed(directory.path, error)
                return
            job.done()
            for tell in self.on_flushed:
                tell(flushed, job.offset)


def _run(jobs: Sequence[tuple[PartitionLog, FlushJob]]) -> Results:
    """In a thread. One failure does not end it: the log may have been deleted under the job."""
    results: Results = []
    for one, job in jobs:
        try:
            job.run()
        except OSError as error:
            results.append((one, error))
        else:
            results.append((one, None))
    return results
