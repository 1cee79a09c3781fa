"""`maintain`: the tables that a pipeline writes, made of fewer and larger files, without what nobody needs any more.

Rule: what is done to a table is `snakka.spark.tables.maintenance`'s business; here it is only decided which tables,
and with which of the file's settings. One that can't be maintained does not keep the others from it. It may be done
while the pipeline runs: both formats commit against whatever came between.
"""

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

from snakka.spark.pipelines.declaration import Pipeline, Sink
from snakka.spark.pipelines.problems import PipelineError, did_you_mean
from snakka.spark.pipelines.progress import counted
from snakka.spark.pipelines.sink_writers import sink_options
from snakka.spark.pipelines.spark_errors import reason
from snakka.spark.pipelines.table_checks import TABLE_FORMATS

if TYPE_CHECKING:
    from snakka.spark.tables.maintenance import MaintenanceResult

DEFAULT_RETENTION_SECONDS = 7 * 86_400.0


def maintain(
    pipeline: Pipeline, names: tuple[str, ...], *, is_dry: bool
) -> Iterator[tuple[str, "MaintenanceResult | PipelineError"]]:
    """(sink, what was done, or why it was not) for each table; PipelineError if there are no such sinks."""
    tables = {name: sink for name, sink in pipeline.all_sinks.items() if sink.format in TABLE_FORMATS}
    for name in names:
        if name not in tables:
            raise PipelineError(f"there is no delta or iceberg sink {name}{did_you_mean(name, tables)}")
    if not tables:
        raise PipelineError(f"{pipeline.name} has no delta or iceberg sink to maintain")
    for name in names or tables:
        try:
            result = _maintain(tables[name], is_dry=is_dry)
        except Exception as error:
            yield name, PipelineError(reason(error))
        else:
            yield name, result


def result_line(result: "MaintenanceResult") -> str:
    """For people."""
    would = "would become" if result.dry_run else "became"
    parts = [
        f"{counted(result.files_compacted, 'small file')} {would} {result.files_written}, {result.files_after} in all",
        f"{counted(result.states_expired, 'old state')} expired",
        f"{counted(result.files_removed, 'file')} ({result.bytes_removed / 1e6:,.1f} MB) removed",
    ]
    if result.compactions_lost:
        parts.append(
            f"{counted(result.compactions_lost, 'compaction')} lost to writers; the next time does them"
        )
    return "; ".join(parts)


def _maintain(sink: Sink, *, is_dry: bool) -> "MaintenanceResult":
    from snakka.spark.tables.maintenance import maintain_delta, maintain_iceberg
    from snakka.spark.tables.table_options import delta_options, iceberg_options

    hours = ceil(sink.table.get("retention", DEFAULT_RETENTION_SECONDS) / 3600)
    if sink.format == "delta":
        delta = delta_options(sink_options(sink))
        return maintain_delta(
            delta.path,
            target_file_size_bytes=delta.sink.target_file_size_bytes,
            retention_hours=hours,
            dry_run=is_dry,
            storage_options=delta.storage_options,
        )
    iceberg = iceberg_options(sink_options(sink))
    return maintain_iceberg(
        iceberg.catalog_properties,
        ".".join(iceberg.table),
        catalog_name=iceberg.catalog_name,
        target_file_size_bytes=iceberg.sink.target_file_size_bytes,
        retention_hours=hours,
        dry_run=is_dry,
    )
