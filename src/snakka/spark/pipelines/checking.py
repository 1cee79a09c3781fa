"""`check`: everything that can be found out about a pipeline without reading any data.

Rule: first what needs nothing, then what needs the cluster, then what needs Spark; what can be said is said together.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from snakka.spark.pipelines.checkpoint_fit import checkpoint_problems, owner_problems
from snakka.spark.pipelines.cluster_topics import topic_problems
from snakka.spark.pipelines.declaration import Pipeline, read_pipeline
from snakka.spark.pipelines.option_checks import option_problems
from snakka.spark.pipelines.plan import check_plan
from snakka.spark.pipelines.problems import PipelineError, PipelineFileError, Problem
from snakka.spark.pipelines.spark_errors import reason, silence_pyspark
from snakka.spark.pipelines.step_modules import modules_on_path
from snakka.spark.session import open_session

_MASTER = "local[1]"


@dataclass(frozen=True, slots=True)
class Checked:
    """A pipeline with nothing wrong, and the columns of its views if Spark was asked."""

    pipeline: Pipeline
    columns: dict[str, str]


def check_file(file: Path, *, asks_cluster: bool = True, asks_spark: bool = True) -> Checked:
    """PipelineFileError has all that is wrong; PipelineError says why it could not be found out."""
    pipeline = read_pipeline(file)
    problems = [*option_problems(pipeline), *owner_problems(pipeline), *checkpoint_problems(pipeline)]
    if asks_cluster and not problems:
        problems = _ask_cluster(pipeline)
    columns: dict[str, str] = {}
    if asks_spark:
        with tempfile.TemporaryDirectory(prefix="snakka-check-") as scratch:
            found, columns = _ask_spark(pipeline, Path(scratch))
        problems += found
    if problems:
        raise PipelineFileError(file, problems)
    return Checked(pipeline, columns)


def _ask_cluster(pipeline: Pipeline) -> list[Problem]:
    try:
        return topic_problems(pipeline)
    except PipelineError as error:
        raise PipelineError(f"{error} (--no-cluster checks the rest)") from None


def _ask_spark(pipeline: Pipeline, scratch: Path) -> tuple[list[Problem], dict[str, str]]:
    confs = {**pipeline.spark, "spark.sql.warehouse.dir": str(scratch / "warehouse")}
    silence_pyspark()
    with modules_on_path(pipeline):
        try:
            session = open_session(pipeline.name, master=_MASTER, confs=confs, log_file=scratch / "spark.log")
        except Exception as error:
            raise PipelineError(f"Spark did not start: {reason(error)}") from error
    try:
        return check_plan(session, pipeline)
    finally:
        session.stop()
