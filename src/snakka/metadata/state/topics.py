"""CreateTopics: what a new topic's partitions and configs are, or why it cannot be."""

import random
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import CLUSTER_DEFAULT, ConfigResourceType
from snakka.metadata.image.partition import PartitionImage
from snakka.metadata.image.topics import metric_name
from snakka.metadata.state.assignments import assigned_partition, place_partitions
from snakka.metadata.state.configs import clear_elr_records, set_configs
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.heartbeats import Heartbeats
from snakka.metadata.state.rules import Caller, ControllerRules
from snakka.metadata.state.topic_names import METADATA_TOPIC, check_topic_name
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from snakka.protocol.record_types.metadata.config_record import ConfigRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.protocol.uuids import Uuid, random_uuid
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

# Kafka's limit on what one request may ask for; more once ran controllers out of memory.
MAX_PARTITIONS_PER_REQUEST = 10_000


class _NewTopic(NamedTuple):
    id: Uuid
    partitions: dict[int, PartitionImage]
    config_records: list[ConfigRecord]


def create_topics(
    image: ClusterImage,
    request: CreateTopicsRequest,
    caller: Caller,
    rules: ControllerRules,
    heartbeats: Heartbeats,
    chance: random.Random,
) -> Decision[CreateTopicsResponse]:
    """Each topic succeeds or fails on its own; those that succeed become visible together."""
    _check_total(request, rules)
    named = Counter(topic.name for topic in request.topics)
    may_create_all = caller.authorize(Operation.CREATE, ResourceType.CLUSTER, CLUSTER_NAME)
    records: list[Message] = []
    results: dict[str, CreatableTopicResult] = {}
    for topic in request.topics:
        if topic.name in results:
            continue
        try:
            if named[topic.name] > 1:
                raise ApiError(ErrorCode.INVALID_REQUEST, "The request names the topic twice.")
            _check_permitted(topic.name, caller, may_create_all)
            _check_name(image, topic.name)
            new = _plan(image, topic, rules, heartbeats, chance)
        except ApiError as error:
            results[topic.name] = CreatableTopicResult(
                name=topic.name, error_code=error.code, error_message=error.message
            )
            continue
        records += _records(image, topic.name, new)
        results[topic.name] = _result(image, topic, new, caller, rules)
    response = CreateTopicsResponse(topics=list(results.values()))
    return Decision([] if request.validate_only else records, response)


def _check_total(request: CreateTopicsRequest, rules: ControllerRules) -> None:
    total = 0
    for topic in request.topics:
        if topic.assignments:
            total += len(topic.assignments)
        else:
            total += rules.default_partitions if topic.num_partitions == -1 else max(topic.num_partitions, 0)
    if total > MAX_PARTITIONS_PER_REQUEST:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            f"The request asks for more than {MAX_PARTITIONS_PER_REQUEST} partitions.",
        )


def _check_permitted(name: str, caller: Caller, may_create_all: bool) -> None:
    if name == METADATA_TOPIC:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Nobody can create the internal topic {METADATA_TOPIC}.")
    if not may_create_all and not caller.authorize(Operation.CREATE, ResourceType.TOPIC, name):
        raise ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Authorization failed.")


def _check_name(image: ClusterImage, name: str) -> None:
    if image.topics.get(name) is not None:
        raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
    check_topic_name(name)
    colliding = image.topics.colliding.get(metric_name(name)) if "." in name or "_" in name else None
    if colliding:
        raise ApiError(
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            f"Metrics could not tell topic '{name}' from topic '{min(colliding)}', which exists.",
        )


