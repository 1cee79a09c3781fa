"""A simple consumer without a group: it is told where to begin, and reads on from there.

Rule: a position moves only past what was returned. Records of aborted transactions are returned like all others; what a
broker needs for itself (control records) is not.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple, TypeVar

from snakka.client.cluster_view import ClusterView, TopicView
from snakka.client.errors import ClientError
from snakka.client.retry_policy import RETRIABLE, Pauses
from snakka.protocol.batch_reader import Headers, read_records
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from snakka.protocol.record_batch import HEADER_SIZE, BatchHeader, Bytes, crc_matches, read_header

EARLIEST, LATEST = -2, -1

FETCH_BYTES = 8 * 1024 * 1024
PARTITION_BYTES = 1024 * 1024
WAIT_SECONDS = 0.5
# A broker that answers at the deadline, or restarts just then, is given this much more.
GRACE_SECONDS = 5.0
_CONSUMER_REPLICA_ID = -1

A = TypeVar("A")
T = TypeVar("T")


class ConsumedRecord(NamedTuple):
    """One record and where it was found."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: Headers


class Consumer:
    """Reads partitions of one topic."""

    def __init__(self, cluster: ClusterView, topic: str) -> None:
        self._cluster = cluster
        self._topic = topic
        self.positions: dict[
            int, int
        ] = {}  # the next offset by partition; set it to say what to read from where

    async def offsets(self, timestamp: int, *, deadline: float) -> dict[int, int]:
        """By partition: the offset of the first record of this time or later, or of EARLIEST or LATEST."""
        return await self._retry(self._offsets, timestamp, deadline)

    async def poll(self, *, deadline: float) -> list[ConsumedRecord]:
        """The next records; none if there are none until the deadline. ApiError for a position that does not exist."""
        clock = self._cluster.pool.clock
        while True:
            wait_seconds = min(max(deadline - clock.monotonic(), 0), WAIT_SECONDS)
            records = await self._retry(self._fetch_all, wait_seconds, deadline + GRACE_SECONDS)
            if records or clock.monotonic() >= deadline:
                return records

    # -- finding offsets ------------------------------------------------------------------------------------------

    async def _offsets(self, timestamp: int, deadline: float) -> dict[int, int]:
        topic = await self._cluster.topic(self._topic, deadline)
        offsets: dict[int, int] = {}
        for broker, partitions in self._cluster.by_leader(topic, range(len(topic.partitions))).items():
            rows = [ListOffsetsPartition(partition_index=index, timestamp=timestamp) for index in partitions]
            request = ListOffsetsRequest(
                replica_id=_CONSUMER_REPLICA_ID, topics=[ListOffsetsTopic(name=topic.name, partitions=rows)]
            )
            response = await self._cluster.pool.ask(broker, request, ListOffsetsResponse, deadline)
            for answered in response.topics:
                for row in answered.partitions:
                    _raise_error(topic.name, row.partition_index, row.error_code)
                    offsets[row.partition_index] = row.offset
        return offsets

    # -- fetching -------------------------------------------------------------------------------------------------

    async def _fetch_all(self, wait_seconds: float, deadline: float) -> list[ConsumedRecord]:
        """One fetch from each leader, all at the same time."""
        topic = await self._cluster.topic(self._topic, deadline)
        groups = self._cluster.by_leader(topic, self.positions)
        answers = await asyncio.gather(
            *(
                self._fetch(broker, topic, partitions, wait_seconds, deadline)
                for broker, partitions in groups.items()
            )
        )
        records: list[ConsumedRecord] = []
        for row in (row for rows in answers for row in rows):
            if row.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
                raise await self._out_of_range(row.partition_index, deadline)
            if row.error_code != ErrorCode.NONE and records:
                break  # those that were read first; the error comes back
            _raise_error(topic.name, row.partition_index, row.error_code)
            records += self._take(row)
        return records

    async def _fetch(
        self,
        broker: int,
        topic: TopicView,
        partitions: list[int],
        wait_seconds: float,
        deadline: float,
    ) -> list[PartitionData]:
        rows = [
            FetchPartition(
                partition=index,
                current_leader_epoch=topic.partitions[index].leader_epoch,
                fetch_offset=self.positions[index],
                partition_max_bytes=PARTITION_BYTES,
            )
            for index in partitions
        ]
        request = FetchRequest(
            max_wait_ms=int(wait_seconds * 1000),
            min_bytes=1,
            max_bytes=FETCH_BYTES,
            topics=[FetchTopic(topic=topic.name, topic_id=topic.topic_id, partitions=rows)],
        )
        response = await self._cluster.pool.ask(broker, request, FetchResponse, deadline)
        if response.error_code != ErrorCode.NONE:
            raise ApiError(ErrorCode(response.error_code), f"fetching {topic.name}")
        return [row for answered in response.responses for row in answered.partitions]

    def _take(self, row: PartitionData) -> Iterator[ConsumedRecord]:
        """The records of a fetched partition from the position on; the position follows."""
        index = row.partition_index
        received = row.records
        assert received is None or isinstance(received, bytes | memoryview)  # it came over the wire
        for batch, header in whole_batches(received or b""):
            if not header.is_control:
                for record in read_records(batch):
                    if record.offset >= self.positions[index]:
                        yield ConsumedRecord(
                            self._topic,
                            index,
                            record.offset,
                            record.timestamp,
                            record.key,
                            record.value,
                            record.headers,
                        )
            # To the end: who is served first must not always be the same, since the last may get nothing.
            self.positions[index] = max(self.positions.pop(index), header.next_offset)

    async def _out_of_range(self, index: int, deadline: float) -> ApiError:
        first = (await self._offsets(EARLIEST, deadline))[index]
        last = (await self._offsets(LATEST, deadline))[index]
        return ApiError(
            ErrorCode.OFFSET_OUT_OF_RANGE,
            f"{self._topic}-{index} has the offsets {first} to {last}, not {self.positions[index]}",
        )

    async def _retry(self, attempt: Callable[[A, float], Awaitable[T]], argument: A, deadline: float) -> T:
        pauses = Pauses(self._cluster.pool.clock, deadline)
        while True:
            try:
                return await attempt(argument, deadline)
            except (ApiError, ClientError) as error:
                if isinstance(error, ApiError) and error.code not in RETRIABLE:
                    raise
                self._cluster.forget(self._topic)
                await pauses.wait(error)


def whole_batches(records: Bytes) -> Iterator[tuple[memoryview, BatchHeader]]:
    """The batches of a fetched partition. The last one may be cut off, and is then left for the next fetch."""
    view = memoryview(records)
    pos = 0
    while len(view) - pos >= HEADER_SIZE:
        header = read_header(view, pos)
        if header.size > len(view) - pos:
            return
        if not crc_matches(view, pos, header):
            raise ProtocolError(f"the batch at offset {header.base_offset} is damaged")
        yield view[pos : pos + header.size], header
        pos += header.size


def _raise_error(topic: str, partition: int, code: int) -> None:
    if code != ErrorCode.NONE:
        raise ApiError(ErrorCode(code), f"{topic}-{partition}")
