"""Fetch: read partitions, now or when enough has arrived. Versions 4-18.

KIP-98 isolation levels, KIP-227 sessions (7), KIP-320 leader epochs (9), KIP-392 racks (11), KIP-595 diverging epochs (12),
KIP-516 topic ids (13), KIP-903 replica epochs (15), KIP-951 the new leader in the answer (16).
"""

from collections.abc import Iterable

from snakka.broker.api import Api
from snakka.broker.services import Services
from snakka.network.request_context import RequestContext
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from snakka.replication.fetch_watch import FetchWatch
from snakka.replication.fetching import FetchLimits, FetchResult, FetchTarget, TargetKey, read_targets
from snakka.replication.state.fetch_sessions import FINAL_EPOCH, INITIAL_EPOCH, NO_SESSION_ID, FetchSession
from snakka.replication.waiting_requests import WaitingFetch
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

# Older clients do not know KAFKA_STORAGE_ERROR, and would give up.
FIRST_WITH_STORAGE_ERROR = 6
FIRST_WITH_TOPIC_ID = 13
FIRST_WITH_REPLICA_STATE = 15
FIRST_WITH_LEADER_HINT = 16

Session = FetchSession[TargetKey, FetchTarget]

_NO_PARTITION = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def handle(request: FetchRequest, context: RequestContext, services: Services) -> FetchResponse | Waiting:
    try:
        fetch = _open(request, context, services)
    except ApiError as error:
        return FetchResponse(error_code=error.code)
    return fetch.start(request.max_wait_ms)


