"""A consumer group (KIP-848): its members, who is to have which partitions, and who has them.

Three epochs: the group's, which goes up whenever something calls for another assignment; the assignment's, which follows
when one is made; and each member's, which follows when it has given up what the assignment takes from it. All of it is
described by records; only what is marked as soft is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from snakka.coordination.groups.consumer.assignors.specification import Partitions
from snakka.coordination.groups.consumer.counts import Counts, recount
from snakka.coordination.groups.consumer.member import ConsumerMember
from snakka.coordination.groups.consumer.ownership import Ownership
from snakka.coordination.groups.consumer.records import ResolvedPattern, group_tombstones
from snakka.coordination.groups.group import CONSUMER, CheckPartition, OffsetExpiry
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.uuids import Uuid

PROTOCOL_TYPE = "consumer"
# Groups and assignments begin here.
FIRST_EPOCH = 1
# The first version of OffsetCommit that can tell a member that its epoch is an old one.
FIRST_COMMIT_WITH_EPOCHS = 9


class State(StrEnum):
    """Kafka's names, as clients see them."""

    EMPTY = "Empty"
    # The assignment of the group's epoch has not been made yet.
    ASSIGNING = "Assigning"
    # Some member is still on its way to the assignment.
    RECONCILING = "Reconciling"
    STABLE = "Stable"
    # What is said of a group that does not exist.
    DEAD = "Dead"


