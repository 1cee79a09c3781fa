"""A node of its own quorum for tests: formatted directories, a driver, and a listener that remembers."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.raft.driver import RaftDriver
from snakka.raft.format import local_voter, open_node_directories
from snakka.raft.listeners import CommittedBatch
from snakka.raft.settings import RaftSettings
from snakka.raft.snapshot_files import SnapshotId
from snakka.raft.state.voters import Endpoint
from snakka.runtime import InlineOffload, Runtime
from snakka.storage.files import Files

ENDPOINT = Endpoint("CONTROLLER", "127.0.0.1", 19393)
QUIET = RaftSettings(idle_interval_ms=0)


class SettableClock:
    """Time that moves when a test says so."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000


@dataclass
class RecordingListener:
    """Keeps names of topics as the state, and everything that it was told."""

    names: list[str] = field(default_factory=list)
    snapshots: list[SnapshotId] = field(default_factory=list)
    batches: list[CommittedBatch] = field(default_factory=list)
    leaders: list[tuple[int | None, int]] = field(default_factory=list)

    def handle_snapshot(self, snapshot: SnapshotId, records: Iterator[Message]) -> None:
        self.names = [record.name for record in records if isinstance(record, TopicRecord)]
        self.snapshots.append(snapshot)

    def handle_commit(self, batch: CommittedBatch) -> None:
        self.batches.append(batch)
        self.names += [record.name for record in batch.records if isinstance(record, TopicRecord)]

    def handle_leader_change(self, leader_id: int | None, epoch: int) -> None:
        self.leaders.append((leader_id, epoch))


@dataclass
class RunningNode:
    """A started driver, its listener, and what it reported as fatal."""

    runtime: Runtime
    driver: RaftDriver
    listener: RecordingListener
    fatal: list[BaseException]
    failed: asyncio.Event

    async def create(self, *names: str) -> None:
        await self.driver.append(topics(*names)).committed

    async def snapshot(self) -> None:
        last = self.listener.batches[-1]
        await self.driver.write_snapshot(
            last.last_offset, last.epoch, last.timestamp_ms, topics(*self.listener.names)
        )


def topics(*names: str) -> list[TopicRecord]:
    return [TopicRecord(name=name, topic_id=name.encode().ljust(16, b"\0")[:16]) for name in names]


@asynccontextmanager
async def running_node(
    files: Files,
    directory: str,
    *,
    settings: RaftSettings = QUIET,
    clock: SettableClock | None = None,
    endpoint: Endpoint = ENDPOINT,
    threads: bool = False,
    listeners: Sequence[RecordingListener] = (),
):
    """Format if need be, start, and close in the end. With `threads` syncs happen elsewhere, as in a broker."""
    loop = asyncio.get_running_loop()
    clock = clock or SettableClock()
    offload = None if threads else InlineOffload(loop)
    runtime = Runtime(loop, clock=clock, chance=random.Random(7), offload=offload)
    directories = open_node_directories(
        files,
        runtime.random,
        log_directories=[directory],
        metadata_directory=None,
        node_id=1,
        endpoints=[endpoint],
        may_format=True,
        now_ms=clock.now_ms(),
    )
    fatal: list[BaseException] = []
    failed = asyncio.Event()

    def fail(error: BaseException) -> None:
        fatal.append(error)
        failed.set()

    driver = RaftDriver(
        runtime,
        files,
        directory,
        cluster_id=directories.cluster_id,
        local=local_voter(1, directories.metadata.directory_id, [endpoint]),
        settings=settings,
        on_fatal=fail,
    )
    listener = RecordingListener()
    for one in (*listeners, listener):
        driver.register(one)
    try:
        await driver.start()
        yield RunningNode(runtime, driver, listener, fatal, failed)
    finally:
        await driver.close()
        directories.release()
        await runtime.close()
