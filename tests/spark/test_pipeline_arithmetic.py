"""Progress, status files and resets without Spark."""

import fcntl
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from snakka.cli.main import main
from snakka.spark.pipelines.checking import check_file
from snakka.spark.pipelines.checkpoint_fit import checkpoint_problems, owner_problems
from snakka.spark.pipelines.declaration import Trigger, read_declaration, read_pipeline
from snakka.spark.pipelines.offset_reset import (
    carry_out,
    check_offsets,
    completed_starts,
    noted_starts,
    parse_target,
    plan_reset,
    reset_lines,
)
from snakka.spark.pipelines.problems import PipelineError, PipelineFileError
from snakka.spark.pipelines.progress import (
    SinkProgress,
    count_text,
    lag_by_topic,
    read_offsets,
    seconds_text,
    sink_line,
    time_text,
)
from snakka.spark.pipelines.query_checkpoint import QueryCheckpoint, offsets_json, read_checkpoint
from snakka.spark.pipelines.resetting import reset as reset_pipeline
from snakka.spark.pipelines.run_state import RunState
from snakka.spark.pipelines.runner import Run, RunSettings
from snakka.spark.pipelines.spark_errors import plain, reason
from snakka.spark.pipelines.terminal import (
    LineDisplay,
    LiveDisplay,
    open_display,
    status_lines,
    summary_lines,
)


def report(
    batch: int, rows: int, *, end: int = 5, latest: int = 7, took_ms: int = 500, **more: Any
) -> dict[str, Any]:
    """As Spark 4.3 reports a batch."""
    return {
        "id": "q-1",
        "batchId": batch,
        "numInputRows": rows,
        "durationMs": {"addBatch": took_ms - 10, "triggerExecution": took_ms},
        "stateOperators": [{"numRowsTotal": 3, "numRowsDroppedByWatermark": 1}],
        "sources": [{"endOffset": {"t": {"0": end}}, "latestOffset": json.dumps({"t": {"0": latest}})}],
        "sink": {"numOutputRows": rows},
        "observedMetrics": {"bad_rows_of_t": {"rows": 2}},
        **more,
    }


def test_progress_adds_up_what_spark_reports() -> None:
    sink = SinkProgress("out")
    assert sink.add(report(0, 100), now=1.0)
    assert sink.add(report(1, 300, end=7, took_ms=1500), now=3.0)
    assert not sink.add(report(1, 300, end=7), now=3.1)  # said twice
    status = sink.as_status()
    assert (status["rows"], status["rows_written"], status["batches"], status["batch"]) == (400, 400, 2, 1)
    assert (status["rows_per_second"], status["batch_ms"], status["slowest_batch_ms"]) == (200.0, 1500, 1500)
    assert (status["lag"], status["state_rows"], status["late_rows"], status["bad_rows"]) == (
        {"t": 0},
        3,
        2,
        4,
    )
    line = sink_line(status)
    assert "batch 1 | 400 rows | 200 rows/s | batch time 1.5 s | lag t 0 | state 3 rows | late 2 rows" in line
    assert "bad 4 rows" in line


def test_an_idle_trigger_moves_the_lag_and_nothing_else() -> None:
    sink = SinkProgress("out")
    sink.add(report(0, 100), now=1.0)
    idle = {**report(1, 0, latest=50), "durationMs": {"latestOffset": 3, "triggerExecution": 4}}
    assert not sink.add(idle, now=20.0)
    assert (sink.batches, sink.lag, sink.rows_per_second) == (1, {"t": 45}, 0.0)


def test_a_source_that_is_behind_is_not_hidden_by_another_of_the_same_topic() -> None:
    sink = SinkProgress("out")
    ends = [{"endOffset": {"t": {"0": end}}, "latestOffset": {"t": {"0": 9}}} for end in (2, 9)]
    sink.add(report(0, 1, sources=ends), now=1.0)
    assert sink.lag == {"t": 7}
    sink.add(report(1, 1, sources=ends[1:] * 2), now=2.0)
    assert sink.lag == {"t": 0}


