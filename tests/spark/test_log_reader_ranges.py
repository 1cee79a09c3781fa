"""How a log is divided into tasks, and how pieces of it are checked: the pure parts of the direct log reader."""

import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.log_reader.log_options import log_options
from snakka.spark.log_reader.piece_check import check_headers, is_contradicted
from snakka.spark.log_reader.segment_ranges import Cut, Stretch, bytes_a_task, divide
from snakka.spark.log_reader.segments import SegmentFile

BATCH_BYTES = 10  # in this model of a log each has one record


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=8),
    least_tasks=st.integers(1, 30),
    most_bytes=st.integers(5, 900),
    knows_cuts=st.booleans(),
)
def test_every_byte_belongs_to_one_task(
    sizes: list[int], least_tasks: int, most_bytes: int, knows_cuts: bool
) -> None:
    bases = list(itertools.accumulate(sizes, initial=0))
    stretches = [
        Stretch(
            SegmentFile(base, base + size, f"{base}.log", size * BATCH_BYTES, base),
            0,
            size * BATCH_BYTES,
            base,
        )
        for base, size in zip(bases, sizes, strict=False)
    ]
    total = sum(sizes) * BATCH_BYTES
    most = bytes_a_task(total, least_tasks, most_bytes, 2)

    def cut_near(segment: SegmentFile, position: int) -> Cut | None:
        number = position // BATCH_BYTES
        return Cut(number * BATCH_BYTES, segment.base_offset + number) if knows_cuts and number else None

    groups = divide(stretches, most, cut_near)
    assert all(groups)
    flat = [each for group in groups for each in group]
    for before, after in itertools.pairwise(flat):
        if before.segment == after.segment:
            assert (before.end, after.first_offset) == (
                after.start,
                before.segment.base_offset + after.start // 10,
            )
        else:
            assert before.end == before.segment.size
            assert (after.start, after.first_offset) == (0, after.segment.base_offset)
    assert sum(each.end - each.start for each in flat) == total
    if knows_cuts:
        # Cuts are made at beginnings of batches, so a task may be one batch larger than it should be, at either end.
        assert all(sum(each.end - each.start for each in group) <= most + 2 * BATCH_BYTES for group in groups)
    assert len(groups) <= -(-total // most)


def test_there_is_work_for_all_cores() -> None:
    mebibyte = 1 << 20
    # As many tasks for each core, none with a small rest: four and four here, not three.
    for cores in (2, 4):
        assert 75 * mebibyte <= bytes_a_task(300 * mebibyte, None, 128 * mebibyte, cores) <= 76 * mebibyte
    assert bytes_a_task(256 * mebibyte, None, 128 * mebibyte, 2) == 128 * mebibyte
    assert bytes_a_task(5 * mebibyte, None, 128 * mebibyte, 8) == 4 * mebibyte
    assert bytes_a_task(5 * mebibyte, 8, 128 * mebibyte, 8) == 5 * mebibyte // 8
    assert bytes_a_task(0, None, 10, 1) == 10


def log_of(counts: list[int], first_offset: int = 100) -> tuple[bytes, list[int]]:
    """Batches with so many records, and the position of each and of the end."""
    data, positions, offset = bytearray(), [0], first_offset
    for count in counts:
        data += build_batch([Record(-1, 0, None, b"v" * count)] * count, base_offset=offset)
        positions.append(len(data))
        offset += count
    return bytes(data), positions


@given(
    counts=st.lists(st.integers(1, 4), min_size=1, max_size=8),
    cut=st.integers(0, 2000),
    stop=st.integers(100, 140),
)
def test_a_piece_of_good_batches_is_good_wherever_it_ends(counts: list[int], cut: int, stop: int) -> None:
    data, positions = log_of(counts)
    piece = data[: min(cut, len(data))]
    is_rest = len(piece) == len(data)
    checked = check_headers(piece, 100, 1 << 63, stop, is_rest=is_rest)
    assert checked.is_end or checked.needed
    assert checked.size in positions
    assert checked.next_offset == 100 + sum(counts[: positions.index(checked.size)])
    if checked.is_end:
        assert is_rest or checked.next_offset >= min(stop, 100 + sum(counts))
    else:
        # With as many bytes as it says it gets further, and if only a header was missing, the next time.
        for _ in range(2):
            more = data[: checked.size + checked.needed]
            further = check_headers(more, 100, 1 << 63, stop, is_rest=len(more) == len(data))
            if further.is_end or further.size > checked.size:
                break
            checked = further
        assert further.is_end or further.size > checked.size


@pytest.mark.parametrize("offset", [0, 99, 101, 103, 1 << 40])
def test_an_offset_that_no_checksum_covers_is_noticed(offset: int) -> None:
    data, positions = log_of([1, 1, 1, 1])
    broken = data[: positions[1]] + struct.pack(">q", offset) + data[positions[1] + 8 :]
    if offset == 101:
        assert check_headers(broken, 100, 104, 104, is_rest=True).is_end
        return
    checked = check_headers(broken, 100, 104, 104, is_rest=True)
    assert not checked.is_end
    assert not checked.needed


def test_neighbours_decide_which_of_two_is_wrong() -> None:
    data, positions = log_of([1, 1, 1, 1])
    assert not is_contradicted(101, data[positions[1] :])
    assert is_contradicted(120, data[positions[1] :])
    # The one after it is the wrong one.
    low = struct.pack(">q", 3) + data[positions[1] + 8 :]
    assert not is_contradicted(101, low)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subscribe": "t"}, "path must be set"),
        ({"path": "/d"}, "one of assign, subscribe, subscribePattern must be set"),
        ({"path": "/d", "subscribe": "t", "isolation.level": "other"}, "isolation.level=other"),
        ({"path": "/d", "subscribe": "t", "upTo": "here"}, "upTo=here: logEnd or highWatermark"),
        ({"path": "/d", "subscribe": "t", "maxPartitionBytes": "0"}, "maxPartitionBytes=0"),
        ({"path": "/d", "subscribe": "t", "maxRecordsPerPartition": "5"}, "maxRecordsPerPartition can't"),
        ({"path": "hdfs://d/e", "subscribe": "t"}, "only files"),
        ({"path": "/d", "subscribe": "t", "startingOffsets": "latest"}, "can't be latest in a batch"),
    ],
)
def test_options_that_can_not_be_followed(options: dict[str, str], message: str) -> None:
    with pytest.raises(SparkOptionError, match=message):
        log_options(options)


def test_options_as_they_are_given() -> None:
    options = log_options(
        {
            "paths": '["file:///b/","/c"]',
            "path": "/a, /b",
            "subscribe": "t",
            "kafka.isolation.level": "READ_COMMITTED",
            "kafka.bootstrap.servers": "ignored:1",
            "upTo": "HighWatermark",
            "maxPartitionBytes": "64 MB",
            "minPartitions": "9",
        }
    )
    assert options.paths == ("/a", "/b", "/c")
    assert options.is_read_committed
    assert options.ends_at_high_watermark
    assert options.most_bytes == 64 << 20
    assert options.source.least_pieces == 9
