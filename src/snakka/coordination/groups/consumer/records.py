"""The records of a consumer group, as Kafka writes them, and what members and assignments are made from them.

Rule: lists are sorted, so the same state is the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from snakka.coordination.groups.consumer.assignors.specification import Partitions
from snakka.coordination.groups.consumer.member import (
    ClassicProtocols,
    ConsumerMember,
    MemberState,
    OwnedPartitions,
)
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.record_types.group_coordinator.consumer_group_current_member_assignment_key import (
    ConsumerGroupCurrentMemberAssignmentKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_member_metadata_key import (
    ConsumerGroupMemberMetadataKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_member_metadata_value import (
    ClassicMemberMetadata,
    ClassicProtocol,
    ConsumerGroupMemberMetadataValue,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_metadata_key import (
    ConsumerGroupMetadataKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_metadata_value import (
    ConsumerGroupMetadataValue,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_partition_metadata_key import (
    ConsumerGroupPartitionMetadataKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_regular_expression_key import (
    ConsumerGroupRegularExpressionKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_regular_expression_value import (
    ConsumerGroupRegularExpressionValue,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_target_assignment_member_key import (
    ConsumerGroupTargetAssignmentMemberKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue,
    TopicPartition,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_target_assignment_metadata_key import (
    ConsumerGroupTargetAssignmentMetadataKey,
)
from snakka.protocol.record_types.group_coordinator.consumer_group_target_assignment_metadata_value import (
    ConsumerGroupTargetAssignmentMetadataValue,
)


@dataclass(frozen=True, slots=True)
class ResolvedPattern:
    """The topics that a regular expression matched, when it was looked at last."""

    topics: frozenset[str]
    # The offset of the metadata, and the time.
    version: int
    timestamp_ms: int


# -- writing ------------------------------------------------------------------------------------------------------


def group_record(group_id: str, epoch: int, metadata_hash: int) -> KeyedRecord:
    return KeyedRecord(
        ConsumerGroupMetadataKey(group_id=group_id),
        ConsumerGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash),
    )


def member_record(group_id: str, member: ConsumerMember) -> KeyedRecord:
    classic = member.classic
    return KeyedRecord(
        ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member.member_id),
        ConsumerGroupMemberMetadataValue(
            instance_id=member.instance_id,
            rack_id=member.rack_id,
            client_id=member.client_id,
            client_host=member.client_host,
            subscribed_topic_names=sorted(member.topics),
            subscribed_topic_regex=member.pattern,
            rebalance_timeout_ms=member.rebalance_timeout_ms,
            server_assignor=member.assignor,
            classic_member_metadata=None
            if classic is None
            else ClassicMemberMetadata(
                session_timeout_ms=classic.session_timeout_ms,
                supported_protocols=[
                    ClassicProtocol(name=name, metadata=metadata) for name, metadata in classic.protocols
                ],
            ),
        ),
    )


def current_record(group_id: str, member: ConsumerMember) -> KeyedRecord:
    """What the member has, and what it still has to give up."""
    return KeyedRecord(
        ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member.member_id),
        ConsumerGroupCurrentMemberAssignmentValue(
            member_epoch=member.epoch,
            previous_member_epoch=member.previous_epoch,
            state=member.state,
            assigned_partitions=_owned_rows(member.assigned),
            partitions_pending_revocation=_owned_rows(member.revoking),
        ),
    )


def target_record(group_id: str, member_id: str, partitions: Partitions) -> KeyedRecord:
    return KeyedRecord(
        ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id),
        ConsumerGroupTargetAssignmentMemberValue(
            topic_partitions=[
                TopicPartition(topic_id=topic_id, partitions=sorted(partitions[topic_id]))
                for topic_id in sorted(partitions)
            ]
        ),
    )


def target_epoch_record(group_id: str, epoch: int, timestamp_ms: int) -> KeyedRecord:
    return KeyedRecord(
        ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id),
        ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch=epoch, assignment_timestamp=timestamp_ms),
    )


def pattern_record(group_id: str, pattern: str, resolved: ResolvedPattern) -> KeyedRecord:
    return KeyedRecord(
        ConsumerGroupRegularExpressionKey(group_id=group_id, regular_expression=pattern),
        ConsumerGroupRegularExpressionValue(
            topics=sorted(resolved.topics), version=resolved.version, timestamp=resolved.timestamp_ms
        ),
    )


def pattern_tombstone(group_id: str, pattern: str) -> KeyedRecord:
    return KeyedRecord(ConsumerGroupRegularExpressionKey(group_id=group_id, regular_expression=pattern), None)


def partition_metadata_tombstone(group_id: str) -> KeyedRecord:
    """Until Kafka 4.0 a record said what the topics were like; the group's own record has a hash of that now."""
    return KeyedRecord(ConsumerGroupPartitionMetadataKey(group_id=group_id), None)