@dataclass(slots=True, eq=False)
class ConsumerGroup:
    group_id: str
    epoch: int = FIRST_EPOCH
    metadata_hash: int = 0
    assignment_epoch: int = FIRST_EPOCH
    # When the assignment was made, in wall milliseconds; 0: there has been none.
    assigned_at_ms: int = 0
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    # Members that have an instance id, by it.
    static_members: dict[str, str] = field(default_factory=dict)
    # Who is to have what, by member id.
    target: dict[str, Partitions] = field(default_factory=dict)
    ownership: Ownership = field(default_factory=Ownership)
    resolved: dict[str, ResolvedPattern] = field(default_factory=dict)
    # There is a record that Kafka wrote until 4.0, to be removed.
    has_partition_metadata: bool = False
    # By how many members: topics by their names, regular expressions, assignors, and protocols of classic members.
    topic_counts: Counts = field(default_factory=dict)
    pattern_counts: Counts = field(default_factory=dict)
    assignor_counts: Counts = field(default_factory=dict)
    protocol_counts: Counts = field(default_factory=dict)
    classic_members: int = 0
    # Soft: whether the hash has been compared with the metadata since that changed last; and the version of the metadata
    # that had new topics last, for the regular expressions.
    is_metadata_current: bool = False
    newest_topics_version: int = 0

    def copy(self) -> ConsumerGroup:
        """A draft of what the group will be."""
        return ConsumerGroup(
            self.group_id,
            self.epoch,
            self.metadata_hash,
            self.assignment_epoch,
            self.assigned_at_ms,
            dict(self.members),
            dict(self.static_members),
            dict(self.target),
            self.ownership.copy(),
            dict(self.resolved),
            self.has_partition_metadata,
            dict(self.topic_counts),
            dict(self.pattern_counts),
            dict(self.assignor_counts),
            dict(self.protocol_counts),
            self.classic_members,
            self.is_metadata_current,
            self.newest_topics_version,
        )

    # -- members --------------------------------------------------------------------------------------------------

    def put(self, member: ConsumerMember) -> None:
        """A member has come, or is another than it was."""
        self._change(self.members.get(member.member_id), member)
        self.members[member.member_id] = member
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.member_id

    def remove(self, member_id: str) -> None:
        member = self.members.pop(member_id, None)
        if member is None:
            return
        self._change(member, None)
        instance_id = member.instance_id
        if instance_id is not None and self.static_members.get(instance_id) == member_id:
            del self.static_members[instance_id]

    def _change(self, old: ConsumerMember | None, new: ConsumerMember | None) -> None:
        self.ownership.replace(old, new)
        recount(self.topic_counts, old.topics if old else (), new.topics if new else ())
        recount(self.pattern_counts, _pattern(old), _pattern(new))
        recount(self.assignor_counts, _assignor(old), _assignor(new))
        recount(self.protocol_counts, _protocols(old), _protocols(new))
        self.classic_members += (new is not None and new.is_classic) - (old is not None and old.is_classic)

    def member(self, member_id: str, instance_id: str | None = None) -> ConsumerMember:
        """ApiError if there is no such member, or if another one has its instance id."""
        if instance_id is not None:
            holder = self.static_members.get(instance_id)
            if holder is None:
                raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"nobody has the instance id {instance_id}")
            if holder != member_id:
                raise ApiError(ErrorCode.FENCED_INSTANCE_ID, f"{instance_id} belongs to {holder} now")
            member_id = holder
        member = self.members.get(member_id)
        if member is None:
            raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"{member_id} is not in group {self.group_id}")
        return member

    def static_member(self, instance_id: str | None) -> ConsumerMember | None:
        holder = None if instance_id is None else self.static_members.get(instance_id)
        return None if holder is None else self.members.get(holder)

    @property
    def state(self) -> State:
        if not self.members:
            return State.EMPTY
        if self.epoch > self.assignment_epoch:
            return State.ASSIGNING
        for member in self.members.values():
            if not member.is_reconciled_to(self.assignment_epoch):
                return State.RECONCILING
        return State.STABLE

    # -- subscriptions --------------------------------------------------------------------------------------------

    def subscribed_topics(self) -> set[str]:
        """All names that somebody subscribes to, whether there are such topics or not."""
        topics = set(self.topic_counts)
        for resolved in self.resolved.values():
            topics |= resolved.topics
        return topics

    def topics_of(self, member: ConsumerMember) -> frozenset[str]:
        """An expression that has not been looked at yet matches nothing."""
        resolved = self.resolved.get(member.pattern)
        return member.topics if resolved is None else member.topics | resolved.topics

    # -- what every kind of group answers to ----------------------------------------------------------------------

    @property
    def kind(self) -> str:
        return CONSUMER

    @property
    def protocol_type(self) -> str:
        return PROTOCOL_TYPE

    @property
    def state_name(self) -> str:
        return self.state.value

    @property
    def is_empty(self) -> bool:
        return not self.members

    @property
    def is_abandoned(self) -> bool:
        return self.is_empty

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
        epoch = generation_or_epoch
        if epoch < 0 and not self.members:
            # An admin client, or a consumer that manages its partitions itself.
            return None
        if is_transactional and epoch == -1 and not member_id and instance_id is None:
            # A producer need not say for which member it commits.
            return None
        member = self.member(member_id)
        if not is_transactional and not member.is_classic and api_version < FIRST_COMMIT_WITH_EPOCHS:
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION, "this version of OffsetCommit knows no member epochs"
            )
        if epoch == member.epoch:
            return None
        if epoch > member.epoch:
            raise _stale(member, f"epoch {epoch} is yet to come, {member_id} has {member.epoch}")
        return _partition_check(member, epoch)

    def check_offset_fetch(self, member_id: str | None, member_epoch: int) -> None:
        if member_id is None and member_epoch < 0:
            return
        member = self.member(member_id or "")
        if member_epoch != member.epoch:
            raise _stale(member, f"{member_id} has epoch {member.epoch}, not {member_epoch}")

    def check_offset_delete(self) -> None:
        """Everybody may; topics that are subscribed to are kept from it one by one."""

    def check_delete(self) -> None:
        if self.members:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP)

    def is_subscribed_to(self, topic: str) -> bool:
        return topic in self.topic_counts or any(topic in found.topics for found in self.resolved.values())

    def offset_expiry(self) -> OffsetExpiry | None:
        return OffsetExpiry(_since_the_commit)

    def tombstones(self) -> Sequence[KeyedRecord]:
        return group_tombstones(self.group_id, self.members, self.resolved)


def _pattern(member: ConsumerMember | None) -> Sequence[str]:
    return (member.pattern,) if member is not None and member.pattern else ()


def _assignor(member: ConsumerMember | None) -> Sequence[str]:
    return (member.assignor,) if member is not None and member.assignor is not None else ()


def _protocols(member: ConsumerMember | None) -> Sequence[str]:
    if member is None or member.classic is None:
        return ()
    return [name for name, _ in member.classic.protocols]


def _stale(member: ConsumerMember, text: str) -> ApiError:
    code = ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH
    return ApiError(code, text)


def _partition_check(member: ConsumerMember, epoch: int) -> CheckPartition:
    """The member's commit was under way when its epoch went up: what it had already then is its own (KIP-1251)."""

    def check(topic: str, topic_id: Uuid, partition: int) -> None:
        since = member.assigned_since(topic_id, partition)
        if since is None:
            raise _stale(member, f"{topic}-{partition} is not assigned to {member.member_id}")
        if epoch < since:
            raise _stale(member, f"{topic}-{partition} is assigned since epoch {since}, later than {epoch}")

    return check


def _since_the_commit(committed_ms: int) -> int:
    return committed_ms
