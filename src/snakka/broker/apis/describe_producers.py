"""DescribeProducers: who writes into a partition (KIP-664). Version 0."""

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.metadata.state.topic_names import check_topic_name
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from snakka.security.operations import Operation, ResourceType
from snakka.storage.producer_state import ProducerEntry


def handle(
    request: DescribeProducersRequest, context: RequestContext, services: Services
) -> DescribeProducersResponse:
    response = DescribeProducersResponse()
    for topic in request.topics:
        allowed = context.authorize(Operation.READ, ResourceType.TOPIC, topic.name)
        rows = [
            _describe(topic.name, index, services)
            if allowed
            else PartitionResponse(partition_index=index, error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
            # Once each: a partition's answer is far longer than its number.
            for index in dict.fromkeys(topic.partition_indexes)
        ]
        response.topics.append(TopicResponse(name=topic.name, partitions=rows))
    return response


def _describe(topic: str, index: int, services: Services) -> PartitionResponse:
    try:
        check_topic_name(topic)
        partition = services.partitions.get(topic, index)
        if partition is None:
            raise ApiError(services.missing_partition_error(topic, index))
        log = partition.check_leader(-1)
    except ApiError as error:
        return PartitionResponse(
            partition_index=index, error_code=error.code, error_message=error.message or None
        )
    producers = [_state(entry) for entry in log.describe_producers()]
    return PartitionResponse(partition_index=index, active_producers=producers)


def _state(entry: ProducerEntry) -> ProducerState:
    return ProducerState(
        producer_id=entry.producer_id,
        producer_epoch=entry.epoch,
        last_sequence=entry.last_sequence,
        last_timestamp=entry.last_timestamp,
        coordinator_epoch=entry.coordinator_epoch,
        current_txn_start_offset=entry.transaction_start,
    )


API = Api(key=ApiKey.DESCRIBE_PRODUCERS, handle=handle)