class _Fetch:
    """One fetch request from its first look to its answer."""

    __slots__ = (
        "context",
        "full",
        "limits",
        "services",
        "session",
        "targets",
        "unknown",
        "version",
        "waiting",
        "watch",
    )

    def __init__(
        self,
        context: RequestContext,
        services: Services,
        limits: FetchLimits,
        session: Session | None,
        targets: list[FetchTarget],
        full: bool,
    ) -> None:
        self.context = context
        self.services = services
        self.limits = limits
        self.session = session
        self.targets = targets
        # A full fetch answers for every partition; an incremental one only for those with something to say.
        self.full = full
        # How many of the partitions were unknown when the wait began.
        self.unknown = 0
        self.version = context.api_version
        self.waiting: Waiting | None = None
        self.watch: FetchWatch | None = None

    def start(self, max_wait_ms: int) -> FetchResponse | Waiting:
        result = self.look()
        missing = self.limits.min_bytes - result.counted_bytes
        if (
            max_wait_ms <= 0
            or missing <= 0
            or result.must_answer
            or result.unknown == self._partition_count()
        ):
            return self.answer(result)
        self.unknown = result.unknown
        self.waiting = Waiting()
        watch = self.services.fetch_watches.of_session(self.session) if self.session else None
        self.watch = watch or FetchWatch(self.targets)
        waiter = WaitingFetch(
            self.services.runtime, max_wait_ms / 1000, missing, self._try_answer, self.watch.remove
        )
        self.watch.add(waiter)
        self.waiting.on_disconnect(waiter.cancel)
        return self.waiting

    def _partition_count(self) -> int:
        return len(self.session.partitions if self.session is not None else self.targets)

    def look(self) -> FetchResult:
        targets: Iterable[FetchTarget] = self.targets
        if self.session is not None and not self.full:
            targets = list(self.session.dirty.values())
        for target in targets:
            if target.partition is None or target.partition.offline_error is not None:
                _resolve(target, self.session, self.services)
        return read_targets(targets, self.limits, self.services.partition_storage_failed)

    def _try_answer(self, last_chance: bool) -> int:
        result = self.look()
        missing = self.limits.min_bytes - result.counted_bytes
        has_lost_one = result.unknown > self.unknown
        if missing > 0 and not (result.must_answer or has_lost_one or last_chance):
            return missing
        assert self.waiting is not None
        self.waiting.complete(self.answer(result))
        return 0

    def answer(self, result: FetchResult) -> FetchResponse:
        response = FetchResponse(session_id=self.session.id if self.session is not None else NO_SESSION_ID)
        topic: FetchableTopicResponse | None = None
        for target, row in result.rows:
            if target.partition is not None:
                target.partition.count_fetch(len(row.records or b""), row.error_code != 0)
            if self.version < FIRST_WITH_STORAGE_ERROR and row.error_code == ErrorCode.KAFKA_STORAGE_ERROR:
                row.error_code = ErrorCode.NOT_LEADER_OR_FOLLOWER
            if self.session is not None and not self._has_news(self.session, target, row):
                continue
            if topic is None or topic.topic != target.topic or topic.topic_id != target.topic_id:
                topic = FetchableTopicResponse(topic=target.topic, topic_id=target.topic_id)
                response.responses.append(topic)
            topic.partitions.append(row)
        if result.must_answer and self.version >= FIRST_WITH_LEADER_HINT:
            self._add_leader_hints(response, result)
        return response

    def _has_news(self, session: Session, target: FetchTarget, row: PartitionData) -> bool:
        """Whether a session's client must hear of this partition; also moves it within the session's order."""
        error = row.error_code != 0
        changed = (
            row.high_watermark != target.known_high_watermark
            or row.log_start_offset != target.known_log_start_offset
        )
        target.known_high_watermark = row.high_watermark
        target.known_log_start_offset = row.log_start_offset
        if row.records:
            session.served(target.key, target)
        elif not error and row.diverging_epoch.end_offset < 0 and self._is_read_up(target, row):
            session.settled(target.key)
            self.services.fetch_watches.watch(session, target)
        return self.full or bool(row.records) or error or changed or row.diverging_epoch.end_offset >= 0

    def _is_read_up(self, target: FetchTarget, row: PartitionData) -> bool:
        bound = row.last_stable_offset if self.limits.isolation_level else row.high_watermark
        return target.fetch_offset >= bound

    def _add_leader_hints(self, response: FetchResponse, result: FetchResult) -> None:
        hinted = []
        for target, row in result.rows:
            if row.error_code in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH):
                leader_id, epoch = self.services.leader_of(target.topic_id, target.topic, target.index)
                row.current_leader = LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=epoch)
                hinted.append(leader_id)
        # A follower knows the brokers by itself.
        if self.limits.replica_id < 0:
            self.services.add_leader_endpoints(
                response.node_endpoints, NodeEndpoint, hinted, self.context.listener
            )


def _open(request: FetchRequest, context: RequestContext, services: Services) -> _Fetch:
    """Find or make the request's session and its targets."""
    by_id = context.api_version >= FIRST_WITH_TOPIC_ID
    limits = _limits(request, context, services)
    cache = services.fetch_sessions
    session_id, epoch = request.session_id, request.session_epoch
    now_ms = services.runtime.clock.now_ms()
    if epoch not in (INITIAL_EPOCH, FINAL_EPOCH):
        session = cache.resume(session_id, epoch, now_ms, by_id)
        _update(session, limits, request, context, services)
        if session.partitions:
            return _Fetch(context, services, limits, session, [], full=False)
        # Nothing is left in it: the session ends, and this is a fetch like any without one.
        epoch = FINAL_EPOCH
    if session_id != NO_SESSION_ID:
        cache.close(session_id)
    targets: list[FetchTarget] = []
    for topic in request.topics:
        denied = _denial(topic, limits, context, services)
        targets += [_target(topic, partition, denied, by_id, services) for partition in topic.partitions]
    opened: Session | None = None
    if epoch == INITIAL_EPOCH:
        opened = cache.open(
            now_ms,
            services.runtime.random.randrange(1, 2**31),
            limits.replica_id >= 0,
            [(target.key, target) for target in targets],
            by_id,
        )
        if opened is not None:
            services.fetch_watches.start(opened)
    return _Fetch(context, services, limits, opened, targets, full=True)