def _plan(
    image: ClusterImage,
    topic: CreatableTopic,
    rules: ControllerRules,
    heartbeats: Heartbeats,
    chance: random.Random,
) -> _NewTopic:
    nulls = [config.name for config in topic.configs if config.value is None]
    if nulls:
        raise ApiError(ErrorCode.INVALID_CONFIG, f"Topic configs cannot be null: {', '.join(nulls)}")
    configs = _configs(topic)
    config_records = set_configs(image, ConfigResourceType.TOPIC, topic.name, configs, rules)
    if topic.assignments:
        partitions = _assigned(image, topic)
    else:
        partitions = _placed(image, topic, rules, heartbeats, chance)
    return _NewTopic(random_uuid(chance), partitions, config_records)


def _configs(topic: CreatableTopic) -> dict[str, str]:
    return {config.name: config.value for config in topic.configs if config.value is not None}


def _assigned(image: ClusterImage, topic: CreatableTopic) -> dict[int, PartitionImage]:
    if topic.replication_factor != -1:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, "With a manual assignment the replication factor must be -1."
        )
    if topic.num_partitions != -1:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, "With a manual assignment the number of partitions must be -1."
        )
    partitions: dict[int, PartitionImage] = {}
    replication_factor = None
    for assignment in topic.assignments:
        number = assignment.partition_index
        if number in partitions:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"Partition {number} is assigned more than once."
            )
        partitions[number] = assigned_partition(image, number, assignment.broker_ids, replication_factor)
        replication_factor = len(assignment.broker_ids)
    if sorted(partitions) != list(range(len(partitions))):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT, "Partitions must be numbered from 0 without a gap."
        )
    return dict(sorted(partitions.items()))


def _placed(
    image: ClusterImage,
    topic: CreatableTopic,
    rules: ControllerRules,
    heartbeats: Heartbeats,
    chance: random.Random,
) -> dict[int, PartitionImage]:
    replication_factor, count = topic.replication_factor, topic.num_partitions
    if replication_factor < -1 or replication_factor == 0:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            "The replication factor must be above 0, or -1 for the default.",
        )
    if count < -1 or count == 0:
        raise ApiError(
            ErrorCode.INVALID_PARTITIONS, "The number of partitions must be above 0, or -1 for the default."
        )
    placed = place_partitions(
        image,
        heartbeats,
        chance,
        partitions=rules.default_partitions if count == -1 else count,
        replication_factor=(
            rules.default_replication_factor if replication_factor == -1 else replication_factor
        ),
    )
    return dict(enumerate(placed))


def _records(image: ClusterImage, name: str, new: _NewTopic) -> list[Message]:
    """Configs lie between the topic and its partitions, so that no log is ever opened with the wrong ones."""
    features = image.features
    records: list[Message] = [TopicRecord(name=name, topic_id=new.id), *new.config_records]
    records += clear_elr_records(image, new.config_records)
    records += [
        partition.to_record(
            new.id, number, with_directories=features.names_directories, with_elr=features.elr_enabled
        )
        for number, partition in new.partitions.items()
    ]
    return records


def _result(
    image: ClusterImage, topic: CreatableTopic, new: _NewTopic, caller: Caller, rules: ControllerRules
) -> CreatableTopicResult:
    result = CreatableTopicResult(
        name=topic.name, topic_id=new.id, error_code=ErrorCode.NONE, error_message=None, configs=[]
    )
    if not caller.authorize(Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC, topic.name):
        result.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        return result
    result.num_partitions = len(new.partitions)
    result.replication_factor = len(new.partitions[0].replicas)
    result.configs = _effective(image, _configs(topic), rules)
    return result


def _effective(
    image: ClusterImage, configs: Mapping[str, str], rules: ControllerRules
) -> list[CreatableTopicConfigs]:
    effective = rules.schema.topic_configs(
        configs, rules.node_configs(image), image.configs.of(*CLUSTER_DEFAULT)
    )
    return [
        CreatableTopicConfigs(
            name=config.name,
            value=None if config.sensitive else config.value,
            read_only=config.read_only,
            config_source=config.source,
            is_sensitive=config.sensitive,
        )
        for config in sorted(effective)
    ]
