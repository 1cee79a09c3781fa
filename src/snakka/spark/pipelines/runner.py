"""Running a declared pipeline: from the file to the last batch, and what is left to see of it.

One streaming query for each sink. Spark tells how each goes through a listener; this thread takes what it tells,
draws it, and writes the status file. It ends when all queries have (available-now), when one fails (the others are
stopped), or when a signal asks for it: then every query finishes the batch it is at, within a grace, and is stopped
between batches.

Rule: the outcome is in the status file before the lock is let go; a status that can't be written changes nothing of it, but
the command says so at its end. A run that is cut anywhere is continued by the next
one: nothing here is needed for correctness, which lives in Spark's checkpoint and in the sinks.
"""

import json
import os
import socket
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any

from snakka.protocol.record_engine import engine_line
from snakka.runtime.clock import SystemClock
from snakka.spark.pipelines.checkpoint_fit import checkpoint_problems, file_problems, owner_problems
from snakka.spark.pipelines.cluster_topics import offsets_at, topic_problems
from snakka.spark.pipelines.declaration import Pipeline, Trigger
from snakka.spark.pipelines.executor_waits import ExecutorWait
from snakka.spark.pipelines.group_commits import GroupCommits, group_of
from snakka.spark.pipelines.masters import reach_master, require_image, require_room
from snakka.spark.pipelines.offset_reset import LATEST
from snakka.spark.pipelines.option_checks import option_problems
from snakka.spark.pipelines.plan import build_views
from snakka.spark.pipelines.problems import PipelineError, PipelineFileError
from snakka.spark.pipelines.progress import IDLE, SinkProgress, by_topic, lag_by_topic
from snakka.spark.pipelines.query_checkpoint import read_checkpoint
from snakka.spark.pipelines.query_stops import STILL_RUNS, stop_queries
from snakka.spark.pipelines.run_signals import RunSignals
from snakka.spark.pipelines.run_state import VERSION, RunState
from snakka.spark.pipelines.sink_writers import sink_problems, start_query
from snakka.spark.pipelines.source_order import order_problems
from snakka.spark.pipelines.spark_errors import reason, silence_pyspark, silence_sums
from snakka.spark.pipelines.step_modules import modules_on_path, send_modules
from snakka.spark.pipelines.table_checks import table_problems
from snakka.spark.pipelines.terminal import Display
from snakka.spark.session import is_local, open_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

UNWRITTEN = "unwritten"  # in the status that a run ends with, for those who started it: why no file has it

