"""Who joins which group: a new one, one that is there, or a classic one that becomes a consumer group for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from snakka.coordination.decision import Moment
from snakka.coordination.groups.classic.group import ClassicGroup
from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.member import JOINING, LEAVING_FOR_A_WHILE, ConsumerMember
from snakka.coordination.groups.consumer.migration import upgraded
from snakka.coordination.groups.consumer.records import (
    current_record,
    member_record,
    member_tombstones,
    target_record,
)
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def known_group(shard: GroupShard, group_id: str, now: Moment) -> Draft:
    """ApiError if there is no such consumer group."""
    group = shard.groups.get(group_id)
    if not isinstance(group, ConsumerGroup):
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"there is no consumer group {group_id}")
    return Draft(shard, group, now)


def known_or_new_group(shard: GroupShard, group_id: str, now: Moment) -> Draft:
    """A classic group gives way if it is empty, and is converted if it can be; ApiError if it can't."""
    group = shard.groups.get(group_id)
    if isinstance(group, ConsumerGroup):
        return Draft(shard, group, now)
    if isinstance(group, ClassicGroup) and not group.is_empty:
        return upgraded(shard, group, now)
    draft = Draft(shard, ConsumerGroup(group_id), now, is_own=True)
    if group is not None:
        draft.records += group.tombstones()
    return draft


def check_room(draft: Draft, member_id: str) -> None:
    group, most = draft.group, draft.shard.settings.group_consumer_max_size
    if len(group.members) >= most and member_id not in group.members:
        raise ApiError(
            ErrorCode.GROUP_MAX_SIZE_REACHED, f"the group has {most} members, and may not have more"
        )


def replaced_or_new_member(
    draft: Draft, member_id: str, instance_id: str | None, *, is_classic: bool
) -> ConsumerMember:
    """Who joins: a member that is there already, a new one, or one that takes the place of the same instance.

    An instance is taken over when it has left for a while, or if one of the two speaks the classic protocol.
    """
    group = draft.group
    holder = group.static_member(instance_id)
    if holder is None:
        return group.members.get(member_id) or ConsumerMember(member_id)
    if not is_classic and not holder.is_classic and holder.epoch != LEAVING_FOR_A_WHILE:
        raise ApiError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"{instance_id} belongs to {holder.member_id}, which has not left",
        )
    member = replace(holder, member_id=member_id, epoch=JOINING, previous_epoch=JOINING)
    target = group.target.get(holder.member_id, {})
    draft.add(
        *member_tombstones(group.group_id, holder.member_id),
        member_record(group.group_id, member),
        target_record(group.group_id, member_id, target),
        current_record(group.group_id, member),
    )
    return member
