"""Writes snapshots beside the running log, one at a time, and lets go of what a newer one makes unnecessary.

The state is turned into bytes at once, on the event loop, because it may change in the next moment; the file is written
elsewhere. Rule: files that go are first renamed and stay for a while, for whoever still reads them.
"""

import asyncio
from collections.abc import Callable, Sequence

from snakka.raft.metadata_log import MetadataLog
from snakka.raft.settings import RaftSettings
from snakka.raft.snapshot_files import SnapshotId, write_snapshot
from snakka.raft.state.snapshot_pace import SnapshotPace
from snakka.raft.state.voters import QuorumHistory
from snakka.runtime import Runtime
from snakka.storage.files import Files


class SnapshotKeeper:
    """The snapshots of one metadata log. `on_failure` hears of a disk that failed."""

    def __init__(
        self,
        runtime: Runtime,
        files: Files,
        metadata_log: MetadataLog,
        history: QuorumHistory,
        settings: RaftSettings,
        on_failure: Callable[[BaseException], None],
    ) -> None:
        self._runtime = runtime
        self._files = files
        self._log = metadata_log
        self._history = history
        self._settings = settings
        self._on_failure = on_failure
        self._removals: set[asyncio.TimerHandle] = set()
        self.pace = SnapshotPace(
            settings.snapshot_after_bytes, settings.snapshot_after_ms, runtime.clock.now_ms()
        )
        self.running: asyncio.Task[None] | None = None

    @property
    def is_due(self) -> bool:
        return self.running is None and self.pace.is_due(self._runtime.clock.now_ms())

    def write(self, snapshot: SnapshotId, batches: Sequence[bytearray]) -> asyncio.Task[None]:
        """Begin to write; the task fails if the disk does."""
        if self.running is not None:
            raise RuntimeError("a snapshot is being written")
        self.pace.written(self._runtime.clock.now_ms())
        self.running = self._runtime.supervisor.spawn("metadata snapshot", self._write(snapshot, batches))
        return self.running

    def close(self) -> None:
        """What is still to be removed is removed by the next start."""
        for timer in self._removals:
            timer.cancel()

    async def _write(self, snapshot: SnapshotId, batches: Sequence[bytearray]) -> None:
        try:
            if snapshot not in self._log.snapshots:
                await self._runtime.offload.run(
                    write_snapshot, self._files, self._log.directory, snapshot, batches
                )
                self._log.snapshot_written(snapshot, sum(map(len, batches)))
            released = self._log.clean(self._settings, self._runtime.clock.now_ms())
            self._history.forget_before(self._log.start_offset - 1)
            if released:
                self._remove_later(released)
        except OSError as error:
            self._on_failure(error)
            raise
        finally:
            self.running = None

    def _remove_later(self, paths: Sequence[str]) -> None:
        def remove() -> None:
            self._removals.discard(timer)
            self._runtime.supervisor.spawn("remove metadata files", self._remove(paths))

        timer = self._runtime.loop.call_later(self._settings.file_delete_delay_ms / 1000, remove)
        self._removals.add(timer)

    async def _remove(self, paths: Sequence[str]) -> None:
        try:
            for path in paths:
                await self._runtime.offload.run(self._files.remove, path)
        except OSError as error:
            self._on_failure(error)
