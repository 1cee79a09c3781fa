"""What a cleaning keeps: by example, and against a model of random histories."""

import asyncio
import json
import random
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from compaction_harness import CONFIG, RETENTION_MS, Harness, materialized
from hypothesis import example, given, settings
from hypothesis import strategies as st

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record, read_records
from snakka.protocol.compression import Compression
from snakka.protocol.record_batch import HEADER_SIZE, stamp_crc
from snakka.storage.cleaner import CleaningJob, CleaningResult, Throttle
from snakka.storage.compactor import CleanerSettings


def keys_and_offsets(harness: Harness) -> list[tuple[bytes | None, int]]:
    return [(record.key, record.offset) for record in harness.records()]


async def test_the_last_value_of_each_key_stays_where_it_is(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1"), (b"b", b"1"), (b"c", b"1")])
    harness.append([(b"a", b"2"), (b"d", b"1")])
    harness.append([(b"b", b"2")])
    assert await harness.clean() == 6
    assert keys_and_offsets(harness) == [(b"c", 2), (b"a", 3), (b"d", 4), (b"b", 5)]
    first = harness.batches()[0].header
    assert (first.base_offset, first.last_offset, first.count) == (0, 2, 1), "the batch keeps its offsets"
    assert harness.log.log_end_offset == 6
    # Reading from an offset that is gone begins at the next one that is there.
    assert harness.log.read(0, 10_000, upper_bound=6, min_one_message=True).bytes > 0


async def test_what_was_cleaned_before_gives_way_to_newer_values(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1"), (b"b", b"1")])
    await harness.clean()
    harness.append([(b"a", b"2")])
    assert await harness.clean() == 3
    assert keys_and_offsets(harness) == [(b"b", 1), (b"a", 2)]
    assert len(harness.log.segments) == 2, "small segments become one, beside the active one"


@pytest.mark.parametrize("codec", list(Compression))
async def test_every_codec(tmp_path: Path, codec: Compression) -> None:
    harness = Harness(tmp_path, config=replace(CONFIG, segment_bytes=100_000))
    for turn in range(5):
        harness.append([(b"%d" % key, b"%d" % turn * 100) for key in range(turn, 20)], compression=codec)
    expected = materialized(list(harness.written.values()))
    await harness.clean()
    assert harness.view() == expected
    assert {batch.header.compression for batch in harness.batches()} == {codec}
    assert len(harness.records()) == 20


async def test_records_without_a_key_go(tmp_path: Path) -> None:
    """They came while the topic was not compacted."""
    harness = Harness(tmp_path)
    harness.log.config = replace(CONFIG, compact=False)
    harness.append([(None, b"x"), (b"a", b"1"), (None, b"y")])
    harness.log.config = CONFIG
    await harness.clean()
    assert keys_and_offsets(harness) == [(b"a", 1)]


async def test_a_tombstone_stays_for_its_time_and_then_goes(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1"), (b"b", b"1")])
    harness.append([(b"a", None)])
    harness.append([(b"z", b"1")])
    await harness.clean()
    assert keys_and_offsets(harness) == [(b"b", 1), (b"a", 2), (b"z", 3)]
    (tombstone,) = [batch for batch in harness.batches() if batch.header.base_offset == 2]
    assert tombstone.header.delete_horizon_ms == harness.clock.ms + RETENTION_MS
    assert next(read_records(tombstone.data)) == harness.written[2], "the horizon changes no record's time"

    harness.clock.ms += RETENTION_MS - 1
    harness.append([(b"y", b"1")])
    await harness.clean()
    assert (b"a", 2) in keys_and_offsets(harness)
    (again,) = [batch for batch in harness.batches() if batch.header.base_offset == 2]
    assert again.header.delete_horizon_ms == tombstone.header.delete_horizon_ms, "the horizon is set once"

    harness.clock.ms += 1
    harness.append([(b"x", b"1")])
    await harness.clean()
    assert keys_and_offsets(harness) == [(b"b", 1), (b"z", 3), (b"y", 4), (b"x", 5)]


async def test_aborted_records_go_at_once_and_their_marker_later(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"good")])
    harness.append([(b"a", b"bad")], producer_id=7, in_transaction=True)
    harness.end_transaction(7, committed=False)
    harness.append([(b"b", b"good")], producer_id=7, in_transaction=True)
    harness.end_transaction(7, committed=True)
    harness.append([(b"c", b"1")])

    def markers() -> list[int]:
        return [batch.header.base_offset for batch in harness.batches() if batch.header.is_control]

    await harness.clean()
    assert keys_and_offsets(harness) == [(b"a", 0), (b"b", 3), (b"c", 5)]
    assert markers() == [2, 4], "records of both transactions were met"
    assert [one.first_offset for one in harness.log.aborted_transactions(0, 6)] == [1]

    harness.append([(b"b", b"other")])
    await harness.clean()
    assert markers() == [2, 4], "the horizon of the aborted one is set, the committed one's record was met"
    assert harness.log.aborted_transactions(0, 7) == []

    harness.clock.ms += RETENTION_MS
    harness.append([(b"d", b"1")])
    await harness.clean()
    assert markers() == [4], (
        "the abort has passed its horizon; the commit has a record, emptied for its producer"
    )

    harness.log.expire_producers(harness.clock.ms + 10, 1)
    for turn in (b"3", b"4", b"5"):
        harness.clock.ms += RETENTION_MS
        harness.append([(b"e", turn)])
        await harness.clean()
    assert markers() == []
    assert harness.view() == {b"a": b"good", b"b": b"other", b"c": b"1", b"d": b"1", b"e": b"5"}


async def test_a_marker_outlives_every_horizon_while_a_record_of_its_transaction_is_left(
    tmp_path: Path,
) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1")], producer_id=7, in_transaction=True)
    harness.end_transaction(7, committed=True)
    for number in range(4):
        harness.clock.ms += RETENTION_MS
        harness.append([(b"b", b"%d" % number)])
        await harness.clean()
    assert [batch.header.base_offset for batch in harness.batches() if batch.header.is_control] == [1]
    harness.drop_snapshots()
    harness.crash_and_reopen()
    assert harness.log.last_stable_offset == harness.log.log_end_offset
    assert harness.view() == {b"a": b"1", b"b": b"3"}


async def test_open_transactions_are_not_touched(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1")])
    harness.log.roll()
    harness.append([(b"a", b"2")], producer_id=3, in_transaction=True)
    harness.append([(b"a", b"3")])
    assert await harness.clean() == 1, "not past the last stable offset"
    assert [offset for _, offset in keys_and_offsets(harness)] == [0, 1, 2]
    harness.end_transaction(3, committed=False)
    await harness.clean()
    assert keys_and_offsets(harness) == [(b"a", 2)]


async def test_an_active_producer_keeps_its_sequence(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1"), (b"b", b"1")], producer_id=5)
    harness.append([(b"a", b"2")], producer_id=5)
    harness.append([(b"a", b"3"), (b"b", b"3")])
    await harness.clean()
    empty = [batch.header for batch in harness.batches() if not batch.header.count]
    assert [(header.base_offset, header.producer_id, header.last_sequence) for header in empty] == [(2, 5, 2)]

    harness.drop_snapshots()
    harness.crash_and_reopen()
    assert harness.log.producers.entries[5].last_sequence == 2
    harness.append([(b"c", b"1")], producer_id=5)

    # Another batch is the producer's last now, so the empty one is not needed any more.
    await harness.clean()
    assert all(batch.header.count for batch in harness.batches())


async def test_the_last_batch_of_a_round_stays_so_that_the_end_is_known(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1")], producer_id=1, in_transaction=True)
    harness.end_transaction(1, committed=False)
    harness.clock.ms += RETENTION_MS
    harness.log.expire_producers(harness.clock.ms * 2, 1)
    for _ in range(4):
        harness.clock.ms += RETENTION_MS
        await harness.clean()
    assert [batch.header.last_offset for batch in harness.batches()] == [1]


async def test_garbage_inside_a_valid_checksum_is_kept_and_named(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.log.config = replace(CONFIG, compact=False)
    harness.append([(b"a", b"1")])
    garbage = build_batch([Record(0, harness.clock.ms, b"a", b"2" * 50)])
    garbage[HEADER_SIZE:] = random.Random(1).randbytes(len(garbage) - HEADER_SIZE)
    stamp_crc(garbage, 0)
    harness.append_batch(garbage)
    harness.append([(b"a", b"3")])
    harness.log.config = CONFIG
    await harness.clean()
    assert [batch.header.base_offset for batch in harness.batches()] == [1, 2]
    assert harness.batches()[0].data[HEADER_SIZE:] == garbage[HEADER_SIZE:]
    assert harness.compactor.cleanings == 1


async def test_a_wrong_checksum_is_not_made_right(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1"), (b"b", b"1")])
    harness.append([(b"a", b"2")])
    harness.log.roll()
    harness.damage(0, HEADER_SIZE + 3, 0xEE)
    before = harness.batches()
    await harness.clean()
    assert harness.batches() == before


async def test_a_log_that_contradicts_itself_is_left_alone(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    harness.append([(b"a", b"1")])
    size = harness.log.active.size
    harness.append([(b"a", b"2")])
    harness.log.roll()
    harness.damage(0, size + 16, 9)
    before = harness.stored()
    await harness.clean()
    assert ("topic", 0) in harness.compactor.uncleanable
    assert harness.stored() == before
    assert not await harness.compactor.clean_dirtiest(), "it is not tried again"
    assert not [name for name in harness.files.list(harness.directory) if "clean" in name]


async def test_a_full_map_cleans_in_several_rounds(tmp_path: Path) -> None:
    harness = Harness(tmp_path, settings=CleanerSettings(key_map_bytes=24 * 12))
    for turn in range(4):
        for key in range(20):
            harness.append([(b"%d" % key, b"%d" % turn)])
    expected = materialized(list(harness.written.values()))
    ends = [await harness.clean()]
    while await harness.compactor.clean_dirtiest():
        ends.append(harness.clean_end)
        assert harness.view() == expected
    assert ends == sorted(set(ends)), "each round comes further"
    assert len(ends) > 2
    assert ends[-1] == 80
    assert len(harness.records()) == 20


async def test_log_append_time_survives(tmp_path: Path) -> None:
    harness = Harness(tmp_path, config=replace(CONFIG, log_append_time=True))
    harness.append([(b"a", b"1"), (b"b", None), (b"c", b"1")], timestamp=5)
    harness.clock.ms += 10
    harness.append([(b"a", b"2")], timestamp=5)
    await harness.clean()
    assert [(record.key, record.timestamp - harness.clock.ms) for record in harness.records()] == [
        (b"b", -10),
        (b"c", -10),
        (b"a", 0),
    ]


async def test_indexes_of_a_cleaned_segment_find_everything(tmp_path: Path) -> None:
    harness = Harness(tmp_path, config=replace(CONFIG, segment_bytes=100_000))
    for number in range(300):
        harness.clock.ms += 10
        harness.append([(b"%d" % (number % 250), b"%d" % number)])
    await harness.clean()
    segment = harness.log.segments[0]
    assert segment.offset_index.count > 50
    assert segment.time_index.count > 50
    for record in harness.records():
        found = harness.log.offset_for_timestamp(record.timestamp, 300)
        assert found is not None
        assert found.offset == record.offset
        read = harness.log.read(record.offset, 1, upper_bound=300, min_one_message=True)
        assert not isinstance(read.records, bytes)
        assert next(read_records(read.records.read_blocking(0, read.bytes))) == record


def test_jobs_and_results_survive_being_written_down() -> None:
    job = CleaningJob("d", "r", [], [5], 1, 2, 3, 4, 5, 6, 7, 8, 9, 0.5, float("inf"), {7: [1, 2]})
    assert CleaningJob.decode(job.encode()) == job
    result = CleaningResult(5, strange_batches=[1])
    assert CleaningResult.decode(result.encode()) == result
    assert json.loads(result.encode())["end_offset"] == 5


def test_the_throttle_waits_for_what_is_too_fast() -> None:
    waits: list[float] = []
    throttle = Throttle(1000.0, waits.append)
    for _ in range(10):
        throttle.count(100)
    assert sum(waits) > 0.9 * waits[-1] > 0.5
    unlimited = Throttle(float("inf"), waits.append)
    count = len(waits)
    unlimited.count(10**12)
    assert len(waits) == count


KEYS = st.sampled_from([b"a", b"b", b"c", b"d", b"e"])
PAIRS = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=30)), min_size=1, max_size=5)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), PAIRS, st.sampled_from([-1, 1]), st.sampled_from(list(Compression))),
        st.tuples(st.just("transact"), PAIRS, st.sampled_from([2, 3]), st.sampled_from(list(Compression))),
        st.tuples(st.just("end"), st.sampled_from([2, 3]), st.booleans()),
        st.tuples(st.just("wait"), st.sampled_from([1, RETENTION_MS // 2, RETENTION_MS])),
        st.tuples(st.just("roll")),
        st.tuples(st.just("clean")),
        st.tuples(st.just("expire")),
        st.tuples(st.just("crash")),
    ),
    min_size=5,
    max_size=60,
)

MARKERS_OF_NOTHING: list[tuple[object, ...]] = [
    ("end", 2, False),
    ("append", [(b"a", None)], -1, Compression.NONE),
    ("clean",),
    ("wait", RETENTION_MS // 2),
    ("append", [(b"a", None)], -1, Compression.NONE),
    ("wait", RETENTION_MS // 2),
    ("clean",),
]


class History:
    """The model: everything that was written, and what became of each transaction."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.open: dict[int, list[int]] = {}
        self.aborted: set[int] = set()
        self.first_cleaned_ms: dict[int, int] = {}
        self.producer_ids: dict[int, int] = {}

    async def do(self, operation: tuple[object, ...]) -> None:
        harness = self.harness
        match operation:
            case ("append", list(pairs), int(client), Compression() as codec):
                producer_id = self.producer_ids.get(client, client)
                harness.append(pairs, producer_id=producer_id, compression=codec)
            case ("transact", list(pairs), int(client), Compression() as codec):
                producer_id = self.producer_ids.get(client, client)
                first = harness.append(pairs, producer_id=producer_id, compression=codec, in_transaction=True)
                self.open.setdefault(producer_id, []).extend(range(first, first + len(pairs)))
            case ("end", int(client), bool(committed)):
                producer_id = self.producer_ids.get(client, client)
                harness.end_transaction(producer_id, committed=committed)
                offsets = self.open.pop(producer_id, [])
                if not committed:
                    self.aborted.update(offsets)
            case ("wait", int(time_ms)):
                harness.clock.ms += time_ms
            case ("roll",):
                harness.log.roll()
            case ("clean",):
                for offset in range(await harness.clean()):
                    self.first_cleaned_ms.setdefault(offset, harness.clock.ms)
            case ("expire",):
                # Clients whose producer was forgotten come back with another id.
                known = set(harness.log.producers.entries)
                harness.log.expire_producers(harness.clock.ms, 1)
                for gone in known - set(harness.log.producers.entries):
                    self.producer_ids[gone % 100] = gone + 100
            case ("crash",):
                harness.crash_and_reopen()
        self.check()

    def check(self) -> None:
        harness = self.harness
        left = harness.records()
        offsets = [record.offset for record in left]
        assert offsets == sorted(set(offsets))
        assert all(record == harness.written[record.offset] for record in left), "no record ever changes"
        if not self.open:
            assert harness.log.last_stable_offset == harness.log.log_end_offset, "no transaction is left open"
        undecided = {offset for transaction in self.open.values() for offset in transaction}
        committed = [
            record
            for offset, record in harness.written.items()
            if offset not in self.aborted
            and offset not in undecided
            and offset < harness.log.last_stable_offset
        ]
        assert harness.view() == materialized(committed)
        last = {record.key: record for record in committed}
        missing = [record for record in last.values() if record.offset not in set(offsets)]
        for record in missing:
            assert record.value is None, "only a tombstone may go although it is the last of its key"
            assert harness.clock.ms - self.first_cleaned_ms[record.offset] >= RETENTION_MS
        clean = [record for record in left if record.offset < harness.clean_end]
        assert not [record for record in clean if record.offset in self.aborted]
        assert len({record.key for record in clean}) == len(clean), "one record of each key in the clean part"


@settings(max_examples=60, deadline=None)
@given(operations=OPERATIONS)
@example(operations=MARKERS_OF_NOTHING)
def test_any_history_keeps_its_meaning(operations: list[tuple[object, ...]]) -> None:
    async def run(directory: str) -> None:
        history = History(Harness(Path(directory)))
        for operation in operations:
            await history.do(operation)
        # What the producers have written last is found again from the log alone. One who never wrote anything is known by
        # his markers only, and forgotten with them, as in Kafka.
        harness = history.harness
        before = {producer: entry.last_sequence for producer, entry in harness.log.producers.entries.items()}
        harness.drop_snapshots()
        harness.crash_and_reopen()
        after = {producer: entry.last_sequence for producer, entry in harness.log.producers.entries.items()}
        assert {producer: last for producer, last in before.items() if last >= 0}.items() <= after.items()
        history.check()
        await harness.runtime.close()

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(run(directory))
