"""Topic configs by their effect as clients see it: rolls, retention, compaction, limits, and changes while running."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from tests.broker.broker_in_process import BrokerInProcess, running, until
from tests.broker.raw_client import RawClient, Record, batch, build_batch, headers_of, values_of

from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)

EARLIEST = -2
TOPIC, BROKER = 2, 4
SET, DELETE = 0, 1
SEGMENT = 1 << 20
# What a broker does in its own time it does at once.
EAGER = {
    "log_initial_task_delay_ms": 0,
    "log_retention_check_interval_ms": 50,
    "log_cleaner_backoff_ms": 50,
}


async def alter(client: RawClient, kind: int, resource: str, name: str, value: str | None) -> None:
    """Set a config, or unset it if `value` is None."""
    config = AlterableConfig(name=name, value=value, config_operation=DELETE if value is None else SET)
    request = IncrementalAlterConfigsRequest(
        resources=[AlterConfigsResource(resource_type=kind, resource_name=resource, configs=[config])]
    )
    (row,) = (await client.ask(request)).responses
    assert row.error_code == ErrorCode.NONE, row.error_message


async def fill(client: RawClient, topic: str, batches: int, size: int = 400_000, **fields: object) -> None:
    for _ in range(batches):
        row = await client.produce(topic, batch(os.urandom(size), **fields))
        assert row.error_code == ErrorCode.NONE


def log_files(data: Path, topic: str) -> list[int]:
    """First offsets of the segments that are on the disk."""
    return sorted(int(path.stem) for path in (data / f"{topic}-0").glob("*.log"))


def log_start(broker: BrokerInProcess, topic: str) -> int:
    return broker.partition(topic).log.log_start_offset


# -- segments and retention ---------------------------------------------------------------------------------------


async def test_a_segment_ends_before_it_is_too_large(tmp_path, topic) -> None:
    async with running(tmp_path) as broker:
        await broker.client.create_topic(topic, segment_bytes=SEGMENT)
        await fill(broker.client, topic, 7)
        assert log_files(tmp_path, topic) == [0, 2, 4, 6]
        sizes = [path.stat().st_size for path in (tmp_path / f"{topic}-0").glob("*.log")]
        assert max(sizes) <= SEGMENT
        assert len(await broker.client.read_all(topic)) == 7


async def test_a_segment_ends_when_it_is_too_old(tmp_path, topic) -> None:
    async with running(tmp_path) as broker:
        client = broker.client
        await client.create_topic(topic, segment_ms=60_000)
        now = int(time.time() * 1000)
        for age_ms in (100_000, 90_000, 30_000, 0):
            await client.produce(topic, batch(b"x", timestamp_ms=now - age_ms))
        assert log_files(tmp_path, topic) == [0, 2]
        await alter(client, TOPIC, topic, "segment.ms", "1000")
        await client.produce(topic, batch(b"x", timestamp_ms=now))
        assert log_files(tmp_path, topic) == [0, 2, 4]


async def test_what_is_too_old_is_deleted(tmp_path, topic) -> None:
    async with running(tmp_path, **EAGER) as broker:
        client = broker.client
        await client.create_topic(topic, segment_bytes=SEGMENT, retention_ms=-1, file_delete_delay_ms=0)
        long_ago = int(time.time() * 1000) - 2 * 3_600_000
        await fill(client, topic, 4, timestamp_ms=long_ago)
        await fill(client, topic, 3)
        session = await client.ask(client.fetch_request([(topic, 0, 7)], session=(0, 0)))
        await alter(client, TOPIC, topic, "retention.ms", "3600000")
        await until(lambda: log_start(broker, topic) == 4)
        await until(lambda: log_files(tmp_path, topic)[0] == 4)
        assert (await client.list_offset(topic, EARLIEST)).offset == 4
        assert (await client.fetch(topic, 0)).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        assert [record.offset for record in await client.read_all(topic, offset=4)] == [4, 5, 6]
        # A reader hears of the new start with its next fetch.
        news = await client.ask(client.fetch_request([], session=(session.session_id, 1), max_wait_ms=200))
        assert news.responses[0].partitions[0].log_start_offset == 4


async def test_even_the_last_segment_goes_when_all_of_it_is_too_old(tmp_path, topic) -> None:
    async with running(tmp_path, **EAGER) as broker:
        client = broker.client
        await client.create_topic(topic, retention_ms=1000)
        await client.produce(topic, batch(b"old", timestamp_ms=1))
        await until(lambda: log_start(broker, topic) == 1)
        row = await client.fetch(topic, 1)
        assert (row.error_code, row.high_watermark, len(row.records)) == (ErrorCode.NONE, 1, 0)
        await alter(client, TOPIC, topic, "retention.ms", "-1")
        assert (await client.produce(topic, batch(b"new", timestamp_ms=2))).base_offset == 1
        assert values_of(await client.fetch(topic, 1)) == [b"new"]


async def test_what_is_too_much_is_deleted(tmp_path, topic) -> None:
    async with running(tmp_path, **EAGER) as broker:
        await broker.client.create_topic(topic, segment_bytes=SEGMENT, retention_bytes=2 * SEGMENT)
        await fill(broker.client, topic, 10)
        await until(lambda: log_start(broker, topic) == 4)
        assert (await broker.client.list_offset(topic, EARLIEST)).offset == 4
        # The rest is less than what may stay; one segment less would be.
        assert [record.offset for record in await broker.client.read_all(topic, offset=4)] == list(
            range(4, 10)
        )


async def test_a_compacted_topic_keeps_what_is_old(tmp_path, topic) -> None:
    async with running(tmp_path, **EAGER) as broker:
        kept, both = topic + "-kept", topic + "-both"
        long_ago = {"retention_ms": 1000, "segment_bytes": SEGMENT}
        await broker.client.create_topic(kept, cleanup_policy="compact", **long_ago)
        await broker.client.create_topic(both, cleanup_policy="compact,delete", **long_ago)
        for name in (kept, both):
            await broker.client.produce(name, batch(b"x", timestamp_ms=1))
        await until(lambda: log_start(broker, both) == 1)
        assert log_start(broker, kept) == 0


# -- compaction ---------------------------------------------------------------------------------------------------


def keyed(*pairs: tuple[bytes, bytes | None], codec: Compression = Compression.NONE) -> bytes:
    now = int(time.time() * 1000)
    return bytes(build_batch([Record(-1, now, key, value) for key, value in pairs], compression=codec))


@pytest.mark.parametrize("codec", [Compression.NONE, Compression.ZSTD], ids=lambda codec: codec.name)
async def test_compaction_keeps_the_last_of_each_key(tmp_path, topic, codec) -> None:
    """End to end: a cleaner in a process of its own, a swap of files, and readers who go on with the same offsets."""
    async with running(tmp_path, **EAGER) as broker:
        client = broker.client
        await client.create_topic(
            topic,
            cleanup_policy="compact",
            segment_bytes=SEGMENT,
            min_cleanable_dirty_ratio=0.01,
            file_delete_delay_ms=0,
        )
        for number in range(200):
            pairs = [(b"key %d" % key, b"value %d of %d" % (number, key)) for key in range(10)]
            await client.produce(topic, keyed(*pairs, codec=codec))
        await client.produce(topic, keyed((b"key 3", None), (b"key 4", b"last"), codec=codec))
        # Only what is not active is cleaned.
        broker.partition(topic).log.roll()
        await client.produce(topic, keyed((b"key 5", b"in the active segment")))
        before = await client.read_all(topic)
        end = (await client.fetch(topic, 2003)).high_watermark

        def is_clean() -> bool:
            return sum(segment.log.size for segment in broker.partition(topic).log.segments) < 5_000

        await until(is_clean)
        after = await client.read_all(topic)
        assert (await client.fetch(topic, 2003)).high_watermark == end == 2003
        assert (await client.list_offset(topic, EARLIEST)).offset == 0
        # Records keep their offsets, and none is new.
        by_offset = {record.offset: record for record in before}
        assert all(by_offset[record.offset] == record for record in after)
        latest = {record.key: record for record in before}
        cleaned = {record.key: record for record in after}
        assert cleaned == latest
        assert cleaned[b"key 3"].value is None
        assert len(after) <= 12
        # A reader at an offset that is gone reads what comes after it.
        assert headers_of(await client.fetch(topic, 5))
    async with running(tmp_path) as broker:
        broker.client.topic_ids[topic] = broker.partition(topic).topic_id
        assert await broker.client.read_all(topic) == after


async def test_appends_do_not_wait_for_compaction(tmp_path, topic) -> None:
    async with running(tmp_path, **EAGER) as broker:
        client = broker.client
        await client.create_topic(
            topic, cleanup_policy="compact", segment_bytes=SEGMENT, min_cleanable_dirty_ratio=0.01
        )
        written = {}
        took = []
        for number in range(400):
            key = b"%d" % (number % 7)
            value = os.urandom(20_000)
            begin = time.monotonic()
            row = await client.produce(topic, keyed((key, value)))
            took.append(time.monotonic() - begin)
            assert row.base_offset == number
            written[key] = value
            if number % 50 == 0:
                await asyncio.sleep(0)
        await until(lambda: broker.partition(topic).log.segments[0].log.size < SEGMENT // 2)
        took.sort()
        print(f"the slowest append beside a cleaner took {took[-1] * 1000:.1f} ms")
        # Who waits for a cleaner does so for each of them; the machine may stand still once.
        assert took[-3] < 1.0
        found = {record.key: record.value for record in await client.read_all(topic)}
        assert found == written


# -- changes while running ----------------------------------------------------------------------------------------


async def test_a_changed_limit_holds_at_once(client, topic) -> None:
    await client.create_topic(topic)
    large = batch(os.urandom(5_000))
    assert (await client.produce(topic, large)).error_code == ErrorCode.NONE
    await alter(client, TOPIC, topic, "max.message.bytes", "2000")
    assert (await client.produce(topic, large)).error_code == ErrorCode.MESSAGE_TOO_LARGE
    await alter(client, TOPIC, topic, "max.message.bytes", None)
    assert (await client.produce(topic, large)).error_code == ErrorCode.NONE


async def test_a_changed_codec_holds_at_once(client, topic) -> None:
    await client.create_topic(topic)
    for codec in ("zstd", "uncompressed", "producer"):
        await alter(client, TOPIC, topic, "compression.type", codec)
        await client.produce(topic, batch(b"x" * 100, compression=Compression.LZ4))
    kept = [Compression(header.compression) for header in headers_of(await client.fetch(topic))]
    assert kept == [Compression.ZSTD, Compression.NONE, Compression.LZ4]


async def test_a_changed_timestamp_type_holds_at_once(client, topic) -> None:
    await client.create_topic(topic)
    for kind in ("LogAppendTime", "CreateTime"):
        await alter(client, TOPIC, topic, "message.timestamp.type", kind)
        await client.produce(topic, batch(b"x", timestamp_ms=1_700_000_000_000))
    first, second = headers_of(await client.fetch(topic))
    assert (first.uses_log_append_time, second.uses_log_append_time) == (True, False)
    assert (first.max_timestamp > 1_700_000_000_000, second.max_timestamp) == (True, 1_700_000_000_000)


@pytest.mark.parametrize("resource", ["", "1"], ids=["all brokers", "this broker"])
async def test_a_changed_default_holds_for_topics_without_their_own(tmp_path, topic, resource) -> None:
    own = topic + "-own"
    large = batch(os.urandom(5_000))
    async with running(tmp_path) as broker:
        client = broker.client
        await client.create_topic(topic)
        await client.create_topic(own, max_message_bytes=10_000)
        await alter(client, BROKER, resource, "message.max.bytes", "2000")
        assert (await client.produce(topic, large)).error_code == ErrorCode.MESSAGE_TOO_LARGE
        assert (await client.produce(own, large)).error_code == ErrorCode.NONE
        later = topic + "-later"
        await client.create_topic(later)
        assert (await client.produce(later, large)).error_code == ErrorCode.MESSAGE_TOO_LARGE
    # It is part of the metadata, so it holds after a restart too, until it is taken back.
    async with running(tmp_path) as broker:
        client = broker.client
        client.topic_ids[topic] = broker.partition(topic).topic_id
        assert (await client.produce(topic, large)).error_code == ErrorCode.MESSAGE_TOO_LARGE
        await alter(client, BROKER, resource, "message.max.bytes", None)
        assert (await client.produce(topic, large)).error_code == ErrorCode.NONE


async def test_a_changed_retention_default_deletes(tmp_path, topic) -> None:
    async with running(tmp_path, **EAGER) as broker:
        client = broker.client
        await client.create_topic(topic, segment_bytes=SEGMENT)
        an_hour_ago = int(time.time() * 1000) - 3_600_000
        await fill(client, topic, 5, timestamp_ms=an_hour_ago)
        assert log_start(broker, topic) == 0
        await alter(client, BROKER, "", "log.retention.ms", "60000")
        await until(lambda: log_start(broker, topic) == 5)


async def test_min_insync_replicas_of_more_than_there_are_is_no_obstacle_to_one(client, topic) -> None:
    """As in Kafka: no partition can have more in-sync replicas than replicas."""
    await client.create_topic(topic, min_insync_replicas=2)
    assert (await client.produce(topic, batch(b"x"), acks=-1)).error_code == ErrorCode.NONE
