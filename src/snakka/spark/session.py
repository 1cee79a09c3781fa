"""A Spark session with settings that suit pipelines: one place for what we change of Spark's defaults, and why.

Rule: whatever a user sets wins. Nothing listens beyond loopback while the master is local.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL_MASTER = "local[*]"
_LOOPBACK = "127.0.0.1"
_JVM_OPTIONS = "SPARK_SUBMIT_OPTS"
_STDERR = 2

# Hadoop's own way to write a small file costs 40 ms on a local disk; this one a quarter, and it renames as atomically.
LOCAL_CHECKPOINTS = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)


def default_confs(master: str, cores: int) -> dict[str, str]:
    """What a session gets unless its user says otherwise."""
    confs = {
        "spark.sql.python.filterPushdown.enabled": "true",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.streaming.checkpointFileManagerClass": LOCAL_CHECKPOINTS,
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # The sink's transactions belong to one attempt of a task at a time.
        "spark.speculation": "false",
    }
    if master.startswith("local") or _LOOPBACK in master:
        confs["spark.driver.bindAddress"] = _LOOPBACK
        confs["spark.driver.host"] = _LOOPBACK
    return confs


def open_session(
    name: str,
    *,
    master: str = LOCAL_MASTER,
    confs: Mapping[str, str] | None = None,
    log_file: Path | None = None,
) -> "SparkSession":
    """The running session of this process, or a new one of that name.

    With `log_file` what a new JVM and its workers write to standard error goes there.
    """
    from pyspark.sql import SparkSession

    # Executors on this machine run the Python that runs us, not whichever comes first on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
    builder = SparkSession.builder.appName(name).master(master)
    for key, value in {**default_confs(master, os.cpu_count() or 1), **(confs or {})}.items():
        builder = builder.config(key, value)
    with _fast_start(master), _stderr_to(log_file):
        return builder.getOrCreate()


@contextmanager
def _fast_start(master: str) -> Iterator[None]:
    """A JVM that starts now may use the archive of `snakka pipeline warmup`, and a home with compiled Python."""
    from snakka.spark.pipelines.warm_start import archive_options, light_home

    changes: dict[str, str] = {}
    given = os.environ.get(_JVM_OPTIONS, "")
    if "-XX:SharedArchiveFile" not in given and (options := archive_options()):
        changes[_JVM_OPTIONS] = " ".join([*filter(None, [given]), *options])
    # Elsewhere executors are given the Python that the home has.
    if master.startswith("local") and "SPARK_HOME" not in os.environ and (home := light_home()):
        changes["SPARK_HOME"] = str(home)
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _stderr_to(file: Path | None) -> Iterator[None]:
    """A process that starts now inherits the file as its standard error; ours is put back."""
    if file is None:
        yield
        return
    sys.stderr.flush()
    kept = os.dup(_STDERR)
    try:
        with file.open("ab") as log:
            os.dup2(log.fileno(), _STDERR)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, _STDERR)
        os.close(kept)
