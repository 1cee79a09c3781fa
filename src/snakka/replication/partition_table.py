"""Every partition that this broker hosts, found by topic name or topic id without allocating on the way."""

from collections.abc import Iterator

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.uuids import Uuid
from snakka.replication.partition import Partition


class PartitionTable:
    """Look-ups are two dict hits; a topic's partitions share one inner dict under its name and under its id."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[int, Partition]] = {}
        self._by_id: dict[Uuid, dict[int, Partition]] = {}

    def __len__(self) -> int:
        return sum(len(partitions) for partitions in self._by_name.values())

    def __iter__(self) -> Iterator[Partition]:
        for partitions in self._by_name.values():
            yield from partitions.values()

    def get(self, topic: str, index: int) -> Partition | None:
        partitions = self._by_name.get(topic)
        return partitions.get(index) if partitions is not None else None

    def get_by_id(self, topic_id: Uuid, index: int) -> Partition | None:
        partitions = self._by_id.get(topic_id)
        return partitions.get(index) if partitions is not None else None

    def has_topic_id(self, topic_id: Uuid) -> bool:
        return topic_id in self._by_id

    def of_topic(self, topic: str) -> list[Partition]:
        return list(self._by_name.get(topic, {}).values())

    def add(self, partition: Partition) -> None:
        partitions = self._by_name.setdefault(partition.topic, {})
        partitions[partition.index] = partition
        self._by_id[partition.topic_id] = partitions

    def remove(self, topic: str, index: int) -> Partition | None:
        """Forget a partition; whoever still waits for it is told that it is gone."""
        partitions = self._by_name.get(topic)
        partition = partitions.pop(index, None) if partitions is not None else None
        if partition is None:
            return None
        if not partitions:
            del self._by_name[topic]
            self._by_id.pop(partition.topic_id, None)
        partition.go_offline(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return partition
