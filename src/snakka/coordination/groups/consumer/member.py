"""A member of a consumer group, as its records describe it. It never changes: another one takes its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType

from snakka.protocol.uuids import Uuid

# What a member says as its epoch when it joins, leaves, and leaves for a while (a static member).
JOINING = 0
LEAVING = -1
LEAVING_FOR_A_WHILE = -2

# By topic and partition, the epoch from which on the member has it (KIP-1251).
OwnedPartitions = Mapping[Uuid, Mapping[int, int]]
NO_PARTITIONS: OwnedPartitions = MappingProxyType({})


class MemberState(IntEnum):
    """How far a member is on the way to its target; the numbers are in records."""

    # It has all that its epoch gives it.
    STABLE = 0
    # It still has partitions that it was told to give up.
    UNREVOKED_PARTITIONS = 1
    # It waits for partitions that others still have.
    UNRELEASED_PARTITIONS = 2
    # A record of a later version.
    UNKNOWN = 127

    @classmethod
    def of(cls, number: int) -> MemberState:
        return cls(number) if number in (0, 1, 2) else cls.UNKNOWN


@dataclass(frozen=True, slots=True)
class ClassicProtocols:
    """What a member that speaks the classic protocol said of itself when it joined."""

    session_timeout_ms: int
    # Names of assignors with the member's metadata for each, the one that it likes best first.
    protocols: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class ConsumerMember:
    member_id: str
    epoch: int = JOINING
    # The epoch before: an answer may be lost, so a member may come with the old one.
    previous_epoch: int = -1
    state: MemberState = MemberState.STABLE
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topics: frozenset[str] = frozenset()
    # A regular expression over topic names; empty if there is none.
    pattern: str = ""
    assignor: str | None = None
    assigned: OwnedPartitions = field(default_factory=lambda: NO_PARTITIONS)
    # To be given up; the member still has them.
    revoking: OwnedPartitions = field(default_factory=lambda: NO_PARTITIONS)
    # None: it speaks the consumer protocol.
    classic: ClassicProtocols | None = None

    @property
    def is_classic(self) -> bool:
        return self.classic is not None

    def is_reconciled_to(self, epoch: int) -> bool:
        return self.state is MemberState.STABLE and self.epoch == epoch

    def assigned_since(self, topic_id: Uuid, partition: int) -> int | None:
        """From which epoch on the member has the partition, be it to be given up; None if it has not."""
        for partitions in (self.assigned, self.revoking):
            since = partitions.get(topic_id, {}).get(partition)
            if since is not None:
                return since
        return None
