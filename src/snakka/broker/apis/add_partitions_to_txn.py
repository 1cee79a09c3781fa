"""AddPartitionsToTxn: partitions that a transaction writes to. Versions 0-5.

KIP-98, KIP-588 a fenced producer is told so (2). KIP-890: from version 4 on only brokers ask, for several transactions at
once, for clients of transaction.version 2 or only whether the partitions are in the transaction; errors that an abort
answers (5).
"""

from typing import Any

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.broker.transaction_requests import ask, decide
from snakka.coordination.decision import Producer
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.transactions.adding import Addition, add_partitions, verify_partitions
from snakka.coordination.transactions.transaction import TopicPartition
from snakka.metadata.state.topic_names import INTERNAL_TOPICS
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType
from snakka.storage.producer_state import EPOCH_BUMP_SINCE

FIRST_WITH_FENCED_ERROR = 2
FIRST_OF_BROKERS = 4

Errors = dict[TopicPartition, ErrorCode]


def handle(request: AddPartitionsToTxnRequest, context: RequestContext, services: Services) -> Waiting:
    from_broker = context.api_version >= FIRST_OF_BROKERS
    if from_broker and not context.authorize(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME):
        raise ApiError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    transactions = request.transactions if from_broker else [_only_transaction(request)]

    def join(outcomes: Any) -> AddPartitionsToTxnResponse:
        results = [
            _result(transaction, outcome, context.api_version)
            for transaction, outcome in zip(transactions, outcomes, strict=True)
        ]
        if from_broker:
            return AddPartitionsToTxnResponse(results_by_transaction=results)
        return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=results[0].topic_results)

    waiting, replies = gathered(len(transactions), join)
    for transaction, reply in zip(transactions, replies, strict=True):
        _submit(transaction, from_broker, context, services, reply)
    return waiting


def _only_transaction(request: AddPartitionsToTxnRequest) -> AddPartitionsToTxnTransaction:
    return AddPartitionsToTxnTransaction(
        transactional_id=request.v3_and_below_transactional_id,
        producer_id=request.v3_and_below_producer_id,
        producer_epoch=request.v3_and_below_producer_epoch,
        topics=request.v3_and_below_topics,
    )


def _submit(
    transaction: AddPartitionsToTxnTransaction,
    from_broker: bool,
    context: RequestContext,
    services: Services,
    reply: Reply,
) -> None:
    """The reply gets True, errors by partition, or the ApiError of all."""
    transactional_id = transaction.transactional_id
    if not from_broker and not context.authorize(
        Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id
    ):
        reply.complete(ApiError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
        return
    errors = {
        (topic.name, index): _objection(topic.name, index, from_broker, context, services)
        for topic in transaction.topics
        for index in topic.partitions
    }
    if any(errors.values()):
        # All or nothing: those without an error of their own were not attempted.
        reply.complete(
            {partition: code or ErrorCode.OPERATION_NOT_ATTEMPTED for partition, code in errors.items()}
        )
        return
    wish = Addition(
        transactional_id,
        Producer(transaction.producer_id, transaction.producer_epoch),
        tuple(errors),
        EPOCH_BUMP_SINCE if from_broker else 0,
    )
    if transaction.verify_only:
        ask(services, transactional_id, lambda shard, _: verify_partitions(shard, wish), reply)
    else:
        decide(services, transactional_id, lambda shard, now: add_partitions(shard, wish, now), reply)


def _objection(
    topic: str, index: int, from_broker: bool, context: RequestContext, services: Services
) -> ErrorCode:
    if not from_broker and (
        topic in INTERNAL_TOPICS or not context.authorize(Operation.WRITE, ResourceType.TOPIC, topic)
    ):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    known = services.image.topics.get(topic)
    if known is None or index not in known.partitions:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.NONE


def _result(
    transaction: AddPartitionsToTxnTransaction, outcome: Any, version: int
) -> AddPartitionsToTxnResult:
    errors: Errors = outcome if isinstance(outcome, dict) else {}
    of_all = outcome.code if isinstance(outcome, ApiError) else ErrorCode.NONE
    if of_all is ErrorCode.PRODUCER_FENCED and version < FIRST_WITH_FENCED_ERROR:
        of_all = ErrorCode.INVALID_PRODUCER_EPOCH
    return AddPartitionsToTxnResult(
        transactional_id=transaction.transactional_id,
        topic_results=[_topic_result(topic, errors, of_all) for topic in transaction.topics],
    )


def _topic_result(
    topic: AddPartitionsToTxnTopic, errors: Errors, of_all: ErrorCode
) -> AddPartitionsToTxnTopicResult:
    return AddPartitionsToTxnTopicResult(
        name=topic.name,
        results_by_partition=[
            AddPartitionsToTxnPartitionResult(
                partition_index=index, partition_error_code=errors.get((topic.name, index), of_all)
            )
            for index in dict.fromkeys(topic.partitions)
        ],
    )


def _failed(request: AddPartitionsToTxnRequest, code: ErrorCode, text: str) -> AddPartitionsToTxnResponse:
    """Clients find the error in each partition, brokers in one place."""
    return AddPartitionsToTxnResponse(
        error_code=code,
        results_by_topic_v3_and_below=[
            _topic_result(topic, {}, code) for topic in request.v3_and_below_topics
        ],
    )


API = Api(key=ApiKey.ADD_PARTITIONS_TO_TXN, handle=handle, error_response=_failed)
