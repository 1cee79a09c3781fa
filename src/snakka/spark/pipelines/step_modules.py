"""The modules of a pipeline's steps, for the tasks that import them too.

Workers of a local master inherit the path of the JVM. Executors elsewhere are sent an archive: they need not see the
directory that the modules are in.
Rule: what a step finds here it finds there, and of two modules of one name the same.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from snakka.spark.pipelines.declaration import Pipeline
from snakka.spark.pipelines.problems import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_BYTES = 64 * 1024 * 1024
_PATH = "PYTHONPATH"
_CACHE = "__pycache__"


@contextmanager
def modules_on_path(pipeline: Pipeline) -> Iterator[None]:
    """For a JVM that starts inside this, and the workers that it starts later."""
    before = os.environ.get(_PATH)
    os.environ[_PATH] = os.pathsep.join([*map(str, pipeline.python_path), *filter(None, [before])])
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_PATH, None)
        else:
            os.environ[_PATH] = before


def send_modules(session: "SparkSession", pipeline: Pipeline, archive: Path) -> None:
    """Executors get them from `archive`, which is written for that and must stay while the session lives."""
    if any(step.function for step in pipeline.steps.values()):
        write_archive(pipeline.python_path, archive)
        session.sparkContext.addPyFile(str(archive))


def write_archive(directories: tuple[Path, ...], archive: Path) -> None:
    """PipelineError if that is more than modules can be."""
    files: dict[str, Path] = {}
    for directory in directories:
        for file in _modules(directory):
            files.setdefault(file.relative_to(directory).as_posix(), file)
    if sum(file.stat().st_size for file in files.values()) > MOST_BYTES:
        places = ", ".join(map(str, directories))
        raise PipelineError(
            f"there are more than {MOST_BYTES >> 20} MiB of modules in {places}:"
            " let python_path name a directory that has the steps' alone"
        )
    with ZipFile(archive, "w", ZIP_DEFLATED, strict_timestamps=False) as written:
        for name, file in files.items():
            written.write(file, name)


def _modules(directory: Path) -> Iterator[Path]:
    """Modules, and packages with all that is in them."""
    for entry in sorted(directory.iterdir()) if directory.is_dir() else ():
        if (entry / "__init__.py").is_file():
            yield from (
                each for each in sorted(entry.rglob("*")) if each.is_file() and _CACHE not in each.parts
            )
        elif entry.suffix == ".py" and entry.is_file():
            yield entry
