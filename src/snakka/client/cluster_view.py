"""The cluster as a client knows it: its brokers, its topics and who leads their partitions.

Rule: what is known may be out of date, and never goes back in time: of two leaders the one of the higher epoch counts
(KIP-320), and a topic with another id is another topic (KIP-516). Whoever hears from a broker that something is out of date
says so, and it is asked for again in the background.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from typing import NamedTuple

from snakka.client.broker_pool import BrokerNode, BrokerPool
from snakka.client.cluster_topics import LeaderHint, PartitionView, Topics, TopicView
from snakka.client.errors import BrokerUnreachableError, ClientError, NoBrokerError, RequestTimedOutError
from snakka.client.retry_policy import Backoff, Pauses, is_retriable
from snakka.client.settings import ConnectionSettings
from snakka.client.tasks import Tasks
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from snakka.protocol.uuids import Uuid
from snakka.runtime.clock import Clock

__all__ = ["ClusterView", "LeaderHint", "PartitionView", "TopicView", "open_cluster", "running_cluster"]

# A topic that is created by asking for it is there soon, or its creation is switched off.
CREATION_SECONDS = 5.0
_COMING = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE)


class _Wanted(NamedTuple):
    """What the next question is about: None for every topic."""

    names: frozenset[str] | None
    may_create: bool


def open_cluster(
    settings: ConnectionSettings,
    tasks: Tasks,
    *,
    most_in_flight: int | None = None,
    clock: Clock | None = None,
) -> "ClusterView":
    """The view of a cluster and its connections, as settings say; nothing is dialled yet."""
    if most_in_flight is None:
        return ClusterView(BrokerPool(settings, tasks, clock=clock))
    return ClusterView(BrokerPool(settings, tasks, most_in_flight=most_in_flight, clock=clock))


@asynccontextmanager
async def running_cluster(settings: ConnectionSettings) -> AsyncIterator["ClusterView"]:
    """A view of a cluster with tasks of its own, for as long as it is needed."""
    tasks = Tasks()
    cluster = open_cluster(settings, tasks)
    try:
        yield cluster
    finally:
        await cluster.close()
        await tasks.close()


class ClusterView:
    """What brokers have said of their cluster. Deadlines are in monotonic seconds of `clock`."""

    def __init__(self, pool: BrokerPool) -> None:
        self.pool = pool
        self.clock = pool.clock
        self.settings = pool.settings
        self.backoff = Backoff.of_ms(
            self.settings.retry_backoff_ms, self.settings.retry_backoff_max_ms, pool.chance
        )
        self.cluster_id: str | None = None
        self.controller_id = -1
        self.generation = 0  # grows with every change: whoever keeps something compares it
        self._topics = Topics(self.clock.monotonic)
        self.may_create_tracked = False  # whether asking for what is tracked may create it
        self._tracked: dict[str, int] = {}  # how many want the topic to be kept fresh
        self._recent: dict[str, float] = {}  # when a topic was last asked for, oldest first
        self._tracks_all = 0
        self._watchers: list[Callable[[], None]] = []
        self._asking: dict[str, asyncio.Future[None]] = {}  # topics that somebody is asking for just now
        self._failures = 0
        self._fresh_at = self.clock.monotonic()
        self._asked_at = float("-inf")
        self._loop_task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()

    # -- what is known --------------------------------------------------------------------------------------------

    @property
    def brokers(self) -> dict[int, BrokerNode]:
        return self.pool.nodes

    def known_topic(self, name: str) -> TopicView | None:
        """The topic if it is known; nothing is asked."""
        return self._topics.by_name.get(name)

    def known_topic_by_id(self, topic_id: Uuid) -> TopicView | None:
        return self._topics.by_id(topic_id)

    def error_of(self, name: str) -> ApiError | None:
        """Why a topic is not known, if a broker has said so."""
        return None if name in self._topics.by_name else self._topics.error(name)

    def known_topics(self) -> list[TopicView]:
        return list(self._topics.by_name.values())

    def partition(self, name: str, index: int) -> PartitionView | None:
        """One partition if it is known."""
        topic = self._topics.by_name.get(name)
        if topic is None or not 0 <= index < len(topic.partitions):
            return None
        return topic.partitions[index]

    def by_leader(self, topic: TopicView, partitions: Iterable[int]) -> dict[int, list[int]]:
        """The partitions by the broker that leads them; ApiError if one does not exist or has no leader now."""
        groups: dict[int, list[int]] = {}
        for index in partitions:
            if not 0 <= index < len(topic.partitions):
                raise ApiError(
                    ErrorCode.INVALID_PARTITIONS,
                    f"topic {topic.name} has no partition {index}, only 0 to {len(topic.partitions) - 1}",
                )
            leader_id = topic.partitions[index].leader_id
            if leader_id not in self.pool.nodes:
                raise ApiError(ErrorCode.LEADER_NOT_AVAILABLE, f"{topic.name}-{index} has no leader now")
            groups.setdefault(leader_id, []).append(index)
        return groups

    # -- asking ---------------------------------------------------------------------------------------------------

    async def connect(self, deadline: float) -> None:
        """Reach the cluster and learn its brokers; NoBrokerError at once if nobody answers."""
        await self._exchange(_request(_Wanted(frozenset(), False)), deadline)

    async def topic(self, name: str, deadline: float, *, create_missing: bool = False) -> TopicView:
        """The topic; ApiError if there is none. With `create_missing` brokers may create it, if they are so set."""
        self._recent.pop(name, None)
        self._recent[name] = self.clock.monotonic()
        self._drop_idle()  # not every client keeps its view fresh
        known = self._topics.by_name.get(name)
        if known is not None:
            return known
        creation_ends = min(deadline, self.clock.monotonic() + CREATION_SECONDS)
        pauses = Pauses(self.clock, creation_ends, self.backoff)
        error: ApiError | None = None
        while True:
            try:
                await self._ask_for(name, create_missing, deadline)
            except RequestTimedOutError:
                if error is None:
                    raise
                raise error from None  # what brokers said before the deadline came explains more
            known = self._topics.by_name.get(name)
            if known is not None:
                return known
            error = self._topics.error(name)
            if error is None:  # whoever asked for it gave up
                await pauses.wait(RequestTimedOutError(f"nothing is known of topic {name} in time"))
            elif error.code is ErrorCode.LEADER_NOT_AVAILABLE or (create_missing and error.code in _COMING):
                await pauses.wait(error)
            else:
                raise error

    async def _ask_for(self, name: str, may_create: bool, deadline: float) -> None:
        """Ask for one topic, or wait until somebody else has done so: a thousand may need it at the same moment."""
        other = self._asking.get(name)
        if other is not None:
            await asyncio.wait((other,), timeout=max(deadline - self.clock.monotonic(), 0.0))
            if not other.done():
                raise RequestTimedOutError(f"nothing is known of topic {name} in time")
            return
        self._asking[name] = asked = asyncio.get_running_loop().create_future()
        try:
            await self._retried(_request(_Wanted(frozenset((name,)), may_create)), deadline)
        finally:
            del self._asking[name]
            asked.set_result(None)

    async def topics_by_id(self, ids: Collection[Uuid], deadline: float) -> dict[Uuid, TopicView]:
        """The topics of these ids; one that does not exist, or not any more, is left out."""
        missing = [topic_id for topic_id in ids if self._topics.by_id(topic_id) is None]
        if missing:
            rows = [MetadataRequestTopic(name=None, topic_id=topic_id) for topic_id in missing]
            await self._retried(MetadataRequest(topics=rows, allow_auto_topic_creation=False), deadline)
        found = {topic_id: self._topics.by_id(topic_id) for topic_id in ids}
        return {topic_id: topic for topic_id, topic in found.items() if topic is not None}

    async def all_topics(self, deadline: float) -> list[TopicView]:
        """Every topic as it is now, by name; those with an error are left out."""
        await self._retried(_request(_Wanted(None, False)), deadline)
        return sorted(self._topics.by_name.values(), key=lambda topic: topic.name)

    async def refreshed(self, deadline: float) -> None:
        """Ask now for all that is tracked, and wait for it."""
        await self._retried(_request(self._wanted()), deadline)

    async def close(self) -> None:
        """End the connections. The tasks are their owner's to close."""
        await self.pool.close()

    # -- staying fresh --------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Keep what is tracked fresh in the background, until the tasks are closed."""
        if self._loop_task is None:
            self._loop_task = self.pool.tasks.spawn("metadata", self._keep_fresh())

    def track(self, names: Iterable[str]) -> None:
        """Keep these topics fresh, as often as they are tracked more than untracked."""
        for name in names:
            self._tracked[name] = self._tracked.get(name, 0) + 1

    def untrack(self, names: Iterable[str]) -> None:
        for name in names:
            count = self._tracked.pop(name, 0) - 1
            if count > 0:
                self._tracked[name] = count

    def track_all(self, wanted: bool) -> None:
        """Keep every topic fresh: for whoever subscribes to a pattern."""
        self._tracks_all += 1 if wanted else -1

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back after every change; the result ends that."""
        self._watchers.append(callback)
        return lambda: self._watchers.remove(callback) if callback in self._watchers else None

    def refresh_soon(self) -> None:
        """Something is out of date: ask again in the background, after the pause that is due."""
        self._wake.set()

    def forget(self, name: str) -> None:
        """What is known of the topic is out of date; the next who needs it asks."""
        if self._topics.forget(name):
            self.generation += 1

    def apply_hint(self, hint: LeaderHint, nodes: Iterable[BrokerNode] = ()) -> bool:
        """A broker has told who leads now (KIP-951): True if that was news."""
        known = dict(self.pool.nodes)
        known.update((node.node_id, node) for node in nodes)
        if known != self.pool.nodes:
            self.pool.set_nodes(known)
        if not self._topics.apply_hint(hint):
            return False
        self._changed()
        return True

    async def _keep_fresh(self) -> None:
        while True:
            await self._until_due()
            self._wake.clear()
            self._drop_idle()
            self._asked_at = self.clock.monotonic()
            try:
                await self._exchange(_request(self._wanted()), self._asked_at + self.settings.request_seconds)
            except (ClientError, ApiError) as error:
                self._failures += 1
                self._rebootstrap_if_lost()
                if is_retriable(error):
                    self._wake.set()

    async def _until_due(self) -> None:
        """Until what is known is too old, or somebody says that it is wrong; but a pause after the last attempt.

        Whoever hears of an old leader may hear of it a thousand times a second.
        """
        age_allowed = self.settings.metadata_max_age_ms / 1000
        since = max(self._fresh_at, self._asked_at)
        try:
            async with asyncio.timeout(max(since + age_allowed - self.clock.monotonic(), 0.0)):
                await self._wake.wait()
        except TimeoutError:
            pass
        pause = self.backoff.seconds(max(self._failures, 1))
        await asyncio.sleep(max(self._asked_at + pause - self.clock.monotonic(), 0.0))

    def _wanted(self) -> _Wanted:
        if self._tracks_all:
            return _Wanted(None, False)
        return _Wanted(frozenset((*self._tracked, *self._recent)), self.may_create_tracked)

    def _drop_idle(self) -> None:
        """What nobody has asked for in a while is not kept fresh, and so not kept at all."""
        oldest = self.clock.monotonic() - self.settings.metadata_max_idle_ms / 1000
        while self._recent:
            name, used = next(iter(self._recent.items()))
            if used >= oldest:
                return
            del self._recent[name]
            if name not in self._tracked and not self._tracks_all:
                self.forget(name)

    @property
    def _may_rebootstrap(self) -> bool:
        return self.settings.metadata_recovery_strategy == "rebootstrap"

    def _rebootstrap_if_lost(self) -> None:
        """Nothing was heard of the cluster for so long that its brokers may all be others now (KIP-1102)."""
        trigger = self.settings.metadata_recovery_rebootstrap_trigger_ms / 1000
        if self._may_rebootstrap and self.clock.monotonic() - self._fresh_at >= trigger:
            self._fresh_at = self.clock.monotonic()
            self.pool.rebootstrap()

    # -- requests -------------------------------------------------------------------------------------------------

    async def _retried(self, request: MetadataRequest, deadline: float) -> None:
        """Until somebody answers. Whoever never did is not waited for: the address may be wrong."""
        pauses = Pauses(self.clock, deadline, self.backoff)
        while True:
            try:
                await self._exchange(request, deadline)
                return
            except (ClientError, ApiError) as error:
                if not is_retriable(error) or (isinstance(error, NoBrokerError) and self.cluster_id is None):
                    raise
                await pauses.wait(error)

    async def _exchange(self, request: MetadataRequest, deadline: float) -> None:
        response = await self.pool.ask_any(request, MetadataResponse, deadline)
        if response.error_code == ErrorCode.REBOOTSTRAP_REQUIRED and self._may_rebootstrap:
            self.pool.rebootstrap()
            raise BrokerUnreachableError("a broker sends us back to bootstrap.servers")
        if response.error_code:
            raise ApiError(ErrorCode(response.error_code), "asking for the cluster's metadata")
        if not response.brokers:
            raise NoBrokerError("the cluster has no broker that serves clients yet; try again in a moment")
        self._take(request, response)

    def _take(self, request: MetadataRequest, response: MetadataResponse) -> None:
        self.pool.set_nodes(
            {row.node_id: BrokerNode(row.node_id, row.host, row.port, row.rack) for row in response.brokers}
        )
        self.cluster_id = response.cluster_id or ""
        self.controller_id = response.controller_id
        if request.topics is None:
            self._topics.keep_only({row.name for row in response.topics if row.name})
        for row in response.topics:
            self._topics.take(row)
        self._failures = 0
        self._fresh_at = self.clock.monotonic()
        self._changed()

    def _changed(self) -> None:
        self.generation += 1
        for callback in list(self._watchers):
            callback()


def _request(wanted: _Wanted) -> MetadataRequest:
    names = wanted.names
    return MetadataRequest(
        topics=None if names is None else [MetadataRequestTopic(name=name) for name in sorted(names)],
        allow_auto_topic_creation=wanted.may_create,
    )
