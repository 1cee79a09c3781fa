"""Produce: append one batch a partition, answer by acks. Versions 3-13.

KIP-98 idempotence and transactions, KIP-467 errors of single records, KIP-951 the new leader in the answer (10),
KIP-516 topic ids (13). Versions 0-2 are advertised, because old librdkafka reads its compression support from there, but
nobody speaks them any more.
"""

from collections.abc import Callable

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.metadata.state.topic_names import INTERNAL_TOPICS
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from snakka.protocol.record_batch import (
    CHECKSUMMED_FROM,
    HEADER_SIZE,
    TRANSACTIONAL_BIT,
    read_header,
    single_produced_batch,
)
from snakka.replication.partition import Partition
from snakka.replication.waiting_requests import WaitingProduce
from snakka.security.operations import Operation, ResourceType
from snakka.storage.files import StorageFailure

ALL_REPLICAS = -1
ACKS = (ALL_REPLICAS, 0, 1)
FIRST_WITH_ZSTD = 7
FIRST_WITH_LEADER_HINT = 10
FIRST_WITH_TOPIC_ID = 13
# Only Kafka's own tools write to internal topics by a produce.
ADMIN_CLIENT_ID = "__admin_client"
# The byte of a batch's attributes that has the transactional bit.
_ATTRIBUTES = CHECKSUMMED_FROM + 1
# With these errors Kafka does not say where the log begins.
_ERRORS_WITHOUT_LOG_START = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)

# Found once: on Python 3.11 each look at an enum's member costs as much as a small object.
_NO_ERROR = ErrorCode.NONE
_WRITE = Operation.WRITE
_TOPIC = ResourceType.TOPIC

# What still has to happen before the answer: partition, offset to pass, replicas too?, who is told.
Ack = tuple[Partition, int, bool, Callable[[ErrorCode], None]]


def handle(
    request: ProduceRequest, context: RequestContext, services: Services
) -> ProduceResponse | Waiting | None:
    open_acks: list[Ack] = []
    refused = _refusal_of_all(request, context)
    response = ProduceResponse()
    for topic_data in request.topic_data:
        if topic_data.partition_data:
            response.responses.append(
                _produce_topic(request, topic_data, refused, context, services, open_acks)
            )
    if request.acks == 0:
        # Nobody reads an answer to acks=0: a closed connection is the only way to say that something went wrong.
        if any(row.error_code for topic in response.responses for row in topic.partition_responses):
            context.connection.reject("a produce with acks=0 failed")
        return None
    if not open_acks:
        return _finished(response, context, services)
    waiting = Waiting()
    waiter = WaitingProduce(
        services.runtime,
        request.timeout_ms / 1000,
        open_acks,
        lambda: waiting.complete(_finished(response, context, services)),
    )
    waiting.on_disconnect(waiter.cancel)
    return waiting


def _finished(response: ProduceResponse, context: RequestContext, services: Services) -> ProduceResponse:
    """The answer with where to go instead, if this broker was the wrong one to ask."""
    if context.api_version >= FIRST_WITH_LEADER_HINT:
        hinted = []
        for topic in response.responses:
            for row in topic.partition_responses:
                if row.error_code and row.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                    leader_id, epoch = services.leader_of(topic.topic_id, topic.name, row.index)
                    row.current_leader = LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=epoch)
                    hinted.append(leader_id)
        if hinted:
            services.add_leader_endpoints(response.node_endpoints, NodeEndpoint, hinted, context.listener)
    return response


def _refusal_of_all(request: ProduceRequest, context: RequestContext) -> ErrorCode:
    """An error of the request as a whole, given to each of its partitions."""
    for topic in request.topic_data:
        for data in topic.partition_data:
            if _is_transactional(data.records):
                name = request.transactional_id
                if name is None or not context.authorize(_WRITE, ResourceType.TRANSACTIONAL_ID, name):
                    return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return _NO_ERROR


def _is_transactional(records: object) -> bool:
    return (
        isinstance(records, memoryview)
        and len(records) >= HEADER_SIZE
        and records[_ATTRIBUTES] & TRANSACTIONAL_BIT != 0
    )


