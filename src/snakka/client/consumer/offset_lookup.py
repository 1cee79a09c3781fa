"""Questions about offsets to those who lead the partitions: by time (ListOffsets) and by leader epoch (KIP-320).

Rule: one call here is one request to one broker, and every partition gets an answer of its own, if only an error code.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from snakka.client.cluster_view import ClusterView
from snakka.client.consumer.messages import OffsetAndTimestamp
from snakka.client.errors import ClientError
from snakka.client.retry_policy import Pauses, is_retriable
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from snakka.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

T = TypeVar("T")
CONSUMER_REPLICA_ID = -1


class OffsetLookup:
    """Asks the leaders of one cluster."""

    def __init__(self, cluster: ClusterView, isolation_level: int) -> None:
        self._cluster = cluster
        self._isolation_level = isolation_level

    async def by_time(
        self, node_id: int, wanted: Mapping[TopicPartition, int], deadline: float
    ) -> dict[TopicPartition, OffsetAndTimestamp | ErrorCode]:
        """By partition the first record of a time or later; its offset is -1 if there is none."""
        settings = self._cluster.settings
        request = ListOffsetsRequest(
            replica_id=CONSUMER_REPLICA_ID,
            isolation_level=self._isolation_level,
            topics=[
                ListOffsetsTopic(name=name, partitions=rows)
                for name, rows in _by_topic(wanted, self._list_offsets_row)
            ],
            timeout_ms=settings.request_timeout_ms,
        )
        response = await self._cluster.pool.ask(node_id, request, ListOffsetsResponse, deadline)
        return {
            TopicPartition(topic.name, row.partition_index): ErrorCode(row.error_code)
            if row.error_code
            else OffsetAndTimestamp(row.offset, row.timestamp, row.leader_epoch)
            for topic in response.topics
            for row in topic.partitions
        }

    async def by_epoch(
        self, node_id: int, wanted: Mapping[TopicPartition, int], deadline: float
    ) -> dict[TopicPartition, tuple[int, int] | ErrorCode]:
        """By partition the epoch that the leader has of those up to the wanted one, and where that epoch ends."""
        request = OffsetForLeaderEpochRequest(
            replica_id=CONSUMER_REPLICA_ID,
            topics=[
                OffsetForLeaderTopic(topic=name, partitions=rows)
                for name, rows in _by_topic(wanted, self._epoch_row)
            ],
        )
        response = await self._cluster.pool.ask(node_id, request, OffsetForLeaderEpochResponse, deadline)
        return {
            TopicPartition(topic.topic, row.partition): ErrorCode(row.error_code)
            if row.error_code
            else (row.leader_epoch, row.end_offset)
            for topic in response.topics
            for row in topic.partitions
        }

    async def everywhere(
        self, wanted: Mapping[TopicPartition, int], deadline: float
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """As `by_time`, from all leaders and again until each has answered; ApiError or ClientError at the deadline."""
        found: dict[TopicPartition, OffsetAndTimestamp] = {}
        pauses = Pauses(self._cluster.clock, deadline, self._cluster.backoff)
        while True:
            missing = {each: timestamp for each, timestamp in wanted.items() if each not in found}
            failure = await self._attempt(missing, found, deadline)
            if failure is None:
                return found
            if not is_retriable(failure):
                raise failure
            for partition in missing.keys() - found.keys():
                self._cluster.forget(partition.topic)
            await pauses.wait(failure)

    async def _attempt(
        self,
        wanted: Mapping[TopicPartition, int],
        found: dict[TopicPartition, OffsetAndTimestamp],
        deadline: float,
    ) -> ApiError | ClientError | None:
        failure: ApiError | ClientError | None = None
        try:
            by_broker: dict[int, dict[TopicPartition, int]] = {}
            for partition, timestamp in wanted.items():
                topic = await self._cluster.topic(partition.topic, deadline)
                (node_id,) = self._cluster.by_leader(topic, (partition.partition,))
                by_broker.setdefault(node_id, {})[partition] = timestamp
            for node_id, group in by_broker.items():
                for partition, answer in (await self.by_time(node_id, group, deadline)).items():
                    if isinstance(answer, ErrorCode):
                        failure = ApiError(answer, f"asking for an offset of {partition}")
                    else:
                        found[partition] = answer
        except (ApiError, ClientError) as error:
            return error
        return failure

    def _list_offsets_row(self, partition: TopicPartition, timestamp: int) -> ListOffsetsPartition:
        return ListOffsetsPartition(
            partition_index=partition.partition,
            current_leader_epoch=self._leader_epoch(partition),
            timestamp=timestamp,
        )

    def _epoch_row(self, partition: TopicPartition, epoch: int) -> OffsetForLeaderPartition:
        return OffsetForLeaderPartition(
            partition=partition.partition,
            current_leader_epoch=self._leader_epoch(partition),
            leader_epoch=epoch,
        )

    def _leader_epoch(self, partition: TopicPartition) -> int:
        view = self._cluster.partition(*partition)
        return -1 if view is None else view.leader_epoch


def _by_topic(
    wanted: Mapping[TopicPartition, int], row: Callable[[TopicPartition, int], T]
) -> Iterable[tuple[str, list[T]]]:
    topics: dict[str, list[T]] = {}
    for partition, value in wanted.items():
        topics.setdefault(partition.topic, []).append(row(partition, value))
    return topics.items()