def member_tombstones(group_id: str, member_id: str) -> list[KeyedRecord]:
    return [
        KeyedRecord(ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member_id), None),
        KeyedRecord(ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), None),
        KeyedRecord(ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member_id), None),
    ]


def group_tombstones(group_id: str, member_ids: Iterable[str], patterns: Iterable[str]) -> list[KeyedRecord]:
    """In Kafka's order, which its replay insists on: a group goes when nothing of it is left."""
    by_member = [member_tombstones(group_id, member_id) for member_id in member_ids]
    return [
        *(current for current, _, _ in by_member),
        *(target for _, target, _ in by_member),
        KeyedRecord(ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id), None),
        *(member for _, _, member in by_member),
        *(pattern_tombstone(group_id, pattern) for pattern in patterns),
        partition_metadata_tombstone(group_id),
        KeyedRecord(ConsumerGroupMetadataKey(group_id=group_id), None),
    ]


def _owned_rows(partitions: OwnedPartitions) -> list[TopicPartitions]:
    rows = []
    for topic_id in sorted(partitions):
        numbers = sorted(partitions[topic_id])
        epochs = [partitions[topic_id][number] for number in numbers]
        rows.append(TopicPartitions(topic_id=topic_id, partitions=numbers, assignment_epochs=epochs))
    return rows


# -- reading ------------------------------------------------------------------------------------------------------


def described_by(member: ConsumerMember, value: ConsumerGroupMemberMetadataValue) -> ConsumerMember:
    classic = value.classic_member_metadata
    return replace(
        member,
        instance_id=value.instance_id,
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        topics=frozenset(value.subscribed_topic_names),
        pattern=value.subscribed_topic_regex or "",
        rebalance_timeout_ms=value.rebalance_timeout_ms,
        assignor=value.server_assignor,
        classic=None
        if classic is None
        else ClassicProtocols(
            classic.session_timeout_ms,
            tuple((protocol.name, protocol.metadata) for protocol in classic.supported_protocols),
        ),
    )


def assigned_by(member: ConsumerMember, value: ConsumerGroupCurrentMemberAssignmentValue) -> ConsumerMember:
    return replace(
        member,
        epoch=value.member_epoch,
        previous_epoch=value.previous_member_epoch,
        state=MemberState.of(value.state),
        assigned=_owned(value.assigned_partitions, value.member_epoch),
        revoking=_owned(value.partitions_pending_revocation, value.member_epoch),
    )


def target_by(value: ConsumerGroupTargetAssignmentMemberValue) -> Partitions:
    return {row.topic_id: frozenset(row.partitions) for row in value.topic_partitions}


def _owned(rows: Collection[TopicPartitions], member_epoch: int) -> OwnedPartitions:
    """Records before Kafka 4.3 do not say since when a partition is assigned."""
    owned: dict[bytes, Mapping[int, int]] = {}
    for row in rows:
        if row.assignment_epochs and len(row.assignment_epochs) == len(row.partitions):
            owned[row.topic_id] = dict(zip(row.partitions, row.assignment_epochs, strict=True))
        else:
            owned[row.topic_id] = dict.fromkeys(row.partitions, max(member_epoch, 0))
    return owned
