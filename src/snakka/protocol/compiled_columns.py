"""Batches as Arrow columns through native/columns.c: measured, memory made to measure, filled, and laid out as arrays."""

from typing import Any

import pyarrow

from snakka.protocol import _records
from snakka.protocol.arrow_types import HEADER, HEADERS, TIMESTAMP, as_text
from snakka.protocol.fetched_batches import PlainBatch

_END_BYTES = 4  # of a position in a column of bytes


def build_columns(batches: list[PlainBatch], wanted: frozenset[str]) -> tuple[int, dict[str, Any]]:
    """The number of rows, and the wanted ones of the columns."""
    rows, header_count, sizes, nulls = _records.measure_columns(batches)
    offset = _memory("offset" in wanted, rows * 8)
    timestamp = _memory("timestamp" in wanted, rows * 8)
    timestamp_type = _memory("timestamp_type" in wanted, rows * 4)
    header_ends = _memory("headers" in wanted, (rows + 1) * _END_BYTES)
    key = _bytes_memory("key" in wanted, rows, sizes[0], nulls[0])
    value = _bytes_memory("value" in wanted, rows, sizes[1], nulls[1])
    header_name = _bytes_memory("headers" in wanted, header_count, sizes[2], nulls[2])
    header_value = _bytes_memory("headers" in wanted, header_count, sizes[3], nulls[3])
    _records.fill_columns(
        batches,
        (offset, timestamp, timestamp_type, header_ends, *key, *value, *header_name, *header_value),
    )
    columns: dict[str, Any] = {}
    if offset is not None:
        columns["offset"] = pyarrow.Array.from_buffers(pyarrow.int64(), rows, [None, offset])
    if timestamp is not None:
        columns["timestamp"] = pyarrow.Array.from_buffers(TIMESTAMP, rows, [None, timestamp])
    if timestamp_type is not None:
        columns["timestamp_type"] = pyarrow.Array.from_buffers(pyarrow.int32(), rows, [None, timestamp_type])
    if "key" in wanted:
        columns["key"] = _bytes_array(rows, key, nulls[0])
    if "value" in wanted:
        columns["value"] = _bytes_array(rows, value, nulls[1])
    if header_ends is not None:
        names = as_text(_bytes_array(header_count, header_name, nulls[2]))
        values = _bytes_array(header_count, header_value, nulls[3])
        pairs = pyarrow.StructArray.from_arrays([names, values], fields=list(HEADER))
        columns["headers"] = pyarrow.Array.from_buffers(HEADERS, rows, [None, header_ends], children=[pairs])
    return rows, columns


def _memory(is_wanted: bool, size: int) -> Any:
    return pyarrow.allocate_buffer(size) if is_wanted else None


def _bytes_memory(is_wanted: bool, rows: int, size: int, nulls: int) -> tuple[Any, Any, Any]:
    """For the values' ends, for their bytes, and, if any is null, for the bits that say which are not."""
    return (
        _memory(is_wanted, (rows + 1) * _END_BYTES),
        _memory(is_wanted, size),
        _memory(is_wanted and nulls > 0, (rows + 7) // 8),
    )


def _bytes_array(rows: int, memory: tuple[Any, Any, Any], nulls: int) -> Any:
    ends, data, valid = memory
    return pyarrow.Array.from_buffers(pyarrow.binary(), rows, [valid, ends, data], nulls)
