"""Reading topics without a group: all their partitions, those included that are added later."""

from collections.abc import Callable

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.messages import TopicPartition
from snakka.client.consumer.reading import Reading
from snakka.client.consumer.subscription import Subscription


class TopicReader:
    """Assigns every partition of what is subscribed to."""

    def __init__(self, cluster: ClusterView, reading: Reading, subscription: Subscription) -> None:
        self._cluster = cluster
        self._reading = reading
        self._subscription = subscription
        self._tracked: frozenset[str] = frozenset()
        self._end_watch: Callable[[], None] | None = None

    def subscribed(self) -> None:
        """Topics are others now."""
        topics = self._subscription.topics if self._subscription.uses_group else frozenset()
        self._cluster.track(topics - self._tracked)
        self._cluster.untrack(self._tracked - topics)
        self._tracked = topics
        if self._end_watch is None:
            self._end_watch = self._cluster.watch(self._look)
        self._cluster.refresh_soon()
        self._look()

    def close(self) -> None:
        if self._end_watch is not None:
            self._end_watch()

    def _look(self) -> None:
        if not self._subscription.uses_group:
            return
        partitions = [
            TopicPartition(topic.name, partition.index)
            for topic in map(self._cluster.known_topic, sorted(self._subscription.topics))
            if topic is not None
            for partition in topic.partitions
        ]
        if set(partitions) != self._reading.assignment.keys():
            self._reading.replace(partitions)
