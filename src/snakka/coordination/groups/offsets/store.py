"""Committed offsets of all groups of a shard, and those that wait for their transaction's end.

Rule: only the replay of records and of transaction markers changes it. It is kept small: an idle group costs its offsets and
two dictionaries, and what many groups share (names and ids of topics) is there once.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from snakka.protocol.uuids import Uuid

NO_EPOCH = -1
# An offset that grows old by the broker's retention, not at a moment that its commit named.
NO_EXPIRE_TIMESTAMP = -1


class CommittedOffset(NamedTuple):
    """What one commit said of one partition."""

    offset: int
    leader_epoch: int
    metadata: str
    commit_timestamp_ms: int
    # Named by the commits of old clients only.
    expire_timestamp_ms: int
    topic_id: Uuid
    # Where the commit is in the log of the offsets' topic.
    record_offset: int


# Topic -> partition -> what is committed.
TopicOffsets = Mapping[str, Mapping[int, CommittedOffset]]
_Place = tuple[str, int]

_NOTHING: TopicOffsets = MappingProxyType({})


class OffsetStore:
    """Offsets by group, topic and partition."""

    __slots__ = ("_by_group", "_open", "_pending")

    def __init__(self) -> None:
        self._by_group: dict[str, dict[str, dict[int, CommittedOffset]]] = {}
        # Producer id -> (group, topic, partition) -> what counts if the transaction is committed.
        self._pending: dict[int, dict[tuple[str, str, int], CommittedOffset]] = {}
        # The same seen from the groups: group -> (topic, partition) -> producers whose transaction has not ended.
        self._open: dict[str, dict[_Place, dict[int, None]]] = {}

    # -- looking --------------------------------------------------------------------------------------------------

    def get(self, group_id: str, topic: str, partition: int) -> CommittedOffset | None:
        partitions = self._by_group.get(group_id, _NOTHING).get(topic)
        return None if partitions is None else partitions.get(partition)

    def of_group(self, group_id: str) -> TopicOffsets:
        """Everything that the group has committed; empty if that is nothing."""
        return self._by_group.get(group_id, _NOTHING)

    def groups(self) -> Iterator[str]:
        """Every group that has committed something."""
        return iter(self._by_group)

    def is_unstable(self, group_id: str, topic: str, partition: int) -> bool:
        """Whether an open transaction may change the partition's offset (KIP-447)."""
        places = self._open.get(group_id)
        return places is not None and (topic, partition) in places

    def unstable_partitions(self, group_id: str) -> Iterator[_Place]:
        """(topic, partition) of every offset that an open transaction may change."""
        return iter(self._open.get(group_id, ()))

    def pending(self) -> Iterator[tuple[tuple[str, str, int], CommittedOffset]]:
        """(group, topic, partition) and offset of whatever waits for the end of a transaction."""
        for offsets in self._pending.values():
            yield from offsets.items()

    # -- changing -------------------------------------------------------------------------------------------------

    def put(self, group_id: str, topic: str, partition: int, committed: CommittedOffset) -> None:
        topics = self._by_group.get(group_id)
        if topics is None:
            topics = self._by_group[group_id] = {}
        partitions = topics.get(topic)
        if partitions is None:
            partitions = topics[topic] = {}
        partitions[partition] = committed

    def put_pending(
        self, producer_id: int, group_id: str, topic: str, partition: int, committed: CommittedOffset
    ) -> None:
        """An offset that counts when the producer's transaction is committed."""
        self._pending.setdefault(producer_id, {})[group_id, topic, partition] = committed
        places = self._open.setdefault(group_id, {})
        places.setdefault((topic, partition), {})[producer_id] = None

    def remove(self, group_id: str, topic: str, partition: int) -> None:
        """The offset is deleted, and what open transactions have committed for it so far, too."""
        self._remove_committed(group_id, topic, partition)
        producers = self._open.get(group_id, {}).get((topic, partition))
        for producer_id in list(producers or ()):
            pending = self._pending[producer_id]
            del pending[group_id, topic, partition]
            if not pending:
                del self._pending[producer_id]
            self._close(producer_id, group_id, topic, partition)

    def end_transaction(self, producer_id: int, committed: bool) -> None:
        """The offsets of the transaction count from now on, or never did."""
        for (group_id, topic, partition), offset in self._pending.pop(producer_id, {}).items():
            self._close(producer_id, group_id, topic, partition)
            if not committed:
                continue
            existing = self.get(group_id, topic, partition)
            # The later record counts, not the later marker: compaction keeps the later record, and a shard that is built
            # anew from what it left must come to the same result.
            if existing is None or offset.record_offset > existing.record_offset:
                self.put(group_id, topic, partition, offset)

    def _close(self, producer_id: int, group_id: str, topic: str, partition: int) -> None:
        places = self._open[group_id]
        producers = places[topic, partition]
        del producers[producer_id]
        if not producers:
            del places[topic, partition]
            if not places:
                del self._open[group_id]

    def _remove_committed(self, group_id: str, topic: str, partition: int) -> None:
        topics = self._by_group.get(group_id)
        partitions = None if topics is None else topics.get(topic)
        if topics is None or partitions is None or partitions.pop(partition, None) is None:
            return
        if not partitions:
            del topics[topic]
            if not topics:
                del self._by_group[group_id]
