"""Clients that read: long polls with and without sessions, in large and small bites, by topic name and by id.

Rule: every record that is read must be where the model has it; reads go on without a gap; and what the broker tells of a log
(high watermark, start) only ever grows while one broker lives.
"""

from __future__ import annotations

from dataclasses import dataclass

from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
)
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from snakka.protocol.uuids import ZERO_UUID
from snakka.testing.simulation.link import Link, UnreachableError
from snakka.testing.simulation.model import PartitionModel, parse_batches
from snakka.testing.simulation.trace import SimulationFailure

_FIRST_WITH_TOPIC_ID = 13
_FIRST_WITH_SESSIONS = 7
_LATEST, _EARLIEST = -1, -2
_SESSION_ERRORS = (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, ErrorCode.INVALID_FETCH_SESSION_EPOCH)
_NO_SUCH_TOPIC = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.INCONSISTENT_TOPIC_ID,
)


@dataclass(eq=False, slots=True)
class Reading:
    """A partition that is read, and what the broker has said of it in this life."""

    partition: PartitionModel
    position: int = 0
    needs_position: bool = False
    # The session knows another position, or nothing of it yet.
    is_news: bool = True
    life: int = -1
    high_watermark: int = -1
    log_start: int = -1


class _Session:
    """A run of fetches over one connection: their version, and the session, if there is one."""

    def __init__(self, version: int, wanted: bool) -> None:
        self.version = version
        self.id = 0
        self.epoch = 0 if wanted and version >= _FIRST_WITH_SESSIONS else -1

    @property
    def by_id(self) -> bool:
        return self.version >= _FIRST_WITH_TOPIC_ID

    def answered(self, response: FetchResponse) -> None:
        if self.epoch < 0:
            return
        if response.session_id == 0:
            self.epoch = -1
        else:
            self.id = response.session_id
            self.epoch += 1


