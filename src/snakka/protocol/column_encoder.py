"""Arrow columns as a producer's batches, and the partition of each of their keys: no Python object for each record.

It needs pyarrow (`pip install "snakka[arrow]"`), and NumPy where the compiled module is not there.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow
import pyarrow.compute

from snakka.protocol.batch_builder import encode_headers
from snakka.protocol.header_columns import encode_header_column
from snakka.protocol.record_encoder import EncodedBatch
from snakka.protocol.record_engine import IS_COMPILED

_POSITION_BYTES = 4
_TIMESTAMP_BYTES = 8
_NO_HEADERS = encode_headers(())


def encode_columns(
    *, value: Any, key: Any = None, headers: Any = None, timestamp: Any = None, now_ms: int, limit: int
) -> Iterator[EncodedBatch]:
    """The rows in order, as many to a batch as `limit` allows; each batch is then for `finish_batch`.

    The columns are arrays of one length: key and value of bytes or text, the timestamp a timestamp or milliseconds, headers
    lists of a name and a value. Those that are None are null in every row; a row without a timestamp gets `now_ms`.
    """
    count = len(value)
    if any(column is not None and len(column) != count for column in (key, headers, timestamp)):
        raise ValueError("the columns differ in length")
    nulls = pyarrow.nulls(count)
    times = _milliseconds(nulls if timestamp is None else timestamp, now_ms)
    keys = _binary(nulls if key is None else key)
    encoded = pyarrow.repeat(_NO_HEADERS, count) if headers is None else encode_header_column(headers)
    if not IS_COMPILED:
        from snakka.protocol.numpy_encoder import encode_rows

        return encode_rows(times, keys, _binary(value), encoded, limit)
    return encode_compiled(times, keys, _binary(value), encoded, limit)


def encode_compiled(times: Any, keys: Any, values: Any, headers: Any, limit: int) -> Iterator[EncodedBatch]:
    """By native/encoder.c."""
    from snakka.protocol import _records

    timestamps = times.buffers()[1][times.offset * _TIMESTAMP_BYTES :]
    columns = (_memory(keys), _memory(values), _memory(headers))
    row = 0
    while row < len(times):
        encoder = _records.Encoder(limit)
        row = encoder.extend(timestamps, *columns, row, len(times))
        yield encoder


def partition_keys(keys: Any, partition_count: int) -> Any:
    """The partition of each key, as every Kafka client with the default partitioner chooses it; -1 for a null."""
    if partition_count < 1:
        raise ValueError("a topic has at least one partition")
    binary = _binary(keys)
    if not IS_COMPILED:
        from snakka.protocol.numpy_key_hash import partition_column

        return partition_column(binary, partition_count)
    from snakka.protocol import _records

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


def _memory(array: Any) -> tuple[Any, Any, Any, int]:
    """An array's memory as native/arrow.h takes it: from the first row on, except that bits begin within a byte."""
    valid, positions, data = array.buffers()
    if positions is None:
        positions = bytes(_POSITION_BYTES)
    return positions[array.offset * _POSITION_BYTES :], data, valid, array.offset
