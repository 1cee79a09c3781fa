"""A column of headers as the bytes of each row's, for a producer's batches: by Arrow's functions, no Python object a row.

Rule: only lengths are looked at one by one, each length once, however many headers have it.
"""

from typing import Any

import pyarrow
from pyarrow import compute

from snakka.protocol.varints import varint

_NOTHING = pyarrow.scalar(b"", pyarrow.binary())
_LENGTH_OF_NULL = -1
_LISTS = pyarrow.list_(pyarrow.struct([("key", pyarrow.binary()), ("value", pyarrow.binary())]))


def encode_header_column(column: Any) -> Any:
    """Of each row the count and the headers, as records have them, from lists of structs or from maps; a null has none.

    ValueError if a header has no name.
    """
    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if pyarrow.types.is_map(array.type):
        array = array.cast(_LISTS)
    names, values = (each.cast(pyarrow.binary()) for each in array.flatten().flatten())
    if names.null_count:
        raise ValueError(f"{names.null_count} headers have no name")
    headers = compute.binary_join_element_wise(
        _varints(compute.binary_length(names)),
        names,
        _varints(compute.fill_null(compute.binary_length(values), _LENGTH_OF_NULL)),
        compute.fill_null(values, _NOTHING),
        _NOTHING,
    )
    counts = compute.fill_null(compute.list_value_length(array), 0).cast(pyarrow.int32())
    begins = pyarrow.concat_arrays([pyarrow.array([0], pyarrow.int32()), compute.cumulative_sum(counts)])
    of_rows = pyarrow.ListArray.from_arrays(begins, headers)
    return compute.binary_join_element_wise(
        _varints(counts), compute.binary_join(of_rows, _NOTHING), _NOTHING
    )


def _varints(numbers: Any) -> Any:
    distinct = numbers.dictionary_encode()
    encoded = pyarrow.array([varint(each) for each in distinct.dictionary.to_pylist()], pyarrow.binary())
    return encoded.take(distinct.indices)
