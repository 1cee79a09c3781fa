"""IncrementalAlterConfigs: sets, deletes, appends to and subtracts from single configs (KIP-339). Versions 0-1.

Levels of loggers are changed with it as well (KIP-412).
"""

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.broker_loggers import alter_logger_levels
from snakka.broker.config_requests import check_own_node, merge_outcomes, outcome, settle, unsettled
from snakka.broker.controller_requests import ask_controller, caller
from snakka.broker.services import Services
from snakka.metadata.state.configs import incremental_alter_configs
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.incremental_alter_configs import (
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType


async def handle(
    request: IncrementalAlterConfigsRequest, context: RequestContext, services: Services
) -> IncrementalAlterConfigsResponse:
    def alter_loggers(resource: AlterConfigsResource) -> None:
        _alter_loggers(resource, request.validate_only, context, services)

    settled = settle(request.resources, context, services, alter_loggers)
    rest = IncrementalAlterConfigsRequest(
        resources=unsettled(request.resources, settled), validate_only=request.validate_only
    )
    rows: list[AlterConfigsResourceResponse] = []
    if rest.resources:
        rules = services.controller.rules
        response = await ask_controller(
            services, lambda image: incremental_alter_configs(image, rest, caller(context), rules)
        )
        rows = response.responses
    return IncrementalAlterConfigsResponse(
        responses=merge_outcomes(request.resources, settled, rows, AlterConfigsResourceResponse)
    )


def _alter_loggers(
    resource: AlterConfigsResource, validate_only: bool, context: RequestContext, services: Services
) -> None:
    on_controller = context.listener in services.controller_listeners
    operation = Operation.CLUSTER_ACTION if on_controller else Operation.ALTER_CONFIGS
    if not context.authorize(operation, ResourceType.CLUSTER, CLUSTER_NAME):
        raise ApiError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    check_own_node(resource.resource_name, services.node_id)
    alter_logger_levels(resource.configs, validate_only=validate_only)


def _failed(
    request: IncrementalAlterConfigsRequest, code: ErrorCode, text: str
) -> IncrementalAlterConfigsResponse:
    error = ApiError(code, text)
    rows = [outcome(AlterConfigsResourceResponse, resource, error) for resource in request.resources]
    return IncrementalAlterConfigsResponse(responses=rows)


API = Api(
    key=ApiKey.INCREMENTAL_ALTER_CONFIGS,
    handle=handle,
    listeners=(BROKER, CONTROLLER),
    error_response=_failed,
)
