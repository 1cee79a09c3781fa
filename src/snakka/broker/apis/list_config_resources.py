"""ListConfigResources: which resources have, or may have, configs (KIP-714, KIP-1142). Versions 0-1.

Version 0 knows subscriptions to clients' metrics only, and its name was ListClientMetricsResources.
"""

from collections.abc import Iterator

from snakka.broker.api import Api
from snakka.broker.cluster_view import live_brokers
from snakka.broker.services import Services
from snakka.metadata.image.configs import ConfigResourceType
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

_OLD_TYPES = (ConfigResourceType.CLIENT_METRICS,)
_ALL_TYPES = (
    ConfigResourceType.GROUP,
    ConfigResourceType.CLIENT_METRICS,
    ConfigResourceType.BROKER_LOGGER,
    ConfigResourceType.BROKER,
    ConfigResourceType.TOPIC,
)


def handle(
    request: ListConfigResourcesRequest, context: RequestContext, services: Services
) -> ListConfigResourcesResponse:
    if not context.authorize(Operation.DESCRIBE_CONFIGS, ResourceType.CLUSTER, CLUSTER_NAME):
        return ListConfigResourcesResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    known = _OLD_TYPES if context.api_version == 0 else _ALL_TYPES
    asked = set(request.resource_types or known)
    if not asked <= set(known):
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    return ListConfigResourcesResponse(
        config_resources=[
            ConfigResource(resource_name=name, resource_type=kind)
            for kind in known
            if kind in asked
            for name in _names(kind, context, services)
        ]
    )


def _names(kind: ConfigResourceType, context: RequestContext, services: Services) -> Iterator[str]:
    image = services.image
    if kind is ConfigResourceType.TOPIC:
        yield from image.topics.by_name
    elif kind in (ConfigResourceType.BROKER, ConfigResourceType.BROKER_LOGGER):
        for broker, _ in live_brokers(image, context.listener):
            yield str(broker.id)
    else:
        # Groups and subscriptions are known here by their configs alone.
        for resource_type, name in image.configs.by_resource:
            if resource_type == kind:
                yield name


API = Api(key=ApiKey.LIST_CONFIG_RESOURCES, handle=handle)
