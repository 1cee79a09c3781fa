"""What members of a classic group tell each other, as bytes that the broker only passes on: subscriptions and assignments.

Rule: the version is before the message; what a newer member writes is read with the newest version that we know.
"""

from collections.abc import Collection, Iterable
from struct import Struct

from snakka.client.consumer.groups.assignors.members import MemberSubscription
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.errors import ProtocolError
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.record_types.embedded import consumer_protocol_assignment as assignments
from snakka.protocol.record_types.embedded import consumer_protocol_subscription as subscriptions

PROTOCOL_TYPE = "consumer"
_VERSION = Struct(">h")


def write_subscription(
    topics: Collection[str],
    owned: Collection[TopicPartition],
    *,
    user_data: bytes | None,
    generation: int,
    rack: str | None,
    version: int = subscriptions.ConsumerProtocolSubscription.MAX_VERSION,
) -> bytes:
    message = subscriptions.ConsumerProtocolSubscription(topics=sorted(topics), user_data=user_data)
    if version >= 1:
        message.owned_partitions = [
            subscriptions.TopicPartition(topic=topic, partitions=indexes)
            for topic, indexes in by_topic(owned).items()
        ]
    if version >= 2:
        message.generation_id = generation
    if version >= 3:
        message.rack_id = rack or None
    return _prefixed(message, version)


def read_subscription(data: bytes, instance_id: str | None = None) -> MemberSubscription:
    version = _version(data, subscriptions.ConsumerProtocolSubscription)
    message = subscriptions.ConsumerProtocolSubscription.decode(data, version, _VERSION.size)
    return MemberSubscription(
        topics=frozenset(message.topics),
        instance_id=instance_id,
        rack=message.rack_id,
        owned=tuple(
            TopicPartition(each.topic, index)
            for each in message.owned_partitions
            for index in each.partitions
        ),
        generation=message.generation_id,
        user_data=message.user_data,
    )


def write_assignment(
    partitions: Collection[TopicPartition],
    version: int = assignments.ConsumerProtocolAssignment.MAX_VERSION,
) -> bytes:
    message = assignments.ConsumerProtocolAssignment(
        assigned_partitions=[
            assignments.TopicPartition(topic=topic, partitions=indexes)
            for topic, indexes in by_topic(partitions).items()
        ]
    )
    return _prefixed(message, version)


def read_assignment(data: bytes) -> tuple[TopicPartition, ...]:
    """Nothing if there is no assignment at all, as a leader may leave somebody out."""
    if not data:
        return ()
    version = _version(data, assignments.ConsumerProtocolAssignment)
    message = assignments.ConsumerProtocolAssignment.decode(data, version, _VERSION.size)
    return tuple(
        TopicPartition(each.topic, index) for each in message.assigned_partitions for index in each.partitions
    )


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    topics: dict[str, list[int]] = {}
    for topic, index in sorted(partitions):
        topics.setdefault(topic, []).append(index)
    return topics


def _prefixed(message: Message, version: int) -> bytes:
    out = Frame()
    out += _VERSION.pack(version)
    message.write(out, version)
    return out.joined()


def _version(data: bytes, kind: type[Message]) -> int:
    if len(data) < _VERSION.size:
        raise ProtocolError("a member has sent no version of its subscription or assignment")
    (version,) = _VERSION.unpack_from(data)
    if version < kind.MIN_VERSION:
        raise ProtocolError(f"there is no version {version} of {kind.__name__}")
    return min(int(version), kind.MAX_VERSION)
