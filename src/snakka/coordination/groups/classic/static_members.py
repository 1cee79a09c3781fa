"""A static member that comes back without its id takes its own place over (KIP-345).

As long as the group's protocol stays, a stable group needs no rebalance for that: the member gets what it had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snakka.coordination.decision import Answer, Decision, Ticket
from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.classic.group import NO_MEMBER_ID, ClassicGroup, ClassicMember, State
from snakka.coordination.groups.classic.rebalancing import complete_if_everybody_joined, joined, prepare
from snakka.coordination.groups.classic.records import stored_record
from snakka.coordination.groups.classic.turn import Turn
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from snakka.protocol.messages.sync_group import SyncGroupResponse


def take_over(
    turn: Turn,
    member: ClassicMember,
    request: JoinGroupRequest,
    protocols: dict[str, bytes],
    caller: Caller,
    ticket: Ticket,
) -> Decision[JoinGroupResponse]:
    """`member` goes on under a new id; whoever uses the old one is fenced from now on."""
    group, old_leader = turn.group, turn.group.leader_id
    undo = _undo(turn, member)
    _fence(turn, member)
    turn.end_session(member.member_id)
    group.rename(member, caller.new_member_id)
    turn.start_session(member)
    group.update(member, protocols, request.rebalance_timeout_ms, request.session_timeout_ms)
    if group.state is State.STABLE and group.select_protocol() == group.protocol_name:
        turn.records.append(stored_record(group))
        turn.refused = undo
        return turn.decision(_welcome_back(group, member, old_leader, caller))
    group.joining[member.member_id] = ticket
    if group.state is State.PREPARING_REBALANCE:
        complete_if_everybody_joined(turn)
    else:
        # Also when the leader is about to assign: it would assign to the old id.
        prepare(turn)
    return turn.decision()


def _fence(turn: Turn, member: ClassicMember) -> None:
    turn.answer_join(
        member.member_id,
        JoinGroupResponse(
            member_id=member.member_id, protocol_name=None, error_code=ErrorCode.FENCED_INSTANCE_ID
        ),
    )
    turn.answer_sync(member.member_id, SyncGroupResponse(error_code=ErrorCode.FENCED_INSTANCE_ID))


def _undo(turn: Turn, member: ClassicMember) -> Callable[[ErrorCode], Sequence[Answer]]:
    """What puts the old member back if its successor can't be written down."""
    group = turn.group
    old_id, old_protocols = member.member_id, member.protocols
    old_rebalance_timeout_ms, old_session_timeout_ms = member.rebalance_timeout_ms, member.session_timeout_ms

    def undo(_code: ErrorCode) -> Sequence[Answer]:
        turn.end_session(member.member_id)
        group.update(member, old_protocols, old_rebalance_timeout_ms, old_session_timeout_ms)
        group.rename(member, old_id)
        turn.start_session(member)
        return turn.answers

    return undo


def _welcome_back(
    group: ClassicGroup, member: ClassicMember, old_leader: str | None, caller: Caller
) -> JoinGroupResponse:
    """A leader that does not know KIP-814 must not take itself for the leader: it would assign anew, in vain."""
    response = joined(group, member.member_id)
    if caller.can_skip_assignment:
        response.skip_assignment = member.member_id == group.leader_id
    else:
        response.leader = old_leader or NO_MEMBER_ID
        response.members = []
    return response
