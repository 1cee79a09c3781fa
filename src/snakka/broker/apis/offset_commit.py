"""OffsetCommit: a group's progress. Versions 2-10.

KIP-98 epochs of the leader (6), KIP-345 static members (7), KIP-848 epochs of members (9), KIP-848 topic ids (10).
The broker knows every topic's id, so offsets are kept with it in all versions.
"""

from collections.abc import Sequence

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import submit
from snakka.broker.offset_requests import merged, sort_out
from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.offsets.committing import commit
from snakka.coordination.groups.shard import GroupShard
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from snakka.protocol.uuids import Uuid
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_TOPIC_IDS = 10


def handle(
    request: OffsetCommitRequest, context: RequestContext, services: Services
) -> OffsetCommitResponse | Waiting:
    if not context.authorize(Operation.READ, ResourceType.GROUP, request.group_id):
        return error_response(request, ErrorCode.GROUP_AUTHORIZATION_FAILED)
    version = context.api_version
    topics = services.image.topics
    by_id = version >= FIRST_WITH_TOPIC_IDS
    if by_id:
        for topic in request.topics:
            known = topics.by_id.get(topic.topic_id)
            topic.name = "" if known is None else known.name
    key = _topic_id if by_id else _name
    asked, refused = sort_out(request.topics, context, services, _rows, by_id=by_id)
    if not asked:
        return OffsetCommitResponse(topics=merged(refused, [], key))
    if not by_id:
        for topic in asked:
            topic.topic_id = topics.by_name[topic.name].id
    request.topics = asked

    def decide(shard: GroupShard, now: Moment, _reply: Reply) -> Decision[OffsetCommitResponse]:
        decision = commit(shard, request, version, now)
        if refused and decision.response is not None:
            decision.response.topics = merged(refused, decision.response.topics, key)
        return decision

    def failed(error: ApiError) -> OffsetCommitResponse:
        return OffsetCommitResponse(topics=merged(refused, _all_rows(request, error.code), key))

    return submit(services.groups, request.group_id, decide, failed)


def _name(row: OffsetCommitResponseTopic) -> str:
    return row.name


def _topic_id(row: OffsetCommitResponseTopic) -> Uuid:
    return row.topic_id


def _rows(
    topic: OffsetCommitRequestTopic, partitions: Sequence[OffsetCommitRequestPartition], code: ErrorCode
) -> OffsetCommitResponseTopic:
    return OffsetCommitResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        partitions=[
            OffsetCommitResponsePartition(partition_index=row.partition_index, error_code=code)
            for row in partitions
        ],
    )


def _all_rows(request: OffsetCommitRequest, code: ErrorCode) -> list[OffsetCommitResponseTopic]:
    return [_rows(topic, topic.partitions, code) for topic in request.topics]


def error_response(request: OffsetCommitRequest, code: ErrorCode, _text: str = "") -> OffsetCommitResponse:
    return OffsetCommitResponse(topics=_all_rows(request, code))


API = Api(key=ApiKey.OFFSET_COMMIT, handle=handle, error_response=error_response)
