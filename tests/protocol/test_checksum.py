"""CRC-32C: known answers, and the same number whatever holds the bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.protocol.checksum import BLOCK_BYTES, crc32c, table_extend

# From RFC 3720, appendix B.4.
KNOWN = [
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (b"123456789", 0xE3069283),
    (b"", 0),
]


@pytest.mark.parametrize(("data", "expected"), KNOWN)
def test_known_answers(data: bytes, expected: int) -> None:
    assert crc32c(data) == expected
    assert table_extend()(0, data) == expected


@pytest.mark.parametrize("size", [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES + 77])
def test_every_kind_of_buffer_agrees(size: int) -> None:
    data = (bytes(range(251)) * (size // 251 + 1))[:size]
    expected = crc32c(data)
    assert crc32c(bytearray(data)) == expected
    assert crc32c(memoryview(data)) == expected
    assert crc32c(memoryview(bytearray(b"before" + data + b"after"))[6 : 6 + size]) == expected


def test_a_checksummed_buffer_can_still_grow() -> None:
    buffer = bytearray(2 * BLOCK_BYTES)
    crc32c(memoryview(buffer))
    buffer += b"more"
    assert len(buffer) == 2 * BLOCK_BYTES + 4


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_the_table_extends_as_the_compiled_one_does(first: bytes, second: bytes) -> None:
    extend = table_extend()
    assert extend(extend(0, first), second) == crc32c(first + second)
