"""Where logs begin and end, and the offsets of times: asked of the partitions' leaders."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, outcome
from snakka.client.topic_partition import TopicPartition
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)

_A_CONSUMER = -1


class OffsetSpec(IntEnum):
    """Offsets that are known by a name; everything from 0 on is a time in milliseconds."""

    LATEST = -1
    EARLIEST = -2
    MAX_TIMESTAMP = -3
    EARLIEST_LOCAL = -4
    LATEST_TIERED = -5
    EARLIEST_PENDING_UPLOAD = -6


@dataclass(frozen=True, slots=True)
class ListedOffset:
    """An offset, -1 if there is none for the time; with the record's time and the leader epoch where those are known."""

    offset: int
    timestamp_ms: int
    leader_epoch: int


class OffsetAdmin(AdminCalls):
    """What can be asked of partitions' leaders about offsets."""

    async def list_offsets(
        self,
        wanted: Mapping[TopicPartition, int],
        *,
        read_committed: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[TopicPartition, ListedOffset]:
        """The offset of an OffsetSpec, or of the first record at a time in milliseconds or later.

        With `read_committed` logs end before the first open transaction.

        >>> created = await admin.create_topic("orders")
        >>> end = await admin.list_offsets({TopicPartition("orders", 0): OffsetSpec.LATEST})
        >>> end[TopicPartition("orders", 0)].offset
        0
        """
        deadline = self._deadline(timeout_ms)

        async def ask(
            leader_id: int, topics: Mapping[str, list[int]]
        ) -> Iterable[Row[TopicPartition, ListedOffset]]:
            request = ListOffsetsRequest(
                replica_id=_A_CONSUMER,
                isolation_level=int(read_committed),
                topics=[
                    ListOffsetsTopic(
                        name=name,
                        partitions=[
                            ListOffsetsPartition(
                                partition_index=index, timestamp=wanted[TopicPartition(name, index)]
                            )
                            for index in indexes
                        ],
                    )
                    for name, indexes in topics.items()
                ],
                timeout_ms=self._broker_ms(deadline),
            )
            response = await self._ask_leader(leader_id, request, ListOffsetsResponse, deadline)
            return [
                (key, outcome(listed, row.error_code, None, str(key)))
                for topic in response.topics
                for row in topic.partitions
                for key in (TopicPartition(topic.name, row.partition_index),)
                for listed in (ListedOffset(row.offset, row.timestamp, row.leader_epoch),)
            ]

        return await self._at_leaders(wanted, ask, deadline)
