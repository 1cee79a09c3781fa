"""JoinGroup: a member of a classic group joins, or joins again. Versions 0-9.

KIP-62 rebalance timeout (1), KIP-394 the member's id first (4), KIP-345 static members (5), KIP-559 protocol type and
nullable name (7), KIP-800 reason, which is not needed here (8), KIP-814 a leader that need not assign (9).
"""

from uuid import UUID

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import submit
from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.classic.requests import join
from snakka.coordination.groups.shard import GroupShard
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_REBALANCE_TIMEOUT = 1
FIRST_WITH_NULLABLE_PROTOCOL = 7


def handle(
    request: JoinGroupRequest, context: RequestContext, services: Services
) -> JoinGroupResponse | Waiting:
    version = context.api_version

    def finish(response: JoinGroupResponse) -> JoinGroupResponse:
        response.protocol_name = response.protocol_name or (
            None if version >= FIRST_WITH_NULLABLE_PROTOCOL else ""
        )
        return response

    def failure(member_id: str, code: ErrorCode) -> JoinGroupResponse:
        return finish(JoinGroupResponse(member_id=member_id, error_code=code))

    if not context.authorize(Operation.READ, ResourceType.GROUP, request.group_id):
        return failure("", ErrorCode.GROUP_AUTHORIZATION_FAILED)
    objection = _objection(request, services)
    if objection is not None:
        return failure(request.member_id, objection)
    if version < FIRST_WITH_REBALANCE_TIMEOUT:
        request.rebalance_timeout_ms = request.session_timeout_ms
    caller = _caller(request, context, services)

    def decide(shard: GroupShard, now: Moment, ticket: Reply) -> Decision[JoinGroupResponse]:
        return join(shard, request, caller, ticket, now)

    return submit(
        services.groups,
        request.group_id,
        decide,
        failed=lambda error: failure(request.member_id, error.code),
        finish=finish,
    )


def _objection(request: JoinGroupRequest, services: Services) -> ErrorCode | None:
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    options = services.options.current
    lowest = options.integer("group.min.session.timeout.ms")
    highest = options.integer("group.max.session.timeout.ms")
    if not lowest <= request.session_timeout_ms <= highest:
        return ErrorCode.INVALID_SESSION_TIMEOUT
    return None


def _caller(request: JoinGroupRequest, context: RequestContext, services: Services) -> Caller:
    client_id = context.client_id or ""
    name = client_id if request.group_instance_id is None else request.group_instance_id
    unique = UUID(int=services.runtime.random.getrandbits(128), version=4)
    return Caller(client_id, f"/{context.client_address}", context.api_version, f"{name}-{unique}")


API = Api(key=ApiKey.JOIN_GROUP, handle=handle)
