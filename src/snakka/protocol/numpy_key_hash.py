"""The hashes of a whole column of keys with NumPy: the twin of `partition_keys` in native/key_hash.c.

The keys' words are hashed one after the other, each for all keys that have so many; the few keys that are long, one by one.
"""

from typing import Any, TypeAlias

import numpy
import pyarrow

from snakka.protocol.key_hash import MULTIPLIER, SEED, murmur2_in_python

_LONG_BYTES = 256
_POSITIVE = 0x7FFFFFFF

Hashes: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.uint32]]


def partition_column(keys: Any, partition_count: int) -> Any:
    """The partition of each key of a binary array, -1 for a null."""
    _, positions, data = keys.buffers()
    if not len(keys) or positions is None:
        return pyarrow.array(numpy.full(len(keys), -1, numpy.int32))
    bounds = numpy.frombuffer(positions, numpy.int32)[keys.offset :][: len(keys) + 1].astype(numpy.int64)
    octets = numpy.frombuffer(b"".join((data or b"", bytes(4))), numpy.uint8)
    hashes = _murmur2(octets, bounds[:-1], bounds[1:] - bounds[:-1])
    partitions = ((hashes & numpy.uint32(_POSITIVE)) % numpy.uint32(partition_count)).astype(numpy.int32)
    if keys.null_count:
        partitions[keys.is_null().to_numpy(zero_copy_only=False)] = -1
    return pyarrow.array(partitions)


def _murmur2(octets: Any, starts: Any, sizes: Any) -> Hashes:
    multiplier = numpy.uint32(MULTIPLIER)
    hashes: Hashes = numpy.uint32(SEED) ^ sizes.astype(numpy.uint32)
    is_short = sizes <= _LONG_BYTES
    position = 0
    while len(rows := numpy.flatnonzero(is_short & (sizes >= position + 4))):
        word = _words(octets, starts[rows] + position, 4) * multiplier
        word = (word ^ word >> numpy.uint32(24)) * multiplier
        hashes[rows] = hashes[rows] * multiplier ^ word
        position += 4
    for rest in (1, 2, 3):
        rows = numpy.flatnonzero(is_short & (sizes % 4 == rest))
        tail = _words(octets, (starts + sizes - rest)[rows], rest)
        hashes[rows] = (hashes[rows] ^ tail) * multiplier
    hashes = (hashes ^ hashes >> numpy.uint32(13)) * multiplier
    hashes ^= hashes >> numpy.uint32(15)
    for row in numpy.flatnonzero(~is_short).tolist():
        key = octets[starts[row] : starts[row] + sizes[row]].tobytes()
        hashes[row] = murmur2_in_python(key)
    return hashes


def _words(octets: Any, positions: Any, size: int) -> Hashes:
    """Little-endian numbers of `size` bytes."""
    words: Hashes = octets[positions].astype(numpy.uint32)
    for index in range(1, size):
        words |= octets[positions + index].astype(numpy.uint32) << numpy.uint32(8 * index)
    return words
