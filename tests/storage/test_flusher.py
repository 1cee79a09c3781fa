"""Syncs go to threads in groups, once for each log, and never again after a failure."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from log_workshop import NOW_MS, ManualClock, append, batch_of
from manager_workshop import running, simulated_disk, until

from snakka.runtime import Runtime
from snakka.storage.files import Files, OsFile, OsFiles
from snakka.storage.flusher import (
    SWEEP_SECONDS_BUSY,
    SWEEP_SECONDS_QUIET,
    WRITE_BACK_BYTES,
    Flusher,
)
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulated_files import Fault


def make_log(
    files: Files, directory: str, partition: int = 0, config: LogConfig | None = None
) -> PartitionLog:
    return PartitionLog.open(
        f"{directory}/t-{partition}",
        topic="t",
        partition=partition,
        topic_id=bytes(15) + b"\x99",
        files=files,
        clock=ManualClock(),
        config=config or LogConfig(),
        clean_shutdown=False,
    )


class Watch:
    """A flusher with a record of what it told."""

    def __init__(self, runtime: Runtime) -> None:
        self.flushed: list[tuple[int, int]] = []
        self.failed: list[str] = []
        self.flusher = Flusher(runtime, lambda path, _: self.failed.append(path))
        self.flusher.on_flushed.append(lambda log, offset: self.flushed.append((log.partition, offset)))


class GatedFiles(OsFiles):
    """Syncs of log files wait for the gate, and are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.reached = threading.Event()
        self.syncs = 0

    def open(self, path: str, *, create: bool = False, size: int | None = None) -> OsFile:
        file = super().open(path, create=create, size=size)
        if path.endswith(".log"):
            file.__class__ = _GatedFile
        return file


class _GatedFile(OsFile):
    __slots__ = ()

    def prepare_sync(self) -> Callable[[], None]:
        sync = super().prepare_sync()
        files = self._files
        assert isinstance(files, GatedFiles)

        def gated() -> None:
            files.reached.set()
            assert files.gate.wait(10)
            files.syncs += 1
            sync()

        return gated


async def test_what_is_asked_for_while_a_sync_runs_shares_the_next_one(tmp_path: Path) -> None:
    files = GatedFiles()
    async with running() as runtime:
        watch = Watch(runtime)
        log = make_log(files, str(tmp_path))
        append(log, batch_of(2))
        watch.flusher.flush_soon(log)
        await until(files.reached.is_set)
        for _ in range(20):
            append(log, batch_of(1))
            watch.flusher.flush_soon(log)
        assert watch.flushed == []
        assert log.recovery_point == 0
        files.gate.set()
        await watch.flusher.drain()
        assert watch.flushed == [(0, 2), (0, 22)]
        assert files.syncs == 2
        assert log.recovery_point == 22


async def test_all_logs_of_a_turn_of_the_loop_go_together(tmp_path: Path) -> None:
    files = OsFiles()
    async with running() as runtime:
        watch = Watch(runtime)
        logs = [make_log(files, str(tmp_path), partition) for partition in range(5)]
        for log in logs:
            append(log, batch_of(3))
            watch.flusher.flush_soon(log)
        await watch.flusher.drain()
        assert watch.flushed == [(partition, 3) for partition in range(5)]


async def test_a_flush_asked_by_a_listener_is_served(tmp_path: Path) -> None:
    async with running() as runtime:
        watch = Watch(runtime)
        log = make_log(OsFiles(), str(tmp_path))

        def once_more(flushed: PartitionLog, offset: int) -> None:
            if offset < 3:
                append(flushed, batch_of(1))
                watch.flusher.flush_soon(flushed)

        watch.flusher.on_flushed.append(once_more)
        append(log, batch_of(1))
        watch.flusher.flush_soon(log)
        await until(lambda: log.recovery_point == 3)
        assert watch.flushed == [(0, 1), (0, 2), (0, 3)]


async def test_truncation_under_a_sync_lowers_what_is_safe(tmp_path: Path) -> None:
    files = GatedFiles()
    async with running() as runtime:
        watch = Watch(runtime)
        log = make_log(files, str(tmp_path))
        for _ in range(4):
            append(log, batch_of(1))
        watch.flusher.flush_soon(log)
        await until(files.reached.is_set)
        log.truncate_to(1)
        files.gate.set()
        await watch.flusher.drain()
        assert watch.flushed == [(0, 1)]


