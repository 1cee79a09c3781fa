"""The topics of a subscription: kept fresh, and found anew by their pattern whenever the cluster has others."""

from collections.abc import Callable

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.missing_metadata import MissingMetadata
from snakka.client.consumer.subscription import Kind, Subscription
from snakka.client.retry_policy import is_retriable


class SubscribedTopics:
    """`on_change` hears when a pattern has found other topics, or the cluster has changed otherwise.

    `on_failure` hears, once, why a topic can't be read.
    """

    def __init__(
        self,
        cluster: ClusterView,
        subscription: Subscription,
        exclude_internal: bool,
        on_change: Callable[[], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        self._cluster = cluster
        self._subscription = subscription
        self._exclude_internal = exclude_internal
        self._on_change = on_change
        self._on_failure = on_failure
        self._told: set[str] = set()
        self._missing = MissingMetadata(cluster)
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
        if tracks_all:
            self._cluster.refresh_soon()
        self._told.clear()
        self._look()

    def close(self) -> None:
        if self._end_watch is not None:
            self._end_watch()
        self._missing.close()

    def _look(self) -> None:
        self._missing.look(any(self._is_missing(topic) for topic in self._tracked))
        self._subscription.match(
            ((topic.name, topic.is_internal) for topic in self._cluster.known_topics()),
            self._exclude_internal,
        )
        self._on_change()

    def _is_missing(self, topic: str) -> bool:
        """Whether it is worth asking for it again."""
        if self._cluster.known_topic(topic) is not None:
            self._told.discard(topic)
            return False
        error = self._cluster.error_of(topic)
        if error is None or is_retriable(error):
            return True
        if topic not in self._told:
            self._told.add(topic)
            self._on_failure(error)
        return False
