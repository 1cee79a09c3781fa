"""Fetching from brokers that say what a test wants: leaders that change, sessions that end, replicas nearby."""

import asyncio
import gc
import time
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.client.scripted_broker import ScriptedBroker
from tests.client.scripted_log import TOPIC, TOPIC_ID, ScriptedLog, refused
from tests.client.waiting import until

from snakka.client.consumer import Consumer, TopicPartition
from snakka.client.consumer.positions import EARLIEST
from snakka.client.errors import LogTruncatedError
from snakka.protocol.api_keys import ApiKey
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError, ProtocolError
from snakka.protocol.messages.fetch import LeaderIdAndEpoch, PartitionData
from snakka.protocol.record_batch import stamp

PARTITION = TopicPartition(TOPIC, 0)
SECONDS = 20
SETTINGS: dict[str, Any] = {
    "auto_offset_reset": "earliest",
    "retry_backoff_ms": 10,
    "retry_backoff_max_ms": 50,
    "reconnect_backoff_max_ms": 50,
}


@asynccontextmanager
async def two_brokers() -> AsyncIterator[tuple[ScriptedLog, ScriptedLog]]:
    """Broker 1 leads the partition in epoch 3; both know of each other."""
    async with ScriptedBroker(1) as first, ScriptedBroker(2) as second:
        for broker in (first, second):
            broker.brokers = [first, second]
            broker.add_topic(TOPIC, TOPIC_ID, [(1, 3)])
        yield ScriptedLog(first, epoch=3), ScriptedLog(second, epoch=3)


def lead(log: ScriptedLog, epoch: int) -> None:
    """Another leader, as all brokers tell it."""
    for broker in log.broker.brokers:
        broker.add_topic(TOPIC, TOPIC_ID, [(log.broker.node_id, epoch)])


def consumer_of(log: ScriptedLog, **settings: Any) -> Consumer:
    return Consumer(bootstrap_servers=log.broker.address, **{**SETTINGS, **settings})


async def numbers(consumer: Consumer, count: int) -> list[int]:
    async with asyncio.timeout(SECONDS):
        return [int((await consumer.getone()).value or b"") for _ in range(count)]


async def test_what_is_asked_for() -> None:
    async with two_brokers() as (first, _):
        first.count = 5
        settings = {
            "fetch_min_bytes": 2,
            "fetch_max_bytes": 3000,
            "fetch_max_wait_ms": 77,
            "max_partition_fetch_bytes": 1000,
            "isolation_level": "read_committed",
            "client_rack": "north",
        }
        async with consumer_of(first, **settings) as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 5) == list(range(5))
        request = first.fetches[0]
        assert (request.max_wait_ms, request.min_bytes, request.max_bytes) == (77, 2, 3000)
        assert (request.isolation_level, request.rack_id, request.session_epoch) == (1, "north", 0)
        (topic,) = request.topics
        assert topic.topic_id == TOPIC_ID
        (row,) = topic.partitions
        assert (row.fetch_offset, row.current_leader_epoch, row.partition_max_bytes) == (0, 3, 1000)


