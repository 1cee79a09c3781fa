"""How every area of the admin asks: whom, how often, and until when.

Rule: what passes by itself is tried again until the call's deadline, only for the things that it happened to; all else is
told at once. Any broker takes what is the controller's and hands it on; the rest goes to leaders, coordinators or the broker
that is named. As in Kafka a request whose answer was lost is sent again, so a second attempt may find its own work done.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from snakka.client.admin.outcomes import Collected, Failure, Outcomes, Row
from snakka.client.broker_pool import Purpose
from snakka.client.cluster_view import ClusterView
from snakka.client.coordinators import CoordinatorKind, Coordinators
from snakka.client.errors import (
    ClientClosedError,
    ClientError,
    NoBrokerError,
    UnsupportedByBrokerError,
)
from snakka.client.retry_policy import STALE_COORDINATOR, Pauses
from snakka.client.settings import AdminSettings
from snakka.client.topic_partition import TopicPartition, by_topic
from snakka.network.peer_connection import PeerConnection
from snakka.protocol.api_keys import API_FACTS
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.message import Message

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R", bound=Message)
Connect = Callable[[float], Awaitable[PeerConnection]]

# Other errors that Kafka calls retriable are answers to an admin: a topic that is unknown, an election that is not needed.
PASSING = frozenset(
    {
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.LISTENER_NOT_FOUND,
        ErrorCode.OFFSET_NOT_AVAILABLE,
        ErrorCode.UNSTABLE_OFFSET_COMMIT,
        ErrorCode.THROTTLING_QUOTA_EXCEEDED,
    }
)
# Questions under way at the same time, of a call that has many.
MOST_AT_ONCE = 32


class AdminCalls:
    """What the areas share. Deadlines are monotonic seconds of the cluster's clock."""

    def __init__(self, cluster: ClusterView | None = None) -> None:
        self._cluster = cluster
        self._coordinators = None if cluster is None else Coordinators(cluster)

    @property
    def cluster(self) -> ClusterView:
        if self._cluster is None:
            raise ClientClosedError("the admin is not started, or stopped: use `async with Admin(...)`")
        return self._cluster

    @property
    def coordinators(self) -> Coordinators:
        if self._coordinators is None:
            raise ClientClosedError("the admin is not started, or stopped: use `async with Admin(...)`")
        return self._coordinators

    @property
    def is_at_controllers(self) -> bool:
        """Whether it talks to controllers, which serve less than brokers."""
        settings = self.cluster.settings
        return isinstance(settings, AdminSettings) and bool(settings.bootstrap_controllers)

    def _deadline(self, timeout_ms: int | None) -> float:
        """When a call that begins now must have ended."""
        allowed_ms = self.cluster.settings.default_api_timeout_ms if timeout_ms is None else timeout_ms
        return self.cluster.clock.monotonic() + allowed_ms / 1000

    def _broker_ms(self, deadline: float) -> int:
        """How long the broker may take: it should give up a little before this client does."""
        allowed = min(deadline - self.cluster.clock.monotonic(), self.cluster.settings.request_seconds)
        allowed_ms = int(allowed * 1000)
        return max(allowed_ms - 500, allowed_ms // 2, 0)

    # -- one answer -----------------------------------------------------------------------------------------------

    async def _ask_any(self, request: Message, kind: type[R], deadline: float) -> R:
        """The answer of any broker; the error of the whole answer is raised."""
        return await self._retried(
            lambda: self._asked(self.cluster.pool.any_connection, request, kind, deadline), deadline
        )

    async def _ask_broker(self, node_id: int, request: Message, kind: type[R], deadline: float) -> R:
        """The answer of one broker; ApiError at once if the cluster has none of that id."""
        if node_id not in self.cluster.brokers:
            await self._refreshed(deadline)
        if node_id not in self.cluster.brokers:
            known = ", ".join(map(str, sorted(self.cluster.brokers)))
            raise ApiError(
                ErrorCode.BROKER_ID_NOT_REGISTERED, f"the cluster has no broker {node_id} now, only {known}"
            )

        async def attempt() -> R:
            try:
                return await self._asked(self._to(node_id), request, kind, deadline)
            except ClientError as error:
                if error.retriable:
                    with suppress(ClientError, ApiError):
                        await self._refreshed(deadline)  # it may be at another address by now
                raise

        return await self._retried(attempt, deadline)

    async def _ask_leader(self, leader_id: int, request: Message, kind: type[R], deadline: float) -> R:
        """One attempt: whoever could not be reached may not lead any more, so `_at_leaders` looks who does."""
        return await self._asked(self._to(leader_id), request, kind, deadline)

    async def _ask_coordinator(
        self,
        kind: CoordinatorKind,
        key: str,
        request: Message,
        response_kind: type[R],
        deadline: float,
        *,
        rows: Callable[[R], Iterable[Any]] = lambda response: (),
        newest: int | None = None,
    ) -> R:
        """The answer of a group's or transactional id's coordinator.

        `rows` are the parts of the answer that may say NOT_COORDINATOR too; `newest` is the highest version to use.
        """

        async def attempt() -> R:
            node_id = await self.coordinators.find(kind, key, deadline)
            try:
                connect = self._to(node_id, Purpose.COORDINATOR)
                response = await self._asked(connect, request, response_kind, deadline, newest=newest)
                for row in rows(response):
                    if row.error_code in PASSING:
                        raise ApiError(
                            ErrorCode(row.error_code), f"the coordinator of {kind.name.lower()} {key}"
                        )
            except ApiError as error:
                if error.code in STALE_COORDINATOR:
                    self.coordinators.forget(kind, key, node_id)
                raise
            except ClientError as error:
                if error.retriable:
                    self.coordinators.forget(kind, key, node_id)
                raise
            return response

        return await self._retried(attempt, deadline)

    async def _asked(
        self, connect: Connect, request: Message, kind: type[R], deadline: float, *, newest: int | None = None
    ) -> R:
        """One attempt. The error of the whole answer, if there is one, is raised."""
        connection = await connect(deadline)
        try:
            version = connection.highest_version(request.API_KEY)
        except ApiError:
            raise UnsupportedByBrokerError(
                f"{connection.address} does not serve {API_FACTS[request.API_KEY].name} in a version that we know;"
                " it needs another broker, or another release of it"
            ) from None
        if newest is not None:
            version = min(version, newest)
        response = await self.cluster.pool.ask_on(connection, request, kind, deadline, version=version)
        code = getattr(response, "error_code", 0)
        if code:
            raise ApiError(ErrorCode(code), getattr(response, "error_message", None) or "")
        return response

    def _to(self, node_id: int, purpose: Purpose = Purpose.DATA) -> Connect:
        return lambda deadline: self.cluster.pool.connection(node_id, deadline, purpose)

    async def _retried(self, attempt: Callable[[], Awaitable[V]], deadline: float) -> V:
        pauses = Pauses(self.cluster.clock, deadline, self.cluster.backoff)
        while True:
            try:
                return await attempt()
            except (ClientError, ApiError) as error:
                if not self._passes(error):
                    raise
                await pauses.wait(error)

    def _passes(self, error: Failure) -> bool:
        if isinstance(error, ApiError):
            return error.code in PASSING
        if isinstance(error, NoBrokerError):
            return self.cluster.cluster_id is not None  # whoever never answered may be at another address
        return error.retriable

    async def _refreshed(self, deadline: float) -> None:
        if self.is_at_controllers:
            raise UnsupportedByBrokerError("controllers do not serve this: it needs bootstrap.servers")
        await self.cluster.refreshed(deadline)

    # -- many things ----------------------------------------------------------------------------------------------

    async def _each(
        self,
        items: Iterable[K],
        attempt: Callable[[list[K]], Awaitable[Iterable[Row[K, V]]]],
        deadline: float,
    ) -> Outcomes[K, V]:
        """Ask for all items at once, and then for those again whose error passes. Only the first try fails as a whole."""
        collected = Collected[K, V]()
        pauses = Pauses(self.cluster.clock, deadline, self.cluster.backoff)
        pending = list(dict.fromkeys(items))
        failed: dict[K, Failure] = {}
        while pending:
            try:
                rows = await attempt(pending)
            except (ApiError, ClientError):
                if not failed:
                    raise
                collected.errors.update(failed)
                break
            failed = self._taken(collected, pending, rows)
            pending = list(failed)
            if pending:
                try:
                    await pauses.wait(failed[pending[0]])
                except (ApiError, ClientError):
                    collected.errors.update(failed)
                    break
        return collected.outcomes

    def _taken(
        self, collected: Collected[K, V], pending: list[K], rows: Iterable[Row[K, V]]
    ) -> dict[K, Failure]:
        """Take what is settled; the result is what passes."""
        passing: dict[K, Failure] = {}
        missing = dict.fromkeys(pending)
        for key, result in rows:
            missing.pop(key, None)
            if isinstance(result, ApiError | ClientError) and self._passes(result):
                passing[key] = result
            else:
                collected.take(key, result)
        for key in missing:
            collected.take(key, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"the broker says nothing of {key}"))
        return passing

    async def _each_alone(self, items: Iterable[K], ask: Callable[[K], Awaitable[V]]) -> Outcomes[K, V]:
        """A question for each item, many at the same time; `ask` raises what becomes the item's error."""
        limit = asyncio.Semaphore(MOST_AT_ONCE)

        async def one(item: K) -> V | Failure:
            async with limit:
                try:
                    return await ask(item)
                except (ApiError, ClientError) as error:
                    return error

        keys = list(dict.fromkeys(items))
        collected = Collected[K, V]()
        for key, result in zip(keys, await asyncio.gather(*map(one, keys)), strict=True):
            collected.take(key, result)
        return collected.outcomes

    async def _every_broker(
        self, ask: Callable[[int], Awaitable[V]], deadline: float, node_ids: Collection[int] | None = None
    ) -> Outcomes[int, V]:
        """A question for each of these brokers, or for all that the cluster has now."""
        if node_ids is None:
            await self._refreshed(deadline)
            node_ids = list(self.cluster.brokers)
        return await self._each_alone(node_ids, ask)

    async def _at_leaders(
        self,
        partitions: Iterable[TopicPartition],
        ask: Callable[[int, Mapping[str, list[int]]], Awaitable[Iterable[Row[TopicPartition, V]]]],
        deadline: float,
    ) -> Outcomes[TopicPartition, V]:
        """Ask each leader for its partitions; `ask` gets the leader and its partitions by topic, for one `_ask_leader`."""

        async def at(leader_id: int, ours: list[TopicPartition]) -> list[Row[TopicPartition, V]]:
            try:
                return list(await ask(leader_id, by_topic(ours)))
            except (ApiError, ClientError) as error:
                return [(key, error) for key in ours]

        async def attempt(pending: list[TopicPartition]) -> list[Row[TopicPartition, V]]:
            leaders, rows = await self._leaders_of(pending, deadline)
            for answered in await asyncio.gather(*(at(*each) for each in leaders.items())):
                rows += answered
            return rows

        return await self._each(partitions, attempt, deadline)

    async def _leaders_of(
        self, partitions: Collection[TopicPartition], deadline: float
    ) -> tuple[dict[int, list[TopicPartition]], list[Row[TopicPartition, Any]]]:
        """The partitions by leader as it is now, and the ones that have none with the reason."""
        names = by_topic(partitions)
        for name in names:
            self.cluster.forget(name)
        topics = await self._each_alone(names, lambda name: self.cluster.topic(name, deadline))
        leaders: dict[int, list[TopicPartition]] = {}
        without: list[Row[TopicPartition, Any]] = []
        for key in partitions:
            try:
                (leader_id,) = self.cluster.by_leader(topics[key.topic], [key.partition])
            except (ApiError, ClientError) as error:
                without.append((key, error))
            else:
                leaders.setdefault(leader_id, []).append(key)
        return leaders, without