def test_a_query_that_waits_for_its_first_records_says_so() -> None:
    sink = SinkProgress("out", state="running")
    assert sink_line(sink.as_status()).startswith("running | 0 rows")
    assert not sink.add({"id": "q-1", "idle": True}, now=1.0)
    assert sink_line(sink.as_status()).startswith("waits for records | 0 rows")
    sink.add(report(0, 100), now=2.0)
    assert not sink.is_idle
    assert sink_line(sink.as_status()).startswith("batch 0 | 100 rows")


def test_a_sink_that_can_not_count_has_no_count() -> None:
    sink = SinkProgress("out")
    sink.add(report(0, 1, sink={"numOutputRows": -1}), now=1.0)
    assert sink.as_status()["rows_written"] is None


def test_lag_counts_what_both_sides_know() -> None:
    assert lag_by_topic({"a": {"0": 5, "1": 9}}, {"a": {"0": 8, "1": 7, "2": 4}, "b": {"0": 3}}) == {"a": 3}
    assert read_offsets("nonsense") == {}
    assert read_offsets(7) == {}
    assert read_offsets({"a": 3}) == {}


def test_numbers_for_people() -> None:
    assert [count_text(number) for number in (0, 0.5, 7, 12.4, 1234567)] == [
        "0",
        "0.5",
        "7",
        "12",
        "1,234,567",
    ]
    assert [seconds_text(number) for number in (0, 999, 1500)] == ["0 ms", "999 ms", "1.5 s"]
    assert [time_text(number) for number in (5, 65, 7300, 90_000)] == ["5s", "1m 5s", "2h 1m", "1d 1h"]


# -- Status ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def state(tmp_path: Path) -> RunState:
    (tmp_path / "p.yaml").write_text(
        "kafka: {bootstrap.servers: 'x:1'}\nsources: {a: {topics: a}}\nsinks: {out: {format: noop}}\ncheckpoint: state\n"
    )
    return RunState(read_pipeline(tmp_path / "p.yaml"))


def status(**changes: Any) -> dict[str, Any]:
    sink = SinkProgress("out")
    sink.add(report(0, 100), now=1.0)
    return {
        "pipeline": "p",
        "pid": os.getpid(),
        "trigger": "available-now",
        "master": "local[*]",
        "state": "running",
        "started_ms": 1000,
        "updated_ms": 3000,
        "ended_ms": None,
        "error": "",
        "sinks": {"out": sink.as_status()},
        **changes,
    }


def test_a_status_is_what_the_lock_says(state: RunState) -> None:
    assert state.read() is None
    with state.locked():
        state.write(status())
        assert state.is_running()
        assert (state.read() or {})["state"] == "running"
        with pytest.raises(PipelineError, match=rf"p runs already \(process {os.getpid()}\)"), state.locked():
            pass
    assert not state.is_running()
    assert (state.read() or {})["state"] == "died"
    state.write(status(state="finished", ended_ms=5000))
    assert (state.read() or {})["state"] == "finished"


def test_a_status_is_shown_to_those_who_do_not_have_the_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor need the file be right while somebody changes it: only where the status is must be known."""
    file = tmp_path / "p.yaml"
    text = "kafka: {bootstrap.servers: 'x:1', sasl.password: '${NOBODY_HAS_IT}'}\nsources: {a: {topics: a}}\n"
    file.write_text(text + "sinks: {out: {format: nop}}\n")
    assert main(["pipeline", "status", str(file)]) == 2
    assert "uses ${NOBODY_HAS_IT}" in capsys.readouterr().err
    state = RunState(read_declaration(file).pipeline)
    with state.locked():
        state.write({**status(), "version": 1})
        assert main(["pipeline", "status", str(file)]) == 0
    assert capsys.readouterr().out.startswith("p: running for")
    file.write_text("checkpoint: '${NOBODY_HAS_IT}'\n" + text)
    assert main(["pipeline", "status", str(file)]) == 2


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "it is damaged"),
        ('{"state": "runn', "it is damaged"),
        ("[]", "it is damaged"),
        ('{"version": 2, "state": "finished"}', "another version of Snakka wrote it"),
        (None, "Is a directory"),
    ],
)
def test_a_status_that_nobody_understands_is_not_taken_for_none(
    content: str | None, why: str, state: RunState, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = state.directory / "status.json"
    place.parent.mkdir(parents=True)
    if content is None:
        place.mkdir()
    else:
        place.write_text(content)
    for arguments in ([], ["-o", "json"]):
        assert main(["pipeline", "status", str(tmp_path / "p.yaml"), *arguments]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith(f"snakka: {place}")
        assert why in said.err
        assert said.err.count("\n") == 1


def test_who_looks_at_a_status_is_in_nobodys_way(state: RunState, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds the lock for a moment, which a run that starts in just this moment waits for."""
    monkeypatch.setattr("snakka.spark.pipelines.run_state._LOOK_SECONDS", 10.0)  # a busy machine's moment
    with state.locked():
        pass
    lock = state.directory / "run.lock"
    with lock.open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        threading.Timer(0.05, lambda: fcntl.flock(looking, fcntl.LOCK_UN)).start()
        with state.locked():
            assert state.is_running()


