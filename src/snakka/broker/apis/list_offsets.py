"""ListOffsets: offsets by timestamp, and by the timestamps that mean something special. Versions 1-11.

KIP-98 isolation levels (2), KIP-320 leader epochs (4), KIP-734 the largest timestamp (7), KIP-405 the earliest local offset
(8), KIP-1005 the latest tiered offset (9), KIP-1075 a timeout (10), KIP-1023 the earliest offset not yet uploaded (11).
"""

from typing import NamedTuple

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from snakka.replication.fetching import READ_COMMITTED
from snakka.replication.partition import Partition
from snakka.security.operations import Operation, ResourceType
from snakka.storage.files import StorageFailure
from snakka.storage.partition_log import PartitionLog

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6

# From which version on each special timestamp may be asked for.
_SPECIAL_FROM = {
    LATEST: 1,
    EARLIEST: 1,
    MAX_TIMESTAMP: 7,
    EARLIEST_LOCAL: 8,
    LATEST_TIERED: 9,
    EARLIEST_PENDING_UPLOAD: 11,
}
_CONSUMER = -1


class Found(NamedTuple):
    """A timestamp, an offset and the leader epoch of that offset; -1 where there is none."""

    timestamp: int
    offset: int
    leader_epoch: int


NOTHING = Found(-1, -1, -1)


def handle(request: ListOffsetsRequest, context: RequestContext, services: Services) -> ListOffsetsResponse:
    response = ListOffsetsResponse()
    asked: dict[tuple[str, int], int] = {}
    for topic in request.topics:
        for row in topic.partitions:
            key = (topic.name, row.partition_index)
            asked[key] = asked.get(key, 0) + 1
    for topic in request.topics:
        allowed = context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name)
        rows = []
        # A partition that is named twice is answered once.
        for row in {row.partition_index: row for row in topic.partitions}.values():
            if not allowed:
                rows.append(_failed(row.partition_index, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
            elif asked[topic.name, row.partition_index] > 1:
                rows.append(_failed(row.partition_index, ErrorCode.INVALID_REQUEST))
            else:
                rows.append(_answer(topic.name, row, request, context.api_version, services))
        response.topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=rows))
    return response


def _answer(
    topic: str, row: ListOffsetsPartition, request: ListOffsetsRequest, version: int, services: Services
) -> ListOffsetsPartitionResponse:
    index = row.partition_index
    if row.timestamp < 0 and _SPECIAL_FROM.get(row.timestamp, version + 1) > version:
        return _failed(index, ErrorCode.UNSUPPORTED_VERSION)
    partition = services.partitions.get(topic, index)
    if partition is None:
        return _failed(index, services.missing_partition_error(topic, index))
    try:
        log = partition.check_leader(row.current_leader_epoch)
        found = _find(partition, log, row.timestamp, request)
    except ApiError as error:
        return _failed(index, error.code)
    except StorageFailure as failure:
        services.partition_storage_failed(partition, failure)
        return _failed(index, ErrorCode.KAFKA_STORAGE_ERROR)
    return ListOffsetsPartitionResponse(
        partition_index=index,
        timestamp=found.timestamp,
        offset=found.offset,
        leader_epoch=found.leader_epoch if version >= 4 else -1,
    )


def _find(partition: Partition, log: PartitionLog, timestamp: int, request: ListOffsetsRequest) -> Found:
    if request.replica_id != _CONSUMER:
        end = log.log_end_offset
    elif request.isolation_level == READ_COMMITTED:
        end = log.last_stable_offset
    else:
        end = log.high_watermark
    if timestamp == LATEST:
        return Found(-1, end, partition.leader_epoch)
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return Found(-1, log.log_start_offset, log.epochs.epoch_for(log.log_start_offset))
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        # Without tiered storage nothing is uploaded, nor waits to be.
        return NOTHING
    if timestamp == MAX_TIMESTAMP:
        found = log.offset_of_max_timestamp(end)
    else:
        found = log.offset_for_timestamp(timestamp, end)
    if found is None:
        return NOTHING
    return Found(found.timestamp, found.offset, found.leader_epoch)


def _failed(index: int, error: ErrorCode) -> ListOffsetsPartitionResponse:
    return ListOffsetsPartitionResponse(partition_index=index, error_code=error)


API = Api(key=ApiKey.LIST_OFFSETS, handle=handle)
