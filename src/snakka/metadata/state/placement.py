"""Where the replicas of new partitions go: Kafka's striped, rack-aware placement.

Replicas are dealt to racks in turn, and within a rack to its brokers in turn; each partition starts one rack further, so
leaders and replicas spread over both. Fenced brokers are used only when a rack has no other left, and never for the
first replica, which will be the leader.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from snakka.protocol.errors import ApiError, ErrorCode


@dataclass(frozen=True, slots=True)
class UsableBroker:
    """A broker that may take replicas."""

    node_id: int
    rack: str | None
    fenced: bool


@dataclass(slots=True)
class _Ring:
    """Brokers dealt in turn. Each round of the deal starts one broker further than the last."""

    brokers: list[int] = field(default_factory=list)
    dealt: int = 0
    start: int = 0
    round: int = 0

    def prepare(self, chance: random.Random) -> None:
        if self.brokers:
            self.brokers.sort()
            self.start = chance.randrange(len(self.brokers))

    def deal(self, current_round: int) -> int | None:
        count = len(self.brokers)
        if count == 0:
            return None
        if self.round != current_round:
            self.round = current_round
            self.dealt = 0
            self.start = (self.start + 1) % count
        if self.dealt >= count:
            return None
        broker = self.brokers[(self.dealt + self.start) % count]
        self.dealt += 1
        return broker


@dataclass(slots=True)
class _Rack:
    unfenced: _Ring = field(default_factory=_Ring)
    fenced: _Ring = field(default_factory=_Ring)

    def deal(self, current_round: int) -> int | None:
        broker = self.unfenced.deal(current_round)
        return self.fenced.deal(current_round) if broker is None else broker


class _Racks:
    """All racks of the cluster, the deal's state between partitions."""

    def __init__(self, brokers: Iterable[UsableBroker], chance: random.Random) -> None:
        self._chance = chance
        by_name: dict[str | None, _Rack] = {}
        self.total = 0
        self.unfenced = 0
        for broker in sorted(brokers, key=lambda one: one.node_id):
            rack = by_name.setdefault(broker.rack, _Rack())
            ring = rack.fenced if broker.fenced else rack.unfenced
            ring.brokers.append(broker.node_id)
            self.total += 1
            self.unfenced += not broker.fenced
        # Brokers without a rack form one rack of their own, which sorts first.
        self._racks = [by_name[name] for name in sorted(by_name, key=lambda name: (name is not None, name))]
        for rack in self._racks:
            rack.unfenced.prepare(chance)
            rack.fenced.prepare(chance)
        self._offset = chance.randrange(len(self._racks)) if self._racks else 0
        self._round = 0

    def place(self, replication_factor: int) -> list[int]:
        if self._round == self.unfenced and self.unfenced > 1:
            # Every broker has led once; without a shuffle the same assignments would come again. One broker alone
            # must not start over, or its ring would look exhausted in every round.
            self._shuffle()
            self._round = 0
        if self._offset == len(self._racks):
            self._offset = 0
        leader_rack, leader = self._deal_leader()
        replicas = [leader]
        index = self._offset
        skipped = False
        while len(replicas) < replication_factor:
            # The leader's rack has given its replica of the first turn already.
            if index == leader_rack and not skipped:
                skipped = True
                broker = None
            else:
                broker = self._racks[index].deal(self._round)
            index = (index + 1) % len(self._racks)
            if broker is not None:
                replicas.append(broker)
        self._round += 1
        self._offset += 1
        return replicas

    def _deal_leader(self) -> tuple[int, int]:
        index = self._offset
        while (broker := self._racks[index].unfenced.deal(self._round)) is None:
            index = (index + 1) % len(self._racks)
        return index, broker

    def _shuffle(self) -> None:
        self._chance.shuffle(self._racks)
        for rack in self._racks:
            self._chance.shuffle(rack.fenced.brokers)
            self._chance.shuffle(rack.unfenced.brokers)


def place_replicas(
    brokers: Iterable[UsableBroker], partitions: int, replication_factor: int, chance: random.Random
) -> list[list[int]]:
    """The replicas of each new partition, preferred leader first; INVALID_REPLICATION_FACTOR if it cannot be done."""
    racks = _Racks(brokers, chance)
    problem = ""
    if replication_factor <= 0:
        problem = f"a replication factor of {replication_factor} is not positive"
    elif racks.unfenced == 0:
        problem = "every broker is fenced at the moment"
    elif replication_factor > racks.total:
        problem = f"{replication_factor} replicas need as many brokers, and only {racks.total} are registered"
    if problem:
        raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, problem)
    return [racks.place(replication_factor) for _ in range(partitions)]
