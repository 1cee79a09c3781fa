"""OffsetCommit and TxnOffsetCommit: whether a member may commit, and the records of what it commits.

Whoever asks has been let in, and has sorted out partitions that do not exist; what is left is the group's own matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment, Producer
from snakka.coordination.groups.classic.group import ClassicGroup
from snakka.coordination.groups.classic.sessions import touch
from snakka.coordination.groups.group import CheckPartition
from snakka.coordination.groups.offsets.records import commit_record
from snakka.coordination.groups.offsets.store import NO_EXPIRE_TIMESTAMP
from snakka.protocol.coordinator_framing import KeyedRecord
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from snakka.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from snakka.protocol.uuids import ZERO_UUID

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# From here on clients know that a group may be unknown (KIP-848).
FIRST_THAT_KNOWS_UNKNOWN_GROUPS = 9
NO_RETENTION_TIME = -1


def commit(
    shard: GroupShard, request: OffsetCommitRequest, api_version: int, now: Moment
) -> Decision[OffsetCommitResponse]:
    """Commit for a member, or for somebody outside of the group's protocol. Topics have name and id, in every version.

    Raises ApiError with Kafka's code if nothing may be committed.
    """
    check_partition = _check_commit(shard, request, api_version, now)
    group_id = request.group_id
    longest = shard.settings.offset_metadata_max_bytes
    expire_timestamp_ms = NO_EXPIRE_TIMESTAMP
    if request.retention_time_ms != NO_RETENTION_TIME:
        expire_timestamp_ms = now.wall_ms + request.retention_time_ms
    records: list[KeyedRecord] = []
    topics: list[OffsetCommitResponseTopic] = []
    for topic in request.topics:
        name, topic_id = topic.name, topic.topic_id
        rows: list[OffsetCommitResponsePartition] = []
        topics.append(OffsetCommitResponseTopic(name=name, topic_id=topic_id, partitions=rows))
        for partition in topic.partitions:
            index = partition.partition_index
            metadata = partition.committed_metadata
            if metadata and _is_longer(metadata, longest):
                code = ErrorCode.OFFSET_METADATA_TOO_LARGE
                rows.append(OffsetCommitResponsePartition(partition_index=index, error_code=code))
                continue
            if check_partition is not None:
                check_partition(name, topic_id, index)
            rows.append(OffsetCommitResponsePartition(partition_index=index))
            records.append(
                commit_record(
                    group_id,
                    name,
                    topic_id,
                    index,
                    offset=partition.committed_offset,
                    leader_epoch=partition.committed_leader_epoch,
                    metadata=metadata,
                    commit_timestamp_ms=now.wall_ms,
                    expire_timestamp_ms=expire_timestamp_ms,
                )
            )
    return Decision(records, OffsetCommitResponse(topics=topics))


def _check_commit(
    shard: GroupShard, request: OffsetCommitRequest, api_version: int, now: Moment
) -> CheckPartition | None:
    group = shard.groups.get(request.group_id)
    if group is None:
        # Without a generation it comes from an administrator, or from a consumer that assigns itself: the commit makes
        # the group.
        if request.generation_id_or_member_epoch < 0:
            return None
        if api_version >= FIRST_THAT_KNOWS_UNKNOWN_GROUPS:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {request.group_id} not found.")
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)
    check_partition = group.check_offset_commit(
        request.member_id,
        request.group_instance_id,
        request.generation_id_or_member_epoch,
        is_transactional=False,
        api_version=api_version,
    )
    if isinstance(group, ClassicGroup) and request.member_id in group.members:
        # Who commits is there: it is as good as a heartbeat.
        touch(shard, group, request.member_id, now)
    return check_partition


def commit_in_transaction(
    shard: GroupShard, request: TxnOffsetCommitRequest, api_version: int, now: Moment
) -> Decision[TxnOffsetCommitResponse]:
    """Commit within a producer's transaction: it counts when the transaction is committed.

    Raises ApiError with Kafka's code if nothing may be committed.
    """
    check_partition = _check_transactional_commit(shard, request, api_version)
    longest = shard.settings.offset_metadata_max_bytes
    records: list[KeyedRecord] = []
    topics: list[TxnOffsetCommitResponseTopic] = []
    for topic in request.topics:
        rows: list[TxnOffsetCommitResponsePartition] = []
        topics.append(TxnOffsetCommitResponseTopic(name=topic.name, partitions=rows))
        for partition in topic.partitions:
            index = partition.partition_index
            metadata = partition.committed_metadata
            if metadata and _is_longer(metadata, longest):
                code = ErrorCode.OFFSET_METADATA_TOO_LARGE
                rows.append(TxnOffsetCommitResponsePartition(partition_index=index, error_code=code))
                continue
            if check_partition is not None:
                _check_transactional_partition(shard, check_partition, topic.name, index)
            rows.append(TxnOffsetCommitResponsePartition(partition_index=index))
            records.append(
                commit_record(
                    request.group_id,
                    topic.name,
                    ZERO_UUID,
                    index,
                    offset=partition.committed_offset,
                    leader_epoch=partition.committed_leader_epoch,
                    metadata=metadata,
                    commit_timestamp_ms=now.wall_ms,
                )
            )
    producer = Producer(request.producer_id, request.producer_epoch)
    return Decision(records, TxnOffsetCommitResponse(topics=topics), producer=producer)


def _check_transactional_commit(
    shard: GroupShard, request: TxnOffsetCommitRequest, api_version: int
) -> CheckPartition | None:
    group = shard.groups.get(request.group_id)
    if group is None:
        if request.generation_id < 0:
            return None
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)
    try:
        return group.check_offset_commit(
            request.member_id,
            request.group_instance_id,
            request.generation_id,
            is_transactional=True,
            api_version=api_version,
        )
    except ApiError as error:
        raise _for_producers(error) from None


def _check_transactional_partition(
    shard: GroupShard, check_partition: CheckPartition, topic: str, partition: int
) -> None:
    known = shard.image.topics.get(topic)
    if known is None:
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)
    try:
        check_partition(topic, known.id, partition)
    except ApiError as error:
        raise _for_producers(error) from None


def _for_producers(error: ApiError) -> ApiError:
    """Producers know generations only, not the epochs of members."""
    if error.code == ErrorCode.STALE_MEMBER_EPOCH:
        return ApiError(ErrorCode.ILLEGAL_GENERATION)
    return error


def _is_longer(metadata: str, longest: int) -> bool:
    """Kafka counts the units of UTF-16."""
    if metadata.isascii():
        return len(metadata) > longest
    return len(metadata.encode("utf-16-le")) > 2 * longest
