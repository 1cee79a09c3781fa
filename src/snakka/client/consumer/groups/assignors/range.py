"""range: of each topic every member gets a range of partitions, so that partitions of the same number meet.

Where racks make a difference (KIP-881), a member first gets partitions that have a replica on its rack, within its share.
Topics with the same members and as many partitions are assigned together then, so that their numbers still meet.
"""

from collections.abc import Callable, Collection, Iterable

from snakka.client.consumer.groups.assignors.members import (
    Assignment,
    Members,
    Topics,
    in_order,
    racks_matter,
)
from snakka.client.topic_partition import TopicPartition


class RangeAssignor:
    """Kafka's default."""

    name = "range"
    is_cooperative = False

    def user_data(self, owned: Collection[TopicPartition], generation: int) -> bytes | None:
        return None

    def assign(self, topics: Topics, members: Members) -> Assignment:
        assignment: Assignment = {member: [] for member in members}
        shares = [_TopicShares(topic, topics, members) for topic in sorted(topics) if topics[topic]]
        shares = [each for each in shares if each.members]
        if any(each.racks_matter for each in shares):
            for together in _grouped(shares):
                _assign_by_rack(together, assignment)
        for each in shares:
            each.assign_ranges(lambda member, index: True, assignment)
        for partitions in assignment.values():
            partitions.sort()
        return assignment


class _TopicShares:
    """One topic while it is shared out: what is left of it, and how much each member may still get."""

    def __init__(self, topic: str, topics: Topics, members: Members) -> None:
        self.topic = topic
        self.partitions = topics[topic]
        self.members = [each for each in in_order(members) if topic in members[each].topics]
        self.racks = {each: members[each].rack or None for each in self.members}
        self._left = list(range(len(self.partitions)))
        self._got = dict.fromkeys(self.members, 0)
        self._share, self._extra = divmod(len(self.partitions), len(self.members)) if self.members else (0, 0)
        racks = {rack for rack in self.racks.values() if rack is not None}
        self.racks_matter = bool(racks) and racks_matter(racks, self.partitions)

    def room(self, member: str) -> int:
        return max(self._share + (self._extra > 0) - self._got[member], 0)

    def is_near(self, member: str, index: int) -> bool:
        rack = self.racks[member]
        return rack is None or rack in self.partitions[index]

    def give(self, member: str, indexes: Iterable[int], assignment: Assignment) -> None:
        for index in indexes:
            self._left.remove(index)
            self._got[member] += 1
            assignment[member].append(TopicPartition(self.topic, index))
        if self._got[member] > self._share:
            self._extra -= 1

    def assign_ranges(self, may_have: Callable[[str, int], bool], assignment: Assignment) -> None:
        for member in self.members:
            indexes = [index for index in self._left if may_have(member, index)][: self.room(member)]
            if indexes:
                self.give(member, indexes, assignment)


def _grouped(shares: list[_TopicShares]) -> Iterable[list[_TopicShares]]:
    """Topics that must be shared out alike."""
    groups: dict[tuple[tuple[str, ...], int], list[_TopicShares]] = {}
    for each in shares:
        count = len(each.partitions) if any(each.racks.values()) else 0
        groups.setdefault((tuple(each.members), count), []).append(each)
    return groups.values()


def _assign_by_rack(together: list[_TopicShares], assignment: Assignment) -> None:
    first = together[0]
    if len(together) == 1:
        if first.racks_matter:
            first.assign_ranges(first.is_near, assignment)
        return
    if not any(first.racks.values()):
        return
    candidates = list(first.members)
    for index in range(len(first.partitions)):
        member = next(
            (
                each
                for each in candidates
                if all(topic.is_near(each, index) and topic.room(each) > 0 for topic in together)
            ),
            None,
        )
        if member is None:
            continue
        for topic in together:
            topic.give(member, (index,), assignment)
        if not any(topic.room(member) > 0 for topic in together):
            candidates.remove(member)
