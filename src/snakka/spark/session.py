"""A Spark session with settings that suit pipelines: one place for what we change of Spark's defaults, and why.

Rule: whatever a user sets wins. Nothing listens beyond loopback while the master is local.
"""

import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL_MASTER = "local[*]"
_LOOPBACK = "127.0.0.1"
_JVM_OPTIONS = "SPARK_SUBMIT_OPTS"
_SUBMIT_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
_PYTHON = "spark.pyspark.python"
_STDERR = 2

# The JVM looks at each value of columns that come from Python; Arrow need not check again what Spark has checked.
_TRUSTED_ARROW = "-Darrow.enable_unsafe_memory_access=true -Darrow.enable_null_check_for_get=false"


REDACTED = "(?i)secret|password|token|access[.]?key|PRIVATE KEY"
_SOCKETS = "spark.python.unix.domain.socket.dir"
_SHORT_DIRECTORY = (
    "/tmp"  # where sockets are by default, unless a container has a directory of its own for them
)


class FastSetting(NamedTuple):
    """A setting that makes pipelines faster, for the sessions of others too."""

    name: str
    value: str
    reason: str


FAST_SETTINGS = (
    FastSetting(
        "spark.python.unix.domain.socket.enabled",
        "true",
        "Workers in Python are reached without TCP, whose delayed acknowledgements hold up each task for 40 ms."
        f" On YARN with {_SOCKETS}={_SHORT_DIRECTORY}: the names of a container's own directories are too long.",
    ),
    FastSetting(
        "spark.driver.defaultJavaOptions",
        _TRUSTED_ARROW,
        "Columns from Python become rows without a second look at the bounds of each value.",
    ),
    FastSetting("spark.executor.defaultJavaOptions", _TRUSTED_ARROW, "The same, on a cluster."),
    FastSetting(
        "spark.sql.streaming.checkpointFileManagerClass",
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager",
        "Hadoop's own way to write a small file costs 40 ms on a local disk; this one a quarter, and it renames as"
        " atomically.",
    ),
)


def is_local(master: str) -> bool:
    """Whether executors are threads of the driver's own JVM."""
    return master.startswith("local")


def is_here(master: str) -> bool:
    """Whether executors are processes of this machine. A Kubernetes on loopback runs them in containers, so they are not."""
    return is_local(master) or master.startswith((f"spark://{_LOOPBACK}:", "spark://localhost:"))


def default_confs(master: str, cores: int) -> dict[str, str]:
    """What a session gets unless its user says otherwise."""
    confs = {
        **{each.name: each.value for each in FAST_SETTINGS},
        "spark.sql.python.filterPushdown.enabled": "true",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.session.timeZone": "UTC",
        # Spark would wait for ever for a query that can't be stopped.
        "spark.sql.streaming.stopTimeout": "30s",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Spark shows options of sources in plans and logs, but for those that look like this: its own words, and a key's.
        "spark.redaction.regex": REDACTED,
        # The sink's transactions belong to one attempt of a task at a time.
        "spark.speculation": "false",
    }
    if is_here(master):
        confs["spark.driver.bindAddress"] = _LOOPBACK
        confs["spark.driver.host"] = _LOOPBACK
    else:
        confs[_SOCKETS] = _SHORT_DIRECTORY
    return confs


def open_session(
    name: str,
    *,
    master: str = LOCAL_MASTER,
    confs: Mapping[str, str] | None = None,
    log_file: Path | None = None,
) -> "SparkSession":
    """The running session of this process, or a new one of that name.

    With `log_file` what a new JVM and its workers write to standard error goes there. A new JVM reads `confs` from a
    file that is gone once it runs: on its command line everybody on the machine would see the secrets among them.
    """
    from pyspark.sql import SparkSession

    given = dict(confs or {})
    if _PYTHON in given:
        os.environ["PYSPARK_PYTHON"] = given[_PYTHON]  # PySpark itself would not look at it
    elif is_here(master):
        # The Python that runs us, not whichever comes first on the PATH.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if is_local(master):
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
    shown = {**default_confs(master, os.cpu_count() or 1), "spark.app.name": name, "spark.master": master}
    if _has_jvm():
        shown, given = {**shown, **given}, {}
    builder = SparkSession.builder
    for key in shown.keys() - given.keys():
        builder = builder.config(key, shown[key])
    with (
        _settings_file(given) as arguments,
        _variables(_fast_start(master) | arguments | _python_first(master)),
        _stderr_to(log_file),
    ):
        return builder.getOrCreate()


def _has_jvm() -> bool:
    from pyspark import SparkContext

    return SparkContext._gateway is not None


@contextmanager
def _settings_file(confs: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The variables that let a JVM which starts now read the settings; they come beside those of its spark-defaults.conf."""
    if not confs:
        yield {}
        return
    given = os.environ.get(_SUBMIT_ARGUMENTS, "pyspark-shell")
    with tempfile.NamedTemporaryFile("w", prefix="snakka-", suffix=".conf", encoding="utf-8") as file:
        for name, value in confs.items():
            escaped = value.replace("\\", "\\\\").replace("\n", "\\n")
            file.write(f"{name}={escaped}\n")
        file.flush()
        yield {_SUBMIT_ARGUMENTS: f"--properties-file {shlex.quote(file.name)} --load-spark-defaults {given}"}


def _fast_start(master: str) -> dict[str, str]:
    """A JVM that starts now may use the archive of `snakka pipeline warmup`, and a home with compiled Python."""
    from snakka.spark.pipelines.warm_start import archive_options, light_home

    changes: dict[str, str] = {}
    given = os.environ.get(_JVM_OPTIONS, "")
    if "-XX:SharedArchiveFile" not in given and (options := archive_options()):
        changes[_JVM_OPTIONS] = " ".join([*filter(None, [given]), *options])
    # Elsewhere executors are given the Python that the home has.
    if is_local(master) and "SPARK_HOME" not in os.environ and (home := light_home()):
        changes["SPARK_HOME"] = str(home)
    return changes


def _python_first(master: str) -> dict[str, str]:
    """Elsewhere executors run the python3 that is first on their PATH, unless they are told another one.

    Spark runs the driver's side of a source by the same command: there it should be the Python that runs us.
    """
    if is_here(master):
        return {}
    path = [str(Path(sys.executable).parent), *filter(None, [os.environ.get("PATH")])]
    return {"PATH": os.pathsep.join(path)}


@contextmanager
def _variables(changes: Mapping[str, str]) -> Iterator[None]:
    """The environment of processes that start now."""
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
