"""What no client should send: each gets Kafka's error code or a closed connection, and nobody else notices.

Every test ends with a look at a bystander, whose connection was open before and who still reads all that it wrote.
"""

import asyncio
import struct
import time

import pytest
from google_crc32c import value as crc32c
from tests.broker.process_facts import open_descriptors, resident_bytes
from tests.broker.raw_client import (
    ConnectionClosedError,
    RawClient,
    batch,
    framed,
    headers_of,
)

from snakka.protocol.api_keys import API_FACTS, ApiKey
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from snakka.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from snakka.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

HOUR_MS = 3_600_000
# What a broker may grow by while it is mistreated; it holds what it has received, and the allocator keeps some.
MOST_GROWTH_BYTES = 40 << 20


class Bystander:
    """Writes before and after, and reads it all back over the connection that it has had all the time."""

    def __init__(self, client: RawClient, topic: str) -> None:
        self._client = client
        self._topic = topic
        self._written: list[bytes] = []

    async def write(self) -> None:
        value = b"accepted %d" % len(self._written)
        row = await self._client.produce(self._topic, batch(value))
        assert row.error_code == ErrorCode.NONE
        self._written.append(value)

    async def check(self) -> None:
        await self.write()
        assert [record.value for record in await self._client.read_all(self._topic)] == self._written


@pytest.fixture(autouse=True)
async def bystander(address, topic):
    async with await RawClient.open(address) as client:
        await client.create_topic(topic + "-bystander")
        someone = Bystander(client, topic + "-bystander")
        await someone.write()
        yield someone
        await someone.check()


# -- batches ------------------------------------------------------------------------------------------------------


def patched(form: str, position: int, value: int, *, with_checksum: bool = True) -> bytes:
    """A batch of two records with one field overwritten."""
    data = bytearray(batch(b"first", b"second"))
    struct.pack_into(form, data, position, value)
    if with_checksum:
        struct.pack_into(">I", data, 17, crc32c(bytes(data[21:])))
    return bytes(data)


BATCHES: dict[str, tuple[bytes | None, ErrorCode]] = {
    "wrong checksum": (patched(">I", 17, 1, with_checksum=False), ErrorCode.CORRUPT_MESSAGE),
    "last byte is missing": (batch(b"x")[:-1], ErrorCode.INVALID_RECORD),
    "half a header": (batch(b"x")[:30], ErrorCode.INVALID_RECORD),
    "five bytes": (bytes(5), ErrorCode.INVALID_RECORD),
    "nothing": (b"", ErrorCode.INVALID_RECORD),
    "null": (None, ErrorCode.INVALID_RECORD),
    "format 0": (patched(">b", 16, 0, with_checksum=False), ErrorCode.INVALID_RECORD),
    "format 1": (patched(">b", 16, 1, with_checksum=False), ErrorCode.INVALID_RECORD),
    "format 3": (patched(">b", 16, 3, with_checksum=False), ErrorCode.CORRUPT_MESSAGE),
    "format -1": (patched(">b", 16, -1, with_checksum=False), ErrorCode.CORRUPT_MESSAGE),
    "two batches": (batch(b"x") + batch(b"y"), ErrorCode.INVALID_RECORD),
    "zeros behind the batch": (batch(b"x") + bytes(80), ErrorCode.CORRUPT_MESSAGE),
    "length 0": (patched(">i", 8, 0, with_checksum=False), ErrorCode.CORRUPT_MESSAGE),
    "negative length": (patched(">i", 8, -5, with_checksum=False), ErrorCode.CORRUPT_MESSAGE),
    "length of less than a header": (patched(">i", 8, 48, with_checksum=False), ErrorCode.CORRUPT_MESSAGE),
    "length of two gigabytes": (patched(">i", 8, 2**31 - 1, with_checksum=False), ErrorCode.INVALID_RECORD),
    "an offset of its own": (patched(">q", 0, 5, with_checksum=False), ErrorCode.INVALID_RECORD),
    "no records": (patched(">i", 57, 0), ErrorCode.INVALID_RECORD),
    "fewer than no records": (patched(">i", 57, -1), ErrorCode.INVALID_RECORD),
    "more records than offsets": (patched(">i", 57, 3), ErrorCode.INVALID_RECORD),
    "more offsets than records": (patched(">i", 23, 5), ErrorCode.INVALID_RECORD),
    "a control batch": (batch(b"x", is_control=True), ErrorCode.INVALID_RECORD),
    "a codec that nobody knows": (patched(">h", 21, 5), ErrorCode.INVALID_RECORD),
    "a producer without sequence": (batch(b"x", producer_id=7, producer_epoch=0), ErrorCode.INVALID_RECORD),
}


