"""Reading topics without a group: all their partitions, those included that are added later."""

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.reading import Reading
from snakka.client.consumer.subscription import Subscription
from snakka.client.topic_partition import TopicPartition


class TopicReader:
    """Assigns every partition of what is subscribed to."""

    def __init__(self, cluster: ClusterView, reading: Reading, subscription: Subscription) -> None:
        self._cluster = cluster
        self._reading = reading
        self._subscription = subscription

    def look(self) -> None:
        """The subscription or the cluster is another one."""
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
