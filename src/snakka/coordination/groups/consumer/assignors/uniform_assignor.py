"""Uniform: members get equally many partitions, and keep as many of theirs as that allows.

When all are subscribed to the same topics, the shares differ by at most one partition, and no partition moves that need
not. Otherwise `mixed_subscriptions` balances topic by topic.
"""

from collections.abc import Mapping

from snakka.coordination.groups.consumer.assignors.mixed_subscriptions import assign_mixed
from snakka.coordination.groups.consumer.assignors.specification import (
    Assignment,
    Partitions,
    Specification,
    Subscriber,
)
from snakka.protocol.uuids import Uuid

_Partition = tuple[Uuid, int]


def assign_uniformly(specification: Specification) -> Assignment:
    members = specification.members
    if not members:
        return {}
    topics = next(iter(members.values())).topics
    if any(member.topics != topics for member in members.values()):
        return assign_mixed(specification)
    return _assign_alike(members, {topic: specification.partition_counts[topic] for topic in sorted(topics)})


def _assign_alike(members: Mapping[str, Subscriber], counts: Mapping[Uuid, int]) -> Assignment:
    """All members share all topics."""
    kept, free = _kept_and_free(members, counts)
    quota, extra = divmod(sum(counts.values()), len(members))
    # Whoever has more than the quota is first in line for the partitions that do not divide evenly.
    shares = dict.fromkeys(members, quota)
    for member_id, partitions in kept.items():
        if len(partitions) > quota and extra:
            shares[member_id] += 1
            extra -= 1
    for member_id, partitions in kept.items():
        free += partitions[shares[member_id] :]
        del partitions[shares[member_id] :]
    free.sort()
    dealt = 0
    for member_id, partitions in kept.items():
        if extra and shares[member_id] == quota:
            shares[member_id] += 1
            extra -= 1
        missing = shares[member_id] - len(partitions)
        partitions += free[dealt : dealt + missing]
        dealt += missing
    return {member_id: _by_topic(partitions) for member_id, partitions in kept.items()}


def _kept_and_free(
    members: Mapping[str, Subscriber], counts: Mapping[Uuid, int]
) -> tuple[dict[str, list[_Partition]], list[_Partition]]:
    """What each member has of what there is, in order, and what nobody has."""
    free = {topic: set(range(count)) for topic, count in counts.items()}
    kept: dict[str, list[_Partition]] = {}
    for member_id, member in members.items():
        mine: list[_Partition] = []
        for topic, partitions in member.assigned.items():
            if topic in free:
                mine += [(topic, partition) for partition in partitions & free[topic]]
                free[topic] -= partitions
        mine.sort()
        kept[member_id] = mine
    return kept, [(topic, partition) for topic, partitions in free.items() for partition in partitions]


def _by_topic(partitions: list[_Partition]) -> Partitions:
    by_topic: dict[Uuid, list[int]] = {}
    for topic, partition in partitions:
        by_topic.setdefault(topic, []).append(partition)
    return {topic: frozenset(numbers) for topic, numbers in by_topic.items()}
