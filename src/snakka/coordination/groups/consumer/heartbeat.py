"""ConsumerGroupHeartbeat: a member joins, says what has changed, and is told what to have; or it leaves.

The steps of a heartbeat: who is it; what has it changed; does that need another epoch; does the epoch need another
assignment; and how far can the member go towards its part of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.consumer.configs import heartbeat_interval_ms, session_timeout_ms
from snakka.coordination.groups.consumer.deadline_keys import SESSION, member_key
from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.joining import (
    check_room,
    known_group,
    known_or_new_group,
    replaced_or_new_member,
)
from snakka.coordination.groups.consumer.leaving import leave
from snakka.coordination.groups.consumer.member import JOINING, ConsumerMember, OwnedPartitions
from snakka.coordination.groups.consumer.reconciliation import Owned, reconcile
from snakka.coordination.groups.consumer.records import member_record
from snakka.coordination.groups.consumer.subscriptions import (
    MayDescribe,
    bump_epoch_if_needed,
    check_pattern,
    drop_unused_pattern,
    resolve_patterns,
)
from snakka.coordination.groups.consumer.target_assignment import assign_if_needed
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseTopicPartitions,
)

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# A field of the request that is not there: nothing has changed.
_NO_TIMEOUT = -1


def heartbeat(
    shard: GroupShard,
    request: ConsumerGroupHeartbeatRequest,
    caller: Caller,
    may_describe: MayDescribe,
    now: Moment,
) -> Decision[ConsumerGroupHeartbeatResponse]:
    """The request has been validated. Raises ApiError with Kafka's code."""
    if request.member_epoch < JOINING:
        return leave(shard, request, now)
    owned = _owned(request)
    draft, member = _who(shard, request, caller, owned, now)
    updated = _updated(member, request, caller)
    has_subscription_changed = _update(draft, member, updated, may_describe)
    assign_if_needed(draft)
    after = reconcile(draft, updated, owned, has_subscription_changed=has_subscription_changed)
    shard.deadlines.set(
        member_key(request.group_id, SESSION, after.member_id),
        now.steady_ms + session_timeout_ms(shard, request.group_id),
    )
    is_full = (
        request.rebalance_timeout_ms != _NO_TIMEOUT
        and (request.subscribed_topic_names is not None or request.subscribed_topic_regex is not None)
        and owned is not None
    )
    is_told = request.member_epoch == JOINING or is_full or after.assigned != member.assigned
    return draft.decision(
        ConsumerGroupHeartbeatResponse(
            member_id=after.member_id,
            member_epoch=after.epoch,
            heartbeat_interval_ms=heartbeat_interval_ms(shard, request.group_id),
            assignment=_assignment(after.assigned) if is_told else None,
        )
    )


def _owned(request: ConsumerGroupHeartbeatRequest) -> Owned:
    if request.topic_partitions is None:
        return None
    return {row.topic_id: row.partitions for row in request.topic_partitions}


def _who(
    shard: GroupShard, request: ConsumerGroupHeartbeatRequest, caller: Caller, owned: Owned, now: Moment
) -> tuple[Draft, ConsumerMember]:
    if request.member_epoch == JOINING:
        draft = known_or_new_group(shard, request.group_id, now)
        check_room(draft, request.member_id)
        member_id = request.member_id or caller.new_member_id
        return draft, replaced_or_new_member(draft, member_id, request.instance_id, is_classic=False)
    draft = known_group(shard, request.group_id, now)
    check_room(draft, request.member_id)
    member = draft.group.member(request.member_id, request.instance_id)
    _check_epoch(member, request.member_epoch, owned)
    return draft, member


def _check_epoch(member: ConsumerMember, epoch: int, owned: Owned) -> None:
    """The epoch before is right, too, if the member has nothing that it should not: the answer may have been lost."""
    if epoch == member.epoch:
        return
    if (
        epoch == member.previous_epoch < member.epoch
        and owned is not None
        and _is_within(owned, member.assigned)
    ):
        return
    raise ApiError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"{member.member_id} has epoch {member.epoch}, not {epoch}: it must give up its partitions and join anew",
    )


def _is_within(owned: Owned, assigned: OwnedPartitions) -> bool:
    return all(
        topic_id in assigned and all(number in assigned[topic_id] for number in numbers)
        for topic_id, numbers in (owned or {}).items()
    )


def _updated(
    member: ConsumerMember, request: ConsumerGroupHeartbeatRequest, caller: Caller
) -> ConsumerMember:
    """The member with what the request says of it; the same one if that is nothing new."""
    names = request.subscribed_topic_names
    said: dict[str, Any] = {
        "instance_id": request.instance_id,
        "rack_id": request.rack_id,
        "rebalance_timeout_ms": None
        if request.rebalance_timeout_ms == _NO_TIMEOUT
        else request.rebalance_timeout_ms,
        "assignor": request.server_assignor,
        "topics": None if names is None else frozenset(names),
        "pattern": request.subscribed_topic_regex,
        "client_id": caller.client_id,
        "client_host": caller.client_host,
    }
    changed = {
        name: value for name, value in said.items() if value is not None and value != getattr(member, name)
    }
    if member.is_classic:
        # It has changed its protocol while it was away.
        changed["classic"] = None
    return replace(member, **changed) if changed else member


def _update(draft: Draft, member: ConsumerMember, updated: ConsumerMember, may_describe: MayDescribe) -> bool:
    """Whether the member's subscription is another; the group's next epoch is in the draft if something calls for it."""
    has_pattern_changed = updated.pattern != member.pattern
    if has_pattern_changed and updated.pattern and updated.pattern not in draft.group.pattern_counts:
        check_pattern(updated.pattern)
    if updated is not member:
        draft.add(member_record(draft.group.group_id, updated))
    if has_pattern_changed:
        drop_unused_pattern(draft, member.pattern)
    have_matches_changed = resolve_patterns(draft, updated.pattern, may_describe)
    has_subscription_changed = has_pattern_changed or updated.topics != member.topics
    bump_epoch_if_needed(draft, is_needed=has_subscription_changed or have_matches_changed)
    return has_subscription_changed


def _assignment(assigned: OwnedPartitions) -> Assignment:
    return Assignment(
        topic_partitions=[
            ConsumerGroupHeartbeatResponseTopicPartitions(
                topic_id=topic_id, partitions=sorted(assigned[topic_id])
            )
            for topic_id in sorted(assigned)
        ]
    )