def give_all_that_is_allowed(log: ScriptedLog) -> None:
    """Each answer is as large as it may be, in batches of 10 KB."""

    def spoil(offset: int, row: PartitionData) -> PartitionData:
        batches = []
        for index in range(max(log.fetches[-1].max_bytes // 10_100, 1)):
            batch = build_batch([Record(-1, 0, None, bytes(10_000))])
            stamp(batch, 0, offset + index, log.epoch)
            batches.append(batch)
        row.records, row.high_watermark = b"".join(batches), 1_000_000
        return row

    log.spoil = spoil


async def test_brokers_share_the_memory_for_what_waits() -> None:
    """However many there are, together they send no more than there is room for, but for a partition each."""
    async with two_brokers() as (first, second):
        for log in (first, second):
            log.broker.add_topic(TOPIC, TOPIC_ID, [(1, 3), (2, 3)])
            give_all_that_is_allowed(log)
        bound, largest = 500_000, 20_000
        settings = {"prefetch_memory_bytes": bound, "max_partition_fetch_bytes": largest}
        async with consumer_of(first, **settings) as consumer:
            delivery, fetcher = consumer._delivery, consumer._reading.fetcher
            consumer.assign([PARTITION, TopicPartition(TOPIC, 1)])
            highest = 0
            for _ in range(20):
                await until(lambda: delivery.buffered_bytes >= bound and not fetcher._reserved)
                highest = max(highest, delivery.buffered_bytes)
                assert await consumer.getmany(max_records=20)
            assert highest <= bound + 2 * largest
            assert first.fetches[0].max_bytes == bound // 2
            assert len(first.fetches) + len(second.fetches) < 200


async def test_the_next_fetch_is_on_its_way_before_anything_is_handed_out() -> None:
    async with two_brokers() as (first, _):
        first.count = 25
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            await until(lambda: first.offsets_asked_for == [0, 5, 10, 15, 20, 25])
            assert await consumer.position(PARTITION) == 0
            assert await numbers(consumer, 25) == list(range(25))


async def test_a_session_tells_only_changes_and_begins_anew_when_the_broker_has_lost_it() -> None:
    async with two_brokers() as (first, _):
        first.count = 5
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 5) == list(range(5))
            await until(lambda: first.fetches[-1].session_epoch >= 3)
            assert [(each.session_id, each.session_epoch) for each in first.fetches[:3]] == [
                (0, 0),
                (7, 1),
                (7, 2),
            ]
            assert [len(each.topics) for each in first.fetches[:3]] == [1, 1, 0]
            for code in (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, ErrorCode.INVALID_FETCH_SESSION_EPOCH):
                asked = len(first.fetches)
                first.response_error = code
                await until(lambda: any(each.session_epoch == 0 for each in first.fetches[asked:]))  # noqa: B023
            first.count = 7
            assert await numbers(consumer, 2) == [5, 6]


async def test_a_session_is_ended_when_the_consumer_stops() -> None:
    """As Kafka's client does, at each broker; while the last fetch still waits for records."""
    async with two_brokers() as (first, second):
        for broker in (first.broker, second.broker):
            broker.add_topic(TOPIC, TOPIC_ID, [(1, 3), (2, 3)])
        for log in (first, second):
            log.count, log.wait_seconds = 5, 30.0
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION, TopicPartition(TOPIC, 1)])
            await numbers(consumer, 10)
            await until(lambda: len(first.fetches) == len(second.fetches) == 2)
            begins = time.monotonic()
        assert time.monotonic() - begins < SECONDS
        for log in (first, second):
            last = log.fetches[-1]
            assert (last.session_id, last.session_epoch, last.topics) == (7, -1, [])
            assert [each.session_epoch for each in log.fetches] == [0, 1, -1]


@pytest.mark.parametrize("is_heard", [True, False])
async def test_a_broker_that_hears_of_no_end_delays_a_stop_for_a_moment_only(is_heard: bool) -> None:
    async with two_brokers() as (first, _):
        first.count = 5
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            await numbers(consumer, 5)
            if is_heard:
                first.broker.answers[ApiKey.FETCH] = lambda request: asyncio.sleep(60)
                asked = len(first.fetches)
                await until(lambda: len(first.fetches) > asked)
            else:
                first.broker.answers[ApiKey.FETCH] = lambda request: None
                first.broker.answers[ApiKey.METADATA] = lambda request: None
                first.broker.drop_connections()
            begins = time.monotonic()
        assert time.monotonic() - begins < SECONDS


async def test_a_broker_without_sessions_is_told_everything_each_time() -> None:
    async with two_brokers() as (first, _):
        first.count, first.session_id = 5, 0
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 5) == list(range(5))
            await until(lambda: len(first.fetches) > 4)
            assert {(each.session_id, each.session_epoch, len(each.topics)) for each in first.fetches} == {
                (0, 0, 1)
            }


async def test_a_hint_says_who_leads_now() -> None:
    """KIP-951: nobody needs to be asked who leads, and what was read is validated at the new leader."""
    async with two_brokers() as (first, second):
        first.count = second.count = 5
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 5) == list(range(5))

            def moved(offset: int, row: PartitionData) -> PartitionData:
                answer = refused(offset, row, ErrorCode.NOT_LEADER_OR_FOLLOWER)
                answer.current_leader = LeaderIdAndEpoch(leader_id=2, leader_epoch=4)
                return answer

            lead(second, 4)
            first.spoil = moved
            second.count = 8
            assert await numbers(consumer, 3) == [5, 6, 7]
        (asked,) = second.broker.asked(ApiKey.OFFSET_FOR_LEADER_EPOCH)
        row = asked.topics[0].partitions[0]
        assert (row.current_leader_epoch, row.leader_epoch) == (4, 3)
        assert second.fetches[0].topics[0].partitions[0].current_leader_epoch == 4


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.KAFKA_STORAGE_ERROR,
    ],
)
async def test_a_leader_that_refuses_is_followed_by_the_next(code: ErrorCode) -> None:
    async with two_brokers() as (first, second):
        first.count = 5
        second.count = 8
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 5) == list(range(5))
            first.spoil = lambda offset, row: refused(offset, row, code)
            lead(second, 4)
            assert await numbers(consumer, 3) == [5, 6, 7]


