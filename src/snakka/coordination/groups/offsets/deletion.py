"""Offsets that go: by OffsetDelete, with their group, or with their topic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision
from snakka.coordination.groups.offsets.records import tombstone
from snakka.metadata.image.topics import TopicImage
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from snakka.protocol.uuids import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def delete_offsets(shard: GroupShard, request: OffsetDeleteRequest) -> Decision[OffsetDeleteResponse]:
    """OffsetDelete, of partitions that exist. Raises ApiError with Kafka's code if the group does not let go of any."""
    group = shard.groups.get(request.group_id)
    if group is None:
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {request.group_id} not found.")
    group.check_offset_delete()
    records: list[KeyedRecord] = []
    rows: list[OffsetDeleteResponseTopic] = []
    for topic in request.topics:
        is_subscribed = group.is_subscribed_to(topic.name)
        code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if is_subscribed else ErrorCode.NONE
        indexes = [partition.partition_index for partition in topic.partitions]
        rows.append(
            OffsetDeleteResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetDeleteResponsePartition(partition_index=index, error_code=code) for index in indexes
                ],
            )
        )
        if not is_subscribed:
            records.extend(
                tombstone(request.group_id, topic.name, index)
                for index in indexes
                if _has_offset(shard, request.group_id, topic.name, index)
            )
    return Decision(records, OffsetDeleteResponse(topics=rows))


def _has_offset(shard: GroupShard, group_id: str, topic: str, partition: int) -> bool:
    offsets = shard.offsets
    return offsets.get(group_id, topic, partition) is not None or offsets.is_unstable(
        group_id, topic, partition
    )


def all_tombstones(shard: GroupShard, group_id: str) -> list[KeyedRecord]:
    """What deletes all offsets of a group, those of open transactions among them."""
    places = {
        (topic, index): None
        for topic, partitions in shard.offsets.of_group(group_id).items()
        for index in partitions
    }
    places.update(dict.fromkeys(shard.offsets.unstable_partitions(group_id)))
    return [tombstone(group_id, topic, index) for topic, index in places]


def topics_deleted(shard: GroupShard, topics: Iterable[TopicImage]) -> Decision[None]:
    """Topics are gone: so are their offsets, unless they belong to a newer topic of the same name."""
    ids: dict[str, dict[Uuid, None]] = {}
    for topic in topics:
        ids.setdefault(topic.name, {ZERO_UUID: None})[topic.id] = None
    places = {
        (group_id, name, index): None
        for group_id in shard.offsets.groups()
        for name in ids
        for index, committed in shard.offsets.of_group(group_id).get(name, {}).items()
        if committed.topic_id in ids[name]
    }
    for place, committed in shard.offsets.pending():
        if committed.topic_id in ids.get(place[1], ()):
            places[place] = None
    return Decision([tombstone(*place) for place in places], atomic=False)
