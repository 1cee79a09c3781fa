"""Each API that ApiVersions lists is answered in each of the versions listed, on clients' and on controllers' listeners."""

import pytest
from tests.broker.raw_client import RawClient

from snakka.protocol.api_keys import ApiKey, request_class
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
)
from snakka.testing import LocalBroker

# What of the lists is refused by closing the connection: Produce is listed from 0 on because old librdkafka asks for
# that, and is served from 3 on (KIP-896), as in Kafka.
LISTED_BUT_REFUSED = {(ApiKey.PRODUCE, version) for version in range(3)}


@pytest.fixture
async def broker():
    async with LocalBroker() as running:
        yield running


def _plain_request(key: ApiKey) -> Message:
    """A request that names nothing; one that must name something names what does not exist."""
    request = request_class(key)()
    if key is ApiKey.PRODUCE:
        request.acks = -1
    return request


@pytest.mark.parametrize("is_controller", [False, True], ids=["clients", "controllers"])
async def test_each_version_gets_an_answer(broker, is_controller):
    endpoint = next(one for one in broker.server.listeners.bound if one.is_controller is is_controller)
    address = (endpoint.host, endpoint.port)
    async with await RawClient.open(address) as client:
        listed = (await client.ask(ApiVersionsRequest(), 0)).api_keys
        for row in listed:
            for version in range(row.min_version, row.max_version + 1):
                if (row.api_key, version) not in LISTED_BUT_REFUSED:
                    await client.ask(_plain_request(ApiKey(row.api_key)), version)
    keys = {row.api_key for row in listed}
    assert (ApiKey.PRODUCE in keys) is not is_controller
    assert (ApiKey.ALLOCATE_PRODUCER_IDS in keys) is is_controller


@pytest.mark.parametrize("is_controller", [False, True], ids=["clients", "controllers"])
@pytest.mark.parametrize("version", range(3))
async def test_the_quorum_describes_itself(broker, version, is_controller):
    endpoint = next(one for one in broker.server.listeners.bound if one.is_controller is is_controller)
    asked = DescribeQuorumRequestTopicData(
        topic_name="__cluster_metadata", partitions=[DescribeQuorumRequestPartitionData(partition_index=0)]
    )
    async with await RawClient.open((endpoint.host, endpoint.port)) as client:
        response = await client.ask(DescribeQuorumRequest(topics=[asked]), version)
    assert response.error_code == ErrorCode.NONE
    row = response.topics[0].partitions[0]
    assert (row.error_code, row.leader_id, row.leader_epoch) == (ErrorCode.NONE, 1, 1)
    voter = row.current_voters[0]
    assert (len(row.current_voters), voter.replica_id) == (1, 1)
    assert voter.log_end_offset >= row.high_watermark > 0
    if version >= 2:
        assert [node.node_id for node in response.nodes] == [1]
        assert voter.replica_directory_id == broker.server.services.log_manager.directories[0].directory_id
