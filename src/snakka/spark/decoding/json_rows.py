"""JSON, decoded by Spark itself: the bytes never leave the JVM.

Spark's parser is more forgiving than a pipeline should be. It reads the first value of a text and ignores what comes after
it; so a text is parsed as the first of two elements of an array, and only if the second one, which we add, is found there
does the text hold one value and nothing else. Bytes that are no UTF-8, single quotes, NaN, and columns that are declared
NOT NULL (at the top) and missing are refused, too, also where the whole value is. So are values that Spark would bend: it
takes 200 for the TINYINT -56, and milliseconds for seconds, some 50,000 years from now.

Rule: a wrong type makes the row bad, never a silent null; a field that the schema does not name is ignored; a field that
is missing is null.
"""

from __future__ import annotations

import secrets
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from snakka.spark.decoding.framing import FRAME_BYTES, NOT_FRAMED
from snakka.spark.decoding.spec import DecodingError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

# A name that no record can know: it could close the array itself, and go on as if it were us.
_SECRET = secrets.token_hex(8)
_BOTH = f"both_{_SECRET}"
_END = "_snakka_end"
_BEFORE = f'{{"{_BOTH}":['
_AFTER = f',{{"{_END}":"{_SECRET}"}}]}}'
# Spark writes the text of a record that does not fit into this field; nobody sees it.
_UNPARSED = "_snakka_unparsed"
_OPTIONS = {
    "mode": "PERMISSIVE",
    "columnNameOfCorruptRecord": _UNPARSED,
    "allowSingleQuotes": "false",
    "allowNonNumericNumbers": "false",
    # Else 20240102 would be so many days after 1970.
    "enableDateTimeParsingFallback": "false",
}
_TINY = (-128, 127)
# Beyond those of ISO 8601 by one, which another time zone may make of them.
_YEARS = (-1, 10_000)


def declared_schema(text: str) -> StructType:
    """The columns that DDL (`id BIGINT NOT NULL, at TIMESTAMP`) or Spark's own JSON of a schema declares."""
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

    try:
        if text.lstrip().startswith("{"):
            import json

            return StructType.fromJson(json.loads(text))
        parsed = StructType.fromDDL(text)
    except (PySparkException, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())
        raise DecodingError("schema", f"can't be read as columns: {reason}") from error
    return parsed


def inferred_schema(sample: DataFrame, on: str = "value") -> str:
    """DDL of the columns that the values of a small sample have, as Spark sees them; for a first declaration."""
    texts = sample.select(sample[on].cast("string")).dropna().rdd.map(lambda row: row[0])
    found = sample.sparkSession.read.json(texts).schema
    fields = [field for field in found.fields if not field.name.startswith("_corrupt")]
    if not fields:
        raise DecodingError("schema", "the sample holds no JSON objects to infer columns from")
    return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in fields)


def decoded_json(df: DataFrame, on: str, struct: StructType, *, framed: bool, may_be_null: bool) -> DataFrame:
    """Adds `_value`, the struct, and `_value_error`; for keys the same with `key`.

    `may_be_null`: the struct as a whole, so that nothing can be said against a value that is null.
    """
    from pyspark.sql.functions import col, from_json, when

    text, parsed, error = f"_{on}_text", f"_{on}", f"_{on}_error"
    return (
        df.withColumn(text, _text(on, framed=framed))
        .withColumn(parsed, from_json(_with_end(col(text)), _with_end_schema(struct), _OPTIONS))
        .withColumn(error, _error(on, struct, framed=framed, may_be_null=may_be_null))
        .withColumn(parsed, when(col(error).isNull(), _as_declared(_first(col(parsed)), struct)))
        .drop(text)
    )


def _as_declared(first: Column, struct: StructType) -> Column:
    from pyspark.sql.types import ByteType

    value, declared = first.dropFields(_END), _with_bytes_as(ByteType(), struct)
    return value if declared == _with_room(struct) else value.try_cast(declared)


def _text(on: str, *, framed: bool) -> Column:
    from pyspark.sql.functions import col, lit, substring

    value = col(on)
    if framed:
        value = substring(value, lit(FRAME_BYTES + 1), lit(2**31 - 1))
    return value.cast("string")


def _with_end(text: Column) -> Column:
    from pyspark.sql.functions import concat, lit

    return concat(lit(_BEFORE), text, lit(_AFTER))


def _with_end_schema(struct: StructType) -> StructType:
    from pyspark.sql.types import ArrayType, StringType, StructField, StructType

    fields = [StructField(field.name, _with_room(field.dataType)) for field in struct.fields]
    element = StructType([*fields, StructField(_END, StringType())])
    return StructType([StructField(_BOTH, ArrayType(element)), StructField(_UNPARSED, StringType())])


def _with_room(kind: DataType) -> DataType:
    """The same type with room for what is no TINYINT, to be seen."""
    from pyspark.sql.types import ShortType

    return _with_bytes_as(ShortType(), kind)


