"""OffsetDelete over the wire."""

import pytest
from tests.broker.group_requests import commit, fetch, group_broker, rows_of

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from snakka.security.operations import Operation, ResourceType

ORDERS = ("orders", 0)
PAYMENTS = ("payments", 0)


@pytest.fixture
async def broker(tmp_path):
    async with group_broker(tmp_path) as running:
        await commit(running, {ORDERS: 10, PAYMENTS: 20})
        yield running


async def delete(broker, *places: tuple[str, int], group: str = "g", denied=()):
    """A code's name, or that of each row."""
    topics: dict[str, OffsetDeleteRequestTopic] = {}
    for topic, index in places:
        row = topics.setdefault(topic, OffsetDeleteRequestTopic(name=topic))
        row.partitions.append(OffsetDeleteRequestPartition(partition_index=index))
    request = OffsetDeleteRequest(group_id=group, topics=list(topics.values()))
    answer = await broker.ask(request, denied=denied)
    if answer.error_code:
        assert answer.topics == []
        return ErrorCode(answer.error_code).name
    return rows_of(broker, answer)


async def test_offsets_are_deleted_and_the_rest_is_refused(broker) -> None:
    assert await delete(broker, ORDERS, ("orders", 5), ("strangers", 0), ("orders", 1)) == [
        ("orders", 5, "UNKNOWN_TOPIC_OR_PARTITION"),
        ("orders", 0, "NONE"),
        ("orders", 1, "NONE"),
        ("strangers", 0, "UNKNOWN_TOPIC_OR_PARTITION"),
    ]
    assert await fetch(broker) == {"g": {PAYMENTS: 20}}


async def test_errors_of_the_group_come_before_those_of_topics(broker) -> None:
    assert await delete(broker, ("strangers", 0), group="nobody") == "GROUP_ID_NOT_FOUND"
    assert await delete(broker, ("strangers", 0), group="") == "INVALID_GROUP_ID"
    assert await delete(broker, group="g") == []


async def test_who_may_delete(broker) -> None:
    group = (Operation.DELETE, ResourceType.GROUP, "g")
    assert await delete(broker, ORDERS, denied=(group,)) == "GROUP_AUTHORIZATION_FAILED"
    topic = (Operation.READ, ResourceType.TOPIC, "orders")
    assert await delete(broker, ORDERS, PAYMENTS, denied=(topic,)) == [
        ("orders", 0, "TOPIC_AUTHORIZATION_FAILED"),
        ("payments", 0, "NONE"),
    ]
    assert await fetch(broker) == {"g": {ORDERS: 10}}
