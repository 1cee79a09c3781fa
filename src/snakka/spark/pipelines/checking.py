"""`check`: everything that can be found out about a pipeline without reading any data.

Rule: first what needs nothing, then what needs the cluster, then what needs Spark; what can be said is said together.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from snakka.spark.pipelines.checkpoint_fit import checkpoint_problems, file_problems, owner_problems
from snakka.spark.pipelines.cluster_topics import topic_problems
from snakka.spark.pipelines.declaration import Pipeline, read_declaration
from snakka.spark.pipelines.option_checks import option_problems
from snakka.spark.pipelines.plan import Views, build_views, check_plan
from snakka.spark.pipelines.problems import PipelineError, PipelineFileError, Problem
from snakka.spark.pipelines.sink_writers import sink_problems
from snakka.spark.pipelines.spark_errors import reason, silence_pyspark
from snakka.spark.pipelines.step_modules import modules_on_path
from snakka.spark.pipelines.table_checks import (
    TABLE_FORMATS,
    has_right_options,
    is_elsewhere,
    table_problems,
)
from snakka.spark.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MASTER = "local[1]"


@dataclass(frozen=True, slots=True)
class Checked:
    """A pipeline with nothing wrong, and the columns of its views if Spark was asked."""

    pipeline: Pipeline
    columns: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Plan:
    problems: list[Problem]
    columns: dict[str, str]
    unknown: list[str]


def check_file(file: Path, *, asks_cluster: bool = True, asks_spark: bool = True) -> Checked:
    """PipelineFileError has all that is wrong; PipelineError says why it could not be found out."""
    pipeline, of_keys = read_declaration(file)
    of_options = option_problems(pipeline)
    if of_keys:
        raise PipelineFileError(file, [*of_keys, *of_options])
    problems = [
        *of_options,
        *owner_problems(pipeline),
        *checkpoint_problems(pipeline),
        *file_problems(pipeline),
    ]
    if asks_cluster and not problems:
        problems = _ask_cluster(pipeline)
    plan = _Plan([], {}, [])
    if asks_spark:
        with tempfile.TemporaryDirectory(prefix="snakka-check-") as scratch:
            plan = _ask_spark(pipeline, Path(scratch), asks_elsewhere=asks_cluster)
    if problems or plan.problems:
        raise PipelineFileError(file, [*problems, *plan.problems])
    if plan.unknown:
        raise PipelineError("; ".join(plan.unknown))
    return Checked(pipeline, plan.columns)


def _ask_cluster(pipeline: Pipeline) -> list[Problem]:
    try:
        return topic_problems(pipeline)
    except PipelineError as error:
        raise PipelineError(f"{error} (--no-cluster checks the rest)") from None


def _ask_spark(pipeline: Pipeline, scratch: Path, *, asks_elsewhere: bool) -> _Plan:
    confs = {**pipeline.spark, "spark.sql.warehouse.dir": str(scratch / "warehouse")}
    silence_pyspark()
    with modules_on_path(pipeline):
        try:
            session = open_session(pipeline.name, master=_MASTER, confs=confs, log_file=scratch / "spark.log")
        except Exception as error:
            raise PipelineError(f"Spark did not start: {reason(error)}") from error
    try:
        problems, columns = check_plan(session, pipeline)
        of_tables, unknown = _ask_tables(session, pipeline, asks_elsewhere=asks_elsewhere)
        return _Plan([*problems, *of_tables], columns, unknown)
    finally:
        session.stop()


def _ask_tables(
    session: "SparkSession", pipeline: Pipeline, *, asks_elsewhere: bool
) -> tuple[list[Problem], list[str]]:
    """What is wrong, and what could not be found out, of tables whose rows have no problem of their own."""
    tables = [sink for sink in pipeline.all_sinks.values() if sink.format in TABLE_FORMATS]
    sinks = [sink for sink in tables if has_right_options(sink)]
    sinks = [sink for sink in sinks if asks_elsewhere or not is_elsewhere(sink)]
    problems: list[Problem] = []
    unknown: list[str] = []
    views = build_views(session, pipeline, group=pipeline.name, starts={}) if sinks else Views()
    for sink in sinks:
        frame = views.of_sink(sink)
        if frame is None or any(sink_problems(frame, sink)):
            continue
        try:
            problems += table_problems(frame, sink)
        except PipelineError as error:
            unknown.append(f"{error}{'' if not is_elsewhere(sink) else ' (--no-cluster checks the rest)'}")
    return problems, unknown
