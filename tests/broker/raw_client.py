"""A client that says exactly what a test wants, in any version, and shows exactly what comes back.

It knows nothing of retries, metadata or batching: one request, one answer, and a closed connection is an answer too.
"""

import asyncio
import struct
import time
from collections.abc import Sequence

from snakka.protocol.api_keys import API_FACTS, response_class
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from snakka.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
    ReplicaState,
)
from snakka.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from snakka.protocol.record_batch import BatchHeader, iter_headers
from snakka.protocol.request_header import read_response_header, write_request_header
from snakka.protocol.uuids import ZERO_UUID, Uuid

DEADLINE_SECONDS = 15.0
CLIENT_ID = "raw"
_SIZE = struct.Struct(">i")

Address = tuple[str, int]


class ConnectionClosedError(Exception):
    """The broker closed the connection."""


class RawClient:
    """One connection. `topic_ids` fills itself from the topics that are created here."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._correlation_id = 0
        self.topic_ids: dict[str, Uuid] = {}

    @classmethod
    async def open(cls, address: Address) -> "RawClient":
        async with asyncio.timeout(DEADLINE_SECONDS):
            return cls(*await asyncio.open_connection(*address))

    async def __aenter__(self) -> "RawClient":
        return self

    async def __aexit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        self._writer.transport.abort()

    # -- frames ---------------------------------------------------------------------------------------------------

    def send(self, request: Message, version: int | None = None) -> int:
        """Send a request without waiting; its correlation id."""
        self._correlation_id += 1
        self._writer.write(framed(request, version, self._correlation_id))
        return self._correlation_id

    def send_bytes(self, data: bytes) -> None:
        self._writer.write(data)

    async def drain(self) -> None:
        await self._writer.drain()

    async def receive_frame(self, deadline_seconds: float = DEADLINE_SECONDS) -> bytes:
        """The next answer's bytes, without their size; ConnectionClosedError if there is none."""
        try:
            async with asyncio.timeout(deadline_seconds):
                (size,) = _SIZE.unpack(await self._reader.readexactly(4))
                return await self._reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise ConnectionClosedError(str(error)) from None

    async def receive(self, request: Message, version: int | None = None, correlation_id: int | None = None):
        """The next answer, which must be the one to `request`."""
        if version is None:
            version = newest_version(request)
        frame = await self.receive_frame()
        found, position = read_response_header(frame, request.API_KEY, version)
        assert found == (self._correlation_id if correlation_id is None else correlation_id)
        return response_class(request.API_KEY).decode(memoryview(frame), version, position)

    async def ask(self, request: Message, version: int | None = None):
        self.send(request, version)
        return await self.receive(request, version)

    async def wait_until_closed(self) -> None:
        """Returns when the broker has closed the connection; TimeoutError if it does not."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            try:
                while await self._reader.read(65536):
                    pass
            except ConnectionError:
                pass

    # -- what nearly every test does ------------------------------------------------------------------------------

    async def create_topic(self, name: str, partitions: int = 1, **configs: object) -> Uuid:
        """`configs` are the topic's, with underscores for dots."""
        request = CreateTopicsRequest(
            topics=[
                CreatableTopic(
                    name=name,
                    num_partitions=partitions,
                    replication_factor=1,
                    configs=[
                        CreatableTopicConfig(name=key.replace("_", "."), value=str(value))
                        for key, value in configs.items()
                    ],
                )
            ],
            timeout_ms=10_000,
        )
        row = (await self.ask(request)).topics[0]
        assert row.error_code == ErrorCode.NONE, (ErrorCode(row.error_code).name, row.error_message)
        self.topic_ids[name] = row.topic_id
        return row.topic_id

    async def produce(self, topic: str, records: bytes | None, version: int | None = None, **fields: object):
        """The row of the one partition that is written to."""
        request = self.produce_request(topic, records, **fields)
        response = await self.ask(request, version)
        return response.responses[0].partition_responses[0]

    def produce_request(
        self,
        topic: str,
        records: bytes | None,
        *,
        partition: int = 0,
        acks: int = -1,
        transactional_id: str | None = None,
        timeout_ms: int = 10_000,
    ) -> ProduceRequest:
        return ProduceRequest(
            acks=acks,
            timeout_ms=timeout_ms,
            transactional_id=transactional_id,
            topic_data=[
                TopicProduceData(
                    name=topic,
                    topic_id=self.topic_ids.get(topic, ZERO_UUID),
                    partition_data=[PartitionProduceData(index=partition, records=records)],
                )
            ],
        )

    async def fetch(self, topic: str, offset: int = 0, version: int | None = None, **fields: object):
        """The row of the one partition that is read."""
        request = self.fetch_request([(topic, 0, offset)], **fields)
        response = await self.ask(request, version)
        assert response.error_code == ErrorCode.NONE
        return response.responses[0].partitions[0]

    def fetch_request(
        self,
        targets: Sequence[tuple[str, int, int]],
        *,
        max_wait_ms: int = 0,
        min_bytes: int = 1,
        max_bytes: int = 50 << 20,
        partition_max_bytes: int = 1 << 20,
        isolation_level: int = 0,
        session: tuple[int, int] = (0, -1),
        forget: Sequence[tuple[str, int]] = (),
        current_leader_epoch: int = -1,
        last_fetched_epoch: int = -1,
        replica_id: int = -1,
    ) -> FetchRequest:
        """`targets` are topic, partition and offset; `session` is id and epoch. From version 15 on for a replica."""
        topics: dict[str, FetchTopic] = {}
        for topic, partition, offset in targets:
            row = topics.setdefault(
                topic, FetchTopic(topic=topic, topic_id=self.topic_ids.get(topic, ZERO_UUID))
            )
            row.partitions.append(
                FetchPartition(
                    partition=partition,
                    fetch_offset=offset,
                    partition_max_bytes=partition_max_bytes,
                    current_leader_epoch=current_leader_epoch,
                    last_fetched_epoch=last_fetched_epoch,
                )
            )
        return FetchRequest(
            replica_state=ReplicaState(replica_id=replica_id),
            max_wait_ms=max_wait_ms,
            min_bytes=min_bytes,
            max_bytes=max_bytes,
            isolation_level=isolation_level,
            session_id=session[0],
            session_epoch=session[1],
            topics=list(topics.values()),
            forgotten_topics_data=[
                ForgottenTopic(
                    topic=topic, topic_id=self.topic_ids.get(topic, ZERO_UUID), partitions=[partition]
                )
                for topic, partition in forget
            ],
        )

    async def list_offset(
        self,
        topic: str,
        timestamp: int,
        version: int | None = None,
        *,
        partition: int = 0,
        isolation_level: int = 0,
        current_leader_epoch: int = -1,
        replica_id: int = -1,
    ):
        """The row of the one partition that is asked about."""
        row = ListOffsetsPartition(
            partition_index=partition, timestamp=timestamp, current_leader_epoch=current_leader_epoch
        )
        request = ListOffsetsRequest(
            replica_id=replica_id,
            isolation_level=isolation_level,
            topics=[ListOffsetsTopic(name=topic, partitions=[row])],
            timeout_ms=5_000,
        )
        return (await self.ask(request, version)).topics[0].partitions[0]

    async def read_all(self, topic: str, partition: int = 0, offset: int = 0) -> list[Record]:
        """Every record from `offset` to the high watermark."""
        found: list[Record] = []
        while True:
            response = await self.ask(self.fetch_request([(topic, partition, offset)]))
            row = response.responses[0].partitions[0]
            assert row.error_code == ErrorCode.NONE, ErrorCode(row.error_code).name
            records = [record for record in records_of(row) if record.offset >= offset]
            if not records:
                return found
            found += records
            offset = headers_of(row)[-1].next_offset


