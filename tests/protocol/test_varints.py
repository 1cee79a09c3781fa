"""Zigzag integers: round trips, Kafka's own bytes, and nothing unbounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.protocol.errors import ProtocolError
from snakka.protocol.varints import read_varint, read_varlong, varint


@given(st.integers(-(2**31), 2**31 - 1))
def test_int32_round_trip(value: int) -> None:
    encoded = varint(value)
    assert len(encoded) <= 5
    assert read_varint(b"x" + encoded + b"y", 1) == (value, 1 + len(encoded))
    assert read_varlong(encoded, 0) == (value, len(encoded))


@given(st.integers(-(2**63), 2**63 - 1))
def test_int64_round_trip(value: int) -> None:
    encoded = varint(value)
    assert len(encoded) <= 10
    assert read_varlong(encoded, 0) == (value, len(encoded))


@pytest.mark.parametrize(
    ("value", "encoded"),
    [(0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (-64, "7f"), (64, "8001"), (2**31 - 1, "feffffff0f")],
)
def test_known_bytes(value: int, encoded: str) -> None:
    assert varint(value).hex() == encoded


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff\xff", b"\xff" * 5, b"\xff" * 5 + b"\x01"])
def test_cut_off_or_overlong_is_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_varint(data, 0)


def test_an_overlong_64_bit_number_is_refused() -> None:
    with pytest.raises(ProtocolError):
        read_varlong(b"\xff" * 10 + b"\x01", 0)
