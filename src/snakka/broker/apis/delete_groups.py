"""DeleteGroups: groups without members go, with all that they have committed (KIP-229). Versions 0-2."""

from collections.abc import Callable, Sequence

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.deleting import delete_group
from snakka.coordination.groups.shard import GroupShard
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)
from snakka.security.operations import Operation, ResourceType


def handle(
    request: DeleteGroupsRequest, context: RequestContext, services: Services
) -> DeleteGroupsResponse | Waiting:
    allowed: list[str] = []
    refused: list[DeletableGroupResult] = []
    for group_id in dict.fromkeys(request.groups_names):
        if context.authorize(Operation.DELETE, ResourceType.GROUP, group_id):
            allowed.append(group_id)
        else:
            refused.append(_row(group_id, ErrorCode.GROUP_AUTHORIZATION_FAILED))

    def join(outcomes: Sequence[DeletableGroupResult | ApiError]) -> DeleteGroupsResponse:
        rows = [
            _row(group_id, outcome.code) if isinstance(outcome, ApiError) else outcome
            for group_id, outcome in zip(allowed, outcomes, strict=True)
        ]
        return DeleteGroupsResponse(results=[*rows, *refused])

    waiting, replies = gathered(len(allowed), join)
    for group_id, reply in zip(allowed, replies, strict=True):
        services.groups.submit(group_id, _deletion(group_id), reply)
    return waiting


def _deletion(group_id: str) -> Callable[[GroupShard, Moment], Decision[DeletableGroupResult]]:
    return lambda shard, _now: delete_group(shard, group_id)


def _row(group_id: str, code: ErrorCode) -> DeletableGroupResult:
    return DeletableGroupResult(group_id=group_id, error_code=code)


def error_response(request: DeleteGroupsRequest, code: ErrorCode, _text: str) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(results=[_row(group_id, code) for group_id in request.groups_names])


API = Api(key=ApiKey.DELETE_GROUPS, handle=handle, error_response=error_response)
