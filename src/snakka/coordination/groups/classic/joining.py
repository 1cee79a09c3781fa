"""JoinGroup: who may join, and what that means for the group.

A new dynamic member gets its id first and joins with it then (KIP-394). A static member that has lost its id takes its place
over (KIP-345). A member that joins again begins a rebalance if something has changed, or if it leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snakka.coordination.decision import Answer, Decision, Moment, Ticket
from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.classic.deadline_keys import forget_deadlines, session_key
from snakka.coordination.groups.classic.group import NO_MEMBER_ID, ClassicGroup, ClassicMember, State
from snakka.coordination.groups.classic.rebalancing import joined, rebalance
from snakka.coordination.groups.classic.records import creation_record
from snakka.coordination.groups.classic.static_members import take_over
from snakka.coordination.groups.classic.turn import Turn
from snakka.coordination.groups.group import Group
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# A new member may have given up without a trace; it is not waited for longer than this.
_NEW_MEMBER_TIMEOUT_MS = 5 * 60 * 1000


def join(
    shard: GroupShard, request: JoinGroupRequest, caller: Caller, ticket: Ticket, now: Moment
) -> Decision[JoinGroupResponse]:
    """A member joins. An error is a response with its code; None as response: `ticket` is answered by a later decision.

    Group id and session timeout have been checked by the handler. A group of another kind, which must be empty, gives way.
    """
    found = shard.groups.get(request.group_id)
    group = found if isinstance(found, ClassicGroup) else None
    is_new = request.member_id == NO_MEMBER_ID
    if group is None:
        if not is_new:
            return _refusal(request.member_id, ErrorCode.UNKNOWN_MEMBER_ID)
        group = ClassicGroup(request.group_id, state_since_ms=now.wall_ms)
    turn = Turn(shard, group, now)
    if not _has_room(group, request.member_id, shard.settings.group_max_size):
        turn.end_session(request.member_id)
        group.remove(request.member_id)
        return _refusal(NO_MEMBER_ID, ErrorCode.GROUP_MAX_SIZE_REACHED)
    protocols = _protocols(request)
    if not group.supports(request.protocol_type, protocols):
        return _refusal(request.member_id, ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if group is not found:
        _create(turn, found)
    if is_new:
        return _join_new(turn, request, protocols, caller, ticket)
    return _join_known(turn, request, protocols, caller, ticket)


def _protocols(request: JoinGroupRequest) -> dict[str, bytes]:
    """Of a protocol that is named twice, the first counts."""
    protocols: dict[str, bytes] = {}
    for protocol in request.protocols:
        protocols.setdefault(protocol.name, protocol.metadata)
    return protocols


def _refusal(member_id: str, error: ErrorCode) -> Decision[JoinGroupResponse]:
    return Decision(response=JoinGroupResponse(member_id=member_id, error_code=error))


def _has_room(group: ClassicGroup, member_id: str, max_size: int) -> bool:
    """In a rebalance, those who have joined count: so a group that is too big loses who joins last."""
    if group.state is State.EMPTY:
        return True
    if group.state is State.PREPARING_REBALANCE:
        return member_id in group.joining or len(group.joining) < max_size
    return member_id in group.members or len(group.members) < max_size


def _create(turn: Turn, replaced: Group | None) -> None:
    """The group exists from now on, in the place of an empty one of another kind perhaps."""
    shard, group = turn.shard, turn.group
    if replaced is not None:
        turn.records += replaced.tombstones()
    turn.records.append(creation_record(group))
    shard.groups[group.group_id] = group

    def refused(_code: ErrorCode) -> Sequence[Answer]:
        forget_deadlines(shard.deadlines, group)
        if replaced is None:
            del shard.groups[group.group_id]
        else:
            shard.groups[group.group_id] = replaced
        return ()

    turn.refused = refused


def _join_new(
    turn: Turn, request: JoinGroupRequest, protocols: dict[str, bytes], caller: Caller, ticket: Ticket
) -> Decision[JoinGroupResponse]:
    group = turn.group
    if request.group_instance_id is not None:
        holder = group.static_members.get(request.group_instance_id)
        if holder is not None:
            return take_over(turn, group.members[holder], request, protocols, caller, ticket)
    elif caller.requires_known_member_id:
        return _give_id(turn, request, caller)
    return _add(turn, caller.new_member_id, request, protocols, caller, ticket)


def _give_id(turn: Turn, request: JoinGroupRequest, caller: Caller) -> Decision[JoinGroupResponse]:
    """It has the time of a session to join with its id."""
    group, member_id = turn.group, caller.new_member_id
    group.pending_join[member_id] = None
    turn.shard.deadlines.set(
        session_key(group.group_id, member_id), turn.now.steady_ms + request.session_timeout_ms
    )
    return turn.decision(JoinGroupResponse(member_id=member_id, error_code=ErrorCode.MEMBER_ID_REQUIRED))


def _add(
    turn: Turn,
    member_id: str,
    request: JoinGroupRequest,
    protocols: dict[str, bytes],
    caller: Caller,
    ticket: Ticket,
) -> Decision[JoinGroupResponse]:
    group = turn.group
    if not group.members:
        group.protocol_type = request.protocol_type
    if group.state is State.PREPARING_REBALANCE and group.previous_state is State.EMPTY:
        group.new_member_added = True
    member = ClassicMember(
        member_id,
        request.group_instance_id,
        caller.client_id,
        caller.client_host,
        request.rebalance_timeout_ms,
        request.session_timeout_ms,
        protocols,
        is_new=True,
    )
    group.add(member)
    group.joining[member_id] = ticket
    turn.start_session(member, _NEW_MEMBER_TIMEOUT_MS)
    rebalance(turn)
    return turn.decision()


def _join_known(
    turn: Turn, request: JoinGroupRequest, protocols: dict[str, bytes], caller: Caller, ticket: Ticket
) -> Decision[JoinGroupResponse]:
    group, member_id = turn.group, request.member_id
    if member_id in group.pending_join:
        if request.group_instance_id is not None:
            # Ids are given to dynamic members only: the client mixes up two members.
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        return _add(turn, member_id, request, protocols, caller, ticket)
    try:
        group.check_member(member_id, request.group_instance_id)
    except ApiError as error:
        return _refusal(member_id, error.code)
    member = group.members[member_id]
    if group.state is State.PREPARING_REBALANCE or _changes_something(group, member, protocols):
        group.update(member, protocols, request.rebalance_timeout_ms, request.session_timeout_ms)
        # An earlier request of the member may still wait: its client has given it up.
        turn.answer_join(
            member_id, JoinGroupResponse(member_id=member_id, error_code=ErrorCode.REBALANCE_IN_PROGRESS)
        )
        group.joining[member_id] = ticket
        rebalance(turn)
        return turn.decision()
    # It may just have missed the answer: it is told again.
    return turn.decision(joined(group, member_id))


def _changes_something(group: ClassicGroup, member: ClassicMember, protocols: dict[str, bytes]) -> bool:
    """A leader of a stable group joins because it has seen something that calls for another assignment."""
    if group.state is State.STABLE and group.leader_id == member.member_id:
        return True
    return [*protocols.items()] != [*member.protocols.items()]
