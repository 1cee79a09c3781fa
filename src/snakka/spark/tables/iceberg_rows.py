"""The rows of an Iceberg table's data files with the columns that the table has now: what a compaction writes anew.

Rule: a row comes out as it went in. pyiceberg's own scan makes empty lists and maps of null ones if there are structs in
them: a reader may not mind, but files that were written from it would have lost the difference for good.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import (
    ArrowAccessor,
    ArrowProjectionVisitor,
    _get_column_projection_values,
    pyarrow_to_schema,
)
from pyiceberg.manifest import DataFile
from pyiceberg.schema import visit_with_partner
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.types import ListType, MapType


def data_rows(metadata: TableMetadata, files: FileIO, file: DataFile) -> Iterator[pa.RecordBatch]:
    """All rows of a Parquet file that no deletes belong to."""
    wanted = metadata.schema()
    with files.new_input(file.file_path).open() as stream:
        # Whole row groups are fetched at once: each request to an object store takes as long as megabytes of them.
        parquet = pq.ParquetFile(stream, pre_buffer=True)
        present = pyarrow_to_schema(
            parquet.schema_arrow, metadata.name_mapping(), downcast_ns_timestamp_to_us=True
        )
        # A partition's value need not be in its files.
        absent = _get_column_projection_values(
            file, wanted, wanted, metadata.specs().get(file.spec_id), present.field_ids
        )
        visitor = _NullKeeping(
            present,
            downcast_ns_timestamp_to_us=True,
            projected_missing_fields=absent,
            allow_timestamp_tz_mismatch=True,
        )
        for batch in parquet.iter_batches():
            rows = visit_with_partner(wanted, batch, visitor, _Columns(present))
            yield pa.RecordBatch.from_struct_array(rows)


class _Columns(ArrowAccessor):
    """Hands out lists of one size as lists of any, which is what the table has: those have no ends to be left alone."""

    def field_partner(self, partner_struct: Any, field_id: int, field_name: str) -> Any:
        return _with_ends(super().field_partner(partner_struct, field_id, field_name))

    def list_element_partner(self, partner_list: Any) -> Any:
        return _with_ends(super().list_element_partner(partner_list))

    def map_value_partner(self, partner_map: Any) -> Any:
        return _with_ends(super().map_value_partner(partner_map))


def _with_ends(array: Any) -> Any:
    if isinstance(array, pa.FixedSizeListArray):
        return array.cast(pa.list_(array.type.value_field))
    return array


class _NullKeeping(ArrowProjectionVisitor):
    """Puts the values that lists and maps have now where the old ones were, and leaves alone what says where those are."""

    def list(self, list_type: ListType, list_array: Any, value_array: Any) -> Any:
        if list_array is None or value_array is None:
            return None
        values = self._cast_if_needed(list_type.element_field, value_array)
        kind = pa.large_list if pa.types.is_large_list(list_array.type) else pa.list_
        return _of_values(
            list_array, kind(self._construct_field(list_type.element_field, values.type)), values
        )

    def map(self, map_type: MapType, map_array: Any, key_result: Any, value_result: Any) -> Any:
        if map_array is None or key_result is None or value_result is None:
            return None
        keys = self._cast_if_needed(map_type.key_field, key_result)
        values = self._cast_if_needed(map_type.value_field, value_result)
        fields = [
            self._construct_field(map_type.key_field, keys.type),
            self._construct_field(map_type.value_field, values.type),
        ]
        return _of_values(
            map_array, pa.map_(*fields), pa.StructArray.from_arrays([keys, values], fields=fields)
        )


def _of_values(array: pa.Array, kind: pa.DataType, values: pa.Array) -> pa.Array:
    nulls_and_ends = array.buffers()[:2]
    return pa.Array.from_buffers(kind, len(array), nulls_and_ends, offset=array.offset, children=[values])