@pytest.mark.parametrize(
    "code", [ErrorCode.OFFSET_NOT_AVAILABLE, ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.UNKNOWN_SERVER_ERROR]
)
async def test_what_passes_is_tried_again(code: ErrorCode) -> None:
    async with two_brokers() as (first, _):
        first.count = 5
        refusals = iter(range(3))
        first.spoil = lambda offset, row: (
            refused(offset, row, code) if next(refusals, None) is not None else None
        )
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 5) == list(range(5))


async def test_what_does_not_pass_is_told_and_can_be_tried_again() -> None:
    async with two_brokers() as (first, _):
        first.count = 5
        first.spoil = lambda offset, row: refused(offset, row, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            for _ in range(2):
                with pytest.raises(ApiError, match="fetching orders-0"):
                    await numbers(consumer, 1)
            first.spoil = lambda offset, row: None
            async with asyncio.timeout(SECONDS):
                while True:
                    try:
                        assert await numbers(consumer, 5) == list(range(5))
                        break
                    except ApiError:
                        continue


async def test_a_log_that_is_shorter_at_the_new_leader_is_read_on_from_its_end() -> None:
    """An unclean election: records 3 and 4 are gone, and others may come in their place."""
    async with two_brokers() as (first, second):
        first.count, second.count = 5, 4
        second.epoch_ends[3] = (3, 3)
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 5) == list(range(5))
            lead(second, 4)
            first.spoil = lambda offset, row: refused(offset, row, ErrorCode.NOT_LEADER_OR_FOLLOWER)
            assert await numbers(consumer, 1) == [3]


async def test_a_leader_that_is_elected_while_another_is_asked_is_asked_too() -> None:
    async with two_brokers() as (first, second):
        first.count, second.count = 5, 5
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 5) == list(range(5))
            epochs = second.broker.answers[ApiKey.OFFSET_FOR_LEADER_EPOCH]

            async def slow(request: Any) -> Any:
                answer = epochs(request)
                if request.topics[0].partitions[0].current_leader_epoch == 4:
                    lead(second, 5)
                    second.count, second.epoch_ends[3] = 4, (3, 3)
                    consumer._cluster.refresh_soon()
                    await until(lambda: consumer._cluster.partition(*PARTITION).leader_epoch == 5)
                return answer

            second.broker.answers[ApiKey.OFFSET_FOR_LEADER_EPOCH] = slow
            lead(second, 4)
            first.spoil = lambda offset, row: refused(offset, row, ErrorCode.NOT_LEADER_OR_FOLLOWER)
            assert await numbers(consumer, 1) == [3]
            asked = second.broker.asked(ApiKey.OFFSET_FOR_LEADER_EPOCH)
            assert [each.topics[0].partitions[0].current_leader_epoch for each in asked] == [4, 5]


async def test_a_question_that_was_not_asked_before_the_end_leaves_nothing_behind() -> None:
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        async with two_brokers() as (first, _):
            async with consumer_of(first) as consumer:
                consumer.assign([PARTITION])
                await consumer.position(PARTITION)
                consumer._reading.seek_to_time([PARTITION], EARLIEST)
                await consumer._tasks.close()
            gc.collect()  # a coroutine that nobody has awaited would complain
    assert [str(each.message) for each in complaints] == []


async def test_a_truncation_is_told_if_nothing_may_be_chosen() -> None:
    async with two_brokers() as (first, second):
        first.count, second.count = 5, 4
        second.epoch_ends[3] = (3, 3)
        async with consumer_of(first, auto_offset_reset="none") as consumer:
            consumer.assign([PARTITION])
            consumer.seek(PARTITION, 0)
            assert await numbers(consumer, 5) == list(range(5))
            lead(second, 4)
            first.spoil = lambda offset, row: refused(offset, row, ErrorCode.NOT_LEADER_OR_FOLLOWER)
            with pytest.raises(LogTruncatedError, match=r"orders-0 has lost records from 3 on .* up to 5"):
                await numbers(consumer, 1)
            consumer.seek(PARTITION, 3)
            assert await numbers(consumer, 1) == [3]


