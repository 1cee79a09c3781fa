"""What ConsumerGroupDescribe says of a group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from snakka.coordination.decision import Moment
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.member import ConsumerMember
from snakka.coordination.groups.consumer.target_assignment import preferred_assignor
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.consumer_group_describe import (
    Assignment,
    DescribedGroup,
    Member,
    TopicPartitions,
)
from snakka.protocol.uuids import Uuid

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

_CLASSIC, _CONSUMER = 0, 1


def describe(shard: GroupShard, group_id: str, now: Moment) -> DescribedGroup:
    """ApiError with GROUP_ID_NOT_FOUND if it is no consumer group."""
    group = shard.groups.get(group_id)
    if group is None:
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
    if not isinstance(group, ConsumerGroup):
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group.")
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state_name,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=preferred_assignor(group, shard.settings),
        members=[_member(group, member, shard.image) for member in group.members.values()],
    )


def _member(group: ConsumerGroup, member: ConsumerMember, image: ClusterImage) -> Member:
    has = {
        topic_id: [*member.assigned.get(topic_id, ()), *member.revoking.get(topic_id, ())]
        for topic_id in {**member.assigned, **member.revoking}
    }
    return Member(
        member_id=member.member_id,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        member_epoch=member.epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.topics),
        subscribed_topic_regex=member.pattern,
        assignment=_assignment(has, image),
        target_assignment=_assignment(group.target.get(member.member_id, {}), image),
        member_type=_CLASSIC if member.is_classic else _CONSUMER,
    )


def _assignment(partitions: Mapping[Uuid, Iterable[int]], image: ClusterImage) -> Assignment:
    """By the topics' names; those of deleted topics are not known any more."""
    rows = []
    for topic_id in sorted(partitions):
        topic = image.topics.by_id.get(topic_id)
        if topic is not None:
            rows.append(
                TopicPartitions(
                    topic_id=topic_id, topic_name=topic.name, partitions=sorted(partitions[topic_id])
                )
            )
    return Assignment(topic_partitions=rows)
