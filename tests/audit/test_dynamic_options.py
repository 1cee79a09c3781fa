"""Options that Kafka can change at run time have their effect on the next request, without a restart."""

import asyncio
import time

import pytest
from tests.audit.asking import BROKER, CLUSTER_DEFAULT, TOPIC, client_of, eventually, set_configs
from tests.broker.raw_client import ConnectionClosedError, RawClient, batch, headers_of

from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.testing import LocalBroker

OWN = "1"


@pytest.fixture
async def broker():
    options = {
        "log.initial.task.delay.ms": 0,
        "log.retention.check.interval.ms": 50,
        "log.segment.delete.delay.ms": 0,
        "producer.id.expiration.check.interval.ms": 50,
    }
    async with LocalBroker(options) as running:
        yield running


@pytest.fixture
async def client(broker):
    async with await client_of(broker) as opened:
        await opened.create_topic("orders")
        yield opened


async def test_the_largest_batch(client):
    large = batch(b"x" * 2000)
    assert (await client.produce("orders", large)).error_code == ErrorCode.NONE
    await set_configs(client, BROKER, CLUSTER_DEFAULT, {"message.max.bytes": 1000})
    assert (await client.produce("orders", large)).error_code == ErrorCode.MESSAGE_TOO_LARGE
    await set_configs(client, BROKER, OWN, {"message.max.bytes": 3000})
    assert (await client.produce("orders", large)).error_code == ErrorCode.NONE, "the broker's own goes first"
    await set_configs(client, TOPIC, "orders", {"max.message.bytes": 1000})
    assert (await client.produce("orders", large)).error_code == ErrorCode.MESSAGE_TOO_LARGE, (
        "the topic's first"
    )


async def test_codec_and_kind_of_timestamps(client):
    await client.produce("orders", batch(b"a" * 500))
    await set_configs(client, BROKER, CLUSTER_DEFAULT, {"compression.type": "zstd"})
    await client.produce("orders", batch(b"b" * 500))
    await set_configs(client, BROKER, CLUSTER_DEFAULT, {"log.message.timestamp.type": "LogAppendTime"})
    await client.produce("orders", batch(b"c" * 500))
    headers = headers_of(await client.fetch("orders"))
    assert [header.compression for header in headers] == [
        Compression.NONE,
        Compression.ZSTD,
        Compression.ZSTD,
    ]
    assert [header.uses_log_append_time for header in headers] == [False, False, True]


async def test_bounds_of_timestamps(client):
    old = batch(b"old", timestamp_ms=1_000_000)
    assert (await client.produce("orders", old)).error_code == ErrorCode.NONE
    await set_configs(client, BROKER, CLUSTER_DEFAULT, {"log.message.timestamp.before.max.ms": 60_000})
    assert (await client.produce("orders", old)).error_code == ErrorCode.INVALID_TIMESTAMP


async def test_retention(broker, client):
    # Old enough to roll, and not yet for the default retention: a sweep may come between any two requests.
    an_hour_ago = int(time.time() * 1000) - 3_600_000
    await client.produce("orders", batch(b"old", timestamp_ms=an_hour_ago))
    await client.produce("orders", batch(b"x"))
    await set_configs(client, BROKER, CLUSTER_DEFAULT, {"log.roll.ms": 1})
    await client.produce("orders", batch(b"y"))
    partition_log = broker.server.services.log_manager.get("orders", 0)
    assert partition_log.log_start_offset == 0
    await set_configs(client, BROKER, CLUSTER_DEFAULT, {"log.retention.ms": 1})
    await eventually(lambda: partition_log.log_start_offset == 3)


async def test_idle_producers_are_forgotten(broker, client):
    await client.produce("orders", batch(b"a", producer_id=7, producer_epoch=0, base_sequence=0))
    producers = broker.server.services.log_manager.get("orders", 0).producers
    assert 7 in producers.entries
    await set_configs(client, BROKER, CLUSTER_DEFAULT, {"producer.id.expiration.ms": 1})
    await eventually(lambda: 7 not in producers.entries)


@pytest.mark.parametrize("option", ["max.connections.per.ip", "listener.name.plaintext.max.connections"])
async def test_limits_of_connections(broker, client, option):
    async with await client_of(broker) as second:
        await second.ask(ApiVersionsRequest(), 0)
        await set_configs(client, BROKER, CLUSTER_DEFAULT, {option: 2})
        async with await client_of(broker) as third:
            await third.wait_until_closed()
        await second.ask(ApiVersionsRequest(), 0)
    await asyncio.wait_for(_admitted(broker), 10)


async def test_listeners_open_and_close_while_the_broker_runs(broker, client):
    protocols = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,MORE:PLAINTEXT"
    base = "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0"
    wanted = {"listener.security.protocol.map": protocols, "listeners": f"{base},MORE://127.0.0.1:0"}
    await set_configs(client, BROKER, OWN, wanted)

    def more() -> list[int]:
        return [endpoint.port for endpoint in broker.server.listeners.bound if endpoint.name == "MORE"]

    await eventually(lambda: len(more()) == 1)
    port = more()[0]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await set_configs(client, BROKER, OWN, {"listeners": base})
    await eventually(lambda: not more())
    assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()
    with pytest.raises(ConnectionError):
        await asyncio.open_connection("127.0.0.1", port)
    await client.ask(ApiVersionsRequest(), 0)


async def _admitted(broker: LocalBroker) -> None:
    """Until somebody is let in: the place of one who left is free a moment later."""
    while True:
        async with await RawClient.open((broker.host, broker.port)) as another:
            try:
                await another.ask(ApiVersionsRequest(), 0)
            except ConnectionClosedError:
                continue
            return
