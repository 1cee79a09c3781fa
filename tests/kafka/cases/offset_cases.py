"""ListOffsets, OffsetForLeaderEpoch and DeleteRecords."""

from tests.kafka.cases.fetch_cases import delete_records
from tests.kafka.cases.produce_cases import NOW_MS, UNKNOWN_TOPIC, batch, fill
from tests.kafka.cases.topic_cases import TIMEOUT_MS
from tests.kafka.referee import Broker, case

from snakka.protocol.compression import Compression
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from snakka.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from snakka.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

# Latest, earliest, of the largest timestamp, earliest local, latest tiered, earliest pending upload; and one that is none.
SPECIAL = (-1, -2, -3, -4, -5, -6, -7)


def list_offsets(
    broker: Broker,
    version: int,
    *rows: tuple[str, int, int],
    replica_id: int = -1,
    isolation_level: int = 0,
    current_leader_epoch: int = -1,
) -> None:
    """Each row is topic, partition and timestamp."""
    topics: dict[str, ListOffsetsTopic] = {}
    for name, partition, timestamp in rows:
        topics.setdefault(name, ListOffsetsTopic(name=name)).partitions.append(
            ListOffsetsPartition(
                partition_index=partition, timestamp=timestamp, current_leader_epoch=current_leader_epoch
            )
        )
    request = ListOffsetsRequest(replica_id=replica_id, topics=list(topics.values()))
    if version >= 2:
        request.isolation_level = isolation_level
    if version >= 10:
        request.timeout_ms = TIMEOUT_MS
    broker.ask(request, version)


@case(ListOffsetsRequest)
def special_timestamps(broker: Broker, version: int) -> None:
    empty, filled = broker.topic("empty").name, broker.topic("filled")
    fill(broker, filled, batch(b"a", b"b"), batch(b"c", timestamp=NOW_MS - 1000), batch(b"d"))
    for timestamp in SPECIAL:
        for replica_id in (-1, -2, 1):
            list_offsets(broker, version, (empty, 0, timestamp), replica_id=replica_id)
            list_offsets(broker, version, (filled.name, 0, timestamp), replica_id=replica_id)
        list_offsets(broker, version, (filled.name, 0, timestamp), isolation_level=1)


