"""Produce over the wire: every version, every kind of acknowledgement, and what the log makes of the batches."""

import time

import pytest
from tests.broker.raw_client import RawClient, all_versions, batch, headers_of, values_of

from snakka.protocol.api_keys import ApiKey
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.fetch import FetchRequest
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest
from snakka.protocol.messages.produce import TopicProduceData as TopicData

CODECS = list(Compression)


def test_these_tests_know_all_versions() -> None:
    assert (min(all_versions(ProduceRequest)), max(all_versions(ProduceRequest))) == (3, 13)


@pytest.mark.parametrize("version", all_versions(ProduceRequest))
async def test_every_version_and_acknowledgement_appends(client, topic, version) -> None:
    topic_id = await client.create_topic(topic)
    for number, acks in enumerate((1, -1)):
        response = await client.ask(client.produce_request(topic, batch(b"a", b"b"), acks=acks), version)
        (of_topic,) = response.responses
        assert of_topic.name == (topic if version < 13 else "")
        assert of_topic.topic_id == (topic_id if version >= 13 else bytes(16))
        (row,) = of_topic.partition_responses
        assert (row.index, row.error_code, row.base_offset) == (0, ErrorCode.NONE, 2 * number)
        assert row.log_append_time_ms == -1
        assert row.log_start_offset == (0 if version >= 5 else -1)
        assert row.record_errors == []
        assert row.error_message is None
    client.send(client.produce_request(topic, batch(b"c"), acks=0), version)
    # There is no answer to it: the next one is the next request's, and the connection keeps the order.
    assert [record.value for record in await client.read_all(topic)] == [b"a", b"b", b"a", b"b", b"c"]


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
async def test_a_batch_is_kept_as_it_came(client, topic, codec) -> None:
    await client.create_topic(topic)
    sent = batch(*(b"value %d" % number for number in range(50)), compression=codec)
    assert (await client.produce(topic, sent)).error_code == ErrorCode.NONE
    row = await client.fetch(topic)
    (header,) = headers_of(row)
    # Only the offset and the leader epoch were stamped, and the epoch is not part of the checksum.
    assert bytes(row.records)[16:] == sent[16:]
    assert (header.base_offset, header.leader_epoch, header.compression) == (0, 0, codec)


