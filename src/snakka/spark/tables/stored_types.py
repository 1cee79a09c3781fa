"""Which of Spark's types go into a table: those that Parquet, Delta and Iceberg all have.

Rule: what is not known to be held as it is, is refused, by the column's name. A VARIANT, for one, would arrive as the bytes
of its inner form, which no reader takes for a value again.
"""

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import types
from pyspark.sql.pandas.types import to_arrow_schema

from snakka.spark.tables.schema_evolution import SchemaMismatchError

_STORED = (
    types.StringType,
    types.CharType,
    types.VarcharType,
    types.BinaryType,
    types.BooleanType,
    types.IntegralType,
    types.FloatType,
    types.DoubleType,
    types.DecimalType,
    types.DateType,
    types.TimestampType,
    types.TimestampNTZType,
)


def stored_columns(schema: types.StructType) -> pa.Schema:
    """The columns in Arrow's types."""
    for path, kind in _leaves("", schema):
        if not isinstance(kind, _STORED):
            raise SchemaMismatchError(
                f"column {path}: no table holds {kind.simpleString()}; cast it in the query"
            )
    return to_arrow_schema(schema, timezone="UTC")


def _leaves(path: str, kind: types.DataType) -> Iterator[tuple[str, types.DataType]]:
    if isinstance(kind, types.StructType) and kind.fields:
        for field in kind.fields:
            yield from _leaves(f"{path}.{field.name}" if path else field.name, field.dataType)
    elif isinstance(kind, types.ArrayType):
        yield from _leaves(f"{path}.element", kind.elementType)
    elif isinstance(kind, types.MapType):
        yield from _leaves(f"{path}.key", kind.keyType)
        yield from _leaves(f"{path}.value", kind.valueType)
    else:
        yield path, kind