def test_a_place_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file is in the way")
    (tmp_path / "p.yaml").write_text(
        "kafka: {bootstrap.servers: 'x:1'}\nsources: {a: {topics: a}}\nsinks: {out: {format: noop}}\ncheckpoint: state\n"
    )
    wrong = RunState(read_pipeline(tmp_path / "p.yaml"))
    with (
        pytest.raises(PipelineError, match=r"state: File exists; the checkpoint must be writable"),
        wrong.locked(),
    ):
        pass
    assert wrong.read() is None


def test_a_killed_process_lets_go_of_the_lock(state: RunState, tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from snakka.spark.pipelines.run_state import RunState\n"
        "from snakka.spark.pipelines.declaration import read_pipeline\n"
        f"state = RunState(read_pipeline(Path({str(tmp_path / 'p.yaml')!r})))\n"
        "with state.locked(): state.write({'state': 'running'}); print('locked', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        assert state.is_running()
        holder.kill()
        holder.wait(10)
    assert (state.read() or {})["state"] == "died"


def test_what_a_status_says() -> None:
    assert (
        status_lines(status(), now_ms=64_000)[0]
        == f"p: running for 1m 3s (process {os.getpid()}, available-now, local[*])"
    )
    assert "died: it was killed" in status_lines(status(state="died"), now_ms=64_000)[0]
    failed = status_lines(status(state="failed", ended_ms=3000, error="no space"), now_ms=64_000)
    assert failed[0].startswith("p: failed after 2s")
    assert failed[-1] == "  error: no space"
    assert summary_lines(status(state="finished", ended_ms=3000)) == [
        "p finished after 2s",
        "  out  100 rows in, 100 rows out, 1 batch, slowest 500 ms, lag 2, 1 late row, 2 bad rows",
    ]
    single = {**status()["sinks"]["out"], "rows": 1, "rows_written": 1, "batches": 2, "bad_rows": 1}
    ended = status(state="finished", ended_ms=3000, sinks={"out": single})
    assert (
        summary_lines(ended)[1]
        == "  out  1 row in, 1 row out, 2 batches, slowest 500 ms, lag 2, 1 late row, 1 bad row"
    )


@pytest.mark.parametrize("kind", [LineDisplay, LiveDisplay])
def test_who_reads_what_a_run_shows_may_go(kind: type[LineDisplay | LiveDisplay]) -> None:
    reader, writer = os.pipe()
    out = os.fdopen(writer, "w")
    display = kind(out)
    with os.fdopen(reader) as read:
        display.say("it starts")
        assert read.readline() == "it starts\n"
    display.say("it runs")
    display.update(status(), 1.0, force=True)
    with pytest.raises(BrokenPipeError):  # which the command meets when all is done
        out.close()


def test_plain_lines_come_at_most_once_a_second() -> None:
    out = io.StringIO()
    display = LineDisplay(out)
    display.update(status(), 1.0)
    display.update(status(), 9.0)  # the same batch
    later = status()
    later["sinks"]["out"]["batch"] = 1
    display.update(later, 1.5)
    assert len(out.getvalue().splitlines()) == 1
    display.update(later, 2.5)
    assert [line.split(" | ")[0] for line in out.getvalue().splitlines()] == ["out: batch 0", "out: batch 1"]


def test_a_terminal_is_redrawn_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    out = io.StringIO()
    display = LiveDisplay(out)
    display.update(status(), 1.0)
    display.update(status(), 1.1)  # too soon to be seen
    display.update(status(), 2.0)
    display.say("done")
    assert out.getvalue().count("\x1b[2F\x1b[J") == 2
    assert out.getvalue().endswith("done\n")


def test_a_narrow_terminal_shows_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = status(error="the disk is full")
    failed["sinks"]["out"]["error"] = "the disk is full, and so is every other one that was tried"
    monkeypatch.setenv("COLUMNS", "40")
    out = io.StringIO()
    display = LiveDisplay(out)
    display.update(failed, 1.0)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) < 40
    for figure in ("batch 0", "200 rows/s", "batch time 500 ms", "lag t 2", "state 3 rows", "bad 2 rows"):
        assert any(figure in line for line in lines)
    assert " ".join("".join(lines).split()).count("every other one that was tried") == 1
    # It became narrower: the terminal has broken the lines once more, and all of them go.
    monkeypatch.setenv("COLUMNS", "30")
    display.update(failed, 2.0)
    rows = sum(-(-len(line) // 30) for line in lines)
    assert f"\x1b[{rows}F\x1b[J" in out.getvalue()
    # It became lower: what does not fit is left out.
    monkeypatch.setenv("LINES", "4")
    display.update(failed, 3.0)
    assert len(out.getvalue().rsplit("\x1b[J", 1)[1].splitlines()) == 3


def test_a_terminal_is_told_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    main_end, terminal_end = os.openpty()
    with os.fdopen(main_end), os.fdopen(terminal_end, "w") as terminal, (tmp_path / "log").open("w") as file:
        assert isinstance(open_display(terminal), LiveDisplay)
        assert isinstance(open_display(file), LineDisplay)
        assert isinstance(open_display(terminal, is_shared=True), LineDisplay)
        monkeypatch.setenv("TERM", "dumb")
        assert isinstance(open_display(terminal), LineDisplay)


# -- Resets ------------------------------------------------------------------------------------------------------------


def checkpoint(directory: Path, *, planned: int = 3, done: int = 3, state: bool = False) -> QueryCheckpoint:
    for kind, last in (("offsets", planned), ("commits", done)):
        (directory / kind).mkdir(parents=True, exist_ok=True)
        for batch in range(last + 1):
            lines = ["v1", '{"batchWatermarkMs":0}']
            lines += (
                [offsets_json({"a": {"0": batch * 10, "1": batch}}), "-", '{"b":{"0":7}}']
                if kind == "offsets"
                else []
            )
            (directory / kind / str(batch)).write_text("\n".join(lines))
    if state:
        (directory / "state").mkdir()
    found = read_checkpoint(directory)
    assert found is not None
    return found


FOUND = {("a", 0): 0, ("a", 1): 0, ("a", 2): 0, ("b", 0): 2}


def test_a_query_without_state_goes_on_elsewhere(tmp_path: Path) -> None:
    sinks = {"out": checkpoint(tmp_path / "out")}
    (reset,) = plan_reset(sinks, {}, parse_target("earliest"), FOUND, output_formats={}, abandon=False)
    assert (reset.how, [(move.topic, move.partition, move.again) for move in reset.moves]) == (
        "move",
        [("a", 0, 30), ("a", 1, 3), ("b", 0, 5)],  # a-2 was not met yet: it begins at its earliest anyway
    )
    assert reset_lines([reset]) == [
        "sink out goes on there",
        "  a 0: 30 -> 0, 30 records are read again",
        "  a 1: 3 -> 0, 3 records are read again",
        "  b 0: 7 -> 2, 5 records are read again",
    ]
    assert noted_starts([reset], {}) == {}
    before = [(file.name, file.read_text()) for file in sorted((tmp_path / "out/commits").iterdir())]
    carry_out([reset], 0)
    moved = read_checkpoint(tmp_path / "out")
    assert moved is not None
    assert (moved.planned, moved.done, moved.offsets) == (3, 3, {"a": {"0": 0, "1": 0}, "b": {"0": 2}})
    assert moved.lines[2:] == ('{"a":{"0":0,"1":0}}', "-", '{"b":{"0":2}}')
    assert before == [(file.name, file.read_text()) for file in sorted((tmp_path / "out/commits").iterdir())]


def test_offsets_that_are_not_named_stay(tmp_path: Path) -> None:
    sinks = {"out": checkpoint(tmp_path / "out")}
    target = parse_target('{"a":{"1":9}}')
    (reset,) = plan_reset(sinks, {}, target, FOUND, output_formats={}, abandon=False)
    assert reset.target == {"a": {"0": 30, "1": 9}, "b": {"0": 7}}
    assert "  a 1: 3 -> 9, 6 records are not read" in reset_lines([reset])
    (reset,) = plan_reset(sinks, {}, parse_target('{"a":{"1":2}}'), FOUND, output_formats={}, abandon=False)
    assert "  a 1: 3 -> 2, 1 record is read again" in reset_lines([reset])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"c":{"0":1}}', "the pipeline does not read c 0"),
        ('{"a":{"3":1}}', "the pipeline does not read a 3"),
        ('{"b":{"0":1}}', "b 0 has offsets from 2 to 9, not 1"),
        ('{"b":{"0":10}}', "b 0 has offsets from 2 to 9, not 10"),
    ],
)
def test_offsets_that_are_not_there_are_refused(text: str, said: str) -> None:
    latest = dict.fromkeys(FOUND, 9)
    check_offsets(parse_target('{"a":{"2":0},"b":{"0":9}}'), FOUND, latest)
    with pytest.raises(PipelineError, match=said):
        check_offsets(parse_target(text), FOUND, latest)


