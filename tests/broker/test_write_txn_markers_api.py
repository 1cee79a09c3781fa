"""WriteTxnMarkers: markers from elsewhere, late ones, and those of an administrator who ends what hangs."""

import time

import pytest
from tests.broker.api_harness import running_broker
from tests.broker.broker_in_process import running
from tests.broker.raw_client import batch
from tests.broker.transaction_client import (
    TransactionClient,
    committed,
    marker_request,
    name_of,
    write_marker,
)

from snakka.coordination.decision import Producer
from snakka.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from snakka.protocol.messages.write_txn_markers import WriteTxnMarkersRequest
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

SMALL = {"transaction_state_log_num_partitions": 1, "offsets_topic_num_partitions": 1}


@pytest.fixture
async def producer(client, topic):
    await client.create_topic(topic, 2)
    one = TransactionClient(client, topic)
    await one.find()
    assert await one.init() == "NONE"
    return one


@pytest.mark.parametrize("commit", [True, False])
async def test_a_marker_ends_a_transaction_in_its_partitions(client, topic, producer, commit):
    await producer.produce(topic, b"x")
    next_one = Producer(producer.who.producer_id, 1)
    found = await write_marker(
        client,
        next_one,
        (topic, 0),
        (topic, 1),
        (topic, 9),
        ("nowhere", 0),
        commit=commit,
        transaction_version=2,
    )
    assert found == ["NONE", "NONE", "UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_OR_PARTITION"]
    row = await committed(client, topic)
    assert row.last_stable_offset == 2
    assert len(row.aborted_transactions) == (0 if commit else 1)


async def test_a_marker_of_version_2_may_come_twice_but_not_late(client, topic, producer):
    place = (topic, 0)
    await producer.produce(topic, b"x")
    late = Producer(producer.who.producer_id, 1)
    await producer.end()
    assert await write_marker(client, late, place, transaction_version=2) == ["NONE"]
    await producer.produce(topic, b"y")
    assert await write_marker(client, late, place, transaction_version=2) == ["INVALID_PRODUCER_EPOCH"]
    assert (await committed(client, topic)).last_stable_offset == 3
    await producer.end(False)
    assert (await committed(client, topic)).last_stable_offset == 5


async def test_version_1_of_the_request_knows_no_transaction_version(client, topic, producer):
    await producer.add((topic, 0))
    await producer.produce(topic, b"x", version=11)
    answer = await client.ask(marker_request(producer.who, (topic, 0)), 1)
    assert name_of(answer.markers[0].topics[0].partitions[0].error_code) == "NONE"
    assert (await committed(client, topic)).last_stable_offset == 2
    behind = Producer(producer.who.producer_id, -1)
    assert await write_marker(client, behind, (topic, 0)) == ["INVALID_PRODUCER_EPOCH"]


async def test_an_old_coordinator_is_fenced(client, topic, producer):
    place = (topic, 0)
    assert await write_marker(client, producer.who, place, coordinator_epoch=5) == ["NONE"]
    assert await write_marker(client, producer.who, place, coordinator_epoch=4) == [
        "TRANSACTION_COORDINATOR_FENCED"
    ]


async def test_several_markers_are_answered_by_producer(client, topic, producer):
    requests = [marker_request(Producer(one, 0), (topic, one % 2)) for one in (70, 71, 72)]
    request = WriteTxnMarkersRequest(markers=[marker for one in requests for marker in one.markers])
    answer = await client.ask(request)
    assert [one.producer_id for one in answer.markers] == [70, 71, 72]
    assert [one.topics[0].partitions[0].partition_index for one in answer.markers] == [0, 1, 0]
    assert (await client.ask(WriteTxnMarkersRequest())).markers == []


async def test_a_group_hears_of_the_end(tmp_path):
    async with running(tmp_path, **SMALL) as broker:
        client = broker.client
        # The coordinator of groups does not lead anything yet.
        assert await write_marker(client, Producer(1, 0), ("__consumer_offsets", 0)) == [
            "UNKNOWN_TOPIC_OR_PARTITION"
        ]
        from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest

        await client.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]))
        place = ("__consumer_offsets", 0)
        assert await write_marker(client, Producer(1, 3), place, transaction_version=2) == ["NONE"]
        assert await write_marker(client, Producer(1, 2), place, transaction_version=2) == [
            "INVALID_PRODUCER_EPOCH"
        ]
        assert broker.partition("__consumer_offsets").log.log_end_offset == 1


async def test_what_hangs_can_be_found_and_ended(tmp_path, topic):
    """As kafka-transactions does it: what the partition knows and the coordinator does not is ended by hand."""
    async with running(tmp_path, **SMALL) as broker:
        client = broker.client
        await client.create_topic(topic)
        records = batch(b"x", is_transactional=True, producer_id=9, producer_epoch=4, base_sequence=0)
        broker.partition(topic).append(memoryview(bytearray(records)), 1, int(time.time() * 1000))
        assert (await committed(client, topic)).last_stable_offset == 0
        request = DescribeProducersRequest(topics=[TopicRequest(name=topic, partition_indexes=[0])])
        (found,) = (await client.ask(request)).topics[0].partitions[0].active_producers
        assert (found.producer_id, found.producer_epoch, found.current_txn_start_offset) == (9, 4, 0)
        who = Producer(found.producer_id, found.producer_epoch)
        assert await write_marker(client, who, (topic, 0), commit=False, coordinator_epoch=0) == ["NONE"]
        row = await committed(client, topic)
        assert row.last_stable_offset == 2
        assert [one.producer_id for one in row.aborted_transactions] == [9]


async def test_only_brokers_and_administrators_write_markers(tmp_path):
    alters = (Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME)
    acts = (Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)
    request = marker_request(Producer(1, 0), ("orders", 0), ("orders", 1))
    async with running_broker(tmp_path) as broker:

        async def errors(denied):
            answer = await broker.ask(request, denied=denied)
            return [name_of(row.error_code) for row in answer.markers[0].topics[0].partitions]

        assert await errors((alters, acts)) == ["CLUSTER_AUTHORIZATION_FAILED"] * 2
        assert await errors((alters,)) == ["UNKNOWN_TOPIC_OR_PARTITION"] * 2
        assert await errors((acts,)) == ["UNKNOWN_TOPIC_OR_PARTITION"] * 2
