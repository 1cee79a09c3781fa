"""LeaveGroup: members of a classic group leave it. Versions 0-5.

KIP-345 several members at once, by their instance ids too (3), KIP-800 reasons, which are not needed here (5).
"""

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import submit
from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.requests import leave
from snakka.coordination.groups.shard import GroupShard
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
    MemberResponse,
)
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_SEVERAL_MEMBERS = 3


def handle(
    request: LeaveGroupRequest, context: RequestContext, services: Services
) -> LeaveGroupResponse | Waiting:
    if not context.authorize(Operation.READ, ResourceType.GROUP, request.group_id):
        return LeaveGroupResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not request.group_id:
        return LeaveGroupResponse(error_code=ErrorCode.INVALID_GROUP_ID)
    is_alone = context.api_version < FIRST_WITH_SEVERAL_MEMBERS
    if is_alone:
        request.members = [MemberIdentity(member_id=request.member_id)]

    def decide(shard: GroupShard, now: Moment, _ticket: Reply) -> Decision[LeaveGroupResponse]:
        return leave(shard, request, now)

    def finish(response: LeaveGroupResponse) -> LeaveGroupResponse:
        if is_alone and response.error_code == ErrorCode.NONE:
            return LeaveGroupResponse(error_code=response.members[0].error_code)
        return response

    def failed(error: ApiError) -> LeaveGroupResponse:
        if error.code is not ErrorCode.UNKNOWN_MEMBER_ID:
            return LeaveGroupResponse(error_code=error.code)
        # There is no such group: that is each member's error, not the request's.
        return finish(LeaveGroupResponse(members=[_unknown(member) for member in request.members]))

    return submit(services.groups, request.group_id, decide, failed, finish)


def _unknown(member: MemberIdentity) -> MemberResponse:
    return MemberResponse(
        member_id=member.member_id,
        group_instance_id=member.group_instance_id,
        error_code=ErrorCode.UNKNOWN_MEMBER_ID,
    )


API = Api(key=ApiKey.LEAVE_GROUP, handle=handle)
