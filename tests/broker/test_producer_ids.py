"""Producer ids: each is given away once, blocks come in time, and those who must wait are told when it takes too long."""

import asyncio

import pytest
from api_harness import CONTROLLERS, NODE_ID, RefusedError, running_broker
from hypothesis import given, settings
from hypothesis import strategies as st

from snakka.broker.producer_id_blocks import ProducerIdBlocks
from snakka.protocol.errors import ApiError, ErrorCode
from snakka.protocol.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.runtime import Runtime
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

MAY_NOT_WRITE = (
    (Operation.IDEMPOTENT_WRITE, ResourceType.CLUSTER, CLUSTER_NAME),
    (Operation.WRITE, ResourceType.TOPIC, "*"),
)


class BlockSource:
    """A controller that hands out small blocks when the test lets it, or says why not."""

    def __init__(self, size: int = 20) -> None:
        self.size = size
        self.requests: list[AllocateProducerIdsRequest] = []
        self.errors: list[ApiError] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def allocate_producer_ids(self, request, deadline) -> AllocateProducerIdsResponse:
        self.requests.append(request)
        await self.may_answer.wait()
        if self.errors:
            raise self.errors.pop()
        start = (len(self.requests) - 1) * self.size
        return AllocateProducerIdsResponse(producer_id_start=start, producer_id_len=self.size)


@pytest.fixture
async def source():
    return BlockSource()


@pytest.fixture
async def runtime():
    one = Runtime(asyncio.get_running_loop())
    yield one
    await one.close()


@pytest.fixture
async def blocks(runtime, source):
    return ProducerIdBlocks(runtime, source, NODE_ID, lambda: 77)


def in_seconds(runtime: Runtime, seconds: float) -> float:
    return runtime.clock.monotonic() + seconds


async def test_ids_come_from_one_block_after_the_other(runtime, source, blocks):
    ids = [await blocks.wait_for_one(in_seconds(runtime, 10)) for _ in range(100)]
    assert ids == list(range(100))
    assert {(request.broker_id, request.broker_epoch) for request in source.requests} == {(NODE_ID, 77)}


async def test_the_next_block_is_there_before_it_is_needed(runtime, source, blocks):
    await blocks.wait_for_one(in_seconds(runtime, 10))
    taken = [blocks.take() for _ in range(16)]
    await asyncio.sleep(0)
    assert (taken[-1], len(source.requests)) == (16, 1)
    # Two of twenty are left: a tenth.
    assert blocks.take() == 17
    await asyncio.sleep(0)
    assert len(source.requests) == 2
    assert [blocks.take() for _ in range(3)] == [18, 19, 20]
    assert len(source.requests) == 2


async def test_many_who_wait_need_one_request_and_get_different_ids(runtime, source, blocks):
    source.may_answer.clear()
    waiting = [asyncio.ensure_future(blocks.wait_for_one(in_seconds(runtime, 10))) for _ in range(30)]
    await asyncio.sleep(0.01)
    assert len(source.requests) == 1
    source.may_answer.set()
    ids = await asyncio.gather(*waiting)
    assert len(set(ids)) == 30


async def test_a_controller_that_does_not_answer_is_no_reason_to_give_up(runtime, source, blocks):
    source.may_answer.clear()
    with pytest.raises(ApiError) as caught:
        await blocks.wait_for_one(in_seconds(runtime, 0.02))
    assert caught.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    source.may_answer.set()
    assert await blocks.wait_for_one(in_seconds(runtime, 10)) == 0
    assert len(source.requests) == 1


async def test_a_controller_that_refuses_is_asked_again(runtime, source, blocks):
    source.errors = [ApiError(ErrorCode.STALE_BROKER_EPOCH), ApiError(ErrorCode.NOT_CONTROLLER)]
    assert await blocks.wait_for_one(in_seconds(runtime, 10)) == 40
    source.errors = [ApiError(ErrorCode.NOT_CONTROLLER)] * 10
    while blocks.take() is not None:
        pass
    with pytest.raises(ApiError) as caught:
        await blocks.wait_for_one(in_seconds(runtime, 0.02))
    assert caught.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


async def test_an_answer_without_ids_is_not_used(runtime, source, blocks):
    source.size = 0
    with pytest.raises(ApiError):
        await blocks.wait_for_one(in_seconds(runtime, 0.02))


