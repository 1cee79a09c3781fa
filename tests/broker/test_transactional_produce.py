"""What a produce within a transaction asks first, and what it does while it has to wait for the answer."""

import asyncio

import pytest
from tests.broker.broker_in_process import running
from tests.broker.raw_client import ConnectionClosedError, RawClient, batch, values_of
from tests.broker.transaction_client import NEW_PRODUCE, TransactionClient, committed, name_of

from snakka.coordination.decision import Producer
from snakka.protocol.messages.produce import PartitionProduceData

SMALL = {"transaction_state_log_num_partitions": 1}
# Every commit waits for the disk, so nothing is answered at once.
SYNCED = {**SMALL, "log_flush_interval_messages": 1}


@pytest.fixture
async def producer(client, topic):
    await client.create_topic(topic, 2)
    one = TransactionClient(client, topic)
    await one.find()
    assert await one.init() == "NONE"
    return one


async def test_a_client_of_version_2_adds_partitions_by_writing_to_them(topic, producer):
    assert await producer.produce(topic, b"x") == "NONE"
    assert [one.partitions for one in (await producer.describe()).topics] == [[0]]
    assert await producer.produce(topic, b"x", partition=1) == "NONE"
    assert [one.partitions for one in (await producer.describe()).topics] == [[0, 1]]


@pytest.mark.parametrize(
    ("version", "error"), [(3, "INVALID_TXN_STATE"), (10, "INVALID_TXN_STATE"), (11, "TRANSACTION_ABORTABLE")]
)
async def test_an_older_client_must_have_added_them(topic, producer, version, error):
    assert await producer.produce(topic, b"x", version=version) == error
    await producer.add((topic, 1))
    assert await producer.produce(topic, b"x", version=version) == error
    assert await producer.produce(topic, b"x", partition=1, version=version) == "NONE"
    # The first batch has asked; the others need not.
    assert await producer.produce(topic, b"y", partition=1, version=version) == "NONE"
    await producer.end(version=4)
    assert await producer.produce(topic, b"z", partition=1, version=version) == error


@pytest.mark.parametrize("version", [11, NEW_PRODUCE])
async def test_only_the_producer_that_has_the_transactional_id_may_write(topic, producer, version):
    await producer.add((topic, 0))
    stranger = Producer(producer.who.producer_id + 500_000, 0)
    assert await producer.produce(topic, b"x", who=stranger, version=version) == "INVALID_PRODUCER_ID_MAPPING"
    old, new = (Producer(producer.who.producer_id, epoch) for epoch in (-1, 1))
    assert await producer.produce(topic, b"x", who=new, version=version) == "INVALID_PRODUCER_EPOCH"
    assert await producer.produce(topic, b"x", who=old, version=version) == "INVALID_PRODUCER_EPOCH"


@pytest.mark.parametrize("version", [11, NEW_PRODUCE])
async def test_a_coordinator_that_nobody_asked_for(tmp_path, topic, version):
    async with running(tmp_path, **SMALL) as broker:
        await broker.client.create_topic(topic)
        producer = TransactionClient(broker.client, "early")
        who = Producer(7, 0)
        # An error that every client tries again after.
        assert await producer.produce(topic, b"x", who=who, version=version) == "NOT_ENOUGH_REPLICAS"
        await producer.find()
        assert await producer.produce(topic, b"x", who=who, version=version) == "INVALID_PRODUCER_ID_MAPPING"


async def test_errors_are_those_of_single_partitions(client, topic, producer):
    await producer.add((topic, 1))
    request = producer.produce_request([(topic, 0), (topic, 1), (topic, 7)], b"x")
    answer = await client.ask(request, 11)
    rows = answer.responses[0].partition_responses
    assert [(row.index, name_of(row.error_code), row.base_offset) for row in rows] == [
        (0, "TRANSACTION_ABORTABLE", -1),
        (1, "NONE", 0),
        (7, "UNKNOWN_TOPIC_OR_PARTITION", -1),
    ]


