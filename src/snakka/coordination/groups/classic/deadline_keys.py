"""The names of a classic group's deadlines: (kind of group, group id, what is due, whose)."""

from collections.abc import Hashable

from snakka.coordination.deadlines import Deadlines
from snakka.coordination.groups.classic.group import ClassicGroup
from snakka.coordination.groups.group import CLASSIC

# A member has not been heard of for its session's time.
SESSION = "session"
# The first rebalance has waited for more members.
INITIAL_JOIN = "initial join"
# Members have had their time to join again.
JOIN = "join"
# Members have had their time to ask for their assignment.
SYNC = "sync"

Key = tuple[Hashable, ...]


def session_key(group_id: str, member_id: str) -> Key:
    return (CLASSIC, group_id, SESSION, member_id)


def group_key(group_id: str, what: str) -> Key:
    return (CLASSIC, group_id, what)


def forget_deadlines(deadlines: Deadlines, group: ClassicGroup) -> None:
    """The group is gone, or is not a classic one any more."""
    for what in (INITIAL_JOIN, JOIN, SYNC):
        deadlines.cancel(group_key(group.group_id, what))
    for member_id in (*group.members, *group.pending_join):
        deadlines.cancel(session_key(group.group_id, member_id))
