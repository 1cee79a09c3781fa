"""ListTransactions and DescribeTransactions: what those see who look after transactions."""

import pytest
from tests.broker.api_harness import running_broker
from tests.broker.broker_in_process import running
from tests.broker.raw_client import all_versions
from tests.broker.transaction_client import TransactionClient, name_of

from snakka.protocol.messages.describe_transactions import DescribeTransactionsRequest
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.list_transactions import ListTransactionsRequest
from snakka.security.operations import Operation, ResourceType

SMALL = {"transaction_state_log_num_partitions": 3}


@pytest.fixture(scope="module")
def several():
    return {"idle": "Empty", "busy": "Ongoing", "done": "CompleteCommit", "undone": "CompleteAbort"}


async def _act(broker, topic: str) -> dict[str, TransactionClient]:
    await broker.client.create_topic(topic)
    clients = {name: TransactionClient(broker.client, name) for name in ("idle", "busy", "done", "undone")}
    await clients["idle"].find()
    for one in clients.values():
        await one.init(timeout_ms=30_000)
    for name in ("busy", "done", "undone"):
        await clients[name].produce(topic, b"x")
    await clients["done"].end()
    await clients["undone"].end(False)
    return clients


async def _list(client, version=None, **filters):
    answer = await client.ask(ListTransactionsRequest(**filters), version)
    assert answer.error_code == 0
    return answer


def _names(answer) -> list[str]:
    return sorted(row.transactional_id for row in answer.transaction_states)


async def test_filters(tmp_path, topic, several):
    async with running(tmp_path, **SMALL) as broker:
        client = broker.client
        assert (await _list(client)).transaction_states == []
        clients = await _act(broker, topic)
        for version in all_versions(ListTransactionsRequest):
            answer = await _list(client, version)
            assert {
                row.transactional_id: row.transaction_state for row in answer.transaction_states
            } == several
            by_state = await _list(client, version, state_filters=["Ongoing", "Empty", "Sleeping", "Dead"])
            assert _names(by_state) == ["busy", "idle"]
            assert by_state.unknown_state_filters == ["Sleeping"]
            only_unknown = await _list(client, version, state_filters=["Sleeping"])
            assert _names(only_unknown) == []
            busy = clients["busy"].who.producer_id
            assert _names(await _list(client, version, producer_id_filters=[busy, 1 << 40])) == ["busy"]
            both = await _list(client, version, producer_id_filters=[busy], state_filters=["Empty"])
            assert _names(both) == []
        # What has not begun has been under way since the beginning of time.
        assert _names(await _list(client, 1, duration_filter=3_600_000)) == ["idle"]
        assert _names(await _list(client, 1, duration_filter=-1)) == sorted(several)
        assert _names(await _list(client, 2, transactional_id_pattern=".*done")) == ["done", "undone"]
        assert _names(await _list(client, 2, transactional_id_pattern="do")) == []
        assert _names(await _list(client, 2, transactional_id_pattern="")) == sorted(several)
        bad = await client.ask(ListTransactionsRequest(transactional_id_pattern="(a"))
        assert name_of(bad.error_code) == "INVALID_REGULAR_EXPRESSION"


async def test_description(tmp_path, topic):
    async with running(tmp_path, **SMALL) as broker:
        clients = await _act(broker, topic)
        names = ["busy", "nobody", "idle", "", "done"]
        answer = await broker.client.ask(DescribeTransactionsRequest(transactional_ids=names))
        rows = dict(zip(names, answer.transaction_states, strict=True))
        assert [row.transactional_id for row in answer.transaction_states] == names
        busy = rows["busy"]
        assert (busy.producer_id, busy.producer_epoch) == clients["busy"].who
        assert (busy.transaction_state, busy.transaction_timeout_ms) == ("Ongoing", 30_000)
        assert [(one.topic, one.partitions) for one in busy.topics] == [(topic, [0])]
        now_ms = broker.services.runtime.clock.now_ms()
        assert now_ms - 60_000 < busy.transaction_start_time_ms <= now_ms
        assert (rows["idle"].transaction_state, rows["idle"].transaction_start_time_ms) == ("Empty", -1)
        assert (rows["done"].transaction_state, rows["done"].topics) == ("CompleteCommit", [])
        assert rows["done"].producer_epoch == 1
        assert name_of(rows["nobody"].error_code) == "TRANSACTIONAL_ID_NOT_FOUND"
        assert name_of(rows[""].error_code) == "INVALID_REQUEST"


async def test_who_may_see_what(tmp_path):
    async with running_broker(tmp_path, transaction_state_log_num_partitions="1") as broker:
        describe = DescribeTransactionsRequest(transactional_ids=["a", "b"])
        answer = await broker.ask(describe)
        assert [name_of(row.error_code) for row in answer.transaction_states] == ["NOT_COORDINATOR"] * 2
        await broker.ask(FindCoordinatorRequest(key_type=1, coordinator_keys=["a"]))
        for name in ("a", "b"):
            request = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=1000)
            assert (await broker.ask(request)).error_code == 0
        denied = ((Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, "a"),)
        answer = await broker.ask(describe, denied=denied)
        assert [name_of(row.error_code) for row in answer.transaction_states] == [
            "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
            "NONE",
        ]
        assert _names(await broker.ask(ListTransactionsRequest(), denied=denied)) == ["b"]
