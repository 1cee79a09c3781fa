"""Fetches: one request at a time at each broker, and the next one on its way before anything of the last is decoded.

Rule: nothing is asked for beyond the memory that `Delivery` allows, and an answer counts only for the partitions whose
position is still the one that was asked for.
"""

import asyncio
import logging
from collections.abc import Mapping

from snakka.client.broker_pool import BrokerNode, Purpose
from snakka.client.cluster_view import ClusterView, LeaderHint
from snakka.client.consumer.delivery import Delivery
from snakka.client.consumer.fetch_session import LAST_EPOCH, NO_SESSION, FetchSession, Wanted
from snakka.client.consumer.fetched_parts import Answer, FetchedPart, end_of_batches
from snakka.client.consumer.missing_metadata import MissingMetadata
from snakka.client.consumer.position_finder import PositionFinder
from snakka.client.consumer.positions import UNKNOWN, AssignedPartition, Phase
from snakka.client.errors import ClientError, RecordTooLargeError, TopicRecreatedError, UnreadableAnswerError
from snakka.client.retry_policy import STALE_METADATA, is_retriable
from snakka.client.settings import ConsumerSettings
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches
from snakka.protocol.messages.fetch import FetchRequest, FetchResponse, PartitionData

_log = logging.getLogger(__name__)
READ_COMMITTED = 1
# A broker that has failed so often in a row may be worth a look; what passes by itself is not.
_WORTH_A_WARNING = 3
# How long a consumer that stops waits for brokers to hear that they may forget what they remember for it.
FAREWELL_SECONDS = 1.0
# What passes by itself, or with what is known of the cluster: nobody needs to hear of it.
_PASSING = STALE_METADATA | {
    ErrorCode.OFFSET_NOT_AVAILABLE,
    ErrorCode.UNKNOWN_LEADER_EPOCH,
    ErrorCode.UNKNOWN_SERVER_ERROR,
}
# The broker and we do not agree on the session: it begins anew at once.
_SESSION_ERRORS = frozenset(
    {
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    }
)