def _produce_topic(
    request: ProduceRequest,
    topic_data: TopicProduceData,
    refused: ErrorCode,
    context: RequestContext,
    services: Services,
    open_acks: list[Ack],
) -> TopicProduceResponse:
    name: str | None = topic_data.name
    if context.api_version >= FIRST_WITH_TOPIC_ID:
        topic = services.image.topics.by_id.get(topic_data.topic_id)
        name = topic.name if topic is not None else None
    if not refused:
        if name is None:
            refused = ErrorCode.UNKNOWN_TOPIC_ID
        elif not context.authorize(_WRITE, _TOPIC, name):
            refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    rows = []
    for data in topic_data.partition_data:
        if refused:
            rows.append(_failed(data.index, refused, None))
        else:
            rows.append(_produce_partition(request, name or "", data, context, services, open_acks))
    return TopicProduceResponse(name=topic_data.name, topic_id=topic_data.topic_id, partition_responses=rows)


def _produce_partition(
    request: ProduceRequest,
    topic: str,
    data: PartitionProduceData,
    context: RequestContext,
    services: Services,
    open_acks: list[Ack],
) -> PartitionProduceResponse:
    partition = services.partitions.get(topic, data.index)
    if partition is None:
        return _failed(data.index, services.missing_partition_error(topic, data.index), None)
    records = data.records
    if not isinstance(records, memoryview):
        return _failed(data.index, ErrorCode.INVALID_RECORD, "a produce needs a record batch")
    try:
        _check_before_append(request, topic, records, context)
    except ApiError as error:
        return _failed(data.index, error.code, error.message or None)
    try:
        info = partition.append(records, request.acks, services.runtime.clock.now_ms())
    except ApiError as error:
        partition.failed_produces += 1
        return _failed_append(data.index, error, partition, records)
    except StorageFailure as failure:
        services.log_manager.fail_directory(failure.directory, failure)
        return _failed(data.index, ErrorCode.KAFKA_STORAGE_ERROR, None)
    row = PartitionProduceResponse(
        index=data.index,
        base_offset=info.first_offset,
        log_append_time_ms=info.log_append_time,
        log_start_offset=info.log_start_offset,
    )
    needs_isr = request.acks == ALL_REPLICAS
    if request.acks != 0 and not partition.is_acknowledged(info.last_offset + 1, needs_isr):
        open_acks.append((partition, info.last_offset + 1, needs_isr, _teller(row)))
    return row


def _check_before_append(
    request: ProduceRequest, topic: str, records: memoryview, context: RequestContext
) -> None:
    """What has to do with the request more than with the log; ApiError if the batch may not go there."""
    if context.api_version < FIRST_WITH_ZSTD or request.acks not in ACKS:
        single_produced_batch(records, context.api_version)
        if request.acks not in ACKS:
            raise ApiError(ErrorCode.INVALID_REQUIRED_ACKS)
    if topic in INTERNAL_TOPICS and context.client_id != ADMIN_CLIENT_ID:
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"clients may not write to {topic}")
    if _is_transactional(records) and read_header(records).has_producer_id:
        # Nobody could ever end the transaction, and readers of committed records would wait for it for ever.
        raise ApiError(
            ErrorCode.NOT_ENOUGH_REPLICAS,
            "Unable to verify the partition has been added to the transaction: there is no coordinator",
        )


def _teller(row: PartitionProduceResponse) -> Callable[[ErrorCode], None]:
    def tell(error: ErrorCode) -> None:
        if error != ErrorCode.NONE:
            row.error_code = error
            row.base_offset = -1
            row.log_append_time_ms = -1
            row.log_start_offset = -1

    return tell


def _failed(index: int, error: ErrorCode, message: str | None) -> PartitionProduceResponse:
    return PartitionProduceResponse(index=index, error_code=error, base_offset=-1, error_message=message)


def _failed_append(
    index: int, error: ApiError, partition: Partition, records: memoryview
) -> PartitionProduceResponse:
    row = _failed(index, error.code, error.message or None)
    row.record_errors = [
        BatchIndexAndErrorMessage(batch_index=position, batch_index_error_message=message)
        for position, message in error.record_errors
    ]
    if error.code not in _ERRORS_WITHOUT_LOG_START and _is_one_batch(records):
        row.log_start_offset = partition.log.log_start_offset
    return row


def _is_one_batch(records: memoryview) -> bool:
    """Whether the log has looked at the records at all: anything but one whole batch never gets so far in Kafka."""
    try:
        single_produced_batch(records, ProduceRequest.MAX_VERSION)
    except ApiError as error:
        return error.code != ErrorCode.INVALID_RECORD
    return True


API = Api(key=ApiKey.PRODUCE, handle=handle, advertised_from=0)
