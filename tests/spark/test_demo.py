"""`snakka demo`: the real command, and its figures against what its events hold."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from pipeline_commands import warm_cache
from tests.spark.conftest import JVM_VARIABLES
from tests.spark.topic_sink_reading import read_topic

from snakka.cli.demo import _style
from snakka.demo.events import CLOSES, MOST_DELAY_SECONDS, OPENS, Day, Figures, make_day
from snakka.demo.picture import Style, bar, plot, table
from snakka.demo.pipeline_file import DEAD_LETTERS_TOPIC, FILE_NAME, SALES_TOPIC, TABLE_NAME
from snakka.demo.report import Outcome, result_lines
from snakka.testing import BlockingLocalBroker

ROOT = Path(__file__).parents[2]
SNAKKA = (sys.executable, "-m", "snakka.cli.main")
COMMAND = (*SNAKKA, "demo")
# Alone on two cores it takes less than half of this.
SECONDS = 240
# What is promised of the command as it is typed. Beside a whole suite it takes about half a minute.
PROMISED_SECONDS = 90
DEFAULT_DAY = (60_000, 14)
BLOCKS = " ▁▂▃▄▅▆▇█"
EIGHTHS = len(BLOCKS) - 1
PLOT_ROWS = 8
WINDOW_SECONDS = 600
WINDOWS = (CLOSES - OPENS) // WINDOW_SECONDS


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """As a user has it who has warmed up: no variable of the tests' own Spark, but for what makes its JVMs cheap."""
    own = {
        name: value
        for name, value in os.environ.items()
        if name in JVM_VARIABLES or not name.startswith(("SPARK", "PYSPARK"))
    }
    return {**own, "XDG_CACHE_HOME": str(warm_cache(tmp_path_factory))}


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 60)
def test_the_demo_shows_what_its_events_hold_and_ends(tmp_path: Path, environment: dict[str, str]) -> None:
    directory = tmp_path / "shop"
    ended = subprocess.run(
        [*COMMAND, "--orders", "6000", "--seed", "3", "--keep", str(directory)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    day = make_day(6000, 3)
    figures = day.figures
    assert "\x1b" not in ended.stdout  # no terminal, no colours
    assert "every figure agrees with what was sent" in ended.stdout
    assert f"{figures.orders:,} orders to the table, {figures.broken:,} dead letters" in ended.stdout
    assert f"{figures.late:,} came too late for their windows" in ended.stdout
    assert "that was all, in " in ended.stdout
    _check_width(ended.stdout)
    _check_pictures(ended.stdout, day)
    assert f"everything is in {directory}: the pipeline, its table" in ended.stdout
    assert _what_is_next(ended.stdout) == {
        f"snakka start --data-dir {directory / 'broker'}": "the broker with all topics, on 127.0.0.1:9092",
        f"snakka consume {SALES_TOPIC} --from-beginning": "what the pipeline wrote",
        f"snakka pipeline status {directory / FILE_NAME}": "how its run ended",
    }
    _check_late_rows(ended.stdout, directory, figures)

    orders = DeltaTable(directory / TABLE_NAME).to_pyarrow_table()
    assert orders.num_rows == len(set(orders["order_id"].to_pylist())) == figures.orders
    assert sum(orders["total"].to_pylist()) == Decimal(figures.revenue_cents) / 100
    assert figures.late_orders <= set(orders["order_id"].to_pylist())
    with BlockingLocalBroker(data_dir=str(directory / "broker")) as broker:
        letters = read_topic(broker.bootstrap_servers, DEAD_LETTERS_TOPIC)
        assert len(letters) == figures.broken
        sent = Counter(record.value for record in day.records)
        assert all(sent[letter.value] for letter in letters)
        sales = read_topic(broker.bootstrap_servers, SALES_TOPIC)
    counted = sum(int(re.search(rb'"orders":(\d+)', message.value)[1]) for message in sales)  # type: ignore[index]
    assert counted == figures.orders - figures.late - figures.still_open


def _check_late_rows(shown: str, directory: Path, figures: Figures) -> None:
    """Spark counts what it drops after it has added up what a batch has for one window, so there are fewer than orders."""
    ended = subprocess.run(
        [*SNAKKA, "pipeline", "status", str(directory / FILE_NAME), "-o", "json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    sinks = json.loads(ended.stdout)["sinks"]
    late = sinks["sales"]["late_rows"]
    assert 0 < late <= figures.late
    assert re.search(rf"\n +sales +{figures.records:,} rows in, .* {late:,} late rows?, ", shown)
    assert re.search(rf"\nsales: batch .* \| late {late:,} rows? \| ", shown)
    # Only the next morning's first order is in a window that has not ended.
    assert sinks["sales"]["state_rows"] == figures.still_open == 1
    assert sinks["orders"]["late_rows"] == sinks["orders"]["state_rows"] == 0


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 60)
def test_the_demo_as_it_is_typed_ends_in_time_and_leaves_nothing(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """With nothing prepared, as on a machine where Spark has never run."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    fresh = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(temporary)}
    begun = time.monotonic()
    ended = subprocess.run(
        COMMAND,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**environment, **fresh},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
    )
    took = time.monotonic() - begun
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (said,) = re.findall(r"that was all, in (\d+) s", ended.stdout)
    assert int(said) <= took + 1
    assert took < PROMISED_SECONDS
    assert "every figure agrees with what was sent" in ended.stdout
    _check_pictures(ended.stdout, make_day(*DEFAULT_DAY))
    assert _what_is_next(ended.stdout) == {
        "snakka demo --keep shop": "the same, and everything stays in shop/",
        "snakka pipeline --help": "pipelines of your own, in a file like this one",
        "snakka start": "a broker that stays; docs/pipelines.md has the rest",
    }
    assert not list(temporary.glob("snakka-*"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cache", "temporary"]


def _what_is_next(shown: str) -> dict[str, str]:
    """What can be typed, and what that does: the lines below the last heading."""
    lines = shown.split("that was all, in ")[1].splitlines()[1:]
    pairs = [re.fullmatch(r" {4}(snakka .*?) {3,}(\S.*)", line) for line in lines]
    return {each[1]: each[2] for each in pairs if each is not None}


def _check_pictures(shown: str, day: Day) -> None:
    """The plot, the table and the dead letters, against what was sent."""
    lines = shown.splitlines()
    in_time, wrong = _sorted_out(day)
    revenue, cents = [0] * WINDOWS, Counter[str]()
    for order in in_time:
        at = datetime.fromisoformat(order["at"]).timestamp()
        spent = round(float(order["price"]) * 100) * order["quantity"]
        revenue[int(at - OPENS) // WINDOW_SECONDS] += spent
        cents[order["category"]] += spent
    heights = [each / max(revenue) * PLOT_ROWS for each in revenue]
    assert _drawn_heights(lines) == pytest.approx(heights, abs=1 / EIGHTHS)

    orders = Counter(order["category"] for order in in_time)
    head = next(
        place for place, line in enumerate(lines) if line.split() == ["category", "orders", "revenue"]
    )
    rows = [line.split() for line in lines[head + 2 : head + 2 + len(cents)]]
    assert [row[:3] for row in rows] == [
        [name, f"{orders[name]:,}", f"{spent / 100:,.2f}"] for name, spent in cents.most_common()
    ]
    most = max(cents.values())
    assert [len(row[3]) for row in rows] == [
        max(1, round(spent / most * 24)) for spent in sorted(cents.values())[::-1]
    ]
    assert {char for row in rows for char in row[3]} == {"█"}

    head = next(place for place, line in enumerate(lines) if "dead letters: the value" in line)
    told = [line.strip().rsplit(maxsplit=1) for line in lines[head + 2 : head + 2 + len(wrong)]]
    assert {text: int(count.replace(",", "")) for text, count in told} == wrong


def _sorted_out(day: Day) -> tuple[list[dict[str, Any]], Counter[str]]:
    """The orders that windows count, and what is wrong with records. Late ones are of those who are on the road."""
    in_time = []
    wrong = Counter[str]()
    for record in day.records[:-1]:  # the last is of the next morning
        try:
            event = json.loads(record.value.decode())
        except UnicodeDecodeError:
            wrong["is not UTF-8"] += 1
        except ValueError:
            wrong["is no JSON"] += 1
        else:
            if "at" not in event:
                wrong["at is missing"] += 1
            elif not isinstance(event["quantity"], int):
                wrong["quantity is no INT"] += 1
            elif event["event"] == "order" and event["city"] != "on the road":
                in_time.append(event)
    return in_time, wrong


def _drawn_heights(lines: list[str]) -> list[float]:
    """Of the plot's columns, in rows."""
    top = 1 + lines.index("  Revenue in windows of ten minutes, by the time of the order")
    axis = lines[top + PLOT_ROWS]
    begin = axis.index("─")
    assert axis[begin:] == "─" * WINDOWS
    hours = "".join(f"{hour:02}:00".ljust(12) for hour in range(8, 20, 2))
    assert lines[top + PLOT_ROWS + 1][begin:] == hours.rstrip()
    rows = [line[begin:].ljust(WINDOWS) for line in lines[top : top + PLOT_ROWS]]
    return [sum(BLOCKS.index(row[place]) / EIGHTHS for row in rows) for place in range(WINDOWS)]


def test_the_readme_begins_with_commands_that_run_it_and_a_broker() -> None:
    first = re.search(r"```\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert first is not None
    assert [line.split("#")[0].strip() for line in first[1].splitlines()][:2] == ["make run", "make demo"]
    if shutil.which("make") is None:
        pytest.skip("needs make")
    for target, runs in (
        ("demo", "snakka demo"),
        ("run", "snakka start --data-dir data --listen 127.0.0.1:9092"),
    ):
        shown = subprocess.run(
            ["make", "--no-print-directory", "--dry-run", target],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert shown.stdout.splitlines()[-1].partition("/bin/")[2] == runs


def _check_width(shown: str) -> None:
    """Beside lines for each batch, which are for files, and this directory's long name, all fits into 80 columns."""
    lines = [
        line
        for line in shown.splitlines()
        if " | " not in line and "/shop" not in line and " rows in, " not in line
    ]
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.slow
@pytest.mark.timeout(SECONDS)
def test_an_interrupt_ends_it_and_leaves_nothing(tmp_path: Path, environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [*COMMAND, "--orders", "2000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "TMPDIR": str(tmp_path)},
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("starting Spark"):
                break
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to all of them
        rest, errors = process.communicate(timeout=SECONDS / 2)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, rest + errors
    assert "Traceback" not in errors
    assert not list(tmp_path.glob("snakka-demo-*"))


@pytest.mark.parametrize(
    ("arguments", "changes", "says"),
    [
        (["--orders", "0"], {}, "0 is no whole number of at least 1"),
        (["--orders", "9000000"], {}, "--orders may be 5,000,000 at most"),
        (["--keep", "."], {}, ". is not empty: name a new directory"),
        (["--keep", "/dev/null"], {}, "/dev/null: File exists; --keep takes a directory that can be made"),
        (["--keep", "/dev/null/shop"], {}, "/dev/null/shop: Not a directory; --keep"),
        ([], {"PATH": "/nonexistent", "JAVA_HOME": "/nonexistent"}, "the demo needs Java 17"),
    ],
)
def test_what_keeps_it_from_starting_is_one_line(
    arguments: list[str], changes: dict[str, str], says: str
) -> None:
    ended = subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **changes},
    )
    assert ended.returncode in (1, 2)
    assert says in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_colours_are_for_terminals_whose_user_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    main_end, terminal_end = os.openpty()
    with os.fdopen(main_end), os.fdopen(terminal_end, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.delenv("NO_COLOR", raising=False)
        assert _style() == Style(colours=True, unicode=True)
        monkeypatch.setenv("NO_COLOR", "1")
        assert _style() == Style(colours=False, unicode=True)


def test_one_seed_is_one_day() -> None:
    day = make_day(3000, 5)
    assert make_day(3000, 5) == day
    assert make_day(3000, 6) != day
    figures = day.figures
    assert figures.records == len(day.records)
    assert figures.records == figures.orders + figures.tests + figures.broken
    assert min(figures.late, figures.tests, figures.broken) > 5
    arrived = [record.arrived_ms for record in day.records]
    assert arrived == sorted(arrived)
    assert MOST_DELAY_SECONDS < 600  # what is not late is inside the watermark's ten minutes


def _outcome(figures: Figures, **changes: Any) -> Outcome:
    counted = figures.orders - figures.late - figures.still_open
    cents = figures.revenue_cents - figures.late_revenue_cents - figures.open_revenue_cents
    revenue = Decimal(cents) / 100
    right: dict[str, Any] = {
        "table_rows": figures.orders,
        "table_orders": figures.orders,
        "table_revenue": Decimal(figures.revenue_cents) / 100,
        "sales": [
            {"start": "2026-03-14T12:00:00.000Z", "category": "lunch", "orders": counted, "revenue": revenue}
        ],
        "errors": Counter({"is no JSON": figures.broken}),
    }
    return Outcome(**{**right, **changes})


def test_a_figure_that_disagrees_is_named() -> None:
    figures = make_day(3000, 5).figures
    assert _outcome(figures).disagreements(figures) == []
    wrong = _outcome(figures, table_rows=figures.orders - 1, errors=Counter())
    assert wrong.disagreements(figures) == [
        f"orders in the table: {figures.orders - 1}, not {figures.orders}",
        f"dead letters: 0, not {figures.broken}",
    ]
    text = "\n".join(result_lines(figures, wrong, Style()))
    assert f"DISAGREES dead letters: 0, not {figures.broken}" in text
    assert "every figure agrees" not in text


def test_pictures_are_drawn_to_the_eighth() -> None:
    assert plot([0, 1, 4, 8], ["a", "", "b", ""], 2, Style()) == ["8    █", "4  ▂██", "  ────", "  a b"]
    assert plot([0.0], [""], 2, Style(unicode=False))[-2] == "  -"
    assert bar(0.5, 4, Style()) == "██  "
    assert bar(0.001, 4, Style()) == "█   "
    assert table(("name", "n"), [("a", "10"), ("bcdef", "2")], Style(unicode=False)) == [
        "name    n",
        "-----  --",
        "a      10",
        "bcdef   2",
    ]
    assert Style(colours=True).paint("x", "red") == "\x1b[31mx\x1b[0m"
