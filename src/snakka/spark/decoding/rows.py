"""Good rows and bad rows of a source, decoded once for both.

`decode` adds to the source's columns the decoded structs and `_error`; `rows` and `bad` are two views of that. Spark has
one sink a streaming query, so a pipeline that wants both from one query hands `everything` to foreachBatch:

    decoded.everything.writeStream.foreachBatch(
        lambda batch, batch_id: decoded.write_both(batch, write_rows, write_bad)
    )

Rule: what is decoded is never decoded again by a filter that Spark moved below it (see `_held_together`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snakka.spark.decoding.spec import DecodingError, DecodingSpec, column_decoder, schema_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from snakka.spark.decoding.spec import ColumnDecoder

ERROR = "_error"
# What a bad row tells about its record, as far as the source has it.
ORIGIN = ("key", "value", "topic", "partition", "offset", "timestamp", "headers")


@dataclass(frozen=True)
class Decoded:
    """A source whose bytes were decoded."""

    everything: DataFrame
    specs: tuple[DecodingSpec, ...]
    columns: tuple[str, ...]

    @property
    def rows(self) -> DataFrame:
        """The good rows: kept columns, then decoded ones."""
        return self.rows_of(self.everything)

    @property
    def bad(self) -> DataFrame:
        """The rows that can't be decoded: `error`, and of the record all that the source has."""
        return self.bad_of(self.everything)

    def rows_of(self, everything: DataFrame) -> DataFrame:
        from pyspark.sql.functions import col

        return everything.where(col(ERROR).isNull()).selectExpr(*self.columns)

    def bad_of(self, everything: DataFrame) -> DataFrame:
        from pyspark.sql.functions import col

        origin = [name for name in ORIGIN if name in everything.columns]
        return everything.where(col(ERROR).isNotNull()).select(col(ERROR).alias("error"), *origin)

    def write_both(
        self,
        batch: DataFrame,
        write_rows: Callable[[DataFrame], None],
        write_bad: Callable[[DataFrame], None],
    ) -> int:
        """Both kinds of one micro-batch of `everything`; how many were bad.

        The good rows' pass counts the bad ones, and only a batch that has some is decoded a second time for them: bad rows
        are rare, and keeping every batch in memory for their sake would cost more. `write_rows` runs exactly one action.
        """
        from pyspark.sql import Observation
        from pyspark.sql.functions import col, count

        counted = Observation()
        write_rows(self.rows_of(batch.observe(counted, count(col(ERROR)).alias("bad"))))
        bad = int(counted.get["bad"])
        if bad:
            write_bad(self.bad_of(batch))
        return bad


def decode(df: DataFrame, *specs: DecodingSpec) -> Decoded:
    """Decode the value, the key, or both; each spec says which side it is for."""
    specs = tuple(spec.pinned() for spec in specs)
    sides = [spec.on for spec in specs]
    if len(set(sides)) != len(sides):
        raise DecodingError("on", f"{sides[0]} is decoded twice")
    everything = df
    errors: list[str] = []
    for spec in specs:
        if spec.on not in df.columns:
            raise DecodingError("on", f"the source has no column {spec.on}")
        if spec.format != "raw":
            everything = _with_decoded(everything, spec)
            errors.append(f"_{spec.on}_error")
    everything = _with_error(everything, errors)
    return Decoded(everything, specs, _good_columns(df.columns, specs))


def _with_decoded(df: DataFrame, spec: DecodingSpec) -> DataFrame:
    """`_value` (or `_key`), the decoded struct, and `_value_error`."""
    from pyspark.sql.functions import col

    if spec.format == "json":
        from snakka.spark.decoding.json_rows import decoded_json

        whole = spec.target is not None
        return decoded_json(df, spec.on, schema_of(spec), framed=spec.is_framed, may_be_null=whole)
    result = f"_{spec.on}_result"
    decoder = column_decoder(spec)
    return (
        df.withColumn(result, _decoding_function(decoder)(col(spec.on)))
        .withColumn(f"_{spec.on}", col(f"{result}.decoded"))
        .withColumn(f"_{spec.on}_error", col(f"{result}.error"))
        .drop(result)
    )


def _decoding_function(decoder: ColumnDecoder) -> Callable[[Column], Column]:
    """Only the one column travels to Python and back; the others stay in the JVM."""
    from pyspark.sql.functions import arrow_udf
    from pyspark.sql.types import StringType, StructField, StructType

    result = StructType([StructField("decoded", decoder.struct), StructField("error", StringType())])

    def decode_values(values: pa.Array) -> pa.Array:
        import pyarrow

        decoded, errors = decoder.decode(values)
        return pyarrow.StructArray.from_arrays([decoded, errors], ["decoded", "error"])

    # Postponed annotations are not found by Spark, which tells the kind of function by them.
    decode_values.__annotations__ = _array_to_array()
    # Not deterministic: a filter on the outcome stays above it, instead of decoding everything a second time.
    function: Callable[[Column], Column] = arrow_udf(decode_values, result).asNondeterministic()
    return function


def _array_to_array() -> dict[str, object]:
    import pyarrow

    return {"values": pyarrow.Array, "return": pyarrow.Array}


def _with_error(df: DataFrame, errors: list[str]) -> DataFrame:
    from pyspark.sql.functions import coalesce, col, concat, lit

    named = [
        concat(lit("key: "), col(name)) if name == "_key_error" and len(errors) > 1 else col(name)
        for name in errors
    ]
    error = coalesce(*named) if named else lit(None).cast("string")
    return df.withColumn(ERROR, _held_together(error)).drop(*errors)


def _held_together(error: Column) -> Column:
    """The same column, but Spark moves no filter on it below the decoding, which would then be done twice.

    Spark moves filters only past deterministic columns, and the number of a partition counts as none.
    """
    from pyspark.sql.functions import lit, spark_partition_id, when

    return when(spark_partition_id() < 0, lit("")).otherwise(error)


def _good_columns(source: list[str], specs: tuple[DecodingSpec, ...]) -> tuple[str, ...]:
    """SQL expressions of the good rows' columns, in the source's order, then the decoded ones."""
    decoded: dict[str, str] = {}
    for spec in specs:
        decoded.update(_decoded_columns(spec, schema_of(spec)))
    replaced = {spec.on for spec in specs}
    wanted = next((spec.keep for spec in specs if spec.keep is not None), None)
    if wanted is None:
        kept = [name for name in source if name not in replaced and name not in decoded]
    else:
        kept = list(wanted)
        for name in kept:
            if name not in source:
                raise DecodingError("keep", f"the source has no column {name}; it has {', '.join(source)}")
            if name in decoded:
                raise DecodingError(
                    "keep", f"a decoded column is called {name}, too: leave it out, or name a struct by into"
                )
    return (*(_quoted(name) for name in kept), *decoded.values())


def _decoded_columns(spec: DecodingSpec, struct: StructType) -> dict[str, str]:
    """Name -> SQL expression."""
    if spec.format == "raw":
        name = spec.into or spec.on
        return {name: f"{_quoted(spec.on)} AS {_quoted(name)}"}
    inner = f"_{spec.on}"
    if spec.target is not None:
        return {spec.target: f"{inner} AS {_quoted(spec.target)}"}
    return {name: f"{inner}.{_quoted(name)} AS {_quoted(name)}" for name in struct.names}


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
