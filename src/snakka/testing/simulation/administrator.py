"""The client that creates, changes and deletes topics, deletes records, and asks for offsets by time.

Rule: one change at a time, and the same one again until its outcome is known. So the model always knows what a topic should
be.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from snakka.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from snakka.protocol.messages.metadata import MetadataRequest
from snakka.testing.simulation.link import Link, UnreachableError
from snakka.testing.simulation.model import PartitionModel, TopicModel
from snakka.testing.simulation.trace import SimulationFailure

_TOPIC_NAMES = ("alpha", "beta", "gamma", "delta")
_TOPIC = 2
_SET, _DELETE = 0, 1
_MOST_PARTITIONS = 4
_TRY_AGAIN = (
    ErrorCode.NOT_CONTROLLER,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    # The only broker is on its way out.
    ErrorCode.INVALID_REPLICATION_FACTOR,
)


class Administrator:
    """The only client that changes metadata."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._world = link.world
        self._model = link.world.model
        self._chance = link.chance

    async def run(self) -> None:
        for name in self._chance.sample(_TOPIC_NAMES, 2):
            await self._create(self._wish(name))
        while not self._world.is_ending:
            try:
                await self._do_something()
            except UnreachableError:
                await self._link.pause(0.2)
            await self._link.pause(0.3)
        self._link.close()

    async def _do_something(self) -> None:
        kinds: list[tuple[int, Callable[[TopicModel], Awaitable[None]]]] = [
            (1, self._delete),
            (2, self._add_partition),
            (4, self._change_config),
            (4, self._delete_records),
            (6, self._ask_by_time),
            (1, self._ask_for_metadata),
        ]
        # Of one that was deleted with the broker's last breath the model may not have seen that it is gone.
        topics = [topic for topic in self._model.living_topics() if not topic.deletion_was_sent]
        free = [name for name in _TOPIC_NAMES if all(topic.name != name for topic in topics)]
        if not topics or (free and self._chance.random() < 0.2):
            await self._create(self._wish(self._chance.choice(free)))
            return
        (work,) = self._chance.choices([work for _, work in kinds], [weight for weight, _ in kinds])
        await work(self._chance.choice(topics))

    async def _until_known(self, attempt: Callable[[], Awaitable[bool]]) -> None:
        """Again and again, until `attempt` says that the outcome is known."""
        while True:
            try:
                if await attempt():
                    self._world.look()
                    return
            except UnreachableError:
                pass
            await self._link.pause(0.2)
            self._world.look()

    # Topics.

    def _wish(self, name: str) -> TopicModel:
        chance = self._chance
        configs = {"internal.segment.bytes": str(chance.choice((11_000, 25_000, 1_000_000)))}
        configs["index.interval.bytes"] = str(chance.choice((0, 500, 4_096)))
        if chance.random() < 0.5:
            configs["flush.messages"] = "1"
        elif chance.random() < 0.3:
            configs["flush.ms"] = str(chance.choice((100, 1_000)))
        if chance.random() < 0.3:
            configs["cleanup.policy"] = chance.choice(("compact", "compact,delete"))
            configs["min.cleanable.dirty.ratio"] = chance.choice(("0.0", "0.3"))
            configs["delete.retention.ms"] = str(chance.choice((0, 500, 86_400_000)))
        if chance.random() < 0.3:
            configs["retention.bytes"] = str(chance.choice((5_000, 30_000)))
        if chance.random() < 0.2:
            configs["retention.ms"] = str(chance.choice((500, 2_000)))
        if chance.random() < 0.2:
            configs["message.timestamp.type"] = "LogAppendTime"
        if chance.random() < 0.1:
            configs["preallocate"] = "true"
        if chance.random() < 0.2:
            configs["segment.ms"] = str(chance.choice((100, 1_000)))
        topic = TopicModel(name, chance.choice((1, 1, 2, 3)), configs)
        self._model.topics.append(topic)
        return topic

    async def _create(self, topic: TopicModel) -> None:
        async def attempt() -> bool:
            wish = CreatableTopic(
                name=topic.name,
                num_partitions=topic.partition_count,
                replication_factor=1,
                configs=[
                    CreatableTopicConfig(name=name, value=value) for name, value in topic.configs.items()
                ],
            )
            version = await self._link.version_of(ApiKey.CREATE_TOPICS, 2, 7)
            response = await self._link.request(
                CreateTopicsRequest(topics=[wish], timeout_ms=5_000), version=version
            )
            row = response.topics[0]
            if row.error_code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                topic.creation_was_acknowledged = True
                self._world.look()
                return topic.topic_id is not None
            return self._outcome(row.error_code, f"creating {topic.name}: {row.error_message}")

        await self._until_known(attempt)

    async def _delete(self, topic: TopicModel) -> None:
        async def attempt() -> bool:
            topic.deletion_was_sent = True
            state = DeleteTopicState(topic_id=topic.topic_id or b"")
            response = await self._link.request(
                DeleteTopicsRequest(topics=[state], timeout_ms=5_000), version=6
            )
            code = response.responses[0].error_code
            if code in (ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_ID):
                topic.deletion_was_acknowledged = True
                return True
            return self._outcome(code, f"deleting {topic.name}")

        await self._until_known(attempt)

    async def _add_partition(self, topic: TopicModel) -> None:
        if topic.partition_count >= _MOST_PARTITIONS:
            return
        count = topic.wanted_partition_count = topic.partition_count + 1

        async def attempt() -> bool:
            wish = CreatePartitionsTopic(name=topic.name, count=count, assignments=None)
            version = await self._link.version_of(ApiKey.CREATE_PARTITIONS, 0, 3)
            response = await self._link.request(
                CreatePartitionsRequest(topics=[wish], timeout_ms=5_000), version=version
            )
            row = response.results[0]
            if row.error_code in (ErrorCode.NONE, ErrorCode.INVALID_PARTITIONS):
                topic.promised_partition_count = count
                return True
            return self._outcome(row.error_code, f"adding a partition to {topic.name}: {row.error_message}")

        await self._until_known(attempt)

    async def _change_config(self, topic: TopicModel) -> None:
        name, value = self._chance.choice(
            (
                ("retention.bytes", "8000"),
                ("retention.ms", "1500"),
                ("retention.ms", None),
                ("internal.segment.bytes", "11000"),
                ("internal.segment.bytes", "40000"),
                ("cleanup.policy", "compact"),
                ("cleanup.policy", "delete"),
                ("max.message.bytes", "900000"),
                ("segment.ms", "300"),
                ("file.delete.delay.ms", "50"),
                ("flush.ms", "200"),
            )
        )
        if name == "cleanup.policy" and topic.is_synced:
            return  # some topics stay as they are: what is lost there is lost by mistake
        topic.wanted_configs = {name: value}
        topic.promised_configs.pop(name, None)
        if value is not None:
            wanted = {**topic.configs, name: value}
            topic.may_expire = topic.may_expire or topic.has_retention(wanted)
            topic.may_compact = topic.may_compact or "compact" in wanted.get("cleanup.policy", "")

        async def attempt() -> bool:
            change = AlterableConfig(
                name=name, config_operation=_DELETE if value is None else _SET, value=value
            )
            resource = AlterConfigsResource(resource_type=_TOPIC, resource_name=topic.name, configs=[change])
            version = await self._link.version_of(ApiKey.INCREMENTAL_ALTER_CONFIGS, 0, 1)
            response = await self._link.request(
                IncrementalAlterConfigsRequest(resources=[resource]), version=version
            )
            row = response.responses[0]
            if row.error_code == ErrorCode.NONE:
                topic.promised_configs[name] = value
                return True
            return self._outcome(row.error_code, f"{topic.name}: {name}={value}: {row.error_message}")

        await self._until_known(attempt)

    @staticmethod
    def _outcome(code: int, doing: str) -> bool:
        """A refusal that is no failure is the outcome; with those that mean `later` there is none yet."""
        if code in _TRY_AGAIN:
            return False
        raise SimulationFailure(f"{doing}: {ErrorCode(code).name}")

    # Records and offsets.

    async def _delete_records(self, topic: TopicModel) -> None:
        if topic.may_compact:
            return
        partition = self._chance.choice(list(topic.partitions.values()))
        self._world.look()
        if partition.high_watermark <= partition.start:
            return
        offset = self._chance.randint(partition.start, partition.high_watermark)
        life = self._world.life.number
        partition.deletable_end = max(partition.deletable_end, offset)
        row = DeleteRecordsPartition(partition_index=partition.index, offset=offset)
        request = DeleteRecordsRequest(
            topics=[DeleteRecordsTopic(name=topic.name, partitions=[row])], timeout_ms=5_000
        )
        version = await self._link.version_of(ApiKey.DELETE_RECORDS, 0, 2)
        response = await self._link.request(request, version=version)
        result = response.topics[0].partitions[0]
        self._world.look()
        if result.error_code == ErrorCode.NONE:
            if result.low_watermark < offset:
                raise partition.fail(f"deleted before {offset}, the answer says {result.low_watermark}")
            if self._can_be_seen(partition, life) and partition.start < offset:
                raise partition.fail(f"deleted before {offset}, and it starts at {partition.start}")
        elif result.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            if self._is_same_life(life):
                raise partition.fail(
                    f"{offset} can't be deleted up to, it ends at {partition.high_watermark}"
                )
        else:
            self._check_refusal(partition, result.error_code)

    def _is_same_life(self, life: int) -> bool:
        return life == self._link.life == self._world.life.number and self._world.life.is_serving

    def _can_be_seen(self, partition: PartitionModel, life: int) -> bool:
        return self._is_same_life(life) and partition.is_in_reach

    async def _ask_by_time(self, topic: TopicModel) -> None:
        partition = self._chance.choice(list(topic.partitions.values()))
        self._world.look()
        life, bound = self._world.life.number, partition.high_watermark
        timestamp = self._world.now_ms() - self._chance.randrange(5_000)
        row = ListOffsetsPartition(partition_index=partition.index, timestamp=timestamp)
        request = ListOffsetsRequest(
            replica_id=-1, topics=[ListOffsetsTopic(name=topic.name, partitions=[row])]
        )
        version = await self._link.version_of(ApiKey.LIST_OFFSETS, 1, 10)
        response = await self._link.request(request, version=version)
        result = response.topics[0].partitions[0]
        self._world.look()
        if result.error_code != ErrorCode.NONE:
            self._check_refusal(partition, result.error_code)
        elif self._can_be_seen(partition, life) and not topic.may_compact:
            _check_by_time(partition, timestamp, result.offset, bound)

    async def _ask_for_metadata(self, _: TopicModel) -> None:
        version = await self._link.version_of(ApiKey.METADATA, 1, 13)
        living = [one for one in self._model.living_topics() if not one.deletion_was_sent]
        life = self._world.life.number
        response = await self._link.request(MetadataRequest(topics=None), version=version)
        told = {topic.name: len(topic.partitions) for topic in response.topics}
        if self._is_same_life(life):
            for topic in living:
                if told.get(topic.name, 0) < topic.partition_count:
                    raise SimulationFailure(f"metadata says {told}, {topic.name} is missing")

    def _check_refusal(self, partition: PartitionModel, code: int) -> None:
        if code == ErrorCode.KAFKA_STORAGE_ERROR and self._world.disk_failed_in(self._link.life):
            return
        if code not in _TRY_AGAIN:
            raise partition.fail(f"a request was refused: {ErrorCode(code).name}")


def _check_by_time(partition: PartitionModel, timestamp: int, offset: int, bound: int) -> None:
    """The first record that is not older; those that came or went meanwhile do not count."""
    last = bound if offset < 0 else offset
    for at, found in partition.records.items():
        if partition.start <= at < last and found.timestamp >= timestamp:
            raise partition.fail(
                f"the record at {at} is of {found.timestamp}, {timestamp} was found at {offset}"
            )
    if offset >= 0 and partition.records[offset].timestamp < timestamp:
        raise partition.fail(f"the record at {offset} is older than {timestamp}")
