"""Whole transactions over the wire: begin, write, end, and what readers see of them; old clients and new ones."""

import asyncio

import pytest
from tests.broker.broker_in_process import running, until
from tests.broker.raw_client import RawClient, all_versions, values_of
from tests.broker.transaction_client import NEW_END, OLD_END, TransactionClient, committed

from snakka.coordination.decision import Producer
from snakka.protocol.batch_reader import read_records
from snakka.protocol.coordinator_framing import TRANSACTION_RECORDS, KeyedRecord, decoder
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.end_txn import EndTxnRequest
from snakka.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from snakka.protocol.record_batch import iter_headers

SMALL = {"transaction_state_log_num_partitions": 3, "offsets_topic_num_partitions": 3}


@pytest.fixture
async def producer(client, topic):
    """Of transaction.version 2, with a topic of two partitions that has its name."""
    await client.create_topic(topic, 2)
    one = TransactionClient(client, topic)
    await one.find()
    assert await one.init() == "NONE"
    return one


@pytest.fixture
async def old_producer(producer):
    producer.is_old = True
    return producer


async def test_a_transaction_is_seen_when_it_is_committed(client, topic, producer):
    assert await producer.produce(topic, b"a", b"b") == "NONE"
    assert await producer.produce(topic, b"c") == "NONE"
    assert values_of(await client.fetch(topic)) == [b"a", b"b", b"c"]
    row = await committed(client, topic)
    assert values_of(row) == []
    assert (row.high_watermark, row.last_stable_offset) == (3, 0)
    assert await producer.state() == "Ongoing"
    assert await producer.end() == "NONE"
    assert await producer.state() == "CompleteCommit"
    row = await committed(client, topic)
    assert values_of(row)[:3] == [b"a", b"b", b"c"]
    assert (row.high_watermark, row.last_stable_offset) == (4, 4)
    assert row.aborted_transactions == []


async def test_an_aborted_transaction_is_named_to_readers(client, topic, producer):
    first = producer.who
    await producer.produce(topic, b"a")
    await producer.end(False)
    await producer.produce(topic, b"b")
    await producer.end()
    row = await committed(client, topic)
    assert [(one.producer_id, one.first_offset) for one in row.aborted_transactions] == [
        (first.producer_id, 0)
    ]
    assert row.last_stable_offset == 4


async def test_each_transaction_has_an_epoch_of_its_own(topic, producer):
    begun = producer.who
    for number in range(1, 4):
        assert await producer.produce(topic, b"x") == "NONE"
        assert await producer.end(number % 2 == 0) == "NONE"
        assert producer.who == Producer(begun.producer_id, number)


async def test_old_clients_keep_their_epoch(client, topic, old_producer):
    begun = old_producer.who
    for number in range(3):
        # Who did not add the partition may not write to it.
        assert await old_producer.produce(topic, b"x") == "TRANSACTION_ABORTABLE"
        assert await old_producer.produce(topic, b"x", version=10) == "INVALID_TXN_STATE"
        assert await old_producer.add((topic, 0)) == ["NONE"]
        assert await old_producer.produce(topic, b"%d" % number) == "NONE"
        assert await old_producer.end() == "NONE"
        assert await old_producer.end() == "NONE"
        assert old_producer.who == begun
    assert [value for value in values_of(await committed(client, topic)) if len(value) == 1] == [
        b"0",
        b"1",
        b"2",
    ]


async def test_a_repeated_end_is_answered_as_the_first_time(topic, producer):
    begun = producer.who
    await producer.produce(topic, b"x")
    assert await producer.end() == "NONE"
    second = producer.who
    assert await producer.end(who=begun) == "NONE"
    assert producer.who == second
    assert await producer.end(False, who=begun) == "INVALID_TXN_STATE"
    assert await producer.end(who=second) == "INVALID_TXN_STATE"


