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
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from snakka.spark.pipelines.document import Value
from snakka.spark.pipelines.problems import PipelineError

_NEEDED = {
    "grpc": "grpcio",
    "grpc_status": "grpcio-status",
    "google.rpc": "googleapis-common-protos",
    "pandas": "pandas",
    "zstandard": "zstandard",
}
_CLASS = "org.apache.spark.deploy.SparkPipelines"


def is_sparks(root: Value) -> bool:
    """Whether the file is one of Spark's pipelines and not one of ours."""
    return "libraries" in root.content and "sources" not in root.content


def missing_packages() -> list[str]:
    """What Spark's pipelines need beyond `snakka[spark]`."""
    return [package for module, package in _NEEDED.items() if not _is_there(module)]


def check_spec(file: Path) -> bool:
    """Whether Spark's dry run found nothing wrong; it says itself what is. PipelineError if it can't be started."""
    command, environment = _program("dry-run", file, [])
    return subprocess.run(command, env=environment, check=False).returncode == 0


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
