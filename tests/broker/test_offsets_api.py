"""ListOffsets, OffsetForLeaderEpoch and DeleteRecords over the wire, in every version."""

import pytest
from tests.broker.broker_in_process import running
from tests.broker.raw_client import Record, all_versions, batch, build_batch, values_of

from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from snakka.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from snakka.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6
# From which version on each may be asked for.
SPECIAL = {LATEST: 1, EARLIEST: 1, MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9}
SPECIAL[EARLIEST_PENDING_UPLOAD] = 11

T0 = 1_700_000_000_000


def told(row) -> tuple[ErrorCode, int, int, int]:
    return ErrorCode(row.error_code), row.timestamp, row.offset, row.leader_epoch


NOTHING = (ErrorCode.NONE, -1, -1, -1)


@pytest.fixture
async def written(client, topic) -> str:
    """Five batches of two records, a second apart."""
    await client.create_topic(topic)
    for number in range(5):
        await client.produce(topic, batch(b"x", b"y", timestamp_ms=T0 + number * 1000))
    return topic


# -- ListOffsets --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", all_versions(ListOffsetsRequest))
async def test_special_timestamps_in_every_version(client, written, version) -> None:
    epoch = 0 if version >= 4 else -1
    found = {
        LATEST: (ErrorCode.NONE, -1, 10, epoch),
        EARLIEST: (ErrorCode.NONE, -1, 0, epoch),
        MAX_TIMESTAMP: (ErrorCode.NONE, T0 + 4000, 8, epoch),
        EARLIEST_LOCAL: (ErrorCode.NONE, -1, 0, epoch),
        # Nothing is tiered, and nothing waits to be.
        LATEST_TIERED: NOTHING,
        EARLIEST_PENDING_UPLOAD: NOTHING,
    }
    for timestamp, first_version in SPECIAL.items():
        unsupported = (ErrorCode.UNSUPPORTED_VERSION, -1, -1, -1)
        expected = found[timestamp] if version >= first_version else unsupported
        assert told(await client.list_offset(written, timestamp, version)) == expected
    for nonsense in (-7, -99, -(2**62)):
        row = await client.list_offset(written, nonsense, version)
        assert row.error_code == ErrorCode.UNSUPPORTED_VERSION


@pytest.mark.parametrize("version", [1, 4, 11])
@pytest.mark.parametrize(
    ("timestamp", "found"),
    [
        (0, (T0, 0)),
        (T0, (T0, 0)),
        (T0 + 1, (T0 + 1000, 2)),
        (T0 + 2500, (T0 + 3000, 6)),
        (T0 + 4000, (T0 + 4000, 8)),
        (T0 + 4001, (-1, -1)),
        (2**62, (-1, -1)),
    ],
)
async def test_the_first_record_that_is_not_older(client, written, timestamp, found, version) -> None:
    row = await client.list_offset(written, timestamp, version)
    assert (row.error_code, row.timestamp, row.offset) == (ErrorCode.NONE, *found)


async def test_timestamps_in_no_order(client, topic) -> None:
    await client.create_topic(topic)
    for later in (5, 9, 3, 9, 1):
        await client.produce(topic, batch(b"x", timestamp_ms=T0 + later))
    asked = (MAX_TIMESTAMP, T0, T0 + 4, T0 + 6, T0 + 9, T0 + 10)
    assert [(await client.list_offset(topic, one)).offset for one in asked] == [1, 0, 0, 1, 1, -1]


@pytest.mark.parametrize("codec", list(Compression), ids=lambda codec: codec.name)
async def test_records_are_found_inside_batches(client, topic, codec) -> None:
    await client.create_topic(topic)
    records = [Record(-1, T0 + later, b"k", b"v") for later in (0, 10, 20, 15)]
    for _ in range(2):
        await client.produce(topic, bytes(build_batch(records, compression=codec)))
    asked = (MAX_TIMESTAMP, T0, T0 + 1, T0 + 11, T0 + 20, T0 + 21)
    assert [(await client.list_offset(topic, one)).offset for one in asked] == [2, 0, 1, 2, 2, -1]


