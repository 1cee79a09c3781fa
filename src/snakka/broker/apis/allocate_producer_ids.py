"""AllocateProducerIds: a broker asks the controller for a block of producer ids (KIP-730). Version 0."""

from snakka.broker.api import CONTROLLER, Api
from snakka.broker.controller_requests import ask_controller
from snakka.broker.services import Services
from snakka.metadata.state.producer_ids import allocate_producer_ids
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType


async def handle(
    request: AllocateProducerIdsRequest, context: RequestContext, services: Services
) -> AllocateProducerIdsResponse:
    if not context.authorize(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME):
        raise ApiError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    return await ask_controller(services, lambda image: allocate_producer_ids(image, request))


API = Api(key=ApiKey.ALLOCATE_PRODUCER_IDS, handle=handle, listeners=(CONTROLLER,))