def parse_address(bootstrap: str) -> Address:
    host, _, port = bootstrap.rpartition(":")
    return host, int(port)


def newest_version(request: Message) -> int:
    facts = API_FACTS[request.API_KEY]
    return facts.max_version - facts.unstable


def all_versions(request_type: type[Message]) -> range:
    """Every version that Kafka serves without asking for unstable ones."""
    facts = API_FACTS[request_type.API_KEY]
    return range(facts.min_version, facts.max_version - facts.unstable + 1)


def framed(
    request: Message, version: int | None = None, correlation_id: int = 0, client_id: str = CLIENT_ID
) -> bytes:
    """A request as it goes over the wire."""
    if version is None:
        version = newest_version(request)
    frame = Frame(4)
    write_request_header(frame, request.API_KEY, version, correlation_id, client_id)
    request.write(frame, version)
    frame.seal()
    return frame.joined()


def batch(
    *values: bytes, key: bytes | None = b"k", timestamp_ms: int | None = None, **header: object
) -> bytes:
    """A batch of one record a value, of now unless told; `header` goes to `build_batch`."""
    now_ms = int(time.time() * 1000) if timestamp_ms is None else timestamp_ms
    return bytes(build_batch([Record(-1, now_ms, key, value) for value in values], **header))


def headers_of(row: PartitionData) -> list[BatchHeader]:
    return [header for _, header in iter_headers(_bytes_of(row))]


def records_of(row: PartitionData) -> list[Record]:
    """The records of all whole batches of a fetched partition, control records included."""
    data = _bytes_of(row)
    return [
        record
        for position, header in iter_headers(data)
        for record in read_records(data[position : position + header.size])
    ]


def values_of(row: PartitionData) -> list[bytes | None]:
    return [record.value for record in records_of(row)]


def _bytes_of(row: PartitionData) -> bytes:
    return bytes(row.records or b"")
