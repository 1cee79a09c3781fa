"""DescribeTopicPartitions: topics page by page, with their eligible leaders (KIP-966). Version 0."""

from collections.abc import Iterable

from snakka.broker.api import Api
from snakka.broker.cluster_view import OPERATIONS_NOT_ASKED, unknown_topic_error, view_partition
from snakka.broker.services import Services
from snakka.metadata.image.partition import PartitionImage
from snakka.metadata.image.topics import TopicImage
from snakka.metadata.state.topic_names import INTERNAL_TOPICS
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseCursor,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from snakka.security.operations import Operation, ResourceType


def handle(
    request: DescribeTopicPartitionsRequest, context: RequestContext, services: Services
) -> DescribeTopicPartitionsResponse:
    response = DescribeTopicPartitionsResponse()
    most = services.options.current.integer("max.request.partition.size.limit")
    room = max(1, min(request.response_partition_limit, most))
    known = services.image.topics.by_name
    try:
        names, first_index = _page_start(request, known)
    except ApiError as error:
        response.topics = [_failed(topic.name, error.code) for topic in request.topics]
        return response
    unauthorized = []
    for name in names:
        if not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, name):
            # Who asked for all topics is not told of those that are none of his business.
            if request.topics:
                unauthorized.append(_failed(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
            continue
        if room == 0:
            response.next_cursor = DescribeTopicPartitionsResponseCursor(topic_name=name, partition_index=0)
            break
        topic = known.get(name)
        if topic is None:
            operations = context.authorized_operations(ResourceType.TOPIC, name)
            response.topics.append(_failed(name, unknown_topic_error(name), operations))
            continue
        row = _topic_row(topic, first_index, room, context, services)
        response.topics.append(row)
        room -= len(row.partitions)
        following = first_index + len(row.partitions)
        first_index = 0
        if following < len(topic.partitions):
            response.next_cursor = DescribeTopicPartitionsResponseCursor(
                topic_name=name, partition_index=following
            )
            break
    response.topics += unauthorized
    return response


def _page_start(request: DescribeTopicPartitionsRequest, known: Iterable[str]) -> tuple[list[str], int]:
    """The topics that are still to be told of, and the partition to begin with in the first of them."""
    names = sorted({topic.name for topic in request.topics} or known)
    cursor = request.cursor
    if cursor is None:
        return names, 0
    if request.topics and cursor.topic_name not in names:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"the cursor's topic {cursor.topic_name} is not asked for")
    if cursor.partition_index < 0:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"a cursor cannot point to partition {cursor.partition_index}"
        )
    names = [name for name in names if name >= cursor.topic_name]
    is_there = bool(names) and names[0] == cursor.topic_name
    return names, cursor.partition_index if is_there else 0


def _failed(
    name: str, error: ErrorCode, operations: int = OPERATIONS_NOT_ASKED
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        error_code=error,
        name=name,
        is_internal=name in INTERNAL_TOPICS,
        topic_authorized_operations=operations,
    )


def _topic_row(
    topic: TopicImage, first: int, room: int, context: RequestContext, services: Services
) -> DescribeTopicPartitionsResponseTopic:
    chosen = [index for index in sorted(topic.partitions) if index >= first][:room]
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.id,
        is_internal=topic.name in INTERNAL_TOPICS,
        partitions=[_partition_row(index, topic.partitions[index], context, services) for index in chosen],
        topic_authorized_operations=context.authorized_operations(ResourceType.TOPIC, topic.name),
    )


def _partition_row(
    index: int, partition: PartitionImage, context: RequestContext, services: Services
) -> DescribeTopicPartitionsResponsePartition:
    view = view_partition(services.image, partition, context.listener)
    return DescribeTopicPartitionsResponsePartition(
        error_code=view.error,
        partition_index=index,
        leader_id=view.leader_id,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=list(partition.isr),
        eligible_leader_replicas=list(partition.elr),
        last_known_elr=list(partition.last_known_elr),
        offline_replicas=view.offline_replicas,
    )


API = Api(key=ApiKey.DESCRIBE_TOPIC_PARTITIONS, handle=handle)
