"""A scripted broker that serves one log as brokers do, with fetch sessions, until a test wants it otherwise."""

import asyncio
from collections.abc import Callable
from typing import Any

from tests.client.scripted_broker import ScriptedBroker

from snakka.protocol.api_keys import ApiKey
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from snakka.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)
from snakka.protocol.record_batch import stamp

TOPIC, TOPIC_ID = "orders", b"o" * 16
WAIT_SECONDS = 0.02


class ScriptedLog:
    """One partition of TOPIC at one broker. `spoil` may change a row of a fetch before it is sent."""

    def __init__(self, broker: ScriptedBroker, count: int = 0, epoch: int = 0) -> None:
        self.broker = broker
        self.count = count
        self.epoch = epoch  # of all records
        self.epoch_ends: dict[int, tuple[int, int]] = {}  # epoch asked for: epoch and end offset
        self.session_id = 7
        self.wait_seconds = WAIT_SECONDS  # for records, where there are none
        self.response_error = ErrorCode.NONE
        self.spoil: Callable[[int, PartitionData], PartitionData | None] = lambda offset, row: None
        self._session: dict[int, int] = {}  # offset by partition
        broker.answers[ApiKey.FETCH] = self._fetch
        broker.answers[ApiKey.LIST_OFFSETS] = self._list_offsets
        broker.answers[ApiKey.OFFSET_FOR_LEADER_EPOCH] = self._epochs

    @property
    def fetches(self) -> list[Any]:
        return self.broker.asked(ApiKey.FETCH)

    @property
    def offsets_asked_for(self) -> list[int]:
        return [
            row.fetch_offset
            for request in self.fetches
            for topic in request.topics
            for row in topic.partitions
        ]

    async def _fetch(self, request: Any) -> FetchResponse:
        if self.response_error:
            code, self.response_error = self.response_error, ErrorCode.NONE
            return FetchResponse(error_code=code)
        if request.session_epoch <= 0:
            self._session = {}
        for topic in request.forgotten_topics_data:
            for partition in topic.partitions:
                self._session.pop(partition, None)
        for topic in request.topics:
            for row in topic.partitions:
                self._session[row.partition] = row.fetch_offset
        rows = [self._row(partition, offset) for partition, offset in self._session.items()]
        rows = [row for row in rows if row.records or row.error_code or row.preferred_read_replica >= 0]
        if not rows and self._session:
            await asyncio.sleep(self.wait_seconds)
        return FetchResponse(
            session_id=self.session_id,
            responses=[FetchableTopicResponse(topic_id=TOPIC_ID, partitions=rows)] if rows else [],
        )

    def _row(self, partition: int, offset: int) -> PartitionData:
        records = b""
        if offset < self.count:
            rows = [
                Record(-1, 0, None, b"%d" % number) for number in range(offset, min(self.count, offset + 5))
            ]
            batch = build_batch(rows)
            stamp(batch, 0, offset, self.epoch)
            records = bytes(batch)
        row = PartitionData(
            partition_index=partition,
            high_watermark=self.count,
            last_stable_offset=self.count,
            log_start_offset=0,
            records=records,
        )
        return self.spoil(offset, row) or row

    def _list_offsets(self, request: Any) -> ListOffsetsResponse:
        return ListOffsetsResponse(
            topics=[
                ListOffsetsTopicResponse(
                    name=topic.name,
                    partitions=[
                        ListOffsetsPartitionResponse(
                            partition_index=row.partition_index,
                            offset=0 if row.timestamp == -2 else self.count,
                            leader_epoch=self.epoch,
                        )
                        for row in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )

    def _epochs(self, request: Any) -> OffsetForLeaderEpochResponse:
        return OffsetForLeaderEpochResponse(
            topics=[
                OffsetForLeaderTopicResult(
                    topic=topic.topic,
                    partitions=[
                        EpochEndOffset(partition=row.partition, leader_epoch=found[0], end_offset=found[1])
                        for row in topic.partitions
                        for found in [self.epoch_ends.get(row.leader_epoch, (row.leader_epoch, self.count))]
                    ],
                )
                for topic in request.topics
            ]
        )


def refused(offset: int, row: PartitionData, code: ErrorCode) -> PartitionData:
    """As brokers refuse a partition."""
    return PartitionData(
        partition_index=row.partition_index,
        error_code=code,
        high_watermark=-1,
        records=b"",
        aborted_transactions=None,
    )
