"""The uniform assignor for members that are not subscribed to the same topics.

Everybody keeps what is still there and subscribed to; what nobody has goes, topic by topic, to whoever has the least; then
partitions move, again topic by topic, from those with the most to those with the least, until nothing gets better. Rule: a
move must make two shares more alike, so it can't be undone by a later one and the end is always reached.
"""

from heapq import heapify, heappop, heappush

from snakka.coordination.groups.consumer.assignors.specification import (
    Assignment,
    Specification,
)
from snakka.protocol.uuids import Uuid

# Subscriptions that overlap in chains can take long to settle; each round about halves what is left to gain.
_ROUNDS = 16
_NOBODY = -1


def assign_mixed(specification: Specification) -> Assignment:
    return _MixedAssignment(specification).assign()


class _MixedAssignment:
    """Members are numbered; `_owners[topic][partition]` is a member's number, `_loads[number]` how many it has."""

    def __init__(self, specification: Specification) -> None:
        self._specification = specification
        self._loads = [0] * len(specification.members)
        self._subscribers: dict[Uuid, list[int]] = {}
        self._owners: dict[Uuid, list[int]] = {}
        for number, member in enumerate(specification.members.values()):
            for topic in member.topics:
                self._subscribers.setdefault(topic, []).append(number)
        for topic in self._subscribers:
            self._owners[topic] = [_NOBODY] * specification.partition_counts[topic]

    def assign(self) -> Assignment:
        self._keep()
        # The topics with the most partitions for each subscriber first: the small ones even out what these leave.
        topics = sorted(self._subscribers, key=self._rank)
        for topic in topics:
            self._deal(topic)
        shared = [topic for topic in topics if len(self._subscribers[topic]) > 1]
        for _ in range(_ROUNDS):
            if not sum(self._balance(topic) for topic in shared):
                break
        return self._result()

    def _rank(self, topic: Uuid) -> tuple[float, int, Uuid]:
        subscribers = len(self._subscribers[topic])
        return -len(self._owners[topic]) / subscribers, subscribers, topic

    def _keep(self) -> None:
        for number, member in enumerate(self._specification.members.values()):
            for topic, partitions in member.assigned.items():
                if topic not in member.topics:
                    continue
                owners = self._owners[topic]
                for partition in partitions:
                    if partition < len(owners) and owners[partition] == _NOBODY:
                        owners[partition] = number
                        self._loads[number] += 1

    def _deal(self, topic: Uuid) -> None:
        """Give away what nobody has."""
        owners, loads = self._owners[topic], self._loads
        if _NOBODY not in owners:
            return
        poorest = [(loads[number], number) for number in self._subscribers[topic]]
        heapify(poorest)
        for partition, owner in enumerate(owners):
            if owner == _NOBODY:
                load, number = heappop(poorest)
                owners[partition] = number
                loads[number] = load + 1
                heappush(poorest, (load + 1, number))

    def _balance(self, topic: Uuid) -> int:
        """Move partitions of the topic from the richest of its subscribers to the poorest; how many were moved."""
        owners, loads = self._owners[topic], self._loads
        numbers = self._subscribers[topic]
        if max(loads[number] for number in numbers) - min(loads[number] for number in numbers) <= 1:
            return 0
        has: dict[int, list[int]] = {}
        for partition, number in enumerate(owners):
            has.setdefault(number, []).append(partition)
        richest = [(-loads[number], number) for number in has]
        poorest = [(loads[number], number) for number in numbers]
        heapify(richest)
        heapify(poorest)
        moved = 0
        while richest:
            # An entry whose load has changed since is out of date: whoever changed it put in another.
            (negative, giver), (load, taker) = richest[0], poorest[0]
            if -negative != loads[giver] or not has[giver]:
                heappop(richest)
                continue
            if load != loads[taker]:
                heappop(poorest)
                continue
            if loads[giver] - load <= 1:
                break
            partition = has[giver].pop()
            has.setdefault(taker, []).append(partition)
            owners[partition] = taker
            loads[giver] -= 1
            loads[taker] += 1
            for number in (giver, taker):
                heappush(richest, (-loads[number], number))
                heappush(poorest, (loads[number], number))
            moved += 1
        return moved

    def _result(self) -> Assignment:
        shares: list[dict[Uuid, list[int]]] = [{} for _ in self._loads]
        for topic, owners in self._owners.items():
            for partition, number in enumerate(owners):
                shares[number].setdefault(topic, []).append(partition)
        return {
            member_id: {topic: frozenset(partitions) for topic, partitions in share.items()}
            for member_id, share in zip(self._specification.members, shares, strict=True)
        }
