"""DeleteTopics: topics and all their records (KIP-4). Versions 1-6.

KIP-322 tells when deletion is disabled (3), KIP-599 quotas and messages of errors (5), KIP-516 topics by id (6).
"""

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.controller_requests import ask_controller, caller
from snakka.broker.services import Services
from snakka.metadata.state.topic_deletion import delete_topics
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)


async def handle(
    request: DeleteTopicsRequest, context: RequestContext, services: Services
) -> DeleteTopicsResponse:
    rules = services.controller.rules
    return await ask_controller(
        services, lambda image: delete_topics(image, request, caller(context), rules), request.timeout_ms
    )


def _failed(request: DeleteTopicsRequest, code: ErrorCode, text: str) -> DeleteTopicsResponse:
    message = text or None
    rows = [
        DeletableTopicResult(name=name, error_code=code, error_message=message)
        for name in request.topic_names
    ]
    rows += [
        DeletableTopicResult(name=topic.name, topic_id=topic.topic_id, error_code=code, error_message=message)
        for topic in request.topics
    ]
    return DeleteTopicsResponse(responses=rows)


API = Api(key=ApiKey.DELETE_TOPICS, handle=handle, listeners=(BROKER, CONTROLLER), error_response=_failed)
