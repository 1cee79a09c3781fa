"""Stories of consumer groups: members of the consumer protocol, and topics for them to read."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.coordination.group_story import GROUP, Asked, GroupStory

from snakka.coordination.groups.classic.caller import Caller
from snakka.coordination.groups.consumer import topics_changed
from snakka.coordination.groups.consumer.description import describe
from snakka.coordination.groups.consumer.group import ConsumerGroup
from snakka.coordination.groups.consumer.heartbeat import heartbeat
from snakka.coordination.groups.group import Group
from snakka.metadata.image.cluster import ClusterImage
from snakka.protocol.coordinator_framing import GROUP_RECORDS, KeyedRecord, decoder
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.consumer_group_describe import DescribedGroup
from snakka.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
    ConsumerGroupHeartbeatResponse,
)
from snakka.protocol.record_types.metadata.config_record import ConfigRecord
from snakka.protocol.record_types.metadata.partition_record import PartitionRecord
from snakka.protocol.record_types.metadata.remove_topic_record import RemoveTopicRecord
from snakka.protocol.record_types.metadata.topic_record import TopicRecord

GROUP_CONFIG = 32
REVOCATION_MS = 60_000
HEARTBEAT_MS = 5_000
SESSION_MS = 45_000
INTERVAL_MS = 1_000
Owned = dict[str, set[int]]


def consumer_snapshot(group: Group) -> object:
    """What the records say of a consumer group; the order of members does not count."""
    assert isinstance(group, ConsumerGroup)
    return (
        group.epoch,
        group.metadata_hash,
        group.assignment_epoch,
        group.assigned_at_ms,
        group.members,
        group.static_members,
        group.target,
        group.ownership.as_dict(),
        group.resolved,
        group.has_partition_metadata,
        group.topic_counts,
        group.pattern_counts,
        group.assignor_counts,
        group.protocol_counts,
        group.classic_members,
    )


class ConsumerStory(GroupStory):
    """A shard of groups, topics, and whoever reads them."""

    def __init__(self, topics: Mapping[str, int] | None = None, **settings: Any) -> None:
        super().__init__(image=ClusterImage(), snapshots={"consumer": consumer_snapshot}, **settings)
        self._ids = 0
        for name, partitions in (topics or {"t": 6}).items():
            self.create_topic(name, partitions)

    # -- topics ---------------------------------------------------------------------------------------------------

    def create_topic(self, name: str, partitions: int) -> None:
        self._ids += 1
        topic_id = self._ids.to_bytes(16, "big")
        self.image.replay(TopicRecord(name=name, topic_id=topic_id))
        self.grow_topic(name, partitions)

    def grow_topic(self, name: str, partitions: int, *, is_published: bool = True) -> None:
        topic = self.image.topics.by_name[name]
        for number in range(len(topic.partitions), partitions):
            self.image.replay(
                PartitionRecord(partition_id=number, topic_id=topic.id, replicas=[1], isr=[1], leader=1)
            )
        if is_published:
            self._published(name)

    def delete_topic(self, name: str) -> None:
        self.image.replay(RemoveTopicRecord(topic_id=self.topic_id(name)))
        self._published(name)

    def _published(self, name: str) -> None:
        self.image.offset += 1
        self.ask(lambda shard, now, _: topics_changed(shard, [name], now))
        self.pass_time(0)

    def topic_id(self, name: str) -> bytes:
        return self.image.topics.by_name[name].id

    def topic_name(self, topic_id: bytes) -> str:
        """A client does not know the name of a topic that is gone."""
        topic = self.image.topics.by_id.get(topic_id)
        return topic_id.hex() if topic is None else topic.name

    def configure_group(self, name: str, value: str | None) -> None:
        self.image.replay(
            ConfigRecord(resource_type=GROUP_CONFIG, resource_name=GROUP, name=name, value=value)
        )

    # -- groups ---------------------------------------------------------------------------------------------------

    def consumer(self, name: str, topics: Sequence[str] | None = ("t",), **what: Any) -> "ConsumerClient":
        """A client that speaks the consumer protocol; it has not joined yet."""
        return ConsumerClient(self, name, topics, **what)

    def consumer_group(self, group_id: str = GROUP) -> ConsumerGroup:
        group = self.shard.groups[group_id]
        assert isinstance(group, ConsumerGroup)
        return group

    def described(self, group_id: str = GROUP) -> DescribedGroup:
        return describe(self.shard, group_id, self.now)

    def records(self, since: int = 0) -> list[KeyedRecord]:
        """What was written, from a place in the log on."""
        found = []
        for entry in self.log[since:]:
            assert not isinstance(entry[0], int)
            record = decoder(GROUP_RECORDS)(entry[0], entry[1])
            assert record is not None
            found.append(record)
        return found

    def settle(self, *consumers: "ConsumerClient", rounds: int = 6) -> None:
        """All send heartbeats and do as they are told, again and again, until the group is stable."""
        for _ in range(rounds):
            self.pass_time(INTERVAL_MS)
            for consumer in consumers:
                consumer.beat()
        assert self.consumer_group().state_name == "Stable"
        assert_nothing_is_shared(*consumers)


def assert_nothing_is_shared(*consumers: "ConsumerClient") -> None:
    seen: set[tuple[str, int]] = set()
    for consumer in consumers:
        mine = {(topic, number) for topic, numbers in consumer.owned.items() for number in numbers}
        assert not seen & mine, f"{consumer.name} has what another has, too: {seen & mine}"
        seen |= mine


class ConsumerClient:
    """A member of a consumer group as its client sees it: what it has been told last, and what it owns."""

    def __init__(
        self,
        story: ConsumerStory,
        name: str,
        topics: Sequence[str] | None,
        *,
        group: str = GROUP,
        pattern: str | None = None,
        instance_id: str | None = None,
        assignor: str | None = None,
        rack_id: str | None = None,
        rebalance_ms: int = REVOCATION_MS,
        may_see: Sequence[str] | None = None,
    ) -> None:
        self.story = story
        self.name = name
        self.group = group
        self.topics = None if topics is None else list(topics)
        self.pattern = pattern
        self.instance_id = instance_id
        self.assignor = assignor
        self.rack_id = rack_id
        self.rebalance_ms = rebalance_ms
        self.may_see = may_see
        self.member_id = name
        self.epoch = 0
        self.owned: Owned = {}
        self.told: Owned = {}
        # By name, the topics that it has been told of.
        self.topic_ids: dict[str, bytes] = {}

    # -- asking ---------------------------------------------------------------------------------------------------

    def send(self, **fields: Any) -> Asked:
        """A heartbeat with exactly these fields; what it is told is noted."""
        request = ConsumerGroupHeartbeatRequest(
            **{
                "group_id": self.group,
                "member_id": self.member_id,
                "member_epoch": self.epoch,
                "instance_id": self.instance_id,
                **fields,
            }
        )
        caller = Caller(self.name, "/127.0.0.1", 1, f"made-for-{self.name}")
        asked = self.story.ask(
            lambda shard, now, _: heartbeat(
                shard, request, caller, lambda topic: self.may_see is None or topic in self.may_see, now
            )
        )
        if asked.error is ErrorCode.NONE:
            self._told(asked.response)
        return asked

    def join(self, **fields: Any) -> Asked:
        """With nothing, as a new member does."""
        self.epoch, self.owned, self.told = 0, {}, {}
        asked = self.send(**{**self._full(), "member_epoch": 0, **fields})
        if asked.error is ErrorCode.NONE:
            self.owned = dict(self.told)
        return asked

    def subscribe(self, *topics: str, pattern: str | None = None) -> Asked:
        """Another subscription; what it does not read any more it gives up when it is told to."""
        self.topics, self.pattern = list(topics), pattern
        return self.send(subscribed_topic_names=self.topics, subscribed_topic_regex=pattern)

    def beat(self) -> ErrorCode:
        """A heartbeat as a client sends it; what it is told to give up it gives up, and says so at once."""
        error = self.ask_only()
        if error is ErrorCode.NONE and self.told != self.owned:
            self.take()
        return error

    def ask_only(self) -> ErrorCode:
        """A heartbeat that says nothing new, and does not do what it is told."""
        return self.send().error

    def take(self) -> ErrorCode:
        """Be what it has been told to be, and say so."""
        self.owned = {topic: set(numbers) for topic, numbers in self.told.items()}
        return self.send(topic_partitions=self._rows()).error

    def leave(self, epoch: int = -1) -> ErrorCode:
        error = self.send(member_epoch=epoch).error
        if error is ErrorCode.NONE:
            self.owned, self.told = {}, {}
        return error

    def _full(self) -> dict[str, Any]:
        return {
            "rack_id": self.rack_id,
            "rebalance_timeout_ms": self.rebalance_ms,
            "subscribed_topic_names": self.topics,
            "subscribed_topic_regex": self.pattern,
            "server_assignor": self.assignor,
            "topic_partitions": self._rows(),
        }

    def _rows(self) -> list[ConsumerGroupHeartbeatRequestTopicPartitions]:
        return [
            ConsumerGroupHeartbeatRequestTopicPartitions(
                topic_id=self.topic_ids[topic], partitions=sorted(numbers)
            )
            for topic, numbers in self.owned.items()
        ]

    # -- what it knows --------------------------------------------------------------------------------------------

    def _told(self, response: ConsumerGroupHeartbeatResponse) -> None:
        assert response.member_id is not None
        self.member_id = response.member_id
        self.epoch = response.member_epoch
        if response.assignment is not None:
            self.told = {}
            for row in response.assignment.topic_partitions:
                name = self.story.topic_name(row.topic_id)
                if self.topic_ids.get(name, row.topic_id) != row.topic_id:
                    # Another topic of that name: what it had of the old one is not there any more.
                    self.owned.pop(name, None)
                self.topic_ids[name] = row.topic_id
                self.told[name] = set(row.partitions)

    @property
    def partitions(self) -> int:
        return sum(len(numbers) for numbers in self.owned.values())
