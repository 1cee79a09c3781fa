"""LeaveGroup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment
from snakka.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def leave(shard: GroupShard, request: LeaveGroupRequest, now: Moment) -> Decision[LeaveGroupResponse]:
    """Members leave: `request.members` has them in every version, the handler sees to that.

    The response has a row for each of them. Raises ApiError with Kafka's code, UNKNOWN_MEMBER_ID if there is no such group.
    """
    return Decision()
