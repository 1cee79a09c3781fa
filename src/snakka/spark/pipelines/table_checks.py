"""Whether the tables of sinks can take the rows that they will get, found out before anything runs.

Rule: it asks the table as the sink would, by the same code, but creates and alters nothing: no table, no directory, no
catalog. What does not answer is no mistake of the file.
"""

from typing import TYPE_CHECKING

from snakka.spark.client_settings import SparkOptionError
from snakka.spark.pipelines.declaration import DEAD_LETTERS, Sink
from snakka.spark.pipelines.problems import PipelineError, Problem
from snakka.spark.pipelines.sink_writers import sink_options
from snakka.spark.pipelines.spark_errors import reason

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TABLE_FORMATS = ("delta", "iceberg")
# What options are called in the file.
_FILE_WORDS = (("mergeSchema=true", "merge_schema = true"), ("partitionBy", "partition_by"))
_KEYS = ("partition_by", "path", "catalog")


def table_problems(frame: "DataFrame", sink: Sink) -> list[Problem]:
    """What keeps the sink's table from taking these rows; PipelineError if it could not be found out."""
    if sink.format not in TABLE_FORMATS:
        return []
    from snakka.spark.tables.schema_evolution import SchemaMismatchError

    title = "errors" if sink.name == DEAD_LETTERS else f"sink {sink.name}"
    try:
        _check(frame, sink)
    except (SchemaMismatchError, SparkOptionError) as error:
        message = str(error)
        for option, words in _FILE_WORDS:
            message = message.replace(option, words)
        is_of_columns = isinstance(error, SchemaMismatchError)
        line = sink.table.line("from") if is_of_columns else _line(sink, message)
        return [Problem(line, f"{title}: {message}")]
    except Exception as error:
        raise PipelineError(f"{title}: the table can't be looked at: {reason(error)}") from error
    return []


def has_right_options(sink: Sink) -> bool:
    """Of a sink with wrong ones nothing more can be asked; what is wrong with them has been said."""
    from snakka.spark.tables.table_options import delta_options, iceberg_options

    try:
        (delta_options if sink.format == "delta" else iceberg_options)(sink_options(sink))
    except SparkOptionError:
        return False
    return True


def is_elsewhere(sink: Sink) -> bool:
    """Whether the table, or the catalog that knows it, is not on this machine."""
    from snakka.spark.tables.table_options import delta_options, iceberg_options, local_path

    if sink.format == "delta":
        return local_path(delta_options(sink_options(sink)).path) is None
    from snakka.spark.tables.iceberg_table import catalog_settings, database_file

    options = iceberg_options(sink_options(sink))
    return database_file(catalog_settings(options.catalog_name, options.catalog_properties)) is None


def _check(frame: "DataFrame", sink: Sink) -> None:
    from snakka.spark.tables.delta_table import DeltaOpener
    from snakka.spark.tables.iceberg_table import IcebergOpener
    from snakka.spark.tables.stored_types import stored_columns
    from snakka.spark.tables.table_options import delta_options, iceberg_options

    columns = stored_columns(frame.schema)
    if sink.format == "delta":
        DeltaOpener(delta_options(sink_options(sink)), columns).check()
    else:
        IcebergOpener(iceberg_options(sink_options(sink)), columns).check()


def _line(sink: Sink, message: str) -> int:
    """Of the catalog's setting that is quoted, or of the key that it begins with."""
    for name, value in sink.table.get("catalog", {}).items():
        if value and value in message:
            return sink.table.setting_line("catalog", name)
    return sink.table.line(next((key for key in _KEYS if message.startswith(key)), ""))
