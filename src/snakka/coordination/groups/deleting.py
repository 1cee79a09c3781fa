"""DeleteGroups: a group goes, with all that it has committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.decision import Decision
from snakka.coordination.groups.offsets.deletion import all_tombstones
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.delete_groups import DeletableGroupResult

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard


def delete_group(shard: GroupShard, group_id: str) -> Decision[DeletableGroupResult]:
    """Raises ApiError with Kafka's code: there is no such group, or it has members."""
    group = shard.groups.get(group_id)
    if group is None:
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
    group.check_delete()
    records = [*all_tombstones(shard, group_id), *group.tombstones()]
    # The group goes last, so a part of it may be seen: whoever asks again deletes the rest.
    return Decision(records, DeletableGroupResult(group_id=group_id), atomic=False)
