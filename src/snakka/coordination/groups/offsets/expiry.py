"""Offsets that nobody has committed for long, and groups that have nothing left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.group import Group, OffsetExpiry
from snakka.coordination.groups.offsets.records import tombstone
from snakka.coordination.groups.offsets.store import NO_EXPIRE_TIMESTAMP, CommittedOffset
from snakka.protocol.coordinator_framing import KeyedRecord

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def expire_offsets(shard: GroupShard, now: Moment) -> Decision[None]:
    """Remove what has outlived the retention, and with its last offset a group without members."""
    records: list[KeyedRecord] = []
    for group in shard.groups.values():
        expired, is_all = _expired_offsets(shard, group, now.wall_ms)
        records.extend(expired)
        has_open_transaction = next(shard.offsets.unstable_partitions(group.group_id), None) is not None
        if is_all and group.is_abandoned and not has_open_transaction:
            records.extend(group.tombstones())
    return Decision(records, atomic=False)


def _expired_offsets(shard: GroupShard, group: Group, now_ms: int) -> tuple[list[KeyedRecord], bool]:
    """Tombstones of what has expired, and whether that is everything that the group has."""
    offsets = shard.offsets.of_group(group.group_id)
    if not offsets:
        return [], True
    expiry = group.offset_expiry()
    if expiry is None:
        return [], False
    records: list[KeyedRecord] = []
    is_all = True
    retention_ms = shard.settings.offsets_retention_ms
    for topic, partitions in offsets.items():
        is_subscribed = group.is_subscribed_to(topic)
        for index, committed in partitions.items():
            if (
                not is_subscribed
                and _has_expired(committed, expiry, now_ms, retention_ms)
                and not shard.offsets.is_unstable(group.group_id, topic, index)
            ):
                records.append(tombstone(group.group_id, topic, index))
            else:
                is_all = False
    return records, is_all


def _has_expired(committed: CommittedOffset, expiry: OffsetExpiry, now_ms: int, retention_ms: int) -> bool:
    if committed.expire_timestamp_ms != NO_EXPIRE_TIMESTAMP:
        return now_ms >= committed.expire_timestamp_ms
    return now_ms - expiry.base_timestamp_ms(committed.commit_timestamp_ms) >= retention_ms
