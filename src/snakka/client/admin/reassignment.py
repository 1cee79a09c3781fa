"""Moving partitions: which brokers shall hold them, and what is under way."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, outcome
from snakka.client.topic_partition import TopicPartition, by_topic
from snakka.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from snakka.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsTopics,
)


@dataclass(frozen=True, slots=True)
class Reassignment:
    """A move that is under way: all replicas of now, those that come and those that go."""

    replicas: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]


class ReassignmentAdmin(AdminCalls):
    """What can be done to the places of partitions."""

    async def alter_partition_reassignments(
        self,
        targets: Mapping[TopicPartition, Sequence[int] | None],
        *,
        allow_replication_factor_change: bool = True,
        timeout_ms: int | None = None,
    ) -> Outcomes[TopicPartition, None]:
        """Begin to move partitions to these brokers, the preferred leader first; None takes a move back.

        It does not wait for the end of a move: see `list_partition_reassignments`.

        >>> created = await admin.create_topic("moves")
        >>> (replica,) = (await admin.describe_topics(["moves"]))["moves"].partitions[0].replicas
        >>> moving = await admin.alter_partition_reassignments({TopicPartition("moves", 0): [replica]})
        >>> moving[TopicPartition("moves", 0)]
        """
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[TopicPartition]) -> Iterable[Row[TopicPartition, None]]:
            request = AlterPartitionReassignmentsRequest(
                timeout_ms=self._broker_ms(deadline),
                allow_replication_factor_change=allow_replication_factor_change,
                topics=[
                    ReassignableTopic(
                        name=name,
                        partitions=[
                            _target(index, targets[TopicPartition(name, index)]) for index in indexes
                        ],
                    )
                    for name, indexes in by_topic(pending).items()
                ],
            )
            response = await self._ask_any(request, AlterPartitionReassignmentsResponse, deadline)
            return [
                (key, outcome(None, row.error_code, row.error_message, str(key)))
                for topic in response.responses
                for row in topic.partitions
                for key in (TopicPartition(topic.name, row.partition_index),)
            ]

        return await self._each(targets, attempt, deadline)

    async def list_partition_reassignments(
        self, partitions: Iterable[TopicPartition] | None = None, *, timeout_ms: int | None = None
    ) -> dict[TopicPartition, Reassignment]:
        """The moves under way, of these partitions or of all.

        >>> await admin.list_partition_reassignments()
        {}
        """
        deadline = self._deadline(timeout_ms)
        topics = None
        if partitions is not None:
            topics = [
                ListPartitionReassignmentsTopics(name=name, partition_indexes=indexes)
                for name, indexes in by_topic(partitions).items()
            ]
        request = ListPartitionReassignmentsRequest(timeout_ms=self._broker_ms(deadline), topics=topics)
        response = await self._ask_any(request, ListPartitionReassignmentsResponse, deadline)
        return {
            TopicPartition(topic.name, row.partition_index): Reassignment(
                tuple(row.replicas), tuple(row.adding_replicas), tuple(row.removing_replicas)
            )
            for topic in response.topics
            for row in topic.partitions
        }


def _target(index: int, replicas: Sequence[int] | None) -> ReassignablePartition:
    return ReassignablePartition(partition_index=index, replicas=None if replicas is None else list(replicas))
