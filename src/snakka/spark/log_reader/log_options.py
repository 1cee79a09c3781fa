"""The options of `snakka-log`: those of the source `snakka` that make sense without a broker, and a few of its own.

Rule: what is asked of either source in the same words means the same. So the source's options are judged by the source's own
code, and only where the data lies, how it is divided and how far it is read is said here.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from snakka.spark.client_settings import BOOTSTRAP, SparkOptionError
from snakka.spark.option_names import warn_of_near_misses
from snakka.spark.read_options import ReadOptions, read_options

ISOLATION = "isolation.level"
_NAMES = ("path", "upTo", "maxPartitionBytes", ISOLATION)
_ISOLATIONS = ("read_uncommitted", "read_committed")
_BOUNDS = {"logend": False, "highwatermark": True}
_BYTES = {
    "": 1,
    "b": 1,
    "k": 1 << 10,
    "kb": 1 << 10,
    "m": 1 << 20,
    "mb": 1 << 20,
    "g": 1 << 30,
    "gb": 1 << 30,
}
# Twice as much as where Spark divides files: these are read at a GB a second, and Spark takes some 10 ms to begin a task.
_DEFAULT_TASK_BYTES = "256m"


@dataclass(frozen=True)
class LogOptions:
    """The options of one query, checked.

    - `path`: a data directory (log.dirs of a broker), several with commas between them, or what `load()` is given.
    - `upTo`: `logEnd` (default) reads all whole batches that are in the log, `highWatermark` only what the broker had
      written down as replicated: its checkpoint, which is some seconds old while it runs.
    - `maxPartitionBytes`: no task reads much more than this.
    """

    paths: tuple[str, ...]
    source: ReadOptions
    is_read_committed: bool
    ends_at_high_watermark: bool
    most_bytes: int


def log_options(options: Mapping[str, str]) -> LogOptions:
    """The options as Spark hands them over; SparkOptionError names the first that can't be followed."""
    warn_of_near_misses(options, _NAMES)
    given = {name.lower(): value for name, value in options.items()}
    isolation = given.pop(ISOLATION, given.get(f"kafka.{ISOLATION}", _ISOLATIONS[0])).strip().lower()
    if isolation not in _ISOLATIONS:
        raise SparkOptionError(f"{ISOLATION}={isolation}: one of {', '.join(_ISOLATIONS)} is wanted")
    up_to = given.get("upto", "logEnd")
    if up_to.strip().lower() not in _BOUNDS:
        raise SparkOptionError(f"upTo={up_to}: logEnd or highWatermark is wanted")
    # A job may keep the address of its brokers; nobody is asked here.
    source = read_options({BOOTSTRAP: "nobody:9092", **given}, is_stream=False)
    if source.most_records is not None:
        raise SparkOptionError(
            "maxRecordsPerPartition can't be followed: tasks are divided by maxPartitionBytes"
        )
    return LogOptions(
        paths=_paths(given),
        source=source,
        is_read_committed=isolation == "read_committed",
        ends_at_high_watermark=_BOUNDS[up_to.strip().lower()],
        most_bytes=_byte_count("maxPartitionBytes", given.get("maxpartitionbytes", _DEFAULT_TASK_BYTES)),
    )


def _paths(given: Mapping[str, str]) -> tuple[str, ...]:
    listed = given.get("path", "").split(",")
    if "paths" in given:  # load() with a list
        listed += json.loads(given["paths"])
    paths = tuple(dict.fromkeys(_local(each.strip()) for each in listed if each.strip()))
    if not paths:
        raise SparkOptionError(
            "path must be set: a data directory of a broker, or several with commas between them"
        )
    return paths


def _local(path: str) -> str:
    """A path of the file system that driver and executors share, without its scheme."""
    scheme = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*):/", path)
    if scheme is None:
        return path.rstrip("/") or "/"
    if scheme[1].lower() != "file":
        raise SparkOptionError(f"path={path}: only files that the executors can open as such are read")
    return "/" + path[len(scheme[0]) :].strip("/")


def _byte_count(name: str, text: str) -> int:
    found = re.fullmatch(r"\s*(\d+)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in _BYTES or not int(found[1]):
        raise SparkOptionError(f"{name}={text}: a size such as 64m is wanted")
    return int(found[1]) * _BYTES[found[2]]
