"""A classic group: its members, and how far they are on the way to their next generation.

A record is written when a generation has settled, because its leader has assigned or because nobody is left; between two
records the group lives in memory only. So members, their protocols and a generation that is under way are soft state; that
a generation is Stable or Empty, and who has been assigned what, is said by records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from snakka.coordination.decision import Ticket
from snakka.coordination.groups.classic.subscriptions import CONSUMER_PROTOCOL_TYPE, subscribed_topics
from snakka.coordination.groups.group import CLASSIC, CheckPartition, OffsetExpiry
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_types.group_coordinator.group_metadata_key import GroupMetadataKey

NO_MEMBER_ID = ""


class State(StrEnum):
    """Kafka's names, as clients see them."""

    EMPTY = "Empty"
    # Members are expected to join, or to join again.
    PREPARING_REBALANCE = "PreparingRebalance"
    # Everybody has joined; the leader's assignment is awaited.
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    # What is said of a group that does not exist.
    DEAD = "Dead"


@dataclass(slots=True, eq=False)
class ClassicMember:
    """A member as it introduced itself, and what it has been assigned."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    # The names of the assignors that it can do, the one that it likes best first, with the metadata for each.
    protocols: dict[str, bytes]
    assignment: bytes = b""
    # It has not seen a generation yet. It does not know its id, so it can't send heartbeats.
    is_new: bool = False


class DescribedMember(NamedTuple):
    """What DescribeGroups says of a member."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


