"""The offsets that a group has committed: written and read at its coordinator.

Rule: commits of one consumer go out one after the other, so that one that is tried again never replaces a newer one. Those
that nobody waits for become one while they wait for their turn, so there are never many.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.messages import OffsetAndMetadata
from snakka.client.consumer.turns import Turn, Turns
from snakka.client.coordinators import CoordinatorKind, Coordinators
from snakka.client.errors import ClientError, CommitFailedError, MemberFencedError, TopicRecreatedError
from snakka.client.retry_policy import STALE_COORDINATOR, Pauses, is_retriable
from snakka.client.topic_partition import TopicPartition
from snakka.network.answer_times import AnswerTimes
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
)
from snakka.protocol.uuids import ZERO_UUID, Uuid

NO_GENERATION = -1
_NO_LONGER_A_MEMBER = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION})
# The group changes just now, or our epoch has: with who we are in a moment it may be right.
_PASSING = frozenset({ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.STALE_MEMBER_EPOCH})


class Identity(NamedTuple):
    """Who we are in the group: nobody, for those who choose their partitions themselves."""

    member_id: str = ""
    generation: int = NO_GENERATION  # of a classic group; else the member's epoch
    instance_id: str | None = None
    uses_epochs: bool = False


class _Later:
    """Offsets that will be committed when it is their turn, and how that went."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.offsets: dict[TopicPartition, OffsetAndMetadata] = {}
        self.outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.outcome.add_done_callback(_retrieved)


class _PassingError(ClientError):
    """Worth another attempt."""

    retriable = True


