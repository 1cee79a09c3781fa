"""What a consumer makes of the bytes that it fetched."""

import pytest

from snakka.client.consumer import whole_batches
from snakka.protocol.batch_builder import build_batch
from snakka.protocol.batch_reader import Record
from snakka.protocol.errors import ProtocolError


def batch(base_offset: int) -> bytes:
    return bytes(build_batch([Record(-1, 0, b"k", b"v")] * 2, base_offset=base_offset))


def test_a_batch_that_is_cut_off_is_left_for_the_next_fetch() -> None:
    first, second = batch(0), batch(2)
    for cut in range(len(second)):
        found = [header.base_offset for _, header in whole_batches(first + second[:cut])]
        assert found == [0]
    assert [header.base_offset for _, header in whole_batches(first + second)] == [0, 2]
    assert list(whole_batches(b"")) == []


def test_a_damaged_batch_is_not_read() -> None:
    damaged = bytearray(batch(0))
    damaged[-1] ^= 1
    with pytest.raises(ProtocolError, match="the batch at offset 0 is damaged"):
        list(whole_batches(damaged))
