"""What an assignor is given, and what it gives back."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from snakka.client.topic_partition import TopicPartition

NO_GENERATION = -1

# By topic the partitions in order, each with the racks that have a replica of it.
Topics = Mapping[str, Sequence[frozenset[str]]]
Assignment = dict[str, list[TopicPartition]]


class MemberSubscription(NamedTuple):
    """What a member has told about itself."""

    topics: frozenset[str]
    instance_id: str | None = None
    rack: str | None = None
    owned: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION
    user_data: bytes | None = None


Members = Mapping[str, MemberSubscription]


class Assignor(Protocol):
    """One way of sharing partitions out."""

    @property
    def name(self) -> str: ...

    @property
    def is_cooperative(self) -> bool:
        """Whether members keep what they have until it is taken from them."""

    def user_data(self, owned: Collection[TopicPartition], generation: int) -> bytes | None:
        """What a member tells the assignor beside its subscription."""

    def assign(self, topics: Topics, members: Members) -> Assignment:
        """The partitions of each member; topics that are not in `topics` are not known and are left out."""


def in_order(members: Members) -> list[str]:
    """The order in which Kafka goes through members: those with an instance id first, so that a restart changes nothing."""
    return sorted(
        members, key=lambda name: (members[name].instance_id is None, members[name].instance_id or name)
    )


def all_partitions(topics: Topics) -> list[TopicPartition]:
    return [TopicPartition(topic, index) for topic in sorted(topics) for index in range(len(topics[topic]))]


def racks_matter(racks: set[str], partitions: Collection[frozenset[str]]) -> bool:
    """Whether it makes a difference who gets which partition: not if all of them have replicas everywhere."""
    everywhere = frozenset().union(*partitions)
    return not racks.isdisjoint(everywhere) and any(each != everywhere for each in partitions)
