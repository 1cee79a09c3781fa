"""The cluster and its brokers: describe them, and forget a broker that will not come back."""

from dataclasses import dataclass

from snakka.client.admin.acls import allowed_operations
from snakka.client.admin.calls import AdminCalls
from snakka.protocol.messages.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from snakka.protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse
from snakka.security.operations import Operation

_BROKERS, _CONTROLLERS = 1, 2


@dataclass(frozen=True, slots=True)
class BrokerDescription:
    """One broker, or one controller of a cluster that was asked through its controllers."""

    node_id: int
    host: str
    port: int
    rack: str | None
    is_fenced: bool


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """The cluster; the controller is -1 while none is known. What we may do is told only if it was asked for."""

    cluster_id: str
    controller_id: int
    brokers: tuple[BrokerDescription, ...]
    allowed_operations: frozenset[Operation] | None = None


class BrokerAdmin(AdminCalls):
    """What can be done to brokers."""

    async def describe_cluster(
        self,
        *,
        include_fenced: bool = False,
        include_allowed_operations: bool = False,
        timeout_ms: int | None = None,
    ) -> ClusterDescription:
        """The brokers that serve clients now; with `include_fenced` also those that are registered and do not.

        >>> cluster = await admin.describe_cluster()
        >>> [broker.node_id for broker in cluster.brokers]
        [1]
        """
        request = DescribeClusterRequest(
            endpoint_type=_CONTROLLERS if self.is_at_controllers else _BROKERS,
            include_fenced_brokers=include_fenced,
            include_cluster_authorized_operations=include_allowed_operations,
        )
        response = await self._ask_any(request, DescribeClusterResponse, self._deadline(timeout_ms))
        return ClusterDescription(
            response.cluster_id,
            response.controller_id,
            tuple(
                BrokerDescription(row.broker_id, row.host, row.port, row.rack, row.is_fenced)
                for row in response.brokers
            ),
            allowed_operations(response.cluster_authorized_operations),
        )

    async def unregister_broker(self, node_id: int, *, timeout_ms: int | None = None) -> None:
        """Forget a broker that is gone for good; one that runs must be stopped first."""
        await self._ask_any(
            UnregisterBrokerRequest(broker_id=node_id), UnregisterBrokerResponse, self._deadline(timeout_ms)
        )