_TICK_SECONDS = 0.1
_STATUS_SECONDS = 0.5
_START_SECONDS = 180.0
# What Spark says of a query whose sources have not come up yet, and of one whose source's process was too slow.
_INITIALIZING = "Initializing "  # sources, and before that the execution itself
_NOT_CONNECTED = "Python worker failed to connect back"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What the command line may change of a run."""

    master: str
    trigger: Trigger
    confs: Mapping[str, str]
    grace_seconds: float
    keeps_log: bool = True  # False: what Spark says goes to standard error


class Run:
    """One run of a pipeline, from `go` to its outcome."""

    def __init__(self, pipeline: Pipeline, settings: RunSettings, display: Display) -> None:
        self._pipeline = pipeline
        self._settings = settings
        self._display = display
        self._state = RunState(pipeline)
        self._clock = SystemClock()
        self._started_ms = self._clock.now_ms()
        self._ended_ms: int | None = None
        self._outcome = "starting"
        self._error = ""
        self._executors: ExecutorWait | None = None
        self._note = ""
        self._sinks = {name: SinkProgress(name) for name in pipeline.all_sinks}
        self._commits = GroupCommits(pipeline, settings.trigger)
        self._queries: dict[str, StreamingQuery] = {}
        # Not a SimpleQueue: with a time limit it waits for ever if that passes while a signal is handled.
        self._reports: Queue[str] = Queue()
        self._signals = RunSignals(display.resumed)
        self._asked_to_stop = self._signals.asked_to_stop
        self._session: SparkSession | None = None
        self._written_at = float("-inf")
        self._unwritten = ""  # why the last status could not be

    def go(self) -> dict[str, Any]:
        """Run until the end; the status at the end, whose `state` is finished, interrupted or failed."""
        with self._state.locked(), self._signals.heeded():
            if problems := list(owner_problems(self._pipeline)):
                raise PipelineFileError(self._pipeline.file, problems)  # and the status stays the owner's
            self._write_status()
            try:
                self._run()
            except (PipelineFileError, PipelineError) as error:
                self._fail(str(error).splitlines()[0])
                raise
            except KeyboardInterrupt:
                self._outcome = "interrupted"
            except Exception as error:
                # Nobody foresaw it: the JVM was killed, say. What was under way is done by the next run.
                self._fail(_named(error))
                raise PipelineError(f"{self._error} ({self._state.log_file} may have more)") from error
            finally:
                self._ended_ms = self._clock.now_ms()
                self._settle_rest()
                self._write_last_status()
            return {**self._status(), UNWRITTEN: self._unwritten}

    def _run(self) -> None:
        pipeline = self._pipeline
        problems = [*option_problems(pipeline), *checkpoint_problems(pipeline), *file_problems(pipeline)]
        problems = problems or topic_problems(pipeline)
        if problems:
            raise PipelineFileError(self._pipeline.file, problems)
        self._session = session = self._open_session()
        try:
            self._signals.heed()  # Spark has put its own handler for Ctrl-C in place
            silence_sums(session)
            require_image(session, self._settings.master)
            require_room(session, self._settings.master)
            if not is_local(self._settings.master):
                self._executors = ExecutorWait(session.sparkContext, self._settings.master, self._clock)
                send_modules(session, self._pipeline, self._state.modules_archive)
            if not self._asked_to_stop.is_set():
                self._start_queries(session)
            self._outcome = "running" if self._outcome == "starting" else self._outcome
            self._follow()
        except Exception as error:
            if self._was_taken_down():
                raise KeyboardInterrupt from error
            if _has_ended(session) is None:
                raise PipelineError(
                    "Spark's process has ended or does not answer; perhaps the system has killed it to have memory again."
                    f" The next run does what was under way; {self._state.log_file} may have more"
                ) from error
            raise
        finally:
            _quietly(session.stop)

    # -- Start ---------------------------------------------------------------------------------------------------------

    def _open_session(self) -> "SparkSession":
        silence_pyspark()
        reach_master(self._settings.master)
        log = self._state.log_file if self._settings.keeps_log else None
        self._display.say(
            f"starting Spark on {self._settings.master}" + (f"; its log is {log}" if log else "")
        )
        self._display.say(engine_line())
        with modules_on_path(self._pipeline) if is_local(self._settings.master) else nullcontext():
            try:
                return open_session(
                    self._pipeline.name,
                    master=self._settings.master,
                    confs={**self._pipeline.spark, **self._settings.confs},
                    log_file=log,
                )
            except Exception as error:
                if self._asked_to_stop.is_set():
                    raise KeyboardInterrupt from error  # the signal has ended what was to become Spark
                where = f"; {log} has more" if log else ""
                raise PipelineError(f"Spark did not start: {reason(error)}{where}") from error

    def _start_queries(self, session: "SparkSession") -> None:
        session.streams.addListener(_listener(self._reports))
        starts = self._state.starts()
        frames = {}
        problems = []
        for name, sink in self._pipeline.all_sinks.items():
            views = build_views(
                session,
                self._pipeline,
                group=group_of(self._pipeline, name),
                starts=self._start_of(name, starts),
            )
            problems += views.problems
            frame = views.of_sink(sink)
            if frame is not None:
                problems += sink_problems(frame, sink)
                problems += order_problems(frame, sink, self._state.local_sink_checkpoint(name))
                frames[name] = frame
        if not problems:
            for name, frame in frames.items():
                with suppress(PipelineError):  # a catalog may be busy for a moment: its query will try again
                    problems += table_problems(frame, self._pipeline.all_sinks[name])
        if problems:
            raise PipelineFileError(self._pipeline.file, problems)
        for name, frame in frames.items():
            if not self._asked_to_stop.is_set():
                self._start(name, frame)
        if not self._asked_to_stop.is_set():
            self._display.say(f"{self._pipeline.name} runs: {', '.join(frames)}; {self._settings.trigger}")

    def _start(self, name: str, frame: "DataFrame") -> None:
        """One after the other, and again if need be.

        Spark gives the Python process of a source ten seconds to appear, which many at once on a busy machine miss.
        """
        sink = self._pipeline.all_sinks[name]
        checkpoint = self._state.sink_checkpoint(name)
        deadline = self._clock.monotonic() + _START_SECONDS
        while True:
            try:
                query = start_query(frame, sink, trigger=self._settings.trigger, checkpoint=checkpoint)
            except Exception as error:
                raise PipelineError(f"sink {name} can't start: {reason(error)}") from error
            self._queries[name] = query
            while (
                query.isActive
                and query.status["message"].startswith(_INITIALIZING)
                and self._clock.monotonic() < deadline
            ):
                if self._asked_to_stop.is_set():
                    return
                self._take_reports(_TICK_SECONDS)
                self._show()
            failure = None if query.isActive else query.exception()
            if query.isActive:
                self._sinks[name].state = "running"  # whether or not there is anything to read
                self._sinks[name].heard(self._clock.monotonic())
            if failure is None or _NOT_CONNECTED not in str(failure) or self._clock.monotonic() >= deadline:
                return
            self._display.say(f"sink {name}: {reason(failure)} Starting it again")

    def _start_of(self, sink: str, starts: Mapping[str, str]) -> dict[str, Any]:
        """Offsets that a reset has noted; they are for a query that has done no batch yet.

        One that was cut in its first begins it once more, and is known by where it was told to begin.
        """
        directory = self._state.local_sink_checkpoint(sink)
        checkpoint = None if directory is None or sink not in starts else read_checkpoint(directory)
        if sink not in starts or (checkpoint is not None and checkpoint.done >= 0):
            return {}
        offsets: dict[str, Any] = json.loads(starts[sink])
        return offsets

    # -- While it runs -------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        while not self._asked_to_stop.is_set():
            self._take_reports(_TICK_SECONDS)
            active = [name for name, query in self._queries.items() if query.isActive]
            for name in self._queries:
                if name not in active:
                    self._settle(name)
            if self._outcome == "failed" or not active:
                break
            self._look_for_silence(active)
            self._show()
        if self._asked_to_stop.is_set() and self._outcome != "failed":
            self._outcome = "stopping"
            self._show(force=True)
        self._stop_queries()
        if self._outcome != "failed":
            self._outcome = "interrupted" if self._asked_to_stop.is_set() else "finished"
        self._take_reports(0)
        self._show(force=True)

    def _look_for_silence(self, active: list[str]) -> None:
        """A query that is held up, by a broker that does not answer say, reports nothing: its lag is not known then."""
        now = self._clock.monotonic()
        for name in active:
            progress = self._sinks[name]
            if progress.is_overdue(now, self._settings.trigger.seconds):
                if self._queries[name].status["isTriggerActive"]:
                    progress.lost(now)
                else:
                    progress.heard(now)  # it waits for its next trigger

    def _settle(self, name: str) -> None:
        """A query has ended by itself: how?"""
        progress = self._sinks[name]
        if progress.state in ("finished", "stopped", "failed"):
            return
        query = self._queries[name]
        self._take_all(name)
        failure = query.exception()
        if failure is not None and self._was_taken_down():
            progress.state = "stopped"
            return
        progress.state = "finished" if failure is None else "failed"
        if failure is None:
            progress.heard(self._clock.monotonic())
            self._find_lag(progress)
        else:
            progress.lost(self._clock.monotonic())
            progress.error = reason(failure)
            self._fail(f"sink {name}: {progress.error}")

    def _find_lag(self, progress: SinkProgress) -> None:
        """Of a batch that is repeated, because the run before failed at it, Spark does not say what there is after it."""
        if progress.end_offsets and not progress.lag:
            with suppress(PipelineError):  # it is not known then
                ends = offsets_at(self._pipeline, LATEST)
                progress.lag.update(lag_by_topic(progress.end_offsets, by_topic(ends)))

    def _stop_queries(self) -> None:
        stops = stop_queries(
            self._queries,
            grace_seconds=0 if self._outcome == "failed" else self._settings.grace_seconds,
            clock=self._clock,
            wait=self._wait_for_batches,
        )
        for name in stops.had_ended:
            self._settle(name)
        for name in stops.still_run:
            self._sinks[name].error = STILL_RUNS
            self._display.say(f"sink {name}: {STILL_RUNS}")
        for name in self._queries:
            progress = self._sinks[name]
            if progress.state not in ("finished", "failed"):
                self._take_all(name)
                progress.state = "stopped"
        self._settle_rest()

    def _settle_rest(self) -> None:
        for progress in self._sinks.values():
            progress.run_ended()

    def _wait_for_batches(self) -> None:
        self._take_reports(_TICK_SECONDS / 4)
        self._show()

    def _take_reports(self, wait_seconds: float) -> None:
        try:
            report = self._reports.get(timeout=wait_seconds) if wait_seconds else self._reports.get_nowait()
            while True:
                progress = json.loads(report)
                now = self._clock.monotonic()
                for name in self._names_of(progress["id"]):
                    if self._sinks[name].state != "failed":
                        self._sinks[name].heard(now)
                    if self._sinks[name].add(progress, now):
                        self._commits.batch_done(name, self._sinks[name].end_offsets)
                report = self._reports.get_nowait()
        except Empty:
            return

    def _names_of(self, query_id: str) -> list[str]:
        return [name for name, query in self._queries.items() if query.id == query_id]

    def _take_all(self, name: str) -> None:
        """What a query that has ended has reported."""
        progress = self._sinks[name]
        for report in self._queries[name].recentProgress:
            if progress.add(json.loads(report.json), self._clock.monotonic()):
                progress.heard(self._clock.monotonic())
        self._commits.all_done(name, progress.end_offsets)

    # -- What others see -----------------------------------------------------------------------------------------------

    def _show(self, *, force: bool = False) -> None:
        now = self._clock.monotonic()
        if self._executors is not None:
            self._note = self._executors.note() if self._outcome in ("starting", "running") else ""
        self._display.update(self._status(), now, force=force)
        if force or now - self._written_at >= _STATUS_SECONDS:
            self._written_at = now
            self._write_status()

    def _write_status(self) -> None:
        try:
            self._state.write(self._status())
        except PipelineError as error:
            if not self._unwritten:
                self._display.say(f"{error}; `snakka pipeline status` shows what was before")
            self._unwritten = str(error)
        else:
            self._unwritten = ""

    def _write_last_status(self) -> None:
        self._unwritten = ""
        try:
            self._state.write_last(self._status())
        except PipelineError as error:
            self._unwritten = str(error)

    def _status(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "pipeline": self._pipeline.name,
            "file": str(self._pipeline.file.resolve()),
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "master": self._settings.master,
            "trigger": str(self._settings.trigger),
            "state": self._outcome,
            "started_ms": self._started_ms,
            "updated_ms": self._clock.now_ms(),
            "ended_ms": self._ended_ms,
            "error": self._error,
            "note": self._note,
            "log": str(self._state.log_file),
            "sinks": {name: progress.as_status() for name, progress in self._sinks.items()},
        }

    def _fail(self, error: str) -> None:
        self._outcome = "failed"
        self._error = self._error or error

    def _was_taken_down(self) -> bool:
        """Whether the signal that asks for an end has ended Spark too: all in front of a closed terminal get it."""
        return (
            self._asked_to_stop.is_set()
            and self._session is not None
            and _has_ended(self._session) is not False
        )


def _has_ended(session: "SparkSession") -> bool | None:
    """None if nobody answers for it."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    try:
        return bool(session.sparkContext._jsc.sc().isStopped())
    except (Py4JError, OSError):
        return None


def _listener(reports: "Queue[str]") -> Any:
    from pyspark.sql.streaming.listener import StreamingQueryListener

    class Listener(StreamingQueryListener):
        """Hands on what Spark says; it is called in a thread of its own."""

        def onQueryStarted(self, event: Any) -> None:  # noqa: N802 -- Spark's names
            pass

        def onQueryProgress(self, event: Any) -> None:  # noqa: N802
            reports.put(event.progress.json)

        def onQueryIdle(self, event: Any) -> None:  # noqa: N802
            reports.put(json.dumps({"id": str(event.id), IDLE: True}))

        def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
            pass

    return Listener()


def _named(error: Exception) -> str:
    """In a line; with the file, if it is about one."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return reason(error)


def _quietly(action: Callable[[], object]) -> None:
    """At the end: what can't be stopped any more has stopped. PySpark warns of that too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            action()
    except Exception:
        return
