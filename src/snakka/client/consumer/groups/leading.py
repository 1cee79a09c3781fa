"""The member that assigns for its classic group, and that watches the group's topics afterwards."""

from collections.abc import Collection, Iterable

from snakka.client.cluster_view import ClusterView, TopicView
from snakka.client.consumer.groups.assignors import Assignor
from snakka.client.consumer.groups.assignors.members import Assignment
from snakka.client.consumer.groups.embedded_protocol import read_subscription
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.join_group import JoinGroupResponseMember


class Leading:
    """What the group's topics were when we assigned them; nothing while somebody else does that."""

    def __init__(self, cluster: ClusterView) -> None:
        self._cluster = cluster
        self._topics: frozenset[str] = frozenset()
        self._seen: dict[str, int] | None = None  # partitions of each topic

    async def assign(
        self, assignor: Assignor, members: Collection[JoinGroupResponseMember], deadline: float
    ) -> Assignment:
        subscriptions = {
            each.member_id: read_subscription(each.metadata, each.group_instance_id) for each in members
        }
        topics = frozenset[str]().union(*(each.topics for each in subscriptions.values()))
        self._watch(topics)
        found: dict[str, TopicView] = {}
        for name in sorted(topics):
            try:
                found[name] = await self._cluster.topic(name, deadline)
            except ApiError:
                continue  # it does not exist yet: the group assigns again when it does
        self._seen = _counts(found.values())
        racks = {node.node_id: node.rack for node in self._cluster.brokers.values() if node.rack}
        return assignor.assign(
            {
                name: [
                    frozenset(racks[replica] for replica in partition.replicas if replica in racks)
                    for partition in topic.partitions
                ]
                for name, topic in found.items()
            },
            subscriptions,
        )

    def has_changed(self) -> bool:
        """Whether there are other partitions to assign now."""
        if self._seen is None:
            return False
        known = map(self._cluster.known_topic, self._topics)
        return _counts(topic for topic in known if topic is not None) != self._seen

    def resign(self) -> None:
        self._watch(frozenset())
        self._seen = None

    def _watch(self, topics: frozenset[str]) -> None:
        self._cluster.track(topics - self._topics)
        self._cluster.untrack(self._topics - topics)
        self._topics = topics


def _counts(topics: Iterable[TopicView]) -> dict[str, int]:
    return {topic.name: len(topic.partitions) for topic in topics}
