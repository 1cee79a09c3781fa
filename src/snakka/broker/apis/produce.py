"""Produce: append one batch a partition, answer by acks. Versions 3-13.

KIP-98 idempotence and transactions, KIP-467 errors of single records, KIP-951 the new leader in the answer (10), KIP-890
transactions that can be aborted (11) and that a partition joins by being written to (12), KIP-516 topic ids (13).
Versions 0-2 are advertised, because old librdkafka reads its compression support from there, but nobody speaks them any
more.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

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
    BatchHeader,
    read_header,
    single_produced_batch,
)
from snakka.protocol.uuids import Uuid
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

TopicPartition = tuple[str, int]
# Partitions that the coordinator of the transaction refuses, and why.
Refusals = Mapping[TopicPartition, ErrorCode]
_NO_REFUSALS: Refusals = MappingProxyType({})

# What still has to happen before the answer: partition, offset to pass, replicas too?, who is told.
Ack = tuple[Partition, int, bool, Callable[[ErrorCode], None]]


def handle(
    request: ProduceRequest, context: RequestContext, services: Services
) -> ProduceResponse | Waiting | None:
    refused = _refusal_of_all(request, context)
    if request.transactional_id is not None and not refused:
        return _produce_in_transaction(request, request.transactional_id, context, services)
    return _produce(request, refused, _NO_REFUSALS, context, services)


def _produce(
    request: ProduceRequest,
    refused: ErrorCode,
    refusals: Refusals,
    context: RequestContext,
    services: Services,
    waiting: Waiting | None = None,
) -> ProduceResponse | Waiting | None:
    """Append what is not refused. An answer that must wait is given to `waiting`, if there is one already."""
    open_acks: list[Ack] = []
    response = ProduceResponse()
    for topic_data in request.topic_data:
        if topic_data.partition_data:
            response.responses.append(
                _produce_topic(request, topic_data, refused, refusals, context, services, open_acks)
            )
    if request.acks == 0:
        # Nobody reads an answer to acks=0: a closed connection is the only way to say that something went wrong.
        if any(row.error_code for topic in response.responses for row in topic.partition_responses):
            context.connection.reject("a produce with acks=0 failed")
        return None
    if not open_acks:
        return _finished(response, context, services)
    answer = waiting or Waiting()
    waiter = WaitingProduce(
        services.runtime,
        request.timeout_ms / 1000,
        open_acks,
        lambda: answer.complete(_finished(response, context, services)),
    )
    answer.on_disconnect(waiter.cancel)
    return answer


def _produce_in_transaction(
    request: ProduceRequest, transactional_id: str, context: RequestContext, services: Services
) -> ProduceResponse | Waiting | None:
    """The same, once the transaction's coordinator knows of the partitions: nearly always it does so at once."""
    from snakka.broker.transactional_produce import are_under_way, have_one_producer, when_verified

    batches = _transactional_batches(request, context, services)
    if len(batches) > 1 and not have_one_producer(batches):
        return _produce(request, ErrorCode.INVALID_PRODUCER_ID_MAPPING, _NO_REFUSALS, context, services)
    if are_under_way(services, batches):
        return _produce(request, _NO_ERROR, _NO_REFUSALS, context, services)
    waiting = Waiting()
    answer: ProduceResponse | Waiting | None = waiting
    is_appended = has_to_wait = False

    def append(refusals: Refusals) -> None:
        nonlocal answer, is_appended
        is_appended = True
        answer = _produce(request, _NO_ERROR, refusals, context, services, waiting)
        if has_to_wait and not isinstance(answer, Waiting):
            waiting.complete(answer)

    when_verified(services, transactional_id, batches, context.api_version, append)
    if not is_appended:
        # Until then the buffer that the records are in is used again.
        has_to_wait = True
        for topic in request.topic_data:
            for data in topic.partition_data:
                if isinstance(data.records, memoryview):
                    data.records = memoryview(bytearray(data.records))
    return answer


def _transactional_batches(
    request: ProduceRequest, context: RequestContext, services: Services
) -> dict[TopicPartition, BatchHeader]:
    """The transactional ones among those that the client may write."""
    batches: dict[TopicPartition, BatchHeader] = {}
    for topic in request.topic_data:
        by_id = context.api_version >= FIRST_WITH_TOPIC_ID
        name = _name_of(topic.topic_id, services) if by_id else topic.name
        if name is None or not context.authorize(_WRITE, _TOPIC, name):
            continue
        for data in topic.partition_data:
            if isinstance(data.records, memoryview) and _is_transactional(data.records):
                header = read_header(data.records)
                if header.has_producer_id:
                    batches[(name, data.index)] = header
    return batches


def _name_of(topic_id: Uuid, services: Services) -> str | None:
    known = services.image.topics.by_id.get(topic_id)
    return None if known is None else known.name


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
    refusals: Refusals,
    context: RequestContext,
    services: Services,
    open_acks: list[Ack],
) -> TopicProduceResponse:
    by_id = context.api_version >= FIRST_WITH_TOPIC_ID
    name = _name_of(topic_data.topic_id, services) if by_id else topic_data.name
    if not refused:
        if name is None:
            refused = ErrorCode.UNKNOWN_TOPIC_ID
        elif not context.authorize(_WRITE, _TOPIC, name):
            refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    rows = []
    for data in topic_data.partition_data:
        if refused:
            rows.append(_failed(data.index, refused, None))
        elif refusals and (name, data.index) in refusals:
            rows.append(_refused_by_coordinator(data.index, refusals[(name or "", data.index)]))
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
    if context.api_version < FIRST_WITH_ZSTD or request.acks not in ACKS or topic in INTERNAL_TOPICS:
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


def _refused_by_coordinator(index: int, code: ErrorCode) -> PartitionProduceResponse:
    from snakka.broker.transactional_produce import MESSAGES

    return _failed(index, code, MESSAGES.get(code))


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
