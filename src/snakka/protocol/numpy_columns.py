"""The twin of native/columns.c in NumPy: batches as Arrow columns without Python objects for the records' content.

Only where each record begins is found one by one, in Python. All numbers of one kind are then read at once, and keys and
values are taken out of one Arrow array that lies over the bytes.
The rule is the compiled twin's: everything is judged, also what nobody asked for.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy
import pyarrow

from snakka.protocol.arrow_types import HEADER, HEADERS, TIMESTAMP, as_text
from snakka.protocol.batch_reader import MIN_RECORD_BYTES, Headers, read_headers
from snakka.protocol.errors import ProtocolError
from snakka.protocol.fetched_batches import PlainBatch
from snakka.protocol.record_batch import Bytes
from snakka.protocol.varints import MAX_VARINT_BYTES, MAX_VARLONG_BYTES, read_varint

# A number that begins at the end of the last record is read, at worst, so far beyond it before that is noticed.
_PADDING = bytes(MAX_VARLONG_BYTES + 1)
# Beyond any bytes.
_OUT = 1 << 62
# Arrow's positions in a column of bytes are of 32 bits.
_MAX_COLUMN_BYTES = (1 << 31) - 1

Numbers: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.int64]]
Flags: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.bool_]]
Octets: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.uint8]]


class _Spans(NamedTuple):
    """Where the bytes of one column lie; a null is empty and flagged."""

    starts: Numbers
    ends: Numbers
    nulls: Flags


class NumpyColumns:
    """Decodes everything at the end; a `ColumnBuilder` of record_columns.py."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self._batches: list[PlainBatch] = []
        self._bytes = 0

    def add_batch(self, batch: PlainBatch, /) -> None:
        self._batches.append(batch)
        self._bytes += len(batch.body)
        if self._bytes > _MAX_COLUMN_BYTES:
            raise ProtocolError(f"{self._bytes} bytes of records are more than a column can hold")

    def add_run(self, records: Bytes, position: int, *rest: object) -> tuple[int, int, int]:
        """None are taken: batch by batch is as good."""
        return position, -1, 0

    def finish(self) -> tuple[int, dict[str, Any]]:
        """The number of rows, and the wanted ones of the columns."""
        return _build_columns(self._batches, self._wanted)


def _build_columns(batches: list[PlainBatch], wanted: frozenset[str]) -> tuple[int, dict[str, Any]]:
    blob = b"".join([*(batch.body for batch in batches), _PADDING])
    data = numpy.frombuffer(blob, numpy.uint8)
    counts = [batch.count for batch in batches]

    def for_each(values: list[int]) -> Numbers:
        return numpy.repeat(numpy.array(values, numpy.int64), counts)

    starts = _record_starts(blob, batches)
    ends = numpy.append(starts[1:], len(blob) - len(_PADDING))[: len(starts)]
    _, pos = _read_numbers(data, starts, ends, MAX_VARINT_BYTES)
    timestamps, pos = _read_numbers(data, pos + 1, ends, MAX_VARLONG_BYTES)
    offsets, pos = _read_numbers(data, pos, ends, MAX_VARINT_BYTES)
    keys, pos = _read_spans(data, pos, ends)
    values, pos = _read_spans(data, pos, ends)
    headers = _judged_headers(blob, data, pos, ends)

    offsets += for_each([batch.base_offset for batch in batches])
    has_own_time = for_each([batch.append_time is None for batch in batches])
    timestamps *= has_own_time
    timestamps += for_each(
        [batch.base_timestamp if batch.append_time is None else batch.append_time for batch in batches]
    )
    chosen = numpy.flatnonzero(
        (offsets >= for_each([batch.first for batch in batches]))
        & (offsets < for_each([batch.stop for batch in batches]))
    )
    columns: dict[str, Any] = {}
    if "offset" in wanted:
        columns["offset"] = pyarrow.array(offsets[chosen])
    if "timestamp" in wanted:
        columns["timestamp"] = pyarrow.array(timestamps[chosen]).cast(TIMESTAMP)
    if "timestamp_type" in wanted:
        columns["timestamp_type"] = pyarrow.array(1 - has_own_time[chosen], pyarrow.int32())
    if "key" in wanted:
        columns["key"] = _take(blob, keys, chosen)
    if "value" in wanted:
        columns["value"] = _take(blob, values, chosen)
    if "headers" in wanted:
        columns["headers"] = _headers_array([headers.get(row, ()) for row in chosen.tolist()])
    return len(chosen), columns


def _record_starts(blob: bytes, batches: list[PlainBatch]) -> Numbers:
    """Where each record of each batch begins. Each ends where the next begins, and the last with its batch."""
    pieces = [numpy.empty(0, numpy.int64)]
    pos = 0
    for batch in batches:
        size, count = len(batch.body), batch.count
        if not 0 <= count * MIN_RECORD_BYTES <= size:
            raise ProtocolError(f"{count} records do not fit into {size} bytes")
        try:
            bounds = numpy.fromiter(_bounds_of_small_records(blob, pos, count), numpy.int64, count + 1)
        except IndexError:
            bounds = None
        pos += size
        if bounds is None or bounds[-1] != pos:
            bounds = numpy.fromiter(_bounds(blob, pos - size, count), numpy.int64, count + 1)
        # Positions only grow, so that whatever led beyond the batch shows here.
        if bounds[-1] != pos:
            raise ProtocolError(f"the records of a batch end at {bounds[-1]}, the batch at {pos}")
        pieces.append(bounds[:-1])
    return numpy.concatenate(pieces)


