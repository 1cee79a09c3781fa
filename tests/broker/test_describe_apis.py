"""DescribeProducers and DescribeLogDirs over the wire."""

import pytest
from tests.broker.broker_in_process import running
from tests.broker.raw_client import all_versions, batch

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from snakka.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest

T0 = 1_700_000_000_000


async def test_who_has_written(client, topic) -> None:
    await client.create_topic(topic, 2)
    for sequence in range(3):
        sent = batch(b"v", producer_id=91, producer_epoch=3, base_sequence=sequence, timestamp_ms=T0)
        await client.produce(topic, sent)
    two = batch(b"v", b"w", producer_id=92, producer_epoch=0, base_sequence=4, timestamp_ms=T0 + 1)
    await client.produce(topic, two)
    await client.produce(topic, batch(b"nobody"))
    response = await client.ask(
        DescribeProducersRequest(
            topics=[
                TopicRequest(name=topic, partition_indexes=[0, 1, 7]),
                TopicRequest(name="nobody-knows", partition_indexes=[0]),
            ]
        )
    )
    rows = {(one.name, row.partition_index): row for one in response.topics for row in one.partitions}
    missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert {key: row.error_code for key, row in rows.items()} == {
        (topic, 0): ErrorCode.NONE,
        (topic, 1): ErrorCode.NONE,
        (topic, 7): missing,
        ("nobody-knows", 0): missing,
    }
    assert [
        (one.producer_id, one.producer_epoch, one.last_sequence, one.last_timestamp)
        for one in rows[topic, 0].active_producers
    ] == [(91, 3, 2, T0), (92, 0, 5, T0 + 1)]
    assert {
        (one.coordinator_epoch, one.current_txn_start_offset) for one in rows[topic, 0].active_producers
    } == {(-1, -1)}
    assert rows[topic, 1].active_producers == []


@pytest.mark.parametrize("version", all_versions(DescribeLogDirsRequest))
async def test_what_is_in_the_directories(client, topic, version) -> None:
    await client.create_topic(topic, 2)
    sent = batch(b"x" * 500)
    for _ in range(3):
        await client.produce(topic, sent)

    async def ask(topics: list[DescribableLogDirTopic] | None):
        response = await client.ask(DescribeLogDirsRequest(topics=topics), version)
        assert response.error_code == ErrorCode.NONE
        (directory,) = response.results
        assert directory.error_code == ErrorCode.NONE
        assert (directory.total_bytes > 0) == (version >= 4)
        assert (directory.usable_bytes > 0) == (version >= 4)
        assert not directory.is_cordoned
        return {
            (one.name, row.partition_index): (row.partition_size, row.offset_lag, row.is_future_key)
            for one in directory.topics
            for row in one.partitions
        }

    sizes = {(topic, 0): (3 * len(sent), 0, False), (topic, 1): (0, 0, False)}
    assert await ask([DescribableLogDirTopic(topic=topic, partitions=[0, 1, 9])]) == sizes
    assert await ask([DescribableLogDirTopic(topic="nobody-knows", partitions=[0])]) == {}
    assert await ask([]) == {}
    assert sizes.items() <= (await ask(None)).items()


async def test_partitions_are_spread_over_the_directories(tmp_path, topic) -> None:
    directories = [str(tmp_path / name) for name in ("first", "second", "third")]
    async with running(None, log_dirs=",".join(directories)) as broker:
        await broker.client.create_topic(topic, 9)
        response = await broker.client.ask(DescribeLogDirsRequest(topics=None))
        counts = {
            one.log_dir: sum(len(row.partitions) for row in one.topics if row.name == topic)
            for one in response.results
        }
        assert counts == dict.fromkeys(directories, 3)
