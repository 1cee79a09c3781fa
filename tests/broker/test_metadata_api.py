"""Metadata, DescribeCluster, DescribeTopicPartitions and ApiVersions over the wire, on both kinds of listeners."""

import pytest
from tests.broker.broker_in_process import running
from tests.broker.raw_client import RawClient, all_versions, batch

from snakka.broker.api import BROKER, CONTROLLER
from snakka.broker.apis.table import ALL
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.describe_cluster import DescribeClusterRequest
from snakka.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestCursor,
    TopicRequest,
)
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

NOT_ASKED = -(2**31)
ALL_TOPIC_OPERATIONS = 3576
ALL_CLUSTER_OPERATIONS = 8096
BROKERS, CONTROLLERS = 1, 2


async def describe(client: RawClient, *names: str | bytes, version: int | None = None, **fields: object):
    """Rows of topics by name (str) or id (bytes), none of which is created by asking."""
    topics = [
        MetadataRequestTopic(name=name)
        if isinstance(name, str)
        else MetadataRequestTopic(name=None, topic_id=name)
        for name in names
    ]
    fields.setdefault("allow_auto_topic_creation", False)
    return await client.ask(MetadataRequest(topics=topics, **fields), version)


# -- Metadata -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", all_versions(MetadataRequest))
async def test_every_version_tells_of_brokers_and_topics(client, address, topic, version) -> None:
    topic_id = await client.create_topic(topic, 2)
    automatic = version < 4
    response = await describe(client, topic, version=version, allow_auto_topic_creation=automatic)
    (broker,) = response.brokers
    assert (broker.node_id, (broker.host, broker.port), broker.rack) == (1, address, None)
    assert response.controller_id == (1 if version >= 1 else -1)
    assert bool(response.cluster_id) == (version >= 2)
    assert response.cluster_authorized_operations == NOT_ASKED
    (row,) = response.topics
    assert (row.error_code, row.name, row.is_internal) == (ErrorCode.NONE, topic, False)
    assert row.topic_id == (topic_id if version >= 10 else bytes(16))
    assert row.topic_authorized_operations == NOT_ASKED
    assert [one.partition_index for one in row.partitions] == [0, 1]
    for one in row.partitions:
        assert (one.error_code, one.leader_id, one.replica_nodes, one.isr_nodes) == (
            ErrorCode.NONE,
            1,
            [1],
            [1],
        )
        assert one.leader_epoch == (0 if version >= 7 else -1)
        assert one.offline_replicas == []


@pytest.mark.parametrize("version", all_versions(MetadataRequest))
async def test_all_topics_or_none(client, topic, version) -> None:
    await client.create_topic(topic)
    request = MetadataRequest(topics=None if version >= 1 else [])
    names = [row.name for row in (await client.ask(request, version)).topics]
    assert topic in names
    assert len(set(names)) == len(names)
    if version >= 1:
        assert (await client.ask(MetadataRequest(topics=[]), version)).topics == []


@pytest.mark.parametrize("version", [10, 11])
async def test_ids_are_of_no_use_before_version_12(client, topic, version) -> None:
    topic_id = await client.create_topic(topic)
    (row,) = (await describe(client, topic_id, version=version)).topics
    assert (row.error_code, row.topic_id) == (ErrorCode.INVALID_REQUEST, topic_id)


@pytest.mark.parametrize("version", [12, 13])
async def test_topics_by_id(client, topic, version) -> None:
    topic_id = await client.create_topic(topic)
    (row,) = (await describe(client, topic_id, version=version)).topics
    assert (row.error_code, row.name, len(row.partitions)) == (ErrorCode.NONE, topic, 1)
    (row,) = (await describe(client, b"\7" * 16, version=version)).topics
    assert (row.error_code, row.name, row.topic_id) == (ErrorCode.UNKNOWN_TOPIC_ID, None, b"\7" * 16)
    mismatched = MetadataRequest(topics=[MetadataRequestTopic(name=topic, topic_id=b"\7" * 16)])
    (row,) = (await client.ask(mismatched, version)).topics
    assert row.error_code == ErrorCode.UNKNOWN_TOPIC_ID


async def test_an_unknown_topic_is_not_created_by_a_client_that_does_not_want_it(client, topic) -> None:
    for _ in range(2):
        (row,) = (await describe(client, topic)).topics
        assert row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert (row.partitions, row.topic_id) == ([], bytes(16))


