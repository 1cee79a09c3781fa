"""Keys go where Kafka's own producer sends them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2 as kafka_python_murmur2

from snakka.client.partitioner import STICKY_BYTES, StickyChoice, murmur2, partition_for_key


@pytest.mark.parametrize(
    ("key", "signed"),
    [
        # What Apache Kafka's Utils.murmur2 answers.
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_murmur2_is_kafka_s(key: bytes, signed: int) -> None:
    assert murmur2(key) == signed % 2**32


@given(st.binary(max_size=70))
def test_murmur2_agrees_with_another_client(key: bytes) -> None:
    assert murmur2(key) == kafka_python_murmur2(key) % 2**32
    assert murmur2(memoryview(key)) == murmur2(key)


@given(st.binary(max_size=40), st.integers(1, 1000))
def test_a_key_has_one_partition_among_those_there_are(key: bytes, count: int) -> None:
    assert partition_for_key(key, count) == (kafka_python_murmur2(key) & 0x7FFFFFFF) % count


def test_records_without_a_key_stay_together_and_then_move_on() -> None:
    choice = StickyChoice(first=5)
    chosen = [choice.choose(STICKY_BYTES // 4, 3) for _ in range(16)]
    assert chosen == [2] * 4 + [0] * 4 + [1] * 4 + [2] * 4
