"""What came out of the demo's pipeline, beside what must: figures, a table, a plot.

Rule: pure: what was read back in, lines out.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from snakka.demo.events import CLOSES, OPENS, Figures
from snakka.demo.picture import Style, bar, plot, table

_WINDOW_SECONDS = 600
_BAR_WIDTH = 24
_PLOT_HEIGHT = 8
_MOST_ERRORS = 6


@dataclass(frozen=True)
class Outcome:
    """What the table and the topics hold."""

    table_rows: int
    table_orders: int  # different ones
    table_revenue: Decimal
    sales: Sequence[Mapping[str, Any]]  # start, category, orders, revenue
    errors: Counter[str]

    @property
    def counted(self) -> int:
        """Orders in windows."""
        return sum(row["orders"] for row in self.sales)

    @property
    def window_revenue(self) -> Decimal:
        return sum((Decimal(row["revenue"]) for row in self.sales), Decimal(0))

    def disagreements(self, figures: Figures) -> list[str]:
        """What is not as it must be; nothing if all is well."""
        elsewhere = figures.late_revenue_cents + figures.open_revenue_cents
        windows = Decimal(figures.revenue_cents - elsewhere) / 100
        pairs: dict[str, tuple[object, object]] = {
            "orders in the table": (self.table_rows, figures.orders),
            "different orders in the table": (self.table_orders, figures.orders),
            "revenue in the table": (self.table_revenue, Decimal(figures.revenue_cents) / 100),
            "orders in windows": (self.counted, figures.orders - figures.late - figures.still_open),
            "revenue in windows": (self.window_revenue, windows),
            "dead letters": (self.errors.total(), figures.broken),
        }
        return [
            f"{what}: {found}, not {wanted}" for what, (found, wanted) in pairs.items() if found != wanted
        ]


def result_lines(figures: Figures, outcome: Outcome, style: Style) -> list[str]:
    """All of it, top to bottom."""
    return [
        "",
        *_plot_lines(outcome, style),
        "",
        *_category_lines(outcome, style),
        "",
        *_error_lines(outcome, style),
        "",
        *_check_lines(figures, outcome, style),
    ]


def _plot_lines(outcome: Outcome, style: Style) -> list[str]:
    by_window: defaultdict[datetime, Decimal] = defaultdict(Decimal)
    for row in outcome.sales:
        by_window[datetime.fromisoformat(row["start"]).astimezone(UTC)] += Decimal(row["revenue"])
    opens = datetime.fromtimestamp(OPENS, UTC)
    starts = [opens + timedelta(seconds=each) for each in range(0, CLOSES - OPENS, _WINDOW_SECONDS)]
    values = [float(by_window[start]) for start in starts]
    labels = [f"{start:%H:%M}" if start.minute == 0 and start.hour % 2 == 0 else "" for start in starts]
    return [
        style.paint("Revenue in windows of ten minutes, by the time of the order", "bold"),
        *plot(values, labels, _PLOT_HEIGHT, style),
    ]


def _category_lines(outcome: Outcome, style: Style) -> list[str]:
    orders: Counter[str] = Counter()
    revenue: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in outcome.sales:
        orders[row["category"]] += row["orders"]
        revenue[row["category"]] += Decimal(row["revenue"])
    most = max(revenue.values(), default=Decimal(1)) or Decimal(1)
    rows = [
        (
            name,
            f"{orders[name]:,}",
            f"{revenue[name]:,.2f}",
            bar(float(revenue[name] / most), _BAR_WIDTH, style),
        )
        for name in sorted(revenue, key=lambda name: -revenue[name])
    ]
    return table(("category", "orders", "revenue", ""), rows, style)


def _error_lines(outcome: Outcome, style: Style) -> list[str]:
    rows = [(text, f"{count:,}") for text, count in outcome.errors.most_common(_MOST_ERRORS)]
    rest = outcome.errors.total() - sum(count for _, count in outcome.errors.most_common(_MOST_ERRORS))
    if rest:
        rows.append(("others", f"{rest:,}"))
    return table(("dead letters: the value", "records"), rows, style)


def _check_lines(figures: Figures, outcome: Outcome, style: Style) -> list[str]:
    wrong = outcome.disagreements(figures)
    late = outcome.table_rows - outcome.counted - figures.still_open
    came = f"{outcome.table_rows:,} orders to the table, {outcome.errors.total():,} dead letters"
    lines = [
        f"{figures.records:,} records in: {came}, {figures.tests:,} tests",
        f"{outcome.counted:,} orders counted in {len(outcome.sales):,} windows and categories",
        f"{late:,} came too late for their windows; {figures.still_open} is of the next morning, still open",
    ]
    if wrong:
        return [*lines, *(style.paint(f"DISAGREES {each}", "red") for each in wrong)]
    return [
        *lines,
        style.paint("every figure agrees with what was sent: nothing lost, nothing twice", "green"),
    ]
