"""How a classic group gets from one generation to the next: everybody joins again, the leader assigns, everybody asks.

Who is late at a step is left behind: members that do not join, and members that do not ask for their assignment.
"""

from __future__ import annotations

from collections.abc import Sequence

from snakka.coordination.decision import Answer
from snakka.coordination.groups.classic.deadline_keys import INITIAL_JOIN, JOIN, SYNC
from snakka.coordination.groups.classic.group import NO_MEMBER_ID, ClassicGroup, ClassicMember, State
from snakka.coordination.groups.classic.records import empty_generation_record, settle
from snakka.coordination.groups.classic.turn import Turn
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from snakka.protocol.messages.sync_group import SyncGroupResponse
from snakka.protocol.record_types.group_coordinator.group_metadata_value import GroupMetadataValue


def rebalance(turn: Turn) -> None:
    """Something has changed: begin a rebalance, or see whether the one that goes on has got everybody now."""
    if turn.group.state is State.PREPARING_REBALANCE:
        complete_if_everybody_joined(turn)
    else:
        prepare(turn)


def prepare(turn: Turn) -> None:
    """Begin a rebalance: members learn of it by their heartbeats, and join again."""
    group = turn.group
    if group.state is State.COMPLETING_REBALANCE:
        reset_assignments(turn, ErrorCode.REBALANCE_IN_PROGRESS)
    group.pending_sync.clear()
    turn.cancel_deadline(SYNC)
    if group.state is State.EMPTY:
        _wait_for_the_first_members(turn)
        group.enter(State.PREPARING_REBALANCE, turn.now.wall_ms)
        return
    group.enter(State.PREPARING_REBALANCE, turn.now.wall_ms)
    if group.has_everybody_joined:
        complete_join(turn)
    else:
        turn.set_deadline(JOIN, group.rebalance_timeout_ms)


def complete_if_everybody_joined(turn: Turn) -> None:
    """Go on with the rebalance, unless somebody is missing, or it is the first one, which has a time of its own."""
    group = turn.group
    if (
        group.state is State.PREPARING_REBALANCE
        and group.previous_state is not State.EMPTY
        and group.has_everybody_joined
    ):
        complete_join(turn)


def _wait_for_the_first_members(turn: Turn) -> None:
    """Members of a new group tend to come together; one rebalance for all is better than one for each."""
    group = turn.group
    delay_ms = turn.shard.settings.group_initial_rebalance_delay_ms
    group.new_member_added = False
    group.initial_delay_ms = delay_ms
    group.initial_remaining_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
    turn.set_deadline(INITIAL_JOIN, delay_ms)


def first_members_waited(turn: Turn) -> None:
    """The first rebalance has waited: a bit more if somebody came meanwhile, but never longer than a rebalance may take."""
    group = turn.group
    if not group.new_member_added or not group.initial_remaining_ms:
        complete_join(turn)
        return
    group.new_member_added = False
    waited_ms, remaining_ms = group.initial_delay_ms, group.initial_remaining_ms
    group.initial_delay_ms = min(turn.shard.settings.group_initial_rebalance_delay_ms, remaining_ms)
    group.initial_remaining_ms = max(remaining_ms - waited_ms, 0)
    turn.set_deadline(INITIAL_JOIN, group.initial_delay_ms)


def complete_join(turn: Turn) -> None:
    """Everybody has joined, or has had the time to: the next generation begins with those who did.

    Static members are given until the end of their session, or until they should have asked for their assignment.
    """
    group = turn.group
    turn.cancel_deadline(INITIAL_JOIN)
    turn.cancel_deadline(JOIN)
    late = [
        member_id
        for member_id, member in group.members.items()
        if member.instance_id is None and member_id not in group.joining
    ]
    for member_id in late:
        turn.end_session(member_id)
        group.remove(member_id)
    if not group.members:
        _settle_empty(turn)
    elif _elect(group):
        _begin_generation(turn)
    else:
        # Nobody has joined: all who are left are static, and go when their sessions end.
        turn.set_deadline(JOIN, group.rebalance_timeout_ms)


def _elect(group: ClassicGroup) -> bool:
    """Whether there is a leader that has joined; a leader that has not is replaced by the first that has."""
    if group.leader_id in group.joining:
        return True
    for member_id in group.members:
        if member_id in group.joining:
            group.leader_id = member_id
            return True
    return False


def _settle_empty(turn: Turn) -> None:
    group = turn.group
    record = empty_generation_record(group, turn.now.wall_ms)
    value = record.value
    assert isinstance(value, GroupMetadataValue)
    turn.records.append(record)

    def refused(_code: ErrorCode) -> Sequence[Answer]:
        # If it is not written, the generation before it comes back with the next coordinator, and its sessions end there.
        settle(group, value)
        return turn.answers

    turn.refused = refused


def _begin_generation(turn: Turn) -> None:
    group = turn.group
    group.begin_generation(turn.now.wall_ms)
    for member in group.members.values():
        turn.answer_join(member.member_id, joined(group, member.member_id))
        turn.start_session(member)
        member.is_new = False
        group.pending_sync[member.member_id] = None
    turn.set_deadline(SYNC, group.rebalance_timeout_ms)


def joined(group: ClassicGroup, member_id: str) -> JoinGroupResponse:
    """What a member of the current generation is told; its leader is told of all members."""
    return JoinGroupResponse(
        generation_id=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        leader=group.leader_id or NO_MEMBER_ID,
        member_id=member_id,
        members=described(group) if member_id == group.leader_id else [],
    )


def described(group: ClassicGroup) -> list[JoinGroupResponseMember]:
    """The members as their leader sees them."""
    name = group.protocol_name or ""
    return [
        JoinGroupResponseMember(
            member_id=member.member_id,
            group_instance_id=member.instance_id,
            metadata=member.protocols.get(name, b""),
        )
        for member in group.members.values()
    ]


def reset_assignments(turn: Turn, error: ErrorCode) -> None:
    """The generation that was being assigned will not be: whoever waits for its assignment is told."""
    for member in turn.group.members.values():
        member.assignment = b""
        if member.member_id in turn.group.syncing:
            turn.answer_sync(member.member_id, SyncGroupResponse(error_code=error))
            # Its session was not watched while it waited.
            turn.start_session(member)


def remove_member(turn: Turn, member: ClassicMember) -> None:
    """It has left or failed. If it waits for something, it is told that it is not known any more."""
    member_id = member.member_id
    turn.answer_join(
        member_id, JoinGroupResponse(member_id=NO_MEMBER_ID, error_code=ErrorCode.UNKNOWN_MEMBER_ID)
    )
    turn.answer_sync(member_id, SyncGroupResponse(error_code=ErrorCode.UNKNOWN_MEMBER_ID))
    turn.end_session(member_id)
    turn.group.remove(member_id)


def syncs_are_late(turn: Turn) -> None:
    """Members that have not asked for their assignment are gone."""
    group = turn.group
    if not group.pending_sync:
        return
    for member_id in [*group.pending_sync]:
        turn.end_session(member_id)
        group.remove(member_id)
    prepare(turn)
