"""DescribeGroups: classic groups and their members. Versions 0-6.

KIP-430 what the client may do (3), KIP-345 static members (4), KIP-1043 a code and a message for unknown groups (6).
"""

from collections.abc import Callable, Sequence

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.coordination.decision import Moment
from snakka.coordination.groups.describing import describe_group
from snakka.coordination.groups.shard import GroupShard
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_AUTHORIZED_OPERATIONS = 3


def handle(
    request: DescribeGroupsRequest, context: RequestContext, services: Services
) -> DescribeGroupsResponse | Waiting:
    version = context.api_version
    allowed: list[str] = []
    refused: list[DescribedGroup] = []
    # Once each: a group's description is far longer than its name.
    for group_id in dict.fromkeys(request.groups):
        if context.authorize(Operation.DESCRIBE, ResourceType.GROUP, group_id):
            allowed.append(group_id)
        else:
            refused.append(_row(group_id, ErrorCode.GROUP_AUTHORIZATION_FAILED))
    tells_operations = version >= FIRST_WITH_AUTHORIZED_OPERATIONS and request.include_authorized_operations

    def join(outcomes: Sequence[DescribedGroup | ApiError]) -> DescribeGroupsResponse:
        rows = [
            _row(group_id, outcome.code) if isinstance(outcome, ApiError) else outcome
            for group_id, outcome in zip(allowed, outcomes, strict=True)
        ]
        if tells_operations:
            for row in rows:
                if row.error_code == ErrorCode.NONE:
                    row.authorized_operations = context.authorized_operations(
                        ResourceType.GROUP, row.group_id
                    )
        return DescribeGroupsResponse(groups=[*refused, *rows])

    waiting, replies = gathered(len(allowed), join)
    for group_id, reply in zip(allowed, replies, strict=True):
        services.groups.query(group_id, _description(group_id, version), reply)
    return waiting


def _description(group_id: str, version: int) -> Callable[[GroupShard, Moment], DescribedGroup]:
    return lambda shard, _now: describe_group(shard, group_id, version)


def _row(group_id: str, code: ErrorCode) -> DescribedGroup:
    return DescribedGroup(group_id=group_id, error_code=code)


def error_response(request: DescribeGroupsRequest, code: ErrorCode, _text: str) -> DescribeGroupsResponse:
    return DescribeGroupsResponse(groups=[_row(group_id, code) for group_id in request.groups])


API = Api(key=ApiKey.DESCRIBE_GROUPS, handle=handle, error_response=error_response)
