"""Heartbeat: a member of a classic group is still there. Versions 0-4.

KIP-345 static members (3).
"""

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import submit
from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.requests import heartbeat
from snakka.coordination.groups.shard import GroupShard
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from snakka.security.operations import Operation, ResourceType


def handle(
    request: HeartbeatRequest, context: RequestContext, services: Services
) -> HeartbeatResponse | Waiting:
    if not context.authorize(Operation.READ, ResourceType.GROUP, request.group_id):
        return HeartbeatResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not request.group_id:
        return HeartbeatResponse(error_code=ErrorCode.INVALID_GROUP_ID)

    def decide(shard: GroupShard, now: Moment, _ticket: Reply) -> Decision[HeartbeatResponse]:
        return heartbeat(shard, request, now)

    return submit(services.groups, request.group_id, decide, failed=_failed)


def _failed(error: ApiError) -> HeartbeatResponse:
    # While the group is being loaded nobody can say, and a member that is told an error would leave it.
    code = ErrorCode.NONE if error.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS else error.code
    return HeartbeatResponse(error_code=code)


API = Api(key=ApiKey.HEARTBEAT, handle=handle)
