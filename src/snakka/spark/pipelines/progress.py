"""How far the queries of a pipeline are: arithmetic on what Spark reports after each batch.

Rule: pure; times are arguments. Spark's reports come in as they are (the JSON of StreamingQueryProgress), and nothing
in them is taken for granted: what is missing counts as unknown, not as zero.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Offsets = dict[str, dict[str, int]]

# In a report of ours, and in a status: it found nothing to read, or too little for a batch.
IDLE = "idle"
NOT_STARTED = "not started"
BAD_ROWS = "bad_rows_of_"  # what Spark counts for us while rows go by, for each source

# The rate is that of the last seconds, so that one slow batch does not show for ever.
RATE_SECONDS = 10.0

# Spark reports a query without work every ten seconds, and others after each batch: longer than this, beside the trigger's
# interval and the time of a batch, says that something holds it up.
QUIET_SECONDS = 30.0

BETWEEN = " | "  # two figures of a line


@dataclass(slots=True)
class SinkProgress:
    """The query of one sink."""

    name: str
    state: str = "starting"  # starting, running, finished, stopped, failed, not started
    query_id: str = ""
    batch_id: int = -1
    batches: int = 0
    rows: int = 0
    rows_written: int | None = None
    rows_per_second: float = 0.0
    batch_ms: int = 0
    slowest_batch_ms: int = 0
    lag: dict[str, int] = field(default_factory=dict)
    is_idle: bool = False
    end_offsets: Offsets = field(default_factory=dict)
    state_rows: int = 0
    late_rows: int = 0
    bad_rows: int = 0
    watermark: str = ""
    error: str = ""
    heard_at: float | None = None  # when it last said anything
    silent_seconds: float = 0.0  # for how long it has not, if that is too long: the lag is not known then
    _recent: list[tuple[float, float, int]] = field(default_factory=list)  # (when, seconds of work, rows)

    def add(self, report: Mapping[str, Any], now: float) -> bool:
        """Take a report of a batch; False if it was known already (Spark repeats itself, and reports idle triggers)."""
        if report.get(IDLE):
            self.is_idle = True
            self._trim(now)
            return False
        batch_id = int(report.get("batchId", -1))
        self.query_id = str(report.get("id", self.query_id))
        self._take_positions(report)
        rows = int(report.get("numInputRows") or 0)
        durations = report.get("durationMs") or {}
        if batch_id <= self.batch_id or "addBatch" not in durations:
            self._trim(now)
            return False
        self.state = "running"
        self.is_idle = False
        self.batch_id = batch_id
        self.batches += 1
        self.rows += rows
        self.batch_ms = int(durations.get("triggerExecution") or report.get("batchDuration") or 0)
        self.slowest_batch_ms = max(self.slowest_batch_ms, self.batch_ms)
        written = (report.get("sink") or {}).get("numOutputRows", -1)
        if written is not None and written >= 0:
            self.rows_written = (self.rows_written or 0) + int(written)
        operators = report.get("stateOperators") or []
        self.state_rows = sum(int(each.get("numRowsTotal") or 0) for each in operators)
        self.late_rows += sum(int(each.get("numRowsDroppedByWatermark") or 0) for each in operators)
        self.bad_rows += sum(
            int(counts.get("rows") or 0)
            for name, counts in (report.get("observedMetrics") or {}).items()
            if name.startswith(BAD_ROWS)
        )
        self.watermark = str((report.get("eventTime") or {}).get("watermark", self.watermark))
        self._recent.append((now, self.batch_ms / 1000, rows))
        self._trim(now)
        return True

    def run_ended(self) -> None:
        """Whatever it was at, it is not any more."""
        self.state = {"starting": NOT_STARTED, "running": "stopped"}.get(self.state, self.state)

    def heard(self, now: float) -> None:
        self.heard_at = now
        self.silent_seconds = 0.0

    def is_overdue(self, now: float, interval_seconds: float) -> bool:
        """Whether a query that is asked for a batch in this interval should have said something by now."""
        quiet = QUIET_SECONDS + interval_seconds + self.batch_ms / 1000
        return self.heard_at is not None and now - self.heard_at > quiet

    def lost(self, now: float) -> None:
        """It does not report any more, so what it said last need not be true."""
        self.silent_seconds = max(now - self.heard_at, 0.1) if self.heard_at is not None else 0.1

    def _take_positions(self, report: Mapping[str, Any]) -> None:
        lag: dict[str, int] = {}
        for source in report.get("sources") or []:
            end, latest = read_offsets(source.get("endOffset")), read_offsets(source.get("latestOffset"))
            self.end_offsets.update(end)
            for topic, behind in lag_by_topic(end, latest).items():
                lag[topic] = max(behind, lag.get(topic, 0))  # several sources may read it
        self.lag.update(lag)

    def _trim(self, now: float) -> None:
        """Rows a second of the time in which there was work: an idle query is not a slow one."""
        self._recent = [each for each in self._recent if each[0] > now - RATE_SECONDS]
        work = sum(seconds for _, seconds, _ in self._recent)
        self.rows_per_second = sum(rows for _, _, rows in self._recent) / work if work else 0.0

    def as_status(self) -> dict[str, object]:
        return {
            "state": self.state,
            "query_id": self.query_id,
            "batch": self.batch_id,
            "batches": self.batches,
            "rows": self.rows,
            "rows_written": self.rows_written,
            "rows_per_second": round(self.rows_per_second, 1),
            "batch_ms": self.batch_ms,
            "slowest_batch_ms": self.slowest_batch_ms,
            "lag": {} if self.silent_seconds else dict(self.lag),
            "last_lag": dict(self.lag),
            "silent_seconds": round(self.silent_seconds, 1),
            "idle": self.is_idle,
            "offsets": self.end_offsets,
            "state_rows": self.state_rows,
            "late_rows": self.late_rows,
            "bad_rows": self.bad_rows,
            "watermark": self.watermark,
            "error": self.error,
        }


def read_offsets(text: object) -> Offsets:
    """Offsets by topic and partition, of Spark's JSON; empty if it is something else."""
    try:
        content = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return {}
    if not isinstance(content, dict) or not all(isinstance(each, dict) for each in content.values()):
        return {}
    return {
        topic: {str(partition): int(offset) for partition, offset in partitions.items()}
        for topic, partitions in content.items()
    }


