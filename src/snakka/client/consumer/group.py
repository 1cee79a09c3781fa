"""A consumer's group: its committed offsets, and this consumer's place in it."""

import asyncio
from collections.abc import Collection, Mapping

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.auto_commit import AutoCommit
from snakka.client.consumer.groups.classic import ClassicMember
from snakka.client.consumer.groups.listener import RebalanceListener
from snakka.client.consumer.groups.member import Ground, Member
from snakka.client.consumer.groups.modern import ModernMember
from snakka.client.consumer.groups.poll_timer import PollTimer
from snakka.client.consumer.groups.rebalancing import RebalanceTimes, Rebalancing
from snakka.client.consumer.messages import OffsetAndMetadata
from snakka.client.consumer.offsets import GroupOffsets, Identity
from snakka.client.consumer.reading import Reading
from snakka.client.consumer.subscription import Subscription
from snakka.client.coordinators import Coordinators
from snakka.client.group_metadata import GroupMetadata
from snakka.client.settings import ConsumerSettings
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.uuids import ZERO_UUID, Uuid

# Who stops does not wait for a coordinator that is gone: whoever reads on begins a little earlier then.
_CLOSE_SECONDS = 5.0


class Group:
    """One consumer in one group. A consumer that chooses its partitions itself is no member, but commits all the same."""

    def __init__(
        self,
        group_id: str,
        cluster: ClusterView,
        settings: ConsumerSettings,
        subscription: Subscription,
        reading: Reading,
    ) -> None:
        self.group_id = group_id
        self._cluster = cluster
        self._settings = settings
        self._subscription = subscription
        self._reading = reading
        coordinators = Coordinators(cluster)
        self.offsets = GroupOffsets(
            cluster,
            coordinators,
            group_id,
            require_stable=reading.is_read_committed,
            topic_id=self._topic_id,
        )
        self.offsets.identity = lambda: self.identity
        self.offsets.is_ours = self._is_ours
        self.offsets.on_committed = reading.committed
        reading.finder.committed = self._committed
        interval = settings.auto_commit_interval_ms / 1000
        self._auto_commit = (
            AutoCommit(reading, self.offsets, cluster.clock, interval)
            if settings.enable_auto_commit
            else None
        )
        poll_timer = PollTimer(reading.delivery, cluster.clock, settings.max_poll_interval_ms / 1000)
        self._rebalancing = Rebalancing(reading, cluster.clock, poll_timer, self._auto_commit)
        ground = Ground(
            cluster,
            coordinators,
            settings,
            group_id,
            subscription,
            self._rebalancing,
            reading.delivery,
            poll_timer,
        )
        self._member: Member = (
            ClassicMember(ground) if settings.group_protocol == "classic" else ModernMember(ground)
        )
        self._auto_commit_task: asyncio.Task[None] | None = None

    @property
    def identity(self) -> Identity:
        return self._member.identity if self._subscription.uses_group else Identity()

    @property
    def rebalance_times(self) -> RebalanceTimes:
        return self._rebalancing.times

    @property
    def metadata(self) -> GroupMetadata:
        who = self.identity
        return GroupMetadata(self.group_id, who.generation, who.member_id, who.instance_id)

    def set_listener(self, listener: RebalanceListener | None) -> None:
        self._rebalancing.listener = listener or RebalanceListener()

    def start(self) -> None:
        self._member.start()
        if self._auto_commit is not None:
            self._auto_commit_task = self._cluster.pool.tasks.spawn("auto commit", self._auto_commit.run())

    def changed(self) -> None:
        """The subscription or the cluster is another one."""
        self._member.changed()

    async def withdraw(self) -> None:
        """Give everything back and leave, until `resume`. What the application has in its hands counts as processed."""
        self._reading.delivery.come_back()
        await self._member.close()

    def resume(self) -> None:
        """Join again when something is subscribed to."""
        self._member.start()

    async def close(self, *, with_what_is_in_hands: bool) -> None:
        """Commit and leave. What the application has in its hands counts as processed, or as failed."""
        if self._auto_commit is not None:
            deadline = self._cluster.clock.monotonic() + _CLOSE_SECONDS
            await self._auto_commit.commit(deadline, with_what_is_in_hands=with_what_is_in_hands)
            self._rebalancing.auto_commit = None
        if self._auto_commit_task is not None:
            self._auto_commit_task.cancel()
        await self.offsets.drained(_CLOSE_SECONDS)
        self._reading.delivery.come_back()
        await self._member.close()

    async def _committed(
        self, partitions: Collection[TopicPartition]
    ) -> Mapping[TopicPartition, OffsetAndMetadata]:
        deadline = self._cluster.clock.monotonic() + self._settings.request_seconds
        return await self.offsets.committed(partitions, deadline)

    def _is_ours(self, partition: TopicPartition) -> bool:
        return not self._subscription.uses_group or partition in self._reading.assignment

    def _topic_id(self, partition: TopicPartition) -> Uuid:
        assigned = self._reading.assignment.get(partition)
        if assigned is not None and assigned.topic_id != ZERO_UUID:
            return assigned.topic_id
        topic = self._cluster.known_topic(partition.topic)
        return ZERO_UUID if topic is None else topic.topic_id
