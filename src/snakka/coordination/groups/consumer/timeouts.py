"""What happens when something has not happened in time, and when topics change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from snakka.coordination.decision import Answer, Decision, Moment
from snakka.coordination.groups.consumer.configs import session_timeout_ms
from snakka.coordination.groups.consumer.deadline_keys import (
    ASSIGNMENT,
    REVOCATION,
    SESSION,
    TOPICS,
    Key,
    group_key,
    member_key,
)
from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.leaving import remove_members
from snakka.coordination.groups.consumer.member import LEAVING_FOR_A_WHILE, ConsumerMember, MemberState
from snakka.coordination.groups.consumer.subscriptions import bump_epoch_if_needed
from snakka.coordination.groups.consumer.target_assignment import assign_if_needed
from snakka.protocol.error_codes import ErrorCode

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# What could not be written down is tried again.
_RETRY_MS = 500


def loaded(shard: GroupShard, now: Moment) -> Decision[Any]:
    """All records are there: sessions begin anew, and whoever has to give something up has its time for that again."""
    for group in shard.groups.values():
        if isinstance(group, ConsumerGroup):
            group.is_metadata_current = False
            group.newest_topics_version = shard.image.offset
            _begin_sessions(shard, group, now)
    return Decision()


def _begin_sessions(shard: GroupShard, group: ConsumerGroup, now: Moment) -> None:
    timeout_ms = session_timeout_ms(shard, group.group_id)
    for member in group.members.values():
        key = member_key(group.group_id, SESSION, member.member_id)
        shard.deadlines.set(key, now.steady_ms + timeout_ms)
        if _must_give_up(member) and not member.is_classic:
            key = member_key(group.group_id, REVOCATION, member.member_id)
            shard.deadlines.set(key, now.steady_ms + member.rebalance_timeout_ms)
    if group.members and group.epoch > group.assignment_epoch:
        shard.deadlines.set(group_key(group.group_id, ASSIGNMENT), now.steady_ms)


def _must_give_up(member: ConsumerMember) -> bool:
    """One that has left for a while has given up all."""
    return member.state is MemberState.UNREVOKED_PARTITIONS and member.epoch != LEAVING_FOR_A_WHILE


def topics_changed(shard: GroupShard, topic_names: Iterable[str], now: Moment) -> Decision[Any]:
    """Topics have come, grown or gone. Each group that is concerned decides for itself, right after this."""
    names = frozenset(topic_names)
    for group in shard.groups.values():
        if not isinstance(group, ConsumerGroup):
            continue
        if group.pattern_counts:
            # Its members' next heartbeat looks for new topics: it takes a member's rights to see them.
            group.newest_topics_version = shard.image.offset
        if any(group.is_subscribed_to(name) for name in names):
            group.is_metadata_current = False
            key = group_key(group.group_id, TOPICS)
            if key not in shard.deadlines:
                shard.deadlines.set(key, now.steady_ms)
    return Decision()


def expire(shard: GroupShard, key: Key, now: Moment) -> Decision[Any]:
    """A deadline of such a group is due."""
    _, group_id, what, *whose = key
    group = shard.groups.get(str(group_id))
    if not isinstance(group, ConsumerGroup):
        return Decision()
    draft = Draft(shard, group, now)
    if what == TOPICS:
        bump_epoch_if_needed(draft, is_needed=False)
        assign_if_needed(draft)
    elif what == ASSIGNMENT:
        assign_if_needed(draft)
    else:
        member = group.members.get(str(whose[0]))
        if member is not None and (what != REVOCATION or _must_give_up(member)):
            remove_members(draft, [member])
    return _tried_again(shard, key, now, draft.decision())


def _tried_again(shard: GroupShard, key: Key, now: Moment, decision: Decision[Any]) -> Decision[Any]:
    if not decision.records:
        return decision
    undo = decision.refused

    def refused(code: ErrorCode) -> Sequence[Answer]:
        shard.deadlines.set(key, now.steady_ms + _RETRY_MS)
        return decision.answers if undo is None else undo(code)

    return replace(decision, refused=refused)
