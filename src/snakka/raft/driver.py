"""The edge of the quorum: carries out what the state machine decides, on the event loop, with real files.

An append is written at once and committed by the next sync; appends that come while one runs share the one after it. Rules:
`quorum-state` is on the disk before this node acts on it; nothing counts as committed, and nobody hears of it, before its
sync; and a write or sync that failed ends it all, because what the disk has is not known any more.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.metadata_framing import encode_record
from snakka.protocol.record_types.metadata.no_op_record import NoOpRecord
from snakka.raft import election_file
from snakka.raft.control_batches import build_control_records, epoch_start_messages, remember_quorum
from snakka.raft.listeners import CommittedBatch, ListenerFeed, RaftListener
from snakka.raft.metadata_log import MetadataLog
from snakka.raft.settings import MAX_BATCH_BYTES, RaftSettings
from snakka.raft.snapshot_files import (
    NEWEST_VERSIONS,
    SnapshotId,
    encode_snapshot,
    read_bootstrap,
)
from snakka.raft.snapshot_keeper import SnapshotKeeper
from snakka.raft.state.description import QuorumDescription, describe_quorum
from snakka.raft.state.effects import AdvanceHighWatermark, AppendEpochStart, Effect, PersistElection
from snakka.raft.state.election import ElectionState
from snakka.raft.state.leader import Leader
from snakka.raft.state.node import Moment, Node
from snakka.raft.state.voters import QuorumHistory, Voter, VoterSet
from snakka.runtime import Runtime
from snakka.storage.files import Files, StorageFailure
from snakka.storage.flush_job import FlushJob
from snakka.storage.meta_properties import DataDirectoryError

# More than this waiting for the disk means that it hangs; new decisions are refused until it moves.
MAX_UNCOMMITTED_BYTES = 8 * MAX_BATCH_BYTES
_CLOSE_SECONDS = 5.0


class Appended(NamedTuple):
    """Where records went; `committed` is done when they are committed, and fails if they never will be."""

    first_offset: int
    last_offset: int
    committed: asyncio.Future[None]


class _Uncommitted(NamedTuple):
    batch: CommittedBatch
    committed: asyncio.Future[None]


class RaftDriver:
    """This node's replica of the metadata log. `local` says which voter it is, and where it answers."""

    def __init__(
        self,
        runtime: Runtime,
        files: Files,
        metadata_directory: str,
        *,
        cluster_id: str,
        local: Voter,
        settings: RaftSettings,
        on_fatal: Callable[[BaseException], None],
        static_voters: VoterSet | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.node_id = local.key.node_id
        self.high_watermark = 0
        self._runtime = runtime
        self._files = files
        self._metadata_directory = metadata_directory
        self._settings = settings
        self._on_fatal = on_fatal
        self._node = Node(local, QuorumHistory(static_voters))
        self._log: MetadataLog | None = None
        self._snapshots: SnapshotKeeper | None = None
        self._feeds: list[ListenerFeed] = []
        self._uncommitted: deque[_Uncommitted] = deque()
        self._uncommitted_bytes = 0
        self._sync_wanted = False
        self._sync_running: asyncio.Future[None] | None = None
        self._idle_task: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._closing = False

    # -- what others ask -----------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        return self._node.epoch

    @property
    def leader_id(self) -> int | None:
        return self._node.leader_id

    @property
    def is_leader(self) -> bool:
        return self._node.leader is not None and self._failure is None and not self._closing

    @property
    def kraft_version(self) -> int:
        return self._node.history.kraft_version

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record gets."""
        return 0 if self._log is None else self._log.end_offset

    @property
    def snapshot_is_due(self) -> bool:
        """Whether so much was committed since the last snapshot that the state should be written as a new one."""
        return self._snapshots is not None and self._snapshots.is_due

    def quorum_description(self) -> QuorumDescription:
        """For DescribeQuorum; ApiError if this node does not lead."""
        leader, _ = self._leading()
        return describe_quorum(leader, self._node.history.voters, self._runtime.clock.now_ms())

    def read_bootstrap_records(self) -> list[Message]:
        """What formatting left for the first leader of an empty log. Blocks a little."""
        return read_bootstrap(self._files, self._metadata_directory)

    # -- start and stop ------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Load log and snapshots, take part in the quorum, bring the listeners up to date.

        When it returns this node leads. DataDirectoryError if it cannot, StorageFailure if the disk fails.
        """
        self._log = await self._runtime.offload.run(
            MetadataLog.load, self._files, self._metadata_directory, self._runtime.clock, self._settings
        )
        try:
            await self._take_part(self._log)
        except BaseException:
            self._log.abandon()
            self._log = None
            raise
        self._bring_up_to_date(self._feeds)
        interval_ms = self._settings.idle_interval_ms
        if interval_ms > 0:
            self._idle_task = self._runtime.supervisor.every(
                "metadata no-op records", lambda: interval_ms / 1000, self._append_no_op
            )

    async def _take_part(self, metadata_log: MetadataLog) -> None:
        """Find out who votes, and win the election that this node alone decides."""
        offload = self._runtime.offload
        unsnapshotted = await offload.run(metadata_log.load_quorum, self._node.history)
        self._snapshots = SnapshotKeeper(
            self._runtime, self._files, metadata_log, self._node.history, self._settings, self._fail
        )
        self._snapshots.pace.committed(unsnapshotted)
        self._check_voters()
        election = await offload.run(election_file.read, self._files, metadata_log.directory)
        await self._perform(self._node.start(election, metadata_log.last_epoch, self._moment()))

    def register(self, listener: RaftListener) -> None:
        """Feed a listener from now on. One that comes after the start gets everything before this returns."""
        feed = ListenerFeed(listener)
        self._feeds.append(feed)
        if self.is_leader:
            self._bring_up_to_date([feed])

    async def close(self) -> None:
        """Stop leading; what was appended is committed first, unless the disk failed."""
        self._closing = True
        if self._idle_task is not None:
            self._idle_task.cancel()
        last_words: list[asyncio.Future[None]] = []
        if self._snapshots is not None and self._snapshots.running is not None:
            last_words.append(self._snapshots.running)
        if self._uncommitted:
            last_words.append(self._uncommitted[-1].committed)
        if last_words:
            await asyncio.wait(last_words, timeout=_CLOSE_SECONDS)
        if self._snapshots is not None:
            self._snapshots.close()
        self._node.resign(self._moment())
        metadata_log, self._log = self._log, None
        if metadata_log is not None:
            is_sound = self._failure is None and not self._uncommitted
            self._refuse_uncommitted(ApiError(ErrorCode.NOT_CONTROLLER, "the controller has stopped"))
            await self._runtime.offload.run(metadata_log.close if is_sound else metadata_log.abandon)

    # -- appending -----------------------------------------------------------------------------------------------

    def append(self, records: Sequence[Message], versions: Mapping[int, int] = NEWEST_VERSIONS) -> Appended:
        """Append records as one batch: they are committed together or not at all.

        They are written in their newest versions, but for those whose record keys `versions` names. The offsets are
        final unless the disk fails, so the caller may act on them before the commit, but answer nobody. ApiError if
        this node does not lead or the records are too many; StorageFailure if the disk fails.
        """
        leader, metadata_log = self._leading()
        if not records:
            raise ValueError("there is nothing to append")
        if self._uncommitted_bytes > MAX_UNCOMMITTED_BYTES:
            raise ApiError(ErrorCode.REQUEST_TIMED_OUT, "the disk of the metadata log does not keep up")
        now_ms = self._runtime.clock.now_ms()
        encoded = [
            Record(-1, now_ms, None, encode_record(record, versions.get(record.RECORD_KEY)))
            for record in records
        ]
        batch = build_batch(encoded, base_offset=metadata_log.end_offset, leader_epoch=leader.epoch)
        if len(batch) > MAX_BATCH_BYTES:
            raise ApiError(
                ErrorCode.RECORD_LIST_TOO_LARGE,
                f"{len(records)} records make a batch of {len(batch)} bytes; {MAX_BATCH_BYTES} are possible",
            )
        return self._append_batch(batch, records, leader.epoch, now_ms)

    def _append_batch(
        self, batch: bytearray, records: Sequence[Message], epoch: int, now_ms: int
    ) -> Appended:
        metadata_log, _ = self._opened()
        first_offset = metadata_log.end_offset
        try:
            metadata_log.append(batch, epoch=epoch, now_ms=now_ms)
        except StorageFailure as error:
            self._fail(error)
            raise
        last_offset = metadata_log.end_offset - 1
        committed: asyncio.Future[None] = self._runtime.loop.create_future()
        logged = CommittedBatch(first_offset, last_offset, epoch, now_ms, records, len(batch))
        self._uncommitted.append(_Uncommitted(logged, committed))
        self._uncommitted_bytes += logged.size
        if not self._sync_wanted:
            self._sync_wanted = True
            # Not at once: what else is appended in this turn of the loop shares the sync.
            self._runtime.loop.call_soon(self._start_sync)
        return Appended(first_offset, last_offset, committed)

    def _append_epoch_start(self, start: AppendEpochStart) -> Appended:
        now_ms = self._runtime.clock.now_ms()
        messages = epoch_start_messages(start)
        batch = build_control_records(
            messages, base_offset=self.log_end_offset, epoch=start.epoch, timestamp_ms=now_ms
        )
        remember_quorum(batch, self._node.history)
        return self._append_batch(batch, (), start.epoch, now_ms)

    def _append_no_op(self) -> None:
        """Shows whoever follows the log that its leader lives, and keeps the time in it moving."""
        if self.is_leader:
            # A disk that fails has been told to those who listen for it, and one that is slow gets the next one.
            with suppress(StorageFailure, ApiError):
                self.append([NoOpRecord()])

    # -- committing ----------------------------------------------------------------------------------------------

    def _start_sync(self) -> None:
        if self._sync_running is not None or self._log is None or self._failure is not None:
            return
        self._sync_wanted = False
        job = self._log.flush_job()
        if job is not None:
            self._sync_running = self._runtime.offload.run(job.run)
            self._sync_running.add_done_callback(partial(self._synced, job))

    def _synced(self, job: FlushJob, sync: asyncio.Future[None]) -> None:
        self._sync_running = None
        error = OSError("the sync was cancelled") if sync.cancelled() else sync.exception()
        if error is not None:
            self._fail(error)
            return
        if self._log is None:
            return  # it came back after the driver was closed
        job.done()
        for effect in self._node.log_synced(job.offset):
            if isinstance(effect, AdvanceHighWatermark):
                self._commit(effect.offset)
        if self._sync_wanted:
            self._start_sync()

    def _commit(self, high_watermark: int) -> None:
        metadata_log, keeper = self._opened()
        self.high_watermark = high_watermark
        metadata_log.committed(high_watermark)
        while self._uncommitted and self._uncommitted[0].batch.last_offset < high_watermark:
            batch, committed = self._uncommitted[0]
            # First: a listener that hears of the batch may write the snapshot.
            keeper.pace.committed(batch.size)
            try:
                self._tell_listeners(batch)
            except Exception as error:
                self._fail(error)
                return
            if self._failure is not None:
                return  # a listener appended, and the disk failed
            self._uncommitted.popleft()
            self._uncommitted_bytes -= batch.size
            if not committed.done():
                committed.set_result(None)

    def _tell_listeners(self, batch: CommittedBatch) -> None:
        # One that was registered before the start gets this batch from the log, after what comes before it.
        feeds = [feed for feed in self._feeds if feed.next_offset == batch.base_offset]
        for feed in feeds:
            feed.commit(batch)
        self._tell_leader(feeds)

    def _bring_up_to_date(self, feeds: Sequence[ListenerFeed]) -> None:
        metadata_log, _ = self._opened()
        for feed in feeds:
            feed.catch_up(metadata_log, self.high_watermark)
        self._tell_leader(feeds)

    def _tell_leader(self, feeds: Sequence[ListenerFeed]) -> None:
        """After all have got the records, because a listener that leads may look at what another one has made of them."""
        leader = self._node.leader
        for feed in feeds:
            if leader is not None and (feed.next_offset or 0) > leader.epoch_start_offset:
                feed.leader_is(leader.leader_id, leader.epoch)

    # -- snapshots -----------------------------------------------------------------------------------------------

    def write_snapshot(
        self,
        last_offset: int,
        epoch: int,
        timestamp_ms: int,
        records: Iterable[Message],
        versions: Mapping[int, int] = NEWEST_VERSIONS,
    ) -> Awaitable[None]:
        """Write the state after the record at `last_offset`, which has this epoch and time, and let the past go.

        The records are taken before this returns, so the state may change while the file is written.
        """
        metadata_log, keeper = self._opened()
        snapshot = SnapshotId(last_offset + 1, epoch)
        if not metadata_log.start_offset <= snapshot.end_offset <= self.high_watermark:
            raise ValueError(f"there can be no snapshot at {snapshot.end_offset}")
        history = self._node.history
        batches = encode_snapshot(
            records,
            epoch=epoch,
            last_log_timestamp_ms=timestamp_ms,
            now_ms=self._runtime.clock.now_ms(),
            kraft_version=history.kraft_version_at(last_offset),
            voters=history.voters_at(last_offset),
            versions=versions,
        )
        return keeper.write(snapshot, list(batches))

    # -- the rest ------------------------------------------------------------------------------------------------

    async def _perform(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, PersistElection):
                await self._runtime.offload.run(self._persist, effect.election)
            elif isinstance(effect, AppendEpochStart):
                # As the only voter this node commits it alone; then it leads with everything before it committed.
                await self._append_epoch_start(effect).committed

    def _persist(self, election: ElectionState) -> None:
        history = self._node.history
        metadata_log, _ = self._opened()
        election_file.write(
            self._files,
            metadata_log.directory,
            election,
            kraft_version=history.kraft_version,
            voters=history.voters,
        )

    def _check_voters(self) -> None:
        voters = self._node.history.voters
        local = self._node.local.key
        if not len(voters):
            raise DataDirectoryError(
                f"{self._metadata_directory} names no voters: format it, or set controller.quorum.voters"
            )
        if not voters.is_voter(local):
            raise DataDirectoryError(
                f"{self._metadata_directory} has a quorum of the nodes {', '.join(map(str, voters.ids))},"
                f" and node {local.node_id} with this directory is not one of them"
            )
        if len(voters) > 1:
            raise DataDirectoryError(
                f"{self._metadata_directory} has a quorum of {len(voters)} voters, and more than one cannot be served"
            )

    def _moment(self) -> Moment:
        chance = self._runtime.random
        timeout_ms = self._settings.election_timeout_ms
        timeout_ms += chance.randrange(max(timeout_ms, 1))
        return Moment(self._runtime.clock.now_ms(), timeout_ms, self.log_end_offset)

    def _leading(self) -> tuple[Leader, MetadataLog]:
        leader = self._node.leader
        if leader is None or self._log is None or not self.is_leader:
            raise ApiError(ErrorCode.NOT_CONTROLLER, "this node does not lead the metadata quorum")
        return leader, self._log

    def _opened(self) -> tuple[MetadataLog, SnapshotKeeper]:
        if self._log is None or self._snapshots is None:
            raise RuntimeError("the metadata log is not open")
        return self._log, self._snapshots

    def _fail(self, error: BaseException) -> None:
        """Nothing is committed any more; whoever waits is told, and so is the owner, who stops the node."""
        if self._failure is not None:
            return
        self._failure = error
        self._refuse_uncommitted(error)
        self._on_fatal(error)

    def _refuse_uncommitted(self, error: BaseException) -> None:
        for _, committed in self._uncommitted:
            if not committed.done():
                committed.set_exception(error)
                committed.exception()  # nobody has to have waited for it
        self._uncommitted.clear()
