"""Who coordinates a group or a transactional id: asked once, kept until a broker says that it is another one.

Rule: a coordinator has a connection of its own. Whoever hears NOT_COORDINATOR, or loses the connection, forgets it here.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import TypeVar

from snakka.client.broker_pool import BrokerNode, Purpose
from snakka.client.cluster_view import ClusterView
from snakka.client.errors import AuthenticationError, ClientError
from snakka.client.retry_policy import RETRIABLE, STALE_COORDINATOR, Pauses, is_retriable
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.message import Message
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse

R = TypeVar("R", bound=Message)

_BATCHED_FROM_VERSION = 4


class CoordinatorKind(IntEnum):
    """What is coordinated; the numbers are those of FindCoordinator."""

    GROUP = 0
    TRANSACTION = 1
    SHARE = 2


class Coordinators:
    """The coordinators that one client has to do with."""

    def __init__(self, cluster: ClusterView) -> None:
        self._cluster = cluster
        self._known: dict[tuple[CoordinatorKind, str], int] = {}

    async def find(self, kind: CoordinatorKind, key: str, deadline: float) -> int:
        """The node id of the coordinator; asks, and again while there is none, until the deadline."""
        known = self._known.get((kind, key))
        if known is not None:
            return known
        pauses = Pauses(self._cluster.clock, deadline, self._cluster.backoff)
        while True:
            try:
                node_id = await self._ask(kind, key, deadline)
            except (ClientError, ApiError) as error:
                if not is_retriable(error):
                    raise
                await pauses.wait(error)
            else:
                self._known[kind, key] = node_id
                return node_id

    def known(self, kind: CoordinatorKind, key: str) -> int | None:
        return self._known.get((kind, key))

    def forget(self, kind: CoordinatorKind, key: str, node_id: int | None = None) -> None:
        """It is another broker now; with `node_id` only if that was the one that is known."""
        if node_id is None or self._known.get((kind, key)) == node_id:
            self._known.pop((kind, key), None)

    async def ask(
        self,
        kind: CoordinatorKind,
        key: str,
        request: Message,
        response_kind: type[R],
        deadline: float,
        *,
        timeout_seconds: float | None = None,
    ) -> R:
        """One attempt at the coordinator; it is forgotten if it can't be reached. The answer's errors are the caller's."""
        node_id = await self.find(kind, key, deadline)
        try:
            return await self._cluster.pool.ask(
                node_id,
                request,
                response_kind,
                deadline,
                purpose=Purpose.COORDINATOR,
                timeout_seconds=timeout_seconds,
            )
        except ClientError as error:
            if not isinstance(error, AuthenticationError):
                self.forget(kind, key, node_id)
                self._cluster.refresh_soon()  # other brokers may be others, too
            raise

    async def ask_until_served(
        self,
        kind: CoordinatorKind,
        key: str,
        request: Message,
        response_kind: type[R],
        deadline: float,
        *,
        error_of: Callable[[R], int],
        timeout_seconds: float | None = None,
    ) -> R:
        """As `ask`, again and again until the deadline while the error that `error_of` finds is one that passes.

        Only for what may be carried out twice.
        """
        pauses = Pauses(self._cluster.clock, deadline, self._cluster.backoff)
        while True:
            try:
                response = await self.ask(
                    kind, key, request, response_kind, deadline, timeout_seconds=timeout_seconds
                )
            except (ClientError, ApiError) as error:
                if not is_retriable(error):
                    raise
                await pauses.wait(error)
                continue
            code = ErrorCode(error_of(response))
            if code not in RETRIABLE:
                return response
            if code in STALE_COORDINATOR:
                self.forget(kind, key)
            await pauses.wait(ApiError(code, f"the coordinator of {kind.name.lower()} {key}"))

    async def _ask(self, kind: CoordinatorKind, key: str, deadline: float) -> int:
        pool = self._cluster.pool
        connection = await pool.any_connection(deadline)
        batched = connection.highest_version(ApiKey.FIND_COORDINATOR) >= _BATCHED_FROM_VERSION
        request = FindCoordinatorRequest(
            key="" if batched else key, key_type=kind, coordinator_keys=[key] if batched else []
        )
        response = await pool.ask_on(connection, request, FindCoordinatorResponse, deadline)
        row = response.coordinators[0] if batched and response.coordinators else response
        if row.error_code:
            what = f"finding the coordinator of {kind.name.lower()} {key}"
            raise ApiError(
                ErrorCode(row.error_code), f"{what}: {row.error_message}" if row.error_message else what
            )
        known = pool.nodes.get(row.node_id)
        if known is None or known.address != (row.host, row.port):
            node = BrokerNode(row.node_id, row.host, row.port, None if known is None else known.rack)
            pool.set_nodes({**pool.nodes, row.node_id: node})
        return row.node_id
