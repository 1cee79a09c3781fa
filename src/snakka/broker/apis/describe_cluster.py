"""DescribeCluster: the nodes, without their topics (KIP-700). Versions 0-2.

KIP-919 controllers may be asked about controllers (1), KIP-1073 fenced brokers on request (2).
"""

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.cluster_view import controller_hint, live_brokers
from snakka.broker.services import Services
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

BROKERS = 1
CONTROLLERS = 2


def handle(
    request: DescribeClusterRequest, context: RequestContext, services: Services
) -> DescribeClusterResponse:
    on_controller = context.listener in services.controller_listeners
    served = CONTROLLERS if on_controller else BROKERS
    if request.endpoint_type not in (BROKERS, CONTROLLERS):
        return DescribeClusterResponse(
            error_code=ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
            error_message=f"Unsupported endpoint type {request.endpoint_type}",
        )
    if request.endpoint_type != served:
        # Clients of version 0 know neither types of endpoints nor their error.
        old = context.api_version == 0
        return DescribeClusterResponse(
            error_code=ErrorCode.INVALID_REQUEST if old else ErrorCode.MISMATCHED_ENDPOINT_TYPE,
            error_message=(
                "The request was sent to an endpoint of type "
                f"{'CONTROLLER' if on_controller else 'BROKER'}, but we wanted an endpoint of type "
                f"{'BROKER' if on_controller else 'CONTROLLER'}"
            ),
        )
    response = DescribeClusterResponse(cluster_id=services.cluster_id, endpoint_type=request.endpoint_type)
    if on_controller:
        if not context.authorize(Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME):
            return DescribeClusterResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
        _add_controllers(response, context, services)
    else:
        response.controller_id = controller_hint(services.image, services.node_id)
        _add_brokers(request, response, context, services)
    if request.include_cluster_authorized_operations:
        response.cluster_authorized_operations = (
            context.authorized_operations(ResourceType.CLUSTER, CLUSTER_NAME)
            if context.authorize(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)
            else 0
        )
    return response


def _add_brokers(
    request: DescribeClusterRequest,
    response: DescribeClusterResponse,
    context: RequestContext,
    services: Services,
) -> None:
    for broker, endpoint in live_brokers(services.image, context.listener):
        response.brokers.append(
            DescribeClusterBroker(
                broker_id=broker.id, host=endpoint.host, port=endpoint.port, rack=broker.rack
            )
        )
    if request.include_fenced_brokers:
        for fenced in services.image.brokers.by_id.values():
            there = fenced.endpoints.get(context.listener)
            if fenced.fenced and there is not None:
                response.brokers.append(
                    DescribeClusterBroker(
                        broker_id=fenced.id,
                        host=there.host,
                        port=there.port,
                        rack=fenced.rack,
                        is_fenced=True,
                    )
                )


def _add_controllers(response: DescribeClusterResponse, context: RequestContext, services: Services) -> None:
    quorum = services.raft.quorum_description()
    response.controller_id = quorum.leader_id
    for voter in quorum.nodes:
        for endpoint in voter.endpoints:
            if endpoint.listener == context.listener:
                response.brokers.append(
                    DescribeClusterBroker(broker_id=voter.key.node_id, host=endpoint.host, port=endpoint.port)
                )


API = Api(key=ApiKey.DESCRIBE_CLUSTER, handle=handle, listeners=(BROKER, CONTROLLER))
