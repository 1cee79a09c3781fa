"""Graphs of tables: files of Spark Declarative Pipelines, handed to Spark's own `spark-pipelines` with our source in reach.

A file with `libraries` is one of Spark's. In its SQL and Python, `snakka` is a format like any other:

    CREATE STREAMING TABLE orders AS SELECT * FROM STREAM snakka_orders ...
    spark.readStream.format("snakka").option("subscribe", "orders")...

Rule: there is one engine for such graphs, and it is Spark's; this only starts it as the wheel's script does, with the
Python and the addresses that suit.
"""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

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


def run_spec(file: Path, *, is_dry: bool, master: str | None) -> int:
    """Spark's own outcome; PipelineError if it can't be started."""
    missing = missing_packages()
    if missing:
        raise PipelineError(f"graphs of tables need {', '.join(missing)}: pip install 'pyspark[pipelines]'")
    import pyspark

    home = Path(pyspark.__file__).parent
    script = home / "pipelines" / "cli.py"
    command = [str(home / "bin" / "spark-class"), _CLASS, str(script)]
    command += ["dry-run" if is_dry else "run", "--spec", str(file)]
    if master is not None:
        command += ["--master", master]
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": os.environ.get("SPARK_LOCAL_IP", "127.0.0.1"),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "PYSPARK_DRIVER_PYTHON": os.environ.get("PYSPARK_DRIVER_PYTHON", sys.executable),
    }
    process = subprocess.Popen(command, env=environment)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        return process.wait()


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
