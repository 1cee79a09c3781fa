"""Fetch over the wire: every version, limits, long polls, leader epochs, and readers of committed records only."""

import asyncio
import time

import pytest
from tests.broker.broker_in_process import running
from tests.broker.raw_client import RawClient, all_versions, batch, headers_of, records_of, values_of

from snakka.protocol.batch_builder import build_end_transaction
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from snakka.protocol.messages.fetch import FetchRequest
from snakka.storage.append_checks import AppendOrigin

READ_COMMITTED = 1
# How late an answer may come on a busy machine.
SLACK_SECONDS = 4.0


def test_these_tests_know_all_versions() -> None:
    assert (min(all_versions(FetchRequest)), max(all_versions(FetchRequest))) == (4, 18)


@pytest.mark.parametrize("version", all_versions(FetchRequest))
async def test_every_version_reads(client, topic, version) -> None:
    topic_id = await client.create_topic(topic)
    await client.produce(topic, batch(b"a", b"b"))
    await client.produce(topic, batch(b"c"))
    response = await client.ask(client.fetch_request([(topic, 0, 2)]), version)
    assert (response.error_code, response.session_id) == (ErrorCode.NONE, 0)
    (of_topic,) = response.responses
    assert of_topic.topic == (topic if version < 13 else "")
    assert of_topic.topic_id == (topic_id if version >= 13 else bytes(16))
    (row,) = of_topic.partitions
    assert (row.error_code, row.high_watermark, row.last_stable_offset) == (ErrorCode.NONE, 3, 3)
    assert row.log_start_offset == (0 if version >= 5 else -1)
    assert row.aborted_transactions is None
    assert row.preferred_read_replica == -1
    assert values_of(row) == [b"c"]


async def test_a_batch_is_returned_whole_although_only_its_end_is_asked_for(client, topic) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"a", b"b", b"c"))
    assert [record.offset for record in records_of(await client.fetch(topic, 2))] == [0, 1, 2]


@pytest.mark.parametrize("version", [4, 12, 18])
async def test_at_the_end_there_is_nothing_and_no_error(client, topic, version) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"a"))
    row = await client.fetch(topic, 1, version)
    assert (row.error_code, row.high_watermark, len(row.records)) == (ErrorCode.NONE, 1, 0)
    committed = await client.fetch(topic, 1, version, isolation_level=READ_COMMITTED)
    assert committed.aborted_transactions == []


# -- limits -------------------------------------------------------------------------------------------------------


@pytest.fixture
async def three_partitions(client, topic) -> str:
    """Five batches in each of three partitions."""
    await client.create_topic(topic, 3)
    for index in range(3):
        for _ in range(5):
            await client.produce(topic, batch(b"x" * 1000), partition=index)
    return topic


@pytest.mark.parametrize(
    ("limits", "batches"),
    [
        ({}, (5, 5, 5)),
        ({"max_bytes": 1}, (1, 0, 0)),
        ({"max_bytes": 0}, (1, 0, 0)),
        ({"max_bytes": -1}, (1, 0, 0)),
        ({"partition_max_bytes": 1}, (1, 0, 0)),
        ({"partition_max_bytes": 0}, (1, 0, 0)),
        ({"partition_max_bytes": -1}, (1, 0, 0)),
        ({"max_bytes": 2500}, (2, 0, 0)),
        ({"max_bytes": 6000}, (5, 0, 0)),
        ({"partition_max_bytes": 2200}, (2, 2, 2)),
        ({"max_bytes": 6000, "partition_max_bytes": 4000}, (3, 2, 0)),
    ],
)
async def test_limits_count_bytes_and_the_first_batch_comes_always(
    client, three_partitions, limits, batches
) -> None:
    targets = [(three_partitions, index, 0) for index in range(3)]
    response = await client.ask(client.fetch_request(targets, **limits))
    rows = response.responses[0].partitions
    assert tuple(len(headers_of(row)) for row in rows) == batches
    assert [row.high_watermark for row in rows] == [5, 5, 5]


