"""The consumer that applications use."""

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from snakka.client.cluster_view import ClusterView, open_cluster
from snakka.client.consumer.consumer_measures import ConsumerMeasures
from snakka.client.consumer.group import Group
from snakka.client.consumer.groups.listener import RebalanceListener
from snakka.client.consumer.messages import (
    Message,
    OffsetAndMetadata,
    offset_and_metadata,
)
from snakka.client.consumer.position_calls import PositionCalls
from snakka.client.consumer.reading import Reading
from snakka.client.consumer.subscribed_topics import SubscribedTopics
from snakka.client.consumer.subscription import Subscription
from snakka.client.consumer.topic_reader import TopicReader
from snakka.client.errors import ClientClosedError, ClientConfigError
from snakka.client.group_metadata import GroupMetadata
from snakka.client.metrics_push import MetricsPush
from snakka.client.settings import ConsumerSettings, resolve
from snakka.client.tasks import Tasks
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.record_columns import COLUMN_NAMES

if TYPE_CHECKING:
    import pyarrow

    from snakka.client.keywords import ConsumerKeywords

Offsets = Mapping[TopicPartition, int | tuple[int, str] | OffsetAndMetadata]
ARROW_BYTES = 16 * 1024 * 1024


class Consumer(PositionCalls):
    """Reads messages of topics, as a member of a group if `group_id` is given, else all partitions.

    Settings are Kafka's, as keywords or by their dotted names in a mapping before the topics.

    >>> from snakka.client import Consumer, Producer
    >>> async with Producer(bootstrap_servers=bootstrap) as producer:
    ...     placed = await producer.send_and_wait("orders", b"three apples", key=b"alice")
    >>> settings = {"bootstrap.servers": bootstrap, "group.id": "billing", "auto.offset.reset": "earliest"}
    >>> async with Consumer(settings, "orders") as consumer:
    ...     async for message in consumer:
    ...         print(message.topic, message.partition, message.offset, message.key, message.value)
    ...         break
    orders 0 0 b'alice' b'three apples'

    What was handed out counts as processed when the next is asked for, or when the consumer is stopped; not if the block
    that it is used in ends with an exception. With enable.auto.commit that is what is committed. So one task reads; it may
    give messages to others, who then tell it what may be committed.
    """

    def __init__(self, *topics: str | Mapping[str, object], **keywords: "Unpack[ConsumerKeywords]") -> None:
        mapping = topics[0] if topics and isinstance(topics[0], Mapping) else None
        self.settings = resolve(ConsumerSettings, keywords, mapping)
        self._subscription = Subscription()
        self._subscription.subscribe([str(topic) for topic in topics[mapping is not None :]])
        self._tasks = Tasks(self._task_failed)
        self._cluster: ClusterView = open_cluster(self.settings, self._tasks)
        self._cluster.may_create_tracked = self.settings.allow_auto_create_topics
        self._reading = Reading(self._cluster, self.settings)
        self._delivery = self._reading.delivery
        group_id = self.settings.group_id
        self._group = (
            None
            if group_id is None
            else Group(group_id, self._cluster, self.settings, self._subscription, self._reading)
        )
        self._topics = SubscribedTopics(
            self._cluster,
            self._subscription,
            self.settings.exclude_internal_topics,
            TopicReader(self._cluster, self._reading, self._subscription).look
            if self._group is None
            else self._group.changed,
            self._delivery.fail,
        )
        self._metrics = MetricsPush(
            self._cluster,
            "consumer",
            ConsumerMeasures(self._reading, self._group, self.lag, self._cluster.clock),
            labels={} if group_id is None else {"group_id": group_id},
        )
        self._is_started = False
        self._is_stopped = False

    # -- life -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Reach the cluster and begin to read; NoBrokerError if nobody answers."""
        if self._is_started:
            raise ClientClosedError("a consumer is started once; make another one")
        self._is_started = True
        try:
            await self._cluster.connect(self._deadline)
        except BaseException:
            await self._close()
            raise
        self._cluster.start()
        self._reading.start()
        if self._group is not None:
            self._group.start()
        self._metrics.start()
        self._subscribed()

    async def stop(self) -> None:
        """Commit what was handed out, if that is done by itself, leave the group, and end all connections."""
        await self._stop(with_what_is_in_hands=True)

    async def _stop(self, *, with_what_is_in_hands: bool) -> None:
        if not self._is_started or self._is_stopped:
            return
        self._is_stopped = True
        self._delivery.close()  # whoever waits for messages in another task gets no more
        if self._group is not None:
            await self._group.close(with_what_is_in_hands=with_what_is_in_hands)
        await self._close()

    async def _close(self) -> None:
        self._is_stopped = True
        self._topics.close()
        await self._reading.close()
        await self._metrics.close()
        await self._cluster.close()
        await self._tasks.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What the application was working on when it failed is to be read again.
        await self._stop(with_what_is_in_hands=error is None)

    # -- messages -------------------------------------------------------------------------------------------------

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        for message in self._delivery.ready:
            return message
        if not self._is_stopped:
            self._check_running()
            next_message = await self._delivery.next_message()
            if next_message is not None:
                return next_message
        raise StopAsyncIteration

    async def getone(self) -> Message:
        """The next message, as soon as there is one."""
        for message in self._delivery.ready:
            return message
        self._check_running()
        next_message = await self._delivery.next_message()
        if next_message is None:
            raise ClientClosedError("the consumer was stopped")
        return next_message

    async def getmany(
        self, *partitions: TopicPartition, timeout_ms: int = 0, max_records: int | None = None
    ) -> dict[TopicPartition, list[Message]]:
        """Messages that are there, by partition, of these partitions or of all; waits so long if there are none.

        >>> from snakka.client import Producer
        >>> async with Producer(bootstrap_servers=bootstrap) as producer:
        ...     for number in range(3):
        ...         placed = await producer.send_and_wait("orders", b"%d apples" % number)
        >>> async with Consumer("orders", bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
        ...     for partition, messages in (await consumer.getmany(timeout_ms=10_000, max_records=2)).items():
        ...         print(partition, [message.value for message in messages])
        orders-0 [b'0 apples', b'1 apples']
        """
        self._check_running()
        chosen = self._reading.chosen(partitions)
        most = self.settings.max_poll_records if max_records is None else max_records
        if most < 1:
            raise ClientConfigError(f"max_records must be at least 1, not {most}")
        return await self._delivery.next_messages(most, partitions, timeout_ms / 1000, chosen)

    async def fetch_arrow(
        self,
        *partitions: TopicPartition,
        timeout_ms: int = 0,
        columns: Sequence[str] = COLUMN_NAMES,
        max_bytes: int = ARROW_BYTES,
    ) -> "list[pyarrow.RecordBatch]":
        """As getmany, but as Arrow's record batches, each of one partition: no Python object for each message.

        It needs pyarrow. About `max_bytes` are returned at once; deserializers are not called.

        >>> from snakka.client import Producer
        >>> async with Producer(bootstrap_servers=bootstrap) as producer:
        ...     placed = await producer.send_and_wait("orders", b"three apples", key=b"alice")
        >>> async with Consumer("orders", bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
        ...     batches = await consumer.fetch_arrow(timeout_ms=10_000, columns=["offset", "value"])
        >>> batches[0].to_pylist()
        [{'offset': 0, 'value': b'three apples'}]
        """
        self._check_running()
        chosen = self._reading.chosen(partitions)
        unknown = set(columns).difference(COLUMN_NAMES)
        if unknown:
            raise ClientConfigError(
                f"there is no column {', '.join(sorted(unknown))}; there are {', '.join(COLUMN_NAMES)}"
            )
        return await self._delivery.next_columns(columns, max_bytes, partitions, timeout_ms / 1000, chosen)

    # -- what is read ---------------------------------------------------------------------------------------------

    def subscribe(
        self,
        topics: Collection[str] = (),
        *,
        pattern: str | re.Pattern[str] | None = None,
        listener: RebalanceListener | None = None,
    ) -> None:
        """Read these topics, or all whose whole name matches the pattern; the group shares out their partitions.

        With group.protocol=consumer brokers find the topics of a pattern that is a text, in the notation of RE2; a compiled
        pattern is always matched here.

        >>> class Announcing(RebalanceListener):
        ...     def on_partitions_assigned(self, partitions):
        ...         print("we read", *sorted(map(str, partitions)))
        >>> created = await admin.create_topic("orders", partitions=2)
        >>> async with Consumer(bootstrap_servers=bootstrap, group_id="billing") as consumer:
        ...     consumer.subscribe(["orders"], listener=Announcing())
        ...     nothing = await consumer.getmany(timeout_ms=1000)
        we read orders-0 orders-1
        """
        if pattern is not None:
            if topics:
                raise ClientConfigError("give topics or a pattern, not both")
            self._subscribe_pattern(pattern)
        else:
            self._subscription.subscribe(topics)
        if self._group is not None:
            self._group.set_listener(listener)
        elif listener is not None:
            raise ClientConfigError("a listener needs group.id: without a group all partitions are read")
        self._subscribed()

    def _subscribe_pattern(self, pattern: str | re.Pattern[str]) -> None:
        if (
            isinstance(pattern, str)
            and self._group is not None
            and self.settings.group_protocol == "consumer"
        ):
            self._subscription.subscribe_brokers_pattern(pattern)
            return
        try:
            self._subscription.subscribe_pattern(re.compile(pattern))
        except re.error as error:
            raise ClientConfigError(f"{pattern!r} is no pattern: {error}") from None

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Read exactly these partitions, whatever a group says.

        >>> created = await admin.create_topic("orders")
        >>> async with Consumer(bootstrap_servers=bootstrap) as consumer:
        ...     consumer.assign([TopicPartition("orders", 0)])
        ...     consumer.seek(TopicPartition("orders", 0), 42)
        ...     await consumer.position(TopicPartition("orders", 0))
        42
        """
        self._subscription.assign(partitions)
        self._subscribed()

    async def unsubscribe(self) -> None:
        """Read nothing, and leave the group.

        >>> async with Consumer("orders", bootstrap_servers=bootstrap, group_id="billing") as consumer:
        ...     await consumer.unsubscribe()
        ...     consumer.subscription()
        frozenset()
        """
        group = self._group
        if group is None or not self._is_started or not self._subscription.uses_group:
            self._subscription.clear()
        else:
            await group.withdraw()
            self._subscription.clear()
            group.resume()
        self._subscribed()

    def subscription(self) -> frozenset[str]:
        """The topics that are subscribed to; of a pattern those that it has found."""
        return self._subscription.topics

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are read now."""
        return frozenset(self._reading.assignment)

    def _subscribed(self) -> None:
        if not self._is_started or self._is_stopped:
            return
        if not self._subscription.uses_group:
            self._reading.replace(self._subscription.partitions)
        self._topics.update()

    # -- committed offsets ----------------------------------------------------------------------------------------

    async def commit(self, offsets: Offsets | None = None) -> None:
        """Commit these offsets, each that of the next message, or the positions of all partitions.

        CommitFailedError if the group has given a partition to somebody else meanwhile.

        >>> created = await admin.create_topic("orders")
        >>> partition = TopicPartition("orders", 0)
        >>> async with Consumer(bootstrap_servers=bootstrap, group_id="billing") as consumer:
        ...     consumer.assign([partition])
        ...     await consumer.commit({partition: (42, "up to the pears")})
        ...     (await consumer.committed_offsets([partition]))[partition]
        OffsetAndMetadata(offset=42, metadata='up to the pears', leader_epoch=-1)
        """
        group = self._needed_group()
        await group.offsets.commit(self._to_commit(offsets), self._deadline)

    def commit_async(self, offsets: Offsets | None = None) -> "asyncio.Future[None]":
        """As `commit`, without waiting: the future may be awaited later, or never.

        While one is under way those that follow become one, with the newest offset of each partition, and share its future.

        >>> created = await admin.create_topic("orders")
        >>> async with Consumer(bootstrap_servers=bootstrap, group_id="billing") as consumer:
        ...     consumer.assign([TopicPartition("orders", 0)])
        ...     under_way = consumer.commit_async({TopicPartition("orders", 0): 7})
        ...     await under_way
        ...     await consumer.committed(TopicPartition("orders", 0))
        7
        """
        seconds = self.settings.default_api_timeout_ms / 1000
        return self._needed_group().offsets.commit_later(self._to_commit(offsets), seconds)

    async def committed(self, partition: TopicPartition) -> int | None:
        """The offset that the group has committed; None if there is none."""
        found = await self.committed_offsets([partition])
        return found[partition].offset if partition in found else None

    async def committed_offsets(
        self, partitions: Collection[TopicPartition]
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """What the group has committed of these partitions; those of which it has nothing are left out."""
        offsets = self._needed_group().offsets
        return await offsets.committed(partitions, self._deadline, may_be_missing=True)

    def group_metadata(self) -> GroupMetadata:
        """Who this consumer is in its group, for a producer that commits its offsets in a transaction."""
        return self._needed_group().metadata

    def _to_commit(self, offsets: Offsets | None) -> dict[TopicPartition, OffsetAndMetadata]:
        if offsets is None:
            self._delivery.settle()
            return {
                partition: assigned.committable
                for partition, assigned in self._reading.assignment.items()
                if assigned.has_position
            }
        return {partition: offset_and_metadata(each) for partition, each in offsets.items()}

    # -- inside ---------------------------------------------------------------------------------------------------

    def _task_failed(self, name: str, error: BaseException) -> None:
        if isinstance(error, Exception):
            self._delivery.fail(error)