async def test_an_empty_partition_has_a_beginning_and_an_end(client, topic) -> None:
    await client.create_topic(topic)
    for timestamp in (LATEST, EARLIEST, EARLIEST_LOCAL):
        assert told(await client.list_offset(topic, timestamp)) == (ErrorCode.NONE, -1, 0, 0)
    for timestamp in (MAX_TIMESTAMP, 0, T0):
        assert told(await client.list_offset(topic, timestamp)) == NOTHING


async def test_offsets_of_partitions_that_cannot_be_asked(client, written) -> None:
    for name, index in (("nobody-knows", 0), (written, 1), ("bad name", 0)):
        row = await client.list_offset(name, LATEST, partition=index)
        assert row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    unknown = await client.list_offset(written, LATEST, current_leader_epoch=1)
    assert unknown.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    assert (await client.list_offset(written, LATEST, current_leader_epoch=0)).offset == 10
    # A debugging tool and a replica may ask too.
    for replica_id in (-2, 1):
        assert (await client.list_offset(written, LATEST, replica_id=replica_id)).offset == 10


async def test_a_partition_asked_for_twice_is_an_error(client, written) -> None:
    row = ListOffsetsPartition(partition_index=0, timestamp=LATEST)
    request = ListOffsetsRequest(
        replica_id=-1, topics=[ListOffsetsTopic(name=written, partitions=[row, row])]
    )
    response = await client.ask(request, 7)
    assert {one.error_code for one in response.topics[0].partitions} == {ErrorCode.INVALID_REQUEST}


# -- OffsetForLeaderEpoch -----------------------------------------------------------------------------------------


async def end_of_epoch(
    client, topic: str, epoch: int, *, current: int = -1, index: int = 0, version: int = 4
):
    request = OffsetForLeaderEpochRequest(
        topics=[
            OffsetForLeaderTopic(
                topic=topic,
                partitions=[
                    OffsetForLeaderPartition(
                        partition=index, current_leader_epoch=current, leader_epoch=epoch
                    )
                ],
            )
        ]
    )
    (row,) = (await client.ask(request, version)).topics[0].partitions
    return ErrorCode(row.error_code), row.leader_epoch, row.end_offset


@pytest.mark.parametrize("version", all_versions(OffsetForLeaderEpochRequest))
async def test_where_epochs_end_in_every_version(client, written, version) -> None:
    assert await end_of_epoch(client, written, 0, version=version) == (ErrorCode.NONE, 0, 10)
    assert await end_of_epoch(client, written, 0, current=0, version=version) == (ErrorCode.NONE, 0, 10)
    assert await end_of_epoch(client, written, 1, version=version) == (ErrorCode.NONE, -1, -1)
    unknown = (ErrorCode.UNKNOWN_LEADER_EPOCH, -1, -1)
    assert await end_of_epoch(client, written, 0, current=1, version=version) == unknown
    missing = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, -1)
    assert await end_of_epoch(client, written, 0, index=3, version=version) == missing
    assert await end_of_epoch(client, "nobody-knows", 0, version=version) == missing


async def test_epochs_before_the_current_one(tmp_path, topic) -> None:
    async with running(tmp_path) as broker:
        client = broker.client
        await client.create_topic(topic)
        for epoch in (2, 3, 7):
            partition = broker.partition(topic)
            partition.update_leadership(1, epoch, partition.partition_epoch + 1, [1], [1])
            await client.produce(topic, batch(b"a", b"b"))
        ends = [await end_of_epoch(client, topic, epoch) for epoch in (0, 1, 2, 3, 5, 7, 8)]
        # Nothing was written before epoch 2: of older ones nothing is known, and they end where it begins.
        assert ends == [
            (ErrorCode.NONE, 0, 0),
            (ErrorCode.NONE, 1, 0),
            (ErrorCode.NONE, 2, 2),
            (ErrorCode.NONE, 3, 4),
            (ErrorCode.NONE, 3, 4),
            (ErrorCode.NONE, 7, 6),
            (ErrorCode.NONE, -1, -1),
        ]
        assert await end_of_epoch(client, topic, 7, current=3) == (ErrorCode.FENCED_LEADER_EPOCH, -1, -1)
        fenced = await client.list_offset(topic, LATEST, current_leader_epoch=3)
        assert fenced.error_code == ErrorCode.FENCED_LEADER_EPOCH
        assert (await client.list_offset(topic, EARLIEST)).leader_epoch == 2
        assert (await client.list_offset(topic, LATEST)).leader_epoch == 7


