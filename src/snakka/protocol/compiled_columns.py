"""Batches as Arrow columns through native/column_builder.c, which owns their memory; here it is laid out as arrays."""

from typing import Any

import pyarrow

from snakka.protocol import _records
from snakka.protocol.arrow_types import HEADER, HEADERS, TIMESTAMP, as_text

# The bits that native/column_builder.c has for them.
_BITS = {"offset": 1, "timestamp": 2, "timestamp_type": 4, "key": 8, "value": 16, "headers": 32}


class CompiledColumns:
    """Decodes what it is given at once; a `ColumnBuilder` of record_columns.py."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._builder = _records.ColumnBuilder(sum(_BITS[name] for name in wanted & _BITS.keys()))
        self.add_batch = self._builder.add_batch
        self.add_run = self._builder.add_run

    def finish(self) -> tuple[int, dict[str, Any]]:
        """The number of rows, and the wanted ones of the columns."""
        rows, header_count, offset, timestamp, timestamp_type, header_ends, *binary = self._builder.finish()
        key, value, header_name, header_value = binary
        columns: dict[str, Any] = {}
        if offset is not None:
            columns["offset"] = pyarrow.Array.from_buffers(
                pyarrow.int64(), rows, [None, self._memory(offset)]
            )
        if timestamp is not None:
            columns["timestamp"] = pyarrow.Array.from_buffers(
                TIMESTAMP, rows, [None, self._memory(timestamp)]
            )
        if timestamp_type is not None:
            columns["timestamp_type"] = pyarrow.Array.from_buffers(
                pyarrow.int32(), rows, [None, self._memory(timestamp_type)]
            )
        if key[0] is not None:
            columns["key"] = self._bytes_array(rows, key)
        if value[0] is not None:
            columns["value"] = self._bytes_array(rows, value)
        if header_ends is not None:
            names = as_text(self._bytes_array(header_count, header_name))
            values = self._bytes_array(header_count, header_value)
            pairs = pyarrow.StructArray.from_arrays([names, values], fields=list(HEADER))
            columns["headers"] = pyarrow.Array.from_buffers(
                HEADERS, rows, [None, self._memory(header_ends)], children=[pairs]
            )
        return rows, columns

    def _memory(self, place: "_records.Place | None") -> Any:
        """It lives as long as the builder, and that as long as this."""
        return None if place is None else pyarrow.foreign_buffer(*place, base=self._builder)

    def _bytes_array(self, rows: int, column: "_records.BinaryColumn") -> Any:
        ends, data, valid, nulls = column
        buffers = [self._memory(valid), self._memory(ends), self._memory(data)]
        return pyarrow.Array.from_buffers(pyarrow.binary(), rows, buffers, nulls)
