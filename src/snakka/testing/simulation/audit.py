"""Looks into a living broker and holds it against the model.

After every start it looks at everything, before the first client is served; in between at what is new.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from snakka.broker.services import Services
from snakka.metadata.image.topics import TopicImage
from snakka.metadata.registration import LifeStage
from snakka.protocol.record_batch import increment_sequence
from snakka.replication.partition import Partition
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulation.model import LoggedBatch, Model, PartitionModel, TopicModel, parse_batches
from snakka.testing.simulation.trace import SimulationFailure

_QUESTIONS = 4


class Audit:
    """`disk_has_failed` says of this life that partitions may rightly be out of reach."""

    def __init__(self, model: Model, services: Services, chance: random.Random) -> None:
        self._model = model
        self._services = services
        self._chance = chance
        self.disk_has_failed = False

    def after_start(self) -> None:
        """Everything, before the first client is served."""
        self._check_topics()
        for partition, known in self._partitions():
            batches = known.settle(partition.log)
            _check_producers(known, partition.log, batches)
            self._ask_by_time(known, partition.log, batches)
            self._ask_by_offset(known, partition.log, batches)

    def step(self) -> None:
        """What has changed since the last look."""
        self._check_topics()
        for partition, known in self._partitions():
            known.follow(partition.log)

    def at_rest(self) -> None:
        """All questions again, to a broker that has run for a while."""
        self.step()
        for partition, known in self._partitions():
            log = partition.log
            batches = known.settle(log)
            _check_producers(known, log, batches)
            self._ask_by_time(known, log, batches)
            self._ask_by_offset(known, log, batches)

    # Topics.

    def _check_topics(self) -> None:
        topics = self._services.image.topics
        for image in topics.by_name.values():
            self._check_topic(self._model_of(image), image)
        for topic in self._model.topics:
            if topic.creation_was_acknowledged and topic.topic_id is None:
                raise SimulationFailure(f"the creation of {topic.name} was acknowledged, and it is not there")
            if topic.is_alive and topic.topic_id not in topics.by_id:
                if not topic.deletion_was_sent:
                    raise SimulationFailure(f"topic {topic.name} is gone, and nobody has deleted it")
                topic.is_gone = True

    def _model_of(self, image: TopicImage) -> TopicModel:
        wished: TopicModel | None = None
        for topic in self._model.topics:
            if topic.topic_id == image.id:
                return topic
            if topic.name == image.name and topic.topic_id is None and not topic.is_gone:
                wished = topic
        if wished is None:
            raise SimulationFailure(f"nobody has asked for the topic {image.name}")
        wished.topic_id = image.id
        return wished

    def _check_topic(self, topic: TopicModel, image: TopicImage) -> None:
        if topic.deletion_was_acknowledged or topic.is_gone:
            raise SimulationFailure(f"topic {topic.name} was deleted and is there")
        count = len(image.partitions)
        if count != topic.partition_count:
            if count != topic.wanted_partition_count:
                raise SimulationFailure(f"{topic.name} has {count} partitions, not {topic.partition_count}")
            topic.partition_count = count
        configs = dict(self._services.image.configs.of_topic(image.name))
        if configs != topic.configs:
            for name, value in topic.wanted_configs.items():
                if configs.get(name) == value and value is not None:
                    topic.configs[name] = value
                elif name not in configs and value is None:
                    topic.configs.pop(name, None)
            if configs != topic.configs:
                raise SimulationFailure(f"{topic.name} has the configs {configs}, not {topic.configs}")
        if count < topic.promised_partition_count:
            raise SimulationFailure(f"{topic.name} was given {topic.promised_partition_count} partitions")
        for name, value in topic.promised_configs.items():
            if configs.get(name) != value:
                raise SimulationFailure(f"{topic.name}: {name}={value} was acknowledged and does not hold")
        for index in range(count):
            if index not in topic.partitions:
                topic.partitions[index] = PartitionModel(topic, index, self._model)

    def _partitions(self) -> list[tuple[Partition, PartitionModel]]:
        """Those that can be looked at; all of them, unless a disk has failed."""
        found = []
        for topic in self._model.living_topics():
            for index, known in topic.partitions.items():
                partition = self._services.partitions.get(topic.name, index)
                known.is_in_reach = (
                    partition is not None
                    and partition.topic_id == topic.topic_id
                    and partition.offline_error is None
                )
                if partition is not None and known.is_in_reach:
                    found.append((partition, known))
                    if not partition.is_leader and self._services.registrar.stage is LifeStage.RUNNING:
                        raise known.fail("nobody leads it")
                elif not self.disk_has_failed:
                    raise known.fail("the broker does not have it")
        return found

    # Questions that a log must answer as its records do.

    def _ask_by_time(self, known: PartitionModel, log: PartitionLog, batches: Sequence[LoggedBatch]) -> None:
        bound = log.high_watermark
        records = [
            record
            for logged in batches
            for record in logged.records
            if log.log_start_offset <= record.offset < bound
        ]
        if not records:
            return
        for _ in range(_QUESTIONS):
            timestamp = self._chance.choice(records).timestamp + self._chance.choice((-1, 0, 0, 1))
            expected = next((record for record in records if record.timestamp >= timestamp), None)
            answer = log.offset_for_timestamp(timestamp, bound)
            if (expected.offset if expected else None) != (answer.offset if answer else None):
                raise known.fail(f"the first record of {timestamp} is {expected}, the answer was {answer}")

    def _ask_by_offset(
        self, known: PartitionModel, log: PartitionLog, batches: Sequence[LoggedBatch]
    ) -> None:
        bound = log.high_watermark
        if bound <= log.log_start_offset:
            return
        for _ in range(_QUESTIONS):
            offset = self._chance.randrange(log.log_start_offset, bound)
            limit = self._chance.choice((1, 200, 1_000, 100_000))
            found = log.read(offset, limit, upper_bound=bound, min_one_message=True)
            wanted = [one for one in batches if offset <= one.header.last_offset < bound]
            if not found.bytes:
                if wanted:
                    raise known.fail(f"nothing is read at {offset}, though {wanted[0].header} is there")
                continue
            assert not isinstance(found.records, bytes)
            read = list(parse_batches(found.records.read_blocking(0, found.bytes)))
            if [one.data for one in read] != [one.data for one in wanted[: len(read)]]:
                raise known.fail(f"a read of {limit} bytes at {offset} gives other batches")
            if found.bytes > limit and len(read) > 1:
                raise known.fail(f"a read at {offset} gives {found.bytes} bytes, {limit} were allowed")


def _check_producers(known: PartitionModel, log: PartitionLog, batches: Sequence[LoggedBatch]) -> None:
    """The log says which batch of each producer is the last; so must the state that duplicates are found by."""
    last = {one.header.producer_id: one.header for one in batches if one.header.has_producer_id}
    for producer_id, header in last.items():
        entry = log.producers.entries.get(producer_id)
        if entry is None:
            raise known.fail(f"producer {producer_id} is forgotten, though it wrote {header}")
        if known.topic.may_compact and entry.batches and entry.batches[-1].last_offset > header.last_offset:
            continue  # its last batch was compacted away when there was a later one, which a power cut took
        expected = increment_sequence(header.base_sequence, header.last_offset_delta)
        if (entry.epoch, entry.last_sequence) != (header.producer_epoch, expected):
            raise known.fail(
                f"producer {producer_id} is at epoch {entry.epoch}, sequence {entry.last_sequence},"
                f" its last batch says {header.producer_epoch}, {expected}"
            )