async def test_a_replica_nearby_is_read_while_it_is_good() -> None:
    """KIP-392: the leader names it, and is asked again when the replica refuses or dies."""
    async with two_brokers() as (first, second):
        first.count, second.count = 5, 10

        def to_second(offset: int, row: PartitionData) -> PartitionData:
            row.preferred_read_replica, row.records = 2, b""
            return row

        first.spoil = to_second
        async with consumer_of(first, client_rack="north") as consumer:
            consumer.assign([PARTITION])
            assert await numbers(consumer, 10) == list(range(10))
            assert second.fetches[0].rack_id == "north"
            assert not second.broker.asked(ApiKey.OFFSET_FOR_LEADER_EPOCH)
            # It has less than the leader: the leader is asked before anything is given up.
            first.count = 12
            first.spoil = lambda offset, row: None
            second.spoil = lambda offset, row: refused(offset, row, ErrorCode.OFFSET_OUT_OF_RANGE)
            assert await numbers(consumer, 2) == [10, 11]
            # Named again, it dies.
            first.spoil = to_second
            second.spoil = lambda offset, row: None
            asked = len(second.fetches)
            await until(lambda: len(second.fetches) > asked)
            second.broker.answers[ApiKey.FETCH] = lambda request: None
            first.count = 14
            first.spoil = lambda offset, row: None
            assert await numbers(consumer, 2) == [12, 13]


async def test_a_replica_that_is_not_known_yet_is_asked_for_in_peace() -> None:
    """A broker that has just come back: the leader knows of it before we do, and is not asked without a pause."""
    async with two_brokers() as (first, second):
        first.count, second.count = 5, 10
        for broker in (first.broker, second.broker):
            broker.brokers = [first.broker]

        def to_second(offset: int, row: PartitionData) -> PartitionData:
            row.preferred_read_replica, row.records = 2, b""
            return row

        first.spoil = to_second
        async with consumer_of(first, client_rack="north") as consumer:
            consumer.assign([PARTITION])
            await until(lambda: first.fetches)
            asked = len(first.broker.asked(ApiKey.METADATA))
            await until(lambda: len(first.broker.asked(ApiKey.METADATA)) >= asked + 3)
            assert len(first.fetches) < 20
            first.broker.brokers = [first.broker, second.broker]
            assert await numbers(consumer, 10) == list(range(10))


async def test_buffered_records_are_handed_out_before_a_position_is_given_up() -> None:
    """The log has lost its beginning while we were reading: what was fetched before that is still good."""
    async with two_brokers() as (first, _):
        first.count = 5
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            await until(lambda: 5 in first.offsets_asked_for)
            first.spoil = lambda offset, row: (
                refused(offset, row, ErrorCode.OFFSET_OUT_OF_RANGE) if offset else None
            )
            await until(lambda: first.fetches)
            assert await numbers(consumer, 5) == list(range(5))
            assert await numbers(consumer, 2) == [0, 1]  # auto.offset.reset=earliest


async def test_garbage_is_told_and_not_returned() -> None:
    async with two_brokers() as (first, _):
        first.count = 5

        def damaged(offset: int, row: PartitionData) -> PartitionData:
            records = bytes(row.records or b"")  # type: ignore[arg-type]
            row.records = records[:-2] + b"?" + records[-1:]  # in the last value
            return row

        def garbled(offset: int, row: PartitionData) -> PartitionData:
            row.records = bytes(row.records or b"")[:-1] + b"\xff"  # type: ignore[arg-type]
            return row

        first.spoil = damaged
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            with pytest.raises(ProtocolError, match=r"orders-0 at offset 0: .*checksum.*; seek past it"):
                await numbers(consumer, 1)
            first.spoil = lambda offset, row: None
            consumer.seek(PARTITION, 1)
            assert await numbers(consumer, 2) == [1, 2]
        first.spoil = damaged
        async with consumer_of(first, check_crcs=False) as consumer:
            consumer.assign([PARTITION])
            assert [(await consumer.getone()).value for _ in range(5)] == [b"0", b"1", b"2", b"3", b"?"]
        first.spoil = garbled
        async with consumer_of(first, check_crcs=False) as consumer:
            consumer.assign([PARTITION])
            with pytest.raises(ProtocolError, match="orders-0 at offset 0: a record"):
                await numbers(consumer, 1)


async def test_a_partition_without_a_leader_is_waited_for() -> None:
    async with two_brokers() as (first, _):
        first.count = 5
        for broker in first.broker.brokers:
            broker.add_topic(TOPIC, TOPIC_ID, [(-1, 3)])
        async with consumer_of(first) as consumer:
            consumer.assign([PARTITION])
            assert await consumer.getmany(timeout_ms=100) == {}
            asked = len(first.broker.asked(ApiKey.METADATA))
            assert asked < 30
            lead(first, 4)
            assert await numbers(consumer, 5) == list(range(5))


async def test_a_topic_that_we_may_not_read_is_named() -> None:
    async with two_brokers() as (first, _):
        topic = first.broker.add_topic(TOPIC, TOPIC_ID, [(1, 3)])
        topic.error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        for subscribe in (lambda: consumer.subscribe([TOPIC]), lambda: consumer.assign([PARTITION])):
            async with consumer_of(first) as consumer:
                subscribe()
                with pytest.raises(ApiError, match="needs an ACL"):
                    await numbers(consumer, 1)
