"""SyncGroup: a member of a classic group asks for its assignment, the leader brings all. Versions 0-5.

KIP-345 static members (3), KIP-559 the protocol that the member believes in, which it must name (5).
"""

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import submit
from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.requests import sync
from snakka.coordination.groups.shard import GroupShard
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_PROTOCOL = 5


def handle(
    request: SyncGroupRequest, context: RequestContext, services: Services
) -> SyncGroupResponse | Waiting:
    objection = _objection(request, context)
    if objection is not None:
        return SyncGroupResponse(error_code=objection)

    def decide(shard: GroupShard, now: Moment, ticket: Reply) -> Decision[SyncGroupResponse]:
        return sync(shard, request, ticket, now)

    return submit(
        services.groups,
        request.group_id,
        decide,
        failed=lambda error: SyncGroupResponse(error_code=error.code),
    )


def _objection(request: SyncGroupRequest, context: RequestContext) -> ErrorCode | None:
    if context.api_version >= FIRST_WITH_PROTOCOL and None in (request.protocol_type, request.protocol_name):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if not context.authorize(Operation.READ, ResourceType.GROUP, request.group_id):
        return ErrorCode.GROUP_AUTHORIZATION_FAILED
    return None if request.group_id else ErrorCode.INVALID_GROUP_ID


API = Api(key=ApiKey.SYNC_GROUP, handle=handle)