class Fetcher:
    """Keeps a request under way at every broker that has something for us."""

    def __init__(
        self,
        cluster: ClusterView,
        settings: ConsumerSettings,
        assignment: Mapping[TopicPartition, AssignedPartition],
        delivery: Delivery,
        finder: PositionFinder,
    ) -> None:
        self._cluster = cluster
        self._settings = settings
        self._assignment = assignment
        self._delivery = delivery
        self._finder = finder
        self._wakes: dict[int, asyncio.Event] = {}  # of the brokers that are fetched from
        self._sessions: dict[int, FetchSession] = {}  # at these brokers
        self._reserved: dict[int, int] = {}  # what the fetches that are under way may bring, by broker
        self._is_closed = False
        self._must_look = False
        self._missing = MissingMetadata(cluster)
        self._isolation_level = READ_COMMITTED if settings.isolation_level == "read_committed" else 0

    # -- what to fetch, and from whom -----------------------------------------------------------------------------

    def look(self) -> None:
        """The assignment, positions or the cluster have changed: find out who is to be asked for each partition."""
        self._must_look = False
        now = self._cluster.clock.monotonic()
        is_missing = False
        for partition, assigned in self._assignment.items():
            assigned.source = self._source(partition, assigned, now)
            is_missing = is_missing or assigned.source < 0
            if assigned.source >= 0 and assigned.source not in self._wakes:
                self._wakes[assigned.source] = wake = asyncio.Event()
                self._cluster.pool.tasks.spawn(
                    f"fetch from broker {assigned.source}", self._fetch_from(assigned.source, wake)
                )
        self._missing.look(is_missing)
        self._wake()

    def close(self) -> None:
        """Fetch no more; what is on its way comes to nothing."""
        self._is_closed = True
        self._missing.close()

    async def end_sessions(self) -> None:
        """Let the brokers that can be told quickly forget what they remember for us; others forget it by and by."""
        await asyncio.gather(
            *(
                self._end_session(node_id, session.session_id)
                for node_id, session in self._sessions.items()
                if session.session_id != NO_SESSION
            )
        )

    async def _end_session(self, node_id: int, session_id: int) -> None:
        """Not on the connection of fetches: the last one may wait there for records for a while."""
        pool = self._cluster.pool
        if pool.open_connection(node_id, Purpose.FETCH) is None:
            return
        request = FetchRequest(max_wait_ms=0, min_bytes=0, session_id=session_id, session_epoch=LAST_EPOCH)
        try:
            await pool.ask(
                node_id, request, FetchResponse, self._cluster.clock.monotonic() + FAREWELL_SECONDS
            )
        except (ClientError, ApiError) as error:
            _log.debug("broker %d keeps its fetch session for a while: %s", node_id, error)

    def poke(self) -> None:
        """There may be room for more, or a partition may go on."""
        if self._must_look:
            self.look()  # what must wait for the application still is looked at again with the next poke
        else:
            self._wake()

    def _wake(self) -> None:
        for wake in self._wakes.values():
            wake.set()

    def _source(self, partition: TopicPartition, assigned: AssignedPartition, now: float) -> int:
        """Whom to ask: the leader, or a replica nearby that it has named (KIP-392); -1 while that is not known."""
        topic = self._cluster.known_topic(partition.topic)
        view = self._cluster.partition(*partition)
        if topic is None or view is None or view.leader_id not in self._cluster.brokers:
            self._check_existence(partition, assigned)
            return UNKNOWN
        assigned.is_missing = False
        if not assigned.bind(topic.topic_id, view.leader_epoch):
            if assigned.buffered_parts:
                assigned.waits_for_application = True
                self._must_look = True
            else:
                self._recreated(assigned, topic.topic_id)
            return UNKNOWN
        if assigned.read_replica in self._cluster.brokers and now < assigned.read_replica_until:
            return assigned.read_replica
        return view.leader_id

    def _check_existence(self, partition: TopicPartition, assigned: AssignedPartition) -> None:
        """Let the application hear of what will not come by itself; a topic or partition may still be made."""
        error = self._cluster.error_of(partition.topic)
        if error is not None and not is_retriable(error):
            self._delivery.fail(error, assigned)
        elif not assigned.is_missing:
            assigned.is_missing = True
            _log.info("%s does not exist, or has no leader; it is waited for", partition)

    def _recreated(self, assigned: AssignedPartition, topic_id: bytes) -> None:
        self._delivery.settle()
        assigned.recreated(topic_id)
        if self._settings.auto_offset_reset == "none":
            name = assigned.partition.topic
            error = TopicRecreatedError(
                f"topic {name} was deleted and made anew, and auto.offset.reset=none: seek to where to begin in it"
            )
            self._delivery.fail(error, assigned)

    def _wanted(self, node_id: int) -> tuple[dict[TopicPartition, Wanted], float | None]:
        """What to ask this broker for, and when to look again at what must wait."""
        now = self._cluster.clock.monotonic()
        later: float | None = None
        wanted: dict[TopicPartition, Wanted] = {}
        for partition, each in self._assignment.items():
            if (
                each.source != node_id
                or each.phase is not Phase.READY
                or each.is_paused
                or each.is_revoking
                or each.has_failed
                or each.waits_for_application
                or each.fetch_offset >= each.stop_offset
                or not self._delivery.has_room_for(each)
            ):
                continue
            if each.not_before > now:
                later = min(later or each.not_before, each.not_before)
                continue
            wanted[partition] = Wanted(each.topic_id, each.fetch_offset, each.leader_epoch, each, each.fence)
        return wanted, later

    # -- one broker -----------------------------------------------------------------------------------------------

    async def _fetch_from(self, node_id: int, wake: asyncio.Event) -> None:
        session = FetchSession(self._settings.max_partition_fetch_bytes)
        self._sessions[node_id] = session
        failures = 0
        while not self._is_closed:
            wake.clear()
            wanted, later = self._wanted(node_id)
            if not wanted:
                if node_id not in self._cluster.brokers:
                    del self._wakes[node_id], self._sessions[node_id]
                    return
                await self._wait(wake, later)
                continue
            try:
                response = await self._ask(node_id, session, wanted)
            except (ClientError, ApiError) as error:
                session.lost()
                failures += 1
                if failures == _WORTH_A_WARNING:
                    self._warn(node_id, error)
                self._lost(node_id, wanted, error)
                await asyncio.sleep(self._cluster.backoff.seconds(failures))
                continue
            if not response.error_code:
                failures = 0
                self._take(session, response)
                continue
            code = ErrorCode(response.error_code)
            session.refused(code)
            if code not in _SESSION_ERRORS:
                failures += 1
                self._cluster.refresh_soon()
                await asyncio.sleep(self._cluster.backoff.seconds(failures))

    async def _wait(self, wake: asyncio.Event, until: float | None) -> None:
        if until is None:
            await wake.wait()
            return
        try:
            async with asyncio.timeout(max(until - self._cluster.clock.monotonic(), 0.0)):
                await wake.wait()
        except TimeoutError:
            return

    async def _ask(
        self, node_id: int, session: FetchSession, wanted: Mapping[TopicPartition, Wanted]
    ) -> FetchResponse:
        settings = self._settings
        deadline = self._cluster.clock.monotonic() + settings.request_seconds
        connection = await self._cluster.pool.connection(node_id, deadline, Purpose.FETCH)
        topics, forgotten = session.changes(wanted)
        self._reserved[node_id] = most_bytes = self._share()
        request = FetchRequest(
            max_wait_ms=settings.fetch_max_wait_ms,
            min_bytes=settings.fetch_min_bytes,
            max_bytes=most_bytes,
            isolation_level=self._isolation_level,
            session_id=session.session_id,
            session_epoch=session.epoch,
            topics=topics,
            forgotten_topics_data=forgotten,
            rack_id=settings.client_rack,
        )
        seconds = settings.request_seconds + settings.fetch_max_wait_ms / 1000
        try:
            return await self._cluster.pool.ask_on(
                connection, request, FetchResponse, deadline + seconds, timeout_seconds=seconds
            )
        finally:
            del self._reserved[node_id]

    def _share(self) -> int:
        """How many bytes a broker may send: its share of the room that others leave, but as much as one partition may."""
        settings = self._settings
        free = self._delivery.free_bytes - sum(self._reserved.values())
        sources = {each.source for each in self._assignment.values() if each.source >= 0}
        share = free // max(len(sources - self._reserved.keys()), 1)
        return min(max(share, settings.max_partition_fetch_bytes), settings.fetch_max_bytes)

    def _warn(self, node_id: int, error: Exception) -> None:
        settings = self._settings
        _log.warning(
            "broker %d has not answered %d fetches in a row, and is asked on: %s (request.timeout.ms=%d,"
            " fetch.max.wait.ms=%d); if it is only slow, allow more time or fetch less at once (fetch.max.bytes)",
            node_id,
            _WORTH_A_WARNING,
            error,
            settings.request_timeout_ms,
            settings.fetch_max_wait_ms,
        )

    def _lost(self, node_id: int, wanted: Mapping[TopicPartition, Wanted], error: Exception) -> None:
        """The broker does not answer: perhaps others lead now. What can't get better is for the application to know."""
        self._cluster.refresh_soon()
        for each in wanted.values():
            if each.assigned.read_replica == node_id:
                each.assigned.read_replica = UNKNOWN
                self._must_look = True
        if isinstance(error, UnreadableAnswerError) or not is_retriable(error):
            self._delivery.fail(error)
        if self._must_look:
            self.look()

    # -- answers --------------------------------------------------------------------------------------------------

    def _take(self, session: FetchSession, response: FetchResponse) -> None:
        session.answered(response.session_id)
        answer = Answer()
        parts: list[FetchedPart] = []
        for topic in response.responses:
            name = session.names.get(topic.topic_id, topic.topic)
            for row in topic.partitions:
                asked = session.known.get(TopicPartition(name, row.partition_index))
                if asked is None or asked.fence != asked.assigned.fence:
                    continue
                if row.error_code:
                    self._refused(asked, row, response)
                else:
                    part = self._taken(asked.assigned, row, answer)
                    if part is not None:
                        parts.append(part)
        for part in parts:
            self._delivery.add(part)
        if parts:
            self._delivery.notify()
        if self._must_look:
            self.look()

    def _taken(self, assigned: AssignedPartition, row: PartitionData, answer: Answer) -> FetchedPart | None:
        assigned.high_watermark = row.high_watermark
        assigned.last_stable_offset = row.last_stable_offset
        assigned.log_start_offset = row.log_start_offset
        if row.preferred_read_replica >= 0:
            self._prefer(assigned, row.preferred_read_replica)
        records = row.records
        if not records:
            return None
        assert isinstance(records, memoryview)  # it came over the wire
        end = end_of_batches(records)
        if end is None:
            self._unreadable(assigned, records)
            return None
        aborted = [(each.producer_id, each.first_offset) for each in row.aborted_transactions or ()]
        part = FetchedPart(
            assigned, records, assigned.fetch_offset, end[1], aborted, self._settings.check_crcs, answer
        )
        answer.size += len(records)
        assigned.fetched(max(end[0], assigned.fetch_offset), end[1])
        return part

    def _prefer(self, assigned: AssignedPartition, node_id: int) -> None:
        """The leader sends us to a replica nearby; one that is back again may not be known yet."""
        now = self._cluster.clock.monotonic()
        assigned.read_replica = node_id
        assigned.read_replica_until = now + self._settings.metadata_max_age_ms / 1000
        self._must_look = True
        if node_id not in self._cluster.brokers:
            self._cluster.refresh_soon()
            assigned.postpone(now, self._cluster.backoff)

    def _unreadable(self, assigned: AssignedPartition, records: memoryview) -> None:
        where = f"{assigned.partition} at offset {assigned.fetch_offset}"
        try:
            next(FetchedBatches(records, from_offset=assigned.fetch_offset), None)
        except ProtocolError as error:
            self._delivery.fail(ProtocolError(f"{where}: {error}; seek past it to go on"), assigned)
            return
        self._delivery.fail(
            RecordTooLargeError(f"{where}: the next batch is larger than max.partition.fetch.bytes allows"),
            assigned,
        )

    def _refused(self, asked: Wanted, row: PartitionData, response: FetchResponse) -> None:
        assigned, code = asked.assigned, ErrorCode(row.error_code)
        if code is ErrorCode.OFFSET_OUT_OF_RANGE:
            self._out_of_range(assigned)
        elif code in _PASSING:
            assigned.postpone(self._cluster.clock.monotonic(), self._cluster.backoff)
            if assigned.read_replica >= 0:
                assigned.read_replica = UNKNOWN
                self._must_look = True
            self._hint(asked, row, response)
            self._cluster.refresh_soon()
        else:
            self._delivery.fail(ApiError(code, f"fetching {assigned.partition}"), assigned)

    def _out_of_range(self, assigned: AssignedPartition) -> None:
        if assigned.read_replica >= 0:
            assigned.read_replica = UNKNOWN  # the leader knows better
            self._must_look = True
        elif assigned.buffered_parts:
            assigned.waits_for_application = (
                True  # what was fetched before is good; then it is asked for again
            )
        else:
            self._delivery.settle()
            self._finder.out_of_range(assigned)
            self._finder.poke()

    def _hint(self, asked: Wanted, row: PartitionData, response: FetchResponse) -> None:
        """Who leads now, if the broker has told (KIP-951)."""
        leader = row.current_leader
        if leader.leader_id < 0:
            return
        nodes = [
            BrokerNode(each.node_id, each.host, each.port, each.rack) for each in response.node_endpoints
        ]
        topic, partition = asked.assigned.partition
        hint = LeaderHint(
            topic,
            asked.topic_id,
            partition,
            leader.leader_id,
            leader.leader_epoch,
        )
        if self._cluster.apply_hint(hint, nodes):
            asked.assigned.not_before = 0.0
