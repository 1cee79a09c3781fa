"""How the queries of a run are stopped: by the clock, with queries made by hand; and one of Spark's that can't be."""

import errno
import fcntl
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError, Py4JNetworkError
from pyspark.errors import StreamingQueryException

from snakka.cli.main import main
from snakka.runtime.clock import SystemClock
from snakka.spark.pipelines import run_state, runner
from snakka.spark.pipelines.declaration import Trigger, read_pipeline
from snakka.spark.pipelines.progress import SinkProgress, sink_line
from snakka.spark.pipelines.query_stops import Stops, stop_queries
from snakka.spark.pipelines.run_signals import RunSignals
from snakka.spark.pipelines.run_state import RunState
from snakka.spark.pipelines.terminal import LineDisplay, LiveDisplay, status_lines, summary_lines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TICK_SECONDS = 0.5
BUSY = """
kafka: {bootstrap.servers: '127.0.0.1:1'}
sources: {work: {topics: work}}
sinks: {out: {format: noop}}
"""


@dataclass
class HandClock:
    seconds: float = 0.0

    def now_ms(self) -> int:
        return round(self.seconds * 1000)

    def monotonic(self) -> float:
        return self.seconds

    def tick(self) -> None:
        self.seconds += TICK_SECONDS


@dataclass
class Query:
    """As Spark shows one: a batch follows the other, without a pause if there is always more to read."""

    clock: HandClock
    batch_seconds: float
    is_idle: bool = False
    stop_error: Exception | None = None
    fails_at: float = float("inf")
    stopped_at: list[float] = field(default_factory=list)
    id: str = "q-1"
    recentProgress: tuple[Any, ...] = ()  # noqa: N815 -- Spark's names

    @property
    def isActive(self) -> bool:  # noqa: N802
        return not self.stopped_at and self.clock.seconds < self.fails_at

    def exception(self) -> Exception | None:
        return StreamingQueryException("the table is gone") if self.clock.seconds >= self.fails_at else None

    @property
    def status(self) -> dict[str, Any]:
        return {"isTriggerActive": not self.is_idle, "message": "Processing new data"}

    @property
    def lastProgress(self) -> Any:  # noqa: N802
        done = int(self.clock.seconds // self.batch_seconds)
        return SimpleNamespace(batchId=done - 1) if done else None

    def stop(self) -> None:
        self.stopped_at.append(self.clock.seconds)
        if self.stop_error is not None:
            raise self.stop_error


def stopped(clock: HandClock, grace_seconds: float = 30.0, **queries: Any) -> Stops:
    return stop_queries(queries, grace_seconds=grace_seconds, clock=clock, wait=clock.tick)


def timed_out() -> Py4JJavaError:
    java = SimpleNamespace(_target_id="o1", _gateway_client=SimpleNamespace())
    return Py4JJavaError(
        "java.util.concurrent.TimeoutException: failed to stop within 30000 milliseconds", java
    )


def test_a_query_that_always_has_more_to_do_ends_the_batch_that_it_is_at() -> None:
    clock = HandClock(4.0)
    first, busy, idle = Query(clock, 7.0), Query(clock, 3.0), Query(clock, 3.0, is_idle=True)
    assert stopped(clock, first=first, busy=busy, idle=idle) == ([], [])
    assert (first.stopped_at, busy.stopped_at, idle.stopped_at) == ([7.0], [6.0], [4.0])


def test_a_batch_that_outlasts_the_grace_is_cut() -> None:
    clock = HandClock(1.0)
    slow, quick = Query(clock, 1000.0), Query(clock, 2.0)
    assert stopped(clock, grace_seconds=5.0, slow=slow, quick=quick) == ([], [])
    assert (slow.stopped_at, quick.stopped_at) == ([6.0], [2.0])


def test_a_query_that_can_not_be_stopped_holds_nobody_up() -> None:
    clock = HandClock(1.0)
    stuck, other = Query(clock, 1000.0, stop_error=timed_out()), Query(clock, 1000.0)
    assert stopped(clock, grace_seconds=0.0, stuck=stuck, other=other) == (["stuck"], [])
    assert (stuck.stopped_at, other.stopped_at) == ([1.0], [1.0])  # each is asked once


def test_queries_of_a_spark_that_is_gone_have_ended() -> None:
    clock = HandClock(1.0)
    gone = Query(clock, 2.0, stop_error=Py4JNetworkError("Answer from Java side is empty"))
    assert stopped(clock, gone=gone) == ([], [])


def test_a_query_that_ends_by_itself_meanwhile_is_not_stopped() -> None:
    clock = HandClock(1.0)
    failed, fails, busy = Query(clock, 9.0, fails_at=0.5), Query(clock, 9.0, fails_at=3.0), Query(clock, 5.0)
    assert stopped(clock, failed=failed, fails=fails, busy=busy) == ([], ["failed", "fails"])
    assert (failed.stopped_at, fails.stopped_at, busy.stopped_at) == ([], [], [5.0])


class Session:
    """A Spark that has only to be there."""

    def __init__(self, is_gone: Callable[[], bool] = lambda: False) -> None:
        self.streams = self
        self.is_stopped = False
        java = SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=is_gone))
        self.sparkContext = SimpleNamespace(_jsc=java)  # Spark's names

    def addListener(self, listener: object) -> None:  # noqa: N802 -- Spark's names
        pass

    def stop(self) -> None:
        self.is_stopped = True


