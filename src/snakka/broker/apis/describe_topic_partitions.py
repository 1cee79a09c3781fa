"""DescribeTopicPartitions: topics page by page, with their eligible leaders (KIP-966). Version 0."""

from snakka.broker.api import Api
from snakka.broker.cluster_view import INTERNAL_TOPICS, view_partition
from snakka.broker.services import Services
from snakka.metadata.image.partition import PartitionImage
from snakka.metadata.image.topics import TopicImage
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
    limit = min(
        request.response_partition_limit, services.options.current.integer("max.request.partition.size.limit")
    )
    cursor = request.cursor
    if cursor is not None and cursor.partition_index < 0:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"a cursor cannot point to partition {cursor.partition_index}"
        )
    known = services.image.topics.by_name
    names = sorted({topic.name for topic in request.topics} or known)
    if cursor is not None:
        names = [name for name in names if name >= cursor.topic_name]
    room = limit
    for name in names:
        if not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, name):
            # Who asked for all topics is not told of those that are none of his business.
            if request.topics:
                response.topics.append(_failed(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
            continue
        topic = known.get(name)
        if topic is None:
            response.topics.append(_failed(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
            continue
        first = cursor.partition_index if cursor is not None and cursor.topic_name == name else 0
        if room <= 0:
            response.next_cursor = DescribeTopicPartitionsResponseCursor(
                topic_name=name, partition_index=first
            )
            break
        row = _topic_row(topic, first, room, context, services)
        response.topics.append(row)
        room -= len(row.partitions)
        following = first + len(row.partitions)
        if following < len(topic.partitions):
            response.next_cursor = DescribeTopicPartitionsResponseCursor(
                topic_name=name, partition_index=following
            )
            break
    return response


def _failed(name: str, error: ErrorCode) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        error_code=error, name=name, is_internal=name in INTERNAL_TOPICS
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
