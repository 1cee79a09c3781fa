"""ListGroups: the groups of a shard, by state and kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snakka.protocol.messages.list_groups import ListedGroup

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def list_groups(shard: GroupShard, states: Sequence[str], kinds: Sequence[str]) -> list[ListedGroup]:
    """Groups that are in one of the states and of one of the kinds; no state or kind means every one.

    A name that nobody knows is no error: nothing is in such a state.
    """
    wanted_states = {state.lower().strip() for state in states}
    wanted_kinds = {kind.lower() for kind in kinds}
    return [
        ListedGroup(
            group_id=group.group_id,
            protocol_type=group.protocol_type,
            group_state=group.state_name,
            group_type=group.kind,
        )
        for group in shard.groups.values()
        if (not wanted_states or group.state_name.lower() in wanted_states)
        and (not wanted_kinds or group.kind in wanted_kinds)
    ]
