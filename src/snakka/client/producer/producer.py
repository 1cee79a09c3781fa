"""The producer as its users have it: what is given to `send` is written once and in order, or its future says why not.

Rule: `send` does no more than put a record into an open batch; whatever takes longer happens when that is not possible.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from snakka.client.cluster_view import TopicView, open_cluster
from snakka.client.errors import (
    ClientClosedError,
    ClientConfigError,
    DeliveryTimeoutError,
    TopicRecreatedError,
    TransactionStateError,
)
from snakka.client.group_metadata import GroupMetadata
from snakka.client.metrics_push import Measurement, MetricsPush, latency
from snakka.client.open_transaction import OpenTransaction
from snakka.client.producer.accumulator import Accumulator
from snakka.client.producer.batches import Batch, Packing, TopicQueues
from snakka.client.producer.receipts import BatchMetadata, RecordMetadata, RowsReceipt
from snakka.client.producer.sender import Sender
from snakka.client.producer.sequences import DeliveryLine
from snakka.client.producer.transactional import Transactions, TransactionScope
from snakka.client.settings import ProducerSettings, resolve
from snakka.client.tasks import Tasks
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.key_hash import partition_for_key
from snakka.protocol.record_batch import Bytes
from snakka.protocol.record_encoder import PairedHeaders
from snakka.protocol.uuids import uuid_text

if TYPE_CHECKING:
    import pyarrow

    from snakka.client.consumer.messages import OffsetAndMetadata
    from snakka.client.keywords import ProducerKeywords

# Rows come in great numbers, so their batches are larger than batch.size as it is unless somebody sets it.
_ROWS_BATCH_BYTES = 128 * 1024
# Above this a table is sorted by partitions in a thread.
_ARRANGED_AT_ONCE_BYTES = 1024 * 1024


class Producer:
    """Sends records to topics of one cluster.

    >>> async with Producer(bootstrap_servers=bootstrap) as producer:
    ...     written = await producer.send_and_wait("orders", b"three apples", key=b"alice")
    ...     written.topic, written.partition, written.offset
    ('orders', 0, 0)
    """

    def __init__(
        self, settings: Mapping[str, object] | None = None, /, **keywords: "Unpack[ProducerKeywords]"
    ) -> None:
        """Settings by Kafka's names in a mapping, or as keywords: `linger_ms=20` is `linger.ms`.

        >>> producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 20, "compression.type": "zstd"})
        """
        self._settings = resolve(ProducerSettings, keywords, settings)
        self._tasks = Tasks(self._task_failed)
        self._cluster = open_cluster(self._settings, self._tasks)
        self._clock = self._cluster.clock
        self._now_ms = self._clock.now_ms
        self._topics: dict[str, TopicQueues] = {}
        self._transactions: Transactions | None = None
        self._is_running = False
        self._obstacle: Exception | None = ClientClosedError("the producer was not started: await start()")
        self._has_own_rules = (
            self._settings.partitioner is not None
            or self._settings.partitioner_ignore_keys
            or self._settings.key_serializer is not None
            or self._settings.value_serializer is not None
        )

    # -- life -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Reach the cluster; NoBrokerError at once if nobody answers.

        With a transactional.id all producers before this one that had the same are fenced, and what they left is ended.
        """
        self._loop = asyncio.get_running_loop()
        self._new_future: Callable[[], asyncio.Future[RecordMetadata]] = partial(
            asyncio.Future, loop=self._loop
        )
        settings = self._settings
        deadline = self._clock.monotonic() + settings.default_api_timeout_ms / 1000
        self._accumulator = Accumulator(settings, self._clock, self._cluster.pool.chance, self._new_line)
        self._topics = self._accumulator.topics
        if settings.transactional_id is not None:
            self._transactions = Transactions(settings, self._cluster, self._accumulator)
        self._sender = Sender(
            settings, self._cluster, self._accumulator, _packing(settings), self._transactions, self._failed
        )
        self._accumulator.connect(self._sender.offer, self._sender.outcomes.watch_expiry, self._check_taking)
        self._accumulator.avoided_leaders = self._sender.avoided_leaders
        try:
            await self._cluster.connect(deadline)
            self._cluster.watch(self._cluster_changed)
            self._cluster.start()
            self._sender.start()
            if self._transactions is not None:
                await self._transactions.start(self._sender, deadline)
        except BaseException:
            self._sender.close()
            await self._close()
            raise
        self._metrics = MetricsPush(self._cluster, "producer", self._measured, labels=_labels(settings))
        self._metrics.start()
        self._is_running = True
        self._obstacle = None

    async def stop(self, deadline_seconds: float | None = None) -> None:
        """Send what is left and wait for it, until the deadline if there is one; then close."""
        if not self._is_running:
            return
        self._is_running = False
        self._obstacle = ClientClosedError("the producer is stopped")
        began = self._clock.monotonic()
        try:
            if self._transactions is not None:
                await self._transactions.leave(deadline_seconds)
            if deadline_seconds is not None:
                deadline_seconds = max(deadline_seconds - (self._clock.monotonic() - began), 0.0)
            await self._flushed(deadline_seconds)
        except DeliveryTimeoutError:
            pass  # each future says so
        finally:
            self._accumulator.stop()
            self._sender.close()
            await self._metrics.close()
            await self._close()

    async def _close(self) -> None:
        await self._cluster.close()
        await self._tasks.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    # -- sending --------------------------------------------------------------------------------------------------

    async def send(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        headers: PairedHeaders | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> "asyncio.Future[RecordMetadata]":
        """Add a record to its partition's batch; the future gets its place when it is written.

        It waits only if the topic is not known yet or buffer.memory is full, for max.block.ms at most (BufferFullError).

        >>> async with Producer(bootstrap_servers=bootstrap) as producer:
        ...     futures = [await producer.send("numbers", b"%d" % number) for number in range(1000)]
        ...     await producer.flush()
        ...     futures[-1].result().offset
        999
        """
        queues = self._topics.get(topic)
        if queues is None or self._obstacle is not None:
            queues = await self._known_topic(topic)
        if self._transactions is not None:
            self._check_taking()
        if timestamp_ms is None:
            timestamp_ms = self._now_ms()
        elif timestamp_ms < 0:
            raise ValueError(f"a timestamp is not negative, and this is {timestamp_ms}")
        if headers is None:
            headers = ()
        if self._has_own_rules or partition is not None:
            partition, key, value = self._by_rules(queues, partition, key, value)
        elif key is not None:
            partition = partition_for_key(key, len(queues.partitions))
        is_sticky = partition is None
        queue = queues.sticky_queue if partition is None else queues.partitions[partition]
        batch = queue.open
        # The encoder takes no record that does not fit, unless it is the first.
        if batch is None or not batch.encoder.append(timestamp_ms, key, value, headers):
            deadline = self._clock.monotonic() + self._settings.max_block_ms / 1000
            return await self._accumulator.append(
                queue, is_sticky, timestamp_ms, key, value, headers, deadline
            )
        future = self._new_future()
        batch.futures.append(future)
        batch.timestamps.append(timestamp_ms)
        return future

    async def send_and_wait(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        headers: PairedHeaders | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> RecordMetadata:
        """Send a record and wait until it is written."""
        return await (await self.send(topic, value, key, headers, partition, timestamp_ms))

    async def send_arrow(
        self,
        topic: str,
        table: "pyarrow.Table | pyarrow.RecordBatch",
        *,
        value: str = "value",
        key: str | None = None,
        headers: str | None = None,
        timestamp: str | None = None,
        partition: int | str | None = None,
    ) -> "asyncio.Future[list[BatchMetadata]]":
        """Send the rows of a table; the future tells where they are when all of them are written.

        `value`, `key`, `headers` and `timestamp` name columns: bytes or text, headers lists of a name and a value, times as
        such or in milliseconds. `partition` is one for all rows, or names a column; without it, or where that is null, the
        keys decide. It waits as `send` does. If it raises, rows may have been sent all the same.

        >>> import pyarrow
        >>> table = pyarrow.table({"who": ["alice", "bob"], "what": ["three apples", "a pear"]})
        >>> async with Producer(bootstrap_servers=bootstrap) as producer:
        ...     written = await producer.send_arrow("orders", table, key="who", value="what")
        ...     [batch.record_count for batch in await written]
        [2]
        """
        from snakka.client.producer.arrow_rows import NO_PARTITION, Columns, rows_by_partition

        settings = self._settings
        if settings.partitioner is not None and partition is None:
            raise ClientConfigError("a partitioner of one's own is not asked for rows: say `partition`")
        queues = await self._known_topic(topic)
        columns = Columns(value, key, headers, timestamp)
        count = len(queues.partitions)
        arguments = (table, columns, partition, count, settings.partitioner_ignore_keys)
        if table.nbytes > _ARRANGED_AT_ONCE_BYTES:
            rows = await self._loop.run_in_executor(None, rows_by_partition, *arguments)
        else:
            rows = rows_by_partition(*arguments)
        for group in rows:
            if not NO_PARTITION <= group.partition < count or (isinstance(partition, int) and partition < 0):
                raise _no_such_partition(queues, group.partition)
        receipt = RowsReceipt(self._loop.create_future())
        limit = min(max(settings.batch_size, _ROWS_BATCH_BYTES), settings.max_request_size)
        try:
            for group in rows:
                index = None if group.partition == NO_PARTITION else group.partition
                for encoded in group.encoded(columns, self._now_ms(), limit):
                    deadline = self._clock.monotonic() + settings.max_block_ms / 1000
                    await self._accumulator.add_rows(queues, index, encoded, receipt, deadline)
        except BaseException as error:
            receipt.failed(error if isinstance(error, Exception) else ClientClosedError("it was cancelled"))
            receipt.future.exception()
            raise
        receipt.close()
        return receipt.future

    async def flush(self, deadline_seconds: float | None = None) -> None:
        """Send everything now, and wait until it is settled; DeliveryTimeoutError if that takes longer."""
        self._check_open()
        await self._flushed(deadline_seconds)

    # -- transactions ---------------------------------------------------------------------------------------------

    def transaction(self) -> TransactionScope:
        """A transaction around a block: committed at its end, aborted if something is raised in it.

        TransactionAbortedError says that nothing of it counts, and that it may be tried again as a whole.

        >>> async with Producer(bootstrap_servers=bootstrap, transactional_id="shop-1") as producer:
        ...     async with producer.transaction():
        ...         future = await producer.send("orders", b"three apples")
        ...         await producer.send_offsets_to_transaction({TopicPartition("orders", 0): 17}, "shop")
        ...     future.result().offset
        0
        """
        return TransactionScope(self._transactional())

    async def begin_transaction(self) -> None:
        """Begin one; the one before must have been ended."""
        self._transactional().state.begin()

    async def commit_transaction(self) -> None:
        """All that was sent since the beginning counts.

        TransactionAbortedError: nothing does, abort and try again. RequestTimedOutError: not known yet, commit again.
        """
        await self._transactional().commit()

    async def abort_transaction(self) -> None:
        """Nothing that was sent since the beginning counts."""
        await self._transactional().abort()

    async def detach_transaction(self) -> OpenTransaction:
        """Wait until all that was sent is written, and stop without ending the transaction.

        It stays open until somebody ends it with `Admin.end_transactions`, transaction.timeout.ms have passed, or another
        producer begins with the same transactional.id.
        """
        transaction = await self._transactional().detach()
        await self.stop()
        return transaction

    async def send_offsets_to_transaction(
        self,
        offsets: Mapping[TopicPartition, "int | tuple[int, str] | OffsetAndMetadata"],
        group: GroupMetadata | str,
    ) -> None:
        """Let a group go on at these offsets if the transaction is committed.

        `group` is a consumer's `group_metadata()`, or only the group's id; then nobody checks whether the consumer still has
        the partitions.
        """
        await self._transactional().send_offsets(offsets, group)

    def _transactional(self) -> Transactions:
        self._check_open()
        if self._transactions is None:
            raise TransactionStateError("transactions need a name that stays: set transactional.id")
        return self._transactions

    # -- topics ---------------------------------------------------------------------------------------------------

    async def partitions_for(self, topic: str) -> set[int]:
        """The partitions of a topic."""
        queues = await self._known_topic(topic)
        return set(range(len(queues.partitions)))

    # -- behind it ------------------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._obstacle is not None:
            raise self._obstacle

    def _check_taking(self) -> None:
        """Raises if no records are taken: by the producer, or outside of a transaction."""
        self._check_open()
        if self._transactions is not None:
            self._transactions.state.check_open("send")

    def _failed(self, error: Exception) -> None:
        """Nothing can be sent any more."""
        self._obstacle = error

    def _task_failed(self, name: str, error: BaseException) -> None:
        if isinstance(error, Exception):
            self._sender.fail(error)

    async def _known_topic(self, name: str) -> TopicQueues:
        """The queues of a topic, which is asked for if it is not known; brokers may create it."""
        self._check_open()
        queues = self._topics.get(name)
        if queues is None:
            deadline = self._clock.monotonic() + self._settings.max_block_ms / 1000
            view = await self._cluster.topic(name, deadline, create_missing=True)
            self._check_open()
            queues = self._topics.get(name)
            if queues is None:
                queues = self._accumulator.queues_for(view)
                self._cluster.track((name,))
        return queues

    def _by_rules(
        self, queues: TopicQueues, partition: int | None, key: Any, value: Any
    ) -> tuple[int | None, Bytes | None, Bytes | None]:
        """Where a record goes for which a partition is named, or settings say how to make bytes or to choose.

        The partition is None if it may be any.
        """
        settings = self._settings
        if settings.key_serializer is not None:
            key = settings.key_serializer(key)
        if settings.value_serializer is not None:
            value = settings.value_serializer(value)
        count = len(queues.partitions)
        if partition is None and settings.partitioner is not None:
            partition = settings.partitioner(queues.name, key, value, count)
        if partition is None:
            if key is None or settings.partitioner_ignore_keys:
                return None, key, value
            partition = partition_for_key(key, count)
        if not 0 <= partition < count:
            raise _no_such_partition(queues, partition)
        return partition, key, value

    async def _flushed(self, deadline_seconds: float | None) -> None:
        self._accumulator.close_all()
        left = await self._accumulator.settled(deadline_seconds)
        if left:
            raise DeliveryTimeoutError(
                f"{left} records were not acknowledged within {deadline_seconds:g} s; they are still being sent"
            )

    def _new_line(self) -> DeliveryLine[Batch]:
        settings = self._settings
        return DeliveryLine(
            is_numbered=settings.enable_idempotence,
            may_bump=settings.transactional_id is None,
            most_in_flight=settings.max_in_flight_requests_per_connection,
        )

    def _measured(self) -> Iterator[Measurement]:
        """What brokers may want to know of this producer (KIP-714)."""
        outcomes, memory = self._sender.outcomes, self._accumulator.memory
        yield Measurement("record.send.total", outcomes.records_written)
        yield Measurement("record.error.total", outcomes.records_failed)
        yield Measurement("record.retry.total", outcomes.records_retried)
        yield Measurement("requests.in.flight", self._cluster.pool.in_flight)
        yield Measurement("buffer.total.bytes", memory.total_bytes)
        yield Measurement("buffer.available.bytes", memory.free_bytes)
        yield from latency("record.queue.time", self._sender.queue_times.take())
        yield from latency("produce.throttle.time", self._sender.throttle_times.take())

    def _cluster_changed(self) -> None:
        """There is news of the cluster: other leaders, more partitions, topics that are gone or were made anew."""
        idle_since = self._clock.monotonic() - self._settings.metadata_max_idle_ms / 1000
        for topic in self._accumulator.all_topics():
            view = self._cluster.known_topic(topic.name)
            if view is None:
                self._accumulator.set_aside(topic)
            elif view.topic_id != topic.view.topic_id:
                self._replaced(topic, view)
            else:
                self._accumulator.update(topic, view)
                if topic.last_used < idle_since and topic.is_idle and self._topics.get(topic.name) is topic:
                    self._accumulator.set_aside(topic)
                    self._cluster.untrack((topic.name,))
        self._sender.relist()

    def _replaced(self, topic: TopicQueues, view: TopicView) -> None:
        """What was meant for the topic that is gone must not end up in another one."""
        if self._topics.get(topic.name) is topic:
            self._cluster.untrack((topic.name,))
        self._accumulator.end(topic)
        self._sender.outcomes.fail_topic(
            topic,
            TopicRecreatedError(
                f"topic {topic.name} was deleted and made anew (its id was {uuid_text(topic.view.topic_id)} and is"
                f" {uuid_text(view.topic_id)} now): send the record again if it belongs into the new one"
            ),
        )


def _labels(settings: ProducerSettings) -> dict[str, str]:
    return {} if settings.transactional_id is None else {"transactional_id": settings.transactional_id}


def _no_such_partition(queues: TopicQueues, partition: int) -> ApiError:
    last = len(queues.partitions) - 1
    return ApiError(
        ErrorCode.INVALID_PARTITIONS, f"topic {queues.name} has no partition {partition}, only 0 to {last}"
    )


def _packing(settings: ProducerSettings) -> Packing:
    compression = Compression[settings.compression_type.upper()]
    levels = {
        Compression.GZIP: settings.compression_gzip_level,
        Compression.LZ4: settings.compression_lz4_level,
        Compression.ZSTD: settings.compression_zstd_level,
    }
    return Packing(compression, levels.get(compression), settings.transactional_id is not None)
