"""Which partition a record goes to: by its key as Kafka's own producer does, so that all clients agree on it.

Records without a key stay together for a while and then move on to another partition: few large batches are cheaper
than many small ones.
"""

from snakka.protocol.record_batch import Bytes

_SEED = 0x9747B28C
_MULTIPLIER = 0x5BD1E995
_SHIFT = 24
_32_BITS = 0xFFFFFFFF
_POSITIVE = 0x7FFFFFFF

# Kafka's batch.size: so much goes to one partition before the next one gets its turn.
STICKY_BYTES = 16_384


def murmur2(data: Bytes) -> int:
    """The 32-bit MurmurHash2 that Kafka's clients use for keys, unsigned."""
    size = len(data)
    result = (_SEED ^ size) & _32_BITS
    whole = size & ~3
    for pos in range(0, whole, 4):
        word = int.from_bytes(data[pos : pos + 4], "little") * _MULTIPLIER & _32_BITS
        word = (word ^ word >> _SHIFT) * _MULTIPLIER & _32_BITS
        result = result * _MULTIPLIER & _32_BITS ^ word
    if size > whole:
        result = (result ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _32_BITS
    result = (result ^ result >> 13) * _MULTIPLIER & _32_BITS
    return result ^ result >> 15


def partition_for_key(key: Bytes, partition_count: int) -> int:
    """The partition that every Kafka client with the default partitioner chooses for this key."""
    return (murmur2(key) & _POSITIVE) % partition_count


class StickyChoice:
    """The partition of records without a key: the same one until it has had its share, then the next."""

    def __init__(self, first: int) -> None:
        self._current = first
        self._bytes = 0

    def choose(self, size: int, partition_count: int) -> int:
        """The partition for a record of `size` bytes."""
        if self._bytes >= STICKY_BYTES:
            self._current += 1
            self._bytes = 0
        self._bytes += size
        return self._current % partition_count
