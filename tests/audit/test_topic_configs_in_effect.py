"""Topic configs of a whole broker: what is set with a topic is seen in its files, not only in its answers."""

import os
from pathlib import Path

import pytest
from tests.audit.asking import client_of, eventually
from tests.broker.raw_client import batch

from snakka.testing import LocalBroker

MEBIBYTE = 1 << 20


@pytest.fixture
def data_dir(tmp_path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def broker(data_dir):
    options = {
        "log.initial.task.delay.ms": 0,
        "log.cleaner.backoff.ms": 50,
        "log.retention.check.interval.ms": 50,
        "log.flush.offset.checkpoint.interval.ms": 50,
    }
    async with LocalBroker(options, data_dir=str(data_dir)) as running:
        yield running


@pytest.fixture
async def client(broker):
    async with await client_of(broker) as opened:
        yield opened


async def _fill(client, topic: str) -> None:
    """Ten values of one key, each in a segment of its own."""
    for number in range(10):
        await client.produce(topic, batch(b"%d" % number, timestamp_ms=1_700_000_000_000 + number * 10))


async def _values(client, topic: str) -> list[bytes | None]:
    return [record.value for record in await client.read_all(topic)]


async def test_compaction_keeps_to_its_lags(broker, client, data_dir):
    compacted = {"cleanup_policy": "compact", "segment_ms": 1}
    await client.create_topic("eager", **compacted, min_cleanable_dirty_ratio=0)
    await client.create_topic("late", **compacted, min_cleanable_dirty_ratio=0, min_compaction_lag_ms=10**15)
    await client.create_topic("lazy", **compacted, min_cleanable_dirty_ratio=1)
    await client.create_topic("urgent", **compacted, min_cleanable_dirty_ratio=1, max_compaction_lag_ms=1)
    for topic in ("late", "lazy", "urgent", "eager"):
        await _fill(client, topic)
    logs = broker.server.services.log_manager

    def segments(topic: str) -> int:
        return len(logs.get(topic, 0).segments)

    # All that are closed become one; the active one is never cleaned, so the newest value before it stays.
    await eventually(lambda: segments("eager") == segments("urgent") == 2)
    assert await _values(client, "eager") == [b"8", b"9"]
    assert await _values(client, "urgent") == [b"8", b"9"]
    assert await _values(client, "late") == [b"%d" % number for number in range(10)]
    assert await _values(client, "lazy") == [b"%d" % number for number in range(10)]
    # The checkpoint follows the swap of the files, in a thread.
    checkpoint = data_dir / "cleaner-offset-checkpoint"

    def cleaned() -> set[str]:
        return {line.split()[0] for line in checkpoint.read_text().splitlines()[2:]}

    await eventually(lambda: checkpoint.exists() and cleaned() == {"eager", "urgent"})


async def test_a_topic_may_be_compacted_and_aged(broker, client):
    """With `compact,delete` only the newest value of a key stays, and not even that for longer than retention.ms."""
    both = {"cleanup_policy": "compact,delete", "segment_ms": 1, "min_cleanable_dirty_ratio": 0}
    await client.create_topic("kept", **both, retention_ms=-1)
    await client.create_topic("aged", **both, retention_ms=1000)
    for topic in ("kept", "aged"):
        await _fill(client, topic)
    logs = broker.server.services.log_manager
    await eventually(lambda: logs.get("aged", 0).log_start_offset == 10)
    await eventually(lambda: len(logs.get("kept", 0).segments) == 2)
    assert await _values(client, "kept") == [b"8", b"9"]
    assert logs.get("kept", 0).log_start_offset == 0


async def test_a_tombstone_goes_when_its_time_is_over(broker, client):
    options = {"cleanup_policy": "compact", "segment_ms": 1, "min_cleanable_dirty_ratio": 0}
    await client.create_topic("short", **options, delete_retention_ms=0)
    await client.create_topic("long", **options)
    start_ms = 1_700_000_000_000
    logs = broker.server.services.log_manager
    for topic in ("short", "long"):
        for number, (key, value) in enumerate(
            [(b"gone", b"x"), (b"gone", None), (b"here", b"y"), (b"z", b"z")]
        ):
            await client.produce(topic, batch(value, key=key, timestamp_ms=start_ms + number * 10))
        await eventually(lambda topic=topic: len(logs.get(topic, 0).segments) == 2)
    assert await _values(client, "long") == [None, b"y", b"z"]
    # The first cleaning sets the horizon, the next one that finds something to do takes the tombstone out.
    for number in range(10):
        await client.produce("short", batch(b"z", key=b"z", timestamp_ms=start_ms + 100 + number * 10))
    await eventually(lambda: len(logs.get("short", 0).segments) == 2)
    assert None not in await _values(client, "short")


async def test_records_are_synced_after_flush_ms(broker, client, data_dir):
    await client.create_topic("synced", flush_ms=20)
    await client.create_topic("cached")
    for topic in ("synced", "cached"):
        await client.produce(topic, batch(b"a", b"b"))
    logs = broker.server.services.log_manager
    await eventually(lambda: logs.get("synced", 0).recovery_point == 2)
    checkpoint = data_dir / "recovery-point-offset-checkpoint"
    await eventually(lambda: checkpoint.exists() and "synced 0 2" in checkpoint.read_text())
    assert logs.get("cached", 0).recovery_point == 0


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system cannot reserve room for a file")
async def test_preallocated_room_is_taken_and_given_back(broker, client, data_dir):
    await client.create_topic("roomy", preallocate="true", segment_bytes=2 * MEBIBYTE)
    await client.produce("roomy", batch(b"a"))
    segment = data_dir / "roomy-0" / "00000000000000000000.log"
    assert segment.stat().st_blocks * 512 >= 2 * MEBIBYTE
    assert await _values(client, "roomy") == [b"a"]
    await broker.stop()
    assert segment.stat().st_blocks * 512 < MEBIBYTE
    assert segment.stat().st_size < 200


async def test_a_level_of_compression_is_that_of_the_topic(broker, client, data_dir):
    words = b" ".join(b"%d" % (number * number) for number in range(20_000))
    sizes = {}
    for codec, low, high in (("gzip", 1, 9), ("zstd", 1, 19), ("lz4", 1, 17)):
        for level in (low, high):
            topic = f"{codec}-{level}"
            await client.create_topic(topic, compression_type=codec, **{f"compression_{codec}_level": level})
            await client.produce(topic, batch(words))
            sizes[topic] = (data_dir / f"{topic}-0" / "00000000000000000000.log").stat().st_size
    assert sizes["gzip-9"] < sizes["gzip-1"]
    assert sizes["zstd-19"] < sizes["zstd-1"]
    assert sizes["lz4-17"] < sizes["lz4-1"]
