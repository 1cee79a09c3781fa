"""Which partition a key belongs to: the hash that all of Kafka's clients agree on.

The rule of this room: it never changes, or records of one key would be spread over two partitions.
"""

from snakka.protocol.record_batch import Bytes
from snakka.protocol.record_engine import IS_COMPILED

if IS_COMPILED:
    from snakka.protocol import _records


SEED = 0x9747B28C
MULTIPLIER = 0x5BD1E995
_32_BITS = 0xFFFFFFFF
_POSITIVE = 0x7FFFFFFF


def murmur2_in_python(key: Bytes) -> int:
    """The twin of native/key_hash.c."""
    size = len(key)
    result = (SEED ^ size) & _32_BITS
    whole = size & ~3
    for pos in range(0, whole, 4):
        word = int.from_bytes(key[pos : pos + 4], "little") * MULTIPLIER & _32_BITS
        word = (word ^ word >> 24) * MULTIPLIER & _32_BITS
        result = result * MULTIPLIER & _32_BITS ^ word
    if size > whole:
        result = (result ^ int.from_bytes(key[whole:], "little")) * MULTIPLIER & _32_BITS
    result = (result ^ result >> 13) * MULTIPLIER & _32_BITS
    return result ^ result >> 15


def murmur2(key: Bytes) -> int:
    """The 32-bit MurmurHash2 that Kafka's clients use for keys, unsigned."""
    return _records.murmur2(key) if IS_COMPILED else murmur2_in_python(key)


def partition_for_key(key: Bytes, partition_count: int) -> int:
    """The partition that every Kafka client with the default partitioner chooses for this key."""
    return (murmur2(key) & _POSITIVE) % partition_count
