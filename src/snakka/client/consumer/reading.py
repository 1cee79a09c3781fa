"""The partitions that a consumer reads, and all that keeps them flowing: positions, fetches, what waits to be handed out.

Rule: partitions come and go only here, so that whatever was fetched or asked for a partition goes with it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.delivery import Delivery
from snakka.client.consumer.fetcher import READ_COMMITTED, Fetcher
from snakka.client.consumer.messages import OffsetAndMetadata, message_decoder
from snakka.client.consumer.offset_lookup import OffsetLookup
from snakka.client.consumer.position_finder import PositionFinder, ResetRule
from snakka.client.consumer.positions import NO_STOP, UNKNOWN, AssignedPartition
from snakka.client.errors import NotSubscribedError
from snakka.client.settings import ConsumerSettings
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.uuids import ZERO_UUID, Uuid


class Reading:
    """What one consumer reads, of one cluster."""

    def __init__(self, cluster: ClusterView, settings: ConsumerSettings) -> None:
        self.assignment: dict[TopicPartition, AssignedPartition] = {}
        self.is_read_committed = settings.isolation_level == "read_committed"
        self.lookup = OffsetLookup(cluster, READ_COMMITTED if self.is_read_committed else 0)
        self.delivery = Delivery(
            message_decoder(settings.key_deserializer, settings.value_deserializer),
            settings.prefetch_memory_bytes,
            lambda: self.fetcher.poke(),
            lambda: self.changed(),
        )
        self.finder = PositionFinder(
            cluster,
            self.lookup,
            self.assignment,
            self.delivery,
            ResetRule(settings.auto_offset_reset),
            self._found,
        )
        self.fetcher = Fetcher(cluster, settings, self.assignment, self.delivery, self.finder)
        self._cluster = cluster
        self._end_watch: Callable[[], None] | None = None

    def start(self) -> None:
        self._end_watch = self._cluster.watch(self.changed)

    async def close(self) -> None:
        if self._end_watch is not None:
            self._end_watch()
        self.finder.close()
        self.fetcher.close()
        self.delivery.close()
        await self.fetcher.end_sessions()

    def changed(self) -> None:
        """Partitions, positions or the cluster are others now."""
        self.fetcher.look()
        self.finder.poke()

    def _found(self) -> None:
        """Positions have been found."""
        self.fetcher.look()
        self.delivery.notify()

    # -- partitions -----------------------------------------------------------------------------------------------

    def add(self, partitions: Iterable[TopicPartition]) -> list[AssignedPartition]:
        """Read these too; those that are new."""
        new = [each for each in partitions if each not in self.assignment]
        for partition in new:
            self.assignment[partition] = AssignedPartition(partition)
        self._cluster.track(each.topic for each in new)
        self.changed()
        return [self.assignment[partition] for partition in new]

    def remove(self, partitions: Iterable[TopicPartition]) -> None:
        """Read these no more."""
        gone = [each for each in partitions if each in self.assignment]
        for partition in gone:
            assigned = self.assignment.pop(partition)
            self.delivery.drop(assigned)
            assigned.fence += 1  # what is on its way for it comes to nothing
        self._cluster.untrack(each.topic for each in gone)
        self.fetcher.poke()

    def replace(self, partitions: Collection[TopicPartition]) -> None:
        """Read exactly these; those that stay go on where they are."""
        self.remove([each for each in self.assignment if each not in partitions])
        self.add(partitions)

    def assigned(self, partition: TopicPartition) -> AssignedPartition:
        found = self.assignment.get(partition)
        if found is None:
            raise NotSubscribedError(f"{partition} is not assigned to this consumer")
        return found

    def chosen(self, partitions: Collection[TopicPartition]) -> list[AssignedPartition]:
        """These, or all if none is named."""
        if not partitions:
            return list(self.assignment.values())
        return [self.assigned(each) for each in partitions]

    # -- positions ------------------------------------------------------------------------------------------------

    def seek(
        self,
        partition: TopicPartition,
        offset: int,
        leader_epoch: int = UNKNOWN,
        stop_offset: int = NO_STOP,
        topic_id: Uuid = ZERO_UUID,
    ) -> None:
        assigned = self.assigned(partition)
        self.delivery.drop(assigned)
        assigned.seek(offset, leader_epoch)
        assigned.stop_offset = stop_offset
        if topic_id != ZERO_UUID:
            assigned.topic_id = topic_id
        self.changed()

    def seek_to_time(self, partitions: Collection[TopicPartition], timestamp: int) -> None:
        for assigned in self.chosen(partitions):
            self.delivery.drop(assigned)
            assigned.seek_to_time(timestamp)
            assigned.stop_offset = NO_STOP
        self.changed()

    def seek_to_committed(self, partitions: Collection[TopicPartition]) -> None:
        for assigned in self.chosen(partitions):
            self.delivery.drop(assigned)
            assigned.seek_to_committed()
            assigned.stop_offset = NO_STOP
        self.changed()

    def committed(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """The group has these now."""
        for partition, each in offsets.items():
            if partition in self.assignment:
                self.assignment[partition].committed = each.offset

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        for assigned in [self.assigned(each) for each in partitions]:
            assigned.is_paused = True
        self.delivery.interrupt()

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        for assigned in [self.assigned(each) for each in partitions]:
            assigned.is_paused = False
        self.delivery.notify()
        self.fetcher.poke()
