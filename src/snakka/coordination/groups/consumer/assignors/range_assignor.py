"""Ranges: of every topic, each subscriber gets consecutive partitions.

Members come in one order for all topics, so topics of equal size are co-partitioned: whoever has partition 3 of one has
partition 3 of all. The order is that of instance ids, then of member ids, so static members keep their ranges.
"""

from snakka.coordination.groups.consumer.assignors.specification import Assignment, Specification
from snakka.protocol.uuids import Uuid


def assign_ranges(specification: Specification) -> Assignment:
    members = specification.members
    order = sorted(members, key=lambda name: _rank(name, members[name].instance_id))
    subscribers: dict[Uuid, list[str]] = {}
    for member_id in order:
        for topic in members[member_id].topics:
            subscribers.setdefault(topic, []).append(member_id)
    assigned: dict[str, dict[Uuid, frozenset[int]]] = {member_id: {} for member_id in members}
    for topic in sorted(subscribers):
        sharers = subscribers[topic]
        quota, extra = divmod(specification.partition_counts[topic], len(sharers))
        start = 0
        for place, member_id in enumerate(sharers):
            end = start + quota + (place < extra)
            if start < end:
                assigned[member_id][topic] = frozenset(range(start, end))
            start = end
    return dict(assigned)


def _rank(member_id: str, instance_id: str | None) -> tuple[bool, str]:
    return (True, member_id) if instance_id is None else (False, instance_id)
