"""What the broker must be: everything that was sent, what became of it, and what may never be taken back.

The model knows what a broker's users could know together: which batches were sent how often, which were acknowledged at
which offset, which topics and configs were asked for. It looks at the real logs and compares. Rules: a log changes at its
ends only; what was acknowledged is lost in a power cut only, and only if nothing promised that it was synced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.compression import Compression
from snakka.protocol.file_region import FileRegion
from snakka.protocol.record_batch import BatchHeader, crc_matches, iter_headers
from snakka.protocol.uuids import Uuid
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulation.trace import SimulationFailure

_READ_BYTES = 1 << 20
_ID = "id"


class Identity(NamedTuple):
    """A producer as the broker knows it; the plain one has none."""

    producer_id: int = -1
    epoch: int = -1


@dataclass(eq=False, slots=True)
class SentBatch:
    """A batch that a client sends, perhaps often."""

    number: int
    # What it was meant for. By its name it may get into a later one.
    topic: TopicModel
    records: list[Record]
    identity: Identity
    base_sequence: int
    data: bytes
    sends: int = 0
    # Base offsets at which it was found, by partition.
    places: dict[tuple[Uuid, int], list[int]] = field(default_factory=dict)

    @property
    def is_idempotent(self) -> bool:
        return self.identity.producer_id >= 0


class Found(NamedTuple):
    """A record of a batch as it lies in a log."""

    batch: SentBatch
    place: int
    timestamp: int

    @property
    def record(self) -> Record:
        return self.batch.records[self.place]


class LoggedBatch(NamedTuple):
    """A batch as it was read."""

    header: BatchHeader
    data: bytes
    records: list[Record]


@dataclass(eq=False, slots=True)
class TopicModel:
    """A topic from the wish to have it until its deletion; one of the same name that comes later is another one."""

    name: str
    partition_count: int
    configs: dict[str, str]
    topic_id: Uuid | None = None  # None until the broker has shown it as committed
    creation_was_acknowledged: bool = False
    wanted_partition_count: int = 0
    wanted_configs: dict[str, str | None] = field(default_factory=dict)
    # What was acknowledged, and not changed since.
    promised_partition_count: int = 0
    promised_configs: dict[str, str | None] = field(default_factory=dict)
    deletion_was_sent: bool = False
    deletion_was_acknowledged: bool = False
    is_gone: bool = False
    partitions: dict[int, PartitionModel] = field(default_factory=dict)
    # With `flush.messages=1`, from the beginning and for ever: what is acknowledged or read is on the disk.
    is_synced: bool = field(init=False)
    # Whether records may go by themselves; once wanted, it may happen.
    may_compact: bool = field(init=False)
    may_expire: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_synced = self.configs.get("flush.messages") == "1"
        self.may_compact = "compact" in self.configs.get("cleanup.policy", "delete")
        self.may_expire = self.has_retention(self.configs)

    @staticmethod
    def has_retention(configs: dict[str, str]) -> bool:
        return configs.get("retention.ms", "-1") != "-1" or configs.get("retention.bytes", "-1") != "-1"

    @property
    def is_alive(self) -> bool:
        return self.topic_id is not None and not self.is_gone


@dataclass(eq=False, slots=True)
class AcknowledgedBatch:
    """An answer that a client has got from the broker's `life`."""

    batch: SentBatch
    base_offset: int
    life: int


