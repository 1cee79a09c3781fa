"""FindCoordinator: which broker coordinates a group or a transactional id. Versions 0-6.

KIP-98 transactions (1), KIP-699 several keys at once (4), KIP-890 (5), KIP-932 share partitions (6), which nobody
coordinates here. Whoever asks first brings the coordinator's topic into being, and waits for it: Kafka's answer would be
COORDINATOR_NOT_AVAILABLE, after which a client pauses before it asks again.
"""

from collections.abc import Awaitable

from snakka.broker.api import Api
from snakka.broker.coordinators import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from snakka.broker.services import Services
from snakka.broker.topic_creation import create_internal_topic
from snakka.coordination.runtime.coordinator import java_hash
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_SEVERAL_KEYS = 4
FIRST_WITH_SHARE_PARTITIONS = 6
GROUP, TRANSACTION, SHARE = 0, 1, 2
_TOPICS = {GROUP: OFFSETS_TOPIC, TRANSACTION: TRANSACTIONS_TOPIC}
_MESSAGES = {
    ErrorCode.COORDINATOR_NOT_AVAILABLE: "The coordinator is not available.",
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "Not authorized to access group: Group authorization failed.",
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "Transactional Id authorization failed.",
}


def handle(
    request: FindCoordinatorRequest, context: RequestContext, services: Services
) -> FindCoordinatorResponse | Awaitable[FindCoordinatorResponse]:
    topic = _TOPICS.get(request.key_type)
    if topic is not None and services.image.topics.get(topic) is None and _any_allowed(request, context):
        return _after_creation(topic, request, context, services)
    return _answer(request, context, services)


async def _after_creation(
    topic: str, request: FindCoordinatorRequest, context: RequestContext, services: Services
) -> FindCoordinatorResponse:
    await create_internal_topic(topic, services)
    return _answer(request, context, services)


def _keys(request: FindCoordinatorRequest, context: RequestContext) -> list[str]:
    return request.coordinator_keys if context.api_version >= FIRST_WITH_SEVERAL_KEYS else [request.key]


def _any_allowed(request: FindCoordinatorRequest, context: RequestContext) -> bool:
    return any(_objection(request.key_type, key, context) is None for key in _keys(request, context))


def _answer(
    request: FindCoordinatorRequest, context: RequestContext, services: Services
) -> FindCoordinatorResponse:
    found = [_find(request.key_type, key, context, services) for key in _keys(request, context)]
    if context.api_version >= FIRST_WITH_SEVERAL_KEYS:
        return FindCoordinatorResponse(coordinators=found)
    one = found[0]
    code = ErrorCode(one.error_code)
    return FindCoordinatorResponse(
        error_code=code,
        # Kafka says the word for success, too.
        error_message=_MESSAGES.get(code, code.name),
        node_id=one.node_id,
        host=one.host,
        port=one.port,
    )


def _find(key_type: int, key: str, context: RequestContext, services: Services) -> Coordinator:
    objection = _objection(key_type, key, context)
    if objection is not None:
        return _nobody(key, objection)
    topic = services.image.topics.get(_TOPICS[key_type])
    if topic is None or not topic.partitions:
        return _nobody(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    partition = topic.partitions.get(java_hash(key) % len(topic.partitions))
    leader = None if partition is None else services.image.brokers.get(partition.leader)
    endpoint = None if leader is None or leader.fenced else leader.endpoints.get(context.listener)
    if leader is None or endpoint is None:
        return _nobody(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return Coordinator(key=key, node_id=leader.id, host=endpoint.host, port=endpoint.port)


def _objection(key_type: int, key: str, context: RequestContext) -> ErrorCode | None:
    if key_type == GROUP:
        if not context.authorize(Operation.DESCRIBE, ResourceType.GROUP, key):
            return ErrorCode.GROUP_AUTHORIZATION_FAILED
    elif key_type == TRANSACTION:
        if not context.authorize(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, key):
            return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    elif key_type == SHARE and context.api_version >= FIRST_WITH_SHARE_PARTITIONS:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    else:
        return ErrorCode.INVALID_REQUEST
    return None


def _nobody(key: str, error: ErrorCode) -> Coordinator:
    return Coordinator(key=key, node_id=-1, host="", port=-1, error_code=error)


API = Api(key=ApiKey.FIND_COORDINATOR, handle=handle)
