"""Clients that write: plain ones, which may write twice, and idempotent ones, which may not; one batch at a time or several.

Rule: a batch is sent until it is acknowledged, its topic is gone, or its outcome can't be known any more. Every answer is
held against the model, and so is every refusal: an idempotent producer is never told that it is out of order, unless it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from snakka.protocol.api_keys import ApiKey
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    TopicProduceData,
)
from snakka.testing.simulation.link import Link, UnreachableError
from snakka.testing.simulation.model import Identity, PartitionModel, SentBatch
from snakka.testing.simulation.trace import SimulationFailure

_FIRST_WITH_TOPIC_ID = 13
_FIRST_WITH_ZSTD = 7
_KEYS = 6

# The broker is going, coming, or slow: later it may work.
_TRY_AGAIN = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
)
_NO_SUCH_TOPIC = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID)


@dataclass(eq=False, slots=True)
class Errand:
    """A batch on its way to a partition. `first_life` is the broker's life that it was first sent to."""

    partition: PartitionModel
    batch: SentBatch
    first_life: int = -1
    is_done: bool = False


@dataclass(eq=False, slots=True)
class Lane:
    """What an idempotent producer knows of a partition that it writes to."""

    next_sequence: int = 0
    # The life in which a batch of this lane was last acknowledged.
    acknowledged_in: int | None = None


