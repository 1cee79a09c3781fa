"""Sinks on Spark: which rows each needs, and the streaming query that writes them.

Rule: one query a sink, with a checkpoint of its own; whatever a sink is good for by itself (exactly-once commits
keyed by query and batch), it is good for here. Only `update` to a topic goes through foreachBatch, since Spark gives
Python sinks no update mode.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from snakka.spark.pipelines.declaration import Sink, Trigger
from snakka.spark.pipelines.problems import Problem, did_you_mean
from snakka.spark.pipelines.spark_errors import reason

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

_FORMATS = {"topic": "snakka", "delta": "snakka-delta", "iceberg": "snakka-iceberg"}
_BYTES = ("string", "binary")
_HEADERS = "array<struct<key:string,value:binary>>"


def shaped(frame: "DataFrame", sink: Sink) -> "DataFrame":
    """The rows as the sink takes them."""
    if sink.format != "topic" or sink.table.get("encode") != "json":
        return frame
    key = sink.table.get("key")
    expressions = ["to_json(struct(*)) AS value"]
    if key is not None:
        expressions.insert(0, f"CAST(`{key}` AS STRING) AS key")
    return frame.selectExpr(*expressions)


def sink_problems(frame: "DataFrame", sink: Sink) -> Iterator[Problem]:
    """What the rows lack, and what Spark can't do with them as a stream."""
    columns = dict(frame.dtypes)
    if sink.format == "topic":
        problems = list(
            _json_problems(columns, sink)
            if sink.table.get("encode") == "json"
            else _topic_problems(columns, sink)
        )
        yield from problems
    yield from _doubled_columns(frame.columns, sink)
    for name in _partition_columns(sink):
        if name not in columns:
            yield Problem(
                sink.table.line("partition_by"),
                f"sink {sink.name} is parted by {name}, which {sink.view} does not have{did_you_mean(name, columns)}",
            )
    if sink.format in ("parquet", "delta", "iceberg"):
        for name, kind in columns.items():
            if kind == "void":
                yield Problem(
                    sink.table.line("from"),
                    f"sink {sink.name}: column {name} is always NULL; give it a type with CAST",
                )
    yield from _stream_problems(frame, sink)


def _partition_columns(sink: Sink) -> list[str]:
    """The data's columns that part the table; an Iceberg table may be parted by the day of one."""
    declared = sink.table.get("partition_by", ())
    if sink.format != "iceberg":
        return list(declared)
    from snakka.spark.tables.partitions import PartitionColumn

    return [PartitionColumn.declared(each).source for each in declared]


def _doubled_columns(columns: list[str], sink: Sink) -> Iterator[Problem]:
    """Spark would write them, but nobody could read what is written."""
    names = [name.lower() for name in columns]
    if sink.format in ("console", "noop"):
        return
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Problem(
            sink.table.line("from"),
            f"sink {sink.name}: {sink.view} has {names.count(name)} columns {name}; call one something else with AS",
        )


def _json_problems(columns: dict[str, str], sink: Sink) -> Iterator[Problem]:
    key = sink.table.get("key")
    if key is not None and key not in columns:
        yield Problem(
            sink.table.line("key"),
            f"sink {sink.name}: {sink.view} has no column {key}{did_you_mean(key, columns)}",
        )


def _topic_problems(columns: dict[str, str], sink: Sink) -> Iterator[Problem]:
    line = sink.table.line("from")
    title = f"sink {sink.name}"
    if "value" not in columns:
        yield Problem(
            line,
            f"{title}: a topic needs a column value (text or binary), and {sink.view} has {', '.join(columns)}; set "
            "encode = json to send all columns",
        )
    for name in ("key", "value"):
        if columns.get(name, "string") not in _BYTES:
            yield Problem(
                line, f"{title}: {name} must be a text or binary, not {columns[name]}; CAST it in a step"
            )
    if "topic" not in sink.table and columns.get("topic") != "string":
        yield Problem(line, f"{title} needs topic, or rows with a text column topic")
    if columns.get("partition", "int") != "int":
        yield Problem(line, f"{title}: partition must be an INT, not {columns['partition']}")
    if columns.get("headers", _HEADERS) != _HEADERS:
        yield Problem(line, f"{title}: headers must be {_HEADERS}, not {columns['headers']}")


def _stream_problems(frame: "DataFrame", sink: Sink) -> Iterator[Problem]:
    """Spark looks at this when a query starts; asking it before names the line."""
    from pyspark.errors import PySparkException

    if not frame.isStreaming:
        yield Problem(
            sink.table.line("from"), f"sink {sink.name}: {sink.view} is no stream; it reads no source"
        )
        return
    jvm = frame.sparkSession._jvm
    modes = getattr(jvm, "org.apache.spark.sql.catalyst.streaming.InternalOutputModes")
    checker = getattr(jvm, "org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker")
    try:
        checker.checkForStreaming(frame._jdf.queryExecution().analyzed(), modes.apply(sink.mode))
    except PySparkException as error:
        yield Problem(sink.table.line("mode"), f"sink {sink.name}: {reason(error)}")


def start_query(frame: "DataFrame", sink: Sink, *, trigger: Trigger, checkpoint: str) -> "StreamingQuery":
    """The sink's query, running. It has no name for Spark, which would hand that to the sink as an option."""
    writer = shaped(frame, sink).writeStream.outputMode(sink.mode)
    writer = writer.option("checkpointLocation", checkpoint).trigger(**_trigger(trigger))
    if sink.format == "topic" and sink.mode == "update":
        from snakka.spark.topic_sink.batch_saver import batch_saver

        return writer.foreachBatch(batch_saver(sink_options(sink))).start()
    if sink.format == "parquet" and "partition_by" in sink.table:
        writer = writer.partitionBy(*sink.table.get("partition_by"))
    return writer.format(_FORMATS.get(sink.format, sink.format)).options(**sink_options(sink)).start()


def sink_options(sink: Sink) -> dict[str, str]:
    """The options of the sink's format; what the file says under `options` wins."""
    options: dict[str, str] = {}
    table = sink.table
    if sink.format == "topic":
        options.update({f"kafka.{name}": value for name, value in sink.kafka.items()})
        options["deliveryGuarantee"] = table.get("guarantee", "at-least-once")
        if "topic" in table:
            options["topic"] = table.get("topic")
    elif sink.format in ("parquet", "delta"):
        options["path"] = sink.path
    elif sink.format == "iceberg":
        options["table"] = table.get("table")
        options.update({f"catalog.{name}": value for name, value in table.get("catalog", {}).items()})
    if sink.format in ("delta", "iceberg"):
        if "target_file_size" in table:
            options["targetFileSizeBytes"] = str(table.get("target_file_size"))
        if "merge_schema" in table:
            options["mergeSchema"] = str(table.get("merge_schema")).lower()
        if "partition_by" in table:
            options["partitionBy"] = ",".join(table.get("partition_by"))
    return {**options, **sink.options}


def _trigger(trigger: Trigger) -> dict[str, bool | str]:
    if trigger.kind == "every":
        return {"processingTime": f"{round(trigger.seconds * 1000)} milliseconds"}
    return {"availableNow": True} if trigger.kind == "available-now" else {"once": True}