@cache
def _steps() -> tuple[tuple[int, ...], ...]:
    """By the first two bytes of a record: how far it is to the next one. For a size of three bytes it leads out."""
    one = [((low >> 1) + 1,) * 256 for low in range(128)]
    two = [
        tuple(((low | high << 7) >> 1) + 2 if high < 128 else _OUT for high in range(256))
        for low in range(128)
    ]
    return tuple(steps if index % 2 == 0 else (_OUT,) * 256 for index, steps in enumerate(one + two))


def _bounds_of_small_records(blob: bytes, pos: int, count: int) -> Iterator[int]:
    """Where the records begin and the last one ends; IndexError if one is not there, or is larger than 8 KiB."""
    steps = _steps()
    for _ in range(count):
        yield pos
        pos += steps[blob[pos]][blob[pos + 1]]
    yield pos


def _bounds(blob: bytes, pos: int, count: int) -> Iterator[int]:
    """The same for records of any size; ProtocolError if one is not there."""
    for _ in range(count):
        yield pos
        length, pos = read_varint(blob, pos)
        if length < 0:
            raise ProtocolError(f"a record says {length} bytes")
        pos += length
    yield pos


def _read_numbers(data: Octets, pos: Numbers, ends: Numbers, max_bytes: int) -> tuple[Numbers, Numbers]:
    """The signed numbers at the positions, and the positions after them, none of which is beyond its record."""
    byte = data[pos]
    number = (byte & 0x7F).astype(numpy.uint64)
    pos = pos + 1
    longer = numpy.flatnonzero(byte > 127)
    for index in range(1, max_bytes):
        if not len(longer):
            break
        byte = data[pos[longer]]
        number[longer] |= (byte & 0x7F).astype(numpy.uint64) << numpy.uint64(7 * index)
        pos[longer] += 1
        longer = longer[byte > 127]
    if len(longer) or (pos > ends).any():
        raise ProtocolError("a record is cut off")
    if max_bytes == MAX_VARINT_BYTES:
        number &= numpy.uint64(0xFFFFFFFF)
    sign = -(number & numpy.uint64(1)).astype(numpy.int64)
    return (number >> numpy.uint64(1)).astype(numpy.int64) ^ sign, pos


def _read_spans(data: Octets, pos: Numbers, ends: Numbers) -> tuple[_Spans, Numbers]:
    """Bytes with their size before them, -1 for a null; and the positions after them."""
    sizes, pos = _read_numbers(data, pos, ends, MAX_VARINT_BYTES)
    after = pos + numpy.maximum(sizes, 0)
    if (after > ends).any():
        raise ProtocolError("a key or a value is larger than its record")
    return _Spans(pos, after, sizes < 0), after


def _judged_headers(blob: bytes, data: Octets, pos: Numbers, ends: Numbers) -> dict[int, Headers]:
    """By record, for those that have any."""
    if (pos >= ends).any():
        raise ProtocolError("a record is cut off")
    rows = numpy.flatnonzero((data[pos] != 0) | (pos + 1 != ends)).tolist()
    try:
        return {row: read_headers(blob, int(pos[row]), int(ends[row])) for row in rows}
    except IndexError:
        raise ProtocolError("a record is cut off") from None


def _take(blob: bytes, spans: _Spans, rows: Numbers) -> Any:
    """The bytes of these rows: every second value of an array over all bytes, whose other values are the gaps."""
    if not len(rows):
        return pyarrow.array([], pyarrow.binary())
    bounds = numpy.empty((len(spans.starts), 2), numpy.int32)
    bounds[:, 0] = spans.starts
    bounds[:, 1] = spans.ends
    buffers = [None, pyarrow.py_buffer(bounds), pyarrow.py_buffer(blob)]
    everything = pyarrow.Array.from_buffers(pyarrow.binary(), 2 * len(bounds) - 1, buffers)
    nulls = spans.nulls[rows]
    return everything.take(pyarrow.array(2 * rows, mask=nulls if nulls.any() else None))


def _headers_array(rows: list[Headers]) -> Any:
    ends = numpy.cumsum([0, *map(len, rows)], dtype=numpy.int32)
    pairs = [pair for headers in rows for pair in headers]
    names = pyarrow.array([name.encode("utf-8", "surrogateescape") for name, _ in pairs], pyarrow.binary())
    values = pyarrow.array([value for _, value in pairs], pyarrow.binary())
    both = pyarrow.StructArray.from_arrays([as_text(names), values], fields=list(HEADER))
    return pyarrow.Array.from_buffers(HEADERS, len(rows), [None, pyarrow.py_buffer(ends)], children=[both])
