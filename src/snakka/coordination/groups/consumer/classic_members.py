"""Members that speak the classic protocol in a consumer group: JoinGroup, SyncGroup, Heartbeat and LeaveGroup for them.

What is a rebalance to them is one step of their reconciliation: a heartbeat tells them to join when there is something to
do, joining takes the step, and syncing tells them what they have. Nobody waits for anybody, and nobody leads.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision, Moment, Ticket
from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.consumer.consumer_protocol import (
    read_subscription,
    version_of,
    write_assignment,
)
from snakka.coordination.groups.consumer.deadline_keys import JOIN, SESSION, SYNC, Key, member_key
from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.group import PROTOCOL_TYPE, ConsumerGroup
from snakka.coordination.groups.consumer.joining import check_room, replaced_or_new_member
from snakka.coordination.groups.consumer.leaving import remove_members
from snakka.coordination.groups.consumer.member import ClassicProtocols, ConsumerMember, MemberState
from snakka.coordination.groups.consumer.migration import can_downgrade, downgrade, protocol_assignment
from snakka.coordination.groups.consumer.reconciliation import reconcile
from snakka.coordination.groups.consumer.records import member_record
from snakka.coordination.groups.consumer.subscriptions import bump_epoch_if_needed, drop_unused_pattern
from snakka.coordination.groups.consumer.target_assignment import assign_if_needed
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from snakka.protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
    MemberResponse,
)
from snakka.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from snakka.protocol.record_types.embedded.consumer_protocol_subscription import ConsumerProtocolSubscription
from snakka.protocol.uuids import Uuid

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

_NO_MEMBER_ID = ""
_NO_TIMEOUT = -1


# -- JoinGroup ----------------------------------------------------------------------------------------------------


def join(
    shard: GroupShard, request: JoinGroupRequest, caller: Caller, ticket: Ticket, now: Moment
) -> Decision[JoinGroupResponse]:
    """A member joins, or joins again: it takes its next step. An error is a response with its code."""
    try:
        return _join(shard, request, caller, now)
    except ApiError as error:
        return Decision(response=JoinGroupResponse(member_id=_NO_MEMBER_ID, error_code=error.code))


def _join(
    shard: GroupShard, request: JoinGroupRequest, caller: Caller, now: Moment
) -> Decision[JoinGroupResponse]:
    draft = Draft(shard, _group(shard, request.group_id), now)
    member_id = request.member_id or caller.new_member_id
    check_room(draft, member_id)
    _check_protocols(draft.group, request)
    is_static = request.group_instance_id is not None
    if not is_static and not request.member_id and caller.requires_known_member_id:
        return Decision(
            response=JoinGroupResponse(member_id=member_id, error_code=ErrorCode.MEMBER_ID_REQUIRED)
        )
    replaced = draft.group.static_member(request.group_instance_id)
    if is_static and request.member_id:
        member = draft.group.member(request.member_id, request.group_instance_id)
    else:
        member = replaced_or_new_member(draft, member_id, request.group_instance_id, is_classic=True)
    subscription = _subscription(request)
    updated = _updated(member, request, caller, subscription)
    has_subscription_changed = _update(draft, member, updated)
    owned = _owned(subscription, shard.image)
    if replaced is not None and not replaced.is_classic and can_downgrade(draft, ()):
        is_stale = draft.group.epoch > draft.group.assignment_epoch
        if not is_stale:
            updated = reconcile(draft, updated, owned, has_subscription_changed=False)
        downgrade(draft, (), rebalances=is_stale)
    else:
        assign_if_needed(draft)
        updated = reconcile(draft, updated, owned, has_subscription_changed=has_subscription_changed)
        _begin_session(draft, updated)
    return draft.decision(
        JoinGroupResponse(
            member_id=updated.member_id,
            generation_id=updated.epoch,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=request.protocols[0].name,
        )
    )


def _group(shard: GroupShard, group_id: str) -> ConsumerGroup:
    group = shard.groups.get(group_id)
    if not isinstance(group, ConsumerGroup):
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"there is no consumer group {group_id}")
    return group


def _check_protocols(group: ConsumerGroup, request: JoinGroupRequest) -> None:
    """All members of the classic protocol must have an assignor in common, in case the group becomes theirs."""
    is_supported = request.protocol_type == PROTOCOL_TYPE and any(
        group.protocol_counts.get(protocol.name, 0) == group.classic_members for protocol in request.protocols
    )
    if not is_supported:
        raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _subscription(request: JoinGroupRequest) -> ConsumerProtocolSubscription:
    try:
        return read_subscription(request.protocols[0].metadata)
    except ProtocolError as error:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"the subscription can't be read: {error}") from None


def _updated(
    member: ConsumerMember,
    request: JoinGroupRequest,
    caller: Caller,
    subscription: ConsumerProtocolSubscription,
) -> ConsumerMember:
    protocols: dict[str, bytes] = {}
    for protocol in request.protocols:
        protocols.setdefault(protocol.name, protocol.metadata)
    timeout_ms = request.rebalance_timeout_ms
    return replace(
        member,
        instance_id=request.group_instance_id or member.instance_id,
        rack_id=subscription.rack_id or member.rack_id,
        rebalance_timeout_ms=member.rebalance_timeout_ms if timeout_ms == _NO_TIMEOUT else timeout_ms,
        topics=frozenset(subscription.topics),
        pattern="",
        client_id=caller.client_id,
        client_host=caller.client_host,
        classic=ClassicProtocols(request.session_timeout_ms, tuple(protocols.items())),
    )


def _update(draft: Draft, member: ConsumerMember, updated: ConsumerMember) -> bool:
    if updated != member:
        draft.add(member_record(draft.group.group_id, updated))
    drop_unused_pattern(draft, member.pattern)
    has_subscription_changed = (updated.topics, updated.pattern) != (member.topics, member.pattern)
    bump_epoch_if_needed(draft, is_needed=has_subscription_changed)
    return has_subscription_changed


def _owned(subscription: ConsumerProtocolSubscription, image: ClusterImage) -> dict[Uuid, list[int]]:
    """A member that has to give up everything before it joins does not say what it owns: nothing, then."""
    owned = {}
    for row in subscription.owned_partitions:
        topic = image.topics.get(row.topic)
        if topic is not None:
            owned[topic.id] = row.partitions
    return owned


def _begin_session(draft: Draft, member: ConsumerMember) -> None:
    """It has joined, and must ask for its assignment in time."""
    deadlines, now_ms = draft.shard.deadlines, draft.now.steady_ms
    deadlines.cancel(_key(draft.group, JOIN, member))
    deadlines.set(_key(draft.group, SYNC, member), now_ms + member.rebalance_timeout_ms)
    _extend_session(draft.shard, draft.group, member, draft.now)


# -- SyncGroup and Heartbeat --------------------------------------------------------------------------------------


def sync(
    shard: GroupShard, request: SyncGroupRequest, ticket: Ticket, now: Moment
) -> Decision[SyncGroupResponse]:
    """A member asks what it has. Raises ApiError with Kafka's code."""
    group = _group(shard, request.group_id)
    member = _classic_member(group, request.member_id, request.group_instance_id, request.generation_id)
    name, metadata = _first_protocol(member)
    if request.protocol_type not in (None, PROTOCOL_TYPE) or request.protocol_name not in (None, name):
        raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if group.assignment_epoch > member.epoch and member.state is not MemberState.UNREVOKED_PARTITIONS:
        raise _must_join(shard, group, member, now)
    shard.deadlines.cancel(_key(group, SYNC, member))
    _extend_session(shard, group, member, now)
    assignment = protocol_assignment(member.assigned, shard.image)
    return Decision(
        response=SyncGroupResponse(
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=write_assignment(assignment, _version(metadata)),
        )
    )