class Interrupting(io.StringIO):
    """Ctrl-C, as soon as it says that the pipeline runs."""

    def write(self, text: str) -> int:
        if " runs: " in text:
            signal.raise_signal(signal.SIGINT)
        return super().write(text)


def interrupted(
    query: Query,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    start: Callable[..., Query] | None = None,
    session: Session | None = None,
) -> tuple[dict[str, Any], str]:
    """The status and the screen of a run of this query that is interrupted at once; `start` starts it, if it is given."""
    file = tmp_path / "busy.yaml"
    file.write_text(BUSY)
    session = session or Session()
    monkeypatch.setattr(runner, "topic_problems", lambda pipeline: [])
    monkeypatch.setattr(runner, "open_session", lambda *_, **__: session)
    monkeypatch.setattr(
        runner, "build_views", lambda *_, **__: SimpleNamespace(problems=[], of_sink=lambda sink: "rows")
    )
    monkeypatch.setattr(runner, "sink_problems", lambda frame, sink: [])
    monkeypatch.setattr(runner, "start_query", start or (lambda *_, **__: query))
    screen = Interrupting()
    settings = runner.RunSettings("local[1]", Trigger("every", 1.0), {}, grace_seconds=0.2)
    status = runner.Run(read_pipeline(file), settings, LineDisplay(screen)).go()
    assert session.is_stopped
    return status, screen.getvalue()


