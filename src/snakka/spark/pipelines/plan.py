"""A declared pipeline on a Spark session: sources as views, steps one on the other, and the rows that each sink gets.

Nothing is read here: Spark analyses the SQL when a view is made of it, so everything that is wrong with names, types
and functions comes out without any data.

Rule: a problem has the line of the file that can be changed. A step with a problem does not hide those of others:
what stands on it is left out, the rest is analysed. A registry that does not answer is no problem of the file; it is
named among others that are, and is an error if there is none.
"""

import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from snakka.spark.pipelines.cluster_topics import source_partitions
from snakka.spark.pipelines.declaration import DEAD_LETTERS, Pipeline, Sink, Source, Step, Watermark
from snakka.spark.pipelines.offset_reset import completed_starts
from snakka.spark.pipelines.option_checks import source_option_problems, source_options
from snakka.spark.pipelines.problems import PipelineError, Problem, did_you_mean
from snakka.spark.pipelines.progress import BAD_ROWS, read_offsets
from snakka.spark.pipelines.run_state import RunState
from snakka.spark.pipelines.sink_writers import sink_problems
from snakka.spark.pipelines.source_order import order_problems
from snakka.spark.pipelines.spark_errors import missing_view, place_in_steps, plain, reason, sql_problem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from snakka.spark.decoding import Decoded

# What decoding calls its settings, and what the file does.
_DECODING_KEYS = {"registry_url": "registry", "format": "decode"}


@dataclass(slots=True)
class Views:
    """What the sources and steps of a pipeline became."""

    frames: "dict[str, DataFrame]" = field(default_factory=dict)
    bad: "list[DataFrame]" = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unanswered: list[Problem] = field(default_factory=list)  # what could not be found out

    def of_sink(self, sink: Sink) -> "DataFrame | None":
        """The rows for a sink; None if a problem is in the way."""
        if sink.name != DEAD_LETTERS:
            return self.frames.get(sink.view)
        if not self.bad:
            return None
        bad = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), self.bad)
        if sink.format != "topic":
            return bad
        from snakka.spark.decoding.dead_letters import as_records

        return as_records(bad)


def check_plan(session: "SparkSession", pipeline: Pipeline) -> tuple[list[Problem], dict[str, str]]:
    """Everything that Spark can find without data, and the columns of all views."""
    views = _made_views(session, pipeline, pipeline.name, {})
    problems = list(views.problems)
    state = RunState(pipeline)
    for name, sink in pipeline.all_sinks.items():
        frame = views.of_sink(sink)
        if frame is not None:
            problems.extend(sink_problems(frame, sink))
            problems.extend(order_problems(frame, sink, state.local_sink_checkpoint(name)))
    return _with_unanswered(problems, views), {
        name: ", ".join(f"{column} {kind}" for column, kind in frame.dtypes)
        for name, frame in views.frames.items()
    }


def build_views(
    session: "SparkSession", pipeline: Pipeline, *, group: str, starts: Mapping[str, Any]
) -> Views:
    """The views for one query. `starts` are offsets that win over where sources would begin."""
    views = _made_views(session, pipeline, group, starts)
    views.problems = _with_unanswered(views.problems, views)
    return views


def _with_unanswered(problems: list[Problem], views: Views) -> list[Problem]:
    if views.unanswered and not problems:
        raise PipelineError(views.unanswered[0].message)
    return [*problems, *views.unanswered]


def _made_views(session: "SparkSession", pipeline: Pipeline, group: str, starts: Mapping[str, Any]) -> Views:
    views = Views()
    partitions = source_partitions(pipeline) if starts else {}
    for source in pipeline.sources.values():
        noted = completed_starts(read_offsets(starts), partitions.get(source.name, ()))
        try:
            frame = _source_frame(session, pipeline, source, views, group, noted)
        except _UnansweredError as unanswered:
            views.unanswered.append(unanswered.problem)
            continue
        except _WrongError as wrong:
            views.problems.append(wrong.problem)
            continue
        _add_view(views, source.name, frame, source.watermark, source.table.line("watermark"))
    for step in pipeline.steps.values():
        try:
            made = _step_frame(session, pipeline, step, views)
        except _WrongError as wrong:
            views.problems.append(wrong.problem)
            continue
        if made is not None:
            _add_view(views, step.name, made, step.watermark, step.table.line("watermark"))
    return views


