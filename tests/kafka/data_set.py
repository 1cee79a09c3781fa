"""Something of everything that a data directory can hold, written by whichever broker runs, and a check that all is there.

`extend` writes one more round of it; `remember` notes what the broker shows of it all; `check` compares what the next broker
shows, byte by byte for records, and lets it prove that it knows the producers.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

from tests.kafka.settling import MARK_TOPIC, settle
from tests.kafka.wire import Wire

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.compression import Compression
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from snakka.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from snakka.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from snakka.protocol.messages.delete_topics import DeleteTopicsRequest
from snakka.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from snakka.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from snakka.protocol.messages.metadata import MetadataRequest
from snakka.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from snakka.protocol.record_batch import iter_headers

TOPIC, BROKER, CLIENT_METRICS, GROUP = 2, 4, 16, 32
TIMEOUT_MS = 20_000
# Of an hour ago: old enough to be apart from each other by more than segments live, too young to be removed.
STARTED_MS = int(time.time() * 1000) - 3_600_000
COMPACTED = "compacted"
COMPACTED_BATCH = 6
COMPACTION_SECONDS = 30
CHECKPOINT_SECONDS = 30

TOPICS: dict[str, dict[str, str]] = {
    **{f"codec-{codec.name.lower()}": {} for codec in Compression},
    "rolled": {"segment.ms": "1000"},
    "append-time": {"message.timestamp.type": "LogAppendTime"},
    "recompressed": {"compression.type": "zstd"},
    "indexed": {"index.interval.bytes": "100"},
    "numbered": {},
    "cut": {"segment.ms": "1000"},
    "configured": {"retention.ms": "700000000", "max.message.bytes": "2000000"},
    COMPACTED: {
        "cleanup.policy": "compact",
        "segment.ms": "1000",
        "min.cleanable.dirty.ratio": "0.01",
        "delete.retention.ms": "86400000",
    },
}
# What nodes need so that these topics live fast enough for a test.
NODE_OPTIONS = {
    "log.initial.task.delay.ms": "100",
    "log.cleaner.backoff.ms": "200",
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.flush.start.offset.checkpoint.interval.ms": "200",
    # After a crash the next broker has to wait for so long.
    "broker.session.timeout.ms": "5000",
    "broker.heartbeat.interval.ms": "1000",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "metadata.log.max.record.bytes.between.snapshots": "2000",
    "controller.quorum.append.linger.ms": "0",
}


class Remembered(NamedTuple):
    """What a broker showed of the data set."""

    topics: dict[str, tuple[bytes, int]]
    configs: dict[tuple[int, str], dict[str, str | None]]
    offsets: dict[tuple[str, int], tuple[int, int, int]]
    records: dict[tuple[str, int], bytes]
    epochs: dict[int, tuple[int, int]]  # of one log: where each leader's part of it ends


class DataSet:
    """One data set, from its first round to its last."""

    def __init__(self) -> None:
        self.rounds = 0
        self._remembered: Remembered | None = None
        self._written: dict[int, tuple[bytes | None, bytes | None]] = {}  # in the compacted topic, by offset
        self._producer_ids: set[int] = set()
        self._producer_id = -1
        self._sequence = 0
        self._numbered = (b"", -1)  # that producer's last batch, and its offset

    # -- writing --------------------------------------------------------------------------------------------------

    def extend(self, port: int) -> None:
        """One more round of everything, through the broker at `port`."""
        with Wire(port) as wire:
            if self.rounds == 0:
                self._create(wire)
            self._change_metadata(wire)
            for codec in Compression:
                self._append(wire, f"codec-{codec.name.lower()}", self._records(20), compression=codec)
            for name in ("rolled", "cut"):
                for step in range(4):
                    self._append(wire, name, self._records(3, step))
            self._append(wire, "append-time", self._records(5))
            for step in range(40):
                self._append(wire, "indexed", self._records(2, step))
            self._append(wire, "recompressed", self._records(50), compression=Compression.GZIP)
            self._append(wire, "grown", self._records(3), partition=self.rounds)
            self._write_numbered(wire)
            self._write_compacted(wire)
            self._cut(wire)
        self.rounds += 1

    def _create(self, wire: Wire) -> None:
        topics = [
            CreatableTopic(
                name=name,
                num_partitions=1,
                replication_factor=1,
                configs=[CreatableTopicConfig(name=key, value=value) for key, value in configs.items()],
            )
            for name, configs in {**TOPICS, "grown": {}}.items()
        ]
        answer = wire.ask(CreateTopicsRequest(topics=topics, timeout_ms=TIMEOUT_MS))
        assert not any(row.error_code for row in answer.topics), answer

    def _change_metadata(self, wire: Wire) -> None:
        number = self.rounds
        fleeting = CreatableTopic(name=f"fleeting-{number}", num_partitions=2, replication_factor=1)
        lasting = CreatableTopic(name=f"lasting-{number}", num_partitions=2, replication_factor=1)
        answer = wire.ask(CreateTopicsRequest(topics=[fleeting, lasting], timeout_ms=TIMEOUT_MS))
        assert not any(row.error_code for row in answer.topics), answer
        deleted = wire.ask(DeleteTopicsRequest(topic_names=[fleeting.name], timeout_ms=TIMEOUT_MS), 5)
        assert not deleted.responses[0].error_code
        grown = CreatePartitionsTopic(name="grown", count=number + 2, assignments=None)
        answer = wire.ask(CreatePartitionsRequest(topics=[grown], timeout_ms=TIMEOUT_MS))
        assert not answer.results[0].error_code, answer
        self._set(wire, TOPIC, "configured", "retention.ms", str(700_000_000 + number))
        self._set(wire, TOPIC, f"lasting-{number}", "cleanup.policy", "compact,delete")
        self._set(wire, BROKER, "1", "log.cleaner.io.max.bytes.per.second", str(900_000_000 + number))
        self._set(wire, BROKER, "", "log.retention.ms", str(800_000_000 + number))
        self._set(wire, CLIENT_METRICS, f"metrics-{number}", "interval.ms", "60000")
        self._set(wire, GROUP, f"group-{number}", "consumer.session.timeout.ms", "50000")
        settle(wire)

    def _set(self, wire: Wire, resource_type: int, name: str, key: str, value: str) -> None:
        resource = AlterConfigsResource(
            resource_type=resource_type,
            resource_name=name,
            configs=[AlterableConfig(name=key, value=value)],
        )
        answer = wire.ask(IncrementalAlterConfigsRequest(resources=[resource]))
        assert not answer.responses[0].error_code, answer

    def _records(self, count: int, step: int = 0) -> list[Record]:
        """With and without keys, values and headers; each round and each step begin later than segments live."""
        first_ms = STARTED_MS + self.rounds * 100_000 + step * 5_000
        return [
            Record(
                -1,
                first_ms + number,
                None if number % 3 == 0 else b"key-%d" % number,
                None if number % 5 == 4 else b"value %d of round %d" % (number, self.rounds),
                (("header", b"x" * number), ("header", None)) if number % 2 else (),
            )
            for number in range(count)
        ]

    def _append(
        self, wire: Wire, topic: str, records: list[Record], *, partition: int = 0, **header: Any
    ) -> int:
        return produce(wire, topic, bytes(build_batch(records, **header)), partition)

    def _write_numbered(self, wire: Wire) -> None:
        """Batches of an idempotent producer that lives through all rounds."""
        if self._producer_id < 0:
            self._producer_id = self._new_producer_id(wire)
        for _ in range(3):
            records = self._records(2)
            batch = bytes(
                build_batch(
                    records,
                    producer_id=self._producer_id,
                    producer_epoch=0,
                    base_sequence=self._sequence,
                )
            )
            self._numbered = (batch, produce(wire, "numbered", batch))
            self._sequence += len(records)

    def _new_producer_id(self, wire: Wire) -> int:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            answer = wire.ask(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1000))
            if not answer.error_code:
                assert answer.producer_id not in self._producer_ids, "a producer id was given twice"
                self._producer_ids.add(answer.producer_id)
                return int(answer.producer_id)
        raise AssertionError("no producer id")

    def _write_compacted(self, wire: Wire) -> None:
        for step in range(6):
            records = [
                record._replace(key=b"key-%d" % (number % 4), headers=())
                for number, record in enumerate(self._records(COMPACTED_BATCH, step))
            ]
            base_offset = self._append(wire, COMPACTED, records)
            for number, record in enumerate(records):
                self._written[base_offset + number] = (record.key, record.value)

    def _cut(self, wire: Wire) -> None:
        end = list_offset(wire, "cut", 0, -1).offset
        row = DeleteRecordsTopic(
            name="cut", partitions=[DeleteRecordsPartition(partition_index=0, offset=end - 5)]
        )
        answer = wire.ask(DeleteRecordsRequest(topics=[row], timeout_ms=TIMEOUT_MS))
        assert not answer.topics[0].partitions[0].error_code

    def wait_until_compacted(self, port: int) -> None:
        """Returns when the broker has removed all records that later ones replace, but for the segment that it writes to."""
        active = max(self._written) - COMPACTED_BATCH + 1
        kept = _last_of_each_key({at: pair for at, pair in self._written.items() if at < active})
        kept |= {at for at in self._written if at >= active}
        deadline = time.monotonic() + COMPACTION_SECONDS
        with Wire(port) as wire:
            while {record.offset for record in _records_in(fetch_all(wire, COMPACTED, 0))} != kept:
                assert time.monotonic() < deadline, "the log was not compacted"
                time.sleep(0.1)

    def wait_until_cut_outlives_a_crash(self, data: Path) -> None:
        """Brokers write down where a log starts some time after they have said so."""
        assert self._remembered is not None
        line = f"cut 0 {self._remembered.offsets['cut', 0][0]}"
        deadline = time.monotonic() + CHECKPOINT_SECONDS
        while line not in (data / "log-start-offset-checkpoint").read_text().splitlines():
            assert time.monotonic() < deadline, "the start of the log was not written down"
            time.sleep(0.05)

    # -- reading --------------------------------------------------------------------------------------------------

    def remember(self, port: int) -> None:
        """Takes down what the broker shows, for the next one to match."""
        with Wire(port) as wire:
            self._remembered = self._shown(wire)

    def offsets_in(self, topic: str, partition: int) -> list[int]:
        """The offsets of the records that were remembered."""
        assert self._remembered is not None
        return [record.offset for record in _records_in(self._remembered.records[topic, partition])]

    def check(self, port: int) -> None:
        """All that was remembered is there, and the producer's last batches are known for what they are."""
        with Wire(port) as wire:
            settle(wire)
            self._check_compacted(wire)
            shown = self._shown(wire)
            assert self._remembered is not None
            for field in Remembered._fields:
                now, before = getattr(shown, field), getattr(self._remembered, field)
                if field == "epochs":
                    now = {epoch: now[epoch] for epoch in before}
                changed = {key: (before.get(key), now.get(key)) for key in before.keys() | now.keys()}
                assert now == before, {key: pair for key, pair in changed.items() if pair[0] != pair[1]}
            self._check_producer(wire)
            self._new_producer_id(wire)

    def _shown(self, wire: Wire) -> Remembered:
        metadata = wire.ask(MetadataRequest(topics=None))
        topics = {row.name: (row.topic_id, len(row.partitions)) for row in metadata.topics}
        assert not any(name.startswith("fleeting") for name in topics)
        partitions = [
            (name, index)
            for name, (_, count) in topics.items()
            for index in range(count)
            if name != COMPACTED
        ]
        resources = [(TOPIC, name) for name in topics if name != MARK_TOPIC] + [(BROKER, "1"), (BROKER, "")]
        for number in range(self.rounds):
            resources += [(CLIENT_METRICS, f"metrics-{number}"), (GROUP, f"group-{number}")]
        return Remembered(
            topics,
            {resource: own_configs(wire, *resource) for resource in resources},
            {key: self._offsets(wire, *key) for key in partitions},
            {key: fetch_all(wire, *key) for key in partitions},
            self._epochs(wire, metadata),
        )

    def _epochs(self, wire: Wire, metadata: Any) -> dict[int, tuple[int, int]]:
        (topic,) = (row for row in metadata.topics if row.name == "numbered")
        asked = range(topic.partitions[0].leader_epoch + 1)
        found = {}
        for epoch in asked:
            row = OffsetForLeaderPartition(partition=0, leader_epoch=epoch)
            topics = [OffsetForLeaderTopic(topic="numbered", partitions=[row])]
            answer = wire.ask(OffsetForLeaderEpochRequest(replica_id=-1, topics=topics))
            end = answer.topics[0].partitions[0]
            assert end.error_code == ErrorCode.NONE
            found[epoch] = (end.leader_epoch, end.end_offset)
        return found

    def _offsets(self, wire: Wire, topic: str, partition: int) -> tuple[int, int, int]:
        # Kafka does not find a time while segments below the log start are still there: see differences.py.
        by_time = -1 if topic == "cut" else list_offset(wire, topic, partition, STARTED_MS + 50_000).offset
        first, last = (list_offset(wire, topic, partition, special).offset for special in (-2, -1))
        return first, last, by_time

    def _check_compacted(self, wire: Wire) -> None:
        found = {
            record.offset: (record.key, record.value) for record in _records_in(fetch_all(wire, COMPACTED, 0))
        }
        assert found.items() <= self._written.items()
        assert _last_of_each_key(self._written) <= found.keys()

    def _check_producer(self, wire: Wire) -> None:
        end = list_offset(wire, "numbered", 0, -1).offset
        # Of each producer a snapshot holds the last batch only.
        batch, base_offset = self._numbered
        row = ask_produce(wire, "numbered", batch, 0)
        assert (row.error_code, row.base_offset) == (ErrorCode.NONE, base_offset)
        gap = bytes(
            build_batch(
                self._records(1),
                producer_id=self._producer_id,
                producer_epoch=0,
                base_sequence=self._sequence + 1,
            )
        )
        row = ask_produce(wire, "numbered", gap, 0)
        assert row.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        assert list_offset(wire, "numbered", 0, -1).offset == end