@pytest.mark.parametrize("is_stuck", [False, True])
def test_a_run_says_which_sink_did_not_stop(
    is_stuck: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = Query(HandClock(1.0), 1000.0, stop_error=timed_out() if is_stuck else None)
    shown: list[str] = []
    monkeypatch.setattr(
        LineDisplay, "update", lambda _, status, *__, **___: shown.append(status["sinks"]["out"]["state"])
    )
    status, screen = interrupted(query, tmp_path, monkeypatch)
    assert (status["state"], status["sinks"]["out"]["state"]) == ("interrupted", "stopped")
    assert "running" in shown  # though it has not said anything yet
    said = (
        "sink out: it did not stop in time (spark.sql.streaming.stopTimeout says how long that is); Spark is ended all"
        " the same, and the next run does its batch again\n"
    )
    assert (said in screen) == is_stuck
    assert ("did not stop in time" in status["sinks"]["out"]["error"]) == is_stuck


def test_a_sink_that_fails_while_the_run_is_stopped_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = HandClock(1.0)
    query = Query(clock, 1000.0, fails_at=1.5)
    monkeypatch.setattr(runner.Run, "_wait_for_batches", lambda run: clock.tick())
    status, _ = interrupted(query, tmp_path, monkeypatch)
    assert (status["state"], status["sinks"]["out"]["state"]) == ("failed", "failed")
    assert "the table is gone" in status["error"]
    assert not query.stopped_at


def is_stopped() -> bool:
    return True


def does_not_answer() -> bool:
    raise Py4JNetworkError("Answer from Java side is empty")


@pytest.mark.parametrize("is_gone", [is_stopped, does_not_answer])
def test_a_spark_that_the_same_signal_has_ended_is_no_failure(
    is_gone: Callable[[], bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What closes a terminal, or stops a service, says so to all of its processes."""
    clock = HandClock(1.0)
    monkeypatch.setattr(runner.Run, "_wait_for_batches", lambda run: clock.tick())
    session = Session(is_gone)
    status, _ = interrupted(Query(clock, 1000.0, fails_at=1.5), tmp_path, monkeypatch, session=session)
    assert (status["state"], status["sinks"]["out"]["state"], status["error"]) == (
        "interrupted",
        "stopped",
        "",
    )

    def gone(*_: object) -> None:
        raise Py4JNetworkError("Answer from Java side is empty")

    monkeypatch.setattr(runner.Run, "_follow", gone)
    status, _ = interrupted(Query(clock, 1000.0), tmp_path, monkeypatch, session=Session(is_gone))
    assert (status["state"], status["error"]) == ("interrupted", "")


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_second_signal_does_not_wait_for_batches(which: signal.Signals) -> None:
    signals, before = RunSignals(lambda: None), signal.getsignal(which)
    with signals.heeded():
        signal.raise_signal(which)
        assert signals.asked_to_stop.is_set()
        signal.signal(which, signal.SIG_DFL)  # somebody puts a handler of its own there, as Spark does
        signals.heed()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(which)
    assert signal.getsignal(which) is before


def test_a_terminal_that_is_closed_does_not_matter_with_nohup() -> None:
    signals, before = RunSignals(lambda: None), signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals.heeded():
            signals.heed()
            signal.raise_signal(signal.SIGHUP)
        assert not signals.asked_to_stop.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_a_shell_has_said_meanwhile_is_not_drawn_over() -> None:
    """Ctrl-Z, and then `fg`: SIGCONT is what the process hears of it."""
    screen = io.StringIO()
    display = LiveDisplay(screen)
    status = {"state": "running", "sinks": {}, "updated_ms": 0, "started_ms": 0}
    status |= {"pipeline": "busy", "pid": 1, "trigger": "once", "master": "local"}
    with RunSignals(display.resumed).heeded():
        display.update(status, 1.0)
        display.update(status, 2.0)
        assert screen.getvalue().count("\x1b[1F\x1b[J") == 1
        signal.raise_signal(signal.SIGCONT)
        display.update(status, 3.0)
        assert screen.getvalue().count("\x1b") == 2
        display.update(status, 4.0)
        assert screen.getvalue().count("\x1b[1F\x1b[J") == 2
    assert signal.getsignal(signal.SIGCONT) == signal.SIG_DFL


class SlowDisplay(LineDisplay):
    """One that takes longer to hear of a signal than a run waits for reports."""

    def resumed(self) -> None:
        time.sleep(0.2)


@pytest.mark.timeout(60)
def test_a_signal_does_not_hold_up_a_run_that_waits_for_reports(tmp_path: Path) -> None:
    file = tmp_path / "busy.yaml"
    file.write_text(BUSY)
    settings = runner.RunSettings("local[1]", Trigger("every", 1.0), {}, grace_seconds=0.2)
    run = runner.Run(read_pipeline(file), settings, SlowDisplay(io.StringIO()))
    me = threading.get_ident()
    with run._signals.heeded():
        timer = threading.Timer(0.05, lambda: signal.pthread_kill(me, signal.SIGCONT))
        timer.start()
        run._take_reports(0.1)
        timer.join()


IN_THE_BACKGROUND = """
import os, signal, subprocess, sys
from snakka.spark.pipelines.terminal import LiveDisplay

signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # so that it may take the terminal back
other = subprocess.Popen(["sleep", "60"], process_group=0)
display = LiveDisplay(sys.stdout)
status = {"state": "running", "sinks": {}, "updated_ms": 0, "started_ms": 0, "pid": 1, "trigger": "", "master": ""}
for second, group in enumerate((os.getpgrp(), other.pid, other.pid, os.getpgrp(), os.getpgrp())):
    os.tcsetpgrp(1, group)
    display.update({**status, "pipeline": f"p{second}"}, float(second))
os.tcsetpgrp(1, other.pid)
display.say("said")
other.kill()
other.wait()
"""


def test_nothing_is_drawn_from_the_background(tmp_path: Path) -> None:
    script = tmp_path / "drawing.py"
    script.write_text(IN_THE_BACKGROUND)
    screen, keyboard = os.openpty()
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(keyboard)
    shown = b""
    with suppress(OSError):  # nobody has it open any more
        while read := os.read(screen, 65536):
            shown += read
    os.close(screen)
    assert process.wait(60) == 0, shown
    lines = [line.split(": ")[0] for line in shown.decode().split("\r\n")]
    assert lines == ["p0", "p3", "\x1b[1F\x1b[Jp4", "said", ""]


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_does_not_hide_how_a_run_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last status goes where the one before was."""

    def fill_the_disk(*_: object, **__: object) -> Query:
        monkeypatch.setattr(run_state, "_replace", no_room)
        return query

    clock = HandClock(1.0)
    query = Query(clock, 1000.0, fails_at=1.5)
    monkeypatch.setattr(runner.Run, "_wait_for_batches", lambda run: clock.tick())
    status, screen = interrupted(query, tmp_path, monkeypatch, start=fill_the_disk)
    assert "the table is gone" in status["error"]
    said = f"{tmp_path}/checkpoints/busy can't be written: No space left on device; `snakka pipeline status` shows"
    assert screen.count(said) == 1
    assert status.pop(runner.UNWRITTEN) == ""
    left = RunState(read_pipeline(tmp_path / "busy.yaml")).read()
    assert left is not None
    assert (left["state"], left["error"]) == ("failed", status["error"])
    assert not list(tmp_path.glob("checkpoints/busy/.status*"))


def test_a_command_says_that_its_status_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = tmp_path / "checkpoints" / "busy"

    def gone(*_: object, **__: object) -> Query:
        shutil.rmtree(where)
        return Query(HandClock(1.0), 1.0, is_idle=True)

    status, _ = interrupted(Query(HandClock(1.0), 1.0), tmp_path, monkeypatch, start=gone)
    assert status["state"] == "interrupted"
    monkeypatch.setattr(runner.Run, "go", lambda run: status)
    assert main(["pipeline", "run", str(tmp_path / "busy.yaml")]) == 1
    said = capsys.readouterr()
    assert said.err == (
        f"snakka: {where} can't be written: No such file or directory; `status` does not know how it ended\n"
    )
    assert said.out.startswith("busy interrupted after")


def test_a_query_that_falls_silent_does_not_keep_its_lag(tmp_path: Path) -> None:
    """Its broker was killed: Spark reports nothing until its source gives up."""
    file = tmp_path / "busy.yaml"
    file.write_text(BUSY)
    clock, screen = HandClock(), io.StringIO()
    query = Query(clock, 1.0, fails_at=240.0)
    settings = runner.RunSettings("local[1]", Trigger("every", 10.0), {}, grace_seconds=0.2)
    run = runner.Run(read_pipeline(file), settings, LineDisplay(screen))
    run._clock = clock  # type: ignore[assignment]
    run._queries = {"out": query}  # type: ignore[dict-item]
    report = {
        "id": "q-1",
        "batchId": 0,
        "durationMs": {"addBatch": 1, "triggerExecution": 500},
        "sources": [{"endOffset": {"work": {"0": 5}}, "latestOffset": {"work": {"0": 5}}}],
    }

    def line_at(seconds: float) -> str:
        clock.seconds = seconds
        run._look_for_silence(["out"])
        run._show()
        return sink_line(run._status()["sinks"]["out"])

    run._reports.put(json.dumps(report))
    run._take_reports(0.1)
    assert line_at(40.0).endswith("| lag work 0")
    assert line_at(185.0).endswith("| no report for 3m 5s | lag unknown (work 0, 3m 5s ago)")
    assert run._status()["sinks"]["out"]["lag"] == {}
    assert line_at(190.0) in status_lines(run._status(), 190_000)[1]
    assert screen.getvalue().count("no report for") == 1
    run._reports.put(json.dumps({"id": "q-1", "idle": True}))
    run._take_reports(0.1)
    assert line_at(191.0).endswith("| lag work 0")
    query.is_idle = True
    assert line_at(239.0).endswith("| lag work 0")  # Spark need not report a query that waits for its trigger
    clock.seconds = 251.0
    run._settle("out")
    run._ended_ms = 251_000
    assert "lag unknown (0, 12s ago)" in summary_lines(run._status())[1]
    assert line_at(251.0).endswith("| lag unknown (work 0, 12s ago) | error: the table is gone")


def test_a_query_without_anything_to_read_says_so(spark: "SparkSession", tmp_path: Path) -> None:
    reports: Queue[str] = Queue()
    listener = runner._listener(reports)
    spark.streams.addListener(listener)
    rows = spark.readStream.format("text").load(str(tmp_path))
    query = rows.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "c")).start()
    try:
        sink = SinkProgress("out", state="running")
        while (report := json.loads(reports.get(timeout=60)))["id"] != query.id:
            pass  # the last word of another test's
        assert not sink.add(report, 0.0)
    finally:
        query.stop()
        spark.streams.removeListener(listener)
    assert (
        sink_line(sink.as_status()) == "waits for records | 0 rows | 0 rows/s | batch time 0 ms | lag unknown"
    )


def test_spark_gives_up_on_a_query_that_does_not_heed_it(
    spark: "SparkSession", request: pytest.FixtureRequest
) -> None:
    """It waits for an answer from Python, which no interrupt reaches."""
    name = "spark.sql.streaming.stopTimeout"
    limit = spark.conf.get(name)
    assert limit == "30s"  # our sessions'; Spark's own is none
    hangs, may_end = threading.Event(), threading.Event()

    def hang(batch: "DataFrame", number: int) -> None:
        hangs.set()
        may_end.wait(60)

    query = spark.readStream.format("rate").load().writeStream.foreachBatch(hang).start()
    request.addfinalizer(lambda: query.awaitTermination(60))
    request.addfinalizer(may_end.set)
    assert hangs.wait(60)
    spark.conf.set(name, "200ms")
    request.addfinalizer(lambda: spark.conf.set(name, limit))
    begun = time.monotonic()
    stops = stop_queries(
        {"out": query}, grace_seconds=0.3, clock=SystemClock(), wait=lambda: time.sleep(0.05)
    )
    assert stops == (["out"], [])
    assert 0.5 <= time.monotonic() - begun < 20
