"""Takes over records of consumer groups: into a group of the shard, or into a draft that a decision is being made with.

A record says what a thing is, and a tombstone that it is no more; neither depends on what was before. So a compacted log
builds the same group as the whole one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from snakka.coordination.decision import Producer
from snakka.coordination.groups.consumer.deadline_keys import forget_deadlines
from snakka.coordination.groups.consumer.group import FIRST_EPOCH, ConsumerGroup
from snakka.coordination.groups.consumer.member import LEAVING, NO_PARTITIONS, ConsumerMember
from snakka.coordination.groups.consumer.records import ResolvedPattern, assigned_by, described_by, target_by
from snakka.protocol.coordinator_framing import KeyedRecord

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

_GROUP, _PARTITION_METADATA, _MEMBER, _TARGET_EPOCH, _TARGET, _CURRENT, _PATTERN = 3, 4, 5, 6, 7, 8, 16


def replay(shard: GroupShard, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
    """Take over a record of such a group."""
    key: Any = record.key
    group = shard.groups.get(key.group_id)
    if not isinstance(group, ConsumerGroup):
        if record.value is None:
            return
        # What else has this name has no records of its own, or they end here.
        group = shard.groups[key.group_id] = ConsumerGroup(key.group_id)
    if key.RECORD_KEY == _GROUP and record.value is None:
        forget_deadlines(shard.deadlines, group)
        del shard.groups[key.group_id]
    else:
        apply(group, record)


def apply(group: ConsumerGroup, record: KeyedRecord) -> None:
    """Be what the record says."""
    _APPLY[record.key.RECORD_KEY](group, record.key, record.value)


def _group(group: ConsumerGroup, key: Any, value: Any) -> None:
    group.epoch = FIRST_EPOCH if value is None else value.epoch
    group.metadata_hash = 0 if value is None else value.metadata_hash
    group.is_metadata_current = True


def _partition_metadata(group: ConsumerGroup, key: Any, value: Any) -> None:
    group.has_partition_metadata = value is not None


def _member(group: ConsumerGroup, key: Any, value: Any) -> None:
    if value is None:
        group.remove(key.member_id)
    else:
        group.put(described_by(_known(group, key.member_id), value))


def _target_epoch(group: ConsumerGroup, key: Any, value: Any) -> None:
    group.assignment_epoch = FIRST_EPOCH if value is None else value.assignment_epoch
    group.assigned_at_ms = 0 if value is None else value.assignment_timestamp


def _target(group: ConsumerGroup, key: Any, value: Any) -> None:
    if value is None:
        group.target.pop(key.member_id, None)
    else:
        group.target[key.member_id] = target_by(value)


def _current(group: ConsumerGroup, key: Any, value: Any) -> None:
    if value is not None:
        group.put(assigned_by(_known(group, key.member_id), value))
    elif key.member_id in group.members:
        # The member itself goes with the next tombstone; its partitions are free already.
        group.put(
            replace(
                group.members[key.member_id],
                epoch=LEAVING,
                previous_epoch=LEAVING,
                assigned=NO_PARTITIONS,
                revoking=NO_PARTITIONS,
            )
        )


def _pattern(group: ConsumerGroup, key: Any, value: Any) -> None:
    if value is None:
        group.resolved.pop(key.regular_expression, None)
    else:
        group.resolved[key.regular_expression] = ResolvedPattern(
            frozenset(value.topics), value.version, value.timestamp
        )


def _known(group: ConsumerGroup, member_id: str) -> ConsumerMember:
    """A member may be described after it is assigned something: compaction keeps each key's last record only."""
    return group.members.get(member_id) or ConsumerMember(member_id)


_APPLY: dict[int, Callable[[ConsumerGroup, Any, Any], None]] = {
    _GROUP: _group,
    _PARTITION_METADATA: _partition_metadata,
    _MEMBER: _member,
    _TARGET_EPOCH: _target_epoch,
    _TARGET: _target,
    _CURRENT: _current,
    _PATTERN: _pattern,
}