class PartitionModel:
    """One partition's log as it must be."""

    def __init__(self, topic: TopicModel, index: int, model: Model) -> None:
        assert topic.topic_id is not None
        self.topic = topic
        self.index = index
        # Its broker runs, and no disk has failed under it: what is true of it can be seen.
        self.is_in_reach = False
        self.key: tuple[Uuid, int] = (topic.topic_id, index)
        self.start = 0
        self.end = 0
        self.high_watermark = 0
        # The power was lost since the log was last looked at as a whole; it may have been out of reach for some lives.
        self.power_was_lost = False
        # Everything before it is on the disk, as the broker has said or shown.
        self.safe_end = 0
        # A clean stop has left the log starting here: it never starts earlier again.
        self.kept_start = 0
        # DeleteRecords was asked up to here.
        self.deletable_end = 0
        self.records: dict[int, Found] = {}
        self.acknowledged: list[AcknowledgedBatch] = []
        self._model = model
        self._sequences: dict[int, tuple[int, int, int]] = {}
        # Producers of which something is here that was meant for an earlier topic of this name.
        self.misled_producers: set[int] = set()

    def __str__(self) -> str:
        return f"{self.topic.name}-{self.index}"

    def fail(self, what: str) -> SimulationFailure:
        return SimulationFailure(f"{self}: {what}")

    # While a broker lives.

    def follow(self, log: PartitionLog) -> None:
        """Look at what was appended since the last look, and that nothing else has changed."""
        if log.log_end_offset < self.end:
            raise self.fail(f"the log's end went back from {self.end} to {log.log_end_offset}")
        if log.log_start_offset < self.start:
            raise self.fail(f"the log's start went back from {self.start} to {log.log_start_offset}")
        if log.high_watermark < self.high_watermark:
            raise self.fail(f"the high watermark went from {self.high_watermark} to {log.high_watermark}")
        if not log.log_start_offset <= log.high_watermark <= log.log_end_offset:
            raise self.fail(
                f"start {log.log_start_offset}, high watermark {log.high_watermark}, end {log.log_end_offset}"
            )
        self._check_start(log.log_start_offset)
        self.start = log.log_start_offset
        if log.log_end_offset > self.end:
            first_new = self.end
            self._enter_new(read_log(log, max(self.end, self.start)), log.log_end_offset)
            self._check_producers(log, first_new)
        self.high_watermark = log.high_watermark
        self.note_safety(log)

    def stopped_cleanly(self) -> None:
        """Neither end of the log goes back behind this, whatever comes."""
        self.safe_end = max(self.safe_end, self.end)
        self.kept_start = self.start

    def note_safety(self, log: PartitionLog) -> None:
        """What the broker believes to be on the disk must be there from now on; so must all that readers may see."""
        self.safe_end = max(self.safe_end, log.recovery_point)
        if self.topic.is_synced:
            self.safe_end = max(self.safe_end, log.high_watermark)

    def acknowledge(self, batch: SentBatch, base_offset: int, life: int) -> None:
        """A client has got an answer without an error; it is checked at the next start if it can't be now."""
        acknowledged = AcknowledgedBatch(batch, base_offset, life)
        if not self.is_in_reach or self.check_acknowledged(acknowledged):
            self.acknowledged.append(acknowledged)

    def check_acknowledged(self, acknowledged: AcknowledgedBatch) -> bool:
        """Whether it is there; False if it is rightly gone."""
        batch, base_offset = acknowledged.batch, acknowledged.base_offset
        if base_offset in batch.places.get(self.key, ()):
            return True
        end = base_offset + len(batch.records)
        if end <= self.start:
            return False
        is_excused = self._model.power_was_lost_since(acknowledged.life) and not self.topic.is_synced
        if is_excused and base_offset >= self.safe_end:
            return False
        if self.topic.may_compact and end <= self.end:
            # It may have been compacted before anybody looked. Whether it should have been, the next audit says.
            self._remember(batch, base_offset, None)
            return True
        raise self.fail(f"batch {batch.number} was acknowledged at {base_offset} and is not there")

    def check_read(self, header: BatchHeader, record: Record, life: int) -> None:
        """A reader was given this record by the broker's `life`."""
        if not self.is_in_reach:
            return
        found = self.records.get(record.offset)
        if found is None:
            if record.offset >= self.end and self._model.power_was_lost_since(life):
                if self.topic.is_synced:
                    raise self.fail(f"the record at {record.offset} was read, and a power cut took it back")
                return
            raise self.fail(f"the record at {record.offset} was read and is not in the log")
        if self._model.power_was_lost_since(life) and not self.topic.is_synced:
            return  # another record may be there now
        self._compare(header, record, found)

    # After a start.

    def settle(self, log: PartitionLog) -> list[LoggedBatch]:
        """Compare a log that was opened anew with what it must have, record by record; all of its batches."""
        safe_end = self.safe_end if self.power_was_lost else self.end
        self.power_was_lost = False
        if log.log_end_offset < safe_end:
            raise self.fail(f"the log ends at {log.log_end_offset}, {safe_end} was reached before the stop")
        if log.log_start_offset < self.kept_start:
            raise self.fail(
                f"the log starts at {log.log_start_offset}, a stop had left it at {self.kept_start}"
            )
        self._lose_from(log.log_end_offset)
        self._check_start(log.log_start_offset)
        known_end, self.end = self.end, min(self.end, log.log_end_offset)
        self.start = self.high_watermark = log.log_start_offset
        batches = list(read_log(log, log.log_start_offset))
        for position, logged in enumerate(batches):
            header = logged.header
            if not self.topic.may_compact:
                expected = batches[position - 1].header.next_offset if position else log.log_start_offset
                if header.base_offset != expected and (position or header.base_offset > expected):
                    raise self.fail(f"a batch begins at {header.base_offset}, not at {expected}")
            if header.last_offset < known_end:
                self._compare_known(logged)
        new = [logged for logged in batches if logged.header.last_offset >= known_end]
        self._enter_new(iter(new), log.log_end_offset)
        self._check_missing({record.offset for logged in batches for record in logged.records}, safe_end)
        self.high_watermark = log.high_watermark
        self.note_safety(log)
        self.acknowledged = [one for one in self.acknowledged if self.check_acknowledged(one)]
        return batches

    def _lose_from(self, end: int) -> None:
        for offset in [one for one in self.records if one >= end]:
            self._lose(offset)
        self._sequences.clear()
        for offset, found in self.records.items():
            if found.place == 0 and offset + len(found.batch.records) <= end:
                self._note_sequence(found.batch, offset)

    def _lose(self, offset: int) -> None:
        lost = self.records.pop(offset)
        if lost.place == 0:
            lost.batch.places[self.key].remove(offset)

    def _compare_known(self, logged: LoggedBatch) -> None:
        base_offset = logged.header.base_offset
        for record in logged.records:
            found = self.records.get(record.offset)
            if found is None:
                # It was written and deleted between two looks, and the deletion was undone by a crash.
                batch, index = self._model.batch_of(record)
                self._remember(batch, record.offset - index, logged.header)
                found = self.records[record.offset]
            self._compare(logged.header, record, found)
            if base_offset > record.offset - found.place:
                raise self.fail(f"the batch at {base_offset} had offset {record.offset - found.place} before")

    def _check_missing(self, present: set[int], safe_end: int) -> None:
        """Every record must be there, or have been compacted; but a power cut may have made a hole after `safe_end`."""
        newest: dict[bytes | None, int] = {}
        for offset in sorted(self.records):
            newest[self.records[offset].record.key] = offset
        for offset, found in list(self.records.items()):
            if self.start <= offset < self.end and offset not in present:
                record = found.record
                if not self.topic.may_compact:
                    raise self.fail(f"the record at {offset} is missing")
                if offset >= safe_end:
                    self._lose(offset)
                elif newest[record.key] == offset and record.value is not None:
                    raise self.fail(f"the record at {offset} is the newest of its key and is missing")

    # Inside.

    def _check_start(self, start: int) -> None:
        if start > self.deletable_end and not self.topic.may_expire:
            raise self.fail(f"the log starts at {start}; nobody wanted more gone than {self.deletable_end}")

    def _enter_new(self, batches: Iterator[LoggedBatch], end: int) -> None:
        expected: int | None = self.end if self.start <= self.end else None
        for header, _, records in batches:
            is_gap = expected is not None and header.base_offset > max(expected, self.start)
            if is_gap and not self.topic.may_compact:
                raise self.fail(f"offsets {expected} to {header.base_offset - 1} were never given out")
            expected = header.next_offset
            if records:
                batch, index = self._model.batch_of(records[0])
                self._check_new(batch, header, records[0].offset - index)
                self._remember(batch, header.base_offset, header)
                for record in records:
                    self._compare(header, record, self.records[record.offset])
        self.end = end

    def _check_new(self, batch: SentBatch, header: BatchHeader, base_offset: int) -> None:
        if header.base_offset != base_offset or header.last_offset_delta != len(batch.records) - 1:
            raise self.fail(f"batch {batch.number} lies at {header.base_offset} with wrong offsets")
        places = batch.places.get(self.key, [])
        if len(places) >= batch.sends:
            raise self.fail(f"batch {batch.number} was appended more often than it was sent")
        if not batch.is_idempotent:
            return
        # Who has forgotten a producer because all of its records are deleted cannot know a duplicate.
        if any(place + len(batch.records) > self.start for place in places):
            raise self.fail(f"batch {batch.number} is there twice, at {places[-1]} and {base_offset}")
        epoch, sequence, last_offset = self._sequences.get(batch.identity.producer_id, (-1, -1, -1))
        is_known = epoch == batch.identity.epoch and last_offset >= self.start
        if is_known and batch.base_sequence != sequence + 1 and not self.topic.may_compact:
            raise self.fail(f"sequence {batch.base_sequence} at {base_offset} follows {sequence}")

    def _check_producers(self, log: PartitionLog, first_new: int) -> None:
        """Of every producer that has written since the last look, the broker must remember the last batch."""
        if self.topic.may_compact:
            return  # what is compacted away between two looks is remembered by the broker, and never seen here
        for producer_id, (epoch, sequence, last_offset) in self._sequences.items():
            if last_offset >= max(first_new, self.start):
                entry = log.producers.entries.get(producer_id)
                if entry is None:
                    raise self.fail(f"producer {producer_id} is forgotten, though it wrote {last_offset}")
                if (entry.epoch, entry.last_sequence) != (epoch, sequence):
                    raise self.fail(
                        f"producer {producer_id} is at epoch {entry.epoch}, sequence {entry.last_sequence},"
                        f" and wrote {epoch}, {sequence} at {last_offset}"
                    )

    def _remember(self, batch: SentBatch, base_offset: int, header: BatchHeader | None) -> None:
        append_time = header.max_timestamp if header is not None and header.uses_log_append_time else None
        for index, record in enumerate(batch.records):
            timestamp = record.timestamp if append_time is None else append_time
            self.records[base_offset + index] = Found(batch, index, timestamp)
        batch.places.setdefault(self.key, []).append(base_offset)
        if batch.topic is not self.topic:
            self.misled_producers.add(batch.identity.producer_id)
        self._note_sequence(batch, base_offset)

    def _note_sequence(self, batch: SentBatch, base_offset: int) -> None:
        if batch.is_idempotent:
            last = len(batch.records) - 1
            identity = batch.identity
            self._sequences[identity.producer_id] = (
                identity.epoch,
                batch.base_sequence + last,
                base_offset + last,
            )

    def _compare(self, header: BatchHeader, record: Record, found: Found) -> None:
        batch, index = self._model.batch_of(record)
        sent = found.record
        if batch is not found.batch or index != found.place:
            raise self.fail(
                f"at {record.offset} is record {index} of batch {batch.number},"
                f" not {found.place} of {found.batch.number}"
            )
        if (record.key, record.value) != (sent.key, sent.value) or record.timestamp != found.timestamp:
            raise self.fail(f"the record at {record.offset} is not what was sent")
        if (header.producer_id, header.producer_epoch) != batch.identity:
            raise self.fail(f"the record at {record.offset} has another producer")


