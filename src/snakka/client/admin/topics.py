"""Topics: create, delete, list and describe them, give them more partitions, and delete their oldest records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from snakka.client.admin.acls import allowed_operations
from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, failure, outcome, outcomes_of
from snakka.client.cluster_topics import TopicView
from snakka.client.errors import RequestTimedOutError
from snakka.client.retry_policy import Pauses
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from snakka.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
)
from snakka.protocol.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from snakka.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestCursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
    TopicRequest,
)
from snakka.protocol.uuids import Uuid, uuid_text
from snakka.security.operations import Operation

BROKER_DEFAULT = -1
UP_TO_THE_END = -1
# How long a new topic may take until the broker that we ask knows it.
_SEEN_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to be created. With `assignments` the replicas of each partition are given instead of numbers."""

    name: str
    partitions: int = BROKER_DEFAULT
    replication_factor: int = BROKER_DEFAULT
    configs: Mapping[str, str] = field(default_factory=dict)
    assignments: Mapping[int, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CreatedTopic:
    """A topic that was created, or could be. What we may not describe is -1 or None."""

    name: str
    topic_id: Uuid
    partitions: int
    replication_factor: int
    configs: Mapping[str, str | None] | None


@dataclass(frozen=True, slots=True)
class PartitionDescription:
    """One partition; the leader is -1 while there is none. The eligible leaders are those of KIP-966."""

    index: int
    leader_id: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    offline_replicas: tuple[int, ...]
    eligible_leaders: tuple[int, ...]
    last_known_eligible_leaders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicDescription:
    """One topic with its partitions, in order, and what we may do to it."""

    name: str
    topic_id: Uuid
    is_internal: bool
    partitions: tuple[PartitionDescription, ...]
    allowed_operations: frozenset[Operation] | None = None


class TopicAdmin(AdminCalls):
    """What can be done to topics."""

    async def create_topic(
        self,
        name: str,
        *,
        partitions: int = BROKER_DEFAULT,
        replication_factor: int = BROKER_DEFAULT,
        configs: Mapping[str, str] | None = None,
        timeout_ms: int | None = None,
    ) -> CreatedTopic:
        """Create one topic; ApiError says why it could not be.

        >>> created = await admin.create_topic("orders", partitions=3, configs={"cleanup.policy": "compact"})
        >>> created.partitions
        3
        """
        topic = NewTopic(name, partitions, replication_factor, configs or {})
        return (await self.create_topics([topic], timeout_ms=timeout_ms))[name]

    async def create_topics(
        self, topics: Iterable[NewTopic], *, validate_only: bool = False, timeout_ms: int | None = None
    ) -> Outcomes[str, CreatedTopic]:
        """Create topics, and wait until the broker that we talk to knows them; or only check whether they could be created.

        >>> outcomes = await admin.create_topics([NewTopic("a"), NewTopic("b", partitions=2), NewTopic("not valid!")])
        >>> sorted(outcomes.results), list(outcomes.errors)
        (['a', 'b'], ['not valid!'])
        """
        deadline = self._deadline(timeout_ms)
        wanted = {topic.name: topic for topic in topics}

        async def attempt(names: list[str]) -> Iterable[Row[str, CreatedTopic]]:
            request = CreateTopicsRequest(
                topics=[_creatable(wanted[name]) for name in names],
                timeout_ms=self._broker_ms(deadline),
                validate_only=validate_only,
            )
            response = await self._ask_any(request, CreateTopicsResponse, deadline)
            return [
                (row.name, outcome(_created(row), row.error_code, row.error_message, f"topic {row.name}"))
                for row in response.topics
            ]

        created = await self._each(wanted, attempt, deadline)
        if not validate_only:
            await self._until_seen(created.results, deadline)
        return created

    async def delete_topic(self, name: str, *, timeout_ms: int | None = None) -> None:
        """Delete one topic; ApiError says why it could not be.

        >>> created = await admin.create_topic("short-lived")
        >>> await admin.delete_topic("short-lived")
        >>> await admin.delete_topic("short-lived")
        Traceback (most recent call last):
        snakka.protocol.errors.ApiError: UNKNOWN_TOPIC_OR_PARTITION: topic short-lived does not exist
        """
        return (await self.delete_topics([name], timeout_ms=timeout_ms))[name]

    async def delete_topics(
        self, names: Iterable[str], *, timeout_ms: int | None = None
    ) -> Outcomes[str, None]:
        """Delete topics and all their records."""
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[str]) -> Iterable[Row[str, None]]:
            states = [DeleteTopicState(name=name) for name in pending]
            response = await self._delete(states, pending, deadline)
            return [
                (row.name or "", outcome(None, row.error_code, row.error_message, f"topic {row.name}"))
                for row in response.responses
            ]

        return await self._each(names, attempt, deadline)

    async def delete_topics_by_id(
        self, topic_ids: Iterable[Uuid], *, timeout_ms: int | None = None
    ) -> Outcomes[Uuid, None]:
        """Delete these topics, and not others that bear their names meanwhile."""
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[Uuid]) -> Iterable[Row[Uuid, None]]:
            states = [DeleteTopicState(name=None, topic_id=topic_id) for topic_id in pending]
            response = await self._delete(states, [], deadline)
            return [
                (row.topic_id, outcome(None, row.error_code, row.error_message, _shown(row.topic_id)))
                for row in response.responses
            ]

        return await self._each(topic_ids, attempt, deadline)

    async def list_topics(
        self, *, include_internal: bool = False, timeout_ms: int | None = None
    ) -> list[TopicView]:
        """Every topic, by name.

        >>> created = await admin.create_topic("listed")
        >>> [topic.name for topic in await admin.list_topics()]
        ['listed']
        """
        topics = await self.cluster.all_topics(self._deadline(timeout_ms))
        return [topic for topic in topics if include_internal or not topic.is_internal]

    async def describe_topics(
        self, names: Iterable[str], *, timeout_ms: int | None = None
    ) -> Outcomes[str, TopicDescription]:
        """Who leads and who replicates each partition.

        >>> created = await admin.create_topic("described", partitions=2)
        >>> topics = await admin.describe_topics(["described"])
        >>> [partition.index for partition in topics["described"].partitions]
        [0, 1]
        """
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[str]) -> Iterable[Row[str, TopicDescription]]:
            found: dict[str, DescribeTopicPartitionsResponseTopic] = {}
            cursor: DescribeTopicPartitionsRequestCursor | None = None
            while True:
                request = DescribeTopicPartitionsRequest(
                    topics=[TopicRequest(name=name) for name in sorted(pending)], cursor=cursor
                )
                response = await self._ask_any(request, DescribeTopicPartitionsResponse, deadline)
                for row in response.topics:
                    begun = found.setdefault(row.name or "", row)
                    if begun is not row:
                        begun.partitions += row.partitions
                after = response.next_cursor
                if after is None:
                    return [(name, _described(row)) for name, row in found.items()]
                cursor = DescribeTopicPartitionsRequestCursor(
                    topic_name=after.topic_name, partition_index=after.partition_index
                )

        return await self._each(names, attempt, deadline)

    async def describe_topics_by_id(
        self, topic_ids: Iterable[Uuid], *, timeout_ms: int | None = None
    ) -> Outcomes[Uuid, TopicDescription]:
        """As `describe_topics`, for topics that are known by their ids."""
        deadline = self._deadline(timeout_ms)
        wanted = list(dict.fromkeys(topic_ids))
        for topic_id in wanted:
            known = self.cluster.known_topic_by_id(topic_id)
            if known is not None:
                self.cluster.forget(known.name)
        found = await self.cluster.topics_by_id(wanted, deadline)
        described = await self.describe_topics(
            [topic.name for topic in found.values()], timeout_ms=timeout_ms
        )
        rows: list[Row[Uuid, TopicDescription]] = []
        for topic_id in wanted:
            name = found[topic_id].name if topic_id in found else ""
            if name in described.errors:
                rows.append((topic_id, described.errors[name]))
            elif name and described[name].topic_id == topic_id:
                rows.append((topic_id, described[name]))
            else:
                rows.append((topic_id, failure(ErrorCode.UNKNOWN_TOPIC_ID, None, _shown(topic_id))))
        return outcomes_of(rows)

    async def create_partitions(
        self,
        counts: Mapping[str, int],
        *,
        assignments: Mapping[str, Sequence[Sequence[int]]] | None = None,
        validate_only: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[str, None]:
        """Give topics more partitions, so that each has as many as `counts` says; there can't be fewer.

        `assignments` has the replicas of each new partition.

        >>> created = await admin.create_topic("growing", partitions=1)
        >>> (await admin.create_partitions({"growing": 4})).raise_for_errors()
        {'growing': None}
        """
        deadline = self._deadline(timeout_ms)
        given = assignments or {}

        async def attempt(pending: list[str]) -> Iterable[Row[str, None]]:
            topics = [
                CreatePartitionsTopic(
                    name=name,
                    count=counts[name],
                    assignments=[CreatePartitionsAssignment(broker_ids=list(ids)) for ids in given[name]]
                    if name in given
                    else None,
                )
                for name in pending
            ]
            request = CreatePartitionsRequest(
                topics=topics, timeout_ms=self._broker_ms(deadline), validate_only=validate_only
            )
            response = await self._ask_any(request, CreatePartitionsResponse, deadline)
            return [
                (row.name, outcome(None, row.error_code, row.error_message, f"topic {row.name}"))
                for row in response.results
            ]

        grown = await self._each(counts, attempt, deadline)
        for name in grown.results:
            self.cluster.forget(name)
        return grown

    async def delete_records(
        self, before: Mapping[TopicPartition, int], *, timeout_ms: int | None = None
    ) -> Outcomes[TopicPartition, int]:
        """Delete the records before these offsets, UP_TO_THE_END for all; the results are where the logs begin now."""
        deadline = self._deadline(timeout_ms)

        async def ask(leader_id: int, topics: Mapping[str, list[int]]) -> Iterable[Row[TopicPartition, int]]:
            request = DeleteRecordsRequest(timeout_ms=self._broker_ms(deadline))
            for name, indexes in topics.items():
                partitions = [
                    DeleteRecordsPartition(partition_index=index, offset=before[TopicPartition(name, index)])
                    for index in indexes
                ]
                request.topics.append(DeleteRecordsTopic(name=name, partitions=partitions))
            response = await self._ask_leader(leader_id, request, DeleteRecordsResponse, deadline)
            return [
                (key, outcome(row.low_watermark, row.error_code, None, str(key)))
                for topic in response.topics
                for row in topic.partitions
                for key in (TopicPartition(topic.name, row.partition_index),)
            ]

        return await self._at_leaders(before, ask, deadline)

    async def _delete(
        self, states: list[DeleteTopicState], names: list[str], deadline: float
    ) -> DeleteTopicsResponse:
        request = DeleteTopicsRequest(topics=states, topic_names=names, timeout_ms=self._broker_ms(deadline))
        response = await self._ask_any(request, DeleteTopicsResponse, deadline)
        for row in response.responses:
            self.cluster.forget(row.name or "")
        return response

    async def _until_seen(self, names: Iterable[str], deadline: float) -> None:
        """A broker hears of a new topic a moment after the controller has created it."""
        ends = min(deadline, self.cluster.clock.monotonic() + _SEEN_SECONDS)

        async def wait(name: str) -> None:
            pauses = Pauses(self.cluster.clock, ends, self.cluster.backoff)
            while not await self._is_seen(name, ends):
                await pauses.wait(RequestTimedOutError(f"topic {name} is not seen in time"))

        await self._each_alone(names, wait)  # whatever comes of it, they are created

    async def _is_seen(self, name: str, deadline: float) -> bool:
        try:
            await self.cluster.topic(name, deadline)
        except ApiError as error:
            if error.code is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                raise
            return False
        return True


def _creatable(topic: NewTopic) -> CreatableTopic:
    return CreatableTopic(
        name=topic.name,
        num_partitions=topic.partitions,
        replication_factor=topic.replication_factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=list(broker_ids))
            for index, broker_ids in topic.assignments.items()
        ],
        configs=[CreatableTopicConfig(name=key, value=value) for key, value in topic.configs.items()],
    )


def _created(row: CreatableTopicResult) -> CreatedTopic:
    configs = None if row.configs is None else {config.name: config.value for config in row.configs}
    return CreatedTopic(row.name, row.topic_id, row.num_partitions, row.replication_factor, configs)


def _described(row: DescribeTopicPartitionsResponseTopic) -> TopicDescription | ApiError:
    if row.error_code:
        return failure(row.error_code, None, f"topic {row.name}")
    partitions = sorted(map(_partition, row.partitions), key=lambda partition: partition.index)
    return TopicDescription(
        row.name or "",
        row.topic_id,
        row.is_internal,
        tuple(partitions),
        allowed_operations(row.topic_authorized_operations),
    )


def _partition(row: DescribeTopicPartitionsResponsePartition) -> PartitionDescription:
    return PartitionDescription(
        row.partition_index,
        row.leader_id,
        row.leader_epoch,
        tuple(row.replica_nodes),
        tuple(row.isr_nodes),
        tuple(row.offline_replicas),
        tuple(row.eligible_leader_replicas or ()),
        tuple(row.last_known_elr or ()),
    )


def _shown(topic_id: Uuid) -> str:
    return f"the topic of id {uuid_text(topic_id)}"
