"""The twin of `extend` in native/encoder.c with NumPy and Arrow: rows as records without a Python object for each.

The numbers of all rows are written at once, as two columns of bytes: what stands before the keys, and what stands between
keys and values. Arrow then joins these with keys, values and headers.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy
import pyarrow
import pyarrow.compute

from snakka.protocol.record_batch import HEADER_SIZE, NO_TIMESTAMP

Numbers: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.int64]]
Unsigned: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.uint64]]

# A record's own size, and its differences in time and offset, take a byte each at least; its attributes exactly one.
_LEAST_NUMBERS = 3
_ATTRIBUTES = 1


class EncodedRows(NamedTuple):
    """The records of one batch, with room for its header before them."""

    records: bytearray
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody misses
    base_timestamp: int
    max_timestamp: int

    @property
    def size(self) -> int:
        return len(self.records)

    def take(self) -> bytearray:
        return self.records


def encode_rows(timestamps: Any, keys: Any, values: Any, headers: Any, limit: int) -> Iterator[EncodedRows]:
    """As many rows to a batch as `limit` allows. Keys, values and encoded headers are binary arrays of one length."""
    times = timestamps.to_numpy()
    key_sizes, value_sizes, header_sizes = (_sizes(column) for column in (keys, values, headers))
    content = numpy.maximum(key_sizes, 0) + numpy.maximum(value_sizes, 0) + header_sizes
    content += _number_sizes(_zigzag(key_sizes)) + _number_sizes(_zigzag(value_sizes)) + _ATTRIBUTES
    least = numpy.cumsum(content + _LEAST_NUMBERS)
    row = 0
    while row < len(times):
        # Surely no more rows than these; how many exactly is known when their numbers are.
        before = least[row - 1] if row else 0
        stop = max(row + 1, int(numpy.searchsorted(least, before + limit - HEADER_SIZE, "right")))
        deltas = _zigzag(times[row:stop] - times[row])
        indexes = _zigzag(numpy.arange(stop - row))
        lengths = content[row:stop] + _number_sizes(deltas) + _number_sizes(indexes)
        ends = numpy.cumsum(lengths + _number_sizes(_zigzag(lengths)))
        count = max(1, int(numpy.searchsorted(ends, limit - HEADER_SIZE, "right")))
        stop = row + count
        attributes = numpy.zeros(count, numpy.uint64)
        before_key = _write(
            [
                _zigzag(lengths[:count]),
                attributes,
                deltas[:count],
                indexes[:count],
                _zigzag(key_sizes[row:stop]),
            ]
        )
        records = pyarrow.compute.binary_join_element_wise(
            before_key,
            keys[row:stop],
            _write([_zigzag(value_sizes[row:stop])]),
            values[row:stop],
            headers[row:stop],
            b"",
            null_handling="replace",
            null_replacement=b"",
        )
        yield EncodedRows(
            bytearray().join((bytes(HEADER_SIZE), _bytes_of(records))),
            count,
            int(times[row]),
            max(NO_TIMESTAMP, int(times[row:stop].max())),
        )
        row = stop


def _sizes(column: Any) -> Numbers:
    """-1 for a null."""
    sizes: Numbers = pyarrow.compute.fill_null(pyarrow.compute.binary_length(column), -1).to_numpy()
    return sizes.astype(numpy.int64)


def _bytes_of(column: Any) -> Any:
    """All values of a binary array, one after the other, where they lie."""
    _, positions, data = column.buffers()
    ends = numpy.frombuffer(positions, numpy.int32)
    return data[int(ends[column.offset]) : int(ends[column.offset + len(column)])]


def _zigzag(numbers: Numbers) -> Unsigned:
    return (numbers << 1 ^ numbers >> 63).astype(numpy.uint64)


def _number_sizes(numbers: Unsigned) -> Numbers:
    """How many bytes each takes."""
    sizes = numpy.ones(len(numbers), numpy.int64)
    rest = numbers >> numpy.uint64(7)
    while rest.any():
        sizes += rest > 0
        rest >>= numpy.uint64(7)
    return sizes


def _write(fields: list[Unsigned]) -> Any:
    """A binary array: of each row, its numbers one after the other."""
    sizes = [_number_sizes(field) for field in fields]
    ends = numpy.cumsum(sum(sizes))
    positions = numpy.append(0, ends)
    octets = numpy.empty(int(positions[-1]), numpy.uint8)
    place = positions[:-1]
    for field, size in zip(fields, sizes, strict=True):
        rest, at = field, place
        while len(rest):
            is_longer = rest > numpy.uint64(0x7F)
            octets[at] = (rest & numpy.uint64(0x7F)) | is_longer.astype(numpy.uint64) << numpy.uint64(7)
            rest, at = rest[is_longer] >> numpy.uint64(7), at[is_longer] + 1
        place = place + size
    buffers = [None, pyarrow.py_buffer(positions.astype(numpy.int32)), pyarrow.py_buffer(octets)]
    return pyarrow.Array.from_buffers(pyarrow.binary(), len(ends), buffers)
