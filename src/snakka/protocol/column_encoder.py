"""Arrow columns as a producer's batches, and the partition of each of their keys: no Python object for each record.

It needs pyarrow (`pip install "snakka[arrow]"`). The rule has two exceptions: where there is a column of headers, each
row's are encoded by themselves; and where the compiled module is not there, rows are encoded one by one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow
import pyarrow.compute

from snakka.protocol.batch_builder import encode_headers
from snakka.protocol.batch_reader import Headers
from snakka.protocol.record_encoder import PythonEncoder, RecordEncoder
from snakka.protocol.record_engine import IS_COMPILED

if IS_COMPILED:
    from snakka.protocol import _records

_POSITION_BYTES = 4
_TIMESTAMP_BYTES = 8


class Rows(NamedTuple):
    """What is to be encoded, in the types that encoders take: 64-bit numbers without nulls, and binary."""

    timestamps: Any
    keys: Any
    values: Any
    headers: list[Headers] | None


def encode_columns(
    *, value: Any, key: Any = None, headers: Any = None, timestamp: Any = None, now_ms: int, limit: int
) -> Iterator[RecordEncoder]:
    """The rows in order, as many to a batch as `limit` allows; each batch is then for `finish_batch`.

    The columns are arrays of one length: key and value of bytes or text, the timestamp a timestamp or milliseconds, headers
    lists of a name and a value. Those that are None are null in every row; a row without a timestamp gets `now_ms`.
    """
    count = len(value)
    if any(column is not None and len(column) != count for column in (key, headers, timestamp)):
        raise ValueError("the columns differ in length")
    nulls = pyarrow.nulls(count)
    rows = Rows(
        _milliseconds(nulls if timestamp is None else timestamp, now_ms),
        _binary(nulls if key is None else key),
        _binary(value),
        None if headers is None else [_headers(row) for row in headers.to_pylist()],
    )
    return encode_compiled(rows, limit) if IS_COMPILED else encode_in_python(rows, limit)


def encode_compiled(rows: Rows, limit: int) -> Iterator[RecordEncoder]:
    """By native/encoder.c."""
    count = len(rows.timestamps)
    headers = None
    if rows.headers is not None:
        headers = _memory(pyarrow.array([encode_headers(row) for row in rows.headers], pyarrow.binary()))
    keys, values = _memory(rows.keys), _memory(rows.values)
    timestamps = rows.timestamps.buffers()[1][rows.timestamps.offset * _TIMESTAMP_BYTES :]
    row = 0
    while row < count:
        encoder = _records.Encoder(limit)
        row = encoder.extend(timestamps, keys, values, headers, row, count)
        yield encoder


def encode_in_python(rows: Rows, limit: int) -> Iterator[RecordEncoder]:
    """Its twin."""
    encoder = PythonEncoder(limit)
    headers = [()] * len(rows.timestamps) if rows.headers is None else rows.headers
    columns = (rows.timestamps.to_pylist(), rows.keys.to_pylist(), rows.values.to_pylist(), headers)
    for record in zip(*columns, strict=True):
        if not encoder.append(*record):
            yield encoder
            encoder = PythonEncoder(limit)
            encoder.append(*record)
    if encoder.count:
        yield encoder


def partition_keys(keys: Any, partition_count: int) -> Any:
    """The partition of each key, as every Kafka client with the default partitioner chooses it; -1 for a null."""
    if partition_count < 1:
        raise ValueError("a topic has at least one partition")
    binary = _binary(keys)
    if not IS_COMPILED:
        from snakka.protocol.numpy_key_hash import partition_column

        return partition_column(binary, partition_count)
    partitions = pyarrow.allocate_buffer(len(binary) * _POSITION_BYTES)
    _records.partition_keys(_memory(binary), len(binary), partition_count, partitions)
    return pyarrow.Array.from_buffers(pyarrow.int32(), len(binary), [None, partitions])


def _binary(column: Any) -> Any:
    """As one array of type binary; a cast from text costs nothing."""
    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    return array if array.type == pyarrow.binary() else array.cast(pyarrow.binary())


def _milliseconds(column: Any, now_ms: int) -> Any:
    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if pyarrow.types.is_timestamp(array.type):
        # Kafka's resolution; what is finer is cut off.
        array = array.cast(pyarrow.timestamp("ms", array.type.tz), safe=False)
    array = array.cast(pyarrow.int64())
    return pyarrow.compute.fill_null(array, now_ms) if array.null_count else array


def _headers(row: Any) -> Headers:
    """From a list of structs or a map, as pyarrow gives them."""
    return tuple(
        (name, value)
        for name, value in (pair if isinstance(pair, tuple) else pair.values() for pair in row or ())
    )


def _memory(array: Any) -> tuple[Any, Any, Any, int]:
    """An array's memory as native/arrow.h takes it: from the first row on, except that bits begin within a byte."""
    valid, positions, data = array.buffers()
    if positions is None:
        positions = bytes(_POSITION_BYTES)
    return positions[array.offset * _POSITION_BYTES :], data, valid, array.offset