def heartbeat(shard: GroupShard, request: HeartbeatRequest, now: Moment) -> Decision[HeartbeatResponse]:
    """A member is still there, and is told to join if there is a step to take. Raises ApiError with Kafka's code."""
    group = _group(shard, request.group_id)
    member = _classic_member(group, request.member_id, request.group_instance_id, request.generation_id)
    _extend_session(shard, group, member, now)
    if (
        member.epoch < group.assignment_epoch
        or member.state is MemberState.UNREVOKED_PARTITIONS
        or (member.state is MemberState.UNRELEASED_PARTITIONS and not _waits(group, member))
    ):
        raise _must_join(shard, group, member, now)
    return Decision(response=HeartbeatResponse())


def _waits(group: ConsumerGroup, member: ConsumerMember) -> bool:
    """Whether something that the member is to have still belongs to somebody."""
    return any(
        partition not in member.assigned.get(topic_id, {})
        and group.ownership.owner(topic_id, partition) is not None
        for topic_id, partitions in group.target.get(member.member_id, {}).items()
        for partition in partitions
    )


def _must_join(shard: GroupShard, group: ConsumerGroup, member: ConsumerMember, now: Moment) -> ApiError:
    """It has the time of a rebalance to do so."""
    key = _key(group, JOIN, member)
    if key not in shard.deadlines:
        shard.deadlines.set(key, now.steady_ms + member.rebalance_timeout_ms)
    return ApiError(ErrorCode.REBALANCE_IN_PROGRESS)


