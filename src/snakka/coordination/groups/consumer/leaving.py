"""Members go: by themselves, or because they have not been heard of. Their partitions are free at once.

A static member can leave for a while: it keeps its place until its session ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.member import LEAVING_FOR_A_WHILE, NO_PARTITIONS, ConsumerMember
from snakka.coordination.groups.consumer.migration import can_downgrade, downgrade
from snakka.coordination.groups.consumer.records import current_record, member_tombstones
from snakka.coordination.groups.consumer.subscriptions import bump_epoch_if_needed, drop_unused_pattern
from snakka.coordination.groups.consumer.target_assignment import assign_soon
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def leave(
    shard: GroupShard, request: ConsumerGroupHeartbeatRequest, now: Moment
) -> Decision[ConsumerGroupHeartbeatResponse]:
    """A heartbeat with a leaver's epoch. Raises ApiError with Kafka's code."""
    group = shard.groups.get(request.group_id)
    if not isinstance(group, ConsumerGroup):
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"there is no consumer group {request.group_id}")
    member = group.member(request.member_id, request.instance_id)
    response = ConsumerGroupHeartbeatResponse(member_id=member.member_id, member_epoch=request.member_epoch)
    draft = Draft(shard, group, now)
    if request.instance_id is not None and request.member_epoch == LEAVING_FOR_A_WHILE:
        draft.add(current_record(group.group_id, _away(member)))
    else:
        remove_members(draft, [member])
    return draft.decision(response)


def _away(member: ConsumerMember) -> ConsumerMember:
    """Whoever takes its place commits for the epochs that it gets itself."""
    return replace(
        member,
        epoch=LEAVING_FOR_A_WHILE,
        assigned={topic_id: dict.fromkeys(has, 0) for topic_id, has in member.assigned.items()},
        revoking=NO_PARTITIONS,
    )


def remove_members(draft: Draft, members: Sequence[ConsumerMember]) -> None:
    """For good. A group that has only members of the classic protocol left becomes a classic group, if it may."""
    if not members:
        return
    if can_downgrade(draft, members):
        downgrade(draft, members)
        return
    group_id = draft.group.group_id
    for member in members:
        draft.add(*member_tombstones(group_id, member.member_id))
    for member in members:
        drop_unused_pattern(draft, member.pattern)
    bump_epoch_if_needed(draft, is_needed=True)
    assign_soon(draft)
