"""What a run leaves beside its checkpoint for others to see: a lock, a status file, and Spark's log.

    <checkpoint>/run.lock        held while the pipeline runs; the kernel lets go of it however the process ends
    <checkpoint>/status.json     what it does, or how it ended; replaced whole, so a reader never sees half of it
    <checkpoint>/spark.log       what Spark and its workers had to say
    <checkpoint>/modules.zip     the modules of steps, for executors on other machines
    <checkpoint>/starts.json     where queries without a checkpoint begin, after a reset
    <checkpoint>/sinks/<sink>/   Spark's own checkpoint of the query of a sink

Rule: whether it runs is what the lock says, never the file; a file that says `running` without the lock means that it
died.
"""

import errno
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import Any, TextIO

from snakka.runtime.clock import SystemClock
from snakka.spark.pipelines.declaration import Pipeline
from snakka.spark.pipelines.places import local_path
from snakka.spark.pipelines.problems import PipelineError

VERSION = 1  # of the status file
ENDED = ("finished", "failed", "interrupted")
DIED = "died"
_LOOK_SECONDS = 0.2
_BLOCK_BYTES = 4096  # what file systems give a file that is not empty


class RunState:
    """The directory of one pipeline."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.name = pipeline.name
        self.checkpoint = pipeline.checkpoint
        local = local_path(pipeline.checkpoint)
        # A checkpoint elsewhere can't hold a lock, so what belongs to this machine stays beside the file.
        self.directory = local or pipeline.file.resolve().parent / ".snakka" / pipeline.name
        self.log_file = self.directory / "spark.log"
        self.modules_archive = self.directory / "modules.zip"
        self._lock_file = self.directory / "run.lock"
        self._status_file = self.directory / "status.json"
        self._starts_file = self.directory / "starts.json"

    def sink_checkpoint(self, sink: str) -> str:
        return f"{self.checkpoint.rstrip('/')}/sinks/{sink}"

    def local_sink_checkpoint(self, sink: str) -> Path | None:
        """None where the checkpoint is not on this machine."""
        return local_path(self.sink_checkpoint(sink))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else runs or resets the pipeline meanwhile; PipelineError if somebody does."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            file = self._lock_file.open("a")
        except OSError as error:
            raise PipelineError(
                f"{error.filename}: {error.strerror}; the checkpoint must be writable"
            ) from None
        with file:
            if not _lock(file):
                status = self.read() or {}
                who = f" (process {status['pid']})" if "pid" in status else ""
                name = status.get("pipeline", self.name)
                raise PipelineError(
                    f"{name} runs already{who} in {self.directory}; `snakka pipeline status` shows it, SIGTERM stops it"
                )
            yield

    def is_running(self) -> bool:
        """Also for those who may only read."""
        try:
            with self._lock_file.open() as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except BlockingIOError:
            return True
        except OSError as error:
            raise PipelineError(f"{self._lock_file}: {error.strerror}") from None
        return False

    def write(self, status: Mapping[str, object]) -> None:
        """PipelineError if it can't be: the disk is full, say."""
        with self._named_errors():
            _replace(self._status_file, status)

    def write_last(self, status: Mapping[str, object]) -> None:
        """The end of a run. Where there is no room for another file it goes over the old one, which says that it runs."""
        try:
            self.write(status)
        except PipelineError:
            with self._named_errors():
                _overwrite(self._status_file, status)

    def read(self) -> dict[str, Any] | None:
        """What the last run wrote, with `state` as it really is; None if there was none."""
        # The lock is looked at first: a run that ends between both has written its end before it let go.
        running = self.is_running()
        status = _read(self._status_file)
        if status is not None and not running and status.get("state") not in ENDED:
            status = (_read(self._status_file) or status) if not self.is_running() else status
            if status.get("state") not in ENDED:
                status = {**status, "state": DIED}
        return status

    def read_understood(self) -> dict[str, Any] | None:
        """The same for those who show it; PipelineError if there is one, but nobody here can make sense of it."""
        status = self.read()
        why = None
        if status is not None and status.get("version") != VERSION:
            why = "another version of Snakka wrote it"
        elif status is None and self._status_file.exists():
            why = "it is damaged"
        if why is not None:
            runs = "it runs" if self.is_running() else "it does not run"
            raise PipelineError(
                f"{self._status_file} can't be understood, {why}; {runs}, and the next run writes it anew"
            )
        return status

    def starts(self) -> dict[str, str]:
        """Offsets as JSON by sink, for queries that begin anew."""
        return _read(self._starts_file) or {}

    def write_starts(self, starts: Mapping[str, str]) -> None:
        with self._named_errors():
            self.directory.mkdir(parents=True, exist_ok=True)
            _replace(self._starts_file, starts)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PipelineError(f"{self.directory} can't be written: {error.strerror}") from None


def _lock(file: TextIO) -> bool:
    """False if another process has it. Who looks whether it runs has it too, but for a moment only."""
    clock = SystemClock()
    deadline = clock.monotonic() + _LOOK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if clock.monotonic() >= deadline:
                return False
            sleep(_LOOK_SECONDS / 20)
        else:
            return True


def _replace(file: Path, content: Mapping[str, object]) -> None:
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        fresh.replace(file)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)  # half of it may be there
        raise


def _overwrite(file: Path, content: Mapping[str, object]) -> None:
    """In the room that the file has, which a full disk does not take away. Who reads at this moment may see no status."""
    text = json.dumps(content).encode()
    with file.open("r+b") as opened:
        if len(text) > max(os.fstat(opened.fileno()).st_size, _BLOCK_BYTES):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        opened.write(text)
        opened.truncate()


def _read(file: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        raise PipelineError(f"{file}: {error.strerror}") from None
    return content if isinstance(content, dict) else None
