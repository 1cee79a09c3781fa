"""Rows with their targets, and the page that they become."""

import os
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bench.shortfalls import reason_for

FLOOR = "floor"
KAFKA = "Apache Kafka"
SPARK_CONNECTOR = "Spark's connector"
PARQUET_FILES = "Parquet files"
LOG_FILES = "our connector"
HEADINGS = {
    FLOOR: "Of the floor: a bare uvloop server that writes the same bytes to a file and answers fixed bytes",
    KAFKA: "Against Apache Kafka 4.3",
    SPARK_CONNECTOR: "In Spark: our connector beside Spark's own, on the same topics",
    PARQUET_FILES: "In Spark: our connector beside Spark reading the same rows from Parquet files",
    LOG_FILES: "In Spark: log files read directly, beside our connector and a broker",
    "": "By itself",
}
# What the figures beside a ratio are, and those in brackets.
_EXPLAINED = {
    PARQUET_FILES: """Our connector as `pyspark_snakka.enable_fast_reads()` has it: what `spark.read` loads is mapped over
ranges of offsets. "Scanned" is the same ratio without it, where Spark scans a source in Python.
In brackets: processor seconds of a million rows.""",
    LOG_FILES: """Both as `pyspark_snakka.enable_fast_reads()` has them: they end in the same work of the JVM.
Beside it the same ratio without that line, where Spark scans both; that of the log reader with it to our connector without
it; and, as "nothing read", that of columns which are there already, and of which every reader in Python falls short.
In brackets: processor seconds of a million rows. Beside Spark's own connector: see above.""",
}


@dataclass(frozen=True)
class Row:
    """One figure and what it should be. Beside a reference the figure is the ratio, Snakka's value to the other's."""

    what: str
    figure: float
    bound: float
    at_least: bool
    snakka: str = ""
    other: str = ""
    against: str = ""
    unit: str = ""
    # The same ratio by other ways, by their names, if they were measured: no targets.
    beside: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_met(self) -> bool:
        return self.figure >= self.bound if self.at_least else self.figure <= self.bound

    @property
    def target(self) -> str:
        sign = "at least" if self.at_least else "at most"
        return f"{sign} {self.bound:g}{self.unit}"


def median_ratio_row(
    what: str,
    pairs: Sequence[tuple[float, float]],
    *,
    against: str,
    bound: float,
    at_least: bool,
    unit: str,
    scale: float = 1.0,
) -> Row:
    """Of pairs (Snakka's value, the other's) from alternating rounds: medians, and the median of the rounds' ratios."""
    return Row(
        what,
        _median([mine / other for mine, other in pairs]),
        bound,
        at_least,
        f"{_rounded(_median([mine for mine, _ in pairs]) * scale)} {unit}",
        f"{_rounded(_median([other for _, other in pairs]) * scale)} {unit}",
        against,
    )


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def page(rows: Sequence[Row], notes: Sequence[str], seconds: float, quick: bool) -> str:
    """The whole of RESULTS.md."""
    missed = [row for row in rows if not row.is_met]
    lines = [
        "# What Snakka costs, measured",
        "",
        "Written by `make bench`: do not edit. Ratios are medians over alternating rounds of one run; an absolute figure",
        "says as much about the machine and its other guests as about the server.",
        "",
        f"- {len(rows) - len(missed)} of {len(rows)} targets met",
        *(f"- {fact}" for fact in machine()),
        f"- commit {commit()}",
        f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {seconds:.0f} s{', quick: few rounds' if quick else ''}",
        *(f"- {note}" for note in notes),
    ]
    # Clients that Snakka's own client is measured beside have a table each.
    others = {row.against: f"Snakka's client beside {row.against}" for row in rows}
    for against, heading in (others | HEADINGS).items():
        group = [row for row in rows if row.against == against]
        if group:
            explained = [*_EXPLAINED[against].split("\n"), ""] if against in _EXPLAINED else []
            lines += ["", f"## {heading}", "", *explained, *_table(group, against)]
    if missed:
        lines += ["", "## Missed, and why", *_shortfalls(missed)]
    return "\n".join(lines) + "\n"


def _shortfalls(missed: Sequence[Row]) -> Iterator[str]:
    """Each reason once, after all that it is the reason of."""
    by_reason: dict[str, list[Row]] = {}
    for row in missed:
        by_reason.setdefault(reason_for(row.what), []).append(row)
    for reason, rows in by_reason.items():
        yield ""
        yield from (f"- **{row.what}** ({shown_figure(row)}, target {row.target})" for row in rows)
        yield from ("", reason)


def _table(rows: Sequence[Row], against: str) -> list[str]:
    if not against:
        head = ["| what | measured | target | met |", "|---|---:|---:|---|"]
        return head + [
            f"| {row.what} | {shown_figure(row)} | {row.target} | {_verdict(row)} |" for row in rows
        ]
    head = [f"| what | Snakka | {against} | ratio | target | met |", "|---|---:|---:|---:|---:|---|"]
    return head + [
        f"| {row.what} | {row.snakka} | {row.other} | {shown_figure(row)} | {row.target} | {_verdict(row)} |"
        for row in rows
    ]


def shown_figure(row: Row) -> str:
    """The figure, and beside it what the same ratio is by other ways."""
    figure = f"{row.figure:.2f}{row.unit}" if row.figure < 10 else f"{row.figure:.0f}{row.unit}"
    return ", ".join([figure, *(f"{name} {other:.2f}" for name, other in row.beside.items())])


def _verdict(row: Row) -> str:
    return "yes" if row.is_met else "**no**"


def machine() -> list[str]:
    from confluent_kafka import libversion

    model = platform.processor() or platform.machine()
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        names = [
            line.split(":", 1)[1].strip()
            for line in cpu_info.read_text().splitlines()
            if "model name" in line
        ]
        model = names[0] if names else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return [
        f"{os.cpu_count()} cores of {model}, {memory:.0f} GiB, {platform.system()} {platform.release()}",
        f"load average {os.getloadavg()[0]:.1f} at the end; clients share the cores with the servers",
        f"Python {platform.python_version()}, librdkafka {libversion()[0]}",
    ]


def commit() -> str:
    root = Path(__file__).parent
    shown = []
    for arguments in (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain", "--", "../src")):
        try:
            answer = subprocess.run(
                ("git", *arguments), cwd=root, capture_output=True, text=True, timeout=10, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return "unknown"
        shown.append(answer.stdout.strip())
    return f"{shown[0]} with changes" if shown[1] else shown[0]
