"""OffsetFetch: what groups have committed. Versions 1-10.

All topics of a group (2), KIP-320 epochs of the leader (5), KIP-447 stable offsets (7), KIP-709 several groups at once (8),
KIP-848 epochs of members (9), KIP-848 topic ids (10). Before version 2 an error of the group stands at each partition.
"""

from collections.abc import Callable, Sequence

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.coordination.decision import Moment
from snakka.coordination.groups.offsets.fetching import NO_OFFSET, fetch
from snakka.coordination.groups.shard import GroupShard
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from snakka.protocol.uuids import ZERO_UUID
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_GROUP_ERROR = 2
FIRST_WITH_SEVERAL_GROUPS = 8
FIRST_WITH_TOPIC_IDS = 10

# Makes one group's answer of what its coordinator says.
_Finish = Callable[[OffsetFetchResponseGroup | ApiError], OffsetFetchResponseGroup]


def handle(
    request: OffsetFetchRequest, context: RequestContext, services: Services
) -> OffsetFetchResponse | Waiting:
    version = context.api_version
    groups = _several(request) if version >= FIRST_WITH_SEVERAL_GROUPS else [_only_group(request)]
    finishers: list[_Finish] = []

    def join(outcomes: Sequence[OffsetFetchResponseGroup | ApiError]) -> OffsetFetchResponse:
        return _response(
            [finish(outcome) for finish, outcome in zip(finishers, outcomes, strict=True)], version
        )

    waiting, replies = gathered(len(groups), join)
    for group, reply in zip(groups, replies, strict=True):
        if not context.authorize(Operation.DESCRIBE, ResourceType.GROUP, group.group_id):
            finishers.append(_without_topics(group, version))
            reply.complete(ApiError(ErrorCode.GROUP_AUTHORIZATION_FAILED))
            continue
        asked, finish = _plan(group, context, services)
        finishers.append(finish)
        services.groups.query(group.group_id, _question(asked, request.require_stable), reply)
    return waiting


def _question(
    group: OffsetFetchRequestGroup, require_stable: bool
) -> Callable[[GroupShard, Moment], OffsetFetchResponseGroup]:
    return lambda shard, _now: fetch(shard, group, require_stable=require_stable)


def _several(request: OffsetFetchRequest) -> list[OffsetFetchRequestGroup]:
    """All offsets of a group are told once, however often it is named: they are far longer than its name."""
    groups: list[OffsetFetchRequestGroup] = []
    whole: set[str] = set()
    for group in request.groups:
        if group.topics is None:
            if group.group_id in whole:
                continue
            whole.add(group.group_id)
        groups.append(group)
    return groups


def _only_group(request: OffsetFetchRequest) -> OffsetFetchRequestGroup:
    topics = request.topics
    return OffsetFetchRequestGroup(
        group_id=request.group_id,
        topics=None
        if topics is None
        else [
            OffsetFetchRequestTopics(name=topic.name, partition_indexes=topic.partition_indexes)
            for topic in topics
        ],
    )


def _plan(
    group: OffsetFetchRequestGroup, context: RequestContext, services: Services
) -> tuple[OffsetFetchRequestGroup, _Finish]:
    """What the coordinator is asked, and what becomes of its answer."""
    failed = _without_topics(group, context.api_version)
    if group.topics is None:
        return (
            group,
            lambda outcome: (
                failed(outcome) if isinstance(outcome, ApiError) else _visible(outcome, context, services)
            ),
        )
    by_id = context.api_version >= FIRST_WITH_TOPIC_IDS
    asked: list[OffsetFetchRequestTopics] = []
    refused: list[OffsetFetchResponseTopics] = []
    for topic in group.topics:
        if by_id:
            known = services.image.topics.by_id.get(topic.topic_id)
            topic.name = "" if known is None else known.name
        if by_id and not topic.name:
            refused.append(_refused(topic, ErrorCode.UNKNOWN_TOPIC_ID))
        elif not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name):
            refused.append(_refused(topic, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
        else:
            asked.append(topic)

    def finish(outcome: OffsetFetchResponseGroup | ApiError) -> OffsetFetchResponseGroup:
        if isinstance(outcome, ApiError):
            return failed(outcome)
        outcome.topics.extend(refused)
        return outcome

    request = OffsetFetchRequestGroup(
        group_id=group.group_id, member_id=group.member_id, member_epoch=group.member_epoch, topics=asked
    )
    return request, finish


def _visible(
    answer: OffsetFetchResponseGroup, context: RequestContext, services: Services
) -> OffsetFetchResponseGroup:
    """Of all topics, those that the client may know of, and that can be told: by id only what exists."""
    rows = [
        topic
        for topic in answer.topics
        if context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name)
    ]
    if context.api_version >= FIRST_WITH_TOPIC_IDS:
        for row in rows:
            known = services.image.topics.get(row.name)
            row.topic_id = ZERO_UUID if known is None else known.id
        rows = [row for row in rows if row.topic_id != ZERO_UUID]
    answer.topics = rows
    return answer


def _without_topics(group: OffsetFetchRequestGroup, version: int) -> _Finish:
    """The form of an error that concerns the whole group."""

    def failed(outcome: OffsetFetchResponseGroup | ApiError) -> OffsetFetchResponseGroup:
        assert isinstance(outcome, ApiError)
        # Old consumers look for another coordinator when they hear this, and fail when they hear that there is none.
        code = outcome.code
        if code == ErrorCode.COORDINATOR_NOT_AVAILABLE:
            code = ErrorCode.NOT_COORDINATOR
        if version >= FIRST_WITH_GROUP_ERROR:
            return OffsetFetchResponseGroup(group_id=group.group_id, error_code=code)
        topics = [_refused(topic, code) for topic in group.topics or ()]
        return OffsetFetchResponseGroup(group_id=group.group_id, topics=topics)

    return failed


def _refused(topic: OffsetFetchRequestTopics, code: ErrorCode) -> OffsetFetchResponseTopics:
    return OffsetFetchResponseTopics(
        name=topic.name,
        topic_id=topic.topic_id,
        partitions=[
            OffsetFetchResponsePartitions(partition_index=index, committed_offset=NO_OFFSET, error_code=code)
            for index in topic.partition_indexes
        ],
    )


def _response(groups: list[OffsetFetchResponseGroup], version: int) -> OffsetFetchResponse:
    if version >= FIRST_WITH_SEVERAL_GROUPS:
        return OffsetFetchResponse(groups=groups)
    (group,) = groups
    return OffsetFetchResponse(
        error_code=group.error_code,
        topics=[
            OffsetFetchResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetFetchResponsePartition(
                        partition_index=row.partition_index,
                        committed_offset=row.committed_offset,
                        committed_leader_epoch=row.committed_leader_epoch,
                        metadata=row.metadata,
                        error_code=row.error_code,
                    )
                    for row in topic.partitions
                ],
            )
            for topic in group.topics
        ],
    )


def error_response(request: OffsetFetchRequest, code: ErrorCode, _text: str) -> OffsetFetchResponse:
    """A defect's answer; the version is not known here, so an error stands wherever one can."""
    if request.groups:
        return OffsetFetchResponse(
            groups=[
                OffsetFetchResponseGroup(group_id=one.group_id, error_code=code) for one in request.groups
            ]
        )
    refused = [_refused(topic, code) for topic in _only_group(request).topics or ()]
    response = _response([OffsetFetchResponseGroup(topics=refused)], FIRST_WITH_GROUP_ERROR)
    response.error_code = code
    return response


API = Api(key=ApiKey.OFFSET_FETCH, handle=handle, error_response=error_response)
