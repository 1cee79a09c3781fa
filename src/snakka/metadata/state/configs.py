"""AlterConfigs and IncrementalAlterConfigs: what is set on topics, brokers, groups and client metrics.

A resource changes as a whole or not at all. Whether a value is good, the schema says.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import ConfigResource, ConfigResourceType
from snakka.metadata.image.features import CORDONED_DIRECTORIES_SINCE
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.rules import MIN_INSYNC_REPLICAS, Caller, ControllerRules
from snakka.metadata.state.topic_names import check_topic_name
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)
from snakka.protocol.messages.alter_configs import AlterConfigsResource as ReplacedResource
from snakka.protocol.messages.incremental_alter_configs import AlterConfigsResource as AlteredResource
from snakka.protocol.messages.incremental_alter_configs import (
    AlterConfigsResourceResponse as AlteredResourceResponse,
)
from snakka.protocol.messages.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from snakka.protocol.record_types.metadata.clear_elr_record import ClearElrRecord
from snakka.protocol.record_types.metadata.config_record import ConfigRecord
from snakka.raft.features import METADATA_VERSION
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

CORDONED_LOG_DIRS = "cordoned.log.dirs"

SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3

# A longer string does not fit into the record.
MAX_VALUE_LENGTH = 32_767

# What somebody must be allowed in order to alter a resource, and the error if not.
_PERMISSIONS: Mapping[int, tuple[ResourceType, ErrorCode]] = {
    ConfigResourceType.TOPIC: (ResourceType.TOPIC, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    ConfigResourceType.GROUP: (ResourceType.GROUP, ErrorCode.GROUP_AUTHORIZATION_FAILED),
    ConfigResourceType.BROKER: (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    ConfigResourceType.CLIENT_METRICS: (ResourceType.CLUSTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
}


def alter_configs(
    image: ClusterImage, request: AlterConfigsRequest, caller: Caller, rules: ControllerRules
) -> Decision[AlterConfigsResponse]:
    """The old way: what a request does not name is deleted."""
    times = Counter((resource.resource_type, resource.resource_name) for resource in request.resources)
    records: list[ConfigRecord] = []
    responses = []
    for resource in request.resources:
        response = AlterConfigsResourceResponse(
            error_message=None, resource_type=resource.resource_type, resource_name=resource.resource_name
        )
        try:
            _check_resource(resource, times, caller)
            records += _replace(image, resource, rules)
        except ApiError as error:
            response.error_code, response.error_message = error.code, error.message or None
        responses.append(response)
    return Decision(
        [] if request.validate_only else _with_cleared_elr(image, records),
        AlterConfigsResponse(responses=responses),
    )


def incremental_alter_configs(
    image: ClusterImage, request: IncrementalAlterConfigsRequest, caller: Caller, rules: ControllerRules
) -> Decision[IncrementalAlterConfigsResponse]:
    """Sets, deletes, and changes of lists (KIP-339)."""
    times = Counter((resource.resource_type, resource.resource_name) for resource in request.resources)
    records: list[ConfigRecord] = []
    responses = []
    for resource in request.resources:
        response = AlteredResourceResponse(
            error_message=None, resource_type=resource.resource_type, resource_name=resource.resource_name
        )
        try:
            _check_resource(resource, times, caller)
            records += _alter(image, resource, rules)
        except ApiError as error:
            response.error_code, response.error_message = error.code, error.message or None
        responses.append(response)
    return Decision(
        [] if request.validate_only else _with_cleared_elr(image, records),
        IncrementalAlterConfigsResponse(responses=responses),
    )


def set_configs(
    image: ClusterImage, resource_type: int, name: str, configs: Mapping[str, str], rules: ControllerRules
) -> list[ConfigRecord]:
    """The configs of a resource that is being created, so there is nothing to compare them with."""
    if not configs:
        return []
    records = [_record((resource_type, name), key, value) for key, value in configs.items()]
    _check_change(image, (resource_type, name), records, rules)
    return records


def clear_elr_records(image: ClusterImage, records: Sequence[ConfigRecord]) -> list[Message]:
    """Who was eligible under another min.insync.replicas need not be so any more."""
    if not image.features.elr_enabled:
        return []
    return [
        ClearElrRecord(
            topic_name=record.resource_name if record.resource_type == ConfigResourceType.TOPIC else ""
        )
        for record in records
        if record.name == MIN_INSYNC_REPLICAS
    ]


def _with_cleared_elr(image: ClusterImage, records: list[ConfigRecord]) -> list[Message]:
    return [*records, *clear_elr_records(image, records)]


def _check_resource(
    resource: ReplacedResource | AlteredResource, times: Counter[ConfigResource], caller: Caller
) -> None:
    key = (resource.resource_type, resource.resource_name)
    if times[key] > 1:
        raise ApiError(ErrorCode.INVALID_REQUEST, "The request names the resource more than once.")
    permission = _PERMISSIONS.get(resource.resource_type)
    if permission is None:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"Resources of type {resource.resource_type} have no configs to alter."
        )
    resource_type, error = permission
    name = CLUSTER_NAME if resource_type is ResourceType.CLUSTER else resource.resource_name
    if not caller.authorize(Operation.ALTER_CONFIGS, resource_type, name):
        raise ApiError(error)
    names = [config.name for config in resource.configs]
    if len(set(names)) != len(names):
        raise ApiError(ErrorCode.INVALID_REQUEST, "The request names a config more than once.")


def _replace(image: ClusterImage, resource: ReplacedResource, rules: ControllerRules) -> list[ConfigRecord]:
    key = (resource.resource_type, resource.resource_name)
    current = image.configs.of(*key)
    wanted: dict[str, str] = {}
    for config in resource.configs:
        if config.value is None:
            raise _null_value(config.name)
        wanted[config.name] = config.value
    altered = [
        _record(key, name, value)
        for name, value in wanted.items()
        if _must_write(key, current.get(name), value)
    ]
    omitted = [_record(key, name, None) for name in current if name not in wanted]
    _check_change(image, key, [*altered, *omitted], rules)
    _check_existence(image, key, rules)
    return [*altered, *omitted]


def _alter(image: ClusterImage, resource: AlteredResource, rules: ControllerRules) -> list[ConfigRecord]:
    key = (resource.resource_type, resource.resource_name)
    current = image.configs.of(*key)
    records = []
    for config in resource.configs:
        before = current.get(config.name)
        value = _altered(key, config.name, config.config_operation, config.value, before, rules)
        if _must_write(key, before, value):
            records.append(_record(key, config.name, value))
    _check_change(image, key, records, rules)
    _check_existence(image, key, rules)
    return records


def _altered(
    resource: ConfigResource,
    name: str,
    operation: int,
    value: str | None,
    before: str | None,
    rules: ControllerRules,
) -> str | None:
    if operation == DELETE:
        return None
    if value is None:
        raise _null_value(name)
    if operation == SET:
        return value
    if operation not in (APPEND, SUBTRACT):
        raise ApiError(ErrorCode.INVALID_REQUEST, f"There is no operation {operation} on configs.")
    if not rules.schema.is_list(resource[0], name):
        raise ApiError(
            ErrorCode.INVALID_CONFIG, f"{name} is no list, so it cannot be appended to or subtracted from."
        )
    present = before if before is not None else rules.schema.default(resource[0], name)
    parts = [part for part in (present or "").split(",") if part]
    for part in value.split(","):
        if operation == APPEND and part not in parts:
            parts.append(part)
        elif operation == SUBTRACT and part in parts:
            parts.remove(part)
    return ",".join(parts)


def _must_write(resource: ConfigResource, before: str | None, after: str | None) -> bool:
    # A broker reads files that its configs name (keystores) again whenever they are written, even unchanged.
    return before != after or resource[0] == ConfigResourceType.BROKER


def _check_change(
    image: ClusterImage, resource: ConfigResource, records: Sequence[ConfigRecord], rules: ControllerRules
) -> None:
    before = dict(image.configs.of(*resource))
    after = dict(before)
    for record in records:
        if record.value is None:
            after.pop(record.name, None)
        elif len(record.value) > MAX_VALUE_LENGTH:
            raise ApiError(
                ErrorCode.INVALID_CONFIG, f"The value of {record.name} is longer than {MAX_VALUE_LENGTH}."
            )
        else:
            after[record.name] = record.value
    _check_resource_name(*resource)
    rules.schema.validate(*resource, after, before)
    for record in records:
        _check_forbidden(image, resource, record)


def _check_forbidden(image: ClusterImage, resource: ConfigResource, record: ConfigRecord) -> None:
    """With eligible leader replicas there is one min.insync.replicas for all brokers; cordoning needs a level."""
    resource_type, name = resource
    if resource_type != ConfigResourceType.BROKER:
        return
    if record.name == MIN_INSYNC_REPLICAS and image.features.elr_enabled:
        if name:
            raise ApiError(
                ErrorCode.INVALID_CONFIG,
                f"{MIN_INSYNC_REPLICAS} cannot differ between brokers while eligible leader replicas are on.",
            )
        if record.value is None:
            raise ApiError(
                ErrorCode.INVALID_CONFIG,
                f"The cluster's {MIN_INSYNC_REPLICAS} cannot be removed while eligible leader replicas are on.",
            )
    if (
        record.name == CORDONED_LOG_DIRS
        and image.features.level(METADATA_VERSION) < CORDONED_DIRECTORIES_SINCE
    ):
        raise ApiError(ErrorCode.INVALID_CONFIG, f"{METADATA_VERSION} is too low for {CORDONED_LOG_DIRS}.")


def _check_resource_name(resource_type: int, name: str) -> None:
    if resource_type == ConfigResourceType.BROKER:
        if name and not (name.isascii() and name.isdigit()):
            raise ApiError(ErrorCode.INVALID_REQUEST, f"'{name}' is no broker id.")
    elif not name:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Only brokers have defaults that are set without a name.")
    elif resource_type == ConfigResourceType.TOPIC:
        check_topic_name(name)


def _check_existence(image: ClusterImage, resource: ConfigResource, rules: ControllerRules) -> None:
    resource_type, name = resource
    if resource_type == ConfigResourceType.TOPIC and image.topics.get(name) is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{name}' does not exist.")
    if resource_type == ConfigResourceType.BROKER and name:
        node_id = int(name)
        known = (
            node_id in image.brokers.by_id or node_id == rules.node_id or node_id in rules.quorum_node_ids()
        )
        if not known:
            raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, f"There is no node {node_id}.")


def _record(resource: ConfigResource, name: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(resource_type=resource[0], resource_name=resource[1], name=name, value=value)


def _null_value(name: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, f"{name} cannot be set to null.")