class _WrongError(Exception):
    def __init__(self, line: int, message: str) -> None:
        self.problem = Problem(line, message)


class _UnansweredError(_WrongError):
    """Whether it is wrong could not be found out."""


def _add_view(views: Views, name: str, frame: "DataFrame", watermark: Watermark | None, line: int) -> None:
    if watermark is not None:
        if watermark.column not in frame.columns:
            near = did_you_mean(watermark.column, frame.columns)
            views.problems.append(
                Problem(line, f"{name} has no column {watermark.column} for its watermark{near}")
            )
            return
        if dict(frame.dtypes)[watermark.column] != "timestamp":
            kind = dict(frame.dtypes)[watermark.column]
            views.problems.append(
                Problem(line, f"the watermark of {name} needs a TIMESTAMP, and {watermark.column} is {kind}")
            )
            return
        frame = frame.withWatermark(watermark.column, watermark.delay)
    frame.createOrReplaceTempView(name)
    views.frames[name] = frame


# -- Sources -----------------------------------------------------------------------------------------------------------


def _source_frame(
    session: "SparkSession",
    pipeline: Pipeline,
    source: Source,
    views: Views,
    group: str,
    starts: Mapping[str, Any],
) -> "DataFrame":
    from pyspark.errors import PySparkException

    options = source_options(source, group, starts)
    if pipeline.policy == "dead-letter" and source.decode != "raw":
        options["includeHeaders"] = "true"  # a dead letter has the headers of its record
    for problem in source_option_problems(pipeline, source, options):
        raise _WrongError(problem.line, problem.message)
    reader = session.readStream.format("snakka").options(**options)
    try:
        records = reader.load()
    except PySparkException as error:
        line = source.table.line("options")
        raise _WrongError(line, f"source {source.name}: {reason(error)}") from None
    if source.decode == "raw":
        return records
    decoded = _decoded(pipeline, source, records)
    if pipeline.policy == "dead-letter":
        views.bad.append(decoded.bad)
    return _good_rows(decoded, source, pipeline.policy)


def _decoded(pipeline: Pipeline, source: Source, records: "DataFrame") -> "Decoded":
    from pyspark.errors import PySparkException

    from snakka.spark.decoding import DecodingError, DecodingSpec, decode
    from snakka.spark.decoding.schema_registry import UnknownSchemaError

    table = source.table
    title = f"source {source.name}"
    registry_line = (table if "registry" in table else pipeline.table).line("registry")
    try:
        spec = DecodingSpec(
            source.decode,
            schema=source.schema,
            schema_file=None if source.schema_file is None else str(source.schema_file),
            registry_url=source.registry,
            subject=source.subject,
            message=source.message,
            framing=table.get("framing"),
            keep=table.get("keep"),
        )
        return decode(records, spec)
    except DecodingError as error:
        key = _DECODING_KEYS.get(error.setting, error.setting)
        line = registry_line if key == "registry" else table.line(key if key in table else "decode")
        raise _WrongError(line, f"{title}: {key} {plain(error.reason)}") from None
    except UnknownSchemaError as error:
        line = table.line("subject") if "subject" in table else registry_line
        raise _WrongError(line, f"{title}: {error}") from None
    except PySparkException as error:
        line = table.line("schema" if "schema" in table else "decode")
        raise _WrongError(line, f"{title}: {reason(error)}") from None
    except Exception as error:
        if source.registry is None:
            raise
        raise _UnansweredError(registry_line, f"{title}: {reason(error)}") from None


def _good_rows(decoded: "Decoded", source: Source, policy: str) -> "DataFrame":
    """The rows that could be decoded; Spark counts the others as they go by, or the first of them ends the query."""
    from pyspark.sql.functions import col, concat, concat_ws, count, lit, raise_error, when

    from snakka.spark.decoding.rows import ERROR

    everything = decoded.everything
    if "headers" not in source.table.get("keep", ()):
        decoded = replace(decoded, columns=tuple(each for each in decoded.columns if each != "`headers`"))
    if policy == "fail":
        place = concat_ws(
            " ", lit("can't decode"), col("topic"), col("partition"), lit("offset"), col("offset")
        )
        instead = lit("; with the errors policy skip or dead-letter the others go on")
        text = concat(concat_ws(": ", place, col(ERROR)), instead)
        is_good = when(col(ERROR).isNull(), lit(True)).otherwise(raise_error(text).cast("boolean"))
        return decoded.rows_of(everything.where(is_good))
    counted = everything.observe(BAD_ROWS + source.name, count(col(ERROR)).alias("rows"))
    return decoded.rows_of(counted)


