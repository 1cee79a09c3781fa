"""Graphs of tables: files of Spark Declarative Pipelines, handed to Spark's own `spark-pipelines` with our source in reach.

A file with `libraries` is one of Spark's. In its SQL and Python, `snakka` is a format like any other:

    CREATE STREAMING TABLE orders AS SELECT * FROM STREAM snakka_orders ...
    spark.readStream.format("snakka").option("subscribe", "orders")...

Rule: there is one engine for such graphs, and it is Spark's; this only starts it as the wheel's script does, with the
Python and the addresses that suit.
"""

import importlib.util
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

from snakka.spark.pipelines.document import Value
from snakka.spark.pipelines.dry_run_output import DryRunOutput
from snakka.spark.pipelines.problems import GraphFilesError, PipelineError

_NEEDED = {
    "grpc": "grpcio",
    "grpc_status": "grpcio-status",
    "google.rpc": "googleapis-common-protos",
    "pandas": "pandas",
    "zstandard": "zstandard",
}
# Of an output that nobody understood, the end is shown.
_MOST_LINES = 200
_CLASS = "org.apache.spark.deploy.SparkPipelines"


def is_sparks(root: Value) -> bool:
    """Whether the file is one of Spark's pipelines and not one of ours."""
    return "libraries" in root.content and "sources" not in root.content


def missing_packages() -> list[str]:
    """What Spark's pipelines need beyond `snakka[spark]`."""
    return [package for module, package in _NEEDED.items() if not _is_there(module)]


def check_spec(file: Path, show: Callable[[str], None]) -> None:
    """Spark's dry run; `show` gets its progress, line by line.

    GraphFilesError has what is wrong, PipelineError means that it can't be said: the output was shown then.
    """
    command, environment = _program("dry-run", file, [])
    output = DryRunOutput(file, lambda each: each.read_text("utf-8", "replace"))
    last_lines: deque[str] = deque(maxlen=_MOST_LINES)
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            last_lines.append(line.rstrip("\n"))
            progress = output.take(last_lines[-1])
            if progress is not None:
                show(progress)
    if process.returncode == 0:
        return
    problems = output.problems()
    if problems:
        raise GraphFilesError((_as_given(each, file), problem) for each, problem in problems)
    for line in last_lines:
        show(line)
    raise PipelineError(f"Spark's dry run of {file} failed with exit code {process.returncode}, see above")


def _as_given(file: Path, spec: Path) -> Path:
    """Spark names files by their whole path; users by how they called the graph's."""
    root = spec.resolve().parent
    return spec.parent / file.relative_to(root) if file.is_relative_to(root) else file


def run_spec(file: Path, *, master: str | None, confs: Mapping[str, str]) -> NoReturn:
    """Become Spark: signals reach it, its exit code is ours, and nothing is left that we would have to end."""
    arguments = [] if master is None else ["--remote", master]  # it always runs through Spark Connect
    for name, value in confs.items():
        arguments += ["--conf", f"{name}={value}"]
    command, environment = _program("run", file, arguments)
    sys.stdout.flush()
    os.execve(command[0], command, environment)


def _program(action: str, file: Path, arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    missing = missing_packages()
    if missing:
        raise PipelineError(f"graphs of tables need {', '.join(missing)}: pip install 'pyspark[pipelines]'")
    import pyspark

    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), _CLASS, str(home / "pipelines" / "cli.py")]
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": os.environ.get("SPARK_LOCAL_IP", "127.0.0.1"),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "PYSPARK_DRIVER_PYTHON": os.environ.get("PYSPARK_DRIVER_PYTHON", sys.executable),
    }
    return [*command, action, "--spec", str(file), *arguments], environment


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
