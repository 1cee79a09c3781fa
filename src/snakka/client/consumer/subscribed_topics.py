"""The topics of a subscription: kept fresh, and found anew by their pattern whenever the cluster has others."""

from collections.abc import Callable

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.subscription import Kind, Subscription


class SubscribedTopics:
    """`on_change` hears when a pattern has found other topics, or the cluster has changed otherwise."""

    def __init__(
        self,
        cluster: ClusterView,
        subscription: Subscription,
        exclude_internal: bool,
        on_change: Callable[[], None],
    ) -> None:
        self._cluster = cluster
        self._subscription = subscription
        self._exclude_internal = exclude_internal
        self._on_change = on_change
        self._tracked: frozenset[str] = frozenset()
        self._tracks_all = False
        self._end_watch: Callable[[], None] | None = None

    def update(self) -> None:
        """The subscription is another one."""
        subscription = self._subscription
        topics = subscription.topics if subscription.kind is Kind.TOPICS else frozenset()
        self._cluster.track(topics - self._tracked)
        self._cluster.untrack(self._tracked - topics)
        self._tracked = topics
        tracks_all = subscription.kind is Kind.PATTERN
        if tracks_all != self._tracks_all:
            self._cluster.track_all(tracks_all)
            self._tracks_all = tracks_all
        if self._end_watch is None:
            self._end_watch = self._cluster.watch(self._look)
        if tracks_all or any(self._cluster.known_topic(topic) is None for topic in topics):
            self._cluster.refresh_soon()
        self._look()

    def close(self) -> None:
        if self._end_watch is not None:
            self._end_watch()

    def _look(self) -> None:
        self._subscription.match(
            ((topic.name, topic.is_internal) for topic in self._cluster.known_topics()),
            self._exclude_internal,
        )
        self._on_change()
