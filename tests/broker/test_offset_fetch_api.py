"""OffsetFetch over the wire, in every version."""

import pytest
from tests.broker.group_requests import (
    NO_TOPIC_ID,
    WITH_SEVERAL_GROUPS,
    WITH_TOPIC_IDS,
    commit,
    commit_request,
    create_topics,
    fetch,
    fetch_request,
    group_broker,
    topic_id_of,
)
from tests.broker.raw_client import all_versions

from snakka.broker.apis.offset_fetch import error_response
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from snakka.security.operations import Operation, ResourceType

VERSIONS = list(all_versions(OffsetFetchRequest))
ORDERS = ("orders", 0)
PAYMENTS = ("payments", 0)
WITH_EPOCHS = 5


@pytest.fixture
async def broker(tmp_path):
    async with group_broker(tmp_path) as running:
        await commit(running, {ORDERS: 10, PAYMENTS: 20}, metadata="said")
        yield running


async def test_offsets_in_every_version(broker) -> None:
    for version in VERSIONS:
        told = await fetch(broker, {"orders": [0, 1], "payments": [0]}, version)
        assert told == {"g": {ORDERS: 10, ("orders", 1): -1, PAYMENTS: 20}}
        assert await fetch(broker, {"orders": [0]}, version, "nobody") == {"nobody": {ORDERS: -1}}


async def test_all_offsets_of_a_group(broker) -> None:
    for version in VERSIONS[1:]:
        assert await fetch(broker, None, version) == {"g": {ORDERS: 10, PAYMENTS: 20}}
        assert await fetch(broker, None, version, "nobody") == {"nobody": {}}


async def test_metadata_and_epochs_come_along(broker) -> None:
    committed = commit_request(broker, {ORDERS: 10}, 9, metadata="said")
    committed.topics[0].partitions[0].committed_leader_epoch = 3
    await broker.ask(committed, 9)
    for version in VERSIONS:
        answer = await broker.ask(fetch_request(broker, version, {"orders": [0]}, "g"), version)
        (topic,) = answer.topics if version < WITH_SEVERAL_GROUPS else answer.groups[0].topics
        (row,) = topic.partitions
        epoch = 3 if version >= WITH_EPOCHS else -1
        assert (row.committed_offset, row.metadata, row.committed_leader_epoch) == (10, "said", epoch)


async def test_topics_that_nobody_knows(broker) -> None:
    for version in VERSIONS:
        told = await fetch(broker, {"strangers": [0], "orders": [0]}, version)
        if version >= WITH_TOPIC_IDS:
            assert told == {"g": {ORDERS: 10, ("", 0): "UNKNOWN_TOPIC_ID"}}
        else:
            assert told == {"g": {("strangers", 0): -1, ORDERS: 10}}


async def test_several_groups_at_once(broker) -> None:
    await commit(broker, {ORDERS: 1}, group="h")
    for version in VERSIONS:
        if version >= WITH_SEVERAL_GROUPS:
            told = await fetch(broker, None, version, "h", "nobody", "g")
            assert told == {"h": {ORDERS: 1}, "nobody": {}, "g": {ORDERS: 10, PAYMENTS: 20}}
            assert (await broker.ask(OffsetFetchRequest(), version)).groups == []
            # All of it, but once.
            again = await broker.ask(fetch_request(broker, version, None, "g", "h", "g"), version)
            assert [row.group_id for row in again.groups] == ["g", "h"]
            again = await broker.ask(fetch_request(broker, version, {"orders": [0]}, "g", "g"), version)
            assert [row.group_id for row in again.groups] == ["g", "g"]


async def test_who_may_see_a_group(broker) -> None:
    secret = (Operation.DESCRIBE, ResourceType.GROUP, "g")
    for version in VERSIONS:
        told = await fetch(broker, {"orders": [0, 1]}, version, denied=(secret,))
        if version == 1:
            refused = "GROUP_AUTHORIZATION_FAILED"
            assert told == {"g": {ORDERS: refused, ("orders", 1): refused}}
        else:
            assert told == {"g": "GROUP_AUTHORIZATION_FAILED"}
    await commit(broker, {ORDERS: 1}, group="h")
    told = await fetch(broker, None, 8, "g", "h", denied=(secret,))
    assert told == {"g": "GROUP_AUTHORIZATION_FAILED", "h": {ORDERS: 1}}


async def test_who_may_see_a_topic(broker) -> None:
    secret = (Operation.DESCRIBE, ResourceType.TOPIC, "orders")
    for version in VERSIONS:
        told = await fetch(broker, {"orders": [0], "payments": [0]}, version, denied=(secret,))
        # What is refused comes last here.
        assert list(told["g"].items()) == [(PAYMENTS, 20), (ORDERS, "TOPIC_AUTHORIZATION_FAILED")]
        if version > 1:
            assert await fetch(broker, None, version, denied=(secret,)) == {"g": {PAYMENTS: 20}}


async def test_an_error_of_the_group_has_its_place_in_each_version(broker) -> None:
    broker.services.groups.close()
    for version in VERSIONS:
        told = await fetch(broker, {"orders": [0]}, version)
        assert told == {"g": {ORDERS: "NOT_COORDINATOR"} if version == 1 else "NOT_COORDINATOR"}


async def test_a_topic_made_anew_has_no_offsets_by_its_id(broker) -> None:
    # The news of the topic's end do not reach this coordinator.
    broker.services.groups.decide_everywhere = lambda decide: None
    old_id = topic_id_of(broker, "orders")
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="orders")], timeout_ms=10_000)
    assert (await broker.ask(request)).responses[0].error_code == 0
    assert await fetch(broker, None, 9) == {"g": {ORDERS: 10, PAYMENTS: 20}}
    # By id only what exists can be told.
    assert await fetch(broker, None, 10) == {"g": {PAYMENTS: 20}}
    await create_topics(broker, orders=1)
    assert topic_id_of(broker, "orders") not in (old_id, NO_TOPIC_ID)
    assert await fetch(broker, {"orders": [0]}, 9) == {"g": {ORDERS: 10}}
    assert await fetch(broker, {"orders": [0]}, 10) == {"g": {ORDERS: -1}}


def test_a_defect_is_told_wherever_there_is_a_place_for_it() -> None:
    code = ErrorCode.UNKNOWN_SERVER_ERROR
    old = error_response(
        OffsetFetchRequest(
            group_id="g", topics=[OffsetFetchRequestTopic(name="orders", partition_indexes=[0, 1])]
        ),
        code,
        "",
    )
    assert old.error_code == code
    assert [row.error_code for row in old.topics[0].partitions] == [code, code]
    groups = [OffsetFetchRequestGroup(group_id=name, topics=[OffsetFetchRequestTopics()]) for name in "gh"]
    new = error_response(OffsetFetchRequest(groups=groups), code, "")
    assert [(row.group_id, row.error_code) for row in new.groups] == [("g", code), ("h", code)]