async def test_the_first_partition_with_data_is_the_one_that_may_be_too_large(
    client, three_partitions
) -> None:
    targets = [(three_partitions, 0, 5), (three_partitions, 1, 0), (three_partitions, 2, 0)]
    response = await client.ask(client.fetch_request(targets, max_bytes=1))
    assert [len(headers_of(row)) for row in response.responses[0].partitions] == [0, 1, 0]


async def test_a_reader_comes_through_however_small_its_steps(client, three_partitions) -> None:
    offset = 0
    while offset < 5:
        row = await client.fetch(three_partitions, offset, partition_max_bytes=1)
        (header,) = headers_of(row)
        assert header.base_offset == offset
        offset = header.next_offset


# -- long polls ---------------------------------------------------------------------------------------------------


async def timed(request):
    """The answer, and how many seconds it took."""
    begin = time.monotonic()
    return await request, time.monotonic() - begin


async def let_it_wait() -> None:
    """So that a request has most likely reached the broker; the outcome is the same if it has not."""
    await asyncio.sleep(0.02)


async def test_a_poll_ends_when_its_time_is_over(client, topic) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"a"))
    row, seconds = await timed(client.fetch(topic, 1, max_wait_ms=200))
    assert (row.error_code, len(row.records)) == (ErrorCode.NONE, 0)
    assert 0.19 <= seconds < 0.2 + SLACK_SECONDS


async def test_an_append_ends_a_poll(address, client, topic) -> None:
    await client.create_topic(topic)
    best = 60.0
    async with await RawClient.open(address) as writer:
        writer.topic_ids = client.topic_ids
        for offset in range(10):
            waiting = asyncio.ensure_future(client.fetch(topic, offset, max_wait_ms=20_000))
            await let_it_wait()
            begin = time.monotonic()
            await writer.produce(topic, batch(b"%d" % offset))
            row = await waiting
            best = min(best, time.monotonic() - begin)
            assert values_of(row) == [b"%d" % offset]
    # At least once the machine was not busy with something else.
    assert best < 0.05


async def test_a_poll_waits_until_there_is_enough(address, client, topic) -> None:
    await client.create_topic(topic, 2)
    async with await RawClient.open(address) as writer:
        writer.topic_ids = client.topic_ids
        request = client.fetch_request([(topic, 0, 0), (topic, 1, 0)], max_wait_ms=20_000, min_bytes=2500)
        client.send(request)
        answer = asyncio.ensure_future(client.receive(request))
        for index in (0, 1):
            await writer.produce(topic, batch(b"x" * 1000), partition=index)
        await writer.produce(topic, batch(b"x" * 100), partition=0)
        assert not answer.done()
        await writer.produce(topic, batch(b"x" * 1000), partition=0)
        rows = (await answer).responses[0].partitions
    assert [len(headers_of(row)) for row in rows] == [3, 1]


async def test_several_polls_of_one_partition_are_all_answered(address, client, topic) -> None:
    await client.create_topic(topic)
    others = [await RawClient.open(address) for _ in range(20)]
    waiting = []
    for other in others:
        other.topic_ids = client.topic_ids
        waiting.append(asyncio.ensure_future(other.fetch(topic, 0, max_wait_ms=20_000)))
    await let_it_wait()
    await client.produce(topic, batch(b"for all"))
    assert [values_of(row) for row in await asyncio.gather(*waiting)] == [[b"for all"]] * 20
    for other in others:
        other.close()


@pytest.mark.parametrize(
    ("limits", "waits"),
    [
        ({"min_bytes": 0}, False),
        ({"min_bytes": -5}, False),
        ({"min_bytes": 1_000_000, "max_bytes": 3000}, False),
        ({"min_bytes": 3000, "partition_max_bytes": 3000}, False),
        ({"min_bytes": 6000, "partition_max_bytes": 3000}, True),
        ({"min_bytes": 100_000}, True),
    ],
)
async def test_what_counts_as_enough(client, three_partitions, limits, waits) -> None:
    """Also where a partition has more to give than fits: it counts as full although half a batch is missing."""
    max_wait_ms = 300 if waits else 14_000
    _, seconds = await timed(client.fetch(three_partitions, 0, max_wait_ms=max_wait_ms, **limits))
    assert seconds > 0.29 if waits else seconds < 10