@pytest.mark.parametrize("version", all_versions(EndTxnRequest))
async def test_errors_by_version(client, topic, producer, version):
    fenced = "PRODUCER_FENCED" if version >= 2 else "INVALID_PRODUCER_EPOCH"
    stranger = Producer(producer.who.producer_id, 9)
    assert await producer.end(version=version, who=stranger) == fenced
    assert await producer.end(version=version, who=Producer(1 << 40, 0)) == "INVALID_PRODUCER_ID_MAPPING"
    assert await producer.end(version=version) == "INVALID_TXN_STATE"
    unknown = TransactionClient(client, f"{topic}-nobody")
    assert await unknown.end(version=version) == "INVALID_PRODUCER_ID_MAPPING"
    nameless = TransactionClient(client, "")
    assert await nameless.end(version=version) == "INVALID_REQUEST"


@pytest.mark.parametrize("version", all_versions(EndTxnRequest))
async def test_an_answer_without_news_says_nothing_of_the_producer(client, topic, producer, version):
    await producer.produce(topic, b"x")
    answer = await client.ask(producer.end_request(True), version)
    assert answer.error_code == 0
    expected = (producer.who.producer_id, 1) if version >= NEW_END else (-1, -1)
    assert (answer.producer_id, answer.producer_epoch) == expected


async def test_a_zombie_is_fenced_by_whoever_comes_after_it(client, topic, producer):
    zombie = producer.who
    await producer.produce(topic, b"zombie")
    successor = TransactionClient(client, producer.transactional_id)
    # First its transaction is aborted, and only then does anybody get its name.
    assert await successor.init() == "CONCURRENT_TRANSACTIONS"
    assert await successor.init() == "NONE"
    assert successor.who == Producer(zombie.producer_id, 2)
    assert await producer.produce(topic, b"late") == "INVALID_PRODUCER_EPOCH"
    assert await producer.produce(topic, b"late", partition=1, sequence=0) == "INVALID_PRODUCER_EPOCH"
    assert await producer.end(version=OLD_END) == "PRODUCER_FENCED"
    assert await producer.end() == "PRODUCER_FENCED"
    assert await producer.add((topic, 0)) == ["PRODUCER_FENCED"]
    await successor.produce(topic, b"successor")
    await successor.end()
    row = await committed(client, topic)
    assert [one.first_offset for one in row.aborted_transactions] == [0]
    assert b"successor" in values_of(row)


async def test_an_abort_of_nothing(topic, producer):
    assert await producer.end(False) == "NONE"
    assert producer.who.epoch == 1
    assert await producer.state() == "CompleteAbort"
    assert await producer.end(True) == "INVALID_TXN_STATE"


async def test_readers_who_wait_hear_of_the_end(client, address, topic, producer):
    """Whatever they wait for: the marker is few bytes, but it lets them read all that came before it."""
    await producer.produce(topic, b"x" * 5000)
    async with await RawClient.open(address) as reader:
        reader.topic_ids = client.topic_ids
        waiting = asyncio.ensure_future(committed(reader, topic, max_wait_ms=30_000, min_bytes=4000))
        _done, pending = await asyncio.wait([waiting], timeout=0.2)
        assert pending
        await producer.end()
        row = await asyncio.wait_for(waiting, 10)
        assert values_of(row)[0] == b"x" * 5000


async def test_a_transaction_over_several_partitions_and_topics(client, topic, producer):
    other = f"{topic}-other"
    await client.create_topic(other)
    request = producer.produce_request([(topic, 0), (topic, 1), (other, 0)], b"x")
    answer = await client.ask(request)
    rows = [row for one in answer.responses for row in one.partition_responses]
    assert [row.error_code for row in rows] == [0, 0, 0]
    described = await producer.describe()
    assert {one.topic: one.partitions for one in described.topics} == {topic: [0, 1], other: [0]}
    await producer.end()
    for place in (topic, other):
        assert (await committed(client, place)).last_stable_offset == 2
    assert (await client.list_offset(topic, -1, partition=1, isolation_level=1)).offset == 2


