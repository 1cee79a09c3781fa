"""The active controller: decides, appends, replays at once, and answers when the records are committed.

Rules: one decision at a time, since nothing here waits between reading the image and replaying the records; an append that
fails replays nothing; and nobody is told of a state that is not committed yet.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.loader import MetadataLoader
from snakka.metadata.state.activation import activation_records
from snakka.metadata.state.brokers import fence_stale_broker, heartbeat, register_broker, unregister_broker
from snakka.metadata.state.decision import MAX_RECORDS_PER_REQUEST, Decision, check_size
from snakka.metadata.state.heartbeats import BrokerState, Heartbeats
from snakka.metadata.state.leader_balance import balance_leaders, elect_unclean_leaders
from snakka.metadata.state.rules import Caller, ControllerRules
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from snakka.protocol.messages.broker_registration import BrokerRegistrationRequest, BrokerRegistrationResponse
from snakka.protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse
from snakka.raft.driver import RaftDriver
from snakka.raft.listeners import CommittedBatch
from snakka.raft.snapshot_files import SnapshotId
from snakka.runtime import Runtime
from snakka.storage.files import StorageFailure

log = logging.getLogger(__name__)

R = TypeVar("R")

# Requests that wait for a commit at one time; more than these means that the disk does not keep up.
MAX_WAITING = 10_000

# How long the controller waits for a commit of its own making.
_OWN_WORK_SECONDS = 30.0


class _Term(NamedTuple):
    """What there is while this node is the active controller, in one epoch."""

    epoch: int
    image: ClusterImage
    heartbeats: Heartbeats


class Controller:
    """A listener of the metadata log, registered after the loader: its state starts as a copy of the loader's image."""

    def __init__(
        self,
        runtime: Runtime,
        raft: RaftDriver,
        loader: MetadataLoader,
        rules: ControllerRules,
        *,
        session_timeout_ms: int = 9_000,
    ) -> None:
        self.rules = rules
        self._runtime = runtime
        self._raft = raft
        self._loader = loader
        self._session_timeout_ms = session_timeout_ms
        self._term: _Term | None = None
        # The commit of the last append: who waits for it has waited for all before.
        self._last_append: asyncio.Future[None] | None = None
        self._waiting = 0

    @property
    def is_active(self) -> bool:
        return self._term is not None and self._raft.is_leader

    @property
    def heartbeats(self) -> Heartbeats:
        return self._active_term().heartbeats

    async def submit(self, decide: Callable[[ClusterImage], Decision[R]], deadline: float) -> R:
        """Decide now and answer after the commit, when this node's own broker has seen it as well.

        ApiError: the decision's own, NOT_CONTROLLER, or after the deadline, in monotonic seconds, REQUEST_TIMED_OUT; then
        the change may still come true.
        """
        decision, last_offset = self._decide(decide)
        await self._until_visible(last_offset, deadline)
        return decision.response

    async def read(self, query: Callable[[ClusterImage], R], deadline: float) -> R:
        """Answer a question when all that the answer rests on is committed."""
        term = self._active_term()
        answer = query(term.image)
        await self._until_visible(term.image.offset, deadline)
        return answer

    async def register_broker(
        self, request: BrokerRegistrationRequest, caller: Caller, deadline: float
    ) -> BrokerRegistrationResponse:
        heartbeats, now_ms = self.heartbeats, self._now_ms()
        decision, last_offset = self._decide(
            lambda image: register_broker(
                image,
                request,
                caller,
                self.rules,
                heartbeats,
                next_offset=self._raft.log_end_offset,
                now_ms=now_ms,
            )
        )
        broker = self._active_term().image.brokers.by_id[request.broker_id]
        heartbeats.register(broker.id, broker.epoch, broker.fenced, now_ms)
        await self._until_visible(last_offset, deadline)
        return decision.response

    async def broker_heartbeat(
        self, request: BrokerHeartbeatRequest, deadline: float
    ) -> BrokerHeartbeatResponse:
        heartbeats = self.heartbeats
        decision, last_offset = self._decide(lambda image: heartbeat(image, request, self.rules, heartbeats))
        response, state = decision.response
        heartbeats.touch(
            request.broker_id,
            fenced=state.fenced,
            metadata_offset=request.current_metadata_offset,
            now_ms=self._now_ms(),
        )
        if state is BrokerState.CONTROLLED_SHUTDOWN:
            heartbeats.begin_shutdown(request.broker_id, last_offset)
        elif state is BrokerState.SHUTDOWN_NOW:
            heartbeats.end(request.broker_id)
        await self._until_visible(last_offset, deadline)
        return response

    async def unregister_broker(
        self, request: UnregisterBrokerRequest, deadline: float
    ) -> UnregisterBrokerResponse:
        decision, last_offset = self._decide(lambda image: unregister_broker(image, request, self.rules))
        self.heartbeats.remove(request.broker_id)
        await self._until_visible(last_offset, deadline)
        return decision.response

    async def fence_stale_brokers(self) -> None:
        """Periodic: brokers that were silent for a session lose their leaderships, one broker at a time."""
        if not self.is_active:
            return
        heartbeats = self.heartbeats
        for broker_id in heartbeats.stale(self._now_ms()):
            log.warning("broker %d is fenced: nothing was heard of it for its whole session", broker_id)
            decide = partial(fence_stale_broker, rules=self.rules, broker_id=broker_id)
            _, last_offset = self._decide(decide)
            heartbeats.fence(broker_id)
            await self._until_visible(last_offset, self._own_deadline())

    async def balance_leaders(self) -> None:
        """Periodic: leadership goes back to the preferred replicas."""
        await self._repeat(balance_leaders)

    async def elect_unclean_leaders(self) -> None:
        """Periodic: where topics allow it, a partition without a leader gets one that may lack records."""
        await self._repeat(elect_unclean_leaders)

    def handle_snapshot(self, snapshot: SnapshotId, records: Iterator[Message]) -> None:
        """The loader has it."""

    def handle_commit(self, batch: CommittedBatch) -> None:
        """Was replayed here when it was appended; a standby has no state."""

    def handle_leader_change(self, leader_id: int | None, epoch: int) -> None:
        if leader_id != self._raft.node_id:
            if self._term is not None:
                log.info("this node is no longer the active controller")
            self._term = None
        elif self._term is None or self._term.epoch != epoch:
            self._activate(epoch)

    def _activate(self, epoch: int) -> None:
        """Everything that was committed is in the loader's image; nothing else counts."""
        image = self._loader.image.copy()
        heartbeats = Heartbeats(self._session_timeout_ms)
        heartbeats.start(image.brokers.by_id.values(), self._raft.node_id, self._now_ms())
        term = self._term = _Term(epoch, image, heartbeats)
        # An append of an earlier term may have failed with it; all that this term starts from is committed.
        self._last_append = None
        is_new = image.features.metadata_version is None
        bootstrap = self._raft.read_bootstrap_records() if is_new else []
        self._append(term, activation_records(image, bootstrap, self.rules))
        log.info(
            "this node is the active controller in epoch %d%s", epoch, " of a new cluster" if is_new else ""
        )

    def _decide(self, decide: Callable[[ClusterImage], Decision[R]]) -> tuple[Decision[R], int]:
        """The decision, replayed, and the last offset of what it saw and wrote."""
        term = self._active_term()
        if self._waiting >= MAX_WAITING:
            raise ApiError(ErrorCode.REQUEST_TIMED_OUT, "Too many changes wait for the metadata log.")
        decision = decide(term.image)
        if decision.atomic:
            check_size(decision.records)
        self._append(term, decision.records)
        return decision, term.image.offset

    def _append(self, term: _Term, records: Sequence[Message]) -> None:
        for start in range(0, len(records), MAX_RECORDS_PER_REQUEST):
            part = records[start : start + MAX_RECORDS_PER_REQUEST]
            try:
                appended = self._raft.append(part, term.image.features.record_versions())
            except StorageFailure as error:
                raise _disk_failed(error) from error
            for record in part:
                term.image.replay(record)
            term.image.offset = appended.last_offset
            self._last_append = appended.committed

    async def _until_visible(self, offset: int, deadline: float) -> None:
        committed = self._last_append
        if committed is not None:
            self._waiting += 1
            try:
                async with asyncio.timeout(deadline - self._runtime.clock.monotonic()):
                    # Many wait for one commit; none of them may cancel it.
                    await asyncio.shield(committed)
            except TimeoutError:
                raise ApiError(
                    ErrorCode.REQUEST_TIMED_OUT, "The change was not committed in time; it may still be."
                ) from None
            except StorageFailure as error:
                raise _disk_failed(error) from error
            finally:
                self._waiting -= 1
        await self._loader.wait_for_offset(offset, deadline)

    async def _repeat(self, decide: Callable[[ClusterImage, ControllerRules], Decision[bool]]) -> None:
        """Rounds of limited size, until one finds nothing more to do."""
        more = self.is_active
        while more and self.is_active:
            more = await self.submit(lambda image: decide(image, self.rules), self._own_deadline())

    def _active_term(self) -> _Term:
        if self._term is None or not self._raft.is_leader:
            raise ApiError(ErrorCode.NOT_CONTROLLER, "This node is not the active controller.")
        return self._term

    def _now_ms(self) -> int:
        """Monotonic: sessions must not end because somebody set the clock."""
        return int(self._runtime.clock.monotonic() * 1000)

    def _own_deadline(self) -> float:
        return self._runtime.clock.monotonic() + _OWN_WORK_SECONDS


def _disk_failed(error: StorageFailure) -> ApiError:
    """For whoever asked. Raft has told the node's owner already, who stops it: another try may find the next one."""
    return ApiError(ErrorCode.NOT_CONTROLLER, f"The metadata log failed: {error}")
