"""InitProducerId with a transactional id, in every version."""

import pytest
from tests.broker.broker_in_process import running, until
from tests.broker.raw_client import all_versions
from tests.broker.transaction_client import TransactionClient

from snakka.coordination.decision import Producer
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.storage.producer_state import LAST_EPOCH

SMALL = {"transaction_state_log_num_partitions": 1}


@pytest.mark.parametrize("version", all_versions(InitProducerIdRequest))
async def test_each_producer_gets_the_next_epoch(client, topic, version):
    first, second = (TransactionClient(client, topic) for _ in range(2))
    await first.find()
    assert await first.init(version=version) == "NONE"
    assert first.who.epoch == 0
    assert await second.init(version=version) == "NONE"
    assert second.who == Producer(first.who.producer_id, 1)


@pytest.mark.parametrize("version", [3, 4, 5])
async def test_a_fenced_producer_is_told_so_in_words_that_it_knows(client, topic, version):
    producer = TransactionClient(client, topic)
    await producer.find()
    await producer.init()
    old = producer.who
    assert await producer.init(expected=old, version=version) == "NONE"
    assert await producer.init(expected=old, version=version) == "NONE"
    assert producer.who.epoch == 1
    await producer.init()
    fenced = "PRODUCER_FENCED" if version >= 4 else "INVALID_PRODUCER_EPOCH"
    assert await producer.init(expected=old, version=version) == fenced
    for half in (Producer(old.producer_id, -1), Producer(-1, 0)):
        assert await producer.init(expected=half, version=version) == "INVALID_REQUEST"


@pytest.mark.parametrize("timeout_ms", [0, -1, 900_001])
async def test_timeouts_that_nobody_may_ask_for(client, topic, timeout_ms):
    producer = TransactionClient(client, topic)
    await producer.find()
    assert await producer.init(timeout_ms=timeout_ms) == "INVALID_TRANSACTION_TIMEOUT"
    assert await producer.state() == "TRANSACTIONAL_ID_NOT_FOUND"
    assert await TransactionClient(client, "").init(timeout_ms=timeout_ms) == "INVALID_REQUEST"
    assert await producer.init(timeout_ms=900_000) == "NONE"


async def test_the_longest_timeout_is_an_option(tmp_path):
    async with running(tmp_path, **SMALL, transaction_max_timeout_ms=5_000) as broker:
        producer = TransactionClient(broker.client, "payments")
        await producer.find()
        assert await producer.init(timeout_ms=5_001) == "INVALID_TRANSACTION_TIMEOUT"
        assert await producer.init(timeout_ms=5_000) == "NONE"


async def test_the_state_is_there_again_after_a_restart(tmp_path, topic):
    async with running(tmp_path, **SMALL) as broker:
        await broker.client.create_topic(topic)
        producer = TransactionClient(broker.client, "payments")
        await producer.find()
        await producer.init(timeout_ms=12_345)
        assert await producer.produce(topic, b"x") == "NONE"
        known = producer.who
    async with running(tmp_path, **SMALL) as broker:
        again = TransactionClient(broker.client, "payments")
        await until(lambda: not broker.services.transactions.is_loading)
        row = await again.describe()
        assert (row.transaction_state, row.transaction_timeout_ms) == ("Ongoing", 12_345)
        assert (row.producer_id, row.producer_epoch) == known
        again.who, again.sequences = known, {(topic, 0): 1}
        assert await again.produce(topic, b"y", version=11) == "NONE"
        assert await again.end() == "NONE"
        assert broker.partition(topic).log.last_stable_offset == 3


async def test_used_up_epochs_lead_to_a_new_producer_id(tmp_path, topic):
    async with running(tmp_path, **SMALL) as broker:
        await broker.client.create_topic(topic)
        producer = TransactionClient(broker.client, "payments")
        await producer.find()
        await producer.init()
        old = Producer(producer.who.producer_id, LAST_EPOCH - 1)
        (host,) = broker.services.transactions.hosts()
        known = host.shard.transactions["payments"]
        used_up = known.becomes(known.state, known.updated_ms, producer_epoch=old.epoch)
        host.decide(lambda shard, _: shard.write(used_up, True), None)
        producer.who = old
        assert await producer.produce(topic, b"x") == "NONE"
        assert await producer.end() == "NONE"
        assert producer.who.producer_id != old.producer_id
        assert producer.who.epoch == 0
        fresh = producer.who
        # Its answer may be lost: it asks again under its old name.
        assert await producer.end(who=old) == "NONE"
        assert producer.who == fresh
        assert await producer.produce(topic, b"y") == "NONE"
        assert await producer.end() == "NONE"
        assert producer.who == Producer(fresh.producer_id, 1)
        assert broker.partition(topic).log.last_stable_offset == 4
