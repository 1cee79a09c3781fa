"""The state of the cluster, as Kafka's metadata records build it. Pure: no clock, no files, no network."""

from snakka.metadata.image.brokers import BrokerRegistration, Endpoint
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import CLUSTER_DEFAULT, ConfigResource, ConfigResourceType
from snakka.metadata.image.delta import BrokerChange, Delta, PartitionChange
from snakka.metadata.image.errors import InconsistentRecord
from snakka.metadata.image.partition import NO_LEADER, PartitionImage
from snakka.metadata.image.topics import TopicImage

__all__ = [
    "CLUSTER_DEFAULT",
    "NO_LEADER",
    "BrokerChange",
    "BrokerRegistration",
    "ClusterImage",
    "ConfigResource",
    "ConfigResourceType",
    "Delta",
    "Endpoint",
    "InconsistentRecord",
    "PartitionChange",
    "PartitionImage",
    "TopicImage",
]
