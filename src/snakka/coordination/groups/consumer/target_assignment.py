"""Who is to have which partitions: made anew when the group's epoch has gone up, but not too often.

The first assignment of a group is made at once, and so is one for a single member. After that, whatever happens within the
interval is taken together: a deadline makes the next one, so nobody has to ask for it.
"""

from __future__ import annotations

from snakka.coordination.groups.consumer.assignors import ASSIGNORS
from snakka.coordination.groups.consumer.assignors.specification import Specification, Subscriber
from snakka.coordination.groups.consumer.configs import assignment_interval_ms, supported_assignors
from snakka.coordination.groups.consumer.counts import most_named
from snakka.coordination.groups.consumer.deadline_keys import ASSIGNMENT, group_key
from snakka.coordination.groups.consumer.draft import Draft
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.records import target_epoch_record, target_record
from snakka.coordination.groups.settings import GroupSettings
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.uuids import Uuid


def assign_if_needed(draft: Draft) -> None:
    """Make the assignment of the group's epoch, if there is none yet; or see to it that it is made in time."""
    group = draft.group
    if group.epoch > group.assignment_epoch and group.members:
        if _must_wait_ms(draft):
            assign_soon(draft)
        else:
            _assign(draft)


def assign_soon(draft: Draft) -> None:
    """A decision of its own makes the assignment: at the end of the interval, or at once if it is over."""
    group, deadlines = draft.group, draft.shard.deadlines
    key = group_key(group.group_id, ASSIGNMENT)
    if group.members and key not in deadlines:
        # If somebody makes it before that, there is nothing left to do then.
        deadlines.set(key, draft.now.steady_ms + _must_wait_ms(draft))


def preferred_assignor(group: ConsumerGroup, settings: GroupSettings) -> str:
    """What most members ask for; the broker's first if nobody asks, or if they ask for what there is no more."""
    supported = supported_assignors(settings.group_consumer_assignors)
    preferred = most_named(group.assignor_counts)
    return supported[0] if preferred is None or preferred not in supported else preferred


def _must_wait_ms(draft: Draft) -> int:
    group = draft.group
    if len(group.members) == 1:
        # It gets everything; there is nobody to share it with, and so nothing to be gained by waiting.
        return 0
    interval_ms = assignment_interval_ms(draft.shard, group.group_id)
    passed_ms = draft.now.wall_ms - group.assigned_at_ms
    # A clock that was set back must not keep the group waiting for the time that it had been at.
    return interval_ms - passed_ms if group.assigned_at_ms and 0 <= passed_ms < interval_ms else 0


def _assign(draft: Draft) -> None:
    group = draft.group
    assign = ASSIGNORS[preferred_assignor(group, draft.shard.settings)]
    assigned = assign(specification(group, draft.shard.image))
    draft.add(
        *(
            target_record(group.group_id, member_id, partitions)
            for member_id, partitions in assigned.items()
            if group.target.get(member_id) != partitions
        ),
        target_epoch_record(group.group_id, group.epoch, draft.now.wall_ms),
    )


def specification(group: ConsumerGroup, image: ClusterImage) -> Specification:
    """The members in the order of their ids, so that the same group gets the same assignment everywhere."""
    counts: dict[Uuid, int] = {}
    # Members with the same subscription share the set of its topics.
    ids_of: dict[tuple[frozenset[str], str], frozenset[Uuid]] = {}
    members = {}
    for member_id in sorted(group.members):
        member = group.members[member_id]
        subscription = (member.topics, member.pattern)
        topics = ids_of.get(subscription)
        if topics is None:
            found = [image.topics.get(name) for name in group.topics_of(member)]
            counts.update((topic.id, len(topic.partitions)) for topic in found if topic is not None)
            topics = ids_of[subscription] = frozenset(topic.id for topic in found if topic is not None)
        members[member_id] = Subscriber(topics, group.target.get(member_id, {}), member.instance_id)
    return Specification(members, counts)