class Model:
    """All that is known of one simulation."""

    def __init__(self) -> None:
        self.batches: list[SentBatch] = []
        self.topics: list[TopicModel] = []
        self._power_lost_in_life = -1

    def power_lost(self, life: int) -> None:
        """In the midst of that life: what it had not synced may be gone."""
        self._power_lost_in_life = life
        self.disk_lost_power()

    def disk_lost_power(self) -> None:
        for topic in self.topics:
            for partition in topic.partitions.values():
                partition.power_was_lost = True

    def power_was_lost_since(self, life: int) -> bool:
        return self._power_lost_in_life >= life

    def new_batch(
        self,
        topic: TopicModel,
        records: list[Record],
        identity: Identity,
        base_sequence: int,
        compression: Compression = Compression.NONE,
    ) -> SentBatch:
        number = len(self.batches)
        marked = [
            record._replace(headers=((_ID, b"%d.%d" % (number, index)),))
            for index, record in enumerate(records)
        ]
        data = build_batch(
            marked,
            compression=compression,
            producer_id=identity.producer_id,
            producer_epoch=identity.epoch,
            base_sequence=base_sequence,
        )
        batch = SentBatch(number, topic, marked, identity, base_sequence, bytes(data))
        self.batches.append(batch)
        return batch

    def batch_of(self, record: Record) -> tuple[SentBatch, int]:
        """The batch that a record of a log came in, and its place there."""
        try:
            ((name, mark),) = record.headers
            number, _, index = (mark or b"").partition(b".")
            if name == _ID:
                return self.batches[int(number)], int(index)
        except (ValueError, IndexError):
            pass
        raise SimulationFailure(f"nobody ever sent the record at {record.offset}: {record}")

    def lose_sight(self) -> None:
        """No broker runs that could be looked at."""
        for topic in self.topics:
            for partition in topic.partitions.values():
                partition.is_in_reach = False

    def living_topics(self) -> list[TopicModel]:
        return [topic for topic in self.topics if topic.is_alive]


def read_log(log: PartitionLog, offset: int) -> Iterator[LoggedBatch]:
    """Every batch from the one with `offset` on, as a reader of the log gets them."""
    end = log.log_end_offset
    while offset < end:
        found = log.read(offset, _READ_BYTES, upper_bound=end, min_one_message=True)
        if not found.bytes:
            return
        yield from parse_batches(_bytes_of(found.records))
        offset = found.next_offset


def parse_batches(data: bytes) -> Iterator[LoggedBatch]:
    for position, header in iter_headers(data):
        batch = data[position : position + header.size]
        if not crc_matches(batch, 0, header):
            raise SimulationFailure(f"the checksum of the batch at {header.base_offset} is wrong")
        yield LoggedBatch(header, batch, list(read_records(batch)))


def _bytes_of(records: FileRegion | bytes) -> bytes:
    return records if isinstance(records, bytes) else records.read_blocking(0, len(records))
