"""Metadata: brokers, topics and who leads their partitions. Versions 0-13.

KIP-4 creation of topics by asking for them (4), KIP-320 leader epochs (7), KIP-430 allowed operations (8),
KIP-516 topic ids (10, usable from 12), KIP-1102 a client may be told to start anew (13).
"""

from collections.abc import Awaitable

from snakka.broker.api import Api
from snakka.broker.cluster_view import (
    OPERATIONS_NOT_ASKED,
    controller_hint,
    live_brokers,
    unknown_topic_error,
    view_partition,
)
from snakka.broker.services import Services
from snakka.broker.topic_creation import auto_create_topics
from snakka.metadata.image.topics import TopicImage
from snakka.metadata.state.topic_names import INTERNAL_TOPICS
from snakka.network.request_context import RequestContext
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from snakka.protocol.uuids import ZERO_UUID
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

FIRST_WITH_LISTENER_ERROR = 6
FIRST_WITH_USABLE_TOPIC_IDS = 12


async def _create_and_answer(
    missing: list[str], request: MetadataRequest, context: RequestContext, services: Services
) -> MetadataResponse:
    errors = await auto_create_topics(missing, context, services)
    return _answer(request, context, services, errors)


def handle(
    request: MetadataRequest, context: RequestContext, services: Services
) -> MetadataResponse | Awaitable[MetadataResponse]:
    _take_ids_or_names(request, context.api_version)
    missing = _to_create(request, context, services)
    if missing:
        return _create_and_answer(missing, request, context, services)
    return _answer(request, context, services, {})


def _take_ids_or_names(request: MetadataRequest, version: int) -> None:
    """Where topics are asked for by id, names are not looked at; ids came into the request before they could be used."""
    by_id = [topic for topic in request.topics or () if topic.topic_id != ZERO_UUID]
    if version < FIRST_WITH_USABLE_TOPIC_IDS:
        if by_id or any(topic.name is None for topic in request.topics or ()):
            raise ApiError(
                ErrorCode.INVALID_REQUEST, f"Version {version} of Metadata asks for topics by name."
            )
    elif by_id:
        request.topics = by_id


def _to_create(request: MetadataRequest, context: RequestContext, services: Services) -> list[str]:
    if (
        not request.topics
        or not (request.allow_auto_topic_creation or context.api_version < 4)
        or not services.options.current.boolean("auto.create.topics.enable")
    ):
        return []
    known = services.image.topics.by_name
    return [
        topic.name
        for topic in request.topics
        if topic.name is not None
        and topic.name not in known
        and context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name)
    ]


def _answer(
    request: MetadataRequest,
    context: RequestContext,
    services: Services,
    creation_errors: dict[str, ErrorCode],
) -> MetadataResponse:
    image = services.image
    response = MetadataResponse(
        brokers=[
            MetadataResponseBroker(
                node_id=broker.id, host=endpoint.host, port=endpoint.port, rack=broker.rack
            )
            for broker, endpoint in live_brokers(image, context.listener)
        ],
        cluster_id=services.cluster_id,
        controller_id=controller_hint(image, services.node_id),
    )
    if request.include_cluster_authorized_operations:
        response.cluster_authorized_operations = (
            context.authorized_operations(ResourceType.CLUSTER, CLUSTER_NAME)
            if context.authorize(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)
            else 0
        )
    if request.topics is None or (not request.topics and context.api_version == 0):
        for topic in image.topics.by_name.values():
            if context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name):
                response.topics.append(_topic_row(topic, request, context, services))
    else:
        # A name that is asked for a thousand times is answered once: the answer is far longer than the name.
        for asked in {(one.topic_id, one.name): one for one in request.topics}.values():
            response.topics.append(_asked_row(asked, request, context, services, creation_errors))
    return response


def _asked_row(
    asked: MetadataRequestTopic,
    request: MetadataRequest,
    context: RequestContext,
    services: Services,
    creation_errors: dict[str, ErrorCode],
) -> MetadataResponseTopic:
    topics = services.image.topics
    by_id = asked.name is None or asked.topic_id != ZERO_UUID
    topic = topics.by_id.get(asked.topic_id) if by_id else topics.by_name.get(asked.name or "")
    name = topic.name if topic is not None else asked.name
    if name is not None and not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, name):
        # A client that knows only the id must not learn the name.
        return MetadataResponseTopic(
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            name=None if by_id else name,
            topic_id=asked.topic_id,
        )
    if topic is not None:
        return _topic_row(topic, request, context, services)
    if by_id or name is None:
        return MetadataResponseTopic(
            error_code=ErrorCode.UNKNOWN_TOPIC_ID, name=None, topic_id=asked.topic_id
        )
    return MetadataResponseTopic(
        error_code=creation_errors.get(name) or unknown_topic_error(name),
        name=name,
        is_internal=name in INTERNAL_TOPICS,
        topic_authorized_operations=_operations(name, request, context),
    )


def _topic_row(
    topic: TopicImage, request: MetadataRequest, context: RequestContext, services: Services
) -> MetadataResponseTopic:
    row = MetadataResponseTopic(name=topic.name, topic_id=topic.id, is_internal=topic.name in INTERNAL_TOPICS)
    for index, partition in sorted(topic.partitions.items()):
        view = view_partition(services.image, partition, context.listener)
        error = view.error
        if error == ErrorCode.LISTENER_NOT_FOUND and context.api_version < FIRST_WITH_LISTENER_ERROR:
            error = ErrorCode.LEADER_NOT_AVAILABLE
        row.partitions.append(
            MetadataResponsePartition(
                error_code=error,
                partition_index=index,
                leader_id=view.leader_id,
                leader_epoch=partition.leader_epoch,
                replica_nodes=list(partition.replicas),
                isr_nodes=list(partition.isr),
                offline_replicas=view.offline_replicas,
            )
        )
    row.topic_authorized_operations = _operations(topic.name, request, context)
    return row


def _operations(topic: str, request: MetadataRequest, context: RequestContext) -> int:
    if not request.include_topic_authorized_operations:
        return OPERATIONS_NOT_ASKED
    return context.authorized_operations(ResourceType.TOPIC, topic)


def _failed(request: MetadataRequest, code: ErrorCode, _text: str) -> MetadataResponse:
    rows = [
        MetadataResponseTopic(error_code=code, name=topic.name or "", topic_id=topic.topic_id)
        for topic in request.topics or ()
    ]
    return MetadataResponse(topics=rows, error_code=code)


API = Api(key=ApiKey.METADATA, handle=handle, error_response=_failed)