def ask_produce(wire: Wire, topic: str, batch: bytes, partition: int) -> Any:
    data = PartitionProduceData(index=partition, records=batch)
    request = ProduceRequest(
        acks=-1,
        timeout_ms=TIMEOUT_MS,
        topic_data=[TopicProduceData(name=topic, partition_data=[data])],
    )
    return wire.ask(request, 12).responses[0].partition_responses[0]


def produce(wire: Wire, topic: str, batch: bytes, partition: int = 0) -> int:
    """The offset of the batch's first record."""
    row = ask_produce(wire, topic, batch, partition)
    assert row.error_code == ErrorCode.NONE, (topic, ErrorCode(row.error_code).name, row.error_message)
    return int(row.base_offset)


def list_offset(wire: Wire, topic: str, partition: int, timestamp: int) -> Any:
    row = ListOffsetsPartition(partition_index=partition, timestamp=timestamp)
    topics = [ListOffsetsTopic(name=topic, partitions=[row])]
    answer = wire.ask(ListOffsetsRequest(replica_id=-1, topics=topics, timeout_ms=TIMEOUT_MS))
    found = answer.topics[0].partitions[0]
    assert found.error_code == ErrorCode.NONE, (topic, partition, ErrorCode(found.error_code).name)
    return found


def fetch_row(wire: Wire, topic: str, partition: int, offset: int, isolation_level: int = 0) -> Any:
    row = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=1 << 22)
    request = FetchRequest(
        topics=[FetchTopic(topic=topic, partitions=[row])], max_wait_ms=0, isolation_level=isolation_level
    )
    found = wire.ask(request, 12).responses[0].partitions[0]
    assert found.error_code == ErrorCode.NONE, (topic, partition, ErrorCode(found.error_code).name)
    return found


