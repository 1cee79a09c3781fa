"""What makes Spark start faster: an archive of the JVM's classes, and a home whose Python is compiled.

`create_archive` starts Spark once, lets it do what pipelines do, and has the JVM write the classes that it loaded as
it ends (AppCDS); mapped into memory they save a third or more of the time to the first job. `light_home` is Spark's
directory without the zip of Python sources that its workers would otherwise compile at every start, 0.6 s of a
processor for each of them. `session.open_session` uses both.

Rule: neither ever breaks a start. An archive belongs to one Java and one Spark, and its name says so; what does not fit is
not used, and the JVM itself ignores an archive that it can't map.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from snakka.runtime.clock import SystemClock
from snakka.spark.pipelines.problems import PipelineError

SWITCH = "SNAKKA_SPARK_ARCHIVE"  # `off` in the environment: start without
OPTIONS_VARIABLE = "SPARK_SUBMIT_OPTS"
_DEADLINE_SECONDS = 300.0
_END_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Archive:
    """What `create_archive` made."""

    path: Path
    bytes: int
    seconds: float


def archive_path() -> Path | None:
    """Where the archive of this Java and this Spark is, or would be; None without Java or a home."""
    java, cache = java_home(), _cache()
    if java is None or cache is None:
        return None
    import pyspark

    digest = hashlib.sha256()
    digest.update(pyspark.__version__.encode())
    digest.update(str(Path(pyspark.__file__).resolve()).encode())
    digest.update(str(java).encode())
    release = java / "release"
    if release.is_file():
        digest.update(release.read_bytes())
    return cache / f"spark-{pyspark.__version__}-{digest.hexdigest()[:12]}.jsa"


def light_home() -> Path | None:
    """A SPARK_HOME without Python in it, so that workers import PySpark from where it is installed; None if there is none.

    Spark puts the zip in its home before everything else on its workers' path, and a zip keeps no compiled code.
    """
    import pyspark

    cache = _cache()
    if cache is None:
        return None
    installed = Path(pyspark.__file__).resolve().parent
    digest = hashlib.sha256(str(installed).encode()).hexdigest()[:12]
    home = cache / f"spark-home-{pyspark.__version__}-{digest}"
    try:
        if not home.is_dir():
            home.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="snakka-home-", dir=home.parent) as scratch:
                fresh = Path(scratch) / home.name
                fresh.mkdir()
                for name in ("bin", "jars"):
                    (fresh / name).symlink_to(installed / name)
                with suppress(OSError):  # another start has just made it
                    fresh.rename(home)
    except OSError:
        return None
    return home if (home / "jars").is_dir() else None


def _cache() -> Path | None:
    """Where such things are kept; nowhere for a user without a home, since what Spark runs must be nobody else's."""
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "snakka"
    return Path(os.environ["HOME"]) / ".cache" / "snakka" if os.environ.get("HOME") else None


def java_home() -> Path | None:
    """The Java that Spark's scripts will start."""
    if os.environ.get("JAVA_HOME"):
        return Path(os.environ["JAVA_HOME"]).resolve()
    java = shutil.which("java")
    return None if java is None else Path(java).resolve().parent.parent


def archive_options() -> list[str]:
    """The JVM's options for the archive; none if there is no archive that fits."""
    if os.environ.get(SWITCH, "").lower() == "off":
        return []
    try:
        path = archive_path()
    except OSError:
        return []
    if path is None or not path.is_file():
        return []
    # -Xshare:auto: what can't be mapped is left out; and nobody needs to hear of it.
    return [
        "-Xshare:auto",
        one_word(f"-XX:SharedArchiveFile={path}"),
        "-Xlog:disable",
        "-Xlog:all=error:stderr",
    ]


def one_word(option: str) -> str:
    """An option as it stands in SPARK_SUBMIT_OPTS: Spark parts those at blanks, and knows quotes."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def create_archive() -> Archive:
    """Start Spark, use it as a pipeline does, and keep what it loaded. PipelineError if that does not work."""
    path = archive_path()
    if path is None:
        raise PipelineError(
            "there is no Java (install a Java 17 runtime, or set JAVA_HOME) or no home (set HOME)"
        )
    try:
        return _create_archive(path)
    except OSError as error:
        place, why = error.filename or path.parent, error.strerror or error
        raise PipelineError(f"{place}: {why}; XDG_CACHE_HOME says where else the archive can be") from error


def _create_archive(path: Path) -> Archive:
    path.parent.mkdir(parents=True, exist_ok=True)
    clock = SystemClock()
    began = clock.monotonic()
    with tempfile.TemporaryDirectory(prefix="snakka-warmup-", dir=path.parent) as scratch:
        fresh = Path(scratch) / path.name
        given = os.environ.get(OPTIONS_VARIABLE, "")
        option = one_word(f"-XX:ArchiveClassesAtExit={fresh}")
        environment = {**os.environ, SWITCH: "off", OPTIONS_VARIABLE: f"{given} {option}".strip()}
        _rehearse(scratch, environment)
        if not fresh.is_file():
            raise PipelineError("this Java wrote no archive of classes; pipelines start without one")
        fresh.replace(path)
    for other in path.parent.glob("spark-*.jsa"):
        if other != path:
            other.unlink(missing_ok=True)  # of a Java or Spark that is not here any more
    return Archive(path, path.stat().st_size, clock.monotonic() - began)


def _rehearse(scratch: str, environment: dict[str, str]) -> None:
    """In a process of its own, because the archive is written when the JVM ends.

    Ctrl-C does not end a JVM that PySpark has started, which would go on writing when we are gone: so both are ended here.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "snakka.spark.pipelines.rehearsal", scratch],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        _, said = process.communicate(timeout=_DEADLINE_SECONDS)
    except subprocess.TimeoutExpired:
        _end_all(process)
        raise PipelineError(f"Spark was not done after {_DEADLINE_SECONDS:.0f} s; nothing was kept") from None
    except BaseException:
        _end_all(process)
        raise
    if process.returncode != 0:
        lines = [line for line in said.splitlines() if line.strip()]
        raise PipelineError(f"Spark did not start: {lines[-1] if lines else 'it gave no reason'}")


def _end_all(process: "subprocess.Popen[str]") -> None:
    """The process and those that it has started: none of them writes anything after this."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_END_SECONDS)  # until nobody has its standard error open any more
