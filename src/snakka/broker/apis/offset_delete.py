"""OffsetDelete: forget what a group has committed for some partitions (KIP-496). Version 0."""

from collections.abc import Sequence

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import submit
from snakka.broker.offset_requests import merged, sort_out
from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.offsets.deletion import delete_offsets
from snakka.coordination.groups.shard import GroupShard
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from snakka.security.operations import Operation, ResourceType


def handle(
    request: OffsetDeleteRequest, context: RequestContext, services: Services
) -> OffsetDeleteResponse | Waiting:
    if not context.authorize(Operation.DELETE, ResourceType.GROUP, request.group_id):
        return OffsetDeleteResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    asked, refused = sort_out(request.topics, context, services, _rows)
    if not request.group_id:
        return OffsetDeleteResponse(error_code=ErrorCode.INVALID_GROUP_ID)
    # The group is asked even if nothing is left to delete: its errors come before those of topics.
    request.topics = asked

    def decide(shard: GroupShard, _now: Moment, _reply: Reply) -> Decision[OffsetDeleteResponse]:
        decision = delete_offsets(shard, request)
        if decision.response is not None:
            decision.response.topics = merged(refused, decision.response.topics, _name)
        return decision

    return submit(services.groups, request.group_id, decide, _failed)


def _failed(error: ApiError) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(error_code=error.code)


def _name(row: OffsetDeleteResponseTopic) -> str:
    return row.name


def _rows(
    topic: OffsetDeleteRequestTopic, partitions: Sequence[OffsetDeleteRequestPartition], code: ErrorCode
) -> OffsetDeleteResponseTopic:
    return OffsetDeleteResponseTopic(
        name=topic.name,
        partitions=[
            OffsetDeleteResponsePartition(partition_index=row.partition_index, error_code=code)
            for row in partitions
        ],
    )


API = Api(key=ApiKey.OFFSET_DELETE, handle=handle)
