"""A Spark session with settings that suit pipelines: one place for what we change of Spark's defaults, and why.

Rule: whatever a user sets wins. Nothing listens beyond loopback while the master is local.
"""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL_MASTER = "local[*]"
_LOOPBACK = "127.0.0.1"

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
    name: str, *, master: str = LOCAL_MASTER, confs: Mapping[str, str] | None = None
) -> "SparkSession":
    """The running session of this process, or a new one of that name."""
    from pyspark.sql import SparkSession

    # Executors on this machine run the Python that runs us, not whichever comes first on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
    builder = SparkSession.builder.appName(name).master(master)
    for key, value in {**default_confs(master, os.cpu_count() or 1), **(confs or {})}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
