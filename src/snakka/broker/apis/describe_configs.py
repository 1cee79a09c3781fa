"""DescribeConfigs: what is in effect, where it comes from and what it means (KIP-133). Versions 1-4.

KIP-226 sources and synonyms (1), KIP-569 types and documentation (3).
"""

from collections.abc import Iterable, Iterator

from snakka.broker.api import BROKER, CONTROLLER, Api
from snakka.broker.broker_loggers import logger_levels
from snakka.broker.config_requests import check_own_node
from snakka.broker.option_catalog import client_metrics_options, group_options
from snakka.broker.services import Services
from snakka.metadata.image.configs import ConfigResourceType
from snakka.metadata.state.topic_names import check_topic_name
from snakka.network.request_context import RequestContext
from snakka.options.option_set import ConfigSource
from snakka.options.precedence import (
    ConfigEntry,
    describe_broker,
    describe_client_metrics,
    describe_cluster_default,
    describe_group,
    describe_topic,
)
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType
from snakka.storage.log_config import topic_options

_CLUSTER = (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
# What somebody must be allowed to see, and the error if not.
_PERMISSIONS = {
    ConfigResourceType.TOPIC: (ResourceType.TOPIC, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    ConfigResourceType.GROUP: (ResourceType.GROUP, ErrorCode.GROUP_AUTHORIZATION_FAILED),
    ConfigResourceType.BROKER: _CLUSTER,
    ConfigResourceType.BROKER_LOGGER: _CLUSTER,
    ConfigResourceType.CLIENT_METRICS: _CLUSTER,
}


def handle(
    request: DescribeConfigsRequest, context: RequestContext, services: Services
) -> DescribeConfigsResponse:
    for resource in request.resources:
        if resource.resource_type not in _PERMISSIONS:
            raise ApiError(
                ErrorCode.INVALID_REQUEST, f"Resources of type {resource.resource_type} have no configs."
            )
    return DescribeConfigsResponse(
        results=[_describe(resource, request, context, services) for resource in request.resources]
    )


def _describe(
    resource: DescribeConfigsResource,
    request: DescribeConfigsRequest,
    context: RequestContext,
    services: Services,
) -> DescribeConfigsResult:
    try:
        _check_permitted(resource, context)
        entries = _entries(ConfigResourceType(resource.resource_type), resource.resource_name, services)
        rows = list(_rows(entries, resource.configuration_keys, request))
    except ApiError as error:
        return _refused(resource, error)
    return DescribeConfigsResult(
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
        configs=rows,
    )


def _check_permitted(resource: DescribeConfigsResource, context: RequestContext) -> None:
    kind, error = _PERMISSIONS[ConfigResourceType(resource.resource_type)]
    name = CLUSTER_NAME if kind is ResourceType.CLUSTER else resource.resource_name
    if not context.authorize(Operation.DESCRIBE_CONFIGS, kind, name):
        raise ApiError(error)


def _entries(kind: ConfigResourceType, name: str, services: Services) -> Iterable[ConfigEntry]:
    options = services.options.current
    overrides = services.image.configs.of(kind, name)
    if kind is ConfigResourceType.TOPIC:
        check_topic_name(name)
        if services.image.topics.get(name) is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{name}' does not exist.")
        return describe_topic(topic_options(), overrides, options)
    if kind is ConfigResourceType.BROKER and not name:
        return describe_cluster_default(options)
    if not name:
        raise ApiError(ErrorCode.INVALID_REQUEST, "The resource has no name.")
    if kind is ConfigResourceType.GROUP:
        return describe_group(group_options(), overrides, options)
    if kind is ConfigResourceType.CLIENT_METRICS:
        return describe_client_metrics(client_metrics_options(), overrides)
    check_own_node(name, services.node_id)
    return describe_broker(options) if kind is ConfigResourceType.BROKER else _loggers()


def _loggers() -> Iterator[ConfigEntry]:
    for name, level in logger_levels().items():
        source = ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG
        yield ConfigEntry(name, level, source, False, False, synonyms=(), kind=0, doc="")


def _rows(
    entries: Iterable[ConfigEntry], keys: list[str] | None, request: DescribeConfigsRequest
) -> Iterator[DescribeConfigsResourceResult]:
    wanted = frozenset(keys or ())
    for entry in entries:
        if wanted and entry.name not in wanted:
            continue
        row = DescribeConfigsResourceResult(
            name=entry.name,
            value=entry.value,
            read_only=entry.read_only,
            config_source=entry.source,
            is_sensitive=entry.sensitive,
            config_type=entry.kind,
            documentation=entry.doc if request.include_documentation else None,
        )
        if request.include_synonyms:
            row.synonyms = [
                DescribeConfigsSynonym(name=synonym.name, value=synonym.value, source=synonym.source)
                for synonym in entry.synonyms
            ]
        yield row


def _refused(resource: DescribeConfigsResource, error: ApiError) -> DescribeConfigsResult:
    return DescribeConfigsResult(
        error_code=error.code,
        error_message=error.message or None,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


def _failed(request: DescribeConfigsRequest, code: ErrorCode, text: str) -> DescribeConfigsResponse:
    error = ApiError(code, text)
    return DescribeConfigsResponse(results=[_refused(resource, error) for resource in request.resources])


API = Api(key=ApiKey.DESCRIBE_CONFIGS, handle=handle, listeners=(BROKER, CONTROLLER), error_response=_failed)
