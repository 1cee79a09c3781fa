"""Random lives of a log, on a real disk and on a simulated one that loses power, against a model of what must be there."""

import os
import random
import shutil
import tempfile
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from log_workshop import (
    NOW_MS,
    ManualClock,
    append,
    append_marker,
    batch_of,
    flush,
    open_log,
    read_all,
    read_bytes,
)

from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import iter_headers, read_header
from snakka.storage.files import Files, OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog
from snakka.testing.simulated_files import SimulatedFiles

CONFIG = LogConfig(segment_bytes=2000, index_interval_bytes=200, segment_index_bytes=400)


@dataclass
class KnownBatch:
    """A batch that the model believes to be in the log."""

    data: bytes
    first_offset: int
    last_offset: int
    first_timestamp: int
    last_timestamp: int
    producer_id: int = -1
    base_sequence: int = -1
    last_sequence: int = -1
    is_transactional: bool = False
    marker: str = ""


class LifeOfALog(RuleBasedStateMachine):
    """The rules that both disks have in common."""

    files: Files
    directory: str

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.batches: list[KnownBatch] = []
        self.log_start = 0
        self.synced_end = 0
        self.recovery_checkpoint = 0
        self.leader_epoch = 0
        # After a power loss the log may end after its last batch.
        self.least_end = 0
        self.next_sequence: dict[int, int] = {}
        self.in_transaction: dict[int, int] = {}
        self.log: PartitionLog

    def make_disk(self) -> None:
        raise AssertionError("each disk has its own")

    @initialize()
    def begin(self) -> None:
        self.make_disk()
        self.log = open_log(self.files, self.directory, CONFIG, clock=self.clock)

    @property
    def end(self) -> int:
        return self.log.log_end_offset

    # -- writing ----------------------------------------------------------------------------------------------------

    @rule(count=st.integers(1, 5), size=st.integers(0, 300), back_ms=st.integers(0, 50))
    def append_plain(self, count: int, size: int, back_ms: int) -> None:
        self.clock.ms += 10
        timestamp = self.clock.ms - back_ms
        batch = batch_of(count, size=size, timestamp=timestamp)
        info = append(self.log, batch, leader_epoch=self.leader_epoch, now_ms=self.clock.ms)
        self.remember(batch, info.first_offset, timestamp)

    @rule(producer=st.integers(1, 3), count=st.integers(1, 3), transactional=st.booleans())
    def append_idempotent(self, producer: int, count: int, transactional: bool) -> None:
        if self.last_sequence(producer) is None and any(one.producer_id == producer for one in self.batches):
            # Its records were deleted; what is remembered of it then depends on where the last snapshot was.
            return
        transactional = transactional or producer in self.in_transaction
        sequence = self.next_sequence.get(producer, 0)
        batch = batch_of(
            count,
            timestamp=self.clock.ms,
            producer_id=producer,
            producer_epoch=0,
            base_sequence=sequence,
            is_transactional=transactional,
        )
        info = append(self.log, batch, leader_epoch=self.leader_epoch, now_ms=self.clock.ms)
        assert not info.duplicate
        self.remember(batch, info.first_offset, self.clock.ms)
        self.next_sequence[producer] = sequence + count
        if transactional:
            self.in_transaction.setdefault(producer, info.first_offset)

    @rule(choice=st.randoms(use_true_random=False))
    def append_again(self, choice: random.Random) -> None:
        """The last batch of a producer, once more, is recognised whatever happened in between."""
        last: dict[int, KnownBatch] = {
            batch.producer_id: batch for batch in self.batches if batch.producer_id >= 0 and not batch.marker
        }
        if last:
            batch = last[choice.choice(sorted(last))]
            if batch.last_offset < self.log_start:
                return
            again = bytearray(batch.data)
            again[:8] = bytes(8)
            info = append(self.log, again, leader_epoch=self.leader_epoch, now_ms=self.clock.ms)
            assert info.duplicate
            assert (info.first_offset, info.last_offset) == (batch.first_offset, batch.last_offset)

    @rule(producer=st.integers(1, 3), gap=st.integers(1, 5))
    def append_out_of_order(self, producer: int, gap: int) -> None:
        if self.last_sequence(producer) is None:
            return
        batch = batch_of(
            1,
            producer_id=producer,
            producer_epoch=0,
            base_sequence=self.next_sequence[producer] + gap,
            is_transactional=producer in self.in_transaction,
        )
        with pytest.raises(ApiError, match="OUT_OF_ORDER_SEQUENCE_NUMBER"):
            append(self.log, batch, leader_epoch=self.leader_epoch, now_ms=self.clock.ms)

    @precondition(lambda self: self.in_transaction)
    @rule(committed=st.booleans(), choice=st.randoms(use_true_random=False))
    def end_transaction(self, committed: bool, choice: random.Random) -> None:
        producer = choice.choice(sorted(self.in_transaction))
        info = append_marker(self.log, producer, committed=committed, leader_epoch=self.leader_epoch)
        del self.in_transaction[producer]
        data = self.read_raw(info.first_offset)
        self.batches.append(
            KnownBatch(
                data,
                info.first_offset,
                info.last_offset,
                NOW_MS,
                NOW_MS,
                producer,
                marker="commit" if committed else "abort",
            )
        )

    @rule(count=st.integers(1, 3))
    def append_as_follower(self, count: int) -> None:
        batches = bytearray()
        offset = self.end
        for _ in range(count):
            batch = batch_of(2, base_offset=offset, leader_epoch=self.leader_epoch, timestamp=self.clock.ms)
            batches += batch
            self.remember(batch, offset, self.clock.ms)
            offset += 2
        info = self.log.append_as_follower(memoryview(batches), self.clock.ms)
        assert info.last_offset == offset - 1

    @rule()
    def next_leader(self) -> None:
        self.leader_epoch += 1

    @rule()
    def roll(self) -> None:
        self.log.roll()

    def remember(self, batch: bytearray, first_offset: int, timestamp: int) -> None:
        header = read_header(batch)
        self.batches.append(
            KnownBatch(
                bytes(batch),
                first_offset,
                first_offset + header.last_offset_delta,
                timestamp,
                header.max_timestamp,
                header.producer_id,
                header.base_sequence,
                header.last_sequence,
                header.is_transactional,
            )
        )

    def read_raw(self, offset: int) -> bytes:
        return read_bytes(self.log.read(offset, 1, upper_bound=self.end, min_one_message=True))

    # -- syncing, cutting, deleting -----------------------------------------------------------------------------------

    @rule()
    def flush(self) -> None:
        flush(self.log)
        self.synced()

    def synced(self) -> None:
        assert self.log.recovery_point == self.end
        self.synced_end = self.recovery_checkpoint = self.end

    @rule(choice=st.randoms(use_true_random=False))
    def write_while_flushing(self, choice: random.Random) -> None:
        job = self.log.flush_job()
        promised = self.end
        for _ in range(choice.randint(0, 4)):
            self.append_plain(1, choice.randint(0, 500), 0)
        if job is not None:
            assert self.log.flush_job() is None
            job.run()
            job.done()
        assert self.log.recovery_point >= promised
        self.synced_end = self.recovery_checkpoint = self.log.recovery_point

    @rule(choice=st.randoms(use_true_random=False))
    def truncate(self, choice: random.Random) -> None:
        if not self.batches:
            return
        batch = choice.choice(self.batches)
        target = max(batch.first_offset, self.log_start)
        if target != batch.first_offset:
            return
        self.log.truncate_to(target)
        self.batches = [one for one in self.batches if one.last_offset < target]
        self.least_end = target
        self.forget_producers_after_cut()
        flush(self.log)
        self.synced()

    @rule(choice=st.randoms(use_true_random=False))
    def delete_records(self, choice: random.Random) -> None:
        self.log.advance_high_watermark(self.end)
        offset = choice.randint(self.log_start, self.end)
        self.log.advance_log_start_offset(offset)
        gone = self.log.delete_segments_before(offset)
        assert all(path.endswith(".deleted") for path in gone)
        if choice.random() < 0.5:
            for path in gone:
                self.files.remove(path)
        self.log_start = offset

    def forget_producers_after_cut(self) -> None:
        """The model's producers are those of the batches that are left."""
        self.next_sequence.clear()
        self.in_transaction.clear()
        for batch in self.batches:
            if batch.marker:
                self.in_transaction.pop(batch.producer_id, None)
            elif batch.producer_id >= 0:
                self.next_sequence[batch.producer_id] = batch.last_sequence + 1
                if batch.is_transactional:
                    self.in_transaction.setdefault(batch.producer_id, batch.first_offset)

    def last_sequence(self, producer: int) -> int | None:
        sequences = [
            batch.last_sequence
            for batch in self.batches
            if batch.producer_id == producer and not batch.marker and batch.last_offset >= self.log_start
        ]
        return sequences[-1] if sequences else None

    # -- stopping and starting ----------------------------------------------------------------------------------------

    @rule()
    def restart_cleanly(self) -> None:
        self.log.close()
        self.reopen(clean_shutdown=True)
        assert self.log.log_end_offset == self.model_end()
        self.synced_end = self.recovery_checkpoint = self.end

    @rule(choice=st.randoms(use_true_random=False))
    def restart_with_bad_indexes(self, choice: random.Random) -> None:
        """No record may be lost because of an index, not even when the stop looked clean."""
        self.log.close()
        for name in self.files.list(self.directory):
            if name.endswith(("index", ".snapshot")) and choice.random() < 0.5:
                path = os.path.join(self.directory, name)
                if choice.random() < 0.3:
                    self.files.remove(path)
                else:
                    size = len(self.files.read(path))
                    self.files.replace(path, choice.randbytes(choice.choice((0, size, size + 5))))
        end = self.model_end()
        self.reopen(clean_shutdown=choice.random() < 0.5)
        assert self.log.log_end_offset == end
        assert [data for _, data in read_all(self.log)] == self.expected_bytes()
        # What the disk holds now is not what the model's rules about indexes speak of: begin with good ones.
        self.log.close()
        self.recovery_checkpoint = 0
        self.reopen(clean_shutdown=False)
        self.flush()

    def reopen(self, *, clean_shutdown: bool) -> None:
        self.log = open_log(
            self.files,
            self.directory,
            CONFIG,
            clean_shutdown=clean_shutdown,
            recovery_point=self.recovery_checkpoint,
            log_start_offset=self.log_start,
            clock=self.clock,
        )
        if not self.in_transaction and not self.batches:
            self.next_sequence.clear()

    def model_end(self) -> int:
        written = self.batches[-1].last_offset + 1 if self.batches else 0
        return max(written, self.log_start, self.least_end)

    def after_power_loss(self) -> None:
        """Whatever was synced is there; of the rest some, in order, and nothing that was not written.

        A rolled segment may have lost its end while the next one is there: as with Kafka, the offsets then have a gap.
        """
        assert self.log.log_end_offset >= max(self.synced_end, self.log_start)
        left = {header.base_offset: data for header, data in read_all(self.log)}
        known = {batch.first_offset: batch.data for batch in self.batches}
        assert left.items() <= known.items()
        self.batches = [
            one for one in self.batches if one.first_offset in left or one.last_offset < self.log_start
        ]
        assert {
            first for first, data in known.items() if self.log_start <= first < self.synced_end
        } <= left.keys()
        self.least_end = self.log.log_end_offset
        self.forget_producers_after_cut()
        self.recovery_checkpoint = self.log.recovery_point

    # -- what is always true ------------------------------------------------------------------------------------------

    def expected_bytes(self) -> list[bytes]:
        return [self.stamped(batch) for batch in self.batches if batch.last_offset >= self.log_start]

    @staticmethod
    def stamped(batch: KnownBatch) -> bytes:
        return batch.data

    @rule(max_bytes=st.integers(1, 5000))
    def read_everything(self, max_bytes: int) -> None:
        assert [data for _, data in read_all(self.log, max_bytes=max_bytes)] == self.expected_bytes()

    @rule(choice=st.randoms(use_true_random=False))
    def read_somewhere(self, choice: random.Random) -> None:
        if self.end == self.log_start:
            return
        offset = choice.randrange(self.log_start, self.end)
        bounds = [batch.last_offset + 1 for batch in self.batches if batch.last_offset >= self.log_start]
        bound = choice.choice(bounds) if bounds else self.end
        max_bytes = choice.randint(1, 3000)
        found = self.log.read(offset, max_bytes, upper_bound=bound, min_one_message=choice.random() < 0.5)
        headers = [header for _, header in iter_headers(read_bytes(found))]
        assert all(header.last_offset < bound for header in headers)
        assert found.bytes <= max_bytes or len(headers) == 1
        if headers:
            assert offset <= headers[0].last_offset
            assert not any(offset <= one.last_offset < headers[0].base_offset for one in self.batches)
            assert found.next_offset == headers[-1].next_offset

    @rule(choice=st.randoms(use_true_random=False))
    def look_up_a_time(self, choice: random.Random) -> None:
        wanted = self.clock.ms - choice.randint(-20, 400)
        expected = None
        for batch in self.batches:
            for place in range(batch.last_offset - batch.first_offset + 1):
                offset, timestamp = batch.first_offset + place, batch.first_timestamp + place
                if expected is None and timestamp >= wanted and offset >= self.log_start:
                    expected = (timestamp, offset)
        found = self.log.offset_for_timestamp(wanted, self.end)
        assert (found and (found.timestamp, found.offset)) == expected

    @rule()
    def look_up_the_largest_time(self) -> None:
        visible = [batch for batch in self.batches if batch.first_offset >= self.log_start]
        found = self.log.offset_of_max_timestamp(self.end)
        if visible and len(visible) == len(self.batches):
            assert found is not None
            assert found.timestamp == max(batch.last_timestamp for batch in visible)

    @invariant()
    def offsets_agree(self) -> None:
        if hasattr(self, "log"):
            assert self.log.log_end_offset == self.model_end()
            assert self.log.log_start_offset == self.log_start
            assert self.log.recovery_point <= self.log.log_end_offset
            assert self.log.high_watermark <= self.log.log_end_offset

    @invariant()
    def producers_agree(self) -> None:
        if hasattr(self, "log"):
            for producer in self.next_sequence:
                last = self.last_sequence(producer)
                if last is not None:
                    assert self.log.producers.entries[producer].last_sequence == last
            undecided = [first for first in self.in_transaction.values() if first >= self.log_start]
            if undecided and len(undecided) == len(self.in_transaction):
                assert self.log.last_stable_offset <= min(undecided)

    @invariant()
    def aborted_transactions_are_known(self) -> None:
        if hasattr(self, "log"):
            aborted = [batch.last_offset for batch in self.batches if batch.marker == "abort"]
            found = {one.last_offset for one in self.log.aborted_transactions(self.log_start, self.end)}
            assert {offset for offset in aborted if offset >= self.log_start} <= found | self.empty_aborts()

    def empty_aborts(self) -> set[int]:
        """Markers of transactions whose records were all deleted may be missing."""
        return {batch.last_offset for batch in self.batches if batch.marker and self.log_start > 0}


