"""InitProducerId: an id and an epoch for a producer, idempotent or transactional (KIP-98). Versions 0-5.

KIP-360 the id that a producer had before (3), KIP-588 a fenced producer is told so (4), KIP-890 aborts that can be
retried (5). Version 6 is for two-phase commit (KIP-939) and unstable in Kafka as well.
"""

from collections.abc import Awaitable
from typing import Any

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.coordination.decision import Producer
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
FIRST_WITH_FENCED_ERROR = 4
# How long a producer waits for a block of ids; then it is told to try again.
BLOCK_SECONDS = 5.0


def handle(
    request: InitProducerIdRequest, context: RequestContext, services: Services
) -> InitProducerIdResponse | Waiting | Awaitable[InitProducerIdResponse]:
    transactional_id = request.transactional_id
    if transactional_id is not None:
        if not context.authorize(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
            raise ApiError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    elif not _may_write(context, services):
        raise ApiError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == NO_PRODUCER_EPOCH):
        raise ApiError(ErrorCode.INVALID_REQUEST, "A producer id comes with its epoch.")
    if transactional_id is not None:
        return _init_transactions(request, transactional_id, context, services)
    producer_id = services.producer_ids.take()
    if producer_id is None:
        return _wait_for_id(services)
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)


async def _wait_for_id(services: Services) -> InitProducerIdResponse:
    deadline = services.runtime.clock.monotonic() + BLOCK_SECONDS
    producer_id = await services.producer_ids.wait_for_one(deadline)
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)


def _may_write(context: RequestContext, services: Services) -> bool:
    """Who may write to any topic at all may do so idempotently (KIP-679)."""
    if context.authorize(Operation.IDEMPOTENT_WRITE, ResourceType.CLUSTER, CLUSTER_NAME):
        return True
    return any(
        context.authorize(Operation.WRITE, ResourceType.TOPIC, name) for name in services.image.topics.by_name
    )


def _init_transactions(
    request: InitProducerIdRequest, transactional_id: str, context: RequestContext, services: Services
) -> Waiting:
    from snakka.broker.transaction_requests import decide_with_id
    from snakka.coordination.transactions.initializing import Initialization, init_producer_id

    longest_ms = services.options.current.integer("transaction.max.timeout.ms")
    if transactional_id and not 0 < request.transaction_timeout_ms <= longest_ms:
        raise ApiError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
    expected = None
    if request.producer_id != NO_PRODUCER_ID:
        expected = Producer(request.producer_id, request.producer_epoch)
    wish = Initialization(transactional_id, request.transaction_timeout_ms, expected)
    waiting = Waiting()

    def answer(outcome: Any) -> None:
        if isinstance(outcome, ApiError):
            code = outcome.code
            if code is ErrorCode.PRODUCER_FENCED and context.api_version < FIRST_WITH_FENCED_ERROR:
                code = ErrorCode.INVALID_PRODUCER_EPOCH
            waiting.complete(_failed(request, code, ""))
        else:
            waiting.complete(
                InitProducerIdResponse(producer_id=outcome.producer_id, producer_epoch=outcome.epoch)
            )

    decide_with_id(
        services,
        transactional_id,
        lambda shard, new_id, now: init_producer_id(shard, wish, new_id, now),
        Reply(answer),
    )
    return waiting


def _failed(request: InitProducerIdRequest, code: ErrorCode, text: str) -> InitProducerIdResponse:
    return InitProducerIdResponse(
        error_code=code, producer_id=NO_PRODUCER_ID, producer_epoch=NO_PRODUCER_EPOCH
    )


API = Api(key=ApiKey.INIT_PRODUCER_ID, handle=handle, max_version=5, error_response=_failed)
