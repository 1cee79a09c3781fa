"""The columns of a topic as Spark's own Kafka source has them, and how decoded columns become exactly those.

Rule: Spark's schema is obeyed to the letter, since Spark compares it with what an executor gives, and a schema that the user
gives chooses columns: what it does not name is never decoded.
"""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from snakka.spark.client_settings import SparkOptionError

if TYPE_CHECKING:
    import pyarrow

# Spark takes batches of this size with the least effort: each costs it and PySpark something, however small it is.
MOST_BYTES = 4 * 1024 * 1024
MOST_ROWS = 50_000


class SourceColumn(NamedTuple):
    """One column: Spark's name for it and its type, and the name that decoded records have for it."""

    name: str
    kind: DataType
    decoded_as: str


HEADERS = SourceColumn(
    "headers",
    ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())])),
    "headers",
)
COLUMNS = (
    SourceColumn("key", BinaryType(), "key"),
    SourceColumn("value", BinaryType(), "value"),
    SourceColumn("topic", StringType(), "topic"),
    SourceColumn("partition", IntegerType(), "partition"),
    SourceColumn("offset", LongType(), "offset"),
    SourceColumn("timestamp", TimestampType(), "timestamp"),
    SourceColumn("timestampType", IntegerType(), "timestamp_type"),
)


def source_schema(include_headers: bool) -> StructType:
    """What the source gives if nobody says otherwise."""
    columns = (*COLUMNS, HEADERS) if include_headers else COLUMNS
    return StructType([StructField(each.name, each.kind) for each in columns])


class ChosenColumns:
    """The columns that a schema asks for; SparkOptionError if the source has none of that name and type."""

    def __init__(self, schema: StructType) -> None:
        self._schema = schema
        chosen = [_column(field) for field in schema.fields]
        if not chosen:
            raise SparkOptionError("the schema has no column: name at least one, for example offset LONG")
        self.names = tuple(each.decoded_as for each in chosen)  # of decoded records, in the schema's order
        if len(set(self.names)) < len(self.names):
            raise SparkOptionError(f"the schema names a column twice: {', '.join(schema.fieldNames())}")
        self._never_null = [index for index, field in enumerate(schema.fields) if not field.nullable]

    @cached_property
    def arrow_schema(self) -> "pyarrow.Schema":
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(self._schema, timezone="UTC")

    def for_spark(self, decoded: "pyarrow.RecordBatch") -> "pyarrow.RecordBatch":
        """The same rows with exactly the types that Spark expects; SparkOptionError if one lacks what is NOT NULL."""
        import pyarrow

        arrays = [
            _headers(array, field.type)
            if name == HEADERS.decoded_as
            else array
            if array.type == field.type
            else array.cast(field.type)
            for name, array, field in zip(self.names, decoded.columns, self.arrow_schema, strict=True)
        ]
        for index in self._never_null:
            if arrays[index].null_count:
                name = self.arrow_schema.field(index).name
                raise SparkOptionError(
                    f"there are records without {name}: say it in the schema without NOT NULL"
                )
        return pyarrow.RecordBatch.from_arrays(arrays, schema=self.arrow_schema)


def _column(field: StructField) -> SourceColumn:
    for column in (*COLUMNS, HEADERS):
        if column.name.lower() == field.name.lower():
            if column.kind != field.dataType:
                raise SparkOptionError(
                    f"column {field.name} is {column.kind.simpleString()}, not {field.dataType.simpleString()}:"
                    " choose columns with the schema, and convert them with DataFrame operations"
                )
            return column
    known = ", ".join(column.name for column in (*COLUMNS, HEADERS))
    raise SparkOptionError(f"there is no column {field.name}; there are {known}")


def _headers(array: "pyarrow.Array", kind: "pyarrow.DataType") -> "pyarrow.Array":
    """As Spark's source has it: a record without headers has null, not an empty list."""
    import pyarrow
    from pyarrow import compute

    absent = compute.equal(compute.list_value_length(array), 0)
    return pyarrow.ListArray.from_arrays(array.offsets, array.values, type=kind, mask=absent)
