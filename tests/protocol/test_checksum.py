"""CRC-32C: known answers, and the same number whatever holds the bytes, and whoever counts."""

from collections.abc import Callable
from random import Random

import google_crc32c
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.protocol.checksum import BLOCK_BYTES, crc32c, crc32c_of_blocks, table_extend

# From RFC 3720, appendix B.4.
KNOWN = [
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (b"123456789", 0xE3069283),
    (b"", 0),
]


Checksum = Callable[[bytes | bytearray | memoryview], int]


@pytest.fixture(params=[crc32c, crc32c_of_blocks], ids=["chosen", "of blocks"])
def checksum(request: pytest.FixtureRequest) -> Checksum:
    chosen: Checksum = request.param
    return chosen


@pytest.mark.parametrize(("data", "expected"), KNOWN)
def test_known_answers(checksum: Checksum, data: bytes, expected: int) -> None:
    assert checksum(data) == expected
    assert table_extend()(0, data) == expected


@pytest.mark.parametrize("size", [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES + 77])
def test_every_kind_of_buffer_agrees(checksum: Checksum, size: int) -> None:
    data = (bytes(range(251)) * (size // 251 + 1))[:size]
    expected = google_crc32c.value(data)
    assert checksum(data) == expected
    assert checksum(bytearray(data)) == expected
    assert checksum(memoryview(data)) == expected
    assert checksum(memoryview(bytearray(b"before" + data + b"after"))[6 : 6 + size]) == expected


@given(st.integers(0, 5 * 3072), st.integers(0, 16), st.randoms(use_true_random=False))
def test_wherever_the_bytes_begin_and_end(size: int, begin: int, chance: Random) -> None:
    """The compiled one counts words and stretches of words; there is a rest of any size at any place."""
    data = chance.randbytes(begin + size)
    assert crc32c(memoryview(data)[begin:]) == google_crc32c.value(data[begin:])


def test_every_size_about_where_other_ways_begin() -> None:
    """Short ones word by word, longer ones in stretches, and where the processor can, long ones in folded blocks."""
    data = Random(1).randbytes(2400)
    assert [crc32c(data[:size]) for size in range(2400)] == [
        google_crc32c.value(data[:size]) for size in range(2400)
    ]


def test_a_checksummed_buffer_can_still_grow(checksum: Checksum) -> None:
    buffer = bytearray(2 * BLOCK_BYTES)
    checksum(memoryview(buffer))
    buffer += b"more"
    assert len(buffer) == 2 * BLOCK_BYTES + 4


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_the_table_extends_as_the_compiled_one_does(first: bytes, second: bytes) -> None:
    extend = table_extend()
    assert extend(extend(0, first), second) == crc32c(first + second)
