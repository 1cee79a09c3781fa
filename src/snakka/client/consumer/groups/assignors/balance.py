"""Shares partitions out evenly while members keep what they have: what both sticky assignors do.

Evenly means that nobody has two partitions more than another who could take one of them. Only what stands in the way of
that is moved. Where racks make a difference (KIP-881) members keep only what has a replica on their rack, and what is free
goes to a member near one of its replicas first, if that is not uneven.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from snakka.client.consumer.groups.assignors.members import (
    Assignment,
    Members,
    Topics,
    all_partitions,
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
    near = _Nearness(known, members)
    kept = {
        partition: member
        for partition, member in _undisputed(known, members, claims).items()
        if near(member, partition)
    }
    if len({frozenset(each.topics & known.keys()) for each in members.values()}) <= 1:
        return _EqualShares(known, sorted(members), near).assignment(kept)
    return _Balancing(known, members, kept, near).assignment()


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
        """Whoever has no rack is as near as can be."""
        return not self.matters or member not in self._racks or self.shares_rack(member, partition)

    def shares_rack(self, member: str, partition: TopicPartition) -> bool:
        return self._racks.get(member) in self._topics[partition.topic][partition.partition]

    def neighbours(self, partition: TopicPartition) -> int:
        """How many members have a replica of the partition on their rack."""
        return sum(self.shares_rack(member, partition) for member in self._racks)


class _EqualShares:
    """All want the same topics: each gets its share, and some one more. It goes through members as Kafka does."""

    def __init__(self, topics: Topics, members: Sequence[str], near: _Nearness) -> None:
        self._near = near
        self._partitions = all_partitions(topics)
        self._got: Assignment = {member: [] for member in members}
        # `extra` members may have one more than a share: those who have a share already wait for that in `at_share`.
        self._share, self._extra = divmod(len(self._partitions), len(members)) if members else (0, 0)
        self._short: list[str] = []
        self._at_share: list[str] = []

    def assignment(self, kept: Mapping[TopicPartition, str]) -> Assignment:
        for member in self._got:
            self._keep(member, [each for each in self._partitions if kept.get(each) == member])
        taken = {partition for each in self._got.values() for partition in each}
        left = [each for each in self._partitions if each not in taken]
        if self._near.matters:
            left.sort(key=self._near.neighbours)  # whoever has few to choose from is served first
            left = self._give_to_neighbours(left)
        self._give_in_turn(left)
        return self._got

    def _keep(self, member: str, owned: list[TopicPartition]) -> None:
        owned.sort(key=lambda each: (each.partition, each.topic))
        if len(owned) < self._share:
            self._short.append(member)
        elif len(owned) > self._share and self._extra:
            del owned[self._share + 1 :]
            self._use_extra()
        else:
            del owned[self._share :]
            if self._extra:
                self._at_share.append(member)
        self._got[member] = owned

    def _use_extra(self) -> None:
        self._extra -= 1
        if not self._extra:
            self._at_share.clear()

    def _give_to_neighbours(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Those that nobody near them has room for are left."""
        left: list[TopicPartition] = []
        turn = 0
        for partition in partitions:
            in_turn = (*range(turn, len(self._short)), *range(turn))
            index = self._neighbour(partition, self._short, in_turn)
            if index is not None:
                member = self._short[index]
                self._got[member].append(partition)
                if not self._fill(index):
                    index += 1
                turn = index % len(self._short) if self._short else 0
                continue
            index = self._neighbour(partition, self._at_share, range(len(self._at_share)))
            if index is None:
                left.append(partition)
                continue
            self._got[self._at_share.pop(index)].append(partition)
            self._use_extra()
        return left

    def _neighbour(
        self, partition: TopicPartition, members: Sequence[str], order: Sequence[int]
    ) -> int | None:
        return next((index for index in order if self._near.shares_rack(members[index], partition)), None)

    def _fill(self, index: int) -> bool:
        """Whether this member has its share now; then it may wait for one more."""
        member = self._short[index]
        if len(self._got[member]) < self._share:
            return False
        del self._short[index]
        if self._extra:
            self._at_share.append(member)
        return True

    def _give_in_turn(self, partitions: Sequence[TopicPartition]) -> None:
        index = 0
        for partition in partitions:
            if not self._short:
                self._got[self._at_share.pop(0)].append(partition)
                continue
            index %= len(self._short)
            self._got[self._short[index]].append(partition)
            if not self._fill(index):
                index += 1


class _Balancing:
    """The general case: members want different topics."""

    def __init__(
        self, topics: Topics, members: Members, kept: Mapping[TopicPartition, str], near: _Nearness
    ) -> None:
        self._near = near
        self._takers = {
            topic: [member for member in sorted(members) if topic in members[member].topics]
            for topic in topics
        }
        self._owners = dict(kept)
        self._counts = dict.fromkeys(sorted(members), 0)
        for member in kept.values():
            self._counts[member] += 1
        partitions = all_partitions(topics)
        # Whoever has fewest to choose from is served first, and what is new moves before what somebody has.
        partitions.sort(key=lambda each: len(self._takers[each.topic]))
        self._new = [each for each in partitions if each not in kept]
        self._all = [*self._new, *(each for each in partitions if each in kept)]

    def assignment(self) -> Assignment:
        far: list[TopicPartition] = []
        for partition in self._new:
            member = self._poorest(partition, only_near=True)
            if member is None:
                far.append(partition)
            else:
                self._give(partition, member)
        for partition in far:
            member = self._poorest(partition)
            assert member is not None  # somebody wants the topic
            self._give(partition, member)
        while sum(map(self._improve, self._all)):
            pass
        assignment: Assignment = {member: [] for member in self._counts}
        for partition in sorted(self._owners):
            assignment[self._owners[partition]].append(partition)
        return assignment

    def _improve(self, partition: TopicPartition) -> bool:
        """Move the partition if its member has two more than another who wants it, to one nearby if that is enough."""
        owner = self._owners[partition]
        for member in (self._poorest(partition, only_near=True), self._poorest(partition)):
            if member is not None and self._counts[member] + 1 < self._counts[owner]:
                self._counts[owner] -= 1
                self._give(partition, member)
                return True
        return False

    def _give(self, partition: TopicPartition, member: str) -> None:
        self._owners[partition] = member
        self._counts[member] += 1

    def _poorest(self, partition: TopicPartition, *, only_near: bool = False) -> str | None:
        takers = self._takers[partition.topic]
        candidates = [each for each in takers if self._near(each, partition)] if only_near else takers
        return min(candidates, key=self._counts.__getitem__, default=None)


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
