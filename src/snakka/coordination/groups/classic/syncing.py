"""SyncGroup: the leader brings the assignment of everybody, and everybody asks for their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snakka.coordination.decision import Answer, Decision, Moment, Ticket
from snakka.coordination.groups.classic.deadline_keys import SYNC
from snakka.coordination.groups.classic.group import ClassicGroup, State
from snakka.coordination.groups.classic.rebalancing import prepare
from snakka.coordination.groups.classic.records import assignment_record
from snakka.coordination.groups.classic.turn import Turn
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def sync(
    shard: GroupShard, request: SyncGroupRequest, ticket: Ticket, now: Moment
) -> Decision[SyncGroupResponse]:
    """A member asks for its assignment, the leader brings everybody's. Raises ApiError with Kafka's code.

    None as response: `ticket` is answered by a later decision.
    """
    group = shard.groups.get(request.group_id)
    if not isinstance(group, ClassicGroup):
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
    member_id = request.member_id
    group.check_member(member_id, request.group_instance_id)
    if request.generation_id != group.generation:
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)
    if _differs(request.protocol_type, group.protocol_type) or _differs(
        request.protocol_name, group.protocol_name
    ):
        raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if group.state is State.PREPARING_REBALANCE:
        raise ApiError(ErrorCode.REBALANCE_IN_PROGRESS)
    turn = Turn(shard, group, now)
    group.pending_sync.pop(member_id, None)
    if not group.pending_sync:
        turn.cancel_deadline(SYNC)
    if group.state is State.STABLE:
        return Decision(response=_assigned(group, group.members[member_id].assignment))
    # An earlier request of the member may still wait: its client has given it up.
    turn.answer_sync(member_id, SyncGroupResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS))
    group.syncing[member_id] = ticket
    if member_id == group.leader_id:
        _assign(turn, {row.member_id: row.assignment for row in request.assignments})
    return turn.decision()


def _differs(given: str | None, agreed: str | None) -> bool:
    """Old versions do not say which protocol they speak of."""
    return given is not None and bool(agreed) and given != agreed


def _assigned(group: ClassicGroup, assignment: bytes) -> SyncGroupResponse:
    return SyncGroupResponse(
        protocol_type=group.protocol_type, protocol_name=group.protocol_name, assignment=assignment
    )


def _assign(turn: Turn, assignments: dict[str, bytes]) -> None:
    """Whoever waits gets its assignment when it is stored, and the group is stable then."""
    group = turn.group
    turn.records.append(assignment_record(group, assignments))
    waiting = [*group.syncing.items()]
    for member_id, _ in waiting:
        turn.answer_sync(member_id, _assigned(group, assignments.get(member_id, b"")))
        # Its session was not watched while it waited.
        turn.start_session(group.members[member_id])

    def refused(code: ErrorCode) -> Sequence[Answer]:
        """Nobody gets an assignment that no other coordinator would know of: all join again."""
        again = Turn(turn.shard, group, turn.now)
        prepare(again)
        return [
            *again.answers,
            *(Answer(ticket, SyncGroupResponse(error_code=code)) for _, ticket in waiting),
        ]

    turn.refused = refused
