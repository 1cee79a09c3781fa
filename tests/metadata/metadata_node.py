"""Nodes for tests: one on a real metadata log, one on a log whose commits the test decides."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from cluster_builder import LATEST_LEVELS, FakeSchema, uuid

from snakka.metadata.channel import LocalControllerChannel
from snakka.metadata.controller import Controller
from snakka.metadata.image.brokers import Endpoint
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.delta import Delta
from snakka.metadata.loader import MetadataLoader
from snakka.metadata.publisher import Publishers
from snakka.metadata.registration import BrokerIdentity, BrokerRegistrar
from snakka.metadata.state.rules import Caller, ControllerRules
from snakka.metadata.state.topics import create_topics
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from snakka.protocol.record_types.metadata.feature_level_record import FeatureLevelRecord
from snakka.raft.driver import Appended, RaftDriver
from snakka.raft.format import local_voter, open_node_directories
from snakka.raft.listeners import CommittedBatch
from snakka.raft.settings import RaftSettings
from snakka.raft.state.voters import Endpoint as VoterEndpoint
from snakka.runtime import InlineOffload, Runtime
from snakka.storage.files import OsFiles

NODE_ID = 1
CLUSTER_ID = "test-cluster"


class RecordingPublisher:
    """Remembers names of topics and how often it was told something."""

    def __init__(self) -> None:
        self.created: list[str] = []
        self.calls = 0
        self.changed = asyncio.Event()

    def publish(self, delta: Delta, image: ClusterImage) -> None:
        self.calls += 1
        self.changed.set()
        self.created += [image.topics.by_id[topic_id].name for topic_id in delta.created_topics]


@dataclass
class MetadataNode:
    """The metadata side of one broker that is its own controller."""

    runtime: Runtime
    raft: "RaftDriver | HeldRaft"
    loader: MetadataLoader
    controller: Controller
    registrar: BrokerRegistrar
    publisher: RecordingPublisher
    fatal: list[BaseException] = field(default_factory=list)

    def soon(self, seconds: float = 10.0) -> float:
        return self.runtime.clock.monotonic() + seconds

    async def until(self, condition: Callable[[ClusterImage], bool]) -> None:
        """Wait for the committed image to be as it should be."""
        async with asyncio.timeout(10):
            while not condition(self.loader.image):
                self.publisher.changed.clear()
                await self.publisher.changed.wait()

    async def up(self) -> None:
        await self.loader.wait_until_caught_up(self.soon())
        await self.registrar.register(self.soon())
        await self.registrar.unfence(self.soon())

    async def create_topic(self, name: str, partitions: int = 1, **fields: float) -> CreateTopicsResponse:
        topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=-1)
        request = CreateTopicsRequest(topics=[topic])
        return await self.controller.submit(
            lambda image: create_topics(
                image,
                request,
                Caller(7),
                self.controller.rules,
                self.controller.heartbeats,
                self.runtime.random,
            ),
            self.soon(fields.get("seconds", 10.0)),
        )


def build(
    runtime: Runtime, raft: "RaftDriver | HeldRaft", cluster_id: str, **identity: object
) -> MetadataNode:
    publisher = RecordingPublisher()
    loader = MetadataLoader(runtime, raft, Publishers([publisher]))
    rules = ControllerRules(node_id=NODE_ID, cluster_id=cluster_id, schema=FakeSchema())
    controller = Controller(runtime, raft, loader, rules, session_timeout_ms=9_000)
    registrar = BrokerRegistrar(
        runtime,
        LocalControllerChannel(controller),
        BrokerIdentity(
            NODE_ID, cluster_id, {"PLAINTEXT": Endpoint("localhost", 9092, 0)}, (uuid(100),), **identity
        ),
        metadata_offset=lambda: loader.offset,
    )
    # The order matters: the controller starts from the loader's image.
    raft.register(loader)
    raft.register(controller)
    return MetadataNode(runtime, raft, loader, controller, registrar, publisher)


@asynccontextmanager
async def real_node(
    directory: str, *, settings: RaftSettings | None = None, **identity: object
) -> AsyncIterator[MetadataNode]:
    """On real files, in threads, as in a broker."""
    files = OsFiles()
    runtime = Runtime(asyncio.get_running_loop(), chance=random.Random(5))
    endpoint = VoterEndpoint("CONTROLLER", "127.0.0.1", 19393)
    directories = open_node_directories(
        files,
        runtime.random,
        log_directories=[directory],
        metadata_directory=None,
        node_id=NODE_ID,
        endpoints=[endpoint],
        may_format=True,
        now_ms=runtime.clock.now_ms(),
    )
    fatal: list[BaseException] = []
    raft = RaftDriver(
        runtime,
        files,
        directory,
        cluster_id=directories.cluster_id,
        local=local_voter(NODE_ID, directories.metadata.directory_id, [endpoint]),
        settings=settings or RaftSettings(idle_interval_ms=0),
        on_fatal=fatal.append,
    )
    node = build(runtime, raft, directories.cluster_id, **identity)
    node.fatal = fatal
    try:
        await raft.start()
        yield node
    finally:
        await node.registrar.close()
        await raft.close()
        directories.release()
        await runtime.close()


class HeldRaft:
    """A metadata log in memory that commits when the test says so; the leadership is the test's as well."""

    def __init__(self) -> None:
        self.node_id = NODE_ID
        self.cluster_id = CLUSTER_ID
        self.epoch = 1
        self.is_leader = False
        self.high_watermark = 0
        self.log_end_offset = 0
        self.snapshot_is_due = False
        self.snapshots: list[tuple[int, list[Message]]] = []
        self.versions: list[Mapping[int, int]] = []
        self.auto_commit = False
        self.failure: ApiError | OSError | None = None
        self._listeners: list = []
        self._held: list[tuple[CommittedBatch, asyncio.Future[None]]] = []

    def register(self, listener: object) -> None:
        self._listeners.append(listener)

    def read_bootstrap_records(self) -> list[Message]:
        return [FeatureLevelRecord(name=name, feature_level=level) for name, level in LATEST_LEVELS]

    def append(self, records: Sequence[Message], versions: Mapping[int, int]) -> Appended:
        if self.failure is not None:
            raise self.failure
        first, last = self.log_end_offset, self.log_end_offset + len(records) - 1
        self.log_end_offset = last + 1
        self.versions.append(versions)
        batch = CommittedBatch(first, last, self.epoch, 1_000 + first, list(records), 100)
        committed = asyncio.get_running_loop().create_future()
        self._held.append((batch, committed))
        if self.auto_commit:
            asyncio.get_running_loop().call_soon(self.commit)
        return Appended(first, last, committed)

    def commit(self, count: int | None = None) -> None:
        batches, self._held = self._held[:count], self._held[len(self._held) if count is None else count :]
        for batch, committed in batches:
            self.high_watermark = batch.last_offset + 1
            for listener in self._listeners:
                listener.handle_commit(batch)
            committed.set_result(None)

    def write_snapshot(
        self, last_offset: int, epoch: int, timestamp_ms: int, records: Iterable[Message], versions: Mapping
    ) -> None:
        self.snapshots.append((last_offset, list(records)))

    def lead(self) -> None:
        """Win: the first batch of the epoch is committed, then everybody is told."""
        self.is_leader = True
        self.append([], {})
        self.log_end_offset += 1
        batch, committed = self._held.pop()
        batch = batch._replace(last_offset=batch.base_offset)
        self._held.append((batch, committed))
        self.commit()
        for listener in self._listeners:
            listener.handle_leader_change(NODE_ID, self.epoch)

    def fail(self, failure: OSError) -> None:
        """The disk does not work any more: what waits for it is told, and nothing is appended."""
        self.failure = failure
        for _, committed in self._held:
            committed.set_exception(failure)
        self._held.clear()

    def lose(self, to: int = 2) -> None:
        """What was not committed never will be."""
        self.is_leader = False
        self.epoch += 1
        for _, committed in self._held:
            committed.set_exception(ApiError(ErrorCode.NOT_CONTROLLER, "lost"))
            committed.exception()
        self._held.clear()
        self.log_end_offset = self.high_watermark
        for listener in self._listeners:
            listener.handle_leader_change(to, self.epoch)


@asynccontextmanager
async def held_node() -> AsyncIterator[MetadataNode]:
    loop = asyncio.get_running_loop()
    runtime = Runtime(loop, chance=random.Random(5), offload=InlineOffload(loop))
    node = build(runtime, HeldRaft(), CLUSTER_ID)
    try:
        yield node
    finally:
        await node.registrar.close()
        await runtime.close()
