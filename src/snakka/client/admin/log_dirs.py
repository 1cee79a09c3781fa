"""The directories of brokers: what they hold, and moving replicas between those of one broker."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Collected, Outcomes, failure, outcome
from snakka.client.errors import ClientError
from snakka.client.topic_partition import TopicPartition, by_topic
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopic,
)
from snakka.protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)

UNKNOWN_BYTES = -1


class Replica(NamedTuple):
    """One broker's copy of a partition."""

    topic: str
    partition: int
    broker_id: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} on broker {self.broker_id}"


@dataclass(frozen=True, slots=True)
class ReplicaSize:
    """A replica in a directory. A future one is being moved here, and lags behind by so many records."""

    size_bytes: int
    offset_lag: int
    is_future: bool


@dataclass(frozen=True, slots=True)
class LogDir:
    """One directory; `error` if the broker can't use it. Bytes are -1 where they are not known."""

    path: str
    error: ApiError | None
    total_bytes: int
    usable_bytes: int
    is_cordoned: bool
    replicas: Mapping[TopicPartition, ReplicaSize]


class LogDirAdmin(AdminCalls):
    """What can be done to directories."""

    async def describe_log_dirs(
        self,
        broker_ids: Collection[int] | None = None,
        *,
        partitions: Iterable[TopicPartition] | None = None,
        timeout_ms: int | None = None,
    ) -> Outcomes[int, dict[str, LogDir]]:
        """The directories of these brokers or of all, by path, with all replicas or those of these partitions.

        >>> created = await admin.create_topic("orders")
        >>> directories = (await admin.describe_log_dirs([1]))[1]
        >>> [size.is_future for size in next(iter(directories.values())).replicas.values()]
        [False]
        """
        deadline = self._deadline(timeout_ms)
        topics = None
        if partitions is not None:
            topics = [
                DescribableLogDirTopic(topic=name, partitions=indexes)
                for name, indexes in by_topic(partitions).items()
            ]
        request = DescribeLogDirsRequest(topics=topics)

        async def ask(broker_id: int) -> dict[str, LogDir]:
            response = await self._ask_broker(broker_id, request, DescribeLogDirsResponse, deadline)
            return {row.log_dir: _log_dir(row) for row in response.results}

        return await self._every_broker(ask, deadline, broker_ids)

    async def alter_replica_log_dirs(
        self, targets: Mapping[Replica, str], *, timeout_ms: int | None = None
    ) -> Outcomes[Replica, None]:
        """Begin to move replicas to other directories of their brokers; `describe_log_dirs` shows how far they are."""
        deadline = self._deadline(timeout_ms)
        by_broker: dict[int, dict[str, list[TopicPartition]]] = {}
        for replica, path in targets.items():
            paths = by_broker.setdefault(replica.broker_id, {})
            paths.setdefault(path, []).append(TopicPartition(replica.topic, replica.partition))

        async def ask(broker_id: int) -> AlterReplicaLogDirsResponse:
            dirs = [
                AlterReplicaLogDir(
                    path=path,
                    topics=[
                        AlterReplicaLogDirTopic(name=name, partitions=indexes)
                        for name, indexes in by_topic(ours).items()
                    ],
                )
                for path, ours in by_broker[broker_id].items()
            ]
            request = AlterReplicaLogDirsRequest(dirs=dirs)
            return await self._ask_broker(broker_id, request, AlterReplicaLogDirsResponse, deadline)

        answers = await self._every_broker(ask, deadline, by_broker)
        collected = Collected[Replica, None]()
        for replica in targets:
            failed: ApiError | ClientError | None = answers.errors.get(replica.broker_id)
            if failed is not None:
                collected.take(replica, failed)
        for broker_id, response in answers.results.items():
            for topic in response.results:
                for row in topic.partitions:
                    replica = Replica(topic.topic_name, row.partition_index, broker_id)
                    collected.take(replica, outcome(None, row.error_code, None, str(replica)))
        return collected.outcomes


def _log_dir(row: DescribeLogDirsResult) -> LogDir:
    return LogDir(
        row.log_dir,
        failure(row.error_code, None, row.log_dir) if row.error_code else None,
        row.total_bytes,
        row.usable_bytes,
        row.is_cordoned,
        {
            TopicPartition(topic.name, each.partition_index): ReplicaSize(
                each.partition_size, each.offset_lag, each.is_future_key
            )
            for topic in row.topics
            for each in topic.partitions
        },
    )