@settings(max_examples=25, deadline=None)
@given(size=st.integers(1, 40), bursts=st.lists(st.integers(1, 30), max_size=8))
def test_no_id_is_given_twice_whatever_the_size_of_blocks_and_crowds(size, bursts):
    async def give() -> list[int]:
        runtime = Runtime(asyncio.get_running_loop())
        blocks = ProducerIdBlocks(runtime, BlockSource(size), NODE_ID, lambda: 77)
        ids: list[int] = []
        for burst in bursts:
            waiting = (blocks.wait_for_one(in_seconds(runtime, 10)) for _ in range(burst))
            ids += await asyncio.gather(*waiting)
        await runtime.close()
        return ids

    ids = asyncio.run(give())
    assert len(ids) == sum(bursts)
    assert len(set(ids)) == len(ids)


@pytest.fixture
async def broker(tmp_path):
    async with running_broker(tmp_path) as running:
        yield running


def init(**fields) -> InitProducerIdRequest:
    return InitProducerIdRequest(**{"transactional_id": None, "transaction_timeout_ms": 60_000, **fields})


async def test_every_version_gives_a_new_id_and_epoch_zero(broker):
    answers = [await broker.ask(init(), version) for version in range(6)]
    assert [answer.error_code for answer in answers] == [0] * 6
    assert [answer.producer_epoch for answer in answers] == [0] * 6
    assert [answer.producer_id for answer in answers] == list(range(6))
    with pytest.raises(RefusedError):
        await broker.ask(init(), 6)


async def test_more_producers_than_a_block_has_ids(broker):
    ids = [(await broker.ask(init())).producer_id for _ in range(2_100)]
    assert sorted(set(ids)) == ids
    assert broker.image.producer_ids.next_producer_id >= 2_100


async def test_ids_are_never_given_twice_even_after_a_restart(tmp_path):
    ids = []
    for _ in range(3):
        async with running_broker(tmp_path) as broker:
            ids.append((await broker.ask(init())).producer_id)
    assert ids == [0, 1000, 2000]


async def test_an_id_without_its_epoch_is_refused(broker):
    for fields in ({"producer_id": 5}, {"producer_epoch": 1}):
        answer = await broker.ask(init(**fields))
        assert answer.error_code == ErrorCode.INVALID_REQUEST
        assert (answer.producer_id, answer.producer_epoch) == (-1, -1)
    answer = await broker.ask(init(producer_id=5, producer_epoch=1))
    assert (answer.error_code, answer.producer_epoch) == (0, 0)


async def test_who_may_write_anywhere_may_write_idempotently(broker):
    answer = await broker.ask(init(), denied=MAY_NOT_WRITE)
    assert answer.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert (await broker.ask(init(), denied=MAY_NOT_WRITE[1:])).error_code == 0
    topics = [CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in ("a", "b")]
    await broker.ask(CreateTopicsRequest(topics=topics, timeout_ms=10_000))
    only_b = (MAY_NOT_WRITE[0], (Operation.WRITE, ResourceType.TOPIC, "a"))
    assert (await broker.ask(init(), denied=only_b)).error_code == 0


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, ErrorCode.NOT_COORDINATOR),
        ({"transactional_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"transaction_timeout_ms": 0}, ErrorCode.INVALID_TRANSACTION_TIMEOUT),
        ({"transaction_timeout_ms": 900_001}, ErrorCode.INVALID_TRANSACTION_TIMEOUT),
    ],
)
async def test_there_is_no_coordinator_of_transactions(broker, fields, code):
    answer = await broker.ask(init(**{"transactional_id": "payments", **fields}))
    assert (ErrorCode(answer.error_code), answer.producer_id, answer.producer_epoch) == (code, -1, -1)


async def test_transactions_are_authorised_before_anything_is_said(broker):
    denied = ((Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "payments"),)
    answer = await broker.ask(init(transactional_id="payments"), denied=denied)
    assert answer.error_code == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


async def test_the_controller_gives_blocks_to_brokers_that_it_knows(broker):
    epoch = broker.services.registrar.broker_epoch
    request = AllocateProducerIdsRequest(broker_id=NODE_ID, broker_epoch=epoch)
    first = await broker.ask(request, listener=CONTROLLERS)
    second = await broker.ask(request, listener=CONTROLLERS)
    assert [(row.producer_id_start, row.producer_id_len) for row in (first, second)] == [
        (0, 1000),
        (1000, 1000),
    ]
    stale = AllocateProducerIdsRequest(broker_id=NODE_ID, broker_epoch=epoch + 1)
    answer = await broker.ask(stale, listener=CONTROLLERS)
    assert (answer.error_code, answer.producer_id_len) == (ErrorCode.STALE_BROKER_EPOCH, 0)
    denied = ((Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME),)
    answer = await broker.ask(request, listener=CONTROLLERS, denied=denied)
    assert answer.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    with pytest.raises(RefusedError):
        await broker.ask(request)
