"""What changed in the image: publishers act on this instead of comparing states.

A delta remembers what each touched thing was before; what it is now, the image says. Its sets are dicts because their
order reaches effects, and a simulation must see the same order each time.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from snakka.metadata.image.brokers import BrokerRegistration
from snakka.metadata.image.client_quotas import QuotaEntity, entity_of
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.configs import ConfigResource, ConfigResourceType
from snakka.metadata.image.partition import PartitionImage
from snakka.metadata.image.record_keys import RecordKey
from snakka.metadata.image.topics import TopicImage
from snakka.protocol.message import Message
from snakka.protocol.uuids import Uuid

K = TypeVar("K")


class PartitionChange(NamedTuple):
    """`before` is None for a new partition, `after` for a deleted one; `topic` is as it is now, or as it was last."""

    topic: TopicImage
    partition: int
    before: PartitionImage | None
    after: PartitionImage | None


class BrokerChange(NamedTuple):
    broker_id: int
    before: BrokerRegistration | None
    after: BrokerRegistration | None


@dataclass(slots=True)
class Delta:
    """Everything that a run of records touched."""

    created_topics: dict[Uuid, None] = field(default_factory=dict)
    deleted_topics: dict[Uuid, TopicImage] = field(default_factory=dict)
    partitions: dict[tuple[Uuid, int], PartitionImage | None] = field(default_factory=dict)
    brokers: dict[int, BrokerRegistration | None] = field(default_factory=dict)
    controllers: dict[int, None] = field(default_factory=dict)
    configs: dict[ConfigResource, None] = field(default_factory=dict)
    features: dict[str, None] = field(default_factory=dict)
    client_quotas: dict[QuotaEntity, None] = field(default_factory=dict)
    acls: dict[Uuid, None] = field(default_factory=dict)
    scram: dict[tuple[str, int], None] = field(default_factory=dict)
    delegation_tokens: dict[str, None] = field(default_factory=dict)
    producer_ids: bool = False

    @property
    def topics_changed(self) -> bool:
        return bool(self.created_topics or self.deleted_topics or self.partitions)

    @property
    def is_empty(self) -> bool:
        return self == Delta()

    def partition_changes(self, image: ClusterImage) -> Iterator[PartitionChange]:
        """Partitions that are not what they were, given the image after the delta."""
        for (topic_id, number), before in self.partitions.items():
            topic = image.topics.by_id.get(topic_id) or self.deleted_topics.get(topic_id)
            after = image.topics.partition(topic_id, number)
            if topic is not None and after != before:
                yield PartitionChange(topic, number, before, after)

    def broker_changes(self, image: ClusterImage) -> Iterator[BrokerChange]:
        for broker_id, before in self.brokers.items():
            after = image.brokers.get(broker_id)
            if after != before:
                yield BrokerChange(broker_id, before, after)

    def observe(self, image: ClusterImage, record: Message) -> None:
        """Called with the image as it is before the record is applied."""
        observe = _OBSERVERS.get(record.RECORD_KEY)
        if observe is not None:
            observe(self, image, record)

    @classmethod
    def between(cls, before: ClusterImage, after: ClusterImage) -> "Delta":
        """What a snapshot changed that took the place of an older image."""
        delta = cls(producer_ids=before.producer_ids != after.producer_ids)
        for topic in before.topics.by_id.values():
            if topic.id not in after.topics.by_id:
                delta.deleted_topics[topic.id] = topic
            for number, partition in topic.partitions.items():
                if after.topics.partition(topic.id, number) != partition:
                    delta.partitions[topic.id, number] = partition
        for topic in after.topics.by_id.values():
            if topic.id not in before.topics.by_id:
                delta.created_topics[topic.id] = None
            for number in topic.partitions:
                if before.topics.partition(topic.id, number) is None:
                    delta.partitions[topic.id, number] = None
        for broker_id in _differing(before.brokers.by_id, after.brokers.by_id):
            delta.brokers[broker_id] = before.brokers.get(broker_id)
        delta.controllers = _differing(before.controllers.by_id, after.controllers.by_id)
        delta.configs = _differing(before.configs.by_resource, after.configs.by_resource)
        delta.features = _differing(before.features.levels, after.features.levels)
        delta.client_quotas = _differing(before.client_quotas.by_entity, after.client_quotas.by_entity)
        delta.acls = _differing(before.acls.by_id, after.acls.by_id)
        delta.scram = _differing(before.scram.by_user, after.scram.by_user)
        delta.delegation_tokens = _differing(before.delegation_tokens.by_id, after.delegation_tokens.by_id)
        return delta

    def _topic(self, _image: ClusterImage, record: Any) -> None:
        self.created_topics[record.topic_id] = None

    def _partition(self, image: ClusterImage, record: Any) -> None:
        key = (record.topic_id, record.partition_id)
        self.partitions.setdefault(key, image.topics.partition(*key))

    def _remove_topic(self, image: ClusterImage, record: Any) -> None:
        topic = image.topics.by_id.get(record.topic_id)
        if topic is None:
            return
        for number, partition in topic.partitions.items():
            self.partitions.setdefault((topic.id, number), partition)
        if (ConfigResourceType.TOPIC, topic.name) in image.configs.by_resource:
            self.configs[ConfigResourceType.TOPIC, topic.name] = None
        if topic.id in self.created_topics:
            # Born and gone within one delta: nobody needs to know.
            del self.created_topics[topic.id]
        else:
            self.deleted_topics[topic.id] = topic

    def _clear_elr(self, image: ClusterImage, record: Any) -> None:
        for topic in image.topics.cleared_by(record):
            for number, partition in topic.partitions.items():
                if partition.elr or partition.last_known_elr:
                    self.partitions.setdefault((topic.id, number), partition)

    def _broker(self, image: ClusterImage, record: Any) -> None:
        self.brokers.setdefault(record.broker_id, image.brokers.get(record.broker_id))

    def _broker_by_id(self, image: ClusterImage, record: Any) -> None:
        self.brokers.setdefault(record.id, image.brokers.get(record.id))

    def _controller(self, _image: ClusterImage, record: Any) -> None:
        self.controllers[record.controller_id] = None

    def _config(self, _image: ClusterImage, record: Any) -> None:
        self.configs[record.resource_type, record.resource_name] = None

    def _feature(self, _image: ClusterImage, record: Any) -> None:
        self.features[record.name] = None

    def _quota(self, _image: ClusterImage, record: Any) -> None:
        self.client_quotas[entity_of(record)] = None

    def _producer_ids(self, _image: ClusterImage, _record: Any) -> None:
        self.producer_ids = True

    def _acl(self, _image: ClusterImage, record: Any) -> None:
        self.acls[record.id] = None

    def _scram(self, _image: ClusterImage, record: Any) -> None:
        self.scram[record.name, record.mechanism] = None

    def _token(self, _image: ClusterImage, record: Any) -> None:
        self.delegation_tokens[record.token_id] = None


_OBSERVERS: Mapping[int, Callable[[Delta, ClusterImage, Any], None]] = {
    RecordKey.TOPIC: Delta._topic,
    RecordKey.PARTITION: Delta._partition,
    RecordKey.PARTITION_CHANGE: Delta._partition,
    RecordKey.REMOVE_TOPIC: Delta._remove_topic,
    RecordKey.CLEAR_ELR: Delta._clear_elr,
    RecordKey.REGISTER_BROKER: Delta._broker,
    RecordKey.UNREGISTER_BROKER: Delta._broker,
    RecordKey.BROKER_REGISTRATION_CHANGE: Delta._broker,
    RecordKey.FENCE_BROKER: Delta._broker_by_id,
    RecordKey.UNFENCE_BROKER: Delta._broker_by_id,
    RecordKey.REGISTER_CONTROLLER: Delta._controller,
    RecordKey.CONFIG: Delta._config,
    RecordKey.FEATURE_LEVEL: Delta._feature,
    RecordKey.CLIENT_QUOTA: Delta._quota,
    RecordKey.PRODUCER_IDS: Delta._producer_ids,
    RecordKey.ACCESS_CONTROL_ENTRY: Delta._acl,
    RecordKey.REMOVE_ACCESS_CONTROL_ENTRY: Delta._acl,
    RecordKey.USER_SCRAM_CREDENTIAL: Delta._scram,
    RecordKey.REMOVE_USER_SCRAM_CREDENTIAL: Delta._scram,
    RecordKey.DELEGATION_TOKEN: Delta._token,
    RecordKey.REMOVE_DELEGATION_TOKEN: Delta._token,
}


def _differing(before: Mapping[K, object], after: Mapping[K, object]) -> dict[K, None]:
    """Keys whose values are not the same on both sides, those of `before` first."""
    return {key: None for key in (*before, *after) if before.get(key) != after.get(key)}