def test_a_query_with_state_begins_anew(tmp_path: Path) -> None:
    sinks = {"out": checkpoint(tmp_path / "out", state=True)}
    (reset,) = plan_reset(sinks, {}, parse_target("earliest"), FOUND, output_formats={}, abandon=False)
    assert reset.how == "anew"
    starts = noted_starts([reset], {"other": "{}"})
    assert starts == {"other": "{}", "out": '{"a":{"0":0,"1":0,"2":0},"b":{"0":2}}'}
    carry_out([reset], 42)
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "out.before-42/offsets/3").exists()
    with pytest.raises(PipelineError, match="takes no batch number twice"):
        plan_reset(
            sinks, {}, parse_target("earliest"), FOUND, output_formats={"out": "parquet"}, abandon=False
        )


def test_a_query_that_has_not_begun_begins_there() -> None:
    (reset,) = plan_reset(
        {"out": None}, {}, parse_target("1970-01-01T00:00:07Z"), FOUND, output_formats={}, abandon=False
    )
    assert reset.how == "begin"
    assert json.loads(noted_starts([reset], {})["out"]) == {"a": {"0": 0, "1": 0, "2": 0}, "b": {"0": 2}}


def test_partitions_that_came_after_a_reset_begin_at_their_earliest() -> None:
    noted = {"a": {"0": 5, "1": 7}, "gone": {"0": 3}}
    now = [("a", 0), ("a", 2), ("b", 0)]
    assert completed_starts(noted, now) == {"a": {"0": 5, "2": -2}, "b": {"0": -2}}
    # Of a source that is new nothing was noted: it begins where the file says.
    assert completed_starts(noted, [("b", 0)]) == completed_starts(noted, []) == {}


