"""What Spark says when something is wrong, as one line; and, for SQL, the line of the file.

Rule: the whole of it is in the log; whoever reads the terminal gets the reason, without classes, traces and plans.
"""

import logging
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import snakka
from snakka.spark.pipelines.document import Value
from snakka.spark.pipelines.problems import Problem, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STATE = re.compile(r"\s*SQLSTATE: \w+")
_CONDITION = re.compile(r"\[[A-Z][A-Z_0-9.]*\]\s*")
_PARSE_PLACE = re.compile(r"\(line (\d+), pos (\d+)\)")
_PLACE = re.compile(r"(?:; line \d+ pos \d+;?| \(line \d+, pos \d+\).*)$")
_ENDING = "terminated with exception: "
_TRACE = "Traceback (most recent call last)"
_FAILED_TASK = re.compile(r"Job aborted due to stage failure: .*?\): ", re.DOTALL)
_JAVA_CLASS = re.compile(r"^(?:[a-z]\w*\.)+\w*(?:Exception|Error)\b:?\s*")
# Left where a single word follows: a missing key, say, means nothing without it.
_PYTHON_CLASS = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Interrupt)?: (?=\S+\s)")
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
# Where a trace leads through beside a step's own modules.
_NOT_THE_STEPS = (
    "/pyspark/",
    "/pyspark_snakka",
    "/py4j/",
    "/lib/python3.",
    "/site-packages/",
    "/dist-packages/",
    "<",
    f"{Path(snakka.__file__).parent}/",
)
_LONGEST = 500
# What Spark says without saying what can be done about it. First what it finds when a file was changed between two runs.
_OTHER_FILE = "; the file is not the one that the checkpoint is of: "
_REMEDIES = (
    (
        re.compile(r"sources in the checkpoint offsets"),
        _OTHER_FILE + "change its sources back, or call the sink something else",
    ),
    (
        re.compile(r"state (?:key|value) schema|[Ss]tateful operator|state metadata"),
        _OTHER_FILE + "change its steps back, or begin anew with `snakka pipeline reset --to earliest`",
    ),
    (
        re.compile(r"No module named '(?:snakka|pyspark_snakka|pyarrow|numpy)[.']"),
        ": executors need a Python with snakka[spark]; --conf spark.pyspark.python=... says which, on this machine too",
    ),
    (
        re.compile(r"SparkContext or SparkSession should be created first"),
        ": executors import the module too, and have none; @udf(DoubleType()) needs none there, unlike @udf('double')",
    ),
    (
        re.compile(r"Java gateway process exited"),
        " It needs Java 17, on the PATH or as JAVA_HOME, and a master that Spark knows",
    ),
)


def sql_problem(error: Exception, sql: Value, step: str, views: tuple[str, ...]) -> Problem:
    """What Spark has against a step's SQL, at the line of the file."""
    message = reason(error)
    text = str(sql.content)
    offset = 0
    contexts = _query_contexts(error)
    if contexts:
        offset = contexts[0].startIndex()
    else:
        place = _PARSE_PLACE.search(str(error))
        if place is not None:
            offset = sum(len(line) + 1 for line in text.split("\n")[: int(place.group(1)) - 1])
    # What stands behind the last word of a text is on that word's line, for a reader.
    offset = min(offset, len(text.rstrip()))
    name = missing_view(error)
    if name is not None:
        message = f"there is no view {name}{did_you_mean(name, views)}"
    return Problem(sql.line_of_text(offset), f"step {step}: {message}")


def missing_view(error: Exception) -> str | None:
    """The name that Spark does not know as a view or table, if that is what is wrong."""
    contexts = _query_contexts(error)
    if _condition(error) != "TABLE_OR_VIEW_NOT_FOUND" or not contexts:
        return None
    name: str = contexts[0].fragment().strip("`")
    return name


def silence_pyspark() -> None:
    """PySpark also prints what it raises, as JSON of several screens; here everything that is raised is said in a line.

    So does py4j, where the JVM is gone, with a trace for each call.
    """
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True
    logging.getLogger().addFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """It has loggers of its own, and takes the root of all of them for this."""
    return "py4j" not in Path(record.pathname).parts


def silence_sums(session: "SparkSession") -> None:
    """PySpark's thread that takes sums from tasks prints a trace when the JVM is gone, which is said in a line anyway."""
    server = getattr(session.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


def reason(error: BaseException) -> str:
    """One line: what is wrong, and what to do where that is known."""
    line = plain(_own_words(error)) or type(error).__name__
    remedy = next((remedy for pattern, remedy in _REMEDIES if pattern.search(line)), "")
    return (line.removesuffix(".") if remedy.startswith((";", ":")) else line) + remedy


def place_in_steps(frames: Iterable[tuple[str, object]]) -> str:
    """The innermost of the files and lines that is a step's own, as ` (FILE:LINE)`; nothing if there is none."""
    own = [(file, line) for file, line in frames if not any(part in file for part in _NOT_THE_STEPS)]
    return f" ({Path(own[-1][0]).name}:{own[-1][1]})" if own else ""


def plain(text: str) -> str:
    """What is for people of what Spark says."""
    place = ""
    if _ENDING in text:
        text = text.split(_ENDING, 1)[1]
    if _TRACE in text:
        text, place = _last_of_trace(text)
    text = _FAILED_TASK.sub("", text)
    text = _STATE.sub("", _CONDITION.sub("", text)).strip()
    line = next((each.strip() for each in text.splitlines() if each.strip()), "")
    line = _PLACE.sub("", _JAVA_CLASS.sub("", line) or line).strip()
    line = line if len(line) <= _LONGEST else line[:_LONGEST] + "..."
    return line.removesuffix(".") + place if place else line


def _own_words(error: BaseException) -> str:
    described: str | None = getattr(error, "_desc", None)
    java = getattr(error, "java_exception", None)
    if described is None and java is not None:
        described = str(java.getMessage() or java)
    if described is None and len(str(error).split()) == 1:
        return f"{type(error).__name__}: {error}"
    return described or str(error) or type(error).__name__


def _last_of_trace(text: str) -> tuple[str, str]:
    """What was raised, and where in a step, of the innermost Python trace, which may be indented as a whole."""
    before, trace = text.rsplit(_TRACE, 1)
    indent = before[len(before.rstrip(" ")) :]
    lines = [line.removeprefix(indent) for line in trace.splitlines()[1:]]
    raised = next((line for line in lines if line.strip() and not line.startswith(" ")), "")
    frames = "\n".join(lines[: lines.index(raised)] if raised else lines)
    return _PYTHON_CLASS.sub("", raised), place_in_steps(_FRAME.findall(frames))


def _condition(error: Exception) -> str | None:
    get = getattr(error, "getCondition", None)
    condition: str | None = None if get is None else get()
    return condition


def _query_contexts(error: Exception) -> list:  # type: ignore[type-arg]
    """Where in the SQL; only what Spark found in a text, not in a DataFrame's calls."""
    get = getattr(error, "getQueryContext", None)
    return [] if get is None else [each for each in get() if str(each.contextType()).endswith("SQL")]
