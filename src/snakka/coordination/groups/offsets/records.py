"""The records of committed offsets: what Kafka 4.3 writes, and what it reads of older versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Producer
from snakka.coordination.groups.classic.group import ClassicGroup
from snakka.coordination.groups.offsets.store import NO_EPOCH, NO_EXPIRE_TIMESTAMP, CommittedOffset
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.record_types.group_coordinator.legacy_offset_commit_key import LegacyOffsetCommitKey
from snakka.protocol.record_types.group_coordinator.legacy_offset_commit_value import LegacyOffsetCommitValue
from snakka.protocol.record_types.group_coordinator.offset_commit_key import OffsetCommitKey
from snakka.protocol.record_types.group_coordinator.offset_commit_value import OffsetCommitValue
from snakka.protocol.uuids import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# The one version that has room for a moment at which the offset expires; it has none for epochs and topic ids.
WITH_EXPIRE_TIMESTAMP = 1
CURRENT = 4


def commit_record(
    group_id: str,
    topic: str,
    topic_id: Uuid,
    partition: int,
    *,
    offset: int,
    leader_epoch: int,
    metadata: str | None,
    commit_timestamp_ms: int,
    expire_timestamp_ms: int = NO_EXPIRE_TIMESTAMP,
) -> KeyedRecord:
    key = OffsetCommitKey(group=group_id, topic=topic, partition=partition)
    if expire_timestamp_ms == NO_EXPIRE_TIMESTAMP:
        value = OffsetCommitValue(
            offset=offset,
            leader_epoch=leader_epoch,
            metadata=metadata or "",
            commit_timestamp=commit_timestamp_ms,
            topic_id=topic_id,
        )
        return KeyedRecord(key, value, CURRENT)
    value = OffsetCommitValue(
        offset=offset,
        metadata=metadata or "",
        commit_timestamp=commit_timestamp_ms,
        expire_timestamp=expire_timestamp_ms,
    )
    return KeyedRecord(key, value, WITH_EXPIRE_TIMESTAMP)


def tombstone(group_id: str, topic: str, partition: int) -> KeyedRecord:
    return KeyedRecord(OffsetCommitKey(group=group_id, topic=topic, partition=partition), None)


def replay(shard: GroupShard, record: KeyedRecord, offset: int, producer: Producer | None) -> None:
    """Take over a committed or deleted offset."""
    key = record.key
    assert isinstance(key, OffsetCommitKey | LegacyOffsetCommitKey)
    group_id = key.group
    if record.value is None:
        shard.offsets.remove(group_id, key.topic, key.partition)
        return
    group = shard.groups.get(group_id)
    if group is None:
        # Offsets make a group of their own, whose members nobody knows: Kafka calls it simple.
        group = shard.groups[group_id] = ClassicGroup(group_id)
    topic, committed = _committed(shard, key.topic, record, offset)
    if producer is None:
        shard.offsets.put(group.group_id, topic, key.partition, committed)
    else:
        shard.offsets.put_pending(producer.producer_id, group.group_id, topic, key.partition, committed)


def _committed(
    shard: GroupShard, topic: str, record: KeyedRecord, offset: int
) -> tuple[str, CommittedOffset]:
    """The topic's name and what is committed; name and id are the metadata's own, not copies, where it knows them."""
    value = record.value
    known = shard.image.topics.get(topic)
    if known is not None:
        topic = known.name
    if isinstance(value, LegacyOffsetCommitValue):
        return topic, CommittedOffset(
            value.offset,
            NO_EPOCH,
            value.metadata,
            value.commit_timestamp,
            NO_EXPIRE_TIMESTAMP,
            ZERO_UUID,
            offset,
        )
    assert isinstance(value, OffsetCommitValue)
    topic_id = value.topic_id
    if known is not None and known.id == topic_id:
        topic_id = known.id
    return topic, CommittedOffset(
        value.offset,
        value.leader_epoch,
        value.metadata,
        value.commit_timestamp,
        value.expire_timestamp,
        topic_id,
        offset,
    )