async def test_one_request_is_of_one_producer(client, topic, producer):
    request = producer.produce_request([(topic, 0)], b"x")
    somebody = producer.who.producer_id + 1
    other = batch(b"x", is_transactional=True, producer_id=somebody, producer_epoch=0, base_sequence=0)
    request.topic_data[0].partition_data.append(PartitionProduceData(index=1, records=other))
    answer = await client.ask(request)
    rows = answer.responses[0].partition_responses
    assert [name_of(row.error_code) for row in rows] == ["INVALID_PRODUCER_ID_MAPPING"] * 2


async def test_records_outside_of_the_transaction_are_refused_while_it_is_under_way(client, topic, producer):
    await producer.produce(topic, b"x")
    outside = batch(
        b"y", producer_id=producer.who.producer_id, producer_epoch=producer.who.epoch, base_sequence=1
    )
    assert name_of((await client.produce(topic, outside)).error_code) == "INVALID_TXN_STATE"


async def test_verification_can_be_switched_off_for_older_clients(tmp_path, topic):
    async with running(tmp_path, **SMALL, transaction_partition_verification_enable="false") as broker:
        await broker.client.create_topic(topic)
        producer = TransactionClient(broker.client, "trusted", is_old=True)
        await producer.find()
        await producer.init()
        assert await producer.produce(topic, b"x") == "NONE"
        assert await producer.state() == "Empty"
        # Clients of version 2 rely on being added.
        assert await producer.produce(topic, b"y", version=NEW_PRODUCE, sequence=1) == "NONE"
        assert await producer.state() == "Empty"


async def test_a_failed_write_without_acknowledgement_closes_the_connection(address, client, topic, producer):
    async with await RawClient.open(address) as careless:
        stranger = Producer(producer.who.producer_id, 9)
        request = producer.produce_request([(topic, 0)], b"x", who=stranger, acks=0)
        careless.send(request, NEW_PRODUCE)
        with pytest.raises(ConnectionClosedError):
            await careless.receive_frame()


@pytest.mark.parametrize("version", [11, NEW_PRODUCE])
async def test_while_the_coordinator_waits_for_its_disk_the_records_are_kept(tmp_path, topic, version):
    """Many requests at once over one connection: the buffer that each came in is used again for the next."""
    async with running(tmp_path, **SYNCED) as broker:
        client = broker.client
        await client.create_topic(topic, 4)
        producer = TransactionClient(client, "patient")
        await producer.find()
        await producer.init()
        if version < NEW_PRODUCE:
            await producer.add(*((topic, index) for index in range(4)))
        requests = []
        for number in range(40):
            index = number % 4
            request = producer.produce_request([(topic, index)], b"%d" % number * 500, sequence=number // 4)
            requests.append((request, client.send(request, version)))
        for request, correlation_id in requests:
            answer = await client.receive(request, version, correlation_id)
            row = answer.responses[0].partition_responses[0]
            assert name_of(row.error_code) == "NONE"
        for index in range(4):
            found = [record.value for record in await client.read_all(topic, index)]
            assert found == [b"%d" % number * 500 for number in range(index, 40, 4)]


async def test_the_next_transaction_waits_for_the_last_one_to_be_complete(tmp_path, topic):
    async with running(tmp_path, **SYNCED) as broker:
        client = broker.client
        await client.create_topic(topic)
        producer = TransactionClient(client, "hasty")
        await producer.find()
        await producer.init()
        for number in range(10):
            assert await producer.produce(topic, b"%d" % number) == "NONE"
            assert await producer.end(number % 2 == 0) == "NONE"
        async with asyncio.timeout(10):
            while (await producer.state()) != "CompleteAbort":  # noqa: ASYNC110 - it is complete in its own time
                await asyncio.sleep(0.01)
        row = await committed(client, topic)
        assert [value for value in values_of(row) if len(value) == 1] == [
            b"%d" % number for number in range(10)
        ]
        assert len(row.aborted_transactions) == 5
        assert row.last_stable_offset == 20


async def test_without_acknowledgement_and_with_a_wait(tmp_path, topic):
    async with running(tmp_path, **SYNCED) as broker:
        client = broker.client
        await client.create_topic(topic)
        producer = TransactionClient(client, "careless")
        await producer.find()
        await producer.init()
        client.send(producer.produce_request([(topic, 0)], b"x", acks=0), NEW_PRODUCE)
        assert await producer.produce(topic, b"y", sequence=1) == "NONE"
        assert [record.value for record in await client.read_all(topic)] == [b"x", b"y"]
