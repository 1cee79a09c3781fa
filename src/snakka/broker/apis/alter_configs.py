"""AlterConfigs: replaces all configs of a resource, which IncrementalAlterConfigs does better (KIP-133). Versions 0-2."""

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.config_requests import merge_outcomes, outcome, settle, unsettled
from snakka.broker.controller_requests import ask_controller, caller
from snakka.broker.services import Services
from snakka.metadata.state.configs import alter_configs
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


async def handle(
    request: AlterConfigsRequest, context: RequestContext, services: Services
) -> AlterConfigsResponse:
    settled = settle(request.resources, context, services)
    rest = AlterConfigsRequest(
        resources=unsettled(request.resources, settled), validate_only=request.validate_only
    )
    rows: list[AlterConfigsResourceResponse] = []
    if rest.resources:
        rules = services.controller.rules
        response = await ask_controller(
            services, lambda image: alter_configs(image, rest, caller(context), rules)
        )
        rows = response.responses
    return AlterConfigsResponse(
        responses=merge_outcomes(request.resources, settled, rows, AlterConfigsResourceResponse)
    )


def _failed(request: AlterConfigsRequest, code: ErrorCode, text: str) -> AlterConfigsResponse:
    error = ApiError(code, text)
    rows = [outcome(AlterConfigsResourceResponse, resource, error) for resource in request.resources]
    return AlterConfigsResponse(responses=rows)


API = Api(key=ApiKey.ALTER_CONFIGS, handle=handle, listeners=(BROKER, CONTROLLER), error_response=_failed)