def by_topic(offsets: Mapping[tuple[str, int], int]) -> Offsets:
    """The same as Spark's JSON has it."""
    found: Offsets = {}
    for (topic, partition), offset in offsets.items():
        found.setdefault(topic, {})[str(partition)] = offset
    return found


def lag_by_topic(end: Offsets, latest: Offsets) -> dict[str, int]:
    """How many records are behind the end of what was read; a partition that is known on one side only does not count."""
    return {
        topic: sum(
            max(0, offset - end[topic][partition])
            for partition, offset in partitions.items()
            if partition in end[topic]
        )
        for topic, partitions in latest.items()
        if topic in end
    }


def count_text(number: float) -> str:
    """1234567 as 1,234,567; small rates with a decimal."""
    return f"{number:,.1f}" if 0 < number < 10 and number != int(number) else f"{number:,.0f}"


def counted(number: int, what: str, ending: str = "s") -> str:
    """2 rows, 1 row."""
    return f"{count_text(number)} {what}{'' if number == 1 else ending}"


def seconds_text(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def time_text(seconds: float) -> str:
    """A span for people: 42s, 3m 5s, 2h 10m, 3d 4h."""
    whole = int(seconds)
    for size, unit, smaller_size, smaller in (
        (86_400, "d", 3600, "h"),
        (3600, "h", 60, "m"),
        (60, "m", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // smaller_size
            return f"{whole // size}{unit} {rest}{smaller}"
    return f"{max(whole, 0)}s"


def lag_text(progress: Mapping[str, Any], shown: Callable[[Mapping[str, int]], str]) -> str:
    """What is known of the lag; of a query that has fallen silent, what was known, and how long ago."""
    if progress["lag"]:
        return shown(progress["lag"])
    last = progress.get("last_lag")
    return f"unknown ({shown(last)}, {time_text(progress['silent_seconds'])} ago)" if last else "unknown"


def _topic_lags(lag: Mapping[str, int]) -> str:
    return ", ".join(f"{topic} {count_text(number)}" for topic, number in sorted(lag.items()))


def sink_line(progress: Mapping[str, Any]) -> str:
    """One sink's status as a line; the same on the terminal, in plain lines and in `status`."""
    silent = progress.get("silent_seconds") if progress["state"] == "running" else 0
    waits = progress["state"] == "running" and progress.get(IDLE)  # which earlier versions did not write
    state = "waits for records" if waits else progress["state"]
    if state in ("starting", NOT_STARTED):
        return BETWEEN.join([state, *([f"error: {progress['error']}"] if progress["error"] else [])])
    parts = [
        f"batch {progress['batch']}" if progress["batch"] >= 0 else state,
        counted(progress["rows"], "row"),
        f"{count_text(progress['rows_per_second'])} rows/s",
        f"batch time {seconds_text(progress['batch_ms'])}",
        *([f"no report for {time_text(silent)}"] if silent else []),
        f"lag {lag_text(progress, _topic_lags)}",
    ]
    if progress["state_rows"]:
        parts.append(f"state {counted(progress['state_rows'], 'row')}")
    if progress["late_rows"]:
        parts.append(f"late {counted(progress['late_rows'], 'row')}")
    if progress["bad_rows"]:
        parts.append(f"bad {counted(progress['bad_rows'], 'row')}")
    if progress["error"]:
        parts.append(f"error: {progress['error']}")
    return BETWEEN.join(parts)
