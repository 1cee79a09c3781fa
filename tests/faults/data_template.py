"""A data directory with known contents, written by a real broker, to be copied and damaged."""

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from snakka.protocol.batch_builder import build_batch, build_end_transaction
from snakka.protocol.batch_reader import Record
from snakka.protocol.record_batch import iter_headers
from snakka.protocol.uuids import ZERO_UUID
from snakka.runtime import SystemClock
from snakka.storage.append_checks import AppendOrigin
from snakka.storage.files import OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from tests.cli.broker_process import start_broker

RECORDS = 60
RECORDS_A_BATCH = 5
FIRST_TIMESTAMP = 1_700_000_000_000
TRANSACTED = "transacted"
TOPIC_CONFIGS = {"internal.segment.bytes": "4096", "index.interval.bytes": "256", "retention.ms": "-1"}
ABORTED_PRODUCER, COMMITTED_PRODUCER = 4001, 4002


class Truth(NamedTuple):
    """A record that was acknowledged, as it must come back if it does."""

    value: bytes
    timestamp: int


@dataclass
class Template:
    """Two directories with the same records, left behind by a broker that was stopped, and by one that was killed.

    `records` has, for each topic, every record that a reader may see, by offset.
    """

    stopped: Path
    killed: Path
    records: dict[str, dict[int, Truth]] = field(default_factory=dict)


def write_template(directory: Path, topics: Sequence[str]) -> Template:
    """Some segments for each topic, written by librdkafka."""
    stopped, killed = directory / "stopped", directory / "killed"
    killed.mkdir(parents=True)
    template = Template(stopped / "data", killed / "data")
    with start_broker(killed) as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        names = [*topics, TRANSACTED]
        for start in range(0, len(names), 20):
            new = [NewTopic(name, 1, 1, config=TOPIC_CONFIGS) for name in names[start : start + 20]]
            for created in admin.create_topics(new).values():
                created.result(30)
        template.records = _write_records(broker.bootstrap, topics)
        broker.kill()
    template.records[TRANSACTED] = _write_transactions(template.killed / f"{TRANSACTED}-0")
    shutil.copytree(killed, stopped)
    with start_broker(stopped) as broker:
        assert broker.stop() == 0
    return template


def _write_records(bootstrap: str, topics: Sequence[str]) -> dict[str, dict[int, Truth]]:
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "enable.idempotence": True,
            "batch.num.messages": RECORDS_A_BATCH,
            "linger.ms": 5000,  # only full batches leave, so that every directory looks alike
            "log_level": 0,
        }
    )
    written: dict[str, dict[int, Truth]] = {topic: {} for topic in topics}
    for topic in topics:
        chance = random.Random(topic)
        for number in range(RECORDS):
            truth = Truth(b"%d " % number + chance.randbytes(150), FIRST_TIMESTAMP + 1000 * number)
            written[topic][number] = truth
            producer.produce(topic, truth.value, b"key", 0, timestamp=truth.timestamp)
    assert producer.flush(60) == 0
    return written


def _write_transactions(directory: Path) -> dict[int, Truth]:
    """An aborted and a committed transaction after each other, three times, straight into the log."""
    log = PartitionLog.open(
        str(directory),
        topic=TRANSACTED,
        partition=0,
        topic_id=ZERO_UUID,
        files=OsFiles(),
        clock=SystemClock(),
        config=LogConfig(segment_bytes=1024, index_interval_bytes=256, retention_ms=-1),
        clean_shutdown=False,
    )
    written: dict[int, Truth] = {}

    def append(batch: bytearray, origin: AppendOrigin) -> int:
        info = log.append_as_leader(memoryview(batch), leader_epoch=0, now_ms=FIRST_TIMESTAMP, origin=origin)
        return info.first_offset

    for number in range(3):
        for producer_id, commits in ((ABORTED_PRODUCER, False), (COMMITTED_PRODUCER, True)):
            value = b"%d of %d" % (number, producer_id) + b"." * 100
            records = [Record(-1, FIRST_TIMESTAMP, None, value) for _ in range(RECORDS_A_BATCH)]
            sequence = number * RECORDS_A_BATCH
            offset = append(
                build_batch(
                    records,
                    producer_id=producer_id,
                    producer_epoch=0,
                    base_sequence=sequence,
                    is_transactional=True,
                ),
                AppendOrigin.CLIENT,
            )
            if commits:
                written |= {offset + place: Truth(value, FIRST_TIMESTAMP) for place in range(RECORDS_A_BATCH)}
            marker = build_end_transaction(
                committed=commits,
                timestamp=FIRST_TIMESTAMP,
                producer_id=producer_id,
                producer_epoch=0,
                coordinator_epoch=0,
            )
            append(marker, AppendOrigin.COORDINATOR)
    log.advance_high_watermark(log.log_end_offset)
    log.close()
    return written


def batch_positions(path: Path) -> list[tuple[int, int]]:
    """Start and end of every batch in a segment."""
    return [(position, position + header.size) for position, header in iter_headers(path.read_bytes())]