@pytest.mark.parametrize("version", [0, 1, 4, 9, 13])
async def test_a_topic_is_created_by_asking_for_it(client, topic, version) -> None:
    asked = await describe(client, topic, version=version, allow_auto_topic_creation=True)
    # Kafka may say that it is unknown yet; here it is there when the answer comes.
    (row,) = asked.topics
    assert (row.error_code, len(row.partitions)) == (ErrorCode.NONE, 1)
    assert (await client.produce(topic, batch(b"x"), 12)).error_code == ErrorCode.NONE
    (again,) = (await describe(client, topic, allow_auto_topic_creation=True)).topics
    assert (again.error_code, len(again.partitions)) == (ErrorCode.NONE, 1)


async def test_many_clients_may_ask_for_a_new_topic_at_once(address, topic) -> None:
    clients = [await RawClient.open(address) for _ in range(8)]
    request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=True)
    for client in clients:
        client.send(request)
    ids = set()
    for client in clients:
        (row,) = (await client.receive(request)).topics
        assert row.error_code in (ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if row.error_code == ErrorCode.NONE:
            ids.add(row.topic_id)
    assert len(ids) == 1
    for client in clients:
        client.close()


async def test_where_topics_are_not_created_by_asking(tmp_path, topic) -> None:
    async with running(tmp_path, auto_create_topics_enable="false", num_partitions=3) as broker:
        (row,) = (await describe(broker.client, topic, allow_auto_topic_creation=True)).topics
        assert row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    async with running(tmp_path, num_partitions=3) as broker:
        (row,) = (await describe(broker.client, topic, allow_auto_topic_creation=True)).topics
        assert (row.error_code, len(row.partitions)) == (ErrorCode.NONE, 3)


async def test_what_a_client_may_do(client, topic) -> None:
    await client.create_topic(topic)
    asked = {"include_topic_authorized_operations": True, "include_cluster_authorized_operations": True}
    response = await describe(client, topic, "nobody-knows", version=10, **asked)
    assert response.cluster_authorized_operations == ALL_CLUSTER_OPERATIONS
    assert {row.topic_authorized_operations for row in response.topics} == {ALL_TOPIC_OPERATIONS}


async def test_internal_topics_are_marked(tmp_path) -> None:
    async with running(tmp_path) as broker:
        await broker.client.create_topic("__consumer_offsets")
        (row,) = (await describe(broker.client, "__consumer_offsets")).topics
        assert row.is_internal


# -- DescribeCluster ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", all_versions(DescribeClusterRequest))
async def test_the_cluster_in_every_version(client, address, version) -> None:
    for included, operations in ((False, NOT_ASKED), (True, ALL_CLUSTER_OPERATIONS)):
        response = await client.ask(
            DescribeClusterRequest(include_cluster_authorized_operations=included), version
        )
        assert (response.error_code, response.controller_id) == (ErrorCode.NONE, 1)
        assert response.cluster_id
        (broker,) = response.brokers
        assert (broker.broker_id, (broker.host, broker.port)) == (1, address)
        assert (broker.rack, broker.is_fenced) == (None, False)
        assert response.cluster_authorized_operations == operations


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (CONTROLLERS, ErrorCode.MISMATCHED_ENDPOINT_TYPE),
        (0, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE),
        (3, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE),
    ],
)
async def test_a_broker_does_not_tell_of_controllers(client, asked, error) -> None:
    response = await client.ask(DescribeClusterRequest(endpoint_type=asked))
    assert (ErrorCode(response.error_code), response.brokers, response.cluster_id) == (error, [], "")
    assert response.error_message


# -- DescribeTopicPartitions --------------------------------------------------------------------------------------


@pytest.fixture
async def three_topics(client, topic) -> list[str]:
    names = [f"{topic}-{letter}" for letter in "abc"]
    for name in names:
        await client.create_topic(name, 3)
    return names


async def page(client: RawClient, names: list[str], limit: int = 100, cursor: tuple[str, int] | None = None):
    request = DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=None
        if cursor is None
        else DescribeTopicPartitionsRequestCursor(topic_name=cursor[0], partition_index=cursor[1]),
    )
    response = await client.ask(request)
    following = response.next_cursor
    found = {row.name: [one.partition_index for one in row.partitions] for row in response.topics}
    errors = {row.name: ErrorCode(row.error_code) for row in response.topics if row.error_code}
    return found, (following.topic_name, following.partition_index) if following else None, errors


async def test_pages_go_on_where_the_last_one_ended(client, three_topics) -> None:
    a, b, c = three_topics
    assert await page(client, [c, a, b, a]) == ({a: [0, 1, 2], b: [0, 1, 2], c: [0, 1, 2]}, None, {})
    assert await page(client, three_topics, 2) == ({a: [0, 1]}, (a, 2), {})
    assert await page(client, three_topics, 3) == ({a: [0, 1, 2]}, (b, 0), {})
    assert await page(client, three_topics, 4) == ({a: [0, 1, 2], b: [0]}, (b, 1), {})
    assert await page(client, three_topics, 2, (b, 1)) == ({b: [1, 2]}, (c, 0), {})
    assert await page(client, three_topics, 9, (b, 3)) == ({b: [], c: [0, 1, 2]}, None, {})
    for limit in (0, -1):
        assert await page(client, three_topics, limit) == ({a: [0]}, (a, 1), {})