# -- Steps -------------------------------------------------------------------------------------------------------------


def _step_frame(session: "SparkSession", pipeline: Pipeline, step: Step, views: Views) -> "DataFrame | None":
    """None if it stands on a view that has a problem of its own."""
    if step.sql is not None:
        return _sql_frame(session, pipeline, step, views)
    frames = [views.frames.get(name) for name in step.inputs]
    function = _function(pipeline, step)
    if any(frame is None for frame in frames):
        return None
    from pyspark.sql import DataFrame

    _check_parameters(step, function)
    try:
        made = function(*frames)
    except (Exception, SystemExit) as error:
        message = f"step {step.name}: {_said(error)}{_where(error)}"
        raise _WrongError(step.table.line("function"), message) from None
    if not isinstance(made, DataFrame):
        raise _WrongError(
            step.table.line("function"),
            f"step {step.name}: {step.function} must give a DataFrame, not {type(made).__name__}",
        )
    return made


def _check_parameters(step: Step, function: Callable[..., Any]) -> None:
    """Whether it takes as many views as it gets; Python would say so at a line of ours, and nothing of `from`."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # it is not written in Python
    try:
        signature.bind(*step.inputs)
    except TypeError:
        key = "from" if "from" in step.table else "function"
        taken = ", ".join(map(str, signature.parameters.values())) or "nothing"
        raise _WrongError(
            step.table.line(key),
            f"step {step.name}: {step.function} takes {taken}, but gets {', '.join(step.inputs)}: from names the views "
            "that it takes",
        ) from None


def _sql_frame(session: "SparkSession", pipeline: Pipeline, step: Step, views: Views) -> "DataFrame | None":
    from pyspark.errors import PySparkException

    assert step.sql is not None
    text = str(step.sql.content).rstrip("; \t\r\n")  # as SQL is ended elsewhere
    known = (*pipeline.sources, *list(pipeline.steps)[: list(pipeline.steps).index(step.name)])
    try:
        if not _is_query(session, text):
            line = step.sql.line_of_text(len(text) - len(text.lstrip()))
            raise _WrongError(line, f"step {step.name}: it must be one query, SELECT say, and nothing else")
        return session.sql(text)
    except PySparkException as error:
        if missing_view(error) in set(known) - set(views.frames):
            return None
        problem = sql_problem(error, step.sql, step.name, known)
        raise _WrongError(problem.line, problem.message) from None


def _is_query(session: "SparkSession", text: str) -> bool:
    """Anything else Spark would carry out at once, even while it is only checked. ParseException if it is no SQL."""
    from pyspark.errors import ParseException

    parser = session._jsparkSession.sessionState().sqlParser()
    try:
        parser.parseQuery(text)
    except ParseException:
        with suppress(ParseException):
            parser.parsePlan(text)
            return False
        raise
    return True


def _function(pipeline: Pipeline, step: Step) -> Callable[..., Any]:
    module_name, _, name = str(step.function).partition(":")
    line = step.table.line("function")
    for path in reversed(pipeline.python_path):
        if str(path) not in sys.path:
            sys.path.insert(0, str(path))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        places = ", ".join(map(str, pipeline.python_path))
        raise _WrongError(
            line, f"step {step.name}: there is no module {missing} in {places} or installed"
        ) from None
    except (Exception, SystemExit) as error:
        message = f"step {step.name}: {module_name} can't be imported: {_said(error)}{_where(error)}"
        raise _WrongError(line, message) from None
    function = getattr(module, name, None)
    if not callable(function):
        functions = [
            each for each, value in vars(module).items() if callable(value) and not each.startswith("_")
        ]
        raise _WrongError(
            line, f"step {step.name}: {module_name} has no function {name}{did_you_mean(name, functions)}"
        )
    result: Callable[..., Any] = function
    return result


def _said(error: BaseException) -> str:
    """A module that ends the process would end ours, without a word."""
    return f"it calls sys.exit({error.code!r})" if isinstance(error, SystemExit) else reason(error)


def _where(error: BaseException) -> str:
    """Nothing if the error has its own place."""
    if isinstance(error, SyntaxError):
        return ""
    trace = traceback.extract_tb(error.__traceback__)
    return place_in_steps((each.filename, each.lineno) for each in trace)