@dataclass(slots=True, eq=False)
class ClassicGroup:
    """A group whose members have a leader, who assigns.

    Without members and protocol type it is a simple group: of consumers that choose their partitions themselves and only
    commit offsets.
    """

    group_id: str
    state: State = State.EMPTY
    generation: int = 0
    # Empty before the first member came.
    protocol_type: str = ""
    # The assignor that this generation has agreed on.
    protocol_name: str | None = None
    leader_id: str | None = None
    # Since when, in wall milliseconds, the group is in its state; None: the record is too old to say.
    state_since_ms: int | None = None
    # In the order in which they came, which decides who leads and how the leader sees them.
    members: dict[str, ClassicMember] = field(default_factory=dict)
    # The members that have an instance id, by it (KIP-345).
    static_members: dict[str, str] = field(default_factory=dict)
    # Known at the beginning of a generation; None: not known.
    subscribed: frozenset[str] | None = None
    previous_state: State = State.DEAD
    # Ids that were given to members which have not joined with them yet (KIP-394).
    pending_join: dict[str, None] = field(default_factory=dict)
    # Who waits for the answer of a JoinGroup, and of a SyncGroup.
    joining: dict[str, Ticket] = field(default_factory=dict)
    syncing: dict[str, Ticket] = field(default_factory=dict)
    # Members of this generation that have not asked for their assignment yet.
    pending_sync: dict[str, None] = field(default_factory=dict)
    # The first rebalance of a group waits for more members: how long it waits now, and how long it may wait after that.
    initial_delay_ms: int = 0
    initial_remaining_ms: int = 0
    new_member_added: bool = False
    # By how many members each protocol is supported.
    _supporters: dict[str, int] = field(default_factory=dict)

    # -- members --------------------------------------------------------------------------------------------------

    def add(self, member: ClassicMember) -> None:
        """A new member, pending until now perhaps. The first one leads."""
        self.members[member.member_id] = member
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.member_id
        if self.leader_id is None:
            self.leader_id = member.member_id
        self._count(member, 1)
        self.pending_join.pop(member.member_id, None)

    def remove(self, member_id: str) -> None:
        """A member, or one that is pending, is gone. Whoever waits for it has been answered before."""
        member = self.members.pop(member_id, None)
        if member is not None:
            self._count(member, -1)
            if member.instance_id is not None:
                self.static_members.pop(member.instance_id, None)
        if self.leader_id == member_id:
            self.leader_id = next(iter(self.members), None)
        self.joining.pop(member_id, None)
        self.syncing.pop(member_id, None)
        self.pending_join.pop(member_id, None)
        self.pending_sync.pop(member_id, None)

    def update(
        self,
        member: ClassicMember,
        protocols: dict[str, bytes],
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
    ) -> None:
        self._count(member, -1)
        member.protocols = protocols
        self._count(member, 1)
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms

    def set_members(self, members: Sequence[ClassicMember]) -> None:
        """These, and in this order, are all."""
        self.members, self.static_members, self._supporters = {}, {}, {}
        for member in members:
            self.add(member)
        if self.leader_id not in self.members:
            self.leader_id = next(iter(self.members), None)
        for place in (self.joining, self.syncing, self.pending_sync):
            for member_id in [member_id for member_id in place if member_id not in self.members]:
                del place[member_id]

    def rename(self, member: ClassicMember, new_id: str) -> None:
        """A static member has come back under a new id; nobody waits under the old one any more."""
        old_id = member.member_id
        self.members = {
            new_id if member_id == old_id else member_id: each for member_id, each in self.members.items()
        }
        member.member_id = new_id
        if member.instance_id is not None:
            self.static_members[member.instance_id] = new_id
        if self.leader_id == old_id:
            self.leader_id = new_id
        if old_id in self.pending_sync:
            del self.pending_sync[old_id]
            self.pending_sync[new_id] = None

    def _count(self, member: ClassicMember, change: int) -> None:
        supporters = self._supporters
        for name in member.protocols:
            count = supporters.get(name, 0) + change
            if count:
                supporters[name] = count
            else:
                supporters.pop(name, None)

    def check_member(self, member_id: str, instance_id: str | None) -> None:
        """ApiError if there is no such member, or if another one has taken its instance id over."""
        if instance_id is not None:
            holder = self.static_members.get(instance_id)
            if holder is None:
                raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
            if holder != member_id:
                raise ApiError(ErrorCode.FENCED_INSTANCE_ID)
        if member_id not in self.members:
            raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)

    # -- generations ----------------------------------------------------------------------------------------------

    def enter(self, state: State, now_ms: int) -> None:
        self.previous_state = self.state
        self.state = state
        self.state_since_ms = now_ms

    @property
    def rebalance_timeout_ms(self) -> int:
        """As long as the most patient member's."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    @property
    def has_everybody_joined(self) -> bool:
        return len(self.joining) == len(self.members) and not self.pending_join

    def is_satisfied(self, member: ClassicMember) -> bool:
        """Who waits for an answer need not send heartbeats, unless it is new: then it may have given up unnoticed."""
        return not member.is_new and (member.member_id in self.joining or member.member_id in self.syncing)

    def supports(self, protocol_type: str, protocols: Mapping[str, bytes]) -> bool:
        """Whether somebody with these protocols could join: all members must have one of them in common."""
        if self.state is State.EMPTY:
            return bool(protocol_type and protocols)
        return protocol_type == self.protocol_type and any(
            self._supporters.get(name, 0) == len(self.members) for name in protocols
        )

    def select_protocol(self) -> str:
        """What most members like best of all that everybody supports; of equals, the one that was voted for first."""
        everybody = len(self.members)
        votes: dict[str, int] = {}
        for member in self.members.values():
            for name in member.protocols:
                if self._supporters[name] == everybody:
                    votes[name] = votes.get(name, 0) + 1
                    break
        return max(votes, key=votes.__getitem__)

    def begin_generation(self, now_ms: int) -> None:
        """Everybody who is still here has joined; the leader's assignment is next."""
        self.generation += 1
        self.protocol_name = self.select_protocol()
        self.note_subscriptions()
        self.enter(State.COMPLETING_REBALANCE, now_ms)

    def note_subscriptions(self) -> None:
        """Look at what the members subscribe to, in the protocol that they have agreed on."""
        if self.protocol_type != CONSUMER_PROTOCOL_TYPE:
            self.subscribed = None
        elif not self.members:
            self.subscribed = frozenset()
        elif self.protocol_name is not None:
            name = self.protocol_name
            self.subscribed = subscribed_topics(
                member.protocols.get(name, b"") for member in self.members.values()
            )
        else:
            self.subscribed = None

    # -- what every kind of group answers to ----------------------------------------------------------------------

    @property
    def kind(self) -> str:
        return CLASSIC

    @property
    def state_name(self) -> str:
        return self.state.value

    @property
    def is_empty(self) -> bool:
        return self.state is State.EMPTY

    @property
    def is_abandoned(self) -> bool:
        return self.is_empty and not self.pending_join

    def has_member(self, member_id: str) -> bool:
        return member_id in self.members

    def check_offset_commit(
        self,
        member_id: str,
        instance_id: str | None,
        generation_or_epoch: int,
        *,
        is_transactional: bool,
        api_version: int,
    ) -> CheckPartition | None:
        if generation_or_epoch < 0 and self.state is State.EMPTY:
            # An admin client, or a consumer that manages its partitions itself.
            return None
        if generation_or_epoch >= 0 or member_id or instance_id is not None:
            self.check_member(member_id, instance_id)
            if generation_or_epoch != self.generation:
                raise ApiError(ErrorCode.ILLEGAL_GENERATION)
        elif not is_transactional and self.state is not State.EMPTY:
            # Version 0 names no member; old versions of TxnOffsetCommit do not either, and may do so.
            raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
        if not is_transactional and self.state is State.COMPLETING_REBALANCE:
            raise ApiError(ErrorCode.REBALANCE_IN_PROGRESS)
        return None

    def check_offset_fetch(self, member_id: str | None, member_epoch: int) -> None:
        """Everybody may."""

    def check_offset_delete(self) -> None:
        if self.state is not State.EMPTY and self.protocol_type != CONSUMER_PROTOCOL_TYPE:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP)

    def check_delete(self) -> None:
        if self.state is not State.EMPTY:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP)

    def is_subscribed_to(self, topic: str) -> bool:
        """Where that is not known, consumers are taken to be subscribed to everything, and others to nothing."""
        if self.subscribed is None:
            return self.protocol_type == CONSUMER_PROTOCOL_TYPE
        return topic in self.subscribed

    def offset_expiry(self) -> OffsetExpiry | None:
        if not self.protocol_type:
            return OffsetExpiry(_since_the_commit)
        if self.state is State.EMPTY:
            since_ms = self.state_since_ms
            return OffsetExpiry(_since_the_commit if since_ms is None else lambda _committed_ms: since_ms)
        if (
            self.protocol_type == CONSUMER_PROTOCOL_TYPE
            and self.state is State.STABLE
            and self.subscribed is not None
        ):
            return OffsetExpiry(_since_the_commit)
        return None

    def tombstones(self) -> Sequence[KeyedRecord]:
        return (KeyedRecord(GroupMetadataKey(group=self.group_id), None),)

    def described_members(self) -> list[DescribedMember]:
        """For DescribeGroups; what members have said of themselves counts when the group is Stable."""
        name = self.protocol_name if self.state is State.STABLE else None
        return [
            DescribedMember(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                b"" if name is None else member.protocols.get(name, b""),
                member.assignment,
            )
            for member in self.members.values()
        ]


def _since_the_commit(committed_ms: int) -> int:
    return committed_ms
