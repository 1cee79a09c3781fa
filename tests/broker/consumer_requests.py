"""Requests of members of consumer groups, in any version."""

from tests.broker.api_harness import Broker

from snakka.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
    ConsumerGroupHeartbeatResponse,
)

REBALANCE_MS = 60_000


def join_request(group: str = "g", member: str = "m", **what) -> ConsumerGroupHeartbeatRequest:
    given = {
        "group_id": group,
        "member_id": member,
        "member_epoch": 0,
        "rebalance_timeout_ms": REBALANCE_MS,
        "subscribed_topic_names": ["orders"],
        "topic_partitions": [],
    }
    return ConsumerGroupHeartbeatRequest(**{**given, **what})


async def join(
    broker: Broker, *names: str, version: int | None = None, **what
) -> ConsumerGroupHeartbeatResponse:
    return await broker.ask(join_request(*names, **what), version)


async def beat(
    broker: Broker, joined: ConsumerGroupHeartbeatResponse, group: str = "g", **what
) -> ConsumerGroupHeartbeatResponse:
    """As the member and the epoch that it was told."""
    given = {"group_id": group, "member_id": joined.member_id, "member_epoch": joined.member_epoch}
    return await broker.ask(ConsumerGroupHeartbeatRequest(**{**given, **what}))


def rows(**partitions: list[int]) -> list[ConsumerGroupHeartbeatRequestTopicPartitions]:
    """By topic ids as text, which is all that a test needs to say that there are some."""
    return [
        ConsumerGroupHeartbeatRequestTopicPartitions(
            topic_id=name.encode().ljust(16, b"."), partitions=numbers
        )
        for name, numbers in partitions.items()
    ]


def assigned(broker: Broker, answer: ConsumerGroupHeartbeatResponse) -> dict[str, list[int]]:
    assert answer.assignment is not None
    return {
        broker.image.topics.by_id[row.topic_id].name: row.partitions
        for row in answer.assignment.topic_partitions
    }