def fetch_all(wire: Wire, topic: str, partition: int) -> bytes:
    """Every batch of a partition, as it is."""
    offset = list_offset(wire, topic, partition, -2).offset
    data = bytearray()
    while True:
        found = bytes(fetch_row(wire, topic, partition, offset).records or b"")
        if not found:
            return bytes(data)
        data += found
        offset = [header for _, header in iter_headers(found)][-1].next_offset


def _last_of_each_key(written: dict[int, tuple[bytes | None, bytes | None]]) -> set[int]:
    return set({key: offset for offset, (key, _) in sorted(written.items())}.values())


def _records_in(data: bytes) -> list[Record]:
    return [
        record
        for position, header in iter_headers(data)
        for record in read_records(data[position : position + header.size])
    ]


def own_configs(wire: Wire, resource_type: int, name: str) -> dict[str, str | None]:
    """What has been set on a resource itself, at run time."""
    resource = DescribeConfigsResource(
        resource_type=resource_type, resource_name=name, configuration_keys=None
    )
    result = wire.ask(DescribeConfigsRequest(resources=[resource], include_synonyms=True)).results[0]
    assert result.error_code == ErrorCode.NONE, (resource_type, name, result.error_message)
    static, default = 4, 5
    return {row.name: row.value for row in result.configs if row.config_source not in (static, default)}
