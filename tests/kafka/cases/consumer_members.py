"""Members of consumer groups as cases play them: all that they ask is compared, and they remember what they were told."""

from collections.abc import Sequence
from typing import Any

from tests.kafka.cases.classic_members import coordinated_group
from tests.kafka.referee import Broker, Topic

from snakka.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from snakka.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)

HEARTBEAT_VERSION = 1
GROUP_RESOURCE = 32


class Consumer:
    """One that is subscribed to these topics; its id is its name."""

    def __init__(
        self,
        broker: Broker,
        group: str,
        name: str,
        *topics: Topic | str,
        instance: str | None = None,
        **fields: Any,
    ) -> None:
        self.broker = broker
        self.group = group
        self.id = name
        self.topics = [topic if isinstance(topic, str) else topic.name for topic in topics]
        self.instance = instance
        self.epoch = 0
        # What it has been told to have, by topic id.
        self.told: dict[bytes, list[int]] = {}
        self._fields = {"rebalance_timeout_ms": 30_000, "subscribed_topic_names": self.topics, **fields}

    def send(self, version: int = HEARTBEAT_VERSION, **fields: Any) -> Any:
        """A heartbeat with exactly these fields."""
        request = ConsumerGroupHeartbeatRequest(
            **{
                "group_id": self.group,
                "member_id": self.id,
                "member_epoch": self.epoch,
                "instance_id": self.instance,
                **fields,
            }
        )
        answer = self.broker.ask(request, version)
        if not answer.error_code:
            self.id = answer.member_id
            self.epoch = answer.member_epoch
            if answer.assignment is not None:
                self.told = {row.topic_id: row.partitions for row in answer.assignment.topic_partitions}
        return answer

    def join(self, version: int = HEARTBEAT_VERSION, **fields: Any) -> Any:
        return self.send(version, **{**self._fields, "member_epoch": 0, "topic_partitions": [], **fields})

    def beat(self, version: int = HEARTBEAT_VERSION) -> Any:
        return self.send(version)

    def take(self, version: int = HEARTBEAT_VERSION) -> Any:
        """Be what it was told to be, and say so."""
        return self.send(version, topic_partitions=owned(self.told))

    def leave(self, version: int = HEARTBEAT_VERSION, epoch: int = -1) -> Any:
        """Let another member beat next: Kafka assigns when one does, and Snakka at the latest then."""
        return self.send(version, member_epoch=epoch)


def owned(partitions: dict[bytes, list[int]]) -> list[ConsumerGroupHeartbeatRequestTopicPartitions]:
    return [
        ConsumerGroupHeartbeatRequestTopicPartitions(topic_id=topic_id, partitions=numbers)
        for topic_id, numbers in partitions.items()
    ]


def consumer_group(broker: Broker, text: str = "group", **configs: str) -> str:
    """A new group's id, when its coordinator is there; every epoch of the group has its assignment at once."""
    group = coordinated_group(broker, text)
    configure(broker, group, consumer_assignment_interval_ms="0", **configs)
    return group


def configure(broker: Broker, group: str, **configs: str) -> None:
    """`configs` have underscores for dots."""
    given = [AlterableConfig(name=name.replace("_", "."), value=value) for name, value in configs.items()]
    resource = AlterConfigsResource(resource_type=GROUP_RESOURCE, resource_name=group, configs=given)
    broker.ask(IncrementalAlterConfigsRequest(resources=[resource]))


def describe(broker: Broker, *groups: str, version: int = HEARTBEAT_VERSION) -> Any:
    return broker.ask(ConsumerGroupDescribeRequest(group_ids=list(groups)), version)


def settle(consumers: Sequence[Consumer], rounds: int = 3) -> None:
    """All do as they are told, in turn."""
    for _ in range(rounds):
        for consumer in consumers:
            consumer.beat()
            consumer.take()