@pytest.mark.parametrize("name", BATCHES)
async def test_a_bad_batch_is_refused_and_leaves_nothing(client, topic, name) -> None:
    bad, error = BATCHES[name]
    await client.create_topic(topic)
    row = await client.produce(topic, bad)
    assert (ErrorCode(row.error_code), row.base_offset) == (error, -1)
    assert (await client.produce(topic, batch(b"good"))).base_offset == 0
    assert (await client.fetch(topic)).high_watermark == 1


@pytest.mark.parametrize("missing", range(1, 10))
async def test_a_part_of_a_second_batch_is_ignored_as_in_kafka(client, topic, missing) -> None:
    await client.create_topic(topic)
    row = await client.produce(topic, batch(b"whole") + batch(b"cut")[:-missing])
    assert (row.error_code, row.base_offset) == (ErrorCode.NONE, 0)
    assert [record.value for record in await client.read_all(topic)] == [b"whole"]


@pytest.mark.parametrize("acks", [2, -2, 100])
async def test_acknowledgements_that_nobody_can_give(client, topic, acks) -> None:
    await client.create_topic(topic)
    refused = await client.produce(topic, batch(b"x"), acks=acks)
    assert refused.error_code == ErrorCode.INVALID_REQUIRED_ACKS
    worse = await client.produce(topic, batch(b"x") + batch(b"y"), acks=acks)
    assert worse.error_code == ErrorCode.INVALID_RECORD
    nowhere = await client.produce(topic, batch(b"x"), acks=acks, partition=4)
    assert nowhere.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert await client.read_all(topic) == []


async def test_zstd_is_for_clients_that_know_it(client, topic) -> None:
    await client.create_topic(topic)
    compressed = batch(b"x", compression=Compression.ZSTD)
    old = await client.produce(topic, compressed, 6)
    assert old.error_code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert (await client.produce(topic, compressed, 7)).error_code == ErrorCode.NONE


async def test_a_batch_larger_than_the_topic_allows(client, topic) -> None:
    await client.create_topic(topic, max_message_bytes=1000)
    assert (await client.produce(topic, batch(b"x" * 2000))).error_code == ErrorCode.MESSAGE_TOO_LARGE
    small = batch(b"x" * 20_000, compression=Compression.GZIP)
    assert (await client.produce(topic, small)).error_code == ErrorCode.NONE
    grown = topic + "-plain"
    await client.create_topic(grown, max_message_bytes=1000, compression_type="uncompressed")
    assert (await client.produce(grown, small)).error_code == ErrorCode.MESSAGE_TOO_LARGE
    assert await client.read_all(grown) == []


async def test_a_batch_larger_than_a_segment(client, topic) -> None:
    await client.create_topic(topic, segment_bytes=1 << 20, max_message_bytes=5 << 20)
    row = await client.produce(topic, batch(b"x" * 1_100_000))
    assert row.error_code == ErrorCode.RECORD_LIST_TOO_LARGE


