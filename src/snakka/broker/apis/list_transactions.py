"""ListTransactions: the transactional ids that this broker coordinates (KIP-664). Versions 0-2.

KIP-994 those that have been under way for long (1), KIP-1152 those that a pattern matches (2).
"""

from collections.abc import Callable
from typing import Any

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import gathered
from snakka.broker.services import Services
from snakka.coordination.decision import Moment
from snakka.coordination.transactions.listing import Filters, listed
from snakka.coordination.transactions.shard import TransactionShard
from snakka.coordination.transactions.transaction import STATES_BY_LABEL
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)
from snakka.security.operations import Operation, ResourceType


def handle(
    request: ListTransactionsRequest, context: RequestContext, services: Services
) -> ListTransactionsResponse | Waiting:
    if services.transactions.is_loading:
        return ListTransactionsResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    filters = _filters(request)
    unknown = [name for name in dict.fromkeys(request.state_filters) if name not in STATES_BY_LABEL]

    def join(outcomes: Any) -> ListTransactionsResponse:
        rows: list[TransactionState] = []
        for outcome in outcomes:
            if not isinstance(outcome, ApiError):
                rows += outcome
            elif outcome.code is ErrorCode.INVALID_REGULAR_EXPRESSION:
                return ListTransactionsResponse(error_code=outcome.code)
        return ListTransactionsResponse(unknown_state_filters=unknown, transaction_states=rows)

    hosts = list(services.transactions.hosts())
    waiting, replies = gathered(len(hosts), join)
    for host, reply in zip(hosts, replies, strict=True):
        host.query(lambda shard, now: _rows(shard, filters, now, context), reply)
    return waiting


def _filters(request: ListTransactionsRequest) -> Filters:
    states = None
    if request.state_filters:
        states = [STATES_BY_LABEL[name] for name in request.state_filters if name in STATES_BY_LABEL]
    return Filters(
        states,
        frozenset(request.producer_id_filters),
        request.duration_filter,
        _matcher(request.transactional_id_pattern),
    )


def _matcher(pattern: str | None) -> Callable[[str], bool] | None:
    if not pattern:
        return None
    from snakka.coordination.groups.consumer.patterns.syntax_tree import PatternError
    from snakka.coordination.groups.consumer.patterns.topic_pattern import TopicPattern

    def matches(transactional_id: str) -> bool:
        try:
            return compiled.matches(transactional_id)
        except PatternError as error:
            raise ApiError(ErrorCode.INVALID_REGULAR_EXPRESSION, f"{pattern}: {error}") from error

    try:
        compiled = TopicPattern(pattern)
    except PatternError as error:
        raise ApiError(ErrorCode.INVALID_REGULAR_EXPRESSION, f"{pattern}: {error}") from error
    return matches


def _rows(
    shard: TransactionShard, filters: Filters, now: Moment, context: RequestContext
) -> list[TransactionState]:
    return [
        TransactionState(
            transactional_id=transaction.transactional_id,
            producer_id=transaction.producer_id,
            transaction_state=transaction.state.label,
        )
        for transaction in listed(shard, filters, now)
        if context.authorize(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, transaction.transactional_id)
    ]


API = Api(key=ApiKey.LIST_TRANSACTIONS, handle=handle)
