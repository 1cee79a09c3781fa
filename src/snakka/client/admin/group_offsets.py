"""The offsets that groups have committed: list, change and delete them.

Rule: topics go by name here, so that offsets of topics that are gone can be seen and deleted too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, failure, outcome, outcomes_of
from snakka.client.coordinators import CoordinatorKind
from snakka.client.topic_partition import TopicPartition, by_topic
from snakka.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from snakka.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
)
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)

# From the next version on topics go by id.
_NEWEST_COMMIT_BY_NAME = 9
_NEWEST_FETCH_BY_NAME = 9
_NOTHING_COMMITTED = -1


@dataclass(frozen=True, slots=True)
class CommittedOffset:
    """The offset of the next record that a group wants to read of a partition."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


class GroupOffsetAdmin(AdminCalls):
    """What can be done to groups' offsets."""

    async def list_group_offsets(
        self,
        group_id: str,
        partitions: Iterable[TopicPartition] | None = None,
        *,
        require_stable: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[TopicPartition, CommittedOffset]:
        """What a group has committed, for these partitions or for all; where nothing is committed nothing is listed.

        With `require_stable` it waits until no transaction is about to change it.

        >>> created = await admin.create_topic("orders")
        >>> done = await admin.alter_group_offsets("readers", {TopicPartition("orders", 0): 0})
        >>> offsets = await admin.list_group_offsets("readers")
        >>> offsets[TopicPartition("orders", 0)].offset
        0
        """
        deadline = self._deadline(timeout_ms)
        topics = None
        if partitions is not None:
            topics = [
                OffsetFetchRequestTopics(name=name, partition_indexes=indexes)
                for name, indexes in by_topic(partitions).items()
            ]
        request = OffsetFetchRequest(
            groups=[OffsetFetchRequestGroup(group_id=group_id, topics=topics)], require_stable=require_stable
        )
        response = await self._ask_coordinator(
            CoordinatorKind.GROUP,
            group_id,
            request,
            OffsetFetchResponse,
            deadline,
            rows=_fetched_rows,
            newest=_NEWEST_FETCH_BY_NAME,
        )
        group = response.groups[0]
        if group.error_code:
            raise failure(group.error_code, None, f"group {group_id}")
        rows: list[Row[TopicPartition, CommittedOffset]] = []
        for topic in group.topics:
            for row in topic.partitions:
                key = TopicPartition(topic.name, row.partition_index)
                found = CommittedOffset(row.committed_offset, row.committed_leader_epoch, row.metadata or "")
                if row.error_code or row.committed_offset != _NOTHING_COMMITTED:
                    rows.append((key, outcome(found, row.error_code, None, str(key))))
        return outcomes_of(rows)

    async def alter_group_offsets(
        self,
        group_id: str,
        offsets: Mapping[TopicPartition, int | CommittedOffset],
        *,
        timeout_ms: int | None = None,
    ) -> Outcomes[TopicPartition, None]:
        """Commit offsets for a group that has no members now."""
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[TopicPartition]) -> Iterable[Row[TopicPartition, None]]:
            request = OffsetCommitRequest(
                group_id=group_id,
                topics=[
                    OffsetCommitRequestTopic(
                        name=name,
                        partitions=[
                            _committed(index, offsets[TopicPartition(name, index)]) for index in indexes
                        ],
                    )
                    for name, indexes in by_topic(pending).items()
                ],
            )
            response = await self._ask_coordinator(
                CoordinatorKind.GROUP,
                group_id,
                request,
                OffsetCommitResponse,
                deadline,
                rows=lambda answer: (row for topic in answer.topics for row in topic.partitions),
                newest=_NEWEST_COMMIT_BY_NAME,
            )
            return [
                (key, outcome(None, row.error_code, None, f"group {group_id}, {key}"))
                for topic in response.topics
                for row in topic.partitions
                for key in (TopicPartition(topic.name, row.partition_index),)
            ]

        return await self._each(offsets, attempt, deadline)

    async def delete_group_offsets(
        self, group_id: str, partitions: Iterable[TopicPartition], *, timeout_ms: int | None = None
    ) -> Outcomes[TopicPartition, None]:
        """Forget what a group has committed for partitions that it does not read now."""
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[TopicPartition]) -> Iterable[Row[TopicPartition, None]]:
            request = OffsetDeleteRequest(
                group_id=group_id,
                topics=[
                    OffsetDeleteRequestTopic(
                        name=name,
                        partitions=[OffsetDeleteRequestPartition(partition_index=index) for index in indexes],
                    )
                    for name, indexes in by_topic(pending).items()
                ],
            )
            response = await self._ask_coordinator(
                CoordinatorKind.GROUP, group_id, request, OffsetDeleteResponse, deadline
            )
            return [
                (key, outcome(None, row.error_code, None, f"group {group_id}, {key}"))
                for topic in response.topics
                for row in topic.partitions
                for key in (TopicPartition(topic.name, row.partition_index),)
            ]

        return await self._each(partitions, attempt, deadline)


def _fetched_rows(response: OffsetFetchResponse) -> Iterable[object]:
    for group in response.groups:
        yield group
        for topic in group.topics:
            yield from topic.partitions


def _committed(index: int, offset: int | CommittedOffset) -> OffsetCommitRequestPartition:
    wanted = CommittedOffset(offset) if isinstance(offset, int) else offset
    return OffsetCommitRequestPartition(
        partition_index=index,
        committed_offset=wanted.offset,
        committed_leader_epoch=wanted.leader_epoch,
        committed_metadata=wanted.metadata,
    )
