"""Markers reach their partitions, whatever is in the way: a crash, a partition that is away, a newer coordinator."""

import pytest
from tests.broker.broker_in_process import BrokerInProcess, running, until
from tests.broker.raw_client import values_of
from tests.broker.transaction_client import TransactionClient, committed, write_marker

from snakka.broker import transaction_markers
from snakka.coordination.decision import Marker, Producer
from snakka.coordination.transactions import shard as transaction_shard
from snakka.coordination.transactions.shard import SendMarkers
from snakka.protocol.error_codes import ErrorCode

SMALL = {"transaction_state_log_num_partitions": 1, "offsets_topic_num_partitions": 1}
NAME = "payments"


async def _begun(broker: BrokerInProcess, topic: str) -> TransactionClient:
    await broker.client.create_topic(topic, 2)
    producer = TransactionClient(broker.client, NAME)
    await producer.find()
    assert await producer.init() == "NONE"
    for partition in (0, 1):
        assert await producer.produce(topic, b"x", partition=partition) == "NONE"
    return producer


def _hold_back(broker: BrokerInProcess) -> None:
    """No marker is sent from here on: the broker as good as crashed after its decision."""
    broker.server._parts.coordinators.carry_out_transaction.clear()


async def _complete(broker: BrokerInProcess, state: str) -> None:
    def is_complete() -> bool:
        return any(
            host.shard.transactions.get(NAME) is not None
            and host.shard.transactions[NAME].state.label == state
            for host in broker.services.transactions.hosts()
        )

    await until(is_complete)


@pytest.mark.parametrize("commit", [True, False])
async def test_a_crash_between_decision_and_markers(tmp_path, topic, commit):
    async with running(tmp_path, **SMALL) as broker:
        producer = await _begun(broker, topic)
        _hold_back(broker)
        assert await producer.end(commit) == "NONE"
        assert await producer.state() == ("PrepareCommit" if commit else "PrepareAbort")
        assert await producer.produce(topic, b"next") == "CONCURRENT_TRANSACTIONS"
        assert await producer.init() == "CONCURRENT_TRANSACTIONS"
        topic_ids = broker.client.topic_ids
    async with running(tmp_path, **SMALL) as broker:
        await _complete(broker, "CompleteCommit" if commit else "CompleteAbort")
        broker.client.topic_ids = topic_ids
        row = await committed(broker.client, topic)
        assert row.last_stable_offset == 2
        assert len(row.aborted_transactions) == (0 if commit else 1)
        assert broker.partition(topic, 1).log.last_stable_offset == 2
        again = TransactionClient(broker.client, NAME)
        again.who = producer.who
        assert await again.produce(topic, b"next") == "NONE"
        assert await again.end() == "NONE"


async def test_a_crash_when_some_partitions_had_their_marker(tmp_path, topic):
    async with running(tmp_path, **SMALL) as broker:
        producer = await _begun(broker, topic)
        _hold_back(broker)
        assert await producer.end() == "NONE"
        done = await write_marker(broker.client, producer.who, (topic, 0), transaction_version=2)
        assert done == ["NONE"]
    async with running(tmp_path, **SMALL) as broker:
        await _complete(broker, "CompleteCommit")
        # The first has its marker twice, which does no harm.
        assert [broker.partition(topic, index).log.last_stable_offset for index in (0, 1)] == [3, 2]


async def test_a_partition_that_is_not_there_is_asked_again(tmp_path, topic):
    async with running(tmp_path, **SMALL) as broker:
        producer = await _begun(broker, topic)
        away = broker.partition(topic, 1)
        away.offline_error = ErrorCode.KAFKA_STORAGE_ERROR
        assert await producer.end() == "NONE"
        # Those that are there need not wait for the others.
        assert broker.partition(topic).log.last_stable_offset == 2
        assert await producer.state() == "PrepareCommit"
        away.offline_error = None
        await _complete(broker, "CompleteCommit")
        assert away.log.last_stable_offset == 2


async def test_who_gives_up_is_asked_again(tmp_path, topic, monkeypatch, caplog):
    monkeypatch.setattr(transaction_markers, "GIVE_UP_SECONDS", 0.0)
    monkeypatch.setattr(transaction_shard, "MARKERS_MS", 100)
    async with running(tmp_path, **SMALL) as broker:
        producer = await _begun(broker, topic)
        away = broker.partition(topic, 1)
        away.offline_error = ErrorCode.KAFKA_STORAGE_ERROR
        assert await producer.end() == "NONE"
        await until(lambda: caplog.text.count("do not take its marker") >= 2)
        assert await producer.state() == "PrepareCommit"
        away.offline_error = None
        await _complete(broker, "CompleteCommit")
        assert values_of(await committed(broker.client, topic))[0] == b"x"
        for index in (0, 1):
            log = broker.partition(topic, index).log
            assert log.last_stable_offset == log.log_end_offset


async def test_an_effect_that_comes_twice_is_carried_out_once(tmp_path, topic):
    async with running(tmp_path, **SMALL) as broker:
        producer = await _begun(broker, topic)
        (carry_out,) = broker.server._parts.coordinators.carry_out_transaction
        away = broker.partition(topic, 1)
        away.offline_error = ErrorCode.KAFKA_STORAGE_ERROR
        assert await producer.end() == "NONE"
        (host,) = broker.services.transactions.hosts()
        prepared = host.shard.transactions[NAME]
        effect = host.shard.markers_of(prepared, host.now())
        for _ in range(3):
            carry_out(0, effect)
        away.offline_error = None
        await _complete(broker, "CompleteCommit")
        assert [broker.partition(topic, index).log.log_end_offset for index in (0, 1)] == [2, 2]


async def test_a_coordinator_that_was_replaced_stops(tmp_path, topic):
    async with running(tmp_path, **SMALL) as broker:
        producer = await _begun(broker, topic)
        # A newer coordinator has written here.
        newer = Producer(producer.who.producer_id, 0)
        assert await write_marker(
            broker.client, newer, (topic, 0), coordinator_epoch=50, transaction_version=0
        ) == ["NONE"]
        (carry_out,) = broker.server._parts.coordinators.carry_out_transaction
        (host,) = broker.services.transactions.hosts()
        _hold_back(broker)
        assert await producer.end() == "NONE"
        zombie = Marker(producer.who.producer_id, 1, True, host.shard.coordinator_epoch, 2)
        carry_out(0, SendMarkers(NAME, zombie, ((topic, 0), (topic, 1))))
        assert await producer.state() == "PrepareCommit"
        assert broker.partition(topic).log.log_end_offset == 2
