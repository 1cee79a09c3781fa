"""Kills a driver or a worker at a chosen step of a batch: loaded into each Python process of a test's Spark, nowhere else.

TABLE_CRASH_STEP is `files-written`, `before-commit`, `after-commit` or `mid-write`, TABLE_CRASH_BATCH the batch, and
TABLE_CRASH_DIR a directory with the file `pids`. Both formats' queries run in one driver: each waits at its step for the
other, so that one kill -9 hits both there.
"""

import importlib.machinery
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

STEP = os.environ.get("TABLE_CRASH_STEP", "")
BATCH = int(os.environ.get("TABLE_CRASH_BATCH", "-1"))
DIRECTORY = Path(os.environ.get("TABLE_CRASH_DIR", "."))
FORMATS = ("DeltaStorage", "IcebergStorage")
WAIT_SECONDS = 150
WRAPPED = "snakka.spark.tables.table_writer"


def reached(step: str, batch: int, layout: Any) -> None:
    """If this is the step and the batch: the end of the driver, or of this worker for `mid-write`."""
    if step != STEP or batch != BATCH:
        return
    mark = DIRECTORY / f"{step}-{batch}-{type(layout.storage).__name__}"
    if step == "mid-write":
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return
    mark.touch()
    deadline = time.monotonic() + WAIT_SECONDS
    while not all((DIRECTORY / f"{step}-{batch}-{name}").exists() for name in FORMATS):
        if time.monotonic() > deadline:
            raise TimeoutError(f"the other query never reached {step} of batch {batch}")
        time.sleep(0.02)
    for pid in (DIRECTORY / "pids").read_text().split():
        os.kill(int(pid), signal.SIGKILL)
    time.sleep(WAIT_SECONDS)


def wrap(module: ModuleType) -> None:
    """Puts the steps around the functions that tasks and the driver call."""
    from pyspark import TaskContext

    original_stage, original_commit, original_stager = module.stage, module.commit_once, module.FileStager

    class KilledStager(original_stager):  # type: ignore[misc, valid-type]
        def _finish(self, partition: Any) -> None:
            # The rows of this file are in it, its footer is not.
            reached("mid-write", task_batch(), self._layout)
            super()._finish(partition)

    def task_batch() -> int:
        context = TaskContext.get()
        return int(context.getLocalProperty("streaming.sql.batchId") or -1) if context else -1

    def stage(layout: Any, batches: Any) -> Any:
        files = original_stage(layout, batches)
        # One task waits, so that the other query's tasks have a core.
        if TaskContext.get().partitionId() == 0:
            reached("files-written", task_batch(), layout)
        return files

    def commit_once(table: Any, files: Any, key: Any, *, overwrite: bool) -> Any:
        reached("before-commit", key.batch_id, table.layout)
        done = original_commit(table, files, key, overwrite=overwrite)
        reached("after-commit", key.batch_id, table.layout)
        return done

    module.stage, module.commit_once, module.FileStager = stage, commit_once, KilledStager  # type: ignore[attr-defined]


class _Finder:
    """Wraps the module when somebody imports it."""

    def find_spec(self, name: str, path: Sequence[str] | None, _target: object = None) -> Any:
        if name != WRAPPED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        assert spec is not None
        assert spec.loader is not None
        run = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            wrap(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


if STEP:
    sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]