async def test_an_unknown_partition_does_not_end_the_wait_for_others(client, topic) -> None:
    await client.create_topic(topic)
    alone, seconds = await timed(client.fetch("nobody-knows", 0, 12, max_wait_ms=5_000))
    assert alone.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert seconds < SLACK_SECONDS
    request = client.fetch_request([(topic, 0, 0), ("nobody-knows", 0, 0), (topic, 9, 0)], max_wait_ms=300)
    response, seconds = await timed(client.ask(request, 12))
    errors = [ErrorCode(row.error_code) for one in response.responses for row in one.partitions]
    missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert sorted(errors) == [ErrorCode.NONE, missing, missing]
    assert seconds > 0.29


async def test_an_error_ends_the_wait_at_once(client, three_partitions) -> None:
    targets = [(three_partitions, 0, 5), (three_partitions, 1, 99)]
    response, seconds = await timed(client.ask(client.fetch_request(targets, max_wait_ms=20_000)))
    rows = response.responses[0].partitions
    assert [row.error_code for row in rows] == [ErrorCode.NONE, ErrorCode.OFFSET_OUT_OF_RANGE]
    assert seconds < SLACK_SECONDS


async def test_the_end_of_a_topic_ends_the_wait_for_it(address, client, topic) -> None:
    await client.create_topic(topic)
    other_topic = topic + "-other"
    await client.create_topic(other_topic)
    async with await RawClient.open(address) as reader:
        reader.topic_ids = client.topic_ids
        request = reader.fetch_request([(topic, 0, 0), (other_topic, 0, 0)], max_wait_ms=20_000)
        reader.send(request, 12)
        answer = asyncio.ensure_future(reader.receive(request, 12))
        await let_it_wait()
        await client.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name=topic)], timeout_ms=5_000))
        response = await answer
    errors = [ErrorCode(row.error_code) for one in response.responses for row in one.partitions]
    assert sorted(errors) == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


# -- leader epochs and replicas -----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [9, 12, 18])
async def test_a_leader_epoch_that_is_not_known_yet(client, topic, version) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"a"))
    for epoch, error in ((-1, ErrorCode.NONE), (0, ErrorCode.NONE), (1, ErrorCode.UNKNOWN_LEADER_EPOCH)):
        row = await client.fetch(topic, 0, version, current_leader_epoch=epoch, max_wait_ms=20_000)
        assert ErrorCode(row.error_code) == error


@pytest.mark.parametrize(
    ("last_epoch", "offset", "error", "diverging"),
    [
        (0, 0, ErrorCode.NONE, -1),
        (0, 1, ErrorCode.NONE, -1),
        (0, 2, ErrorCode.NONE, 1),
        (0, 99, ErrorCode.NONE, 1),
        (1, 0, ErrorCode.OFFSET_OUT_OF_RANGE, -1),
    ],
)
async def test_a_reader_learns_where_its_log_and_this_one_part(
    client, topic, last_epoch, offset, error, diverging
) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"a"))
    row = await client.fetch(topic, offset, last_fetched_epoch=last_epoch)
    assert (ErrorCode(row.error_code), row.diverging_epoch.end_offset) == (error, diverging)
    if diverging >= 0:
        assert (row.diverging_epoch.epoch, len(row.records), row.high_watermark) == (0, 0, 1)


@pytest.mark.parametrize("replica_id", [1, 5])
async def test_who_has_no_replica_cannot_follow(client, topic, replica_id) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"a"))
    row = await client.fetch(topic, 0, replica_id=replica_id)
    assert row.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    row = await client.fetch(topic, 0, replica_id=replica_id, current_leader_epoch=0)
    assert row.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH


