"""The record of a classic group: made when a generation settles, and taken over when it is in the log.

Rule: a record is made without changing the group; `settle` does that, when the record is replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from snakka.coordination.decision import Producer
from snakka.coordination.groups.classic.deadline_keys import forget_deadlines
from snakka.coordination.groups.classic.group import ClassicGroup, ClassicMember, State
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.record_types.group_coordinator.group_metadata_key import GroupMetadataKey
from snakka.protocol.record_types.group_coordinator.group_metadata_value import (
    GroupMetadataValue,
    MemberMetadata,
)

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# What Kafka 4.3 writes.
_VALUE_VERSION = 3
_NO_TIMESTAMP = -1
_NO_REBALANCE_TIMEOUT = -1


def creation_record(group: ClassicGroup) -> KeyedRecord:
    """The group exists from now on, whatever becomes of those who are joining it."""
    return _record(
        group.group_id,
        GroupMetadataValue(protocol=None, leader=None, current_state_timestamp=_timestamp(group)),
    )


def assignment_record(group: ClassicGroup, assignments: Mapping[str, bytes]) -> KeyedRecord:
    """Its members, each with the assignment that it gets; whoever is not named gets an empty one."""
    name = group.protocol_name or ""
    return _record(
        group.group_id,
        GroupMetadataValue(
            protocol_type=group.protocol_type,
            generation=group.generation,
            protocol=group.protocol_name,
            leader=group.leader_id,
            current_state_timestamp=_timestamp(group),
            members=[
                MemberMetadata(
                    member_id=member.member_id,
                    group_instance_id=member.instance_id,
                    client_id=member.client_id,
                    client_host=member.client_host,
                    rebalance_timeout=member.rebalance_timeout_ms,
                    session_timeout=member.session_timeout_ms,
                    subscription=member.protocols.get(name, b""),
                    assignment=assignments.get(member.member_id, b""),
                )
                for member in group.members.values()
            ],
        ),
    )


def stored_record(group: ClassicGroup) -> KeyedRecord:
    """The group as it is, with the assignments that its members have."""
    return assignment_record(
        group, {member.member_id: member.assignment for member in group.members.values()}
    )


def empty_generation_record(group: ClassicGroup, now_ms: int) -> KeyedRecord:
    """The next generation, which has no members."""
    return _record(
        group.group_id,
        GroupMetadataValue(
            protocol_type=group.protocol_type,
            generation=group.generation + 1,
            protocol=None,
            leader=None,
            current_state_timestamp=now_ms,
        ),
    )


def _record(group_id: str, value: GroupMetadataValue) -> KeyedRecord:
    return KeyedRecord(GroupMetadataKey(group=group_id), value, _VALUE_VERSION)


def _timestamp(group: ClassicGroup) -> int:
    return _NO_TIMESTAMP if group.state_since_ms is None else group.state_since_ms


def replay(shard: GroupShard, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
    """Take over a record of such a group."""
    key, value = record.key, record.value
    assert isinstance(key, GroupMetadataKey)
    group = shard.groups.get(key.group)
    if value is None:
        if isinstance(group, ClassicGroup):
            forget_deadlines(shard.deadlines, group)
            del shard.groups[key.group]
        return
    assert isinstance(value, GroupMetadataValue)
    if not isinstance(group, ClassicGroup):
        group = ClassicGroup(key.group)
        shard.groups[key.group] = group
    settle(group, value)


def settle(group: ClassicGroup, value: GroupMetadataValue) -> None:
    """Be what a record says. Who waits, and what else only memory knows of members that stay, is kept."""
    if group.state is State.PREPARING_REBALANCE and group.generation == value.generation:
        # The group is already on the way to the generation after this one.
        return
    group.generation = value.generation
    group.protocol_type = value.protocol_type
    group.protocol_name = value.protocol
    group.leader_id = value.leader
    group.set_members([_member(group, value.protocol or "", row) for row in value.members])
    group.note_subscriptions()
    group.previous_state = group.state
    group.state = State.STABLE if value.members else State.EMPTY
    since_ms = value.current_state_timestamp
    group.state_since_ms = None if since_ms == _NO_TIMESTAMP else since_ms


def _member(group: ClassicGroup, protocol: str, row: MemberMetadata) -> ClassicMember:
    """A record knows one protocol of a member; memory knows all, if it has heard of them."""
    known = group.members.get(row.member_id)
    if known is not None and known.protocols.get(protocol) == row.subscription:
        protocols = known.protocols
    else:
        protocols = {protocol: row.subscription}
    return ClassicMember(
        row.member_id,
        row.group_instance_id,
        row.client_id,
        row.client_host,
        row.session_timeout if row.rebalance_timeout == _NO_REBALANCE_TIMEOUT else row.rebalance_timeout,
        row.session_timeout,
        protocols,
        row.assignment,
    )
