"""Heartbeats, and what happens without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.deadline_keys import (
    INITIAL_JOIN,
    JOIN,
    SESSION,
    SYNC,
    Key,
    session_key,
)
from snakka.coordination.groups.classic.group import ClassicGroup, State
from snakka.coordination.groups.classic.rebalancing import (
    complete_join,
    first_members_waited,
    prepare,
    rebalance,
    remove_member,
    syncs_are_late,
)
from snakka.coordination.groups.classic.turn import Turn
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def heartbeat(shard: GroupShard, request: HeartbeatRequest, now: Moment) -> Decision[HeartbeatResponse]:
    """A member is still there. Raises ApiError with Kafka's code."""
    group = shard.groups.get(request.group_id)
    if not isinstance(group, ClassicGroup):
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
    member_id = request.member_id
    group.check_member(member_id, request.group_instance_id)
    if request.generation_id != group.generation:
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)
    touch(shard, group, member_id, now)
    if group.state is State.PREPARING_REBALANCE:
        raise ApiError(ErrorCode.REBALANCE_IN_PROGRESS)
    return Decision(response=HeartbeatResponse())


def touch(shard: GroupShard, group: ClassicGroup, member_id: str, now: Moment) -> None:
    """A member has been heard of, by a heartbeat or by a commit: its session begins anew."""
    shard.deadlines.set(
        session_key(group.group_id, member_id), now.steady_ms + group.members[member_id].session_timeout_ms
    )


def loaded(shard: GroupShard, now: Moment) -> Decision[Any]:
    """All records are there: sessions begin anew, and a group that is too big by now shrinks at its next generation."""
    for group in shard.groups.values():
        if isinstance(group, ClassicGroup):
            turn = Turn(shard, group, now)
            begin_sessions(turn)
            if len(group.members) > shard.settings.group_max_size:
                # Nobody has joined yet, so nothing comes of it but a deadline.
                prepare(turn)
    return Decision()


def begin_sessions(turn: Turn) -> None:
    """Every member has a whole session to show up."""
    for member in turn.group.members.values():
        turn.start_session(member)


def expire(shard: GroupShard, key: Key, now: Moment) -> Decision[Any]:
    """A deadline of such a group is due."""
    _, group_id, what, *whose = key
    group = shard.groups.get(str(group_id))
    if not isinstance(group, ClassicGroup):
        return Decision()
    turn = Turn(shard, group, now)
    if what == SESSION:
        _session_ended(turn, str(whose[0]))
    elif what == INITIAL_JOIN:
        first_members_waited(turn)
    elif what == JOIN:
        complete_join(turn)
    elif what == SYNC:
        syncs_are_late(turn)
    return turn.decision()


def _session_ended(turn: Turn, member_id: str) -> None:
    group = turn.group
    member = group.members.get(member_id)
    if member is not None:
        if group.is_satisfied(member):
            # Its session begins anew with the answer that it waits for.
            return
        remove_member(turn, member)
    elif member_id in group.pending_join:
        group.remove(member_id)
    else:
        return
    if group.state is State.PREPARING_REBALANCE:
        if group.has_everybody_joined:
            complete_join(turn)
    elif member is not None:
        rebalance(turn)