@pytest.mark.parametrize(
    ("age_ms", "configs", "error"),
    [
        (-3 * HOUR_MS, {}, ErrorCode.INVALID_TIMESTAMP),
        (-HOUR_MS // 2, {}, ErrorCode.NONE),
        (-3 * HOUR_MS, {"message_timestamp_after_max_ms": 4 * HOUR_MS}, ErrorCode.NONE),
        (2 * HOUR_MS, {"message_timestamp_before_max_ms": HOUR_MS}, ErrorCode.INVALID_TIMESTAMP),
        (2 * HOUR_MS, {}, ErrorCode.NONE),
        (-3 * HOUR_MS, {"message_timestamp_type": "LogAppendTime"}, ErrorCode.NONE),
    ],
)
async def test_timestamps_out_of_range(client, topic, age_ms, configs, error) -> None:
    await client.create_topic(topic, **configs)
    row = await client.produce(topic, batch(b"x", timestamp_ms=int(time.time() * 1000) - age_ms))
    assert ErrorCode(row.error_code) == error


@pytest.mark.parametrize("policy", ["compact", "compact,delete"])
@pytest.mark.parametrize("codec", [Compression.NONE, Compression.LZ4], ids=lambda codec: codec.name)
async def test_a_compacted_topic_wants_keys(client, topic, policy, codec) -> None:
    await client.create_topic(topic, cleanup_policy=policy)
    row = await client.produce(topic, batch(b"x", b"y", key=None, compression=codec))
    assert ErrorCode(row.error_code) == ErrorCode.INVALID_RECORD
    assert [error.batch_index for error in row.record_errors] == [0, 1]
    assert (await client.produce(topic, batch(b"x", compression=codec))).error_code == ErrorCode.NONE


@pytest.mark.parametrize("configs", [{"cleanup_policy": "compact"}, {"compression_type": "zstd"}])
async def test_records_that_cannot_be_read_where_they_must_be(client, topic, configs) -> None:
    await client.create_topic(topic, **configs)
    good = batch(b"first", b"second")
    for data in (good[:61] + b"\xff" * (len(good) - 61), patched(">h", 21, Compression.GZIP)):
        garbage = bytearray(data)
        struct.pack_into(">I", garbage, 17, crc32c(bytes(garbage[21:])))
        row = await client.produce(topic, bytes(garbage))
        assert ErrorCode(row.error_code) == ErrorCode.INVALID_RECORD
    assert (await client.produce(topic, good)).base_offset == 0


async def test_a_small_batch_that_would_unpack_to_gigabytes(client, topic, broker_process) -> None:
    await client.create_topic(topic, compression_type="lz4")
    bomb = batch(b"\0" * (300 << 20), compression=Compression.ZSTD)
    assert len(bomb) < 1 << 20
    before = resident_bytes(broker_process.process.pid)
    row = await client.produce(topic, bomb)
    assert ErrorCode(row.error_code) in (ErrorCode.INVALID_RECORD, ErrorCode.MESSAGE_TOO_LARGE)
    assert resident_bytes(broker_process.process.pid) - before < MOST_GROWTH_BYTES


# -- topics -------------------------------------------------------------------------------------------------------


async def test_topics_and_partitions_that_are_not_there(client, topic) -> None:
    await client.create_topic(topic)
    client.topic_ids["unknown"] = b"\7" * 16
    for version in (3, 12):
        row = await client.produce("unknown", batch(b"x"), version)
        assert row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert (await client.fetch("unknown", 0, max(version, 4))).error_code == (
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        )
    for unknown_id in ("unknown", "without-id"):
        assert (await client.produce(unknown_id, batch(b"x"), 13)).error_code == ErrorCode.UNKNOWN_TOPIC_ID
        assert (await client.fetch(unknown_id, 0, 13)).error_code == ErrorCode.UNKNOWN_TOPIC_ID
    for index in (1, -1, 2**31 - 1):
        row = await client.produce(topic, batch(b"x"), partition=index)
        assert row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("offset", [2, 99, -1, -2, 2**62, -(2**62)])
async def test_offsets_out_of_range(client, topic, offset) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"x"))
    row = await client.fetch(topic, offset, max_wait_ms=5_000)
    assert row.error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert (row.high_watermark, row.last_stable_offset, row.log_start_offset) == (-1, -1, -1)


