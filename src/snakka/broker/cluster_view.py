"""What clients are told of the cluster: brokers that live on their listener, and partitions as they can be reached there."""

from collections.abc import Iterator
from typing import NamedTuple

from snakka.metadata.image.brokers import BrokerRegistration, Endpoint
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.partition import NO_LEADER, PartitionImage
from snakka.metadata.state.topic_names import check_topic_name
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError

# The answer to a client that did not ask which operations it may do.
OPERATIONS_NOT_ASKED = -(2**31)


class PartitionView(NamedTuple):
    """A partition for one listener's clients."""

    error: ErrorCode
    leader_id: int
    offline_replicas: list[int]


def live_brokers(image: ClusterImage, listener: str) -> Iterator[tuple[BrokerRegistration, Endpoint]]:
    """Brokers that are not fenced, with where they listen for these clients."""
    for broker in image.brokers.by_id.values():
        endpoint = broker.endpoints.get(listener)
        if not broker.fenced and endpoint is not None:
            yield broker, endpoint


def view_partition(image: ClusterImage, partition: PartitionImage, listener: str) -> PartitionView:
    """Whether the partition can be used from this listener, and which of its replicas are out of reach."""
    offline = [
        replica
        for place, replica in enumerate(partition.replicas)
        if not _is_reachable(image, partition, place, replica, listener)
    ]
    if partition.leader == NO_LEADER:
        return PartitionView(ErrorCode.LEADER_NOT_AVAILABLE, NO_LEADER, offline)
    leader = image.brokers.get(partition.leader)
    if leader is None or leader.fenced:
        return PartitionView(ErrorCode.LEADER_NOT_AVAILABLE, NO_LEADER, offline)
    if listener not in leader.endpoints:
        return PartitionView(ErrorCode.LISTENER_NOT_FOUND, NO_LEADER, offline)
    return PartitionView(ErrorCode.NONE, partition.leader, offline)


def _is_reachable(
    image: ClusterImage, partition: PartitionImage, place: int, replica: int, listener: str
) -> bool:
    broker = image.brokers.get(replica)
    if broker is None or broker.fenced or listener not in broker.endpoints:
        return False
    return place >= len(partition.directories) or broker.has_online(partition.directories[place])


def unknown_topic_error(name: str) -> ErrorCode:
    """Why there is no such topic: there could not be one, or there is none."""
    try:
        check_topic_name(name)
    except ApiError as error:
        return error.code
    return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def controller_hint(image: ClusterImage, node_id: int) -> int:
    """Which broker to send controller requests to: any live one takes them, so this one if it can."""
    own = image.brokers.get(node_id)
    if own is not None and not own.fenced:
        return node_id
    return next((broker.id for broker in image.brokers.by_id.values() if not broker.fenced), -1)
