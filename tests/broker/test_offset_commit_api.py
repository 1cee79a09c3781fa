"""OffsetCommit over the wire, in every version."""

import pytest
from tests.broker.api_harness import running_broker
from tests.broker.broker_in_process import until
from tests.broker.group_requests import commit, create_topics, fetch, group_broker
from tests.broker.raw_client import all_versions

from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.offset_commit import OffsetCommitRequest, OffsetCommitRequestTopic
from snakka.security.operations import Operation, ResourceType

ORDERS = ("orders", 0)
PAYMENTS = ("payments", 0)


@pytest.fixture
async def broker(tmp_path):
    async with group_broker(tmp_path) as running:
        yield running


async def test_a_commit_in_every_version(broker) -> None:
    for version in all_versions(OffsetCommitRequest):
        told = await commit(broker, {ORDERS: version, PAYMENTS: 100 + version}, version)
        assert told == [("orders", 0, "NONE"), ("payments", 0, "NONE")]
        assert await fetch(broker) == {"g": {ORDERS: version, PAYMENTS: 100 + version}}


async def test_what_does_not_exist_is_refused_and_the_rest_is_committed(broker) -> None:
    for version in all_versions(OffsetCommitRequest):
        offsets = {("orders", 0): version, ("strangers", 1): 1, ("orders", 2): 1, PAYMENTS: version}
        stranger = ("", 1, "UNKNOWN_TOPIC_ID")
        if version < 10:
            stranger = ("strangers", 1, "UNKNOWN_TOPIC_OR_PARTITION")
        # What is refused comes first, and a topic comes once.
        assert await commit(broker, offsets, version) == [
            ("orders", 2, "UNKNOWN_TOPIC_OR_PARTITION"),
            ("orders", 0, "NONE"),
            stranger,
            ("payments", 0, "NONE"),
        ]
        assert await fetch(broker) == {"g": {ORDERS: version, PAYMENTS: version}}


async def test_nothing_that_exists(broker) -> None:
    assert await commit(broker, {("strangers", 0): 1}) == [("strangers", 0, "UNKNOWN_TOPIC_OR_PARTITION")]
    assert await fetch(broker) == {"g": {}}
    answer = await broker.ask(OffsetCommitRequest(group_id="g"))
    assert answer.topics == []
    # A topic without partitions says nothing of it.
    answer = await broker.ask(
        OffsetCommitRequest(group_id="g", topics=[OffsetCommitRequestTopic(name="orders")]), 9
    )
    assert answer.topics == []


async def test_who_may_commit(broker) -> None:
    may_not = (Operation.READ, ResourceType.GROUP, "g")
    for version in all_versions(OffsetCommitRequest):
        told = await commit(broker, {ORDERS: 1, ("strangers", 0): 2}, version, denied=(may_not,))
        assert [code for _, _, code in told] == ["GROUP_AUTHORIZATION_FAILED"] * 2
        secret = (Operation.READ, ResourceType.TOPIC, "orders")
        told = await commit(broker, {ORDERS: 1, PAYMENTS: 2}, version, denied=(secret,))
        assert told == [("orders", 0, "TOPIC_AUTHORIZATION_FAILED"), ("payments", 0, "NONE")]


async def test_whether_a_secret_topic_exists_is_not_told(broker) -> None:
    secret = (Operation.READ, ResourceType.TOPIC, "*")
    told = await commit(broker, {("strangers", 0): 1}, denied=(secret,))
    assert told == [("strangers", 0, "TOPIC_AUTHORIZATION_FAILED")]


async def test_an_error_of_the_group_stands_at_every_partition(broker) -> None:
    for version in all_versions(OffsetCommitRequest):
        expected = "GROUP_ID_NOT_FOUND" if version >= 9 else "ILLEGAL_GENERATION"
        told = await commit(
            broker, {ORDERS: 1, ("orders", 7): 1}, version, generation_id_or_member_epoch=3, member_id="m"
        )
        assert told == [("orders", 7, "UNKNOWN_TOPIC_OR_PARTITION"), ("orders", 0, expected)]


async def test_metadata_that_is_too_long(tmp_path) -> None:
    async with group_broker(tmp_path, offset_metadata_max_bytes="5") as broker:
        told = await commit(broker, {ORDERS: 1, PAYMENTS: 1}, metadata="123456")
        assert told == [
            ("orders", 0, "OFFSET_METADATA_TOO_LARGE"),
            ("payments", 0, "OFFSET_METADATA_TOO_LARGE"),
        ]
        assert await commit(broker, {ORDERS: 1}, metadata="12345") == [("orders", 0, "NONE")]


async def test_before_anybody_has_looked_for_a_coordinator(tmp_path) -> None:
    async with running_broker(tmp_path) as broker:
        await create_topics(broker, orders=1)
        assert await commit(broker, {ORDERS: 1}) == [("orders", 0, "NOT_COORDINATOR")]


async def test_who_asks_the_wrong_broker_is_told(broker) -> None:
    broker.services.groups.close()
    assert await commit(broker, {ORDERS: 1}) == [("orders", 0, "NOT_COORDINATOR")]


async def test_offsets_survive_a_restart(tmp_path) -> None:
    async with group_broker(tmp_path) as broker:
        await commit(broker, {ORDERS: 1, PAYMENTS: 2}, group="one")
        await commit(broker, {ORDERS: 3}, group="two")
        await commit(broker, {ORDERS: 4}, version=3, group="three", retention_time_ms=60_000)
    async with running_broker(tmp_path) as broker:
        await until(lambda: not broker.services.groups.is_loading)
        assert await fetch(broker, None, 9, "one", "two", "three") == {
            "one": {ORDERS: 1, PAYMENTS: 2},
            "two": {ORDERS: 3},
            "three": {ORDERS: 4},
        }


async def test_a_deleted_topic_takes_its_offsets_with_it(broker) -> None:
    await commit(broker, {ORDERS: 1, PAYMENTS: 2})
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="orders")], timeout_ms=10_000)
    assert (await broker.ask(request)).responses[0].error_code == 0
    assert await fetch(broker) == {"g": {PAYMENTS: 2}}
