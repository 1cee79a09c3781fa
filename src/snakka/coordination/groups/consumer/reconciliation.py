"""How a member gets from what it has to what it is to have: first it gives up, then it moves to the new epoch, and gets
each partition as soon as nobody else has it any more.

Rule: the member's next step depends on its state, the target, and what it says it owns; nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from snakka.coordination.groups.consumer.assignors.specification import Partitions
from snakka.coordination.groups.consumer.deadline_keys import REVOCATION, member_key
from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.member import NO_PARTITIONS, ConsumerMember, MemberState
from snakka.coordination.groups.consumer.records import current_record
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.uuids import Uuid

# What a member says that it owns, by topic; None if it does not say.
Owned = Mapping[Uuid, Collection[int]] | None
_Owned = dict[Uuid, dict[int, int]]


def reconcile(
    draft: Draft, member: ConsumerMember, owned: Owned, *, has_subscription_changed: bool
) -> ConsumerMember:
    """The member after its next step, which is in the draft's records if there was one to take."""
    group = draft.group
    if not has_subscription_changed and member.is_reconciled_to(group.assignment_epoch):
        return member
    updated = _next(group, draft.shard.image, member, owned, has_subscription_changed)
    if updated == member:
        return member
    draft.add(current_record(group.group_id, updated))
    if not updated.is_classic:
        _watch_revocation(draft, updated)
    return updated


def _watch_revocation(draft: Draft, member: ConsumerMember) -> None:
    """A member must give up within its rebalance timeout. One that speaks the classic protocol must join within it."""
    key = member_key(draft.group.group_id, REVOCATION, member.member_id)
    if member.state is MemberState.UNREVOKED_PARTITIONS:
        draft.shard.deadlines.set(key, draft.now.steady_ms + member.rebalance_timeout_ms)
    else:
        draft.shard.deadlines.cancel(key)


def _next(
    group: ConsumerGroup,
    image: ClusterImage,
    member: ConsumerMember,
    owned: Owned,
    has_subscription_changed: bool,
) -> ConsumerMember:
    if member.state is MemberState.UNKNOWN:
        if owned is None or owned:
            raise ApiError(
                ErrorCode.FENCED_MEMBER_EPOCH, "the member's state is not known here: it must join anew"
            )
        return _step(group, image, member, owned, group.assignment_epoch)
    is_behind = member.epoch != group.assignment_epoch or member.state is not MemberState.STABLE
    must_wait = member.state is MemberState.UNREVOKED_PARTITIONS and _owns_any(owned, member.revoking)
    if is_behind and not must_wait:
        return _step(group, image, member, owned, member.epoch)
    if has_subscription_changed:
        return _without_unsubscribed(group, image, member, owned)
    return member


def _step(
    group: ConsumerGroup, image: ClusterImage, member: ConsumerMember, owned: Owned, epoch: int
) -> ConsumerMember:
    """Towards the target. `epoch` is the member's as long as it has something to give up."""
    target = _subscribed_target(group, image, member)
    kept: _Owned = {}
    revoking: _Owned = {}
    coming: _Owned = {}
    is_waiting = False
    for topic_id in {**target, **member.assigned}:
        wanted = target.get(topic_id, frozenset())
        has = member.assigned.get(topic_id, {})
        for partition, since in has.items():
            (kept if partition in wanted else revoking).setdefault(topic_id, {})[partition] = since
        for partition in wanted:
            if partition in has:
                continue
            if group.ownership.owner(topic_id, partition) in (None, member.member_id):
                coming.setdefault(topic_id, {})[partition] = group.assignment_epoch
            else:
                is_waiting = True
    if revoking and _owns_any(owned, revoking):
        return replace(
            member,
            state=MemberState.UNREVOKED_PARTITIONS,
            epoch=epoch,
            previous_epoch=member.epoch,
            assigned=kept,
            revoking=revoking,
        )
    return replace(
        member,
        state=MemberState.UNRELEASED_PARTITIONS if is_waiting else MemberState.STABLE,
        epoch=group.assignment_epoch,
        previous_epoch=member.epoch,
        assigned=_union(kept, coming),
        revoking=NO_PARTITIONS,
    )


def _without_unsubscribed(
    group: ConsumerGroup, image: ClusterImage, member: ConsumerMember, owned: Owned
) -> ConsumerMember:
    """The target is not there yet, but what the member has unsubscribed from it gives up at once."""
    subscribed = _subscribed_ids(group, image, member)
    dropped = {topic_id: has for topic_id, has in member.assigned.items() if topic_id not in subscribed}
    if not dropped:
        return member
    kept = {topic_id: has for topic_id, has in member.assigned.items() if topic_id in subscribed}
    revoking = _union(member.revoking, dropped)
    if _owns_any(owned, revoking):
        return replace(
            member,
            state=MemberState.UNREVOKED_PARTITIONS,
            previous_epoch=member.epoch,
            assigned=kept,
            revoking=revoking,
        )
    return replace(member, previous_epoch=member.epoch, assigned=kept)


def _owns_any(owned: Owned, partitions: Mapping[Uuid, Mapping[int, int]]) -> bool:
    """Whether the member may still have one of them: it says so, or it does not say."""
    if owned is None:
        return True
    return any(
        number in partitions.get(topic_id, {}) for topic_id, numbers in owned.items() for number in numbers
    )


def _subscribed_target(group: ConsumerGroup, image: ClusterImage, member: ConsumerMember) -> Partitions:
    """Without what the member has unsubscribed from since the target was made."""
    subscribed = _subscribed_ids(group, image, member)
    target = group.target.get(member.member_id, {})
    return {topic_id: wanted for topic_id, wanted in target.items() if topic_id in subscribed}


def _subscribed_ids(group: ConsumerGroup, image: ClusterImage, member: ConsumerMember) -> set[Uuid]:
    found = (image.topics.get(name) for name in group.topics_of(member))
    return {topic.id for topic in found if topic is not None}


def _union(
    first: Mapping[Uuid, Mapping[int, int]], second: Mapping[Uuid, Mapping[int, int]]
) -> Mapping[Uuid, Mapping[int, int]]:
    return {
        topic_id: {**first.get(topic_id, {}), **second.get(topic_id, {})} for topic_id in {**first, **second}
    }
