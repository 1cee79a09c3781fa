"""Groups: list and describe those of both protocols, delete them, and remove members from them."""

from collections.abc import Iterable
from dataclasses import dataclass

from snakka.client.admin.acls import allowed_operations
from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, failure, outcome
from snakka.client.coordinators import CoordinatorKind
from snakka.client.errors import UnsupportedByBrokerError
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    Member,
)
from snakka.protocol.messages.consumer_group_describe import DescribedGroup as DescribedConsumerGroup
from snakka.protocol.messages.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from snakka.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from snakka.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from snakka.protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from snakka.protocol.record_types.embedded.consumer_protocol_assignment import ConsumerProtocolAssignment
from snakka.security.operations import Operation

NO_EPOCH = -1
_CONSUMERS = "consumer"  # the protocol type of classic groups that read topics
_VERSION_BYTES = 2
_DEAD = "Dead"


@dataclass(frozen=True, slots=True)
class GroupListing:
    """One group in a list. The type is Classic, Consumer, Share or Streams."""

    group_id: str
    group_type: str
    protocol_type: str
    state: str


@dataclass(frozen=True, slots=True)
class GroupMember:
    """One member. Its epoch, rack and what it shall have are known only of the consumer protocol."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    assignment: tuple[TopicPartition, ...]
    rack: str | None = None
    epoch: int = NO_EPOCH
    subscribed_topics: tuple[str, ...] = ()
    subscribed_regex: str | None = None
    target_assignment: tuple[TopicPartition, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupDescription:
    """One group with its members. Epochs are those of the consumer protocol; what we may do is told only if asked for."""

    group_id: str
    group_type: str
    protocol_type: str
    state: str
    assignor: str
    members: tuple[GroupMember, ...]
    coordinator_id: int
    epoch: int = NO_EPOCH
    assignment_epoch: int = NO_EPOCH
    allowed_operations: frozenset[Operation] | None = None


class GroupAdmin(AdminCalls):
    """What can be done to groups and their members."""

    async def list_groups(
        self, *, states: Iterable[str] = (), types: Iterable[str] = (), timeout_ms: int | None = None
    ) -> list[GroupListing]:
        """All groups of all brokers, by id; or only those in one of these states or of these types.

        >>> await admin.list_groups(states=["Stable"], types=["Consumer"])
        []
        """
        deadline = self._deadline(timeout_ms)
        request = ListGroupsRequest(states_filter=list(states), types_filter=list(types))
        answers = await self._every_broker(
            lambda node_id: self._ask_broker(node_id, request, ListGroupsResponse, deadline), deadline
        )
        rows = [row for answer in answers.raise_for_errors().values() for row in answer.groups]
        found = {
            row.group_id: GroupListing(
                row.group_id, row.group_type.capitalize(), row.protocol_type, row.group_state
            )
            for row in rows
        }
        return sorted(found.values(), key=lambda group: group.group_id)

    async def describe_groups(
        self,
        group_ids: Iterable[str],
        *,
        include_allowed_operations: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[str, GroupDescription]:
        """State, members and assignments of groups, whichever protocol they use.

        >>> groups = await admin.describe_groups(["nobody"])
        >>> groups["nobody"]
        Traceback (most recent call last):
        snakka.protocol.errors.ApiError: GROUP_ID_NOT_FOUND: group nobody does not exist
        """
        deadline = self._deadline(timeout_ms)

        async def ask(group_id: str) -> GroupDescription:
            try:
                return await self._describe_consumer_group(group_id, include_allowed_operations, deadline)
            except UnsupportedByBrokerError:
                pass  # so it can have classic groups only
            except ApiError as error:
                if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
                    raise
            return await self._describe_classic_group(group_id, include_allowed_operations, deadline)

        return await self._each_alone(group_ids, ask)

    async def delete_groups(
        self, group_ids: Iterable[str], *, timeout_ms: int | None = None
    ) -> Outcomes[str, None]:
        """Delete groups without members, and their offsets."""
        deadline = self._deadline(timeout_ms)

        async def ask(group_id: str) -> None:
            response = await self._ask_coordinator(
                CoordinatorKind.GROUP,
                group_id,
                DeleteGroupsRequest(groups_names=[group_id]),
                DeleteGroupsResponse,
                deadline,
                rows=lambda answer: answer.results,
            )
            for row in response.results:
                if row.error_code:
                    raise failure(row.error_code, None, f"group {group_id}")

        return await self._each_alone(group_ids, ask)

    async def remove_group_members(
        self,
        group_id: str,
        instance_ids: Iterable[str] | None = None,
        *,
        reason: str | None = None,
        timeout_ms: int | None = None,
    ) -> Outcomes[str, None]:
        """Remove static members by their group.instance.id, or all members; the outcomes are by instance or member id."""
        deadline = self._deadline(timeout_ms)
        if instance_ids is not None:
            leaving = [MemberIdentity(group_instance_id=each, reason=reason) for each in instance_ids]
        else:
            group = (await self.describe_groups([group_id], timeout_ms=timeout_ms))[group_id]
            leaving = [
                MemberIdentity(member_id=each.member_id, group_instance_id=each.instance_id, reason=reason)
                for each in group.members
            ]
        members = {each.group_instance_id or each.member_id: each for each in leaving}

        async def attempt(pending: list[str]) -> Iterable[Row[str, None]]:
            request = LeaveGroupRequest(group_id=group_id, members=[members[each] for each in pending])
            response = await self._ask_coordinator(
                CoordinatorKind.GROUP, group_id, request, LeaveGroupResponse, deadline
            )
            return [
                (key, outcome(None, row.error_code, None, f"member {key} of group {group_id}"))
                for row in response.members
                for key in (row.group_instance_id or row.member_id,)
            ]

        return await self._each(members, attempt, deadline)

    async def _describe_consumer_group(
        self, group_id: str, with_operations: bool, deadline: float
    ) -> GroupDescription:
        response = await self._ask_coordinator(
            CoordinatorKind.GROUP,
            group_id,
            ConsumerGroupDescribeRequest(group_ids=[group_id], include_authorized_operations=with_operations),
            ConsumerGroupDescribeResponse,
            deadline,
            rows=lambda answer: answer.groups,
        )
        row = response.groups[0]
        if row.error_code:
            raise failure(row.error_code, row.error_message, f"group {group_id}")
        return _consumer_group(row, self._coordinator_of(group_id))

    async def _describe_classic_group(
        self, group_id: str, with_operations: bool, deadline: float
    ) -> GroupDescription:
        response = await self._ask_coordinator(
            CoordinatorKind.GROUP,
            group_id,
            DescribeGroupsRequest(groups=[group_id], include_authorized_operations=with_operations),
            DescribeGroupsResponse,
            deadline,
            rows=lambda answer: answer.groups,
        )
        row = response.groups[0]
        if row.error_code or row.group_state == _DEAD:
            code = row.error_code or ErrorCode.GROUP_ID_NOT_FOUND
            raise failure(code, row.error_message, f"group {group_id}")
        return _classic_group(row, self._coordinator_of(group_id))

    def _coordinator_of(self, group_id: str) -> int:
        known = self.coordinators.known(CoordinatorKind.GROUP, group_id)
        return -1 if known is None else known


def _consumer_group(row: DescribedConsumerGroup, coordinator_id: int) -> GroupDescription:
    return GroupDescription(
        row.group_id,
        "Consumer",
        _CONSUMERS,
        row.group_state,
        row.assignor_name,
        tuple(map(_consumer_member, row.members)),
        coordinator_id,
        row.group_epoch,
        row.assignment_epoch,
        allowed_operations(row.authorized_operations),
    )


def _consumer_member(row: Member) -> GroupMember:
    return GroupMember(
        row.member_id,
        row.instance_id,
        row.client_id,
        row.client_host,
        _partitions(row.assignment),
        row.rack_id,
        row.member_epoch,
        tuple(row.subscribed_topic_names),
        row.subscribed_topic_regex or None,
        _partitions(row.target_assignment),
    )


def _partitions(assignment: Assignment) -> tuple[TopicPartition, ...]:
    return tuple(
        TopicPartition(topic.topic_name, partition)
        for topic in assignment.topic_partitions
        for partition in topic.partitions
    )


def _classic_group(row: DescribedGroup, coordinator_id: int) -> GroupDescription:
    reads_topics = row.protocol_type == _CONSUMERS
    return GroupDescription(
        row.group_id,
        "Classic",
        row.protocol_type,
        row.group_state,
        row.protocol_data,
        tuple(_classic_member(member, reads_topics) for member in row.members),
        coordinator_id,
        allowed_operations=allowed_operations(row.authorized_operations),
    )


def _classic_member(row: DescribedGroupMember, reads_topics: bool) -> GroupMember:
    assignment = _classic_assignment(row.member_assignment) if reads_topics else ()
    return GroupMember(row.member_id, row.group_instance_id, row.client_id, row.client_host, assignment)


def _classic_assignment(data: bytes) -> tuple[TopicPartition, ...]:
    """What the group's leader has written for a member; nothing where it is no such thing."""
    if len(data) < _VERSION_BYTES:
        return ()
    version = int.from_bytes(data[:_VERSION_BYTES], "big", signed=True)
    version = max(0, min(version, ConsumerProtocolAssignment.MAX_VERSION))
    try:
        assignment = ConsumerProtocolAssignment.decode(data, version, _VERSION_BYTES)
    except ProtocolError:
        return ()
    return tuple(
        TopicPartition(topic.topic, partition)
        for topic in assignment.assigned_partitions
        for partition in topic.partitions
    )
