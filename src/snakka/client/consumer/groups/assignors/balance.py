"""Shares partitions out evenly while members keep what they have: what both sticky assignors do.

Evenly means that nobody has two partitions more than another who could take one of them. Only what stands in the way of
that is moved; where racks make a difference, what must move goes to a member near one of its replicas if it can.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from snakka.client.consumer.groups.assignors.members import (
    Assignment,
    Members,
    Topics,
    all_partitions,
    in_order,
    racks_matter,
)
from snakka.client.topic_partition import TopicPartition


class Claim(NamedTuple):
    """What a member says it has, and since when."""

    partitions: tuple[TopicPartition, ...]
    generation: int


def share_out(topics: Topics, members: Members, claims: Mapping[str, Claim]) -> Assignment:
    """The partitions of each member; `claims` has each member too."""
    wanted = {topic for each in members.values() for topic in each.topics}
    known = {topic: racks for topic, racks in topics.items() if topic in wanted}
    order = in_order(members)
    kept = _undisputed(known, members, claims)
    near = _Nearness(known, members)
    if len({frozenset(each.topics & known.keys()) for each in members.values()}) <= 1:
        return _share_among_equals(known, order, kept, near)
    return _Balancing(known, members, order, kept, near).assignment()


def _undisputed(topics: Topics, members: Members, claims: Mapping[str, Claim]) -> dict[TopicPartition, str]:
    """Who keeps what: of several claims the newest counts, and of two that are equally new neither."""
    owners: dict[TopicPartition, str] = {}
    newest: dict[TopicPartition, int] = {}
    for member in sorted(claims):
        partitions, generation = claims[member]
        for each in partitions:
            exists = each.topic in topics and 0 <= each.partition < len(topics[each.topic])
            if not exists or each.topic not in members[member].topics:
                continue
            if generation > newest.get(each, generation - 1):
                owners[each], newest[each] = member, generation
            elif generation == newest[each]:
                owners.pop(each, None)
    return owners


class _Nearness:
    """Which member is near which partition; everybody is near everything where racks make no difference."""

    def __init__(self, topics: Topics, members: Members) -> None:
        self._topics = topics
        self._racks = {name: each.rack for name, each in members.items() if each.rack}
        partitions = [racks for each in topics.values() for racks in each]
        self.matters = bool(self._racks) and racks_matter(set(self._racks.values()), partitions)

    def __call__(self, member: str, partition: TopicPartition) -> bool:
        rack = self._racks.get(member)
        return not self.matters or rack is None or rack in self._topics[partition.topic][partition.partition]


def _share_among_equals(
    topics: Topics, order: list[str], kept: Mapping[TopicPartition, str], near: _Nearness
) -> Assignment:
    """All want the same topics: each gets its share, and some one more."""
    assignment: Assignment = {member: [] for member in order}
    partitions = all_partitions(topics)
    for partition in partitions:
        if partition in kept:
            assignment[kept[partition]].append(partition)
    share, extra = divmod(len(partitions), len(order)) if order else (0, 0)
    limits = dict.fromkeys(order, share)
    # Whoever has more than a share already is the first to have one more.
    for member in sorted(order, key=lambda name: len(assignment[name]) <= share)[:extra]:
        limits[member] += 1
    for member, limit in limits.items():
        if near.matters:
            assignment[member].sort(key=lambda partition: not near(member, partition))
        del assignment[member][limit:]
    taken = {partition for each in assignment.values() for partition in each}
    with_room = deque(member for member in order if len(assignment[member]) < limits[member])
    for partition in partitions:
        if partition in taken:
            continue
        if near.matters:
            _turn_to(with_room, lambda member: near(member, partition))  # noqa: B023
        member = with_room.popleft()
        assignment[member].append(partition)
        if len(assignment[member]) < limits[member]:
            with_room.append(member)
    return assignment


def _turn_to(members: deque[str], is_good: Callable[[str], bool]) -> None:
    """Bring the first good one to the front, if there is one."""
    for _ in range(len(members)):
        if is_good(members[0]):
            return
        members.rotate(-1)


class _Balancing:
    """The general case: members want different topics."""

    def __init__(
        self,
        topics: Topics,
        members: Members,
        order: list[str],
        kept: Mapping[TopicPartition, str],
        near: _Nearness,
    ) -> None:
        self._order = order
        self._near = near
        self._takers = {
            topic: [member for member in order if topic in members[member].topics] for topic in topics
        }
        self._owners = dict(kept)
        self._counts = dict.fromkeys(order, 0)
        for member in kept.values():
            self._counts[member] += 1
        partitions = all_partitions(topics)
        # Whoever has fewest to choose from is served first, and what is new moves before what somebody has.
        partitions.sort(key=lambda each: len(self._takers[each.topic]))
        self._new = [each for each in partitions if each not in kept]
        self._all = [*self._new, *(each for each in partitions if each in kept)]

    def assignment(self) -> Assignment:
        for partition in self._new:
            self._give(partition, self._poorest(partition))
        while sum(map(self._improve, self._all)):
            pass
        assignment: Assignment = {member: [] for member in self._order}
        for partition in sorted(self._owners):
            assignment[self._owners[partition]].append(partition)
        return assignment

    def _improve(self, partition: TopicPartition) -> bool:
        """Move the partition if its member has two more than another who wants it."""
        owner, poorest = self._owners[partition], self._poorest(partition)
        if self._counts[poorest] + 1 >= self._counts[owner]:
            return False
        self._counts[owner] -= 1
        self._give(partition, poorest)
        return True

    def _give(self, partition: TopicPartition, member: str) -> None:
        self._owners[partition] = member
        self._counts[member] += 1

    def _poorest(self, partition: TopicPartition) -> str:
        return min(
            self._takers[partition.topic],
            key=lambda member: (self._counts[member], not self._near(member, partition)),
        )


def transferred(assignment: Assignment, claims: Mapping[str, Claim]) -> set[TopicPartition]:
    """What a member is to get while another one may have it still; claims of an older generation do not count."""
    newest: dict[TopicPartition, int] = {}
    owners: dict[TopicPartition, set[str]] = {}
    for member, (partitions, generation) in claims.items():
        for partition in partitions:
            if generation > newest.get(partition, generation - 1):
                newest[partition] = generation
                owners[partition] = set()
            if generation == newest[partition]:
                owners[partition].add(member)
    return {
        partition
        for member, partitions in assignment.items()
        for partition in partitions
        if owners.get(partition, {member}) != {member}
    }