def test_a_batch_that_is_not_done_is_not_left_silently(tmp_path: Path) -> None:
    sinks = {"out": checkpoint(tmp_path / "out", planned=4, done=3)}
    with pytest.raises(PipelineError, match="stopped inside batch 4"):
        plan_reset(sinks, {}, parse_target("latest"), FOUND, output_formats={}, abandon=False)
    (reset,) = plan_reset(sinks, {}, parse_target("latest"), FOUND, output_formats={}, abandon=True)
    carry_out([reset], 0)
    moved = read_checkpoint(tmp_path / "out")
    assert moved is not None
    assert (moved.planned, moved.done) == (4, 4)
    with pytest.raises(PipelineError, match="log of Parquet files"):
        plan_reset(
            {"out": checkpoint(tmp_path / "files", planned=4)},
            {},
            parse_target("latest"),
            FOUND,
            output_formats={"out": "parquet"},
            abandon=True,
        )


@pytest.mark.parametrize(
    ("text", "timestamp"),
    [
        ("earliest", -2),
        ("latest", -1),
        ("1500", 1500),
        ("1970-01-01T00:00:02", 2000),
        ("1970-01-01T01:00:02+01:00", 2000),
    ],
)
def test_places_to_go_to(text: str, timestamp: int) -> None:
    assert parse_target(text).timestamp == timestamp


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "{",
        '{"a":{"0":-1}}',
        '{"a":{"0":1.7}}',
        '{"a":{"0":true}}',
        '{"a":{"0":"7"}}',
        '{"a":{"0":null}}',
        '{"a":{"x":1}}',
        '{"a":{"\u0662":1}}',
        '{"a":{}}',
        '{"a":3}',
        "{}",
    ],
)
def test_places_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"offsets|no place"):
        parse_target(text)


