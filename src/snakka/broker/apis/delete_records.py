"""DeleteRecords: forget what is before an offset (KIP-107). Versions 0-2."""

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.metadata.state.topic_names import INTERNAL_TOPICS
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from snakka.security.operations import Operation, ResourceType
from snakka.storage.files import StorageFailure

HIGH_WATERMARK = -1
NO_LOW_WATERMARK = -1


def handle(
    request: DeleteRecordsRequest, context: RequestContext, services: Services
) -> DeleteRecordsResponse:
    response = DeleteRecordsResponse()
    for topic in request.topics:
        refused = ErrorCode.NONE
        if not context.authorize(Operation.DELETE, ResourceType.TOPIC, topic.name):
            refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif topic.name in INTERNAL_TOPICS and topic.name in services.image.topics.by_name:
            refused = ErrorCode.INVALID_TOPIC_EXCEPTION
        rows = [
            _failed(row.partition_index, refused) if refused else _delete(topic.name, row, services)
            # Of a partition that is named twice, the last offset counts.
            for row in {row.partition_index: row for row in topic.partitions}.values()
        ]
        response.topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=rows))
    return response


def _delete(topic: str, row: DeleteRecordsPartition, services: Services) -> DeleteRecordsPartitionResult:
    index = row.partition_index
    partition = services.partitions.get(topic, index)
    if partition is None:
        return _failed(index, services.missing_partition_error(topic, index))
    try:
        log = partition.check_leader(-1)
        if not (log.config.delete or not log.config.compact):
            raise ApiError(
                ErrorCode.POLICY_VIOLATION, f"{topic} is compacted only: its records go by their keys"
            )
        offset = log.high_watermark if row.offset == HIGH_WATERMARK else row.offset
        if offset < 0:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, f"no record has offset {offset}")
        log.advance_log_start_offset(offset)
        services.log_manager.log_start_moved(log)
        partition.log_start_moved()
    except ApiError as error:
        return _failed(index, error.code)
    except StorageFailure as failure:
        services.partition_storage_failed(partition, failure)
        return _failed(index, ErrorCode.KAFKA_STORAGE_ERROR)
    return DeleteRecordsPartitionResult(partition_index=index, low_watermark=log.log_start_offset)


def _failed(index: int, error: ErrorCode) -> DeleteRecordsPartitionResult:
    return DeleteRecordsPartitionResult(
        partition_index=index, low_watermark=NO_LOW_WATERMARK, error_code=error
    )


API = Api(key=ApiKey.DELETE_RECORDS, handle=handle)
