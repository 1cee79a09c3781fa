"""The names of a consumer group's deadlines: (kind of group, group id, what is due, whose)."""

from collections.abc import Hashable

from snakka.coordination.deadlines import Deadlines
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.group import CONSUMER

# A member has not been heard of for its session's time.
SESSION = "session"
# A member has had its time to give partitions up.
REVOCATION = "revocation"
# A member that speaks the classic protocol has had its time to join again, and to ask for its assignment.
JOIN = "join"
SYNC = "sync"
# The last assignment is old enough for the next one.
ASSIGNMENT = "assignment"
# Topics of the group have changed.
TOPICS = "topics"

Key = tuple[Hashable, ...]


def member_key(group_id: str, what: str, member_id: str) -> Key:
    return (CONSUMER, group_id, what, member_id)


def group_key(group_id: str, what: str) -> Key:
    return (CONSUMER, group_id, what)


def forget_deadlines(deadlines: Deadlines, group: ConsumerGroup) -> None:
    """The group is gone. Deadlines of members that went before it mean nothing to anybody when they are due."""
    for what in (ASSIGNMENT, TOPICS):
        deadlines.cancel(group_key(group.group_id, what))
    for member_id in group.members:
        for what in (SESSION, REVOCATION, JOIN, SYNC):
            deadlines.cancel(member_key(group.group_id, what, member_id))