async def test_a_failed_sync_is_told_once_and_never_tried_again() -> None:
    disk = simulated_disk("/d")
    disk.make_directory("/d")
    async with running(inline=True, clock=ManualClock()) as runtime:
        watch = Watch(runtime)
        log = make_log(disk, "/d")
        append(log, batch_of(1))
        disk.faults.append(Fault("sync", errno.EIO, ".log"))
        watch.flusher.flush_soon(log)
        await watch.flusher.drain()
        assert (watch.failed, watch.flushed) == (["/d"], [])
        append(log, batch_of(1))
        watch.flusher.flush_soon(log)
        await watch.flusher.drain()
        assert (watch.failed, watch.flushed, log.recovery_point) == (["/d"], [], 0)


async def test_a_log_deleted_under_its_sync_takes_no_directory_offline(tmp_path: Path) -> None:
    files = GatedFiles()
    async with running() as runtime:
        watch = Watch(runtime)
        doomed, other = make_log(files, str(tmp_path), 0), make_log(files, str(tmp_path), 1)
        for log in (doomed, other):
            log.assign_leader_epoch(1)
            append(log, batch_of(1), leader_epoch=1)
            watch.flusher.flush_soon(log)
        await until(files.reached.is_set)
        files.rename(doomed.directory, str(tmp_path / "t-0.gone-delete"))
        watch.flusher.forget(doomed)
        files.gate.set()
        await watch.flusher.drain()
        assert (watch.failed, watch.flushed) == ([], [(1, 1)])


async def test_drain_has_a_deadline(tmp_path: Path) -> None:
    files = GatedFiles()
    async with running() as runtime:
        watch = Watch(runtime)
        log = make_log(files, str(tmp_path))
        append(log, batch_of(1))
        watch.flusher.flush_soon(log)
        with pytest.raises(TimeoutError):
            await watch.flusher.drain(0.05)
        files.gate.set()
        await watch.flusher.drain()


@pytest.mark.parametrize(
    ("config", "records", "age_ms", "wanted"),
    [
        (LogConfig(), 100, 10**9, False),
        (LogConfig(flush_ms=1000), 1, 999, False),
        (LogConfig(flush_ms=1000), 1, 1000, True),
        (LogConfig(flush_messages=10), 9, 0, False),
        (LogConfig(flush_messages=10), 10, 0, True),
    ],
)
async def test_the_sweep_follows_the_configs(
    tmp_path: Path, config: LogConfig, records: int, age_ms: int, wanted: bool
) -> None:
    async with running() as runtime:
        watch = Watch(runtime)
        log = make_log(OsFiles(), str(tmp_path), config=config)
        append(log, batch_of(records))
        watch.flusher.sweep([log], NOW_MS + age_ms)
        await watch.flusher.drain()
        assert watch.flushed == ([(0, records)] if wanted else [])


async def test_the_sweep_writes_back_in_portions(tmp_path: Path) -> None:
    async with running(clock=ManualClock()) as runtime:
        watch = Watch(runtime)
        log = make_log(OsFiles(), str(tmp_path))
        assert watch.flusher.sweep_interval_seconds() == SWEEP_SECONDS_QUIET
        batch = batch_of(1, size=1_000_000)
        for _ in range(2 * WRITE_BACK_BYTES // len(batch) + 2):
            append(log, bytearray(batch))
            watch.flusher.sweep([log], NOW_MS)
            await watch.flusher.drain()
        assert [offset for _, offset in watch.flushed] == [9, 18]
        assert watch.flusher.sweep_interval_seconds() == SWEEP_SECONDS_BUSY


async def test_the_sweep_syncs_a_log_that_has_rolled(tmp_path: Path) -> None:
    async with running() as runtime:
        watch = Watch(runtime)
        log = make_log(OsFiles(), str(tmp_path))
        append(log, batch_of(5))
        log.roll()
        append(log, batch_of(1))
        watch.flusher.sweep([log], NOW_MS)
        await watch.flusher.drain()
        assert log.recovery_point == 6
        append(log, batch_of(1))
        watch.flusher.sweep([log], NOW_MS)
        await watch.flusher.drain()
        assert log.recovery_point == 6
