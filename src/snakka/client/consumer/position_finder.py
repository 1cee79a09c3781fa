"""Finds the positions of assigned partitions: where the group has committed, else where auto.offset.reset says.

Rule: it asks in the background, one request for each broker, and the partitions of one broker never wait for another's.
What the application must decide is handed to it as an error.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import NamedTuple

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.delivery import Delivery
from snakka.client.consumer.messages import OffsetAndMetadata, OffsetAndTimestamp
from snakka.client.consumer.offset_lookup import OffsetLookup
from snakka.client.consumer.positions import EARLIEST, LATEST, AssignedPartition, Phase, Truncation
from snakka.client.errors import (
    ClientError,
    LogTruncatedError,
    NoOffsetError,
    OffsetOutOfRangeError,
)
from snakka.client.retry_policy import RETRIABLE, is_retriable
from snakka.client.setting_names import parse_duration_ms
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.runtime.clock import Clock

Committed = Callable[[Collection[TopicPartition]], Awaitable[Mapping[TopicPartition, OffsetAndMetadata]]]


class ResetRule(NamedTuple):
    """auto.offset.reset."""

    text: str

    def timestamp(self, clock: Clock) -> int | None:
        """The time to begin at; None if nothing may be chosen."""
        if self.text == "none":
            return None
        if self.text in ("earliest", "latest"):
            return EARLIEST if self.text == "earliest" else LATEST
        duration_ms = parse_duration_ms(self.text.removeprefix("by_duration:"))
        assert duration_ms is not None  # the settings have been checked
        return max(clock.now_ms() - duration_ms, 0)


class PositionFinder:
    """`poke` after anything has changed; `on_found` hears of partitions that can be fetched."""

    def __init__(
        self,
        cluster: ClusterView,
        lookup: OffsetLookup,
        assignment: Mapping[TopicPartition, AssignedPartition],
        delivery: Delivery,
        reset_rule: ResetRule,
        on_found: Callable[[], None],
    ) -> None:
        self.committed: Committed | None = None  # asks the group's coordinator, if there is a group
        self._cluster = cluster
        self._lookup = lookup
        self._assignment = assignment
        self._delivery = delivery
        self._reset_rule = reset_rule
        self._on_found = on_found
        self._timer: asyncio.TimerHandle | None = None

    def poke(self) -> None:
        """Begin to look for all positions that are missing."""
        now = self._cluster.clock.monotonic()
        later: list[float] = []
        new: dict[TopicPartition, AssignedPartition] = {}
        by_time: dict[int, list[AssignedPartition]] = {}
        by_epoch: dict[int, list[AssignedPartition]] = {}
        for partition, assigned in self._assignment.items():
            if assigned.phase is Phase.READY or assigned.is_looked_up or assigned.has_failed:
                continue
            if assigned.not_before > now:
                later.append(assigned.not_before)
                continue
            if assigned.phase is Phase.NEW:
                if self.committed is not None:
                    new[partition] = assigned
                    continue
                self.reset(assigned)
                if assigned.has_failed:
                    continue
            leader = self._leader(partition)
            if leader is None:
                continue  # what is known of the cluster is being asked for: that pokes again
            groups = by_time if assigned.phase is Phase.RESETTING else by_epoch
            groups.setdefault(leader, []).append(assigned)
        if new:
            self._spawn("the group's offsets", list(new.values()), partial(self._from_group, new))
        for node_id, group in by_time.items():
            self._spawn(f"offsets at broker {node_id}", group, partial(self._from_time, node_id, group))
        for node_id, group in by_epoch.items():
            self._spawn(f"epochs at broker {node_id}", group, partial(self._from_epoch, node_id, group))
        self._poke_at(min(later, default=None))

    def reset(self, assigned: AssignedPartition, error: Exception | None = None) -> None:
        """Choose a position as auto.offset.reset says; if it forbids that the application gets the error."""
        timestamp = self._reset_rule.timestamp(self._cluster.clock)
        if timestamp is not None:
            assigned.seek_to_time(timestamp)
            return
        self._delivery.fail(
            error
            or NoOffsetError(
                f"nothing is committed for {assigned.partition}, and auto.offset.reset=none: seek, or choose another"
            ),
            assigned,
        )

    def out_of_range(self, assigned: AssignedPartition) -> None:
        """The log has no such offset, or not any more."""
        if self._reset_rule.text != "none":
            self.reset(assigned)
        else:
            assigned.waits_for_application = True
            self._spawn("the ends of a log", [assigned], partial(self._tell_range, assigned))

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    # -- asking ---------------------------------------------------------------------------------------------------

    def _leader(self, partition: TopicPartition) -> int | None:
        view = self._cluster.partition(*partition)
        return view.leader_id if view is not None and view.leader_id in self._cluster.brokers else None

    def _spawn(self, what: str, group: list[AssignedPartition], work: Callable[[], Awaitable[None]]) -> None:
        for assigned in group:
            assigned.is_looked_up = True
        self._cluster.pool.tasks.spawn(what, self._guarded(group, work))

    async def _guarded(self, group: list[AssignedPartition], work: Callable[[], Awaitable[None]]) -> None:
        """Do it; what fails as a whole is tried again, or is for the application to know."""
        try:
            await work()
        except (ApiError, ClientError) as error:
            for assigned in group:
                self._failed(assigned, error)
        finally:
            for assigned in group:
                assigned.is_looked_up = False
        self._on_found()
        self.poke()

    def _failed(self, assigned: AssignedPartition, error: ApiError | ClientError) -> None:
        if self._assignment.get(assigned.partition) is not assigned:
            return  # nobody reads it any more
        if is_retriable(error):
            self._cluster.refresh_soon()
            assigned.postpone(self._cluster.clock.monotonic(), self._cluster.backoff)
        else:
            self._delivery.fail(error, assigned)

    def _refused(self, assigned: AssignedPartition, code: ErrorCode) -> None:
        error = ApiError(code, f"asking for an offset of {assigned.partition}")
        if code in RETRIABLE:
            self._failed(assigned, error)
        else:
            self._delivery.fail(error, assigned)

    async def _from_group(self, group: Mapping[TopicPartition, AssignedPartition]) -> None:
        fences = {partition: assigned.fence for partition, assigned in group.items()}
        assert self.committed is not None
        committed = await self.committed(group.keys())
        for partition, assigned in group.items():
            if assigned.fence != fences[partition] or assigned.phase is not Phase.NEW:
                continue  # somebody has sought meanwhile
            found = committed.get(partition)
            if found is None:
                self.reset(assigned)
            else:
                assigned.seek(found.offset, found.leader_epoch)
                assigned.committed = found.offset

    async def _from_time(self, node_id: int, group: list[AssignedPartition]) -> None:
        fences = {assigned.partition: assigned.fence for assigned in group}
        wanted = {assigned.partition: assigned.reset_timestamp for assigned in group}
        answers = await self._lookup.by_time(node_id, wanted, self._deadline)
        for assigned in group:
            answer = answers.get(assigned.partition, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            if assigned.fence != fences[assigned.partition] or assigned.phase is not Phase.RESETTING:
                continue
            if isinstance(answer, OffsetAndTimestamp):
                if answer.offset < 0:
                    assigned.seek_to_time(LATEST)  # there is no record of that time or later yet
                else:
                    self._delivery.drop(assigned)
                    assigned.found(answer.offset, answer.leader_epoch)
            else:
                self._refused(assigned, answer)

    async def _from_epoch(self, node_id: int, group: list[AssignedPartition]) -> None:
        fences = {assigned.partition: assigned.fence for assigned in group}
        wanted = {assigned.partition: assigned.fetch_epoch for assigned in group}
        views = {each: self._cluster.partition(*each) for each in wanted}
        answers = await self._lookup.by_epoch(node_id, wanted, self._deadline)
        for assigned in group:
            answer = answers.get(assigned.partition, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            if assigned.fence != fences[assigned.partition] or assigned.phase is not Phase.VALIDATING:
                continue
            if isinstance(answer, ErrorCode):
                self._refused(assigned, answer)
                continue
            # That of the leader who was asked: there may be another one meanwhile, who must be asked too.
            view = views[assigned.partition]
            self._take_epoch(assigned, -1 if view is None else view.leader_epoch, *answer)

    def _take_epoch(
        self, assigned: AssignedPartition, leader_epoch: int, end_epoch: int, end_offset: int
    ) -> None:
        self._delivery.settle()
        fence = assigned.fence
        truncation = assigned.validated(leader_epoch, end_epoch, end_offset)
        if assigned.fence != fence or truncation is not None:
            self._delivery.drop(assigned)
        if truncation is not None:
            self._truncated(assigned, truncation, end_epoch)

    def _truncated(self, assigned: AssignedPartition, truncation: Truncation, end_epoch: int) -> None:
        """Records that the application has seen are not there any more: an unclean election."""
        if self._reset_rule.text != "none" and truncation.end_offset >= 0:
            assigned.truncated(end_epoch, truncation.end_offset)
            return
        until = f" from {truncation.end_offset} on" if truncation.end_offset >= 0 else ""
        self.reset(
            assigned,
            LogTruncatedError(
                f"{assigned.partition} has lost records{until} that were read before, up to {truncation.position}:"
                " undo what they did if that matters, then seek"
            ),
        )

    async def _tell_range(self, assigned: AssignedPartition) -> None:
        fence = assigned.fence
        ends = [
            (await self._lookup.everywhere({assigned.partition: each}, self._deadline))[
                assigned.partition
            ].offset
            for each in (EARLIEST, LATEST)
        ]
        if assigned.fence != fence:
            return  # somebody has sought meanwhile, or it is not read any more
        self._delivery.fail(
            OffsetOutOfRangeError(
                f"{assigned.partition} has the offsets {ends[0]} to {ends[1]}, not {assigned.fetch_offset}, and"
                " auto.offset.reset=none: seek to one of them"
            ),
            assigned,
        )
        assigned.waits_for_application = False

    @property
    def _deadline(self) -> float:
        return self._cluster.clock.monotonic() + self._cluster.settings.request_seconds

    def _poke_at(self, when: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if when is not None:
            delay = max(when - self._cluster.clock.monotonic(), 0.0)
            self._timer = asyncio.get_running_loop().call_later(delay, self.poke)