async def test_a_transaction_that_takes_too_long_is_aborted(tmp_path, topic):
    interval = "transaction_abort_timed_out_transaction_cleanup_interval_ms"
    async with running(tmp_path, **SMALL, **{interval: 20}) as broker:
        await broker.client.create_topic(topic)
        producer = TransactionClient(broker.client, "slow")
        await producer.find()
        await producer.init(timeout_ms=200)
        begun = producer.who
        await producer.produce(topic, b"x")
        log = broker.partition(topic).log
        assert log.last_stable_offset == 0
        await until(lambda: log.last_stable_offset == 2)
        assert await producer.state() == "CompleteAbort"
        assert await producer.produce(topic, b"y") == "INVALID_PRODUCER_EPOCH"
        assert await producer.end() == "INVALID_TXN_STATE"
        # Who plays by version 2 aborts, and goes on.
        assert await producer.end(False) == "NONE"
        assert producer.who == Producer(begun.producer_id, 1)
        assert await producer.produce(topic, b"z") == "NONE"


async def test_unused_transactional_ids_are_forgotten(tmp_path):
    interval = "transaction_remove_expired_transaction_cleanup_interval_ms"
    options = {interval: 20, "transactional_id_expiration_ms": 100}
    async with running(tmp_path, **SMALL, **options) as broker:
        producer = TransactionClient(broker.client, "rare")
        await producer.find()
        await producer.init()
        shards = [host.shard for host in broker.services.transactions.hosts()]
        assert any(shard.transactions for shard in shards)
        await until(lambda: not any(shard.transactions for shard in shards))
        assert await producer.state() == "TRANSACTIONAL_ID_NOT_FOUND"
        assert await producer.end() == "INVALID_PRODUCER_ID_MAPPING"


async def test_a_deleted_topic_does_not_hold_a_transaction_up(client, topic, producer):
    other = f"{topic}-other"
    await client.create_topic(other)
    await producer.produce(topic, b"x")
    await producer.produce(other, b"x")
    answer = await client.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name=other)], timeout_ms=10_000))
    assert answer.responses[0].error_code == 0
    assert await producer.end() == "NONE"
    assert await producer.state() == "CompleteCommit"
    assert (await committed(client, topic)).last_stable_offset == 2


async def test_the_version_of_transactions_can_be_lowered(tmp_path, topic):
    """A new cluster plays by version 2; in a lowered one its own fences and records are those of the older versions."""
    async with running(tmp_path, **SMALL) as broker:
        client = broker.client
        await client.create_topic(topic)
        assert broker.services.image.features.level("transaction.version") == 2
        producer = TransactionClient(client, "payments")
        await producer.find()
        await producer.init()
        await producer.produce(topic, b"x")
        row = FeatureUpdateKey(feature="transaction.version", max_version_level=0, upgrade_type=2)
        answer = await client.ask(UpdateFeaturesRequest(timeout_ms=10_000, feature_updates=[row]))
        assert answer.error_code == 0
        await until(lambda: broker.services.image.features.level("transaction.version") == 0)
        # What clients of version 2 have begun they end by its rules.
        assert await producer.end() == "NONE"
        assert producer.who.epoch == 1
        older = TransactionClient(client, "payments", is_old=True)
        assert await older.init() == "NONE"
        assert await older.add((topic, 0)) == ["NONE"]
        assert await older.produce(topic, b"y") == "NONE"
        assert await older.init() == "CONCURRENT_TRANSACTIONS"
        assert await older.init() == "NONE"
        assert older.who.epoch == 4
        assert broker.partition(topic).log.last_stable_offset == 4
        (host,) = [one for one in broker.services.transactions.hosts() if one.shard.transactions]
        assert {record.version for record in _records_of(host.partition.log)} == {0, 1}


def _records_of(log) -> list[KeyedRecord]:
    found = log.read(0, 1 << 20, upper_bound=log.log_end_offset, min_one_message=True)
    data = found.records.read_blocking(0, found.bytes)
    return [
        decoder(TRANSACTION_RECORDS)(record.key, record.value)
        for position, header in iter_headers(data)
        for record in read_records(data[position : position + header.size])
    ]
