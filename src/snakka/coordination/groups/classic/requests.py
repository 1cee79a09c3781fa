"""Where the requests of classic clients come in: their group may be a consumer group by now (KIP-848).

Rule: a classic client never notices what kind of group it is in; the kind decides who answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment, Ticket
from snakka.coordination.groups.classic import joining, leaving, sessions, syncing
from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.consumer import classic_members
from snakka.coordination.groups.group import CONSUMER
from snakka.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from snakka.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from snakka.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def join(
    shard: GroupShard, request: JoinGroupRequest, caller: Caller, ticket: Ticket, now: Moment
) -> Decision[JoinGroupResponse]:
    """A consumer group without members gives way to a classic one."""
    group = shard.groups.get(request.group_id)
    if group is not None and group.kind == CONSUMER and not group.is_empty:
        return classic_members.join(shard, request, caller, ticket, now)
    return joining.join(shard, request, caller, ticket, now)


def sync(
    shard: GroupShard, request: SyncGroupRequest, ticket: Ticket, now: Moment
) -> Decision[SyncGroupResponse]:
    if _is_consumer_group(shard, request.group_id):
        return classic_members.sync(shard, request, ticket, now)
    return syncing.sync(shard, request, ticket, now)


def heartbeat(shard: GroupShard, request: HeartbeatRequest, now: Moment) -> Decision[HeartbeatResponse]:
    if _is_consumer_group(shard, request.group_id):
        return classic_members.heartbeat(shard, request, now)
    return sessions.heartbeat(shard, request, now)


def leave(shard: GroupShard, request: LeaveGroupRequest, now: Moment) -> Decision[LeaveGroupResponse]:
    if _is_consumer_group(shard, request.group_id):
        return classic_members.leave(shard, request, now)
    return leaving.leave(shard, request, now)


def _is_consumer_group(shard: GroupShard, group_id: str) -> bool:
    group = shard.groups.get(group_id)
    return group is not None and group.kind == CONSUMER
