"""Walking a log file: every whole batch, and not a byte of what is not one."""

from hypothesis import given
from hypothesis import strategies as st
from log_workshop import batch_of

from snakka.storage.batch_scan import scan_batches, scan_headers
from snakka.testing.simulated_files import SimulatedFile, SimulatedFiles


def file_with(data: bytes) -> SimulatedFile:
    file = SimulatedFiles().open("/log", create=True)
    file.append(data)
    return file


@given(sizes=st.lists(st.integers(0, 6000), max_size=8), cut=st.integers(0, 100), tail=st.binary(max_size=90))
def test_whole_batches_are_found_and_a_torn_end_is_not(sizes: list[int], cut: int, tail: bytes) -> None:
    batches = [bytes(batch_of(1, size=size)) for size in sizes]
    torn = bytes(batch_of(1, size=50))[:cut] if cut else tail[:60]
    file = file_with(b"".join(batches) + torn)
    assert [batch.header.size for batch in scan_headers(file, 0, file.size)] == [len(one) for one in batches]
    assert [bytes(batch.data) for batch in scan_batches(file, 0, file.size)] == batches
    if batches:
        start = len(batches[0])
        positions = [batch.position for batch in scan_batches(file, start, file.size)]
        assert positions == [batch.position for batch in scan_headers(file, start, file.size)]
        assert len(positions) == len(batches) - 1


def test_a_batch_larger_than_the_buffer_is_read_whole() -> None:
    large = bytes(batch_of(1, size=3 << 20))
    file = file_with(bytes(batch_of()) + large + bytes(batch_of()))
    assert [len(batch.data) for batch in scan_batches(file, 0, file.size)][1] == len(large)
    assert len(list(scan_headers(file, 0, file.size))) == 3


def test_a_length_that_lies_ends_the_walk() -> None:
    batch = batch_of()
    for length in (0, 10, 2**31 - 1):
        batch[8:12] = length.to_bytes(4, "big")
        file = file_with(bytes(batch_of()) + bytes(batch))
        assert len(list(scan_headers(file, 0, file.size))) == 1
        assert len(list(scan_batches(file, 0, file.size))) == 1