class ProducerClient:
    """`depth` is how many requests it has under way; above 1 they all go to one partition."""

    def __init__(self, link: Link, *, idempotent: bool, depth: int, busy_pause: float) -> None:
        self._link = link
        self._world = link.world
        self._chance = link.chance
        self._idempotent = idempotent
        self._depth = depth
        self._busy_pause = busy_pause
        self._identity: Identity | None = None
        self._lanes: dict[PartitionModel, Lane] = {}

    async def run(self) -> None:
        while not self._world.is_ending:
            try:
                await self._work()
            except UnreachableError:
                await self._link.pause(0.2)
            await self._link.pause(self._busy_pause)
        self._link.close()

    async def _work(self) -> None:
        partitions = [
            partition
            for topic in self._world.model.living_topics()
            for partition in topic.partitions.values()
            if not topic.deletion_was_sent
        ]
        if not partitions:
            return
        if self._idempotent and self._identity is None:
            await self._introduce()
        if self._depth > 1:
            chosen = [self._chance.choice(partitions)] * self._chance.randint(2, self._depth)
        else:
            chosen = self._chance.sample(partitions, min(len(partitions), self._chance.randint(1, 3)))
        errands = [Errand(partition, self._new_batch(partition)) for partition in chosen]
        if not self._idempotent and self._depth == 1 and self._chance.random() < 0.1:
            await self._send_blindly(errands)
        else:
            await self._deliver(errands)

    async def _introduce(self) -> None:
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
        version = await self._link.version_of(ApiKey.INIT_PRODUCER_ID, 0, 5)
        response = await self._link.request(request, version=version)
        if response.error_code == ErrorCode.NONE:
            self._identity = Identity(response.producer_id, response.producer_epoch)
            self._lanes.clear()
        elif response.error_code not in (
            ErrorCode.NOT_CONTROLLER,
            ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
            ErrorCode.COORDINATOR_NOT_AVAILABLE,
            ErrorCode.REQUEST_TIMED_OUT,
        ):
            raise SimulationFailure(f"no producer id: {ErrorCode(response.error_code).name}")
        else:
            raise UnreachableError("no producer id yet")

    def _new_batch(self, partition: PartitionModel) -> SentBatch:
        chance = self._chance
        now_ms = self._world.now_ms()
        records = []
        for _ in range(chance.choice((1, 1, 2, 5))):
            key = b"key %d" % chance.randrange(_KEYS)
            value = bytes(chance.choice((0, 10, 200, 2_000)))
            is_tombstone = partition.topic.may_compact and chance.random() < 0.1
            timestamp = now_ms - chance.choice((0, 0, 0, chance.randrange(3_000)))
            records.append(Record(-1, timestamp, key, None if is_tombstone else value))
        sequence = -1
        if self._identity is not None:
            lane = self._lanes.setdefault(partition, Lane())
            sequence = lane.next_sequence
            lane.next_sequence += len(records)
        compression = chance.choice((Compression.NONE, Compression.NONE, Compression.GZIP, Compression.LZ4))
        identity = self._identity or Identity()
        return self._world.model.new_batch(partition.topic, records, identity, sequence, compression)

    async def _send_blindly(self, errands: Sequence[Errand]) -> None:
        """acks=0: whether they arrive is never known."""
        version = await self._link.version_of(ApiKey.PRODUCE, 3, 13)
        await self._link.send_without_answer(self._request(errands, 0, version), version=version)

    async def _deliver(self, errands: list[Errand]) -> None:
        """Until each has an outcome."""
        while errands:
            try:
                if self._depth > 1:
                    await self._send_one_by_one(errands)
                else:
                    await self._send_together(errands)
            except UnreachableError:
                pass
            if self._idempotent and self._identity is None:
                return
            for errand in errands:
                errand.is_done = errand.is_done or errand.partition.topic.is_gone
            errands = [errand for errand in errands if not errand.is_done]
            if errands:
                await self._link.pause(0.1)
                self._world.look()

    async def _send_together(self, errands: Sequence[Errand]) -> None:
        version = await self._link.version_of(ApiKey.PRODUCE, 3, 13)
        request = self._request(errands, self._acks(), version)
        response = await self._link.request(request, seconds=20.0, version=version)
        rows = [row for topic in response.responses for row in topic.partition_responses]
        if len(rows) != len(errands):
            raise SimulationFailure(f"{len(rows)} answers to {len(errands)} batches")
        self._world.look()
        for errand, row in zip(errands, rows, strict=True):
            self._judge(errand, row, [])

    async def _send_one_by_one(self, errands: Sequence[Errand]) -> None:
        """In order, all at once; the answers come in that order too, and each is judged when it comes."""
        version = await self._link.version_of(ApiKey.PRODUCE, 3, 13)
        acks = self._acks()

        async def send(number: int, errand: Errand) -> None:
            request = self._request([errand], acks, version)
            response = await self._link.request(request, seconds=20.0, version=version)
            self._world.look()
            open_before = [one for one in errands[:number] if not one.is_done]
            self._judge(errand, response.responses[0].partition_responses[0], open_before)

        sendings = (send(number, errand) for number, errand in enumerate(errands))
        for outcome in await asyncio.gather(*sendings, return_exceptions=True):
            if outcome is not None and not isinstance(outcome, UnreachableError):
                raise outcome

    def _acks(self) -> int:
        return self._chance.choice((-1, -1, 1)) if not self._idempotent else -1

    def _request(self, errands: Sequence[Errand], acks: int, version: int) -> ProduceRequest:
        """One topic entry for each: their answers come in this order."""
        rows = []
        for errand in errands:
            topic = errand.partition.topic
            assert topic.topic_id is not None
            errand.batch.sends += 1
            if errand.first_life < 0:
                errand.first_life = self._link.life
            data = [PartitionProduceData(index=errand.partition.index, records=errand.batch.data)]
            if version >= _FIRST_WITH_TOPIC_ID:
                rows.append(TopicProduceData(topic_id=topic.topic_id, partition_data=data))
            else:
                rows.append(TopicProduceData(name=topic.name, partition_data=data))
        timeout_ms = self._chance.choice((100, 1_000, 10_000))
        return ProduceRequest(acks=acks, timeout_ms=timeout_ms, topic_data=rows)

    # Answers.

    def _judge(self, errand: Errand, row: PartitionProduceResponse, open_before: Sequence[Errand]) -> None:
        partition, batch = errand.partition, errand.batch
        error = ErrorCode(row.error_code)
        life = self._link.life
        self._world.trace.note(self._link.name, batch.number, str(partition), error.name, row.base_offset)
        if error == ErrorCode.NONE:
            errand.is_done = True
            self._acknowledged(partition, batch, row.base_offset, life)
        elif error == ErrorCode.KAFKA_STORAGE_ERROR:
            self._expect_disk_failure(partition)
        elif error in _NO_SUCH_TOPIC:
            if not partition.topic.deletion_was_sent:
                raise partition.fail(f"{error.name}, though nobody has deleted it")
            errand.is_done = partition.topic.is_gone
        elif error == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
            self._out_of_order(errand, open_before)
        elif error not in _TRY_AGAIN:
            raise partition.fail(f"batch {batch.number} was refused: {error.name} {row.error_message}")

    def _acknowledged(self, partition: PartitionModel, batch: SentBatch, base_offset: int, life: int) -> None:
        topic = partition.topic
        if topic.is_gone or topic.deletion_was_sent:
            return  # by its name it may have gone into another topic
        partition.acknowledge(batch, base_offset, life)
        self._world.promised()
        lane = self._lanes.get(partition)
        if lane is not None:
            lane.acknowledged_in = life

    def _expect_disk_failure(self, partition: PartitionModel) -> None:
        if not self._world.disk_failed_in(self._link.life):
            raise partition.fail("KAFKA_STORAGE_ERROR, though no disk has failed")

    def _out_of_order(self, errand: Errand, open_before: Sequence[Errand]) -> None:
        """Rightly so if a batch before it is not there. Otherwise the broker has forgotten something."""
        partition = errand.partition
        if not self._idempotent:
            raise partition.fail("a producer without an id is out of order")
        if open_before:
            return
        since = self._lanes[partition].acknowledged_in
        since = errand.first_life if since is None else min(since, errand.first_life)
        may_have_lost = self._world.model.power_was_lost_since(since)
        # Of several batches that were under way at a stop only the last is remembered, as in Kafka.
        may_have_forgotten = self._depth > 1 and self._link.life > errand.first_life
        is_misled = errand.batch.identity.producer_id in partition.misled_producers
        if not (may_have_forgotten or is_misled) and (partition.topic.is_synced or not may_have_lost):
            raise partition.fail(
                f"batch {errand.batch.number}, sequence {errand.batch.base_sequence} of producer"
                f" {errand.batch.identity.producer_id}, is said to be out of order"
            )
        # Begin again under a new id; what becomes of this batch, and of those after it, is never known.
        self._identity = None
