"""CreateTopics: new topics with their partitions and configs (KIP-4). Versions 2-7.

KIP-464 defaults for partitions and replicas (4), KIP-525 the resulting configs in the answer (5), KIP-599 quotas (6),
KIP-516 the topic's id in the answer (7).
"""

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.controller_requests import ask_controller, caller
from snakka.broker.services import Services
from snakka.metadata.state.topics import create_topics
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)


async def handle(
    request: CreateTopicsRequest, context: RequestContext, services: Services
) -> CreateTopicsResponse:
    controller = services.controller
    return await ask_controller(
        services,
        lambda image: create_topics(
            image,
            request,
            caller(context),
            controller.rules,
            controller.heartbeats,
            services.runtime.random,
        ),
        request.timeout_ms,
    )


def _failed(request: CreateTopicsRequest, code: ErrorCode, text: str) -> CreateTopicsResponse:
    names = dict.fromkeys(topic.name for topic in request.topics)
    return CreateTopicsResponse(
        topics=[
            CreatableTopicResult(name=name, error_code=code, error_message=text or None) for name in names
        ]
    )


API = Api(key=ApiKey.CREATE_TOPICS, handle=handle, listeners=(BROKER, CONTROLLER), error_response=_failed)