class GroupOffsets:
    """The committed offsets of one group, for one consumer."""

    def __init__(
        self,
        cluster: ClusterView,
        coordinators: Coordinators,
        group_id: str,
        *,
        require_stable: bool,
        topic_id: Callable[[TopicPartition], Uuid],
    ) -> None:
        """`topic_id` is of the topic that the position is in, if that is known; `require_stable` waits for transactions."""
        self.identity: Callable[[], Identity] = Identity
        self.is_ours: Callable[[TopicPartition], bool] = lambda partition: True
        self.on_committed: Callable[[Mapping[TopicPartition, OffsetAndMetadata]], None] = lambda offsets: None
        self._cluster = cluster
        self._coordinators = coordinators
        self._group_id = group_id
        self._require_stable = require_stable
        self._topic_id = topic_id
        self.commit_times = AnswerTimes()
        self._turns = Turns()
        self._later: _Later | None = None

    async def commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], deadline: float) -> None:
        """Until the coordinator has them; CommitFailedError if the group has given a partition to somebody else."""
        if offsets:
            await self.commit_due(lambda: offsets, deadline)

    async def commit_due(
        self, due: Callable[[], Mapping[TopicPartition, OffsetAndMetadata]], deadline: float
    ) -> None:
        """As `commit`, of what is due when all commits before it have ended."""
        self._later = None  # what is to be committed later from now on comes behind this
        async with self._turns.take(max(deadline - self._cluster.clock.monotonic(), 0.0)):
            offsets = due()
            if offsets:
                await self._commit(offsets, deadline)

    def commit_later(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata], seconds: float
    ) -> "asyncio.Future[None]":
        """As `commit`, in the background, within so many seconds from when it is its turn."""
        if self._later is None:
            self._later = _Later(self._turns.take())
            self._cluster.pool.tasks.spawn("commit", self._committed_later(self._later, seconds))
        self._later.offsets.update(offsets)
        return self._later.outcome

    async def drained(self, seconds: float) -> None:
        """Wait for the commits that were begun."""
        await self._turns.drained(seconds)

    async def _committed_later(self, later: _Later, seconds: float) -> None:
        outcome = later.outcome
        try:
            async with later.turn:
                if self._later is later:
                    self._later = None
                ours = {each: offset for each, offset in later.offsets.items() if self.is_ours(each)}
                if ours:
                    await self._commit(ours, self._cluster.clock.monotonic() + seconds)
            self._check_ours(later.offsets.keys() - ours.keys())
            if not outcome.done():
                outcome.set_result(None)
        except Exception as error:
            if not outcome.done():
                outcome.set_exception(error)
        finally:
            # The consumer was stopped before an answer came; after an outcome this does nothing.
            outcome.cancel()

    async def _commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], deadline: float) -> None:
        pauses = Pauses(self._cluster.clock, deadline, self._cluster.backoff)
        self._check_ours(offsets)
        ids = await self._ids(offsets, deadline)
        while True:
            self._check_ours(offsets)
            try:
                await self._commit_once(offsets, ids, deadline)
                break
            except (ApiError, ClientError) as error:
                if not is_retriable(error):
                    raise
                await pauses.wait(error)
        self.on_committed(offsets)

    async def committed(
        self, partitions: Collection[TopicPartition], deadline: float, *, may_be_missing: bool = False
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """What is committed of these; those of which nothing is are left out.

        Whoever begins to read must not take a topic that a broker does not know yet for one without offsets; with
        `may_be_missing` it is.
        """
        pauses = Pauses(self._cluster.clock, deadline, self._cluster.backoff)
        while True:
            try:
                if may_be_missing:
                    topics = {each.topic for each in partitions}
                    existing = {topic for topic in topics if await self._exists(topic, deadline)}
                    partitions = [each for each in partitions if each.topic in existing]
                return await self._fetch_once(partitions, deadline) if partitions else {}
            except (ApiError, ClientError) as error:
                if not is_retriable(error):
                    raise
                await pauses.wait(error)

    def _check_ours(self, offsets: Iterable[TopicPartition]) -> None:
        lost = [str(partition) for partition in offsets if not self.is_ours(partition)]
        if lost:
            raise CommitFailedError(
                f"{', '.join(lost)} is not assigned to this consumer any more: whoever has it now reads it again"
            )

    # -- commit ---------------------------------------------------------------------------------------------------

    async def _commit_once(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        ids: Mapping[str, Uuid],
        deadline: float,
    ) -> None:
        topics: dict[str, OffsetCommitRequestTopic] = {}
        for partition, each in offsets.items():
            name = partition.topic
            if name not in topics:
                topics[name] = OffsetCommitRequestTopic(name=name, topic_id=ids[name])
            topics[name].partitions.append(
                OffsetCommitRequestPartition(
                    partition_index=partition.partition,
                    committed_offset=each.offset,
                    committed_leader_epoch=each.leader_epoch,
                    committed_metadata=each.metadata,
                )
            )
        who = self.identity()
        request = OffsetCommitRequest(
            group_id=self._group_id,
            generation_id_or_member_epoch=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            topics=list(topics.values()),
        )
        began = self._cluster.clock.monotonic()
        response = await self._coordinators.ask(
            CoordinatorKind.GROUP, self._group_id, request, OffsetCommitResponse, deadline
        )
        self.commit_times.note(self._cluster.clock.monotonic() - began)
        names = {topic_id: name for name, topic_id in ids.items()}
        for topic in response.topics:
            for row in topic.partitions:
                if row.error_code:
                    name = topic.name or names.get(topic.topic_id, "")
                    self._check_topic(ErrorCode(row.error_code), name, ids.get(name, ZERO_UUID))
                    raise self._refusal(
                        ErrorCode(row.error_code), TopicPartition(name, row.partition_index), who
                    )

    def _check_topic(self, code: ErrorCode, name: str, topic_id: Uuid) -> None:
        """An offset of a topic that is gone must not become one of another topic with the same name."""
        if code is not ErrorCode.UNKNOWN_TOPIC_ID:
            return
        topic = self._cluster.known_topic(name)
        if topic is not None and topic.topic_id != topic_id:
            raise TopicRecreatedError(
                f"topic {name} was deleted and made anew: an offset of the old one is not committed"
            )
        self._cluster.refresh_soon()

    def _refusal(self, code: ErrorCode, partition: TopicPartition, who: Identity) -> ApiError | ClientError:
        what = f"committing an offset of {partition}"
        if code in STALE_COORDINATOR:
            self._coordinators.forget(CoordinatorKind.GROUP, self._group_id)
        if code is ErrorCode.FENCED_INSTANCE_ID:
            return MemberFencedError(
                f"another member has taken the place of group.instance.id={who.instance_id}: {what} is refused"
            )
        if code in _NO_LONGER_A_MEMBER:
            return CommitFailedError(
                f"{what} is refused ({code.name}): the group has gone on without this consumer; raise"
                " max.poll.interval.ms or take fewer messages at once"
            )
        if code in _PASSING:
            return _PassingError(f"{what}: {code.name}")
        return ApiError(code, what)

    async def _ids(self, partitions: Iterable[TopicPartition], deadline: float) -> dict[str, Uuid]:
        ids: dict[str, Uuid] = {}
        for partition in partitions:
            if partition.topic not in ids:
                known = self._topic_id(partition)
                if known == ZERO_UUID:
                    known = (await self._cluster.topic(partition.topic, deadline)).topic_id
                ids[partition.topic] = known
        return ids

    # -- fetch ----------------------------------------------------------------------------------------------------

    async def _exists(self, topic: str, deadline: float) -> bool:
        try:
            await self._cluster.topic(topic, deadline)
        except ApiError as error:
            if error.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                return False
            raise
        return True

    async def _fetch_once(
        self, partitions: Collection[TopicPartition], deadline: float
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        ids = await self._ids(partitions, deadline)
        indexes: dict[str, list[int]] = {}
        for partition in partitions:
            indexes.setdefault(partition.topic, []).append(partition.partition)
        who = self.identity()
        group = OffsetFetchRequestGroup(
            group_id=self._group_id,
            member_id=who.member_id if who.uses_epochs else None,
            member_epoch=who.generation if who.uses_epochs else NO_GENERATION,
            topics=[
                OffsetFetchRequestTopics(name=name, topic_id=ids[name], partition_indexes=rows)
                for name, rows in indexes.items()
            ],
        )
        request = OffsetFetchRequest(groups=[group], require_stable=self._require_stable)
        response = await self._coordinators.ask(
            CoordinatorKind.GROUP, self._group_id, request, OffsetFetchResponse, deadline
        )
        return self._fetched(response.groups[0], {topic_id: name for name, topic_id in ids.items()}, who)

    def _fetched(
        self, group: OffsetFetchResponseGroup, names: Mapping[Uuid, str], who: Identity
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        self._check_fetched(ErrorCode(group.error_code), f"the offsets of group {self._group_id}", who)
        found: dict[TopicPartition, OffsetAndMetadata] = {}
        for topic in group.topics:
            for row in topic.partitions:
                partition = TopicPartition(topic.name or names.get(topic.topic_id, ""), row.partition_index)
                self._check_fetched(ErrorCode(row.error_code), f"the committed offset of {partition}", who)
                if row.committed_offset >= 0:
                    found[partition] = OffsetAndMetadata(
                        row.committed_offset, row.metadata or "", row.committed_leader_epoch
                    )
        return found

    def _check_fetched(self, code: ErrorCode, what: str, who: Identity) -> None:
        if code is ErrorCode.NONE:
            return
        if code in STALE_COORDINATOR:
            self._coordinators.forget(CoordinatorKind.GROUP, self._group_id)
        if code is ErrorCode.STALE_MEMBER_EPOCH or (code in _NO_LONGER_A_MEMBER and self.identity() != who):
            raise _PassingError(f"asking for {what}: {code.name}")
        raise ApiError(code, f"asking for {what}")


def _retrieved(outcome: "asyncio.Future[None]") -> None:
    """Perhaps nobody asks how it went."""
    if not outcome.cancelled():
        outcome.exception()
