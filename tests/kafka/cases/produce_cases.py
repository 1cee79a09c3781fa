"""Produce: what is taken, what is refused, and with which code."""

import time
from collections.abc import Sequence

from tests.kafka.referee import Broker, Topic, case

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from snakka.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from snakka.protocol.messages.metadata import MetadataRequest
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from snakka.protocol.record_batch import HEADER, read_header, stamp_crc

ALL_REPLICAS = -1
# The same for both brokers, and recent enough for either.
NOW_MS = int(time.time() * 1000)
UNKNOWN_TOPIC = Topic("no-such-topic", b"unknown-topic-id")


def records(*values: bytes | None, key: bytes | None = b"key", timestamp: int = NOW_MS) -> list[Record]:
    """One record a value, a millisecond apart."""
    return [Record(-1, timestamp + index, key, value) for index, value in enumerate(values)]


def batch(
    *values: bytes | None, key: bytes | None = b"key", timestamp: int = NOW_MS, **header: object
) -> bytes:
    """A batch of these values; `header` goes to `build_batch`."""
    return bytes(build_batch(records(*values, key=key, timestamp=timestamp), **header))  # type: ignore[arg-type]


def forged(data: bytes, **fields: int) -> bytes:
    """A batch whose header says something else, with a right checksum."""
    header = read_header(data)._replace(**fields)
    out = bytearray(data)
    HEADER.pack_into(out, 0, *header)
    stamp_crc(out, 0)
    return bytes(out)


def produce_request(
    rows: Sequence[tuple[Topic, int, bytes | None]],
    acks: int = ALL_REPLICAS,
    transactional_id: str | None = None,
) -> ProduceRequest:
    return ProduceRequest(
        acks=acks,
        timeout_ms=10_000,
        transactional_id=transactional_id,
        topic_data=[
            TopicProduceData(
                name=topic.name,
                topic_id=topic.id,
                partition_data=[PartitionProduceData(index=partition, records=data)],
            )
            for topic, partition, data in rows
        ],
    )


def produce(
    broker: Broker,
    version: int,
    topic: Topic,
    data: bytes | None,
    partition: int = 0,
    acks: int = ALL_REPLICAS,
) -> None:
    broker.ask(produce_request([(topic, partition, data)], acks), version)


def fill(broker: Broker, topic: Topic, *batches: bytes, partition: int = 0) -> None:
    """For cases that are about something else."""
    for data in batches:
        produce(broker, 12, topic, data, partition)


def read_back(broker: Broker, topic: Topic, partition: int = 0) -> None:
    """Compares all that is in the partition."""
    row = FetchPartition(partition=partition, fetch_offset=0, partition_max_bytes=1 << 20)
    broker.ask(FetchRequest(topics=[FetchTopic(topic=topic.name, partitions=[row])], max_wait_ms=0), 12)


@case(ProduceRequest)
def batches_one_after_another(broker: Broker, version: int) -> None:
    topic = broker.topic(partitions=2)
    produce(broker, version, topic, batch(b"a", b"b", b"c"))
    produce(broker, version, topic, batch(b"d"), acks=1)
    produce(broker, version, topic, batch(b"e", key=None), partition=1)
    read_back(broker, topic)


@case(ProduceRequest)
def without_an_answer(broker: Broker, version: int) -> None:
    topic = broker.topic()
    broker.send(produce_request([(topic, 0, batch(b"a"))], acks=0), version)
    broker.ask(MetadataRequest(topics=[]))
    read_back(broker, topic)
    broker.send(produce_request([(topic, 9, batch(b"a"))], acks=0), version)
    broker.ask(MetadataRequest(topics=[]))