@pytest.mark.parametrize("name", ["", ".", "..", "a b", "ä", "x" * 250, "a/b", "../../up", "a\0b"])
async def test_names_that_no_topic_can_have(client, name) -> None:
    created = await client.ask(
        CreateTopicsRequest(topics=[CreatableTopic(name=name, num_partitions=1, replication_factor=1)])
    )
    assert created.topics[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    for automatic in (False, True):
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=automatic
        )
        (row,) = (await client.ask(request)).topics
        assert row.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert (await client.produce(name, batch(b"x"), 12)).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("segment.bytes", "13"),
        ("segment.bytes", "many"),
        ("cleanup.policy", "keep"),
        ("compression.type", "rar"),
        ("min.cleanable.dirty.ratio", "1.5"),
        ("no.such.config", "1"),
        ("retention.ms", None),
    ],
)
async def test_configs_that_no_topic_can_have(client, topic, name, value) -> None:
    row = CreatableTopic(
        name=topic,
        num_partitions=1,
        replication_factor=1,
        configs=[CreatableTopicConfig(name=name, value=value)],
    )
    created = (await client.ask(CreateTopicsRequest(topics=[row]))).topics[0]
    assert ErrorCode(created.error_code) == ErrorCode.INVALID_CONFIG
    unknown = await client.produce(topic, batch(b"x"), 12)
    assert unknown.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


# -- frames -------------------------------------------------------------------------------------------------------


def with_header(key: int, version: int, size: int | None = None) -> bytes:
    """An ApiVersions request that says it is something else."""
    data = bytearray(framed(ApiVersionsRequest(), 0, 77))
    struct.pack_into(">hh", data, 4, key, version)
    if size is not None:
        struct.pack_into(">i", data, 0, size)
    return bytes(data)


def first_missing_version(key: int) -> int:
    return API_FACTS[key].max_version + 1


CLOSING: dict[str, bytes] = {
    "an API that nobody knows": with_header(999, 0),
    "a negative API": with_header(-1, 0),
    "an API of controllers": with_header(ApiKey.VOTE, 0),
    "a version from the future": with_header(ApiKey.METADATA, first_missing_version(ApiKey.METADATA)),
    "a version of the past": with_header(ApiKey.FETCH, 3),
    "a version that is only advertised": with_header(ApiKey.PRODUCE, 2),
    "a negative version": with_header(ApiKey.METADATA, -1),
    "a negative size": with_header(18, 0, -1),
    "a size of zero": with_header(18, 0, 0),
    "a size of two gigabytes": with_header(18, 0, 2**31 - 1),
    "a size over the limit": with_header(18, 0, (100 << 20) + 1),
    "a frame without a header": struct.pack(">i", 3) + b"abc",
    "a body that ends too early": struct.pack(">ihhih", 10, ApiKey.METADATA, 12, 5, -1),
    "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": bytes.fromhex("16030100c8010000c40303") + bytes(200),
    "SSH": b"SSH-2.0-OpenSSH_9.6\r\n" + bytes(64),
    "noise": bytes(range(255, 0, -1)) * 10,
}


@pytest.mark.parametrize("name", CLOSING)
async def test_what_is_no_request_closes_the_connection(client, name) -> None:
    client.send_bytes(CLOSING[name])
    await client.wait_until_closed()


async def test_an_unknown_version_of_api_versions_is_told_the_known_ones(client) -> None:
    for version in (first_missing_version(ApiKey.API_VERSIONS), 99, -1):
        newest = bytearray(framed(ApiVersionsRequest(), 4, 77))
        struct.pack_into(">h", newest, 6, version)
        client.send_bytes(bytes(newest))
        answer = await client.receive_frame()
        assert answer[:4] == struct.pack(">i", 77)
        told = ApiVersionsResponse.decode(answer, 0, 4)
        assert told.error_code == ErrorCode.UNSUPPORTED_VERSION
        (row,) = told.api_keys
        assert (row.api_key, row.min_version, row.max_version) == (ApiKey.API_VERSIONS, 0, 4)
    assert (await client.ask(ApiVersionsRequest(), 0)).error_code == ErrorCode.NONE