# -- DeleteRecords ------------------------------------------------------------------------------------------------


async def delete_before(client, topic: str, offset: int, *, index: int = 0, version: int | None = None):
    request = DeleteRecordsRequest(
        topics=[
            DeleteRecordsTopic(
                name=topic, partitions=[DeleteRecordsPartition(partition_index=index, offset=offset)]
            )
        ],
        timeout_ms=5_000,
    )
    (row,) = (await client.ask(request, version)).topics[0].partitions
    return ErrorCode(row.error_code), row.low_watermark


@pytest.mark.parametrize("version", all_versions(DeleteRecordsRequest))
async def test_deleting_records_moves_the_start_and_nothing_else(client, written, version) -> None:
    assert await delete_before(client, written, 3, version=version) == (ErrorCode.NONE, 3)
    # Never back.
    assert await delete_before(client, written, 2, version=version) == (ErrorCode.NONE, 3)
    out_of_range = (ErrorCode.OFFSET_OUT_OF_RANGE, -1)
    for offset in (-2, 11, 99):
        assert await delete_before(client, written, offset, version=version) == out_of_range
    assert (await client.fetch(written, 2)).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    row = await client.fetch(written, 3)
    assert (row.error_code, row.log_start_offset, row.high_watermark) == (ErrorCode.NONE, 3, 10)
    assert (await client.list_offset(written, EARLIEST)).offset == 3
    assert (await client.list_offset(written, 0)).offset == 3
    assert [record.offset for record in await client.read_all(written, offset=3)] == list(range(3, 10))
    # -1 is the high watermark: nothing is left, and the next record gets the next offset.
    assert await delete_before(client, written, -1, version=version) == (ErrorCode.NONE, 10)
    assert (await client.list_offset(written, EARLIEST)).offset == 10
    appended = await client.produce(written, batch(b"next"))
    assert (appended.base_offset, appended.log_start_offset) == (10, 10)
    assert values_of(await client.fetch(written, 10)) == [b"next"]


async def test_records_that_may_not_be_deleted(client, topic, written) -> None:
    assert await delete_before(client, written, 1, index=4) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert await delete_before(client, "nobody-knows", 1) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    compacted, both = topic + "-compacted", topic + "-both"
    await client.create_topic(compacted, cleanup_policy="compact")
    await client.produce(compacted, batch(b"x"))
    assert await delete_before(client, compacted, 1) == (ErrorCode.POLICY_VIOLATION, -1)
    await client.create_topic(both, cleanup_policy="compact,delete")
    await client.produce(both, batch(b"x"))
    assert await delete_before(client, both, 1) == (ErrorCode.NONE, 1)


async def test_internal_topics_keep_their_records(tmp_path) -> None:
    async with running(tmp_path) as broker:
        unknown = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
        assert await delete_before(broker.client, "__consumer_offsets", 1) == unknown
        assert await delete_before(broker.client, "__cluster_metadata", 1) == unknown
        await broker.client.create_topic("__consumer_offsets")
        assert await delete_before(broker.client, "__consumer_offsets", 0) == (
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            -1,
        )


async def test_deleted_records_stay_deleted_after_a_restart(tmp_path, topic) -> None:
    async with running(tmp_path) as broker:
        await broker.client.create_topic(topic)
        for number in range(6):
            await broker.client.produce(topic, batch(b"%d" % number))
        assert await delete_before(broker.client, topic, 4) == (ErrorCode.NONE, 4)
    async with running(tmp_path) as broker:
        broker.client.topic_ids[topic] = broker.partition(topic).topic_id
        assert (await broker.client.list_offset(topic, EARLIEST)).offset == 4
        assert values_of(await broker.client.fetch(topic, 4)) == [b"4", b"5"]