@case(ProduceRequest)
def acknowledgements_that_are_none(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for acks in (2, -2, 32767):
        produce(broker, version, topic, batch(b"a"), acks=acks)
        broker.ask(produce_request([(topic, 0, batch(b"a")), (UNKNOWN_TOPIC, 5, None)], acks=acks), version)


@case(ProduceRequest)
def partitions_that_are_not_there(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for partition in (1, -1, 2**31 - 1):
        produce(broker, version, topic, batch(b"a"), partition=partition)
    produce(broker, version, UNKNOWN_TOPIC, batch(b"a"))
    produce(broker, version, Topic("a b", bytes(16)), batch(b"a"))
    produce(broker, version, Topic("", bytes(16)), batch(b"a"))


@case(ProduceRequest)
def several_partitions_and_errors_at_once(broker: Broker, version: int) -> None:
    one, two, three = broker.topic("one", 2), broker.topic("two"), broker.topic("three")
    rows = [
        (one, 1, batch(b"a")),
        (two, 0, b"nonsense"),
        (UNKNOWN_TOPIC, 0, batch(b"b")),
        (three, 3, batch(b"c")),
    ]
    broker.ask(produce_request(rows), version)
    read_back(broker, one, 1)


@case(ProduceRequest)
def a_partition_twice(broker: Broker, version: int) -> None:
    topic = broker.topic()
    request = produce_request([(topic, 0, batch(b"c"))])
    request.topic_data[0].partition_data.append(PartitionProduceData(index=0, records=batch(b"d")))
    broker.ask(request, version)
    read_back(broker, topic)


@case(ProduceRequest)
def nothing_to_write(broker: Broker, version: int) -> None:
    broker.ask(ProduceRequest(acks=-1, timeout_ms=1000), version)
    topic = broker.topic()
    empty = produce_request([(topic, 0, b"")])
    empty.topic_data[0].partition_data = []
    broker.ask(empty, version)
    produce(broker, version, topic, b"")


@case(ProduceRequest)
def bytes_that_are_no_batch(broker: Broker, version: int) -> None:
    topic = broker.topic()
    whole = batch(b"a", b"b")
    for data in (
        b"x",
        bytes(11),
        bytes(12),
        bytes(17),
        bytes(60),
        bytes(61),
        bytes(100),
        whole[:60],
        whole[:-1],
        whole + b"x",
        whole + whole[:20],
        whole + bytes(61),
        whole + whole,
    ):
        produce(broker, version, topic, data)
    read_back(broker, topic)


@case(ProduceRequest)
def batches_of_older_formats(broker: Broker, version: int) -> None:
    topic = broker.topic()
    whole = batch(b"a")
    for magic in (0, 1, 3, -1, 127):
        out = bytearray(whole)
        out[16] = magic & 0xFF
        produce(broker, version, topic, bytes(out))


@case(ProduceRequest)
def headers_that_lie(broker: Broker, version: int) -> None:
    topic = broker.topic()
    whole = batch(b"a", b"b")
    produce(broker, version, topic, whole[:-1] + b"\xff")
    out = bytearray(whole)
    out[17] ^= 1
    produce(broker, version, topic, bytes(out))
    for fields in (
        {"count": 1},
        {"count": 3},
        {"count": 0},
        {"count": -1},
        {"last_offset_delta": 0},
        {"last_offset_delta": 5},
        {"last_offset_delta": -1},
        {"base_offset": 77},
        {"base_offset": -1},
        {"leader_epoch": 9},
    ):
        produce(broker, version, topic, forged(whole, **fields))
    read_back(broker, topic)


@case(ProduceRequest)
def attributes_that_no_client_may_set(broker: Broker, version: int) -> None:
    topic = broker.topic()
    whole = batch(b"a", b"b")
    for attributes in (64, 128, 256, -1):
        produce(broker, version, topic, forged(whole, attributes=attributes))
    produce(broker, version, topic, batch(b"a", is_control=True))
    produce(
        broker, version, topic, batch(b"a", producer_id=1, producer_epoch=0, base_sequence=0, is_control=True)
    )
    read_back(broker, topic)


@case(ProduceRequest)
def codecs_that_are_none(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for codec in (5, 6, 7):
        produce(broker, version, topic, forged(batch(b"a"), attributes=codec))


@case(ProduceRequest)
def headers_that_lie_about_time(broker: Broker, version: int) -> None:
    for name, fields in (
        ("first", {"base_timestamp": -1}),
        ("none", {"max_timestamp": -1}),
        ("last", {"max_timestamp": NOW_MS + 100}),
    ):
        topic = broker.topic(name)
        produce(broker, version, topic, forged(batch(b"a", b"b"), **fields))
        read_back(broker, topic)


@case(ProduceRequest)
def damaged_compressed_batches(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for codec in (Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD):
        whole = batch(*[b"value" * 20] * 10, compression=codec)
        middle = len(whole) // 2
        damaged = bytearray(whole)
        damaged[62:middle] = bytes(middle - 62)
        produce(broker, version, topic, forged(bytes(damaged), count=10))
        plain = forged(batch(b"a" * 50), attributes=int(codec))
        produce(broker, version, topic, plain)


@case(ProduceRequest)
def compressed_batches_that_miscount(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for codec in (Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD):
        whole = batch(*[b"value" * 20] * 10, compression=codec)
        produce(broker, version, topic, forged(whole, count=9))
        produce(broker, version, topic, forged(whole, count=11))


@case(ProduceRequest)
def every_codec(broker: Broker, version: int) -> None:
    topic = broker.topic()
    for codec in Compression:
        produce(broker, version, topic, batch(b"one", b"two" * 50, None, compression=codec))
    read_back(broker, topic)


@case(ProduceRequest, first=9)
def topics_with_a_codec_of_their_own(broker: Broker, version: int) -> None:
    for name in ("uncompressed", "gzip", "snappy", "lz4", "zstd"):
        topic = broker.topic(name, compression_type=name)
        produce(broker, version, topic, batch(b"one", b"two" * 50))
        produce(broker, version, topic, batch(b"one", b"two" * 50, compression=Compression.GZIP))
        produce(broker, version, topic, batch(b"one", b"two" * 50, compression=Compression.ZSTD))
        read_back(broker, topic)


@case(ProduceRequest)
def records_that_are_too_large(broker: Broker, version: int) -> None:
    topic = broker.topic(max_message_bytes="200")
    for size in (100, 120, 125, 130, 140, 200, 1000):
        produce(broker, version, topic, batch(b"x" * size))
    produce(broker, version, topic, batch(b"x" * 1000, compression=Compression.GZIP))
    produce(broker, version, topic, batch(b"x" * 60, b"y" * 60))


@case(ProduceRequest)
def records_without_a_key_in_a_compacted_topic(broker: Broker, version: int) -> None:
    topic = broker.topic(cleanup_policy="compact")
    mixed = [Record(-1, NOW_MS, key, b"value") for key in (b"a", None, b"b", None)]
    for codec in (Compression.NONE, Compression.LZ4):
        produce(broker, version, topic, bytes(build_batch(mixed, compression=codec)))
        produce(broker, version, topic, batch(b"a", compression=codec))
        produce(broker, version, topic, batch(b"a", key=b"", compression=codec))
    read_back(broker, topic)


@case(ProduceRequest)
def timestamps_out_of_bounds(broker: Broker, version: int) -> None:
    topic = broker.topic(message_timestamp_before_max_ms="100000", message_timestamp_after_max_ms="100000")
    for timestamp in (NOW_MS, NOW_MS - 200_000_000, NOW_MS + 200_000_000, 0):
        produce(broker, version, topic, batch(b"a", b"b", timestamp=timestamp))
    mixed = [Record(-1, NOW_MS + delta, b"k", b"v") for delta in (0, -200_000_000, 0, 200_000_000)]
    produce(broker, version, topic, bytes(build_batch(mixed)))
    produce(broker, version, topic, bytes(build_batch(mixed, compression=Compression.LZ4)))
    free = broker.topic("free")
    for timestamp in (0, -1, 2**62):
        produce(broker, version, free, batch(b"a", timestamp=timestamp))
    read_back(broker, free)


@case(ProduceRequest)
def log_append_time(broker: Broker, version: int) -> None:
    topic = broker.topic(message_timestamp_type="LogAppendTime")
    for codec in (Compression.NONE, Compression.LZ4):
        produce(broker, version, topic, batch(b"a", b"b", timestamp=1, compression=codec))
    read_back(broker, topic)


@case(ProduceRequest)
def log_append_time_from_a_client(broker: Broker, version: int) -> None:
    for name in ("CreateTime", "LogAppendTime"):
        topic = broker.topic(name, message_timestamp_type=name)
        produce(broker, version, topic, batch(b"a", log_append_time_ms=NOW_MS))
        read_back(broker, topic)


@case(ProduceRequest)
def a_time_out_of_bounds_after_none(broker: Broker, version: int) -> None:
    topic = broker.topic(message_timestamp_before_max_ms="100000")
    produce(broker, version, topic, batch(b"a", b"b", timestamp=-1))


@case(ProduceRequest, first=13)
def no_records_at_all(broker: Broker, version: int) -> None:
    broker.ask(produce_request([(broker.topic(), 0, None)]), version, patience_seconds=0.5)


@case(ProduceRequest)
def batches_of_transactions(broker: Broker, version: int) -> None:
    topic = broker.topic()
    data = numbered(0, is_transactional=True)
    produce(broker, version, topic, data)
    broker.ask(produce_request([(topic, 0, data)], transactional_id=broker.name("id")), version)
    broker.ask(produce_request([(topic, 0, batch(b"a"))], transactional_id=broker.name("id")), version)
    produce(broker, version, topic, batch(b"a", is_transactional=True))


@case(ProduceRequest)
def too_few_replicas(broker: Broker, version: int) -> None:
    topic = broker.topic(min_insync_replicas="2")
    produce(broker, version, topic, batch(b"a"))
    produce(broker, version, topic, batch(b"a"), acks=1)
    read_back(broker, topic)


def numbered(sequence: int, *values: bytes, producer: int = 4711, epoch: int = 0, **header: object) -> bytes:
    """A batch of an idempotent producer."""
    given = values or (b"a",)
    return batch(*given, producer_id=producer, producer_epoch=epoch, base_sequence=sequence, **header)


@case(ProduceRequest)
def sequences_of_a_producer(broker: Broker, version: int) -> None:
    topic = broker.topic()
    steps = [
        numbered(0, b"a", b"b"),
        numbered(0, b"a", b"b"),  # a duplicate
        numbered(2),
        numbered(4),  # a gap
        numbered(1),  # neither the next nor a duplicate
        numbered(0, b"a"),  # of another size
        numbered(3),
        numbered(4),
        numbered(5),
        numbered(6),
        numbered(7),
        numbered(0, b"a", b"b"),  # a duplicate of what is no longer remembered
        numbered(3),  # a duplicate of the oldest that is
        numbered(7),
    ]
    for data in steps:
        produce(broker, version, topic, data)
    read_back(broker, topic)
    row = TopicRequest(name=topic.name, partition_indexes=[0])
    broker.ask(DescribeProducersRequest(topics=[row]))


@case(ProduceRequest)
def epochs_of_a_producer(broker: Broker, version: int) -> None:
    topic = broker.topic()
    steps = [
        numbered(5, epoch=1),  # nobody knows this producer: any sequence will do
        numbered(6, epoch=0),  # fenced
        numbered(3, epoch=2),  # a new epoch begins at 0
        numbered(0, epoch=2),
        numbered(7, epoch=1),
        numbered(0, producer=4712, epoch=-1),
        numbered(-1, producer=4713, epoch=0),
        numbered(-1, producer=4713, epoch=-1),
        numbered(0, producer=-1, epoch=0),
        numbered(-2, producer=4714, epoch=0),
        numbered(0, producer=-2, epoch=0),
    ]
    for data in steps:
        produce(broker, version, topic, data)
    row = TopicRequest(name=topic.name, partition_indexes=[0])
    broker.ask(DescribeProducersRequest(topics=[row]))


@case(ProduceRequest)
def sequences_that_wrap_around(broker: Broker, version: int) -> None:
    topic = broker.topic()
    last = 2**31 - 1
    for data in (
        numbered(last - 1, b"a", b"b"),
        numbered(0, b"c"),
        numbered(last - 1, b"a", b"b"),
        numbered(1, b"d", b"e"),
        numbered(last, b"f", b"g", b"h", producer=4720),
        numbered(2, producer=4720),
        numbered(last, b"f", b"g", b"h", producer=4720),
    ):
        produce(broker, version, topic, data)
    read_back(broker, topic)
    row = TopicRequest(name=topic.name, partition_indexes=[0])
    broker.ask(DescribeProducersRequest(topics=[row]))


@case(ProduceRequest)
def duplicates_with_other_timestamps(broker: Broker, version: int) -> None:
    topic = broker.topic(message_timestamp_type="LogAppendTime")
    for _ in range(2):
        produce(broker, version, topic, numbered(0, b"a", b"b"))
    produce(broker, version, topic, numbered(0, b"c", b"d", timestamp=5))


@case(ProduceRequest)
def a_batch_of_a_producer_and_another(broker: Broker, version: int) -> None:
    topic = broker.topic()
    produce(broker, version, topic, numbered(0) + numbered(1))
    produce(broker, version, topic, numbered(0) + batch(b"a"))
    rows = [(topic, 0, numbered(0)), (broker.topic("other"), 0, batch(b"a"))]
    broker.ask(produce_request(rows), version)


@case(ProduceRequest)
def into_internal_topics(broker: Broker, version: int) -> None:
    known = broker.ask(MetadataRequest(topics=[], allow_auto_topic_creation=False))
    assert known is not None
    produce(broker, version, Topic("__cluster_metadata", b"\0" * 15 + b"\1"), batch(b"a"))
