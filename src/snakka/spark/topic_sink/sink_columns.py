"""The columns that make a record, as Spark's own Kafka sink has them, and the rows of a batch by topic.

Rule: columns are judged on the driver, by name and type, before a task begins; rows are moved by Arrow, never one by one.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    NullType,
    StringType,
    StructType,
)

from snakka.spark.client_settings import SparkOptionError

if TYPE_CHECKING:
    import pyarrow

KEY, VALUE, HEADERS, TOPIC, PARTITION = "key", "value", "headers", "topic", "partition"
HEADERS_TYPE = "array<struct<key:string,value:binary>>"


class SinkColumns(NamedTuple):
    """The names of the optional columns that are there; the topic is None if an option says it for all rows."""

    key: str | None
    headers: str | None
    partition: str | None
    topic: str | None


def sink_columns(schema: StructType, topic: str | None) -> SinkColumns:
    """Of a DataFrame with this schema; SparkOptionError if it can't be written. Other columns are left alone."""
    types = {field.name: field.dataType for field in schema.fields}
    if VALUE not in types:
        raise SparkOptionError(
            f"there is no column value, which must be string or binary; there are {', '.join(types) or 'none'}"
        )
    _check(VALUE, types[VALUE], "string or binary", _is_bytes(types[VALUE]))
    if topic is None:
        if TOPIC not in types:
            raise SparkOptionError(
                "where to is not said: set the option topic, or give each row its own in a column topic"
            )
        _check(TOPIC, types[TOPIC], "string", isinstance(types[TOPIC], StringType))
    return SinkColumns(
        _optional(types, KEY, "string or binary", _is_bytes(types.get(KEY))),
        _optional(types, HEADERS, HEADERS_TYPE, _is_headers(types.get(HEADERS))),
        _optional(types, PARTITION, "int", isinstance(types.get(PARTITION), IntegerType)),
        TOPIC if topic is None else None,
    )


def rows_by_topic(
    batch: "pyarrow.RecordBatch", columns: SinkColumns, topic: str | None
) -> "Iterator[tuple[str, pyarrow.RecordBatch]]":
    """The rows of each topic, in their order."""
    if columns.headers is not None:
        _check_headers(batch.column(columns.headers))
    if topic is not None:
        yield topic, batch
        return
    from pyarrow import compute

    names = batch.column(TOPIC)
    missing = names.null_count + (compute.sum(compute.equal(names, "")).as_py() or 0)
    if missing:
        raise ValueError(
            f"{missing} rows have no topic: fill the column topic, or set the option topic for all of them"
        )
    encoded = names.dictionary_encode()
    topics = encoded.dictionary.to_pylist()
    if len(topics) == 1:
        yield topics[0], batch
        return
    order = compute.sort_indices(encoded.indices)  # which keeps the order of equals
    ordered = batch.take(order)
    runs = compute.run_end_encode(encoded.indices.take(order))
    start = 0
    for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield topics[number], ordered.slice(start, end - start)
        start = end


def _check_headers(headers: "pyarrow.ListArray") -> None:
    entries = headers.flatten()
    nameless = entries.null_count or entries.field(KEY).null_count
    if nameless:
        raise ValueError(
            f"{nameless} headers have no key: leave them out of the column headers, or name them"
        )


def _optional(types: dict[str, DataType], name: str, wanted: str, is_right: bool) -> str | None:
    """A column of nothing but nulls is as good as none."""
    kind = types.get(name)
    if kind is None or isinstance(kind, NullType):
        return None
    _check(name, kind, wanted, is_right)
    return name


def _check(name: str, kind: DataType, wanted: str, is_right: bool) -> None:
    if not is_right:
        raise SparkOptionError(
            f"column {name} has the unsupported type {kind.simpleString()}: it must be {wanted}"
        )


def _is_bytes(kind: DataType | None) -> bool:
    return isinstance(kind, StringType | BinaryType)


def _is_headers(kind: DataType | None) -> bool:
    if not isinstance(kind, ArrayType) or not isinstance(kind.elementType, StructType):
        return False
    fields = [(field.name, type(field.dataType)) for field in kind.elementType.fields]
    return fields == [("key", StringType), ("value", BinaryType)]