async def test_pages_over_all_topics_meet_each_partition_once(client, three_topics) -> None:
    seen: list[tuple[str, int]] = []
    cursor = None
    while True:
        found, cursor, errors = await page(client, [], 4, cursor)
        assert errors == {}
        seen += [(name, index) for name, indexes in found.items() for index in indexes]
        if cursor is None:
            break
    assert len(set(seen)) == len(seen)
    assert {(name, index) for name in three_topics for index in range(3)} <= set(seen)


async def test_topics_that_cannot_be_paged(client, three_topics) -> None:
    a, b, _ = three_topics
    _, cursor, errors = await page(client, ["nobody-knows", "bad name", a], 3)
    assert errors == {
        "nobody-knows": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        "bad name": ErrorCode.INVALID_TOPIC_EXCEPTION,
    }
    assert cursor is None
    for bad_cursor in ((b, 0), (a, -1), ("zzz", 0)):
        found, _, errors = await page(client, [a], 3, bad_cursor)
        assert (found, errors) == ({a: []}, {a: ErrorCode.INVALID_REQUEST})


async def test_a_page_is_no_larger_than_the_broker_wants(tmp_path, topic) -> None:
    async with running(tmp_path, max_request_partition_size_limit=5) as broker:
        await broker.client.create_topic(topic, 8)
        assert await page(broker.client, [topic], 1000) == ({topic: [0, 1, 2, 3, 4]}, (topic, 5), {})


# -- ApiVersions --------------------------------------------------------------------------------------------------


def ranges(response) -> dict[int, tuple[int, int]]:
    return {row.api_key: (row.min_version, row.max_version) for row in response.api_keys}


def request_of(version: int) -> ApiVersionsRequest:
    if version < 3:
        return ApiVersionsRequest()
    return ApiVersionsRequest(client_software_name="raw", client_software_version="1.0")


@pytest.mark.parametrize("version", all_versions(ApiVersionsRequest))
async def test_what_is_served_in_every_version(client, version) -> None:
    response = await client.ask(request_of(version), version)
    assert response.error_code == ErrorCode.NONE
    found = ranges(response)
    assert found == {api.key: api.advertised_range()[1:] for api in ALL if BROKER in api.listeners}
    # librdkafka of old reads its codecs from there, although nobody speaks versions 0 to 2 any more.
    assert found[ApiKey.PRODUCE] == (0, 13)
    assert found[ApiKey.FETCH] == (4, 18)
    levels = {row.name: row.max_version_level for row in response.finalized_features}
    assert ("metadata.version" in levels) == (version >= 3)
    supported = {row.name: row.min_version for row in response.supported_features}
    # A lowest level of 0 confuses clients that know only version 3.
    assert all(supported.values()) == (version < 4)


@pytest.mark.parametrize("name", ["", "-x", "x y", "ä", "x-"])
async def test_software_without_a_proper_name(client, name) -> None:
    for fields in ({"client_software_name": name}, {"client_software_version": name}):
        given = {"client_software_name": "x", "client_software_version": "1", **fields}
        response = await client.ask(ApiVersionsRequest(**given), 3)
        assert (response.error_code, response.api_keys) == (ErrorCode.INVALID_REQUEST, [])


async def test_a_controller_serves_what_controllers_serve(tmp_path) -> None:
    async with running(tmp_path) as broker:
        (endpoint,) = (one for one in broker.server.listeners.bound if one.is_controller)
        async with await RawClient.open((endpoint.host, endpoint.port)) as client:
            found = ranges(await client.ask(request_of(4)))
            assert found == {
                api.key: api.advertised_range()[1:] for api in ALL if CONTROLLER in api.listeners
            }
            assert ApiKey.PRODUCE not in found
            response = await client.ask(DescribeClusterRequest(endpoint_type=CONTROLLERS))
            assert (response.error_code, response.controller_id) == (ErrorCode.NONE, 1)
            assert [one.broker_id for one in response.brokers] == [1]
            mismatch = await client.ask(DescribeClusterRequest(endpoint_type=BROKERS))
            assert mismatch.error_code == ErrorCode.MISMATCHED_ENDPOINT_TYPE
            client.send(MetadataRequest(topics=None))
            await client.wait_until_closed()
