"""Topics that come into being because somebody asks for them, and what the internal ones look like.

What decides on new topics is imported when one is missing: a broker whose topics exist starts without it.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from snakka.broker.controller_requests import ask_controller
from snakka.broker.services import Services
from snakka.metadata.state.rules import Caller
from snakka.metadata.state.topic_names import check_topic_name
from snakka.network.request_context import RequestContext
from snakka.options.option_set import OptionSet
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

# A client asks again when this is over, and finds the topic if it has come into being meanwhile.
CREATION_TIMEOUT_MS = 5_000


async def auto_create_topics(
    names: Iterable[str], context: RequestContext, services: Services
) -> dict[str, ErrorCode]:
    """Create what is missing; the names that could not be created with the reason why.

    Whether topics come into being in this way is for the asker to know. Who asks at the same time as another gets the
    same topic: that it exists already is no error.
    """
    errors = {name: _objection(name, context) for name in names}
    wanted = [name for name, error in errors.items() if error is ErrorCode.NONE]
    if wanted:
        errors.update(await _create(wanted, services))
    return {name: error for name, error in errors.items() if error is not ErrorCode.NONE}


async def create_internal_topic(name: str, services: Services) -> ErrorCode:
    """For a coordinator that is needed now, whoever asked for it."""
    return (await _create([name], services))[name]


def _objection(name: str, context: RequestContext) -> ErrorCode:
    if not (
        context.authorize(Operation.CREATE, ResourceType.CLUSTER, CLUSTER_NAME)
        or context.authorize(Operation.CREATE, ResourceType.TOPIC, name)
    ):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    try:
        check_topic_name(name)
    except ApiError as error:
        return error.code
    return ErrorCode.NONE


class TopicShape(NamedTuple):
    """What a topic is made with."""

    partitions: int
    replication_factor: int
    configs: Mapping[str, str] = MappingProxyType({})


async def _create(names: list[str], services: Services) -> dict[str, ErrorCode]:
    from snakka.metadata.state.topics import create_topics
    from snakka.protocol.messages.create_topics import (
        CreatableTopic,
        CreatableTopicConfig,
        CreateTopicsRequest,
    )

    request = CreateTopicsRequest()
    for name in names:
        shape = default_shape(name, services.options.current, _live_brokers(services))
        configs = [CreatableTopicConfig(name=key, value=value) for key, value in shape.configs.items()]
        request.topics.append(
            CreatableTopic(
                name=name,
                num_partitions=shape.partitions,
                replication_factor=shape.replication_factor,
                configs=configs,
            )
        )
    controller, caller = services.controller, Caller(CreateTopicsRequest.MAX_VERSION)
    try:
        response = await ask_controller(
            services,
            lambda image: create_topics(
                image, request, caller, controller.rules, controller.heartbeats, services.runtime.random
            ),
            CREATION_TIMEOUT_MS,
        )
    except ApiError:
        # No controller, or none that answers: to the client the topic is simply not there yet, and it will ask again.
        return dict.fromkeys(names, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return {
        row.name: ErrorCode.NONE
        if row.error_code == ErrorCode.TOPIC_ALREADY_EXISTS
        else ErrorCode(row.error_code)
        for row in response.topics
    }


# Internal topics, and how the names of their options begin.
_OFFSETS, _TRANSACTIONS, _SHARES = "offsets.topic", "transaction.state.log", "share.coordinator.state.topic"
_INTERNAL_PREFIXES = {
    "__consumer_offsets": _OFFSETS,
    "__transaction_state": _TRANSACTIONS,
    "__share_group_state": _SHARES,
}


def _live_brokers(services: Services) -> int:
    return sum(not broker.fenced for broker in services.image.brokers.by_id.values())


def default_shape(name: str, options: OptionSet, live_brokers: int) -> TopicShape:
    """What a topic is made with that nobody has described: internal topics have options of their own.

    Their defaults are made for clusters of three. Where nobody has set them, a smaller cluster gets what it can hold,
    instead of Kafka's refusal.
    """
    prefix = _INTERNAL_PREFIXES.get(name)
    if prefix is None:
        return TopicShape(options.integer("num.partitions"), options.integer("default.replication.factor"))
    return TopicShape(
        options.integer(f"{prefix}.num.partitions"),
        _at_most(live_brokers, f"{prefix}.replication.factor", options),
        _internal_configs(prefix, options, live_brokers),
    )


def _at_most(live_brokers: int, name: str, options: OptionSet) -> int:
    wanted = options.integer(name)
    return wanted if options.is_set(name) else max(min(wanted, live_brokers), 1)


def _internal_configs(prefix: str, options: OptionSet, live_brokers: int) -> dict[str, str]:
    configs = {"segment.bytes": str(options.integer(f"{prefix}.segment.bytes"))}
    if prefix != _OFFSETS:
        configs["min.insync.replicas"] = str(_at_most(live_brokers, f"{prefix}.min.isr", options))
    if prefix == _TRANSACTIONS:
        configs["unclean.leader.election.enable"] = "false"
    if prefix == _SHARES:
        # Records go when the coordinator has a newer snapshot, never by age.
        configs["retention.ms"] = "-1"
    configs["cleanup.policy"] = "delete" if prefix == _SHARES else "compact"
    configs["compression.type"] = "uncompressed" if prefix == _TRANSACTIONS else "producer"
    return configs
