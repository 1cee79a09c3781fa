"""What a producer makes of answers that real brokers give only in trouble: leaders that moved, numbers that do not fit."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.client.scripted_broker import ScriptedBroker
from tests.client.waiting import until

from snakka.client.errors import TransactionAbortedError, UnsupportedByBrokerError
from snakka.client.producer import Producer
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopicResult,
)
from snakka.protocol.messages.end_txn import EndTxnResponse
from snakka.protocol.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from snakka.protocol.messages.init_producer_id import InitProducerIdResponse
from snakka.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)
from snakka.protocol.record_batch import BatchHeader, read_header

TOPIC_ID = b"0123456789abcdef"
Answer = Callable[[BatchHeader], PartitionProduceResponse | None]


class Leader:
    """A broker whose answers to batches are scripted: each is used once, then batches are written."""

    def __init__(self, broker: ScriptedBroker, *answers: Answer) -> None:
        self.broker = broker
        self.batches: list[BatchHeader] = []
        self.nodes: list[NodeEndpoint] = []
        self._answers = list(answers)
        self._next_offset = 0
        broker.answers[ApiKey.PRODUCE] = self._produce
        broker.answers[ApiKey.INIT_PRODUCER_ID] = lambda request: InitProducerIdResponse(
            producer_id=1000 + len(broker.asked(ApiKey.INIT_PRODUCER_ID)), producer_epoch=0
        )

    @property
    def numbers(self) -> list[tuple[int, int]]:
        """Epoch and sequence of all batches that came."""
        return [(batch.producer_epoch, batch.base_sequence) for batch in self.batches]

    def _produce(self, request: Any) -> ProduceResponse:
        topics = []
        for topic in request.topic_data:
            rows = [self._row(data) for data in topic.partition_data]
            topics.append(
                TopicProduceResponse(
                    name=topic.name,
                    topic_id=topic.topic_id,
                    partition_responses=[row for row in rows if row is not None],
                )
            )
        return ProduceResponse(responses=topics, node_endpoints=self.nodes)

    def _row(self, data: Any) -> PartitionProduceResponse | None:
        header = read_header(data.records)
        self.batches.append(header)
        if self._answers:
            row = self._answers.pop(0)(header)
        else:
            row = PartitionProduceResponse(base_offset=self._next_offset)
            self._next_offset += header.count
        if row is not None:
            row.index = data.index
        return row


def error(code: ErrorCode, **fields: Any) -> Answer:
    return lambda header: PartitionProduceResponse(error_code=code, base_offset=-1, **fields)


@asynccontextmanager
async def producing(broker: ScriptedBroker, **settings: Any) -> AsyncIterator[Producer]:
    fast = {"retry_backoff_ms": 5, "retry_backoff_max_ms": 20, "linger_ms": 0}
    async with Producer(bootstrap_servers=broker.address, **{**fast, **settings}) as producer:
        yield producer


@pytest.fixture
async def broker() -> AsyncIterator[ScriptedBroker]:
    async with ScriptedBroker() as running:
        running.add_topic("t", TOPIC_ID, [(1, 3)])
        yield running


async def test_a_broker_that_no_longer_leads_tells_who_does_and_is_believed(broker: ScriptedBroker) -> None:
    async with ScriptedBroker(node_id=2) as second:
        hint = LeaderIdAndEpoch(leader_id=2, leader_epoch=4)
        old = Leader(broker, error(ErrorCode.NOT_LEADER_OR_FOLLOWER, current_leader=hint))
        old.nodes = [NodeEndpoint(node_id=2, host="127.0.0.1", port=second.port)]
        new = Leader(second)
        # Whoever pauses or asks for metadata first would not be done in time.
        async with (
            producing(broker, retry_backoff_ms=60_000, retry_backoff_max_ms=60_000) as producer,
            asyncio.timeout(10),
        ):
            assert (await producer.send_and_wait("t", b"x")).offset == 0
            assert len(broker.asked(ApiKey.METADATA)) == 2
        assert (old.numbers, new.numbers) == ([(0, 0)], [(0, 0)])
        assert old.batches[0].producer_id == new.batches[0].producer_id


async def test_without_a_hint_the_leader_is_asked_for(broker: ScriptedBroker) -> None:
    async with ScriptedBroker(node_id=2) as second:
        new = Leader(second)
        Leader(broker, error(ErrorCode.NOT_LEADER_OR_FOLLOWER))
        async with producing(broker) as producer:
            await producer.partitions_for("t")
            broker.brokers.append(second)
            broker.add_topic("t", TOPIC_ID, [(2, 4)])
            assert (await producer.send_and_wait("t", b"x")).offset == 0
        assert new.numbers == [(0, 0)]


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.KAFKA_STORAGE_ERROR,
    ],
)
async def test_what_may_pass_is_sent_again_under_the_same_number(
    broker: ScriptedBroker, code: ErrorCode
) -> None:
    leader = Leader(broker, error(code), error(code))
    async with producing(broker) as producer:
        assert (await producer.send_and_wait("t", b"x")).offset == 0
        assert (await producer.send_and_wait("t", b"y")).offset == 1
    assert leader.numbers == [(0, 0)] * 3 + [(0, 1)]


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
        ErrorCode.INVALID_PRODUCER_EPOCH,
    ],
)
async def test_a_broker_that_has_lost_the_thread_gets_the_next_epoch(
    broker: ScriptedBroker, code: ErrorCode
) -> None:
    written = lambda header: PartitionProduceResponse(base_offset=70)  # noqa: E731
    leader = Leader(broker, written, error(code))
    async with producing(broker) as producer:
        assert (await producer.send_and_wait("t", b"x")).offset == 70
        assert (await producer.send_and_wait("t", b"y")).offset == 0
    assert leader.numbers == [(0, 0), (0, 1), (1, 0)]


async def test_after_the_last_epoch_there_is_a_new_producer_id(broker: ScriptedBroker) -> None:
    leader = Leader(broker, error(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER))
    broker.answers[ApiKey.INIT_PRODUCER_ID] = lambda request: InitProducerIdResponse(
        producer_id=len(broker.asked(ApiKey.INIT_PRODUCER_ID)), producer_epoch=32767
    )
    async with producing(broker) as producer:
        assert (await producer.send_and_wait("t", b"x")).offset == 0
    assert [(batch.producer_id, batch.producer_epoch) for batch in leader.batches] == [(1, 32767), (2, 32767)]


async def test_a_duplicate_is_a_success_whose_place_is_not_known(broker: ScriptedBroker) -> None:
    Leader(broker, error(ErrorCode.DUPLICATE_SEQUENCE_NUMBER))
    async with producing(broker) as producer:
        assert (await producer.send_and_wait("t", b"x")).offset == -1


async def test_what_is_refused_tells_the_broker_s_reason_and_others_go_on(broker: ScriptedBroker) -> None:
    refused = error(
        ErrorCode.INVALID_RECORD,
        record_errors=[BatchIndexAndErrorMessage(batch_index=0, batch_index_error_message="no key")],
    )
    leader = Leader(broker, refused)
    async with producing(broker) as producer:
        with pytest.raises(ApiError, match="INVALID_RECORD: t-0: no key") as raised:
            await producer.send_and_wait("t", b"x")
        assert raised.value.record_errors == [(0, "no key")]
        assert (await producer.send_and_wait("t", b"y")).offset == 0
    assert leader.numbers == [(0, 0), (1, 0)]


async def test_a_partition_that_the_answer_leaves_out_is_sent_again(broker: ScriptedBroker) -> None:
    leader = Leader(broker, lambda header: None)
    async with producing(broker) as producer:
        assert (await producer.send_and_wait("t", b"x")).offset == 0
    assert leader.numbers == [(0, 0), (0, 0)]


async def test_attempts_can_be_counted(broker: ScriptedBroker) -> None:
    leader = Leader(broker, *[error(ErrorCode.NOT_ENOUGH_REPLICAS)] * 5)
    async with producing(broker, retries=2, acks="1") as producer:
        with pytest.raises(ApiError, match=r"min\.insync\.replicas"):
            await producer.send_and_wait("t", b"x")
    assert leader.numbers == [(-1, -1)] * 3


async def test_older_brokers_know_topics_by_name(broker: ScriptedBroker) -> None:
    broker.newest = {ApiKey.PRODUCE: 8, ApiKey.METADATA: 8, ApiKey.INIT_PRODUCER_ID: 1}
    leader = Leader(broker)
    async with producing(broker) as producer:
        assert (await producer.send_and_wait("t", b"x")).offset == 0
        assert (await producer.send_and_wait("t", b"y")).offset == 1
    assert leader.numbers == [(0, 0), (0, 1)]
    versions = {version for key, version, _ in broker.requests if key is ApiKey.PRODUCE}
    assert versions == {8}


async def test_who_gets_no_producer_id_is_told_what_to_do(broker: ScriptedBroker) -> None:
    Leader(broker)
    broker.answers[ApiKey.INIT_PRODUCER_ID] = lambda request: InitProducerIdResponse(
        error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    )
    async with producing(broker) as producer:
        for _ in range(2):
            with pytest.raises(ApiError, match="needs an ACL for IdempotentWrite"):
                await producer.send_and_wait("t", b"x")
    broker.newest = {ApiKey.INIT_PRODUCER_ID: -1}
    async with producing(broker) as producer:
        with pytest.raises(UnsupportedByBrokerError, match=r"set enable\.idempotence=false"):
            await producer.send_and_wait("t", b"x")
    async with producing(broker, enable_idempotence=False) as producer:
        assert (await producer.send_and_wait("t", b"x")).offset == 0


async def test_no_more_than_five_requests_are_on_their_way(broker: ScriptedBroker) -> None:
    leader = Leader(broker)
    async with producing(broker) as producer:
        await producer.send_and_wait("t", b"the broker knows us now")
        go_on = asyncio.Event()
        answer = broker.answers[ApiKey.PRODUCE]

        async def later(request: Any) -> Any:
            await go_on.wait()
            return answer(request)

        broker.answers[ApiKey.PRODUCE] = later
        futures = []
        for number in range(9):
            futures.append(await producer.send("t", b"%d" % number))
            await asyncio.sleep(0.002)  # each becomes a batch
        connection = producer._cluster.pool.open_connection(1)
        assert connection is not None
        await until(lambda: connection.in_flight == 5)
        assert len(producer._topics["t"].partitions[0].waiting) == 4
        go_on.set()
        assert [(await future).offset for future in futures] == list(range(1, 10))
    assert leader.numbers == [(0, number) for number in range(10)]


class TransactionCoordinator:
    """Answers for one transactional id, by the rules before version 2; the codes are used up, then all is well."""

    def __init__(self, broker: ScriptedBroker) -> None:
        self.codes: dict[ApiKey, list[ErrorCode]] = {}
        coordinator = Coordinator(key="id", node_id=1, host="127.0.0.1", port=broker.port)
        broker.answers[ApiKey.FIND_COORDINATOR] = lambda request: FindCoordinatorResponse(
            coordinators=[coordinator]
        )
        broker.answers[ApiKey.INIT_PRODUCER_ID] = lambda request: InitProducerIdResponse(
            error_code=self._code(ApiKey.INIT_PRODUCER_ID),
            producer_id=7,
            producer_epoch=request.producer_epoch + 1,
        )
        broker.answers[ApiKey.END_TXN] = lambda request: EndTxnResponse(error_code=self._code(ApiKey.END_TXN))
        broker.answers[ApiKey.ADD_PARTITIONS_TO_TXN] = self._add_partitions

    def _code(self, key: ApiKey) -> int:
        codes = self.codes.get(key)
        return codes.pop(0) if codes else 0

    def _add_partitions(self, request: Any) -> AddPartitionsToTxnResponse:
        code = self._code(ApiKey.ADD_PARTITIONS_TO_TXN)
        results = [
            AddPartitionsToTxnTopicResult(
                name=topic.name,
                results_by_partition=[
                    AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=code)
                    for index in topic.partitions
                ],
            )
            for topic in request.v3_and_below_topics
        ]
        return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=results)


async def test_a_coordinator_may_be_busy_or_another_one(broker: ScriptedBroker) -> None:
    leader = Leader(broker)
    coordinator = TransactionCoordinator(broker)
    coordinator.codes = {
        ApiKey.INIT_PRODUCER_ID: [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.CONCURRENT_TRANSACTIONS],
        ApiKey.ADD_PARTITIONS_TO_TXN: [ErrorCode.CONCURRENT_TRANSACTIONS] * 3 + [ErrorCode.NOT_COORDINATOR],
        ApiKey.END_TXN: [ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE],
    }
    async with producing(broker, transactional_id="id") as producer:
        async with producer.transaction():
            await producer.send("t", b"x")
        async with producer.transaction():
            await producer.send("t", b"y")
    assert leader.numbers == [(0, 0), (0, 1)], "before version 2 the epoch stays"
    assert all(batch.is_transactional for batch in leader.batches)
    assert [request.committed for request in broker.asked(ApiKey.END_TXN)] == [True] * 4
    assert len(broker.asked(ApiKey.FIND_COORDINATOR)) == 4
    versions = {key: version for key, version, _ in broker.requests}
    assert versions[ApiKey.PRODUCE] == 11
    assert versions[ApiKey.ADD_PARTITIONS_TO_TXN] == 3
    assert versions[ApiKey.END_TXN] == 4


async def test_a_transaction_that_brokers_want_aborted_is(broker: ScriptedBroker) -> None:
    leader = Leader(broker, error(ErrorCode.TRANSACTION_ABORTABLE))
    TransactionCoordinator(broker)
    async with producing(broker, transactional_id="id") as producer:
        await producer.begin_transaction()
        future = await producer.send("t", b"x")
        with pytest.raises(TransactionAbortedError, match="TRANSACTION_ABORTABLE"):
            await producer.commit_transaction()
        assert isinstance(future.exception(), TransactionAbortedError)
        await producer.abort_transaction()
        async with producer.transaction():
            await producer.send("t", b"y")
    assert [request.committed for request in broker.asked(ApiKey.END_TXN)] == [False, True]
    # Numbers were in doubt, so the producer has asked for the next epoch of its identity.
    assert [request.producer_epoch for request in broker.asked(ApiKey.INIT_PRODUCER_ID)] == [-1, 0]
    assert leader.numbers == [(0, 0), (1, 0)]


async def test_a_topic_that_may_not_be_written_to_dooms_a_transaction(broker: ScriptedBroker) -> None:
    Leader(broker)
    coordinator = TransactionCoordinator(broker)
    coordinator.codes = {ApiKey.ADD_PARTITIONS_TO_TXN: [ErrorCode.TOPIC_AUTHORIZATION_FAILED]}
    async with producing(broker, transactional_id="id") as producer:
        await producer.begin_transaction()
        future = await producer.send("t", b"x")
        with pytest.raises(TransactionAbortedError, match="needs an ACL for Write"):
            await future
        await producer.abort_transaction()
        async with producer.transaction():
            await producer.send("t", b"y")


@pytest.mark.parametrize("silent", [ApiKey.END_TXN, ApiKey.PRODUCE])
async def test_a_stop_with_an_open_transaction_is_over_at_its_deadline(
    broker: ScriptedBroker, silent: ApiKey
) -> None:
    Leader(broker)
    TransactionCoordinator(broker)
    async with producing(broker, transactional_id="id", max_block_ms=60_000) as producer:
        await producer.begin_transaction()
        await producer.send_and_wait("t", b"x")
        broker.answers[silent] = lambda request: asyncio.Event().wait()  # type: ignore[return-value]
        unsent = await producer.send("t", b"y")
        await until(lambda: len(broker.asked(ApiKey.PRODUCE)) == 2)
        async with asyncio.timeout(5):
            await producer.stop(0.1)
        assert unsent.done()


async def test_a_commit_without_anything_in_it_asks_nobody(broker: ScriptedBroker) -> None:
    Leader(broker)
    TransactionCoordinator(broker)
    async with producing(broker, transactional_id="id") as producer:
        async with producer.transaction():
            pass
        await producer.begin_transaction()
        await producer.abort_transaction()
    assert broker.asked(ApiKey.END_TXN) == []


async def test_what_is_on_its_way_is_no_load(broker: ScriptedBroker) -> None:
    broker.add_topic("t", TOPIC_ID, [(1, 0), (1, 0)])
    leader = Leader(broker)
    answer = broker.answers[ApiKey.PRODUCE]
    async with producing(broker, batch_size=0) as producer:
        await producer.send_and_wait("t", b"the broker knows us now", partition=1)
        broker.answers[ApiKey.PRODUCE] = lambda request: asyncio.Event().wait()  # type: ignore[return-value]
        futures = [await producer.send("t", b"x", partition=1) for _ in range(8)]
        line = producer._topics["t"].partitions[1].line
        await until(lambda: line.in_flight == 5)
        assert producer._topics["t"].loads() == [0, 3]
        broker.answers[ApiKey.PRODUCE] = answer
        broker.drop_connections()
        await asyncio.gather(*futures)
        assert producer._topics["t"].loads() == [0, 0]
    assert len(leader.batches) == 9


async def test_a_leader_that_takes_nothing_is_spared(broker: ScriptedBroker) -> None:
    async with ScriptedBroker(node_id=2) as second:
        broker.brokers.append(second)
        broker.add_topic("t", TOPIC_ID, [(1, 0), (2, 0)])
        Leader(broker)
        Leader(second)
        async with producing(broker, partitioner_availability_timeout_ms=1, batch_size=0) as producer:
            await producer.send_and_wait("t", b"the broker knows us now", partition=1)
            second.answers[ApiKey.PRODUCE] = lambda request: asyncio.Event().wait()  # type: ignore[return-value]
            stuck = [await producer.send("t", b"x", partition=1) for _ in range(10)]
            await until(lambda: producer._sender.avoided_leaders() == [2])
            for _ in range(50):
                assert (await producer.send_and_wait("t", b"x")).partition == 0
            await producer.stop(0.0)
        assert all(future.exception() is not None for future in stuck)
