"""ConsumerGroupDescribe: consumer groups and their members. Versions 0-1.

KIP-848 (0), KIP-1099 which protocol a member speaks (1).
"""

from collections.abc import Callable, Sequence

from snakka.broker.api import Api
from snakka.broker.apis.consumer_group_heartbeat import serves_consumer_groups
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.coordination.decision import Moment
from snakka.coordination.groups.consumer.description import describe
from snakka.coordination.groups.shard import GroupShard
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
)
from snakka.security.operations import Operation, ResourceType

_UNSEEN_TOPICS = "The group has described topic(s) that the client is not authorized to describe."


def handle(
    request: ConsumerGroupDescribeRequest, context: RequestContext, services: Services
) -> ConsumerGroupDescribeResponse | Waiting:
    if not serves_consumer_groups(services):
        return error_response(request, ErrorCode.UNSUPPORTED_VERSION, "")
    refused: list[DescribedGroup] = []
    asked: list[str] = []
    # Once each: a group's description is far longer than its name.
    for group_id in dict.fromkeys(request.group_ids):
        if not context.authorize(Operation.DESCRIBE, ResourceType.GROUP, group_id):
            refused.append(_row(group_id, ErrorCode.GROUP_AUTHORIZATION_FAILED))
        elif not group_id:
            refused.append(_row(group_id, ErrorCode.INVALID_GROUP_ID))
        else:
            asked.append(group_id)

    def join(outcomes: Sequence[DescribedGroup | ApiError]) -> ConsumerGroupDescribeResponse:
        rows = [
            _finished(group_id, outcome, request, context)
            for group_id, outcome in zip(asked, outcomes, strict=True)
        ]
        return ConsumerGroupDescribeResponse(groups=[*refused, *rows])

    waiting, replies = gathered(len(asked), join)
    for group_id, reply in zip(asked, replies, strict=True):
        services.groups.query(group_id, _description(group_id), reply)
    return waiting


def _description(group_id: str) -> Callable[[GroupShard, Moment], DescribedGroup]:
    return lambda shard, now: describe(shard, group_id, now)


def _finished(
    group_id: str,
    outcome: DescribedGroup | ApiError,
    request: ConsumerGroupDescribeRequest,
    context: RequestContext,
) -> DescribedGroup:
    if isinstance(outcome, ApiError):
        # Only what the group itself says of it; that its coordinator is elsewhere says the code.
        text = outcome.message if outcome.code is ErrorCode.GROUP_ID_NOT_FOUND else None
        return _row(group_id, outcome.code, text)
    if not all(
        context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic) for topic in _topics(outcome)
    ):
        return _row(group_id, ErrorCode.TOPIC_AUTHORIZATION_FAILED, _UNSEEN_TOPICS)
    if request.include_authorized_operations:
        outcome.authorized_operations = context.authorized_operations(ResourceType.GROUP, group_id)
    return outcome


def _topics(group: DescribedGroup) -> dict[str, None]:
    return {
        row.topic_name: None
        for member in group.members
        for assignment in (member.assignment, member.target_assignment)
        for row in assignment.topic_partitions
    }


def _row(group_id: str, code: ErrorCode, text: str | None = None) -> DescribedGroup:
    return DescribedGroup(group_id=group_id, error_code=code, error_message=text)


def error_response(
    request: ConsumerGroupDescribeRequest, code: ErrorCode, _text: str
) -> ConsumerGroupDescribeResponse:
    return ConsumerGroupDescribeResponse(groups=[_row(group_id, code) for group_id in request.group_ids])


API = Api(key=ApiKey.CONSUMER_GROUP_DESCRIBE, handle=handle, error_response=error_response)
