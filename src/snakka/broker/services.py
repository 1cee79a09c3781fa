"""What handlers may ask for: one object, built by `assembly`, that holds the broker's parts and a few joint answers.

Rule: no logic that belongs to one part; a question that two handlers ask of several parts may stand here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from snakka.broker.config_schema import CatalogSchema
from snakka.broker.live_options import LiveOptions
from snakka.broker.producer_id_blocks import ProducerIdBlocks
from snakka.coordination.runtime.coordinator import Coordinator
from snakka.metadata.controller import Controller
from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.image.partition import NO_LEADER
from snakka.metadata.loader import MetadataLoader
from snakka.metadata.registration import BrokerRegistrar
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.uuids import ZERO_UUID, Uuid
from snakka.raft.driver import RaftDriver
from snakka.replication.fetch_watch import FetchWatches
from snakka.replication.fetching import FetchTarget, TargetKey
from snakka.replication.partition import Partition
from snakka.replication.partition_table import PartitionTable
from snakka.replication.state.fetch_sessions import FetchSessionCache
from snakka.runtime import Runtime
from snakka.storage.files import StorageFailure
from snakka.storage.log_manager import LogManager
from snakka.telemetry.metric_set import MetricSet

if TYPE_CHECKING:
    from snakka.coordination.groups.shard import GroupShard
    from snakka.coordination.transactions.shard import TransactionShard


class NodeEndpoint(Protocol):
    """The node_endpoints rows of Produce and Fetch: two generated classes of one shape."""

    def __init__(self, *, node_id: int, host: str, port: int, rack: str | None) -> None: ...


N = TypeVar("N", bound=NodeEndpoint)


@dataclass(slots=True)
class Services:
    """The parts of one running broker."""

    runtime: Runtime
    node_id: int
    cluster_id: str
    options: LiveOptions
    metrics: MetricSet
    raft: RaftDriver
    controller: Controller
    loader: MetadataLoader
    registrar: BrokerRegistrar
    log_manager: LogManager
    partitions: PartitionTable
    fetch_sessions: FetchSessionCache[TargetKey, FetchTarget]
    fetch_watches: FetchWatches
    producer_ids: ProducerIdBlocks
    groups: "Coordinator[GroupShard]"
    transactions: "Coordinator[TransactionShard]"
    config_schema: CatalogSchema
    controller_listeners: frozenset[str]

    @property
    def image(self) -> ClusterImage:
        """The committed metadata as this broker knows it."""
        return self.loader.image

    def missing_partition_error(self, topic: str, index: int) -> ErrorCode:
        """Why a partition is not in the table: it is another broker's, or nobody knows it."""
        known = self.image.topics.get(topic)
        if known is not None and index in known.partitions:
            if self.node_id in known.partitions[index].replicas:
                return ErrorCode.KAFKA_STORAGE_ERROR
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    def leader_of(self, topic_id: Uuid, topic: str, index: int) -> tuple[int, int]:
        """Id and epoch of a partition's leader as the committed metadata says; the topic by its id, if there is one."""
        topics = self.image.topics
        found = topics.by_name.get(topic) if topic_id == ZERO_UUID else topics.by_id.get(topic_id)
        partition = found.partitions.get(index) if found is not None else None
        return (NO_LEADER, -1) if partition is None else (partition.leader, partition.leader_epoch)

    def partition_storage_failed(self, partition: Partition, failure: StorageFailure) -> None:
        self.log_manager.fail_directory(failure.directory, failure)

    def add_leader_endpoints(
        self, rows: list[N], kind: type[N], leader_ids: Iterable[int], listener: str
    ) -> None:
        """Tell a client that asked the wrong broker where the right ones are (KIP-951)."""
        for leader_id in dict.fromkeys(leader_ids):
            broker = self.image.brokers.get(leader_id)
            endpoint = broker.endpoints.get(listener) if broker is not None else None
            if broker is not None and endpoint is not None:
                rows.append(kind(node_id=leader_id, host=endpoint.host, port=endpoint.port, rack=broker.rack))
