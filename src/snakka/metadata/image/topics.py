"""Topics and their partitions, by name and by id."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from snakka.metadata.image.errors import InconsistentRecord
from snakka.metadata.image.partition import PartitionImage
from snakka.protocol.message import Message
from snakka.protocol.record_types.metadata.partition_change_record import PartitionChangeRecord
from snakka.protocol.record_types.metadata.partition_record import PartitionRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord
from snakka.protocol.uuids import Uuid, uuid_text

if TYPE_CHECKING:
    from snakka.protocol.record_types.metadata.clear_elr_record import ClearElrRecord
    from snakka.protocol.record_types.metadata.remove_topic_record import RemoveTopicRecord


@dataclass(slots=True)
class TopicImage:
    name: str
    id: Uuid
    partitions: dict[int, PartitionImage] = field(default_factory=dict)


def metric_name(topic: str) -> str:
    """Metrics of Kafka cannot tell '.' from '_', so two names that differ only in these collide."""
    return topic.replace(".", "_")


@dataclass(slots=True)
class TopicsImage:
    by_name: dict[str, TopicImage] = field(default_factory=dict)
    by_id: dict[Uuid, TopicImage] = field(default_factory=dict)
    # Names that could collide, by the name that their metrics get. Only names with '.' or '_' are in it.
    colliding: dict[str, set[str]] = field(default_factory=dict)

    def get(self, name: str) -> TopicImage | None:
        return self.by_name.get(name)

    def partition(self, topic_id: Uuid, partition: int) -> PartitionImage | None:
        topic = self.by_id.get(topic_id)
        return None if topic is None else topic.partitions.get(partition)

    def all_partitions(self) -> Iterator[tuple[TopicImage, int, PartitionImage]]:
        for topic in self.by_id.values():
            for number, partition in topic.partitions.items():
                yield topic, number, partition

    def replay_topic(self, record: TopicRecord) -> None:
        if record.name in self.by_name or record.topic_id in self.by_id:
            raise InconsistentRecord(f"topic {record.name} ({uuid_text(record.topic_id)}) exists already")
        topic = TopicImage(record.name, record.topic_id)
        self.by_name[topic.name] = topic
        self.by_id[topic.id] = topic
        if "." in topic.name or "_" in topic.name:
            self.colliding.setdefault(metric_name(topic.name), set()).add(topic.name)

    def replay_partition(self, record: PartitionRecord) -> None:
        self._topic(record.topic_id).partitions[record.partition_id] = PartitionImage.from_record(record)

    def replay_partition_change(self, record: PartitionChangeRecord) -> None:
        topic = self._topic(record.topic_id)
        old = topic.partitions.get(record.partition_id)
        if old is None:
            raise InconsistentRecord(f"partition {topic.name}-{record.partition_id} does not exist")
        topic.partitions[record.partition_id] = old.merge(record)

    def replay_remove_topic(self, record: RemoveTopicRecord) -> TopicImage:
        topic = self._topic(record.topic_id)
        del self.by_id[topic.id]
        del self.by_name[topic.name]
        names = self.colliding.get(metric_name(topic.name))
        if names is not None:
            names.discard(topic.name)
            if not names:
                del self.colliding[metric_name(topic.name)]
        return topic

    def replay_clear_elr(self, record: ClearElrRecord) -> None:
        """Forgets eligible leader replicas of one topic, or of all when the record names none."""
        for topic in self.cleared_by(record):
            for number, partition in topic.partitions.items():
                if partition.elr or partition.last_known_elr:
                    change = PartitionChangeRecord(
                        partition_id=number,
                        topic_id=topic.id,
                        eligible_leader_replicas=[],
                        last_known_elr=[],
                    )
                    topic.partitions[number] = partition.merge(change)

    def cleared_by(self, record: ClearElrRecord) -> list[TopicImage]:
        if not record.topic_name:
            return list(self.by_id.values())
        topic = self.by_name.get(record.topic_name)
        if topic is None:
            raise InconsistentRecord(f"topic {record.topic_name} does not exist")
        return [topic]

    def snapshot(self, *, with_directories: bool, with_elr: bool) -> Iterator[Message]:
        for topic in self.by_id.values():
            yield TopicRecord(name=topic.name, topic_id=topic.id)
            for number, partition in topic.partitions.items():
                yield partition.to_record(
                    topic.id, number, with_directories=with_directories, with_elr=with_elr
                )

    def copy(self) -> TopicsImage:
        twins = [TopicImage(topic.name, topic.id, dict(topic.partitions)) for topic in self.by_id.values()]
        return TopicsImage(
            {topic.name: topic for topic in twins},
            {topic.id: topic for topic in twins},
            {name: set(names) for name, names in self.colliding.items()},
        )

    def _topic(self, topic_id: Uuid) -> TopicImage:
        topic = self.by_id.get(topic_id)
        if topic is None:
            raise InconsistentRecord(f"topic {uuid_text(topic_id)} does not exist")
        return topic