def test_offsets_are_written_as_spark_does() -> None:
    assert offsets_json({"b": {"10": 1, "9": 2}, "a": {"0": 0}}) == '{"a":{"0":0},"b":{"9":2,"10":1}}'


# -- What Spark says ---------------------------------------------------------------------------------------------------

STEP_TRACE = """[X] Task 0 failed: An exception was thrown from the Python worker: Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/pyspark/worker.py", line 1, in main
    process()
  File "/home/me/pyspark-jobs/money.py", line 9, in careful
    return helper(total)
  File "/home/me/pyspark-jobs/money.py", line 6, in helper
    return parse(total)
  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode
    raise
{}
 SQLSTATE: 38000
	at org.apache.spark.api.python.BasePythonRunner(PythonRunner.scala:1097)
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[A_B.C] It is wrong. SQLSTATE: 42703; line 2 pos 2;\n'Project [x]", "It is wrong."),
        (
            "\n[X] Syntax error at or near 'DROP'. SQLSTATE: 42601 (line 1, pos 0)\n\n== SQL ==\nDROP",
            "Syntax error at or near 'DROP'.",
        ),
        (
            "[S] Query [id = 1] terminated with exception: [U] no luck SQLSTATE: P0001 SQLSTATE: XXKST",
            "no luck",
        ),
        (
            "[P] Traceback (most recent call last):\n  File x, line 1\n    raise E\nValueError: the reason\n SQLSTATE: 38",
            "the reason",
        ),
        (
            "worker:\n  Traceback (most recent call last):\n    File x, line 1\n  OSError: too long\nPYTHONPATH was:\n  /x",
            "too long",
        ),
        (STEP_TRACE.format("ValueError: the total is cursed"), "the total is cursed (money.py:6)"),
        (STEP_TRACE.format("ValueError: It is cursed."), "It is cursed (money.py:6)"),
        (STEP_TRACE.format("KeyError: 'total'"), "KeyError: 'total' (money.py:6)"),
        (STEP_TRACE.replace("/home/me/pyspark-jobs", "/opt/pyspark").format("OSError: no room"), "no room"),
        (
            "Job aborted due to stage failure: Task 0 failed (TID 3) (host driver): java.io.IOException: full",
            "full",
        ),
        ("There are [1] sources, and now [2].", "There are [1] sources, and now [2]."),
        ("", ""),
    ],
)
def test_what_spark_says_becomes_a_line(text: str, line: str) -> None:
    assert plain(text) == line


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (
            "There are [1] sources in the checkpoint offsets and now there are [2]",
            "call the sink something else",
        ),
        (
            "[X] Provided key schema does not match existing state key schema.",
            "key schema; the file is not the one that the checkpoint is of: change its steps back",
        ),
        (
            "Streaming stateful operator name does not match with the operator in state metadata.",
            "begin anew",
        ),
        ("No module named 'pyarrow'", "spark.pyspark.python"),
        ("[X] Java gateway process exited before sending its port number.", "It needs Java 17"),
        ("SparkContext or SparkSession should be created first.", "@udf(DoubleType())"),
        ("Division by zero.", "Division by zero."),
    ],
)
def test_what_to_do_about_it(text: str, remedy: str) -> None:
    assert remedy in reason(RuntimeError(text))


def test_a_checkpoint_is_one_file_s(tmp_path: Path) -> None:
    text = "kafka: {bootstrap.servers: 'x:1'}\nsources: {s: {topics: a}}\ncheckpoint: shared\nsinks: {%s: {format: noop}}\n"
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text(text % "one")
    second.write_text(text % "two")

    def problems(file: Path) -> list[tuple[int, str]]:
        """What `check` says."""
        try:
            check_file(file, asks_cluster=False, asks_spark=False)
        except PipelineFileError as error:
            return [(problem.line, problem.message) for problem in error.problems]
        return []

    assert problems(first) == problems(second) == []
    state = RunState(read_pipeline(first))
    with state.locked():
        state.write({"state": "finished", "file": str(first)})
    assert problems(first) == []
    shared = tmp_path / "shared"
    assert problems(second) == [
        (3, f"checkpoint {shared} is that of {first}: give this pipeline another one, or remove that file")
    ]
    settings = RunSettings("local[1]", Trigger("available-now"), {}, grace_seconds=1.0)
    with pytest.raises(PipelineFileError, match="is that of"):
        Run(read_pipeline(second), settings, LineDisplay(io.StringIO())).go()
    with pytest.raises(PipelineFileError, match="is that of"):
        reset_pipeline(read_pipeline(second), parse_target("earliest"), (), is_dry=False, abandon=False)
    assert state.read() == {"state": "finished", "file": str(first)}
    # The file was renamed, says no such thing any more, or is none.
    first.rename(tmp_path / "kept.yaml")
    assert problems(second) == []
    first.write_text(text.replace("shared", "elsewhere") % "one")
    assert problems(second) == []
    first.write_text("sources: [")
    assert problems(second) == []


def test_a_checkpoint_s_file_is_known_from_every_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "kafka: {bootstrap.servers: '127.0.0.1:1'}\nsources: {s: {topics: a, options: {minPartitions: x}}}\n"
    )
    text += "checkpoint: shared\nsinks: {out: {format: noop}, other: {format: noop}}\n"
    for name in ("first.yaml", "second.yaml"):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    settings = RunSettings("local[1]", Trigger("available-now"), {}, grace_seconds=1.0)
    with pytest.raises(PipelineFileError, match="minPartitions"):
        Run(read_pipeline(Path("first.yaml")), settings, LineDisplay(io.StringIO())).go()
    monkeypatch.chdir("/")
    pipeline = read_pipeline(tmp_path / "second.yaml")
    (problem,) = owner_problems(pipeline)
    assert f"is that of {tmp_path / 'first.yaml'}:" in problem.message
    # And none of its sinks is starting any more.
    ended = RunState(pipeline).read() or {}
    assert status_lines(ended, now_ms=0)[1:3] == ["  out    not started", "  other  not started"]
    assert summary_lines(ended)[1:] == ["  out    not started", "  other  not started"]


def test_a_checkpoint_of_other_topics_is_a_problem_of_the_file(tmp_path: Path) -> None:
    def problems(source: str) -> list[tuple[int, str]]:
        text = f"kafka: {{bootstrap.servers: 'x:1'}}\nsources: {{s: {source}}}\nsinks:\n  out: {{format: noop}}\n"
        (tmp_path / "p.yaml").write_text(text)
        pipeline = read_pipeline(tmp_path / "p.yaml")
        return [(problem.line, problem.message) for problem in checkpoint_problems(pipeline)]

    assert problems("{topics: c}") == []
    checkpoint(tmp_path / "checkpoints/p/sinks/out")  # it has read a and b
    ((line, message),) = problems("{topics: [a, c]}")
    assert (line, message.split(",")[0]) == (4, "sink out has read b until now")
    assert problems("{pattern: '[ab]'}") == []
    assert problems("{topics: c, options: {failOnDataLoss: false}}") == []
