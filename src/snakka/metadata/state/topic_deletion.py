"""DeleteTopics, by name or by id."""

from collections import Counter

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.topics import TopicImage
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.rules import Caller, ControllerRules
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from snakka.protocol.record_types.metadata.remove_topic_record import RemoveTopicRecord
from snakka.protocol.uuids import ZERO_UUID, Uuid
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

# Older clients do not know TOPIC_DELETION_DISABLED.
_DELETION_DISABLED_SINCE = 3

# A topic as a request names it: by name, or by id.
_Wanted = tuple[str | None, Uuid]


def delete_topics(
    image: ClusterImage, request: DeleteTopicsRequest, caller: Caller, rules: ControllerRules
) -> Decision[DeleteTopicsResponse]:
    if not rules.topic_deletion_enabled:
        if caller.api_version < _DELETION_DISABLED_SINCE:
            raise ApiError(ErrorCode.INVALID_REQUEST, "Topics cannot be deleted here.")
        raise ApiError(ErrorCode.TOPIC_DELETION_DISABLED, "delete.topic.enable is false.")
    wanted: list[_Wanted] = [(name, ZERO_UUID) for name in request.topic_names]
    wanted += [(topic.name, topic.topic_id) for topic in request.topics]
    times = Counter(wanted)
    may_delete_all = caller.authorize(Operation.DELETE, ResourceType.CLUSTER, CLUSTER_NAME)
    results: dict[_Wanted, DeletableTopicResult] = {}
    deleted: dict[Uuid, _Wanted] = {}
    for name, topic_id in wanted:
        if (name, topic_id) in results:
            continue
        result = results[name, topic_id] = DeletableTopicResult(name=name, topic_id=topic_id)
        try:
            topic = _find(image, name, topic_id, times[name, topic_id])
            result.name = _visible_name(name, topic, caller, may_delete_all)
            _check_permitted(topic, caller, may_delete_all)
            result.topic_id = topic.id
            if topic.id in deleted:
                # One answer for both, and nothing is deleted.
                del results[deleted.pop(topic.id)]
                raise ApiError(ErrorCode.INVALID_REQUEST, "The request names the topic by name and by id.")
        except ApiError as error:
            result.error_code = error.code
            result.error_message = error.message or None
            continue
        deleted[topic.id] = (name, topic_id)
    records: list[Message] = [RemoveTopicRecord(topic_id=topic_id) for topic_id in deleted]
    return Decision(records, DeleteTopicsResponse(responses=list(results.values())))


def _find(image: ClusterImage, name: str | None, topic_id: Uuid, times: int) -> TopicImage:
    if name is None and topic_id == ZERO_UUID:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Neither name nor id of the topic is given.")
    if name is not None and topic_id != ZERO_UUID:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Both name and id of the topic are given.")
    if times > 1:
        raise ApiError(ErrorCode.INVALID_REQUEST, "The request names the topic twice.")
    if name is None:
        topic = image.topics.by_id.get(topic_id)
        if topic is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID, "There is no topic with this id.")
        return topic
    topic = image.topics.get(name)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic with this name.")
    return topic


def _visible_name(name: str | None, topic: TopicImage, caller: Caller, may_delete_all: bool) -> str | None:
    """Who asks by id learns the name only with the right to see the topic."""
    if name is not None or may_delete_all:
        return topic.name
    seen = caller.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name)
    return topic.name if seen else None


def _check_permitted(topic: TopicImage, caller: Caller, may_delete_all: bool) -> None:
    if not may_delete_all and not caller.authorize(Operation.DELETE, ResourceType.TOPIC, topic.name):
        raise ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Authorization failed.")
