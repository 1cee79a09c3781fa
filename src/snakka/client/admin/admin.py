"""The admin that users have: all areas in one class, over a cluster of its own or one that is given."""

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from snakka.client.admin.acls import AclAdmin
from snakka.client.admin.brokers import BrokerAdmin
from snakka.client.admin.configs import ConfigAdmin
from snakka.client.admin.elections import ElectionAdmin
from snakka.client.admin.features import FeatureAdmin
from snakka.client.admin.group_offsets import GroupOffsetAdmin
from snakka.client.admin.groups import GroupAdmin
from snakka.client.admin.log_dirs import LogDirAdmin
from snakka.client.admin.offsets import OffsetAdmin
from snakka.client.admin.quorum import QuorumAdmin
from snakka.client.admin.quotas import QuotaAdmin
from snakka.client.admin.reassignment import ReassignmentAdmin
from snakka.client.admin.scram_users import ScramUserAdmin
from snakka.client.admin.tokens import TokenAdmin
from snakka.client.admin.topics import TopicAdmin
from snakka.client.admin.transactions import TransactionAdmin
from snakka.client.cluster_view import ClusterView, open_cluster
from snakka.client.coordinators import Coordinators
from snakka.client.metrics_push import MetricsPush
from snakka.client.settings import AdminSettings, resolve
from snakka.client.tasks import Tasks

if TYPE_CHECKING:
    from snakka.client.keywords import AdminKeywords


class Admin(
    TopicAdmin,
    ConfigAdmin,
    GroupAdmin,
    GroupOffsetAdmin,
    OffsetAdmin,
    TransactionAdmin,
    AclAdmin,
    QuotaAdmin,
    ScramUserAdmin,
    TokenAdmin,
    ReassignmentAdmin,
    ElectionAdmin,
    LogDirAdmin,
    QuorumAdmin,
    FeatureAdmin,
    BrokerAdmin,
):
    """Administration of a cluster: settings as keywords, or by Kafka's names in a mapping.

    A call about many things returns `Outcomes`: `outcomes[key]` is a result or raises its error. Each call takes
    `timeout_ms`, which is default.api.timeout.ms unless said.

    >>> async with Admin(bootstrap_servers=bootstrap) as admin:
    ...     created = await admin.create_topic("orders", partitions=3)
    ...     [topic.name for topic in await admin.list_topics()]
    ['orders']
    """

    def __init__(
        self,
        settings: Mapping[str, object] | None = None,
        /,
        *,
        cluster: ClusterView | None = None,
        **keywords: "Unpack[AdminKeywords]",
    ) -> None:
        """With `cluster` it works over what somebody else has opened and will close, and needs no start."""
        super().__init__(cluster)
        self._settings = None if cluster is not None else resolve(AdminSettings, keywords, settings)
        self._tasks: Tasks | None = None
        self._metrics: MetricsPush | None = None

    async def start(self) -> None:
        """Reach the cluster; NoBrokerError if nobody answers."""
        if self._settings is None or self._tasks is not None:
            return
        tasks = Tasks()
        self._cluster = open_cluster(self._settings, tasks)
        self._tasks = tasks  # from here on there is something to stop
        self._coordinators = Coordinators(self._cluster)
        try:
            if self.is_at_controllers:
                await self._cluster.pool.any_connection(self._deadline(None))
            else:
                await self._cluster.connect(self._deadline(None))
        except BaseException:
            await self.stop()
            raise
        self._metrics = MetricsPush(self._cluster, "admin.client")
        self._metrics.start()

    async def stop(self) -> None:
        """End all connections."""
        if self._tasks is None:
            return
        if self._metrics is not None:
            await self._metrics.close()
        tasks, cluster = self._tasks, self.cluster
        self._tasks = self._cluster = self._coordinators = None
        await cluster.close()
        await tasks.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
