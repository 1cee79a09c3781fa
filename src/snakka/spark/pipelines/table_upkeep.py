"""`maintain`: the tables that a pipeline writes, made of fewer and larger files, without what nobody needs any more.

Rule: what is done to a table is `snakka.spark.tables.maintenance`'s business; here it is only decided which tables,
and with which of the file's settings. It may be done while the pipeline runs: both formats commit against whatever
came between.
"""

from collections.abc import Iterator

from snakka.spark.pipelines.declaration import Pipeline, Sink
from snakka.spark.pipelines.problems import PipelineError
from snakka.spark.pipelines.sink_writers import sink_options
from snakka.spark.pipelines.spark_errors import reason

DEFAULT_RETENTION_SECONDS = 7 * 86_400.0


def maintain(pipeline: Pipeline, names: tuple[str, ...], *, is_dry: bool) -> Iterator[tuple[str, str]]:
    """(sink, what was done) for each table; PipelineError if one can't be maintained."""
    sinks = [sink for sink in pipeline.all_sinks.values() if sink.format in ("delta", "iceberg")]
    sinks = [sink for sink in sinks if not names or sink.name in names]
    if not sinks:
        raise PipelineError(f"{pipeline.name} has no delta or iceberg sink to maintain")
    for sink in sinks:
        try:
            yield sink.name, str(_maintain(sink, is_dry=is_dry))
        except Exception as error:
            raise PipelineError(f"sink {sink.name}: {reason(error)}") from error


def _maintain(sink: Sink, *, is_dry: bool) -> object:
    from snakka.spark.tables import maintenance
    from snakka.spark.tables.table_options import delta_options, iceberg_options

    hours = sink.table.get("retention", DEFAULT_RETENTION_SECONDS) / 3600
    if sink.format == "delta":
        delta = delta_options(sink_options(sink))
        return maintenance.maintain_delta(
            delta.path,
            target_file_size_bytes=delta.sink.target_file_size_bytes,
            retention_hours=hours,
            dry_run=is_dry,
            storage_options=delta.storage_options,
        )
    iceberg = iceberg_options(sink_options(sink))
    return maintenance.maintain_iceberg(
        iceberg.catalog_properties,
        ".".join(iceberg.table),
        target_file_size_bytes=iceberg.sink.target_file_size_bytes,
        retention_hours=hours,
        dry_run=is_dry,
    )