def _classic_member(
    group: ConsumerGroup, member_id: str, instance_id: str | None, generation: int
) -> ConsumerMember:
    member = group.member(member_id, instance_id)
    if not member.is_classic:
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"{member_id} does not speak the classic protocol")
    if generation != member.epoch:
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)
    return member


def _first_protocol(member: ConsumerMember) -> tuple[str, bytes]:
    assert member.classic is not None
    return member.classic.protocols[0] if member.classic.protocols else ("", b"")


def _version(metadata: bytes) -> int:
    try:
        return version_of(metadata)
    except ProtocolError:
        return 0


def _extend_session(shard: GroupShard, group: ConsumerGroup, member: ConsumerMember, now: Moment) -> None:
    assert member.classic is not None
    shard.deadlines.set(_key(group, SESSION, member), now.steady_ms + member.classic.session_timeout_ms)


def _key(group: ConsumerGroup, what: str, member: ConsumerMember) -> Key:
    return member_key(group.group_id, what, member.member_id)


# -- LeaveGroup ---------------------------------------------------------------------------------------------------


def leave(shard: GroupShard, request: LeaveGroupRequest, now: Moment) -> Decision[LeaveGroupResponse]:
    """Members leave, of either protocol: an administrator may name any. The response has a row for each."""
    draft = Draft(shard, _group(shard, request.group_id), now)
    leavers: dict[str, ConsumerMember] = {}
    rows = []
    for leaver in request.members:
        error = ErrorCode.NONE
        try:
            member = _leaver(draft.group, leaver)
        except ApiError as failure:
            error = failure.code
        else:
            leavers[member.member_id] = member
        rows.append(
            MemberResponse(
                member_id=leaver.member_id, group_instance_id=leaver.group_instance_id, error_code=error
            )
        )
    remove_members(draft, list(leavers.values()))
    return draft.decision(LeaveGroupResponse(members=rows))


def _leaver(group: ConsumerGroup, leaver: MemberIdentity) -> ConsumerMember:
    member_id = leaver.member_id
    if member_id == _NO_MEMBER_ID and leaver.group_instance_id is not None:
        # An administrator knows the instance only.
        member_id = group.static_members.get(leaver.group_instance_id, _NO_MEMBER_ID)
    return group.member(member_id, leaver.group_instance_id)