def _limits(request: FetchRequest, context: RequestContext, services: Services) -> FetchLimits:
    max_bytes = min(request.max_bytes, services.options.fetch_max_bytes)
    in_state = context.api_version >= FIRST_WITH_REPLICA_STATE
    return FetchLimits(
        max_bytes,
        min(request.min_bytes, max_bytes),
        request.isolation_level,
        request.replica_state.replica_id if in_state else request.replica_id,
    )


def _update(
    session: Session, limits: FetchLimits, request: FetchRequest, context: RequestContext, services: Services
) -> None:
    by_id = session.uses_topic_ids
    size = len(session.partitions)
    for topic in request.topics:
        name: str | bytes = topic.topic_id if by_id else topic.topic
        for partition in topic.partitions:
            known = session.partitions.get((name, partition.partition))
            if known is None:
                denied = _denial(topic, limits, context, services)
                target = _target(topic, partition, denied, by_id, services)
                session.remember(target.key, target)
                services.fetch_watches.watch(session, target)
            else:
                _set_parameters(known, partition)
                session.mark_dirty(known.key)
    for forgotten in request.forgotten_topics_data:
        name = forgotten.topic_id if by_id else forgotten.topic
        for index in forgotten.partitions:
            gone = session.forget((name, index))
            if gone is not None:
                services.fetch_watches.unwatch(session, gone)
    if len(session.partitions) > size:
        services.fetch_sessions.check_growth(session)


def _target(
    topic: FetchTopic, partition: FetchPartition, denied: ErrorCode, by_id: bool, services: Services
) -> FetchTarget:
    key: TargetKey = (topic.topic_id if by_id else topic.topic, partition.partition)
    target = FetchTarget(key, topic.topic, topic.topic_id, partition.partition)
    target.denied = denied
    _resolve(target, None, services)
    _set_parameters(target, partition)
    return target


def _denial(topic: FetchTopic, limits: FetchLimits, context: RequestContext, services: Services) -> ErrorCode:
    """Why this client may not read the topic, if it may not."""
    if limits.replica_id >= 0:
        allowed = context.authorize(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)
    elif context.api_version >= FIRST_WITH_TOPIC_ID:
        known = services.image.topics.by_id.get(topic.topic_id)
        # Of an id that nobody knows there is nothing to protect.
        allowed = known is None or context.authorize(Operation.READ, ResourceType.TOPIC, known.name)
    else:
        allowed = context.authorize(Operation.READ, ResourceType.TOPIC, topic.topic)
    return ErrorCode.NONE if allowed else ErrorCode.TOPIC_AUTHORIZATION_FAILED


def _resolve(target: FetchTarget, session: Session | None, services: Services) -> None:
    """Find the target's partition, or why there is none."""
    services.fetch_watches.resolve(target, session)
    if target.partition is not None:
        target.missing = _NO_PARTITION
        target.known_as = target.partition.topic
        return
    topics = services.image.topics
    topic = topics.by_name.get(target.topic) if target.topic else topics.by_id.get(target.topic_id)
    if topic is not None:
        target.missing = services.missing_partition_error(topic.name, target.index)
    elif target.known_as in topics.by_name:
        # The topic was deleted and made anew: the name that the session has for the id is another topic's now.
        target.missing = ErrorCode.INCONSISTENT_TOPIC_ID
    elif target.missing != ErrorCode.UNKNOWN_TOPIC_ID:
        # Once its topic was known it stays so for the client: what is gone is the partition.
        target.missing = _NO_PARTITION


def _set_parameters(target: FetchTarget, partition: FetchPartition) -> None:
    # Unlike other requests, a fetch says by any negative epoch that it knows none.
    target.current_leader_epoch = max(partition.current_leader_epoch, -1)
    target.fetch_offset = partition.fetch_offset
    target.last_fetched_epoch = partition.last_fetched_epoch
    target.max_bytes = partition.partition_max_bytes


API = Api(key=ApiKey.FETCH, handle=handle)
