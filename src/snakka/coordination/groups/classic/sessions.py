"""Heartbeats, and what happens without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment
from snakka.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def heartbeat(shard: GroupShard, request: HeartbeatRequest, now: Moment) -> Decision[HeartbeatResponse]:
    """A member is still there. Raises ApiError with Kafka's code."""
    return Decision()
