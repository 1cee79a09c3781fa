"""What a broker settles of a change of configs before the controller sees it.

Rule: what concerns this process (its loggers, its own options) is judged here; what is stored is judged by the controller.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from snakka.broker.services import Services
from snakka.metadata.image.configs import ConfigResourceType
from snakka.network.request_context import RequestContext
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError


class ChangedResource(Protocol):
    """The resources of AlterConfigs and IncrementalAlterConfigs: two generated classes of one shape."""

    resource_type: int
    resource_name: str
    configs: list[Any]


class ResourceOutcome(Protocol):
    """The rows of their answers."""

    resource_type: int
    resource_name: str

    def __init__(
        self, *, error_code: int, error_message: str | None, resource_type: int, resource_name: str
    ) -> None: ...


Changed = TypeVar("Changed", bound=ChangedResource)
Outcome = TypeVar("Outcome", bound=ResourceOutcome)

_STORED = frozenset(
    {
        ConfigResourceType.TOPIC,
        ConfigResourceType.BROKER,
        ConfigResourceType.CLIENT_METRICS,
        ConfigResourceType.GROUP,
    }
)

# What is wrong with a resource, None if it is done, by its place in the request; others are the controller's.
Settled = dict[int, ApiError | None]


def settle(
    resources: Sequence[Changed],
    context: RequestContext,
    services: Services,
    alter_loggers: Callable[[Changed], None] | None = None,
) -> Settled:
    """Refuse what can be refused here, and do what is done here: `alter_loggers` changes the levels of loggers."""
    times = Counter((resource.resource_type, resource.resource_name) for resource in resources)
    settled: Settled = {}
    for place, resource in enumerate(resources):
        try:
            if times[resource.resource_type, resource.resource_name] > 1:
                raise ApiError(ErrorCode.INVALID_REQUEST, "The request names the resource more than once.")
            _check_names(resource)
            if resource.resource_type == ConfigResourceType.BROKER_LOGGER and alter_loggers is not None:
                alter_loggers(resource)
                settled[place] = None
            else:
                _check_resource(resource, context, services)
        except ApiError as error:
            settled[place] = error
    return settled


def _check_names(resource: ChangedResource) -> None:
    names = [config.name for config in resource.configs]
    if len(set(names)) < len(names):
        raise ApiError(ErrorCode.INVALID_REQUEST, "A config is named more than once.")


def _check_resource(resource: ChangedResource, context: RequestContext, services: Services) -> None:
    on_controller = context.listener in services.controller_listeners
    if resource.resource_type not in _STORED:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION if on_controller else ErrorCode.INVALID_REQUEST,
            f"Resources of type {resource.resource_type} have no configs to alter.",
        )
    # A broker speaks for itself and for the cluster; a controller for every node.
    if resource.resource_type == ConfigResourceType.BROKER and resource.resource_name and not on_controller:
        check_own_node(resource.resource_name, services.node_id)


def check_own_node(name: str, node_id: int) -> None:
    """INVALID_REQUEST if a resource's name is not this node's id."""
    digits = name.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        raise ApiError(ErrorCode.INVALID_REQUEST, f"The id of a node must be an integer, but it is '{name}'.")
    if int(name) != node_id:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"This is node {node_id}, and the request is for {name}.")


def unsettled(resources: Sequence[Changed], settled: Settled) -> list[Changed]:
    """What is left for the controller."""
    return [resource for place, resource in enumerate(resources) if place not in settled]


def merge_outcomes(
    resources: Sequence[ChangedResource], settled: Settled, rest: Sequence[Outcome], kind: type[Outcome]
) -> list[Outcome]:
    """One row a resource, in the order of the request; the controller's rows come in the order in which it was asked."""
    remaining = iter(rest)
    return [
        outcome(kind, resource, settled[place]) if place in settled else next(remaining)
        for place, resource in enumerate(resources)
    ]


def outcome(kind: type[Outcome], resource: ChangedResource, error: ApiError | None) -> Outcome:
    return kind(
        error_code=ErrorCode.NONE if error is None else error.code,
        error_message=None if error is None else error.message or None,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )
