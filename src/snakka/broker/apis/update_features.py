"""UpdateFeatures: finalizes levels of features for the whole cluster (KIP-584). Versions 0-2.

KIP-778 types of upgrades and validation without effect (1), KIP-1022 one error for the whole request (2).
"""

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.controller_requests import ask_controller, caller
from snakka.broker.services import Services
from snakka.metadata.state.features import update_features
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.update_features import UpdateFeaturesRequest, UpdateFeaturesResponse
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType


async def handle(
    request: UpdateFeaturesRequest, context: RequestContext, services: Services
) -> UpdateFeaturesResponse:
    if not context.authorize(Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME):
        raise ApiError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    rules = services.controller.rules
    return await ask_controller(
        services, lambda image: update_features(image, request, caller(context), rules), request.timeout_ms
    )


API = Api(key=ApiKey.UPDATE_FEATURES, handle=handle, listeners=(BROKER, CONTROLLER))
