"""One partition as this broker serves it: leadership, in-sync replicas, high watermark, and who waits for its progress.

The log knows bytes and offsets; a partition knows who may read and write them. Its one rule: every change that a waiting
request could see goes through `_progressed`, so that nobody waits for something that has already happened.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.uuids import Uuid
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.partition_log import AppendInfo, PartitionLog

NO_LEADER = -1


class ProgressWatcher(Protocol):
    """A fetch session or a waiting fetch: told when a partition may have something new for it."""

    def partition_progressed(self, partition: "Partition", visible_bytes: int) -> None: ...


class AckWaiter:
    """A produce that is answered once the records before `offset` are safe."""

    __slots__ = ("callback", "needs_isr", "offset")

    def __init__(
        self, offset: int, needs_isr: bool, callback: Callable[["AckWaiter", ErrorCode], None]
    ) -> None:
        self.offset = offset
        self.needs_isr = needs_isr
        self.callback = callback


class Partition:
    """A replica of one partition on this broker."""

    __slots__ = (
        "_ack_waiters",
        "_announced_bytes",
        "_node_id",
        "_request_flush",
        "_watchers",
        "appended_bytes",
        "appended_records",
        "durable_offset",
        "failed_fetches",
        "failed_produces",
        "fetched_bytes",
        "fetches",
        "follower_end_offsets",
        "index",
        "isr",
        "leader_epoch",
        "leader_id",
        "log",
        "offline_error",
        "partition_epoch",
        "replicas",
        "topic",
        "topic_id",
    )

    def __init__(
        self, log: PartitionLog, node_id: int, request_flush: Callable[[PartitionLog], None]
    ) -> None:
        self.topic: str = log.topic
        self.topic_id: Uuid = log.topic_id
        self.index: int = log.partition
        self.log = log
        self.leader_id = NO_LEADER
        self.leader_epoch = -1
        self.partition_epoch = -1
        self.replicas: list[int] = []
        self.isr: list[int] = []
        # Followers' log ends as their fetches report them; only the leader keeps any.
        self.follower_end_offsets: dict[int, int] = {}
        # Everything before this offset has been synced to disk, or need not be. After a crash what was found in the log
        # may be in the page cache only.
        self.durable_offset = log.recovery_point if log.config.flush_messages == 1 else log.log_end_offset
        self.appended_bytes = 0
        self.appended_records = 0
        self.failed_produces = 0
        self.fetches = 0
        self.failed_fetches = 0
        self.fetched_bytes = 0
        self.offline_error: ErrorCode | None = None
        self._announced_bytes = 0
        self._node_id = node_id
        self._request_flush = request_flush
        self._watchers: dict[ProgressWatcher, None] = {}
        self._ack_waiters: deque[AckWaiter] = deque()

    @property
    def is_leader(self) -> bool:
        return self.leader_id == self._node_id

    # -- leadership -----------------------------------------------------------------------------------------------

    def update_leadership(
        self,
        leader_id: int,
        leader_epoch: int,
        partition_epoch: int,
        replicas: Sequence[int],
        isr: Sequence[int],
    ) -> None:
        """Take over what the committed metadata says of this partition."""
        if partition_epoch < self.partition_epoch:
            return
        new_epoch = leader_epoch != self.leader_epoch
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.replicas = list(replicas)
        self.isr = list(isr)
        if new_epoch:
            self.follower_end_offsets.clear()
            self._fail_waiters(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            if self.is_leader:
                self.log.assign_leader_epoch(leader_epoch)
                if self.durable_offset < self.log.log_end_offset:
                    self._request_flush(self.log)
        self._advance_high_watermark()
        self._progressed(0)

    def check_leader(self, current_leader_epoch: int) -> PartitionLog:
        """The log, if this broker leads the partition in the epoch that the client believes in."""
        if self.offline_error is not None:
            raise ApiError(self.offline_error, f"the log directory of {self.topic}-{self.index} is offline")
        if current_leader_epoch != -1 and current_leader_epoch != self.leader_epoch:
            if current_leader_epoch < self.leader_epoch:
                raise ApiError(ErrorCode.FENCED_LEADER_EPOCH, f"the leader epoch is {self.leader_epoch} now")
            raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH, f"the leader epoch is still {self.leader_epoch}")
        if self.leader_id != self._node_id:
            raise ApiError(
                ErrorCode.NOT_LEADER_OR_FOLLOWER, f"this broker does not lead {self.topic}-{self.index}"
            )
        return self.log

    def check_follower(self, replica_id: int, current_leader_epoch: int) -> None:
        """ApiError if that broker has no replica here; it may know of one that this broker has not heard of yet."""
        if replica_id == self._node_id or replica_id not in self.replicas:
            code = (
                ErrorCode.UNKNOWN_LEADER_EPOCH
                if current_leader_epoch >= 0
                else ErrorCode.NOT_LEADER_OR_FOLLOWER
            )
            raise ApiError(code, f"broker {replica_id} does not follow {self.topic}-{self.index}")

    def go_offline(self, error: ErrorCode) -> None:
        """The log's directory failed: nothing is read or written any more, and whoever waits is told."""
        self.offline_error = error
        self._fail_waiters(error)
        self._progressed(0)

    # -- writing --------------------------------------------------------------------------------------------------

    def append(
        self,
        records: memoryview,
        acks: int,
        now_ms: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
    ) -> AppendInfo:
        """Append a client's batch as the leader; the high watermark follows at once where nothing holds it back."""
        log = self.log
        if self.offline_error is not None or self.leader_id != self._node_id:
            self.check_leader(-1)
        if acks == -1:
            needed = min(log.config.min_insync_replicas, len(self.replicas))
            if len(self.isr) < needed:
                raise ApiError(
                    ErrorCode.NOT_ENOUGH_REPLICAS,
                    f"{len(self.isr)} in-sync replicas, min.insync.replicas wants {needed}",
                )
        info = log.append_as_leader(records, leader_epoch=self.leader_epoch, now_ms=now_ms, origin=origin)
        if not info.duplicate:
            self.appended_bytes += info.bytes
            self.appended_records += info.count
            if log.config.flush_messages == 1:
                self._request_flush(log)
            else:
                self.durable_offset = log.log_end_offset
            self._advance_high_watermark()
        return info

    def is_acknowledged(self, offset: int, needs_isr: bool) -> bool:
        """Whether records before `offset` may be answered: synced as configured and, for acks=all, replicated."""
        return self.log.high_watermark >= offset if needs_isr else self.durable_offset >= offset

    def wait_for_ack(self, waiter: AckWaiter) -> None:
        self._ack_waiters.append(waiter)

    def stop_waiting_for_ack(self, waiter: AckWaiter) -> None:
        if waiter in self._ack_waiters:
            self._ack_waiters.remove(waiter)

    def flushed(self, offset: int) -> None:
        """The log is synced up to `offset`: with flush.messages=1 readers and answers may pass it now."""
        if offset > self.durable_offset:
            self.durable_offset = offset
            self._advance_high_watermark()
            self._release_waiters()

    def follower_fetched(self, replica_id: int, end_offset: int) -> None:
        """A follower's fetch says how far its log reaches."""
        self.follower_end_offsets[replica_id] = end_offset
        self._advance_high_watermark()

    def count_fetch(self, size: int, failed: bool) -> None:
        self.fetches += 1
        self.fetched_bytes += size
        if failed:
            self.failed_fetches += 1

    # -- progress -------------------------------------------------------------------------------------------------

    def watch(self, watcher: ProgressWatcher) -> None:
        self._watchers[watcher] = None

    def unwatch(self, watcher: ProgressWatcher) -> None:
        self._watchers.pop(watcher, None)

    def log_start_moved(self) -> None:
        """DeleteRecords or retention moved the start: readers that wait below it must hear of it."""
        self._progressed(0)

    def _advance_high_watermark(self) -> None:
        if self.leader_id != self._node_id:
            return
        end = self.durable_offset
        if len(self.isr) > 1:
            for replica in self.isr:
                if replica != self._node_id:
                    # An in-sync follower that has not fetched in this epoch holds the watermark where it is.
                    end = min(end, self.follower_end_offsets.get(replica, self.log.high_watermark))
        producers = self.log.producers
        unstable = producers.first_unstable_offset
        if self.log.advance_high_watermark(end):
            visible = self.appended_bytes - self._announced_bytes
            self._announced_bytes = self.appended_bytes
            if unstable is not None and unstable != producers.first_unstable_offset:
                # A transaction ended: readers of committed records see more than these bytes, and must look.
                visible = 0
            if self._ack_waiters:
                self._release_waiters()
            self._progressed(visible)

    def _progressed(self, visible_bytes: int) -> None:
        if self._watchers:
            # A watcher may stop watching when it is told, hence the copy.
            for watcher in list(self._watchers):
                watcher.partition_progressed(self, visible_bytes)

    def _release_waiters(self) -> None:
        still: deque[AckWaiter] = deque()
        released: list[AckWaiter] = []
        for waiter in self._ack_waiters:
            (released if self.is_acknowledged(waiter.offset, waiter.needs_isr) else still).append(waiter)
        self._ack_waiters = still
        for waiter in released:
            waiter.callback(waiter, ErrorCode.NONE)

    def _fail_waiters(self, error: ErrorCode) -> None:
        waiters, self._ack_waiters = self._ack_waiters, deque()
        for waiter in waiters:
            waiter.callback(waiter, error)
