"""OffsetForLeaderEpoch: where a leader epoch ends, for truncation and its detection (KIP-101, KIP-320). Versions 2-4."""

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)
from snakka.security.operations import Operation, ResourceType


def handle(
    request: OffsetForLeaderEpochRequest, context: RequestContext, services: Services
) -> OffsetForLeaderEpochResponse:
    response = OffsetForLeaderEpochResponse()
    for topic in request.topics:
        allowed = context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.topic)
        rows = [
            _answer(topic.topic, row, services)
            if allowed
            else EpochEndOffset(partition=row.partition, error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
            for row in topic.partitions
        ]
        response.topics.append(OffsetForLeaderTopicResult(topic=topic.topic, partitions=rows))
    return response


def _answer(topic: str, row: OffsetForLeaderPartition, services: Services) -> EpochEndOffset:
    partition = services.partitions.get(topic, row.partition)
    if partition is None:
        error = services.missing_partition_error(topic, row.partition)
        return EpochEndOffset(partition=row.partition, error_code=error)
    try:
        log = partition.check_leader(row.current_leader_epoch)
    except ApiError as refused:
        return EpochEndOffset(partition=row.partition, error_code=refused.code)
    epoch, end_offset = log.end_offset_for_epoch(row.leader_epoch)
    return EpochEndOffset(partition=row.partition, leader_epoch=epoch, end_offset=end_offset)


API = Api(key=ApiKey.OFFSET_FOR_LEADER_EPOCH, handle=handle)
