"""LeaveGroup: members go, by themselves or because an administrator names their instance ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.group import NO_MEMBER_ID, ClassicGroup
from snakka.coordination.groups.classic.rebalancing import rebalance, remove_member
from snakka.coordination.groups.classic.turn import Turn
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
    MemberResponse,
)

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def leave(shard: GroupShard, request: LeaveGroupRequest, now: Moment) -> Decision[LeaveGroupResponse]:
    """Members leave: `request.members` has them in every version, the handler sees to that.

    The response has a row for each of them. Raises ApiError with Kafka's code, UNKNOWN_MEMBER_ID if there is no such group.
    """
    group = shard.groups.get(request.group_id)
    if not isinstance(group, ClassicGroup):
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
    turn = Turn(shard, group, now)
    rows = []
    for leaver in request.members:
        error = ErrorCode.NONE
        try:
            _remove(turn, leaver)
        except ApiError as failure:
            error = failure.code
        rows.append(
            MemberResponse(
                member_id=leaver.member_id, group_instance_id=leaver.group_instance_id, error_code=error
            )
        )
    if not group.is_empty and any(row.error_code == ErrorCode.NONE for row in rows):
        rebalance(turn)
    return turn.decision(LeaveGroupResponse(members=rows))


def _remove(turn: Turn, leaver: MemberIdentity) -> None:
    group, member_id = turn.group, leaver.member_id
    if member_id in group.pending_join:
        turn.end_session(member_id)
        group.remove(member_id)
        return
    if member_id == NO_MEMBER_ID and leaver.group_instance_id is not None:
        # An administrator knows the instance only.
        member_id = group.static_members.get(leaver.group_instance_id, NO_MEMBER_ID)
    group.check_member(member_id, leaver.group_instance_id)
    remove_member(turn, group.members[member_id])
