"""CreatePartitions: more partitions for topics that exist (KIP-195). Versions 0-3.

KIP-599 quotas (3).
"""

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.controller_requests import ask_controller, caller
from snakka.broker.services import Services
from snakka.metadata.state.partition_creation import create_partitions
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)


async def handle(
    request: CreatePartitionsRequest, context: RequestContext, services: Services
) -> CreatePartitionsResponse:
    controller = services.controller
    return await ask_controller(
        services,
        lambda image: create_partitions(
            image, request, caller(context), controller.heartbeats, services.runtime.random
        ),
        request.timeout_ms,
    )


def _failed(request: CreatePartitionsRequest, code: ErrorCode, text: str) -> CreatePartitionsResponse:
    return CreatePartitionsResponse(
        results=[
            CreatePartitionsTopicResult(name=topic.name, error_code=code, error_message=text or None)
            for topic in request.topics
        ]
    )


API = Api(key=ApiKey.CREATE_PARTITIONS, handle=handle, listeners=(BROKER, CONTROLLER), error_response=_failed)
