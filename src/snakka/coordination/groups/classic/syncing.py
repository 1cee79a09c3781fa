"""SyncGroup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment, Ticket
from snakka.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def sync(
    shard: GroupShard, request: SyncGroupRequest, ticket: Ticket, now: Moment
) -> Decision[SyncGroupResponse]:
    """A member asks for its assignment, the leader brings everybody's. Raises ApiError with Kafka's code.

    None as response: `ticket` is answered by a later decision.
    """
    return Decision()
