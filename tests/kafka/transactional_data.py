"""Transactions that have ended: whichever broker wrote them, the other must keep them, and tell which were aborted."""

import time
from typing import Any

from tests.kafka.data_set import STARTED_MS, TIMEOUT_MS, fetch_row
from tests.kafka.settling import settle
from tests.kafka.wire import Wire

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from snakka.protocol.messages.end_txn import EndTxnRequest
from snakka.protocol.messages.find_coordinator import FindCoordinatorRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

TOPIC = "transactional"
TRANSACTIONAL_ID = "exchange"
TRANSACTION_COORDINATOR = 1
READ_COMMITTED = 1
PATIENCE_SECONDS = 20
# Not yet, or not yet any more.
PASSING = {
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.CONCURRENT_TRANSACTIONS,
}


def write_transactions(port: int) -> None:
    """One that is committed and one that is aborted."""
    with Wire(port) as wire:
        topic = CreatableTopic(name=TOPIC, num_partitions=1, replication_factor=1)
        wire.ask(CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS))
        wire.ask(
            FindCoordinatorRequest(key_type=TRANSACTION_COORDINATOR, coordinator_keys=[TRANSACTIONAL_ID])
        )
        settle(wire)
        producer = _until_done(
            wire,
            InitProducerIdRequest(transactional_id=TRANSACTIONAL_ID, transaction_timeout_ms=60_000),
        )
        producer_id, epoch = producer.producer_id, producer.producer_epoch
        for committed in (True, False):
            _produce(wire, producer_id, epoch)
            request = EndTxnRequest(
                transactional_id=TRANSACTIONAL_ID,
                producer_id=producer_id,
                producer_epoch=epoch,
                committed=committed,
            )
            ended = _until_done(wire, request)
            producer_id, epoch = ended.producer_id, ended.producer_epoch
        _wait_until_ended(wire)


def aborted_and_committed(port: int) -> tuple[list[tuple[int, int]], int, bytes]:
    """As a reader of committed records sees them: the aborted transactions, the last stable offset, and all bytes."""
    with Wire(port) as wire:
        row = fetch_row(wire, TOPIC, 0, 0, READ_COMMITTED)
        aborted = [(each.producer_id, each.first_offset) for each in row.aborted_transactions]
        assert aborted
        return sorted(aborted), row.last_stable_offset, bytes(row.records)


def _produce(wire: Wire, producer_id: int, epoch: int) -> None:
    batch = build_batch(
        [Record(-1, STARTED_MS, b"key", b"value")] * 3,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=0,
        is_transactional=True,
    )
    data = PartitionProduceData(index=0, records=bytes(batch))
    request = ProduceRequest(
        acks=-1,
        timeout_ms=TIMEOUT_MS,
        transactional_id=TRANSACTIONAL_ID,
        topic_data=[TopicProduceData(name=TOPIC, partition_data=[data])],
    )
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        row = wire.ask(request, 12).responses[0].partition_responses[0]
        if row.error_code not in PASSING:
            assert row.error_code == ErrorCode.NONE, (ErrorCode(row.error_code).name, row.error_message)
            return
    raise AssertionError("the transaction takes no records")


def _until_done(wire: Wire, request: Any) -> Any:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        answer = wire.ask(request)
        if answer.error_code not in PASSING:
            assert answer.error_code == ErrorCode.NONE, ErrorCode(answer.error_code).name
            return answer
        time.sleep(0.05)
    raise AssertionError(f"no answer but {ErrorCode(answer.error_code).name}")


def _wait_until_ended(wire: Wire) -> None:
    """The markers are written after the answer: nothing is open any more when all that is there is stable."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        row = fetch_row(wire, TOPIC, 0, 0)
        if row.last_stable_offset == row.high_watermark:
            return
        time.sleep(0.05)
    raise AssertionError("a transaction is still open")
