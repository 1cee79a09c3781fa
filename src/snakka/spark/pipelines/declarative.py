"""Graphs of tables: files of Spark Declarative Pipelines, handed to Spark's own `spark-pipelines` with our source in reach.

A file with `libraries` is one of Spark's. In its SQL and Python, `snakka` is a format like any other:

    CREATE STREAMING TABLE orders AS SELECT * FROM STREAM snakka_orders ...
    spark.readStream.format("snakka").option("subscribe", "orders")...

Rule: there is one engine for such graphs, and it is Spark's; this only starts it as the wheel's script does, with the
Python and the addresses that suit, and with a catalog that is still there when it is run again:

    beside the file:  spark-warehouse/ (the tables)  metastore_db/ (which there are)  derby.log (its own log)

Spark's own forgets all tables when it ends, and the next run finds directories that it takes for somebody else's. And its
server, through which even a local run goes, would listen on all addresses of the machine.
"""

import importlib.util
import os
import shlex
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from snakka.spark.pipelines.document import Value, read_document
from snakka.spark.pipelines.dry_run_output import DryRunOutput
from snakka.spark.pipelines.problems import GraphFilesError, PipelineError
from snakka.spark.pipelines.reach import why_not_reached
from snakka.spark.pipelines.warm_start import OPTIONS_VARIABLE, one_word

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
_WAREHOUSE = "spark.sql.warehouse.dir"
_CATALOG = "spark.sql.catalogImplementation"
_METASTORE = "spark.hadoop.javax.jdo.option.ConnectionURL"
# Who sets one of these has tables elsewhere.
_OWN_CATALOGS = (_WAREHOUSE, _CATALOG, "spark.sql.catalog.", "spark.hadoop.javax.jdo.", "spark.hadoop.hive.")
_OWN_SETTINGS = ("SPARK_CONF_DIR", "HIVE_CONF_DIR", "HADOOP_CONF_DIR")
_REMOTE = "sc://"
_LOCAL_IP = "SPARK_LOCAL_IP"
_LOOPBACK = "127.0.0.1"
_BOUND_TO = "spark.connect.grpc.binding.address"
# The client of a local run knows no other.
_PORT = 15002


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
    with TemporaryDirectory(prefix="snakka-dry-run-") as nowhere:
        # Spark makes the directory of its tables even if it makes none.
        kept = {} if _has_own_catalog(file, {}) else {_WAREHOUSE: nowhere}
        _dry_run(file, {**_own_server(None), **kept}, show)


def _dry_run(file: Path, settings: Mapping[str, str], show: Callable[[str], None]) -> None:
    command, environment = _program("dry-run", file, [], settings)
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
    kept = {} if _is_elsewhere(master) or _has_own_catalog(file, confs) else _kept_beside(file)
    command, environment = _program("run", file, arguments, {**_own_server(master), **kept, **confs})
    if kept:
        log = one_word(f"-Dderby.stream.error.file={file.resolve().parent / 'derby.log'}")
        environment[OPTIONS_VARIABLE] = f"{log} {environment.get(OPTIONS_VARIABLE, '')}".strip()
    sys.stdout.flush()
    os.execve(command[0], command, environment)


def _is_elsewhere(master: str | None) -> bool:
    return (master or os.environ.get("SPARK_REMOTE", "")).startswith(_REMOTE)


def _own_server(master: str | None) -> dict[str, str]:
    """What the server is told, if it is one of ours; PipelineError if it could not listen."""
    if _is_elsewhere(master):
        return {}
    if not why_not_reached(_LOOPBACK, _PORT):
        raise PipelineError(
            f"port {_PORT} is in use, most likely by another graph: Spark runs one at a time on a machine. Try again when"
            f" that has ended, or run this one on its server: --master {_REMOTE}HOST:PORT"
        )
    return {_BOUND_TO: os.environ.get(_LOCAL_IP, _LOOPBACK)}


def _has_own_catalog(file: Path, confs: Mapping[str, str]) -> bool:
    told = read_document(file).content.get("configuration")
    names = [*confs, *(told.content if told is not None and isinstance(told.content, dict) else ())]
    is_set = any(str(name).startswith(_OWN_CATALOGS) for name in names)
    return is_set or any(os.environ.get(name) for name in _OWN_SETTINGS)


def _kept_beside(file: Path) -> dict[str, str]:
    """Where the tables are, and who knows of them: the same wherever the command is given."""
    directory = file.resolve().parent
    return {
        _CATALOG: "hive",
        _WAREHOUSE: str(directory / "spark-warehouse"),
        _METASTORE: f"jdbc:derby:;databaseName={directory / 'metastore_db'};create=true",
    }


def _program(
    action: str, file: Path, arguments: list[str], settings: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The command, and an environment that has the settings of Spark once more.

    The process that it starts first hands them over in tens, of which the one behind it takes the last alone.
    """
    missing = missing_packages()
    if missing:
        raise PipelineError(f"graphs of tables need {', '.join(missing)}: pip install 'pyspark[pipelines]'")
    import pyspark

    told = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), _CLASS, str(home / "pipelines" / "cli.py")]
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        _LOCAL_IP: os.environ.get(_LOCAL_IP, _LOOPBACK),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "PYSPARK_DRIVER_PYTHON": os.environ.get("PYSPARK_DRIVER_PYTHON", sys.executable),
        "PYSPARK_SUBMIT_ARGS": f"{shlex.join(told)} {os.environ.get('PYSPARK_SUBMIT_ARGS', 'pyspark-shell')}",
    }
    return [*command, action, "--spec", str(file), *arguments], environment


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