class ConsumerClient:
    """Reads a few partitions for a while, then others."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._world = link.world
        self._chance = link.chance
        self._readings: dict[PartitionModel, Reading] = {}

    async def run(self) -> None:
        while not self._world.is_ending:
            try:
                await self._read_for_a_while()
            except UnreachableError:
                await self._link.pause(0.2)
            await self._link.pause(0.02)
        self._link.close()

    async def _read_for_a_while(self) -> None:
        chosen = self._choose()
        if not chosen:
            await self._link.pause(0.2)
            return
        version = await self._link.version_of(ApiKey.FETCH, 4, 18)
        session = _Session(version, self._chance.random() < 0.7)
        for reading in chosen:
            reading.is_news = True
        for _ in range(self._chance.randint(1, 12)):
            if self._world.is_ending or any(one.partition.topic.is_gone for one in chosen):
                return
            for reading in chosen:
                if reading.needs_position:
                    await self._find_position(reading)
            if not await self._fetch(session, chosen):
                return
            if session.epoch > 0 and len(chosen) > 1 and self._chance.random() < 0.1:
                await self._forget(session, chosen)

    def _choose(self) -> list[Reading]:
        partitions = [
            partition
            for topic in self._world.model.living_topics()
            for partition in topic.partitions.values()
        ]
        chosen = self._chance.sample(partitions, min(len(partitions), self._chance.randint(1, 4)))
        return [self._readings.setdefault(partition, Reading(partition)) for partition in chosen]

    # Fetching.

    async def _fetch(self, session: _Session, chosen: list[Reading]) -> bool:
        """False if the session is over."""
        rows = [one for one in chosen if session.epoch <= 0 or one.is_news]
        response = await self._ask(session, rows, [])
        if response.error_code in _SESSION_ERRORS:
            return False
        if response.error_code:
            raise SimulationFailure(f"a fetch failed: {ErrorCode(response.error_code).name}")
        session.answered(response)
        self._world.look()
        by_key = {self._key(session, one): one for one in chosen}
        told = 0
        for topic in response.responses:
            for row in topic.partitions:
                key = (topic.topic_id if session.by_id else topic.topic, row.partition_index)
                reading = by_key.get(key)
                if reading is None:
                    raise SimulationFailure(f"a fetch answers for {key}, which was not asked for")
                told += 1
                self._judge(reading, row)
        if session.epoch < 0 and told != len(rows):
            raise SimulationFailure(f"a fetch of {len(rows)} partitions answers for {told}")
        return True

    async def _ask(self, session: _Session, rows: list[Reading], forgotten: list[Reading]) -> FetchResponse:
        by_topic: dict[PartitionModel, FetchTopic] = {}
        for one in rows:
            topic = one.partition.topic
            asked = by_topic[one.partition] = FetchTopic(
                topic=topic.name, topic_id=topic.topic_id or ZERO_UUID
            )
            asked.partitions.append(
                FetchPartition(
                    partition=one.partition.index,
                    fetch_offset=one.position,
                    partition_max_bytes=self._chance.choice((1, 500, 5_000, 1 << 20)),
                )
            )
            one.is_news = False
        wait_ms = self._chance.choice((0, 50, 500, 3_000))
        request = FetchRequest(
            max_wait_ms=wait_ms,
            min_bytes=self._chance.choice((0, 1, 1, 5_000)),
            max_bytes=self._chance.choice((1, 2_000, 1 << 20)),
            isolation_level=self._chance.randint(0, 1),
            session_id=session.id,
            session_epoch=session.epoch,
            topics=list(by_topic.values()),
            forgotten_topics_data=[
                ForgottenTopic(
                    topic=one.partition.topic.name,
                    topic_id=one.partition.topic.topic_id or ZERO_UUID,
                    partitions=[one.partition.index],
                )
                for one in forgotten
            ],
        )
        seconds = wait_ms / 1000 + 10.0
        response: FetchResponse = await self._link.request(request, seconds=seconds, version=session.version)
        return response

    async def _forget(self, session: _Session, chosen: list[Reading]) -> None:
        """Leave one partition out of the session from now on."""
        gone = chosen.pop(self._chance.randrange(len(chosen)))
        response = await self._ask(session, [], [gone])
        if not response.error_code:
            session.answered(response)
            # What it says of the others is said again: positions have not moved.
            for reading in chosen:
                reading.is_news = True

    @staticmethod
    def _key(session: _Session, reading: Reading) -> tuple[str | bytes | None, int]:
        topic = reading.partition.topic
        return (topic.topic_id if session.by_id else topic.name, reading.partition.index)

    # Answers.

    def _judge(self, reading: Reading, row: PartitionData) -> None:
        partition = reading.partition
        error = ErrorCode(row.error_code)
        topic = partition.topic
        if topic.is_gone or topic.deletion_was_sent:
            reading.needs_position = True
            return  # by its name it may be another one now
        if error == ErrorCode.NONE:
            self._check_progress(reading, row)
            self._take(reading, row)
        elif error == ErrorCode.OFFSET_OUT_OF_RANGE:
            self._out_of_range(reading)
        elif error == ErrorCode.KAFKA_STORAGE_ERROR:
            if not self._world.disk_failed_in(self._link.life):
                raise partition.fail("KAFKA_STORAGE_ERROR, though no disk has failed")
        elif error in _NO_SUCH_TOPIC:
            raise partition.fail(f"a fetch says {error.name}, though nobody has deleted it")
        elif error != ErrorCode.NOT_LEADER_OR_FOLLOWER:
            raise partition.fail(f"a fetch says {error.name}")

    def _check_progress(self, reading: Reading, row: PartitionData) -> None:
        life = self._link.life
        if reading.life == life:
            if row.high_watermark < reading.high_watermark:
                raise reading.partition.fail(
                    f"a reader saw the high watermark at {reading.high_watermark}, then at {row.high_watermark}"
                )
            if 0 <= row.log_start_offset < reading.log_start:
                raise reading.partition.fail(
                    f"a reader saw the log start at {reading.log_start}, then at {row.log_start_offset}"
                )
        reading.life = life
        reading.high_watermark, reading.log_start = row.high_watermark, row.log_start_offset

    def _take(self, reading: Reading, row: PartitionData) -> None:
        partition, life = reading.partition, self._link.life
        data = bytes(row.records) if isinstance(row.records, memoryview | bytes | bytearray) else b""
        position = reading.position
        for header, _, records in parse_batches(data):
            if header.last_offset < position:
                raise partition.fail(f"a read at {position} gives a batch that ends at {header.last_offset}")
            if header.base_offset > position and not partition.topic.may_compact:
                raise partition.fail(f"a read at {position} goes on at {header.base_offset}")
            if header.last_offset >= row.high_watermark:
                raise partition.fail(
                    f"{header.last_offset} was read, the high watermark is {row.high_watermark}"
                )
            for record in records:
                partition.check_read(header, record, life)
            position = header.next_offset
        if position != reading.position:
            self._world.promised()
            reading.position = position
            reading.is_news = True

    def _out_of_range(self, reading: Reading) -> None:
        partition, position = reading.partition, reading.position
        lost = self._world.model.power_was_lost_since(0) and not partition.topic.is_synced
        can_be_seen = partition.is_in_reach and self._link.life == self._world.life.number
        if can_be_seen and not lost and partition.start <= position <= partition.end:
            raise partition.fail(f"offset {position} is said to be out of range")
        reading.needs_position = True

    async def _find_position(self, reading: Reading) -> None:
        topic = reading.partition.topic
        asked = ListOffsetsPartition(
            partition_index=reading.partition.index, timestamp=self._chance.choice((_LATEST, _EARLIEST))
        )
        request = ListOffsetsRequest(
            replica_id=-1, topics=[ListOffsetsTopic(name=topic.name, partitions=[asked])]
        )
        version = await self._link.version_of(ApiKey.LIST_OFFSETS, 1, 10)
        response = await self._link.request(request, version=version)
        row = response.topics[0].partitions[0]
        if row.error_code == ErrorCode.NONE:
            reading.position, reading.needs_position, reading.is_news = row.offset, False, True
        else:
            raise UnreachableError("no offset yet")