@case(ListOffsetsRequest)
def by_timestamp(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(
        broker,
        topic,
        batch(b"a", b"b", b"c", timestamp=NOW_MS - 10),
        batch(b"d", b"e", timestamp=NOW_MS - 20, compression=Compression.LZ4),
        batch(b"f", b"g", b"h", timestamp=NOW_MS, compression=Compression.ZSTD),
    )
    for delta in (-30, -20, -19, -10, -9, -8, -7, 0, 1, 2, 3):
        list_offsets(broker, version, (topic.name, 0, NOW_MS + delta))
    list_offsets(broker, version, (topic.name, 0, 0))
    list_offsets(broker, version, (topic.name, 0, 2**63 - 1))
    list_offsets(broker, version, (topic.name, 0, NOW_MS), isolation_level=1)
    delete_records(broker, topic, 2)
    for timestamp in (0, NOW_MS - 10, -2, -3, -4):
        list_offsets(broker, version, (topic.name, 0, timestamp))


@case(ListOffsetsRequest)
def by_timestamp_after_whole_segments_were_deleted(broker: Broker, version: int) -> None:
    topic = broker.topic(segment_ms="1000")
    fill(broker, topic, *[batch(b"a", b"b", timestamp=NOW_MS - 60_000 + step * 5_000) for step in range(4)])
    delete_records(broker, topic, 5)
    list_offsets(broker, version, (topic.name, 0, NOW_MS - 60_000))
    list_offsets(broker, version, (topic.name, 0, NOW_MS - 45_000))
    list_offsets(broker, version, (topic.name, 0, -3))


@case(ListOffsetsRequest)
def largest_timestamps_that_are_equal(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"), batch(b"b"), batch(b"c", b"d", timestamp=NOW_MS - 1))
    list_offsets(broker, version, (topic.name, 0, -3))
    appended = broker.topic("appended", message_timestamp_type="LogAppendTime")
    fill(broker, appended, batch(b"a", b"b"))
    list_offsets(broker, version, (appended.name, 0, -1), (topic.name, 0, -3))


@case(ListOffsetsRequest)
def timestamps_that_are_none(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a", timestamp=-1), batch(b"b", timestamp=0))
    for timestamp in (0, 1, -3, -2):
        list_offsets(broker, version, (topic.name, 0, timestamp))


@case(ListOffsetsRequest)
def what_is_not_there(broker: Broker, version: int) -> None:
    name = broker.topic().name
    list_offsets(broker, version, (name, 1, -1), (name, -1, -1), (UNKNOWN_TOPIC.name, 0, -1), ("", 0, -1))
    list_offsets(broker, version, (name, 1, -3), (UNKNOWN_TOPIC.name, 0, -9))
    list_offsets(broker, version)


@case(ListOffsetsRequest)
def a_partition_twice(broker: Broker, version: int) -> None:
    name = broker.topic().name
    list_offsets(broker, version, (name, 0, -1), (name, 0, -2))
    list_offsets(broker, version, (name, 0, -2), (name, 1, -2), (name, 1, -2))


@case(ListOffsetsRequest, first=4)
def leader_epochs(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a"))
    for epoch in (-1, 0, 1, 9, -2):
        for timestamp in (-1, -2, 0):
            list_offsets(broker, version, (topic.name, 0, timestamp), current_leader_epoch=epoch)


@case(OffsetForLeaderEpochRequest)
def of_every_epoch(broker: Broker, version: int) -> None:
    empty, filled = broker.topic("empty"), broker.topic("filled")
    fill(broker, filled, batch(b"a", b"b"))

    def ask(*rows: tuple[str, int, int, int], replica_id: int = -1) -> None:
        topics = [
            OffsetForLeaderTopic(
                topic=name,
                partitions=[
                    OffsetForLeaderPartition(
                        partition=partition, leader_epoch=epoch, current_leader_epoch=current
                    )
                ],
            )
            for name, partition, epoch, current in rows
        ]
        request = OffsetForLeaderEpochRequest(topics=topics)
        if version >= 3:
            request.replica_id = replica_id
        broker.ask(request, version)

    for epoch in (-2, -1, 0, 1, 9):
        for current in (-1, 0, 1, -2):
            ask((filled.name, 0, epoch, current))
            ask((empty.name, 0, epoch, current))
    ask((filled.name, 1, 0, -1), (UNKNOWN_TOPIC.name, 0, 0, -1), ("", 0, 0, 0))
    ask((filled.name, 0, 0, -1), replica_id=1)
    ask((filled.name, 0, 0, -1), replica_id=-2)
    ask()


@case(DeleteRecordsRequest)
def up_to_every_offset(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a", b"b"), batch(b"c", b"d"))

    def ask(*rows: tuple[str, int, int]) -> None:
        topics: dict[str, DeleteRecordsTopic] = {}
        for name, partition, offset in rows:
            topics.setdefault(name, DeleteRecordsTopic(name=name)).partitions.append(
                DeleteRecordsPartition(partition_index=partition, offset=offset)
            )
        broker.ask(DeleteRecordsRequest(topics=list(topics.values()), timeout_ms=TIMEOUT_MS), version)

    for offset in (0, 1, 0, 3, 5, -2, 2**62, -1, -1):
        ask((topic.name, 0, offset))
    ask((topic.name, 1, 0), (topic.name, -1, 0), (UNKNOWN_TOPIC.name, 0, 0), ("", 0, 0))
    ask()
    for name, policy in (("compacted", "compact"), ("both", "compact,delete"), ("kept", "")):
        compacted = broker.topic(name, cleanup_policy=policy)
        fill(broker, compacted, batch(b"a"))
        ask((compacted.name, 0, 1))
        ask((compacted.name, 0, -1))


@case(DeleteRecordsRequest)
def of_a_partition_twice(broker: Broker, version: int) -> None:
    topic = broker.topic()
    fill(broker, topic, batch(b"a", b"b", b"c"))
    rows = [DeleteRecordsPartition(partition_index=0, offset=offset) for offset in (1, 2)]
    request = DeleteRecordsRequest(
        topics=[DeleteRecordsTopic(name=topic.name, partitions=rows)], timeout_ms=TIMEOUT_MS
    )
    broker.ask(request, version)