async def test_a_request_that_comes_byte_by_byte(client) -> None:
    for byte in framed(ApiVersionsRequest(), 0, 5):
        client.send_bytes(bytes([byte]))
        await client.drain()
        await asyncio.sleep(0)
    assert (await client.receive_frame())[:4] == struct.pack(">i", 5)


async def test_answers_to_what_came_before_garbage_still_arrive(client, topic) -> None:
    await client.create_topic(topic)
    produce = client.produce_request(topic, batch(b"x"))
    correlation_id = client.send(produce)
    client.send_bytes(CLOSING["noise"])
    response = await client.receive(produce, correlation_id=correlation_id)
    assert response.responses[0].partition_responses[0].base_offset == 0
    await client.wait_until_closed()


async def test_a_frame_that_never_ends_holds_no_memory(address, broker_process) -> None:
    """A hundred clients announce a large request each, and send little of it."""
    before = resident_bytes(broker_process.process.pid)
    clients = [await RawClient.open(address) for _ in range(100)]
    for client in clients:
        client.send_bytes(struct.pack(">i", 90 << 20) + bytes(1000))
    async with await RawClient.open(address) as other:
        await other.ask(ApiVersionsRequest(), 0)
    assert resident_bytes(broker_process.process.pid) - before < MOST_GROWTH_BYTES
    for client in clients:
        client.close()


async def test_a_client_that_never_reads_its_answers_costs_little(
    address, client, topic, broker_process
) -> None:
    await client.create_topic(topic)
    await client.produce(topic, batch(b"x" * 900_000))
    before = resident_bytes(broker_process.process.pid)
    async with await RawClient.open(address) as greedy:
        request = framed(client.fetch_request([(topic, 0, 0)]))
        greedy.send_bytes(request * 2_000)
        # The broker stops reading from it; it goes on for all others.
        for _ in range(20):
            row = await client.fetch(topic)
            assert len(headers_of(row)) == 1
        assert resident_bytes(broker_process.process.pid) - before < MOST_GROWTH_BYTES
        # What the client was owed it gets, in order, when it reads at last.
        for _ in range(50):
            assert len(await greedy.receive_frame()) > 900_000


async def test_a_question_repeated_in_one_request_is_answered_once(client, topic, broker_process) -> None:
    """Else a small request has an answer without bound."""
    await client.create_topic(topic, 200)
    before = resident_bytes(broker_process.process.pid)
    asked = [MetadataRequestTopic(name=topic)] * 50_000
    response = await client.ask(MetadataRequest(topics=asked, allow_auto_topic_creation=False))
    assert len(response.topics) == 1
    assert resident_bytes(broker_process.process.pid) - before < MOST_GROWTH_BYTES


async def test_clients_that_come_and_go_leave_nothing(address, client, topic, broker_process) -> None:
    await client.create_topic(topic)
    wait = framed(client.fetch_request([(topic, 0, 0)], max_wait_ms=60_000))
    open_before = open_descriptors(broker_process.process.pid)
    for _ in range(10):
        clients = [await RawClient.open(address) for _ in range(20)]
        for other in clients:
            other.send_bytes(wait * 3)
            await other.drain()
        for other in clients:
            other.close()
    async with asyncio.timeout(10):
        while open_descriptors(broker_process.process.pid) > open_before + 2:
            await client.ask(ApiVersionsRequest(), 0)
    assert (await client.produce(topic, batch(b"x"))).error_code == ErrorCode.NONE


async def test_a_closed_connection_says_nothing_more(client) -> None:
    client.send_bytes(CLOSING["an API that nobody knows"])
    with pytest.raises(ConnectionClosedError):
        await client.receive_frame()
