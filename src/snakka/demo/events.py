"""The events of a made-up day of a shop: what its tills sent, as it arrived.

Most orders arrive seconds after they were made, a bit out of order. Two food trucks are out of reach from the morning on,
and send theirs in the evening, hours late. Some senders are broken, some are test tills. The last record is the first order
of the next morning: it moves the time on, so that all windows of the day end; its own stays open.

Rule: one seed, one day: the same records in the same order, on any machine.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

OPENS = int(datetime(2026, 3, 14, 8, tzinfo=UTC).timestamp())
CLOSES = int(datetime(2026, 3, 14, 20, tzinfo=UTC).timestamp())
NEXT_MORNING = OPENS + 24 * 3600

# How busy each hour is, beginning with the first: lunch, and the way home.
BUSY = (2, 3, 4, 7, 12, 10, 6, 5, 7, 12, 10, 4)
CITIES = ("Oslo", "Bergen", "Trondheim", "Stavanger", "Tromsø")
# What is sold: how often, and for about how much.
CATEGORIES = {
    "coffee": (9, 4.5),
    "lunch": (6, 14.0),
    "books": (3, 22.0),
    "games": (2, 48.0),
    "bicycles": (0.4, 640.0),
}

MOST_DELAY_SECONDS = 240  # of an order that is not late
LATE_SHARE = 0.008
BROKEN_SHARE = 0.005
TEST_SHARE = 0.01


class Record(NamedTuple):
    """What a till sent; it arrived at `arrived_ms`."""

    arrived_ms: int
    key: str
    value: bytes


@dataclass
class Figures:
    """What is in the records, and so what must come out."""

    records: int = 0
    orders: int = 0  # well formed, and real
    late: int = 0  # of these
    still_open: int = 0  # of these, in a window that has not ended
    tests: int = 0
    broken: int = 0
    revenue_cents: int = 0  # of all orders
    late_revenue_cents: int = 0
    open_revenue_cents: int = 0
    late_orders: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Day:
    records: list[Record]
    figures: Figures


def make_day(orders: int, seed: int) -> Day:
    """A day with about that many orders, and the first one of the next."""
    chance = random.Random(seed)
    figures = Figures()
    records = sorted(_orders(orders, chance, figures), key=lambda record: record.arrived_ms)
    records.append(_next_morning(orders + 1, figures))
    figures.records = len(records)
    return Day(records, figures)


def _orders(count: int, chance: random.Random, figures: Figures) -> Iterator[Record]:
    names, shares = list(CATEGORIES), [share for share, _ in CATEGORIES.values()]
    for number in range(1, count + 1):
        at = _moment(chance)
        category = chance.choices(names, shares)[0]
        quantity = chance.choices((1, 2, 3, 4), (70, 20, 7, 3))[0]
        cents = max(50, round(100 * CATEGORIES[category][1] * chance.lognormvariate(0, 0.35)))
        order = {
            "event": "order",
            "order_id": number,
            "at": _text(at),
            "city": chance.choice(CITIES),
            "category": category,
            "quantity": quantity,
            "price": f"{cents / 100:.2f}",
        }
        delay = min(chance.expovariate(1 / 15), MOST_DELAY_SECONDS)
        roll = chance.random()
        if roll < BROKEN_SHARE:
            figures.broken += 1
            yield Record(round(1000 * (at + delay)), "till-9", _broken(order, chance))
            continue
        if roll < BROKEN_SHARE + TEST_SHARE:
            figures.tests += 1
            order["event"] = "test"
        elif roll < BROKEN_SHARE + TEST_SHARE + LATE_SHARE:
            at, delay = _out_of_reach(chance)
            order |= {"at": _text(at), "city": "on the road", "category": "lunch"}
            figures.late += 1
            figures.late_revenue_cents += cents * quantity
            figures.late_orders.add(number)
        if order["event"] == "order":
            figures.orders += 1
            figures.revenue_cents += cents * quantity
        yield Record(round(1000 * (at + delay)), f"till-{number % 8}", _json(order))


def _moment(chance: random.Random) -> float:
    hour = chance.choices(range(len(BUSY)), BUSY)[0]
    return OPENS + 3600 * (hour + chance.random())


def _out_of_reach(chance: random.Random) -> tuple[float, float]:
    """Made before eleven, sent after half past five."""
    at = OPENS + 3600 * 3 * chance.random()
    sent = CLOSES - 3600 * 2.5 * chance.random()
    return at, sent - at


def _next_morning(number: int, figures: Figures) -> Record:
    order = {
        "event": "order",
        "order_id": number,
        "at": _text(NEXT_MORNING),
        "city": CITIES[0],
        "category": "coffee",
        "quantity": 1,
        "price": "4.50",
    }
    figures.orders += 1
    figures.still_open += 1
    figures.revenue_cents += 450
    figures.open_revenue_cents += 450
    return Record(1000 * NEXT_MORNING, "till-1", _json(order))


def _broken(order: dict[str, object], chance: random.Random) -> bytes:
    """What comes of a bad line, an old version, a proxy's error page, a wrong serializer."""
    kind = chance.randrange(5)
    text = _json(order)
    if kind == 0:
        return text[: chance.randrange(1, len(text) - 1)]
    if kind == 1:
        return _json({**order, "quantity": chance.choice(["two", "1 (one)", [1]])})
    if kind == 2:
        return _json({name: value for name, value in order.items() if name != "at"})
    if kind == 3:
        return b"<html><body><h1>502 Bad Gateway</h1></body></html>"
    return b"\x80\x04\x95" + chance.randbytes(24)


def _json(event: dict[str, object]) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _text(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
