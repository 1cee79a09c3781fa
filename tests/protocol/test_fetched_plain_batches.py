"""A fetch answer, batch by batch: cut off, damaged, compressed, with markers and aborted transactions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.protocol.batch_builder import build_batch, build_control_batch, build_empty, build_end_transaction
from snakka.protocol.batch_reader import Record
from snakka.protocol.compression import Compression
from snakka.protocol.control_records import ControlType
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import FetchedBatches
from snakka.protocol.record_batch import read_header, stamp_crc
from snakka.protocol.record_objects import Message, read_messages

OLD_FORMAT = bytes.fromhex("0000000000000000000000181234567801000000000000000001ffffffff000000026869")


def batch(
    first: int,
    count: int = 1,
    producer: int = -1,
    compression: Compression = Compression.NONE,
    is_transactional: bool | None = None,
) -> bytearray:
    return build_batch(
        [Record(-1, 5, None, b"%d" % (first + index)) for index in range(count)],
        base_offset=first,
        producer_id=producer,
        producer_epoch=0 if producer >= 0 else -1,
        base_sequence=0 if producer >= 0 else -1,
        is_transactional=producer >= 0 if is_transactional is None else is_transactional,
        compression=compression,
    )


def marker(offset: int, producer: int, committed: bool) -> bytearray:
    return build_end_transaction(
        committed=committed,
        timestamp=5,
        producer_id=producer,
        producer_epoch=0,
        coordinator_epoch=0,
        base_offset=offset,
    )


def offsets(fetched: FetchedBatches) -> list[int]:
    return [message.offset for plain in fetched for message in read_messages(plain, "t", 0, Message)]


@pytest.mark.parametrize("compression", list(Compression))
def test_batches_are_decompressed_in_order(compression: Compression) -> None:
    fetched = FetchedBatches(
        b"".join([batch(10, 5, compression=compression), batch(15), batch(16, 3, compression=compression)]),
        from_offset=12,
    )
    assert fetched.next_offset == 12
    assert offsets(fetched) == [12, 13, 14, 15, 16, 17, 18]
    assert fetched.next_offset == 19


@given(size=st.integers(0, 300))
def test_an_answer_may_end_anywhere(size: int) -> None:
    parts = [batch(10, 3), batch(13, 2), batch(15, 4)]
    data = b"".join(parts)[:size]
    fetched = FetchedBatches(data, from_offset=10)
    found = offsets(fetched)
    ends = [sum(map(len, parts[: index + 1])) for index in range(3)]
    whole = sum(end <= size for end in ends)
    assert found == list(range(10, (10, 13, 15, 19)[whole]))
    assert fetched.next_offset == (10, 13, 15, 19)[whole]


def test_wanted_offsets_end_where_the_caller_says() -> None:
    data = b"".join([batch(10, 3), batch(13, 3), batch(16, 3)])
    fetched = FetchedBatches(data, from_offset=0, up_to=14)
    assert offsets(fetched) == [10, 11, 12, 13]
    assert fetched.next_offset == 14


def test_a_wrong_checksum_is_found_after_what_came_before_it() -> None:
    bad = batch(13)
    bad[-2] ^= 1
    fetched = FetchedBatches(b"".join([batch(10, 3), bad]), from_offset=0)
    assert len(next(fetched)) > 0
    for _ in range(2):
        with pytest.raises(ProtocolError, match="checksum of the batch at offset 13"):
            next(fetched)
    assert fetched.next_offset == 13
    assert offsets(FetchedBatches(bad, from_offset=0, check_crc=False)) == [13]


@pytest.mark.parametrize(
    ("position", "value"),
    [(8, 0x80), (11, 5), (16, 3), (16, 1), (0, 0x80)],
    ids=["negative size", "size below the header's", "newer format", "older format", "negative offset"],
)
def test_a_header_that_cannot_be_is_refused(position: int, value: int) -> None:
    data = batch(10)
    data[position] = value
    if position == 11:
        data[8:11] = bytes(3)
    with pytest.raises(ProtocolError):
        list(FetchedBatches(data, from_offset=0))


def test_old_messages_are_refused() -> None:
    with pytest.raises(ProtocolError, match="format 1"):
        list(FetchedBatches(OLD_FORMAT, from_offset=0))


def test_decompression_is_bounded() -> None:
    data = build_batch([Record(-1, 5, None, bytes(100_000))], compression=Compression.ZSTD)
    with pytest.raises(ProtocolError, match="larger than 50000"):
        list(FetchedBatches(data, from_offset=0, max_output=50_000))


def test_what_is_not_for_applications_is_left_out() -> None:
    emptied = build_empty(read_header(batch(12, 2)))
    data = b"".join(
        [
            batch(10),
            marker(11, 7, True),
            emptied,
            build_control_batch(ControlType.LEADER_CHANGE, b"", timestamp=5, base_offset=14),
            batch(15),
            marker(16, 7, True),
        ]
    )
    fetched = FetchedBatches(data, from_offset=0)
    assert offsets(fetched) == [10, 15]
    assert fetched.next_offset == 17


def test_aborted_transactions_are_left_out() -> None:
    data = b"".join(
        [
            batch(0, 2, producer=1),  # aborted
            batch(2, 2, producer=2),  # committed
            batch(4),  # of no transaction
            batch(5, producer=1, is_transactional=False),  # by the same producer, of no transaction
            marker(6, 1, False),
            batch(7, 2, producer=1),  # its next one, committed
            marker(9, 2, True),
            batch(10, producer=2),  # aborted
            marker(11, 1, True),
            marker(12, 2, False),
            batch(13, producer=2),  # committed
            marker(14, 2, True),
        ]
    )
    fetched = FetchedBatches(data, from_offset=0, aborted=[(2, 10), (1, 0)])
    assert offsets(fetched) == [2, 3, 4, 5, 7, 8, 13]
    assert fetched.next_offset == 15
    everything = FetchedBatches(data, from_offset=0)
    assert offsets(everything) == [0, 1, 2, 3, 4, 5, 7, 8, 10, 13]


def test_a_transaction_that_began_before_the_answer_is_left_out() -> None:
    data = b"".join([batch(100, producer=1), marker(101, 1, False), batch(102, producer=1)])
    assert offsets(FetchedBatches(data, from_offset=100, aborted=[(1, 40)])) == [102]


def test_a_garbage_marker_is_refused() -> None:
    data = b"".join([batch(0, producer=1), marker(1, 1, False)])
    garbage = bytearray(data)
    end = len(batch(0, producer=1))
    header = read_header(garbage, end)
    tail = bytearray(garbage[end:])
    tail[header.size - 17 :] = b"\xff" * 17
    stamp_crc(tail, 0)
    with pytest.raises(ProtocolError):
        offsets(FetchedBatches(bytes(garbage[:end]) + bytes(tail), from_offset=0, aborted=[(1, 0)]))


def test_any_buffer_will_do() -> None:
    data = batch(10, 3)
    for kind in (bytes(data), data, memoryview(data), memoryview(bytes(data))):
        assert offsets(FetchedBatches(kind, from_offset=0)) == [10, 11, 12]
