"""The keys' hash: known values, and all ways of computing it agree."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.protocol.record_samples import ENGINES, compiled_records

from snakka.protocol.key_hash import murmur2, murmur2_in_python, partition_for_key

# Computed by Kafka's own Java client.
KNOWN = {
    b"": 275646681,
    b"k": -1567496736,
    b"ab": 316155434,
    b"key": -1079937367,
    b"four": 299630654,
    b"order-17": 1568318961,
    b"user:4711:cart": 2091184647,
    b"0123456789abcdef0123456789abcdef0123456789abcdef-tail": -500147340,
}


@pytest.fixture(scope="module", params=ENGINES)
def hashed(request: pytest.FixtureRequest) -> Callable[[bytes], int]:
    return murmur2_in_python if request.param == "python" else compiled_records().murmur2


@pytest.mark.parametrize(("key", "value"), KNOWN.items())
def test_a_known_key_has_its_known_hash(hashed: Callable[[bytes], int], key: bytes, value: int) -> None:
    assert hashed(key) == value & 0xFFFFFFFF


@given(key=st.binary(max_size=300))
def test_both_engines_agree(key: bytes) -> None:
    assert compiled_records().murmur2(key) == murmur2_in_python(key) == murmur2(bytearray(key))


def test_a_partition_is_never_negative() -> None:
    assert partition_for_key(b"k", 50) == (-1567496736 & 0x7FFFFFFF) % 50
    assert {partition_for_key(b"%d" % number, 3) for number in range(50)} == {0, 1, 2}