def _with_bytes_as(small: DataType, kind: DataType) -> DataType:
    """The same type with another one for TINYINT; everything in it may be null, as it is when it was parsed."""
    from pyspark.sql.types import ArrayType, ByteType, MapType, StructField, StructType

    if isinstance(kind, StructType):
        return StructType([StructField(each.name, _with_bytes_as(small, each.dataType)) for each in kind])
    if isinstance(kind, ArrayType):
        return ArrayType(_with_bytes_as(small, kind.elementType))
    if isinstance(kind, MapType):
        return MapType(kind.keyType, _with_bytes_as(small, kind.valueType))
    return small if isinstance(kind, ByteType) else kind


def _within_bounds(value: Column, kind: DataType) -> Column | None:
    """Whether all in it is what its type, as declared, is for; None if there is nothing to ask."""
    from pyspark.sql import types
    from pyspark.sql.functions import coalesce, forall, lit, map_values, year

    inner: Any = None
    if isinstance(kind, types.ByteType):
        inner = value.between(*_TINY)
    elif isinstance(kind, (types.TimestampType, types.TimestampNTZType, types.DateType)):
        inner = year(value).between(*_YEARS)
    elif isinstance(kind, types.StructType):
        fields = (_within_bounds(value.getField(field.name), field.dataType) for field in kind)
        asked = [each for each in fields if each is not None]
        inner = reduce(and_, asked) if asked else None
    elif isinstance(kind, (types.ArrayType, types.MapType)):
        is_map = isinstance(kind, types.MapType)
        element = kind.valueType if is_map else kind.elementType
        if _within_bounds(value, element) is not None:
            elements = map_values(value) if is_map else value
            inner = forall(elements, lambda each: _within_bounds(each, element))
    return None if inner is None else coalesce(inner, lit(True))


def _first(parsed: Column) -> Column:
    return parsed.getField(_BOTH).getItem(0)


def _fits(parsed: Column, struct: StructType) -> Column:
    from pyspark.sql.functions import lit, size

    both = parsed.getField(_BOTH)
    within = _within_bounds(_first(parsed), struct)
    return (
        parsed.getField(_UNPARSED).isNull()
        & (size(both) == 2)
        & both.getItem(0).isNotNull()
        & both.getItem(1).getField(_END).eqNullSafe(lit(_SECRET))
        & (lit(True) if within is None else within)
    )


def _error(on: str, struct: StructType, *, framed: bool, may_be_null: bool) -> Column:
    """Why a row is bad; null if it is good. A null value is a deletion: all its columns are null, if they may be."""
    from pyspark.sql.functions import (
        coalesce,
        col,
        concat_ws,
        is_valid_utf8,
        length,
        lit,
        nullif,
        substring,
        when,
    )

    text = col(f"_{on}_text")
    required = [field.name for field in struct if not field.nullable]
    of_null = f"is null, but {', '.join(required)} can't be" if required and not may_be_null else None
    error = when(col(on).isNull(), lit(of_null).cast("string"))
    if framed:
        is_framed = (length(col(on)) > FRAME_BYTES) & (substring(col(on), lit(1), lit(1)) == lit(b"\0"))
        error = error.when(~is_framed, lit(NOT_FRAMED))
    error = error.when(~is_valid_utf8(text), lit("is not UTF-8"))
    missing = nullif(concat_ws(", ", *(_missing_field(on, name) for name in required)), lit(""))
    return error.when(~coalesce(_fits(col(f"_{on}"), struct), lit(False)), _misfit(on, struct)).otherwise(
        missing if required else lit(None).cast("string")
    )


def _misfit(on: str, struct: StructType) -> Column:
    """What is wrong with a record that does not fit: which looks at it again, but only at bad ones."""
    from pyspark.sql.functions import coalesce, col, concat_ws, lit, ltrim, nullif, try_parse_json, when

    text = col(f"_{on}_text")
    wrong = concat_ws(", ", *(_wrong_field(on, field.name, field.dataType) for field in struct))
    is_json = try_parse_json(_with_end(text)).isNotNull()
    is_object = is_json & ltrim(text).startswith("{")
    return when(is_object, coalesce(nullif(wrong, lit("")), lit("does not fit the schema"))).otherwise(
        when(is_json, lit("is JSON, but no object")).otherwise(lit("is no JSON"))
    )


def _wrong_field(on: str, name: str, kind: DataType) -> Column:
    from pyspark.sql.functions import col, get_json_object, lit, when

    path = "$['" + name.replace("'", "\\'") + "']"
    present = get_json_object(col(f"_{on}_text"), path).isNotNull()
    value = _first(col(f"_{on}")).getField(name)
    within = _within_bounds(value, kind)
    wrong = value.isNull() if within is None else value.isNull() | ~within
    return when(present & wrong, lit(f"{name} is no {kind.simpleString().upper()}"))


def _missing_field(on: str, name: str) -> Column:
    from pyspark.sql.functions import col, lit, when

    return when(_first(col(f"_{on}")).getField(name).isNull(), lit(f"{name} is missing"))