async def test_topics_and_partitions_of_one_request_succeed_and_fail_on_their_own(client, topic) -> None:
    await client.create_topic(topic, 3)
    other = topic + "-other"
    await client.create_topic(other)
    request = client.produce_request(topic, batch(b"first"))
    rows = request.topic_data[0].partition_data
    rows.append(PartitionProduceData(index=2, records=batch(b"third")))
    rows.append(PartitionProduceData(index=7, records=batch(b"nowhere")))
    rows.append(PartitionProduceData(index=1, records=batch(b"cut")[:-1]))
    request.topic_data.append(
        TopicData(name=other, partition_data=[PartitionProduceData(index=0, records=batch(b"other"))])
    )
    request.topic_data.append(
        TopicData(name="nobody-knows", partition_data=[PartitionProduceData(index=0, records=batch(b"x"))])
    )
    response = await client.ask(request, 12)
    found = {
        (of_topic.name, row.index): ErrorCode(row.error_code)
        for of_topic in response.responses
        for row in of_topic.partition_responses
    }
    assert found == {
        (topic, 0): ErrorCode.NONE,
        (topic, 2): ErrorCode.NONE,
        (topic, 7): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        (topic, 1): ErrorCode.INVALID_RECORD,
        (other, 0): ErrorCode.NONE,
        ("nobody-knows", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert [record.value for record in await client.read_all(topic, 2)] == [b"third"]
    assert [record.value for record in await client.read_all(other)] == [b"other"]


async def test_many_requests_ahead_are_answered_in_order(client, topic) -> None:
    await client.create_topic(topic)
    request = client.produce_request(topic, batch(b"x"))
    fetch = client.fetch_request([(topic, 0, 0)])
    sent: list[tuple[ProduceRequest | FetchRequest, int]] = []
    for number in range(200):
        message = fetch if number % 5 == 0 else request
        sent.append((message, client.send(message)))
    offsets = []
    for message, correlation_id in sent:
        response = await client.receive(message, correlation_id=correlation_id)
        if message.API_KEY == ApiKey.PRODUCE:
            offsets.append(response.responses[0].partition_responses[0].base_offset)
    assert offsets == list(range(160))


async def test_log_append_time_is_the_brokers_clock(client, topic) -> None:
    await client.create_topic(topic, message_timestamp_type="LogAppendTime")
    before = int(time.time() * 1000)
    row = await client.produce(topic, batch(b"old", timestamp_ms=1))
    after = int(time.time() * 1000)
    assert before <= row.log_append_time_ms <= after
    found = await client.fetch(topic)
    (header,) = headers_of(found)
    assert header.uses_log_append_time
    assert header.max_timestamp == row.log_append_time_ms
    assert (await client.list_offset(topic, before)).offset == 0


@pytest.mark.parametrize("wanted", ["uncompressed", "gzip", "snappy", "lz4", "zstd"])
@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
async def test_the_topics_codec_is_what_batches_are_kept_in(client, topic, wanted, codec) -> None:
    await client.create_topic(topic, compression_type=wanted)
    values = [b"value %d" % number for number in range(20)]
    assert (await client.produce(topic, batch(*values, compression=codec))).error_code == ErrorCode.NONE
    row = await client.fetch(topic)
    (header,) = headers_of(row)
    kept = Compression.NONE if wanted == "uncompressed" else Compression[wanted.upper()]
    assert header.compression == kept
    assert (header.last_offset, header.count) == (19, 20)
    assert values_of(row) == values


def sequenced(sequence: int, *, producer_id: int = 7001, epoch: int = 0, count: int = 2) -> bytes:
    values = [b"%d" % (sequence + number) for number in range(count)]
    return batch(*values, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence)


async def test_the_last_five_batches_of_a_producer_are_known_again(client, topic) -> None:
    await client.create_topic(topic)
    for sequence in range(0, 12, 2):
        row = await client.produce(topic, sequenced(sequence))
        assert (row.error_code, row.base_offset) == (ErrorCode.NONE, sequence)
    for sequence in (10, 8, 6, 4, 2):
        again = await client.produce(topic, sequenced(sequence))
        assert (again.error_code, again.base_offset) == (ErrorCode.NONE, sequence)
        # Kafka tells the time of the batch that it repeats.
        assert again.log_append_time_ms > 0
    forgotten = await client.produce(topic, sequenced(0))
    assert forgotten.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert len(await client.read_all(topic)) == 12


@pytest.mark.parametrize(
    ("refused", "error"),
    [
        (sequenced(14, epoch=7), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (sequenced(2, epoch=7, count=1), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (sequenced(2, epoch=7, count=3), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (sequenced(5, epoch=8), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (sequenced(4, epoch=6), ErrorCode.INVALID_PRODUCER_EPOCH),
    ],
    ids=["gap", "part of a duplicate", "more than a duplicate", "new epoch in the middle", "old epoch"],
)
async def test_a_sequence_that_does_not_follow_is_refused(client, topic, refused, error) -> None:
    await client.create_topic(topic)
    for sequence in (0, 2):
        await client.produce(topic, sequenced(sequence, epoch=7))
    row = await client.produce(topic, refused)
    assert (ErrorCode(row.error_code), row.base_offset, row.log_start_offset) == (error, -1, 0)
    following = await client.produce(topic, sequenced(4, epoch=7))
    assert (following.error_code, following.base_offset) == (ErrorCode.NONE, 4)
    restarted = await client.produce(topic, sequenced(0, epoch=8))
    assert (restarted.error_code, restarted.base_offset) == (ErrorCode.NONE, 6)


async def test_sequences_wrap_after_the_largest(client, topic) -> None:
    await client.create_topic(topic)
    largest = 2**31 - 1
    offsets = [
        (await client.produce(topic, sequenced(sequence, producer_id=7002))).base_offset
        for sequence in (largest, 1, largest)
    ]
    assert offsets == [0, 2, 0]


async def test_a_producer_id_from_the_broker_begins_at_zero(client, topic) -> None:
    await client.create_topic(topic)
    given = await client.ask(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1000))
    assert (given.error_code, given.producer_epoch) == (ErrorCode.NONE, 0)
    first = sequenced(0, producer_id=given.producer_id)
    assert [(await client.produce(topic, first)).base_offset for _ in range(2)] == [0, 0]


async def test_a_produce_that_fails_without_acknowledgement_closes_the_connection(
    address, client, topic
) -> None:
    await client.create_topic(topic)
    async with await RawClient.open(address) as other:
        other.send(other.produce_request(topic, batch(b"x"), acks=0, partition=9), 12)
        await other.wait_until_closed()
    assert await client.read_all(topic) == []


async def test_only_kafkas_tools_may_write_to_internal_topics(client) -> None:
    await client.create_topic("__share_group_state")
    row = await client.produce("__share_group_state", batch(b"x"))
    assert row.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert await client.read_all("__share_group_state") == []


async def test_nobody_begins_a_transaction_without_a_name(client, topic) -> None:
    await client.create_topic(topic)
    begun = batch(b"x", is_transactional=True, producer_id=9, producer_epoch=0, base_sequence=0)
    row = await client.produce(topic, begun, transactional_id=None)
    assert ErrorCode(row.error_code) == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    await client.produce(topic, batch(b"plain"))
    assert values_of(await client.fetch(topic, isolation_level=1)) == [b"plain"]
