"""What the admin does when brokers are in trouble: it asks again for what passes, where it must be, until the deadline."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.client.scripted_broker import ScriptedBroker

from snakka.client.admin import Admin, NewTopic, OffsetSpec, TopicPartition
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from snakka.protocol.messages.delete_groups import DeletableGroupResult, DeleteGroupsResponse
from snakka.protocol.messages.describe_quorum import DescribeQuorumResponse
from snakka.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseCursor,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from snakka.protocol.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from snakka.protocol.messages.list_groups import ListedGroup, ListGroupsResponse
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from snakka.protocol.messages.metadata import MetadataResponse

TOPIC_ID = bytes(range(16))


@asynccontextmanager
async def admin_of(*brokers: ScriptedBroker, **settings: Any) -> AsyncIterator[Admin]:
    quick = {"retry_backoff_ms": 1, "retry_backoff_max_ms": 5, **settings}
    async with Admin(bootstrap_servers=brokers[0].address, **quick) as admin:
        yield admin


@pytest.fixture
async def broker() -> AsyncIterator[ScriptedBroker]:
    async with ScriptedBroker(1) as running:
        yield running


@pytest.fixture
async def other(broker: ScriptedBroker) -> AsyncIterator[ScriptedBroker]:
    """A second broker of the same cluster."""
    async with ScriptedBroker(2) as running:
        broker.brokers = running.brokers = [broker, running]
        running.topics = broker.topics
        yield running


async def test_only_what_has_failed_for_a_moment_is_tried_again(broker: ScriptedBroker) -> None:
    verdicts = {"a": [0], "b": [ErrorCode.THROTTLING_QUOTA_EXCEEDED, ErrorCode.NOT_CONTROLLER, 0], "c": [36]}

    def create(request: Any) -> CreateTopicsResponse:
        rows = [
            CreatableTopicResult(name=topic.name, error_code=verdicts[topic.name].pop(0), configs=[])
            for topic in request.topics
        ]
        return CreateTopicsResponse(topics=rows)

    broker.answers[ApiKey.CREATE_TOPICS] = create
    for name in "ab":
        broker.add_topic(name, TOPIC_ID, [(1, 0)])
    async with admin_of(broker) as admin:
        outcomes = await admin.create_topics([NewTopic(name) for name in "abc"])
    assert set(outcomes.results) == {"a", "b"}
    assert list(outcomes.errors) == ["c"]
    asked = [[topic.name for topic in request.topics] for request in broker.asked(ApiKey.CREATE_TOPICS)]
    assert asked == [["a", "b", "c"], ["b"], ["b"]]


async def test_what_does_not_pass_in_time_is_told_as_it_was(broker: ScriptedBroker) -> None:
    def create(request: Any) -> CreateTopicsResponse:
        rows = [
            CreatableTopicResult(name=topic.name, error_code=ErrorCode.NOT_CONTROLLER, error_message="none")
            for topic in request.topics
        ]
        return CreateTopicsResponse(topics=rows)

    broker.answers[ApiKey.CREATE_TOPICS] = create
    async with admin_of(broker) as admin:
        with pytest.raises(ApiError, match="NOT_CONTROLLER: topic t: none"):
            await admin.create_topic("t", timeout_ms=1_000)
    assert len(broker.asked(ApiKey.CREATE_TOPICS)) > 1


async def test_what_was_done_is_told_though_the_rest_came_too_late(broker: ScriptedBroker) -> None:
    forever = asyncio.Event()

    async def create(request: Any) -> CreateTopicsResponse:
        names = [topic.name for topic in request.topics]
        if names == ["b"]:
            await forever.wait()
        codes = {"a": 0, "b": ErrorCode.THROTTLING_QUOTA_EXCEEDED}
        return CreateTopicsResponse(
            topics=[CreatableTopicResult(name=name, error_code=codes[name], configs=[]) for name in names]
        )

    broker.answers[ApiKey.CREATE_TOPICS] = create
    broker.add_topic("a", TOPIC_ID, [(1, 0)])
    async with admin_of(broker) as admin:
        outcomes = await admin.create_topics([NewTopic("a"), NewTopic("b")], timeout_ms=1_000)
    assert list(outcomes.results) == ["a"]
    with pytest.raises(ApiError, match="THROTTLING_QUOTA_EXCEEDED"):
        outcomes["b"]


async def test_a_thing_that_the_answer_forgets_has_an_error(broker: ScriptedBroker) -> None:
    broker.answers[ApiKey.CREATE_TOPICS] = lambda request: CreateTopicsResponse(topics=[])
    async with admin_of(broker) as admin:
        with pytest.raises(ApiError, match="the broker says nothing of t"):
            await admin.create_topic("t")


async def test_a_connection_that_is_cut_is_opened_anew(broker: ScriptedBroker) -> None:
    answers: list[Any] = [
        None,
        None,
        DescribeQuorumResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    ]
    broker.answers[ApiKey.DESCRIBE_QUORUM] = lambda request: answers.pop(0)
    async with admin_of(broker, reconnect_backoff_ms=1) as admin:
        with pytest.raises(ApiError, match="CLUSTER_AUTHORIZATION_FAILED"):
            await admin.describe_quorum()
    assert answers == []


async def test_the_new_leader_of_a_partition_is_asked(broker: ScriptedBroker, other: ScriptedBroker) -> None:
    def old(request: Any) -> ListOffsetsResponse:
        topic = broker.add_topic("t", TOPIC_ID, [(2, 1), (2, 1)])
        other.topics = [topic]
        broker.topics = [topic]
        return offsets(request, ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def offsets(request: Any, code: int = 0) -> ListOffsetsResponse:
        return ListOffsetsResponse(
            topics=[
                ListOffsetsTopicResponse(
                    name=topic.name,
                    partitions=[
                        ListOffsetsPartitionResponse(
                            partition_index=row.partition_index, error_code=code, offset=7
                        )
                        for row in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )

    topic = broker.add_topic("t", TOPIC_ID, [(1, 0), (2, 0)])
    other.topics = [topic]
    broker.answers[ApiKey.LIST_OFFSETS] = old
    other.answers[ApiKey.LIST_OFFSETS] = offsets
    first, second = TopicPartition("t", 0), TopicPartition("t", 1)
    async with admin_of(broker) as admin:
        found = await admin.list_offsets({first: OffsetSpec.LATEST, second: OffsetSpec.LATEST})
    assert {key: each.offset for key, each in found.items()} == {first: 7, second: 7}
    asked = [
        [row.partition_index for topic in request.topics for row in topic.partitions]
        for request in other.asked(ApiKey.LIST_OFFSETS)
    ]
    assert sorted(asked) == [[0], [1]]


async def test_the_new_leader_is_looked_for_when_the_old_one_is_gone(
    broker: ScriptedBroker, other: ScriptedBroker
) -> None:
    broker.add_topic("t", TOPIC_ID, [(2, 0)])
    old = broker._metadata
    asked = 0

    def metadata(request: Any) -> MetadataResponse:
        """A while after the leader has died another one is elected."""
        nonlocal asked
        asked += 1
        if asked == 5:
            broker.add_topic("t", TOPIC_ID, [(1, 1)])
            broker.brokers = [broker]
        return old(request)

    broker.answers[ApiKey.METADATA] = metadata
    broker.answers[ApiKey.LIST_OFFSETS] = lambda request: ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name="t", partitions=[ListOffsetsPartitionResponse(partition_index=0, offset=7)]
            )
        ]
    )
    other.answers[ApiKey.LIST_OFFSETS] = lambda request: None
    partition = TopicPartition("t", 0)
    async with admin_of(broker) as admin:
        found = await admin.list_offsets({partition: OffsetSpec.LATEST}, timeout_ms=5_000)
    assert found[partition].offset == 7


async def test_a_broker_that_has_moved_is_found(broker: ScriptedBroker, other: ScriptedBroker) -> None:
    async with ScriptedBroker(2) as moved:
        listed = lambda request: ListGroupsResponse(groups=[])  # noqa: E731
        broker.answers[ApiKey.LIST_GROUPS] = moved.answers[ApiKey.LIST_GROUPS] = listed

        def gone(request: Any) -> None:
            broker.brokers = moved.brokers = [broker, moved]

        other.answers[ApiKey.LIST_GROUPS] = gone
        async with admin_of(broker) as admin:
            assert await admin.list_groups(timeout_ms=5_000) == []
        assert len(moved.asked(ApiKey.LIST_GROUPS)) == 1


async def test_the_new_coordinator_of_a_group_is_asked(broker: ScriptedBroker, other: ScriptedBroker) -> None:
    coordinators = [broker, other]

    def find(request: Any) -> FindCoordinatorResponse:
        found = coordinators.pop(0)
        row = Coordinator(key="g", node_id=found.node_id, host="127.0.0.1", port=found.port)
        return FindCoordinatorResponse(coordinators=[row])

    def delete(code: int) -> Any:
        row = DeletableGroupResult(group_id="g", error_code=code)
        return lambda request: DeleteGroupsResponse(results=[row])

    for each in (broker, other):
        each.answers[ApiKey.FIND_COORDINATOR] = find
    broker.answers[ApiKey.DELETE_GROUPS] = delete(ErrorCode.NOT_COORDINATOR)
    other.answers[ApiKey.DELETE_GROUPS] = delete(0)
    async with admin_of(broker) as admin:
        (await admin.delete_groups(["g"])).raise_for_errors()
    assert (len(broker.asked(ApiKey.DELETE_GROUPS)), len(other.asked(ApiKey.DELETE_GROUPS))) == (1, 1)


async def test_every_broker_lists_its_groups(broker: ScriptedBroker, other: ScriptedBroker) -> None:
    loading = [ListGroupsResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)]
    row = ListedGroup(group_id="ours", group_type="classic", group_state="Empty")
    theirs = ListedGroup(group_id="theirs", group_type="consumer", group_state="Stable")
    broker.answers[ApiKey.LIST_GROUPS] = lambda request: (
        loading.pop() if loading else ListGroupsResponse(groups=[row])
    )
    other.answers[ApiKey.LIST_GROUPS] = lambda request: ListGroupsResponse(groups=[theirs])
    async with admin_of(broker) as admin:
        listed = await admin.list_groups()
    assert [(group.group_id, group.group_type) for group in listed] == [
        ("ours", "Classic"),
        ("theirs", "Consumer"),
    ]


async def test_a_description_that_comes_in_parts_is_joined(broker: ScriptedBroker) -> None:
    def describe(request: Any) -> DescribeTopicPartitionsResponse:
        begins = 0 if request.cursor is None else request.cursor.partition_index
        partition = DescribeTopicPartitionsResponsePartition(partition_index=begins, replica_nodes=[1])
        cursor = DescribeTopicPartitionsResponseCursor(topic_name="t", partition_index=begins + 1)
        return DescribeTopicPartitionsResponse(
            topics=[DescribeTopicPartitionsResponseTopic(name="t", partitions=[partition])],
            next_cursor=cursor if begins < 2 else None,
        )

    broker.answers[ApiKey.DESCRIBE_TOPIC_PARTITIONS] = describe
    async with admin_of(broker) as admin:
        described = (await admin.describe_topics(["t"]))["t"]
    assert [partition.index for partition in described.partitions] == [0, 1, 2]
