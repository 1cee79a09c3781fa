"""DescribeTransactions: what transactional ids are doing (KIP-664). Version 0."""

from typing import Any

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.broker.transaction_requests import ask
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.transactions.listing import describe
from snakka.coordination.transactions.transaction import Transaction
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)
from snakka.security.operations import Operation, ResourceType


def handle(request: DescribeTransactionsRequest, context: RequestContext, services: Services) -> Waiting:
    transactional_ids = request.transactional_ids

    def join(outcomes: Any) -> DescribeTransactionsResponse:
        return DescribeTransactionsResponse(
            transaction_states=[
                TransactionState(transactional_id=one, error_code=outcome.code)
                if isinstance(outcome, ApiError)
                else _row(outcome, context)
                for one, outcome in zip(transactional_ids, outcomes, strict=True)
            ]
        )

    waiting, replies = gathered(len(transactional_ids), join)
    for transactional_id, reply in zip(transactional_ids, replies, strict=True):
        _describe(transactional_id, context, services, reply)
    return waiting


def _describe(transactional_id: str, context: RequestContext, services: Services, reply: Reply) -> None:
    if context.authorize(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        ask(services, transactional_id, lambda shard, _: describe(shard, transactional_id), reply)
    else:
        reply.complete(ApiError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))


def _row(transaction: Transaction, context: RequestContext) -> TransactionState:
    topics: dict[str, list[int]] = {}
    for topic, index in sorted(transaction.partitions):
        topics.setdefault(topic, []).append(index)
    return TransactionState(
        transactional_id=transaction.transactional_id,
        transaction_state=transaction.state.label,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_start_time_ms=transaction.started_ms,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        topics=[
            TopicData(topic=topic, partitions=indexes)
            for topic, indexes in topics.items()
            if context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic)
        ],
    )


def _failed(request: DescribeTransactionsRequest, code: ErrorCode, text: str) -> DescribeTransactionsResponse:
    return DescribeTransactionsResponse(
        transaction_states=[
            TransactionState(transactional_id=one, error_code=code) for one in request.transactional_ids
        ]
    )


API = Api(key=ApiKey.DESCRIBE_TRANSACTIONS, handle=handle, error_response=_failed)
