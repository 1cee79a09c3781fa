"""JoinGroup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment, Ticket
from snakka.coordination.groups.classic.caller import Caller
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def join(
    shard: GroupShard, request: JoinGroupRequest, caller: Caller, ticket: Ticket, now: Moment
) -> Decision[JoinGroupResponse]:
    """A member joins. An error is a response with its code; None as response: `ticket` is answered by a later decision.

    Group id and session timeout have been checked by the handler.
    """
    return Decision()
