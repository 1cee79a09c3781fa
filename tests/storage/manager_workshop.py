"""What the tests of the log manager share: brokers' storage that starts, stops and crashes in one line."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from log_workshop import ManualClock

from snakka.protocol.uuids import Uuid
from snakka.runtime import InlineOffload, Runtime
from snakka.storage.files import Files, OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.log_directory import open_data_directories
from snakka.storage.log_manager import LogManager
from snakka.testing.simulated_files import SimulatedFiles

CONFIG = LogConfig(file_delete_delay_ms=0)


def topic_id(number: int) -> Uuid:
    return (number + 1_000_000).to_bytes(16, "big")


@asynccontextmanager
async def running(*, inline: bool = False, clock: ManualClock | None = None) -> AsyncIterator[Runtime]:
    """A runtime with real threads, or with none."""
    loop = asyncio.get_running_loop()
    runtime = Runtime(loop, clock=clock, offload=InlineOffload(loop) if inline else None)
    try:
        yield runtime
    finally:
        await runtime.close()


async def open_manager(
    runtime: Runtime,
    *paths: str,
    files: Files | None = None,
    config: LogConfig = CONFIG,
    seed: int = 1,
    node_id: int = 1,
    metadata_directory: str | None = None,
) -> LogManager:
    """All logs of a node's directories, opened."""
    files = files or OsFiles(paths)
    directories = open_data_directories(
        files,
        random.Random(seed),
        log_directories=paths,
        metadata_directory=metadata_directory,
        node_id=node_id,
    )
    manager = LogManager(files, runtime, directories.logs, config_for=lambda _: config)
    await manager.open_all()
    return manager


def simulated_disk(*paths: str) -> SimulatedFiles:
    return SimulatedFiles(paths)


async def until(condition: Callable[[], bool], deadline_seconds: float = 10.0) -> None:
    """Wait for something that threads or timers bring about."""
    async with asyncio.timeout(deadline_seconds):
        while not condition():  # noqa: ASYNC110 - a file system has no event to wait for
            await asyncio.sleep(0.002)
