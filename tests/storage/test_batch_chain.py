"""What a process has not written itself is walked before it is served: how much of it at once, and not again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from log_workshop import append, batch_of, open_log

from snakka.protocol.errors import ApiError
from snakka.protocol.record_batch import iter_headers
from snakka.storage.files import OsFiles
from snakka.storage.partition_log import LogRead, PartitionLog

MEBIBYTE = 1 << 20
MOST_BYTES = 4 * MEBIBYTE
MOST_BATCHES = 4096


def written(directory: Path, batches: int, size: int) -> PartitionLog:
    """A log of one segment that an earlier process has closed."""
    log = open_log(OsFiles(), str(directory))
    for _ in range(batches):
        append(log, batch_of(1, size=size))
    log.close()
    return reopened(directory)


def reopened(directory: Path) -> PartitionLog:
    return open_log(OsFiles(), str(directory), clean_shutdown=True)


def read(log: PartitionLog, offset: int) -> LogRead:
    return log.read(offset, 100 * MEBIBYTE, upper_bound=log.log_end_offset, min_one_message=True)


def reads(log: PartitionLog) -> Iterator[LogRead]:
    offset = 0
    while offset < log.log_end_offset:
        found = read(log, offset)
        assert found.first_offset == offset
        yield found
        offset = found.next_offset


def test_large_batches_come_in_large_parts_and_at_once_when_all_was_walked(tmp_path: Path) -> None:
    log = written(tmp_path, 16, MEBIBYTE - 1000)
    parts = [found.bytes for found in reads(log)]
    assert len(parts) == 4
    assert max(parts) <= MOST_BYTES
    (whole,) = reads(log)
    assert whole.bytes == sum(parts) == log.active.size


def test_a_part_that_was_walked_does_not_speak_for_the_rest(tmp_path: Path) -> None:
    log = written(tmp_path, 12, MEBIBYTE - 1000)
    assert read(log, 4).next_offset == 8
    assert read(log, 8).next_offset == 12
    assert [found.next_offset for found in reads(log)] == [4, 8, 12]


def test_small_batches_come_as_many_as_can_be_walked_at_once(tmp_path: Path) -> None:
    log = written(tmp_path, 2 * MOST_BATCHES + 10, 1)
    ends = [found.next_offset for found in reads(log)]
    assert ends == [MOST_BATCHES, 2 * MOST_BATCHES, 2 * MOST_BATCHES + 10]
    assert [found.next_offset for found in reads(log)] == [ends[-1]]


@pytest.mark.parametrize("damaged", [0, MOST_BATCHES - 1, MOST_BATCHES, MOST_BATCHES + 5])
def test_damage_is_found_wherever_the_walk_pauses(tmp_path: Path, damaged: int) -> None:
    written(tmp_path, MOST_BATCHES + 10, 1).close()
    (path,) = tmp_path.glob("*.log")
    data = bytearray(path.read_bytes())
    position = list(iter_headers(bytes(data)))[damaged][0]
    data[position + 6] ^= 1  # of its offset
    path.write_bytes(data)
    served: list[int] = []
    with pytest.raises(ApiError, match="CORRUPT_MESSAGE"):
        served.extend(found.next_offset for found in reads(reopened(tmp_path)))
    # What was walked before the damage was seen, and nothing from there on.
    assert served == ([MOST_BATCHES] if damaged > MOST_BATCHES else [])