class LifeOnARealDisk(LifeOfALog):
    def make_disk(self) -> None:
        self.root = tempfile.mkdtemp(prefix="snakka-")
        self.files = OsFiles([self.root], open_files=16)
        self.directory = os.path.join(self.root, "topic-0")

    @rule(choice=st.randoms(use_true_random=False))
    def kill(self, choice: random.Random) -> None:
        """kill -9: what was written stays, the last write may be torn."""
        position = self.log.active.size
        path = self.log.active.log.path
        self.log.abandon()
        torn = choice.random() < 0.5
        if torn:
            data = bytes(batch_of(3, size=50, base_offset=self.end, leader_epoch=0))
            with open(path, "r+b") as file:
                file.seek(position)
                file.write(data[: choice.randint(1, len(data) - 1)])
        end = self.model_end()
        self.reopen(clean_shutdown=False)
        assert self.log.log_end_offset == end
        self.after_power_loss()

    def teardown(self) -> None:
        if hasattr(self, "log"):
            self.log.close()
            shutil.rmtree(self.root)


class LifeOnASimulatedDisk(LifeOfALog):
    def make_disk(self) -> None:
        self.simulated = SimulatedFiles(("/data",))
        self.files = self.simulated
        self.simulated.make_directory("/data")
        self.simulated.sync_directory("/")
        self.directory = "/data/topic-0"

    @rule(choice=st.randoms(use_true_random=False))
    def lose_power(self, choice: random.Random) -> None:
        self.simulated.crash(choice)
        self.reopen(clean_shutdown=False)
        self.after_power_loss()


LIVES = settings(
    max_examples=150,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestLifeOnARealDisk = LifeOnARealDisk.TestCase
# Each flush really waits for the disk.
TestLifeOnARealDisk.settings = settings(LIVES, max_examples=40)
TestLifeOnASimulatedDisk = LifeOnASimulatedDisk.TestCase
TestLifeOnASimulatedDisk.settings = LIVES
