"""The cluster as a client knows it: its brokers, its topics and who leads their partitions.

Rule: what is known may be out of date. Whoever hears so from a broker forgets the topic, and it is asked for again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from snakka.client.broker_pool import Address, BrokerPool
from snakka.client.retry_policy import Pauses
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from snakka.protocol.uuids import Uuid

# A topic that is created by asking for it is there soon, or its creation is switched off.
CREATION_SECONDS = 5.0
_COMING = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE)


@dataclass(frozen=True, slots=True)
class PartitionView:
    """One partition; the leader is -1 while there is none."""

    index: int
    leader_id: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    offline_replicas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicView:
    """One topic and its partitions, in order."""

    name: str
    topic_id: Uuid
    is_internal: bool
    partitions: tuple[PartitionView, ...]


@dataclass(slots=True)
class ClusterView:
    """What brokers have said of their cluster, asked for when it is needed."""

    pool: BrokerPool
    brokers: dict[int, Address] = field(default_factory=dict)
    cluster_id: str | None = None
    _topics: dict[str, TopicView] = field(default_factory=dict)

    async def topic(self, name: str, deadline: float, *, create_missing: bool = False) -> TopicView:
        """The topic; ApiError if there is none. With `create_missing` brokers may create it, if they are so set."""
        known = self._topics.get(name)
        if known is not None:
            return known
        pauses = Pauses(self.pool.clock, min(deadline, self.pool.clock.monotonic() + CREATION_SECONDS))
        while True:
            row = (await self._ask([name], deadline, create_missing=create_missing)).topics[0]
            if row.error_code == ErrorCode.NONE:
                return self._remember(row)
            code = ErrorCode(row.error_code)
            unknown = code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            error = ApiError(code, f"topic {name} does not exist" if unknown else f"topic {name}")
            if not create_missing or code not in _COMING:
                raise error
            await pauses.wait(error)

    async def all_topics(self, deadline: float) -> list[TopicView]:
        """Every topic, by name; those with an error are left out."""
        response = await self._ask(None, deadline)
        topics = [self._remember(row) for row in response.topics if row.error_code == ErrorCode.NONE]
        return sorted(topics, key=lambda topic: topic.name)

    def forget(self, name: str) -> None:
        """What is known of the topic is out of date."""
        self._topics.pop(name, None)

    def by_leader(self, topic: TopicView, partitions: Iterable[int]) -> dict[Address, list[int]]:
        """The partitions, by the broker to ask; ApiError if one does not exist or has no leader now."""
        groups: dict[Address, list[int]] = {}
        for index in partitions:
            if not 0 <= index < len(topic.partitions):
                raise ApiError(
                    ErrorCode.INVALID_PARTITIONS,
                    f"topic {topic.name} has no partition {index}, only 0 to {len(topic.partitions) - 1}",
                )
            address = self.brokers.get(topic.partitions[index].leader_id)
            if address is None:
                raise ApiError(ErrorCode.LEADER_NOT_AVAILABLE, f"{topic.name}-{index} has no leader now")
            groups.setdefault(address, []).append(index)
        return groups

    async def _ask(
        self, names: list[str] | None, deadline: float, *, create_missing: bool = False
    ) -> MetadataResponse:
        request = MetadataRequest(
            topics=None if names is None else [MetadataRequestTopic(name=name) for name in names],
            allow_auto_topic_creation=create_missing,
        )
        response = await self.pool.ask_any(request, MetadataResponse, deadline)
        self.brokers = {broker.node_id: Address(broker.host, broker.port) for broker in response.brokers}
        self.cluster_id = response.cluster_id
        return response

    def _remember(self, row: MetadataResponseTopic) -> TopicView:
        partitions = sorted(row.partitions, key=lambda partition: partition.partition_index)
        topic = self._topics[row.name or ""] = TopicView(
            row.name or "",
            row.topic_id,
            row.is_internal,
            tuple(
                PartitionView(
                    partition.partition_index,
                    partition.leader_id,
                    partition.leader_epoch,
                    tuple(partition.replica_nodes),
                    tuple(partition.isr_nodes),
                    tuple(partition.offline_replicas),
                )
                for partition in partitions
            ),
        )
        return topic
