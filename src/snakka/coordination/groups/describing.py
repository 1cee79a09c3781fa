"""DescribeGroups: a classic group and its members. Groups of other kinds have APIs of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakka.coordination.groups.classic.group import ClassicGroup, State
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.describe_groups import DescribedGroup, DescribedGroupMember

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard

# Before this version clients were told that a group is dead instead (KIP-1043).
FIRST_THAT_KNOWS_UNKNOWN_GROUPS = 6


def describe_group(shard: GroupShard, group_id: str, api_version: int) -> DescribedGroup:
    group = shard.groups.get(group_id)
    if not isinstance(group, ClassicGroup):
        described = DescribedGroup(group_id=group_id, group_state=State.DEAD.value)
        if api_version >= FIRST_THAT_KNOWS_UNKNOWN_GROUPS:
            described.error_code = ErrorCode.GROUP_ID_NOT_FOUND
            described.error_message = (
                f"Group {group_id} not found."
                if group is None
                else f"Group {group_id} is not a classic group."
            )
        return described
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state_name,
        protocol_type=group.protocol_type,
        protocol_data=(group.protocol_name or "") if group.state is State.STABLE else "",
        members=[
            DescribedGroupMember(
                member_id=member.member_id,
                group_instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                member_metadata=member.metadata,
                member_assignment=member.assignment,
            )
            for member in group.described_members()
        ],
    )
