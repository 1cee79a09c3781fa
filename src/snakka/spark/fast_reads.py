"""Batches of topics and log files by the shortest way into Spark: a map over their ranges, not a scan by a source in Python.

Spark copies every row of such a scan once more than it needs to, and counts it for metrics: for small records that is nearly
as much as all else that the JVM does with them. So what `spark.read` loads of our formats is planned where it is loaded, and
read by mapInArrow. It is read by the same readers: options, columns and rows are the same. Only the tasks may be more: it is
known here how many run at a time, and there is work for all of them if no option says otherwise.

Rule: it is asked for, it changes only how fast batches are, and it can be taken back. What it does not know goes Spark's
way.
"""

import json
import pickle
import secrets
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql.datasource import CaseInsensitiveDict, DataSource, DataSourceReader
from pyspark.sql.readwriter import DataFrameReader
from pyspark.sql.types import StructType

from snakka.spark.data_source import SnakkaDataSource
from snakka.spark.log_reader.data_source import LogDataSource
from snakka.spark.replaced_methods import ReplacedMethods

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession

_SOURCES: dict[str, type[DataSource]] = {kind.name(): kind for kind in (SnakkaDataSource, LogDataSource)}


class FastReads(ReplacedMethods):
    """What was changed in PySpark; `disable()` lets Spark scan our sources again."""


def enable_fast_reads() -> FastReads:
    """From now on what `spark.read` loads of formats `snakka` and `snakka-log` in this process takes the shortest way."""
    reads = FastReads()
    reads.replace(DataFrameReader, "load", _load)
    return reads


def _load(original: Callable[..., Any]) -> Callable[..., Any]:
    def load(
        self: DataFrameReader,
        path: Any = None,
        format: str | None = None,  # noqa: A002 -- Spark's name
        schema: StructType | str | None = None,
        **options: Any,
    ) -> DataFrame:
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        loaded = _loaded(self, path)
        return original(self, path) if loaded is None else loaded

    return load


def _loaded(asked: DataFrameReader, path: Any) -> DataFrame | None:
    """None where it is not ours, and where Spark itself must take part: to give us filters, or to say what is wrong."""
    kind = _SOURCES.get(asked._jreader.source().lower())
    if kind is None:
        return None
    options = _options(asked)
    if path is not None:
        if "path" in options or not isinstance(path, str | list):
            return None
        options.update(_named_paths([path] if isinstance(path, str) else path))
    source = kind(options)
    schema = _schema(asked) or source.schema()
    assert isinstance(schema, StructType)
    reader = source.reader(schema)
    if type(reader).pushFilters is not DataSourceReader.pushFilters:
        return None
    return mapped(asked._spark, kind.name(), reader, schema)


def _options(asked: DataFrameReader) -> CaseInsensitiveDict:
    """In a few long answers of the JVM's: to ask for one after the other takes longer than all else that happens here."""
    given = asked._jreader.extraOptions().originalMap()
    mark = secrets.token_hex(16)  # no name or value has it
    names, values = (each.mkString(mark).split(mark) for each in (given.keys(), given.values()))
    return CaseInsensitiveDict({name: value for name, value in zip(names, values, strict=True) if name})


def _named_paths(paths: list[str]) -> dict[str, str]:
    """As Spark hands them to a source."""
    return {"path": paths[0]} if len(paths) == 1 else {"paths": json.dumps(paths)}


def _schema(asked: DataFrameReader) -> StructType | None:
    given = asked._jreader.userSpecifiedSchema()
    return StructType.fromJson(json.loads(given.get().json())) if given.isDefined() else None


def mapped(spark: "SparkSession", name: str, reader: Any, schema: StructType) -> DataFrame:
    """A task for each range, which reads it."""
    from pyspark.sql.udf import UserDefinedFunction
    from pyspark.util import PythonEvalType

    planned = reader.planned_apart(spark.sparkContext.defaultParallelism)
    ranges = [pickle.dumps(each) for each in planned]  # a task makes only its own out of that

    def read(numbers: "Iterator[pyarrow.RecordBatch]") -> "Iterator[pyarrow.RecordBatch]":
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                yield from reader.read(pickle.loads(ranges[number]))

    numbers = _of_unknown_size(spark.range(0, len(ranges), 1, max(len(ranges), 1)))
    # DataFrame.mapInArrow does the same, and wants pandas for it.
    function = UserDefinedFunction(read, schema, name, PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
    column = function(*[numbers[each] for each in numbers.columns])
    return DataFrame(numbers._jdf.mapInArrow(column._jc, False, None), spark)


def _of_unknown_size(numbers: DataFrame) -> DataFrame:
    """The same rows: Spark would take what is made of a few numbers for small, and send it to all executors for a join."""
    spark = numbers.sparkSession
    rows = numbers._jdf.queryExecution().toRdd()
    return DataFrame(spark._jsparkSession.internalCreateDataFrame(rows, numbers._jdf.schema(), False), spark)
