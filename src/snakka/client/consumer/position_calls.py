"""Where a consumer is and may go: positions, pauses, and which offsets and topics there are."""

from collections.abc import Collection, Iterable, Mapping

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.delivery import Delivery
from snakka.client.consumer.group import Group
from snakka.client.consumer.messages import OffsetAndTimestamp
from snakka.client.consumer.positions import EARLIEST, LATEST, NO_STOP
from snakka.client.consumer.reading import Reading
from snakka.client.errors import ClientClosedError, ClientConfigError, RequestTimedOutError
from snakka.client.settings import ConsumerSettings
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.uuids import ZERO_UUID, Uuid


class PositionCalls:
    """The part of a consumer that is about positions. `Consumer` has built what is used here."""

    settings: ConsumerSettings
    _cluster: ClusterView
    _reading: Reading
    _delivery: Delivery
    _group: Group | None
    _is_started: bool
    _is_stopped: bool

    # -- positions ------------------------------------------------------------------------------------------------

    def seek(
        self,
        partition: TopicPartition,
        offset: int,
        *,
        up_to: int | None = None,
        topic_id: Uuid = ZERO_UUID,
    ) -> None:
        """Go on at this offset. Nothing is fetched from `up_to` on, and whoever asks for more there gets nothing at once.

        With the id of the topic that the offset is of, another one of the same name is never read in its place.

        >>> created = await admin.create_topic("orders")
        >>> async with Consumer("orders", bootstrap_servers=bootstrap) as consumer:
        ...     nothing = await consumer.getmany(timeout_ms=1000)
        ...     consumer.seek(TopicPartition("orders", 0), 0)
        ...     await consumer.position(TopicPartition("orders", 0))
        0
        """
        if offset < 0:
            raise ClientConfigError(f"an offset is not negative, but {offset} is")
        stop_offset = NO_STOP if up_to is None else up_to
        self._reading.seek(partition, offset, stop_offset=stop_offset, topic_id=topic_id)

    async def seek_to_beginning(self, *partitions: TopicPartition) -> None:
        """Go on with the oldest record, in these partitions or in all."""
        await self._seek_to_time(partitions, EARLIEST)

    async def seek_to_end(self, *partitions: TopicPartition) -> None:
        """Go on with what comes next, in these partitions or in all."""
        await self._seek_to_time(partitions, LATEST)

    async def seek_to_time(self, timestamp_ms: int, *partitions: TopicPartition) -> None:
        """Go on with the first record of this time (milliseconds since 1970) or later, in these partitions or in all.

        Where there is no such record, it goes on with what comes next.

        >>> async with Producer(bootstrap_servers=bootstrap) as producer:
        ...     for hour in (1, 2, 3):
        ...         placed = await producer.send_and_wait("hours", b"%d" % hour, timestamp_ms=hour * 3_600_000)
        >>> async with Consumer("hours", bootstrap_servers=bootstrap) as consumer:
        ...     nothing = await consumer.getmany(timeout_ms=1000)
        ...     await consumer.seek_to_time(2 * 3_600_000)
        ...     (await consumer.getone()).value
        b'2'
        """
        if timestamp_ms < 0:
            raise ClientConfigError(f"a time is not negative, but {timestamp_ms} is")
        await self._seek_to_time(partitions, timestamp_ms)

    async def _seek_to_time(self, partitions: Collection[TopicPartition], timestamp: int) -> None:
        self._reading.seek_to_time(partitions, timestamp)
        for assigned in self._reading.chosen(partitions):
            await self.position(assigned.partition)

    async def seek_to_committed(self, *partitions: TopicPartition) -> None:
        """Go on where the group has committed, in these partitions or in all."""
        self._needed_group()
        self._reading.seek_to_committed(partitions)
        for assigned in self._reading.chosen(partitions):
            await self.position(assigned.partition)

    async def position(self, partition: TopicPartition) -> int:
        """The offset of the next message that will be returned of this partition."""
        assigned = self._reading.assigned(partition)
        if not await self._delivery.found(assigned, self.settings.default_api_timeout_ms / 1000):
            raise RequestTimedOutError(f"the position of {partition} was not found in time")
        self._delivery.settle()
        return assigned.position

    def highwater(self, partition: TopicPartition) -> int | None:
        """The end of the partition as of the last fetch; None before that."""
        highwater = self._reading.assigned(partition).high_watermark
        return None if highwater < 0 else highwater

    def last_stable_offset(self, partition: TopicPartition) -> int | None:
        """Up to where no transaction is open, as of the last fetch; None before that."""
        offset = self._reading.assigned(partition).last_stable_offset
        return None if offset < 0 else offset

    def lag(self, partition: TopicPartition) -> int | None:
        """How many offsets there are up to the end, as of the last fetch; None before that."""
        assigned = self._reading.assigned(partition)
        self._delivery.settle()
        end = assigned.last_stable_offset if self._reading.is_read_committed else assigned.high_watermark
        return None if end < 0 or not assigned.has_position else max(end - assigned.position, 0)

    def pause(self, *partitions: TopicPartition) -> None:
        """Return nothing of these partitions until `resume`; what is fetched of them already is kept.

        >>> created = await admin.create_topic("orders")
        >>> async with Consumer(bootstrap_servers=bootstrap) as consumer:
        ...     consumer.assign([TopicPartition("orders", 0)])
        ...     consumer.pause(TopicPartition("orders", 0))
        ...     print(*consumer.paused())
        ...     consumer.resume(TopicPartition("orders", 0))
        ...     print(*consumer.paused())
        orders-0
        <BLANKLINE>
        """
        self._reading.pause(partitions)

    def resume(self, *partitions: TopicPartition) -> None:
        """Go on with these partitions where they were paused."""
        self._reading.resume(partitions)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions of which nothing is returned just now."""
        return frozenset(each for each, assigned in self._reading.assignment.items() if assigned.is_paused)

    # -- what there is --------------------------------------------------------------------------------------------

    async def beginning_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The offsets of the oldest records."""
        return await self._end_offsets(partitions, EARLIEST)

    async def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The offsets that the next records will have; with read_committed those of the oldest open transactions.

        >>> created = await admin.create_topic("orders")
        >>> async with Consumer(bootstrap_servers=bootstrap) as consumer:
        ...     await consumer.end_offsets([TopicPartition("orders", 0)])
        {TopicPartition(topic='orders', partition=0): 0}
        """
        return await self._end_offsets(partitions, LATEST)

    async def _end_offsets(
        self, partitions: Iterable[TopicPartition], timestamp: int
    ) -> dict[TopicPartition, int]:
        found = await self._reading.lookup.everywhere(dict.fromkeys(partitions, timestamp), self._deadline)
        return {partition: each.offset for partition, each in found.items()}

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first record of each time (in milliseconds) or later; None where there is none.

        >>> created = await admin.create_topic("orders")
        >>> async with Consumer(bootstrap_servers=bootstrap) as consumer:
        ...     await consumer.offsets_for_times({TopicPartition("orders", 0): 1_700_000_000_000})
        {TopicPartition(topic='orders', partition=0): None}
        """
        found = await self._reading.lookup.everywhere(timestamps, self._deadline)
        return {partition: None if each.offset < 0 else each for partition, each in found.items()}

    async def partitions_for_topic(self, topic: str) -> frozenset[int]:
        """The partitions of a topic; ApiError if there is none."""
        view = await self._cluster.topic(topic, self._deadline)
        return frozenset(each.index for each in view.partitions)

    async def topic_id(self, topic: str, *, is_asked_anew: bool = False) -> Uuid:
        """The id that tells a topic from others that had or will have its name; ApiError if there is none.

        What this consumer knows may be out of date: `is_asked_anew` lets it forget that and ask the cluster.
        """
        if is_asked_anew:
            self._cluster.forget(topic)
        return (await self._cluster.topic(topic, self._deadline)).topic_id

    async def topics(self) -> frozenset[str]:
        """All topics that we may see."""
        return frozenset(each.name for each in await self._cluster.all_topics(self._deadline))

    # -- inside ---------------------------------------------------------------------------------------------------

    @property
    def _deadline(self) -> float:
        return self._cluster.clock.monotonic() + self.settings.default_api_timeout_ms / 1000

    def _check_running(self) -> None:
        if not self._is_started or self._is_stopped:
            raise ClientClosedError(
                "the consumer is stopped"
                if self._is_stopped
                else "start the consumer first: await consumer.start()"
            )

    def _needed_group(self) -> Group:
        self._check_running()
        if self._group is None:
            raise ClientConfigError("this needs group.id: offsets are committed for a group")
        return self._group