async def test_a_leader_of_another_epoch_is_fenced_and_told_of(tmp_path, topic) -> None:
    async with running(tmp_path) as broker:
        client = broker.client
        await client.create_topic(topic)
        await client.produce(topic, batch(b"a"))
        partition = broker.partition(topic)
        partition.update_leadership(1, 3, partition.partition_epoch + 1, [1, 2], [1, 2])
        fenced = await client.fetch(topic, 0, current_leader_epoch=2)
        assert fenced.error_code == ErrorCode.FENCED_LEADER_EPOCH
        partition.update_leadership(2, 4, partition.partition_epoch + 1, [1, 2], [1, 2])
        for version in (12, 16, 18):
            moved = await client.ask(client.fetch_request([(topic, 0, 0)]), version)
            (row,) = moved.responses[0].partitions
            assert row.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
            # The hint names the leader of the committed metadata, which here still is this broker.
            told = row.current_leader.leader_id, [node.node_id for node in moved.node_endpoints]
            assert told == ((1, [1]) if version >= 16 else (-1, []))
        written = await client.ask(client.produce_request(topic, batch(b"b")))
        (refused,) = written.responses[0].partition_responses
        assert refused.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert (refused.current_leader.leader_id, refused.base_offset) == (1, -1)
        assert [node.node_id for node in written.node_endpoints] == [1]


# -- committed records --------------------------------------------------------------------------------------------


def transactional(producer_id: int, sequence: int, *values: bytes) -> memoryview:
    data = batch(
        *values,
        is_transactional=True,
        producer_id=producer_id,
        producer_epoch=0,
        base_sequence=sequence,
        compression=Compression.LZ4,
    )
    return memoryview(bytearray(data))


async def test_readers_of_committed_records_wait_for_the_end_of_transactions(tmp_path, topic) -> None:
    async with running(tmp_path) as broker:
        client = broker.client
        await client.create_topic(topic)
        partition = broker.partition(topic)

        def write(producer_id: int, sequence: int, *values: bytes) -> None:
            partition.append(transactional(producer_id, sequence, *values), 1, int(time.time() * 1000))

        def end(producer_id: int, *, committed: bool) -> None:
            marker = build_end_transaction(
                producer_id=producer_id,
                producer_epoch=0,
                committed=committed,
                coordinator_epoch=0,
                timestamp=int(time.time() * 1000),
            )
            partition.append(memoryview(marker), 1, int(time.time() * 1000), origin=AppendOrigin.COORDINATOR)

        async def committed(offset: int = 0, **fields: object):
            return await client.fetch(topic, offset, isolation_level=READ_COMMITTED, **fields)

        await client.produce(topic, batch(b"plain"))  # 0
        write(11, 0, b"kept", b"kept too")  # 1, 2
        write(12, 0, b"dropped")  # 3
        await client.produce(topic, batch(b"between"))  # 4
        everything = await client.fetch(topic, 0)
        assert len(values_of(everything)) == 5
        assert everything.aborted_transactions is None
        row = await committed()
        assert (row.high_watermark, row.last_stable_offset) == (5, 1)
        assert values_of(row) == [b"plain"]
        assert (await client.list_offset(topic, -1, isolation_level=READ_COMMITTED)).offset == 1
        assert (await client.list_offset(topic, -1)).offset == 5
        beyond, seconds = await timed(committed(1, max_wait_ms=150))
        assert (beyond.error_code, len(beyond.records)) == (ErrorCode.NONE, 0)
        assert seconds > 0.14

        waiting = asyncio.ensure_future(committed(1, max_wait_ms=20_000))
        await let_it_wait()
        end(11, committed=True)  # 5
        row = await waiting
        assert row.last_stable_offset == 3
        assert values_of(row) == [b"kept", b"kept too"]
        assert row.aborted_transactions == []

        write(12, 1, b"dropped too")  # 6
        end(12, committed=False)  # 7
        row = await committed(3)
        assert (row.high_watermark, row.last_stable_offset) == (8, 8)
        assert [(one.producer_id, one.first_offset) for one in row.aborted_transactions] == [(12, 3)]
        assert [header.is_control for header in headers_of(row)] == [False, False, True, False, True]
        assert (await committed(0)).aborted_transactions[0].first_offset == 3
        # A reader that is past the aborted records is not told of them again.
        write(11, 2, b"later")  # 8
        end(11, committed=True)  # 9
        assert (await committed(8)).aborted_transactions == []
        assert (await client.list_offset(topic, -1, isolation_level=READ_COMMITTED)).offset == 10
