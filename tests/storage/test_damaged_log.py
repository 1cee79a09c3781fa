"""One bit of a closed log is flipped: what comes back is what was written, or an error, whatever the bit was for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from log_workshop import NOW_MS, append, append_marker, batch_of, open_log

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import iter_headers
from snakka.storage.files import OsFiles
from snakka.storage.log_config import LogConfig
from snakka.storage.partition_log import PartitionLog

BATCHES = 12
RECORDS = 3
END = BATCHES * RECORDS
CONFIG = LogConfig(segment_bytes=700, index_interval_bytes=150)
# These lie before what the checksum covers: offset, length and magic; and the epoch of the leader.
PLACE_AND_FORM = [*range(12), 16]
LEADER_EPOCH = range(12, 16)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    log = open_log(OsFiles(), str(tmp_path), CONFIG)
    for number in range(BATCHES):
        append(log, batch_of(RECORDS, size=20, timestamp=NOW_MS + 1000 * number), leader_epoch=number // 5)
    log.close()
    assert len(list(tmp_path.glob("*.log"))) >= 3
    return tmp_path


def reopened(directory: Path) -> PartitionLog:
    return open_log(OsFiles(), str(directory), CONFIG, clean_shutdown=True, recovery_point=END)


def flips(path: Path, places: range | list[int]) -> Iterator[int]:
    """The file with one bit flipped at each of `places` in turn, and the whole directory as it was in between."""
    whole = {one: one.read_bytes() for one in path.parent.iterdir()}
    for number, place in enumerate(places):
        data = bytearray(whole[path])
        data[place] ^= 0x40 if number % 2 else 0x01
        path.write_bytes(data)
        yield place
        for one in path.parent.iterdir():
            if one not in whole:
                one.unlink()
        for one, content in whole.items():
            one.write_bytes(content)


def read_all(log: PartitionLog) -> dict[int, bytes]:
    """Every batch, found from each of its offsets, and by going through the log; none where a reader is refused."""
    found: dict[int, bytes] = {}
    refusals: set[ErrorCode] = set()
    for first in range(log.log_start_offset, log.log_end_offset):
        offset = first
        while offset < log.log_end_offset:
            try:
                got = log.read(
                    offset, 10_000 if first == 0 else 1, upper_bound=log.log_end_offset, min_one_message=True
                )
            except ApiError as error:
                refusals.add(error.code)
                break
            assert not isinstance(got.records, bytes), f"nothing at {offset}, and no error"
            data = got.records.read_blocking(0, len(got.records))
            for position, header in iter_headers(data):
                batch = data[position : position + header.size]
                assert found.setdefault(header.base_offset, batch) == batch
                assert header.base_offset <= offset <= header.last_offset, "an offset was passed over"
                offset = header.next_offset
            if first:
                break
    assert refusals <= {ErrorCode.CORRUPT_MESSAGE}
    return found


def test_nothing_is_served_under_another_offset_and_nothing_is_passed_over(directory: Path) -> None:
    truth = read_all(reopened(directory))
    assert len(truth) == BATCHES
    refused = 0
    for path in sorted(directory.glob("*.log")):
        for position, header in list(iter_headers(path.read_bytes())):
            for _ in flips(path, [position + place for place in PLACE_AND_FORM]):
                found = read_all(reopened(directory))
                assert found.items() <= truth.items()
                assert header.base_offset not in found
                refused += BATCHES - len(found)
    assert refused > 0


@pytest.mark.parametrize("bit", range(8))
@pytest.mark.parametrize("place", [0, 6, 7])
def test_a_first_batch_before_its_segment_is_not_passed_over(directory: Path, place: int, bit: int) -> None:
    truth = read_all(reopened(directory))
    for path in sorted(directory.glob("*.log")):
        content = path.read_bytes()
        data = bytearray(content)
        data[place] ^= 1 << bit
        path.write_bytes(data)
        found = read_all(reopened(directory))
        assert found.items() <= truth.items()
        assert int(path.stem) not in found
        path.write_bytes(content)


def test_a_leader_epoch_that_goes_back_is_refused(directory: Path) -> None:
    """One that grew too early has no witness; all else about such a batch is right."""
    first = min(directory.glob("*.log"))
    (_, _), (position, header), *_ = iter_headers(first.read_bytes())
    for _ in flips(first, [position + place for place in LEADER_EPOCH]):
        assert header.base_offset not in read_all(reopened(directory))


def test_a_damaged_offset_is_cut_off_by_recovery(directory: Path) -> None:
    truth = read_all(reopened(directory))
    first = min(directory.glob("*.log"))
    (_, _), (position, header), *_ = iter_headers(first.read_bytes())
    for _ in flips(first, [position + 7]):
        log = open_log(OsFiles(), str(directory), CONFIG, clean_shutdown=False)
        assert log.log_end_offset == header.base_offset
        assert read_all(log).items() <= truth.items()


@pytest.mark.parametrize("kind", [".index", ".timeindex"])
@pytest.mark.parametrize("clean", [True, False])
def test_a_damaged_index_changes_no_answer(directory: Path, kind: str, clean: bool) -> None:
    log = reopened(directory)
    truth = read_all(log)
    ages = [facts.largest_timestamp for facts in log.segment_facts()]
    for path in sorted(directory.glob("*" + kind)):
        for _ in flips(path, range(path.stat().st_size)):
            log = open_log(OsFiles(), str(directory), CONFIG, clean_shutdown=clean, recovery_point=END)
            assert read_all(log) == truth
            assert [facts.largest_timestamp for facts in log.segment_facts()] == ages
            for number in range(BATCHES):
                found = log.offset_for_timestamp(NOW_MS + 1000 * number, END)
                assert found is not None
                assert found.offset == number * RECORDS


@pytest.mark.parametrize("clean", [True, False])
def test_a_damaged_index_of_transactions_changes_no_answer(tmp_path: Path, clean: bool) -> None:
    log = open_log(OsFiles(), str(tmp_path), CONFIG)
    for number in range(6):
        producer_id = 70 + number % 2
        batch = batch_of(
            2,
            size=20,
            producer_id=producer_id,
            producer_epoch=0,
            base_sequence=number // 2 * 2,
            is_transactional=True,
        )
        append(log, batch)
        append_marker(log, producer_id, committed=number % 3 == 0)
    end = log.log_end_offset
    log.advance_high_watermark(end)
    truth = [one[:3] for one in log.aborted_transactions(0, end)]
    assert len(truth) == 4
    log.close()
    indexes = sorted(tmp_path.glob("*.txnindex"))
    assert indexes
    for path in indexes:
        for place in flips(path, range(0, path.stat().st_size, 3)):
            log = open_log(OsFiles(), str(tmp_path), CONFIG, clean_shutdown=clean, recovery_point=end)
            assert [one[:3] for one in log.aborted_transactions(0, end)] == truth, place


def test_a_damaged_recovery_point_costs_time_only(directory: Path) -> None:
    truth = read_all(reopened(directory))
    for recovery_point in (1, END - 5, END + 7, 1 << 40):
        log = open_log(OsFiles(), str(directory), CONFIG, clean_shutdown=True, recovery_point=recovery_point)
        assert log.log_end_offset == END
        assert read_all(log) == truth
