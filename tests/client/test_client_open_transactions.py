"""Transactions that one process leaves open and another one ends: by the rules of both versions, at both brokers."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator

import pytest
from tests.client.awaited_answers import answer
from tests.client.independent_reader import read_topic
from tests.client.scripted_broker import ScriptedBroker
from tests.client.transaction_versions import play_by_version_1
from tests.client.waiting import WAIT_SECONDS

from snakka.client.admin import Admin
from snakka.client.errors import ClientClosedError, TransactionStateError
from snakka.client.open_transaction import OpenTransaction
from snakka.client.producer import Producer
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from snakka.protocol.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from snakka.testing import LocalBroker

_numbers = itertools.count()


@pytest.fixture
def name() -> str:
    """For the topic and the transactional id."""
    return f"open-transactions-{os.getpid()}-{next(_numbers)}"


@pytest.fixture(params=["snakka", "kafka"])
async def admin(request: pytest.FixtureRequest, name: str) -> AsyncIterator[Admin]:
    if request.param == "kafka":
        async with Admin(bootstrap_servers=request.getfixturevalue("kafka").bootstrap) as admin:
            await admin.create_topic(name)
            yield admin
    else:
        options = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": 100}
        async with (
            LocalBroker(options) as broker,
            Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
        ):
            await admin.create_topic(name)
            yield admin


@pytest.fixture(params=[1, 2], ids=["version-1", "version-2"])
def version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The rules that both clients play by: brokers serve both, whatever they prefer."""
    if request.param == 1:
        play_by_version_1(monkeypatch)
    return int(request.param)


def bootstrap_of(admin: Admin) -> str:
    return ",".join(admin.cluster.settings.bootstrap_servers)


async def left_open(admin: Admin, name: str, *values: bytes, timeout_ms: int = 60_000) -> OpenTransaction:
    producer = Producer(
        bootstrap_servers=bootstrap_of(admin), transactional_id=name, transaction_timeout_ms=timeout_ms
    )
    await producer.start()
    await producer.begin_transaction()
    futures = [await producer.send(name, value) for value in values]
    transaction = await producer.detach_transaction()
    assert all(future.done() for future in futures)
    with pytest.raises(ClientClosedError, match="stopped"):
        await producer.send(name, b"too late")
    await producer.stop()
    return transaction


async def committed_values(admin: Admin, topic: str) -> list[bytes | None]:
    return [
        record.value for record in await read_topic(bootstrap_of(admin), topic, isolation="read_committed")
    ]


async def committed(admin: Admin, topic: str, count: int) -> list[bytes | None]:
    """So many at least: a coordinator answers when it has decided; the partitions hear of it a moment later."""
    return await answer(lambda: committed_values(admin, topic), lambda found: len(found) >= count)


async def state_of(admin: Admin, name: str) -> str:
    return (await admin.describe_transactions([name]))[name].state


async def error_of(admin: Admin, transaction: OpenTransaction, *, commit: bool = True) -> ErrorCode:
    [error] = (await admin.end_transactions([transaction], commit=commit)).errors.values()
    assert isinstance(error, ApiError)
    assert transaction.transactional_id in error.message
    return error.code


async def test_another_one_commits_and_may_do_so_again(admin: Admin, version: int, name: str) -> None:
    transaction = await left_open(admin, name, b"one", b"two")
    assert transaction.transactional_id == name
    assert await state_of(admin, name) == "Ongoing"
    assert await committed_values(admin, name) == []

    # At the same time too: one of them hears CONCURRENT_TRANSACTIONS for a while.
    both = await asyncio.gather(*(admin.end_transactions([transaction]) for _ in range(2)))
    for outcomes in both:
        assert outcomes.raise_for_errors() == {transaction: None}
    assert await committed(admin, name, 2) == [b"one", b"two"]
    (await admin.end_transactions([transaction])).raise_for_errors()
    assert await error_of(admin, transaction, commit=False) is ErrorCode.INVALID_TXN_STATE
    assert await committed(admin, name, 2) == [b"one", b"two"]

    # Who begins with the same id takes nothing away from it.
    following = await left_open(admin, name, b"three")
    assert await error_of(admin, transaction) is ErrorCode.PRODUCER_FENCED
    (await admin.end_transactions([following])).raise_for_errors()
    assert await committed(admin, name, 3) == [b"one", b"two", b"three"]


async def test_another_one_aborts(admin: Admin, version: int, name: str) -> None:
    transaction = await left_open(admin, name, b"never")
    (await admin.end_transactions([transaction], commit=False)).raise_for_errors()
    (await admin.end_transactions([transaction], commit=False)).raise_for_errors()
    assert await error_of(admin, transaction) is ErrorCode.INVALID_TXN_STATE
    assert await committed_values(admin, name) == []


