"""The table of keys: a dict in behaviour, bounded in memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.storage.cleaner_key_map import ENTRY_BYTES, KeyMap


@given(st.lists(st.tuples(st.binary(max_size=3), st.integers(0, 2**62)), max_size=200))
def test_it_behaves_as_a_dict(entries: list[tuple[bytes, int]]) -> None:
    key_map = KeyMap(1 << 20, 0.9, len(entries))
    expected: dict[bytes, int] = {}
    for key, offset in entries:
        key_map.put(key, offset)
        expected[key] = offset
        assert key_map.latest_offset == offset
    assert len(key_map) == len(expected)
    for key, offset in expected.items():
        assert key_map.get(key) == offset
    assert key_map.get(b"none of them") == -1


@pytest.mark.parametrize("entries", [3, 10, 1000])
def test_it_is_full_at_its_load_factor(entries: int) -> None:
    key_map = KeyMap(entries * ENTRY_BYTES, 0.9, 10**9)
    number = 0
    while not key_map.is_full:
        key_map.put(b"%d" % number, number)
        number += 1
    assert 1 <= number <= max(entries * 0.9, 1)
    assert number >= entries * 0.9 - 10 or number == key_map.capacity
    assert all(key_map.get(b"%d" % known) == known for known in range(number))
    assert all(key_map.get(b"no %d" % unknown) == -1 for unknown in range(100))


def test_memory_follows_what_the_log_can_have() -> None:
    assert KeyMap(128 << 20, 0.9, 100).capacity >= 100
    assert KeyMap(128 << 20, 0.9, 100).memory_bytes < 10_000
    assert KeyMap(1 << 20, 0.9, 10**9).memory_bytes <= 1 << 20
