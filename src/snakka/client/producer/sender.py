"""The one place that sends batches: to each partition's leader, a few requests at a time.

Rule: it runs when something has happened (a batch is ready, an answer or news of the cluster has come, a pause is over) and
never looks around in between. The order of a partition's batches is decided by its line (`sequences`), not here.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from snakka.client.broker_pool import BrokerNode, client_error
from snakka.client.cluster_view import ClusterView, LeaderHint
from snakka.client.errors import AuthenticationError, BrokerUnreachableError, ClientClosedError, ClientError
from snakka.client.producer.accumulator import Accumulator
from snakka.client.producer.batches import Batch, Packing, PartitionQueue
from snakka.client.producer.outcomes import Outcomes
from snakka.client.producer.producer_ids import ProducerIds
from snakka.client.producer.receipts import UNKNOWN_OFFSET
from snakka.client.producer.transactional import Transactions
from snakka.client.settings import ProducerSettings
from snakka.network.answer_times import AnswerTimes
from snakka.network.peer_connection import PeerConnection, PeerTimeoutError
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from snakka.protocol.record_batch import NO_TIMESTAMP

NO_ACKS = 0
_IDS_FROM_VERSION = 13
_REQUEST_OVERHEAD_BYTES = 512
# Brokers forget silent producers, after a day unless producer.id.expiration.ms says something else.
_FORGOTTEN_AFTER_SECONDS = 600.0


def _unchanged(error: Exception) -> Exception:
    return error


def _nothing() -> Exception | None:
    return None


_Key = tuple[str | bytes, int]


class _Sent(NamedTuple):
    """One request on its way: its batches by topic (name or id, as the version has it) and partition."""

    connection: PeerConnection
    batches: dict[_Key, Batch]


class Sender:
    """Sends what is ready. Everything here runs on the event loop, in short steps."""

    def __init__(
        self,
        settings: ProducerSettings,
        cluster: ClusterView,
        accumulator: Accumulator,
        packing: Packing,
        transactions: Transactions | None,
        on_failure: Callable[[Exception], None],
    ) -> None:
        self.outcomes = Outcomes(
            settings,
            cluster,
            accumulator,
            self.offer,
            _unchanged if transactions is None else transactions.failed,
            _nothing if transactions is None else transactions.refusal,
        )
        self._transactions = transactions
        self._on_failure = on_failure
        self._settings = settings
        self._cluster = cluster
        self._accumulator = accumulator
        self._packing = packing
        self._loop = asyncio.get_running_loop()
        self._acks = settings.required_acks
        self._most_in_flight = settings.max_in_flight_requests_per_connection
        self._request_seconds = settings.request_seconds
        self._ready: dict[int, dict[PartitionQueue, None]] = {}  # by leader, in the order of their turns
        self._held: dict[PartitionQueue, None] = {}  # without a leader, or without a producer id
        self._in_flight: dict[PeerConnection, int] = {}
        self._dialling: set[int] = set()
        self._blocked: dict[int, float] = {}  # leaders that can't be sent to, and since when
        self._availability_seconds = settings.partitioner_availability_timeout_ms / 1000
        self._is_due = False
        self._is_closed = False
        self._ids = ProducerIds(cluster, self.relist, self.fail)
        self.queue_times = AnswerTimes()  # from a batch's first record until it is sent
        self.throttle_times = AnswerTimes()  # that brokers have asked for

    def start(self) -> None:
        if self._settings.enable_idempotence and self._transactions is None:
            self._ids.ask()

    def fail(self, error: Exception) -> None:
        """Nothing can be sent any more."""
        self._on_failure(error)
        self.outcomes.fail_everything(error)

    def close(self) -> None:
        """Give up what is not settled; answers that still come are ignored."""
        self._is_closed = True
        self.outcomes.fail_everything(
            ClientClosedError("the producer was stopped before this was acknowledged")
        )
        self.outcomes.stop()

    # -- what is ready --------------------------------------------------------------------------------------------

    def offer(self, queue: PartitionQueue) -> None:
        """A queue may have something to send."""
        if queue.listed_for is not None or queue.is_resting or not queue.has_work:
            return
        leader_id = queue.leader_id
        if leader_id < 0:
            self._held[queue] = None
            self._cluster.refresh_soon()
            return
        queue.listed_for = leader_id
        self._ready.setdefault(leader_id, {})[queue] = None
        self.wake()

    def relist(self) -> None:
        """Leaders or identities are others now: look again at everything that waits."""
        queues = [queue for listed in self._ready.values() for queue in listed]
        queues += self._held
        self._ready.clear()
        self._held.clear()
        for queue in queues:
            queue.listed_for = None
            self.offer(queue)

    def wake(self) -> None:
        """Run soon."""
        if not self._is_due and not self._is_closed:
            self._is_due = True
            self._loop.call_soon(self._run)

    def _run(self) -> None:
        self._is_due = False
        if self._is_closed:
            return
        for leader_id in [*self._ready]:
            self._serve(leader_id)

    def _serve(self, leader_id: int) -> None:
        """Send to one broker as much as may be on its way to it."""
        listed = self._ready.get(leader_id, {})
        connection = self._cluster.pool.open_connection(leader_id)
        if connection is None:
            if listed:
                self._dial(leader_id)
                if self._availability_seconds:
                    self._blocked.setdefault(leader_id, self._cluster.clock.monotonic())
            return
        while listed and self._in_flight.get(connection, 0) < self._most_in_flight:
            self._accumulator.close_for(leader_id)
            batches = self._gather(connection, listed)
            if batches:
                self._blocked.pop(leader_id, None)
                self._send(connection, batches)
        if not listed:
            self._ready.pop(leader_id, None)
            self._blocked.pop(leader_id, None)
        elif self._availability_seconds:
            self._blocked.setdefault(leader_id, self._cluster.clock.monotonic())

    def avoided_leaders(self) -> Sequence[int]:
        """Those that take nothing for longer than partitioner.availability.timeout.ms."""
        if not self._blocked:
            return ()
        since = self._cluster.clock.monotonic() - self._availability_seconds
        return [leader_id for leader_id, blocked in self._blocked.items() if blocked < since]

    def _gather(self, connection: PeerConnection, listed: dict[PartitionQueue, None]) -> Sequence[Batch]:
        """One batch of each queue, as many as fit a request; queues that have no more are taken off the list."""
        room = self._settings.max_request_size - _REQUEST_OVERHEAD_BYTES
        now = self._cluster.clock.monotonic()
        batches: list[Batch] = []
        for queue in [*listed]:
            batch = self._next(queue, connection)
            if batch is not None:
                assert batch.bytes is not None
                if batches and len(batch.bytes) > room:
                    break  # it is the first of the next request
                room -= len(batch.bytes)
                queue.line.sent(batch)
                queue.connection = connection
                if not batch.attempts:
                    self.queue_times.note(now - batch.created)
                batch.attempts += 1
                batches.append(batch)
            del listed[queue]
            queue.listed_for = None
            if batch is not None:
                self.offer(queue)  # behind the others
        return batches

    def _next(self, queue: PartitionQueue, connection: PeerConnection) -> Batch | None:
        """The batch that is this queue's next, with its bytes; None if it has none that may be sent now."""
        line = queue.line
        if line.in_flight and queue.connection is not connection:
            return None
        if queue.not_before and not self._is_rested(queue):
            return None
        if self._transactions is not None and not self._transactions.admits(queue):
            self._held[queue] = None
            return None
        if line.needs_identity and not self._identified(queue):
            return None
        batch = line.next_again()
        if batch is None:
            if not queue.waiting or not line.may_take:
                return None
            batch = queue.waiting[0]
            if batch.is_packing or batch.is_slow_to_pack(self._packing):
                self._pack_aside(batch)
                return None
            if not line.unsettled:
                now = self._cluster.clock.monotonic()
                if now - queue.last_sent > _FORGOTTEN_AFTER_SECONDS:
                    line.assume_forgotten()
                queue.last_sent = now
            queue.waiting.popleft()
            line.take(batch)
        batch.numbered_bytes(self._packing)
        return batch

    def _is_rested(self, queue: PartitionQueue) -> bool:
        """Whether the pause after a failure is over; if not, the queue comes back when it is."""
        seconds = queue.not_before - self._cluster.clock.monotonic()
        if seconds <= 0:
            queue.not_before = 0.0
            return True
        queue.is_resting = True
        self._loop.call_later(seconds, self._rested, queue)
        return False

    def _rested(self, queue: PartitionQueue) -> None:
        queue.is_resting = False
        queue.not_before = 0.0
        self.offer(queue)

    def _identified(self, queue: PartitionQueue) -> bool:
        """Give the line a producer id, or wait for one; `relist` comes when there is one."""
        line, identity = queue.line, self._ids.current
        if identity is not None and (
            line.used_up is None or identity.producer_id != line.used_up.producer_id
        ):
            line.identify(identity)
            return True
        self._held[queue] = None
        self._ids.renew(line.used_up)
        return False

    def _pack_aside(self, batch: Batch) -> None:
        """Compress a large batch in a thread; its queue waits so long, others do not."""
        if batch.is_packing:
            return
        batch.is_packing = True
        packed = self._loop.run_in_executor(None, batch.packed, self._packing)
        packed.add_done_callback(partial(self._packed, batch))

    def _packed(self, batch: Batch, packed: "asyncio.Future[bytearray]") -> None:
        batch.is_packing = False
        if packed.cancelled():
            return
        error = packed.exception()
        if error is None:
            batch.bytes = packed.result()
            self.offer(batch.queue)
        else:
            self.outcomes.drop(batch, ClientError(f"a batch could not be compressed: {error}"))

    # -- requests -------------------------------------------------------------------------------------------------

    def _send(self, connection: PeerConnection, batches: Sequence[Batch]) -> None:
        sent, request = self._request(connection, batches)
        self._in_flight[connection] = self._in_flight.get(connection, 0) + 1
        if self._acks == NO_ACKS:
            self._cluster.pool.tasks.spawn("send", self._told(sent, request, batches[0].queue.leader_id))
            return
        try:
            version = self._version(connection)
            answer = connection.start(request, timeout_seconds=self._request_seconds, version=version)
        except (OSError, ApiError) as error:
            self._landed(connection)
            self._lose(sent, client_error(error) if isinstance(error, OSError) else error)
        else:
            answer.add_done_callback(partial(self._answered, sent))

    async def _told(self, sent: _Sent, request: ProduceRequest, leader_id: int) -> None:
        """Send what is not answered: once the network has it, it counts as written."""
        deadline = self._cluster.clock.monotonic() + self._request_seconds
        try:
            await self._cluster.pool.tell(leader_id, request, deadline)
        except (ClientError, ApiError) as error:
            self._lose(sent, error)
        else:
            for batch in sent.batches.values():
                self.outcomes.written(batch, UNKNOWN_OFFSET, NO_TIMESTAMP)
        finally:
            self._landed(sent.connection)
            self.wake()

    def _landed(self, connection: PeerConnection) -> None:
        count = self._in_flight.get(connection, 0) - 1
        if count > 0:
            self._in_flight[connection] = count
        else:
            self._in_flight.pop(connection, None)

    def _request(self, connection: PeerConnection, batches: Sequence[Batch]) -> tuple[_Sent, ProduceRequest]:
        by_id = self._version(connection) >= _IDS_FROM_VERSION
        rows: dict[str, TopicProduceData] = {}
        lookup: dict[_Key, Batch] = {}
        for batch in batches:
            queue = batch.queue
            topic = queue.topic
            row = rows.get(topic.name)
            if row is None:
                row = rows[topic.name] = TopicProduceData(name=topic.name, topic_id=topic.view.topic_id)
            row.partition_data.append(PartitionProduceData(index=queue.index, records=batch.bytes))
            lookup[topic.view.topic_id if by_id else topic.name, queue.index] = batch
        request = ProduceRequest(
            transactional_id=self._settings.transactional_id,
            acks=self._acks,
            timeout_ms=self._settings.request_timeout_ms,
            topic_data=[*rows.values()],
        )
        return _Sent(connection, lookup), request

    def _version(self, connection: PeerConnection) -> int:
        highest = connection.highest_version(ApiKey.PRODUCE)
        limit = None if self._transactions is None else self._transactions.highest_produce_version
        return highest if limit is None else min(highest, limit)

    def _answered(self, sent: _Sent, answer: "asyncio.Future[ProduceResponse]") -> None:
        self._landed(sent.connection)
        if self._is_closed or answer.cancelled():
            return
        error = answer.exception()
        if error is None:
            self._take(sent, answer.result())
        else:
            assert isinstance(error, Exception)
            if isinstance(error, PeerTimeoutError):
                sent.connection.close()  # what is stuck there would delay what is sent next
            self._lose(sent, client_error(error))
        self.wake()

    def _take(self, sent: _Sent, response: ProduceResponse) -> None:
        """The answers for all batches of a request; one that the broker left out is lost."""
        self.throttle_times.note(response.throttle_time_ms / 1000)
        nodes = [BrokerNode(row.node_id, row.host, row.port, row.rack) for row in response.node_endpoints]
        for topic in response.responses:
            for row in topic.partition_responses:
                batch = sent.batches.pop((topic.topic_id, row.index), None) or sent.batches.pop(
                    (topic.name, row.index), None
                )
                if batch is not None:
                    hinted = row.error_code != 0 and self._is_hinted(batch, row, nodes)
                    self.outcomes.answered(batch, row, hinted)
        if sent.batches:
            self._lose(sent, BrokerUnreachableError("the broker's answer leaves it out"))

    def _is_hinted(self, batch: Batch, row: PartitionProduceResponse, nodes: Sequence[BrokerNode]) -> bool:
        """Whether the broker has told who leads now, and it was news (KIP-951)."""
        leader = row.current_leader
        if leader.leader_id < 0:
            return False
        topic = batch.queue.topic
        hint = LeaderHint(topic.name, topic.view.topic_id, row.index, leader.leader_id, leader.leader_epoch)
        return self._cluster.apply_hint(hint, nodes)

    def _lose(self, sent: _Sent, error: Exception) -> None:
        """No answer came: the connection was lost, or the broker was too slow."""
        self._cluster.refresh_soon()
        for batch in sent.batches.values():
            self.outcomes.lost(batch, error)

    # -- connections ----------------------------------------------------------------------------------------------

    def _dial(self, leader_id: int) -> None:
        if leader_id not in self._dialling:
            self._dialling.add(leader_id)
            self._cluster.pool.tasks.spawn(f"connection to broker {leader_id}", self._dialled(leader_id))

    async def _dialled(self, leader_id: int) -> None:
        """Until there is a connection or nobody needs it; the pool pauses between attempts."""
        try:
            while self._ready.get(leader_id) and not self._is_closed:
                deadline = self._cluster.clock.monotonic() + self._request_seconds
                try:
                    await self._cluster.pool.connection(leader_id, deadline)
                    return
                except ClientError as error:
                    self._undialled(leader_id, error)
        finally:
            self._dialling.discard(leader_id)
            self.wake()

    def _undialled(self, leader_id: int, error: ClientError) -> None:
        """No connection: perhaps somebody else leads by now, and each batch should be able to say why it waits."""
        self._cluster.refresh_soon()
        listed = self._ready.get(leader_id, {})
        for queue in [*listed]:
            for batch in [*queue.line.unsettled, *queue.waiting]:
                batch.failure = error
                if isinstance(error, AuthenticationError):
                    self.outcomes.drop(batch, error)
            if not queue.has_work:  # all of it has failed meanwhile
                del listed[queue]
                queue.listed_for = None
