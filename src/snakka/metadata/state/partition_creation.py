"""CreatePartitions: more partitions for topics that exist."""

import random
from collections import Counter

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.state.assignments import assigned_partition, place_partitions
from snakka.metadata.state.decision import Decision, check_count
from snakka.metadata.state.heartbeats import Heartbeats
from snakka.metadata.state.rules import Caller
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)
from snakka.security.operations import Operation, ResourceType


def create_partitions(
    image: ClusterImage,
    request: CreatePartitionsRequest,
    caller: Caller,
    heartbeats: Heartbeats,
    chance: random.Random,
) -> Decision[CreatePartitionsResponse]:
    check_count(sum(_additional(image, topic) for topic in request.topics))
    named = Counter(topic.name for topic in request.topics)
    records: list[Message] = []
    results: dict[str, CreatePartitionsTopicResult] = {}
    for topic in request.topics:
        if topic.name in results:
            continue
        result = results[topic.name] = CreatePartitionsTopicResult(name=topic.name)
        try:
            if named[topic.name] > 1:
                raise ApiError(ErrorCode.INVALID_REQUEST, "The request names the topic twice.")
            if not caller.authorize(Operation.ALTER, ResourceType.TOPIC, topic.name):
                raise ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
            records += _new_partitions(image, topic, heartbeats, chance)
        except ApiError as error:
            result.error_code = error.code
            result.error_message = error.message or None
    response = CreatePartitionsResponse(results=list(results.values()))
    return Decision([] if request.validate_only else records, response)


def _additional(image: ClusterImage, request: CreatePartitionsTopic) -> int:
    topic = image.topics.get(request.name)
    return 0 if topic is None else max(request.count - len(topic.partitions), 0)


def _new_partitions(
    image: ClusterImage, request: CreatePartitionsTopic, heartbeats: Heartbeats, chance: random.Random
) -> list[Message]:
    topic = image.topics.get(request.name)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic with this name.")
    present = len(topic.partitions)
    if request.count <= present:
        raise ApiError(
            ErrorCode.INVALID_PARTITIONS,
            f"The topic has {present} partition(s) already; {request.count} would not be more.",
        )
    additional = request.count - present
    if request.assignments is not None and len(request.assignments) != additional:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{additional} partition(s) are to be added, but {len(request.assignments)} are assigned.",
        )
    replication_factor = len(next(iter(topic.partitions.values())).replicas)
    if request.assignments is None:
        partitions = place_partitions(
            image, heartbeats, chance, partitions=additional, replication_factor=replication_factor
        )
    else:
        partitions = [
            assigned_partition(image, present + index, assignment.broker_ids, replication_factor)
            for index, assignment in enumerate(request.assignments)
        ]
    features = image.features
    return [
        partition.to_record(
            topic.id, number, with_directories=features.names_directories, with_elr=features.elr_enabled
        )
        for number, partition in enumerate(partitions, start=present)
    ]