async def test_what_took_too_long_can_t_be_committed(admin: Admin, version: int, name: str) -> None:
    transaction = await left_open(admin, name, b"never", timeout_ms=1_500)
    async with asyncio.timeout(WAIT_SECONDS):
        while await state_of(admin, name) != "CompleteAbort":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert await error_of(admin, transaction) in (ErrorCode.INVALID_TXN_STATE, ErrorCode.PRODUCER_FENCED)
    assert await committed_values(admin, name) == []


async def test_a_new_producer_aborts_what_was_left_open(admin: Admin, version: int, name: str) -> None:
    transaction = await left_open(admin, name, b"never")
    following = await left_open(admin, name, b"three")
    assert await error_of(admin, transaction) is ErrorCode.PRODUCER_FENCED
    (await admin.end_transactions([following])).raise_for_errors()
    assert await committed(admin, name, 1) == [b"three"]


async def test_many_at_once_each_with_its_outcome(admin: Admin, name: str) -> None:
    open_ones = [await left_open(admin, name, b"%d" % number) for number in range(2)][1:]
    unknown = OpenTransaction(f"{name}-nobody", 7, 0)
    outcomes = await admin.end_transactions([*open_ones, unknown])
    assert outcomes.results == dict.fromkeys(open_ones)
    error = outcomes.errors[unknown]
    assert isinstance(error, ApiError)
    assert error.code is ErrorCode.INVALID_PRODUCER_ID_MAPPING


async def test_only_what_is_written_whole_can_be_detached(admin: Admin, name: str) -> None:
    await admin.create_topic(f"{name}-small", configs={"max.message.bytes": "1000"})
    async with Producer(bootstrap_servers=bootstrap_of(admin), transactional_id=name) as producer:
        with pytest.raises(TransactionStateError, match="begin one"):
            await producer.detach_transaction()
        await producer.begin_transaction()
        with pytest.raises(TransactionStateError, match="nothing was written"):
            await producer.detach_transaction()
        with pytest.raises(TransactionStateError, match="can't send"):
            await producer.send(name, b"x")
        await producer.abort_transaction()
        await producer.begin_transaction()
        await producer.send(name, b"fits")
        await producer.send(f"{name}-small", b"x" * 2_000)
        with pytest.raises(ApiError, match="MESSAGE_TOO_LARGE"):
            await producer.detach_transaction()
        await producer.abort_transaction()
    assert await committed_values(admin, name) == []


@pytest.fixture
async def busy_coordinator() -> AsyncIterator[ScriptedBroker]:
    """What it is asked to end is in the middle of something else, until a test says otherwise."""
    async with ScriptedBroker() as broker:
        found = Coordinator(key="t", node_id=broker.node_id, host="127.0.0.1", port=broker.port)
        broker.answers[ApiKey.FIND_COORDINATOR] = lambda request: FindCoordinatorResponse(
            coordinators=[found]
        )
        busy = EndTxnResponse(error_code=ErrorCode.CONCURRENT_TRANSACTIONS)
        broker.answers[ApiKey.END_TXN] = lambda request: busy
        yield broker


def impatient(broker: ScriptedBroker) -> Admin:
    return Admin(bootstrap_servers=broker.address, retry_backoff_ms=1, retry_backoff_max_ms=5)


@pytest.mark.parametrize("commit", [True, False], ids=["commit", "abort"])
async def test_a_coordinator_that_is_still_at_something_else_is_asked_until_it_is_done(
    busy_coordinator: ScriptedBroker, commit: bool
) -> None:
    codes = [ErrorCode.CONCURRENT_TRANSACTIONS] * 5 + [ErrorCode.NONE]

    def end(request: EndTxnRequest) -> EndTxnResponse:
        return EndTxnResponse(error_code=codes.pop(0))

    busy_coordinator.answers[ApiKey.END_TXN] = end
    transaction = OpenTransaction("t", 7, 3)
    async with impatient(busy_coordinator) as admin:
        outcomes = await admin.end_transactions([transaction], commit=commit)
    assert outcomes.raise_for_errors() == {transaction: None}
    assert codes == []
    asked = [
        (each.transactional_id, each.producer_id, each.producer_epoch, each.committed)
        for each in busy_coordinator.asked(ApiKey.END_TXN)
    ]
    assert asked == [("t", 7, 3, commit)] * 6, "the same question each time"


async def test_a_coordinator_that_is_never_done_is_told_of_when_the_time_is_up(
    busy_coordinator: ScriptedBroker,
) -> None:
    transaction = OpenTransaction("t", 7, 3)
    async with impatient(busy_coordinator) as admin:
        async with asyncio.timeout(WAIT_SECONDS):
            outcomes = await admin.end_transactions([transaction], timeout_ms=500)
        with pytest.raises(ApiError, match=r"committing what t left open: .* when the time was up") as caught:
            outcomes.raise_for_errors()
    assert caught.value.code is ErrorCode.CONCURRENT_TRANSACTIONS
    assert len(busy_coordinator.asked(ApiKey.END_TXN)) > 5
