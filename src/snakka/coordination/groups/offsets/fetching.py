"""OffsetFetch: what a group has committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.groups.offsets.store import CommittedOffset
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchRequestGroup,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)
from snakka.protocol.uuids import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

NO_OFFSET = -1


def fetch(
    shard: GroupShard, request: OffsetFetchRequestGroup, *, require_stable: bool
) -> OffsetFetchResponseGroup:
    """The offsets of the partitions that the request names, or of all that have one if it names no topics.

    `require_stable`: an offset that an open transaction may change is not told (KIP-447). Raises ApiError with Kafka's
    code if a member may not ask.
    """
    group_id = request.group_id
    offsets = shard.offsets.of_group(group_id) if _may_ask(shard, request) else {}
    asked = (
        ((topic, ZERO_UUID, list(partitions)) for topic, partitions in offsets.items())
        if request.topics is None
        else ((topic.name, topic.topic_id, topic.partition_indexes) for topic in request.topics)
    )
    rows: list[OffsetFetchResponseTopics] = []
    for topic, topic_id, indexes in asked:
        known = offsets.get(topic, {})
        partitions = [
            _unstable(index)
            if require_stable and shard.offsets.is_unstable(group_id, topic, index)
            else _row(index, known.get(index), topic_id)
            for index in indexes
        ]
        rows.append(OffsetFetchResponseTopics(name=topic, topic_id=topic_id, partitions=partitions))
    return OffsetFetchResponseGroup(group_id=group_id, topics=rows)


def _may_ask(shard: GroupShard, request: OffsetFetchRequestGroup) -> bool:
    """False if there is no such group, which is no error: it has no offsets."""
    group = shard.groups.get(request.group_id)
    if group is None:
        return False
    try:
        group.check_offset_fetch(request.member_id, request.member_epoch)
    except ApiError as error:
        if error.code != ErrorCode.GROUP_ID_NOT_FOUND:
            raise
        return False
    return True


def _row(index: int, committed: CommittedOffset | None, topic_id: Uuid) -> OffsetFetchResponsePartitions:
    if committed is None or _is_of_another_topic(committed.topic_id, topic_id):
        return OffsetFetchResponsePartitions(partition_index=index, committed_offset=NO_OFFSET)
    return OffsetFetchResponsePartitions(
        partition_index=index,
        committed_offset=committed.offset,
        committed_leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
    )


def _is_of_another_topic(committed: Uuid, asked: Uuid) -> bool:
    """Whether the offset was committed for a topic of the same name that is gone; who asks by name can't tell."""
    return committed != asked and ZERO_UUID not in (committed, asked)


def _unstable(index: int) -> OffsetFetchResponsePartitions:
    return OffsetFetchResponsePartitions(
        partition_index=index, committed_offset=NO_OFFSET, error_code=ErrorCode.UNSTABLE_OFFSET_COMMIT
    )
