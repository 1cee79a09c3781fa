"""The replicas that vote, and how that set changed along the log (KIP-853).

A voter is known by its node id and the id of the directory that holds its metadata log: a node that lost its disk is another
replica. With `controller.quorum.voters` (kraft.version 0) directory ids are not known and any directory of the node matches.
Rule: a set is immutable; what changes is which set is valid at which offset, and `QuorumHistory` remembers that.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from snakka.protocol.uuids import ZERO_UUID, Uuid

T = TypeVar("T")


class ReplicaKey(NamedTuple):
    """One replica of the metadata log. The zero uuid says that its directory is not known."""

    node_id: int
    directory_id: Uuid = ZERO_UUID

    def names(self, other: "ReplicaKey") -> bool:
        """True if `other` is the replica that this key speaks of."""
        if self.node_id != other.node_id:
            return False
        return self.directory_id in (ZERO_UUID, other.directory_id)


class Endpoint(NamedTuple):
    """Where a voter's controller listener answers."""

    listener: str
    host: str
    port: int


class Voter(NamedTuple):
    """A voter, where it is reached, and which kraft.version levels it understands."""

    key: ReplicaKey
    endpoints: tuple[Endpoint, ...] = ()
    min_kraft_version: int = 0
    max_kraft_version: int = 0


@dataclass(frozen=True, slots=True)
class VoterSet:
    """The voters at one point of the log, by node id."""

    voters: tuple[Voter, ...] = ()

    @classmethod
    def of(cls, *voters: Voter) -> "VoterSet":
        ordered = tuple(sorted(voters, key=lambda voter: voter.key.node_id))
        if len({voter.key.node_id for voter in ordered}) != len(ordered):
            raise ValueError("a node votes once")
        return cls(ordered)

    def __len__(self) -> int:
        return len(self.voters)

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(voter.key.node_id for voter in self.voters)

    @property
    def majority(self) -> int:
        """How many voters decide."""
        return len(self.voters) // 2 + 1

    def get(self, node_id: int) -> Voter | None:
        return next((voter for voter in self.voters if voter.key.node_id == node_id), None)

    def is_voter(self, key: ReplicaKey) -> bool:
        voter = self.get(key.node_id)
        return voter is not None and voter.key.names(key)

    def is_only_voter(self, key: ReplicaKey) -> bool:
        return len(self.voters) == 1 and self.is_voter(key)

    def needs_update(self, voter: Voter) -> bool:
        """True if the set has this voter, but with other endpoints or versions."""
        known = self.get(voter.key.node_id)
        return known is not None and known.key.names(voter.key) and known != voter

    def with_updated(self, voter: Voter) -> "VoterSet":
        if not self.is_voter(voter.key):
            raise ValueError(f"node {voter.key.node_id} is not a voter")
        others = (other for other in self.voters if other.key.node_id != voter.key.node_id)
        return VoterSet.of(voter, *others)


@dataclass(slots=True)
class OffsetHistory(Generic[T]):
    """Values that became valid at offsets of the log, oldest first."""

    offsets: list[int] = field(default_factory=list)
    values: list[T] = field(default_factory=list)

    def add(self, offset: int, value: T) -> None:
        if self.offsets and offset < self.offsets[-1]:
            raise ValueError(f"offset {offset} is before {self.offsets[-1]}, which is already known")
        self.offsets.append(offset)
        self.values.append(value)

    def at(self, offset: int) -> T | None:
        """What was valid after the record at `offset`."""
        index = bisect_right(self.offsets, offset)
        return self.values[index - 1] if index else None

    def forget_from(self, end_offset: int) -> None:
        """The log was truncated: its records from `end_offset` on are gone."""
        while self.offsets and self.offsets[-1] >= end_offset:
            self.offsets.pop()
            self.values.pop()

    def forget_before(self, start_offset: int) -> None:
        """The log starts at `start_offset` now: keep what is valid there and later."""
        surplus = bisect_right(self.offsets, start_offset) - 1
        if surplus > 0:
            del self.offsets[:surplus]
            del self.values[:surplus]


class QuorumHistory:
    """Voter sets and kraft.version levels by the offset of the control record that brought them.

    A snapshot's records count as written at the last offset that it contains; for the snapshot of a freshly formatted
    directory, which contains none, that is -1.
    """

    def __init__(self, static_voters: VoterSet | None = None) -> None:
        self._static_voters = static_voters or VoterSet()
        self._voters: OffsetHistory[VoterSet] = OffsetHistory()
        self._kraft_versions: OffsetHistory[int] = OffsetHistory()

    @property
    def voters(self) -> VoterSet:
        """The newest set, committed or not: raft counts with it from the moment it is appended."""
        return self._voters.values[-1] if self._voters.values else self._static_voters

    @property
    def voters_offset(self) -> int | None:
        """Where the newest set was written; None if it is the configured one."""
        return self._voters.offsets[-1] if self._voters.offsets else None

    @property
    def kraft_version(self) -> int:
        return self._kraft_versions.values[-1] if self._kraft_versions.values else 0

    def voters_at(self, offset: int) -> VoterSet | None:
        """The set that the log knew after the record at `offset`; None if it was only configured."""
        return self._voters.at(offset)

    def kraft_version_at(self, offset: int) -> int:
        return self._kraft_versions.at(offset) or 0

    def add_voters(self, offset: int, voters: VoterSet) -> None:
        self._voters.add(offset, voters)

    def add_kraft_version(self, offset: int, level: int) -> None:
        self._kraft_versions.add(offset, level)

    def forget_from(self, end_offset: int) -> None:
        self._voters.forget_from(end_offset)
        self._kraft_versions.forget_from(end_offset)

    def forget_before(self, start_offset: int) -> None:
        self._voters.forget_before(start_offset)
        self._kraft_versions.forget_before(start_offset)
