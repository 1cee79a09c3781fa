"""How a run shows itself: a block of lines that is redrawn on a terminal, plain lines anywhere else.

Rule: both show the same words (`progress.sink_line`). Nothing is drawn more often than eyes can follow. A run does not end
because nobody looks any more: who reads its output may go. What others have written to the terminal is left alone: nothing
is drawn from the background, nor over what a shell has said while the run was stopped.
"""

import os
import shutil
import textwrap
from collections.abc import Mapping
from typing import Any, Protocol, TextIO

from snakka.spark.pipelines.progress import (
    BETWEEN,
    NOT_STARTED,
    count_text,
    counted,
    lag_text,
    seconds_text,
    sink_line,
    time_text,
)

_REDRAW_SECONDS = 0.25
_LINE_SECONDS = 1.0
_INDENT = "      "


class Display(Protocol):
    """What the runner tells of a run."""

    def say(self, line: str) -> None:
        """Something that happened once."""

    def update(self, status: Mapping[str, Any], now: float, *, force: bool = False) -> None:
        """How it stands; drawn now or with a later one."""

    def resumed(self) -> None:
        """The process was stopped, and goes on: others may have written meanwhile."""


def open_display(out: TextIO, *, is_shared: bool = False) -> Display:
    """`is_shared`: others write to the terminal too, whose lines a redrawn block would take for its own."""
    can_redraw = out.isatty() and os.environ.get("TERM") != "dumb" and not is_shared
    return LiveDisplay(out) if can_redraw else LineDisplay(out)


class _Output:
    """Written to at once, until it can't be."""

    def __init__(self, out: TextIO) -> None:
        self._out: TextIO | None = out

    def is_in_front(self) -> bool:
        """Whether the terminal is ours now, and not its shell's; where nobody can tell it is."""
        try:
            return self._out is None or os.tcgetpgrp(self._out.fileno()) == os.getpgrp()
        except (OSError, ValueError):
            return True

    def write(self, text: str) -> None:
        if self._out is None:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):  # a pipe whose reader has gone, a terminal that was closed
            self._out = None


class LiveDisplay:
    """For a terminal: as wide as it is now, and never higher, since lines that have left it can't be redrawn."""

    def __init__(self, out: TextIO) -> None:
        self._out = _Output(out)
        self._drawn: list[str] = []
        self._drawn_at = float("-inf")

    def say(self, line: str) -> None:
        self._erase(shutil.get_terminal_size().columns)
        self._out.write(line + "\n")

    def update(self, status: Mapping[str, Any], now: float, *, force: bool = False) -> None:
        if not force and now - self._drawn_at < _REDRAW_SECONDS:
            return
        self._drawn_at = now
        if not self._out.is_in_front():
            self.resumed()
            return
        size = shutil.get_terminal_size()
        lines = [
            part
            for line in status_lines(status, now_ms=status["updated_ms"])
            for part in folded(line, size.columns - 1)
        ]
        self._erase(size.columns)
        self._drawn = lines[: max(1, size.lines - 1)]
        self._out.write("".join(line + "\n" for line in self._drawn))

    def resumed(self) -> None:
        self._drawn = []

    def _erase(self, columns: int) -> None:
        """A terminal that became narrower has made several lines of one."""
        if not self._out.is_in_front():
            self.resumed()
        rows = sum(max(1, -(-len(line) // columns)) for line in self._drawn)
        if rows:
            self._out.write(f"\x1b[{rows}F\x1b[J")
            self._drawn = []


def folded(line: str, width: int) -> list[str]:
    """A line as several that are as wide as that; between figures, if it may be."""
    lines = [""]
    for part in line.split(BETWEEN):
        longer = f"{lines[-1]}{BETWEEN}{part}" if lines[-1] else part
        if len(longer) > width and lines[-1]:
            lines.append(_INDENT + part)
        else:
            lines[-1] = longer
    return [
        part
        for each in lines
        for part in textwrap.wrap(each, max(width, 2 * len(_INDENT)), subsequent_indent=_INDENT)
    ]


class LineDisplay:
    """For a log: a line for a batch, at most one a second for each sink; and one when a sink falls silent."""

    def __init__(self, out: TextIO) -> None:
        self._out = _Output(out)
        self._shown: dict[str, tuple[int, float]] = {}  # sink: batch, when
        self._note = ""
        self._silent: set[str] = set()

    def say(self, line: str) -> None:
        self._out.write(line + "\n")

    def update(self, status: Mapping[str, Any], now: float, *, force: bool = False) -> None:
        if status.get("note") and status["note"] != self._note:
            self.say(status["note"])
        self._note = status.get("note", "")
        for name, sink in status["sinks"].items():
            is_silent = sink["state"] == "running" and bool(sink.get("silent_seconds"))
            if is_silent and name not in self._silent:
                self.say(f"{name}: {sink_line(sink)}")
            (self._silent.add if is_silent else self._silent.discard)(name)
            batch, shown_at = self._shown.get(name, (-1, float("-inf")))
            if sink["batch"] > batch and (force or now - shown_at >= _LINE_SECONDS):
                self._shown[name] = (sink["batch"], now)
                self.say(f"{name}: {sink_line(sink)}")

    def resumed(self) -> None:
        pass


def status_lines(status: Mapping[str, Any], now_ms: int) -> list[str]:
    """A run as `status` shows it."""
    state = status["state"]
    ended_ms = status.get("ended_ms") or now_ms
    took = time_text((ended_ms - status["started_ms"]) / 1000)
    silent = time_text((now_ms - status["updated_ms"]) / 1000)
    words = {
        "running": f"running for {took}",
        "stopping": f"stopping after {took}: batches under way are finished first; Ctrl-C again stops at once",
        "finished": f"finished after {took}",
        "interrupted": f"interrupted after {took}",
        "failed": f"failed after {took}",
        "died": f"died: it was killed, or the machine went down; last heard of {silent} ago",
    }
    how = f"process {status['pid']}, {status['trigger']}, {status['master']}"
    width = max((len(name) for name in status["sinks"]), default=0)
    lines = [f"{status['pipeline']}: {words.get(state, state)} ({how})"]
    lines += [f"  {name:<{width}}  {sink_line(sink)}" for name, sink in status["sinks"].items()]
    if status.get("note"):
        lines.append(f"  {status['note']}")
    if status.get("error"):
        lines.append(f"  error: {status['error']}")
    return lines


def summary_lines(status: Mapping[str, Any]) -> list[str]:
    """What a run came to."""
    seconds = (status["ended_ms"] - status["started_ms"]) / 1000
    lines = [f"{status['pipeline']} {status['state']} after {time_text(seconds)}"]
    width = max((len(name) for name in status["sinks"]), default=0)
    for name, sink in status["sinks"].items():
        if sink["state"] == NOT_STARTED:
            lines.append(f"  {name:<{width}}  {NOT_STARTED}")
            continue
        written = sink["rows_written"]
        parts = [
            f"{counted(sink['rows'], 'row')} in",
            *([] if written is None else [f"{counted(written, 'row')} out"]),
            counted(sink["batches"], "batch", "es"),
            f"slowest {seconds_text(sink['slowest_batch_ms'])}",
            f"lag {lag_text(sink, lambda lag: count_text(sum(lag.values())))}",
        ]
        parts += [
            counted(sink[f"{kind}_rows"], f"{kind} row") for kind in ("late", "bad") if sink[f"{kind}_rows"]
        ]
        lines.append(f"  {name:<{width}}  {', '.join(parts)}")
    return lines
