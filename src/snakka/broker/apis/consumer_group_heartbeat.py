"""ConsumerGroupHeartbeat: a member of a consumer group joins, reports, is told its assignment, leaves. Versions 0-1.

KIP-848 (0); regular expressions, and ids that members make themselves (1).
"""

from uuid import UUID

from snakka.broker.api import Api
from snakka.broker.coordinator_requests import submit
from snakka.broker.services import Services
from snakka.coordination.decision import Decision, Moment
from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.consumer.configs import supported_assignors
from snakka.coordination.groups.consumer.heartbeat import heartbeat
from snakka.coordination.groups.consumer.member import JOINING, LEAVING, LEAVING_FOR_A_WHILE
from snakka.coordination.groups.shard import GroupShard
from snakka.coordination.runtime.reply import Reply
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from snakka.protocol.uuids import uuid_text
from snakka.raft.features import GROUP_VERSION
from snakka.security.operations import Operation, ResourceType

FIRST_WITH_MEMBERS_OWN_IDS = 1
_CONSUMER = "consumer"
_NO_TIMEOUT = -1
# What Kafka's checks for empty strings take for nothing.
_BLANK = "".join(map(chr, range(0x21)))


def handle(
    request: ConsumerGroupHeartbeatRequest, context: RequestContext, services: Services
) -> ConsumerGroupHeartbeatResponse | Waiting:
    if not serves_consumer_groups(services):
        return _failure(ErrorCode.UNSUPPORTED_VERSION)
    if not context.authorize(Operation.READ, ResourceType.GROUP, request.group_id):
        return _failure(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    for topic in request.subscribed_topic_names or ():
        if not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic):
            return _failure(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    try:
        _check(request, context.api_version, services)
    except ApiError as error:
        return _failed(error)
    caller = _caller(request, context, services)

    def may_describe(topic: str) -> bool:
        return context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic)

    def decide(shard: GroupShard, now: Moment, _ticket: Reply) -> Decision[ConsumerGroupHeartbeatResponse]:
        return heartbeat(shard, request, caller, may_describe, now)

    return submit(services.groups, request.group_id, decide, failed=_failed)


def serves_consumer_groups(services: Services) -> bool:
    """The cluster's features and the broker's options decide."""
    protocols = services.options.current.entries("group.coordinator.rebalance.protocols")
    return _CONSUMER in protocols and services.image.features.level(GROUP_VERSION) >= 1


def _check(request: ConsumerGroupHeartbeatRequest, version: int, services: Services) -> None:
    epoch = request.member_epoch
    if version >= FIRST_WITH_MEMBERS_OWN_IDS or epoch > JOINING or epoch == LEAVING:
        _check_text("MemberId", request.member_id)
    _check_text("GroupId", request.group_id)
    _check_text("InstanceId", request.instance_id)
    _check_text("RackId", request.rack_id)
    if epoch == JOINING:
        _check_joining(request)
    elif epoch == LEAVING_FOR_A_WHILE:
        if request.instance_id is None:
            raise _invalid("InstanceId can't be null.")
    elif epoch < LEAVING_FOR_A_WHILE:
        raise _invalid("MemberEpoch is invalid.")
    if request.server_assignor is not None:
        supported = supported_assignors(services.options.current.entries("group.consumer.assignors"))
        if request.server_assignor not in supported:
            raise ApiError(
                ErrorCode.UNSUPPORTED_ASSIGNOR,
                f"{request.server_assignor} is not among the assignors: {', '.join(supported)}",
            )


def _check_joining(request: ConsumerGroupHeartbeatRequest) -> None:
    if request.rebalance_timeout_ms == _NO_TIMEOUT:
        raise _invalid("RebalanceTimeoutMs must be provided in first request.")
    if request.topic_partitions is None or request.topic_partitions:
        raise _invalid("TopicPartitions must be empty when (re-)joining.")
    if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
        raise _invalid("SubscribedTopicNames or SubscribedTopicRegex must be there when (re-)joining.")


def _check_text(name: str, text: str | None) -> None:
    if text is not None and not text.strip(_BLANK):
        raise _invalid(f"{name} can't be empty.")


def _invalid(text: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, text)


def _caller(request: ConsumerGroupHeartbeatRequest, context: RequestContext, services: Services) -> Caller:
    new_id = request.member_id
    if not new_id:
        new_id = uuid_text(UUID(int=services.runtime.random.getrandbits(128), version=4).bytes)
    return Caller(context.client_id or "", f"/{context.client_address}", context.api_version, new_id)


def _failed(error: ApiError) -> ConsumerGroupHeartbeatResponse:
    return _failure(error.code, error.message or None)


def _failure(code: ErrorCode, text: str | None = None) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(error_code=code, error_message=text)


API = Api(key=ApiKey.CONSUMER_GROUP_HEARTBEAT, handle=handle)
